"""The labels that say that a cell is a randomised report."""

import pytest

from survey.core.languages import LANGUAGES, Words
from survey.definition.survey import parse_survey
from survey.formats.csv_export import csv_column_names, labels_of_columns
from survey.formats.report_labels import bit_labels, file_note, file_title, value_label
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_of_a_report_differs_from_that_of_an_answer(language: str) -> None:
    survey = parse_survey(EVERY_TYPE | {"language": language})
    words, labels = Words(language), labels_of_columns(survey)
    for question in survey.fields:
        for column in csv_column_names(question):
            assert (".randomised" in column) != question.non_private
            assert labels[column].startswith(question.label) == question.non_private
        for choice in (*question.choices, *question.special_answers):
            own = value_label(question, words, choice)
            assert (own == choice.label) == question.non_private
            assert own.endswith(choice.label)
        ticked = words.say("ticked")
        assert (bit_labels(question, words)[1] == ticked) == question.non_private
        assert (ticked == "ticked") == (language == "en")


def test_a_loss_without_bound_is_said() -> None:
    sure = {"mechanism": "table", "rows": [[6, 0], [2, 4]]}
    survey = parse_survey(definition(yes_no(privacy=sure)))
    assert labels_of_columns(survey) == {
        "smokes.randomised": "Randomised report, no finite ε: Do you smoke?"
    }
    assert "The privacy loss ε of one respondent has no finite bound." in file_note(survey)


def test_a_survey_without_private_questions_says_so() -> None:
    survey = parse_survey(definition(yes_no(privacy="none")))
    assert file_title(survey) == survey.title
    assert file_note(survey) == ["No answer was randomised."]
