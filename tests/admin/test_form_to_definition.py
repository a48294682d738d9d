"""The builder: who asks, how people take part, and further languages."""

from html import unescape

import pytest

from survey.admin.builder.form_to_definition import to_form_data, to_survey
from survey.core.translate import in_language
from survey.definition.certainty import total_is_weak
from survey.definition.privacy_limits import DEFAULT_LIMITS, is_above
from survey.definition.survey import parse_survey
from survey.definition.survey_level import SURVEY_LEVELS, SurveyProtection
from survey.planning.survey_protection import divide_again
from tests.support.builder_forms import filled, hidden, sent_again
from tests.support.cascades import chain, random_cascade
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import EVERY_DERIVED

FIELDWORK = {
    "asked_by": "University of Example", "contact": "survey@example.org", "minutes": "5",
    "support": "Call **111**.", "layout": "one_at_a_time", "exit": "https://example.org/weather",
    "recruitment": "All 40 students", "invitations": "y", "receipts": "y", "comprehension": "y",
}  # fmt: skip


def seen(researcher):
    return hidden(researcher, "/admin/surveys/health/translations/vi", "seen")


def test_what_is_filled_in_is_saved_and_shown_again(store, researcher):
    form = filled() | FIELDWORK | {"languages": "vi"}
    assert researcher.post("/admin/surveys/new", form).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert survey.languages == ("en", "vi")
    assert survey.fieldwork.minutes == 5
    assert survey.fieldwork.layout == "one_at_a_time"
    assert survey.fieldwork.invitations and not survey.fieldwork.by_hand
    page = unescape(researcher.client.get("/admin/surveys/health/edit").get_data(as_text=True))
    for text in (
        "University of Example",
        "https://example.org/weather",
        "All 40 students",
        "Translate into Tiếng Việt",
    ):
        assert text in page


def test_the_builder_says_which_languages_no_native_speaker_has_reviewed(researcher):
    page = unescape(researcher.client.get("/admin/surveys/new").get_data(as_text=True))
    note = "(not yet reviewed by a native speaker)"
    choices, boxes = page.count(f"Tiếng Việt {note}<"), page.count(f"Tiếng Việt</span> {note}")
    assert (choices, boxes) == (1, 1)
    assert "English</span></span></label>" in page
    assert f"English {note}" not in page


def test_a_survey_survives_the_form():
    content = definition(
        yes_no(), series="waves", receipts=True, asked_by="We", translations={"vi": {"title": "T"}}
    )
    survey = parse_survey(content)
    assert to_survey(to_form_data(survey), survey) == survey
    plain = parse_survey(definition(exit="https://example.org/", by_hand=True))
    assert to_survey(to_form_data(plain), plain) == plain


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_unsent_and_derived_answers_survive_the_form(language):
    survey = parse_survey(EVERY_DERIVED)
    with in_language(language):
        data = to_form_data(survey)
        assert to_survey(data, survey) == survey
    fields = {question["name"]: question for question in data["questions"]}
    assert fields["mood"]["privacy"] == "not_sent"


def test_a_draft_with_derived_answers_is_opened_and_saved_unchanged(store, researcher):
    survey = parse_survey(EVERY_DERIVED)
    store.surveys.save_draft(survey)
    path = f"/admin/surveys/{survey.slug}/edit"
    assert researcher.post(path, sent_again(researcher, path)).status_code == 302
    assert store.surveys.by_slug(survey.slug).survey == survey


def test_a_drawn_arm_ignores_the_protection_that_the_form_hides():
    data = to_form_data(parse_survey(EVERY_DERIVED))
    arm = next(each for each in data["questions"] if each["name"] == "arm")
    arm |= {"privacy": "other", "other": "{", "prefer_not_to_say": True, "optional": True}
    survey = to_survey(data, None)
    assert survey.questions == parse_survey(EVERY_DERIVED).questions


def test_a_calculation_does_not_apply_to_a_type_that_cannot_have_one():
    """The menu keeps its value if the type changes, and the form hides it."""
    data = to_form_data(parse_survey(EVERY_DERIVED))
    (arm,) = (each for each in data["questions"] if each["name"] == "arm")
    arm |= {"type": "select_multiple"}
    (changed,) = (each for each in to_survey(data, None).questions if each.name == "arm")
    assert changed.derived is None


