"""Before and after: what a change reveals, of a count on a wall and of one person's answers.

Waves are those of docs/explanation/waves.md: a device repeats the report of an unchanged answer, or
draws a new one.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from survey.charts.analysis_rows import percent_tick
from survey.core.mechanisms.registry import ratio_bound_not_above
from survey.core.translate import later, translate
from survey.learn.attacks.attempt import guess_bound
from survey.learn.attacks.count_differences import chances_of_count, yes_chances
from survey.learn.controls import NumberChoice, Slider, Values, WordChoice
from survey.learn.lesson import BY_CHANGE, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.neighbour_outputs import laplace_weights, noisy_counts
from survey.learn.pictures import Axis, Columns, Dots, SplitBar, plot, split_bars
from survey.learn.written_numbers import round_to_text, share_in_percent, with_digits

BEFORE = 100
AFTER = 101
REACH = 12  # patients on both sides of the counts in the picture
BATCHES = (1, 5, 10, 25)
SAME = "same"
NEW = "new"
REPORTS = {
    SAME: later("the same report for the same answer"),
    NEW: later("a new draw in each wave"),
}


def right_with_batch(size: int, p: float) -> float:
    """How often the better guess about one person is right, from a batch of reports.

    All other answers of the batch are known, and Yes and No are equally likely in each. A report is
    the answer with probability p. The share is the mean of max(Pr(count | Yes), Pr(count | No)).
    """
    others = yes_chances(size - 1, 0.5)
    return (
        sum(
            float(chance)
            * float(
                np.maximum(chances_of_count(k, size, p), chances_of_count(k + 1, size, p)).sum()
            )
            for k, chance in enumerate(others)
        )
        / 2
    )


def reports_differ(p: float, changed: bool, method: str) -> float:
    """How likely two reports of a person differ: p² + (1 − p)² after a change.

    Without a change it is 2p(1 − p) for a new draw, and 0 for a repeated report.
    """
    if changed:
        return p * p + (1 - p) * (1 - p)
    return 2 * p * (1 - p) if method == NEW else 0.0


def change_chance(share: float, p: float, method: str, differ: bool) -> float:
    """Pr(the answer changed | the two reports differ, or not), by Bayes' rule.

    `share` is the share of people whose answer changes, between 0 and 1.
    """
    chances = [reports_differ(p, changed, method) for changed in (True, False)]
    if not differ:
        chances = [1 - each for each in chances]
    return share * chances[0] / (share * chances[0] + (1 - share) * chances[1])


class BeforeAndAfter(Lesson):
    """ε, the size of a batch, the share of changes and the way of the waves vary."""

    address = "before-and-after"
    neighbours = (BY_CHANGE,)
    title = later("Before and after")
    idea = later(
        "A number that is harmless by itself can reveal an answer when it changes. Examples are "
        "the count on a clinic’s wall, and what one person eats in two waves of a survey."
    )
    controls = (
        Slider(name="epsilon", label="ε", low="0.1", high="4", step="0.1", start="1.1"),
        NumberChoice("batch", later("Reports in a batch"), BATCHES, 10),
        Slider(
            name="share",
            label=later("People whose answer changes"),
            low="1",
            high="50",
            step="1",
            start="10",
            unit="%",
        ),
        WordChoice("method", later("Reports in two waves"), REPORTS, SAME),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="wall",
            question=later(
                "The clinic publishes its count with noise and ε = ln 3. Someone knows the first "
                "100 patients, and guesses from the published count whether the next one is ill. "
                "Beforehand, both are equally likely. How often is the better guess right?"
            ),
            hint=later("Not yet. Calculate 1 / (1 + e^(−ε)) with e^(−ε) = 1/3."),
            explanation=later("Right: 1 / (1 + 1/3) = 3/4 = 75 %."),
            solution=lambda: 100 * guess_bound(3),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="differ",
            question=later(
                "A person’s answer changes from No to Yes. Each report is the answer with "
                "probability 3/4, independently. What is the probability that the two reports "
                "differ?"
            ),
            hint=later("Not yet. Both reports are the answer, or both are not."),
            explanation=later("Right: (3/4)² + (1/4)² = 10/16 = 62.5 %."),
            solution=lambda: 100 * reports_differ(0.75, True, NEW),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="changed",
            question=later(
                "10 % of people change their answer. The device draws a new report in each wave, "
                "which is the answer with probability 3/4. A person’s reports differ. What is the"
                " probability that the answer changed?"
            ),
            hint=later("Not yet. Use Bayes’ rule: 10 % × 10/16 against 90 % × 6/16."),
            explanation=later("Right: 0.0625 / (0.0625 + 0.3375) = 15.6 %."),
            solution=lambda: 100 * change_chance(0.1, 0.75, NEW, True),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="direction",
            question=later(
                "A person’s answer certainly changed. The reports are No, then Yes. Each is the "
                "answer with probability 3/4. What is the probability that the answer changed "
                "from No to Yes, if both directions were equally likely?"
            ),
            hint=later("Not yet. Compare (3/4)² with (1/4)²."),
            explanation=later(
                "Right: 9 / (9 + 1) = 90 %. The privacy loss of two different answers is 2ε."
            ),
            solution=lambda: 100 * guess_bound(9),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        epsilon, method = values["epsilon"], values.words["method"]
        size, share = values.whole("batch"), values["share"] / 100
        ratio_bound = float(ratio_bound_not_above(epsilon))
        p = guess_bound(ratio_bound)
        numbers = {
            "noise": guess_bound(math.exp(epsilon)),
            "batch": right_with_batch(size, p),
            "differ_changed": reports_differ(p, True, method),
            "differ_same": reports_differ(p, False, method),
            "after_differ": change_chance(share, p, method, True),
            "after_same": change_chance(share, p, method, False),
            "direction": guess_bound(ratio_bound**2),
        }
        sentence = translate(
            "A wall that says 100 and then 101 tells everyone that the last patient is ill. With "
            "noise, a guess is right in %(noise)s of cases, and with reports in batches of "
            "%(batch)s in %(reports)s.",
            noise=share_in_percent(numbers["noise"]),
            batch=size,
            reports=share_in_percent(numbers["batch"]),
        )
        figures = [
            Figure(
                translate("Wall with noise: right guesses"),
                share_in_percent(numbers["noise"]),
                "1 / (1 + e^(−ε))",
            ),
            Figure(
                translate("Batch of reports: right guesses"), share_in_percent(numbers["batch"])
            ),
            Figure(
                translate("Reports differ after a change"),
                share_in_percent(numbers["differ_changed"]),
                "p² + (1 − p)²",
            ),
            Figure(
                translate("Reports differ without a change"),
                share_in_percent(numbers["differ_same"]),
                "2p(1 − p)" if method == NEW else "",
            ),
            Figure(
                translate("Pr(answer changed | reports differ)"),
                share_in_percent(numbers["after_differ"]),
            ),
            Figure(
                translate("Pr(answer changed | reports are equal)"),
                share_in_percent(numbers["after_same"]),
            ),
            Figure(
                translate("Pr(direction of the change | reports differ, answer changed)"),
                share_in_percent(numbers["direction"]),
                "p² / (p² + (1 − p)²)",
            ),
        ]
        pictures = [wall_picture(epsilon), wave_picture(share, p, method)]
        return Shown(
            sentence=sentence,
            figures=figures,
            pictures=pictures,
            numbers=numbers,
            more={"vegetables": vegetables_sentence(method, numbers["after_differ"])},
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        return (
            Cell(
                "The clinic's wall: the count is 100 or 101, with noise; and in a batch.",
                code=False,
            ),
            Cell(
                "import math\n\nimport numpy as np\n\n"
                f"epsilon, size, share = {values['epsilon']!r}, {values.whole('batch')}, "
                f"{values['share'] / 100!r}\n"
                "# The likelihood ratio of a report, at most e^epsilon.\n"
                f"odds = {float(ratio_bound_not_above(values['epsilon']))!r}\n"
                "p = odds / (1 + odds)\n"
                "noise = 1 / (1 + math.exp(-epsilon))\n\n\n"
                "def chances(n, p):\n"
                "    return np.array([math.comb(n, k) * p**k * (1 - p)**(n - k)\n"
                "                     for k in range(n + 1)])\n\n\n"
                "def counts(yes):\n"
                "    return np.convolve(chances(yes, p), chances(size - yes, 1 - p))\n\n\n"
                "batch = sum(chance * np.maximum(counts(k), counts(k + 1)).sum()\n"
                "            for k, chance in enumerate(chances(size - 1, 0.5))) / 2\n"
                "print(noise, batch)"
            ),
            Cell("Two waves of one person:", code=False),
            Cell(
                f"differ_changed = p**2 + (1 - p)**2\n"
                f"differ_same = {'2 * p * (1 - p)' if values.words['method'] == NEW else '0.0'}\n"
                "after_differ = share * differ_changed / (\n"
                "    share * differ_changed + (1 - share) * differ_same)\n"
                "after_same = share * (1 - differ_changed) / (\n"
                "    share * (1 - differ_changed) + (1 - share) * (1 - differ_same))\n"
                "direction = p**2 / (p**2 + (1 - p)**2)\n"
                "numbers = {'noise': noise, 'batch': batch, 'differ_changed': differ_changed,\n"
                "           'differ_same': differ_same, 'after_differ': after_differ,\n"
                "           'after_same': after_same, 'direction': direction}\nprint(numbers)"
            ),
        )


def vegetables_sentence(method: str, after: float) -> str:
    if method == SAME:
        return translate(
            "The device repeats the report of an unchanged answer. So two different reports prove "
            "that the answer changed, but not in which direction. Reports of unchanged answers "
            "cost ε in all waves together, and each different answer costs another ε."
        )
    return translate(
        "The device draws a new report in each wave. Two different reports are then no proof: the "
        "answer changed with a probability of %(after)s. But each wave costs another ε, even if "
        "the answer never changes.",
        after=share_in_percent(after),
    )


def wall_picture(epsilon: float) -> LessonPicture:
    """The probability of each published count, if the true one is 100 and if it is 101."""
    both = noisy_counts(BEFORE, laplace_weights(epsilon))
    first = both.outputs.index(BEFORE - REACH)
    shown = slice(first, first + 2 * REACH + AFTER - BEFORE + 1)
    counts = both.outputs[shown]
    edges = [count - 0.5 for count in (*counts, counts[-1] + 1)]
    chart = plot(
        Axis(low=edges[0], high=edges[-1], title=translate("published number of patients"), step=4),
        Axis(low=0, high=1.1 * max(both.x), title=translate("probability"), tick=percent_tick),
        [
            Columns(edges, both.x[shown], translate("true count: 100")),
            Dots(
                list(zip(map(float, counts), both.y[shown], strict=True)),
                translate("true count: 101"),
                radius=3,
            ),
        ],
    )
    description = translate(
        "Each published number is at most %(factor)s times as likely with one count as with the "
        "other.",
        factor=with_digits(math.exp(epsilon), 3),
    )
    return LessonPicture(chart, description, translate("The wall with noise"))


def wave_picture(share: float, p: float, method: str) -> LessonPicture:
    """1,000 people on average, by whether their reports differ and their answers changed."""
    bars = []
    for label, chances in (
        (
            translate("Reports differ"),
            [reports_differ(p, changed, method) for changed in (True, False)],
        ),
        (
            translate("Reports are equal"),
            [1 - reports_differ(p, changed, method) for changed in (True, False)],
        ),
    ):
        changed, unchanged = 1_000 * share * chances[0], 1_000 * (1 - share) * chances[1]
        words = (
            translate("answer changed: %(n)s", n=round_to_text(changed, 1)),
            translate("answer did not change: %(n)s", n=round_to_text(unchanged, 1)),
        )
        bars.append(SplitBar(label, changed, unchanged, words))
    chart = split_bars(
        bars, 1_000, (translate("answer changed"), translate("answer did not change"))
    )
    description = translate(
        "Of 1,000 people, on average %(n)s have different reports in the two waves.",
        n=round_to_text(bars[0].first + bars[0].second, 1),
    )
    return LessonPicture(chart, description, translate("Two waves of 1,000 people, on average"))
