"""The remarks and findings of a question in the words of respondents, for public pages and papers.

They say the same as the researchers' sentences, in each language of a survey.
"""

from collections.abc import Iterator

from survey.core.languages import Words
from survey.definition.choices import NOT_ASKED
from survey.definition.questions import Question
from survey.estimation.findings.remarks import (
    JOINT_MISFIT,
    MEAN_OUTSIDE,
    MISFIT,
    NO_REPORTS_ON_BOXES,
    NO_RESPONSES,
    SHARE_OUTSIDE,
    SMALL_GROUPS,
    TOO_FEW,
    TOO_FEW_ON_BOXES,
    TOO_IMPRECISE,
)
from survey.estimation.headlines import EITHER, FIRST, TOGETHER, UNRANKED
from survey.estimation.number_text import rounded_share
from survey.estimation.results import MIN_SHOWN_RESPONSES, QuantityResults, QuestionResults
from survey.estimation.types import ESTIMATION


def codes_for_readers(result: QuestionResults) -> list[str]:
    """The codes of the remarks on what readers see: the mean of a number, the shares of others."""
    unseen = ESTIMATION[result.question].unseen_remarks(result)
    return [code for code in result.remark_codes if code not in unseen]


def public_remarks(result: QuestionResults, words: Words) -> dict[str, str]:
    """The sentence of each remark that readers of a public page need, by its code."""
    fewest = words.number(MIN_SHOWN_RESPONSES)
    few_on_boxes = words.say(
        "Answers with fewer than %(fewest)s responses are not shown.", fewest=fewest
    )
    misfit = words.say(
        "The answers to this question do not fit the way in which they were mixed up. Chance does "
        "not explain this. So no estimate is shown."
    )
    sentences = {
        MISFIT: misfit,
        JOINT_MISFIT: misfit,
        TOO_FEW: words.say(
            "There are too few responses for an estimate. Estimates are shown for %(fewest)s or "
            "more responses.",
            fewest=fewest,
        ),
        NO_RESPONSES: words.say("There are no results yet."),
        TOO_IMPRECISE: words.say("There are too few responses to say."),
        SHARE_OUTSIDE: words.say(
            "An estimate below 0 %% or above 100 %% comes from chance. Use the range instead."
        ),
        MEAN_OUTSIDE: words.say(
            "A value outside the possible values comes from chance. Use the range instead."
        ),
        TOO_FEW_ON_BOXES: few_on_boxes,
        NO_REPORTS_ON_BOXES: few_on_boxes,
    }
    return {code: sentences[code] for code in codes_for_readers(result) if code in sentences}


def remarks_to_cite(result: QuestionResults, question: Question, words: Words) -> dict[str, str]:
    """The sentence of each remark that a paper needs with the results, by its code."""
    misfit = words.say(
        "The reports on “%(question)s” do not fit the stated design, and random error does not "
        "explain this. There is no estimate to cite.",
        question=question.label,
    )
    outside = words.say(
        "Estimates are not clipped. An impossible estimate lies outside its interval."
    )
    sentences = {
        MISFIT: misfit,
        JOINT_MISFIT: misfit,
        TOO_FEW: "",
        TOO_IMPRECISE: words.say("There are too few responses for a precise estimate."),
        SHARE_OUTSIDE: outside,
        MEAN_OUTSIDE: outside,
        SMALL_GROUPS: words.say("Some groups have few reports, so the intervals may be too short."),
    }
    return {code: sentences[code] for code in codes_for_readers(result) if code in sentences}


def public_finding(question: Question, result: QuestionResults, words: Words) -> str:
    """Which answers come first; empty if the headline is about something else.

    `question` is in the language of the page.
    """
    headline = result.headline
    if headline.kind not in (FIRST, TOGETHER, EITHER, UNRANKED):
        return ""
    choices = ESTIMATION[question].named_choices()
    labels = {choice.name: f"“{choice.label}”" for choice in choices}
    names = words.join_list([labels[answer.choice.name] for answer in headline.answers])
    return ESTIMATION[question].finding(headline.kind, names, words)


def sentences_on_asked(result: QuestionResults, words: Words) -> Iterator[str]:
    """How many people were asked a question with a condition."""
    for answer in result.answers:
        if answer.choice.name == NOT_ASKED:
            share, low, high = (
                percentage(words, rounded_share(1 - end, answer.spread))
                for end in (answer.value, answer.high, answer.low)
            )
            yield words.say(
                "Only some people were asked this question: an estimated %(share)s (range %(low)s "
                "to %(high)s).",
                share=share,
                low=low,
                high=high,
            )
            if result.asked:
                yield words.say("The numbers below are about these people.")


def possible_mean(quantity: QuantityResults, unit: str, words: Words) -> str:
    """A mean with its unit. Of one that no mean can have, it is an end of the interval."""
    low, high = (words.write_number(end) for end in quantity.between)
    text = {
        1: words.say("at least %(number)s", number=low),
        0: words.write_number(quantity.shown),
        -1: words.say("at most %(number)s", number=high),
    }[quantity.beyond]
    return f"{text} {unit}".strip()


def percentage(words: Words, text: str) -> str:
    """A percentage such as "12.5 %" in a language."""
    return words.say("%(number)s %%", number=words.write_number(text.removesuffix(" %")))
