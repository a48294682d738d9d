"""The questions of a combination of answers are named in every text."""

import pytest

from survey.core.languages import Words
from survey.definition.choices import Choice
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.types.joint_texts import label_with_questions, parts_sentence, quoted_label
from survey.formats.csv_export import figures_of_question
from tests.support.definitions import definition
from tests.support.joint_survey import TWO, joint_survey

pytestmark = pytest.mark.fast
NAMED = "The answers are to “Do you drink?” and “How often do you smoke?”, in this order."


def results_of(content, counts):
    frozen = freeze(parse_survey(content))
    counted = {frozen.survey.fields[0].name: dict(enumerate(counts))}
    return survey_results(frozen, counted, "browser").questions[0]


def two(*counts):
    return results_of(definition(*TWO), counts)


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        # The first comes first; two come first together; one of two does; none is named.
        ((900, 100, 100, 100, 100, 100), True),
        ((700, 700, 150, 150, 150, 150), True),
        ((300, 280, 100, 100, 100, 100), True),
        ((200, 200, 200, 200, 200, 200), False),
        ((2, 1, 1, 1, 0, 0), False),
    ],
)
def test_a_headline_names_the_questions_of_the_answers_that_it_names(counts, named):
    sentence = two(*counts).sentence
    assert ("“Yes / Never”" in sentence) == named
    assert sentence.endswith(NAMED) == named


def test_three_questions_are_named_once():
    survey = parse_survey(joint_survey())
    joint = survey.fields[0]
    found = results_of(joint_survey(), [900] + [100] * (len(joint.choices) - 1))
    assert found.sentence.endswith(
        "The answers are to “Item drinks”, “Item drives” and “Item smokes”, in this order."
    )
    assert found.sentence.count("Item drinks") == 1


def test_files_and_the_api_name_the_question_of_each_part():
    labels = [figure["label"] for figure in figures_of_question(two(100, 50, 50, 50, 50, 100))]
    assert labels[0] == "“Do you drink?”: Yes / “How often do you smoke?”: Never"
    assert len(set(labels)) == 6
    assert label_with_questions(Choice("yes", "Yes"), ()) == "Yes"


def test_a_long_question_loses_its_middle():
    long = "How often " + "did you do this " * 20 + "in June?"
    quoted = quoted_label(long)
    assert len(quoted) < 90
    assert quoted.startswith("“How often") and quoted.endswith("in June?”") and "…" in quoted
    assert quoted_label("Short?") == "“Short?”"


@pytest.mark.parametrize("language", ["vi", "th", "zh"])
def test_the_sentence_has_the_questions_in_every_language(language):
    survey = parse_survey(definition(*TWO))
    items = survey.items_of(survey.fields[0])
    sentence = parts_sentence(items, Words(language))
    assert sentence != NAMED
    assert sentence.index("Do you drink?") < sentence.index("How often do you smoke?")
