"""Two versions of a draft, as the form holds them: how they differ, and what is taken from which.

Nothing is ever overwritten in silence: a form that was made from an older version of the draft is
laid beside what is stored now, and the researcher chooses, for each question or for all at once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from survey.admin.builder.form_to_definition import names_of_questions

Data = Mapping[str, Any]
UNCOMPARED_FIELDS = {"questions", "seen", "undo", "kind", "csrf_token"}  # of no draft
QUESTION_PREFIX = "question-"
ORDER_KEY = "order"
MAX_SHOWN_CHARACTERS = 300  # characters of a text that is laid beside another


@dataclass(frozen=True)
class DraftDifference:
    """One thing that is not the same.

    Attributes
    ----------
    key : what the form calls the choice between the two
    title : a field's label, or a question's
    fields : (label, mine, theirs) of each field that differs
    mine, theirs : whether it is there in either version
    """

    key: str
    title: str
    fields: tuple[tuple[str, str, str], ...] = ()
    mine: bool = True
    theirs: bool = True


def known_as(data: Data) -> list[str]:
    """By what name each question is known in both versions: the one it had when the form was
    made."""
    names = names_of_questions(data["questions"])
    return [q["was"] or name for q, name in zip(data["questions"], names, strict=True)]


def plain_text(value: Any) -> str:
    """A field's value to compare and to show; browsers send other ends of lines."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value or "").replace("\r\n", "\n").strip()


def field_excerpt(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[:MAX_SHOWN_CHARACTERS] + "…"


def differing(mine: Data, theirs: Data, labels: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The fields of one question, or of the survey, that differ."""
    pairs = ((key, plain_text(mine[key]), plain_text(theirs[key])) for key in theirs if key in mine)
    return [
        (labels.get(key, key), field_excerpt(own), field_excerpt(other))
        for key, own, other in pairs
        if own != other and key not in UNCOMPARED_FIELDS and key != "was"
    ]


def draft_differences(mine: Data, theirs: Data, labels: Mapping[str, str]) -> list[DraftDifference]:
    """How two forms' data differ, the survey's own fields first; `labels` name the fields."""
    changes = []
    for key in theirs:
        if key in mine and key not in UNCOMPARED_FIELDS:
            fields = differing({key: mine[key]}, {key: theirs[key]}, labels)
            if fields:
                changes.append(DraftDifference(key, labels.get(key, key), tuple(fields)))
    ours = dict(zip(known_as(mine), mine["questions"], strict=True))
    others = dict(zip(known_as(theirs), theirs["questions"], strict=True))
    for name in [*ours, *(name for name in others if name not in ours)]:
        title = plain_text((ours.get(name) or others[name])["label"]) or name
        if name in ours and name in others:
            fields = differing(ours[name], others[name], labels)
            if fields:
                changes.append(DraftDifference(QUESTION_PREFIX + name, title, tuple(fields)))
        else:
            there = DraftDifference(QUESTION_PREFIX + name, title, (), name in ours, name in others)
            changes.append(there)
    common = [name for name in ours if name in others]
    if common != [name for name in others if name in ours]:
        mine_order, their_order = (", ".join(each) for each in (ours, others))
        changes.append(
            DraftDifference(
                ORDER_KEY, "Order of the questions", (("Order", mine_order, their_order),)
            )
        )
    return changes


def merged(mine: Data, theirs: Data, taken: Collection[str]) -> dict[str, Any]:
    """The form's data with what was chosen of theirs in the place of mine.

    Parameters
    ----------
    taken : keys of differences in which theirs is to hold; a question that only mine has is left
        out then, one that only theirs has comes in where it stands there
    """
    data = dict(mine)
    data |= {key: theirs[key] for key in theirs if key in taken and key not in UNCOMPARED_FIELDS}
    others = dict(zip(known_as(theirs), theirs["questions"], strict=True))
    kept: list[tuple[str, dict[str, Any]]] = []
    for name, question in zip(known_as(mine), mine["questions"], strict=True):
        if QUESTION_PREFIX + name not in taken:
            kept.append((name, dict(question)))
        elif name in others:
            kept.append((name, dict(others[name])))
    names = {name for name, _ in kept}
    for place, (name, question) in enumerate(others.items()):
        if name not in names and QUESTION_PREFIX + name in taken:
            kept.insert(min(place, len(kept)), (name, dict(question)))
    if ORDER_KEY in taken:
        order = {name: place for place, name in enumerate(others)}
        kept.sort(key=lambda each: order.get(each[0], len(order)))
    data["questions"] = [question for _, question in kept]
    return data
