"""Mechanisms: a price for an auction, selected privately, and Gaussian noise on many counts."""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_count,
    translate_plural,
)
from survey.learn.controls import Draw, NumberChoice, Slider, Values
from survey.learn.dp_draws import SELECTION_SOURCE, Reals, draw_selected, selection_chances
from survey.learn.gaussian import (
    CANDOR_SOURCE,
    candor_sigma,
    exact_sigma,
    gaussian_delta,
    textbook_factor,
)
from survey.learn.laplace import laplace_deviation
from survey.learn.lesson import BY_ADDING, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Columns, Curve, Dots, Upright, plot
from survey.learn.written_numbers import as_power, with_decimals, with_digits

REPEATS = 200
MAX_COUNTS = 100
# The auction has one price for all.
MAX_PRICE = 60  # Prices and bids are whole numbers from 1.
PRICES: tuple[int, ...] = tuple(range(1, MAX_PRICE + 1))
LOW_BID = 10
LOW_SHARE = 3  # of four bidders


def revenues(bidders: int, highest: int) -> Reals:
    """The revenue at each price: the price times the number of bids of at least the price.

    Of every four bidders, three bid 10 and one bids `highest`, which is above 10.
    """
    prices = np.array(PRICES, dtype=np.float64)
    groups = bidders / 4
    return prices * groups * (LOW_SHARE * (prices <= LOW_BID) + (prices <= highest))


def added_revenue(bid: int) -> Reals:
    """How much one more bidder adds to the revenue at each price: at most the sensitivity, 60."""
    prices = np.array(PRICES, dtype=np.float64)
    added: Reals = prices * (prices <= bid)
    return added


def exponential_chances(scores: Reals, epsilon: float, sensitivity: float) -> Reals:
    """Pr(candidate) ~ exp(ε score / (2 sensitivity)) (McSherry and Talwar 2007)."""
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    chances: Reals = weights / weights.sum()
    return chances


def largest_output_ratio(scores: Reals, epsilon: float) -> tuple[float, float]:
    """How one more bidder, with any bid, changes the exponential mechanism's probabilities.

    A further bid multiplies the weight of each price by `growth`. Returns the largest ratio of the
    sums of all weights, and the largest ratio of the probabilities of a price in either direction.
    """
    before = exponential_chances(scores, epsilon, MAX_PRICE)
    sums, ratios = 1.0, 1.0
    for bid in PRICES:
        growth = np.exp(epsilon * added_revenue(bid) / (2 * MAX_PRICE))
        total = float(before @ growth)
        sums = max(sums, total)
        ratios = max(ratios, float(growth.max()) / total, total / float(growth.min()))
    return sums, ratios


