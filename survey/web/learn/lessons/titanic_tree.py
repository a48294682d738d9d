"""The tree: who survived the Titanic, four ways, and the information gain of the weather."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from survey.analysis.trees.splits import entropy
from survey.core.translate import later, translate, translate_constant, translate_number
from survey.estimation.number_text import percent
from survey.web.learn.controls import Draw, NumberChoice, Slider, Values, WordChoice
from survey.web.learn.lesson import (
    BY_ADDING,
    BY_CHANGE,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
    generator_of,
)
from survey.web.learn.pictures import SplitBar, split_bars
from survey.web.learn.titanic import (
    DIED,
    SPLITS,
    SURVIVAL,
    SURVIVED,
    People,
    titanic_groups,
    titanic_people,
)
from survey.web.learn.tree_picture import ship_chart
from survey.web.learn.tree_ways import (
    CENTRAL,
    COINS,
    EXACT,
    TEXT,
    WAYS,
    PredictedNode,
    fate_counts,
    predictions,
    text_draws,
)
from survey.web.learn.weather import (
    DAYS,
    WEATHER_ANSWERS,
    WEATHER_QUESTIONS,
    day_counts,
    days_right,
    weather_gain,
)

HELD_OUT = 1_100  # of 2,201 people
NAMES_OF_WAYS = {
    EXACT: later("exact counts"),
    CENTRAL: later("a curator’s noise (central)"),
    COINS: later("two coins for survival"),
    TEXT: later("the course text’s noise"),
}
COMMONEST = "commonest"


def commonest_share() -> float:
    """The share of people for whom “everyone died” is right."""
    died = sum(numbers[DIED] for _, numbers in titanic_groups())
    return died / sum(sum(numbers) for _, numbers in titanic_groups())


@dataclass(frozen=True)
class FourTrees:
    """The trees of one draw, grown from one half of the people.

    Attributes
    ----------
    right : the number of predicted fates in the other half, for each way and for COMMONEST
    survived : the estimated number of survivors in the first half, from the reports of two coins
    """

    trees: Mapping[str, PredictedNode]
    right: Mapping[str, int]
    survived: float


def four_trees(depth: int, epsilon: float, generator: np.random.Generator) -> FourTrees:
    """Divide the people at random, grow all four trees from one half, and try them on the other."""
    order, *draws = generator.spawn(1 + len(WAYS))
    people = order.permutation(titanic_people())
    held, seen = people[:HELD_OUT], people[HELD_OUT:]
    trees = {
        name: way(seen, depth, epsilon, draw)
        for (name, way), draw in zip(WAYS.items(), draws, strict=True)
    }
    right = {name: number_right(predictions(tree, held), held) for name, tree in trees.items()}
    survived, died = fate_counts(seen)
    commonest = np.full(HELD_OUT, SURVIVED if survived > died else DIED)
    return FourTrees(
        trees,
        right | {COMMONEST: number_right(commonest, held)},
        trees[COINS].counts[SURVIVED],
    )


def number_right(predicted: np.ndarray, people: People) -> int:
    return int((predicted == people[:, SURVIVAL]).sum())


class TitanicTree(Lesson):
    """The way, ε, the depth and the draw vary."""

    address = "titanic-tree"
    neighbours = (BY_CHANGE, BY_ADDING)
    title = later("The tree")
    idea = later(
        "A decision tree asks one question after another. It needs only counts, so Candor "
        "can also fit it to counts with noise, and to randomised answers."
    )
    controls = (
        WordChoice("way", later("Tree in the picture"), NAMES_OF_WAYS, CENTRAL),
        Slider("epsilon", "ε", "0.1", "4", "0.1", "1.1"),
        NumberChoice("depth", later("Questions on the way to a leaf, at most"), (1, 2, 3), 2),
        # In the first draw, all four trees happen to predict the same fates.
        Draw(start=2),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            "entropy",
            later("Friends play football on 9 of 14 days. What is the entropy, in bits?"),
            later("Not yet. Calculate −(9/14) log₂(9/14) − (5/14) log₂(5/14)."),
            later("Right: 0.940 bits, almost as much as a fair coin."),
            lambda: entropy(np.array([9 / 14, 5 / 14])),
            0.005,
            later("bits"),
        ),
        Exercise(
            "gain",
            later(
                "They play on 2 of 5 sunny days, on all 4 overcast days, and on 3 of 5 days of "
                "rain. What is the information gain of the outlook, in bits?"
            ),
            later(
                "Not yet. The branches have the entropies 0.971, 0 and 0.971. Weigh them by 5/14, "
                "4/14 and 5/14, and subtract the sum from 0.940."
            ),
            later("Right: 0.940 − 0.694 = 0.247 bits, more than any other question."),
            lambda: weather_gain("outlook"),
            0.0015,
            later("bits"),
        ),
        Exercise(
            "spent",
            later(
                "The course text’s noise has ε = 0.1 at each count. Each question that is left at "
                "a level costs 2ε, and the leaves cost ε. What is the total ε of a tree with "
                "three questions and two levels?"
            ),
            later("Not yet. At the first level three questions are left, at the second level two."),
            later("Right: 2 × (3 + 2) × 0.1 + 0.1 = 1.1, and not 0.1."),
            lambda: 0.1 * text_draws(3, 2),
            0.005,
        ),
        Exercise(
            "commonest",
            later(
                "1,490 of 2,201 people died. For what percentage of the people is the prediction "
                "“everyone died” right?"
            ),
            later("Not yet. Divide the number of deaths by the number of people."),
            later("Right: 67.7 %. A tree is useful only if it predicts more than that."),
            lambda: 100 * commonest_share(),
            0.1,
            "%",
        ),
    )

    def show(self, values: Values) -> Shown:
        way, epsilon, depth = values.words["way"], values["epsilon"], values.whole("depth")
        four = four_trees(depth, epsilon, generator_of(values, self.address))
        spent = epsilon * text_draws(len(SPLITS), depth)
        numbers = {
            **{f"{name}_right": four.right[name] for name in (EXACT, CENTRAL, TEXT, COMMONEST)},
            "two_coins_survived": four.survived,
            "text_spent": spent,
            **{f"gain_{question}": weather_gain(question) for question in WEATHER_QUESTIONS},
        }
        sentence = translate(
            "%(way)s: a tree fitted to 1,101 people predicts the fate of %(right)s of the "
            "other 1,100 people correctly (%(share)s). “Everyone died” is right for %(died)s.",
            way=capital(translate_constant(NAMES_OF_WAYS[way])),
            right=translate_number(f"{four.right[way]:,}"),
            share=right_text(four.right[way]),
            died=right_text(four.right[COMMONEST]),
        )
        return Shown(
            sentence,
            tree_figures(four, epsilon, spent),
            [ship_picture(way, four), right_picture(four)],
            numbers,
            {"gains": weather_table(), "days": weather_days()},
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        groups = ",\n          ".join(f"({who}, {numbers})" for who, numbers in titanic_groups())
        return (
            Cell(
                "Class, sex and age of each group, with its survivors and its deaths:", code=False
            ),
            Cell(
                "import numpy as np\n\n"
                f"epsilon, depth = {values['epsilon']}, {values.whole('depth')}\n"
                f"groups = [{groups}]\n"
                "people = np.array([(*who, fate) for who, numbers in groups\n"
                "                   for fate, many in enumerate(numbers) for _ in range(many)])\n"
                f"generator = np.random.default_rng([{values.whole('draw')}, "
                f"*b{self.address!r}])\n"
                "order, _, central_draws, coins, text_draws = generator.spawn(5)\n"
                "people = order.permutation(people)\n"
                f"held, seen = people[:{HELD_OUT}], people[{HELD_OUT}:]"
            ),
            Cell(NOTEBOOK_TREE),
            Cell("The exact tree splits by the largest information gain:", code=False),
            Cell(NOTEBOOK_EXACT),
            Cell(
                "The curator’s tree selects the question that predicts the most people, by "
                "permute-and-flip. Each level has the same part of ε:",
                code=False,
            ),
            Cell(NOTEBOOK_CENTRAL),
            Cell("The text draws noise again for each entropy:", code=False),
            Cell(NOTEBOOK_TEXT),
            Cell("Two coins: the estimated share is 2P − 1/2.", code=False),
            Cell(
                "reports = coins.random(len(seen)) < np.where(seen[:, 3] == 0, 3 / 4, 1 / 4)\n"
                "two_coins_survived = len(seen) * (2 * reports.mean() - 1 / 2)"
            ),
            Cell("The weather: days with a game and without, for each answer.", code=False),
            Cell(weather_source()),
            Cell(
                "levels = range(depth)\n"
                "numbers = {'exact_right': right(exact), 'central_right': right(central),\n"
                "           'text_right': right(text),\n"
                "           'commonest_right': int((held[:, 3] == np.argmax(counts(seen)))"
                ".sum()),\n"
                "           'two_coins_survived': two_coins_survived,\n"
                "           'text_spent': epsilon * (2 * sum(3 - level for level in levels) + 1),\n"
                "           **gains}\nprint(numbers)"
            ),
        )


NOTEBOOK_TREE = """
answers = (4, 2, 2)  # of class, sex and age


