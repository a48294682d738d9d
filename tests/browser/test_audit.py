"""The audit can fail: broken copies of randomizer.js, and which layers notice each of them.

Each mutant replaces one text of the file, which must be there exactly once. The layers that
notice it are asserted as a set: those that are not named let it pass, and show why the others
are needed. The real file passes all layers. What the exact layer notices it notices because the
sampler is small enough to script; statistical and joint need to know nothing of its inside.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import pytest
from playwright.sync_api import Browser, Page

from . import audit

SOURCE = audit.SOURCE.read_text(encoding="utf-8")
TABLES = {
    "coin": audit.EXAMPLES["coin_flip(2)"],
    "eleven": audit.EXAMPLES["k_randomized_response(11, epsilon=2)"],
    "thirsty": audit.THIRSTY,
}
FEWER = 200_000  # draws, where that is plenty

RANDOM_WORD = "const word = () => bytes(new Uint32Array(1))[0];"
REFUSE = "throw new Error('No secure randomness.');"
REDRAW = "while (value >= limit) value = draw();"
RANDOMIZE = "function randomize(rows, answer, draw = word, words = WORDS) {"
TICKET = "let ticket = below(total(rows[answer]), draw, words);"
WALK = "while (ticket >= rows[answer][report]) {"
REPORT = "return report;"
STATED = "!(epsilon(rows) <= stated + 1e-12)"


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new` in the file; `layers` notice, in so many draws."""

    old: str
    new: str
    layers: str
    draws: int = FEWER


MUTANTS = {
    # too little randomness in a draw: statistics sees eight bits, sixteen are beyond it
    "ticket scaled from a byte": Mutant(
        TICKET,
        "let ticket = Math.floor(bytes(new Uint8Array(1))[0] * total(rows[answer]) / 256);",
        "exact statistical instrumented",
        audit.DRAWS,
    ),
    "ticket scaled from half a word": Mutant(
        TICKET,
        "let ticket = Math.floor((draw() % 65536) * total(rows[answer]) / 65536);",
        "exact instrumented",
        audit.DRAWS,
    ),
    "ticket scaled in floating point": Mutant(
        TICKET,
        "let ticket = Math.floor(draw() / words * total(rows[answer]));",
        "exact instrumented",
    ),
    # a sampler that betrays a few: only the exact layer sees it
    "every 1000th report is the answer": Mutant(
        REPORT,
        "drawn += 1; return drawn % 1000 ? report : answer; } let drawn = 0; {",
        "exact",
        audit.DRAWS,
    ),
    "one word in 1000 gives the answer": Mutant(
        TICKET,
        "let seen; let ticket = below(total(rows[answer]), () => (seen = draw()), words);"
        "if (seen % 1000 === 999) return answer;",
        "exact",
    ),
    # randomness from elsewhere
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
    # one word for two draws: single questions look perfect
    "second question reuses the word of the first": Mutant(
        RANDOMIZE,
        """let kept = null;
        let keptRows = null;
        const shared = (rows) => {
            if (kept !== null && rows !== keptRows) {
                const value = kept;
                kept = null;
                return value;
            }
            keptRows = rows;
            kept = word();
            return kept;
        };
        function randomize(rows, answer, draw = () => shared(rows), words = WORDS) {""",
        "exact joint instrumented",
    ),
    "next respondent reuses the word of the last question": Mutant(
        RANDOMIZE,
        """let kept = null;
        let keptRows = null;
        let first = true;
        const shared = (rows) => {
            if (kept !== null && rows !== keptRows) {
                const value = kept;
                kept = null;
                first = false;
                return value;
            }
            const value = word();
            kept = first ? null : value;
            keptRows = rows;
            first = false;
            return value;
        };
        function randomize(rows, answer, draw = () => shared(rows), words = WORDS) {""",
        "exact joint instrumented",
    ),
    # the wrong table
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
        REPORT, "return rows[answer].length - 1;", "exact statistical"
    ),
    "the last report from its holders only": Mutant(
        REPORT,
        "return report === rows.length - 1 && answer !== report ? answer : report;",
        "exact statistical",
    ),
    # slips of the hand
    "no redraw": Mutant(REDRAW, "", "exact statistical instrumented"),
    "redraws one word too few": Mutant(REDRAW, REDRAW.replace(">=", ">"), "exact"),
    "redraws one word too many": Mutant(REDRAW, REDRAW.replace("limit", "limit - 1"), "exact"),
    "blocks one ticket too long": Mutant(WALK, WALK.replace(">=", ">"), "exact statistical"),
    "numbers of 32 bits": Mutant(
        "sum + entry", "(sum + entry) | 0", "exact statistical instrumented"
    ),
    # check too lenient: nothing is wrong with the sampling
    "check allows 1.05 times the epsilon": Mutant(
        STATED, "!(epsilon(rows) <= stated * 1.05 + 1e-12)", "instrumented"
    ),
    "check ignores the stated epsilon": Mutant(STATED, "false", "instrumented"),
    "epsilon of the first two answers": Mutant(
        "const column = rows.map((row) => row[y]);",
        "const column = [rows[0][y], rows[1][y] + 1e-9];",
        "instrumented",
    ),
}


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    with audit.blank(browser) as page:
        yield page