class Mechanisms(Lesson):
    """The bids, ε, δ and the number of counts that one person changes vary."""

    address = "mechanisms"
    neighbours = (BY_ADDING,)
    title = later("Two more mechanisms: exponential and Gaussian")
    idea = later(
        "The exponential mechanism selects a good result instead of adding noise to it. Gaussian "
        "noise suits many numbers at once, at the cost of a δ above 0."
    )
    controls = (
        Slider(
            name="highest",
            label=later("Bid of every fourth bidder"),
            low="11",
            high=str(MAX_PRICE),
            step="1",
            start="31",
        ),
        NumberChoice("bidders", later("Bidders"), (4, 100, 400, 4_000), 100),
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="0.5"),
        Slider(
            name="counts",
            label=later("Counts that one person changes"),
            low="1",
            high=str(MAX_COUNTS),
            step="1",
            start="25",
        ),
        NumberChoice("one_in", "1/δ", (100, 1_000, 100_000, 1_000_000), 100_000),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="revenue",
            question=later(
                "Three bidders bid 10, and one bids 31. The price is 11, and everyone who bids at "
                "least the price buys. What is the revenue?"
            ),
            hint=later("Not yet. Count the bids of 11 or more."),
            explanation=later(
                "Right: 11. At the price 10, it is 40, so a little noise on the best price costs "
                "most of the revenue."
            ),
            solution=lambda: float(revenues(4, 31)[11 - 1]),
            tolerance=0.01,
        ),
        Exercise(
            name="half",
            question=later(
                "ε = 2. One more bidder comes. By what factor can the weight exp(ε u / (2Δu)) of a "
                "price grow, at most?"
            ),
            hint=later("Not yet. u changes by at most Δu, so the exponent changes by at most ε/2."),
            explanation=later(
                "Right: e^(2/2) = 2.718. The sum of all weights grows by at most this factor."
            ),
            solution=lambda: math.exp(2 * float(added_revenue(MAX_PRICE).max()) / (2 * MAX_PRICE)),
            tolerance=0.005,
        ),
        Exercise(
            name="length",
            question=later(
                "One person changes each of 25 counts by 1. What is the l2 sensitivity?"
            ),
            hint=later("Not yet. It is the square root of the sum of the 25 squares."),
            explanation=later("Right: √25 = 5. The l1 sensitivity, for Laplace noise, is 25."),
            solution=lambda: math.sqrt(25),
            tolerance=0.01,
        ),
        Exercise(
            name="factor",
            question=later("δ = 0.00001. Which c has c² = 2 ln(1.25/δ)?"),
            hint=later("Not yet. 1.25/δ is 125,000. Take its natural logarithm."),
            explanation=later("Right: √(2 ln 125,000) = 4.845."),
            solution=lambda: textbook_factor(1e-5),
            tolerance=0.005,
        ),
    )

    def show(self, values: Values) -> Shown:
        epsilon, counts = values["epsilon"], values.whole("counts")
        utility = revenues(values.whole("bidders"), values.whole("highest"))
        chances = exponential_chances(utility, epsilon, MAX_PRICE)
        scores, scale = utility.astype(int).tolist(), 2 * MAX_PRICE / epsilon
        flips = selection_chances(scores, scale)
        generator = self.generator(values)
        drawn = generator.choice(len(chances), REPEATS, p=chances)
        flipped = draw_selected(scores, scale, REPEATS, generator)
        sums, ratio = largest_output_ratio(utility, epsilon)
        best = int(np.argmax(utility))
        numbers = {
            "best_price": PRICES[best],
            "best": float(utility[best]),
            "next": float(utility[best + 1]) if best + 1 < MAX_PRICE else 0.0,
            "expected": float(chances @ utility),
            "expected_flip": float(flips @ utility),
            "first_price": PRICES[int(drawn[0])],
            "drawn": float(utility[drawn].mean()),
            "drawn_flip": float(utility[flipped].mean()),
            "half": math.exp(epsilon / 2),
            "sums": sums,
            "ratio": ratio,
            "limit": math.exp(epsilon),
            **gaussian_numbers(epsilon, 1 / values["one_in"], counts),
        }
        return Shown(
            sentence=mechanisms_sentence(numbers, counts),
            figures=[*auction_figures(numbers), *gaussian_figures(numbers, epsilon)],
            pictures=[
                revenue_picture(utility, best),
                selection_picture(chances, flips, drawn.tolist()),
                deviations_picture(numbers, epsilon, counts),
            ],
            numbers=numbers,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        return (
            Cell("The auction: revenues, and both ways to select a price.", code=False),
            Cell(
                "import math\n\nimport numpy as np\n\n"
                f"bidders, highest, epsilon = {values.whole('bidders')}, "
                f"{values.whole('highest')}, {values['epsilon']}\n"
                f"counts, delta = {values.whole('counts')}, 1 / {values.whole('one_in')}\n"
                f"prices = np.arange(1, {MAX_PRICE + 1})\n"
                "scores = prices * bidders / 4 * (3 * (prices <= 10) + (prices <= highest))\n"
                f"scale = {2 * MAX_PRICE} / epsilon  # of the scores: 2Δu/ε\n"
            ),
            Cell(SELECTION_SOURCE),
            Cell(
                "flips, chances = chances, accepted / accepted.sum()\n"
                + self.generator_source(values)
                + f"drawn = generator.choice(len(chances), {REPEATS}, p=chances)\n"
                f"noise = generator.exponential(1.0, ({REPEATS}, len(scores)))\n"
                "flipped = np.argmax(scores / scale + noise, axis=1)"
            ),
            Cell("One more bidder, with any bid:", code=False),
            Cell(
                "sums, ratio = 1, 1\nfor bid in prices:\n"
                "    growth = np.exp(prices * (prices <= bid) / scale)\n"
                "    total = (chances * growth).sum()\n"
                "    sums = max(sums, total)\n"
                "    ratio = max(ratio, growth.max() / total, total / growth.min())"
            ),
            Cell("Gaussian noise on many counts:", code=False),
            Cell(NOTEBOOK_GAUSSIAN),
            Cell(NOTEBOOK_NUMBERS),
        )


NOTEBOOK_GAUSSIAN = (
    "def below(x):\n    return math.erfc(-x / math.sqrt(2)) / 2\n\n\n"
    "def delta_of(sigma):\n"
    "    return (below(1 / (2 * sigma) - epsilon * sigma)\n"
    "            - math.exp(epsilon) * below(-1 / (2 * sigma) - epsilon * sigma))\n\n\n"
    "low, exact = 0.0, 1000 / epsilon\nfor _ in range(60):\n    middle = (low + exact) / 2\n"
    "    if delta_of(middle) <= delta:\n        exact = middle\n    else:\n        low = middle\n"
    "text = math.sqrt(2 * math.log(1.25 / delta)) / epsilon\n"
    f"{CANDOR_SOURCE}"
)
NOTEBOOK_NUMBERS = (
    "u = scores\nbest = int(np.argmax(u))\n"
    "numbers = {'best_price': prices[best], 'best': u[best],\n"
    "           'next': u[best + 1] if best + 1 < len(u) else 0.0, 'expected': chances @ u,\n"
    "           'expected_flip': flips @ u, 'first_price': prices[drawn[0]],\n"
    "           'drawn': u[drawn].mean(), 'drawn_flip': u[flipped].mean(),\n"
    "           'half': math.exp(epsilon / 2), 'sums': sums, 'ratio': ratio,\n"
    "           'limit': math.exp(epsilon), 'text': math.sqrt(counts) * text,\n"
    "           'exact': math.sqrt(counts) * exact, 'candor': math.sqrt(counts) * sigma,\n"
    "           'laplace': math.sqrt(2) * counts / epsilon, 'text_delta': delta_of(text)}\n"
    "print(numbers)"
)


def gaussian_numbers(epsilon: float, delta: float, counts: int) -> dict[str, float]:
    """The standard deviations of the noise on each of `counts` counts, and the text's exact δ.

    The l1 sensitivity is `counts`, and the l2 sensitivity is its square root.
    """
    text, length = textbook_factor(delta) / epsilon, math.sqrt(counts)
    return {
        "text": length * text,
        "exact": length * exact_sigma(epsilon, delta),
        "candor": length * candor_sigma(epsilon, delta),
        "laplace": laplace_deviation(counts / epsilon),
        "text_delta": gaussian_delta(epsilon, text),
    }


def mechanisms_sentence(numbers: Mapping[str, float], counts: int) -> str:
    auction = translate(
        "The price %(price)s gives the largest revenue, %(best)s. The exponential mechanism gives "
        "%(expected)s on average, and permute-and-flip %(flip)s.",
        price=int(numbers["best_price"]),
        best=with_digits(numbers["best"], 4),
        expected=with_digits(numbers["expected"], 4),
        flip=with_digits(numbers["expected_flip"], 4),
    )
    noise = translate_plural(
        "If one person changes %(n)s count by 1, Gaussian noise on it has a standard deviation of "
        "%(sigma)s, and Laplace noise %(laplace)s.",
        "If one person changes %(n)s counts by 1, Gaussian noise has a standard deviation of "
        "%(sigma)s on each, and Laplace noise %(laplace)s.",
        counts,
        sigma=with_digits(numbers["exact"], 4),
        laplace=with_digits(numbers["laplace"], 4),
    )
    return join_sentences(auction, noise)


def auction_figures(numbers: Mapping[str, float]) -> list[Figure]:
    return [
        Figure(
            translate("Revenue at a price higher by 1"),
            with_digits(numbers["next"], 4),
            translate("than the best price"),
        ),
        Figure(
            translate("First price that the exponential mechanism selects"),
            translate_count(int(numbers["first_price"])),
        ),
        Figure(
            translate("Mean revenue of 200 draws, exponential mechanism"),
            with_digits(numbers["drawn"], 4),
            translate("expected: %(value)s", value=with_digits(numbers["expected"], 4)),
        ),
        Figure(
            translate("Mean revenue of 200 draws, permute-and-flip"),
            with_digits(numbers["drawn_flip"], 4),
            translate("expected: %(value)s", value=with_digits(numbers["expected_flip"], 4)),
        ),
        Figure(
            translate("One more bidder: largest ratio of a weight"),
            with_digits(numbers["half"], 4),
            "e^(ε/2)",
        ),
        Figure(
            translate("One more bidder: largest ratio of the sums"),
            with_digits(numbers["sums"], 4),
            translate("at most %(limit)s", limit="e^(ε/2)"),
        ),
        Figure(
            translate("One more bidder: largest ratio of a probability"),
            with_digits(numbers["ratio"], 4),
            translate(
                "at most %(limit)s",
                limit=f"e^(ε/2) · e^(ε/2) = e^ε = {with_digits(numbers['limit'], 4)}",
            ),
        ),
    ]


def gaussian_figures(numbers: Mapping[str, float], epsilon: float) -> list[Figure]:
    below = translate("proved for ε below 1")
    figures = [
        Figure(
            translate("Gaussian noise, formula of a course text"),
            with_digits(numbers["text"], 4),
            "c √k / ε" if epsilon < 1 else f"c √k / ε ({below})",
        ),
        Figure(translate("Smallest δ of this noise"), as_power(numbers["text_delta"])),
        Figure(
            translate("Gaussian noise, exact"),
            with_digits(numbers["exact"], 4),
            "Balle & Wang (2018)",
        ),
        Figure(
            translate("Candor’s discrete Gaussian noise"),
            with_digits(numbers["candor"], 4),
            translate("parameter σ"),
        ),
        Figure(translate("Laplace noise"), with_digits(numbers["laplace"], 4), "√2 k / ε, δ = 0"),
    ]
    return figures


def revenue_picture(utility: Reals, best: int) -> LessonPicture:
    edges = [price - 0.5 for price in (*PRICES, MAX_PRICE + 1)]
    chart = plot(
        Axis(low=0.5, high=MAX_PRICE + 0.5, title=translate("price")),
        Axis(low=0, high=1.1 * float(utility.max()), title=translate("revenue")),
        [
            Columns(edges, utility.tolist(), translate("price × bidders who pay it")),
            Upright(PRICES[best], translate("best price"), "4 3"),
        ],
    )
    description = translate(
        "Just above a bid, the revenue falls at once. So noise on the best price can cost most of "
        "the revenue."
    )
    return LessonPicture(chart, description, translate("The auction: revenue over prices"))


def selection_picture(chances: Reals, flips: Reals, drawn: Sequence[int]) -> LessonPicture:
    """The share of the draws at each price, and both exact distributions."""
    shares = np.bincount(drawn, minlength=len(PRICES)) / len(drawn)
    edges = [price - 0.5 for price in (*PRICES, MAX_PRICE + 1)]
    top = 1.1 * max(float(each.max()) for each in (shares, chances, flips))
    chart = plot(
        Axis(low=0.5, high=MAX_PRICE + 0.5, title=translate("price")),
        Axis(low=0, high=top, title=translate("probability")),
        [
            Columns(
                edges,
                shares.tolist(),
                translate("share of 200 draws by the exponential mechanism"),
            ),
            Curve(
                list(zip(PRICES, flips.tolist(), strict=True)),
                translate("permute-and-flip, exactly"),
                own=True,
            ),
            Dots(
                list(zip(PRICES, chances.tolist(), strict=True)),
                translate("exponential mechanism, exactly"),
                2,
            ),
        ],
    )
    likely = int(np.argmax(flips))
    description = translate(
        "The exponential mechanism selects the price %(price)s with probability %(chance)s, and "
        "permute-and-flip with %(flip)s.",
        price=PRICES[likely],
        chance=with_decimals(chances[likely], 3),
        flip=with_decimals(flips[likely], 3),
    )
    return LessonPicture(chart, description, translate("Selected prices"))


def deviations_picture(numbers: Mapping[str, float], epsilon: float, counts: int) -> LessonPicture:
    """The standard deviation on each count, by the number of counts."""
    roots = [math.sqrt(k) for k in range(1, MAX_COUNTS + 1)]
    laplace = [(float(k), laplace_deviation(k / epsilon)) for k in range(1, MAX_COUNTS + 1)]
    one = math.sqrt(counts)

    def curve(name: str) -> list[tuple[float, float]]:
        return [(root**2, root * numbers[name] / one) for root in roots]

    top = 1.4 * roots[-1] * numbers["text"] / one
    chart = plot(
        Axis(low=0, high=MAX_COUNTS, title=translate("counts that one person changes")),
        Axis(low=0, high=top, title=translate("standard deviation on each count")),
        [
            Curve(laplace, translate("Laplace noise"), dashes="6 3"),
            Curve(curve("text"), translate("Gaussian, formula of a course text"), dashes="2 2"),
            Curve(curve("candor"), translate("Candor’s discrete Gaussian noise")),
            Curve(curve("exact"), translate("Gaussian, exact"), own=True),
            Upright(counts, translate("selected number"), "4 3"),
        ],
    )
    first = next(
        k
        for k, root in enumerate(roots, 1)
        if root * numbers["exact"] / one < laplace_deviation(k / epsilon)
    )
    description = translate(
        "Laplace noise grows with the number of counts, and Gaussian noise with its square root. "
        "Here, exact Gaussian noise is smaller if the number of counts is %(first)s or more.",
        first=first,
    )
    return LessonPicture(chart, description, translate("Noise on many counts"))
