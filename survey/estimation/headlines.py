"""The headline of a question: the one sentence that states its main finding.

A headline ranks answers only by their simultaneous intervals. With the probability of the
question's level, usually 95 %, these intervals of all answers contain the true shares. In all these
surveys, every order and every interval that a headline states is true, although the data selected
the answers that it names.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from survey.estimation.number_text import percent, rough_percent

if TYPE_CHECKING:
    from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults

# A wider interval, relative to the range of all possible values, is too imprecise for a headline.
MAX_HEADLINE_WIDTH = 0.5
# A headline names at most this number of answers.
MAX_NAMED_ANSWERS = 3

# The kinds of headlines.
NOTHING, TEXTS, FEW, SHARE, MEAN = "nothing", "texts", "few", "share", "mean"
FIRST, TOGETHER, EITHER, UNRANKED = "first", "together", "either", "unranked"


@dataclass(frozen=True)
class Headline:
    """The main finding of a question.

    Attributes
    ----------
    kind : one of these:
        NOTHING: no estimate is shown.
        TEXTS: it is about free texts.
        FEW: there are too few responses to say.
        SHARE: it states the share of the first answer to a yes/no question.
        MEAN: it states the mean.
        FIRST: one answer has the largest share.
        TOGETHER: the answers have the largest shares, in unknown order.
        EITHER: one of the answers has the largest share.
        UNRANKED: any answer may have the largest share.
    sentence : in English
    answers : the answers that it is about, the largest estimate first. For EITHER, there may be
        more than the sentence names.
    """

    kind: str
    sentence: str
    answers: tuple["AnswerResults", ...] = ()


def headline_of(result: "QuestionResults") -> Headline:
    """The headline of a question. It is true for every ε and number of responses."""
    if result.said is not None:
        return Headline(NOTHING, result.said)
    if result.n == 0:
        return Headline(NOTHING, "There are no responses yet.")
    kind = result.question.kind
    if kind.free_text:
        return Headline(TEXTS, f"{result.counts[0]:,} of {result.n:,} respondents wrote a text.")
    if result.quantities and (kind.numeric or not result.answers):
        return headline_of_mean(result, result.quantities[0])
    if not result.answers:
        return Headline(FEW, "There are too few responses for an estimate.")
    if result.conditional and not result.asked:
        few = "Too few respondents were asked to say anything about their answers."
        return Headline(FEW, few)
    if kind.dichotomous:
        return headline_of_share(result, result.ranked[0])
    return headline_of_order(result)


def population(result: "QuestionResults") -> str:
    """The people whom the estimates describe."""
    weighted = f"the population (weighted by “{result.weighted_by}”)" if result.weighted_by else ""
    if result.conditional:
        return f"those asked in {weighted}" if weighted else "those asked"
    return weighted or "people like these respondents"


def among(result: "QuestionResults") -> str:
    """The same in front of a sentence; empty for people like the respondents."""
    if result.conditional:
        return f"Among {population(result)}, "
    return f"In {population(result)}, " if result.weighted_by else ""


def interval_text(result: "QuestionResults", low: float, high: float) -> str:
    return f"{100 * result.level:g} % interval {percent(low)} to {percent(high)}"


def verb_of(result: "QuestionResults") -> str:
    """What people do with an answer: they give it if nobody could learn it."""
    verb = "tick" if result.question.kind.boxes else "answer"
    return f"would {verb}" if result.question.plain else f"would truly {verb}"


def too_few(
    result: "QuestionResults",
    what: str,
    low: str,
    high: str,
    answers: tuple["AnswerResults", ...] = (),
) -> Headline:
    """The headline for an interval that is too wide."""
    # A unit may end in a full stop.
    sentence = (
        f"Too few responses to say. The {100 * result.level:g} % interval of {what} goes from "
        f"{low} to {high}"
    ).removesuffix(".")
    return Headline(FEW, f"{sentence}.", answers)


def headline_of_share(result: "QuestionResults", answer: "AnswerResults") -> Headline:
    """The headline of a yes/no question, on its first answer."""
    label = f"“{answer.choice.label}”"
    if answer.high - answer.low > MAX_HEADLINE_WIDTH:
        where = f" among {population(result)}" if result.conditional else ""
        share = f"the share of {label}{where}"
        return too_few(result, share, percent(answer.low), percent(answer.high), (answer,))
    between = interval_text(result, answer.low, answer.high)
    if answer.outside:
        sentence = (
            f"The estimate for {label} is {percent(answer.value)} ({between}). No share can have "
            "this value."
        )
    else:
        sentence = (
            f"An estimated {percent(answer.value)} of {population(result)} {verb_of(result)} "
            f"{label} ({between})."
        )
    return Headline(SHARE, sentence, (answer,))


def headline_of_mean(result: "QuestionResults", mean: "QuantityResults") -> Headline:
    unit = result.question.grid.unit if result.question.grid else ""
    low, high = mean.between
    ends = result.ends
    if ends is not None and mean.high - mean.low > MAX_HEADLINE_WIDTH * (ends[1] - ends[0]):
        return too_few(result, "the mean", low, f"{high} {unit}".strip())
    estimated = f"{mean.shown} {unit}".strip()
    sentence = (
        f"The estimated mean of {population(result)} is {estimated} "
        f"({100 * result.level:g} % interval {low} to {high})."
    )
    return Headline(MEAN, sentence)


def headline_of_order(result: "QuestionResults") -> Headline:
    """The headline of a choice or of boxes: which answers come first."""
    ranked = result.ranked
    leaders = possible_leaders(result)
    if len(leaders) == len(ranked):
        return headline_without_order(result, leaders)
    labels = [f"“{answer.choice.label}”" for answer in leaders]
    if len(leaders) == 1:
        return Headline(FIRST, first_sentence(result, leaders[0]), leaders)
    rest = [answer for answer in ranked if answer not in leaders]
    apart = min(bounds(each)[0] for each in leaders) > max(bounds(each)[1] for each in rest)
    kind = TOGETHER if apart else EITHER
    if len(leaders) > MAX_NAMED_ANSWERS:
        which = "These come first" if apart else "One of them comes first"
        sentence = (
            f"{len(leaders)} of the {len(ranked)} answers cannot be told apart. {which}, and the "
            "others do not."
        )
        return Headline(kind, among(result) + sentence, leaders)
    if not any(answer.outside for answer in leaders):
        labels = [
            f"{label} ({rough_percent(answer.value, answer.standard_error)})"
            for label, answer in zip(labels, leaders, strict=True)
        ]
    joined = f"{', '.join(labels[:-1])} {'and' if apart else 'or'} {labels[-1]}"
    verb = "come" if apart else "comes"
    sentence = f"{among(result)}{joined} {verb} first. They cannot be told apart."
    return Headline(kind, sentence, leaders)


def headline_without_order(
    result: "QuestionResults", leaders: tuple["AnswerResults", ...]
) -> Headline:
    """The headline if any of the answers may have the largest share."""
    widest = max(answer.high - answer.low for answer in leaders)
    if widest > MAX_HEADLINE_WIDTH or not result.complete:
        return Headline(FEW, "Too few responses to say which answer comes first.", leaders)
    sentence = f"The {len(leaders)} answers cannot be told apart: any of them may come first."
    if result.conditional or result.weighted_by:
        sentence = among(result) + sentence[0].lower() + sentence[1:]
    return Headline(UNRANKED, sentence, leaders)


def first_sentence(result: "QuestionResults", answer: "AnswerResults") -> str:
    """The sentence on the answer with the largest share, with its simultaneous interval."""
    low, high = bounds(answer)
    between = f"simultaneous {interval_text(result, low, high)}"
    first = f"{among(result)}“{answer.choice.label}” comes first"
    if high - low > MAX_HEADLINE_WIDTH:
        return f"{first}. Too few responses to say how large its share is ({between})."
    if answer.outside:
        return f"{first} ({between})."
    people = "" if among(result) else f" of {population(result)}"
    return (
        f"{first}: an estimated {percent(answer.value)}{people} {verb_of(result)} it ({between})."
    )


def bounds(answer: "AnswerResults") -> tuple[float, float]:
    """The ends of an answer's simultaneous interval."""
    if answer.simultaneous is None:
        return answer.low, answer.high
    return answer.simultaneous.low, answer.simultaneous.high


def possible_leaders(result: "QuestionResults") -> tuple["AnswerResults", ...]:
    """The answers that may have the largest share, the largest estimate first.

    They are the answers whose simultaneous interval does not lie below that of another answer. Any
    two of their intervals overlap. If a box has too few reports for an estimate, any box may have
    the largest share.
    """
    floor = max(bounds(answer)[0] for answer in result.ranked) if result.complete else 0.0
    possible = [answer for answer in result.ranked if bounds(answer)[1] >= floor]
    return tuple(sorted(possible, key=lambda answer: -round(answer.value, 9)))


def compared(answers: int, exclusive: bool) -> int:
    """The number of shares whose simultaneous intervals must hold together.

    Of two answers that exclude each other, one share determines the other.
    """
    return 1 if exclusive and answers == 2 else answers
