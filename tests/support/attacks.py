"""The textbook attacks, against a table of raw answers and against what Candor stores.

A seeded generator simulates the people. The reports take the complete path: a randomized report by
the survey's own table, a request body, intake, the store. The attacker then has the counts and rows
that researchers have. The raw table is what a survey that stores answers would have.
"""

import hashlib
import json
import weakref
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from survey.core.errors import SpentInvitation
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response, parse_response
from survey.definition.responses.receipts import parse_withdrawal, response_id
from survey.learn.attacks.count_differences import chances_of_count
from survey.learn.attacks.random_subsets import rebuild_by_least_squares
from survey.planning.shuffle_amplification import counted_deltas
from survey.planning.simulation import reports_of
from survey.store import Store, open_store
from tests.support.definitions import definition, opened, yes_no

YES, NO = 0, 1
REGIONS = [{"name": f"r{n}", "label": f"Region {n}"} for n in range(10)]
SECRET = yes_no("stole", label="Have you ever stolen from an employer?")
WHO = (
    yes_no("woman", "none", "Are you a woman?"),
    {
        "name": "region",
        "type": "select_one",
        "label": "Region",
        "choices": REGIONS,
        "privacy": "none",
    },
    {
        "name": "year",
        "type": "number",
        "label": "Year of birth",
        "min": 1940,
        "max": 2005,
        "privacy": "none",
    },
    {
        "name": "day",
        "type": "number",
        "label": "Day of that year",
        "min": 1,
        "max": 365,
        "privacy": "none",
    },
)
SEAT = {
    "name": "seat",
    "type": "number",
    "label": "Your number on the list",
    "min": 0,
    "max": 9999,
    "privacy": "none",
}


@dataclass(frozen=True)
class Outcome:
    """The number of `targets` that the attacker guessed in the two tables.

    It also has the share that no attacker can exceed on average against Candor.
    """

    attack: str
    targets: int
    raw: int
    candor: int
    bound: float

    def line(self) -> str:
        """A row of docs/evidence/textbook-attacks.md."""
        share = [f"{100 * hits / self.targets:.1f} %" for hits in (self.raw, self.candor)]
        return f"| {self.attack} | {self.targets:,} | {share[0]} | {share[1]} | " + (
            f"{100 * self.bound:.1f} % |"
        )


class Field:
    """An open survey, and people who answer it one after another."""

    def __init__(self, folder: Path, content: dict, seed: int):
        folder.mkdir()
        self.store: Store = open_store(str(folder / "candor.db"))
        weakref.finalize(self, self.store.close)
        # A group commit puts the same rows into the same tables. It only delays the disk.
        with self.store.database.reading() as db:  # A single thread needs a single connection.
            db.execute("PRAGMA synchronous=OFF")
        self.frozen: FrozenSurvey = opened(self.store, content)
        self.generator = np.random.default_rng(seed)
        self.fields = [question.name for question in self.frozen.survey.fields]

    def receipt(self) -> str:
        return self.generator.bytes(16).hex()

    def response(self, answers: dict[str, int], receipt: str = "", code: str = "") -> Response:
        """Answer like a browser: each private answer gets a new draw from its table."""
        reports = {}
        for question in self.frozen.survey.fields:
            place = np.array([answers[question.name]])
            report = reports_of(question, place, self.generator)[0]
            reports[question.name] = str(report).rjust(question.form.width or 0, "0")
        content = {
            "id": response_id(receipt or self.receipt()).hex(),
            "fingerprint": self.frozen.fingerprint,
            "reports": reports,
        } | ({"invitation": code} if code else {})
        return parse_response(json.dumps(content).encode(), self.frozen)

    def send(self, answers: dict[str, int], receipt: str = "") -> None:
        self.store.responses.add_response("health", self.response(answers, receipt))

    def send_together(self, people: list[dict[str, int]], code: str = "") -> int:
        """Send for each person in one transaction. Returns how many were accepted.

        The attacks that look at the tables only afterwards need no transaction for each person.
        """
        sent = [("health", self.response(answers, code=code)) for answers in people]
        verdicts = self.store.responses.add_all(sent)
        assert all(each is True or isinstance(each, SpentInvitation) for each in verdicts)
        return verdicts.count(True)

    def yes(self) -> int:
        """The number of released reports with Yes."""
        return self.store.counts.by_question("health").get("stole", {}).get(YES, 0)

    def rows(self) -> list[dict[str, int]]:
        """The released responses, as responses.csv has them."""
        return [
            dict(zip(self.fields, row, strict=True)) for row in self.store.responses.rows("health")
        ]


def secrets(n: int, generator: np.random.Generator) -> np.ndarray:
    """Yes or No, equally likely, so that a guess of the more common answer gains nothing."""
    return generator.integers(0, 2, n)


def linkage(folder: Path) -> Outcome:
    """The attacker knows a person's sex, region and date of birth, and looks for that row."""
    n, generator = 600, np.random.default_rng(1)
    people = [
        {"woman": int(a), "region": int(b), "year": int(c), "day": int(d), "stole": int(x)}
        for a, b, c, d, x in zip(
            generator.integers(0, 2, n),
            generator.integers(0, 10, n),
            generator.integers(0, 66, n),
            generator.integers(0, 365, n),
            secrets(n, generator),
            strict=True,
        )
    ]
    field = Field(folder, definition(*WHO, SECRET), seed=2)
    assert field.send_together(people) == n

    def hits(table: list[dict[str, int]]) -> int:
        found: dict[tuple[int, ...], Counter[int]] = {}
        for row in table:
            key = tuple(row[question["name"]] for question in WHO)
            found.setdefault(key, Counter())[row["stole"]] += 1
        return sum(
            found[tuple(p[q["name"]] for q in WHO)].most_common(1)[0][0] == p["stole"]
            for p in people
        )

    return Outcome("linkage", n, hits(people), hits(field.rows()), 3 / 4)


