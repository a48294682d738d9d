"""The questions behind a joint question, in the texts on its combinations of answers.

The label of a combination, such as "Yes / No", has the answers in the order of the questions, but
not the questions. Headlines, citations and files therefore name the questions here.
"""

from collections.abc import Sequence

from survey.core.languages import Words
from survey.core.text_widths import shorten_middle
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.types.joint import JointAnswer

# About 60 letters of English, in the units of survey/core/text_widths.py.
MAX_LABEL_WIDTH = 640.0


def quoted_label(label: str) -> str:
    """The label of a question in quotation marks. A long label loses its middle."""
    return f"“{shorten_middle(label, width=MAX_LABEL_WIDTH)}”"


def parts_sentence(items: Sequence[Question], words: Words) -> str:
    """The sentence on the questions to which the answers of a combination belong, in order."""
    return words.say(
        "The answers are to %(questions)s, in this order.",
        questions=words.join_list([quoted_label(item.label) for item in items]),
    )


def label_with_questions(choice: Choice, items: Sequence[Question]) -> str:
    """The label of an answer. For a combination, each part follows its question.

    Parameters
    ----------
    items : the questions behind a joint question; empty for other questions
    """
    if not isinstance(choice, JointAnswer) or not items:
        return choice.label
    pairs = zip(items, choice.parts, strict=True)
    return " / ".join(f"{quoted_label(item.label)}: {part.label}" for item, part in pairs)