def counts(rows):
    return np.bincount(rows[:, 3], minlength=2).astype(float)


def parts(rows, place):
    return [rows[rows[:, place] == answer] for answer in range(answers[place])]


def entropy(numbers):
    shares = np.asarray(numbers, dtype=float) / max(np.sum(numbers), 1e-9)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def predict(node, rows, above=1):
    survived, died = node[0]
    here = above if survived == died else int(survived < died)
    fates = np.full(len(rows), here)
    if node[1] is not None:
        for answer, child in enumerate(node[2]):
            there = rows[:, node[1]] == answer
            fates[there] = predict(child, rows[there], here)
    return fates


def right(tree):
    return int((predict(tree, held) == held[:, 3]).sum())


def split(rows, place, places, grown):
    others = [other for other in places if other != place]
    return [grown(part, others) for part in parts(rows, place)]


def added(children):
    return sum(np.array(child[0]) for child in children)
"""
NOTEBOOK_EXACT = """
def gain(rows, place):
    after = sum(len(part) * entropy(counts(part)) for part in parts(rows, place))
    return entropy(counts(rows)) - after / len(rows)


def exact_tree(rows, places, left):
    gains = [round(gain(rows, place), 9) for place in places if len(rows)]
    if left == 0 or not gains or max(gains) <= 0:
        return counts(rows), None, ()
    place = places[int(np.argmax(gains))]
    children = split(rows, place, places, lambda part, others: exact_tree(part, others, left - 1))
    return counts(rows), place, children


