"""The builder: surveys are built, changed and refused without losing what was typed."""

import cProfile
import pstats
import re
import unicodedata

import pytest

from survey.definition.survey import parse_survey
from tests.support.builder_forms import Form, filled, hidden, sent_again
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, letters


def test_a_survey_is_built_previewed_opened_and_closed(store, researcher):
    reply = researcher.post("/admin/surveys/new", filled(title="Đời sống & Health"))
    assert reply.location == "/admin/surveys/doi-song-health"
    page = researcher.client.get(reply.location).get_data(as_text=True)
    assert "Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”." in page
    assert "Pre-launch checklist" in page
    preview = researcher.client.get(f"{reply.location}/preview").get_data(as_text=True)
    assert "Preview: this page sends nothing" in preview
    assert "data-endpoint" not in preview
    seen = {"fingerprint": hidden(researcher, reply.location, "fingerprint"), "looked": "yes"}
    researcher.post(f"{reply.location}/open", seen, form=reply.location)
    assert store.surveys.by_slug("doi-song-health").state == "open"
    assert researcher.client.get("/s/doi-song-health").status_code == 200
    researcher.post(f"{reply.location}/close", form=reply.location)
    assert researcher.client.get("/s/doi-song-health").status_code == 410
    researcher.post(f"{reply.location}/open", form=reply.location)
    assert store.surveys.by_slug("doi-song-health").state == "open"


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({"privacy": "gamma", "gamma": "0.3"}, ((4, 1), (1, 4))),
        ({"privacy": "epsilon", "epsilon": "1.0986122886681098"}, ((3, 1), (1, 3))),
        ({"privacy": "other", "other": '{"mechanism": "warner", "p": "2/3"}'}, ((2, 1), (1, 2))),
        (
            {"type": "select_one", "choices": "One\nb | Two\nสาม"},
            ((4, 1, 1), (1, 4, 1), (1, 1, 4)),
        ),
    ],
)
def test_each_kind_of_protection_can_be_chosen(store, researcher, change, rows):
    assert researcher.post("/admin/surveys/new", filled(**change)).status_code == 302
    question = store.surveys.by_slug("health").survey.questions[0]
    assert question.randomizer.rows == rows
    shown = "medium" if question.type == "yes_no" else "coin_flip"
    # The form shows it unchanged.
    form = sent_again(researcher, "/admin/surveys/health/edit")
    assert form["questions-0-privacy"] == change.get("privacy", shown)
    seen = {"seen": hidden(researcher, "/admin/surveys/health/edit", "seen")}
    again = researcher.post("/admin/surveys/health/edit", filled(**change) | seen)
    assert again.status_code == 302
    assert store.surveys.by_slug("health").survey.questions[0] == question


