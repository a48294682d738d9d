"""A line for each question: its leading estimate with its interval, or a sentence in its place.

Pages compare questions by these lines, and draw the intervals. They decide nothing themselves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from survey.core.translate import (
    translate,
    translate_constant,
    translate_list,
    translate_number,
)
from survey.estimation.findings.remarks import SHORT
from survey.estimation.headlines import (
    ARM,
    EITHER,
    MAX_NAMED_SHARES,
    MEAN,
    TEXTS,
    TOGETHER,
    TOO_FEW_TO_SAY,
    UNRANKED,
    bounds,
    written_level,
)
from survey.estimation.number_text import in_points, nonbreaking, rounded_share
from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults
from survey.estimation.types.crosswise import first_statement_results

# A page shows this number of answers before the reader opens the table.
MAX_SHOWN_ANSWERS = 12
SHARE_ENDS = (0.0, 1.0)
# "±" is written if an estimate is less than this part of its margin away from the middle.
MAX_OFF_CENTRE = 0.05


@dataclass(frozen=True, kw_only=True)
class Line:
    """An estimate with its interval, in numbers and in words.

    Attributes
    ----------
    label : the answer or the quantity
    low, high : the ends of the interval
    possible : whether the estimate is a possible value
    text : the estimate and its uncertainty, in the language of the page
    """

    label: str
    value: float
    low: float
    high: float
    possible: bool
    text: str


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The leading estimate of a question.

    Attributes
    ----------
    number : the number of the question, with a letter for a question behind a joint question
    place : the place of the question among those of the survey, from 0
    words : what the estimate is about, or the sentence in its place
    estimate : the estimate in words; empty if the result withholds it or cannot rank the answers
    lines : the estimates that have an interval to draw
    ends : the smallest and the largest possible value
    """

    number: str
    place: int
    result: QuestionResults
    words: str
    estimate: str
    lines: tuple[Line, ...]
    ends: tuple[float, float]

    @property
    def anchor(self) -> str:
        """The end of the address of its details on the page."""
        return f"{self.number}-all" if self.result.items else self.number

    @property
    def is_of_mean(self) -> bool:
        """Whether the values are in the unit of the question, and not shares."""
        return is_about_mean(self.result)


def summaries(results: Sequence[QuestionResults]) -> tuple[Summary, ...]:
    """A line for each question, those behind a joint question before it."""
    return tuple(each for place, result in enumerate(results) for each in of_one(result, place))


def of_one(result: QuestionResults, place: int) -> Iterator[Summary]:
    for item, letter in zip(result.items, "abcd", strict=False):
        yield summary_of(item, f"{place + 1}{letter}", place)
    yield summary_of(result, str(place + 1), place)


def summary_of(result: QuestionResults, number: str, place: int) -> Summary:
    lines = leading_lines(result)
    words, estimate = leading_words(result, lines)
    return Summary(
        number=number,
        place=place,
        result=result,
        words=words,
        estimate=estimate,
        lines=lines,
        ends=summary_ends(result),
    )


def summary_ends(result: QuestionResults) -> tuple[float, float]:
    """The smallest and the largest possible value of what the headline states."""
    return result.ends if is_about_mean(result) and result.ends is not None else SHARE_ENDS


def leading_words(result: QuestionResults, lines: Sequence[Line]) -> tuple[str, str]:
    """What a line says, and its estimate."""
    kind = result.headline.kind
    if result.verdict is not None:
        return translate_constant(SHORT[result.verdict.code]), ""
    if result.question.known_share is not None and lines:
        return lines[0].label, lines[0].text
    if kind in (TEXTS, ARM) or (kind == UNRANKED and result.known):
        return result.sentence, ""
    if kind == TOO_FEW_TO_SAY or not lines:
        return translate("Too few responses for a precise estimate"), ""
    if kind == UNRANKED:
        return translate("Cannot be ranked: any answer may come first"), ""
    if kind in (EITHER, TOGETHER):
        labels = [f"“{answer.choice.label}”" for answer in result.headline.answers]
        named = labels[:MAX_NAMED_SHARES]
        if len(labels) > len(named):
            more = translate("%(n)s more", n=len(labels) - len(named))
            named = [*named, more]
        return translate("Cannot be ranked: %(answers)s", answers=translate_list(named)), ""
    return lines[0].label, lines[0].text


def is_about_mean(result: QuestionResults) -> bool:
    """Whether the headline states a mean, or that there are too few responses for it. The headline
    of a scale is about its answers, although it has a mean, too.
    """
    about_mean = result.headline.kind in (MEAN, TOO_FEW_TO_SAY) and not result.shares
    return about_mean and bool(result.quantities)


