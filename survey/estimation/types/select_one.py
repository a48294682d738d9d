"""One answer out of a few, and the defaults of all types: shares that add up to one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from survey.core.factored_randomizers import OneHot
from survey.core.languages import Words
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities
from survey.core.translate import translate
from survey.definition.choices import Choice, names_of
from survey.definition.questions import Question
from survey.definition.target_population import RESPONDENTS, TargetPopulation
from survey.definition.types.registry import QuestionType
from survey.estimation.design_fit import DesignFit, fit_of_one_hot, fit_of_table, share_scores
from survey.estimation.findings.calculations import Calculation, calculation_of_share
from survey.estimation.findings.remarks import (
    MEAN_ONLY,
    MEAN_OUTSIDE,
    STORED_AS_GIVEN,
    TARGET,
    Remark,
)
from survey.estimation.headlines import (
    CHOSEN,
    EITHER,
    FIRST,
    TOGETHER,
    FirstShareSentences,
    Headline,
    headline_of_mean,
    headline_of_shares,
    number_compared,
)
from survey.estimation.results import (
    AnswerResults,
    FoldedShares,
    QuantityResults,
    QuestionResults,
)
from survey.estimation.share_results import (
    Counts,
    counts_by_code,
    reporting_table,
    results_of_one_hot,
    results_of_table,
)
from survey.estimation.types import ESTIMATION


@ESTIMATION.of(QuestionType)
@dataclass(frozen=True)
class ChoiceEstimation:
    """The estimates of a question, and what its results say.

    Attributes
    ----------
    shares_add_up : whether the true shares of all answers add up to one
    first_share : the sentences on the answer with the largest share
    """

    question: Question
    shares_add_up: ClassVar[bool] = True
    first_share: ClassVar[FirstShareSentences] = CHOSEN

    # Estimates.

    def results(self, counts: Counts, level: float, size: int | None) -> QuestionResults:
        """The results of the question without the test of its design.

        `size` is the number of people whom the estimates describe, or None without a limit.
        """
        if self.question.one_hot is not None:
            return results_of_one_hot(self.question, self.question.one_hot, counts, level, size)
        return results_of_table(self.question, counts, level, size)

    def answers_in_shares(self) -> Array:
        """Which answers of the table each share contains, as 0 and 1: shape (answers, shares)."""
        return np.eye(reporting_table(self.question).answers)

    def quantities(
        self,
        randomizer: Randomizer | OneHot,
        tally: Sequence[int],
        level: float,
        size: int | None,
    ) -> tuple[QuantityResults, ...]:
        """The means of the question; none for answers that are no numbers."""
        return ()

    def compared_shares(self) -> int:
        """The number of shares that the headline compares."""
        return number_compared(len(self.question.offered), exclusive=True)

    def no_shares_remark(self) -> Remark:
        """The remark on reports that do not determine the shares."""
        sentence = translate(
            "These reports allow an estimate of the mean only, not of the share of each answer."
        )
        return Remark(MEAN_ONLY, sentence)

    def weighs(self, quantity: QuantityResults) -> bool:
        """Whether there is a weighted estimate of a quantity."""
        return quantity.name == "mean"

    # The design.

    def design_fit(self, counts: Counts) -> DesignFit | None:
        """Whether the reports on a protected question are possible under its design."""
        if self.question.one_hot is not None:
            tally = counts_by_code(counts, 2 * len(self.question.answers))
            return fit_of_one_hot(self.question.one_hot, tally)
        table = self.table_of_truth()
        scores = self.tested_scores(counts, probabilities(table))
        return fit_of_table(table, counts_by_code(counts, table.reports), scores)

    def table_of_truth(self) -> Randomizer:
        """Pr(report | what is true), for the test of the design."""
        return reporting_table(self.question)

    def tested_scores(self, counts: Counts, chances: Array) -> list[Array]:
        """The scores of the figures that the test of the design looks at."""
        return share_scores(chances, np.eye(len(chances)))

    # The people and the ends.

    def remarks_on_people(
        self, results: QuestionResults, target: TargetPopulation
    ) -> tuple[Remark, ...]:
        """Remarks on the people whom the results describe."""
        if target.explanation:
            return (Remark(TARGET, target.explanation),)
        if target.kind == RESPONDENTS and results.question.non_private:
            sentence = translate(
                "These results describe the respondents themselves, and their answers are stored "
                "as given. So there is no random error, and no interval."
            )
            return (Remark(STORED_AS_GIVEN, sentence),)
        return ()

    def ends(self) -> tuple[float, float] | None:
        """The smallest and the largest possible mean; None without a mean."""
        return None

    def folded_shares(self) -> FoldedShares | None:
        """The words around shares that matter less than the quantities; None if they lead."""
        return None

    def needs_responses(self) -> bool:
        """Whether a few responses are too few for what the results show."""
        return True

    # Sentences.

    def headline(self, results: QuestionResults) -> Headline:
        """The main finding of results that can be used."""
        if results.lead is not None and not results.answers:
            return headline_of_mean(results, results.lead)
        return headline_of_shares(results)

    def headline_shares(self, results: QuestionResults) -> tuple[AnswerResults, ...]:
        """The shares of the headline: among those asked if there is a condition."""
        return results.asked if results.conditional else results.answers

    def ranked_choices(self) -> Sequence[Choice]:
        """What the shares of the headline are about, if all of them are there."""
        return self.question.offered

    def calculation(self, results: QuestionResults) -> Calculation | None:
        """How the main estimate follows from the reports."""
        return calculation_of_share(results)

    def unseen_remarks(self, results: QuestionResults) -> tuple[str, ...]:
        """The codes of remarks on figures that public pages do not show."""
        return (MEAN_OUTSIDE,) if results.answers else ()

    def named_choices(self) -> Sequence[Choice]:
        """The choices that a finding for readers can name."""
        return self.question.answers

    def finding(self, kind: str, names: str, words: Words) -> str:
        """Which answers come first, for readers of a public page.

        `kind` is FIRST, TOGETHER, EITHER or UNRANKED, and `names` are the labels of the answers.
        """
        if kind == FIRST:
            return words.say("%(answer)s comes first.", answer=names)
        if kind == TOGETHER:
            return words.say(
                "These answers come first, but it is not known which is the most frequent: "
                "%(answers)s.",
                answers=names,
            )
        if kind == EITHER:
            return words.say(
                "One of these answers comes first: %(answers)s. It is not certain which.",
                answers=names,
            )
        return words.say("Any of the answers may come first.")

    def shares_mirror(self, shares: Sequence[AnswerResults]) -> bool:
        """Whether one of these shares determines the other."""
        return len(shares) == 2

    # Assumed true values of a simulation.

    def counted_shares(self, counts: Mapping[int, int]) -> list[float]:
        """The share of each answer among people, from the number of answers of each code."""
        size = (
            self.question.grid.size if self.question.grid else len(self.question.choices)
        ) + len(self.question.special_answers)
        n = sum(counts.values())
        return [counts.get(place, 0) / n for place in range(size)]

    def chance_of_meeting(self, shares: Sequence[float], conditions: Sequence[Any]) -> float:
        """The probability that one answer satisfies all the conditions."""
        names = names_of(self.question.offered)
        return sum(
            share
            for name, share in zip(names, shares, strict=True)
            if all(name in each for each in conditions)
        )

    def shares_of_asked(self, truth: Sequence[float]) -> list[float]:
        """The true share of each answer among those asked, from the assumed values."""
        return list(truth)

    def filled_places(self) -> list[int]:
        """The places of the answers of people who are not asked."""
        if self.question.otherwise is not None:
            return [names_of(self.question.choices).index(self.question.otherwise)]
        return []

    def values(self) -> Array | None:
        """The numbers that stand for the answers, without special ones; None without a mean."""
        return None
