"""Analyses as the rows of one table, with the exact numbers of the page, for CSV files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from survey.analysis.changes.changes import SurveyChange
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure
from survey.analysis.indirect.compare_ways import WaysOfAsking
from survey.analysis.indirect.crosswise import Crosswise
from survey.analysis.indirect.list_and_direct import ListAndDirect
from survey.analysis.indirect.list_experiment import ListExperiment
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.equations import odds_ratios
from survey.analysis.regression.formula import coefficient_label
from survey.analysis.sentences import is_share
from survey.analysis.tables.association import Test
from survey.analysis.tables.correlation_matrix import Correlations
from survey.analysis.tables.crosstabs import Crosstab
from survey.analysis.trees.predictions import TreeAccuracy
from survey.analysis.trees.tree_text import conditions_text, displayed_answers, split_questions
from survey.analysis.trees.trees import DecisionTree
from survey.analysis.validity.noncompliance import TrueShareBounds
from survey.core.translate import later, translate, translate_constant
from survey.definition.frozen import finite_or_none
from survey.estimation.findings.remarks import DO_NOT_USE, Remark

SHARE_KEY = later("share")
MEAN_KEY = later("mean")
SHARE = "share from 0 to 1"
POINTS = "difference of shares, from -1 to 1"


@dataclass(frozen=True, kw_only=True)
class AnalysisRow:
    """A figure of an analysis. What does not apply is None, an empty cell.

    Attributes
    ----------
    figure : what it is, such as "share of the row", in English: a key that no language changes
    about : at most three answers, groups or questions that it is about, each a column
    unit : SHARE, POINTS, the unit of a mean, or empty
    adjusted_low, adjusted_high, adjusted_p : corrected for all comparisons of this analysis
    label : what it is in the language of the page, if that is more than the translated `figure`
    """

    figure: str
    about: tuple[str, ...] = ()
    unit: str = ""
    estimate: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_p: float | None = None
    label: str = ""

    @property
    def shown(self) -> str:
        """What the row is, in the language of the page."""
        return self.label or translate_constant(self.figure)


ABOUT = ("first", "second", "third")
UNIT = "see the column unit"
# The columns of the CSV file, each with its unit and its meaning.
ANALYSIS_FIELDS = {
    "figure": (
        "text",
        "Kind of the estimate or test in the row, such as “difference”. English in all languages.",
    ),
    "first": ("text", "The answer, group, question or test that the row is about."),
    "second": ("text", "The second answer, group or question, or more about the test."),
    "third": ("text", "The third answer, or more about the estimate."),
    "unit": ("text", "Unit of the estimate; empty for coefficients, correlations and tests."),
    "estimate": (UNIT, "The estimate, unclipped, or inf; for a test, the test statistic."),
    "standard_error": (UNIT, "Standard error of the estimate; empty if there is none."),
    "low": (UNIT, "Lower end of the 95 % interval."),
    "high": (UNIT, "Upper end of the 95 % interval; inf if there is none."),
    "p": ("probability", "p-value; two-sided for an estimate."),
    "adjusted_low": (UNIT, "Lower end of the simultaneous 95 % interval."),
    "adjusted_high": (UNIT, "Upper end of the simultaneous 95 % interval."),
    "adjusted_p": ("probability", "p-value with Holm’s correction."),
    "label": ("text", "Kind of the estimate or test, in the language of the page."),
    "do_not_use": (
        "yes or empty",
        "`yes` if no estimate of the analysis may be used, such as if reports do not fit the "
        "design of their question.",
    ),
    "remark_codes": ("text", "The codes of all remarks on the analysis, separated by spaces."),
}


def table_of_rows(
    rows: Sequence[AnalysisRow], remarks: Sequence[Remark] = ()
) -> list[tuple[Any, ...]]:
    """The names of the columns, then the cells of each row. Every row repeats the remarks."""
    unusable = "yes" if any(remark.severity == DO_NOT_USE for remark in remarks) else ""
    codes = " ".join(dict.fromkeys(remark.code for remark in remarks))
    _, _, *names, _ = (each.name for each in fields(AnalysisRow))
    table: list[tuple[Any, ...]] = [tuple(ANALYSIS_FIELDS)]
    for row in rows:
        about = (*row.about, *[""] * (len(ABOUT) - len(row.about)))
        numbers = (getattr(row, name) for name in names)
        table.append((row.figure, *about, *numbers, row.shown, unusable, codes))
    return table


def estimate_row(
    figure: IntervalEstimate | None, what: str, *about: str, unit: str = SHARE, **more: Any
) -> AnalysisRow:
    """A row with an estimate and its interval; empty cells if there is none."""
    row = AnalysisRow(figure=what, about=about)
    if figure is None:
        return replace(row, unit=unit)
    return replace(
        row,
        unit=unit,
        estimate=figure.value,
        standard_error=finite_or_none(figure.standard_error),
        low=figure.low,
        high=figure.high,
        **more,
    )


def row_of_measure(
    figure: IntervalEstimate | None, measure: Measure, about: str, unit: str
) -> AnalysisRow:
    """A row with a measure of a group or a survey."""
    row = estimate_row(figure, SHARE_KEY if is_share(measure) else MEAN_KEY, about, unit=unit)
    return replace(row, label=measure.words)


def test_row(test: Test) -> AnalysisRow:
    return AnalysisRow(
        figure=f"{test.name} test",
        about=(test.hypothesis, f"{test.degrees} degrees of freedom"),
        estimate=test.statistic,
        p=test.p,
        label=test_label(test.name),
    )


def test_label(name: str) -> str:
    """The name of a test, in the language of the page."""
    return translate("%(test)s test", test=translate_constant(name))


def comparison_rows(found: GroupComparison) -> Iterator[AnalysisRow]:
    shares, labels = is_share(found.measure), [group.label for group in found.groups]
    unit = SHARE if shares else found.measure.column.unit
    for group in found.groups:
        yield estimate_row(group.size, later("share of respondents"), group.label)
    for group in found.groups:
        yield row_of_measure(group.figure, found.measure, group.label, unit)
    yield row_of_measure(found.everyone, found.measure, translate("Everyone"), unit)
    for each in found.differences:
        p, adjusted_p = each.stated_p
        yield estimate_row(
            each.figure,
            later("difference"),
            labels[each.group],
            labels[each.other],
            unit=POINTS if shares else unit,
            p=p,
            adjusted_low=each.low,
            adjusted_high=each.high,
            adjusted_p=adjusted_p,
        )
    if found.overall is not None:
        yield test_row(found.overall)


def change_rows(found: SurveyChange) -> Iterator[AnalysisRow]:
    shares, labels = is_share(found.measure), [wave.label for wave in found.waves]
    unit = SHARE if shares else found.measure.column.unit
    size = POINTS if shares else unit
    for wave in found.waves:
        yield row_of_measure(wave.figure, found.measure, wave.label, unit)
    for each in found.differences:
        yield estimate_row(
            each.figure,
            later("difference"),
            labels[each.group],
            labels[each.other],
            unit=size,
            p=each.p,
            adjusted_low=each.low,
            adjusted_high=each.high,
            adjusted_p=each.adjusted,
        )
    if found.trend is not None:
        what = later("average change from one survey to the next")
        yield estimate_row(found.trend, what, unit=size, p=found.trend_p)


def crosswise_rows(found: Crosswise) -> Iterator[AnalysisRow]:
    everyone, passed = translate("all respondents"), translate("passed the attention check")
    sets = [(everyone, found.everyone)]
    if found.passed is not None:
        sets.append((passed, found.passed))
    for name, figures in sets:
        yield estimate_row(figures.uncorrected, later("share, not corrected"), name)
        if figures.attentive is not None:
            yield estimate_row(figures.attentive, later("attentive respondents"), name)
            yield estimate_row(figures.corrected, later("share, corrected"), name)
    if found.instructions is not None:
        yield AnalysisRow(figure=later("test of the instructions"), p=found.instructions.p)


def list_rows(found: ListExperiment) -> Iterator[AnalysisRow]:
    groups = translate("control group"), translate("treatment group")
    yield estimate_row(found.share, later("share for whom the sensitive statement is true"))
    yield AnalysisRow(
        figure=later("most likely share, if no type is negative"),
        unit=SHARE,
        estimate=found.likeliest,
    )
    for name, mean in zip(groups, found.means, strict=True):
        yield AnalysisRow(figure=MEAN_KEY, about=(name,), estimate=mean)
    for name, counts in zip(groups, (found.control, found.treatment), strict=True):
        for answer, count in enumerate(counts):
            yield AnalysisRow(
                figure=later("number of respondents"), about=(name, str(answer)), estimate=count
            )
    for each in found.types:
        statement = translate("sensitive") if each.sensitive else translate("not sensitive")
        about = (str(each.count), statement)
        yield AnalysisRow(
            figure=later("share of a type of respondents"),
            about=about,
            unit=SHARE,
            estimate=each.share,
            standard_error=each.error,
        )
        yield AnalysisRow(
            figure=later("most likely share of this type"),
            about=about,
            unit=SHARE,
            estimate=each.likeliest,
        )
    yield AnalysisRow(figure=later("test for a design effect"), p=found.p)


def both_rows(found: ListAndDirect) -> Iterator[AnalysisRow]:
    """The share from a list and a direct question together, and the placebo tests."""
    yield estimate_row(found.share, later("share, from the list and the direct question"))
    yield estimate_row(found.direct, later("share, from the direct question alone"))
    yield estimate_row(found.among_no, later("share among those who said No"))
    yield estimate_row(
        found.among_yes,
        later("difference of the lists among those who said Yes"),
        unit="",
        p=found.yes_p,
    )
    groups = translate("control group"), translate("treatment group")
    for name, share in zip(groups, found.of_groups, strict=True):
        yield AnalysisRow(
            figure=later("share of Yes to the direct question"),
            about=(name,),
            unit=SHARE,
            estimate=share,
        )
    yield AnalysisRow(
        figure=later("test of the same direct answers in both groups"), p=found.group_p
    )


def ways_rows(found: WaysOfAsking) -> Iterator[AnalysisRow]:
    """The share in each way of asking, and its difference from the direct question."""
    direct = found.ways[0].label
    words = translate("share of %(answer)s", answer=found.answer)
    for each in found.ways:
        yield AnalysisRow(
            figure=later("number of respondents"), about=(each.label,), estimate=each.n
        )
        yield replace(estimate_row(each.share, SHARE_KEY, each.label), label=words)
    for each in found.ways[1:]:
        yield estimate_row(
            each.difference, later("difference"), each.label, direct, unit=POINTS, p=each.p
        )


def crosstab_rows(table: Crosstab) -> Iterator[AnalysisRow]:
    answers = [
        (*(column.answers[place] for column, place in zip(table.columns, places, strict=True)),)
        for places in all_places(table.shape)
    ]
    parts = (
        (later("share of all respondents"), table.cells),
        (later("share of the row"), table.of_row),
        (later("share of the column"), table.of_column),
    )
    if table.given is not None:
        yield estimate_row(table.given, later("share without special answers"))
    for what, figures in parts:
        for about, figure in zip(answers, figures, strict=True):
            yield estimate_row(figure, what, *about)
    below = answers[len(answers) - len(table.differences) :]
    for about, figure in zip(below, table.differences, strict=True):
        yield estimate_row(figure, later("difference from the first row"), *about, unit=POINTS)
    for about, share in zip(answers, table.likeliest or (), strict=False):
        row = AnalysisRow(figure=later("maximum likelihood share"), about=about)
        yield replace(row, unit=SHARE, estimate=share)
    layers = table.columns[2].answers if len(table.columns) > 2 else ("",)
    for what, figures in (
        (later("odds ratio"), table.odds_ratios),
        (later("φ (correlation)"), table.phis),
    ):
        for layer, figure in zip(layers, figures, strict=False):
            yield estimate_row(figure, what, layer, unit="")
    for test in table.tests:
        yield test_row(test)


def all_places(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The places of all cells, in row-major order."""
    if not shape:
        yield ()
        return
    for place in range(shape[0]):
        for rest in all_places(shape[1:]):
            yield (place, *rest)


