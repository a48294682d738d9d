"""False alarms of the tests whose p-values pages show, on the builder's private questions.

What a test looks for does not exist in these surveys: all answers are independent. It writes
docs/evidence/false-alarms.md and its data. Each row has a seed made from its name.

    python -m bench.false_alarms [PROCESSES]

With `--page`, it only writes the page.
"""

import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from multiprocessing import Pool
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from survey.analysis import permutations
from survey.analysis.changes.changes import compare_surveys
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.columns import question_column
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import group_scores, pairs_of, tests_of_groups
from survey.analysis.groups.measures import measure_of
from survey.analysis.indirect.compare_ways import compare_ways
from survey.analysis.indirect.crosswise import instruction_test
from survey.analysis.indirect.list_columns import analyse_list, group_of_counts
from survey.analysis.indirect.list_experiment import list_experiment
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.regression.regression import regress
from survey.analysis.tables.agreement import agreement
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstabs import (
    ListedCells,
    odds_ratios_and_phis,
    row_share_differences,
    tests_of_independence,
)
from survey.analysis.tables.joint_shares import joint_shares
from survey.analysis.trees.trees import build_decision_tree
from survey.analysis.validity.noncompliance import deviants
from survey.analysis.validity.validity import contrast_with_direct, use_control_question
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetSelection
from survey.core.scores import Array
from survey.definition.parse_question import parse_question
from survey.definition.protection_levels import privacy_of_level
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types import QUESTION_TYPES
from survey.estimation import share_differences
from survey.estimation.build_results import design_fit_of
from survey.estimation.share_differences import DIFFERENT, REMEMBERED, SHARED
from tests.support.joint_reports import (
    columns_of,
    combinations_of,
    every_set,
    survey_of_items,
    transitions,
)
from tests.support.three_ways import simulated_rows, ways_survey

NAME = "false-alarms"
DOCUMENT = EVIDENCE / f"{NAME}.md"
SEED = 20261129
SIZES, SHARES = (200, 1_000), (0.5, 0.2, 0.05)
# Of the respondents, if there is "prefer not to say".
DECLINING = 0.05
# Permutation tests use this many orders here: 10 of 201 is just below 5 %, as 499 of 10,000 are.
# They end after the first ones if p is then above CLEAR_P: if it is below 0.05, that happens once
# in a million.
ORDERS, FIRST_ORDERS, CLEAR_P = 200, 39, 0.3

# A test outside these rates is wrong, or needs a reason. A tail probability below UNLIKELY is not
# chance, and a rate of fewer p-values than FEW says nothing.
LOWEST, HIGHEST, UNLIKELY, FEW = 0.04, 0.06, 1 / 2_000, 50
# The surveys of a part. Each part of a row has a seed of its own.
SURVEYS = 50

Counts = npt.NDArray[np.int64]
# The p-value of each test; None if Candor gives none.
PValues = list[float | None]
Draw = Callable[[np.random.Generator], PValues]


@dataclass(frozen=True)
class Design:
    """The protection level of private questions, and whether there is "prefer not to say"."""

    level: str
    declines: bool

    @property
    def name(self) -> str:
        return f"{self.level}, {'with' if self.declines else 'without'} “prefer not to say”"


# The first one is what the builder proposes.
PROPOSED, STRONG = Design("medium", True), Design("strong", True)
SIMPLE, STRONG_SIMPLE = Design("medium", False), Design("strong", False)
DESIGNS = (PROPOSED, STRONG, SIMPLE)


# The key of a study, a design, a true share, and n.
Task = tuple[str, Design, float, int]


@dataclass(frozen=True)
class Source:
    """Where the reports on a question come from.

    Attributes
    ----------
    column : a column with each possible report once
    chances : ndarray, shape (reports,)
        The probability of each report. The answers of respondents are independent.
    """

    column: AnalysisColumn
    chances: Array

    def draw(self, generator: np.random.Generator, n: int) -> AnalysisColumn:
        reports = generator.choice(len(self.chances), n, p=self.chances)
        return replace(self.column, reports=reports.astype(np.int64))


