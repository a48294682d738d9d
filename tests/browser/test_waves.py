"""static/respondent/waves.js: the same answer gives the same report in every wave.

A first report is newly drawn. The tests are exact where possible: the words are those of Python's
hmac, and their effect is the same as in Python. The statistical tests raise a false alarm with
probability 1e-9 each (`ALPHA` in significance.py, shared by the comparisons of a test). The
averaging test has 2e-9, and all of them together 5e-9.
"""

import hmac
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Error, Page

from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.server.http.security_headers import POLICY, policy_text
from tests.support.lengths import length, soak
from tests.support.project import ROOT
from tests.support.servers import Live
from tests.support.wave_streams import SECRET, stream
from tests.vectors import write

from . import audit
from .significance import ALPHA, dependence, misfit

KEY = "candor series smoking"
SCRIPTS = ("randomizer.js", "waves.js")
COIN = {"rows": [[3, 1], [1, 3]]}


def visit(page: Page, live: Live) -> None:
    """A page of the real server's origin, with only its policy and its scripts."""
    scripts = "".join(f'<script src="/static/respondent/{name}"></script>' for name in SCRIPTS)
    body = f"<!doctype html><title>Waves</title>{scripts}"
    headers = {"Content-Security-Policy": policy_text(POLICY)}
    page.route(
        f"{live.url}/wave",
        lambda route: route.fulfill(body=body, content_type="text/html", headers=headers),
    )
    page.goto(f"{live.url}/wave")


@pytest.fixture
def device(page: Page, live: Live) -> Page:
    """A device without stored data."""
    visit(page, live)
    return page


def keep(device: Page, secret: str = SECRET.hex()) -> None:
    device.evaluate("([key, secret]) => localStorage.setItem(key, secret)", [KEY, secret])


def stored(device: Page) -> dict[str, str]:
    return device.evaluate("({...localStorage})")


DRAWN = "([context, count]) => waves.drawing('smoking', context, (draw) => {0})"
WORDS = DRAWN.format("Array.from({ length: count }, () => draw())")
REPORT = """([context, table, row]) =>
    waves.drawing('smoking', context, (draw) => randomizer.report(table, row, draw))"""


# The draws.


@pytest.mark.parametrize(
    "context",
    [
        ["smokes", [[3, 1], [1, 3]], 0],
        ["drugs", {"size": 2, "kind": "boxes", "rows": [[3, 1], [1, 3]]}, [True, False]],
        ["10", {"9": 1, "10": {"b": None, "a": "x"}, "é": -1}, []],
        'a "quoted"\n\\ text, \u2028 สูบบุหรี่ 🚬',
        ["half", 0.5, {}],
        None,
    ],
)
def test_the_words_are_those_of_hmac_in_python(device, context):
    """Up to one block, up to the words computed at first, and further ones."""
    keep(device)
    for count in (0, 1, 8, 9, 16, 17, 32, 33, 1000):
        wanted = list(islice(stream(context), count))
        assert device.evaluate(WORDS, [context, count]) == wanted


def test_a_known_answer_in_full():
    """An independent calculation, so that `stream` does not repeat a mistake."""
    message = b'[["smokes",[[3,1],[1,3]],0],0]'
    block = hmac.digest(SECRET, message, "sha256")
    words = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)]
    drawn = stream(["smokes", [[3, 1], [1, 3]], 0])
    assert [next(drawn) for _ in range(8)] == words


def test_the_order_of_members_makes_no_difference_and_every_value_does(device):
    keep(device)
    drawn = device.evaluate(
        """async (contexts) => {
            const first = (context) => waves.drawing('smoking', context, (draw) => draw());
            return Promise.all(contexts.map((text) => first(JSON.parse(text))));
        }""",
        [
            '{"a":1,"b":[2]}', '{"b":[2],"a":1}', '{"a":1,"b":[3]}', '{"a":1,"b":["2"]}',
            '["a",1,"b",[2]]', '["a","1,\\"b\\"",[2]]', '{"a":1,"c":[2]}', '[1,11]', '[11,1]',
            'true', '"true"', 'null', '0', '[]', '{}', '""', '[[]]',
        ],
    )  # fmt: skip
    assert drawn[0] == drawn[1]
    # Each of 120 pairs agrees by chance with probability 2^-32.
    assert len(set(drawn)) == len(drawn) - 1


@pytest.mark.parametrize("given", ["undefined", "[NaN]", "[Infinity]", "() => 1", "[1n]"])
def test_what_is_no_json_is_no_context(device, given):
    keep(device)
    with pytest.raises(Error, match="A context is a JSON value"):
        device.evaluate(f"waves.drawing('smoking', {given}, (draw) => draw())")


