"""Best and worst in files: the list has the items, as that of a ranking."""

from survey.definition.types import QUESTION_TYPES
from survey.formats.types import FORMATS
from survey.formats.types.ranking import RankingFormat


@FORMATS.of(type(QUESTION_TYPES["best_worst"]))
class BestWorstFormat(RankingFormat):
    """The scripts get the figure of each item."""

    def means(self):
        return [
            (
                "best_minus_worst",
                item.name,
                [
                    (pair.best.name == item.name) - (pair.worst.name == item.name)
                    for pair in self.question.choices
                ],
            )
            for item in self.question.listed
        ]

    def cite(self, citation, result):
        return ""