def every_report(question: Question) -> list[Stored]:
    """Each possible report, as it is stored."""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        chosen = combinations(range(randomizer.answers), randomizer.size)
        return [
            "".join("1" if place in each else "0" for place in range(randomizer.answers))
            for each in chosen
        ]
    if question.non_private and question.grid is not None:
        return list(range(question.number_grid.size))
    return list(range(len(question.reports)))


def question(
    name: str, kind: str, level: str | None, declines: bool, answers: int = 2, goal: str = ""
) -> Question:
    """A question as the builder proposes it, at a protection level; non-private for None."""
    privacy: Any = "none" if level is None else privacy_of_level(level, QUESTION_TYPES[kind], goal)
    entry: dict[str, Any] = {"name": name, "type": kind, "label": f"Question {name}",
                             "privacy": privacy}  # fmt: skip
    if level is not None and declines:
        entry["prefer_not_to_say"] = True
    if kind == "number":
        entry |= {"min": 18, "max": 80}
    elif kind != "yes_no":
        entry["choices"] = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(answers)]
    return parse_question(entry, "", "en")


def source(asked: Question, share: float) -> Source:
    """The first answer has this share, and the others have equal ones."""
    column = question_column(asked, every_report(asked))
    listed, special_answers = column.listed, column.special_answers
    shares = np.full(listed, (1 - share) / (listed - 1))
    shares[0] = share
    if special_answers:
        shares = np.append(
            shares * (1 - DECLINING), np.full(special_answers, DECLINING / special_answers)
        )
    chances = shares @ column.chances
    return Source(column, chances / chances.sum())


def private(name: str, design: Design, share: float, kind: str = "yes_no", k: int = 2) -> Source:
    return source(question(name, kind, design.level, design.declines, k), share)


def known(name: str, groups: int) -> Source:
    """A non-private question with answers of equal shares."""
    return source(question(name, "select_one", None, False, groups), 1 / groups)


def excludes(figure: IntervalEstimate | None, value: float) -> float | None:
    """0 if the interval excludes a value, else 1."""
    return None if figure is None else 1.0 - float(not figure.low <= value <= figure.high)


def group_p(outcome: AnalysisColumn, group: AnalysisColumn, answer: int | None) -> PValues:
    """The test of all groups, and the smallest of Holm's p-values, as `comparison_of` has them."""
    measure = measure_of(outcome, answer)
    sample = complete_case_sample((outcome, group), None, finite=True)
    estimates = group_scores(measure, group, sample).estimates(measure, group)
    pairs = pairs_of(estimates.places, None)
    overall, p_values, _ = tests_of_groups(estimates, pairs, measure, group, sample)
    if overall is None:
        return [None, None]
    return [overall.p, min(adjust_by_holm(p_values))]


def groups_study(
    kind: str, groups: int, of_private: bool, design: Design, share: float, n: int
) -> Draw:
    """A share, or the mean of a scale, in groups of equal size."""
    outcome = private("outcome", design, share, kind, 2 if kind == "yes_no" else 5)
    in_group = (
        private("group", design, 1 / groups, "select_one", groups)
        if of_private
        else known("group", groups)
    )
    answer = 0 if kind == "yes_no" else None
    return lambda r: group_p(outcome.draw(r, n), in_group.draw(r, n), answer)


def crosstab_study(kinds: Sequence[tuple[str, int]], design: Design, share: float, n: int) -> Draw:
    """The score test, and the other test of a cross-tabulation."""
    sources = [
        private(f"q{place}", design, share, kind, k) for place, (kind, k) in enumerate(kinds)
    ]

    def draw(generator: np.random.Generator) -> PValues:
        joint = joint_shares([each.draw(generator, n) for each in sources])
        found = {test.name: test.p for test in tests_of_independence(joint, [])}
        return [found.get(name) for name in ("score", "Wald" if len(kinds) > 2 else "trend")]

    return draw


