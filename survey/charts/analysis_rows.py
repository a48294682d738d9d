"""The rows of the charts of groups, coefficients and correlations."""

from collections.abc import Sequence
from statistics import NormalDist

from survey.analysis.changes.changes import SurveyChange
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure
from survey.analysis.indirect.crosswise import Crosswise
from survey.analysis.indirect.list_experiment import ListExperiment
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.formula import CONSTANT, coefficient_label
from survey.analysis.regression.outcomes import ORDERED
from survey.analysis.sentences import is_share
from survey.analysis.tables.correlation_matrix import Correlations
from survey.charts.interval_rows import WIDE, IntervalRow, RowsLayout, interval_rows_chart
from survey.charts.svg import Chart
from survey.core.translate import translate, translate_number
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.number_text import number, percent, points_text, rounded_to


def groups_chart(found: GroupComparison, layout: RowsLayout = WIDE) -> Chart:
    """A dot plot: a row for each group, then one for everyone."""
    rows = [measure_row(group.label, group.figure, found.measure) for group in found.groups]
    rows.append(measure_row(translate("Everyone"), found.everyone, found.measure))
    return measure_chart(rows, found.measure, found.level, layout)


def change_chart(found: SurveyChange, layout: RowsLayout = WIDE) -> Chart:
    """A dot plot with a row for each survey, in the order of time."""
    rows = [measure_row(wave.label, wave.figure, found.measure) for wave in found.waves]
    return measure_chart(rows, found.measure, found.level, layout)


def measure_row(label: str, figure: IntervalEstimate | None, measure: Measure) -> IntervalRow:
    """The row of a group or a survey."""
    if figure is None:
        return IntervalRow(label=label, words=translate("the estimated size of this group is zero"))
    if figure.low <= measure.low and figure.high >= measure.high:
        return IntervalRow(label=label, words=translate("not known"))
    shares, error = is_share(measure), figure.standard_error
    value = percent(figure.value) if shares else rounded_to(figure.value, error)
    low, high = (
        points_text(end) if shares else rounded_to(end, error) for end in (figure.low, figure.high)
    )
    words = with_range(value, low, high)
    return IntervalRow(
        label=label, words=words, value=figure.value, low=figure.low, high=figure.high
    )


def measure_chart(
    rows: Sequence[IntervalRow], measure: Measure, confidence: float, layout: RowsLayout
) -> Chart:
    """The chart of these rows, whose legend has the unit of the measure."""
    unit, shares = measure.column.unit, is_share(measure)
    level = translate_number(f"{100 * confidence:g}")
    if unit:
        legend = translate(
            "estimate and %(level)s %% interval, in %(unit)s", level=level, unit=unit
        )
    else:
        legend = translate("estimate and %(level)s %% interval", level=level)
    return interval_rows_chart(
        rows, percent_tick if shares else number_tick, legend, layout, (0.0,) if shares else ()
    )


def crosswise_chart(found: Crosswise, layout: RowsLayout = WIDE) -> Chart:
    """A row for each share: not corrected, corrected, and the attentive respondents."""
    sets = [("", found.everyone)]
    if found.passed is not None:
        sets = [
            (translate("All respondents"), found.everyone),
            (translate("Passed the attention check"), found.passed),
        ]
    rows = []
    for heading, figures in sets:
        if heading:
            rows.append(IntervalRow(label=heading, heading=True))
        rows.append(share_row(translate("Share, not corrected"), figures.uncorrected))
        if figures.attentive is not None:
            rows.append(share_row(translate("Share, corrected"), figures.corrected))
            rows.append(share_row(translate("Attentive respondents"), figures.attentive))
    return shares_chart(rows, found.level, layout)


