"""Leaving from each section of a survey: Back and Forward then find no word of it.

Both the page before the survey and the other site belong to the test. The visitor leaves from each
section with the button or with Shift three times, presses Back twice, and then Forward until the
end of the history.
"""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.definitions import definition, opened, yes_no
from tests.support.engines import Chromium, Engine, Firefox
from tests.support.servers import Live
from tools.engines import firefox

TITLE, INTRODUCTION = "Zebras at night", "Please read about zebras."
LABELS = ("Do you ride zebras?", "Do you feed zebras?")
QUESTIONS = (yes_no("rides", label=LABELS[0]), yes_no("feeds", label=LABELS[1]))
SIZES = ((375, 667), (1280, 800))
# No word of the survey, of the product or of its pages.
WORDS = ("zebra", "candor", "survey", "question", "answer", "leave now", "sensitive")
# All text of a page, also what is hidden, with its title.
TEXT = "() => document.documentElement.textContent + ' ' + document.title"
SHIFT = """() => {
  for (let time = 0; time < 3; time += 1) {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' }));
  }
}"""


class Elsewhere(BaseHTTPRequestHandler):
    """Another site. Its page says its own path, and nothing else."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Rain</title>" + self.path.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def at_the_start(engine: Engine) -> None:
    if engine.shows("#read"):
        engine.press("#read")
    engine.wait_for("#start")


def remembering(engine: Engine) -> None:
    at_the_start(engine)
    engine.press("#begin")
    engine.until(lambda: engine.shows("#remember") or engine.shows("#asking"), "nothing follows")


def asked(engine: Engine) -> None:
    remembering(engine)
    if engine.shows("#remember"):
        engine.press("#remember .choice:last-of-type")
        engine.press("#chosen-wave")
    engine.wait_for("#asking")


def second_question(engine: Engine) -> None:
    asked(engine)
    engine.press("[data-question=rides] .choice")
    if engine.shows("#next"):
        engine.press("#next")
    engine.wait_for("[data-question=feeds]")


def back_at_the_start(engine: Engine) -> None:
    asked(engine)
    engine.travel(-1)
    engine.wait_for("#start")


def reviewed(engine: Engine) -> None:
    second_question(engine)
    engine.press("[data-question=feeds] .choice")
    engine.press("#check")
    engine.wait_for("#review")


def changing(engine: Engine) -> None:
    reviewed(engine)
    engine.press("#chosen button")
    engine.wait_for("#asking")


def unsent(engine: Engine) -> None:
    reviewed(engine)
    engine.call("() => { window.fetch = () => Promise.reject(new Error('no connection')); }")
    engine.press("#send")
    engine.until(lambda: "No connection yet" in engine.text("#progress"), "it was sent")


def done(engine: Engine) -> None:
    reviewed(engine)
    engine.press("#send")
    engine.wait_for("#done")


def done_and_reloaded(engine: Engine) -> None:
    done(engine)
    engine.open(engine.address())
    engine.wait_for("#done")


Way = Callable[[Engine], None]
EVERYWHERE: tuple[Way, ...] = (
    lambda engine: engine.wait_for("#consent"),
    at_the_start, remembering, asked, second_question, back_at_the_start, reviewed, changing,
    unsent, done, done_and_reloaded,
)  # fmt: skip


def leave_and_search(engine: Engine, address: str, elsewhere: str, go: Way, shift: bool) -> None:
    """Visit, leave, press Back and Forward. The history holds only pages of other sites, and an
    empty one."""
    engine.open(f"{elsewhere}/before")
    engine.open(address)
    go(engine)
    if shift:
        engine.call(SHIFT)
    else:
        engine.press("#leave")
    engine.until(lambda: engine.address() == f"{elsewhere}/exit", "it did not leave")
    found = [engine.address().removeprefix(elsewhere)]
    for steps in (-1, 1, 1, -1, -1):
        engine.travel(steps)
        text = engine.call(TEXT).lower()
        assert not [word for word in WORDS if word in text], (go.__name__, text)
        found.append(engine.address().removeprefix(elsewhere))
    assert found[:3] == ["/exit", "/before", "/exit"], go.__name__
    assert found[3] in (f"{address.split('/s/')[0]}/blank", "/exit"), go.__name__


def survey_of(live: Live, elsewhere: str, layout: str) -> str:
    """The address of an open survey with every section."""
    content = definition(
        *QUESTIONS, slug=layout.replace("_", "-"), title=TITLE, introduction=INTRODUCTION,
        introduction_in_full=True, series="herd", layout=layout, exit=f"{elsewhere}/exit",
        receipts=True, title_in_history=True,
    )  # fmt: skip
    opened(live.store, content)
    return f"{live.url}/s/{content['slug']}"


@pytest.mark.parametrize("go", [second_question, reviewed, done])
def test_after_leaving_back_and_forward_find_nothing(live: Live, browser: Browser, elsewhere, go):
    address = survey_of(live, elsewhere, "one_at_a_time")
    with Chromium(browser) as engine:
        leave_and_search(engine, address, elsewhere, go, False)
        assert engine.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
def test_from_every_section_in_chromium(live: Live, browser: Browser, elsewhere, size):
    addresses = [
        survey_of(live, elsewhere, layout) for layout in ("one_at_a_time", "all_on_one_page")
    ]
    for number, go in enumerate(EVERYWHERE):
        with Chromium(browser) as engine:
            engine.resize(*size)
            shift = number % 2 == 0
            leave_and_search(engine, addresses[number % 2], elsewhere, go, shift)
            leave_and_search(engine, addresses[1 - number % 2], elsewhere, go, not shift)
            assert engine.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
def test_from_every_section_in_firefox(live: Live, elsewhere, tmp_path: Path, size):
    program = firefox()
    if program is None:
        pytest.skip("Firefox is not installed.")
    address = survey_of(live, elsewhere, "one_at_a_time")
    with Firefox(program, tmp_path / "profile") as engine:
        engine.resize(*size)
        for number, go in enumerate(EVERYWHERE):
            leave_and_search(engine, address, elsewhere, go, number % 2 == 0)
        assert engine.problems == []


def test_the_page_that_stays_is_empty_and_the_same_for_everyone(client):
    replies = [
        client.get("/blank", headers={"Accept-Language": language}) for language in ("en", "th")
    ]
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.data for reply in replies}) == 1
    text = replies[0].text.lower()
    assert not [word for word in WORDS if word in text]
    assert "href" not in text and "src" not in text
    assert "<title></title>" in text and "<body></body>" in text
