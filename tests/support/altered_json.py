"""JSON values with one member of another type or size, for every member."""

import copy
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import yes_no

Path = tuple[str | int, ...]


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


INSTEAD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 0.5, 10**400, -(10**20), float("inf"), float("nan"), "1e400",
    "1e999999", "9" * 5_000, "1/0", "", "a", "x" * 10_000, "\ud800", "\0", "https://[", [], {},
    [{}], [[]], [None], ["a"], ["a", {}], {"a": {}}, {"a": []}, {"": 0}, nested(40),
)  # fmt: skip


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """The place of the value itself, and of every member in it."""
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()  # fmt: skip
    for key, each in inner:
        yield from paths(each, (*above, key))


def replaced(value: Any, path: Path, instead: Any) -> Any:
    """A copy of the value with another member at this place, which may be new in an object."""
    if not path:
        return instead
    changed = copy.copy(value)
    inner = value.get(path[0]) if isinstance(value, dict) else value[path[0]]
    changed[path[0]] = replaced(inner, path[1:], instead)
    return changed


def altered(
    value: Any, places: Iterable[Path], share: float = 1.0, seed: int = 41
) -> Iterator[tuple[str, Any]]:
    """What is where instead, and the whole value, for each place and each of INSTEAD.

    Parameters
    ----------
    share : the share of these values, picked by the seed
    """
    chance = random.Random(seed)
    for path in places:
        for instead in INSTEAD:
            if chance.random() < share:
                yield f"{path}: {ascii(instead)[:60]}", replaced(value, path, instead)


def small_surveys(content: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[Path]]]:
    """For each question a survey of it and the questions that it uses, with its places in it.

    The whole survey takes long to parse, and each place is altered many times.
    """
    questions = {entry["name"]: entry for entry in content["questions"]}
    for name, question in questions.items():
        used, waiting = set[str](), [name]
        while waiting:
            used.add(waiting[-1])
            text = repr(questions[waiting.pop()])
            waiting += [each for each in questions if f"'{each}'" in text and each not in used]
        kept = [entry for entry in content["questions"] if entry["name"] in used]
        kept.insert(0, yes_no("first", "none"))  # A survey of notes has nothing to answer.
        place: Path = ("questions", kept.index(question))
        keys = sorted(set(QUESTION_TYPES[question["type"]].keys) - question.keys())
        yield (
            {"slug": "small", "title": "Small", "questions": kept},
            [*(place + inner for inner in paths(question)), *((*place, key) for key in keys)],
        )
