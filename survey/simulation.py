"""Simulated respondents: true answers drawn from given shares, then the tables' own chance.

For trying a survey out before anyone is asked. Nothing here protects anyone, so numpy's
generator does; a real respondent's report comes from the browser alone.
"""

import secrets
from collections.abc import Iterator, Sequence

import numpy as np

from .definition import Survey
from .intake import Response

BATCH = 10_000  # respondents drawn at once


def simulate_reports(
    survey: Survey, truth: Sequence[Sequence[float]], n: int, generator: np.random.Generator
) -> np.ndarray:
    """Reports of n respondents who answer each question independently.

    Parameters
    ----------
    truth : for each question, the true share of each choice
    n : int

    Returns
    -------
    ndarray of int, shape (n, questions)
    """
    columns = []
    for question, shares in zip(survey.questions, truth, strict=True):
        answers = generator.choice(len(shares), size=n, p=np.array(shares) / sum(shares))
        tickets = generator.integers(0, question.table.total, size=n)
        ends = np.cumsum(np.array(question.table.rows), axis=1)
        columns.append((tickets[:, np.newaxis] >= ends[answers]).sum(axis=1))
    return np.stack(columns, axis=1)


def simulate_responses(
    survey: Survey, truth: Sequence[Sequence[float]], n: int, seed: int | None
) -> Iterator[list[Response]]:
    """Batches of responses, n in all; the same seed gives the same reports, under new ids."""
    generator = np.random.default_rng(seed)
    for start in range(0, n, BATCH):
        reports = simulate_reports(survey, truth, min(BATCH, n - start), generator)
        yield [Response(secrets.token_bytes(16), tuple(map(int, row))) for row in reports]
