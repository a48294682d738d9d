"""Known facts: how many people are alone with a few facts, if all combinations are equally common.

Sweeney (2000, Simple Demographics Often Identify People Uniquely) published 87 %. Golle (2006,
Revisiting the Uniqueness of Simple Demographics in the US Population) published 63 %.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from survey.charts.analysis_rows import percent_tick
from survey.core.translate import (
    later,
    translate,
    translate_constant,
    translate_count,
    translate_number,
)
from survey.learn.controls import Draw, Slider, Values
from survey.learn.lesson import Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Curve, Dots, SplitBar, plot, split_bars
from survey.learn.written_numbers import share_in_percent, with_decimals

SEXES = 2
YEARS = 79
MONTHS = 12
DAYS = 365
SWEENEY = 0.87
GOLLE = 0.63
MAX_COMBINATIONS = 120_000
STEP = 500
FACTS = (
    (later("sex"), SEXES),
    (later("sex and year of birth"), SEXES * YEARS),
    (later("sex, year and month of birth"), SEXES * YEARS * MONTHS),
    (later("sex and date of birth"), SEXES * YEARS * DAYS),
)
# The trips of 2013 in New York, and each minute of a year at one of 10,000 places.
TRIPS = 173_000_000
MINUTES = 525_600
PLACES = 10_000


def alone_share(people: int, values: int) -> float:
    """The expected share of people whose combination of facts nobody else has.

    Each of the others has the same combination with probability 1 / values, so the share is
    (1 − 1/values)^(people − 1). Both are at least 1.
    """
    return float((1 - 1 / values) ** (people - 1))


class KnownFacts(Lesson):
    """The number of people in an area and the number of combinations of facts vary."""

    address = "known-facts"
    title = later("Known facts")
    idea = later(
        "A few harmless facts, such as sex, postcode and date of birth, can be enough to find "
        "someone in a table without names."
    )
    controls = (
        Slider(
            name="people",
            label=later("People in the postcode area"),
            low="500",
            high="40000",
            step="500",
            start="8500",
        ),
        Slider(
            name="values",
            label=later("Possible combinations of the known facts"),
            low="500",
            high=str(MAX_COMBINATIONS),
            step=str(STEP),
            start="57500",
        ),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="values",
            question=later(
                "There are 2 sexes, 79 years of birth and 365 days in a year. How many "
                "combinations of sex and date of birth are there?"
            ),
            hint=later("Not yet. Multiply the three numbers."),
            explanation=later(
                "Right: 2 × 79 × 365 = 57,670. An average US postcode area has 8,500 people."
            ),
            solution=lambda: FACTS[-1][1],
            tolerance=0.5,
        ),
        Exercise(
            name="class",
            question=later(
                "A class has 30 students. Someone knows the sex and the birthday of each, without "
                "the year. What share of them is alone with these facts on average, if all 2 × 365 "
                "combinations are equally common?"
            ),
            hint=later(
                "Not yet. Each of the 29 others has other facts with probability 1 − 1/730."
            ),
            explanation=later("Right: (1 − 1/730)^29 = 96.1 %."),
            solution=lambda: 100 * alone_share(30, SEXES * DAYS),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="taxi",
            question=later(
                "173 million taxi trips each begin in one of 525,600 minutes and at one of 10,000 "
                "places, all equally common. How many of the trips, on average, begin in a given "
                "minute at a given place?"
            ),
            hint=later("Not yet. Divide the number of trips by the number of combinations."),
            explanation=later(
                "Right: 173,000,000 / 5,256,000,000 = 0.033. So nearly every trip is alone."
            ),
            solution=lambda: TRIPS / (MINUTES * PLACES),
            tolerance=0.0005,
        ),
    )

    def show(self, values: Values) -> Shown:
        people, combinations = values.whole("people"), values.whole("values")
        expected = alone_share(people, combinations)
        facts = self.generator(values).integers(0, combinations, people)
        alone = int(np.sum(np.bincount(facts) == 1))
        sentence = translate(
            "With %(people)s people and %(values)s equally common combinations, %(share)s of the "
            "people are expected to be alone with their facts. In this draw, %(alone)s are alone.",
            people=people,
            values=combinations,
            share=share_in_percent(expected),
            alone=alone,
        )
        numbers = {
            "expected": expected,
            "alone": alone,
            "others": (people - 1) / combinations,
        }
        figures = [
            Figure(
                translate("Expected share that is alone"),
                share_in_percent(expected),
                "(1 − 1/K)^(n − 1)",
            ),
            Figure(translate("Alone in this draw"), share_in_percent(alone / people)),
            Figure(
                translate("Others with the same facts, on average"),
                with_decimals(numbers["others"], 2),
                "(n − 1) / K",
            ),
            Figure(
                translate("Published for the USA of 1990"),
                translate_number("87 %"),
                "Sweeney (2000)",
            ),
            Figure(
                translate("Published for the USA of 2000"), translate_number("63 %"), "Golle (2006)"
            ),
        ]
        pictures = [growing_picture(people, combinations), drawn_picture(alone, people)]
        return Shown(
            sentence=sentence,
            figures=figures,
            pictures=pictures,
            numbers=numbers,
            more={"facts": facts_table(people)},
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        return (
            Cell("n people have one of K equally common combinations of facts each.", code=False),
            Cell(
                "import numpy as np\n\n"
                f"n, K = {values.whole('people')}, {values.whole('values')}\n"
                "expected = (1 - 1 / K) ** (n - 1)\nothers = (n - 1) / K\nprint(expected, others)"
            ),
            Cell("The draw of the page:", code=False),
            Cell(
                self.generator_source(values) + "facts = generator.integers(0, K, n)\n"
                "alone = int(np.sum(np.bincount(facts) == 1))\n"
                "numbers = {'expected': expected, 'alone': alone, 'others': others}\nprint(numbers)"
            ),
        )


def facts_table(people: int) -> list[tuple[str, str, str]]:
    """Each set of facts, its number of combinations, and the expected share that is alone."""
    return [
        (
            translate_constant(facts),
            translate_count(values),
            share_in_percent(alone_share(people, values)),
        )
        for facts, values in FACTS
    ]


def growing_picture(people: int, combinations: int) -> LessonPicture:
    """The expected share that is alone, by the number of combinations."""
    places = range(STEP, MAX_COMBINATIONS + 1, 2 * STEP)
    points = [(float(each), alone_share(people, each)) for each in places]
    ends = (0.0, float(MAX_COMBINATIONS))
    chart = plot(
        Axis(
            low=ends[0],
            high=ends[1],
            title=translate("possible combinations of the known facts, K"),
        ),
        Axis(low=0, high=1, title=translate("share of people who are alone"), tick=percent_tick),
        [
            Curve(
                [(end, SWEENEY) for end in ends], translate("87 %% (Sweeney 2000)"), dashes="6 3"
            ),
            Curve([(end, GOLLE) for end in ends], translate("63 %% (Golle 2006)"), dashes="2 2"),
            Curve(points, translate("expected share, if all are equally common"), own=True),
            Dots([(float(combinations), alone_share(people, combinations))]),
        ],
    )
    description = translate(
        "The share of people who are alone grows with the number of combinations, from %(first)s "
        "at 500 to %(last)s at 120,000.",
        first=share_in_percent(points[0][1]),
        last=share_in_percent(alone_share(people, MAX_COMBINATIONS)),
    )
    return LessonPicture(chart, description, translate("More known facts, fewer look-alikes"))


def drawn_picture(alone: int, people: int) -> LessonPicture:
    """The people of the draw: those who are alone with their facts, and the others."""
    words = (
        translate("alone: %(n)s", n=alone),
        translate("not alone: %(n)s", n=people - alone),
    )
    bar = SplitBar(translate("People in the area"), alone, people - alone, words)
    chart = split_bars([bar], people, (translate("alone"), translate("not alone")))
    description = translate(
        "In this draw, %(share)s of the people are alone with their facts.",
        share=share_in_percent(alone / people),
    )
    return LessonPicture(chart, description, translate("One draw"))
