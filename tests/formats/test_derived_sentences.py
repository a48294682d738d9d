"""The methods paragraph says how each derived answer follows from which answers."""

import pytest

from survey.core.languages import LANGUAGES, Words
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import instruments_behind, read_instruments
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.citation import citation_of
from survey.formats.derived_sentences import derived_sentences
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import LOW_HIGH, OFTEN, POINTS, derived, derived_survey, unsent
from tests.support.joint_survey import ITEMS, joint_survey

pytestmark = pytest.mark.fast
BOTH = "“Item a” and “Item b”"
OF_EACH = "“Never” 0, “Some days” 1, “Often” 2"


def text(*questions, name, origin="browser", language="en", slug="health"):
    """The sentences on the question with this name."""
    survey = parse_survey(definition(*questions, slug=slug))
    question = next(each for each in survey.questions if each.name == name)
    instruments = instruments_behind(survey, question)
    words = Words(language)
    return " ".join(derived_sentences(survey, question, instruments, origin, words))


def calculated(rule, kind="yes_no", **rest):
    """The sentences on a result of two answers, without those on declined answers."""
    result = derived("r", rule, kind, prefer_not_to_say=False, **rest)
    return text(unsent("a"), unsent("b"), unsent("age", "number", min=0, max=9), result, name="r")


@check_each(
    ("rule", "kind", "more", "expected"),
    [
        (
            {"sum": {"a": POINTS, "b": POINTS}, "at_least": 3}, "yes_no", {},
            f"from the answers to {BOTH}. Points: {OF_EACH}. The result is “Yes” if the sum of the "
            "points is at least 3, and otherwise “No”.",
        ),
        (
            {"sum": {"a": POINTS, "b": POINTS}, "bands": {"low": 0, "high": 2}}, "select_one",
            {"choices": LOW_HIGH},
            f"Points: {OF_EACH}. The result depends on the sum of the points: “low” from 0, “high” "
            "from 2.",
        ),
        (
            {"sum": {"a": POINTS, "age": 2}}, "number", {"min": 0, "max": 20},
            f"from the answers to “Item a” and “Item age”. Points: “Item a” ({OF_EACH}); “Item "
            "age” (2 × the number). The result is the sum of the points.",
        ),
        (
            {"mean": {"a": POINTS, "b": POINTS}}, "number", {"min": 0, "max": 2},
            "The result is the mean of the points, rounded to the nearest possible value.",
        ),
        (
            {"count": {"a": ["some", "often"], "age": {"min": 5}}, "at_least": 2}, "yes_no", {},
            "The number of these answers counts: “Some days” or “Often” in “Item a”; at least 5 in "
            "“Item age”. The result is “Yes” if this number is at least 2, and otherwise “No”.",
        ),
        (
            {"any": {"a": ["often"], "age": {"max": 5}}}, "yes_no", {},
            "The result is “Yes” after at least one of these answers, and otherwise “No”: “Often” "
            "in “Item a”; at most 5 in “Item age”.",
        ),
        (
            {"all": {"a": ["often"], "age": {"min": 2, "max": 5}}}, "yes_no", {},
            "The result is “Yes” after all of these answers, and otherwise “No”: “Often” in “Item "
            "a”; 2 to 5 in “Item age”.",
        ),
        (
            {"recode": {"low": {"a": ["never"], "b": ["never", "some", "often"]}, "high": {}}},
            "select_one", {"choices": LOW_HIGH},
            "The result is the first that fits: “low” after “Never” in “Item a” and “Never”, “Some "
            "days” or “Often” in “Item b”; otherwise “high”.",
        ),
    ],
)  # fmt: skip
def test_each_rule_is_stated(rule, kind, more, expected):
    found = calculated(rule, kind, **more)
    assert found.startswith("The respondent’s device calculated “Derived r” from the answers to ")
    assert expected in found
    assert found.endswith("These answers were not sent, only the randomised result.")


def test_a_declined_answer_is_mentioned_if_it_is_possible():
    rule = {"sum": {"a": POINTS}, "at_least": 1}
    sentence = "If the result depends on an answer that was declined, it is “Prefer not to say”."
    assert sentence in text(unsent("a", prefer_not_to_say=True), derived("r", rule), name="r")
    assert sentence not in calculated(rule)


