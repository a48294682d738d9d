"""The largest effect that fake responses could have on an estimate, whatever they contain.

The sender of a fake response need not follow the table. Each fake report counts as one score. The
better answers are protected, the more extreme the scores are. Fake responses can therefore bias an
estimate under local differential privacy by more than its honest error (Cheu, Smith & Ullman,
"Manipulation attacks in local differential privacy", IEEE S&P 2021). The bound is arithmetic and
holds for any fake responses.
"""

import math

from survey.core.translate import translate, translate_number
from survey.estimation.number_text import in_points, margin_in_words
from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults

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
    With a fraction f of the scores fake, estimate = (1 - f) honest + f fake. Hence
    honest - estimate = f (estimate - fake) / (1 - f). This is largest if every fake report has the
    score farthest from the estimate. The bound is exact: it is reached if all fake responses send
    that report.
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


def most_moved_among_asked(question: QuestionResults, fraction: float, n: int) -> float | None:
    """A bound on the effect of fake responses on any share among those asked.

    None if there are no such shares, or if the bound tells nothing.

    Notes
    -----
    If the share of an answer and that of "not asked" move by at most m and m', their ratio r moves
    by at most (m + |r| m') / (D - m'). Here D is the estimated share of those asked.
    """
    if not question.asked:
        return None
    *listed, last = (moved_at_most(answer, fraction, n) for answer in question.answers)
    left = 1 - question.answers[-1].value - (last or 0.0)
    if last is None or left <= 0:
        return None
    moved = [
        None if share is None else (share + abs(asked.value) * last) / left
        for share, asked in zip(listed, question.asked, strict=True)
    ]
    bounded = [share for share in moved if share is not None]
    return max(bounded) if len(bounded) == len(moved) and max(bounded) < 1 else None


def mean_moved(
    mean: QuantityResults, ends: tuple[float, float], fraction: float, here: float
) -> float | None:
    """The largest difference of a mean from that of the honest responses alone.

    Parameters
    ----------
    ends : the smallest and the largest possible mean
    fraction : float in [0, 1)
        The share of fake responses among all responses.
    here : float, at least 1
        All responses, divided by those that report on the question.

    Returns
    -------
    float or None
        In the question's unit, at most the width of the range. None if the mean is not a ratio of
        two mean scores.

    Notes
    -----
    With a fraction f of the reports fake, all with the scores s and a, the honest mean is (N - f s)
    / (D - f a). Here N and D are the numerator and the denominator of the estimate, divided by the
    number of reports. A ratio of two linear functions is largest if all fake reports are the same.
    If some fake reports could make D - f a zero or less, the honest mean can be anything.
    """
    if mean.ratio is None:
        return None
    width, share = ends[1] - ends[0], fraction * here
    left = [
        (mean.ratio.above - share * above, mean.ratio.below - share * below)
        for above, below in mean.ratio.scores
    ]
    if any(below <= 0 for _, below in left):
        return width
    return min(width, max(abs(above / below - mean.value) for above, below in left))


def fake_sentences(question: QuestionResults, fraction: float, n: int) -> tuple[str, ...]:
    """What fake responses could have changed, in sentences.

    Parameters
    ----------
    fraction : float in [0, 1)
    n : all responses to the survey
    """
    if question.question.non_private or not question.n or question.unusable:
        return ()
    sentences = []
    moved = most_moved(question, fraction, n)
    # The parts of a number matter less than its mean.
    if moved is not None and question.shares:
        among = most_moved_among_asked(question, fraction, n)
        sentences.append(sentence_on_shares(question, fraction, moved, among))
    means = [quantity for quantity in question.quantities if quantity.name == "mean"]
    if means and question.ends is not None:
        shift = mean_moved(means[0], question.ends, fraction, n / question.n)
        if shift is not None:
            sentences.append(sentence_on_mean(question, fraction, shift, question.ends))
    return tuple(sentences)


def at_most_text(share: float) -> str:
    """A largest change in percentage points, rounded up to a tenth, so that it stays a bound."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:.1f}"


def sentence_on_shares(
    question: QuestionResults, fraction: float, moved: float, among: float | None
) -> str:
    """The largest effect on a share, and on a share among those asked."""
    alone = len(question.answers) <= 2
    facts = {"fraction": fraction_text(fraction), "points": in_points(at_most_text(moved))}
    if moved >= 1 and alone:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed each share "
            "from one end of its range to the other.",
            **facts,
        )
    if moved >= 1:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed a share of "
            "this question from one end of its range to the other.",
            **facts,
        )
    if question.asked and among is not None:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed a share of "
            "all respondents by at most %(points)s, and a share among those asked by at most "
            "%(points_among_asked)s.",
            points_among_asked=in_points(at_most_text(among)),
            **facts,
        )
    if question.asked:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed each share "
            "of all respondents by at most %(points)s.",
            **facts,
        )
    if alone:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed each share "
            "by at most %(points)s.",
            **facts,
        )
    return translate(
        "If %(fraction)s %% of the responses were fake, they could have changed each share of "
        "this question by at most %(points)s.",
        **facts,
    )


def sentence_on_mean(
    question: QuestionResults, fraction: float, shift: float, ends: tuple[float, float]
) -> str:
    """The largest effect on a mean, whose smallest and largest values are `ends`."""
    shown = fraction_text(fraction)
    if shift >= ends[1] - ends[0]:
        return translate(
            "If %(fraction)s %% of the responses were fake, they could have changed the mean from "
            "one end of its range to the other.",
            fraction=shown,
        )
    unit = question.question.grid.unit if question.question.grid else ""
    return translate(
        "If %(fraction)s %% of the responses were fake, they could have changed the mean by at "
        "most %(amount)s.",
        fraction=shown,
        amount=margin_in_words(shift, unit).removeprefix("±\u00a0"),
    )


def fraction_text(fraction: float) -> str:
    """A fraction in percent, without the sign."""
    return translate_number(f"{100 * fraction:g}")