def arrivals_one_by_one(folder: Path) -> Outcome:
    """The attacker knows whose turn it is and reads the counts before and after each response."""
    n = 600
    field = Field(folder, definition(SECRET, batch=1), seed=3)
    guesses, before = [], 0
    truth = secrets(n, field.generator)
    for secret in truth:
        field.send({"stole": int(secret)})
        after = field.yes()
        guesses.append(YES if after > before else NO)
        before = after
    # The raw counts are read in the same way.
    raw = np.where(np.diff(np.cumsum(truth == YES), prepend=0) == 1, YES, NO)
    return Outcome(
        "differencing, each response published at once",
        n,
        int((raw == truth).sum()),
        int((guesses == truth).sum()),
        3 / 4,
    )


def arrivals_in_batches(folder: Path) -> Outcome:
    """The same attacker also knows the true answers of all others of the batch."""
    batches, size = 150, 25
    field = Field(folder, definition(SECRET, batch=size), seed=4)
    targets = secrets(batches, field.generator)
    hits = before = 0
    worst = 0.0
    for secret in targets:
        others = field.generator.integers(0, 2, size - 1)
        field.send_together([{"stole": int(answer)} for answer in [*others, secret]])
        said, before = field.yes() - before, field.yes()
        likely = [
            chances_of_count(int((others == YES).sum()) + (mine == YES), size, 3 / 4)[said]
            for mine in (YES, NO)
        ]
        hits += int(np.argmax(likely)) == secret
        known = np.array([(others == YES).sum()])
        worst = max(worst, float(counted_deltas(size, 3.0, 0.0, known)[0]))
    # A raw count minus the known answers of the others is the answer.
    return Outcome(
        "differencing, batches of 25, all others known", batches, batches, hits, (1 + worst) / 2
    )


def withdrawals(folder: Path) -> Outcome:
    """The counts with and without one person.

    A withdrawal takes effect at once, and its moment is known.
    """
    n = 400
    field = Field(folder, definition(SECRET, receipts=True), seed=5)
    truth, receipts = secrets(n, field.generator), [field.receipt() for _ in range(n)]
    for secret, receipt in zip(truth, receipts, strict=True):
        field.send({"stole": int(secret)}, receipt)
    hits = 0
    for secret, receipt in zip(truth, receipts, strict=True):
        before = field.yes()
        ids = parse_withdrawal(json.dumps({"receipt": receipt}).encode())
        field.store.responses.withdraw("health", *ids)
        hits += (YES if field.yes() < before else NO) == secret
    return Outcome("differencing, with and without one person", n, n, hits, 3 / 4)


def reconstruction(folder: Path) -> Outcome:
    """The attack of Dinur & Nissim: many random subsets are counted, each with an error.

    Least squares find the shares that fit the counts best, which are then rounded.
    """
    people, tables, queries, error = 100, 6, 800, 3
    raw = candor = 0
    for number in range(tables):
        content = definition(SEAT, SECRET, slug="health")
        field = Field(folder.with_name(f"{folder.name}{number}"), content, seed=10 + number)
        truth = secrets(people, field.generator)
        field.send_together([{"seat": n, "stole": int(secret)} for n, secret in enumerate(truth)])
        subsets = field.generator.integers(0, 2, (queries, people)).astype(float)
        noise = field.generator.integers(-error, error + 1, queries)
        counts = subsets @ (truth == YES) + noise
        found = rebuild_by_least_squares(subsets, counts)
        raw += int((found == (truth == YES)).sum())
        # Against Candor, each subset's count is the estimate of the results page: n (2P - 1/2).
        said = np.zeros(people)
        for row in field.rows():
            said[row["seat"]] = row["stole"] == YES
        estimates = 2 * subsets @ said - subsets.sum(axis=1) / 2
        found = rebuild_by_least_squares(subsets, estimates)
        candor += int((found == (truth == YES)).sum())
    return Outcome(
        "reconstruction from 800 subset counts, each off by up to 3",
        people * tables,
        raw,
        candor,
        3 / 4,
    )


def averaging(folder: Path) -> Outcome:
    """Everyone responds many times with a new draw each time, and the majority is the guess.

    "Raw" here is a survey that randomises with two coin flips and accepts all responses. Its
    non-private answers identify the people. Candor gives the same people one invitation each, and
    accepts one response each.
    """
    n, times = 300, 13
    taken = Field(folder.with_name("taken"), definition(SEAT, SECRET), seed=6)
    once = Field(folder, definition(SEAT, SECRET, invitations=True), seed=7)
    truth = secrets(n, once.generator)
    codes = [code_from(hashlib.sha256(bytes([n % 256, n // 256])).digest()[:16]) for n in range(n)]
    once.store.invitations.add_invitations("health", [token_hash(code) for code in codes])
    for seat, secret in enumerate(truth):
        tries = [{"seat": seat, "stole": int(secret)}] * times
        assert taken.send_together(tries) == times
        assert once.send_together(tries, codes[seat]) == 1

    def hits(field: Field) -> int:
        said = np.zeros(n)
        for row in field.rows():
            said[row["seat"]] += 1 if row["stole"] == YES else -1
        return int((np.where(said > 0, YES, NO) == truth).sum())

    return Outcome("averaging over 13 responses of each person", n, hits(taken), hits(once), 3 / 4)


ATTACKS = (
    linkage,
    arrivals_one_by_one,
    arrivals_in_batches,
    withdrawals,
    reconstruction,
    averaging,
)
