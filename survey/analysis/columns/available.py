"""The variables of a survey that analyses can use."""

from dataclasses import dataclass

from survey.analysis.columns.joined import PLUS, joinable, joined_label
from survey.analysis.columns.tick_boxes import NOT_TICKED, TICKED
from survey.core.translate import translate
from survey.definition.choices import names_of
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
        if self.question.grid:
            return ((None, translate("mean")),)
        if self.question.kind.boxes:
            labels = [translate(TICKED), translate(NOT_TICKED)]
        else:
            labels = [choice.label for choice in self.question.choices]
        shares = tuple(
            (place, translate("share of “%(answer)s”", answer=label))
            for place, label in enumerate(labels)
        )
        return ((None, translate("mean")), *shares) if self.question.kind.ordered else shares

    @property
    def answer_names(self) -> list[str]:
        """The names of the answers in the definition; 1 and 0 for a box."""
        return ["1", "0"] if self.question.kind.boxes else names_of(self.question.choices)

    @property
    def quantities(self) -> tuple[tuple[int | None, str], ...]:
        """The quantities that can be correlated.

        Each has the place of the answer that counts 1, and its words. A number, a scale or a box
        has None and no words.
        """
        choices = self.question.choices
        if self.question.kind.has_mean or self.question.kind.boxes:
            return ((None, ""),)
        counted_choices = choices[:1] if len(choices) == 2 else choices
        return tuple((place, f"“{choice.label}”") for place, choice in enumerate(counted_choices))


def analysable_variables(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """All questions in order, except texts and notes. Each box is a variable of its own.

    Of a joint question, each question behind it is one.

    Then follow joined variables, of questions with the same text and answers that were asked in
    several ways.
    """
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
        elif question.kind.joint:
            variables += [
                AnalysableVariable(
                    f"{question.name}/{item.name}", f"{number}{letter}. {item.label}", item
                )
                for letter, item in zip("abcd", survey.items_of(question), strict=False)
            ]
        else:
            variables.append(AnalysableVariable(question.name, label, question))
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
        if question.non_private and not question.kind.boxes
    )