def test_a_question_that_becomes_a_joint_one_ignores_what_the_form_then_hides():
    """A joint question has no hint, no condition and no special answers of its own."""
    data = to_form_data(parse_survey(EVERY_DERIVED))
    (joint,) = (each for each in data["questions"] if each["name"] == "habits")
    joint |= {"hint": "H", "relevant": "mood: often", "otherwise": "low", "derived": "random",
              "prefer_not_to_say": True, "optional": True, "choices": "low\nhigh"}  # fmt: skip
    assert to_survey(data, None).questions == parse_survey(EVERY_DERIVED).questions


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"minutes": "soon"},
            "Duration in minutes: type a whole number from 1 to 240, or leave it empty.",
        ),
        ({"exit": "javascript:alert(1)"}, "Page that “Leave now” opens: type an address such as"),
        ({"series": "A B"}, "Series: use at most 63 characters: lower-case letters"),
        (
            {"by_hand": "y", "privacy": "epsilon"},
            "Paper-and-coin mode for people without JavaScript: it needs two coin flips",
        ),
    ],
)
def test_a_fault_is_told_and_nothing_is_lost(store, researcher, change, sentence):
    question = {key: change[key] for key in change if key == "privacy"}
    form = filled(question, title="Kept") | change
    reply = researcher.post("/admin/surveys/new", form)
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert sentence in page
    assert "Kept" in page
    assert store.surveys.all() == []


def test_what_is_not_translated_is_listed_and_the_survey_stays_a_draft(store, researcher):
    researcher.post("/admin/surveys/new", filled() | {"languages": "vi"})
    path = "/admin/surveys/health"
    researcher.post(f"{path}/translations/vi", {"title": "Sức khỏe", "seen": seen(researcher)})
    page = researcher.client.get(path).get_data(as_text=True)
    assert "1 text is not translated yet" in page
    assert "Tiếng Việt: “Do you smoke?”" in page
    assert "Open survey" not in page
    assert researcher.post(f"{path}/open", {"fingerprint": "x"}, form=path).status_code == 409
    assert store.surveys.by_slug("health").state == "draft"
    assert researcher.client.get(f"{path}/preview").status_code == 200


def test_a_survey_with_decimals_survives_the_form_in_vietnamese():
    hours = {"type": "number", "label": "?", "min": 0, "max": "1.125", "step": "0.125"}
    questions = (
        hours | {"name": "hours", "privacy": {"epsilon": "1.125"}},
        yes_no(privacy={"mechanism": "randomized_response", "gamma": "0.125"})
        | {"relevant": {"hours": {"min": "0.125", "max": "1.125"}}},
    )
    survey = parse_survey(definition(*questions) | {"budget": {"epsilon": "4.125"}})
    with in_language("vi"):
        data = to_form_data(survey)
        assert data["questions"][0]["step"] == "0,125" and data["questions"][0]["max"] == "1,125"
        assert data["questions"][1]["relevant"] == "hours: 0,125 to 1,125"
        assert data["budget"] == "4,125"
        assert to_survey(data, survey) == survey


def test_class_mode_sets_the_batch_size_whatever_the_field_says(store, researcher):
    form = filled() | {"class_mode": "y", "batch": "25"}
    assert researcher.post("/admin/surveys/new", form).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert survey.fieldwork.class_mode
    assert (survey.fieldwork.batch, survey.fieldwork.planned) == (5, 30)
    assert to_survey(to_form_data(survey), survey) == survey
    page = researcher.client.get("/admin/surveys/health").text
    assert "Candor erases this survey and all its responses when the class ends." in page


@pytest.mark.parametrize("language", ["en", "vi"])
def test_conditions_of_choices_survive_the_form(language):
    for seed in range(20):
        survey = parse_survey(random_cascade(seed))
        with in_language(language):
            assert to_survey(to_form_data(survey), survey) == survey
    data = to_form_data(parse_survey(definition(*chain(2, 1))))
    assert data["questions"][1]["choice_conditions"] == (
        "hn_1, hn_2 if province: hn\ndn_1, dn_2 if province: dn\nhue_1, hue_2 if province: hue"
    )


