"""Reports on combinations of answers, as reports on some of these answers."""

import numpy as np
import pytest

from survey.analysis.columns.factors import factors_of
from tests.support.joint_reports import columns_of, combinations_of, every_set, survey_of_items

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("names", [["a"], ["b"], ["c"], ["a", "b"], ["b", "c"], ["a", "b", "c"]])
def test_sets_have_unbiased_scores_and_the_chances_of_all_reports(names):
    """By enumeration of all reports, for one item and for several of one draw."""
    conditions = {"c": "a"}
    survey, question = survey_of_items(
        {"a": 2, "b": 3, "c": 2}, 0.7, conditions=conditions, mechanism="subset_selection"
    )
    texts, table = every_set(question)
    columns = columns_of(survey, question, np.array(texts), names)
    (factor,) = factors_of(columns)
    column = factor.column
    assert column.tabled
    assert not column.all_listed
    codes = np.eye(column.chances.shape[1])[column.reports]
    shape = tuple(len(each.answers) for each in columns)
    places = combinations_of(question)[:, ["abc".index(name) for name in names]]
    cells = np.ravel_multi_index(places.T, shape)
    for combination, cell in enumerate(cells):
        assert table[combination] @ codes == pytest.approx(column.chances[cell], abs=1e-12)
        expected = table[combination] @ column.scores[column.reports]
        assert expected == pytest.approx(np.eye(np.prod(shape))[cell], abs=1e-9)
    impossible = np.setdiff1d(np.arange(np.prod(shape)), cells)
    assert not column.chances[impossible].any()
    assert not column.scores[:, impossible].any()


def test_reports_with_the_same_numbers_share_a_code_and_have_the_parts_as_their_name():
    survey, question = survey_of_items({"a": 2, "b": 2}, 0.5, mechanism="subset_selection")
    # Yes and Yes with Yes and No, then with No and Yes, and again; nobody reported on the last.
    reports = np.array(["1100", "1010", "1001", "1010", None], dtype=object)
    (column,) = columns_of(survey, question, reports, ["a"])
    assert [column.report_names[code] for code in column.reports[:4]] == [
        "Yes; Yes",
        "Yes; No",
        "Yes; No",
        "Yes; No",
    ]
    assert column.reports[4] == -1
    assert column.chances.shape == (2, 2)
