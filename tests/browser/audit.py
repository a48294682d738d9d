"""The audit of the sampler that respondents run: four layers, none of which is enough alone.

    exact         scripted random words: every block of tickets begins and ends where the table
                  says, and a small source, enumerated whole, gives exactly the table's counts
    statistical   real randomness: a million draws for each answer against the table
    joint         real randomness: two questions of one respondent share nothing
    instrumented  where the randomness comes from, what happens without it, what is refused

Each layer takes the text of randomizer.js and returns its findings, sentences that say what is
wrong; none is a pass. test_randomizer.py runs them on the real file, and test_audit.py on broken
copies of it. A pass of the last three layers proves nothing by itself: only the exact layer sees
a leak in one draw of a thousand, and only the instrumented one tells a bad generator from a good.

False alarms. The exact and the instrumented layer have none: they compare whole numbers. Each
run of the statistical layer has two families of tests and each run of the joint one has one;
a family raises a false alarm with probability at most ALPHA (Bonferroni). A run of all browser
tests makes fewer than 100 families, hence a false alarm with probability below 1e-7.

What a chi-square test sees. Let an answer's reports have chances q in place of the table's p,
and lambda = n * sum of (q - p)^2 / p. The statistic is the squared length of a vector of standard
normal noise (its dimension df = reports - 1) shifted by sqrt(lambda); its part along the shift
alone is N(sqrt(lambda), 1), so it stays below the critical value c with probability at most
Phi(sqrt(c) - sqrt(lambda)). So a lambda of (sqrt(c) + 6)^2 is missed with probability 1e-9.
If one report is d too likely and the others are too rare in proportion, lambda is
n d^2 / (p (1 - p)), so d = (sqrt(c) + 6) sqrt(p (1 - p) / n) is seen. For a coin flip of two
answers (p = 3/4, n = 1e6, ALPHA over 52 rows, c = 45) that is d = 0.0055, 0.7 % of p.
test_audit.py computes it with `smallest_seen` and holds the layer to it.
"""

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from playwright.sync_api import Browser, Page

from survey.randomizer import Randomizer
from tests.conftest import ROOT
from tests.vectors import write

SOURCE = ROOT / "static" / "randomizer.js"
WORDS = 2**32
ALPHA = 1e-9
DRAWS = 1_000_000

Tables = Mapping[str, Randomizer]
Findings = list[str]

# a quarter of all words is redrawn; no word is ever redrawn
THIRSTY = Randomizer(((2**31, 2**30), (2**30, 2**31)))
FULL = Randomizer(((3 * 2**30, 2**30), (2**30, 3 * 2**30)))

EXAMPLES: Tables = {name: table for name, (*_, table) in write.examples().items()}
AUDITED: Tables = {**EXAMPLES, "total 3 * 2^30": THIRSTY, "total 2^32": FULL}