exact = exact_tree(seen, [0, 1, 2], depth)
"""
NOTEBOOK_CENTRAL = """
scale = (depth + 1) / epsilon * (1 + 1e-9)


def central_tree(rows, places, left):
    if left == 0:
        stop = -np.expm1(-1 / scale)
        noise = central_draws.geometric(stop, 2) - central_draws.geometric(stop, 2)
        return counts(rows) + noise, None, ()
    scores = np.array([sum(counts(part).max() for part in parts(rows, place)) for place in places])
    # Permute and flip selects like the largest score with exponential noise.
    noise = central_draws.exponential(1.0, (1, len(places)))
    place = places[int(np.argmax(scores / scale + noise))]
    children = split(rows, place, places, lambda part, others: central_tree(part, others, left - 1))
    return added(children), place, children


central = central_tree(seen, [0, 1, 2], depth)
"""
NOTEBOOK_TEXT = """
def noisy(rows):
    return np.maximum(counts(rows) + text_draws.laplace(0.0, 1 / epsilon, 2), 0.0)


def noisy_gain(rows, place):
    whole = noisy(rows)
    drawn = [noisy(part) for part in parts(rows, place)]
    total = max(sum(part.sum() for part in drawn), 1.0)
    return entropy(whole) - sum(part.sum() / total * entropy(part) for part in drawn)


