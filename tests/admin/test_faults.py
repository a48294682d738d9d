"""All faults of a builder form at once, at their fields and in the words of the form."""

import re
from html import unescape

import pytest

from survey.admin.builder.faults import check_builder_form
from survey.admin.builder.fields import empty_question
from survey.admin.builder.form_to_definition import question_data
from survey.admin.builder.texts import choice_entries, parse_expected_respondents
from survey.core.errors import DefinitionError
from survey.definition.survey import MAX_QUESTIONS, parse_survey
from tests.support.builder_forms import filled, hidden, sent_again
from tests.support.check_each import check_each
from tests.support.definitions import definition

EDIT = "/admin/surveys/health/edit"
SURVEY = {
    "title": "Health", "slug": "", "language": "en", "introduction": "", "budget": "", "sample": "",
    "asked_by": "", "contact": "", "minutes": "", "support": "", "layout": "all_on_one_page",
    "exit": "", "completion_link": "", "completion_code": "", "series": "", "batch": "25",
    "planned": "", "stop_at": "", "recruitment": "",
    "respondents": "500", "languages": [],
    "invitations": False, "receipts": False, "by_hand": False, "comprehension": False,
    "title_in_history": False,
    "introduction_in_full": False, "class_mode": False,
}  # fmt: skip
NUMBER = {"type": "number", "label": "How many?", "min": "0", "max": "10"}


def form(*questions, **survey):
    typed = [empty_question() | {"label": "Why?"} | question for question in questions]
    return SURVEY | survey | {"questions": typed}


def faults(*questions, **survey):
    return [fault.text for fault in check_builder_form(form(*questions, **survey), None)[1]]


def test_a_sound_form_is_a_survey_without_faults():
    survey, found = check_builder_form(form({}, NUMBER), None)
    assert found == []
    assert [question.name for question in survey.questions] == ["q1", "q2"]


def test_every_fault_of_every_question_is_told_at_once_in_the_order_of_the_page():
    assert faults(
        {"label": ""},
        {"type": "select_one", "choices": "a\n b | \na"},
        {"type": "number", "min": "", "max": "many", "step": "0", "unit": "u" * 41},
        {"privacy": "gamma", "gamma": "0.7", "name": "Not Good", "relevant": "nobody: yes"},
        {"privacy": "other", "other": "{", "hint": "\x01"},
        title="", minutes="soon", respondents="-5", batch="0", exit="here", series="A B",
    ) == [
        "Title: type a title.",
        "Duration in minutes: type a whole number from 1 to 240, or leave it empty.",
        "Page that “Leave now” opens: type an address such as https://www.example.org/, or leave "
        "it empty.",
        "Series: use at most 63 characters: lower-case letters without accents, digits, and "
        "hyphens between them.",
        "Batch size for publishing responses: type a whole number from 1 to 10,000.",
        "Target sample size: type a whole number from 1 to 10,000,000, or leave it empty.",
        "Question 1: type the question.",
        "Question 2, Choices, one per line: choice 2 has no label.",
        "Question 2, Choices, one per line: choice 3 has the same label as an earlier one.",
        "Question 3, Unit: it is longer than 40 characters.",
        "Question 3, Smallest value: type a number.",
        "Question 3, Largest value: type a number.",
        "Question 3, Step: type a number above 0.",
        "Question 4, Column name in the CSV file: use lower-case letters, digits and _, and start "
        "with a letter. At most 63 characters, and not “id”.",
        "Question 4, Asked only if: there is no earlier question “nobody”. Choose an earlier "
        "question.",
        "Question 4, γ, between 0 and 1/2: type a number above 0 and below 1/2.",
        "Question 5, Mechanism as JSON: type the mechanism as JSON, for example "
        '{"mechanism": "warner", "p": "2/3"}.',
        "Question 5, Hint: it contains a control character.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "questions",
    [
        # If the answers are not listed yet, nobody knows whether a condition may name one.
        [{"type": "select_one", "choices": ""}, {"relevant": "q1: often"}],
        [{"type": "select_one", "choices": ""}, {"relevant": "q1: a", "otherwise": "no"}],
        [{"name": "Drinks", "type": "yes_no"}, {"relevant": "Drinks: yes"}],
        [{"type": "number", "min": "x", "max": "3"}, {"relevant": "q1: at least 2"}],
    ],
)
def test_what_follows_from_another_fault_is_not_told(questions):
    (only,) = faults(*questions)
    assert only.startswith("Question 1, ")


