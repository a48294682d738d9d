"""Fieldwork progress: responses received, responses published, and the precision so far.

The number of responses is live. The precision is that of the published results, so it changes only
when the next batch is published.
"""

import math
from dataclasses import dataclass

from survey.core.translate import (
    join_sentences,
    translate,
    translate_count,
    translate_number,
    translate_plural,
)
from survey.definition.fieldwork import MIN_NEW_TEXTS, MIN_RESPONSES_AT_CLOSING, Fieldwork
from survey.estimation.number_text import points_text, rounded_to
from survey.estimation.results import MIN_SHOWN_RESPONSES, QuestionResults, Results

NO_BREAK_SPACE = "\u00a0"


@dataclass(frozen=True, kw_only=True)
class FieldworkProgress:
    """The responses to one survey.

    Attributes
    ----------
    published, waiting : the responses from browsers that are published, and not yet published
    paper_and_coin : the responses in paper-and-coin mode
    aim : the target sample size, or None
    most : whether the survey accepts no more responses than the aim
    isolated : whether withdrawals have left so few published responses that the results show none
    """

    published: int
    waiting: int
    paper_and_coin: int
    aim: int | None
    most: bool
    isolated: bool = False

    @property
    def arrived(self) -> int:
        return self.published + self.waiting

    def has_changed(self, shown: int | None) -> bool:
        """Whether more or fewer responses are published than a page shows."""
        return self.published != shown

    @property
    def people(self) -> int:
        return self.arrived + self.paper_and_coin


