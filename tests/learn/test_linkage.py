"""Linkage: the most frequent answer of rows that are alike."""

import numpy as np
import pytest

from survey.learn.attacks.linkage import commonest_answers

pytestmark = pytest.mark.fast


def test_the_commonest_answer_of_rows_that_are_alike():
    keys = np.array([5, 5, 5, 8, 8, 9])
    assert commonest_answers(keys, np.array([1, 1, 0, 1, 0, 1])).tolist() == [1, 1, 1, 0, 0, 1]
