"""Fieldwork progress: responses received, responses published, and the precision so far.

The number of responses is live. The precision is that of the published results, so it changes only
when the next batch is published.
"""

import math
from dataclasses import dataclass

from survey.definition.fieldwork import MIN_RESPONSES_AT_CLOSING, Fieldwork
from survey.estimation.number_text import percent, rounded_to
from survey.estimation.results import MIN_SHOWN_RESPONSES, QuestionResults, Results

NO_BREAK_SPACE = "\u00a0"


@dataclass(frozen=True)
class FieldworkProgress:
    """The responses to one survey.

    Attributes
    ----------
    released, waiting : the responses from browsers that are published, and not yet published
    by_hand : the responses in paper-and-coin mode
    aim : the target sample size, or None
    most : whether the survey accepts no more responses than the aim
    isolated : whether withdrawals have left so few published responses that the results show none
    """

    released: int
    waiting: int
    by_hand: int
    aim: int | None
    most: bool
    isolated: bool = False

    @property
    def arrived(self) -> int:
        return self.released + self.waiting

    @property
    def people(self) -> int:
        return self.arrived + self.by_hand


@dataclass(frozen=True)
class InterimPrecision:
    """The least precise private question of a kind.

    Attributes
    ----------
    half_width : half the width of its widest interval; a share, or in `unit` for a mean
    expected : the same at the target sample size; None if there is none or it is reached
    unit : None for a share
    """

    label: str
    half_width: float
    expected: float | None
    unit: str | None


def half_width_at(half_width: float, n: int, aim: int) -> float:
    """The half-width that is expected at `aim` responses, from that of n responses.

    Intervals shrink with the square root of the number of responses if the estimate stays the same.
    """
    return half_width * math.sqrt(n / aim)


def precision_so_far(results: Results, aim: int | None) -> list[InterimPrecision]:
    """The widest interval of a share, and the widest of a mean relative to its range.

    It covers the private questions that have estimates.
    """
    if not results.n:
        return []
    private = [each for each in results.as_shown.questions if not each.question.plain]
    shares = [
        (half, half, each, None)
        for each in private
        if not each.question.kind.numeric and (half := widest_share(each)) is not None
    ]
    means = [
        (half / float(grid.high - grid.low), half, each, grid.unit)
        for each in private
        if (grid := each.question.grid) is not None and (half := mean_of(each)) is not None
    ]
    precisions = []
    for kind in (shares, means):
        if kind:
            _, half, each, unit = max(kind, key=lambda entry: entry[0])
            expected = half_width_at(half, results.n, aim) if aim and aim > results.n else None
            precisions.append(InterimPrecision(each.question.label, half, expected, unit))
    return precisions


def widest_share(results: QuestionResults) -> float | None:
    return max(((each.high - each.low) / 2 for each in results.answers), default=None)


def mean_of(results: QuestionResults) -> float | None:
    means = [each for each in results.quantities if each.name == "mean"]
    return (means[0].high - means[0].low) / 2 if means else None


def margin(half_width: float, unit: str | None) -> str:
    """A half-width in words: percentage points of a share, or a number of units."""
    if unit is None:
        return f"±{NO_BREAK_SPACE}{percent(half_width).removesuffix(' %')}{NO_BREAK_SPACE}points"
    return (
        f"±{NO_BREAK_SPACE}{rounded_to(half_width, half_width / 2)}{NO_BREAK_SPACE}{unit}".strip()
    )


def sentences(coming: FieldworkProgress, work: Fieldwork) -> dict[str, str]:
    """The live texts, by their place on the overview."""
    texts_by_place = {"responses": f"{coming.arrived:,}", "by_hand": f"{coming.by_hand:,}"}
    if coming.aim is not None:
        what = "maximum" if coming.most else "target"
        texts_by_place["progress"] = f"{coming.people:,} of {coming.aim:,} responses ({what})."
    return texts_by_place | {"releases": release_sentence(coming, work.batch)}


