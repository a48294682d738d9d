"""The ZIP with everything that a researcher downloads from a survey.

The responses are read once: they are written to a temporary file and counted at the same time. All
other files are made from these counts. So they agree with responses.csv, whatever arrives
meanwhile. The same responses give the same bytes, because no file contains the time of the export.
Only the days on which the survey was open are in citation.txt. Central DP
releases of non-private questions have a file of their own, if there are any.
"""

import io
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from survey.core.extras import has_extra
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey, canonical_json
from survey.estimation.build_results import survey_results
from survey.estimation.results import Results
from survey.formats.citation import citation_text
from survey.formats.csv_export import codebook, csv_column_names, estimates_csv, responses_csv
from survey.formats.data_files import DATA_FILES, FIXED_ZIP_TIME
from survey.formats.export_bundle.elsewhere import in_rr_and_rrreg
from survey.formats.export_bundle.pages import PackedFile, codebook_page, readme
from survey.formats.export_bundle.script_files import python_script, r_script
from survey.formats.field_days import FieldDays

Responses = Iterable[tuple[Stored | None, ...]]
BOM = "\ufeff".encode()
RESPONSES = "responses.csv"
EXCEL = "responses-excel.csv"
ESTIMATES = "estimates.csv"
CODEBOOK = "codebook.json"
CODEBOOK_PAGE = "codebook.html"
CITATION = "citation.txt"
DEFINITION = "definition.json"
README = "README.txt"
RELEASES = "releases.csv"
TEXTS = "texts.csv"
TEXTS_EXCEL = "texts-excel.csv"
EXCEL_BOOK = "responses.xlsx"
STATA_FILE = "responses.dta"
SPSS_FILE = "responses.sav"
LABELLED_FILES = {EXCEL_BOOK: "xlsx", STATA_FILE: "dta", SPSS_FILE: "sav"}
# Larger files with labels would take longer than a few seconds.
MAX_CELLS_WITH_LABELS = 100_000
IN_R = "estimate.R"
IN_PYTHON = "estimate.py"
IN_PACKAGES = "rr-and-RRreg.R"
PACKED_FILES = (
    *(README, RESPONSES, EXCEL_BOOK, STATA_FILE, SPSS_FILE, EXCEL, TEXTS, TEXTS_EXCEL, ESTIMATES),
    *(CODEBOOK_PAGE, CODEBOOK, CITATION, DEFINITION, IN_R, IN_PYTHON, IN_PACKAGES),
)


def file_name_with_origin(name: str, origin: str) -> str:
    """The name of a file, with the origin of its responses unless browsers sent them."""
    return name if origin == "browser" else f"{origin}-{name}"


def write_archive(
    file: IO[bytes],
    frozen: FrozenSurvey,
    origin: str,
    responses: Responses,
    releases: str = "",
    texts: Iterable[str] | None = None,
    more: Sequence[PackedFile] = (),
    field_days: FieldDays | None = None,
) -> None:
    """Write the ZIP.

    Parameters
    ----------
    file : open for writing bytes; it need not support seeking
    origin : a key of survey.results.ORIGINS
    responses : the stored reports of each respondent, in the order of the random ids; read once
    releases : the central DP releases as CSV; empty if there are none
    texts : the texts that are stored apart, as CSV; None if there are none
    more : further files, such as saved analyses
    field_days : the days on which the survey was open, if they are known
    """
    names = written_names(origin)
    counts: dict[str, Counter[int]] = {field.name: Counter() for field in frozen.survey.fields}
    with (
        tempfile.TemporaryFile() as table,
        tempfile.TemporaryFile() as text_table,
        zipfile.ZipFile(file, "w") as archive,
    ):
        kept = KeptResponses(frozen.survey)
        counted = tally_responses(frozen, responses, counts)
        write_pieces(table, responses_csv(frozen, kept.passing(counted)))
        write_pieces(text_table, texts or ())
        results = survey_results(frozen, counts, origin)
        in_packages = in_rr_and_rrreg(frozen, origin, names)
        there = {
            RELEASES: bool(releases),
            **dict.fromkeys((TEXTS, TEXTS_EXCEL), texts is not None),
            IN_PACKAGES: in_packages is not None,
            **dict.fromkeys(LABELLED_FILES, kept.complete),
            **dict.fromkeys((STATA_FILE, SPSS_FILE), kept.complete and has_extra("files")),
        }
        names_here = {
            name: names[name] for name in (*PACKED_FILES, RELEASES) if there.get(name, True)
        }
        contents = text_files(results, names, names_here, more)
        contents |= {IN_PACKAGES: in_packages or "", RELEASES: releases}
        contents[CITATION] = citation_text(results, field_days)
        for name, written_name in names_here.items():
            if name in contents:
                add_to_archive(archive, written_name, io.BytesIO(contents[name].encode()))
            elif name in LABELLED_FILES:
                add_to_archive(archive, written_name, kept.as_file(LABELLED_FILES[name]))
            else:
                source = text_table if name in (TEXTS, TEXTS_EXCEL) else table
                start = BOM if name in (EXCEL, TEXTS_EXCEL) else b""
                add_to_archive(archive, written_name, source, start)
        add_files(archive, more)


