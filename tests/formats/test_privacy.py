"""Protection in XLSForm: garbling, and the words of the builder."""

import re
from fractions import Fraction

import pytest

from survey.core.errors import ZeroEntry
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.project import ROOT
from tests.support.xlsform_readings import YES_NO, from_xlsform
from tests.support.xlsforms import table

pytestmark = pytest.mark.fast


DOCS = (ROOT / "docs" / "reference" / "xlsform.md").read_text()


def test_the_same_share_is_replaced_as_under_garbling_and_every_report_is_possible():
    """Half is replaced by a fair coin, which is the coin flip's own table."""
    columns = ("type", "name", "label", "required", "garbling::answer", "garbling::rate")
    rows = table(columns, ("select_one yn", "q", "Q?", "yes", "yes", 0.5))
    question = from_xlsform({"survey": rows, "choices": YES_NO}).survey.questions[0]
    assert question.table.rows == ((3, 1), (1, 3))
    three = [*YES_NO, {"list_name": "yn", "name": "dk", "label": "Perhaps"}]
    question = from_xlsform({"survey": rows, "choices": three}).survey.questions[0]
    assert question.privacy == {"mechanism": "k_randomized_response", "odds": "4"}
    # A half stays, and a third of the other half returns to the answer.
    assert question.table.rows[0] == (4, 1, 1)


def test_the_table_of_rates_in_the_docs_is_what_is_made_of_them():
    stated = re.findall(r"^\| (0\.\d+) \| ([\d:]+).*?\| ([\d.]+) \|$", DOCS, re.MULTILINE)
    assert len(stated) == 7
    for rate, odds, epsilon in stated:
        row = {"type": "select_one yn", "name": "q", "label": "?", "garbling::rate": float(rate)}
        question = from_xlsform({"survey": [row], "choices": YES_NO}).survey.questions[0]
        assert question.randomizer.ratio_bound == Fraction(odds.replace(":", "/"))
        assert epsilon_text(question.epsilon) == epsilon


def test_the_table_of_garbling_in_the_docs_can_be_analysed_and_not_opened():
    assert "[[1, 0], [rate, 1 − rate]]" in DOCS
    rows = {"mechanism": "table", "rows": [[10, 0], [4, 6]]}
    survey = parse_survey(definition(yes_no(privacy=rows)))
    assert survey.ratio_bound is None
    with pytest.raises(ZeroEntry):
        freeze(survey)


@pytest.mark.parametrize(
    ("kind", "rate", "words"),
    [
        ("select_one yn", 0, "survey, row 2, column garbling::rate: must be above 0 and below 1."),
        ("select_one yn", 1, "survey, row 2, column garbling::rate: must be above 0 and below 1."),
        ("select_one yn", "often", "survey, row 2, column garbling::rate: rate must be a number"),
        ("select_one yn", None, "survey, row 2, column garbling::rate: rate must be a number"),
        ("text", 0.4, "survey, row 2, column garbling::rate: only choices can be garbled"),
        ("integer", 0.4, "survey, row 2, column garbling::rate: only choices can be garbled"),
    ],
)
def test_a_question_whose_garbling_cannot_be_read_is_left_out_not_stored_as_given(
    kind, rate, words
):
    columns = ("type", "name", "label", "garbling::answer", "garbling::rate")
    rows = table(columns, (kind, "q", "Q?", "yes", rate), ("text", "t", "T?"))
    read = from_xlsform({"survey": rows, "choices": YES_NO})
    assert [each.name for each in read.survey.questions] == ["t"]
    assert any(each.startswith(words) for each in read.left_out)
    assert any(each.endswith("The question is omitted.") for each in read.left_out)


def form_with_privacy(*cells):
    rows = [
        {"type": "select_one yes_no", "name": f"q{number}", "label::English (en)": f"Q{number}?",
         "required": "yes", "privacy": cell}
        for number, cell in enumerate(cells)
    ]  # fmt: skip
    choices = [{"list_name": "yes_no", "name": n, "label::English (en)": n.title()}
               for n in ("yes", "no")]  # fmt: skip
    return {"survey": rows, "choices": choices, "settings": [{"form_title": "T", "form_id": "t"}]}


def test_the_words_of_the_builder_protect_and_others_are_named():
    cells = ("Medium", "strong", "Light: slightly private", "none", "high", None)
    imported = from_xlsform(form_with_privacy(*cells))
    assert [question.privacy for question in imported.survey.questions] == [
        {"mechanism": "coin_flip"}, {"epsilon": "0.5"}, {"epsilon": "2"}, None, None, None,
    ]  # fmt: skip
    assert imported.unprotected == ("q4", "q5")
    assert "survey, row 6, column privacy: 'high' is not a protection. Write strong, medium, " \
        "light or none." in imported.left_out  # fmt: skip


def test_a_second_statement_of_the_protection_is_named():
    sheets = form_with_privacy("medium")
    sheets["survey"][0]["privacy::epsilon"] = 0.7
    imported = from_xlsform(sheets)
    assert imported.survey.questions[0].privacy == {"epsilon": 0.7}
    assert imported.left_out == (
        "survey, row 2, column privacy: 'medium' is ignored, because `privacy::` defines the "
        "protection.",
    )


def test_a_protection_without_its_mechanism_says_in_which_column_it_belongs():
    sheets = form_with_privacy("warner", "medium")
    sheets["survey"][0]["privacy::p"] = "2/3"
    imported = from_xlsform(sheets)
    assert [question.name for question in imported.survey.questions] == ["q1"]
    assert imported.left_out == (
        "survey, row 2, column privacy: the mechanism is missing. Write it into "
        "privacy::mechanism, or fill only privacy::epsilon. The question is omitted.",
    )