@contextmanager
def blank(browser: Browser) -> Iterator[Page]:
    """A page for the layers; each of them begins with a new document in it."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def load(page: Page, source: str, before: str = "") -> None:
    """A new document that has run `before`, then this source as a script."""
    page.goto("about:blank")
    if before:
        page.evaluate(f"() => {{ {before} }}")
    page.add_script_tag(content=source)


# Exact

# crypto.getRandomValues gives the scripted words, one for each call, and no more; JSON both ways
# is much faster than Playwright's own form
SCRIPTED = """(given) => {
    const [rows, cases] = JSON.parse(given);
    return JSON.stringify(cases.map(([answer, words]) => {
        let used = 0;
        crypto.getRandomValues = (array) => {
            if (used === words.length) throw 'asked for one word too many'; // a text: quicker
            array[0] = words[used];
            used += 1;
            return array;
        };
        try {
            return [randomizer.randomize(rows, answer), used];
        } catch (error) {
            return [`${error}`, used];
        }
    }));
}"""

# every word of a small source, each followed by zeros, which no table redraws
ENUMERATED = """([rows, answer, words]) => {
    const counts = rows[0].map(() => 0);
    let redrawn = 0;
    for (let word = 0; word < words; word += 1) {
        let used = 0;
        const draw = () => {
            used += 1;
            if (used > 9) throw new Error('redraws a word that is good');
            return used === 1 ? word : 0;
        };
        try {
            const report = randomizer.randomize(rows, answer, draw, words);
            if (used === 1) counts[report] += 1;
            else if (used > 1) redrawn += 1;
        } catch {
            // counted nowhere, which is a finding
        }
    }
    return [counts, redrawn];
}"""


def scripts(row: tuple[int, ...], seed: int) -> list[list[int]]:
    """Words for the production path, each list long enough for one draw and no longer."""
    first = 0
    tickets = []
    for entry in row:
        if entry:
            tickets += [first, first + entry - 1]
        first += entry
    limit = write.limit(first)
    redrawn = [[limit, 0], [WORDS - 1, limit, first - 1]] if limit < WORDS else []
    # words of full width, to find what depends on more of the word than its ticket
    source = random.Random(seed)  # the same every time: no false alarm, no missed finding
    wide = [source.randrange(limit) for _ in range(2_000)]
    return [[word] for word in [*tickets, limit - first, limit - 1, *wide]] + redrawn


def replay(page: Page, rows: Sequence[Sequence[int]], cases: Sequence) -> list[list]:
    """What randomize reports, and how many words it used, for each (answer, words)."""
    return json.loads(page.evaluate(SCRIPTED, json.dumps([rows, cases])))


def scripted(page: Page, name: str, table: Randomizer) -> Findings:
    """The production path with known words: each gives the report of an independent walk."""
    cases = [
        (answer, words) for answer, row in enumerate(table.rows) for words in scripts(row, answer)
    ]
    # the last word of a script is the one that counts; those before it are redrawn
    expected = [
        [write.report(table.rows[answer], words[-1]), len(words)] for answer, words in cases
    ]
    wrong = [
        f"{name}: answer {answer}, words {words}: report and words used are {got}, not {wanted}"
        for (answer, words), got, wanted in zip(
            cases, replay(page, table.rows, cases), expected, strict=True
        )
        if got != wanted
    ]
    return [f"{wrong[0]} (and {len(wrong) - 1} more)"] if wrong else []


def widths(total: int) -> list[int]:
    """The two smallest sources to enumerate that are no smaller than the table."""
    return [2**bits for bits in (8, 12, 16, 18) if 2**bits >= total][:2]


def enumerated(page: Page, name: str, table: Randomizer) -> Findings:
    """Over all words of a small source, the accepted ones are shared out exactly as the table."""
    findings = []
    for words in widths(table.total):
        for answer, row in enumerate(table.rows):
            got = page.evaluate(ENUMERATED, [table.rows, answer, words])
            wanted = [[entry * (words // table.total) for entry in row], words % table.total]
            if got != wanted:
                findings.append(
                    f"{name}: answer {answer}, all {words} words: counts and redraws are {got}, "
                    f"not {wanted}"
                )
    return findings


def exact(page: Page, source: str, tables: Tables = AUDITED) -> Findings:
    findings = []
    load(page, source)
    for name, table in tables.items():
        findings += scripted(page, name, table) + enumerated(page, name, table)
    return findings


# Statistical

# One call of the browser's generator takes 2 microseconds, mostly to get there and back; so the
# generator fills 16,384 words at once, and randomizer.js still asks for and gets one at a time.
# The words are the same generator's. test_randomizer.py also runs the layer without this.
IN_BLOCKS = """() => {
    const real = crypto.getRandomValues.bind(crypto);
    const block = new Uint32Array(16384);
    let next = block.length;
    crypto.getRandomValues = (array) => {
        if (array.length !== 1) return real(array);
        if (next === block.length) {
            real(block);
            next = 0;
        }
        array[0] = block[next];
        next += 1;
        return array;
    };
}"""

COUNTED = """([rows, answer, draws]) => {
    const counts = rows[0].map(() => 0);
    for (let i = 0; i < draws; i += 1) counts[randomizer.randomize(rows, answer)] += 1;
    return counts;
}"""


def chi_square_tail(statistic: float, df: int) -> float:
    """Pr(chi-square with df degrees of freedom > statistic), in closed form.

    The regularised incomplete gamma function Q(df/2, statistic/2), by its recurrence
    Q(a + 1, h) = Q(a, h) + h^a e^-h / Gamma(a + 1), from Q(1/2, h) = erfc(sqrt(h)) or
    Q(1, h) = e^-h; all terms are positive, so small values keep their digits.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    a = 0.5 if df % 2 else 1.0
    tail = math.erfc(math.sqrt(half)) if df % 2 else math.exp(-half)
    while a < df / 2:
        tail += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return tail


