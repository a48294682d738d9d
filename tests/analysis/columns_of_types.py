"""A survey of every type of question and its columns, for several test modules."""

from itertools import combinations, product

import numpy as np
import pytest

from survey.analysis import question_column
from survey.core.factored_randomizers import SubsetSelection, UnaryEncoding
from survey.definition.survey import parse_survey
from tests.support.every_type import EVERY_TYPE

SURVEY = parse_survey(EVERY_TYPE)
QUESTIONS = {question.name: question for question in SURVEY.fields}


def all_reports(question):
    """Every possible report of a question with few answers."""
    k, randomizer = len(question.answers), question.randomizer
    if isinstance(randomizer, SubsetSelection):
        chosen = combinations(range(k), randomizer.size)
        return ["".join("01"[j in those] for j in range(k)) for those in chosen]
    if isinstance(randomizer, UnaryEncoding):
        return ["".join(bits) for bits in product("01", repeat=k)]
    if question.type == "select_multiple" and question.table is None:
        return ["".join(bits) for bits in product("01-", repeat=k)]
    if question.non_private and question.grid is not None:
        return list(range(question.grid.size + len(question.special_answers)))
    return list(range(question.table.reports if question.table else k))


def whole(question, box=None):
    """The column in which every report occurs once."""
    return question_column(question, all_reports(question), box)


def check_scores(column):
    """P contains probabilities, P @ scores is the identity, and P @ value_scores the values."""
    k = len(column.answers)
    assert column.chances.shape[0] == k
    if column.tabled:
        assert column.chances.sum(axis=1) == pytest.approx(np.ones(k), abs=1e-12)
    if column.scores is not None:
        assert column.chances @ column.scores == pytest.approx(np.eye(k), abs=1e-9)
    if column.values is not None and column.value_scores is not None:
        wanted = np.nan_to_num(column.values)
        slack = 1e-9 * max(1.0, np.abs(wanted).max())
        assert column.chances @ column.value_scores == pytest.approx(wanted, abs=slack)
    assert np.isnan(column.values[column.listed :]).all() if column.values is not None else True
