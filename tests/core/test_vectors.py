"""The vectors: the file is current, and Python's randomizers are those that wrote it."""

import hashlib
import json
import math
from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest

from survey.core.factored_randomizers import (
    Boxes,
    FactoredRandomizer,
    OneHot,
    SubsetPart,
    SubsetSelection,
    UnaryEncoding,
)
from survey.core.mechanisms import MECHANISMS, build_randomizer
from survey.core.randomizer import Randomizer
from tests.support.check_each import check_each
from tests.vectors import write

pytestmark = pytest.mark.fast

CONTENT = json.loads(write.FILE.read_text(encoding="utf-8"))
TABLES, BITS, ROUNDS = CONTENT["tables"], CONTENT["bits"], CONTENT["rounds"]


def label(entry):
    return entry["mechanism"], entry["answers"], entry["parameters"]


def each(name, entries):
    return check_each(name, entries, ids=label)


each_table = each("table", TABLES)
each_bits = each("record", BITS)


def built(record):
    """Build it from the parameters in JSON, like a definition."""
    privacy = {"mechanism": record["mechanism"], **record["parameters"]}
    return build_randomizer(privacy, record["kind"], record["answers"])


def test_the_file_is_what_make_vectors_writes():
    assert write.FILE.read_text(encoding="utf-8") == write.written()


def test_every_example_of_every_mechanism_has_vectors():
    there = [(record["mechanism"], record["answers"]) for record in TABLES + BITS]
    wanted = [(name, k) for name, m in MECHANISMS.items() for k, _ in m.examples]
    assert sorted(there) == sorted(wanted)
    assert all(record["vectors"] for record in TABLES + BITS)


def test_every_kind_of_factored_randomizer_has_vectors():
    # No browser draws a part of a subset.
    drawn = set(leaves(FactoredRandomizer)) - {SubsetPart}
    assert {type(built(record)) for record in BITS} == drawn


def leaves(kind):
    """The classes that are instantiated, and not only base classes."""
    below = kind.__subclasses__()
    return [leaf for each in below for leaf in leaves(each)] if below else [kind]


@each_table
def test_python_builds_the_same_table(table):
    assert built(table) == Randomizer.from_rows(table["rows"])


@each_table
def test_the_hash_is_of_the_rows_as_compact_json(table):
    text = str(table["rows"]).replace(" ", "")  # A list of integers prints like JSON.
    assert hashlib.sha256(text.encode()).hexdigest() == table["sha256"]


@each_table
def test_epsilon_is_the_log_of_the_largest_ratio_in_a_column(table):
    columns = list(zip(*table["rows"], strict=True))
    ratios = [max(column) / min(column) for column in columns]
    assert math.log(max(ratios)) == pytest.approx(table["epsilon"], abs=1e-11)


@each_table
def test_each_report_is_the_block_of_its_ticket(table):
    """By the definition: report y owns the tickets from sum(row[:y]) on."""
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


# Factored randomizers. The draws of write.py are compared with survey/core/factored_randomizers.py.


@each_bits
def test_python_builds_the_same_bits(record):
    assert json.loads(json.dumps(built(record).as_json())) == record["bits"]


@each_bits
def test_the_hash_is_of_the_sorted_compact_json(record):
    text = str(dict(sorted(record["bits"].items()))).replace(" ", "").replace("'", '"')
    assert hashlib.sha256(text.encode()).hexdigest() == record["sha256"]


@each_bits
def test_each_report_is_what_all_of_its_words_make(record):
    spec = built(record)
    for answer, tape, report in record["vectors"]:
        words = iter(tape)
        assert write.text(spec, answer, write.from_words(words)) == report
        assert next(words, None) is None


@each_bits
def test_as_many_words_are_accepted_as_there_are_draws_whatever_the_answer(record):
    """Each word is either accepted for the next draw or replaced for it."""
    draws = write.tickets(built(record))
    for _, tape, _ in record["vectors"]:
        rest = list(draws)
        for word in tape:
            if word < write.WORDS // rest[0] * rest[0]:
                rest.pop(0)
        assert rest == []


@each_bits
def test_the_vectors_reach_every_character_of_every_choice_and_redraws(record):
    spec = built(record)
    given = {tuple(a) if isinstance(a, list) else a for a, _, _ in record["vectors"]}
    assert given == set(write.answers(spec))
    possible = set("01-") if spec.reported < spec.answers else set("01")
    thorough = 0
    for answer in given:
        texts = [
            r for a, _, r in record["vectors"] if (tuple(a) if isinstance(a, list) else a) == answer
        ]
        thorough += all(set(characters) == possible for characters in zip(*texts, strict=True))
    assert thorough >= min(3, len(given))
    draws = write.tickets(spec)
    if any(write.WORDS % of for of in draws):
        assert any(len(tape) > len(draws) for _, tape, _ in record["vectors"])


