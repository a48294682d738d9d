"""The pre-launch checklist: what stops a survey, and what a researcher should look at."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.certainty import protection_of_survey
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.survey import parse_survey
from survey.planning.checklist import LOOK, PASSED, STOPS, checks, opens
from survey.planning.sample_size import expected_margin, respondents_for
from tests.support.checked_surveys import found, survey_of
from tests.support.definitions import yes_no
from tests.support.derived_survey import EVERY_DERIVED, ROWS, SOURCES
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


def test_a_plain_and_sound_survey_passes_everything():
    survey = survey_of()
    assert [(c.name, c.verdict) for c in checks(survey, 1_000) if c.verdict != PASSED] == []
    assert opens(checks(survey, 1_000))
    for check in checks(survey, 1_000):
        assert check.sentence.endswith(".")
        assert not check.advice


def test_what_stops_comes_first_then_what_to_look_at():
    certain = yes_no("certain", {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]})
    verdicts = [check.verdict for check in checks(survey_of(certain, batch=1))]
    order = [STOPS, LOOK, PASSED]
    assert verdicts == sorted(verdicts, key=order.index)
    assert set(verdicts) == set(order)


def test_texts_are_said_to_be_apart_and_stop_if_they_are_not():
    why = asked("why", "text", "none")
    apart = found(survey_of(yes_no(), why), "texts")
    assert apart.verdict == PASSED
    assert "Nobody can read texts before the survey closes." in apart.why
    region = yes_no("region", privacy="none")
    for_some = survey_of(yes_no(), region, why | {"relevant": {"region": "yes"}})
    check = found(for_some, "texts")
    assert (check.verdict, check.places) == (STOPS, ("question:why",))
    assert check.sentence == "Some respondents would not be asked all texts and dates."
    with pytest.raises(DefinitionError, match="cannot be set for a text or a date"):
        freeze(for_some)
    together = survey_of(yes_no(), why, texts_apart=False)
    assert found(together, "texts").verdict == STOPS
    with pytest.raises(DefinitionError):
        freeze(together)
    for survey in (survey_of(), survey_of(region, why)):
        assert "texts" not in [check.name for check in checks(survey)]


def test_missing_translations_stop():
    survey = survey_of(translations={"vi": {"title": "Sức khỏe"}})
    check = found(survey, "translated")
    assert check.verdict == STOPS
    assert "Tiếng Việt: “Do you smoke?”" in check.details
    with pytest.raises(DefinitionError):
        freeze(survey)


def test_missing_translations_of_an_instrument_say_where_to_find_them():
    """Candor does not translate instruments. So the advice is another one."""
    gad, phq = (read_instruments()[slug] for slug in ("gad-2", "phq-2"))
    own = gad.survey().as_definition()["questions"]
    labels = {each["name"]: {"label": "…"} for each in own if each.get("label")}
    survey = survey_of(*own, yes_no(), translations={"th": {}, "vi": {}})
    check = found(survey, "translated")
    assert check.verdict == STOPS
    assert check.sentence.endswith(
        "texts are not translated yet. Among them are published texts of GAD-2."
    )
    assert check.advice == (
        "For GAD-2, enter the published and validated translation, which Candor does not contain. "
        "Do not translate these texts yourself. Complete the other texts. Or remove the language."
    )
    assert check.help_page == "reference/instruments"
    both = survey_of(*own, *phq.survey().as_definition()["questions"], translations={"th": {}})
    assert "For GAD-2 and PHQ-2, enter" in found(both, "translated").advice
    # The other texts alone need no such advice.
    choices = {
        each["name"]: {"choices": {choice["name"]: "…" for choice in each["choices"]}}
        for each in own if each["type"] == "scale"
    }  # fmt: skip
    texts = {name: entry | choices.get(name, {}) for name, entry in labels.items()}
    rest = survey_of(*own, yes_no(), translations={"th": {"questions": texts}})
    check = found(rest, "translated")
    assert check.verdict == STOPS
    assert check.advice == "Complete the translation, or remove the language."
    assert check.help_page == ""


@pytest.mark.parametrize(("odds", "weak"), [(4, False), (5, True)])
def test_the_checklist_says_if_one_question_makes_the_protection_weak(odds, weak):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": [[odds, 1], [1, odds]]}))
    check = found(survey, "single")
    assert check.verdict == PASSED
    assert ("Respondents read “Weakly protected” on the first page." in check.sentence) == weak
    assert (protection_of_survey(survey) == "weak") == weak


def test_a_survey_that_protects_nothing_says_so():
    check = found(survey_of(yes_no(privacy="none")), "total")
    assert check.verdict == LOOK
    assert "No question is private" in check.sentence


def test_too_few_respondents_for_the_margin_are_told_how_many_would_do():
    """A coin flip: the worst variance is 1 / (16 gamma^2 n) = 1 / n.

    Ten percentage points therefore need 385 respondents.
    """
    survey = survey_of()
    assert respondents_for(survey.questions[0], 0.1) == 385
    assert found(survey, "precision", 385).verdict == PASSED
    # With 384, the margin is shown as ± 10 points too.
    assert found(survey, "precision", 384).verdict == PASSED
    check = found(survey, "precision", 300)
    assert check.verdict == LOOK
    (detail,) = check.details
    assert detail == (
        "“Do you smoke?”: ±\u00a011 points; a margin of ±\u00a010 points needs 385 respondents"
    )


def test_where_chance_picks_the_questions_more_respondents_are_needed():
    sampled = survey_of(yes_no(), yes_no("b"), budget={"per_respondent": {"sample": 1}})
    assert expected_margin(sampled.questions[0], 600, survey=sampled) > 0.1
    assert found(sampled, "precision", 600).verdict == LOOK
    assert found(sampled, "precision", 770).verdict == PASSED


def test_without_a_number_of_respondents_one_is_asked_for():
    assert "depends on the sample size" in found(survey_of(), "precision", None).sentence


def test_an_unsent_question_that_no_derived_answer_uses_is_found():
    unsent = [yes_no(name, "not_sent", f"{name}?") for name in "abc"]
    # The second derived answer uses both only through the first one.
    first = yes_no("first") | {"derived": {"any": {"a": ["yes"], "b": ["yes"]}}}
    second = yes_no("second") | {"derived": {"all": {"first": ["yes"]}}}
    check = found(survey_of(*unsent, first, second), "unsent")
    assert (check.verdict, check.details, check.places) == (LOOK, ("c?",), ("question:c",))
    assert found(survey_of(*unsent[:2], first), "unsent").verdict == PASSED
    assert "unsent" not in {each.name for each in checks(survey_of())}


def test_without_a_private_question_the_total_speaks_of_what_is_sent():
    check = found(survey_of(yes_no("a", "none"), yes_no("b", "not_sent")), "total")
    assert check.verdict == LOOK
    assert check.sentence == "No question is private. Every answer that is sent is stored as given."


def test_the_page_says_what_stays_on_the_device(store, researcher):
    store.surveys.save_draft(parse_survey(EVERY_DERIVED))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    sent = page.partition("What each question sends")[2].partition("</details>")[0]
    assert sent.count("<br>The answer stays on the respondent’s device.") == len(SOURCES)
    assert sent.count("<br>The respondent’s device draws this arm at random.") == 1
    assert sent.count("stored as given") == len(ROWS)


@pytest.mark.parametrize("missing", ["asked_by", "contact", "support"])
def test_who_asks_and_where_to_turn_are_missed(missing):
    check = found(survey_of(**{missing: ""}), "contact")
    assert (check.verdict, len(check.details)) == (LOOK, 1)


@pytest.mark.parametrize(
    ("offering", "words"),
    [
        ((False, False), "Respondents must answer every private question"),
        ((True, False), "1 of 2 private questions offer"),
        ((True, True), "Every private question offers"),
        ((), "The survey has no private question."),
    ],
)
def test_whether_anyone_may_decline_is_told_and_is_nothing_to_tick(offering, words):
    asked = [
        yes_no(f"n{number}") | {"prefer_not_to_say": offered}
        for number, offered in enumerate(offering)
    ]
    check = found(survey_of(*(asked or [yes_no(privacy="none")])), "declining")
    assert check.verdict == PASSED
    assert check.sentence.startswith(words)


def test_each_question_behind_a_joint_one_may_offer_to_decline():
    items = [yes_no(name, privacy="not_sent") | {"prefer_not_to_say": name == "a"}
             for name in "ab"]  # fmt: skip
    joint = {"name": "both", "type": "joint", "label": "?", "derived": {"joint": ["a", "b"]},
             "privacy": {"epsilon": 2}}  # fmt: skip
    check = found(survey_of(*items, joint), "declining")
    assert check.sentence.startswith("1 of 2 private questions offer")


def test_a_batch_of_one_is_to_be_looked_at():
    assert found(survey_of(batch=1), "batch").verdict == LOOK
    assert found(survey_of(batch=2), "batch").verdict == PASSED


def test_a_renamed_or_changed_question_in_a_wave_draws_afresh():
    first = survey_of(yes_no(), yes_no("cheats", label="Do you cheat?"), series="waves")
    same = survey_of(yes_no(), yes_no("new", label="Do you drive?"), series="waves")
    assert found(first, "waves", earlier=[]).verdict == PASSED
    assert found(same, "waves", earlier=[first]).verdict == PASSED
    renamed = survey_of(yes_no("tobacco"), series="waves")
    check = found(renamed, "waves", earlier=[first])
    assert check.verdict == LOOK
    assert check.details == ("“Do you smoke?”: renamed from smokes to tobacco",)
    other = survey_of(yes_no(privacy={"epsilon": 2}), series="waves")
    assert found(other, "waves", earlier=[first]).verdict == LOOK
    with pytest.raises(StopIteration):
        found(survey_of(), "waves", earlier=[first])


def test_a_class_says_that_it_is_erased():
    check = found(survey_of(class_mode=True, batch=5), "class")
    assert check.verdict == LOOK
    assert check.sentence == (
        "Candor erases this survey and all its responses when the class ends."
    )
    assert check.places == ("class_mode",)
    assert opens(checks(survey_of(class_mode=True, batch=5), 20))
    assert not [each for each in checks(survey_of(), 20) if each.name == "class"]


@pytest.mark.parametrize(
    ("slug", "about"),
    [("phq-9", "self-harm"), *((each, "distress") for each in ("gad-2", "gad-7", "k6", "phq-2"))],
)
def test_a_survey_whose_result_can_worry_says_where_to_find_help(slug, about):
    content = read_instruments()[slug].survey().as_definition()
    [found] = [each for each in checks(parse_survey(content)) if each.name == "distress"]
    assert (found.verdict, found.places) == (LOOK, ("support",))
    assert found.sentence == (
        f"The survey asks about {about}, but does not say where to find help."
    )
    helped = parse_survey(content | {"support": "Call 123."})
    [found] = [each for each in checks(helped) if each.name == "distress"]
    assert found.verdict == PASSED
    assert found.sentence == f"The survey asks about {about}, and says where to find help."


def test_a_survey_without_such_an_instrument_needs_no_help_text():
    for survey in (read_instruments()["audit-c"].survey(), survey_of()):
        assert not [each for each in checks(survey) if each.name == "distress"]
