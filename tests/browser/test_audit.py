"""The audit can fail: broken copies of randomizer.js, and the layers that detect each of them.

Each mutant replaces one text of the file, which must occur exactly once. The test asserts the set
of layers that detect it. Layers that are not named accept it, and show why the others are needed.
The real file passes all layers. The exact layer relies on a sampler that is small enough to script.
The statistical and joint layers need no knowledge of its code.
"""

import math
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from playwright.sync_api import Browser, Page

from tests.support.lengths import SOAK, length, soak

from . import audit, significance

SOURCE = audit.SOURCE.read_text(encoding="utf-8")
TABLES = {
    "coin": audit.EXAMPLES["coin_flip(2)"],
    "eleven": audit.EXAMPLES["k_randomized_response(11, epsilon=2)"],
    "ten reports": audit.TEN,
    "thirsty": audit.THIRSTY,
}
BITS = {
    "subset": audit.EXAMPLES["subset_selection(7, epsilon=1)"],
    "unary": audit.EXAMPLES["optimized_unary_encoding(8, epsilon=1)"],
    "boxes": audit.EXAMPLES["sampled_boxes(4, epsilon=4)"],
}
# The number of draws, with a smaller one where that is enough. In the suite, too, each mutant that
# statistics detects is detected clearly: its least p is below 1e-17, or some report has an invalid
# form. A finding needs a p below 1e-9 over at most 400 tests, so no mutant is missed. False alarms
# are as rare as with all draws (significance.py).
MANY, FEWER = length(250_000, audit.DRAWS), length(50_000, 200_000)

LAYERS = ("exact", "statistical", "joint", "instrumented")