def from_python(randomizer: Any, answer: Any, words: Iterator[int]) -> str:
    """The report that Python makes of these words."""
    if not isinstance(randomizer, Randomizer):
        return write.text(randomizer, answer, write.from_words(words))
    row = randomizer.rows[answer]
    report = next(found for word in words if (found := write.report(row, word)) is not None)
    return audit.padded(randomizer, report)


@pytest.mark.slow
def test_every_randomizer_makes_of_these_words_what_python_makes_of_them(device):
    """Tables and bits, including those with many blocks or many redrawn words."""
    keep(device)
    compared = 0
    for name, randomizer in audit.AUDITED.items():
        table = audit.as_page(randomizer)
        for answer in audit.answers(randomizer):
            context = [name, table, answer]
            expected = from_python(randomizer, answer, stream(context))
            assert device.evaluate(REPORT, [context, table, answer]) == expected, name
            compared += 1
    assert compared > 200


def accepted(words: Iterator[int], tickets: int) -> int:
    return next(word for word in words if word < write.limit(tickets)) % tickets


def test_running_out_of_words_and_starting_again_gives_what_an_endless_stream_gives(device):
    """Every other word is redrawn: the initial 16 words are doubled to 512."""
    keep(device)
    half = 2**31 + 1
    table = {"rows": [[half - 1, 1], [1, half - 1]]}
    drawn, starts = device.evaluate(
        """async (table) => {
            let starts = 0;
            const drawn = await waves.drawing('smoking', 'thirsty', (draw) => {
                starts += 1;
                const report = () => randomizer.report(table, 0, draw);
                const reports = Array.from({ length: 200 }, report);
                return [reports, randomizer.pick(60, 20, draw), randomizer.round(7, 5, draw)];
            });
            return [drawn, starts];
        }""",
        table,
    )
    words = stream("thirsty")
    reports = [str(int(accepted(words, half) == half - 1)) for _ in range(200)]
    picked = write.picked(60, 20, write.from_words(words))
    assert drawn == [reports, picked, 1 + (accepted(words, 5) < 2)]
    assert starts == 6


def test_what_runs_out_is_started_again_even_if_it_hides_that(device):
    keep(device)
    hiding = DRAWN.format("""{
        const words = [];
        try { for (let i = 0; i < count; i += 1) words.push(draw()); } catch { words.push(null); }
        return words;
    }""")
    words = stream("hiding")
    assert device.evaluate(hiding, ["hiding", 500]) == [next(words) for _ in range(500)]


def test_what_throws_for_a_reason_of_its_own_is_not_started_again(device):
    keep(device)
    device.evaluate("globalThis.starts = 0")
    failing = DRAWN.format("{ starts += 1; draw(); throw new Error('of its own'); }")
    with pytest.raises(Error, match="of its own"):
        device.evaluate(failing, ["failing", 0])
    assert device.evaluate("starts") == 1


def test_the_same_answer_gives_the_same_report_fifty_times_over_and_after_reloads(device):
    device.evaluate("waves.remember('smoking')")
    spec = audit.AUDITED["subset_selection(16, odds=3)"]
    table = audit.as_page(spec)
    given = [["party", table, 5], table, 5]
    reports = []
    for _ in range(5):
        reports += [device.evaluate(REPORT, given) for _ in range(10)]
        device.reload()
        device.evaluate("waves.remember('smoking')")
    assert len(reports) == 50
    assert len(set(reports)) == 1


@pytest.mark.plain
def test_an_answer_that_returns_brings_back_its_report(device):
    keep(device)
    waves = [["smokes", COIN, row] for row in (0, 1, 0, 1)]
    words = [device.evaluate(WORDS, [context, 8]) for context in waves]
    assert words[0] == words[2] != words[1] == words[3]


# The information in a first report.

# One device after another: the report to a question, and those with another name, table, answer or
# secret. It counts each combination of five.
DEVICES = """async ([count, table, other, row]) => {
    const counts = {};
    for (let device = 0; device < count; device += 1) {
        waves.remember('smoking');
        waves.remember('drinking');
        const report = (series, name, table, row) => waves.drawing(
            series, [name, table, row], (draw) => randomizer.report(table, row, draw));
        const reports = (await Promise.all([
            report('smoking', 'smokes', table, row),
            report('smoking', 'drinks', table, row),
            report('smoking', 'smokes', other, row),
            report('smoking', 'smokes', table, 1 - row),
            report('drinking', 'smokes', table, row),
        ])).join('');
        counts[reports] = (counts[reports] ?? 0) + 1;
        waves.forget('smoking');
        waves.forget('drinking');
    }
    return counts;
}"""
TWELVE, LATER = {"rows": [[9, 3], [3, 9]]}, {"rows": [[8, 4], [4, 8]]}
CHANGES = ("name", "table", "answer", "secret")


