"""The results of the comprehension test: how many chose the answers that are right."""

from dataclasses import dataclass

from survey.definition.certainty import nobody_can_tell
from survey.definition.survey import Survey
from survey.estimation.results import AnswerResults, QuestionResults, Results

# of each question, the choice that is right; they are right whatever the odds of the survey are
RIGHT = {"learnt": "differs", "meaning": "either", "who": "screen"}
# Tests that were opened earlier offer an answer "from which nobody can tell" the real one, and ask
# who could have "learnt" that. Both are right only where nobody can become nearly sure.
EARLIER = "mixed"


@dataclass(frozen=True)
class ComprehensionResult:
    """One question of the test, the name of the choice that is right, and its share.

    The name is None where no choice of the test is right for this survey, and the share is None
    then, and while there is no estimate of it.
    """

    question: QuestionResults
    is_right: str | None
    right: AnswerResults | None


def understood(results: Results, survey: Survey) -> list[ComprehensionResult]:
    """For each question of the test that follows `survey`, the share of those who chose what is
    right."""
    test_results = []
    for question in results.questions:
        is_right = right_of(question.question.name, results, survey)
        share = next((a for a in question.answers if a.choice.name == is_right), None)
        test_results.append(ComprehensionResult(question, is_right, share))
    return test_results


def right_of(name: str, results: Results, survey: Survey) -> str | None:
    """The name of the right choice of one question of the test, or None."""
    offered = {choice.name for each in results.questions for choice in each.question.choices}
    if EARLIER not in offered:
        return RIGHT[name]
    if name != "meaning" and not nobody_can_tell(survey):
        return None
    return EARLIER if name == "learnt" else RIGHT[name]