def leading_lines(result: QuestionResults) -> tuple[Line, ...]:
    """The estimates that the headline is about: the largest ones, if they are many.

    Of a crosswise question, it is the share for whom the first statement is true.

    Empty if an interval is the whole range. Answers that are compared have simultaneous intervals.
    """
    if is_about_mean(result):
        return tuple(lines_of_mean(result))
    stated = first_statement_results(result)
    if stated is not None:
        ends = stated.low, stated.high
        return () if stated.unknown else (line_of_share(result, stated, ends),)
    answers = result.headline.answers
    if any(answer.unknown for answer in answers):
        return ()
    return tuple(
        line_of_share(result, answer, bounds(answer)) for answer in answers[:MAX_NAMED_SHARES]
    )


def lines_of_mean(result: QuestionResults) -> Iterator[Line]:
    """The line of the mean, or of the median if it is the goal."""
    mean, ends = result.lead, result.ends
    if mean is None or mean.cannot_tell:
        return
    if ends is not None and mean.low <= ends[0] and mean.high >= ends[1]:
        return
    label = translate("Mean") if mean.name == "mean" else mean.label
    text = text_of_mean(result, mean)
    yield Line(
        label=label,
        value=mean.value,
        low=mean.low,
        high=mean.high,
        possible=not mean.outside,
        text=text,
    )


def text_of_mean(result: QuestionResults, mean: QuantityResults) -> str:
    unit = result.question.grid.unit if result.question.grid else ""
    low, high = map(translate_number, mean.between)
    shown = translate_number(mean.shown)
    if result.known:
        return f"{shown} {unit}".strip()
    between = translate("%(low)s to %(high)s", low=low, high=f"{high} {unit}".strip())
    if mean.outside:
        return between
    if not is_centred(mean.value, mean.low, mean.high):
        return translate("%(estimate)s (%(interval)s)", estimate=shown, interval=between)
    margin = translate_number(mean.write_value((mean.high - mean.low) / 2))
    return f"{shown} ±\u00a0{margin} {unit}".strip()


def line_of_share(
    result: QuestionResults, answer: AnswerResults, interval: tuple[float, float]
) -> Line:
    low, high = interval
    text = text_of_share(result, answer, interval)
    return Line(
        label=answer.choice.label,
        value=answer.value,
        low=low,
        high=high,
        possible=not answer.outside,
        text=text,
    )


def text_of_share(
    result: QuestionResults, answer: AnswerResults, interval: tuple[float, float]
) -> str:
    """The estimate and half its interval; the interval if the estimate is not in its middle."""
    shown = nonbreaking(translate_number(answer.shown))
    if result.known:
        return shown
    low, high = (translate_number(rounded_share(end, answer.spread)) for end in interval)
    between = nonbreaking(translate("%(low)s to %(high)s", low=low, high=high))
    if answer.outside:
        return between
    if not is_centred(answer.value, *interval):
        return translate("%(estimate)s (%(interval)s)", estimate=shown, interval=between)
    margin = answer.write_value((interval[1] - interval[0]) / 2).removesuffix(" %")
    return f"{shown} ±\u00a0{in_points(margin)}"


def is_centred(value: float, low: float, high: float) -> bool:
    """Whether an estimate is nearly in the middle of its interval, which has a length.

    Otherwise "±" would state other ends than the table, and perhaps impossible ones.
    """
    return abs((low + high) / 2 - value) < MAX_OFF_CENTRE * (high - low) / 2


def answer_lines(result: QuestionResults) -> tuple[Line, ...]:
    """The estimates of a question for its page: the answers, or the mean of a number.

    Of more than MAX_SHOWN_ANSWERS answers, they are those with the largest estimates, the largest
    first. They are empty if no estimate may be used.
    """
    if result.verdict is not None:
        return ()
    if is_about_mean(result):
        return leading_lines(result)
    answers = result.ranked
    if len(answers) > MAX_SHOWN_ANSWERS:
        answers = tuple(sorted(answers, key=lambda each: -each.value))[:MAX_SHOWN_ANSWERS]
    return tuple(line_of_share(result, each, (each.low, each.high)) for each in answers)


def more_answers(result: QuestionResults) -> int:
    """The number of answers that `answer_lines` leaves out."""
    return max(0, len(result.ranked) - MAX_SHOWN_ANSWERS)


def about_intervals(result: QuestionResults) -> str:
    """How the intervals of the answers differ from the one in the sentence; empty if they do not.

    The sentence states simultaneous intervals, which are longer.
    """
    compared = any(
        answer.simultaneous is not None and answer.simultaneous.level > result.level
        for answer in result.headline.answers
    )
    if is_about_mean(result) or result.verdict is not None or not compared:
        return ""
    return translate(
        "Each %(level)s %% interval in this list is for a single share. Simultaneous intervals "
        "contain the true shares of all answers with a probability of about %(level)s %%, and are "
        "usually longer.",
        level=written_level(result),
    )
