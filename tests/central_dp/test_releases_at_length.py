"""Central DP releases in large numbers: the distribution of their noise, and their ledger."""

import math
import random
from contextlib import contextmanager
from datetime import date
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from survey.central_dp.budget import CentralDPBudget
from survey.central_dp.dp_request import Request, read_request
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.opendp_sampler import measurement_of
from survey.core.errors import OverBudget, ReleaseError
from survey.definition.survey import parse_survey
from survey.store.sqlite.connections import SQLiteDatabase
from survey.store.sqlite.store import SQLiteStore
from tests.support.definitions import definition, opened
from tests.support.every_type import asked, letters
from tests.support.lengths import length, soak

DRAWS, SEQUENCES = 1_000_000, 100_000
# The probability of a false alarm, because OpenDP has no seed.
ALARM = 1e-8
# The least expected number of draws of a class of the test.
LEAST_EXPECTED = 20

CONTENT = definition(asked("region", "select_one", "none", choices=letters("nes")))


def noise(epsilon, **more):
    survey = parse_survey(CONTENT)
    typed = {"question": "region", "statistic": "histogram", "epsilon": epsilon}
    return noises_of(survey, read_request(survey, typed | more), 100)[0]


def p_value(drawn, gaussian, scale):
    """Of a chi-squared test of whole numbers against the discrete distribution with this scale."""
    places = np.arange(-math.ceil(60 * scale), math.ceil(60 * scale) + 1)
    powers = -((places / scale) ** 2) / 2 if gaussian else -abs(places) / scale
    chances = np.exp(powers) / np.exp(powers).sum()
    frequent = np.flatnonzero(chances * len(drawn) >= LEAST_EXPECTED)
    first, last = places[frequent[0]], places[frequent[-1]]
    # The classes at the ends have all numbers farther out.
    size = last - first + 1
    observed = np.bincount(np.clip(drawn, first, last) - first, minlength=size)
    expected = np.bincount(np.clip(places, first, last) - first, chances, size)
    return chisquare(observed, expected * len(drawn)).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.5", "1.1", "2"])
@pytest.mark.parametrize("more", [{}, {"mechanism": "gaussian", "delta": "0.000001"}])
def test_a_million_draws_have_the_exact_distribution(epsilon, more):
    found = noise(epsilon, **more)
    assert found.gaussian == bool(more)
    if not more:
        # A respondent changes one count by 1.
        assert found.scale == pytest.approx(1 / float(epsilon), rel=1e-8)
    drawn = np.array(measurement_of(found)([0] * DRAWS))
    assert p_value(drawn, found.gaussian, found.scale) > ALARM
    # The same test notices a scale that differs by 2 %.
    assert p_value(drawn, found.gaussian, 1.02 * found.scale) < ALARM


class Stopped(Exception):
    """The server stops."""