def correlation_rows(found: Correlations, labels: Sequence[str]) -> Iterator[AnalysisRow]:
    for pair in found.pairs:
        about = (labels[pair.first], labels[pair.second])
        if pair.found is None:
            yield AnalysisRow(figure=later("correlation"), about=(*about, pair.refusal))
        else:
            yield estimate_row(
                pair.found.figure,
                later("correlation"),
                *about,
                f"n = {pair.found.n}",
                unit="",
                p=pair.found.p,
                adjusted_p=pair.adjusted,
            )


def regression_rows(
    found: Regression, predictors: Sequence[AnalysisColumn]
) -> Iterator[AnalysisRow]:
    for row in found.coefficients:
        yield AnalysisRow(
            figure=later("coefficient"),
            about=(coefficient_label(row.name, predictors), row.equation),
            estimate=row.value,
            standard_error=row.error,
            low=row.low,
            high=row.high,
            p=finite_or_none(row.p),
        )
    for row, ratio in zip(found.coefficients, odds_ratios(found), strict=True):
        if ratio is not None:
            about = coefficient_label(row.name, predictors), row.equation
            yield estimate_row(ratio, later("odds ratio"), *about, unit="")
    yield AnalysisRow(figure=later("estimator"), about=(translate_constant(found.estimator),))
    if found.log_likelihood is not None:
        yield AnalysisRow(figure=later("log-likelihood"), estimate=found.log_likelihood)
        yield AnalysisRow(figure=later("AIC"), estimate=found.aic)
    for test in found.tests:
        freedom = f"{test.degrees} degrees of freedom" + (
            "" if test.freedom is None else f" and {test.freedom}"
        )
        yield AnalysisRow(
            figure=f"{test.kind} test",
            about=(coefficient_label(test.name, predictors), freedom),
            estimate=test.statistic,
            p=finite_or_none(test.p),
            adjusted_p=test.adjusted_p,
            label=test_label(test.kind),
        )
    for effect in found.effects:
        yield AnalysisRow(
            figure=later("average marginal effect"),
            about=(coefficient_label(effect.name, predictors), effect.answer),
            unit=POINTS,
            estimate=effect.value,
            standard_error=effect.error,
            low=effect.low,
            high=effect.high,
        )
    for share in found.shares:
        yield AnalysisRow(
            figure=later("predicted share"),
            about=(coefficient_label(share.predictor, predictors), share.level, share.answer),
            unit=SHARE,
            estimate=share.value,
            standard_error=share.error,
            low=share.low,
            high=share.high,
        )


