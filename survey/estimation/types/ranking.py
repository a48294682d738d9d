"""Rankings: the mean rank of each item, and the share of the orders that put it first."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.languages import Words
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.core.translate import later, translate, translate_number
from survey.definition.choices import Choice, names_of
from survey.definition.questions import Question
from survey.definition.types.ranking import Order, RankingType
from survey.estimation.findings.calculations import Calculation, calculation_of_mean
from survey.estimation.findings.remarks import NO_SHARES, Remark
from survey.estimation.headlines import (
    EITHER,
    FIRST,
    MAX_HEADLINE_WIDTH,
    TOO_FEW_TO_SAY,
    UNRANKED,
    Headline,
    bounds,
    number_compared,
    population,
    possible_leaders,
    simultaneous_text,
)
from survey.estimation.quantities import mean_of_answers, quantity
from survey.estimation.results import (
    AnswerResults,
    FoldedShares,
    QuantityResults,
    QuestionResults,
)
from survey.estimation.share_estimates import levels_of
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation

# The names of the quantities. Each item has one of both.
MEAN_RANK = "mean_rank"
RANKED_FIRST = "ranked_first"
# By the name of the quantity: for a table, for bits, and as given.
RANKING_FORMULAS = {
    MEAN_RANK: (
        later(
            "Σ over the reports of (score of the rank × share of the report), divided by Σ of "
            "(score of “gave an order” × share of the report)"
        ),
        later(
            "c + Σ (rank − c) × estimated share of the order / (1 − estimated share of special "
            "answers), where c is the average of the ranks"
        ),
        later("sum of the ranks / number of orders"),
    ),
    RANKED_FIRST: (
        later(
            "Σ over the reports of (score of “the item is first” × share of the report), "
            "divided by Σ of (score of “gave an order” × share of the report)"
        ),
        later(
            "c + Σ (v − c) × estimated share of the order / (1 − estimated share of special "
            "answers). Here v is 1 for an order with the item first, else 0, and c is the average "
            "of v"
        ),
        later("number of orders with the item first / number of orders"),
    ),
}


@ESTIMATION.of(RankingType)
class RankingEstimation(ChoiceEstimation):
    """Figures of the items, which the results show in place of the shares of the orders."""

    def quantities(
        self,
        randomizer: Randomizer | OneHot,
        tally: Sequence[int],
        level: float,
        size: int | None,
    ) -> tuple[QuantityResults, ...]:
        """The mean rank of each item, then the share of the orders that put each item first.

        Notes
        -----
        Both are means over the orders: of the item's rank, and of 1 if the item is first, else 0.
        They are about respondents who gave an order. The simultaneous intervals of the shares hold
        together.
        """
        form = 2 if self.question.non_private else 1 if isinstance(randomizer, OneHot) else 0
        formulas = {name: translate(each[form]) for name, each in RANKING_FORMULAS.items()}
        ranks, firsts = list[QuantityResults](), list[QuantityResults]()
        family = number_compared(len(self.question.listed), exclusive=True)
        for item, of_item in zip(self.question.listed, ranks_of_items(self.question), strict=True):
            try:
                rank = mean_of_answers(self.question, randomizer, tally, of_item, level, size)
                first = (of_item == 1).astype(float)
                shares = [
                    mean_of_answers(self.question, randomizer, tally, first, each, size)
                    for each in levels_of(level, family)
                ]
            except UnanswerableQuestion:
                return ()
            name = translate("Mean rank of “%(item)s”", item=item.label)
            ranks.append(replace(quantity(MEAN_RANK, name, rank, formulas[MEAN_RANK]), item=item))
            name = translate("“%(item)s” ranked first", item=item.label)
            share = quantity(RANKED_FIRST, name, shares[0], formulas[RANKED_FIRST])
            firsts.append(
                replace(share, item=item, is_share=True, simultaneous=shares[-1].interval)
            )
        return (*ranks, *firsts)

    def compared_shares(self) -> int:
        """The headline compares no orders. The shares of the items have their own intervals."""
        return 1

    def no_shares_remark(self) -> Remark:
        sentence = translate("These reports do not allow an estimate of the share of each order.")
        return Remark(NO_SHARES, sentence)

    def weighs(self, quantity: QuantityResults) -> bool:
        return True

    def folded_shares(self) -> FoldedShares | None:
        return FoldedShares(
            lead=translate("Share of the orders with each item first"),
            figures=translate("Ranks, formula and shares"),
            heading=translate("Shares of the orders"),
        )

    def ends(self) -> tuple[float, float] | None:
        """The smallest and the largest rank."""
        return 1.0, float(len(self.question.listed))

    def headline(self, results: QuestionResults) -> Headline:
        """Which items are most often ranked first.

        It compares the shares of the orders that have each item first.
        """
        if not results.item_shares:
            return Headline(
                TOO_FEW_TO_SAY, translate("There are too few responses for an estimate.")
            )
        leaders = possible_leaders(results)
        labels = [f"“{item.choice.label}”" for item in leaders]
        if len(leaders) == len(results.item_shares):
            widest = max(item.high - item.low for item in leaders)
            if widest > MAX_HEADLINE_WIDTH:
                few = translate(
                    "There are too few responses to say which item is most often ranked first."
                )
                return Headline(TOO_FEW_TO_SAY, few, leaders)
            sentence = translate("Any of the items may be the one that is most often ranked first.")
            return Headline(UNRANKED, sentence, leaders)
        if len(leaders) > 1:
            sentence = translate(
                "%(answers)s or %(last)s is most often ranked first. It is not certain which.",
                answers=translate(", ").join(labels[:-1]),
                last=labels[-1],
            )
            return Headline(EITHER, sentence, leaders)
        facts = {
            "item": leaders[0].choice.label,
            "people": population(results),
            "share": translate_number(leaders[0].shown),
            "interval": simultaneous_text(results, leaders[0]),
        }
        low, high = bounds(leaders[0])
        if leaders[0].outside or high - low > MAX_HEADLINE_WIDTH:
            sentence = translate("“%(item)s” is most often ranked first (%(interval)s).", **facts)
        else:
            sentence = translate(
                "“%(item)s” is most often ranked first: in an estimated %(share)s of the orders "
                "that %(people)s would give (%(interval)s).",
                **facts,
            )
        return Headline(FIRST, sentence, leaders)

    def headline_shares(self, results: QuestionResults) -> tuple[AnswerResults, ...]:
        return results.item_shares

    def ranked_choices(self) -> Sequence[Choice]:
        return self.question.listed

    def named_choices(self) -> Sequence[Choice]:
        return self.question.listed

    def calculation(self, results: QuestionResults) -> Calculation | None:
        if results.lead is not None:
            return calculation_of_mean(results, results.lead)
        return super().calculation(results)

    def unseen_remarks(self, results: QuestionResults) -> tuple[str, ...]:
        return ()

    def finding(self, kind: str, names: str, words: Words) -> str:
        if kind == FIRST:
            return words.say("%(answer)s is put first most often.", answer=names)
        if kind == EITHER:
            return words.say(
                "One of these is put first most often: %(answers)s. It is not certain which.",
                answers=names,
            )
        return words.say("Any of them may be put first most often.")


def ranks_of_items(question: Question) -> Array:
    """The rank of each item in each order, from 1: shape (items, orders)."""
    orders = [names_of(each.items) for each in question.choices if isinstance(each, Order)]
    return np.array(
        [[1.0 + order.index(item.name) for order in orders] for item in question.listed]
    )
