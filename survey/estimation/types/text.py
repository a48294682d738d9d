"""Texts and dates, which are counted and not estimated."""

from survey.core.translate import later, translate
from survey.definition.report_formats import GIVEN, LEFT_EMPTY
from survey.definition.target_population import TargetPopulation
from survey.definition.types.text import TextType
from survey.estimation.findings.remarks import Remark
from survey.estimation.headlines import TEXTS, Headline
from survey.estimation.results import QuestionResults
from survey.estimation.share_results import Counts
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(TextType)
class TextEstimation(ChoiceEstimation):
    """The number of people who wrote something."""

    def results(self, counts: Counts, level: float, size: int | None) -> QuestionResults:
        tally = (counts.get(GIVEN, 0), counts.get(LEFT_EMPTY, 0))
        names = ("written", "left empty")
        return QuestionResults(
            question=self.question,
            n=sum(tally),
            counts=tally,
            values=names,
            level=level,
            answers=(),
            covariance=None,
        )

    def remarks_on_people(
        self, results: QuestionResults, target: TargetPopulation
    ) -> tuple[Remark, ...]:
        return ()

    def needs_responses(self) -> bool:
        return False

    def headline(self, results: QuestionResults) -> Headline:
        written = later("%(written)s of %(all)s respondents wrote a text.")
        dated = later("%(written)s of %(all)s respondents gave a date.")
        sentence = translate(
            written if results.question.dates is None else dated,
            written=results.counts[0],
            all=results.n,
        )
        return Headline(TEXTS, sentence)
