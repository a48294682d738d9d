"""The vectors: the file is current, and Python's tables are the ones it was written from."""

import hashlib
import json
import math

import pytest

from survey.mechanisms import MECHANISMS, build_randomizer
from survey.randomizer import Randomizer

from .vectors import write

TABLES = json.loads(write.FILE.read_text(encoding="utf-8"))
NAMES = [f"{table['mechanism']}-{table['answers']}-{i}" for i, table in enumerate(TABLES)]
each_table = pytest.mark.parametrize("table", TABLES, ids=NAMES)


def test_the_file_is_what_make_vectors_writes():
    assert write.FILE.read_text(encoding="utf-8") == write.written()


def test_every_mechanism_has_vectors():
    assert {table["mechanism"] for table in TABLES} == set(MECHANISMS)


@each_table
def test_python_builds_the_same_table(table):
    """From the parameters as JSON gives them, as a definition would."""
    privacy = {"mechanism": table["mechanism"], **table["parameters"]}
    assert build_randomizer(privacy, table["answers"]) == Randomizer.from_rows(table["rows"])


@each_table
def test_the_hash_is_of_the_rows_as_compact_json(table):
    text = str(table["rows"]).replace(" ", "")  # lists of whole numbers print as JSON does
    assert hashlib.sha256(text.encode()).hexdigest() == table["sha256"]


@each_table
def test_epsilon_is_the_log_of_the_largest_ratio_in_a_column(table):
    columns = list(zip(*table["rows"], strict=True))
    ratios = [a / b for column in columns for a in column for b in column]
    assert math.log(max(ratios)) == pytest.approx(table["epsilon"], abs=1e-11)


@each_table
def test_each_report_is_the_block_of_its_ticket(table):
    """Straight from the definition: report y owns the tickets from sum(row[:y]) on."""
    for answer, word, report in table["vectors"]:
        row = table["rows"][answer]
        ticket, block = word % sum(row), word // sum(row)
        if report is None:
            assert (block + 1) * sum(row) > write.WORDS, "only words of a cut-off block are redrawn"
        else:
            assert (block + 1) * sum(row) <= write.WORDS
            assert sum(row[:report]) <= ticket < sum(row[: report + 1])


@each_table
def test_the_vectors_reach_every_possible_report_and_every_word_that_is_redrawn(table):
    for answer, row in enumerate(table["rows"]):
        reports = {report for a, _, report in table["vectors"] if a == answer}
        redrawn = write.WORDS % sum(row) > 0
        possible = {report for report, entry in enumerate(row) if entry}
        assert reports == possible | ({None} if redrawn else set())
