"""The files of saved analyses and coded texts in the ZIP."""

from collections.abc import Callable, Iterator

from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import OutOfTime
from survey.definition.sub_surveys import is_sub_survey
from survey.formats.coded_texts_csv import coded_texts_csv
from survey.formats.export_bundle.archive import file_name_with_origin
from survey.formats.export_bundle.pages import PackedFile
from survey.server.http.hosts import absolute_url
from survey.store import StoredSurvey
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web.analyses.background import StillComputing, requested_result
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.request import query_of
from survey.web.analyses.result import AnalysisResult, analysis_file
from survey.web.exports.written_texts import stored_texts, text_sources
from survey.web.extensions import store

# The files of an analysis, and how README.txt describes them.
FORMS = (("csv", "as a table"), ("json", "for programs"), ("svg", "as a chart"))
Compute = Callable[[StoredSurvey, SavedAnalysis], AnalysisResult]
CODED_TEXTS = "coded-texts.csv"


def compute_analysis(found: StoredSurvey, saved: SavedAnalysis) -> AnalysisResult:
    """The result of a saved analysis, however long it takes. Raises UnanswerableQuestion."""
    return ANALYSES[saved.analysis].result(found, query_of(saved.query))


def computed_in_time(
    found: StoredSurvey, saved: SavedAnalysis, since: float | None = None
) -> AnalysisResult:
    """The result of a saved analysis, within a request. See `analysis_result`."""
    return requested_result(ANALYSES[saved.analysis], found, query_of(saved.query), since)


def saved_files(found: StoredSurvey, compute: Compute = compute_analysis) -> list[PackedFile]:
    """The files for the ZIP of a survey. Sub-surveys have none.

    `compute` is `compute_analysis`, or `computed_in_time` for a request.
    """
    if is_sub_survey(found.survey.slug):
        return []
    return [*analysis_files(found, compute), *coded_text_files(found)]


def coded_text_files(found: StoredSurvey) -> Iterator[PackedFile]:
    codings = store().codes.codings(found.survey.slug) if text_sources(found.survey) else {}
    if not codings:
        return
    codes = [(code.number, code.name) for code in store().codes.code_list(found.survey.slug)]
    yield PackedFile(
        file_name_with_origin(CODED_TEXTS, found.origin),
        coded_texts_csv(stored_texts(found), codes, codings),
        "The texts with their codes, one row for each text and each person who coded it; UTF-8.",
    )


def analysis_files(found: StoredSurvey, compute: Compute) -> Iterator[PackedFile]:
    """The files of each saved analysis."""
    origin = found.origin
    all_saved = store().saved_analyses.list_analyses(found.survey.slug)
    for number, saved in enumerate(all_saved, 1):
        name = f"analysis-{number}"
        about = f"The saved analysis “{saved.name}” ({ANALYSES[saved.analysis].title})"
        try:
            result = compute(found, saved)
        except (UnanswerableQuestion, StillComputing, OutOfTime) as reason:
            page = absolute_url("admin.analysis", slug=saved.survey, name=saved.analysis)
            text = f"{saved.name}\n{reason}\n{page}?{saved.query}\n"
            file = file_name_with_origin(f"{name}.txt", origin)
            yield PackedFile(file, text, f"{about}: why this ZIP file does not contain it.")
            continue
        for kind, words in FORMS:
            content = analysis_file(result, found, saved.analysis, kind)
            file = file_name_with_origin(f"{name}.{kind}", origin)
            finding = f" {result.sentence}" if kind == "csv" else ""
            yield PackedFile(file, content, f"{about}, {words}.{finding}")
