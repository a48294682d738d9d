"""The builder's questions added, moved, copied and deleted, each with what takes it back.

Without JavaScript the form itself carries what takes the last change back, in a hidden field, so
that nothing of an unsaved draft is kept on the server.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from survey.admin.builder.form_to_definition import EMPTY_QUESTION
from survey.definition.survey import MAX_QUESTIONS

Questions = list[dict[str, Any]]


@dataclass(frozen=True)
class ReorderResult:
    """The questions after a change.

    Attributes
    ----------
    said : what happened, in a sentence; empty where nothing did
    at : the question that it happened to (from 0), or None
    button : the verb whose button was pressed, for the focus
    undo : what takes it back, as the form's hidden field holds it
    """

    questions: Questions
    said: str = ""
    at: int | None = None
    button: str = ""
    undo: str = ""


def rearranged(
    questions: Questions, action: str, kind: str = "yes_no", undo: str = ""
) -> ReorderResult:
    """The questions after a press of add, remove-2, copy-2, up-2, down-2 or undo.

    Unknown actions, and an `undo` that cannot be read, change nothing.
    """
    if action == "undo":
        return taken_back(questions, undo)
    verb, _, place = action.partition("-")
    number = int(place) if place.isascii() and place.isdigit() else -1
    if verb == "add":
        return inserted(questions, len(questions), EMPTY_QUESTION | {"type": kind})
    if not 0 <= number < len(questions):
        return ReorderResult(questions, undo=undo)
    match verb:
        case "remove":
            return removed(questions, number)
        case "copy":
            copied = questions[number] | {"name": "", "was": ""}
            after = inserted(questions, number + 1, copied)
            message = f"Question {number + 2} is a copy of question {number + 1}."
            return replace(after, said=message) if after.undo else after
        case "up" | "down":
            return moved(questions, number, number + (1 if verb == "down" else -1), verb)
    return ReorderResult(questions, undo=undo)


def inserted(questions: Questions, place: int, question: Mapping[str, Any]) -> ReorderResult:
    if len(questions) >= MAX_QUESTIONS:
        return ReorderResult(questions, f"A survey has at most {MAX_QUESTIONS} questions.")
    after = [*questions[:place], dict(question), *questions[place:]]
    back = json.dumps({"remove": place})
    return ReorderResult(after, f"Question {place + 1} added.", place, "label", back)


def removed(questions: Questions, place: int) -> ReorderResult:
    after = questions[:place] + questions[place + 1 :]
    back = json.dumps({"insert": place, "question": questions[place]}, ensure_ascii=False)
    near = min(place, len(after) - 1) if after else None
    return ReorderResult(after, f"Question {place + 1} deleted.", near, "undo", back)


def moved(questions: Questions, here: int, there: int, verb: str) -> ReorderResult:
    if not 0 <= there < len(questions):
        return ReorderResult(questions)
    after = list(questions)
    after[here], after[there] = after[there], after[here]
    message = f"Moved {verb}: question {here + 1} is question {there + 1} now."
    return ReorderResult(after, message, there, verb, json.dumps({"move": [there, here]}))


def taken_back(questions: Questions, undo: str) -> ReorderResult:
    """What an `undo` says; pressing Undo again does it anew."""
    match decode_undo(undo):
        case {"remove": int(place)} if 0 <= place < len(questions):
            return removed(questions, place)
        case {"insert": int(place), "question": dict(question)} if 0 <= place <= len(questions):
            restored = {key: question.get(key, value) for key, value in EMPTY_QUESTION.items()}
            back = inserted(questions, place, restored)
            return replace(back, said=f"Question {place + 1} is back.") if back.undo else back
        case {"move": [int(here), int(there)]} if 0 <= here < len(questions):
            return moved(questions, here, there, "up" if there < here else "down")
    return ReorderResult(questions)


def decode_undo(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