def tree_rows(tree: DecisionTree) -> Iterator[AnalysisRow]:
    for node in tree.root.nodes:
        if node.tested is not None:
            where = conditions_text(node) or translate("all respondents")
            about = where, node.tested.column.label
            tested = AnalysisRow(figure=later("test of a split"), about=about, p=node.tested.p)
            yield replace(tested, adjusted_p=node.tested.adjusted_p)
    for leaf in tree.root.leaves:
        where = conditions_text(leaf) or translate("all respondents")
        yield estimate_row(leaf.share, later("share of respondents"), where)
        for place in displayed_answers(tree):
            answer = tree.target.answers[place]
            yield estimate_row(leaf.shares[place], later("share of the answer"), where, answer)


def tree_accuracy_rows(tree: DecisionTree, accuracy: TreeAccuracy) -> Iterator[AnalysisRow]:
    """The shares of correct predictions, with the questions of the tree that predicts.

    Next to that of cross-validation is the share whose predictions differ from the tree's, if any.
    """
    what, by = later("share predicted correctly"), split_questions(tree)
    validated = translate("cross-validated")
    yield estimate_row(accuracy.in_sample, what, translate("in sample"), by)
    yield estimate_row(accuracy.cross_validated, what, validated, by)
    if accuracy.differing is not None:
        differently = later("share predicted differently")
        yield estimate_row(accuracy.differing, differently, validated, by)
    yield estimate_row(accuracy.commonest, what, translate("most frequent answer"), accuracy.answer)


def bounds_rows(bounds: TrueShareBounds, answer: str) -> Iterator[AnalysisRow]:
    yield estimate_row(bounds.said, later("share, if all answers are true"), answer)
    yield AnalysisRow(
        figure=later("bounds of the true share"),
        about=(answer,),
        unit=SHARE,
        low=bounds.low,
        high=bounds.high,
    )
