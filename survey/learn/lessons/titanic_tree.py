"""The tree: who survived the Titanic, five ways, and the information gain of the weather."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from survey.analysis.trees.splits import entropy
from survey.core.translate import later, translate, translate_constant, translate_count
from survey.learn.controls import Draw, NumberChoice, Slider, Values, WordChoice
from survey.learn.lesson import (
    BY_ADDING,
    BY_CHANGE,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
)
from survey.learn.pictures import SplitBar, split_bars
from survey.learn.trees.text_tree import (
    COUNTS_OF_A_GAIN,
    text_candidates,
    text_draws,
    text_levels,
)
from survey.learn.trees.titanic import SHIP
from survey.learn.trees.tree_nodes import PredictedNode, node_of, number_right, predictions
from survey.learn.trees.tree_picture import tree_chart
from survey.learn.trees.tree_table import TreeTable, outcome_counts
from survey.learn.trees.tree_ways import (
    ALL_PEOPLE,
    CENTRAL,
    COINS,
    DATA_SETS,
    EXACT,
    NAMES_OF_DATA_SETS,
    PASSENGERS,
    TEXT,
    TEXT_WITHIN,
    WAYS,
    DataSet,
    exact_tree,
)
from survey.learn.trees.weather import (
    DAY_ROWS,
    DAYS,
    WEATHER,
    WEATHER_ANSWERS,
    WEATHER_QUESTIONS,
    day_counts,
    days_right,
    weather_gain,
)
from survey.learn.written_numbers import round_to_text, share_in_percent, with_decimals
from survey.web.titanic_people import DIED, SURVIVAL, SURVIVED, titanic_groups, titanic_people

NAMES_OF_WAYS = {
    EXACT: later("exact counts"),
    CENTRAL: later("a curator’s noise (central)"),
    COINS: later("two coins for survival"),
    TEXT: later("the course text’s code"),
    TEXT_WITHIN: later("the course text’s code, with ε divided among all counts"),
}
COMMONEST = "commonest"
# The text predicts these rows of its table.
FIRST_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class Trees:
    """The trees of one draw, grown from one half of the people.

    Attributes
    ----------
    right : the number of predicted fates in the other half, for each way and for COMMONEST
    fitted, held : the numbers of people in both halves
    """

    table: TreeTable
    trees: Mapping[str, PredictedNode]
    right: Mapping[str, int]
    fitted: int
    held: int

    @property
    def survived(self) -> float:
        """The estimated number of survivors in the first half, from the reports of two coins."""
        return self.trees[COINS].counts[SURVIVED]


def grow_trees(data: DataSet, depth: int, epsilon: float, generator: np.random.Generator) -> Trees:
    """Divide the people at random, grow all trees from one half, and try them on the other."""
    order, *draws = generator.spawn(1 + len(WAYS))
    people = order.permutation(data.people())
    many = len(people) // 2
    held, seen = people[:many], people[many:]
    trees = {
        name: way(data, seen, depth, epsilon, draw)
        for (name, way), draw in zip(WAYS.items(), draws, strict=True)
    }
    trees[COMMONEST] = node_of(outcome_counts(seen))
    right = {name: number_right(tree, held, data.table) for name, tree in trees.items()}
    return Trees(table=data.table, trees=trees, right=right, fitted=len(seen), held=many)


class TitanicTree(Lesson):
    """The table, the way, ε, the depth and the draw vary."""

    address = "titanic-tree"
    neighbours = (BY_CHANGE, BY_ADDING)
    title = later("The tree")
    idea = later(
        "A decision tree asks one question after another. It needs only counts, so Candor "
        "can also fit it to counts with noise, and to randomised answers."
    )
    controls = (
        WordChoice("table", later("Table"), NAMES_OF_DATA_SETS, ALL_PEOPLE),
        WordChoice("way", later("Tree in the picture"), NAMES_OF_WAYS, CENTRAL),
        Slider(name="epsilon", label="ε", low="0.1", high="4", step="0.1", start="1.1"),
        NumberChoice("depth", later("Questions on the way to a leaf, at most"), (1, 2, 3), 2),
        # In the first draw, the trees happen to predict the same fates.
        Draw(start=2),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="entropy",
            question=later("Friends play football on 9 of 14 days. What is the entropy, in bits?"),
            hint=later("Not yet. Calculate −(9/14) log₂(9/14) − (5/14) log₂(5/14)."),
            explanation=later("Right: 0.940 bits, almost as much as a fair coin."),
            solution=lambda: entropy(np.array([9 / 14, 5 / 14])),
            tolerance=0.005,
            unit=later("bits"),
        ),
        Exercise(
            name="gain",
            question=later(
                "They play on 2 of 5 sunny days, on all 4 overcast days, and on 3 of 5 days of "
                "rain. What is the information gain of the outlook, in bits?"
            ),
            hint=later(
                "Not yet. The branches have the entropies 0.971, 0 and 0.971. Weigh them by 5/14, "
                "4/14 and 5/14, and subtract the sum from 0.940."
            ),
            explanation=later(
                "Right: 0.940 − 0.694 = 0.247 bits, more than any other question. (The numbers are "
                "rounded.)"
            ),
            solution=lambda: weather_gain("outlook"),
            tolerance=0.0015,
            unit=later("bits"),
        ),
        Exercise(
            name="candidates",
            question=later(
                "The course text’s code divides the answers to a question into two sets. The class "
                "has four answers. How many ways are there to divide them?"
            ),
            hint=later(
                "Not yet. Four answers have 16 sets. Leave out the empty set and the full one. A "
                "set and the rest are the same division."
            ),
            explanation=later("Right: (16 − 2) / 2 = 7."),
            solution=lambda: text_candidates((4,), 0),
            tolerance=0,
        ),
        Exercise(
            name="spent",
            question=later(
                "The course text’s code has ε = 0.1 at each count. One person is in four counts of "
                "each division, and in one count of a leaf. A node has 9 divisions at the first "
                "level, and up to 8 at the second level. What is the total ε of a tree with two "
                "levels?"
            ),
            hint=later(
                "Not yet. There are 9 + 8 divisions, with four counts each. Then add the leaf."
            ),
            explanation=later("Right: 4 × (9 + 8) × 0.1 + 0.1 = 6.9, and not 0.1."),
            solution=lambda: 0.1 * text_draws(SHIP, 2),
            tolerance=0.005,
        ),
        Exercise(
            name="commonest",
            question=later(
                "1,490 of 2,201 people died. For what percentage of the people is the prediction "
                "“everyone died” right?"
            ),
            hint=later("Not yet. Divide the number of deaths by the number of people."),
            explanation=later(
                "Right: 67.7 %. A tree is useful only if it predicts more than that."
            ),
            solution=lambda: 100 * float(np.mean(titanic_people()[:, SURVIVAL] == DIED)),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        way, epsilon, depth = values.words["way"], values["epsilon"], values.whole("depth")
        data = DATA_SETS[values.words["table"]]
        grown = grow_trees(data, depth, epsilon, self.generator(values))
        spent = epsilon * text_draws(data.table, depth)
        numbers = {
            "exact_right": grown.right[EXACT],
            "central_right": grown.right[CENTRAL],
            "text_right": grown.right[TEXT],
            "within_right": grown.right[TEXT_WITHIN],
            "commonest_right": grown.right[COMMONEST],
            "two_coins_survived": grown.survived,
            "text_spent": spent,
            **{f"gain_{question}": weather_gain(question) for question in WEATHER_QUESTIONS},
        }
        sentence = translate(
            "%(way)s: a tree fitted to %(fitted)s people predicts the fate of %(right)s of the "
            "other %(held)s people correctly (%(share)s). “Everyone died” is right for %(died)s.",
            way=capital(translate_constant(NAMES_OF_WAYS[way])),
            fitted=grown.fitted,
            right=grown.right[way],
            held=grown.held,
            share=share_in_percent(grown.right[way] / grown.held),
            died=share_in_percent(grown.right[COMMONEST] / grown.held),
        )
        more = {
            "gains": weather_table(),
            "days": weather_days(),
            "weather": weather_picture(),
            "levels": level_rows(data.table, depth, epsilon),
            "spent": written_epsilon(spent),
            "questions": translate(", ").join(map(translate_constant, data.table.questions)),
            "people": first_predictions(data, grown.trees[way])
            if values.words["table"] == PASSENGERS
            else (),
        }
        pictures = [ship_picture(way, grown), right_picture(grown)]
        return Shown(
            sentence=sentence,
            figures=tree_figures(grown, epsilon, spent),
            pictures=pictures,
            numbers=numbers,
            more=more,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        name = values.words["table"]
        table = DATA_SETS[name].table
        return (
            Cell(
                "The people: class, sex, age, and whether a person survived (0) or died (1). "
                "`sizes` has the numbers of answers.",
                code=False,
            ),
            Cell(people_source(name)),
            Cell(
                f"epsilon, depth = {values['epsilon']}, {values.whole('depth')}\n"
                f"sizes, number, oldest = {tuple(map(table.size, table.places))}, "
                f"{table.number}, {table.oldest}\n"
                f"cuts = {table.cuts}\nages = {table.ages}\n"
                + self.generator_source(values)
                + "order, _, central_draws, coins, text_draws, within_draws = generator.spawn(6)\n"
                "people = order.permutation(people)\n"
                "held, seen = people[:len(people) // 2], people[len(people) // 2:]"
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
            Cell(
                "The text’s code draws noise for each class and for the total, again for each "
                "entropy. `most` has the largest number of candidates at each level:",
                code=False,
            ),
            Cell(NOTEBOOK_TEXT),
            Cell("Two coins: the estimated share is 2P − 1/2.", code=False),
            Cell(
                "reports = coins.random(len(seen)) < np.where(seen[:, 3] == 0, 3 / 4, 1 / 4)\n"
                "two_coins_survived = len(seen) * (2 * reports.mean() - 1 / 2)"
            ),
            Cell("The weather: days with a game and without, for each answer.", code=False),
            Cell(weather_source()),
            Cell(
                "numbers = {'exact_right': right(exact), 'central_right': right(central),\n"
                "           'text_right': right(text), 'within_right': right(within),\n"
                "           'commonest_right': int((held[:, 3] == np.argmax(counts(seen)))"
                ".sum()),\n"
                "           'two_coins_survived': two_coins_survived,\n"
                "           'text_spent': epsilon * spent,\n"
                "           **gains}\nprint(numbers)"
            ),
        )


NOTEBOOK_TREE = """
def counts(rows):
    return np.bincount(rows[:, 3], minlength=2).astype(float)