def text_tree(rows, places, left):
    if left == 0:
        return noisy(rows), None, ()
    place = max(places, key=lambda each: noisy_gain(rows, each))
    children = split(rows, place, places, lambda part, others: text_tree(part, others, left - 1))
    return added(children), place, children


text = text_tree(seen, [0, 1, 2], depth)
"""


def weather_source() -> str:
    """Python that calculates the gains of the weather."""
    tables = {question: list(day_counts(question).values()) for question in WEATHER_QUESTIONS}
    return (
        f"weather = {tables}\n"
        "gains = {f'gain_{name}': entropy([9, 5]) - sum(sum(both) / 14 * entropy(both)\n"
        "                                              for both in table)\n"
        "         for name, table in weather.items()}"
    )


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def right_text(number: int) -> str:
    return translate_number(percent(number / HELD_OUT))


def tree_figures(four: FourTrees, epsilon: float, spent: float) -> list[Figure]:
    promised = translate_number(f"{epsilon:g}")
    notes = {
        EXACT: translate("no noise, no limit of ε"),
        CENTRAL: f"ε = {promised}",
        COINS: translate("ε = ln 3 = 1.10, for survival alone"),
        TEXT: translate(
            "promises ε = %(promised)s, spends ε = %(spent)s",
            promised=promised,
            spent=translate_number(f"{spent:.2f}".rstrip("0").rstrip(".")),
        ),
        COMMONEST: translate("no question at all"),
    }
    return [
        Figure(way_label(name), right_text(four.right[name]), note) for name, note in notes.items()
    ]


def way_label(name: str) -> str:
    if name == COMMONEST:
        return translate("The most frequent fate for everyone")
    return capital(translate_constant(NAMES_OF_WAYS[name]))


def ship_picture(way: str, four: FourTrees) -> LessonPicture:
    description = translate(
        "Each row is a group of the 1,101 people, with the counts that this method gives. Each "
        "leaf predicts its more frequent fate."
    )
    title = translate("The tree: %(way)s", way=translate_constant(NAMES_OF_WAYS[way]))
    return LessonPicture(ship_chart(four.trees[way]), description, title)


def right_picture(four: FourTrees) -> LessonPicture:
    """The numbers of right and wrong predictions of all ways, one bar each."""
    bars = []
    for name in (*WAYS, COMMONEST):
        right = four.right[name]
        words = (
            translate("%(number)s right", number=translate_number(f"{right:,}")),
            translate("%(number)s wrong", number=translate_number(f"{HELD_OUT - right:,}")),
        )
        bars.append(SplitBar(way_label(name), right, HELD_OUT - right, words))
    chart = split_bars(bars, HELD_OUT, (translate("right"), translate("wrong")))
    description = translate(
        "The predictions are for the 1,100 people who were not used to fit a tree. To use "
        "another half of the people, press “Draw again”."
    )
    return LessonPicture(chart, description, translate("Predictions for the other half"))


def weather_table() -> list[tuple[str, str, str]]:
    """For each question its gain in bits, and how many of 14 days it predicts."""
    return [
        (
            translate_constant(label),
            translate_number(f"{weather_gain(question):.3f}"),
            translate_number(str(days_right(question))),
        )
        for question, label in WEATHER_QUESTIONS.items()
    ]


def weather_days() -> list[str]:
    """The 14 days, each as the answers in the order of WEATHER_QUESTIONS and the outcome."""
    lines = []
    for *weather, game in DAYS:
        answers = translate(", ").join(
            translate_constant(WEATHER_ANSWERS[each]) for each in weather
        )
        lines.append(f"{answers} → {translate_constant(WEATHER_ANSWERS[game])}")
    return lines