def test_a_question_that_was_not_asked_is_mentioned_if_there_can_be_one():
    sometimes = unsent("b", relevant={"a": ["often"]})
    names = {"a": POINTS, "b": POINTS}
    sentences = {
        "sum": "A question that was not asked has no points.",
        "mean": "A question that was not asked does not count in the mean.",
    }
    for operation, sentence in sentences.items():
        result = derived("r", {operation: names, "at_least": 1}, prefer_not_to_say=False)
        assert sentence in text(unsent("a"), sometimes, result, name="r")
        for always in (unsent("b"), sometimes | {"otherwise": "some"}):
            assert "not asked" not in text(unsent("a"), always, result, name="r")
        # With its condition, everyone who has the result is asked.
        decides = yes_no("d", privacy="none")
        items = [unsent(name, relevant={"d": ["yes"]}) for name in "ab"]
        assert "not asked" not in text(
            decides, *items, result | {"relevant": {"d": ["yes"]}}, name="r"
        )


@pytest.mark.parametrize(
    ("origin", "calculation", "sent"),
    [
        ("browser", "The respondent’s device calculated “Derived r”",
         "These answers were not sent, only the randomised result."),
        ("simulated", "The respondent’s device calculates “Derived r”",
         "The responses contain the randomised result, not these answers."),
        ("loaded", "“Derived r” is calculated",
         "The responses contain the randomised result, not these answers."),
    ],
)  # fmt: skip
def test_nothing_is_claimed_about_devices_that_did_not_answer(origin, calculation, sent):
    result = derived("r", {"any": {"a": ["often"]}})
    found = text(unsent("a", prefer_not_to_say=True), result, name="r", origin=origin)
    assert found.startswith(calculation)
    assert found.endswith(sent)
    other = derived("s", {"all": {"a": ["some"]}})
    shared = unsent("a", prefer_not_to_say=True), result, other
    # The device sends two results of this answer.
    assert text(*shared, name="r", origin=origin).endswith(
        sent.replace("the randomised result", "randomised results")
    )


def test_an_answer_that_is_sent_is_not_said_to_stay():
    sent = {**unsent("a"), "privacy": {"epsilon": 1}}
    result = derived("r", {"any": {"a": ["often"]}}, prefer_not_to_say=False)
    assert "sent" not in text(sent, result, name="r")
    assert text(yes_no(), name="smokes") == ""
    arm = derived("r", {"random": {"low": 1, "high": 1}}, "select_one", choices=LOW_HIGH)
    assert text(arm | {"privacy": "none"}, name="r") == ""


def test_an_instrument_is_named_instead_of_its_questions():
    instrument = read_instruments()["phq-9"]
    results = survey_results(
        freeze(instrument.survey()), {"phq9_10_or_more": {0: 20, 1: 80}}, "browser"
    )
    methods = citation_of(results, "en").methods
    assert (
        "The respondent’s device calculated “PHQ-9 score of 10 or more” from the answers to the 9 "
        "questions of the PHQ-9. Points: “Not at all” 0, “Several days” 1, “More than half the "
        "days” 2, “Nearly every day” 3. The result is “Yes” if the sum of the points is at least "
        "10, and otherwise “No”. These answers were not sent, only the randomised result."
    ) in methods
    # A result of one of its questions is not its result.
    survey = instrument.survey()
    (whole,) = survey.derived
    assert [each.slug for each in instruments_behind(survey, whole)] == ["phq-9"]
    part = {"sum": {"phq9_1": dict(whole.derived["sum"]["phq9_1"])}, "at_least": 1}
    entries = [*instrument.questions(), derived("part", part, prefer_not_to_say=False)]
    other = parse_survey(definition(*entries))
    assert instruments_behind(other, other.derived[0]) == []


def test_the_answers_of_a_joint_question_were_randomised_together():
    survey = parse_survey(joint_survey())
    joint = survey.fields[0]
    counts = {joint.name: dict.fromkeys(range(len(joint.choices)), 10)}
    citation = citation_of(survey_results(freeze(survey), counts, "browser"), "en")
    names = "“Item drinks”, “Item drives” and “Item smokes”"
    assert (
        f"The answers to {names} were randomised together, as one answer (“Habits”). These answers "
        "were not sent, only the randomised result."
    ) in citation.methods
    assert f"The answers are to {names}, in this order." in citation.sentence_on("habits")
    assert len(ITEMS) == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_operation_is_stated_in_every_language(language):
    survey = parse_survey(derived_survey())
    frozen = freeze(survey, to_open=False)
    counts = {question.name: {} for question in survey.fields}
    methods = citation_of(survey_results(frozen, counts, "browser"), language).methods
    for question in survey.derived:
        assert question.label in methods
    assert all(each["label"] in methods for each in OFTEN)
    assert "%(" not in methods
