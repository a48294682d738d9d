"""Rankings, whose list has the items and no special answer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from survey.core.languages import Words
from survey.definition.choices import names_of
from survey.definition.types.ranking import RankingType
from survey.estimation.results import QuestionResults
from survey.estimation.types.ranking import ranks_of_items
from survey.formats.types import FORMATS
from survey.formats.types.select_one import ChoiceFormat, Mean

if TYPE_CHECKING:
    from survey.formats.citation import Citation


@FORMATS.of(RankingType)
class RankingFormat(ChoiceFormat):
    """An order of all items of a list."""

    def means(self) -> list[Mean]:
        """The mean rank of each item, and the share that ranks it first."""
        means: list[Mean] = []
        items = names_of(self.question.listed)
        for item, row in zip(items, ranks_of_items(self.question), strict=True):
            ranks = [*map(int, row)]
            means += [("mean_rank", item, ranks)]
            means += [("ranked_first", item, [int(rank == 1) for rank in ranks])]
        return means

    def cite(self, citation: "Citation", result: QuestionResults) -> str:
        """The mean rank of each item, and how often it is first."""
        if not result.quantities:
            return ""
        question, words = self.question, citation.words
        half = len(question.listed)
        labels = {item.name: item.label for item in question.listed}
        items = []
        for rank, first in zip(result.quantities[:half], result.item_shares, strict=True):
            low, high = (words.write_number(end) for end in rank.between)
            share = citation.interval_values(first, result)
            items.append(
                words.say(
                    "“%(item)s” mean rank %(rank)s (%(level)s confidence interval %(low)s to "
                    "%(high)s), first in %(share)s (%(first_low)s to %(first_high)s)",
                    item=labels[first.choice.name],
                    rank=words.write_number(rank.shown),
                    level=share["level"],
                    low=low,
                    high=high,
                    share=share["share"],
                    first_low=share["low"],
                    first_high=share["high"],
                )
            )
        facts = {
            "question": question.label,
            "items": words.say("; ").join(items),
            "n": words.number(result.n, grouped=True),
        }
        if question.non_private:
            return words.say(
                "Ranks in “%(question)s”, where 1 is first, among those who gave an order: "
                "%(items)s. n = %(n)s.",
                **facts,
            )
        return words.say(
            "Estimated ranks in “%(question)s”, where 1 is first, among those who gave an order: "
            "%(items)s. n = %(n)s.",
            **facts,
        )

    def cited_method(self, words: Words) -> str:
        return words.say(
            "The mean rank of an item of a ranking, and the share of the orders with the item "
            "first, are averages over the estimated shares of the orders."
        )

    def special_choices(self) -> list[str]:
        """A special answer in the list would be an item to rank."""
        return []

    def list_members(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Only the members of Candor say whether respondents may decline."""
        return dict(own)
