"""Analyses as JSON values at full precision. Values that are not finite become null."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.equations import odds_ratios
from survey.analysis.tables.association import Test
from survey.analysis.tables.correlation import Correlation
from survey.analysis.tables.correlation_matrix import Correlations
from survey.analysis.tables.crosstabs import Crosstab
from survey.analysis.trees.predictions import FOLDS, PredictedRow, TreeAccuracy
from survey.analysis.trees.tree_text import node_heading
from survey.analysis.trees.trees import DecisionTree, Node
from survey.definition.frozen import finite_or_none

CROSSTAB_KEYS = {
    "columns": "questions",
    "given": "given_listed_answers",
    "likeliest": "most_likely",
    "differences": "differences_from_first_row",
}


def part_json(value: Any) -> Any:
    """A part of an analysis as a JSON value, applied to each item of a list."""
    match value:
        case AnalysisColumn():
            return {
                "name": value.name,
                "label": value.label,
                "private": value.private,
                "answers": list(value.answers[: value.listed]),
                "left_out": list(value.answers[value.listed :]),
                "unit": value.unit,
            }
        case Measure():
            return {**part_json(value.column), "measure": value.words}
        case IntervalEstimate():
            figure = {name: part_json(each) for name, each in asdict(value).items()}
            return {"estimate": figure.pop("value"), **figure}
        case Test():
            return {**asdict(value), "right_when": value.right_when}
        case np.ndarray():
            return value.tolist()
        case tuple() | list():
            return [part_json(each) for each in value]
        case dict():
            return {name: part_json(each) for name, each in value.items()}
        case float():
            return finite_or_none(value)
    return value


def crosstab_json(table: Crosstab) -> dict[str, Any]:
    """A cross-tabulation. Lists of cells are in row-major order of `shape`."""
    content = {
        CROSSTAB_KEYS.get(each.name, each.name): part_json(getattr(table, each.name))
        for each in fields(table)
    }
    reports = [{"reports": names, "count": count} for names, count in content.pop("raw")]
    return {**content, "shape": list(table.shape), "reports": reports}


def comparison_json(comparison: GroupComparison) -> dict[str, Any]:
    labels = [group.label for group in comparison.groups]
    summed = comparison.measure.column.summed
    items = [{"question": label, "points": text} for label, text in summed.items] if summed else []
    return {
        "outcome": part_json(comparison.measure),
        **({"sum": items} if items else {}),
        "by": part_json(comparison.group),
        "n": comparison.n,
        "left_out": comparison.left_out,
        "level": comparison.level,
        "groups": [
            {
                "group": group.label,
                "size": part_json(group.size),
                **(part_json(group.figure) or {"estimate": None}),
            }
            for group in comparison.groups
        ],
        "everyone": part_json(comparison.everyone),
        "differences": [
            {
                "group": labels[each.group],
                "less": labels[each.other],
                **part_json(each.figure),
                "simultaneous_low": each.low,
                "simultaneous_high": each.high,
                **dict(zip(("p", "adjusted_p"), each.stated_p, strict=True)),
            }
            for each in comparison.differences
        ],
        "overall": part_json(comparison.overall),
    }


def correlation_json(found: Correlation) -> dict[str, Any]:
    return {
        "questions": [part_json(found.first), part_json(found.second)],
        "n": found.n,
        "left_out": found.left_out,
        "level": found.level,
        "p": found.p,
        "covariance": found.covariance,
        "deviations": list(found.deviations),
        **part_json(found.figure),
    }


def correlations_json(found: Correlations, labels: Sequence[str]) -> dict[str, Any]:
    """All pairs. A pair without a coefficient has the reason in `refusal`."""
    return {
        "questions": list(labels),
        "level": found.level,
        "pairs": [
            {
                "questions": [labels[pair.first], labels[pair.second]],
                "correlation": None if pair.found is None else correlation_json(pair.found),
                "adjusted_p": pair.adjusted,
                "refusal": pair.refusal,
            }
            for pair in found.pairs
        ],
    }


def regression_json(
    found: Regression, outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]
) -> dict[str, Any]:
    """A regression. Coefficients that are log odds ratios also have the odds ratio."""
    content = part_json(asdict(found))
    for row, ratio in zip(content["coefficients"], odds_ratios(found), strict=True):
        if ratio is not None:
            row |= {
                "odds_ratio": finite_or_none(ratio.value),
                "odds_ratio_low": ratio.low,
                "odds_ratio_high": finite_or_none(ratio.high),
            }
    questions = {"outcome": part_json(outcome), "predictors": part_json(tuple(predictors))}
    return {**content, **questions}


def tree_json(tree: DecisionTree) -> dict[str, Any]:
    return {
        "target": part_json(tree.target),
        "n": tree.n,
        "left_out": tree.left_out,
        "level": tree.level,
        "root": node_json(tree.root),
    }


def node_json(node: Node) -> dict[str, Any]:
    split = node.split
    return {
        "respondents": node_heading(node),
        "share": part_json(node.share),
        "shares": part_json(node.shares),
        "split": None
        if split is None
        else {
            "question": part_json(split.column),
            "gain_bits": split.gain,
            "noise_bits": split.noise,
            "p": split.p,
            "adjusted_p": split.adjusted_p,
            "at_most": split.cut,
        },
        "why_not_split": node.why,
        "test": None
        if node.tested is None
        else {
            "question": node.tested.column.name,
            "p": node.tested.p,
            "adjusted_p": node.tested.adjusted_p,
        },
        "children": [node_json(child) for child in node.children],
    }


def predictions_json(accuracy: TreeAccuracy, rows: Sequence[PredictedRow]) -> dict[str, Any]:
    """How often a tree predicts correctly, and some responses next to its predictions."""
    return {
        "accuracy": {
            "in_sample": part_json(accuracy.in_sample),
            "cross_validated": part_json(accuracy.cross_validated),
            "folds": FOLDS,
            "differing": part_json(accuracy.differing),
            "most_frequent": part_json(accuracy.commonest),
            "most_frequent_answer": accuracy.answer,
        },
        "predictions": [
            {"answers": list(row.answers), "answer": row.true, "predicted": row.predicted}
            for row in rows
        ],
    }