def entropy(numbers):
    shares = np.asarray(numbers, dtype=float) / max(np.sum(numbers), 1e-9)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


# A split is a place and the groups of answers that lead to its branches. A node has its counts, its
# split and its children.
everything = [tuple(range(size)) for size in sizes]


def parts(rows, split):
    return [rows[np.isin(rows[:, split[0]], group)] for group in split[1]]


def after(possible, split):
    return [[tuple(a for a in here if a in group) if place == split[0] else here
             for place, here in enumerate(possible)] for group in split[1]]


def cut_at(cut):
    low, high = tuple(range(cut + 1)), tuple(range(cut + 1, oldest + 1))
    return low, high, (oldest + 1,)


def wide_splits(possible):
    found = []
    for place, here in enumerate(possible):
        if place == number:
            known = [age for age in here if age <= oldest]
            found += [(place, cut_at(cut)) for cut in cuts
                      if known and known[0] <= cut < known[-1]]
        elif len(here) > 1:
            found.append((place, [(answer,) for answer in range(sizes[place])]))
    return found


def predict(node, rows, above=1):
    survived, died = node[0]
    here = above if survived == died else int(survived < died)
    fates = np.full(len(rows), here)
    if node[1] is not None:
        for group, child in zip(node[1][1], node[2]):
            there = np.isin(rows[:, node[1][0]], group)
            fates[there] = predict(child, rows[there], here)
    return fates