def mutated(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1, f"the file has this text {SOURCE.count(old)} times: {old}"
    return SOURCE.replace(old, new)


def noticed(page: Page, source: str, draws: int) -> set[str]:
    findings = audit.layers(page, source, TABLES, draws)
    return {layer for layer, sentences in findings.items() if sentences}


def test_the_real_file_passes_every_layer_with_the_tables_of_the_mutants(blank):
    assert noticed(blank, SOURCE, FEWER) == set()


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_broken_sampler_is_noticed_by_these_layers(blank, mutant):
    source = mutated(mutant.old, mutant.new)
    assert noticed(blank, source, mutant.draws) == set(mutant.layers.split())


def test_the_exact_and_the_instrumented_layer_each_notice_what_no_other_does():
    alone = {mutant.layers for mutant in MUTANTS.values() if " " not in mutant.layers}
    assert alone == {"exact", "instrumented"}


# each condition of check, taken out by itself
CONDITIONS = {
    "more than one row": "rows.length > 1 && ",
    "more than one report": "rows[0].length > 1 && ",
    "rows of one length": "row.length === rows[0].length && ",
    "equal totals": " && total(row) === total(rows[0])",
    "whole numbers": "Number.isSafeInteger(entry) && ",
    "nothing negative": " && entry >= 0",
    "a total of at most 2^32": " || total(rows[0]) > WORDS",
    "a number stated": "!Number.isFinite(stated) || ",
}


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_each_condition_of_check_is_needed(blank, condition):
    assert audit.refusals(blank, mutated(condition, ""), TABLES) != []


def test_the_bound_on_epsilon_proves_five_percent_too_much(blank):
    """Both families of the statistical layer speak, not the chi-square test alone."""
    mutant = MUTANTS["1.05 times the epsilon"]
    tables = {name: TABLES[name] for name in ("coin", "eleven")}
    findings = audit.statistical(blank, mutated(mutant.old, mutant.new), tables)
    assert sum(f.startswith("epsilon: ") for f in findings) == len(tables)


def test_chi_square_sees_the_error_that_the_note_in_the_audit_derives(blank):
    """Sampling that is off by just this much is missed once in 1e9 runs."""
    rows = sum(table.answers for table in audit.AUDITED.values())
    error = audit.smallest_seen(0.75, df=1, rows=rows)
    assert error < 0.0056, "the note says 0.0055"
    yes = round((0.75 + error) * 1_000_000)
    off = f"[[{yes}, {1_000_000 - yes}], [{1_000_000 - yes}, {yes}]]"
    source = mutated(RANDOMIZE, f"{RANDOMIZE} rows = {off};")
    findings = audit.statistical(blank, source, {"coin": TABLES["coin"]})
    assert sum(f.startswith("chi-square: ") for f in findings) == 2


def test_neighbouring_respondents_are_compared_too(blank):
    """The two mutants that share words are noticed in different places, and only there."""
    places = {
        "second question reuses the word of the first": "one respondent",
        "next respondent reuses the word of the last question": "neighbours",
    }
    for name, place in places.items():
        source = mutated(MUTANTS[name].old, MUTANTS[name].new)
        # a total that redraws no word, since a redraw shifts who shares with whom
        findings = audit.joint(blank, source, {"coin": TABLES["coin"]}, FEWER)
        assert findings
        assert all(f" of {place}: " in finding for finding in findings)


# The statistics of the audit itself


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
    assert audit.chi_square_tail(statistic, df) == pytest.approx(tail, rel=1e-5)


@pytest.mark.parametrize(("successes", "n"), [(1, 1), (3, 20), (20, 20), (15, 40)])
def test_the_binomial_tail_is_the_sum_of_exact_fractions(successes, n):
    p = Fraction(3, 10)
    exactly = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(successes, n + 1))
    assert audit.at_least(successes, n, 0.3) == pytest.approx(float(exactly), rel=1e-12)


def test_the_limits_are_those_of_clopper_and_pearson():
    # all of n: the lower limit is the n-th root of alpha; none: the upper one mirrors it
    assert audit.lower_limit(100, 100, 0.025) == pytest.approx(0.025**0.01)
    assert audit.upper_limit(0, 100, 0.025) == pytest.approx(1 - 0.025**0.01)
    assert (audit.lower_limit(0, 100, 0.025), audit.upper_limit(100, 100, 0.025)) == (0, 1)
    # 10 of 100, 95 %: the usual textbook figures
    limits = [audit.lower_limit(10, 100, 0.025), audit.upper_limit(10, 100, 0.025)]
    assert limits == pytest.approx([0.0490, 0.1762], abs=5e-5)


def test_counts_that_fit_too_well_to_be_chance_raise_no_finding():
    assert audit.misfit((3, 1), (750, 250)) == 1
    assert audit.misfit((3, 0, 1), (749, 1, 250)) == 0, "a report that the table never gives"
    assert audit.dependence([[30, 10], [60, 20]]) == 1
    assert audit.epsilon_bound([[750, 250], [250, 750]], 1e-9) < math.log(3)


def test_a_mutation_that_does_not_apply_is_an_error():
    with pytest.raises(AssertionError, match="0 times"):
        mutated("no such text", "")
