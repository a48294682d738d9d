"""Two versions of a draft, as the form holds them: how they differ, and what is taken from which.

Nothing is ever overwritten in silence: a form that was made from an older version of the draft is
laid beside what is stored now, and the researcher chooses, for each question or for all at once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from survey.admin.builder.form_to_definition import names_of_questions

Data = Mapping[str, Any]
APART = {"questions", "seen", "undo", "kind", "csrf_token"}  # of no draft
QUESTIONS = "question-"
ORDER = "order"
SHOWN = 300  # characters of a text that is laid beside another


@dataclass(frozen=True)
class Difference:
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


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def differing(mine: Data, theirs: Data, labels: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The fields of one question, or of the survey, that differ."""
    pairs = ((key, plain_text(mine[key]), plain_text(theirs[key])) for key in theirs if key in mine)
    return [
        (labels.get(key, key), shortened(own), shortened(other))
        for key, own, other in pairs
        if own != other and key not in APART and key != "was"
    ]


def differences(mine: Data, theirs: Data, labels: Mapping[str, str]) -> list[Difference]:
    """How two forms' data differ, the survey's own fields first; `labels` name the fields."""
    found = []
    for key in theirs:
        if key in mine and key not in APART:
            fields = differing({key: mine[key]}, {key: theirs[key]}, labels)
            if fields:
                found.append(Difference(key, labels.get(key, key), tuple(fields)))
    ours = dict(zip(known_as(mine), mine["questions"], strict=True))
    others = dict(zip(known_as(theirs), theirs["questions"], strict=True))
    for name in [*ours, *(name for name in others if name not in ours)]:
        title = plain_text((ours.get(name) or others[name])["label"]) or name
        if name in ours and name in others:
            fields = differing(ours[name], others[name], labels)
            if fields:
                found.append(Difference(QUESTIONS + name, title, tuple(fields)))
        else:
            there = Difference(QUESTIONS + name, title, (), name in ours, name in others)
            found.append(there)
    common = [name for name in ours if name in others]
    if common != [name for name in others if name in ours]:
        mine_order, their_order = (", ".join(each) for each in (ours, others))
        found.append(
            Difference(ORDER, "Order of the questions", (("Order", mine_order, their_order),))
        )
    return found


def merged(mine: Data, theirs: Data, taken: Collection[str]) -> dict[str, Any]:
    """The form's data with what was chosen of theirs in the place of mine.

    Parameters
    ----------
    taken : keys of differences in which theirs is to hold; a question that only mine has is left
        out then, one that only theirs has comes in where it stands there
    """
    data = dict(mine)
    data |= {key: theirs[key] for key in theirs if key in taken and key not in APART}
    others = dict(zip(known_as(theirs), theirs["questions"], strict=True))
    kept: list[tuple[str, dict[str, Any]]] = []
    for name, question in zip(known_as(mine), mine["questions"], strict=True):
        if QUESTIONS + name not in taken:
            kept.append((name, dict(question)))
        elif name in others:
            kept.append((name, dict(others[name])))
    names = {name for name, _ in kept}
    for place, (name, question) in enumerate(others.items()):
        if name not in names and QUESTIONS + name in taken:
            kept.insert(min(place, len(kept)), (name, dict(question)))
    if ORDER in taken:
        order = {name: place for place, name in enumerate(others)}
        kept.sort(key=lambda each: order.get(each[0], len(order)))
    data["questions"] = [question for _, question in kept]
    return data