def right(tree):
    return int((predict(tree, held) == held[:, 3]).sum())


def below(rows, split, possible, grown):
    return [grown(*each) for each in zip(parts(rows, split), after(possible, split))]


def added(children):
    return sum(np.array(child[0]) for child in children)
"""
NOTEBOOK_EXACT = """
def gain(rows, split):
    left = sum(len(part) * entropy(counts(part)) for part in parts(rows, split))
    return entropy(counts(rows)) - left / len(rows)


def exact_tree(rows, possible, left):
    splits = wide_splits(possible) if len(rows) else []
    gains = [round(gain(rows, split), 9) for split in splits]
    if left == 0 or not gains or max(gains) <= 0:
        return counts(rows), None, ()
    split = splits[int(np.argmax(gains))]
    children = below(rows, split, possible, lambda *each: exact_tree(*each, left - 1))
    return counts(rows), split, children


exact = exact_tree(seen, everything, depth)
"""
NOTEBOOK_CENTRAL = """
scale = (depth + 1) / epsilon * (1 + 1e-9)


def central_tree(rows, possible, left):
    splits = wide_splits(possible) if left else []
    if not splits:
        stop = -np.expm1(-1 / scale)
        noise = central_draws.geometric(stop, 2) - central_draws.geometric(stop, 2)
        return counts(rows) + noise, None, ()
    scores = np.array([sum(counts(part).max() for part in parts(rows, split)) for split in splits])
    # Permute and flip selects like the largest score with exponential noise.
    noise = central_draws.exponential(1.0, (1, len(splits)))
    split = splits[int(np.argmax(scores / scale + noise))]
    children = below(rows, split, possible, lambda *each: central_tree(*each, left - 1))
    return added(children), split, children