def at_least(successes: int, n: int, p: float) -> float:
    """Pr(X >= successes) for X binomial with n and p strictly between 0 and 1, term by term."""
    term = math.exp(
        math.lgamma(n + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(n - successes + 1)
        + successes * math.log(p)
        + (n - successes) * math.log1p(-p)
    )
    tail = term
    for i in range(successes, n):
        step = (n - i) / (i + 1) * p / (1 - p)
        term *= step
        tail += term
        if step < 1 and term <= tail * 1e-17:
            break
    return tail


def lower_limit(successes: int, n: int, alpha: float) -> float:
    """Clopper and Pearson's lower limit: the p at which so many successes have chance alpha."""
    low, high = 0.0, successes / n
    for _ in range(50 if successes else 0):
        middle = (low + high) / 2
        if at_least(successes, n, middle) > alpha:
            high = middle
        else:
            low = middle
    return low


def upper_limit(successes: int, n: int, alpha: float) -> float:
    return 1 - lower_limit(n - successes, n, alpha)


def epsilon_bound(counts: Sequence[Sequence[int]], alpha: float) -> float:
    """The sampler's epsilon is at least this, unless chance as small as alpha played.

    The largest log(lower limit of Pr(y | x) / upper limit of Pr(y | x')) over all reports y and
    ordered pairs of answers x, x'. Two limits for each of those makes alpha / (2 k^2 (k - 1)) for
    k answers and reports. Both limits grow with the count, so each report's largest ratio is that
    of its most and its least frequent answer.
    """
    answers, reports, n = len(counts), len(counts[0]), sum(counts[0])
    share = alpha / (2 * reports * answers * (answers - 1))
    bound = -math.inf
    for column in zip(*counts, strict=True):
        lower = lower_limit(max(column), n, share)
        if lower > 0:
            bound = max(bound, math.log(lower / upper_limit(min(column), n, share)))
    return bound


def misfit(row: Sequence[int], counts: Sequence[int]) -> float:
    """How likely reports of this row are to fit it as badly as these counts do, or worse."""
    if any(count and not entry for entry, count in zip(row, counts, strict=True)):
        return 0.0
    n, total = sum(counts), sum(row)
    fit = [(entry * n / total, count) for entry, count in zip(row, counts, strict=True) if entry]
    statistic = sum((count - expected) ** 2 / expected for expected, count in fit)
    return chi_square_tail(statistic, len(fit) - 1)


def smallest_seen(p: float, df: int, rows: int, draws: int = DRAWS) -> float:
    """The d of the note above: an error of a chance p that a row's chi-square never misses."""
    low, high = 0.0, 1e4
    for _ in range(100):  # the critical value, by bisection
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, df) > ALPHA / rows else (low, middle)
    return (math.sqrt(high) + 6) * math.sqrt(p * (1 - p) / draws)


def statistical(
    page: Page,
    source: str,
    tables: Tables = AUDITED,
    draws: int = DRAWS,
    *,
    direct: bool = False,
) -> Findings:
    """Two families: each row's chi-square, and each table's lower bound on epsilon."""
    findings = []
    rows = sum(table.answers for table in tables.values())
    load(page, source)
    if not direct:
        page.evaluate(IN_BLOCKS)
    for name, table in tables.items():
        counts = []
        for answer, row in enumerate(table.rows):
            counted = page.evaluate(COUNTED, [table.rows, answer, draws])
            counts.append(counted)
            if sum(counted) != draws:
                findings.append(f"chi-square: {name}: answer {answer} gives no known report")
            elif (p := misfit(row, counted)) < ALPHA / rows:
                findings.append(f"chi-square: {name}: answer {answer}: {counted} (p = {p:.1g})")
        bound = epsilon_bound(counts, ALPHA / len(tables))
        if bound > table.epsilon:
            findings.append(f"epsilon: {name}: {bound} at least, not {table.epsilon}")
    return findings


# Joint

# As respond.js does: all questions of a respondent at one go; then the next respondent
RESPONDENTS = """([pair, answers, draws]) => {
    const tables = JSON.parse(pair); // two questions never have one array between them
    const empty = () => tables[0][0].map(() => tables[1][0].map(() => 0));
    const [together, neighbours] = [empty(), empty()];
    let last = null;
    for (let i = 0; i < draws; i += 1) {
        const reports = tables.map((rows, question) =>
            randomizer.randomize(rows, answers[question]));
        together[reports[0]][reports[1]] += 1;
        if (last !== null) neighbours[reports[0]][last] += 1;
        last = reports[1];
    }
    return [together, neighbours];
}"""


