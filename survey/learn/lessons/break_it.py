"""Break it yourself: ten attacks on a table of raw answers, and the same attacks on Candor."""

import math
from collections.abc import Sequence
from typing import ClassVar

from survey.charts.analysis_rows import percent_tick
from survey.core.translate import later, translate, translate_constant
from survey.learn.attacks.attempt import Attempt, guess_bound
from survey.learn.attacks.averages import HEADLINE_TIMES
from survey.learn.attacks.census_blocks import ages_of_three
from survey.learn.attacks.hashed_codes import LICENCES
from survey.learn.attacks.random_subsets import majority_share
from survey.learn.attacks.registry import (
    ATTACKS,
    BY_NAME,
    MAX_ERROR,
    PEOPLE,
    Attack,
    attack_code,
    attack_setting,
    run_attack,
)
from survey.learn.controls import Draw, NumberChoice, Slider, Values, WordChoice
from survey.learn.lesson import BY_CHANGE, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Curve, Dots, Layer, SplitBar, plot, split_bars
from survey.learn.written_numbers import as_power, share_in_percent, with_decimals

HUGE = 1e12  # Numbers from here on are shown as powers of ten.


class BreakIt(Lesson):
    """The attack, the number of people, ε and the error of raw counts vary."""

    address = "break-it"
    neighbours = (BY_CHANGE,)
    title = later("Break it yourself")
    idea = later(
        "Attack a table of raw answers, and find out what people answered. Then attack Candor in "
        "the same way: on average, the share of right guesses does not exceed a limit that ε sets."
    )
    controls = (
        WordChoice(
            "attack", later("Attack"), {each.name: each.title for each in ATTACKS}, ATTACKS[0].name
        ),
        NumberChoice("people", later("People"), PEOPLE, 120),
        Slider(
            name="epsilon", label=later("ε of Candor"), low="0.1", high="4", step="0.1", start="1.1"
        ),
        Slider(
            name="error",
            label=later("Error E of raw counts (Dinur and Nissim)"),
            low="0",
            high=str(MAX_ERROR),
            step="1",
            start="2",
        ),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="licences",
            question=later(
                "A licence has a digit, a letter from A to Z and two more digits. How many MD5 "
                "sums does an attacker calculate to invert them all?"
            ),
            hint=later("Not yet. Multiply the numbers of possible characters at the four places."),
            explanation=later(
                "Right: 10 × 26 × 10 × 10 = 26,000. An invitation code has 2^128 possibilities."
            ),
            solution=lambda: LICENCES,
            tolerance=0.5,
        ),
        Exercise(
            name="block",
            question=later(
                "The ages of three people are whole numbers from 0 to 89. Their mean is 44 and "
                "their median 30. How many combinations of ages are possible if their order does "
                "not matter?"
            ),
            hint=later(
                "Not yet. The lowest and the highest age add up to 102, on both sides of 30, and "
                "the highest is at most 89. Without this limit, there are more: see the next "
                "question."
            ),
            explanation=later("Right: the lowest age is 13 to 30, so there are 18."),
            solution=lambda: len(ages_of_three(3 * 44, 30)),
            tolerance=0.5,
        ),
        Exercise(
            name="open-block",
            question=later(
                "The same question as in the course text, without an upper limit. The ages of "
                "three people are whole numbers of at least 1. Their mean is 44 and their median "
                "30. How many combinations are possible?"
            ),
            hint=later(
                "Not yet. The lowest age is from 1 to 30, and the highest is 102 minus the lowest."
            ),
            explanation=later(
                "Right: the lowest age is 1 to 30, so there are 30. In 12 of them, someone is "
                "older than 89: 90 to 101 years. The others are the 18 of the question before."
            ),
            solution=lambda: len(ages_of_three(3 * 44, 30, youngest=1, oldest=3 * 44)),
            tolerance=0.5,
        ),
        Exercise(
            name="theorem",
            question=later(
                "All subset counts of 1,000 people have an error of at most E = 10. At least "
                "how many answers can an attacker reconstruct, by the theorem of Dinur and "
                "Nissim?"
            ),
            hint=later("Not yet. At most 4E answers are wrong."),
            explanation=later("Right: 1,000 − 40 = 960."),
            solution=lambda: 1_000 - 4 * 10,
            tolerance=0.5,
        ),
        Exercise(
            name="majority",
            question=later(
                "A report equals the answer with probability 3/4. What is the probability that "
                "most of 13 reports equal the answer?"
            ),
            hint=later("Not yet. Add the binomial probabilities of 7 to 13 right reports."),
            explanation=later(
                "Right: 97.6 %. So a person must report only once, or repeat the same report."
            ),
            solution=lambda: 100 * majority_share(HEADLINE_TIMES, 3),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="bound",
            question=later(
                "A yes/no question has ε = ln 9. Beforehand, Yes and No are equally likely. At "
                "most what share of guesses is right, on average?"
            ),
            hint=later("Not yet. Calculate e^ε / (1 + e^ε)."),
            explanation=later("Right: 9 / 10 = 90 %. Without any data, 50 % are right."),
            solution=lambda: 100 * guess_bound(9),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        attack = BY_NAME[values.words["attack"]]
        found = run_attack(
            attack.name,
            values.whole("people"),
            values["epsilon"],
            values.whole("error"),
            values.whole("draw"),
        )
        sentence = translate(
            "%(attack)s: %(raw)s of %(targets)s guesses are right with the raw table, and "
            "%(candor)s with Candor. The best known attack on Candor has %(best)s right. With "
            "Candor, at most %(bound)s of the guesses are right on average, whatever the attack.",
            attack=translate_constant(attack.title),
            raw=found.raw,
            targets=found.targets,
            candor=found.candor,
            best=found.best,
            bound=small_share(found.bound),
        )
        numbers = {
            "raw": found.raw,
            "candor": found.candor,
            "best": found.best,
            "bound": found.bound,
            "chance": chance_error(found),
            **found.more,
        }
        pictures = [right_and_wrong(found), along_the_axis(attack, found)]
        return Shown(
            sentence=sentence,
            figures=attack_figures(attack, found),
            pictures=pictures,
            numbers=numbers,
            more={"attack": attack},
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        attack = BY_NAME[values.words["attack"]]
        setting = attack_setting(values.whole("people"), values["epsilon"], values.whole("error"))
        return (
            Cell(
                f"## {attack.title}\n\n{attack.guess} {attack.raw} {attack.candor} {attack.best}",
                code=False,
            ),
            Cell("The page runs this code. It attacks both tables.", code=False),
            Cell(attack_code(attack)),
            Cell(
                f"generator = np.random.default_rng([{values.whole('draw')}, "
                f"*b{attack.name!r}])\n"
                f"found = {attack.run.__name__}({setting!r}, generator)\n"
                "chance = (found.bound * (1 - found.bound) / found.targets) ** 0.5\n"
                "numbers = {'raw': found.raw, 'candor': found.candor, 'best': found.best,\n"
                "           'bound': found.bound, 'chance': chance, **found.more}\nprint(numbers)"
            ),
        )


def chance_error(found: Attempt) -> float:
    """The standard error of the share that is right with Candor, at the bound."""
    return math.sqrt(found.bound * (1 - found.bound) / found.targets)


def chance_points(found: Attempt) -> str:
    """Three standard errors in percentage points, with one decimal."""
    return with_decimals(300 * chance_error(found), 1)


def small_share(share: float) -> str:
    """A share in percent, or as a power of ten if it is below 0.05 %."""
    if 0 < share < 0.0005:
        return as_power(share)
    return share_in_percent(share)


def further_number(value: float) -> str:
    """A number of `Attempt.more`: whole, small or huge. A share is between 0 and 1."""
    if value >= HUGE:
        return as_power(value)
    return with_decimals(value, 0 if value == round(value) else 2)


def attack_figures(attack: Attack, found: Attempt) -> list[Figure]:
    figures = [
        Figure(translate("Right with the raw table"), small_share(found.raw / found.targets)),
        Figure(translate("Right with Candor"), small_share(found.candor / found.targets)),
        Figure(
            translate("Right with Candor, best known attack"),
            small_share(found.best / found.targets),
        ),
        Figure(translate("Bound on average"), small_share(found.bound)),
        Figure(
            translate("Chance: three standard errors"),
            translate("± %(n)s percentage points", n=chance_points(found)),
        ),
    ]
    shares = ("at_once", "one_table", "share")
    for name, label in attack.labels.items():
        number = found.more[name]
        written = small_share(number) if name in shares else further_number(number)
        figures.append(Figure(translate_constant(label), written))
    return figures


def right_and_wrong(found: Attempt) -> LessonPicture:
    """A bar for each table, with the right and the wrong guesses."""
    bars = []
    for label, right in (
        (translate("Raw table"), found.raw),
        (translate("Candor, the same attack"), found.candor),
        (translate("Candor, the best known attack"), found.best),
    ):
        wrong = found.targets - right
        words = (
            translate("%(n)s right", n=right),
            translate("%(n)s wrong", n=wrong),
        )
        bars.append(SplitBar(label, right, wrong, words))
    chart = split_bars(bars, found.targets, (translate("right"), translate("wrong")))
    description = translate(
        "The attacker guesses %(raw)s right with the raw table, and %(candor)s right with Candor. "
        "The best known attack on Candor guesses %(best)s right.",
        raw=small_share(found.raw / found.targets),
        candor=small_share(found.candor / found.targets),
        best=small_share(found.best / found.targets),
    )
    return LessonPicture(chart, description, translate("Attacks on the raw table and on Candor"))


def along_the_axis(attack: Attack, found: Attempt) -> LessonPicture:
    """The share of right guesses by what makes the attack easier or harder."""
    raw = [(step.x, step.raw) for step in found.steps]
    candor = [(step.x, step.candor) for step in found.steps if step.candor is not None]
    promise = [(step.x, step.promise) for step in found.steps if step.promise is not None]
    layers: list[Layer] = [
        Curve(raw, translate("raw table"), dashes="6 3"),
        Curve(candor, "Candor", own=True),
        Curve(
            [(step.x, min(1.0, step.bound)) for step in found.steps],
            translate("bound with Candor"),
            dashes="2 2",
        ),
        Dots(candor, radius=3),
    ]
    for (size, shares), dashes in zip(found.sizes, ("1 4", "8 2 2 2"), strict=False):
        points = [(step.x, share) for step, share in zip(found.steps, shares, strict=True)]
        meaning = translate("raw table with %(n)s people", n=size)
        layers.insert(1, Curve(points, meaning, dashes=dashes))
    if promise:
        layers.insert(1, Curve(promise, translate("at least, by the theorem"), dashes="1 4"))
    chart = plot(
        Axis(low=raw[0][0], high=raw[-1][0], title=translate_constant(attack.axis)),
        Axis(low=0, high=1, title=translate("right guesses"), tick=percent_tick),
        layers,
    )
    first, last = found.steps[0], found.steps[-1]
    description = translate(
        "With the raw table, %(first)s are right at the left end, and %(last)s at the right "
        "end. If a dot of Candor is above the bound, this is chance.",
        first=small_share(first.raw),
        last=small_share(last.raw),
    )
    return LessonPicture(chart, description, translate("What makes the attack easier or harder"))