def test_what_may_be_wrong_because_of_another_field_alone_waits_for_it():
    assert faults(NUMBER | {"min": "x", "max": "-4", "step": "3"}) == [
        "Question 1, Smallest value: type a number."
    ]
    unready = {"type": "scale"}
    assert faults({}, unready, budget="0.1", sample="7", by_hand=True) == [
        "Question 2, Choices, one per line: give 2 to 100 choices (up to 1,000 if non-private)."
    ]
    assert faults({}, {"label": ""}, budget="0.1") == [
        "Privacy budget ε per respondent: it is 0.1, but the private questions add up to "
        "2.1972. Choose stronger protection, ask fewer private questions, or increase the budget.",
        "Question 2: type the question.",
    ]
    assert faults({}, {}, sample="x", budget="y") == [
        "Privacy budget ε per respondent: type a number above 0, such as 3, or leave it empty.",
        "Private questions per respondent: type a whole number below the number of private "
        "questions, or leave it empty.",
    ]


@pytest.mark.slow
def test_two_hundred_questions_with_faults_in_each_are_told_in_time():
    found = faults(*[{"type": "select_one", "choices": "a\n" * 100, "label": ""}] * 200)
    assert len(found) > 400
    assert found[0] == "Question 1: type the question."


def test_each_fault_leads_to_its_field_and_has_the_sentence_for_beside_it(store, researcher):
    """static/admin/builder/faults.js puts it there (tests/browser/test_builder.py)."""
    reply = researcher.post(
        "/admin/surveys/new",
        filled({"label": ""}, {"name": "b", "type": "number"}, minutes="x"),
    )
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 422
    links = re.findall(r'<a href="#([\w-]+)" data-fault="([^"]+)">([^<]+)</a>', page)
    assert links == [
        ("minutes", "Type a whole number from 1 to 240, or leave it empty.",
         "Duration in minutes: type a whole number from 1 to 240, or leave it empty."),
        ("questions-0-label", "Type the question.", "Question 1: type the question."),
        ("questions-1-min", "Type a number.", "Question 2, Smallest value: type a number."),
        ("questions-1-max", "Type a number.", "Question 2, Largest value: type a number."),
    ]  # fmt: skip
    assert 'id="minutes"' in page


def test_choices_come_back_as_they_were_typed_where_name_and_label_are_the_same():
    typed = "a\nlow_2\nDaily\nb | b2\nX | X\nc c"
    entry = {"name": "q", "type": "select_one", "choices": choice_entries(typed)}
    shown = question_data(entry, "en", {})["choices"]
    assert shown == "a\nlow_2\ndaily | Daily\nb | b2\nX | X\nc_c | c c"
    assert choice_entries(shown) == entry["choices"] == choice_entries(typed)