def dependence(counts: Sequence[Sequence[int]]) -> float:
    """How likely independent reports are to look as dependent as these counts, or more so."""
    seen = np.array(counts, dtype=float)
    seen = seen[seen.sum(axis=1) > 0][:, seen.sum(axis=0) > 0]
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    df = (seen.shape[0] - 1) * (seen.shape[1] - 1)
    return chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), df) if df else 1.0


def joint(page: Page, source: str, tables: Tables = AUDITED, draws: int = DRAWS) -> Findings:
    """Two questions of one respondent, and the second with the next respondent's first.

    Each table is paired with itself, since a shared word shows best there: the remainders of one
    word by two totals without a common factor are independent. And each with the next one.
    """
    names = list(tables)
    pairs = [*zip(names, names, strict=True), *zip(names, names[1:] + names[:1], strict=True)]
    findings = []
    load(page, source)
    page.evaluate(IN_BLOCKS)
    for pair in pairs:
        rows = [tables[name].rows for name in pair]
        found = page.evaluate(RESPONDENTS, [json.dumps(rows), [0, len(rows[1]) - 1], draws])
        for where, counts in zip(("one respondent", "neighbours"), found, strict=True):
            if (p := dependence(counts)) < ALPHA / (2 * len(pairs)):
                findings.append(f"{pair} of {where}: {counts} (p = {p:.1g})")
    return findings


# Instrumented

RECORDED = """([tables, repeats]) => {
    const real = crypto.getRandomValues.bind(crypto);
    const findings = new Set();
    let asked = [];
    let redrawn = 0;
    Math.random = () => {
        findings.add('Math.random is called');
        throw new Error('Math.random is called');
    };
    crypto.getRandomValues = (array) => {
        real(array);
        asked.push([array.constructor.name, array.length, [...array]]);
        return array;
    };
    const attempt = (what, task) => {
        asked = [];
        try {
            task();
        } catch (error) {
            findings.add(`${what}: ${error}`);
        }
    };
    for (let i = 0; i < repeats; i += 1) {
        // one draw of each answer of each table in turn, as questions follow each other
        for (const rows of tables) {
            const total = rows[0].reduce((sum, entry) => sum + entry, 0);
            const limit = 2 ** 32 - (2 ** 32 % total);
            for (let answer = 0; answer < rows.length; answer += 1) {
                attempt('randomize', () => {
                    randomizer.randomize(rows, answer);
                    redrawn += asked.length - 1;
                    if (asked.some(([type, length]) => type !== 'Uint32Array' || length !== 1)) {
                        findings.add('a draw asks for something else than one 32-bit word');
                    } else if (asked.filter(([, , [word]]) => word < limit).length !== 1) {
                        findings.add('a draw does not take exactly one accepted word');
                    } else if (asked.at(-1)[2][0] >= limit) {
                        findings.add('a draw goes on after it has an accepted word');
                    }
                });
            }
        }
        attempt('identifier', () => {
            const id = randomizer.identifier();
            const [type, length, bytes] = asked[0] ?? [];
            const hexadecimal = bytes?.map((byte) => (byte + 256).toString(16).slice(1)).join('');
            const once = asked.length === 1 && type === 'Uint8Array' && length === 16;
            if (!once || id !== hexadecimal) {
                findings.add('an identifier is not 16 random bytes in hexadecimal');
            }
        });
    }
    return [[...findings], redrawn];
}"""


def sources(page: Page, source: str, tables: Tables = AUDITED) -> Findings:
    """All randomness is crypto.getRandomValues, one accepted 32-bit word for each draw."""
    load(page, source)
    rows = [table.rows for table in [*tables.values(), THIRSTY]]
    findings, redrawn = page.evaluate(RECORDED, [rows, 200])
    # THIRSTY redraws a quarter of the words: none in 400 draws has probability (3/4)^400 = 1e-50
    return findings + ([] if redrawn else ["no word is ever redrawn"])


# the state of the browser before randomizer.js runs, and what happens after that
WITHOUT = {
    "no crypto": ("Object.defineProperty(globalThis, 'crypto', { value: undefined });", ""),
    "no getRandomValues": ("Object.defineProperty(globalThis, 'crypto', { value: {} });", ""),
    "getRandomValues is no function": ("crypto.getRandomValues = 4;", ""),
    "getRandomValues throws": ("crypto.getRandomValues = () => { throw new Error('spent'); };", ""),
    "getRandomValues gives nothing": ("crypto.getRandomValues = () => undefined;", ""),
    "getRandomValues goes away": ("", "crypto.getRandomValues = undefined;"),
}
NEED_RANDOMNESS = ("randomizer.randomize([[3, 1], [1, 3]], 0)", "randomizer.identifier()")


