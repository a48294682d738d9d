"""Stored surveys with crosswise questions and list experiments."""

from collections.abc import Sequence

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters

# The answers of (question, anchor question): the documented example of the R package cWise.
CMDATA = {(0, 0): 1116, (0, 1): 311, (1, 0): 425, (1, 1): 148}
# The counts of the data set "affirm" of the R package list.
CONTROL, TREATMENT = (8, 132, 222, 227), (9, 78, 172, 184, 139)

# Answers 0, 1, ... to a list of four control statements. First are respondents who said Yes to a
# direct question before, in the control group and in the treatment group, then those who said No.
# This is the first experiment of Aronow, Coppock, Crawford & Green (2015), from the data set
# "combinedListExps" of the R package list 9.2.6. Only respondents with all answers are counted, who
# were asked the direct questions first.
AFTER_DIRECT = (
    ((0, 2, 35, 69, 53), (0, 0, 7, 42, 40, 80)),
    ((0, 3, 30, 36, 27), (0, 0, 26, 31, 17, 2)),
)


def crosswise(name: str = "copied", known: str = "3/20", **rest: object) -> dict:
    return {
        "name": name,
        "type": "crosswise",
        "label": "I have copied in a thesis.",
        "hint": "My mother was born in January or February.",
        "known_share": known,
        "privacy": "none",
        **rest,
    }


ANCHOR = crosswise(
    "flown",
    label="I have flown to the moon.",
    hint="My father was born in January or February.",
    anchor_question=True,
)
CHECK = asked("check", "select_one", "none", choices=letters("abc"))
VERSION = asked("version", "select_one", "none", choices=letters("ct"))
COUNT = asked("count", "number", "none", min=0, max=4)


def store_rows(store: Store, content: dict, rows: Sequence[tuple[int, ...]]) -> None:
    """A closed survey with these stored rows."""
    opened(store, content, "closed")
    responses = [Response((n + 1).to_bytes(16), row) for n, row in enumerate(rows)]
    store.responses.add_batches(content["slug"], [responses], "loaded")


def store_crosswise(store: Store, slug: str = "copying") -> None:
    """2,000 answers to a crosswise question, its anchor, and an attention check.

    Of each combination of answers, three of four people pass the check, with the answer a.
    """
    rows = [
        (*answers, 1 if n % 4 == 0 else 0)
        for answers, count in CMDATA.items()
        for n in range(count)
    ]
    store_rows(store, definition(crosswise(), ANCHOR, CHECK, slug=slug), rows)


def store_list(store: Store, slug: str = "items") -> None:
    """A list experiment with three control statements in one survey."""
    rows = [
        (count, version)
        for version, counts in enumerate((CONTROL, TREATMENT))
        for count, people in enumerate(counts)
        for _ in range(people)
    ]
    store_rows(store, definition(COUNT, VERSION, slug=slug), rows)


def store_two_lists(store: Store) -> None:
    """The same list experiment as two surveys, "control" and "treated"."""
    for slug, most, counts in (("control", 3, CONTROL), ("treated", 4, TREATMENT)):
        question = COUNT | {"max": most}
        rows = [(count,) for count, people in enumerate(counts) for _ in range(people)]
        store_rows(store, definition(question, slug=slug), rows)


def store_direct(store: Store) -> None:
    """The experiment AFTER_DIRECT in three surveys.

    They are "lists", with one question for both lists and one for each, and "short" and "long".
    """
    rows = [
        (count, version, direct)
        for direct, groups in enumerate(AFTER_DIRECT)
        for version, counts in enumerate(groups)
        for count, people in enumerate(counts)
        for _ in range(people)
    ]
    direct, longer = yes_no("direct", "none", "Do you?"), COUNT | {"max": 5}
    own = [
        COUNT | {"name": name, "max": most, "relevant": {"version": [version]}}
        for name, most, version in (("shorter", 4, "c"), ("longer", 5, "t"))
    ]
    # The number after the largest one is "not asked".
    both = [
        (count, version, said, 5 if version else count, count if version else 6)
        for count, version, said in rows
    ]
    store_rows(store, definition(longer, VERSION, direct, *own, slug="lists"), both)
    for slug, number in (("short", 0), ("long", 1)):
        question = COUNT | {"max": 4 + number}
        of_group = [(count, said) for count, version, said in rows if version == number]
        store_rows(store, definition(question, direct, slug=slug), of_group)