def test_a_taken_address_is_told_with_all_else(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    reply = researcher.post("/admin/surveys/new", filled({"label": ""}))
    page = unescape(reply.get_data(as_text=True))
    assert "Survey address: another survey has this address. Choose another one." in page
    assert "Question 1: type the question." in page


def test_how_many_are_expected_is_refused_or_kept_as_the_drafts_target(store, researcher):
    reply = researcher.post("/admin/surveys/new", filled() | {"respondents": "-5"})
    assert reply.status_code == 422
    assert "Target sample size: type a whole number" in reply.get_data(as_text=True)
    assert store.surveys.all() == []
    researcher.post("/admin/surveys/new", filled() | {"respondents": "1,200"})
    assert store.surveys.by_slug("health").limits.target == 1200
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert 'name="expected" value="1200"' in page  # the pre-launch checklist
    form = sent_again(researcher, EDIT)
    assert form["respondents"] == "1200"
    researcher.client.post(EDIT, data=form | {"respondents": ""})
    assert store.surveys.by_slug("health").limits.target is None


def test_a_target_set_elsewhere_meanwhile_is_not_overwritten(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    form = sent_again(researcher, EDIT) | {"title": "Mine"}
    limits = {"target": "900"}
    researcher.post("/admin/surveys/health/limits", limits, form="/admin/surveys/health")
    reply = researcher.client.post(EDIT, data=form)
    assert reply.status_code == 409
    assert 'You <span lang="en">changed the survey&#39;s limits<' in reply.get_data(as_text=True)
    assert store.surveys.by_slug("health").limits.target == 900


def test_a_draft_gets_another_address_as_long_as_none_has_it(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    researcher.post("/admin/surveys/new", filled(slug="other"))
    page = researcher.client.get(EDIT).get_data(as_text=True)
    assert re.search(r"/s/<b data-address>health</b>", page)
    form = sent_again(researcher, EDIT) | {"title": "Wellbeing"}
    researcher.client.post(EDIT, data=form)  # the title alone does not change the address
    assert store.surveys.by_slug("health").survey.title == "Wellbeing"
    form = sent_again(researcher, EDIT)
    refused = researcher.client.post(EDIT, data=form | {"slug": "other"})
    assert refused.status_code == 422
    assert "Another survey has this address. Choose another one." in refused.get_data(as_text=True)
    reply = researcher.client.post(EDIT, data=form | {"slug": "wellbeing"})
    assert reply.location == "/admin/surveys/wellbeing/edit"
    assert {found.survey.slug for found in store.surveys.all()} == {"wellbeing", "other"}


def test_the_goal_of_a_number_is_the_mean_until_another_is_chosen(store, researcher):
    number = {"type": "number", "min": "0", "max": "90", "privacy": "medium"}
    researcher.post("/admin/surveys/new", filled(number))
    assert store.surveys.by_slug("health").survey.questions[0].privacy == {
        "epsilon": "1",
        "goal": "mean",
    }
    scale = {"type": "scale", "choices": "a\nb\nc", "privacy": "medium"}
    researcher.post("/admin/surveys/new", filled(scale, slug="scale"))
    assert store.surveys.by_slug("scale").survey.questions[0].privacy == {"epsilon": "1"}
    researcher.post("/admin/surveys/new", filled(number | {"goal": "shares"}, slug="shares"))
    assert store.surveys.by_slug("shares").survey.questions[0].privacy == {"epsilon": "1"}


def test_save_stays_in_the_builder_and_save_and_close_goes_to_the_overview(researcher):
    page = researcher.client.get("/admin/surveys/new").get_data(as_text=True)
    assert re.findall(r'name="do" value="(save|close)"[^>]*>([^<]+)</button>', page) == [
        ("save", "Save"),
        ("close", "Save and close"),
    ]
    assert researcher.post("/admin/surveys/new", filled(do="save")).location == EDIT
    seen = {"seen": hidden(researcher, EDIT, "seen")}
    reply = researcher.post(EDIT, filled(do="close") | seen)
    assert reply.location == "/admin/surveys/health"


@pytest.mark.slow
def test_no_question_beyond_the_most_is_dropped_in_silence(store, researcher):
    """Regression: the form kept the first two hundred and dropped the texts of the others."""
    many = [{"name": f"q{number}"} for number in range(MAX_QUESTIONS)]
    reply = researcher.post("/admin/surveys/new", filled(*many, {"name": "z", "label": "Kept?"}))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert ">Questions: ask 1 to 200 questions.</a>" in page
    assert '<a href="#questions" data-fault=' in page
    assert "Kept?" in page
    assert store.surveys.all() == []


@pytest.mark.parametrize(
    ("typed", "n"), [("500", 500), ("1,200", 1200), ("1.200", 1200), ("1 200", 1200), ("", None)]
)
def test_a_target_may_have_digit_groups(typed, n):
    assert parse_expected_respondents(typed) == n


@check_each("typed", ["3,5", "3.5", "1,2,3", "1,200.5", "1,20", "0", "-5", "٥"])
def test_a_target_with_decimals_is_refused(typed):
    """“3,5” is three and a half in Vietnamese. The builder once read it as 35."""
    with pytest.raises(DefinitionError):
        parse_expected_respondents(typed)


def test_a_class_does_not_fit_a_series():
    [said] = faults({}, class_mode=True, series="waves")
    assert said == (
        "Class mode, for a survey of people in one room: does not fit a series. Switch class mode "
        "off, or remove the name of the series."
    )
    assert faults({}, class_mode=True, batch="25") == []


UNSENT = {"name": "smokes", "privacy": "not_sent"}
AGE = NUMBER | {"name": "age", "privacy": "not_sent"}
ONE = {"type": "select_one", "choices": "low\nhigh"}


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ({"derived": "sum", "points": "", "at_least": "1"},
         "Questions and points, one question per line: type at least one question."),
        ({"derived": "sum", "points": "smokes: yes two no 0", "at_least": "1"},
         "Questions and points, one question per line: “smokes: yes two no 0” does not give "
         "points. Write “smokes: never 0, often 3”, or “age: 2” for a number."),
        ({"derived": "sum", "points": "smokes: yes 1.5, no 0", "at_least": "1"},
         "Questions and points, one question per line: “smokes: yes” must be a whole number, at "
         "most a million."),
        ({"derived": "sum", "points": "smokes: yes 1", "at_least": "1"},
         "Questions and points, one question per line: “smokes” must give points to each of: yes, "
         "no."),
        ({"derived": "sum", "points": "drinks", "at_least": "1"},
         "Questions and points, one question per line: “drinks” is not an earlier question with "
         "choices or a number."),
        ({"derived": "sum", "points": "age", "at_least": ""},
         "Yes from this value on: type a number."),
        ({"derived": "sum", "points": "age", "at_least": "11"},
         "Yes from this value on: it must be above 0 and at most 10, so that each answer is "
         "possible."),
        ({"derived": "any", "conditions": ""},
         "Conditions, one question per line: type at least one condition."),
        ({"derived": "any", "conditions": "smokes"},
         "Conditions, one question per line: “smokes” is not a condition. Write “smokes: yes” or "
         "“age: 18 to 65”."),
        ({"derived": "all", "conditions": "drinks: yes"},
         "Conditions, one question per line: there is no earlier question “drinks”. Choose an "
         "earlier question."),
        ({"derived": "count", "conditions": "age: yes", "at_least": "1"},
         "Conditions, one question per line: write “age: 18 to 65” or “age: at least 18”."),
        (ONE | {"derived": "any", "conditions": "smokes: yes"},
         "Source of the answer: this calculation does not fit the question type. Choose another "
         "one."),
        (NUMBER | {"derived": "sum", "points": "age: 2"},
         "Source of the answer: it can be from 0 to 20, so min and max must include these."),
        (ONE | {"derived": "sum", "points": "age", "bands": "low: 0"},
         "Lowest value of each choice, one choice per line: it must have the lowest value of each "
         "of: low, high."),
        (ONE | {"derived": "sum", "points": "age", "bands": "low: 0\nhigh: many"},
         "Lowest value of each choice, one choice per line: “high” needs a number, such as "
         "“high: 10”."),
        (ONE | {"derived": "recode", "recode": "low if smokes: yes; age: x"},
         "Conditions of each choice, one choice per line: write “age: 18 to 65” or “age: at least "
         "18”."),
        (ONE | {"derived": "recode", "recode": "low if age: at most 3\nhigh if smokes: yes"},
         "Conditions of each choice, one choice per line: “high” is for everyone else, so it has "
         "no conditions."),
        (ONE | {"derived": "random", "arms": "low: 1"},
         "Weight of each arm, one choice per line: it must give a weight to each of: low, high."),
        (ONE | {"derived": "random", "arms": "low: 1\nhigh: 0"},
         "Weight of each arm, one choice per line: it must have whole numbers from 1 to 1,000."),
        ({"derived": "any", "conditions": "smokes: yes", "prefer_not_to_say": False},
         "Offer “prefer not to say”: tick it, because respondents can decline to answer a "
         "question that this answer uses."),
        ({"derived": "any", "conditions": "smokes: yes", "privacy": "not_sent"},
         "Protection: choose another one. No other answer can be calculated from this answer."),
        ({"derived": "any", "conditions": "smokes: yes", "privacy": "none"},
         "Protection: it would reveal answers to 'smokes'. Protect this derived answer too."),
        ({"relevant": "smokes: yes"},
         "Asked only if: it depends on 'smokes', whose answer is not sent. Use a derived answer "
         "as the condition."),
    ],
)  # fmt: skip
def test_a_fault_of_a_derived_answer_is_told_at_its_field(typed, fault):
    assert faults(UNSENT, AGE, typed) == [f"Question 3, {fault}"]


def test_a_mean_needs_a_question_that_everyone_who_has_it_is_asked():
    why = UNSENT | {"name": "why", "relevant": "smokes: yes"}
    mean = {"derived": "mean", "points": "why: yes 1, no 0", "at_least": "1"}
    assert faults(UNSENT, why, mean) == [
        "Question 3, Questions and points, one question per line: some respondents are asked none "
        "of these questions, so there is no mean. Give this question the same condition, or add a "
        "question that everyone is asked."
    ]
    assert faults(UNSENT, why, mean | {"points": "why\nsmokes"}) == []


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        ("", "choose 2 to 4 earlier questions."),
        ("smokes", "choose 2 to 4 earlier questions."),
        ("smokes\nsmokes", "names a question twice."),
        ("smokes\ndrinks", "'drinks' is not an earlier question."),
        ("smokes\nage", "'age' must be a yes/no question, a single choice or a scale that is not "
                        "sent."),
        ("smokes\nwhere", "'where' must be a yes/no question, a single choice or a scale that is "
                          "not sent."),
        ("smokes\nmany", "there are more than 64 combinations of answers, with “prefer not to say” "
                         "and “not asked”. Choose fewer questions, or offer fewer answers."),
    ],
)  # fmt: skip
def test_a_fault_of_a_joint_question_is_told_at_its_questions(names, fault):
    where = ONE | {"name": "where"}
    many = {"type": "select_one", "name": "many", "privacy": "not_sent",
            "choices": "\n".join(f"c{number}" for number in range(33))}  # fmt: skip
    joint = {"type": "joint", "joint": names}
    assert faults(UNSENT, AGE, where, many, joint) == [
        f"Question 5, Questions to randomise together: {fault}"
    ]


