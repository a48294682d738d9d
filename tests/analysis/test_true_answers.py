"""Analyses of a simulation next to the same analyses of the true answers."""

import pytest

from survey.analysis.as_rows import POINTS, SHARE, AnalysisRow, crosstab_rows
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.true_answers import TrueFigure, compare_with_true_answers
from survey.definition.sub_surveys import pilot_answers_of, pilot_of
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_groups
from survey.planning.simulation import simulate_groups
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def share(estimate, low, high, *about):
    return AnalysisRow(
        figure="share",
        about=about,
        unit=SHARE,
        estimate=estimate,
        standard_error=0.1,
        low=low,
        high=high,
    )


def test_figures_are_matched_by_what_they_are_about():
    rows = [
        share(0.4, 0.3, 0.5, "Yes", "Men"),
        share(0.2, 0.1, 0.3, "Yes", "Women"),
        AnalysisRow(
            figure="difference",
            about=("Men", "Women"),
            unit=POINTS,
            estimate=0.2,
            standard_error=0.05,
            low=0.1,
            high=0.3,
        ),
        AnalysisRow(
            figure="mean",
            about=("Men",),
            unit="kg",
            estimate=62.34,
            standard_error=1.5,
            low=59.0,
            high=65.0,
        ),
        # Without a counterpart, without an interval, and without an estimate.
        share(0.4, 0.3, 0.5, "No", "Men"),
        AnalysisRow(figure="Wald test", about=("x",), estimate=3.0, p=0.1),
        AnalysisRow(figure="share", about=("Yes", "Others"), unit=SHARE),
    ]
    true = [
        AnalysisRow(figure="mean", about=("Men",), unit="kg", estimate=66.0, standard_error=0.5),
        AnalysisRow(figure="Wald test", about=("x",), estimate=9.0, p=0.1),
        share(0.35, 0.3, 0.4, "Yes", "Men"),
        share(0.301, 0.3, 0.4, "Yes", "Women"),
        AnalysisRow(
            figure="difference",
            about=("Men", "Women"),
            unit=POINTS,
            estimate=0.049,
            standard_error=0.05,
            low=0.0,
            high=0.1,
        ),
        share(0.1, 0.0, 0.4, "Yes", "Others"),
    ]
    assert compare_with_true_answers(rows, true) == (
        TrueFigure(
            figure="share",
            about="Yes; Men",
            true="35.0 %",
            estimate="40.0 %",
            low="30.0 %",
            high="50.0 %",
            held=True,
        ),
        TrueFigure(
            figure="share",
            about="Yes; Women",
            true="30.1 %",
            estimate="20.0 %",
            low="10.0 %",
            high="30.0 %",
            held=False,
        ),
        TrueFigure(
            figure="difference",
            about="Men; Women",
            true="4.9 points",
            estimate="20.0 points",
            low="10.0 points",
            high="30.0 points",
            held=False,
        ),
        TrueFigure(
            figure="mean",
            about="Men",
            true="66.0",
            estimate="62.3",
            low="59.0",
            high="65.0",
            held=False,
        ),
    )


def test_numbers_of_responses_may_differ():
    row = AnalysisRow(
        figure="correlation",
        about=("A", "B", "n = 90"),
        unit="",
        estimate=0.3,
        standard_error=0.1,
        low=0.1,
        high=0.5,
    )
    true = AnalysisRow(
        figure="correlation",
        about=("A", "B", "n = 100"),
        unit="",
        estimate=0.4,
        standard_error=0.1,
        low=0.2,
        high=0.6,
    )
    [found] = compare_with_true_answers([row], [true])
    assert (found.about, found.true, found.held) == ("A; B", "0.40", True)


# 300 surveys of 400 people, four cells each, with two coin flips for both questions. The intervals
# contain the share in the population in about 95 % of surveys. They contain the share among the
# simulated respondents more often, because it has no error of sampling. If this were 95 %, the
# share of cells would have a standard error of at most 0.0126. The bound is 2.4 of these lower.
@pytest.mark.slow
def test_intervals_contain_the_figures_of_the_true_answers():
    survey = parse_survey(definition(yes_no("drinks"), yes_no()))
    content = {
        "groups": [
            {"share": 0.4, "answers": {"drinks": {"yes": 0.9}, "smokes": {"yes": 0.5}}},
            {"share": 0.6, "answers": {"drinks": {"yes": 0.2}, "smokes": {"yes": 0.1}}},
        ]
    }
    groups, names = read_groups(content, survey), ["drinks", "smokes"]
    directly = pilot_answers_of(survey)
    held = []
    for seed in range(300):
        [(reports, answers)] = simulate_groups(pilot_of(survey), groups, 400, seed)
        found, true = (
            list(crosstab_rows(crosstab(*columns_and_design(each, iter(rows), names))))
            for each, rows in ((survey, reports), (directly, answers))
        )
        cells = [
            each
            for each in compare_with_true_answers(found, true)
            if each.figure == "share of all respondents"
        ]
        assert len(cells) == 4
        held += [each.held for each in cells]
    assert sum(held) / len(held) > 0.92
