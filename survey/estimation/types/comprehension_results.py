"""Results of the comprehension test: how many respondents chose the correct answers."""

from dataclasses import dataclass

from survey.definition.certainty import Certainty, certainty_of_one
from survey.definition.choices import Choice
from survey.definition.survey import Survey
from survey.estimation.results import AnswerResults, QuestionResults, Results

# The correct choice of each question, if it does not depend on the survey's tables.
RIGHT = {"meaning": "either", "who": "screen"}


@dataclass(frozen=True)
class ComprehensionResult:
    """One question of the test, the name of its correct choice, and that choice's share.

    The share is None while there is no estimate.
    """

    question: QuestionResults
    is_right: str
    right: AnswerResults | None

    @property
    def rows(self) -> list[tuple[Choice, int, str]]:
        """For each choice, how many people chose it, and their share in percent.

        The share is empty while there is no estimate.
        """
        shares = {answer.choice: answer.shown for answer in self.question.answers}
        return [
            (choice, self.question.count_by_report[choice.name], shares.get(choice, ""))
            for choice in self.question.question.choices
        ]


def comprehension_results(results: Results, survey: Survey) -> list[ComprehensionResult]:
    """The share of correct answers for each question of the test that follows `survey`."""
    test_results = []
    for question in results.questions:
        is_right = right_of(question.question.name, survey)
        share = next((a for a in question.answers if a.choice.name == is_right), None)
        test_results.append(ComprehensionResult(question, is_right, share))
    return test_results


def right_of(name: str, survey: Survey) -> str:
    """The name of the correct choice of one question of the test that follows `survey`.

    For `learnt`, it depends on how sure someone can become of one answer.
    """
    if name == "learnt":
        return "sure" if certainty_of_one(survey) == Certainty.NEARLY_SURE else "guess"
    return RIGHT[name]