def test_a_joint_question_with_a_wrong_protection_says_so_there():
    other = ONE | {"name": "where", "privacy": "not_sent"}
    joint = {"type": "joint", "joint": "smokes\nwhere"}
    assert faults(UNSENT, other, joint | {"privacy": "epsilon", "epsilon": "many"}) == [
        "Question 3, Privacy loss ε: type a number from 0.01 to 12."
    ]
    assert faults(UNSENT, other, joint | {"privacy": "none"}) == [
        "Question 3, Protection: it would reveal answers to 'smokes'. Protect this derived answer "
        "too."
    ]


def test_a_drawn_arm_needs_an_answer_for_those_who_are_not_asked():
    arm = ONE | {"derived": "random", "arms": "low: 1\nhigh: 1", "relevant": "q1: yes"}
    plain = {"privacy": "none"}
    assert faults(plain, arm | {"otherwise": "low"}) == []
    assert faults(plain, arm) == [
        "Question 2, Weight of each arm, one choice per line: everyone needs an arm. Remove the "
        "condition, or give an answer for people who are not asked."
    ]


def test_a_drawn_arm_with_a_condition_on_a_private_question_is_told_to_drop_it():
    """The arm cannot be protected, so the message of other questions does not help."""
    arm = ONE | {"derived": "random", "arms": "low: 1\nhigh: 1", "relevant": "q1: yes"}
    for typed in (arm, arm | {"otherwise": "low"}):
        assert faults({"privacy": "medium"}, typed) == [
            "Question 2, Asked only if: it depends on 'q1', which is private. An experimental arm "
            "is sent as it is, so it would reveal that answer. Remove the condition, also that of "
            "its section."
        ]


