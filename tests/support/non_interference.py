"""Visits of respondents with different answers, and what others see of the difference."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, groupby
from typing import Any

from playwright.sync_api import Page, Request

from survey.definition.frozen import FrozenSurvey
from tests.browser import tape
from tests.support.definitions import yes_no
from tests.support.lengths import length
from tests.support.servers import Live


def choices(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "label": f"Label of {name}"} for name in names]


def offered(**conditions: dict[str, list[str]] | None) -> list[dict[str, Any]]:
    """Choices, each with its condition."""
    return [
        each | ({"relevant": relevant} if relevant else {})
        for each, relevant in zip(choices(*conditions), conditions.values(), strict=True)
    ]


# Every type of question and each form of a report. The private parents are a choice, a number and
# boxes, down to grandchildren, with "otherwise" and without.
BRANCHES: list[dict[str, Any]] = [
    yes_no() | {"prefer_not_to_say": True},
    {
        "name": "packs", "type": "number", "label": "How many packs a week?", "min": 0, "max": 40,
        "relevant": {"smokes": "yes"}, "otherwise": 0, "privacy": {"epsilon": 1},
    },
    {
        "name": "quit", "type": "yes_no", "label": "Did you try to stop?",
        "relevant": {"packs": {"min": 10}}, "privacy": {"mechanism": "coin_flip"},
    },
    {"name": "thanks", "type": "note", "label": "Well tried.", "relevant": {"quit": "yes"}},
    {
        "name": "tried", "type": "select_multiple", "label": "Which have you tried?",
        "choices": choices("ale", "beer", "cider", "gin", "rum"), "prefer_not_to_say": True,
        "privacy": {"mechanism": "sampled_boxes", "epsilon": 2, "sample": 2},
    },
    {
        "name": "often", "type": "scale", "label": "How often?",
        "choices": choices("never", "rarely", "weekly", "daily"),
        "relevant": {"tried": ["gin", "rum"]}, "otherwise": "never",
        "privacy": {"mechanism": "exponential", "epsilon": 1},
    },
    {
        "name": "where", "type": "select_multiple", "label": "Where?",
        "choices": choices("home", "pub", "work"), "prefer_not_to_say": True,
        "relevant": {"often": ["weekly", "daily"]},
        "privacy": {"mechanism": "joint_boxes", "odds": 9},
    },
    {
        "name": "party", "type": "select_one", "label": "Which party?",
        "choices": choices(*"abcdefg"), "prefer_not_to_say": True,
        "privacy": {"mechanism": "subset_selection", "odds": 2, "size": 3},
    },
    {
        "name": "since", "type": "select_one", "label": "Since when?",
        "choices": choices("always", "lately", "today"), "relevant": {"party": list("abc")},
        "privacy": {"mechanism": "optimized_unary_encoding", "odds": 3},
    },
    {
        "name": "balance", "type": "number", "label": "Your balance?", "min": -5, "max": 5,
        "step": 0.5, "unit": "k", "prefer_not_to_say": True, "relevant": {"since": "always"},
        "privacy": {"epsilon": 1, "goal": "mean", "points": 5},
    },
    {
        "name": "region", "type": "select_one", "label": "Where do you live?",
        "choices": choices("north", "south"), "privacy": "none",
    },
    {
        "name": "age", "type": "number", "label": "How old are you?", "min": 0, "max": 120,
        "relevant": {"region": "north"}, "privacy": "none",
    },
    {
        "name": "pets", "type": "select_multiple", "label": "Which pets?",
        "choices": choices("cat", "dog"), "relevant": {"region": "south"}, "privacy": "none",
    },
    {
        "name": "town", "type": "select_one", "label": "Which town?", "privacy": "none",
        "choices": offered(ash={"region": ["north"]}, elm={"region": ["south"]}, oak=None),
    },
    {
        "name": "quarter", "type": "select_one", "label": "Which quarter?", "privacy": "none",
        "choices": offered(old={"town": ["elm"]}, new={"town": ["oak"]}),
    },
    {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"},
]  # fmt: skip


def with_sections() -> list[dict[str, Any]]:
    """The same questions on several pages, with a condition on two of them, and optional ones."""
    before = {
        "smokes": {},
        "packs": {"relevant": {"smokes": "yes"}},
        "tried": {"label": ""},
        "since": {"relevant": {"party": list("abc")}},
        "region": {},
    }
    made: list[dict[str, Any]] = []
    for entry in BRANCHES:
        name = entry["name"]
        if name in before:
            section = {"name": f"page_{name}", "type": "section", "label": f"About {name}"}
            made.append(section | before[name])
        optional = name in ("smokes", "party", "balance")
        made.append(entry | {"optional": True} if optional else entry)
    return made


# the plain answers of the respondents who send the same reports
PLAIN = [
    {"region": "north", "age": "41", "pets": [], "remarks": "Nothing.", "town": "ash",
     "quarter": "old"},
    {"region": "south", "age": "7", "pets": ["dog"], "remarks": "Too long", "town": "elm",
     "quarter": "old"},
    {"region": "south", "age": "0", "pets": ["cat", "dog"], "remarks": "12345678", "town": "oak",
     "quarter": "new"},
]  # fmt: skip
RESPONDENTS = length(10, 18)  # respondents who send the same reports
Answers = dict[str, Any]


@dataclass(frozen=True)
class Visit:
    """One respondent: the answers, the draws, and everything that the network saw."""

    answers: Answers
    words: tuple[int, ...]
    reports: tuple[str, ...]
    draws: tuple[str, ...]
    transcript: tuple[tuple, ...]
    icons: tuple[tuple, ...]

    @property
    def body(self) -> bytes:
        """The only body of the respondent."""
        [body] = [body for *_, body in self.transcript if body is not None]
        return body


@dataclass(frozen=True)
class Script:
    """The actions and circumstances of a respondent.

    They are the answers, those that remain on questions that became hidden again, the words, and
    the questions that chance picks.
    """

    answers: Answers
    words: tuple[int, ...]
    chosen: tuple[str, ...] | None = None
    leftovers: bool = False


def some_answer(entry: dict, chance: random.Random) -> Any:
    """One of all answers, each about equally often."""
    if entry.get("prefer_not_to_say") and chance.random() < 0.15:
        return [tape.DECLINED] if entry["type"] == "select_multiple" else tape.DECLINED
    if entry["type"] == "number":
        size = tape.steps(entry, str(entry["max"])) + 1
        return f"{entry['min'] + chance.randrange(size) * entry['step']:g}"
    names = [choice["name"] for choice in entry["choices"]]
    if entry["type"] == "select_multiple":
        return [name for name in names if chance.random() < 0.5]
    return chance.choice(names)


def some_report(table: dict, chance: random.Random) -> str:
    """A possible report of this table, in the form of a response."""
    size = len(table["answers"])
    if table.get("kind") == "unary":
        return "".join(chance.choice("01") for _ in range(size))
    if table.get("kind") == "subset":
        ones = chance.sample(range(size), table["size"])
        return "".join("1" if place in ones else "0" for place in range(size))
    if table.get("kind") == "boxes":
        sample = chance.sample(range(size), table["sample"])
        return "".join(chance.choice("01") if place in sample else "-" for place in range(size))
    last = len(table["rows"][0]) - 1
    return str(chance.randint(0, last)).zfill(len(str(last)))


def some_reports(
    document: dict, chosen: tuple[str, ...] | None, chance: random.Random
) -> dict[str, str]:
    """The reports of a few respondents, with dashes for questions that were not picked."""
    return {
        name: some_report(table, chance)
        if chosen is None or name in chosen
        else tape.not_picked(table)
        for name, table in document["tables"].items()
    }


def respondents(document: dict, seed: int, number: int = RESPONDENTS) -> list[Answers]:
    """Answers to all questions, including those that will not be asked."""
    chance = random.Random(seed)
    given = [
        entry
        for entry in document["definition"]["questions"]
        if entry["type"] not in tape.UNANSWERED
        and entry["privacy"] != "none"
        and "derived" not in entry
    ]
    return [{entry["name"]: some_answer(entry, chance) for entry in given} for _ in range(number)]


def scripts(
    frozen: FrozenSurvey,
    chosen: tuple[str, ...] | None,
    seed: int,
    number_of_respondents: int = RESPONDENTS,
) -> list[Script]:
    """Respondents with different answers who all send the same reports."""
    document = frozen.document()
    chance = random.Random(seed)
    has_plain = any(entry["privacy"] == "none" for entry in tape.fields(document))
    plain = PLAIN[seed % len(PLAIN)] if has_plain else {}
    reports = some_reports(document, chosen, chance)
    made = []
    for number, private in enumerate(respondents(document, seed, number_of_respondents)):
        answers = private | plain
        words = tape.steered(document, answers, reports, seed * 100 + number)
        made.append(Script(answers, tuple(words), chosen, number % 2 == 0))
    return made


def seen(request: Request, live: Live) -> tuple:
    """The complete request, as the network sees it, with its body last."""
    # The page may end before the last headers of the icon, which the browser requests by itself.
    by_itself = request.resource_type == "other"
    headers = request.headers if by_itself else request.all_headers()
    path = request.url.removeprefix(live.url)
    sorted_headers = tuple(sorted(headers.items()))
    return request.method, path, request.resource_type, sorted_headers, request.post_data_buffer


def acts(document: dict, script: Script) -> list[tuple]:
    """The respondent's actions.

    Answers to questions that are not asked stay behind, or are not given. Some respondents first
    give other non-private answers, to which the page offers other choices.
    """
    questions = document["definition"]["questions"]
    shown = tape.asked(questions, script.answers)
    other = next(each for each in PLAIN if each["town"] != script.answers.get("town"))
    before = [
        tape.act(entry, other[entry["name"]])
        for entry in questions
        if script.leftovers and entry["name"] in other
    ]
    return before + [
        tape.act(entry, script.answers[entry["name"]])
        for entry in questions
        if entry["type"] not in tape.UNANSWERED
        and "derived" not in entry
        and (script.leftovers or entry["name"] in shown)
        and not is_skipped(entry, script)
    ]


def is_skipped(entry: dict, script: Script) -> bool:
    """Whether the respondent leaves an optional question empty, instead of declining it."""
    declined = script.answers[entry["name"]] == tape.DECLINED
    return entry.get("optional", False) and declined and script.leftovers


def id_of(reports: tuple[str, ...]) -> str:
    return sha256(repr(reports).encode()).hexdigest()[:32]


def compare(visits: Iterable[Visit]) -> tuple[int, int]:
    """The number of pairs with the same reports and other answers, and how many of them differ."""
    compared = differing = 0
    in_order = sorted(visits, key=lambda visit: visit.reports)
    for _, alike in groupby(in_order, key=lambda visit: visit.reports):
        for one, other in combinations(alike, 2):
            if one.answers != other.answers:
                compared += 1
                differing += one.transcript != other.transcript
    return compared, differing


# Changes to the scripts of a page that reveal its respondent. In the first survey they depend on
# the answer to one question, in the others on the path through the survey.
FREEZE = "const [reports, { id, textsId, receipt }] ="
# 0 and 1 are yes and no. They are erased after the answers are read.
FIRST = "questions.all[0].checked"
REMEMBER = (FREEZE, f"globalThis.told = {FIRST}; {FREEZE}")


def results_on_page(
    page: Page, questions: list[dict[str, Any]], number_of_respondents: int
) -> Iterator[tuple[Answers, dict[str, Any]]]:
    """The answers of respondents, drawn at random, and what an open page derives from them."""
    chance = random.Random(24)
    given = [entry for entry in questions if "derived" not in entry]
    everyone = [
        {entry["name"]: some_answer(entry, chance) for entry in given}
        for _ in range(number_of_respondents)
    ]
    acts = [[tape.act(entry, answers[entry["name"]]) for entry in given] for answers in everyone]
    return zip(everyone, page.evaluate(tape.DERIVE, [acts]), strict=True)
