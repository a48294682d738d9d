"""One answer out of a few, and the defaults of all types."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.languages import Words
from survey.core.randomizer import Randomizer
from survey.core.translate import translate
from survey.definition.answer_bounds.calculated_answers import Answers, Flags
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types.registry import QuestionType
from survey.planning.precision import MEAN, ExpectedPrecision, precisions, share_precision
from survey.planning.types import PLANNING

# More probabilities at once would need too much memory.
MAX_WEIGHTS = 1_000_000
# It is below every assumed share that is not zero.
MIN_SHARE = 1e-300


@PLANNING.of(QuestionType)
@dataclass(frozen=True)
class ChoicePlanning:
    """Precision, simulated answers and sentences about a question."""

    question: Question

    # Precision.

    def precision_of_share(self, share: float | None, reported: float) -> list[ExpectedPrecision]:
        """The precision of the least precise share; empty if the table determines only a mean."""
        with suppress(UnanswerableQuestion):
            return [share_precision(self.question, share, reported)]
        return []

    def precision_of_distribution(
        self,
        reported: float,
        place: float | None,
        against: float | None,
    ) -> list[ExpectedPrecision]:
        """The precision of the mean, and of the median if the randomizer is for it."""
        return []

    def denied_precision(self, share: float, reported: float) -> ExpectedPrecision | None:
        """The precision of the share of an answer that people deny."""
        return share_precision(self.question, share, reported)

    def is_for_mean_alone(self) -> bool:
        """Whether the mechanism determines only the mean."""
        return precisions(self.question)[0].kind == MEAN

    # Simulated answers.

    def usual_truth(self) -> dict[str, Any]:
        """The true shares that the form of a simulation proposes: equal ones."""
        names = [choice.name for choice in self.question.choices]
        each = round(1 / len(names), 3)
        return dict.fromkeys(names[:-1], each) | {names[-1]: 1 - each * (len(names) - 1)}

    def draw(self, shares: Sequence[float], n: int, generator: np.random.Generator) -> Answers:
        """The answers of n people with these true shares."""
        return generator.choice(len(shares), size=n, p=np.asarray(shares) / sum(shares))

    def draw_offered(
        self, shares: Sequence[float], offered: Flags, generator: np.random.Generator
    ) -> Answers:
        """Answers among the choices that each person is offered, shape of `offered` (n, choices).

        Their probabilities are in proportion to the true shares, or equal if these are all zero. As
        many people as the shares say prefer not to say.
        """
        n, choices = offered.shape
        possible = offered_or_special(offered, len(shares))
        drawn = []
        for some in np.array_split(possible, n * choices // MAX_WEIGHTS + 1):
            weights = some * np.asarray(shares, dtype=float)
            lost = weights[:, :choices].sum(axis=1) == 0
            weights[lost, :choices] = some[lost, :choices]
            total = np.maximum(weights[:, :choices].sum(axis=1, keepdims=True), MIN_SHARE)
            weights[:, :choices] *= sum(shares[:choices]) / total
            ends = weights.cumsum(axis=1)
            tickets = generator.random(len(some)) * ends[:, -1]
            # Who is offered nothing is not asked, so any answer will do.
            found = (ends <= tickets[:, np.newaxis]).sum(axis=1)
            drawn.append(np.minimum(found, len(shares) - 1))
        return np.concatenate(drawn)

    def rows(self, table: Randomizer, answers: Answers, generator: np.random.Generator) -> Answers:
        """The rows of the table from which the reports to these answers are drawn."""
        return answers

    def store_unrandomised(self, answers: Answers) -> list[Stored]:
        """What is stored of these answers without randomisation."""
        return list(answers.tolist())

    def number_of_answers(self) -> int:
        """The number of different answers of one person."""
        question, grid = self.question, self.question.grid
        listed = (
            question.kind.number_of_answers(len(question.choices)) if grid is None else grid.size
        )
        return listed + len(question.special_answers)

    # Sentences.

    def needed_sentence(self, needs: Mapping[str, str]) -> str:
        """How many respondents the desired margin of a share needs."""
        return translate(
            "To estimate the share of each answer with a margin of %(margin)s, you need "
            "%(respondents)s. A direct question needs %(openly)s.",
            **needs,
        )

    def same_answer_sentence(self, numbers: Mapping[str, Any], words: Words) -> str:
        """What 100 people with the same answer send, if all other answers are alike."""
        return words.say(
            "Of 100 people with the same answer, %(own)s send exactly that answer. Each of the "
            "other %(others)s answers is sent by %(other)s.",
            **numbers,
        )

    def chosen_answers_sentence(self, numbers: Mapping[str, Any], words: Words) -> str:
        """What 100 people with the same answer send, if a report is a set of answers."""
        return words.say(
            "Your device sends %(size)s of the %(all)s answers. Of 100 people with the same "
            "answer, %(own)s send that answer as one of the %(size)s. Each of the other "
            "answers is sent by %(other)s of these 100 people.",
            **numbers,
        )

    def codes_sentence(self, words: Words) -> str:
        """What a report is if it is no answer; "" if the respondent need not know."""
        return ""

    # Parts of sentences on the margin of error.

    def shares_in_words(self) -> str:
        """The name of the shares in a sentence about all of them."""
        return translate("the shares")

    def margin_of_share(self, margin: str, *, only_arms: bool) -> str:
        """The largest margin of a share, as a part of a sentence."""
        if not only_arms and self.question.may_be_unasked:
            return translate(
                "at most about %(margin)s for each share of all respondents", margin=margin
            )
        return translate("at most about %(margin)s for each share", margin=margin)

    def margin_of_mean(self, margin: str) -> str:
        """The largest margin of a mean, as a part of a sentence."""
        if self.question.special_answers:
            return translate(
                "at most about %(margin)s for the mean if everyone gives a number", margin=margin
            )
        return translate("at most about %(margin)s for the mean", margin=margin)

    def margin_among_reporting(self, facts: Mapping[str, str]) -> str:
        """The margins if only some respondents report on the question."""
        return translate(
            "With %(n)s respondents, of whom about %(reporting)s report on this question, the "
            "margin (95 %%) is %(margins)s.",
            **facts,
        )

    def advice_on_precision(self) -> str:
        """What makes a private question more precise."""
        return translate("Choose weaker protection, offer fewer answers, or ask more people.")

    # Sentences for respondents after they have sent.

    def example_answer(self) -> Choice:
        """The answer in an example of what a report does not mean."""
        return self.question.choices[0]

    def example_sentence(self, words: Words) -> str:
        """What a report does not mean, if all answers of the survey are randomised."""
        return words.say(
            "“%(answer)s” in our data does not mean you said “%(answer)s”.",
            answer=self.example_answer().label,
        )


def offered_or_special(offered: Flags, answers: int) -> Flags:
    """The offered choices, and the special answers up to this number, which everyone is offered."""
    n, choices = offered.shape
    return np.column_stack([offered, np.ones((n, answers - choices), dtype=bool)])
