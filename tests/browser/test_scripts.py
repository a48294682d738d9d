"""The served scripts: they parse, they are the files of the tree, and use only allowed means.

This is part of `make lint` and therefore fast. Chromium is the parser, so nothing else must be
installed.
"""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.javascript import code
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

STATIC = ROOT / "static"
RESPONDENT = STATIC / "respondent"
SCRIPTS = sorted(STATIC.rglob("*.js"))
RANDOMIZER, WAVES = RESPONDENT / "randomizer.js", RESPONDENT / "waves.js"
SENDER, LANGUAGE = RESPONDENT / "sender.js", RESPONDENT / "language.js"
# A script must be readable in one sitting.
MOST_LINES, MOST_CHARACTERS = 130, 100

# Other randomness, text that becomes markup or code, storage, and other ways to send data.
FORBIDDEN = [
    "Math.random",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "localStorage",
    "indexedDB",
    "document.cookie",
    "navigator.sendBeacon",
    "XMLHttpRequest",
    "WebSocket",
    "import(",
]
# For the secret of a series, for the page in another language, and for a researcher's drafts. Tests
# below check that these have no other use.
# A researcher's texts, without answers.
LEARN = STATIC / "learn" / "learn.js"
CLASS = STATIC / "admin" / "class.js"
DRAFTS = STATIC / "admin" / "builder" / "drafts.js"
ALLOWED = {
    WAVES: {"localStorage"},
    LANGUAGE: {"XMLHttpRequest"},
    DRAFTS: {"localStorage"},
    LEARN: {"XMLHttpRequest"},
    CLASS: {"XMLHttpRequest"},
}


def name_of(path: Path) -> str:
    """The path in static/. A respondents' script and a researchers' one may share a name."""
    return path.relative_to(STATIC).as_posix()


each_script = check_each("path", SCRIPTS, ids=name_of)


@pytest.fixture(scope="module")
def syntax_error(browser) -> Iterator[Callable[[str], str | None]]:
    """Chromium's error for a script, which is compiled like the page's scripts, but not run."""
    context = browser.new_context()
    session = context.new_cdp_session(context.new_page())
    session.send("Runtime.enable")

    def compiled(text: str) -> str | None:
        options = {"expression": text, "sourceURL": "", "persistScript": False}
        answer = session.send("Runtime.compileScript", options)
        if "exceptionDetails" not in answer:
            return None
        return answer["exceptionDetails"]["exception"]["description"]

    yield compiled
    context.close()


def test_there_are_scripts_to_look_at():
    names = {"randomizer.js", "questions.js", "respond.js"}
    assert {*map(name_of, SCRIPTS)} >= {f"respondent/{name}" for name in names}


@pytest.mark.plain
@each_script
def test_it_parses(syntax_error, path):
    assert syntax_error(path.read_text(encoding="utf-8")) is None


@pytest.mark.plain
def test_the_script_of_surveys_parses(syntax_error, client):
    """Two of its sources could declare the same name."""
    assert syntax_error(client.get("/static/respondent/survey.js").data.decode()) is None


@check_each(
    "broken",
    ["const = 1;", "'use strict'; with (a) b();", "return 1;", "import x from './x.js';", "if ("],
)
@pytest.mark.plain
def test_what_is_no_strict_script_does_not_parse(syntax_error, broken):
    assert "SyntaxError" in syntax_error(broken)