@contextmanager
def stopped_before_the_commit(transaction):
    with transaction() as db:
        yield db
        raise Stopped


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A path. A process that stops loses nothing that SQLite has written, unlike a loss of power,
    so no commit waits for the disk."""
    real = SQLiteDatabase.connect

    def connect(self):
        db = real(self)
        db.execute("PRAGMA synchronous=OFF")
        return db

    monkeypatch.setattr(SQLiteDatabase, "connect", connect)
    return tmp_path / "candor.db"


def worst_loss(requests):
    """Epsilon and delta of the respondent with the largest sum, over all possible respondents."""
    members = [
        {("", ""), *((each.group, each.member) for each in requests if each.group == group)}
        for group in ("region", "sleep")
    ]
    return tuple(
        max(
            sum(each.loss[part] for each in requests if not each.group or
                (each.group, each.member) in respondent)
            for respondent in product(*members)
        )
        for part in (0, 1)
    )  # fmt: skip


def random_request(drawn):
    """A request; some are repeated in a sequence, because there are few."""
    epsilon = decimal(drawn.choice((1, 2, 5, 10, 25, 40)))
    group, member = drawn.choice(
        (("", ""), ("region", "n"), ("region", "e"), ("sleep", "1"), ("sleep", "2"))
    )
    with_delta = drawn.random() < 0.3
    mechanism, delta = ("gaussian", "0.000001") if with_delta else ("laplace", "0")
    return Request(
        statistic="mean",
        question="age",
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta,
        group=group,
        member=member,
    )


def decimal(hundredths):
    return f"{hundredths // 100}.{hundredths % 100:02}".rstrip("0").rstrip(".")


def random_budget(drawn):
    return CentralDPBudget(
        Fraction(drawn.randrange(1, 101), 100), Fraction(drawn.choice((0, 1, 2)), 10**6)
    )


class Client:
    """A researcher who sends requests, and knows all answers so far."""

    def __init__(self, path, drawn):
        self.path, self.drawn = path, drawn
        self.store = SQLiteStore(path)
        self.answers, self.budget = {}, None
        self.counts = dict.fromkeys(("released", "refused", "repeated", "stopped", "restarts"), 0)

    def restart(self):
        self.store.close()
        self.store = SQLiteStore(self.path)
        self.counts["restarts"] += 1

    def begin_again(self):
        """An empty ledger with another budget."""
        with self.store.releases.database.transaction() as db:
            db.execute("DELETE FROM releases")
            db.execute("DELETE FROM release_budgets")
        self.answers, self.budget = {}, random_budget(self.drawn)
        self.store.releases.set_budget("health", self.budget)

    def change_budget(self):
        wanted = random_budget(self.drawn)
        spent = worst_loss(list(self.answers))
        pairs = [(wanted.epsilon, self.budget.epsilon, spent[0]),
                 (wanted.delta, self.budget.delta, spent[1])]  # fmt: skip
        allowed = all(used <= now and (now <= old or not self.answers) for now, old, used in pairs)
        try:
            self.store.releases.set_budget("health", wanted)
        except ReleaseError:
            assert not allowed
        else:
            assert allowed
            self.budget = wanted

    def ask(self, request):
        """One request. The server may stop before the commit, and then it has spent nothing."""
        values = ((self.drawn.randrange(10**6),),)
        database = self.store.releases.database
        before = list(self.answers)
        fits = all(
            loss <= most
            for loss, most in zip(
                worst_loss([*before, request]),
                (self.budget.epsilon, self.budget.delta),
                strict=True,
            )
        )
        moment = self.drawn.random()
        if moment < 0.15:
            real = database.transaction
            database.transaction = lambda: stopped_before_the_commit(real)
        try:
            found = self.store.releases.add_release("health", request, 40, values, date(2026, 1, 1))
        except OverBudget:
            assert not fits
            assert request not in self.answers
            self.counts["refused"] += 1
            return
        except Stopped:
            self.counts["stopped"] += 1
            return
        finally:
            database.__dict__.pop("transaction", None)
        if request in self.answers:
            assert found.drawn == self.answers[request]
            self.counts["repeated"] += 1
            return
        assert fits
        assert found.drawn == values
        self.answers[request] = values
        self.counts["released"] += 1

    def check(self):
        """The ledger has what was answered, and spends no more than the budget."""
        ledger = self.store.releases.ledger("health")
        assert {each.request: each.drawn for each in ledger} == self.answers
        assert len(ledger) == len(self.answers)
        epsilon, delta = worst_loss([each.request for each in ledger])
        assert epsilon <= self.budget.epsilon
        assert delta <= self.budget.delta
        assert self.store.releases.budget("health") == self.budget


def run_sequences(path, count):
    """Random sequences of up to eight requests, changes of the budget, failures and restarts."""
    drawn = random.Random(20261130)
    client = Client(path, drawn)
    opened(client.store, CONTENT, "closed")
    for _ in range(count):
        client.begin_again()
        for _ in range(drawn.randrange(1, 9)):
            chance = drawn.random()
            if chance < 0.1:
                client.change_budget()
            elif chance < 0.11:
                client.restart()
            else:
                client.ask(random_request(drawn))
        client.check()
    client.store.close()
    return client.counts


def test_the_ledger_keeps_its_budget_in_random_sequences(database):
    assert min(run_sequences(database, 100).values()) > 0


@soak
@pytest.mark.slow
def test_the_ledger_keeps_its_budget_in_many_sequences(database):
    run_sequences(database, length(5_000, SEQUENCES))
