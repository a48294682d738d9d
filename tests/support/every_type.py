"""A survey with a question of every type and every form of report, and reports for it.

The forms of reports, their storage and their counts are written here a second time, by hand.
Therefore the tests do not rely on the code that they test.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

Row = tuple[int | str | None, ...]  # a stored row


def letters(names: str) -> list[dict[str, str]]:
    return [{"name": name, "label": name.upper()} for name in names]


def asked(name: str, kind: str, privacy: object = None, **rest: object) -> dict[str, Any]:
    """A question; a note has no privacy."""
    question = {"name": name, "type": kind, "label": f"What of {name}?", **rest}
    return question if privacy is None else {**question, "privacy": privacy}


SUBSETS = {"mechanism": "subset_selection", "epsilon": 1, "size": 2}
UNARY = {"mechanism": "symmetric_unary_encoding", "epsilon": 1}
SOME_BOXES = {"mechanism": "sampled_boxes", "epsilon": 2, "sample": 2}
ALL_BOXES = {"mechanism": "joint_boxes", "epsilon": 2}
ONE_BIT = {"mechanism": "one_bit", "epsilon": 1}  # supports the mean alone
PRIVATE = (
    yes_no() | {"prefer_not_to_say": True},
    asked("party", "select_one", SUBSETS, choices=letters("abcdefgh")),
    asked("colour", "select_one", UNARY, choices=letters("rgbw")),
    asked("tried", "select_multiple", SOME_BOXES, choices=letters("vwxyz")),
    asked("pets", "select_multiple", ALL_BOXES, choices=letters("cdf"), prefer_not_to_say=True),
    asked("mood", "scale", {"mechanism": "exponential", "epsilon": 1}, choices=letters("12345")),
    asked("glasses", "number", {"epsilon": 1}, min=0, max=40, relevant={"smokes": "yes"},
          otherwise=0),
    asked("weight", "number", ONE_BIT, min=30, max=150, step=0.5, unit="kg",
          prefer_not_to_say=True),
)  # fmt: skip
PLAIN = (
    asked("welcome", "note", label="Now something else."),
    asked("years", "number", "none", min=0, max=120, prefer_not_to_say=True),
    asked("region", "select_one", "none", choices=letters("nesw"), relevant={"years": {"min": 18}}),
    asked("news", "select_multiple", "none", choices=letters("prt")),
    asked("sleep", "scale", "none", choices=letters("123")),
    asked("remarks", "text", "none"),
)
# Texts lie next to private answers, as in data that were collected elsewhere.
TOGETHER: dict[str, Any] = {"texts_apart": False}
EVERY_TYPE = definition(*PRIVATE, *PLAIN, **TOGETHER)
TRUTH = {  # the true shares of simulated respondents
    "smokes": {"yes": 0.3, "prefer_not_to_say": 0.1},
    "party": {"a": 0.4, "b": 0.2, "c": 0.1, "d": 0.1, "e": 0.1, "f": 0.05, "g": 0.05},
    "colour": {"r": 0.6, "g": 0.2, "b": 0.2},
    "tried": {"v": 0.5, "w": 0.2},
    "pets": {"c": 0.4, "d": 0.5, "prefer_not_to_say": 0.05},
    "mood": {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.3},
    "glasses": {"mean": 9, "sd": 6},
    "weight": {"mean": 62, "sd": 11, "prefer_not_to_say": 0.05},
    "years": {"mean": 40, "sd": 15},
    "region": {"n": 0.3, "e": 0.3, "s": 0.3},
    "news": {"p": 0.4, "r": 0.5},
    "sleep": {"1": 0.3, "2": 0.3},
}
PICKED = 3  # the number of private questions that chance picks
SAMPLED = definition(*PRIVATE, *PLAIN, budget={"per_respondent": {"sample": PICKED}}, **TOGETHER)
FIELDS = [question["name"] for question in (*PRIVATE, *PLAIN) if question["type"] != "note"]
PRIVATE_FIELDS = [question["name"] for question in PRIVATE]
# The number of possible reports if a report is a number: the answers, or the table's columns.
COUNTS = {"smokes": 3, "pets": 2**3 + 1, "mood": 5, "years": 121 + 1, "region": 4 + 1, "sleep": 3}
COUNTS |= {
    q.name: q.table.reports for q in parse_survey(EVERY_TYPE).private if q.levels and q.table
}
# For the other forms, the pattern of a report. "(?=...)" counts the ones, or the characters that
# are no dash.
BITS = {
    "party": r"(?=0*10*10*$)[01]{8}",
    "colour": r"[01]{4}",
    "tried": r"(?=-*[01]-*[01]-*$)[01-]{5}",
    "news": r"[01]{3}",
}
DASHES = {name: "-" * len(str(n - 1)) for name, n in COUNTS.items()}
# for questions that chance does not pick
DASHES |= {"party": "-" * 8, "colour": "-" * 4, "tried": "-" * 5}
TEXT = r"[^\0\ud800-\udfff]{0,1000}"
REMARKS = ("", " ", "=1+1", "Không", "ไม่มี", '"quoted", and\nbroken', "0", "--", "x" * 1_000)


def wide(number: int, of: int) -> str:
    """A number as a report, with the width of the largest."""
    return str(number).rjust(len(str(of - 1)), "0")


def drawn(r: random.Random, sample: int | None = None) -> dict[str, str]:
    """Reports as a browser sends them. Every report has a positive chance."""
    reports = {name: wide(r.randrange(n), n) for name, n in COUNTS.items()}
    two = r.sample(range(8), 2)
    reports["party"] = "".join("1" if place in two else "0" for place in range(8))
    two = r.sample(range(5), 2)
    reports["tried"] = "".join(r.choice("01") if place in two else "-" for place in range(5))
    reports["colour"], reports["news"] = ("".join(r.choices("01", k=k)) for k in (4, 3))
    reports["remarks"] = r.choice(REMARKS)
    if sample is not None:
        for name in r.sample(PRIVATE_FIELDS, len(PRIVATE_FIELDS) - sample):
            reports[name] = DASHES[name]
    return {name: reports[name] for name in FIELDS}


def sound(reports: Mapping[str, Any], sample: int | None = None) -> bool:
    """Whether a browser could send this."""
    if set(reports) != set(FIELDS) or not all(isinstance(text, str) for text in reports.values()):
        return False
    unpicked = 0
    for name, text in reports.items():
        if sample is not None and name in PRIVATE_FIELDS and text == DASHES[name]:
            unpicked += 1
        elif name in COUNTS:
            if not re.fullmatch(f"[0-9]{{{len(DASHES[name])}}}", text) or int(text) >= COUNTS[name]:
                return False
        elif not re.fullmatch(BITS.get(name, TEXT), text):
            return False
    return unpicked == (0 if sample is None else len(PRIVATE_FIELDS) - sample)


def stored(reports: Mapping[str, str]) -> Row:
    """The row of valid reports: integers, texts, and NULL for questions that were not picked."""
    return tuple(
        None if reports[name] == DASHES.get(name)
        else int(reports[name]) if name in COUNTS
        else reports[name]
        for name in FIELDS
    )  # fmt: skip


def sent(row: Row) -> dict[str, str]:
    """The inverse of `stored`."""
    return {
        name: DASHES[name] if value is None
        else wide(value, COUNTS[name]) if isinstance(value, int)
        else value
        for name, value in zip(FIELDS, row, strict=True)
    }  # fmt: skip


def tallied(rows: Iterable[Row]) -> dict[str, dict[int, int]]:
    """The count of each code.

    A number is its own code. The bit at place j has the code 2j if it is set and 2j + 1 if not. A
    text has the code 0 if it is not empty, and otherwise 1.
    """
    counts: dict[str, Counter[int]] = {name: Counter() for name in FIELDS}
    for row in rows:
        for name, value in zip(FIELDS, row, strict=True):
            if isinstance(value, int):
                counts[name][value] += 1
            elif name == "remarks":
                counts[name][0 if str(value).strip() else 1] += 1
            elif value is not None:
                marks = enumerate(value)
                counts[name].update(2 * j + "10".index(bit) for j, bit in marks if bit != "-")
    return {name: dict(codes) for name, codes in counts.items() if codes}
