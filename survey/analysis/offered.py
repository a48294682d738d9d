"""What of a survey an analysis can be of."""

from dataclasses import dataclass

from ..definition import Survey
from ..questions import NOTE, SELECT_MULTIPLE, TEXT, Question


@dataclass(frozen=True)
class Offered:
    """A question, or one box of it.

    Attributes
    ----------
    name : as `columns_of` takes it
    label : with the number of the question in front
    question : the question
    """

    name: str
    label: str
    question: Question


def offered(survey: Survey) -> tuple[Offered, ...]:
    """All questions in their order, but for texts and notes; of boxes each by itself."""
    found: list[Offered] = []
    for number, question in enumerate(survey.fields, start=1):
        if question.type in (TEXT, NOTE):
            continue
        label = f"{number}. {question.label}"
        if question.type == SELECT_MULTIPLE:
            found += [
                Offered(f"{question.name}/{choice.name}", f"{label} {choice.label}", question)
                for choice in question.choices
            ]
        else:
            found.append(Offered(question.name, label, question))
    return tuple(found)