# Typed texts of the builder, and the resulting definition. The first question is private.
TYPED = {
    "prefer not to say": (
        {"prefer_not_to_say": "y", "privacy": "epsilon", "epsilon": "0.5"},
        {"type": "yes_no", "prefer_not_to_say": True, "privacy": {"epsilon": "0.5"}},
    ),
    "boxes": (
        {"type": "select_multiple", "choices": "x | One\ny | Two\nz | Three",
         "privacy": "epsilon", "epsilon": "2"},
        {"type": "select_multiple", "privacy": {"epsilon": "2"},
         "choices": [{"name": n, "label": label}
                     for n, label in (("x", "One"), ("y", "Two"), ("z", "Three"))]},
    ),
    "boxes, as JSON": (
        {"type": "select_multiple", "choices": "One\nTwo\nThree\nFour", "privacy": "other",
         "other": '{"mechanism": "sampled_boxes", "odds": 3, "sample": 2}'},
        {"type": "select_multiple", "choices": [
            {"name": n.lower(), "label": n} for n in ("One", "Two", "Three", "Four")],
         "privacy": {"mechanism": "sampled_boxes", "odds": 3, "sample": 2}},
    ),
    "scale": (
        {"type": "scale", "choices": "low\nmiddle\nhigh", "privacy": "mean"},
        {"type": "scale", "privacy": {"epsilon": "1", "goal": "mean"},
         "choices": [{"name": n, "label": n} for n in ("low", "middle", "high")]},
    ),
    "number": (
        {"type": "number", "min": "0", "max": " 10 ", "step": "0.5", "unit": " hours",
         "privacy": "epsilon"},
        {"type": "number", "min": 0, "max": 10, "step": 0.5, "unit": "hours",
         "privacy": {"epsilon": "1"}},
    ),
    "number for its mean": (
        {"type": "number", "min": "-5", "max": "5", "privacy": "mean"},
        {"type": "number", "min": -5, "max": 5, "step": 1,
         "privacy": {"epsilon": "1", "goal": "mean"}},
    ),
    "number for its quantiles": (
        {"type": "number", "min": "-5", "max": "5", "privacy": "quantiles"},
        {"type": "number", "min": -5, "max": 5, "step": 1,
         "privacy": {"epsilon": "1", "goal": "quantiles"}},
    ),
    "number for its quantiles, with a protection level": (
        {"type": "number", "min": "0", "max": "40", "privacy": "strong", "goal": "quantiles"},
        {"type": "number", "min": 0, "max": 40, "step": 1,
         "privacy": {"epsilon": "0.5", "goal": "quantiles"}},
    ),
    "number in Thai digits": (
        {"type": "number", "min": "๑", "max": "๒๐", "privacy": "none"},
        {"type": "number", "min": 1, "max": 20, "step": 1, "privacy": "none"},
    ),
    "number with points, as JSON": (
        {"type": "number", "min": "0", "max": "1000", "privacy": "other",
         "other": '{"mechanism": "window", "epsilon": 1, "points": 6}'},
        {"type": "number", "min": 0, "max": 1000, "step": 1,
         "privacy": {"mechanism": "window", "epsilon": 1, "points": 6}},
    ),
    "text": (
        {"type": "text", "privacy": "coin_flip", "choices": "left\nover", "otherwise": "left"},
        {"type": "text", "privacy": "none"},
    ),
    "note": ({"type": "note", "privacy": "coin_flip", "prefer_not_to_say": "y"}, {"type": "note"}),
    "asked of some": (
        {"relevant": "first: no", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"first": ["no"]}, "privacy": {"epsilon": "1"}},
    ),
    "asked of some, else an answer": (
        {"relevant": "\r\n first:no , yes\r\n", "otherwise": " no ", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"first": ["yes", "no"]}, "otherwise": "no",
         "privacy": {"epsilon": "1"}},
    ),
    "boxes asked of some, else none": (
        {"type": "select_multiple", "choices": "a\nb", "relevant": "first: yes",
         "otherwise": "-", "privacy": "epsilon"},
        {"type": "select_multiple", "choices": letters("ab"), "relevant": {"first": ["yes"]},
         "otherwise": [], "privacy": {"epsilon": "1"}},
    ),
    "boxes asked of some, else two": (
        {"type": "select_multiple", "choices": "a\nb\nc", "relevant": "first: yes",
         "otherwise": "c, a", "privacy": "epsilon"},
        {"type": "select_multiple", "choices": letters("abc"), "relevant": {"first": ["yes"]},
         "otherwise": ["a", "c"], "privacy": {"epsilon": "1"}},
    ),
    "asked by a range": (
        {"relevant": "age: 18 to 65", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 18, "max": 65}},
         "privacy": {"epsilon": "1"}},
    ),
    "asked from a value on": (
        {"relevant": "age: at least 17.5", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 17.5}}, "privacy": {"epsilon": "1"}},
    ),
    "asked up to a small value": (
        {"relevant": "age: at most 0.00001", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"max": 0.00001}}, "privacy": {"epsilon": "1"}},
    ),
    "asked by two earlier ones": (
        {"relevant": "age: at least 18\nfirst: yes", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 18}, "first": ["yes"]},
         "privacy": {"epsilon": "1"}},
    ),
}  # fmt: skip
FIRST = {"name": "first", "label": "First?"}
AGE = {"name": "age", "label": "Age?", "type": "number", "min": "0", "max": "120", "unit": "years",
       "privacy": "epsilon"}  # fmt: skip


def as_written(question):
    """A question in the form of a definition, with the labels as typed."""
    entry = question.as_definition()
    for choice in entry.get("choices", []):
        choice["label"] = choice["label"].upper() if len(choice["label"]) == 1 else choice["label"]
    return entry


@pytest.mark.parametrize(("typed", "written"), TYPED.values(), ids=list(TYPED))
def test_each_type_is_built_and_comes_back_into_the_form_as_it_was(
    store, researcher, typed, written
):
    typed = {"name": "last", "label": "Last?", "hint": "A hint.", **typed}
    form = filled(FIRST, AGE, typed)
    assert researcher.post("/admin/surveys/new", form).status_code == 302
    *_, question = store.surveys.by_slug("health").survey.questions
    expected = {"name": "last", "label": "Last?", "hint": "A hint.", **written}
    found = as_written(question)
    if question.type == "yes_no":
        del found["choices"]
    assert found == expected
    # The form as a browser sends it again, without changes.
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert again["questions-2-type"] == question.type
    reply = researcher.client.post("/admin/surveys/health/edit", data=again)
    assert reply.status_code == 302
    assert store.surveys.by_slug("health").survey.questions[-1] == question


