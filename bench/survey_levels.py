"""What each protection level of a survey costs, and its exact certainties.

It writes docs/evidence/survey-levels.md and its data.

    python -m bench.survey_levels
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from survey.definition.certainty import surest
from survey.definition.survey import parse_survey
from survey.definition.survey_level import LEVEL_NAMES, SURVEY_LEVELS
from survey.planning.survey_protection import (
    MAIN_MARGIN,
    SurveyLevel,
    divide_protection,
)

DOCUMENT = EVIDENCE / "survey-levels.md"
NAME = "survey-levels"
QUESTIONS = range(1, 21)
# The square of the quantile of a 95 % interval.
Z_SQUARED = NormalDist().inv_cdf(0.975) ** 2


def yes_no_survey(questions: int) -> dict[str, Any]:
    return {
        "slug": "levels",
        "title": "Levels",
        "budget": {"epsilon": questions},
        "questions": [
            {"name": f"q{place}", "type": "yes_no", "label": "?", "privacy": {"epsilon": 1}}
            for place in range(questions)
        ],
    }


def closed_form(questions: int, level: SurveyLevel) -> float:
    """The least respondents of all samples, from the variance (t + 1)^2 / (4 (t - 1)^2)."""

    def needed(sample: int) -> float:
        ratio = min(float(level.about_one), float(level.about_all) ** (1 / sample))
        variance = (ratio + 1) ** 2 / (4 * (ratio - 1) ** 2)
        return Z_SQUARED * variance / MAIN_MARGIN**2 * questions / sample

    return min(map(needed, range(1, questions + 1)))


def rows() -> Iterator[dict[str, object]]:
    for questions in QUESTIONS:
        survey = parse_survey(yes_no_survey(questions))
        for key, level in SURVEY_LEVELS.items():
            found = divide_protection(survey, level)
            crossed = divide_protection(survey, level, [("q0", "q1")]) if questions > 1 else None
            yield {
                "questions": questions,
                "level": key,
                "asked": found.per_respondent or questions,
                "about_one": found.survey.largest_ratio_bound,
                "about_all": found.survey.ratio_bound,
                "respondents": found.respondents,
                "ratio": f"{found.respondents / closed_form(questions, level):.3f}",
                "crossed": crossed.respondents if crossed else "",
                "crossed_asked": (crossed.per_respondent or questions) if crossed else "",
            }


def page(measured: Sequence[Row]) -> str:
    by_level = {key: [row for row in measured if row["level"] == key] for key in SURVEY_LEVELS}
    worst = max(float(row["ratio"]) for row in measured)
    names = [LEVEL_NAMES[key] for key in SURVEY_LEVELS]
    limits = "\n".join(
        f"* {LEVEL_NAMES[key]}: at most {surest(level.about_one)} about one answer, and "
        f"{surest(level.about_all)} about all answers together."
        for key, level in SURVEY_LEVELS.items()
    )

    def table(cell: str, asked: str) -> str:
        lines = (
            [
                str(questions),
                *(shown(row[cell], row[asked]) for row in alike if row[cell]),
            ]
            for questions, alike in zip(
                QUESTIONS, zip(*by_level.values(), strict=True), strict=True
            )
            if alike[0][cell]
        )
        return markdown_table(["private questions", *names], lines)

    certainties = "\n".join(
        f"* {LEVEL_NAMES[key]}: {', '.join(sorted({certainty(row) for row in of_level}))}."
        for key, of_level in by_level.items()
    )
    return wrapped(
        f"""# Protection levels of a survey

A [protection level](../reference/glossary.md#protection-level) limits the
[certainty](../reference/glossary.md#certainty) about the answers of one respondent:

{limits}

Candor divides a level so that it needs the fewest respondents. This page shows the division for
surveys of 1 to {max(QUESTIONS)} yes/no questions. The command `.venv/bin/python -m
bench.survey_levels` calculates it again in less than a minute, and writes this page and its
[data](data/{NAME}.csv).

## Respondents for a margin of 5 points

The number in parentheses is that of the questions on which each respondent reports. Every number
is at most {worst:.3f} times the best one by a closed form, which knows no grid of ε. Tests
compare surveys of other types with an independent optimiser, which is never 5 % better
(*tests/planning/test_survey_protection.py*).

{table("respondents", "asked")}

## Respondents for a cross-tabulation

These are the respondents for a margin of 5 points of each cell, if the main figure is the
cross-tabulation of two of the questions. The margin of the other questions may then be 10 points.
An independent search finds no division that is 5 % better.

{table("crossed", "crossed_asked")}

## Certainty

The certainty about one answer, and about all answers, is exact. The first page tells it to
respondents. For 1 to {max(QUESTIONS)} questions, it is:

{certainties}
"""
    )


def certainty(row: Row) -> str:
    one, every = (surest(Fraction(row[name])) for name in ("about_one", "about_all"))
    return f"{one} and {every}"


def shown(number: str, asked: str) -> str:
    return f"{math.ceil(float(number)):,} ({asked})"


def main() -> None:
    write_rows(NAME, list(rows()))
    DOCUMENT.write_text(page(read_rows(NAME)), encoding="utf-8")


if __name__ == "__main__":
    main()
