"""Surveys of every design, below and above the levels of certainty, in all languages."""

import math
from collections.abc import Iterator
from typing import Any

from survey.core.languages import LANGUAGES, MAIN
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.indirect import crosswise
from tests.support.joint_survey import joint_question

EPSILONS = (0.1, 0.5, 1, 1.38, 1.39, 2, 2.94, 2.95, 4.59, 8, 12)
# The numbers of private questions, of those that each respondent is asked, and of other questions.
GRID = [
    (count, sample, plain)
    for count in range(1, 11)
    for sample in (None, 1, 2)
    for plain in (0, 1, 3)
    if sample is None or sample < count
]


def asked(epsilon: float, count: int) -> list[dict]:
    """This number of yes/no questions, each with this privacy loss."""
    return [yes_no(f"q{n}", privacy={"epsilon": epsilon}) for n in range(count)]


def content(slug: str, questions: list[dict], **more: object) -> dict:
    """A survey in all languages."""
    labels: dict[str, dict] = {}
    for entry in questions:
        labels[entry["name"]] = {"label": "?"}
        if "hint" in entry:
            labels[entry["name"]]["hint"] = "?"
        if "choices" in entry:
            names = [choice["name"] for choice in entry["choices"]]
            labels[entry["name"]]["choices"] = {name: f"? {name}" for name in names}
    texts = {name: more[name] for name in ("introduction", "asked_by", "support") if name in more}
    other = {"title": "Health", "questions": labels, **texts}
    translations = {language: other for language in LANGUAGES if language != MAIN}
    return definition(*questions, slug=slug, translations=translations, **more)


# --- one survey of each design


INTRODUCTIONS = (
    "Thank you.",
    "We ask how students deal with exams, and what they do when they are afraid to fail.",
    "# What we study\n\nWe ask how students deal with exams, and what they do when they are "
    "afraid to fail. Please read this carefully, because it is long.\n\n" * 3,
)
# A likelihood ratio of exactly 3 for each question.
COIN = {"mechanism": "coin_flip"}
ANY = {"any": {f"d{n}": ["yes"] for n in range(8)}}


def answers(count: int) -> list[dict]:
    """This number of yes/no questions whose answers stay in the page."""
    return [unsent(f"d{n}", "yes_no") for n in range(count)]


def arm(*names: str) -> dict:
    return {"name": "arm", "type": "select_one", "label": "Arm", "privacy": "none",
            "choices": [{"name": name, "label": name} for name in names],
            "derived": {"random": dict.fromkeys(names, 1)}}  # fmt: skip


def in_arm(name: str, question: dict) -> dict:
    """A question for those who drew this arm."""
    return question | {"relevant": {"arm": name}, "otherwise": "no"}


def plain(name: str = "plain") -> dict:
    return yes_no(name, privacy="none")


def tables() -> Iterator[tuple[str, list[dict], dict[str, Any]]]:
    """Name, questions and further fields of surveys whose reports are about one answer each."""
    for total in (0.5, math.log(3), 2, 3, 4, 4.5, 8, 12):
        for count in (1, 5, 20):
            yield f"g-{total:.2f}-{count}".replace(".", "-"), asked(total / count, count), {}
    for each in (0.5, 2):
        yield f"each-{each}".replace(".", "-"), asked(each, 3), {}
    for sample, count in ((1, 5), (2, 20)):
        budget = {"budget": {"per_respondent": {"sample": sample}}}
        yield f"sample-{sample}", asked(1, count), budget
        yield f"sample-plain-{sample}", [*asked(1, count), plain()], budget
    yield "plain", [plain()], {}
    yield "mixed", [yes_no(), plain()], {}
    yield "mixed-2", [*asked(3, 2), plain("p1"), plain("p2")], {}
    yield "waves", asked(1, 2), {"series": "waves"}
    yield "invited", [yes_no()], {"invitations": True}
    yield "coins", [yes_no("q1"), yes_no("q2"), plain()], {"by_hand": True, "receipts": False}
    yield "coin", [yes_no()], {"by_hand": True, "receipts": False}


def designs() -> Iterator[tuple[str, list[dict], dict[str, Any]]]:
    """The same for results, joint reports, experimental arms and crosswise questions."""
    for epsilon in (1.1, 2.2, 4.5):
        joint = joint_question("d0", "d1", label="Both", privacy={"epsilon": epsilon})
        yield f"joint-{epsilon}".replace(".", "-"), [*answers(2), joint], {}
    for epsilon in (0.5, 2, 4):
        result = derived("result", ANY, privacy={"epsilon": epsilon})
        result["prefer_not_to_say"] = False
        yield f"any-{epsilon}".replace(".", "-"), [*answers(8), result], {}
    both = {"all": {"d0": ["yes"], "d1": ["yes"]}}, {"any": {"d0": ["yes"], "d1": ["yes"]}}
    some = [derived(f"r{n}", rule, prefer_not_to_say=False) for n, rule in enumerate(both)]
    yield "overlap", [*answers(2), *some], {}
    yield "overlap-plain", [*answers(2), *some, plain()], {}
    yield "overlap-mixed", [*answers(2), *some, yes_no()], {}
    for epsilon in (0.5, 1, 2.9):
        same = {"any": {"d0": ["yes"]}}
        copies = [
            derived(f"c{n}", same, privacy={"epsilon": epsilon}, prefer_not_to_say=False)
            for n in range(4)
        ]
        yield f"copies-{epsilon}".replace(".", "-"), [*answers(1), *copies], {}
    yield "unused", [*answers(1), yes_no()], {}
    yield "arm", [arm("a", "b"), yes_no()], {}
    yield "arm-derived", [arm("a", "b"), *answers(2), some[0]], {}
    direct = in_arm("b", plain())
    two_or_direct = [arm("a", "b"), *(in_arm("a", each) for each in asked(1, 2)), direct]
    yield "direct", [arm("a", "b"), in_arm("a", yes_no("mixed", {"epsilon": 1})), direct], {}
    yield "direct-2", two_or_direct, {}
    yield "sometimes", [arm("a", "b"), yes_no(), direct], {}
    yield "text", [yes_no(), {"name": "text", "type": "text", "label": "?", "privacy": "none"}], {}
    for known in ("10/21", "1/6", "1/1000"):
        yield f"crosswise-{known}".replace("/", "-"), [crosswise(known=known)], {}
    yield "crosswise-mixed", [crosswise(known="1/6"), *asked(1, 2)], {}
    yield "crosswise-plain", [crosswise(known="1/6"), plain()], {}
    yield "crosswise-2", [crosswise(known="1/6"), crosswise("more", known="1/4")], {}
    rich = {"minutes": 5, "asked_by": "University of Somewhere", "contact": "a@example.org"}
    rich["support"] = "Call."
    questions = [*answers(8), derived("result", ANY, prefer_not_to_say=False), *asked(1, 2)]
    for number, text in enumerate(INTRODUCTIONS):
        yield f"rich-{number}", [*questions, plain()], rich | {"introduction": text}
        yield f"intro-{number}", asked(1, 2), {"introduction": text, "minutes": 5}
    yield "rich-waves", [*questions, plain()], rich | {"introduction": text, "series": "w"}
    yield "rich-direct", two_or_direct, rich | {"introduction": text}


def all_designs() -> Iterator[dict[str, Any]]:
    """A definition of each design. Some of them are refused, because they protect too little."""
    for name, questions, more in (*tables(), *designs()):
        yield content(name, questions, **more)