def test_a_survey_of_every_type_is_the_same_after_the_builder(store, researcher):
    """Parsed from a definition, shown in the form, sent by a browser, and parsed again."""
    for content in (EVERY_TYPE, SAMPLED | {"slug": "some"}):  # The builder stores texts apart.
        before = parse_survey(content)
        store.surveys.save_draft(before)
        path = f"/admin/surveys/{before.slug}/edit"
        again = sent_again(researcher, path)
        assert researcher.client.post(path, data=again).status_code == 302
        after = store.surveys.by_slug(before.slug).survey
        assert after.budget == before.budget
        for old, new in zip(before.questions, after.questions, strict=True):
            assert (old.randomizer, old.relevant, old.special_answers, old.grid) == (
                new.randomizer, new.relevant, new.special_answers, new.grid,
            )  # fmt: skip
            assert (old.choices, old.label, old.hint) == (new.choices, new.label, new.hint)
            assert str(old.otherwise) == str(new.otherwise)


@pytest.mark.parametrize("budget", ["3", "2.1972245773362196", "1234567", "0.00001"])
def test_a_budget_is_the_same_after_the_builder(store, researcher, budget):
    question = {"name": "", "privacy": "none" if budget == "0.00001" else "coin_flip"}
    researcher.post("/admin/surveys/new", filled(question, question, budget=budget))
    data = sent_again(researcher, "/admin/surveys/health/edit")
    assert float(data["budget"]) == float(budget)
    assert researcher.client.post("/admin/surveys/health/edit", data=data).status_code == 302


def test_a_sample_of_the_private_questions_is_chosen_and_changed(store, researcher):
    three = [FIRST, AGE, {"name": "last"}]
    reply = researcher.post("/admin/surveys/new", filled(*three, sample=" 2 ", budget="2.2"))
    assert reply.status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert (survey.budget.sample, survey.budget.epsilon) == (2, 2.2)
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert again["sample"] == "2"
    again["sample"] = again["budget"] = ""
    researcher.client.post("/admin/surveys/health/edit", data=again)
    assert store.surveys.by_slug("health").survey.budget.sample is None


def test_a_draft_has_composed_letters(store, researcher):
    typed = {"title": "Sức khoẻ", "label": "Hút thuốc không?", "choices": "có\nkhông"}
    apart = {key: unicodedata.normalize("NFD", text) for key, text in typed.items()}
    assert apart["label"] != typed["label"]
    title = apart.pop("title")
    researcher.post("/admin/surveys/new", filled({"type": "select_one"} | apart, title=title))
    survey = store.surveys.by_slug("suc-khoe").survey
    assert (survey.title, survey.questions[0].label) == (typed["title"], typed["label"])
    assert [(choice.name, choice.label) for choice in survey.questions[0].choices] == [
        ("co", "có"), ("khong", "không"),
    ]  # fmt: skip


def test_choices_get_names(store, researcher):
    researcher.post(
        "/admin/surveys/new", filled(type="select_one", choices="Very often\n b |Two\nสาม")
    )
    names = [choice.name for choice in store.surveys.by_slug("health").survey.questions[0].choices]
    assert names == ["very_often", "b", "sam"]
    researcher.post(
        "/admin/surveys/new", filled(slug="b", type="select_one", choices="< 1000\n> 1000\nA+\nA-")
    )
    names = [choice.name for choice in store.surveys.by_slug("b").survey.questions[0].choices]
    assert names == ["1000", "1000_2", "a", "a-"]


