"""What a survey's public document says about one respondent, calculated with own fractions.

Nothing of Candor's code is used: the tables are integers, and the rest is the definition.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

LOW, GUESS = Fraction(4), Fraction(19)
Rows = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class Facts:
    """The facts that sentences are about.

    Attributes
    ----------
    about : the largest likelihood ratio about each answer that is protected or not sent
    together : the largest one about all answers
    product : the product of the bounds of all reports, at most what a page may state
    mixed, given : the possible numbers of answers that are mixed up, and sent as given
    hidden : the number of crosswise questions
    asked : the possible numbers of questions that one person is asked
    kept : the number of answers that are not sent, and on which no joint report is
    """

    document: dict[str, Any]
    about: dict[str, Fraction]
    together: Fraction
    product: Fraction
    mixed: frozenset[int]
    given: frozenset[int]
    asked: frozenset[int]
    hidden: int
    kept: int
    arms: int

    @property
    def one(self) -> Fraction:
        """The largest likelihood ratio about any one answer."""
        return max(self.about.values(), default=Fraction(1))

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self.document["definition"]["questions"]

    @property
    def derived(self) -> list[dict[str, Any]]:
        """The results and joint reports."""
        tables = self.document["tables"]
        return [each for each in self.questions if "derived" in each and each["name"] in tables]

    @property
    def waves(self) -> bool:
        return "series" in self.document["definition"]

    @property
    def level(self) -> str:
        """The class of the heading that is right."""
        if not self.private and not self.hidden:
            return "none"
        if self.one > GUESS:
            return "hardly"
        if self.one > LOW or self.product > GUESS:
            return "weak"
        return "partial" if max(self.given) else "full"

    @property
    def private(self) -> bool:
        return self.mixed != {0}


def facts_of(document: dict[str, Any]) -> Facts:
    questions = document["definition"]["questions"]
    arm = next((each for each in questions if "random" in each.get("derived", {})), None)
    arms = [None] if arm is None else [choice["name"] for choice in arm["choices"]]
    asked = [[each for each in questions if in_arm(each, arm, drawn)] for drawn in arms]
    bounds = [bounds_of(document, each) for each in asked]
    about: dict[str, Fraction] = {}
    for each, _, _ in bounds:
        about |= {name: max(odds, about.get(name, odds)) for name, odds in each.items()}
    together, product = (max(each[place] for each in bounds) for place in (1, 2))
    sample = sample_of(document)
    mixed = [sample or len(mixed_up(each)) for each in asked]
    given = [sum(is_given(question) for question in each) for each in asked]
    behind = {name for each in questions for name in each.get("derived", {}).get("joint", ())}
    kept = [q for q in questions if q["privacy"] == "not_sent" and q["name"] not in behind]
    hidden = sum("known_share" in each for each in questions)
    return Facts(
        document,
        about,
        together,
        product,
        frozenset(mixed),
        frozenset(given),
        frozenset(number_asked(each, sample) for each in asked),
        hidden,
        len(kept),
        len(arms),
    )


def sample_of(document: dict[str, Any]) -> int | None:
    chosen = document["definition"].get("budget", {}).get("per_respondent", "all")
    return None if chosen == "all" else chosen["sample"]


def in_arm(question: dict[str, Any], arm: dict[str, Any] | None, drawn: str | None) -> bool:
    """Whether someone who drew this arm is asked a question."""
    if arm is None:
        return True
    if question is arm:
        return False
    condition = question.get("relevant", {}).get(arm["name"])
    return condition is None or drawn in condition


def number_asked(questions: list[dict[str, Any]], sample: int | None) -> int:
    asked = [each for each in questions if "derived" not in each]
    private = sum(each["privacy"] not in ("none", "not_sent") for each in asked)
    return len(asked) - private + sample if sample else len(asked)


def is_given(question: dict[str, Any]) -> bool:
    return question["privacy"] == "none" and "known_share" not in question


def mixed_up(questions: list[dict[str, Any]]) -> list[str]:
    """The names of the answers that are mixed up: for a joint report, those of its questions."""
    names = []
    for each in questions:
        if each["privacy"] not in ("none", "not_sent"):
            names += each.get("derived", {}).get("joint", [each["name"]])
    return names


def rows_of(document: dict[str, Any], question: dict[str, Any]) -> Rows | None:
    """The probabilities of the reports, for each answer; None if the answer is not protected."""
    if "known_share" in question:
        share = Fraction(question["known_share"])
        return (share, 1 - share), (1 - share, share)
    table = document["tables"].get(question["name"])
    if table is None:
        return None
    return [[Fraction(entry, sum(row)) for entry in row] for row in table["rows"]]


def ratio(row: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return max(each / against for each, against in zip(row, other, strict=True))


def bounds_of(
    document: dict[str, Any], questions: list[dict[str, Any]]
) -> tuple[dict[str, Fraction], Fraction, Fraction]:
    """About each answer, about all, and the product of all, for what one arm is asked."""
    about, results, of_results = dict[str, Fraction](), [], []
    for each in questions:
        rows = rows_of(document, each)
        if rows is None:
            continue
        largest = max(ratio(a, b) for a in rows for b in rows)
        if "derived" in each:
            results.append((each, rows))
            of_results.append(largest)
        else:
            about[each["name"]] = largest
    own = math.prod(sorted(about.values(), reverse=True)[: sample_of(document)], start=Fraction(1))
    product = own * math.prod(of_results, start=Fraction(1))
    behind, together = about_results(questions, results)
    return about | behind, together * own, product


def about_results(
    questions: list[dict[str, Any]], results: list[tuple[dict[str, Any], Rows]]
) -> tuple[dict[str, Fraction], Fraction]:
    """The bounds about each answer behind the results, and about all these answers together."""
    names = [each["name"] for each in questions if each["privacy"] == "not_sent"]
    values = {
        chosen: tuple(
            value_of(each["derived"], dict(zip(names, chosen, strict=True))) for each, _ in results
        )
        for chosen in itertools.product(("yes", "no"), repeat=len(names))
    }
    pairs = set(itertools.product(values.values(), repeat=2))
    together = {pair: between(results, *pair) for pair in pairs}
    about = {
        name: max(together[values[each], values[neighbour(each, place)]] for each in values)
        for place, name in enumerate(names)
    }
    return about, max(together.values())


def neighbour(chosen: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The combination that differs in one answer."""
    other = "no" if chosen[place] == "yes" else "yes"
    return (*chosen[:place], other, *chosen[place + 1 :])


def value_of(rule: dict[str, Any], chosen: dict[str, str]) -> int:
    """The row of a result."""
    ((operation, behind),) = rule.items()
    if operation == "joint":
        return int("".join("0" if chosen[name] == "yes" else "1" for name in behind), 2)
    holds = {"any": any, "all": all}[operation]
    return 0 if holds(chosen[name] in wanted for name, wanted in behind.items()) else 1


def between(
    results: list[tuple[dict[str, Any], Rows]], values: Sequence[int], others: Sequence[int]
) -> Fraction:
    parts = zip(results, values, others, strict=True)
    return math.prod((ratio(rows[a], rows[b]) for (_, rows), a, b in parts), start=Fraction(1))


def percent_up(odds: Fraction) -> str:
    """The certainty from two equally likely answers, as pages round it: up."""
    certainty = 100 * odds / (1 + odds)
    if certainty > Fraction(999, 10):
        return "more"
    digits = 1 if certainty > 99 else 0
    return f"{math.ceil(certainty * 10**digits) / 10**digits:g}"
