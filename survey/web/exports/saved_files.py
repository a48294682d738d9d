"""The files of saved analyses and coded texts in the ZIP."""

import time
from collections.abc import Iterator

from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import OutOfTime, limited
from survey.definition.sub_surveys import is_part
from survey.formats.coded_texts_csv import coded_texts_csv
from survey.formats.export_bundle.archive import file_name_with_origin
from survey.formats.export_bundle.pages import PackedFile
from survey.store import StoredSurvey
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.request import query_of
from survey.web.analyses.result import AnalysisResult, analysis_file
from survey.web.exports.written_texts import stored_texts, text_sources
from survey.web.extensions import store

# Processor time for all saved analyses of a survey together.
MAX_SECONDS = 20
# The files of an analysis, and how README.txt describes them.
FORMS = (("csv", "as a table"), ("json", "for programs"), ("svg", "as a chart"))
CODED_TEXTS = "coded-texts.csv"


def saved_files(found: StoredSurvey) -> list[PackedFile]:
    """The files for the ZIP of a survey. Sub-surveys have none."""
    if is_part(found.survey.slug):
        return []
    return [*analysis_files(found), *coded_text_files(found)]


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


def analysis_files(found: StoredSurvey) -> Iterator[PackedFile]:
    """The files of each saved analysis."""
    origin = found.origin
    all_saved = store().saved_analyses.saved(found.survey.slug)
    with limited(MAX_SECONDS, time.thread_time):
        for number, saved in enumerate(all_saved, 1):
            name = f"analysis-{number}"
            about = f"The saved analysis “{saved.name}” ({ANALYSES[saved.analysis].title})"
            try:
                result = computed(found, saved)
            except (UnanswerableQuestion, OutOfTime) as refusal:
                text = f"{saved.name}\n{refusal}\n"
                file = file_name_with_origin(f"{name}.txt", origin)
                yield PackedFile(file, text, f"{about}: why Candor could not compute it.")
                continue
            for kind, words in FORMS:
                content = analysis_file(result, found, saved.analysis, kind)
                file = file_name_with_origin(f"{name}.{kind}", origin)
                finding = f" {result.sentence}" if kind == "csv" else ""
                yield PackedFile(file, content, f"{about}, {words}.{finding}")


def computed(found: StoredSurvey, saved: SavedAnalysis) -> AnalysisResult:
    """The result of a saved analysis. Raises UnanswerableQuestion and OutOfTime."""
    return ANALYSES[saved.analysis].result(found, query_of(saved.query))
