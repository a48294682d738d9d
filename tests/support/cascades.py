"""Surveys whose choices depend on earlier answers: a chain of places, and random definitions.

`offered_in` is an oracle: it follows docs/reference/definition.md, one question after the other,
and shares no code with the page or with survey/.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from tests.browser import tape
from tests.support.definitions import definition

PROVINCES = {"hn": "Hà Nội", "dn": "Đà Nẵng", "hue": "Huế"}


def asked(name: str, kind: str = "select_one", **rest: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "label": f"Which {name}?", "privacy": "none", **rest}


def choice(name: str, text: str = "", /, **relevant: Any) -> dict[str, Any]:
    """A choice, with a condition if there are further arguments."""
    entry: dict[str, Any] = {"name": name, "label": text or name}
    return entry | ({"relevant": relevant} if relevant else {})


def chain(districts: int = 3, communes: int = 3) -> list[dict[str, Any]]:
    """A province, its districts, and their communes. Labels are “Huế 2” and “Huế 2.1”."""
    provinces = [choice(code, label) for code, label in PROVINCES.items()]
    of_province = [
        choice(f"{code}_{n}", f"{label} {n}", province=[code])
        for code, label in PROVINCES.items()
        for n in range(1, districts + 1)
    ]
    of_district = [
        choice(f"{each['name']}_{n}", f"{each['label']}.{n}", district=[each["name"]])
        for each in of_province
        for n in range(1, communes + 1)
    ]
    return [
        asked("province", choices=provinces),
        asked("district", choices=of_province),
        asked("commune", choices=of_district),
    ]


def random_condition(earlier: Sequence[Mapping[str, Any]], chance: random.Random) -> dict[str, Any]:
    """A condition on one or two earlier questions."""
    relevant: dict[str, Any] = {}
    for entry in chance.sample(list(earlier), k=min(len(earlier), chance.choice((1, 1, 1, 2)))):
        if entry["type"] == "number":
            low, high = sorted((chance.randint(0, 6), chance.randint(0, 6)))
            ends = {"min": low, "max": high}
            relevant[entry["name"]] = {
                key: ends[key] for key in chance.choice((["min"], ["max"], ["min", "max"]))
            }
        else:
            names = tape.offered(entry)
            relevant[entry["name"]] = chance.sample(names, k=chance.randint(1, len(names)))
    return relevant


def random_cascade(seed: int) -> dict[str, Any]:
    """A definition with conditions of questions and of choices, on answers of every kind."""
    chance = random.Random(seed)
    entries: list[dict[str, Any]] = [
        asked("one", choices=[choice("a"), choice("b"), choice("c")]),
        asked("boxes", "select_multiple", choices=[choice("a"), choice("b")]),
        asked("number", "number", min=0, max=6, step=1),
    ]
    for entry in entries:
        if chance.random() < 0.4:
            entry["prefer_not_to_say"] = True
    sole = chance.random() < 0.5
    for number in range(5):
        kind = chance.choice(("select_one", "select_one", "select_multiple"))
        entry = asked(f"q{number}", kind)
        if chance.random() < 0.4:
            entry["relevant"] = random_condition(entries, chance)
        # Conditions on one question often cover all of its answers.
        parents = [chance.choice(entries)] if sole else entries
        entry["choices"] = [
            choice(f"c{place}", **random_condition(parents, chance))
            if chance.random() < 0.85
            else choice(f"c{place}")
            for place in range(chance.randint(2, 5))
        ]
        if chance.random() < 0.3:
            entry["prefer_not_to_say"] = True
        if chance.random() < 0.3:
            entry["random_order"] = True
        entries.append(entry)
    return definition(*entries, slug=f"random-{seed}")


def offered_in(
    entries: Sequence[Mapping[str, Any]], answers: Mapping[str, Any]
) -> tuple[list[str], dict[str, list[str]]]:
    """The questions that are asked, and the choices that each question offers."""
    known = {entry["name"]: entry for entry in entries}
    shown: list[str] = []
    offered: dict[str, list[str]] = {}

    def hold(conditions: Mapping[str, Any]) -> bool:
        return all(
            name in shown
            and answers[name] is not None
            and tape.holds(known[name], answers[name], condition)
            for name, condition in conditions.items()
        )

    for entry in entries:
        choices = entry.get("choices", [])
        offered[entry["name"]] = [c["name"] for c in choices if hold(c.get("relevant", {}))]
        some = not choices or offered[entry["name"]]
        if hold(entry.get("relevant", {})) and some:
            shown.append(entry["name"])
    return shown, offered