@check_each(
    ("change", "words"),
    [
        (
            {"title": "…"},
            "Survey address: Candor cannot make an address from the title. Type one, such as",
        ),
        ({"slug": "Has Space"}, "Survey address: use at most 63 characters: lower-case letters"),
        ({"title": ""}, "Title: type a title."),
        ({"label": "a\x00b"}, "Question 1: it contains a control character"),
        ({"privacy": "other", "other": '{"mechanism": "warner"}'}, "warner needs p."),
        ({"label": ""}, "Question 1: type the question."),
        (
            {"privacy": "gamma", "gamma": "0.7"},
            "Question 1, γ, between 0 and 1/2: type a number",
        ),
        (
            {"privacy": "epsilon", "epsilon": ""},
            "Question 1, Privacy loss ε: type a number from 0.01",
        ),
        ({"privacy": "other", "other": "{"}, "Mechanism as JSON: type the mechanism as JSON"),
        ({"privacy": "other", "other": "[]"}, "must be &#34;none&#34;, or an object"),
        (
            {"type": "select_one"},
            "Question 1, Choices, one per line: give 2 to 100 choices (up to 1,000 if ",
        ),
        ({"budget": "1"}, "add up to 1.0986"),
    ],
)
def test_a_fault_is_shown_and_nothing_typed_is_lost(store, researcher, change, words):
    reply = researcher.post("/admin/surveys/new", filled(**{"hint": "kept hint"} | change))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert words in page
    assert "kept hint" in page
    assert store.surveys.all() == []