def figures_study(design: Design, share: float, n: int) -> Draw:
    """The figures of a table of two by two, against their values without a relation."""
    first, second = (private(name, design, share) for name in "ab")

    def draw(generator: np.random.Generator) -> PValues:
        columns = first.draw(generator, n), second.draw(generator, n)
        table = ListedCells(joint_shares(columns), 0.95)
        ratios, phis, _ = odds_ratios_and_phis(table)
        return [
            excludes(ratios[0], 1.0), excludes(phis[0], 0.0),
            excludes(row_share_differences(table)[0], 0.0),
        ]  # fmt: skip

    return draw


def joint_study(items: Mapping[str, int], design: Design, share: float, n: int) -> Draw:
    """The score test and Wald's of the items of a joint question."""
    epsilon = float(privacy_of_level(design.level, QUESTION_TYPES["select_one"])["epsilon"])
    survey, asked = survey_of_items(items, epsilon, mechanism="subset_selection")
    # Sets of one combination have a table.
    is_set = isinstance(asked.randomizer, SubsetSelection)
    stored, table = every_set(asked) if is_set else (asked.reports, transitions(asked))
    names = [name.rstrip("?") for name in items]
    # The answers of an item with "prefer not to say" have three places.
    of_item = [
        np.array([share * (1 - DECLINING), (1 - share) * (1 - DECLINING), DECLINING])
        if name.endswith("?")
        else np.array([share, 1 - share])
        for name in items
    ]
    parts = combinations_of(asked).T
    shares = np.prod([each[part] for each, part in zip(of_item, parts, strict=True)], axis=0)
    chances = shares @ table
    codes = np.array(stored) if is_set else np.arange(len(chances))

    def draw(generator: np.random.Generator) -> PValues:
        reports = generator.choice(codes, n, p=chances / chances.sum())
        found = tests_of_independence(joint_shares(columns_of(survey, asked, reports, names)), [])
        by_name = {test.name: test.p for test in found}
        return [by_name.get("score"), by_name.get("Wald")]

    return draw


def correlation_study(kind: str, k: int, design: Design, share: float, n: int) -> Draw:
    first, second = (private(name, design, share, kind, k) for name in "ab")
    return lambda r: [pearson_correlation(first.draw(r, n), second.draw(r, n)).p]


def matrix_study(design: Design, share: float, n: int) -> Draw:
    sources = [*(private(name, design, share) for name in "ab"),
               private("c", design, share, "scale", 5)]  # fmt: skip

    def draw(generator: np.random.Generator) -> PValues:
        found = correlations([each.draw(generator, n) for each in sources])
        adjusted = [pair.adjusted for pair in found.pairs if pair.adjusted is not None]
        return [min(adjusted, default=None)]

    return draw


def change_study(
    kind: str, surveys: int, relation: str, design: Design, share: float, n: int
) -> Draw:
    """Surveys of n different respondents each."""
    asked = private("q", design, share, kind, 2 if kind == "yes_no" else 5)
    answer, labels = 0 if kind == "yes_no" else None, [str(place) for place in range(surveys)]

    def draw(generator: np.random.Generator) -> PValues:
        columns = [asked.draw(generator, n) for _ in labels]
        designs = [SurveyDesign()] * surveys
        found = compare_surveys(columns, labels, designs, answer, relation)
        # The p-values agree with these intervals, so their bisections are not needed here.
        differences = [float(each.low <= 0 <= each.high) for each in found.differences]
        return [min(differences), None if found.trend is None else excludes(found.trend, 0.0)]

    return draw


def regression_study(kind: str, k: int, model: str, design: Design, share: float, n: int) -> Draw:
    """The coefficient of a known predictor with two answers."""
    outcome, group = private("outcome", design, share, kind, k), known("group", 2)

    def draw(generator: np.random.Generator) -> PValues:
        found = regress(outcome.draw(generator, n), [group.draw(generator, n)], model)
        return [next(each for each in found.coefficients if each.name.startswith("group")).p]

    return draw


def tree_study(several: bool, design: Design, share: float, n: int) -> Draw:
    """Whether the first branch is split, as 0 for yes and 1 for no."""
    target, by = private("target", design, share), [private("a", design, share)]
    if several:
        by += [private("b", design, share, "select_one", 4), known("c", 3)]

    def draw(generator: np.random.Generator) -> PValues:
        columns = [each.draw(generator, n) for each in by]
        tested = build_decision_tree(target.draw(generator, n), columns, deepest=1).root.tested
        return [None if tested is None else tested.adjusted_p]

    return draw


