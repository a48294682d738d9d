"""Yes or no: the share of yes says everything."""

from survey.definition.types.yes_no import YesNoType
from survey.estimation.headlines import Headline, headline_of_share, headline_without_shares
from survey.estimation.results import QuestionResults
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(YesNoType)
class YesNoEstimation(ChoiceEstimation):
    """A headline on the first answer, which is compared with no other."""

    def compared_shares(self) -> int:
        return 1

    def headline(self, results: QuestionResults) -> Headline:
        without = headline_without_shares(results)
        return without or headline_of_share(results, results.ranked[0])