def devices(device: Page, row: int, count: int) -> np.ndarray:
    """Counts by the five reports."""
    found = np.zeros((2,) * 5)
    for reports, often in device.evaluate(DEVICES, [count, TWELVE, LATER, row]).items():
        found[tuple(map(int, reports))] = often
    assert found.sum() == count
    return found


@pytest.mark.slow
@soak
@pytest.mark.parametrize("row", [0, 1])
def test_over_secrets_reports_are_as_frequent_as_the_table_says_and_independent(device, row):
    """Ten comparisons.

    20,000 devices detect an error of 0.042 in a probability, and the suite's 5,000 one of 0.084
    (`smallest_seen`). With the same words, two reports would always depend on each other. A false
    alarm is equally rare with both (1e-9).
    """
    counts = devices(device, row, length(5_000, 20_000))
    rows = [TWELVE["rows"][row]] * 5
    rows[2], rows[3] = LATER["rows"][row], TWELVE["rows"][1 - row]
    for place, chances in enumerate(rows):
        others = tuple(axis for axis in range(5) if axis != place)
        assert misfit(chances, counts.sum(axis=others).astype(int).tolist()) > ALPHA / 10
    for place, change in enumerate(CHANGES, start=1):
        others = tuple(axis for axis in range(1, 5) if axis != place)
        assert dependence(counts.sum(axis=others)) > ALPHA / 10, change
    assert dependence(counts.reshape(2, 16)) > ALPHA / 10, "on the other four together"


@pytest.mark.slow
@soak
def test_over_many_secrets_the_coin_flip_is_the_coin_flip(device):
    """Two comparisons.

    100,000 secrets detect an error of 0.017 in a probability, and the suite's 25,000 one of 0.034.
    A false alarm has probability 1e-9.
    """
    secrets = length(25_000, 100_000)
    counts = device.evaluate(
        """async ([count, table]) => {
            const counts = [[0, 0], [0, 0]];
            for (let device = 0; device < count; device += 1) {
                waves.remember('smoking');
                const both = await Promise.all([0, 1].map((row) => waves.drawing('smoking',
                    ['smokes', table, row], (draw) => randomizer.report(table, row, draw))));
                both.forEach((report, row) => { counts[row][report] += 1; });
                waves.forget('smoking');
            }
            return counts;
        }""",
        [secrets, COIN],
    )
    for row, found in zip(COIN["rows"], counts, strict=True):
        assert sum(found) == secrets
        assert misfit(row, found) > ALPHA / 2, found


def test_why_the_table_is_in_the_context_two_tables_on_the_same_words_give_the_answer_away(device):
    """The control of the test above: without the table, Yes and then No comes from Yes alone."""
    found = {}
    for left_out in (True, False):
        found[left_out] = device.evaluate(
            """async ([tables, leftOut]) => {
                const seen = [new Set(), new Set()];
                for (let device = 0; device < 1000; device += 1) {
                    waves.remember('smoking');
                    for (const row of [0, 1]) {
                        const reports = await Promise.all(tables.map((table) => waves.drawing(
                            'smoking', leftOut ? ['smokes', row] : ['smokes', table, row],
                            (draw) => randomizer.report(table, row, draw))));
                        seen[row].add(reports.join(''));
                    }
                    waves.forget('smoking');
                }
                return seen.map((reports) => [...reports].sort());
            }""",
            [[TWELVE, LATER], left_out],
        )
    # The rarest pair has probability 1/12. It is missing in 1,000 devices with probability 2e-38.
    assert found[True] == [["00", "01", "11"], ["00", "10", "11"]]
    assert found[False] == [["00", "01", "10", "11"]] * 2


# Averaging.

WAVES, PEOPLE, CHOICES = 50, 1_200, 5


def hits(table: Randomizer, reports: np.ndarray) -> np.ndarray:
    """Which respondents an attacker identifies correctly, by maximum likelihood."""
    logs = np.log(np.array(table.rows, dtype=float))
    counts = (reports[:, :, None] == np.arange(CHOICES)).sum(axis=1)
    guessed = (counts @ logs.T).argmax(axis=1)
    return guessed == np.arange(len(reports)) % CHOICES


