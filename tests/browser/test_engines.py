"""The respondent's flows in three engines: Chromium's, Firefox's and WebKit's.

Each visit goes through every type of question in one language: start, practice, answers, review, a
change, sending, the receipt, the withdrawal, and "Leave now". The visit presses with the mouse and
types on the keyboard of each browser. All other tests of pages run in Chromium alone.

The last tests search what Firefox leaves on the disk after it is killed. What Firefox saves of an
ordinary form shows that the search can find something.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from survey.core.languages import LANGUAGES
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.support.definitions import definition, opened, yes_no
from tests.support.engines import QUIET, Chromium, Engine, Firefox, WebKit
from tests.support.every_type import asked, letters
from tests.support.servers import Live
from tools.engines import firefox, webkit

pytestmark = pytest.mark.slow
TYPED_NUMBER = "739184"
TYPED_TEXT = "zqxremark"
CONTENT = definition(
    yes_no() | {"prefer_not_to_say": True},
    asked("party", "select_one", {"epsilon": 1}, choices=letters("abcdefgh")),
    asked("tried", "select_multiple", {"epsilon": 1}, choices=letters("vwxyz")),
    asked("mood", "scale", {"epsilon": 1}, choices=letters("12345")),
    asked("savings", "number", {"epsilon": 1}, min=0, max=1_000_000, step=1),
    asked("cigars", "number", {"epsilon": 1}, min=0, max=40, relevant={"smokes": "yes"}),
    asked("region", "select_one", "none", choices=letters("nesw")),
    asked("town", "select_one", "none", choices=[
        {"name": f"{region}{n}", "label": f"{region}{n}", "relevant": {"region": region}}
        for region in "nesw" for n in range(3)
    ]),
    asked("welcome", "note", label="Now something else."),
    asked("remarks", "text", "none"),
    layout="one_at_a_time",
    receipts=True,
    minutes=3,
)  # fmt: skip
SURVEY = CONTENT | {
    "translations": {
        language: nest_texts(parse_survey(CONTENT).texts)
        for language in LANGUAGES
        if language != "en"
    }
}

Start = Callable[[], AbstractContextManager[Engine]]


@pytest.fixture(params=["chromium", "firefox", "webkit"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Start:
    """Starts a browser with this engine."""
    if request.param == "chromium":
        browser: Browser = request.getfixturevalue("browser")
        return lambda: Chromium(browser)
    if request.param == "firefox":
        return lambda: Firefox(needed(firefox(), "Firefox"), tmp_path / "profile")
    return lambda: WebKit(needed(webkit(), "WebKit"), tmp_path)


def needed(found: Any, name: str) -> Any:
    """What was found of a browser. Skips the test if it is not installed."""
    if found is None:
        pytest.skip(f"{name} is not installed.")
    return found


# The towns that can be seen, and how many of all are chosen
OFFERED = """() => {
  const towns = [...document.querySelectorAll('[data-question=town] .choice')];
  return [towns.filter((each) => each.offsetParent).map((each) => each.textContent.trim()),
    towns.filter((each) => each.querySelector(':checked')).length];
}"""


def answer(engine: Engine) -> None:
    """Answer all questions, one at a time, from the first."""
    for css in (
        "[data-question=smokes] .choice",
        "[data-question=party] .choice:nth-of-type(3)",
        "[data-question=tried] .choice:nth-of-type(2)",
        "[data-question=mood] .choice:nth-of-type(5)",
    ):
        engine.press(css)
        engine.press("#next")
    engine.fill("[data-question=savings] input", TYPED_NUMBER)
    engine.press("#next")
    engine.fill("[data-question=cigars] input", "12")
    engine.press("#next")
    # The second region, and back to the first, which has other towns.
    engine.press("[data-question=region] .choice:nth-of-type(2)")
    engine.press("#next")
    engine.press("[data-question=town] .choice:not([hidden])")
    engine.press("#previous")
    engine.press("[data-question=region] .choice")
    engine.press("#next")
    assert engine.call(OFFERED) == [["n0", "n1", "n2"], 0]
    engine.press("[data-question=town] .choice:nth-of-type(3)")
    engine.press("#next")
    engine.wait_for("[data-question=welcome]")
    engine.press("#next")
    engine.fill("[data-question=remarks] textarea", TYPED_TEXT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_from_the_start_to_leaving(live: Live, start: Start, language: str):
    opened(live.store, SURVEY | {"exit": f"{live.url}/how"})
    with start() as engine:
        engine.open(f"{live.url}/s/health?language={language}")
        engine.wait_for("#start")
        assert engine.call("() => document.documentElement.lang").startswith(language)
        engine.press("details:has(#practice) > summary")
        engine.press("[data-toss='0']")
        engine.until(lambda: engine.text("#tossed"), "the practice says nothing")
        engine.press("#begin")
        engine.wait_for("[data-question=smokes]")
        # Without an answer, the question stays and says why.
        engine.press("#next")
        engine.wait_for("[data-question=smokes] .error")
        answer(engine)
        engine.press("#check")
        engine.wait_for("#review")
        assert TYPED_TEXT in engine.text("#chosen")
        # Change the first answer, which removes a later question.
        engine.press("#chosen button")
        engine.wait_for("[data-question=smokes]")
        engine.press("[data-question=smokes] .choice:nth-of-type(2)")
        while engine.shows("#next"):
            engine.press("#next")
        engine.press("#check")
        engine.wait_for("#review")
        assert engine.call("() => document.querySelectorAll('#chosen .label').length") == 8
        engine.press("#send")
        engine.wait_for("#done")
        body = json.loads(engine.call("() => document.querySelector('#bytes').textContent"))
        assert (body["reports"]["region"], body["reports"]["town"]) == ("0", "02")
        assert body["texts"]["reports"] == {"remarks": TYPED_TEXT}
        assert engine.call("() => document.querySelectorAll(':checked').length") == 0
        assert responses(live) == 1
        engine.press("#usable summary")
        engine.press("#take-back")
        engine.until(lambda: not engine.shows("#usable"), "the receipt stays")
        assert engine.text("#outcome")
        assert responses(live) == 0
        engine.press("#leave")
        engine.until(lambda: engine.address().endswith("/how"), "it did not leave")
        assert engine.problems == []


def responses(live: Live) -> int:
    return sum(live.store.counts.by_question("health").get("smokes", {}).values())


# --- what Firefox leaves on the disk --------------------------------------------------------------

WITNESS = "zqxwitness"
# Firefox saves where a control without an id is on the page, with its state.
A_CONTROL = "xhtml:input"
ADD_FIELD = """(tag, id) =>
  document.body.append(Object.assign(document.createElement(tag), { id }))"""


@pytest.fixture
def fox(tmp_path: Path) -> Iterator[Firefox]:
    """Firefox, which saves its session every half second, not every 15."""
    quick = QUIET | {
        "browser.sessionstore.interval": 500,
        "browser.sessionstore.interval.idle": 500,
    }
    with Firefox(needed(firefox(), "Firefox"), tmp_path / "profile", quick) as started:
        yield started


def kill_once_saved(fox: Firefox) -> None:
    """Wait until Firefox's copy of this page is on the disk, and kill it.

    An additional field shows that the copy is there.
    """
    fox.call(ADD_FIELD, "input", "witness")
    fox.fill("#witness", WITNESS)
    fox.until(lambda: fox.kept(WITNESS), "Firefox saved nothing")
    fox.kill()


def test_after_a_kill_firefox_holds_no_answer(live: Live, fox: Firefox):
    opened(live.store, SURVEY)
    fox.open(f"{live.url}/s/health")
    fox.press("#begin")
    fox.wait_for("[data-question=smokes]")
    answer(fox)
    kill_once_saved(fox)
    for trace in (TYPED_NUMBER, TYPED_TEXT, A_CONTROL):
        assert fox.kept(trace) == []


def test_control_after_a_kill_firefox_holds_an_ordinary_form(live: Live, fox: Firefox):
    fox.open(f"{live.url}/how")
    fox.call(ADD_FIELD, "input", "number")
    fox.call(ADD_FIELD, "textarea", "text")
    fox.fill("#number", TYPED_NUMBER)
    fox.fill("#text", TYPED_TEXT)
    fox.call(ADD_FIELD, "input", "choice")
    # A choice has no id, as in a survey.
    fox.call("""() => Object.assign(document.getElementById('choice'),
      { type: 'radio', className: 'choice', id: '' })""")
    fox.press(".choice")
    kill_once_saved(fox)
    for trace in (TYPED_NUMBER, TYPED_TEXT, A_CONTROL):
        assert fox.kept(trace)
