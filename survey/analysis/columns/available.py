"""What of a survey an analysis can be of."""

from dataclasses import dataclass

from survey.analysis.columns.joined import PLUS, joinable, joined_label
from survey.analysis.columns.tick_boxes import NOT_TICKED, TICKED
from survey.definition.questions import Question
from survey.definition.survey import Survey


@dataclass(frozen=True)
class AnalysableVariable:
    """A question, or one box of it.

    Attributes
    ----------
    name : as `columns_by_name` takes it
    label : with the number of the question in front
    question : the question
    """

    name: str
    label: str
    question: Question

    @property
    def measures(self) -> tuple[tuple[int | None, str], ...]:
        """What can be compared of it: the place of the answer whose share is meant and its words,
        or None and "mean"."""
        if self.question.kind.numeric:
            return ((None, "mean"),)
        if self.question.kind.boxes:
            labels = [TICKED, NOT_TICKED]
        else:
            labels = [choice.label for choice in self.question.choices]
        shares = tuple((place, f"share of “{label}”") for place, label in enumerate(labels))
        return ((None, "mean"), *shares) if self.question.kind.ordered else shares

    @property
    def quantities(self) -> tuple[tuple[int | None, str], ...]:
        """What can be correlated of it: the place of the answer that counts 1 and its words; None
        and no words for a number, a scale, a box."""
        choices = self.question.choices
        if self.question.kind.has_mean or self.question.kind.boxes:
            return ((None, ""),)
        counted_choices = choices[:1] if len(choices) == 2 else choices
        return tuple((place, f"“{choice.label}”") for place, choice in enumerate(counted_choices))


def analysable_variables(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """All questions in their order, but for texts and notes; of boxes each by itself. Then what
    was asked in several ways, of questions with the same text and answers, as one."""
    variables: list[AnalysableVariable] = []
    for number, question in enumerate(survey.fields, start=1):
        if not question.kind.estimated:
            continue
        label = f"{number}. {question.label}"
        if question.kind.boxes:
            variables += [
                AnalysableVariable(
                    f"{question.name}/{choice.name}", f"{label} {choice.label}", question
                )
                for choice in question.choices
            ]
        else:
            variables.append(AnalysableVariable(question.name, label, question))
    numbers = {question.name: str(place) for place, question in enumerate(survey.fields, start=1)}
    for name, question in joinable(survey).items():
        several = "+".join(numbers[each] for each in name.split(PLUS))
        variables.append(AnalysableVariable(name, f"{several}. {joined_label(question)}", question))
    return tuple(variables)


def telling_design(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The questions that can tell a stratum or a cluster: plain ones with one answer, and texts. Of
    these the numbers can tell a weight."""
    return tuple(
        AnalysableVariable(question.name, f"{number}. {question.label}", question)
        for number, question in enumerate(survey.fields, start=1)
        if question.plain and not question.kind.boxes
    )