def add_files(archive: zipfile.ZipFile, files: Iterable[PackedFile]) -> None:
    for each in files:
        add_to_archive(archive, each.name, io.BytesIO(each.content.encode()))


def text_files(
    results: Results,
    names: Mapping[str, str],
    names_here: Mapping[str, str],
    more: Sequence[PackedFile],
) -> dict[str, str]:
    """The content of each file that is made from the counts alone.

    Parameters
    ----------
    names : the name in the ZIP of each file
    names_here : the same for the files that this ZIP has
    more : as for `write_archive`
    """
    frozen, origin = results.frozen, results.origin
    return {
        README: readme(results, names_here, more),
        ESTIMATES: estimates_csv(results),
        CODEBOOK_PAGE: codebook_page(results, names_here),
        CODEBOOK: canonical_json(codebook(results)),
        DEFINITION: canonical_json(frozen.survey.as_definition()),
        IN_R: r_script(frozen, origin, names),
        IN_PYTHON: python_script(frozen, origin, names),
    }


def written_names(origin: str) -> dict[str, str]:
    """The name in the ZIP of each file."""
    return {name: file_name_with_origin(name, origin) for name in (*PACKED_FILES, RELEASES)}


def write_pieces(file: IO[bytes], pieces: Iterable[str]) -> None:
    for piece in pieces:
        file.write(piece.encode())


def tally_responses(
    frozen: FrozenSurvey, responses: Responses, counts: Mapping[str, Counter[int]]
) -> Iterator[tuple[Stored | None, ...]]:
    """The same responses, each counted as it passes.

    Keys are the report codes of survey/definition/report_formats.py.
    """
    tallies = [(field.form, counts[field.name]) for field in frozen.survey.fields]
    for response in responses:
        for (form, tally), report in zip(tallies, response, strict=True):
            if report is not None:
                tally.update(form.codes(report))
        yield response


@dataclass
class KeptResponses:
    """The responses that passed, for files with labels; none if there are too many."""

    survey: Survey
    responses: list[tuple[Stored | None, ...]] = field(default_factory=list)
    complete: bool = True

    def passing(self, responses: Responses) -> Responses:
        columns = sum(len(csv_column_names(question)) for question in self.survey.fields)
        for response in responses:
            if self.complete:
                self.responses.append(response)
                if len(self.responses) * columns > MAX_CELLS_WITH_LABELS:
                    self.complete, self.responses = False, []
            yield response

    def as_file(self, kind: str) -> IO[bytes]:
        """A file of one of DATA_FILES."""
        write, _ = DATA_FILES[kind]
        return io.BytesIO(write(self.survey, self.responses))


def add_to_archive(
    archive: zipfile.ZipFile, name: str, content: IO[bytes], start: bytes = b""
) -> None:
    """Copy a file into the archive, piece by piece."""
    entry = zipfile.ZipInfo(name, FIXED_ZIP_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = 3, 0o644 << 16  # equal on every system
    entry.file_size = content.seek(0, io.SEEK_END) + len(start)
    content.seek(0)
    with archive.open(entry, "w") as target:
        target.write(start)
        shutil.copyfileobj(content, target)