central = central_tree(seen, everything, depth)
"""
NOTEBOOK_TEXT = """
from itertools import combinations


def halves(possible):
    found = []
    for place, here in enumerate(possible):
        if place == number:
            cut_pairs = [(cut, cut_at(cut)) for cut in ages if here[0] <= cut < here[-1]]
            found += [(place, (low, high + unknown)) for _, (low, high, unknown) in cut_pairs]
            continue
        for many in range(len(here) - 1):
            for chosen in combinations(here[1:], many):
                rest = tuple(answer for answer in here[1:] if answer not in chosen)
                found.append((place, ((here[0], *chosen), rest)))
    return found


def noisy_entropy(numbers, noise):
    shares = np.trunc(numbers + noise[:2]) / (numbers.sum() + noise[2])
    added = [-share * np.log2(share + 1e-9) for share, many in zip(shares, numbers)
             if many > 0 and share + 1e-9 > 0]
    return sum(added)


def noisy_gain(rows, split, noise):
    low, high = parts(rows, split)
    if len(low) == 0 or len(high) == 0:
        return 0
    return (noisy_entropy(counts(rows), noise[0])
            - len(low) / len(rows) * noisy_entropy(counts(low), noise[1])
            - len(high) / len(rows) * noisy_entropy(counts(high), noise[2]))


def text_tree(rows, possible, left, loss, draws):
    if left and len(rows):
        splits = halves(possible)
        noise = draws.laplace(0.0, 1 / loss, (len(splits), 3, 3))
        gains = [noisy_gain(rows, *each) for each in zip(splits, noise)]
        best = int(np.argmax(gains))
        if gains[best] >= 1e-20:
            children = below(rows, splits[best], possible,
                             lambda *each: text_tree(*each, left - 1, loss, draws))
            return added(children), splits[best], children
    return counts(rows) + draws.laplace(0.0, 1 / loss, 2), None, ()


def most(sizes, cuts, left):
    if left == 0:
        return []
    ways = [most([*sizes[:place], size - 1, *sizes[place + 1:]], cuts, left - 1)
            for place, size in enumerate(sizes) if size > 1]
    ways += [most(sizes, cuts - 1, left - 1)] if cuts else []
    return [sum(2 ** (size - 1) - 1 for size in sizes) + cuts, *max(ways, key=sum, default=[])]


