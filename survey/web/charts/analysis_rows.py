"""The rows of the charts of groups, coefficients and correlations."""

from collections.abc import Sequence

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.outcomes import CONSTANT, ORDERED
from survey.analysis.sentences import is_share, labelled
from survey.analysis.tables.correlation_matrix import Correlations
from survey.estimation.number_text import number, percent, points_text, rounded_to
from survey.web.charts.interval_rows import WIDE, IntervalRow, RowsLayout, interval_rows_chart
from survey.web.charts.svg import Chart


def groups_chart(found: GroupComparison, layout: RowsLayout = WIDE) -> Chart:
    """A dot plot: a row for each group, then one for everyone."""
    measure, shares = found.measure, is_share(found.measure)

    def row(label: str, figure: IntervalEstimate | None) -> IntervalRow:
        if figure is None:
            return IntervalRow(label, "nobody is estimated to be in this group")
        if figure.low <= measure.low and figure.high >= measure.high:
            return IntervalRow(label, "not known")
        error = figure.standard_error
        value = percent(figure.value) if shares else rounded_to(figure.value, error)
        low, high = (
            points_text(end) if shares else rounded_to(end, error)
            for end in (figure.low, figure.high)
        )
        words = f"{value} ({low} to {high})"
        return IntervalRow(label, words, figure.value, figure.low, figure.high)

    rows = [row(group.label, group.figure) for group in found.groups]
    rows.append(row("Everyone", found.everyone))
    unit = measure.column.unit
    legend = f"estimate and {100 * found.level:g} % interval" + (f", in {unit}" if unit else "")
    return interval_rows_chart(
        rows, percent_tick if shares else number, legend, layout, (0.0,) if shares else ()
    )


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
            rows.append(IntervalRow(equation, heading=True))
        error = coefficient.error / 2
        value, low, high = (
            rounded_to(each, error)
            for each in (coefficient.value, coefficient.low, coefficient.high)
        )
        rows.append(
            IntervalRow(
                labelled(coefficient.name, predictors), f"{value} ({low} to {high})",
                coefficient.value, coefficient.low, coefficient.high,
            )
        )  # fmt: skip
    legend = f"coefficient and {100 * found.level:g} % interval; dashed line: no relation"
    return interval_rows_chart(rows, number, legend, layout, (0.0,))


def correlation_chart(
    found: Correlations, labels: Sequence[str], layout: RowsLayout = WIDE
) -> Chart:
    """A row for each pair of questions, on an axis from −1 to 1."""
    rows = []
    for pair in found.pairs:
        label = f"{labels[pair.first]} × {labels[pair.second]}"
        if pair.found is None:
            rows.append(IntervalRow(label, "–"))
            continue
        figure = pair.found.figure
        value, low, high = (
            rounded_to(each, figure.standard_error)
            for each in (figure.value, figure.low, figure.high)
        )
        rows.append(
            IntervalRow(label, f"{value} ({low} to {high})", figure.value, figure.low, figure.high)
        )
    legend = f"coefficient and {100 * found.level:g} % interval"
    return interval_rows_chart(rows, number, legend, layout, (0.0,), (-1.0, 1.0))


def percent_tick(share: float) -> str:
    """A share on an axis, without needless decimals."""
    text = percent(share)
    return text.replace(".0 %", " %")