RANDOM_WORD = "const word = () => bytes(new Uint32Array(1))[0];"
REFUSE = "throw new Error('No secure randomness.');"
REDRAW = "while (value >= limit) value = draw();"
RANDOMIZE = "function randomize(rows, answer, draw = word, words = WORDS) {"
TICKET = "let ticket = below(total(rows[answer]), draw, words);"
WALK = "while (ticket >= rows[answer][report]) {"
ONE_REPORT = "return report;"
STATED = "!(loss <= stated + 1e-12)"
PICK = "const taken = below(count - place, draw, words) < missing;"
UP = "(below(width, draw, words) < steps % width ? 1 : 0)"
REPORT = "function report(table, answer, draw = word, words = WORDS) {"
BIT = "const bit = (set) => 1 - randomize(rows, set ? 0 : 1, draw, words);"
BOX = "(taken ? bit(answer[box]) : '-')"
CHOICE = "bit(choice === answer)"
INSIDE = "1 - randomize([[size * near, (answers.length - size) * far]], 0, draw, words);"
INSERT = "others.splice(answer, 0, inside);"
PADDED = ".padStart(last.length, '0')"


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new` in the file. `layers` detect it with this many draws."""

    old: str
    new: str
    layers: str
    draws: int = FEWER
    on: audit.Randomizers = field(default_factory=lambda: TABLES)


MUTANTS = {
    # Too little randomness in a draw. Statistics detects eight bits but not sixteen.
    "ticket scaled from a byte": Mutant(
        TICKET,
        "let ticket = Math.floor(bytes(new Uint8Array(1))[0] * total(rows[answer]) / 256);",
        "exact statistical instrumented",
        MANY,
    ),
    "ticket scaled from half a word": Mutant(
        TICKET,
        "let ticket = Math.floor((draw() % 65536) * total(rows[answer]) / 65536);",
        "exact instrumented",
        MANY,
    ),
    "ticket scaled in floating point": Mutant(
        TICKET,
        "let ticket = Math.floor(draw() / words * total(rows[answer]));",
        "exact instrumented",
    ),
    # A sampler that reveals a few answers. Only the exact layer detects it.
    "every 1000th report is the answer": Mutant(
        ONE_REPORT,
        "drawn += 1; return drawn % 1000 ? report : answer; } let drawn = 0; {",
        "exact",
        MANY,
    ),
    "one word in 1000 gives the answer": Mutant(
        TICKET,
        "let seen; let ticket = below(total(rows[answer]), () => (seen = draw()), words);"
        "if (seen % 1000 === 999) return answer;",
        "exact",
    ),
    # Randomness from another source.
    "Math.random": Mutant(
        RANDOM_WORD,
        "const word = () => Math.floor(Math.random() * WORDS);",
        "exact instrumented",
    ),
    "Math.random where there is nothing else": Mutant(
        REFUSE, "return array.map(() => Math.random() * WORDS);", "instrumented"
    ),
    "zeros where there is nothing else": Mutant(REFUSE, "return array;", "instrumented"),
    "identifier of 64 bits": Mutant(
        "bytes(new Uint8Array(16))", "bytes(new Uint8Array(8))", "instrumented"
    ),
    # One word for two draws. Single questions look perfect.
    "second question reuses the word of the first": Mutant(
        REPORT,
        """let kept = null;
        let keptTable = null;
        const shared = (table) => {
            if (kept !== null && table !== keptTable) {
                const value = kept;
                kept = null;
                return value;
            }
            keptTable = table;
            kept = word();
            return kept;
        };
        function report(table, answer, draw = () => shared(table), words = WORDS) {""",
        "exact joint instrumented",
    ),
    "next respondent reuses the word of the last question": Mutant(
        REPORT,
        """let kept = null;
        let keptTable = null;
        let first = true;
        const shared = (table) => {
            if (kept !== null && table !== keptTable) {
                const value = kept;
                kept = null;
                first = false;
                return value;
            }
            const value = word();
            kept = first ? null : value;
            keptTable = table;
            first = false;
            return value;
        };
        function report(table, answer, draw = () => shared(table), words = WORDS) {""",
        "exact joint instrumented",
    ),
    # The wrong table.
    "1.05 times the epsilon": Mutant(
        RANDOMIZE,
        "const worse = new WeakMap();"
        + RANDOMIZE
        + """
        if (!worse.has(rows)) {
            worse.set(rows, rows.map((row) => row.map((entry) =>
                Math.round((entry / Math.min(...row)) ** 1.05 * 1000))));
        }
        rows = worse.get(rows);""",
        "exact statistical instrumented",  # instrumented: another total redraws other words
    ),
    "a lie may be the truth": Mutant(
        TICKET,
        TICKET + "if (ticket < rows[answer][answer]) return answer;"
        "return below(rows.length, draw, words);",
        "exact statistical instrumented",
    ),
    "a lie is drawn once more": Mutant(
        RANDOMIZE,
        "const randomize = (...a) => { const y = once(...a); return y === a[1] ? y : once(...a); };"
        + RANDOMIZE.replace("randomize", "once"),
        "exact statistical instrumented",
    ),
    "always the last report": Mutant(
        ONE_REPORT, "return rows[answer].length - 1;", "exact statistical"
    ),
    "the last report from its holders only": Mutant(
        ONE_REPORT,
        "return report === rows.length - 1 && answer !== report ? answer : report;",
        "exact statistical",
    ),
    # Slips.
    "no redraw": Mutant(REDRAW, "", "exact statistical instrumented"),
    "redraws one word too few": Mutant(REDRAW, REDRAW.replace(">=", ">"), "exact"),
    "redraws one word too many": Mutant(REDRAW, REDRAW.replace("limit", "limit - 1"), "exact"),
    "blocks one ticket too long": Mutant(WALK, WALK.replace(">=", ">"), "exact statistical"),
    "numbers of 32 bits": Mutant(
        "sum + entry", "(sum + entry) | 0", "exact statistical instrumented"
    ),
    "no leading zero": Mutant(PADDED, "", "exact"),
    "a leading zero before one digit": Mutant(
        "String(rows[0].length - 1)", "String(rows[0].length)", "exact"
    ),
    # A lenient check: the sampling itself is correct.
    "check allows 1.05 times the epsilon": Mutant(
        STATED, "!(loss <= stated * 1.05 + 1e-12)", "instrumented"
    ),
    "check ignores the stated epsilon": Mutant(STATED, "false", "instrumented"),
    "epsilon of the first two answers": Mutant(
        "const column = rows.map((row) => row[y]);",
        "const column = [rows[0][y], rows[1][y] + 1e-9];",
        "instrumented",
    ),
}


def of_bits(old: str, new: str, layers: str, draws: int = FEWER) -> Mutant:
    return Mutant(old, new, layers, draws, BITS)


MUTANTS |= {
    # Which of many things are picked.
    "picks as if nothing had been looked at": of_bits(
        PICK, PICK.replace("count - place", "count"), "exact statistical instrumented"
    ),
    "picks the first with a chance of its own": of_bits(
        PICK,
        "const taken = (place ? below(count - place, draw, words) < missing"
        " : below(8, draw, words) < 3) || count - place === missing;",
        "exact statistical",
    ),
    "always picks the first ones": of_bits(
        PICK, PICK.replace("< missing", "< count && place < size"), "exact statistical"
    ),
    "always picks the first ones and draws nothing": of_bits(
        PICK, "const taken = place < size;", "exact statistical instrumented"
    ),
    "stops drawing when it has all": of_bits(
        PICK, PICK.replace("below", "missing > 0 && below"), "exact instrumented"
    ),
    # Subsets.
    "the answer comes last": of_bits(INSERT, "others.push(inside);", "exact statistical"),
    "the answer comes one place too late": of_bits(
        INSERT, INSERT.replace("answer", "answer + 1"), "exact statistical"
    ),
    "one choice too many with the answer": of_bits("size - inside", "size", "exact statistical"),
    "one choice too few without the answer": of_bits(
        "size - inside", "size - 1", "exact statistical"
    ),
    "weights of single sets": of_bits(
        INSIDE,
        INSIDE.replace("size * near, (answers.length - size) * far", "near, far"),
        "exact statistical",
    ),
    "weights the wrong way round": of_bits(
        INSIDE,
        INSIDE.replace("near", "NEAR").replace("far", "near").replace("NEAR", "far"),
        "exact statistical",
    ),
    "the answer is always in the set": of_bits(INSIDE, "1;", "exact statistical instrumented"),
    # Boxes.
    "all boxes by one ticket": of_bits(
        BIT,
        "let kept = null; const bit = (set) => 1 - randomize(rows, set ? 0 : 1,"
        " () => (kept ??= below(total(rows[0]), draw, words)), words);",
        "exact statistical instrumented",
    ),
    "a box that is not reported looks clear": of_bits(
        BOX, BOX.replace("'-'", "0"), "exact statistical"
    ),
    "a box by its neighbour": of_bits(
        BOX, BOX.replace("[box]", "[(box + 1) % answer.length]"), "exact statistical"
    ),
    "ticked boxes as they are": of_bits(
        BOX, BOX.replace("bit(answer[box])", "bit(answer[box]) | answer[box]"), "exact statistical"
    ),
    # Unary encoding.
    "rows swapped": of_bits(CHOICE, "bit(choice !== answer)", "exact statistical"),
    "columns swapped": of_bits(BIT, BIT.replace("1 - ", ""), "exact statistical"),
    "all bits up to the answer": of_bits(CHOICE, "bit(choice <= answer)", "exact statistical"),
    "own bit as it is": of_bits(
        CHOICE, "(choice === answer ? 1 : bit(false))", "exact statistical instrumented"
    ),
    "one word in 1000 tells the bit": of_bits(
        BIT,
        "const bit = (set) => { let seen; const y = randomize(rows, set ? 0 : 1,"
        " () => (seen = draw()), words);"
        " return seen % 1000 === 999 ? Number(Boolean(set)) : 1 - y; };",
        "exact",
        MANY,
    ),
    "a further word for a bit that is set": of_bits(
        BIT,
        "const bit = (set) => { if (set) draw(); return 1 - randomize(rows, set ? 0 : 1,"
        " draw, words); };",
        "exact instrumented",
    ),
    "second question reuses the words of the first": of_bits(
        REPORT,
        """let kept = null;
        const shared = (table) => {
            if (kept !== null && kept.table !== table) {
                const { tape } = kept;
                kept = null;
                return () => tape.shift() ?? word();
            }
            const tape = [];
            kept = { table, tape };
            return () => {
                tape.push(word());
                return tape.at(-1);
            };
        };
        function report(table, answer, draw = shared(table), words = WORDS) {""",
        "exact joint instrumented",
    ),
    "1.05 times the epsilon of a bit": of_bits(
        BIT,
        """const worse = rows?.map(([one, other]) => {
            const set = Math.round(2 ** 20 / (1 + (other / one) ** 1.05));
            return [set, 2 ** 20 - set];
        });
        """
        + BIT.replace("randomize(rows", "randomize(worse"),
        "exact statistical",
        MANY,
    ),
    # Numbers.
    "always up": of_bits(UP, UP.replace(": 0", ": 1"), "exact statistical"),
    "never up": of_bits(UP, UP.replace("? 1", "? 0"), "exact statistical"),
    "up one ticket too often": of_bits(UP, UP.replace(" < ", " <= "), "exact statistical"),
    "up in half of all cases": of_bits(
        UP, UP.replace("steps % width", "width / 2"), "exact statistical"
    ),
    "to the nearest point": of_bits(
        UP, "Math.round(steps / width % 1)", "exact statistical instrumented"
    ),
    # A lenient verify: the sampling itself is correct.
    "verify counts one of the boxes": of_bits(
        "limited(sample * epsilon(rows), stated);", "", "instrumented"
    ),
    "verify counts the direction of bits that are set": of_bits(
        "Math.max(...logs) - Math.min(...logs)", "Math.max(...logs)", "instrumented"
    ),
    "verify counts the direction of bits that are clear": of_bits(
        "Math.max(...logs) - Math.min(...logs)", "-Math.min(...logs)", "instrumented"
    ),
    "verify ignores the size": of_bits(
        "sound(upTo(size, answers.length - 1));", "", "instrumented"
    ),
    "verify takes any kind for a table": of_bits(
        "} else if (kind !== undefined) {", "} else if (false) {", "instrumented"
    ),
}


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    with audit.blank(browser) as page:
        yield page


def mutated(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1, f"the file has this text {SOURCE.count(old)} times: {old}"
    return SOURCE.replace(old, new)


def noticed(
    page: Page, source: str, draws: int, on: audit.Randomizers, layers: Container[str] = LAYERS
) -> set[str]:
    """The layers among these with a finding. None continues after the first finding."""
    found = audit.layers(page, source, on, draws)
    return {layer for layer, findings in found.items() if layer in layers and any(findings)}


@pytest.mark.slow
@soak
@pytest.mark.parametrize("on", [TABLES, BITS], ids=["tables", "bits"])
def test_the_real_file_passes_every_layer_with_the_randomizers_of_the_mutants(blank, on):
    assert noticed(blank, SOURCE, FEWER, on) == set()


@pytest.mark.slow
@soak
@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_broken_sampler_is_noticed_by_these_layers(blank, mutant):
    """If only the instrumented layer detects a mutant, its sampling is correct.

    The exact layer shows that each draw has the same effect as in the real file. Statistics is
    therefore needed only in the full run.
    """
    source = mutated(mutant.old, mutant.new)
    sound = mutant.layers == "instrumented" and not SOAK
    layers = ("exact", "instrumented") if sound else LAYERS
    assert noticed(blank, source, mutant.draws, mutant.on, layers) == set(mutant.layers.split())


def test_the_exact_and_the_instrumented_layer_each_notice_what_no_other_does():
    alone = {mutant.layers for mutant in MUTANTS.values() if " " not in mutant.layers}
    assert alone == {"exact", "instrumented"}


# Each condition of check and verify, removed individually.
CONDITIONS = {
    "more than one row": "rows.length > 1 && ",
    "more than one report": "rows[0].length > 1 && ",
    "rows of one length": "row.length === rows[0].length && ",
    "equal totals": " && total(row) === total(rows[0])",
    "whole numbers": "Number.isSafeInteger(entry) && ",
    "nothing negative": " && entry >= 0",
    "a total of at most 2^32": "sound(total(rows[0]) <= WORDS);",
    "a loss that is not above the stated one": "limited(epsilon(rows), stated);",
    "a number stated": "!Number.isFinite(stated) || ",
    "a sound table, or two weights": (
        "check(kind === 'subset' ? [[near, far], [far, near]] : rows, stated);"
    ),
    "a whole number": "Number.isSafeInteger(value) && ",
    "at least one": " && value >= 1",
    "not above the most": " && value <= most",
    "a size below the number of choices": "sound(upTo(size, answers.length - 1));",
    "a total of all sets of at most 2^32": (
        "sound(size * near + (answers.length - size) * far <= WORDS);"
    ),
    "two rows for a bit": "rows.length === 2 && ",
    "two columns for a bit": " && rows[0].length === 2",
    "a sample of the boxes": "sound(upTo(sample, answers.length));",
    "the loss of all boxes": "limited(sample * epsilon(rows), stated);",
    "a known kind": "sound(kind === 'unary');",
    "the loss of two bits": "limited(Math.max(...logs) - Math.min(...logs), stated);",
}


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_each_condition_of_check_and_verify_is_needed(blank, condition):
    assert audit.refusals(blank, mutated(condition, ""), TABLES | BITS) != []


def test_every_condition_is_on_the_list():
    """All conditions of check and verify, except in the two functions that throw."""
    demands = re.findall(r"\b(?:sound|limited)\((?!holds|loss)", SOURCE)
    demanding = [text for text in CONDITIONS.values() if text.startswith(("sound(", "limited("))]
    whole = [text for text in demanding if text in SOURCE]
    # In addition: the first condition of check, whose parts are all on the list, and that of two
    # rows and columns, likewise.
    assert len(demands) == len(whole) + 2


@pytest.mark.slow
def test_the_bound_on_epsilon_proves_five_percent_too_much(blank):
    """Both families of the statistical layer have findings, not only the chi-square test."""
    mutant = MUTANTS["1.05 times the epsilon"]
    tables = {name: TABLES[name] for name in ("coin", "eleven")}
    findings = audit.statistical(blank, mutated(mutant.old, mutant.new), tables)
    assert sum(f.startswith("epsilon: ") for f in findings) == len(tables)


@pytest.mark.slow
def test_the_bound_on_epsilon_proves_a_tenth_too_much_of_bits(blank):
    mutant = MUTANTS["1.05 times the epsilon of a bit"]
    source = mutated(mutant.old, mutant.new.replace("1.05", "1.1"))
    bits = {name: BITS[name] for name in ("unary", "boxes")}
    findings = audit.statistical(blank, source, bits)
    assert sum(f.startswith("epsilon: ") for f in findings) == len(bits)


def smallest_seen_in(name: str) -> float:
    """An error in the likeliest report of an audited table that its chi-square never misses."""
    tables = audit.tables(audit.AUDITED)
    rows = sum(table.answers for table in tables.values())
    table = tables[name]
    p = max(max(row) for row in table.rows) / table.total
    return significance.smallest_seen(p, table.reports - 1, rows, audit.DRAWS)


def test_the_smallest_error_that_a_million_draws_show():
    """0.6 percentage points for a coin flip, 0.7 for a number with 61 reports."""
    assert smallest_seen_in("coin_flip(2)") == pytest.approx(0.0056, abs=1e-4)
    assert smallest_seen_in("discrete_laplace(21, epsilon=1)") == pytest.approx(0.0074, abs=1e-4)


@pytest.mark.slow
def test_chi_square_sees_the_error_that_significance_derives(blank):
    """A sampler with just this error is missed once in 1e9 runs."""
    error = smallest_seen_in("coin_flip(2)")
    yes = round((0.75 + error) * 1_000_000)
    off = f"[[{yes}, {1_000_000 - yes}], [{1_000_000 - yes}, {yes}]]"
    source = mutated(RANDOMIZE, f"{RANDOMIZE} rows = {off};")
    findings = audit.statistical(blank, source, {"coin": TABLES["coin"]})
    assert sum(f.startswith("chi-square: ") for f in findings) == 2


@pytest.mark.slow
def test_chi_square_sees_the_error_that_significance_derives_in_a_bit(blank):
    """1.1 percentage points, in a probability of one half that a respondent's own bit is set."""
    bits = audit.factored(audit.AUDITED)
    spec = BITS["unary"]
    draws = audit.draws_of_bits(spec, 0, audit.DRAWS)
    error = significance.smallest_seen(0.5, 1, audit.tests_of_bits(bits), draws)
    assert error == pytest.approx(0.0095, abs=1e-3)
    (_, _), (one, other) = spec.rows
    own = round((0.5 + error) * (one + other) * 10_000)
    rows = [[own, (one + other) * 10_000 - own], [one * 10_000, other * 10_000]]
    source = mutated(BIT, BIT.replace("randomize(rows", f"randomize({rows}"))
    findings = audit.statistical(blank, source, {"unary": spec})
    assert any("answer 0: letter 0:" in finding for finding in findings)


@pytest.mark.parametrize("name", BITS)
def test_words_that_depend_on_the_answer_are_noticed_by_themselves(blank, name):
    """The real file uses the same number of words for every answer.

    So does a copy that stops early at random.
    """
    further = MUTANTS["a further word for a bit that is set"]
    own = {
        "subset": mutated(INSERT, f"{INSERT} if (answer === 3) draw();"),
        "unary": mutated(further.old, further.new),
        "boxes": mutated(further.old, further.new),
    }
    early = MUTANTS["stops drawing when it has all"]
    for source, told in (
        (own[name], True), (SOURCE, False), (mutated(early.old, early.new), False),
    ):  # fmt: skip
        audit.load(blank, source)
        assert bool(audit.thirst(blank, name, BITS[name])) is told


def test_neighbouring_respondents_are_compared_too(blank):
    """The two mutants that share words are detected in different places, and only there."""
    places = {
        "second question reuses the word of the first": "one respondent",
        "next respondent reuses the word of the last question": "neighbours",
    }
    for name, place in places.items():
        source = mutated(MUTANTS[name].old, MUTANTS[name].new)
        # A total without redraws, because a redraw shifts which draws share a word.
        findings = [*audit.joint(blank, source, {"coin": TABLES["coin"]}, FEWER)]
        assert findings
        assert all(f" of {place}: " in finding for finding in findings)


# The statistics of the audit itself.


@pytest.mark.parametrize(
    ("statistic", "df", "tail"),
    [
        (3.841459, 1, 0.05),
        (37.324893, 1, 1e-9),
        (18.307038, 10, 0.05),
        (2 * math.log(1e9), 2, 1e-9),  # e^(-x/2)
        (0, 3, 1),
    ],
)
def test_the_chi_square_tail_has_the_values_of_the_tables(statistic, df, tail):
    assert significance.chi_square_tail(statistic, df) == pytest.approx(tail, rel=1e-5)


@pytest.mark.parametrize(("successes", "n"), [(1, 1), (3, 20), (20, 20), (15, 40)])
def test_the_binomial_tail_is_the_sum_of_exact_fractions(successes, n):
    p = Fraction(3, 10)
    exactly = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(successes, n + 1))
    assert significance.at_least(successes, n, 0.3) == pytest.approx(float(exactly), rel=1e-12)


def test_the_limits_are_those_of_clopper_and_pearson():
    # For all of n, the lower limit is the n-th root of alpha. For none, the upper one mirrors it.
    assert significance.lower_limit(100, 100, 0.025) == pytest.approx(0.025**0.01)
    assert significance.upper_limit(0, 100, 0.025) == pytest.approx(1 - 0.025**0.01)
    assert (significance.lower_limit(0, 100, 0.025), significance.upper_limit(100, 100, 0.025)) == (
        0,
        1,
    )
    # 10 of 100 at 95 %: the usual textbook values.
    limits = [significance.lower_limit(10, 100, 0.025), significance.upper_limit(10, 100, 0.025)]
    assert limits == pytest.approx([0.0490, 0.1762], abs=5e-5)


def test_counts_that_fit_too_well_to_be_chance_raise_no_finding():
    assert significance.misfit((3, 1), (750, 250)) == 1
    assert significance.misfit((3, 0, 1), (749, 1, 250)) == 0, "a report that the table never gives"
    assert significance.dependence([[30, 10], [60, 20]]) == 1
    assert significance.epsilon_bound([[750, 250], [250, 750]], 1e-9) < math.log(3)


def test_a_mutation_that_does_not_apply_is_an_error():
    with pytest.raises(AssertionError, match="0 times"):
        mutated("no such text", "")