def on_closing(coming: FieldworkProgress, work: Fieldwork, closed_before: bool) -> str:
    """What closing does to the waiting responses; empty if none waits."""
    waiting, fewest = coming.waiting, work.fewest_at_closing
    if not waiting or closed_before:
        return ""
    if waiting >= fewest:
        return f"If you close the survey now, Candor publishes the {waiting:,} remaining responses."
    return (
        f"If you close the survey now, Candor does not publish {responses_text(waiting)}. With "
        f"fewer than {fewest} new responses, someone could see the effect of each response. Wait "
        "for more responses if you can."
    )


def kept_back(coming: FieldworkProgress, work: Fieldwork, closed_before: bool) -> str:
    """Why the results of a closed survey lack some responses; empty if they lack none."""
    waiting = coming.waiting
    if coming.isolated:
        return left_by_withdrawals(coming, work.fewest_at_closing)
    if not waiting:
        return ""
    held = f"Candor has not published {responses_text(waiting)}"
    if closed_before:
        return (
            f"{held}. After a survey is reopened, Candor publishes new responses only in full "
            f"batches of {work.batch:,}."
        )
    return (
        f"{held}. With fewer than {work.fewest_at_closing} new responses, someone could see the "
        "effect of each response. Reopen the survey to receive more. No response is lost."
    )


def left_by_withdrawals(coming: FieldworkProgress, fewest: int) -> str:
    """Why published responses are no longer shown."""
    return (
        f"The results show no responses. Withdrawals left only {coming.released:,} of the "
        f"published responses. With fewer than {fewest}, someone could see the effect of each "
        "response."
    )


def sentences_on_precision(results: Results, aim: int | None) -> dict[str, str]:
    """The texts that change when a batch is published, by their place on the overview.

    A text is empty if there is nothing to say.
    """
    texts_by_place = {"precision": "", "means": ""}
    for widest in precision_so_far(results, aim):
        place, what = ("precision", "share") if widest.unit is None else ("means", "mean")
        text = (
            f"The widest {100 * results.questions[0].level:g}{NO_BREAK_SPACE}% interval of a "
            f"{what} is {margin(widest.half_width, widest.unit)}, for “{widest.label}”"
        )
        if widest.expected is not None:
            text += f"; with {aim:,} responses, about {margin(widest.expected, widest.unit)}"
        texts_by_place[place] = f"{text}."
    return texts_by_place


def first_results_sentence(batch: int) -> str:
    """When the results appear, in a survey without published responses."""
    if batch >= MIN_SHOWN_RESPONSES:
        return f"Results appear when Candor has received {responses_text(batch)}."
    # The first batches may have too few responses for an estimate.
    first = batch * math.ceil(MIN_SHOWN_RESPONSES / batch)
    return f"Estimates appear when Candor has received {responses_text(first)}."


def release_sentence(coming: FieldworkProgress, batch: int) -> str:
    """How many responses the results have, and when the results change next."""
    if not coming.arrived:
        return first_results_sentence(batch)
    if batch == 1:
        return "Candor publishes each response immediately."
    more = batch - coming.waiting
    then = f"The next batch is published after {more:,} more response{'' if more == 1 else 's'}."
    if coming.isolated:
        fewest = min(batch, MIN_RESPONSES_AT_CLOSING)
        return f"{left_by_withdrawals(coming, fewest)} {then}"
    if not coming.waiting:
        return f"All responses are published. {then}"
    are = "is" if coming.released == 1 else "are"
    waits = "1 is" if coming.waiting == 1 else f"{coming.waiting:,} are"
    return f"{responses_text(coming.released)} {are} published, and {waits} waiting. {then}"


def responses_text(many: int) -> str:
    return f"{many:,} response{'' if many == 1 else 's'}"


def so_far(coming: FieldworkProgress, work: Fieldwork, state: str, closed_before: bool) -> str:
    """How many responses are received and published, for pages other than the overview.

    It is empty if the survey is closed and the results have all responses.
    """
    if state == "closed" and not coming.arrived:
        return "The survey was closed before it received a response."
    came = f"{responses_text(coming.arrived)} received. " if coming.arrived else ""
    if state == "open":
        return came + release_sentence(coming, work.batch)
    kept = kept_back(coming, work, closed_before)
    return came + kept if kept else ""