@pytest.mark.slow
def test_averaging_over_fifty_waves_learns_what_one_wave_tells_and_without_waves_all(device):
    """Constant answers in 50 waves, respondent i with choice i mod 5, at epsilon 1."""
    privacy = {"mechanism": "k_randomized_response", "epsilon": 1}
    table = build_randomizer(privacy, "choices", CHOICES)
    assert isinstance(table, Randomizer)
    reported = device.evaluate(
        """async ([table, people, waveCount, choices]) => {
            const all = { remembered: [], fresh: [] };
            const numbers = Array.from({ length: waveCount });
            for (let i = 0; i < people; i += 1) {
                const row = i % choices;
                waves.remember('smoking');
                const reports = numbers.map(() => waves.drawing('smoking', ['party', table, row],
                    (draw) => randomizer.report(table, row, draw)));
                all.remembered.push((await Promise.all(reports)).map(Number));
                all.fresh.push(numbers.map(() => Number(randomizer.report(table, row))));
                waves.forget('smoking');
            }
            return all;
        }""",
        [{"rows": table.rows}, PEOPLE, WAVES, CHOICES],
    )
    remembered, fresh = np.array(reported["remembered"]), np.array(reported["fresh"])
    assert remembered.shape == fresh.shape == (PEOPLE, WAVES)
    assert (remembered == remembered[:, :1]).all(), "one report each"
    after_one, after_all = hits(table, remembered[:, :1]), hits(table, remembered)
    assert (after_all == after_one).all()
    # One report gives 40 % of the hits, within six standard deviations (2e-9).
    chance = float(table.probability(0, 0))
    assert chance == pytest.approx(0.4, abs=0.01)
    assert abs(after_all.mean() - chance) < 6 * np.sqrt(chance * (1 - chance) / PEOPLE)
    # If each wave draws again, the attack succeeds: 98 %; at most 94 % with probability 1e-12.
    assert abs(hits(table, fresh[:, :1]).mean() - chance) < 0.1
    assert hits(table, fresh).mean() > 0.94


# Stored data.


def test_all_that_is_stored_is_one_secret_of_256_bits(device):
    device.evaluate("waves.remember('smoking')")
    for row in (0, 1):
        device.evaluate(REPORT, [["smokes", COIN, row], COIN, row])
    found = stored(device)
    assert list(found) == [KEY]
    assert len(bytes.fromhex(found[KEY])) == 32
    assert found[KEY] == found[KEY].lower()
    assert device.evaluate("sessionStorage.length") == 0
    assert device.evaluate("indexedDB.databases()") == []
    assert device.evaluate("caches.keys()") == []
    assert device.context.cookies() == []


def test_drawing_writes_nothing(device):
    device.evaluate("waves.remember('smoking')")
    before = stored(device)
    device.evaluate("""() => {
        globalThis.written = [];
        for (const name of ['setItem', 'removeItem', 'clear']) {
            Storage.prototype[name] = (...given) => { written.push([name, ...given]); };
        }
    }""")
    for row in (0, 1):
        device.evaluate(REPORT, [["smokes", COIN, row], COIN, row])
    assert device.evaluate("written") == []
    assert stored(device) == before
    device.evaluate("waves.forget('smoking')")
    assert device.evaluate("written") == [["removeItem", KEY]], "the watch works"


def test_remembering_twice_keeps_the_first_and_forgetting_removes_it(device):
    device.evaluate("localStorage.setItem('of something else', '1')")
    assert device.evaluate("waves.known('smoking')") is False
    device.evaluate("waves.forget('smoking')")
    device.evaluate("waves.remember('smoking')")
    first = stored(device)[KEY]
    device.reload()
    device.evaluate("waves.remember('smoking')")
    assert stored(device)[KEY] == first
    assert device.evaluate("waves.known('smoking')") is True
    assert device.evaluate("waves.known('smoking-2')") is False
    device.evaluate("waves.forget('smoking')")
    assert device.evaluate("waves.known('smoking')") is False
    assert stored(device) == {"of something else": "1"}
    device.evaluate("waves.remember('smoking')")
    assert stored(device)[KEY] != first


