"""The headline of a question: the one sentence that states its main finding.

A headline ranks answers only by their simultaneous intervals. With the probability of the
question's level, usually 95 %, these intervals of all answers contain the true shares. In all these
surveys, every order and every interval that a headline states is true, although the data selected
the answers that it names.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from survey.core.translate import (
    join_sentences,
    later,
    researcher_words,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.definition.target_population import FINITE, RESPONDENTS
from survey.estimation.number_text import rounded_share
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_texts import parts_sentence

if TYPE_CHECKING:
    from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults

# A wider interval, relative to the range of all possible values, is too imprecise for a headline.
MAX_HEADLINE_WIDTH = 0.5
# A headline names the percentages of at most this number of answers, and at most this number of
# answers that may come first, or that do not.
MAX_NAMED_SHARES = 3
MAX_NAMED_ANSWERS = 6

# The kinds of headlines.
NOTHING = "nothing"
TEXTS = "texts"
TOO_FEW_TO_SAY = "few"
SHARE = "share"
MEAN = "mean"
FIRST = "first"
TOGETHER = "together"
EITHER = "either"
UNRANKED = "unranked"
ARM = "arm"


@dataclass(frozen=True)
class Headline:
    """The main finding of a question.

    Attributes
    ----------
    kind : one of these:
        NOTHING: no estimate is shown.
        TEXTS: it is about free texts.
        TOO_FEW_TO_SAY: there are too few responses to say.
        SHARE: it states the share of the first answer to a yes/no question.
        MEAN: it states the mean, or the median if this is the goal.
        FIRST: one answer has the largest share.
        TOGETHER: the answers have the largest shares, in unknown order.
        EITHER: one of the answers has the largest share.
        UNRANKED: any answer may have the largest share.
        ARM: it is about an experimental arm.
    sentence : in the language of the page
    answers : the answers that it is about, the largest estimate first. For EITHER and TOGETHER,
        there may be more than the sentence names.
    """

    kind: str
    sentence: str
    answers: tuple["AnswerResults", ...] = ()


@dataclass(frozen=True)
class FirstShareSentences:
    """The sentences on the answer with the largest share.

    Attributes
    ----------
    of_people, of_asked : on the respondents themselves, or those of them who were asked
    estimate_of_people : on people like the respondents
    estimate_of_population : the same in a sentence that begins with the people whom it is about
    """

    of_people: str
    of_asked: str
    estimate_of_people: str
    estimate_of_population: str


CHOSEN = FirstShareSentences(
    of_people=later("“%(answer)s” comes first: %(share)s of %(people)s gave this answer."),
    of_asked=later("“%(answer)s” comes first: %(share)s gave this answer."),
    estimate_of_people=later(
        "“%(answer)s” comes first: an estimated %(share)s of %(people)s would give this "
        "answer (%(interval)s)."
    ),
    estimate_of_population=later(
        "“%(answer)s” comes first: an estimated %(share)s would give this answer (%(interval)s)."
    ),
)
TICKED = FirstShareSentences(
    of_people=later("“%(answer)s” comes first: %(share)s of %(people)s ticked it."),
    of_asked=later("“%(answer)s” comes first: %(share)s ticked it."),
    estimate_of_people=later(
        "“%(answer)s” comes first: an estimated %(share)s of %(people)s would tick it "
        "(%(interval)s)."
    ),
    estimate_of_population=later(
        "“%(answer)s” comes first: an estimated %(share)s would tick it (%(interval)s)."
    ),
)
DERIVED = FirstShareSentences(
    of_people=later("“%(answer)s” comes first: %(share)s of %(people)s have this result."),
    of_asked=later("“%(answer)s” comes first: %(share)s have this result."),
    estimate_of_people=later(
        "“%(answer)s” comes first: an estimated %(share)s of %(people)s have this result "
        "(%(interval)s)."
    ),
    estimate_of_population=later(
        "“%(answer)s” comes first: an estimated %(share)s have this result (%(interval)s)."
    ),
)


def headline_of(result: "QuestionResults") -> Headline:
    """The headline of a question. It is true for every ε and number of responses."""
    if result.verdict is not None:
        return Headline(NOTHING, result.verdict.sentence)
    if result.question.is_arm:
        return headline_of_arm(result)
    return ESTIMATION[result.question].headline(result)


def headline_without_shares(result: "QuestionResults") -> Headline | None:
    """The headline if there are no shares that it could state; else None."""
    if not result.answers:
        return Headline(TOO_FEW_TO_SAY, translate("There are too few responses for an estimate."))
    if result.conditional and not result.asked:
        few = translate("Too few respondents were asked this question for an estimate.")
        return Headline(TOO_FEW_TO_SAY, few)
    return None


def headline_of_shares(result: "QuestionResults") -> Headline:
    """The headline that ranks the answers."""
    without = headline_without_shares(result)
    return without or with_questions(result, headline_of_order(result))


def with_questions(result: "QuestionResults", headline: Headline) -> Headline:
    """The headline of a joint question also says to which questions the named answers belong."""
    named = (
        headline.kind in (FIRST, TOGETHER, EITHER) and len(headline.answers) <= MAX_NAMED_ANSWERS
    )
    if not result.items or not named:
        return headline
    parts = parts_sentence([item.question for item in result.items], researcher_words())
    return replace(headline, sentence=join_sentences(headline.sentence, parts))


def headline_of_arm(result: "QuestionResults") -> Headline:
    """The headline of an experimental arm, which nobody answers and a computer draws."""
    largest = max(range(len(result.counts)), key=result.counts.__getitem__)
    sentence = translate(
        "The respondents’ browsers drew an arm at random. “%(answer)s” has the most respondents: "
        "%(count)s of %(all)s.",
        answer=result.question.choices[largest].label,
        count=result.counts[largest],
        all=result.n,
    )
    return Headline(ARM, sentence)


def population(result: "QuestionResults") -> str:
    """The people whom the estimates describe."""
    if result.conditional and result.weighted_by:
        return translate(
            "those asked in the population (weighted by “%(question)s”)",
            question=result.weighted_by,
        )
    if result.conditional:
        return translate("those asked")
    if result.weighted_by:
        return translate("the population (weighted by “%(question)s”)", question=result.weighted_by)
    if result.target.kind == RESPONDENTS:
        return translate("these respondents")
    if result.target.kind == FINITE:
        return translate(
            "the population of %(size)s people",
            size=result.target.size or 0,
        )
    return translate("people like these respondents")


def starts_with_population(result: "QuestionResults") -> bool:
    """Whether sentences on an order begin with the people whom the estimates describe."""
    return result.conditional or bool(result.weighted_by)


def with_population(result: "QuestionResults", sentence: str) -> str:
    """A sentence that says whom it is about, unless it is about people like the respondents."""
    if result.conditional:
        return translate(
            "Among %(people)s, %(sentence)s", people=population(result), sentence=sentence
        )
    if result.weighted_by:
        return translate(
            "In %(people)s, %(sentence)s", people=population(result), sentence=sentence
        )
    return sentence


def written_level(result: "QuestionResults") -> str:
    return translate_number(result.level_text)


def interval_text(result: "QuestionResults", answer: "AnswerResults") -> str:
    low, high = map(translate_number, answer.between)
    return translate(
        "%(level)s %% interval %(low)s to %(high)s",
        level=written_level(result),
        low=low,
        high=high,
    )


def simultaneous_text(result: "QuestionResults", answer: "AnswerResults") -> str:
    low, high = (translate_number(rounded_share(end, answer.spread)) for end in bounds(answer))
    return translate(
        "simultaneous %(level)s %% interval %(low)s to %(high)s",
        level=written_level(result),
        low=low,
        high=high,
    )


def headline_of_share(result: "QuestionResults", answer: "AnswerResults") -> Headline:
    """The headline of a yes/no question, on its first answer."""
    low, high = map(translate_number, answer.between)
    facts = {
        "answer": answer.choice.label,
        "people": population(result),
        "level": written_level(result),
        "share": translate_number(answer.shown),
        "low": low,
        "high": high,
        "interval": interval_text(result, answer),
    }
    if result.known:
        known = (
            later("%(share)s of %(people)s answered “%(answer)s”.")
            if result.question.derived is None
            else later("For %(share)s of %(people)s, the result is “%(answer)s”.")
        )
        sentence = translate(known, **facts)
        return Headline(SHARE, sentence, (answer,))
    if answer.high - answer.low > MAX_HEADLINE_WIDTH:
        return Headline(TOO_FEW_TO_SAY, too_few_for_share(result, facts), (answer,))
    if answer.outside:
        sentence = translate(
            "The estimate for “%(answer)s” is %(share)s (%(interval)s). No share can have this "
            "value.",
            **facts,
        )
    elif result.question.derived is not None:
        sentence = translate(
            "For an estimated %(share)s of %(people)s, the result is “%(answer)s” (%(interval)s).",
            **facts,
        )
    else:
        sentence = translate(
            "An estimated %(share)s of %(people)s would answer “%(answer)s” (%(interval)s).",
            **facts,
        )
    return Headline(SHARE, sentence, (answer,))


def too_few_for_share(result: "QuestionResults", facts: dict[str, str]) -> str:
    """The sentence for an interval of a share that is too wide."""
    if result.conditional:
        return translate(
            "There are too few responses for a precise estimate. The %(level)s %% interval of "
            "the share of “%(answer)s” among %(people)s goes from %(low)s to %(high)s.",
            **facts,
        )
    return translate(
        "There are too few responses for a precise estimate. The %(level)s %% interval of the "
        "share of “%(answer)s” goes from %(low)s to %(high)s.",
        **facts,
    )


def headline_of_mean(result: "QuestionResults", mean: "QuantityResults") -> Headline:
    unit = result.question.grid.unit if result.question.grid else ""
    low, high = (translate_number(end) for end in mean.between)
    ends = result.ends
    if ends is not None and mean.high - mean.low > MAX_HEADLINE_WIDTH * (ends[1] - ends[0]):
        sentence = translate(
            "There are too few responses for a precise estimate. The %(level)s %% interval of "
            "the mean goes from %(low)s to %(high)s.",
            level=written_level(result),
            low=low,
            # The unit may end in a full stop.
            high=f"{high} {unit}".strip().removesuffix("."),
        )
        return Headline(TOO_FEW_TO_SAY, sentence)
    if result.known:
        sentence = translate(
            "The mean for %(people)s is %(mean)s.",
            people=population(result),
            mean=f"{translate_number(mean.shown)} {unit}".strip().removesuffix("."),
        )
        return Headline(MEAN, sentence)
    if mean.outside:
        sentence = translate(
            "The %(level)s %% interval of the mean for %(people)s is %(low)s to %(high)s. The "
            "estimate is outside this interval, because no mean can have its value.",
            people=population(result),
            level=written_level(result),
            low=low,
            high=f"{high} {unit}".strip().removesuffix("."),
        )
        return Headline(MEAN, sentence)
    sentence = translate(
        "The estimated mean for %(people)s is %(mean)s (%(level)s %% interval %(low)s to "
        "%(high)s).",
        people=population(result),
        mean=f"{translate_number(mean.shown)} {unit}".strip(),
        level=written_level(result),
        low=low,
        high=high,
    )
    return Headline(MEAN, sentence)


def headline_of_median(result: "QuestionResults", median: "QuantityResults") -> Headline:
    unit = result.question.grid.unit if result.question.grid else ""
    low, high = (translate_number(end) for end in median.between)
    if median.cannot_tell:
        sentence = translate(
            "The median is too imprecise to show. Its %(level)s %% interval spans more than "
            "half of the range.",
            level=written_level(result),
        )
        return Headline(TOO_FEW_TO_SAY, sentence)
    sentence = translate(
        "The estimated median for %(people)s is %(median)s (%(level)s %% interval %(low)s to "
        "%(high)s).",
        people=population(result),
        median=f"{translate_number(median.shown)} {unit}".strip(),
        level=written_level(result),
        low=low,
        high=high,
    )
    return Headline(MEAN, sentence)


def headline_of_order(result: "QuestionResults") -> Headline:
    """The headline of a choice or of boxes: which answers come first."""
    ranked = result.ranked
    leaders = possible_leaders(result)
    if len(leaders) == len(ranked):
        return headline_without_order(result, leaders)
    if len(leaders) == 1:
        return Headline(FIRST, first_sentence(result, leaders[0]), leaders)
    rest = [answer for answer in ranked if answer not in leaders]
    apart = min(bounds(each)[0] for each in leaders) > max(bounds(each)[1] for each in rest)
    if len(leaders) > MAX_NAMED_ANSWERS and not result.known:
        sentence = many_leaders(leaders, rest)
    else:
        sentence = named_leaders(result, leaders, rest, apart)
    return Headline(TOGETHER if apart else EITHER, with_population(result, sentence), leaders)


def named_leaders(
    result: "QuestionResults",
    leaders: Sequence["AnswerResults"],
    rest: Sequence["AnswerResults"],
    apart: bool,
) -> str:
    """The sentence that names all answers that may come first.

    If they are many, it also names those that do not, unless these are many, too.
    """
    labels = [f"“{answer.choice.label}”" for answer in leaders]
    few = len(leaders) <= MAX_NAMED_SHARES
    if few and not any(answer.outside for answer in leaders):
        labels = [
            f"{label} ({translate_number(answer.shown)})"
            for label, answer in zip(labels, leaders, strict=True)
        ]
    named = {"answers": translate(", ").join(labels[:-1]), "last": labels[-1]}
    if result.known:
        return translate("%(answers)s and %(last)s come first, with equal shares.", **named)
    if apart:
        return translate(
            "%(answers)s and %(last)s come first. The data do not show which of them is more "
            "frequent.",
            **named,
        )
    if few or len(rest) > MAX_NAMED_ANSWERS:
        return translate("%(answers)s or %(last)s comes first. It is not certain which.", **named)
    return join_sentences(
        translate("%(answers)s or %(last)s comes first.", **named), ruled_out(rest)
    )


def many_leaders(leaders: Sequence["AnswerResults"], rest: Sequence["AnswerResults"]) -> str:
    """The sentence on more answers that may come first than a headline names."""
    if len(rest) <= MAX_NAMED_ANSWERS:
        return join_sentences(ruled_out(rest), translate("Any other answer may come first."))
    labels = [f"“{answer.choice.label}”" for answer in leaders[:MAX_NAMED_SHARES]]
    return translate(
        "%(answers)s and %(last)s have the largest estimates, but it is not certain which answer "
        "comes first.",
        answers=translate(", ").join(labels[:-1]),
        last=labels[-1],
    )


def ruled_out(answers: Sequence["AnswerResults"]) -> str:
    """The sentence that names the answers that do not come first."""
    labels = [f"“{answer.choice.label}”" for answer in answers]
    return translate_plural(
        "%(answers)s does not come first.",
        "%(answers)s do not come first.",
        len(labels),
        answers=translate_list(labels),
    )


def headline_without_order(
    result: "QuestionResults", leaders: tuple["AnswerResults", ...]
) -> Headline:
    """The headline if any of the answers may have the largest share."""
    if result.known and result.complete:
        return Headline(UNRANKED, translate("All answers have equal shares."), leaders)
    widest = max(answer.high - answer.low for answer in leaders)
    if widest > MAX_HEADLINE_WIDTH or not result.complete:
        few = translate("There are too few responses to say which answer comes first.")
        return Headline(TOO_FEW_TO_SAY, few, leaders)
    within = starts_with_population(result)
    if len(leaders) == 2:
        sentence = (
            translate("either answer may come first.")
            if within
            else translate("Either answer may come first.")
        )
    else:
        sentence = (
            translate("any of the %(number)s answers may come first.", number=len(leaders))
            if within
            else translate("Any of the %(number)s answers may come first.", number=len(leaders))
        )
    return Headline(UNRANKED, with_population(result, sentence), leaders)


def first_sentence(result: "QuestionResults", answer: "AnswerResults") -> str:
    """The sentence on the answer with the largest share, with its simultaneous interval."""
    low, high = bounds(answer)
    facts = {
        "answer": answer.choice.label,
        "people": population(result),
        "share": translate_number(answer.shown),
        "interval": simultaneous_text(result, answer),
    }
    # Nobody gives a derived answer.
    first = (
        DERIVED if result.question.derived is not None else ESTIMATION[result.question].first_share
    )
    if result.known:
        sentence = translate(first.of_asked if result.conditional else first.of_people, **facts)
    elif high - low > MAX_HEADLINE_WIDTH:
        sentence = translate(
            "“%(answer)s” comes first. There are too few responses to say how large its share "
            "is (%(interval)s).",
            **facts,
        )
    elif answer.outside:
        sentence = translate("“%(answer)s” comes first (%(interval)s).", **facts)
    elif starts_with_population(result):
        sentence = translate(first.estimate_of_population, **facts)
    else:
        sentence = translate(first.estimate_of_people, **facts)
    return with_population(result, sentence)


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


def number_compared(answers: int, exclusive: bool) -> int:
    """The number of shares whose simultaneous intervals must hold together.

    Of two answers that exclude each other, one share determines the other.
    """
    return 1 if exclusive and answers == 2 else answers
