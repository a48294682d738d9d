"""The figures on k-anonymity, compared with a count of all pairs of respondents."""

from collections import Counter
from functools import partial

import numpy as np
import numpy.typing as npt

from survey.analysis.k_anonymity import (
    MIN_GROUP_RESPONDENTS,
    RANGES,
    count_groups,
    group_sizes,
    helpful_changes,
    single_answers,
)
from survey.core.scores import Array
from survey.definition.survey import parse_survey
from survey.planning.privacy_checks import identifying_questions

from .answers import SIZES
from .study import Case, Finding, Study

Table = npt.NDArray[np.int64]
AGES, REGIONS, ANSWERS = 50, 4, 2
CHOICES = [{"name": f"c{place}", "label": str(place)} for place in range(REGIONS)]
SURVEY = parse_survey(
    {
        "slug": "x",
        "title": "X",
        "questions": [
            {"name": "age", "type": "number", "label": "?", "privacy": "none", "min": 1,
             "max": AGES, "prefer_not_to_say": True},
            {"name": "region", "type": "select_one", "label": "?", "privacy": "none",
             "choices": CHOICES},
            {"name": "married", "type": "yes_no", "label": "?", "privacy": "none"},
        ],
    }
)  # fmt: skip
# The shares of the ages and of the people who decline, and of the regions.
SHARES = {
    "all frequent": (np.full(AGES + 1, 1 / (AGES + 1)), np.full(REGIONS, 1 / REGIONS)),
    "some rare": (
        0.9 ** np.arange(AGES + 1) / (0.9 ** np.arange(AGES + 1)).sum(),
        np.array([0.85, 0.05, 0.05, 0.05]),
    ),
}


def companions(table: Table) -> Table:
    """The number of respondents with the same answers as each one, with this one."""
    alike = (table[:, np.newaxis] == table[np.newaxis]).all(axis=2)
    return np.asarray(alike.sum(axis=1))


def changed(table: Table) -> list[Table]:
    """The tables after each single change."""
    found = []
    for place in range(table.shape[1]):
        found.append(np.delete(table, place, axis=1))
    ages = table.copy()
    # Declining is no age.
    of_age = ages[:, 0] < AGES
    ages[of_age, 0] //= AGES // RANGES
    found.append(ages)
    counts = np.bincount(table[:, 1], minlength=REGIONS)
    rarest = [place for place in np.argsort(counts, kind="stable") if counts[place]][:2]
    if len(rarest) == 2:
        merged = table.copy()
        merged[np.isin(merged[:, 1], rarest), 1] = rarest[0]
        found.append(merged)
    return found


def alone_and_smallest(table: Table) -> tuple[int, int]:
    sizes = companions(table)
    return int((sizes == 1).sum()), int(sizes.min())


def alike_in(table: Table, place: int) -> tuple[int, int]:
    """Of the groups by all other questions: the groups of two or more with one answer to this one,
    and the respondents in them."""
    others = np.delete(table, place, axis=1)
    alike = (others[:, np.newaxis] == others[np.newaxis]).all(axis=2)
    same = table[:, place][:, np.newaxis] == table[:, place][np.newaxis]
    inside = (alike.sum(axis=1) > 1) & (~alike | same).all(axis=1)
    return len(np.unique(others[inside], axis=0)), int(inside.sum())


def draw(shares: tuple[Array, Array], n: int, generator: np.random.Generator) -> Finding:
    """Whether any figure of the page differs from the one of all pairs."""
    table = np.column_stack(
        [
            *(generator.choice(len(each), n, p=each) for each in shares),
            generator.integers(0, ANSWERS, n),
        ]
    )
    questions = identifying_questions(SURVEY)
    groups = count_groups(map(tuple, table.tolist()))
    found, sizes = group_sizes(groups), companions(table)
    now = alone_and_smallest(table)
    differs = found.sizes != {
        size: count // size for size, count in Counter(sizes.tolist()).items()
    }
    differs |= (found.alone, found.smallest) != now
    differs |= found.in_small_groups != int((sizes < MIN_GROUP_RESPONDENTS).sum())
    differs |= sum(row[2] for row in found.rows) != n
    after = sorted(
        ((alone, -smallest) for alone, smallest in map(alone_and_smallest, changed(table)))
    )
    stated = helpful_changes(questions, groups) or ()
    differs |= [(each.after.alone, -each.after.smallest) for each in stated] != [
        each for each in after if each < (now[0], -now[1])
    ]
    single = single_answers(questions, {each.name for each in questions}, groups) or ()
    differs |= {each.question.name: (each.groups, each.respondents) for each in single} != {
        question.name: alike
        for place, question in enumerate(questions)
        if (alike := alike_in(table, place))[1]
    }
    return Finding(alarm=bool(differs))


def cases() -> list[Case]:
    return [
        Case(name, n, partial(draw, shares, n), 1_000 if n < 1_000 else 200)
        for name, shares in SHARES.items()
        for n in SIZES
    ]


STUDY = Study(
    "Figures on k-anonymity",
    """Three non-private questions: a number with a special answer, a choice and a yes/no question.
    The page has the
    sizes of groups, the respondents alone and in small groups, those in groups with a single
    answer, and what each change leads to. A false alarm is a survey in which one of these differs
    from a comparison of all pairs of respondents.""",
    cases,
)
