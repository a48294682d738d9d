"""Remarks on columns whose reports are not possible under their design."""

from collections.abc import Iterator, Sequence

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.core.scores import Array
from survey.core.translate import translate
from survey.estimation.design_fit import DesignFit, causes, fit_of_chances


def misfit_remarks(columns: Sequence[AnalysisColumn]) -> tuple[str, ...]:
    """A remark on each private column whose reports do not fit its design."""
    remarks = []
    for column in columns:
        fit = fit_of_column(column)
        if fit is not None and not fit.fits:
            remarks.append(
                translate(
                    "Random error does not explain the reports on “%(question)s” (%(p)s). They do "
                    "not fit the stated design. %(causes)s Find the cause before you use this "
                    "analysis.",
                    question=column.label,
                    p=fit.p_text,
                    causes=causes(),
                )
            )
    return tuple(remarks)


def fit_of_column(column: AnalysisColumn) -> DesignFit | None:
    """Test the reports of a column.

    Several designs are tested one by one, with Bonferroni's bound. Returns None for a non-private
    column, without reports, and for reports of bits, for which there is no table of all reports.
    """
    if not column.private:
        return None
    fits = [fit_of_chances(chances, counts) for chances, counts in design_tables(column)]
    return DesignFit(min(1.0, len(fits) * min(fit.p for fit in fits))) if fits else None


def design_tables(column: AnalysisColumn) -> Iterator[tuple[Array, Array]]:
    """Pr(report | answer) of each design, and the counts of its reports."""
    if column.combinations is not None:
        reports, chances = column.combinations.reports, column.combinations.chances
        parts = column.designs[:0]
    elif column.tabled and column.all_listed:
        reports, chances = column.reports, column.chances
        parts = (
            column.designs if len(column.designs) else np.zeros(chances.shape[1], dtype=np.int64)
        )
    else:
        return
    counts = np.bincount(reports[reports >= 0], minlength=chances.shape[1]).astype(np.float64)
    for part in np.unique(parts):
        inside = (parts == part) & chances.any(axis=0)
        if counts[inside].sum():
            yield chances[:, inside], counts[inside]
