"""Results of the comprehension test: how many respondents chose the correct answers."""

from dataclasses import dataclass

from survey.definition.certainty import Certainty, certainty_of_one, nobody_can_tell
from survey.definition.survey import Survey
from survey.estimation.results import AnswerResults, QuestionResults, Results

# The correct choice of each question, if it does not depend on the survey's tables.
RIGHT = {"learnt": "differs", "meaning": "either", "who": "screen"}
# Today's tests offer both. The correct one depends on how sure someone can become of one answer.
GUESS, SURE = "guess", "sure"
# The earliest tests offer an answer "from which nobody can tell" the real one, and ask who could
# have "learnt" it. Both are correct only if nobody can become nearly sure. The tests after them
# offer "differs", which is always correct.
EARLIEST = "mixed"


@dataclass(frozen=True)
class ComprehensionResult:
    """One question of the test, the name of its correct choice, and that choice's share.

    The name is None if no choice of the test is correct for this survey. The share is None then,
    and while there is no estimate.
    """

    question: QuestionResults
    is_right: str | None
    right: AnswerResults | None


def understood(results: Results, survey: Survey) -> list[ComprehensionResult]:
    """The share of correct answers for each question of the test that follows `survey`."""
    test_results = []
    for question in results.questions:
        is_right = right_of(question.question.name, results, survey)
        share = next((a for a in question.answers if a.choice.name == is_right), None)
        test_results.append(ComprehensionResult(question, is_right, share))
    return test_results


def right_of(name: str, results: Results, survey: Survey) -> str | None:
    """The name of the correct choice of one question of the test, or None."""
    offered = {choice.name for each in results.questions for choice in each.question.choices}
    if EARLIEST in offered:
        if name != "meaning" and not nobody_can_tell(survey):
            return None
        return EARLIEST if name == "learnt" else RIGHT[name]
    if name == "learnt" and GUESS in offered:
        return SURE if certainty_of_one(survey) == Certainty.NEARLY_SURE else GUESS
    return RIGHT[name]