def control_study(design: Design, share: float, n: int) -> Draw:
    """The known share is zero in place of 50 %, which answers at random also have."""
    known_share = 0.0 if share == 0.5 else share
    asked, control = private("asked", design, 0.3), private("control", design, known_share)
    return lambda r: [use_control_question(asked.draw(r, n), control.draw(r, n), known_share).p]


def arms_study(design: Design, share: float, n: int) -> Draw:
    """Half of the respondents are asked directly."""
    asked, direct = (
        private("asked", design, share),
        source(question("d", "yes_no", None, False), share),
    )
    return lambda r: [contrast_with_direct(asked.draw(r, n // 2), direct.draw(r, n // 2)).p]


def deviants_study(design: Design, share: float, n: int) -> Draw:
    """Two surveys of n respondents each, with coins of medium and of strong protection."""
    asked = [question("q", "yes_no", each, False) for each in ("medium", "strong")]
    sources = [source(each, share) for each in asked]
    rows = [each.column.chances.tolist() for each in sources]

    def draw(generator: np.random.Generator) -> PValues:
        counts = [generator.multinomial(n, each.chances).tolist() for each in sources]
        return [deviants((counts[0], rows[0]), (counts[1], rows[1]), 0.0).p]

    return draw


def fit_study(kind: str, k: int, design: Design, share: float, n: int) -> Draw:
    asked = question("q", kind, design.level, design.declines, k)
    stored, chances = every_report(asked), source(asked, share).chances

    def draw(generator: np.random.Generator) -> PValues:
        reports = generator.choice(len(stored), n, p=chances)
        counts: dict[Any, int] = {}
        for place in reports:
            for code in asked.form.codes(stored[place]):
                counts[code] = counts.get(code, 0) + 1
        fit = design_fit_of(asked, counts)
        return [None if fit is None else fit.p]

    return draw


def crosswise_study(design: Design, share: float, n: int) -> Draw:
    """Two groups with the known shares 1/6 and 5/6. The first is what the builder proposes."""
    same = share / 6 + (1 - share) * 5 / 6

    def draw(generator: np.random.Generator) -> PValues:
        first = int(generator.binomial(n // 2, same))
        second = int(generator.binomial(n // 2, 1 - same))
        return [instruction_test((first, second), (n // 2, n // 2), 1 / 6).p]

    return draw


def list_study(design: Design, share: float, n: int) -> Draw:
    """Three control statements, which are true for 50, 30 and 20 % of people."""
    true = np.array([0.5, 0.3, 0.2, share])

    def draw(generator: np.random.Generator) -> PValues:
        statements = generator.random((n, 4)) < true
        control = np.bincount(statements[: n // 2, :3].sum(axis=1), minlength=4)
        treatment = np.bincount(statements[n // 2 :].sum(axis=1), minlength=5)
        return [list_experiment(control.tolist(), treatment.tolist()).p]

    return draw


def ways_study(design: Design, share: float, n: int) -> Draw:
    """A quarter of the respondents in each of four arms: randomised, direct, and two lists."""
    survey = ways_survey()

    def draw(generator: np.random.Generator) -> PValues:
        rows = simulated_rows(survey, n // 4, (share, share, share), generator)
        (short, long, column), _ = columns_and_design(
            survey, rows, ["list", "list_with", "smokes+smokes_direct"]
        )
        counts = analyse_list(group_of_counts(short), group_of_counts(long))
        ways = compare_ways(column, counts, (short, long)).ways
        # The p-values agree with these intervals.
        return [excludes(each.difference, 0.0) for each in ways[1:]]

    return draw


def kappa_study(design: Design, share: float, n: int) -> Draw:
    """Two coders who give a code to this share of n texts, independently of each other."""
    shares = np.outer([share, 1 - share], [share, 1 - share]).reshape(-1)

    def draw(generator: np.random.Generator) -> PValues:
        found = agreement(*generator.multinomial(n, shares).tolist())
        if found.low is None or found.high is None:
            return [None]
        return [float(found.low <= 0 <= found.high)]

    return draw


@dataclass(frozen=True)
class Study:
    """The tests of one analysis on one kind of survey.

    Attributes
    ----------
    analysis : the page that has the tests
    tests : the names of the p-values that `draw` returns
    draw : from a design, a true share and n, the function that draws and analyses one survey
    designs : those that are measured
    bound : whether p is an upper bound, or the test one of an inequality, by its definition
    alarm : p-values below it are an alarm
    parts : the parts of SURVEYS surveys of each row
    """

    analysis: str
    tests: tuple[str, ...]
    draw: Callable[..., Draw]
    designs: tuple[Design, ...] = DESIGNS
    bound: bool = False
    alarm: float = 0.05
    parts: int = 14


YES_NO, CHOICE, SCALE = ("yes_no", 2), ("select_one", 4), ("scale", 5)
GROUPS, TABLE, CORRELATION, CHANGE = "Groups", "Cross-tabulation", "Correlation", "Change"
REGRESSION, TREE, VALIDITY, LISTS = "Regression", "Tree", "Validity", "List experiment"
OWN, DIRECT = (SIMPLE,), (SIMPLE, STRONG_SIMPLE)
ALL, PAIR, HOLM, TREND, COEFFICIENT = "all groups", "difference", "Holm", "trend", "coefficient"
TWO: dict[str, int] = {"a": 2, "b": 2}
# By the questions or groups that a study is about.
STUDIES = {
    "share, 2 known groups": Study(GROUPS, (ALL,), partial(groups_study, "yes_no", 2, False)),
    "share, 4 known groups": Study(GROUPS, (ALL, HOLM), partial(groups_study, "yes_no", 4, False)),
    "mean, 2 known groups": Study(GROUPS, (ALL,), partial(groups_study, "scale", 2, False)),
    "mean, 4 known groups": Study(GROUPS, (ALL, HOLM), partial(groups_study, "scale", 4, False)),
    "share, 2 private groups": Study(GROUPS, (ALL,), partial(groups_study, "yes_no", 2, True)),
    "share, 4 private groups": Study(GROUPS, (ALL, HOLM), partial(groups_study, "yes_no", 4, True)),
    "two by two": Study(TABLE, ("score",), partial(crosstab_study, [YES_NO] * 2)),
    "two by four": Study(TABLE, ("score",), partial(crosstab_study, [YES_NO, CHOICE])),
    "two scales": Study(TABLE, ("score", TREND), partial(crosstab_study, [SCALE] * 2)),
    "three questions": Study(
        TABLE, ("score", "Wald"), partial(crosstab_study, [YES_NO] * 3), parts=40
    ),
    "figures": Study(TABLE, ("odds ratio", "φ", "difference of row shares"), figures_study),
    "joint question, 2 items": Study(TABLE, ("score",), partial(joint_study, TWO), DIRECT),
    "joint question, 2 items, special answers": Study(
        TABLE, ("score",), partial(joint_study, {"a?": 2, "b?": 2}), (PROPOSED, STRONG)
    ),
    "joint question, 3 items": Study(
        TABLE, ("score", "Wald"), partial(joint_study, TWO | {"c": 2}), DIRECT
    ),
    "two yes/no questions": Study(CORRELATION, ("p",), partial(correlation_study, *YES_NO)),
    "correlation of two scales": Study(CORRELATION, ("p",), partial(correlation_study, *SCALE)),
    "three questions, Holm": Study(CORRELATION, (HOLM,), matrix_study),
    "share, 2 surveys": Study(CHANGE, (PAIR,), partial(change_study, "yes_no", 2, DIFFERENT)),
    "mean, 2 surveys": Study(CHANGE, (PAIR,), partial(change_study, "scale", 2, DIFFERENT)),
    "share, 4 surveys": Study(CHANGE, (HOLM, TREND), partial(change_study, "yes_no", 4, DIFFERENT)),
    "share, 2 surveys, shared": Study(
        CHANGE, (PAIR,), partial(change_study, "yes_no", 2, SHARED), bound=True
    ),
    "share, 2 waves": Study(
        CHANGE, (PAIR,), partial(change_study, "yes_no", 2, REMEMBERED), bound=True
    ),
    "linear": Study(REGRESSION, (COEFFICIENT,), partial(regression_study, *SCALE, "linear")),
    "logistic": Study(
        REGRESSION, (COEFFICIENT,), partial(regression_study, *YES_NO, "logistic"), DIRECT
    ),
    "tree, 1 predictor": Study(TREE, ("split",), partial(tree_study, False)),
    "tree, 3 predictors": Study(TREE, ("split",), partial(tree_study, True)),
    "control question": Study(VALIDITY, ("known share",), control_study),
    "direct arm": Study(VALIDITY, (PAIR,), arms_study),
    "second randomizer": Study(VALIDITY, ("did not follow the rule",), deviants_study, OWN),
    "crosswise, two groups": Study("Crosswise", ("instructions",), crosswise_study, OWN),
    "list": Study(LISTS, ("design effect",), list_study, OWN, bound=True),
    "ways of asking": Study(LISTS, ("randomised", "list"), ways_study, OWN),
    "kappa": Study("Codes of texts", ("kappa",), kappa_study, OWN),
    "design fit, yes/no": Study(
        "Results", ("fit",), partial(fit_study, *YES_NO), bound=True, alarm=0.01
    ),
    "design fit, 4 choices": Study(
        "Results", ("fit",), partial(fit_study, *CHOICE), bound=True, alarm=0.01
    ),
}


@contextmanager
def quicker() -> Iterator[None]:
    """During the block, p-values are less precise, and permutation tests use fewer orders."""
    faster = (
        (permutations, "FIRST_PERMUTATIONS", FIRST_ORDERS), (permutations, "PERMUTATIONS", ORDERS),
        (permutations, "LARGE_P", CLEAR_P), (permutations, "SEED", permutations.SEED),
        (share_differences, "BISECTIONS", 1),
    )  # fmt: skip
    before = [getattr(module, name) for module, name, _ in faster]
    for module, name, value in faster:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(faster, before, strict=True):
            setattr(module, name, value)


@quicker()
def counted(key: str, design: Design, share: float, n: int, part: int) -> Counts:
    """The p-values, and those that are an alarm, of each test in SURVEYS surveys; (2, tests)."""
    study = STUDIES[key]
    name = f"{key}|{design.name}|{share:g}|{n}|{part}"
    generator = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    draw = study.draw(design, share, n)
    found = np.zeros((2, len(study.tests)), dtype=np.int64)
    for _ in range(SURVEYS):
        # With the same orders in every survey, their chance would move all p-values alike.
        permutations.SEED = int(generator.integers(2**31))
        try:
            p_values = draw(generator)[: len(study.tests)]
        except UnanswerableQuestion:
            continue
        found += [
            [p is not None for p in p_values],
            [p is not None and p < study.alarm for p in p_values],
        ]
    return found


def rows_of(task: Task) -> list[dict[str, object]]:
    """The rows of all tests of a study, for a design, a true share and a size."""
    key, design, share, n = task
    study = STUDIES[key]
    found = sum(counted(*task, part) for part in range(study.parts))
    return [
        {
            "analysis": study.analysis, "questions": key, "test": test,
            "protection": "–" if study.designs is OWN else design.name,
            "true share": f"{100 * share:g}", "n": n, "surveys": SURVEYS * study.parts,
            "p-values": p_values, "alarms": alarms,
        }
        for test, p_values, alarms in zip(study.tests, *found.tolist(), strict=True)
    ]  # fmt: skip


def tasks() -> list[Task]:
    return [
        (key, design, share, n)
        for key, study in STUDIES.items()
        for design in study.designs
        for share in SHARES
        for n in SIZES
    ]


def rate(rows: Sequence[Row]) -> str:
    """The percentage of p-values that are an alarm; a dash if there are less than FEW."""
    p_values = sum(int(row["p-values"]) for row in rows)
    alarms = sum(float(row["alarms"]) for row in rows)
    return f"{100 * alarms / p_values:.1f}" if p_values >= FEW else "–"


def table(rows: Sequence[Row], protections: Sequence[str]) -> str:
    """The rates of each test over all true shares, for some protections and each n."""
    lines = []
    for key in dict.fromkeys(test_of(row) for row in rows):
        found = [row for row in rows if test_of(row) == key and row["protection"] in protections]
        if found:
            cells = [
                rate([row for row in found if (row["protection"], row["n"]) == (each, str(n))])
                for each in protections
                for n in SIZES
            ]
            lines.append([*key, *cells])
    heads = [
        f"n = {n:,}" if each == "–" else f"{each.partition(',')[0]}, n = {n:,}"
        for each in protections
        for n in SIZES
    ]
    return markdown_table(["analysis", "questions", "test", *heads], lines)


def test_of(row: Row) -> tuple[str, str, str]:
    return row["analysis"], row["questions"], row["test"]


def is_bound(row: Row) -> bool:
    return STUDIES[row["questions"]].bound


def unlikely(rows: Sequence[Row], above: bool) -> list[tuple[str, ...]]:
    """The tests whose rate in all rows is clearly above 6 %, or clearly below 4 %.

    That is if a test with this rate would have it once in 2,000 times.
    """
    found = []
    for key in dict.fromkeys(map(test_of, rows)):
        same = [row for row in rows if test_of(row) == key]
        p_values = sum(int(row["p-values"]) for row in same)
        alarms = sum(float(row["alarms"]) for row in same)
        tail = (
            binom.sf(alarms - 1, p_values, HIGHEST)
            if above
            else binom.cdf(alarms, p_values, LOWEST)
        )
        if tail < UNLIKELY:
            found.append((*key, rate(same)))
    return found


def seldom(rows: Sequence[Row]) -> str:
    """The tests that have a p-value in fewer than half of the surveys, but in FEW at least."""
    lines = []
    for key in dict.fromkeys((*test_of(row), row["protection"], row["n"]) for row in rows):
        same = [row for row in rows if (*test_of(row), row["protection"], row["n"]) == key]
        *of_test, n = key
        surveys, p_values, alarms = (
            sum(float(row[name]) for row in same) for name in ("surveys", "p-values", "alarms")
        )
        if FEW <= p_values < surveys / 2:
            parts = (p_values / surveys, alarms / p_values, alarms / surveys)
            lines.append([*of_test, f"{int(n):,}", *(f"{100 * part:.1f}" for part in parts)])
    heads = ["analysis", "questions", "test", "protection", "n", "surveys with p",
             "false alarms among these", "among all surveys"]  # fmt: skip
    return markdown_table(heads, lines)


def listed(found: Sequence[tuple[str, ...]]) -> str:
    """A table of tests, or that there are none."""
    heads = ["analysis", "questions", "test", "false alarms"]
    return markdown_table(heads, [list(each) for each in found]) if found else "There are none."


def page(rows: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    tests = [row for row in rows if not is_bound(row)]
    bounds = [row for row in rows if is_bound(row)]
    surveys = sorted({int(row["surveys"]) for row in rows})
    of_cell = [len(SHARES) * each for each in (surveys[0], surveys[-1])]
    with_decline, without = ([each.name for each in pair] for pair in (DESIGNS[:2], DIRECT))
    return wrapped(
        PAGE.format(
            surveys=" to ".join(f"{each:,}" for each in dict.fromkeys(of_cell)),
            error=f"{100 * (0.05 * 0.95 / of_cell[0]) ** 0.5:.1f}",
            most_error=f"{100 * (0.05 * 0.95 / FEW) ** 0.5:.1f}",
            declines=table(tests, with_decline), without=table(tests, without),
            own=table(tests, ["–"]), seldom=seldom(tests), high=listed(unlikely(tests, True)),
            low=listed(unlikely(tests, False)),
            bounds=table(bounds, with_decline), bounds_without=table(bounds, without),
            bounds_own=table(bounds, ["–"]), few=FEW,
        )
    )  # fmt: skip


PAGE = """# False alarms

A test raises a false alarm if its p-value is below 0.05 although what it looks for does not exist.
At most 6 % of surveys should have one. With less than 4 %, a test finds fewer relations than it
could. This page has the false alarms of the tests whose p-values Candor's pages show, without
weights, strata and clusters. [Intervals of regressions](regression.md) has most regressions.

The command `.venv/bin/python -m bench.false_alarms` repeats the simulations with fixed seeds. It
writes this page and its data, [false-alarms.csv](data/false-alarms.csv). An entry is the percentage
of p-values below 0.05, from {surveys} simulated surveys. Near 5 %, its standard error is {error}
percentage points, and up to {most_error} if few surveys have a p-value. An entry is “–” for fewer
than {few} p-values. Candor gives none without an estimate, and some tests are not possible with
special answers. n is the number of respondents, in comparisons of surveys of each survey. All
answers are independent. The first answer of each question has a true share of 50, 20 or 5 % in a
third of the surveys each, and the other answers have equal shares. Groups have equal shares, and
the share of the control question is 0, 20 or 5 %.

Private questions are as the builder proposes them, with medium or strong protection. Medium is two
coin flips for yes/no questions (ε = 1.1), otherwise ε = 1, and strong is ε = 0.5. Scales have five
levels. Groups and predictors that are “known” are non-private. Permutation tests use 200 orders
here instead of 9,999, which does not change how often they raise a false alarm. For differences
between surveys and between ways of asking, an alarm is a 95 % interval without zero, because p
agrees with it. An odds ratio, φ, a difference of row shares and kappa have no p-value. For these,
an alarm is an interval without the value for independent answers.

## With “prefer not to say”

The builder proposes “prefer not to say”. Here, 5 % of the respondents choose it.

{declines}

## Without “prefer not to say”

Strong protection is measured for joint questions and the logistic regression only.

{without}

## Tests with a design of their own

The second randomizer has coins with medium and strong protection. The crosswise question has the
known shares 1/6 and 5/6. In the ways of asking, a quarter of the respondents each is asked by two
coin flips, directly, and by two lists. Two coders give a code independently of each other.

{own}

## Upper bounds

These p-values are upper bounds by their definition, so false alarms are rare.

* The test of the design fit holds for any true shares. Its false alarms are p-values below 0.01,
  because Candor reports a misfit only then.
* The test for a design effect in a list experiment is of inequalities: no type of respondents has a
  negative share. It has its level if the shares that it tests are zero, and they are positive here.
* If some people may have answered several surveys, or in a series, Candor assumes the covariance
  that makes the interval longest. Here, all people are different.

The first table is with “prefer not to say”, the second one without it, and only with medium
protection.

{bounds}

{bounds_without}

{bounds_own}

## Tests that are seldom possible

Candor gives a correlation only if both estimated variances are positive, and splits a branch of a
tree only if enough respondents are estimated to be on both sides. With little information, most
surveys have no p-value. Those that have one are not typical, so their rate can be above 6 %. The
table has all tests with a p-value in less than half of the surveys, in percent.

{seldom}

## Too many false alarms

In these tests, the rate over all n and protections is above 6 %. A test with 6 % would have such a
rate less than once in 2,000 times.

{high}

## Too few false alarms

In these tests, the rate over all n and protections is below 4 %. A test with 4 % would have such a
rate less than once in 2,000 times.

{low}

The study does not measure the reasons for rates below 5 %. These are likely:

* Wald's test for three questions and the figures of a cross-tabulation compare products or ratios
  of estimated shares. With few responses, these shares are hardly known, and the standard errors
  are probably too large. The score test does not use them.
* Holm's adjustment holds for tests that depend on each other in any way. The tests of pairs of
  groups do depend on each other, so the smallest adjusted p-value is below 0.05 in less than 5 % of
  surveys.
* A tree divides the level among its predictors (Bonferroni), also among those that depend on each
  other.
"""


def main(arguments: Sequence[str]) -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in arguments:
        with Pool(int(arguments[0]) if arguments else os.cpu_count()) as pool:
            write_rows(NAME, [row for rows in pool.imap(rows_of, tasks()) for row in rows])
    DOCUMENT.write_text(page(read_rows(NAME)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