def fallbacks(page: Page, source: str) -> Findings:
    """Without secure randomness each function that needs it throws."""
    findings = []
    for state, (before, after) in WITHOUT.items():
        load(page, source, before)
        for call in NEED_RANDOMNESS:
            got = page.evaluate(
                f"() => {{ {after} try {{ return [{call}]; }} catch {{ return null; }} }}"
            )
            if got is not None:
                findings.append(f"{state}: {call} gives {got} and does not throw")
    return findings


# arguments of check, as JavaScript, that it has to refuse; each names what is wrong
REFUSED = {
    "no rows": "[], 1",
    "not a table": "null, 1",
    "a row that is no list": "[[3, 1], null], 2",
    "one row": "[[3, 1]], 2",
    "rows without reports": "[[], []], 1",
    "one report": "[[4], [4]], 1",
    "infinity stated": "[[4, 0], [1, 3]], Infinity",
    "rows of unequal length": "[[3, 1], [1, 2, 1]], 9",
    "a longer second row with the same total": "[[2, 2], [2, 2, 0]], 9",
    "unequal totals": "[[3, 1], [3, 2]], 9",
    "a negative entry": "[[5, -1], [1, 3]], 9",
    "a negative column": "[[5, -1], [5, -1]], 9",
    "fractions": "[[2.5, 1.5], [1.5, 2.5]], 9",
    "a text for a number": "[['3', '1'], ['1', '3']], 9",
    "null for a number": "[[4, null], [4, null]], 9",
    "an entry that is not a number": "[[NaN, 1], [1, NaN]], 9",
    "an infinite entry": "[[Infinity, 1], [Infinity, 1]], 9",
    "an entry beyond exact whole numbers": "[[2 ** 53, 1], [2 ** 53, 1]], 9",
    "a total above 2^32": "[[2 ** 32, 1], [2 ** 32, 1]], 9",
    "a zero beside a positive entry": "[[4, 0], [1, 3]], 700",
    "a column of zeros": "[[3, 1, 0], [1, 3, 0]], 9",
    "only zeros": "[[0, 0], [0, 0]], 9",
    "no stated epsilon": "[[2, 2], [2, 2]]",
    "undefined stated": "[[2, 2], [2, 2]], undefined",
    "null stated": "[[2, 2], [2, 2]], null",
    "NaN stated": "[[2, 2], [2, 2]], NaN",
    "a text stated": "[[2, 2], [2, 2]], '1'",
    "a list stated": "[[2, 2], [2, 2]], [1]",
    "true stated": "[[2, 2], [2, 2]], true",
    "a negative epsilon stated": "[[2, 2], [2, 2]], -1",
    "1.05 times the epsilon stated": "[[3, 1], [1, 3]], Math.log(3) / 1.05",
}


def refused(page: Page, arguments: str) -> bool:
    return page.evaluate(
        f"() => {{ try {{ randomizer.check({arguments}); return false; }}"
        " catch { return true; } }"
    )


def refusals(page: Page, source: str, tables: Tables = AUDITED) -> Findings:
    """check refuses what is no table and what protects less than stated, and nothing else."""
    findings = []
    load(page, source)
    for what, arguments in REFUSED.items():
        if not refused(page, arguments):
            findings.append(f"check lets pass: {what}: {arguments}")
    for name, table in tables.items():
        rows = json.dumps(table.rows)
        if refused(page, f"{rows}, {table.epsilon!r}"):
            findings.append(f"{name}: check refuses its own epsilon")
        if not refused(page, f"{rows}, {table.epsilon - 1e-9!r}"):
            findings.append(f"{name}: check lets pass a smaller epsilon than its own")
        if abs(page.evaluate(f"randomizer.epsilon({rows})") - table.epsilon) > 1e-12:
            findings.append(f"{name}: epsilon differs from Python's")
    return findings


def instrumented(page: Page, source: str, tables: Tables = AUDITED) -> Findings:
    return sources(page, source, tables) + fallbacks(page, source) + refusals(page, source, tables)


def layers(page: Page, source: str, tables: Tables, draws: int) -> dict[str, Findings]:
    """The findings of every layer; the joint one needs fewer draws."""
    return {
        "exact": exact(page, source, tables),
        "statistical": statistical(page, source, tables, draws),
        "joint": joint(page, source, tables, min(draws, 100_000)),
        "instrumented": instrumented(page, source, tables),
    }