def test_a_derived_answer_waits_for_the_questions_that_it_uses():
    """A fault of an earlier question is reported once, not again for what uses its answers."""
    unready = {"type": "select_one", "choices": "", "name": "smokes", "privacy": "not_sent"}
    for typed in (
        {"derived": "sum", "points": "smokes: never 0, often 3", "at_least": "1"},
        {"derived": "any", "conditions": "smokes: often"},
        ONE | {"derived": "recode", "recode": "low if smokes: often"},
        {"type": "joint", "joint": "smokes\nsmokes"},
    ):
        assert faults(unready, typed) == [
            "Question 1, Choices, one per line: give 2 to 100 choices (up to 1,000 if non-private)."
        ]


def test_the_rows_of_a_battery_need_the_same_choices():
    section = {"type": "section", "battery": True}
    fault = (
        "the section shows its questions as rows, so they need the same choices, including “prefer "
        "not to say”."
    )
    assert faults(section, ONE, ONE) == []
    assert faults(section, ONE, ONE | {"choices": "a\nb"}) == [
        f"Question 3, Choices, one per line: {fault}"
    ]
    assert faults(section, ONE, ONE | {"prefer_not_to_say": False}) == [
        f"Question 3, Choices, one per line: {fault}"
    ]
    assert faults(section, ONE, NUMBER) == [f"Question 3, Type: {fault}"]
    # The section may be incomplete until its questions have their choices.
    assert faults(section, ONE, ONE | {"choices": ""}) == [
        "Question 3, Choices, one per line: give 2 to 100 choices (up to 1,000 if non-private)."
    ]