def list_chart(found: ListExperiment, layout: RowsLayout = WIDE) -> Chart:
    """The share, then the estimated share of each type of respondents."""
    quantile = NormalDist().inv_cdf((1 + found.level) / 2)
    rows = [share_row(translate("Sensitive statement is true"), found.share)]
    for sensitive, heading in (
        (True, translate("Of these, with this number of true control statements")),
        (
            False,
            translate("Sensitive statement is false, with this number of true control statements"),
        ),
    ):
        rows.append(IntervalRow(label=heading, heading=True))
        for each in found.types:
            if each.sensitive == sensitive:
                reach = quantile * each.error
                share = each.share
                ends = possible_ends(share, share - reach, share + reach, 0.0, 1.0)
                words = with_range(percent(share), *(points_text(end) for end in ends))
                rows.append(
                    IntervalRow(
                        label=str(each.count), words=words, value=share, low=ends[0], high=ends[1]
                    )
                )
    return shares_chart(rows, found.level, layout)


def share_row(label: str, figure: IntervalEstimate | None) -> IntervalRow:
    """The row of a share. Without information, it has no dot."""
    if figure is None or figure.any_share:
        return IntervalRow(label=label, words=translate("not known"))
    words = with_range(percent(figure.value), points_text(figure.low), points_text(figure.high))
    return IntervalRow(
        label=label, words=words, value=figure.value, low=figure.low, high=figure.high
    )


def shares_chart(rows: Sequence[IntervalRow], confidence: float, layout: RowsLayout) -> Chart:
    level = translate_number(f"{100 * confidence:g}")
    legend = translate("estimate and %(level)s %% interval", level=level)
    return interval_rows_chart(rows, percent_tick, legend, layout, (0.0,))


def coefficient_chart(
    found: Regression, predictors: Sequence[AnalysisColumn], layout: RowsLayout = WIDE
) -> Chart:
    """A forest plot: a row for each coefficient, without constants and thresholds."""
    thresholds = len(found.answers) - 1 if found.model == ORDERED else 0
    rows, equation = [], ""
    for coefficient in found.coefficients[thresholds:]:
        if coefficient.name == CONSTANT:
            continue
        if coefficient.equation != equation and len(found.answers) > 2:
            equation = coefficient.equation
            rows.append(IntervalRow(label=equation, heading=True))
        error = coefficient.error / 2
        value, low, high = (
            rounded_to(each, error)
            for each in (coefficient.value, coefficient.low, coefficient.high)
        )
        rows.append(
            IntervalRow(
                label=coefficient_label(coefficient.name, predictors),
                words=with_range(value, low, high),
                value=coefficient.value,
                low=coefficient.low,
                high=coefficient.high,
            )
        )
    legend = translate(
        "coefficient and %(level)s %% interval; dashed line: no relation",
        level=translate_number(f"{100 * found.level:g}"),
    )
    return interval_rows_chart(rows, number_tick, legend, layout, (0.0,))


def correlation_chart(
    found: Correlations, labels: Sequence[str], layout: RowsLayout = WIDE
) -> Chart:
    """A row for each pair of questions, on an axis from −1 to 1."""
    rows = []
    for pair in found.pairs:
        label = f"{labels[pair.first]} × {labels[pair.second]}"
        if pair.found is None:
            rows.append(IntervalRow(label=label, words="–"))
            continue
        figure = pair.found.figure
        value, low, high = (
            rounded_to(each, figure.standard_error)
            for each in (figure.value, figure.low, figure.high)
        )
        words = with_range(value, low, high)
        rows.append(
            IntervalRow(
                label=label, words=words, value=figure.value, low=figure.low, high=figure.high
            )
        )
    legend = translate(
        "coefficient and %(level)s %% interval", level=translate_number(f"{100 * found.level:g}")
    )
    return interval_rows_chart(rows, number_tick, legend, layout, (0.0,), (-1.0, 1.0))


def with_range(value: str, low: str, high: str) -> str:
    """An estimate with its interval, in the language of the page."""
    ends = translate("%(low)s to %(high)s", low=translate_number(low), high=translate_number(high))
    return f"{translate_number(value)} ({ends})"


def number_tick(value: float) -> str:
    """A number on an axis."""
    return translate_number(number(value))


def percent_tick(share: float) -> str:
    """A share on an axis, without needless decimals."""
    return translate_number(percent(share).replace(".0 %", " %"))
