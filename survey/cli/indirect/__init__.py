"""The commands for indirect questions: crosswise questions and list experiments."""

from survey.analysis.columns.column_request import DesignNames
from survey.analysis.columns.variables import AnalysisColumn
from survey.cli.analyse import Sampling, read_analysis_columns
from survey.store import StoredSurvey


def read_named(
    slug: str, names: dict[str, str | None]
) -> tuple[StoredSurvey, dict[str, AnalysisColumn]]:
    """The survey, and the columns of those roles that have a name."""
    given = {role: name for role, name in names.items() if name is not None}
    found, columns, _ = read_analysis_columns(slug, [*given.values()], Sampling(DesignNames()))
    return found, dict(zip(given, columns, strict=True))
