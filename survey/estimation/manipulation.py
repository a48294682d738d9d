"""The largest effect that fake responses could have on an estimate, whatever they contain.

The sender of a fake response need not follow the table. Each fake report counts as one score. The
better answers are protected, the more extreme the scores are. Fake responses can therefore bias an
estimate under local differential privacy by more than its honest error (Cheu, Smith & Ullman,
"Manipulation attacks in local differential privacy", IEEE S&P 2021). The bound is arithmetic and
holds for any fake responses.
"""

from survey.estimation.results import AnswerResults, QuestionResults

# The page's default for the share of fake responses.
USUAL_FRACTION = 0.02


def moved_at_most(answer: AnswerResults, fraction: float, n: int) -> float | None:
    """The largest difference of a share's estimate from that of the honest responses alone.

    Parameters
    ----------
    answer : its `value`, `n` and `scores` are used
    fraction : float in [0, 1)
        The share of fake responses among all n responses.
    n : int
        All responses. If each respondent reports on a random sample of questions, all fake
        responses may report on this one.

    Returns
    -------
    float or None
        In shares (0.03 is 3 percentage points). None if the estimate is not a mean of scores, or if
        all of its reports may be fake.

    Notes
    -----
    With a fraction f of the scores fake, estimate = (1 - f) honest + f fake. Hence honest -
    estimate = f (estimate - fake) / (1 - f). This is largest if every fake report has the score
    farthest from the estimate. The bound is exact: it is reached if all fake responses send that
    report.
    """
    if not 0 <= fraction < 1:
        raise ValueError("The fraction of fake responses must be at least 0 and below 1.")
    here = fraction * n / answer.n
    if answer.scores is None or here >= 1:
        return None
    low, high = answer.scores
    return here / (1 - here) * max(high - answer.value, answer.value - low)


def most_moved(question: QuestionResults, fraction: float, n: int) -> float | None:
    """The largest effect of fake responses on any share of the question (`moved_at_most`).

    None if a share has no bound, or if there are no shares.
    """
    moved = [moved_at_most(answer, fraction, n) for answer in question.answers]
    bounded_moves = [share for share in moved if share is not None]
    return max(bounded_moves) if bounded_moves and len(bounded_moves) == len(moved) else None
