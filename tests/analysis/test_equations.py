"""Coefficients in words: the labels of their questions and answers."""

from types import SimpleNamespace

import pytest

from survey.analysis.regression.formula import coefficient_label, quote_labels

pytestmark = pytest.mark.fast


LABELLED_COLUMNS = [
    SimpleNamespace(name="q1", label="Do you smoke?"),
    SimpleNamespace(name="age", label="How old are you?"),
]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("q1: Yes", "Do you smoke? “Yes”"),
        ("age", "How old are you?"),
        ("age^2", "How old are you? ^ 2"),
        ("q1: Yes × age", "Do you smoke? “Yes” × How old are you?"),
        ("constant", "constant"),
        ("elsewhere: No", "elsewhere “No”"),
        ("elsewhere^2", "elsewhere^2"),
    ],
)
def test_a_coefficient_has_the_label_of_its_question_and_its_answer(name, words):
    assert coefficient_label(name, LABELLED_COLUMNS) == words


def test_a_question_called_constant_keeps_its_label():
    question = SimpleNamespace(name="constant", label="Do you stay the same?")
    assert coefficient_label("constant", [question]) == "Do you stay the same?"


def test_labels_are_quoted_in_a_sentence_and_their_own_marks_become_single():
    labels = [coefficient_label("q1: Yes", LABELLED_COLUMNS), "age"]
    assert quote_labels(labels) == "“Do you smoke? ‘Yes’” and “age”"