# 2^20 reports are too many to enumerate. Unary encoding has smaller examples too.
ENUMERABLE = [
    record
    for record in BITS
    if not (record["bits"]["kind"] == "unary" and record["answers"] > write.MANY)
]
each_enumerable = each("record", ENUMERABLE)


@cache
def chances(spec, answer):
    return write.chances(spec, answer)


def test_every_kind_of_factored_randomizer_is_enumerated():
    assert {record["bits"]["kind"] for record in ENUMERABLE} == {"unary", "subset", "boxes"}


@pytest.mark.slow
@each_enumerable
def test_the_ratio_bound_stated_is_exactly_the_largest_ratio_between_chances_of_a_report(record):
    spec = built(record)
    tables = [chances(spec, answer) for answer in write.answers(spec)]
    assert all(sum(table.values()) == 1 for table in tables)
    assert all(table.keys() == tables[0].keys() for table in tables)
    largest = max(
        max(table[report] for table in tables) / min(table[report] for table in tables)
        for report in tables[0]
    )
    assert largest == spec.ratio_bound
    assert math.log(largest) == pytest.approx(record["epsilon"], abs=1e-11)


@each("record", [record for record in ENUMERABLE if record["bits"]["kind"] != "boxes"])
def test_bits_are_set_alone_and_in_pairs_as_often_as_python_counts_on(record):
    spec = built(record)
    assert isinstance(spec, OneHot)
    for answer in (0, spec.answers - 1):
        table = chances(spec, answer)
        for i, j in permutations(range(spec.answers), 2):
            together = sum(p for report, p in table.items() if report[i] == report[j] == "1")
            assert together == (spec.both_own if answer in (i, j) else spec.both_other)
        for i in range(spec.answers):
            alone = sum(p for report, p in table.items() if report[i] == "1")
            assert alone == (spec.p if i == answer else spec.q)


@pytest.mark.slow
@each("record", [record for record in ENUMERABLE if record["bits"]["kind"] == "subset"])
def test_subsets_have_their_size_and_those_of_one_kind_are_equally_likely(record):
    """Ye & Barg: weight `near` for each set with the answer, `far` for each other set."""
    spec = built(record)
    assert isinstance(spec, SubsetSelection)
    k, d = spec.answers, spec.size
    for answer in write.answers(spec):
        table = chances(spec, answer)
        assert len(table) == math.comb(k, d)
        assert all(report.count("1") == d for report in table)
        weights = math.comb(k - 1, d - 1) * spec.near + math.comb(k - 1, d) * spec.far
        for report, chance in table.items():
            weight = spec.near if report[answer] == "1" else spec.far
            assert chance == Fraction(weight, weights)


@each("record", [record for record in ENUMERABLE if record["bits"]["kind"] == "boxes"])
def test_boxes_are_picked_evenly_and_reported_by_their_table(record):
    spec = built(record)
    assert isinstance(spec, Boxes)
    for answer in write.answers(spec):
        for report, chance in chances(spec, answer).items():
            expected = Fraction(1, math.comb(spec.answers, spec.sample))
            for ticked, character in zip(answer, report, strict=True):
                if character != "-":
                    row = spec.rows[0 if ticked else 1]
                    expected *= Fraction(row["10".index(character)], sum(row))
            assert chance == expected
            assert report.count("-") == spec.answers - spec.sample


@each("record", [record for record in ENUMERABLE if record["bits"]["kind"] == "unary"])
def test_unary_bits_are_independent(record):
    spec = built(record)
    assert isinstance(spec, UnaryEncoding)
    for answer in (0, spec.answers - 1):
        for report, chance in chances(spec, answer).items():
            expected = Fraction(1)
            for choice, character in enumerate(report):
                of_one = spec.p if choice == answer else spec.q
                expected *= of_one if character == "1" else 1 - of_one
            assert chance == expected


# Numbers


def test_a_number_becomes_the_point_below_it_or_the_next_one():
    for steps, width, word, point in ROUNDS:
        if point is None:
            assert word >= write.WORDS // width * width
        else:
            up = word % width < steps % width
            assert (point - up) * width <= steps < (point - up + 1) * width
            assert abs(point * width - steps) < width, "a value on a point stays there"


@pytest.mark.parametrize("width", [1, 2, 3, 7, 10])
def test_rounding_keeps_the_mean_exactly(width):
    for steps in range(3 * width):
        points = [write.point(steps, width, ticket) for ticket in range(width)]
        assert Fraction(sum(points), width) == Fraction(steps, width)


def test_the_rounds_go_both_ways_and_are_redrawn():
    for steps, width in write.ROUNDS:
        points = {point for s, w, _, point in ROUNDS if (s, w) == (steps, width)}
        below = steps // width
        wanted = {below, below + 1} if steps % width else {below}
        assert points == wanted | ({None} if write.WORDS % width else set())