@dataclass(frozen=True)
class TextsProgress:
    """The texts of one survey that are stored apart.

    Attributes
    ----------
    received : the number of people whose texts are stored, also if they left them empty
    published : how many of them the last publication had
    unread : whether nobody can read them now
    """

    received: int
    published: int
    unread: bool

    @property
    def new(self) -> int:
        """How many people sent texts after the last publication."""
        return self.received - self.published


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
    private = [each for each in results.as_shown.every if not each.question.non_private]
    shares = [
        (half, half, each, None) for each in private if (half := widest_share(each)) is not None
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
    return max(((each.high - each.low) / 2 for each in results.shares), default=None)


def mean_of(results: QuestionResults) -> float | None:
    means = [each for each in results.quantities if each.name == "mean"]
    return (means[0].high - means[0].low) / 2 if means else None


def margin(half_width: float, unit: str | None) -> str:
    """A half-width in words: percentage points of a share, or a number of units."""
    if unit is None:
        points = translate_number(points_text(half_width))
        return translate("±\u00a0%(points)s\u00a0points", points=points)
    half = translate_number(rounded_to(half_width, half_width / 2))
    return f"±{NO_BREAK_SPACE}{half}{NO_BREAK_SPACE}{unit}".strip()


def sentences(coming: FieldworkProgress, work: Fieldwork) -> dict[str, str]:
    """The live texts, by their place on the overview."""
    texts_by_place = {
        "responses": translate_count(coming.arrived),
        "paper_and_coin": translate_count(coming.paper_and_coin),
    }
    if coming.aim is not None:
        counts = {"people": translate_count(coming.people), "aim": translate_count(coming.aim)}
        texts_by_place["progress"] = (
            translate("%(people)s of %(aim)s responses (maximum).", **counts)
            if coming.most
            else translate("%(people)s of %(aim)s responses (target).", **counts)
        )
    return texts_by_place | {"releases": publication_sentence(coming, work.batch)}


def on_closing(coming: FieldworkProgress, work: Fieldwork, closed_before: bool) -> str:
    """What closing does to the waiting responses; empty if none waits."""
    waiting, fewest = coming.waiting, work.fewest_at_closing
    if not waiting or closed_before:
        return ""
    if waiting >= fewest:
        return translate_plural(
            "If you close the survey now, Candor publishes the %(n)s remaining response.",
            "If you close the survey now, Candor publishes the %(n)s remaining responses.",
            waiting,
        )
    return translate(
        "If you close the survey now, Candor does not publish %(responses)s. With fewer than "
        "%(fewest)s new responses, someone could see the effect of each response. Wait for more "
        "responses if you can.",
        responses=responses_text(waiting),
        fewest=fewest,
    )


def kept_back(coming: FieldworkProgress, work: Fieldwork, closed_before: bool) -> str:
    """Why the results of a closed survey lack some responses; empty if they lack none."""
    waiting = coming.waiting
    if coming.isolated:
        return left_by_withdrawals(coming, work.fewest_at_closing)
    if not waiting:
        return ""
    if closed_before:
        return translate(
            "Candor has not published %(responses)s. After a survey is reopened, Candor publishes "
            "new responses only in full batches of %(batch)s.",
            responses=responses_text(waiting),
            batch=work.batch,
        )
    return translate(
        "Candor has not published %(responses)s. With fewer than %(fewest)s new responses, someone "
        "could see the effect of each response. Reopen the survey to receive more. No response is "
        "lost.",
        responses=responses_text(waiting),
        fewest=work.fewest_at_closing,
    )


def left_by_withdrawals(coming: FieldworkProgress, fewest: int) -> str:
    """Why published responses are no longer shown."""
    return translate(
        "The results show no responses. Withdrawals left only %(left)s of the published responses. "
        "With fewer than %(fewest)s, someone could see the effect of each response.",
        left=coming.published,
        fewest=fewest,
    )


def sentences_on_precision(results: Results, aim: int | None) -> dict[str, str]:
    """The texts that change when a batch is published, by their place on the overview.

    A text is empty if there is nothing to say.
    """
    texts_by_place = {"precision": "", "means": ""}
    for widest in precision_so_far(results, aim):
        place = "precision" if widest.unit is None else "means"
        texts_by_place[place] = sentence_on_precision(widest, results.questions[0].level, aim)
    return texts_by_place


def sentence_on_precision(widest: InterimPrecision, level: float, aim: int | None) -> str:
    found = {
        "level": f"{100 * level:g}",
        "margin": margin(widest.half_width, widest.unit),
        "question": widest.label,
    }
    if widest.expected is None or aim is None:
        if widest.unit is None:
            return translate(
                "The widest %(level)s\u00a0%% interval of a share is %(margin)s, for "
                "“%(question)s”.",
                **found,
            )
        return translate(
            "The widest %(level)s\u00a0%% interval of a mean is %(margin)s, for “%(question)s”.",
            **found,
        )
    found |= {"aim": translate_count(aim), "expected": margin(widest.expected, widest.unit)}
    if widest.unit is None:
        return translate(
            "The widest %(level)s\u00a0%% interval of a share is %(margin)s, for “%(question)s”; "
            "with %(aim)s responses, about %(expected)s.",
            **found,
        )
    return translate(
        "The widest %(level)s\u00a0%% interval of a mean is %(margin)s, for “%(question)s”; "
        "with %(aim)s responses, about %(expected)s.",
        **found,
    )


def first_results_sentence(batch: int) -> str:
    """When the results appear, in a survey without published responses."""
    if batch >= MIN_SHOWN_RESPONSES:
        return translate(
            "Results appear when Candor has received %(responses)s.",
            responses=responses_text(batch),
        )
    # The first batches may have too few responses for an estimate.
    first = batch * math.ceil(MIN_SHOWN_RESPONSES / batch)
    return translate(
        "Estimates appear when Candor has received %(responses)s.", responses=responses_text(first)
    )


def publication_sentence(coming: FieldworkProgress, batch: int) -> str:
    """How many responses the results have, and when the results change next."""
    if not coming.arrived:
        return first_results_sentence(batch)
    if batch == 1:
        return translate("Candor publishes each response immediately.")
    then = translate_plural(
        "The next batch is published after %(n)s more response.",
        "The next batch is published after %(n)s more responses.",
        batch - coming.waiting,
    )
    if coming.isolated:
        fewest = min(batch, MIN_RESPONSES_AT_CLOSING)
        return join_sentences(left_by_withdrawals(coming, fewest), then)
    if not coming.waiting:
        return join_sentences(translate("All responses are published."), then)
    published = translate_plural(
        "%(n)s response is published, and %(waiting)s.",
        "%(n)s responses are published, and %(waiting)s.",
        coming.published,
        waiting=translate_plural("%(n)s is waiting", "%(n)s are waiting", coming.waiting),
    )
    return join_sentences(published, then)


def responses_text(many: int) -> str:
    return translate_plural("%(n)s response", "%(n)s responses", many)


def so_far(coming: FieldworkProgress, work: Fieldwork, state: str, closed_before: bool) -> str:
    """How many responses are received and published, for pages other than the overview.

    It is empty if the survey is closed and the results have all responses.
    """
    if state == "closed" and not coming.arrived:
        return translate("The survey was closed before it received a response.")
    came = (
        translate_plural("%(n)s response received.", "%(n)s responses received.", coming.arrived)
        if coming.arrived
        else ""
    )
    if state == "open":
        return join_sentences(came, publication_sentence(coming, work.batch))
    kept = kept_back(coming, work, closed_before)
    return join_sentences(came, kept) if kept else ""


def texts_rule() -> str:
    """When the texts of a survey that stores them apart can be read."""
    return translate(
        "Nobody can read texts before the survey closes. Candor then publishes all of them "
        "together if at least %(fewest)s people have answered.",
        fewest=MIN_RESPONSES_AT_CLOSING,
    )


def texts_after_reopening() -> str:
    """What a reopening does to texts that were published."""
    return translate(
        "While the survey is open again, nobody can read its texts. After the next closing, Candor "
        "shows them again if nobody has answered meanwhile, or if at least %(fewest)s people have.",
        fewest=MIN_NEW_TEXTS,
    )


def why_unread(texts: TextsProgress, state: str) -> str:
    """Why nobody can read the texts of a survey now; empty if somebody can."""
    if not texts.unread:
        left = texts.received
        return texts_left_by_withdrawals(left) if 0 < left < MIN_RESPONSES_AT_CLOSING else ""
    if state == "open":
        return texts_after_reopening() if texts.published else texts_rule()
    if texts.published:
        return translate(
            "Candor does not show the texts. Since they were published, the survey was open again, "
            "and %(people)s answered. With fewer than %(fewest)s people, someone could see who "
            "wrote the new texts. Reopen the survey to receive more. No text is lost.",
            people=people_who_answered(texts.new),
            fewest=MIN_NEW_TEXTS,
        )
    if not texts.received:
        return ""
    return translate(
        "Candor does not show the texts of %(people)s. With fewer than %(fewest)s people, someone "
        "could see who wrote them. Reopen the survey to receive more. No text is lost.",
        people=people_who_answered(texts.received),
        fewest=MIN_RESPONSES_AT_CLOSING,
    )


def texts_left_by_withdrawals(left: int) -> str:
    return translate(
        "Candor no longer shows the texts. Withdrawals left only those of %(people)s. With fewer "
        "than %(fewest)s people, someone could see who wrote them.",
        people=people_who_answered(left),
        fewest=MIN_RESPONSES_AT_CLOSING,
    )


def people_who_answered(many: int) -> str:
    return translate_plural("%(n)s person", "%(n)s people", many)
