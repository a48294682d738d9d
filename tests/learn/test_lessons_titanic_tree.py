"""The lesson "The tree": its trees, sentences and numbers, against the literature."""

import math

import numpy as np
import pytest

from survey.learn.controls import NumberChoice, WordChoice, read_values
from survey.learn.lessons.titanic_tree import COMMONEST, FIRST_ROWS, TitanicTree, grow_trees
from survey.learn.trees import text_tree, tree_ways
from survey.learn.trees.tree_ways import (
    CENTRAL,
    COINS,
    DATA_SETS,
    EXACT,
    PASSENGERS,
    TEXT,
    TEXT_WITHIN,
    WAYS,
)
from survey.learn.trees.weather import weather_gain
from tests.learn.ship import ALL, SOME

pytestmark = pytest.mark.fast


HELD_OUT = 1_100


def test_the_first_20_passengers_stand_next_to_their_fates(client):
    values = read_values(TitanicTree.controls, {"table": PASSENGERS, "way": EXACT, "depth": "1"})
    rows = TitanicTree().show(values).more["people"]
    assert len(rows) == FIRST_ROWS
    assert rows[0] == ("1", "third class", "man", "22", "died", "died")
    # One woman of the first class, 38 years old, and one man whose age is not recorded.
    assert rows[1] == ("2", "first class", "woman", "38", "survived", "survived")
    assert rows[5] == ("6", "third class", "man", "age not recorded", "died", "died")
    # The shallow tree predicts by the sex alone.
    assert all((row[2] == "woman") == (row[-2] == "survived") for row in rows)
    page = client.get(f"/learn/titanic-tree?table={PASSENGERS}").get_data(as_text=True)
    assert "The first 20 passengers" in page
    assert "The first 20 passengers" not in client.get("/learn/titanic-tree").get_data(as_text=True)


@pytest.mark.parametrize("data", [ALL, SOME], ids=list(DATA_SETS))
def test_nobody_is_in_both_halves_and_the_same_draw_gives_the_same_trees(data):
    one, other = (grow_trees(data, 2, 1.1, np.random.default_rng(5)) for _ in range(2))
    assert one == other
    assert sum(one.trees[EXACT].counts) == one.fitted == len(data.people()) - one.held
    assert all(0 <= right <= one.held for right in one.right.values())
    assert set(one.right) == {*WAYS, COMMONEST}


def test_all_ways_predict_more_than_that_everyone_died_but_the_texts_within_epsilon():
    """The exact tree is right for about 78 % of the held-out people, not 68 %.

    A share of 1,100 held-out people has a standard error of 1 point, so a mean of 6 has 0.4. With
    ε/69 at each count, the noise has a standard deviation of 89 people.
    """
    right = [grow_trees(ALL, 2, 1.1, np.random.default_rng(seed)).right for seed in range(6)]
    means = {name: np.mean([each[name] for each in right]) / HELD_OUT for name in right[0]}
    assert means[COMMONEST] == pytest.approx(0.677, abs=0.016)
    for name in (EXACT, CENTRAL, COINS, TEXT):
        assert 0.75 < means[name] < 0.80
    assert means[TEXT_WITHIN] < 0.75


def test_the_sentence_and_the_figures_say_what_the_text_spends():
    shown = TitanicTree().show(read_values(TitanicTree.controls, {"epsilon": "0.5", "depth": "3"}))
    assert shown.numbers["text_spent"] == pytest.approx(0.5 * (4 * (9 + 8 + 7) + 1))
    formulas = [figure.formula for figure in shown.figures]
    assert "ε = 0.5 at each count, up to ε = 48.5 for all counts" in formulas
    assert "ε = 0.5 / 97 at each count, at most ε = 0.5 for all counts" in formulas
    assert shown.more["levels"] == [
        ("1", "9", "18"), ("2", "8", "16"), ("3", "7", "14"), ("leaf", "–", "0.5"),
    ]  # fmt: skip
    assert shown.more["spent"] == "48.5"
    assert shown.sentence.startswith("A curator’s noise (central): a tree fitted to 1,101 people")


def test_the_page_does_not_accuse_the_text_of_what_it_does_not_write(client):
    """Only H(x, S) has a wrong minus sign in the text. Its H(p), H(S) and its code are right."""
    page = client.get("/learn/titanic-tree").get_data(as_text=True)
    assert "H(x, S) = −Σ (m_k/N) H(S_k)" in page
    assert "The formulas of the text for H(p) and H(S) are right." in page
    # 0.940 + 0.694, with 0.694 = 0.940 − 0.247 before rounding.
    before = weather_gain("outlook") + 2 * (
        -(5 / 14) * (0.4 * math.log2(0.4) + 0.6 * math.log2(0.6))
    )
    assert before == pytest.approx(0.940, abs=0.0005)
    assert 2 * before - weather_gain("outlook") == pytest.approx(1.634, abs=0.0005)


class CountedDraws(np.random.Generator):
    """A generator that counts the random numbers that it draws, together with its children."""

    drawn = 0

    def laplace(self, *arguments, **more):
        return self.count(super().laplace(*arguments, **more))

    def exponential(self, *arguments, **more):
        return self.count(super().exponential(*arguments, **more))

    def geometric(self, *arguments, **more):
        return self.count(super().geometric(*arguments, **more))

    def random(self, *arguments, **more):
        return self.count(super().random(*arguments, **more))

    def permutation(self, *arguments, **more):
        return self.count(super().permutation(*arguments, **more))

    @staticmethod
    def count(numbers):
        CountedDraws.drawn += np.size(numbers)
        return numbers


def test_no_address_draws_or_divides_more_than_two_million_times(monkeypatch):
    """Each table at each depth, and the rows that the trees divide or count."""
    rows = 0

    def counting(name, module, argument):
        work = getattr(module, name)

        def counted(*arguments):
            nonlocal rows
            rows += len(arguments[argument])
            return work(*arguments)

        monkeypatch.setattr(module, name, counted)

    counting("outcome_counts", tree_ways, 0)
    counting("outcome_counts", text_tree, 0)
    counting("branch_counts", text_tree, 0)
    divide = tree_ways.TreeTable.branches

    def divided(table, people, split):
        nonlocal rows
        rows += len(people)
        return divide(table, people, split)

    monkeypatch.setattr(tree_ways.TreeTable, "branches", divided)
    [tables] = [each for each in TitanicTree.controls if each.name == "table"]
    [depths] = [each for each in TitanicTree.controls if each.name == "depth"]
    assert isinstance(tables, WordChoice)
    assert isinstance(depths, NumberChoice)
    for table in tables.options:
        for depth in depths.options:
            CountedDraws.drawn = rows = 0
            draws = CountedDraws(np.random.PCG64(7))
            grow_trees(DATA_SETS[table], depth, 4.0, draws)
            assert 1_000 < CountedDraws.drawn < 100_000, (table, depth)
            assert 1_000 < rows < 400_000, (table, depth)
