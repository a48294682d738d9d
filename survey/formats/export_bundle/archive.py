"""The ZIP with everything that a researcher downloads from a survey.

The responses are read once: they are written to a temporary file and counted at the same time. All
other files are made from these counts. So they agree with responses.csv, whatever arrives
meanwhile. The same responses give the same bytes, because no file contains a time. Central DP
releases of non-private questions have a file of their own, if there are any.
"""

import csv
import io
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from survey.core.csv_cells import csv_line
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.survey import canonical_json
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import codebook, estimates_csv, responses_csv
from survey.formats.export_bundle.elsewhere import in_rr_and_rrreg
from survey.formats.export_bundle.pages import codebook_page, readme
from survey.formats.export_bundle.script_files import python_script, r_script
from survey.formats.export_bundle.spss import spss_syntax

Responses = Iterable[tuple[Stored | None, ...]]
BOM = "\ufeff".encode()
# The earliest time that a ZIP can contain.
FIXED_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
RESPONSES, EXCEL, SPSS_DATA = "responses.csv", "responses-excel.csv", "responses-spss.csv"
ESTIMATES, CODEBOOK, CODEBOOK_PAGE = "estimates.csv", "codebook.json", "codebook.html"
DEFINITION, README, RELEASES = "definition.json", "README.txt", "releases.csv"
TEXTS, TEXTS_EXCEL = "texts.csv", "texts-excel.csv"
IN_R, IN_PYTHON, SPSS = "estimate.R", "estimate.py", "spss.sps"
IN_PACKAGES = "rr-and-RRreg.R"
FROM_R, FROM_PYTHON = "estimates-from-R.csv", "estimates-from-python.csv"
PACKED_FILES = (
    *(README, RESPONSES, EXCEL, SPSS_DATA, TEXTS, TEXTS_EXCEL, ESTIMATES, CODEBOOK_PAGE),
    *(CODEBOOK, DEFINITION, IN_R, IN_PYTHON, IN_PACKAGES, SPSS),
)


def file_name_with_origin(name: str, origin: str) -> str:
    """The name of a file, with the origin of its responses unless browsers sent them."""
    return name if origin == "browser" else f"{origin}-{name}"


def write_archive(
    file: IO[bytes], frozen: FrozenSurvey, origin: str, responses: Responses, releases: str = "",
    texts: Iterable[str] | None = None,
) -> None:  # fmt: skip
    """Write the ZIP.

    Parameters
    ----------
    file : open for writing bytes; it need not support seeking
    origin : a key of survey.results.ORIGINS
    responses : the stored reports of each respondent, in the order of the random ids; read once
    releases : the central DP releases as CSV; empty if there are none
    texts : the texts that are stored apart, as CSV; None if there are none
    """
    names = written_names(origin)
    counts: dict[str, Counter[int]] = {field.name: Counter() for field in frozen.survey.fields}
    with (
        tempfile.TemporaryFile() as table,
        tempfile.TemporaryFile() as text_table,
        zipfile.ZipFile(file, "w") as archive,
    ):
        write_pieces(table, responses_csv(frozen, tally_responses(frozen, responses, counts)))
        write_pieces(text_table, texts or ())
        results = survey_results(frozen, counts, origin)
        in_packages = in_rr_and_rrreg(frozen, origin, names)
        there = {
            RELEASES: bool(releases),
            TEXTS: texts is not None,
            TEXTS_EXCEL: texts is not None,
            IN_PACKAGES: in_packages is not None,
            # Without texts each response is already one line.
            SPSS_DATA: any(field.kind.free_text for field in frozen.survey.fields),
        }
        names_here = {
            name: names[name] for name in (*PACKED_FILES, RELEASES) if there.get(name, True)
        }
        contents = {
            README: readme(results, names_here),
            ESTIMATES: estimates_csv(results),
            CODEBOOK_PAGE: codebook_page(results, names_here),
            CODEBOOK: canonical_json(codebook(results)),
            DEFINITION: canonical_json(frozen.survey.as_definition()),
            IN_R: r_script(frozen, origin, names),
            IN_PYTHON: python_script(frozen, origin, names),
            IN_PACKAGES: in_packages or "",
            RELEASES: releases,
            SPSS: spss_syntax(frozen, origin, names_here.get(SPSS_DATA, names[RESPONSES])),
        }
        for name, written_name in names_here.items():
            if name in contents:
                add_to_archive(archive, written_name, io.BytesIO(contents[name].encode()))
            elif name == SPSS_DATA:
                with tempfile.TemporaryFile() as lines:
                    one_line_each(table, lines)
                    add_to_archive(archive, written_name, lines)
            else:
                source = text_table if name in (TEXTS, TEXTS_EXCEL) else table
                start = BOM if name in (EXCEL, TEXTS_EXCEL) else b""
                add_to_archive(archive, written_name, source, start)


def written_names(origin: str) -> dict[str, str]:
    """The name in the ZIP of each file, and of those that the scripts write."""
    names = (*PACKED_FILES, RELEASES, FROM_R, FROM_PYTHON)
    return {name: file_name_with_origin(name, origin) for name in names}


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


def one_line_each(table: IO[bytes], lines: IO[bytes]) -> None:
    """The responses with spaces in place of line ends within texts, which SPSS cannot read."""
    table.seek(0)
    source = io.TextIOWrapper(table, "utf-8", newline="")
    target = io.TextIOWrapper(lines, "utf-8", newline="")
    for row in csv.reader(source):
        target.write(csv_line([" ".join(cell.splitlines()) for cell in row]))
    target.flush()
    source.detach()  # The caller closes the files.
    target.detach()
