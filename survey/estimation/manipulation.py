"""What fake respondents could have done to an estimate, whatever they sent.

Who sends made-up reports need not follow the table. Each of theirs counts as one score, and a
score lies farther out than an answer the better answers are protected: an estimate under local
differential privacy can be pushed by more than its honest error (Cheu, Smith & Ullman,
"Manipulation attacks in local differential privacy", IEEE S&P 2021). How far is arithmetic, and
holds for any fakes.
"""

from survey.estimation.results import AnswerResults, QuestionResults

USUAL_FRACTION = 0.02  # what the page supposes until it is told otherwise


def moved_at_most(answer: AnswerResults, fraction: float, n: int) -> float | None:
    """How far the estimate of one share can be from that of the honest responses alone.

    Parameters
    ----------
    answer : its `value`, `n` and `scores` are used
    fraction : float in [0, 1)
        The share of fake ones among all n responses.
    n : int
        All responses; where chance picks whom a question is put to, all fakes may report on it.

    Returns
    -------
    float or None
        In shares (0.03 is 3 points). None where the estimate is no mean of scores, or where there
        may be nobody but fakes behind it.

    Notes
    -----
    With a fraction f of the scores fake, estimate = (1 - f) honest + f fake, hence
    honest - estimate = f (estimate - fake) / (1 - f), largest where every fake report has the
    score farthest from the estimate. Exact: fakes who all send that report get as far.
    """
    if not 0 <= fraction < 1:
        raise ValueError("The fraction of fake responses must be at least 0 and below 1.")
    here = fraction * n / answer.n
    if answer.scores is None or here >= 1:
        return None
    low, high = answer.scores
    return here / (1 - here) * max(high - answer.value, answer.value - low)


def most_moved(question: QuestionResults, fraction: float, n: int) -> float | None:
    """The same for the share of the question that can be moved farthest; None where one has no
    bound, or there are no shares."""
    moved = [moved_at_most(answer, fraction, n) for answer in question.answers]
    bounded_moves = [share for share in moved if share is not None]
    return max(bounded_moves) if bounded_moves and len(bounded_moves) == len(moved) else None
