"""Rankings, whose list has the items and no special answer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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

    def cited(self, citation: "Citation", result: QuestionResults) -> str:
        """Mean ranks and first places, in place of the shares of orders."""
        return citation.sentence_of_ranking(self.question, result) if result.quantities else ""

    def special_choices(self) -> list[str]:
        """A special answer in the list would be an item to rank."""
        return []

    def list_members(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Only the members of Candor say whether respondents may decline."""
        return dict(own)