def test_a_draft_with_conditions_of_choices_is_opened_edited_and_saved(store, researcher):
    survey = parse_survey(definition(*chain(2, 1)))
    store.surveys.save_draft(survey)
    path = "/admin/surveys/health/edit"
    assert researcher.post(path, sent_again(researcher, path)).status_code == 302
    assert store.surveys.by_slug("health").survey == survey
    change = {"questions-1-choice_conditions": "hn_1 if province: hn, hue"}
    assert researcher.post(path, sent_again(researcher, path) | change).status_code == 302
    [_, district, _] = store.surveys.by_slug("health").survey.questions
    assert district.choice_conditions == (({"province": ["hn", "hue"]}, (0,)),)


def test_a_new_survey_with_all_defaults_is_protected(store, researcher):
    """Twelve yes/no questions, which could not open when each had a protection of its own."""
    questions = [{"name": "", "label": f"Number {n}?", "privacy": "level"} for n in range(12)]
    form = filled(*questions, level="protected", title="Twelve")
    assert researcher.post("/admin/surveys/new", form).status_code == 302
    survey = store.surveys.by_slug("twelve").survey
    assert survey.protection == SurveyProtection(level="protected")
    level = SURVEY_LEVELS["protected"]
    assert level.allows(survey.largest_ratio_bound, survey.ratio_bound)
    assert not is_above(survey, DEFAULT_LIMITS)
    assert not total_is_weak(survey)


def test_a_level_is_divided_again_at_each_save(store, researcher):
    """A question by hand stays, the main figures follow a new name, and the rest is divided."""
    form = filled(
        {"name": "one", "label": "One?", "privacy": "level"},
        {"name": "two", "label": "Two?", "privacy": "level"},
        {"name": "own", "label": "Own?", "privacy": "epsilon", "epsilon": "0.3"},
        level="protected",
    )
    researcher.post("/admin/surveys/new", form)
    found = store.surveys.by_slug("health").survey
    assert found.protection == SurveyProtection(level="protected", kept=("own",))
    before = found.questions[0].epsilon
    main = SurveyProtection(level="protected", main=(("one",), ("one", "two")), kept=("own",))
    store.surveys.save_draft(divide_again(found, main), replacing="health")
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert [again[f"questions-{n}-privacy"] for n in range(3)] == ["level", "level", "epsilon"]
    again |= {"questions-0-name": "first", "level": "strong", "do": "close"}
    assert researcher.post("/admin/surveys/health/edit", again).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert survey.protection.main == (("first",), ("first", "two"))
    assert survey.questions[2].epsilon == pytest.approx(0.3, abs=0.01)
    assert SURVEY_LEVELS["strong"].allows(survey.largest_ratio_bound, survey.ratio_bound)
    assert survey.questions[0].epsilon < before
    assert to_survey(to_form_data(survey), survey) == survey


def test_a_survey_without_a_level_stays_as_it_was(store, researcher):
    store.surveys.save_draft(parse_survey(definition(yes_no("q", {"epsilon": "3"}), slug="health")))
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert again["level"] == ""
    before = store.surveys.by_slug("health").survey
    researcher.post("/admin/surveys/health/edit", again)
    assert store.surveys.by_slug("health").survey == before


def test_a_question_by_hand_that_breaks_the_level_is_a_fault_of_the_level(researcher):
    weak = {"name": "weak", "label": "Weak?", "privacy": "epsilon", "epsilon": "4"}
    shared = {"name": "q", "label": "Q?", "privacy": "level"}
    for questions in ([weak], [weak, shared]):
        response = researcher.post("/admin/surveys/new", filled(*questions, level="light"))
        assert response.status_code == 422
        page = unescape(response.get_data(as_text=True))
        assert "How well is each respondent protected?: " in page
        assert "reveal more than this level allows" in page


def test_paper_and_coin_mode_needs_protection_by_hand(store, researcher):
    shared = {"name": "q", "label": "Q?", "privacy": "level"}
    form = filled(shared, level="protected") | {"by_hand": "y"}
    response = researcher.post("/admin/surveys/new", form)
    assert response.status_code == 422
    page = unescape(response.get_data(as_text=True))
    assert "Set their protection by hand." in page
    by_hand = filled({"name": "q", "label": "Q?", "privacy": "coin_flip"}) | {"by_hand": "y"}
    assert researcher.post("/admin/surveys/new", by_hand).status_code == 302
    assert store.surveys.by_slug("health").survey.fieldwork.by_hand