def test_each_series_has_a_secret_of_its_own(device):
    device.evaluate("waves.remember('smoking'); waves.remember('drinking')")
    found = stored(device)
    assert found.keys() == {KEY, "candor series drinking"}
    assert len(set(found.values())) == 2
    device.evaluate("waves.forget('drinking')")
    assert stored(device) == {KEY: found[KEY]}


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n"])
def test_what_is_no_secret_is_not_taken_for_one(device, text):
    """A script of another tool, or a person, wrote it: no draw uses it."""
    keep(device, text)
    assert device.evaluate("waves.known('smoking')") is False
    with pytest.raises(Error, match="There is no secret"):
        device.evaluate(WORDS, ["any", 1])
    device.evaluate("waves.remember('smoking')")
    assert device.evaluate("waves.known('smoking')") is True
    assert stored(device)[KEY] != text


def test_the_secret_is_what_the_secure_generator_gave_and_nothing_else(page, live):
    page.add_init_script("""
        globalThis.asked = [];
        let next = 0;
        Math.random = () => { asked.push('Math.random'); return 0; };
        crypto.randomUUID = () => { asked.push('randomUUID'); return ''; };
        crypto.getRandomValues = (array) => {
            asked.push(array.length * array.BYTES_PER_ELEMENT);
            for (let i = 0; i < array.length; i += 1) array[i] = next++;
            return array;
        };
    """)
    visit(page, live)
    assert page.evaluate("asked") == []
    page.evaluate("waves.remember('smoking')")
    assert stored(page) == {KEY: SECRET.hex()}
    assert page.evaluate("asked") == [16, 16]
    page.evaluate(WORDS, [["smokes", COIN["rows"], 0], 100])
    assert page.evaluate("asked") == [16, 16], "drawing takes no randomness but the secret"


# Missing features.


def test_without_a_secret_nothing_is_drawn(device):
    with pytest.raises(Error, match="There is no secret"):
        device.evaluate(WORDS, ["any", 1])
    assert stored(device) == {}


def inline(page: Page, address: str, **headers: str) -> None:
    """Both scripts in a page with any address, without a server."""
    sources = [
        (ROOT / "static" / "respondent" / name).read_text(encoding="utf-8") for name in SCRIPTS
    ]
    body = "<!doctype html><title>Waves</title>" + "".join(
        f"<script>{source}</script>" for source in sources
    )
    page.route(
        address, lambda route: route.fulfill(body=body, content_type="text/html", headers=headers)
    )
    page.goto(address)


def test_on_a_page_that_is_not_secure_it_throws_and_stores_nothing(page):
    inline(page, "http://survey.example/wave")
    assert page.evaluate("isSecureContext") is False
    assert page.evaluate("waves.known('smoking')") is False
    with pytest.raises(Error, match="No WebCrypto"):
        page.evaluate("waves.remember('smoking')")
    assert stored(page) == {}
    keep(page)
    with pytest.raises(Error, match="No WebCrypto"):
        page.evaluate(WORDS, ["any", 1])


def test_where_storage_is_blocked_it_throws_and_knows_nothing(page, live):
    """A sandboxed page has no storage, like a browser that blocks site data."""
    inline(page, f"{live.url}/wave", **{"Content-Security-Policy": "sandbox allow-scripts"})
    assert page.evaluate("Boolean(crypto.subtle)"), "that is not what is missing"
    assert page.evaluate("waves.known('smoking')") is False
    for call in ("remember('smoking')", "forget('smoking')", "drawing('smoking', 1, () => 1)"):
        with pytest.raises(Error, match="SecurityError"):
            page.evaluate(f"waves.{call}")


def test_where_storage_is_full_it_throws(device):
    device.evaluate("""() => {
        let size = 2 ** 22;
        for (let n = 0; size >= 1; n += 1) {
            try { localStorage.setItem(`full ${n}`, 'x'.repeat(size)); } catch { size /= 2; }
        }
    }""")
    with pytest.raises(Error, match="QuotaExceededError"):
        device.evaluate("waves.remember('smoking')")
    assert device.evaluate("waves.known('smoking')") is False


def test_where_storage_forgets_at_once_it_throws(device):
    device.evaluate("() => { Storage.prototype.setItem = () => {}; }")
    with pytest.raises(Error, match="could not be stored"):
        device.evaluate("waves.remember('smoking')")


def test_without_secure_randomness_there_is_no_secret(page, live):
    page.add_init_script("delete Crypto.prototype.getRandomValues")
    visit(page, live)
    with pytest.raises(Error, match="No secure randomness"):
        page.evaluate("waves.remember('smoking')")
    assert stored(page) == {}


def test_nobody_can_change_what_it_does(device):
    assert device.evaluate("Object.isFrozen(waves)")
    assert sorted(device.evaluate("Object.keys(waves)")) == [
        "drawing", "forget", "known", "remember"
    ]  # fmt: skip