FAULTS = [
    # The typed texts of the third question, and the message on them.
    ({"type": "number", "min": "5", "max": "1"}, "3, Largest value: type a number above the"),
    ({"type": "number", "min": "", "max": "1"}, "Question 3, Smallest value: type a number."),
    ({"type": "number", "min": "0", "max": "1", "step": "0"}, "3, Step: type a number above 0."),
    ({"type": "number", "min": "0", "max": "10", "step": "3"}, "Step: the largest value is not a"),
    ({"type": "number", "min": "0", "max": "9999999"}, "Question 3, Step: use larger steps."),
    ({"type": "number", "min": "0", "max": "1", "unit": "u" * 50}, "3, Unit: it is longer"),
    ({"type": "number", "min": "0", "max": "9"}, "3, Protection: this protection does not fit"),
    ({"type": "select_multiple", "choices": "one"}, "3, Choices, one per line: give 2"),
    ({"type": "select_multiple", "choices": "a\nb"}, "3, Protection: this protection does not fit"),
    ({"type": "scale"}, "3, Choices, one per line: give 2"),
    ({"type": "text", "label": ""}, "Question 3: type the question."),
    ({"type": "note", "label": " "}, "Question 3: type the question."),
    ({"type": "select_one", "choices": "a | A\nprefer_not_to_say | No", "prefer_not_to_say": "y"},
     "one per line: Candor itself uses the name &#39;prefer_not_to_say&#39; for another answer."),
    ({"privacy": "mean"}, "3, Protection: this protection does not fit"),
    ({"relevant": "first"}, "Question 3, Asked only if: “first” is not a condition."),
    ({"relevant": "first:"}, "Question 3, Asked only if: “first:” is not a condition."),
    ({"relevant": "second: yes"}, "there is no earlier question “second”."),
    ({"relevant": "smokes: yes"}, "Asked only if: there is no earlier question “smokes”."),
    ({"relevant": "first: maybe"}, "Asked only if: “first” must be one or a list of: yes, no."),
    ({"relevant": "age: 18"}, "Asked only if: write “age: 18 to 65” or “age: at least 18”."),
    ({"relevant": "age: x to y"}, "Question 3, Asked only if: write “age: 18"),
    ({"relevant": "age: at least 18\nage: at most 65"}, "3, Asked only if: “age” is used twice"),
    ({"relevant": "first: yes", "otherwise": "perhaps"}, "not asked: it must be one of: yes"),
    ({"otherwise": "no"}, "Answer for people who are not asked: leave it empty"),
    ({"relevant": "first: yes", "privacy": "none"}, "which is private"),
    ({"name": "first"}, "3, Column name in the CSV file: another question has the same"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_a_fault_of_any_type_names_the_question_and_nothing_typed_is_lost(
    store, researcher, change, words
):
    change = {"hint": "kept hint", **change}
    reply = researcher.post("/admin/surveys/new", filled(FIRST, AGE, change))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert re.search(r'<a href="#questions-2-\w+" data-fault="[^"]+">Question 3', page)
    assert words in page
    assert store.surveys.all() == []
    form = Form()
    form.feed(page)
    for key, value in change.items():
        assert form.fields[f"questions-2-{key}"] == value
    assert form.fields["questions-1-max"] == "120"


@pytest.mark.parametrize(
    ("questions", "change", "words"),
    [
        ([FIRST], {"sample": "1"}, "Private questions per respondent: type a whole number below"),
        (
            [FIRST, AGE],
            {"sample": "2"},
            "type a whole number below the number of private questions",
        ),
        ([FIRST, AGE], {"sample": "many"}, "Private questions per respondent: type a whole number"),
        (
            [FIRST, AGE],
            {"sample": "1", "budget": "1"},
            "the private questions asked add up to 1.0986",
        ),
        (
            [{"type": "note"}],
            {},
            "Questions: add at least one question. Notes and sections cannot be answered.",
        ),
        ([FIRST], {"budget": "x"}, "Privacy budget ε per respondent: type a number above 0"),
    ],
)
def test_a_fault_of_the_whole_survey_is_told(store, researcher, questions, change, words):
    reply = researcher.post("/admin/surveys/new", filled(*questions, **change))
    assert reply.status_code == 422
    assert words in reply.get_data(as_text=True)
    assert store.surveys.all() == []


def test_an_unknown_type_or_protection_is_refused(store, researcher):
    for change in ({"type": "date"}, {"privacy": "rot13"}):
        assert researcher.post("/admin/surveys/new", filled(**change)).status_code in (200, 422)
        assert store.surveys.all() == []


def test_a_taken_address_is_refused(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    reply = researcher.post("/admin/surveys/new", filled())
    assert "Survey address: another survey has this address. Choose another one." in reply.get_data(
        as_text=True
    )


def test_a_draft_that_changed_in_another_tab_is_neither_opened_nor_overwritten(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    path = "/admin/surveys/health"
    seen = hidden(researcher, f"{path}/edit", "seen")
    shown = hidden(researcher, path, "fingerprint")
    changed = filled(privacy="none") | {"seen": seen}
    assert researcher.post(f"{path}/edit", changed).status_code == 302
    reply = researcher.post(f"{path}/open", {"fingerprint": shown, "looked": "yes"}, form=path)
    assert reply.status_code == 409
    assert b"The draft has changed." in reply.data
    reply = researcher.post(f"{path}/edit", filled(label="Mine?") | {"seen": seen})
    assert reply.status_code == 409
    assert "this draft has changed" in reply.get_data(as_text=True)
    assert store.surveys.by_slug("health").survey.questions[0].non_private
    assert store.surveys.by_slug("health").state == "draft"


def test_a_form_of_another_session_is_refused_in_a_sentence(researcher):
    reply = researcher.client.post("/admin/surveys/new", data={"csrf_token": "old"})
    assert reply.status_code == 400
    assert b"signed in or out in another tab" in reply.data
    assert b'<a href="/admin/">Surveys</a>' in reply.data


def test_an_open_survey_cannot_be_edited_or_deleted(store, researcher):
    opened(store, definition())
    assert researcher.client.get("/admin/surveys/health/edit").status_code == 409
    reply = researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert reply.status_code == 409
    assert b"You can change only drafts" in reply.data


def test_a_draft_is_deleted_and_then_unknown(researcher):
    researcher.post("/admin/surveys/new", filled())
    researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert researcher.client.get("/admin/surveys/health").status_code == 404


def test_texts_of_researchers_cannot_run(store, researcher):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    link = "[a](javascript:alert(1)) ![b](https://elsewhere.example/x.png)"
    opened(
        store,
        definition(yes_no(label=evil), title=evil, introduction=f"{evil}\n\n{link}"),
    )
    for path in ("/s/health", "/admin/", "/admin/surveys/health", "/admin/surveys/health/preview"):
        page = researcher.client.get(path).get_data(as_text=True)
        assert "<script>alert" not in page, path
        page = page.replace('<img src="/admin/surveys/health/link.svg"', "")  # the QR code
        assert "<img" not in page, path
        assert 'href="javascript:' not in page, path


def test_an_introduction_keeps_its_headings_below_the_title(client, store):
    opened(store, definition(introduction="# Why\n\nSo."))
    page = client.get("/s/health").get_data(as_text=True)
    assert "<h4>Why</h4>" in page
    assert page.count("<h1") == 1


def test_opening_a_draft_takes_work_in_proportion_to_its_questions(researcher, store):
    """The builder stays quick with 200 questions. Function calls do not depend on the machine."""
    calls, sizes = [], []
    for n in (24, 25, 50, 100):
        questions = [yes_no(f"q{place}", "none") for place in range(n)]
        store.surveys.save_draft(parse_survey(definition(*questions, slug=f"n{n}")))
        with cProfile.Profile() as profile:
            page = researcher.client.get(f"/admin/surveys/n{n}/edit").data
        calls.append(pstats.Stats(profile).total_calls)
        sizes.append(len(page))
    # The first page also fills caches. Work with the square of the number would be 4 times as much.
    for (_, one, two, four), most in ((calls, 3), (sizes, 2.1)):
        assert four - two < most * (two - one)
    assert sizes[-1] < 100 * 2_000