PROVINCE = ONE | {"name": "province", "choices": "hn\nhue", "privacy": "none",
                  "prefer_not_to_say": False}  # fmt: skip
DISTRICT = ONE | {"choices": "a\nb", "privacy": "none"}


@check_each(
    ("typed", "fault"),
    [
        ({"choice_conditions": "a if"},
         "“a if” is not an answer with conditions. Write “high if smokes: often; age: at least "
         "18”."),
        ({"choice_conditions": "a, c if province: hn"},
         "“c” is not the code of a choice of this question."),
        ({"choice_conditions": "a, b if province: hn\nb if province: hue"},
         "“b” is used twice. Delete one of the lines."),
        ({"choice_conditions": "a if city: hn"},
         "there is no earlier question “city”. Choose an earlier question."),
        ({"choice_conditions": "a if province: hanoi"},
         "“province” must be one or a list of: hn, hue."),
        ({"choice_conditions": "a if age: 5"}, "write “age: 18 to 65” or “age: at least 18”."),
        ({"choice_conditions": "a if secret: yes"},
         "“secret” is private or stays on the device, and the choices that are offered would "
         "reveal that answer. Use a question without protection."),
        ({"choice_conditions": "a if province: hn", "privacy": "medium"},
         "remove it, or choose the protection “None”. The randomisation of a private answer needs "
         "all choices."),
    ],
)  # fmt: skip
def test_a_fault_of_the_condition_of_a_choice_is_told_at_its_field(typed, fault):
    age = NUMBER | {"name": "age", "privacy": "none"}
    assert faults(PROVINCE, age, {"name": "secret"}, DISTRICT | typed) == [
        f"Question 4, Choices offered only if: {fault}"
    ]


def test_conditions_of_choices_wait_for_what_they_use():
    unready = PROVINCE | {"choices": ""}
    only = "give 2 to 100 choices (up to 1,000 if non-private)."
    typed = DISTRICT | {"choice_conditions": "a if province: hn"}
    assert faults(unready, typed) == [f"Question 1, Choices, one per line: {only}"]
    assert faults(PROVINCE, typed | {"choices": ""}) == [
        f"Question 2, Choices, one per line: {only}"
    ]
    assert faults(PROVINCE, typed) == []
    # Without a choice to offer, there is an answer for people who are not asked.
    both = typed | {"choice_conditions": "a, b if province: hn", "otherwise": "b"}
    assert faults(PROVINCE, both) == []
    assert faults(PROVINCE, typed | {"otherwise": "b"}) == [
        "Question 2, Answer for people who are not asked: leave it empty, or add a condition above."
    ]
