"""The words that say that a cell is a randomised report, in the language of the survey.

Files with reports have them in the labels of columns and values, and in a note about the file. They
come first in a label, so that they stay if a program shortens it.
"""

from collections.abc import Mapping, Sequence

from survey.core.languages import Words
from survey.definition.certainty import epsilon_text
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.report_formats import Bits, Combination
from survey.definition.survey import Survey

# Follows the question's name in the names of columns with reports. No question's name has a point.
RANDOMISED = ".randomised"


def column_labels(question: Question, words: Words, columns: Sequence[str]) -> list[str]:
    """The label of each of these columns: the question, and the choice if each has a column."""
    labels = {each.name: each.label for each in (*question.choices, *question.special_answers)}
    texts = [question.label] * len(columns)
    if has_bits(question):
        choices = [name.partition("/")[2] for name in columns]
        texts = [f"{question.label}: {labels.get(choice, choice)}" for choice in choices]
    if question.non_private:
        return texts
    if question.ratio_bound is None:
        return [
            words.say("Randomised report, no finite ε: %(question)s", question=text)
            for text in texts
        ]
    loss = words.write_number(epsilon_text(question.epsilon))
    return [
        words.say("Randomised report, ε = %(epsilon)s: %(question)s", epsilon=loss, question=text)
        for text in texts
    ]


def value_label(question: Question, words: Words, choice: Choice) -> str:
    """The label of a report, or of an answer that is stored as given."""
    if question.non_private:
        return choice.label
    if choice in question.special_answers:
        return words.say("randomised report, special answer: %(answer)s", answer=choice.label)
    return words.say("randomised report: %(answer)s", answer=choice.label)


def bit_labels(question: Question, words: Words) -> Mapping[int, str]:
    """The labels of 0 and 1 in a column for a choice."""
    if question.non_private:
        return {0: words.say("not ticked"), 1: words.say("ticked")}
    if question.kind.boxes:
        return {
            0: words.say("randomised report: not ticked"),
            1: words.say("randomised report: ticked"),
        }
    return {
        0: words.say("randomised report: does not contain the answer"),
        1: words.say("randomised report: contains the answer"),
    }


def has_bits(question: Question) -> bool:
    """Whether a question has a column for each choice."""
    return isinstance(question.form, Bits | Combination)


def file_title(survey: Survey) -> str:
    """The title of a file of responses."""
    if not survey.private:
        return survey.title
    return Words(survey.language).say("Randomised reports: %(title)s", title=survey.title)


def file_note(survey: Survey) -> list[str]:
    """Sentences about a file of responses: what it contains, ε, and how to estimate."""
    words = Words(survey.language)
    if not survey.private:
        return [words.say("No answer was randomised.")]
    loss = words.say("The privacy loss ε of one respondent has no finite bound.")
    if survey.ratio_bound is not None:
        loss = words.say(
            "The total privacy loss of one respondent is at most ε = %(epsilon)s.",
            epsilon=words.write_number(epsilon_text(survey.epsilon)),
        )
    return [
        words.say(
            "Columns with “randomised” in their name contain randomised reports, not answers. The "
            "share of a report is not an estimate of the share of an answer."
        ),
        loss,
        words.say(
            "For the estimates: `candor analyse estimate %(survey)s` on the server, or estimate.py "
            "or estimate.R of the ZIP file.",
            survey=survey.slug,
        ),
    ]