@each_script
def test_it_begins_with_what_it_is_for_and_then_turns_strict(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    header = next(i for i, line in enumerate(lines) if not line.startswith("// ") and line != "//")
    assert header >= 2, "a header comment of two lines or more"
    assert lines[header] == "'use strict';"


@each_script
def test_it_uses_none_of_the_forbidden_means(path):
    text = path.read_text(encoding="utf-8")
    used = {means for means in FORBIDDEN if means in text}
    assert used == ALLOWED.get(path, set())


@each_script
def test_no_text_in_it_holds_two_slashes(path):
    """`code` therefore removes only comments."""
    for line in path.read_text(encoding="utf-8").splitlines():
        before = line.split("//")[0]
        assert all(before.count(quote) % 2 == 0 for quote in "'\"`") or "//" not in line, line


@each_script
def test_no_line_is_too_long_to_read(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > MOST_CHARACTERS] == []


def test_the_randomizer_is_short_enough_to_read_in_one_sitting():
    assert len(RANDOMIZER.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_the_randomizer_knows_no_page_no_network_no_storage_no_clock_and_no_other_file():
    others = (
        "import|export|require|document|window|self|fetch|navigator|location|history|postMessage|"
        "sessionStorage|caches|Worker|Date|performance|setTimeout|setInterval"
    )
    assert re.findall(rf"\b(?:{others})\b", code(RANDOMIZER.read_text(encoding="utf-8"))) == []


def test_the_randomizer_takes_one_thing_from_the_browser_and_that_is_get_random_values():
    text = code(RANDOMIZER.read_text(encoding="utf-8"))
    assert re.findall(r"globalThis\b[^;\s]*", text) == ["globalThis.crypto"]
    assert len(re.findall(r"\bcrypto\b", text)) == 1
    # Its only name is `source`, and no other function is called on it.
    assert set(re.findall(r"\bsource\b\S*?\.(\w+)", text)) == {"getRandomValues"}
    assert set(re.findall(r"\w*random\w*", text, re.IGNORECASE)) - {"randomness"} == {
        "randomizer",
        "randomize",
        "getRandomValues",
    }


def test_the_other_scripts_have_no_randomness_but_that_of_the_randomizer():
    means = re.compile(r"\bcrypto\b|getRandomValues|randomUUID|subtle")
    for path in SCRIPTS:
        if path not in (RANDOMIZER, WAVES, SENDER):
            assert means.findall(path.read_text(encoding="utf-8")) == [], path.name


def test_waves_take_from_the_browser_one_entry_of_storage_and_hmac():
    text = code(WAVES.read_text(encoding="utf-8"))
    kept = re.findall(r"\blocalStorage\b(?:\.(\w+)\(key\(series\))?", text)
    assert sorted(kept) == ["getItem", "removeItem", "setItem"]
    assert set(re.findall(r"\bcrypto\b\S*?\.(\w+)", text)) == {"subtle"}
    assert set(re.findall(r"\bsubtle\.(\w+)", text)) == {"importKey", "sign"}
    assert set(re.findall(r"\w*random\w*\S*?\.(\w+)", text, re.IGNORECASE)) == {"identifier"}
    others = (
        "document|window|self|fetch|navigator|location|history|postMessage|sessionStorage|caches|"
        "Worker|Date|performance|setTimeout|setInterval|import|export|require"
    )
    assert re.findall(rf"\b(?:{others})\b", text) == []
    assert len(text.splitlines()) <= 110


def test_the_sender_takes_from_the_browser_one_way_of_hashing():
    """For receipts. The hashed secret comes from the randomizer, and so does the id of texts."""
    text = code(SENDER.read_text(encoding="utf-8"))
    assert set(re.findall(r"\bcrypto\b\S*?\.(\w+)", text)) == {"subtle"}
    assert re.findall(r"\bsubtle\.(\w+)", text) == ["digest"]
    assert re.findall(r"\w*random\w*\S*?\.(\w+)", text, re.IGNORECASE) == ["identifier"] * 2
    assert not re.findall(r"getRandomValues|randomUUID", text)


def test_on_a_survey_one_function_sends_and_one_fetches_a_page():
    """All requests use these two functions, and only the first one sends data.

    The others are on pages without answers.
    """
    ways = {}
    for path in SCRIPTS:
        text = code(path.read_text(encoding="utf-8"))
        found = re.findall(r"\bfetch\(|\bnew XMLHttpRequest\b|\bsendBeacon\b|\.send\([^)]*\)", text)
        if found:
            ways[name_of(path)] = found
    assert ways == {
        "admin/builder/builder.js": ["fetch("],
        "admin/class.js": ["new XMLHttpRequest", ".send(new FormData(form)"],
        "admin/progress.js": ["fetch("],
        "learn/learn.js": ["new XMLHttpRequest", ".send()"],
        "respondent/post.js": ["fetch("],
        "respondent/language.js": ["new XMLHttpRequest", ".send()"],
        "respondent/respond.js": [".send(sending.body, say)"],  # the sender's
    }
    language = code(LANGUAGE.read_text(encoding="utf-8"))
    assert re.findall(r"\brequest\.(?:open|setRequestHeader)\b.*", language) == [
        "request.open('GET', address);"
    ]
    assert re.findall(r"\bfetched\(([^)]*)\)", language) == ["address", "link.href"]


def test_what_a_tab_keeps_is_written_in_one_place():
    """Only the sender writes to sessionStorage, and the exit empties it.

    The other two are on researchers' pages, which have no answers.
    """
    used = {}
    for path in SCRIPTS:
        found = re.findall(
            r"\bsessionStorage\b(?:\.(\w+))?", code(path.read_text(encoding="utf-8"))
        )
        if found:
            used[name_of(path)] = found
    assert used == {
        "respondent/sender.js": ["getItem", "setItem", "removeItem"],
        "respondent/leave.js": ["", "removeItem"],
        "admin/builder/restore.js": ["getItem", "removeItem", "setItem"],
        "admin/builder/drafts.js": ["removeItem"],
    }


def test_what_a_browser_keeps_of_a_draft_is_written_under_its_own_name_on_researchers_pages_alone():
    text = code(DRAFTS.read_text(encoding="utf-8"))
    kept = re.findall(r"\blocalStorage\b(?:\.(\w+))?", text)
    assert kept == ["getItem", "setItem", "removeItem", ""]
    assert "Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))" in text
    respondents = (ROOT / "templates" / "respondent").glob("*.html")
    assert not [path for path in respondents if "builder" in path.read_text(encoding="utf-8")]


def test_the_other_scripts_use_of_the_randomizer_what_it_gives():
    text = RANDOMIZER.read_text(encoding="utf-8")
    given = set(re.search(r"Object\.freeze\(\{ (.*) \}\)", text)[1].split(", "))
    used = set()
    for path in SCRIPTS:
        used |= set(re.findall(r"\brandomizer\.(\w+)", code(path.read_text(encoding="utf-8"))))
    assert used <= given
    assert given - used == {"check", "epsilon"}, "which are for audits"


@each_script
def test_it_is_served_byte_for_byte(client, path):
    with client.get(f"/static/{name_of(path)}") as reply:
        assert (reply.status_code, reply.mimetype) == (200, "text/javascript")
        assert reply.data == path.read_bytes()


def test_the_respondents_page_names_script_and_style_by_their_hashes_and_has_no_other(
    client, store
):
    opened(store, definition())
    page = client.get("/s/health").get_data(as_text=True)
    scripts = re.findall(r"<script\b([^>]*)>(.*?)</script>", page, re.DOTALL)
    served, data = scripts[:-1], scripts[-1]
    assert [content.strip() for _, content in served] == [""], "no script within the page"
    # Its sources are in tests/server/test_static_files.py.
    styles = re.findall(r'<link rel="stylesheet"([^>]*)>', page)
    for [attributes], name in (
        ([served[0][0]], "respondent/survey.js"),
        (styles, "style.css"),
    ):
        assert re.search(r'(?:src|href)="([^"]+)"', attributes)[1] == f"/static/{name}"
        digest = hashlib.sha384(client.get(f"/static/{name}").data).digest()
        integrity = re.search(r'integrity="([^"]+)"', attributes)[1]
        assert integrity == f"sha384-{b64encode(digest).decode()}"
    assert 'type="application/json"' in data[0], "the last one is data, which nothing runs"
    json.loads(data[1])