# One person is in four counts of each candidate, and in one count of a leaf.
answers = [size for place, size in enumerate(sizes) if place != number]
spent = 4 * sum(most(answers, len(ages), depth)) + 1
text = text_tree(seen, everything, depth, epsilon, text_draws)
within = text_tree(seen, everything, depth, epsilon / spent, within_draws)
"""


def people_source(name: str) -> str:
    """Python that lists the people of a table."""
    if name == ALL_PEOPLE:
        groups = ",\n          ".join(f"({who}, {numbers})" for who, numbers in titanic_groups())
        return (
            f"import numpy as np\n\ngroups = [{groups}]\n"
            "people = np.array([(*who, fate) for who, numbers in groups\n"
            "                   for fate, many in enumerate(numbers) for _ in range(many)])"
        )
    rows = DATA_SETS[name].people().tolist()
    lines = [
        "  ".join(" ".join(map(str, row)) for row in rows[start : start + 9])
        for start in range(0, len(rows), 9)
    ]
    text = "\n".join(lines)
    return (
        f'import numpy as np\n\npeople = np.array("""\n{text}\n""".split(), '
        "dtype=int).reshape(-1, 4)"
    )


def weather_source() -> str:
    """Python that calculates the gains of the weather."""
    tables = {question: day_counts(question) for question in WEATHER_QUESTIONS}
    return (
        f"weather = {tables}\n"
        "gains = {f'gain_{name}': entropy([9, 5]) - sum(sum(both) / 14 * entropy(both)\n"
        "                                              for both in table)\n"
        "         for name, table in weather.items()}"
    )


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def written_epsilon(epsilon: float) -> str:
    return round_to_text(epsilon, 2)


def tree_figures(grown: Trees, epsilon: float, spent: float) -> list[Figure]:
    promised, total = written_epsilon(epsilon), written_epsilon(spent)
    notes = {
        EXACT: translate("no noise, no limit of ε"),
        CENTRAL: f"ε = {promised}",
        COINS: translate("ε = ln 3 = 1.10, for survival alone"),
        TEXT: translate(
            "ε = %(promised)s at each count, up to ε = %(spent)s for all counts",
            promised=promised,
            spent=total,
        ),
        TEXT_WITHIN: translate(
            "ε = %(promised)s / %(counts)s at each count, at most ε = %(promised)s for all counts",
            promised=promised,
            counts=round(spent / epsilon),
        ),
        COMMONEST: translate("no question at all"),
    }
    return [
        Figure(way_label(name), share_in_percent(grown.right[name] / grown.held), note)
        for name, note in notes.items()
    ]


def level_rows(table: TreeTable, depth: int, epsilon: float) -> list[tuple[str, str, str]]:
    """For each level and for a leaf: candidates, and the largest loss of one person."""
    rows = [
        (
            translate_count(place + 1),
            translate_count(many),
            written_epsilon(COUNTS_OF_A_GAIN * many * epsilon),
        )
        for place, many in enumerate(text_levels(table, depth))
    ]
    return [*rows, (translate("leaf"), "–", written_epsilon(epsilon))]


def first_predictions(data: DataSet, tree: PredictedNode) -> list[tuple[str, ...]]:
    """The first people of the table: their answers, and the predicted and the true fate."""
    table, people = data.table, data.people()[:FIRST_ROWS]
    fates = [translate_constant(fate) for fate in table.outcomes]
    return [
        (
            translate_count(number + 1),
            *(table.answer_label(place, int(row[place])) for place in table.places),
            fates[int(predicted)],
            fates[int(row[-1])],
        )
        for number, (row, predicted) in enumerate(
            zip(people, predictions(tree, people, table), strict=True)
        )
    ]


def way_label(name: str) -> str:
    if name == COMMONEST:
        return translate("The most frequent fate for everyone")
    return capital(translate_constant(NAMES_OF_WAYS[name]))


def ship_picture(way: str, grown: Trees) -> LessonPicture:
    description = translate(
        "Each row is a group of the %(fitted)s people, with the counts that this method gives. "
        "Each leaf predicts its more frequent fate.",
        fitted=grown.fitted,
    )
    title = translate("The tree: %(way)s", way=translate_constant(NAMES_OF_WAYS[way]))
    return LessonPicture(tree_chart(grown.trees[way], grown.table), description, title)


def weather_picture() -> LessonPicture:
    """ID3's tree of the 14 days."""
    description = translate(
        "On sunny days the humidity decides, and on days of rain the wind. They play on each "
        "overcast day. The temperature is never asked."
    )
    chart = tree_chart(exact_tree(DAY_ROWS, WEATHER, len(WEATHER.questions)), WEATHER)
    return LessonPicture(chart, description, translate("The tree of the 14 days"))


def right_picture(grown: Trees) -> LessonPicture:
    """The numbers of right and wrong predictions of all ways, one bar each."""
    bars = []
    for name in (*WAYS, COMMONEST):
        right = grown.right[name]
        words = (
            translate("%(number)s right", number=right),
            translate("%(number)s wrong", number=grown.held - right),
        )
        bars.append(SplitBar(way_label(name), right, grown.held - right, words))
    chart = split_bars(bars, grown.held, (translate("right"), translate("wrong")))
    description = translate(
        "The predictions are for the %(held)s people who were not used to fit a tree. To use "
        "another half of the people, press “Draw again”.",
        held=grown.held,
    )
    return LessonPicture(chart, description, translate("Predictions for the other half"))


def weather_table() -> list[tuple[str, str, str]]:
    """For each question its gain in bits, and how many of 14 days it predicts."""
    return [
        (
            translate_constant(label),
            with_decimals(weather_gain(question), 3),
            translate_count(days_right(question)),
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
