"""Analyses as JSON can hold them, at full precision; what is not finite becomes null."""

from typing import Any

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure
from survey.analysis.tables.association import Test
from survey.analysis.tables.correlation import Correlation
from survey.analysis.tables.crosstabs import Crosstab
from survey.definition.frozen import finite_or_none


def column_json(column: AnalysisColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "label": column.label,
        "private": column.private,
        "answers": list(column.answers[: column.listed]),
        "left_out": list(column.answers[column.listed :]),
    }


def figure_json(figure: IntervalEstimate | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {
        "estimate": finite_or_none(figure.value),
        "standard_error": finite_or_none(figure.standard_error),
        "low": finite_or_none(figure.low),
        "high": finite_or_none(figure.high),
        "method": figure.method,
    }


def json_of_test(test: Test | None) -> dict[str, Any] | None:
    if test is None:
        return None
    return {
        "name": test.name,
        "hypothesis": test.hypothesis,
        "statistic": test.statistic,
        "degrees": test.degrees,
        "p": test.p,
        "right_when": test.right_when,
    }


def measure_json(measure: Measure) -> dict[str, Any]:
    return {**column_json(measure.column), "measure": measure.words}


def crosstab_json(table: Crosstab) -> dict[str, Any]:
    """Lists of cells are in row-major order of `shape`: the last question changes first."""
    return {
        "questions": [column_json(column) for column in table.columns],
        "n": table.n,
        "left_out": table.left_out,
        "level": table.level,
        "shape": list(table.shape),
        "given_listed_answers": figure_json(table.given),
        "cells": [figure_json(cell) for cell in table.cells],
        "covariance": table.covariance.tolist(),
        "most_likely": None if table.likeliest is None else list(table.likeliest),
        "of_row": [figure_json(share) for share in table.of_row],
        "of_column": [figure_json(share) for share in table.of_column],
        "differences_from_first_row": [figure_json(each) for each in table.differences],
        "odds_ratios": [figure_json(ratio) for ratio in table.odds_ratios],
        "phis": [figure_json(phi) for phi in table.phis],
        "tests": [json_of_test(test) for test in table.tests],
        "reports": [{"reports": list(names), "count": count} for names, count in table.raw],
        "remarks": list(table.remarks),
    }


def comparison_json(comparison: GroupComparison) -> dict[str, Any]:
    labels = [group.label for group in comparison.groups]
    return {
        "outcome": measure_json(comparison.measure),
        "by": column_json(comparison.group),
        "n": comparison.n,
        "left_out": comparison.left_out,
        "level": comparison.level,
        "groups": [
            {
                "group": group.label,
                "size": figure_json(group.size),
                **(figure_json(group.figure) or {"estimate": None}),
            }
            for group in comparison.groups
        ],
        "everyone": figure_json(comparison.everyone),
        "differences": [
            {
                "group": labels[each.group],
                "less": labels[each.other],
                **(figure_json(each.figure) or {}),
                "simultaneous_low": each.low,
                "simultaneous_high": each.high,
                "p": each.p,
                "adjusted_p": each.adjusted,
            }
            for each in comparison.differences
        ],
        "overall": json_of_test(comparison.overall),
        "remarks": list(comparison.remarks),
    }


def correlation_json(found: Correlation) -> dict[str, Any]:
    return {
        "questions": [measure_json(found.first), measure_json(found.second)],
        "n": found.n,
        "left_out": found.left_out,
        "level": found.level,
        "p": found.p,
        "covariance": found.covariance,
        "deviations": list(found.deviations),
        **(figure_json(found.figure) or {}),
    }
