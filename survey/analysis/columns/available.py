"""The variables of a survey that analyses can use."""

from dataclasses import dataclass

from survey.analysis.columns.joined import PLUS, joinable, joined_label
from survey.analysis.types import ANALYSIS
from survey.definition.questions import Question
from survey.definition.survey import Survey


@dataclass(frozen=True)
class AnalysableVariable:
    """A question, one box of it, or one question behind a joint question.

    Attributes
    ----------
    name : the name that `columns_by_name` takes
    label : the label, with the number of the question in front
    question : the question
    """

    name: str
    label: str
    question: Question

    @property
    def part(self) -> str:
        """What the name adds to that of the question: a box, or the questions joined with it.

        It is empty for a question behind a joint question, which is the same question alone.
        """
        joint, _, item = self.name.partition("/")
        if item == self.question.name != joint:
            return ""
        return self.name.removeprefix(self.question.name)

    @property
    def measures(self) -> tuple[tuple[int | None, str], ...]:
        """The measures that can be compared between groups.

        Each has the place of the answer whose share it is, or None for a mean, and its words.
        """
        return ANALYSIS[self.question].measures()

    @property
    def answer_names(self) -> list[str]:
        """The names of the answers in the definition; 1 and 0 for a box."""
        return ANALYSIS[self.question].answer_names()

    @property
    def quantities(self) -> tuple[tuple[int | None, str], ...]:
        """The quantities that can be correlated.

        Each has the place of the answer that counts 1, and its words. A number, a scale or a box
        has None and no words.
        """
        return ANALYSIS[self.question].quantities()


def analysable_variables(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """All questions in order, except texts and notes. Each box is a variable of its own.

    Of a joint question, each question behind it is one.

    Then follow joined variables, of questions with the same text and answers that were asked in
    several ways.
    """
    variables = [
        AnalysableVariable(*each)
        for number, question in enumerate(survey.fields, start=1)
        for each in ANALYSIS[question].variables(number, survey.items_of(question))
    ]
    numbers = {question.name: str(place) for place, question in enumerate(survey.fields, start=1)}
    for name, question in joinable(survey).items():
        several = "+".join(numbers[each] for each in name.split(PLUS))
        variables.append(
            AnalysableVariable(name, f"{several}. {joined_label(survey, name)}", question)
        )
    return tuple(variables)


def telling_design(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The questions that can define a stratum or a cluster.

    They are the texts and the non-private questions with one answer. Among these, numbers can also
    define a weight.
    """
    return tuple(
        AnalysableVariable(question.name, f"{number}. {question.label}", question)
        for number, question in enumerate(survey.fields, start=1)
        if question.non_private and not ANALYSIS[question].why_not_in_design()
    )
