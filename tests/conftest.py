"""What the tests share: an application on a fresh database, a real server, a real browser."""

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import hypothesis
import numpy
import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from werkzeug.serving import make_server

from app import create_app
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.store import OWNER, Account, Session, Store
from survey.web import auth
from tests.support.cheaper import migrated
from tests.support.postgresql import PROGRAMS, Cluster, cluster
from tests.support.stores import is_postgresql
from tools.browser import light

# the same examples in each run, however slow the machine
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
hypothesis.settings.load_profile("steady")
ROOT = Path(__file__).parent.parent
PASSWORD = "correct horse battery staple"


# the servers and commands that tests start are compiled once, also where that is switched off
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
gc.disable()  # until all tests are collected: nothing is thrown away before, and it took a third


def pytest_collection_finish() -> None:
    """What is there by now stays, so that it need not be searched for garbage again."""
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: most tests wait now and then, for a browser or a server
    of their own."""
    return (os.cpu_count() or 1) + 1


def pytest_report_header() -> str:
    return f"numpy {numpy.__version__}, Chromium {light() or 'not found'}"


def yes_no(name: str = "smokes", privacy: object = None, label: str = "Do you smoke?") -> dict:
    return {
        "name": name,
        "type": "yes_no",
        "label": label,
        "privacy": privacy or {"mechanism": "coin_flip"},
    }


def definition(*questions: dict, slug: str = "health", **rest: object) -> dict:
    """A survey whose results show each response at once, unless `batch` says otherwise."""
    return {
        "slug": slug,
        "title": "Health",
        "questions": list(questions) or [yes_no()],
        "batch": 1,
        **rest,
    }


# Limits of an operator who allows more than usual, for tests in which the loss does not matter
WIDE = PrivacyLimits(Fraction("99.9999"), Fraction(1_000))


def opened(
    store: Store, content: dict, state: str = "open", limits: PrivacyLimits = DEFAULT_LIMITS
) -> FrozenSurvey:
    """A survey of this definition, stored and open, or closed to have responses loaded."""
    survey = parse_survey(content)
    frozen = freeze(survey, limits, to_open=state == "open")
    store.save_draft(survey)
    store.freeze(frozen, state)
    return frozen


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of modules marked `both_stores` run on SQLite and on PostgreSQL, but those that are
    marked `sqlite_only`."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    both = "both_stores" in marks and "sqlite_only" not in marks
    if both and "fresh_database" in metafunc.fixturenames:
        other = pytest.param("postgresql", marks=pytest.mark.needs_postgresql)
        metafunc.parametrize("fresh_database", ["sqlite", other], indirect=True)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Cluster]:
    """A PostgreSQL server."""
    if PROGRAMS is None:
        pytest.skip("No PostgreSQL here; tools/postgresql.py says how to get one.")
    with cluster() as made:
        yield made


@pytest.fixture
def fresh_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh database: a file of SQLite, unless the test runs on both."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield str(tmp_path / "candor.db")
        return
    with request.getfixturevalue("postgresql_server").database("template") as address:
        yield address


@pytest.fixture
def settings(fresh_database: str) -> Settings:
    return Settings(
        database=fresh_database,
        host="127.0.0.1",
        port=8000,
        url="http://127.0.0.1:8000",
        secret_key="k" * 64,
        proxies=0,
        demo=False,
    )


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    database = Path(settings.database)
    if not is_postgresql(settings.database) and not database.exists():
        database.write_bytes(migrated())
    app = create_app(settings)
    app.load_routes()
    app.config["TESTING"] = True
    auth.limiter.reset()
    yield app
    app.extensions["candor.store"].close()


@pytest.fixture
def store(app: Flask) -> Store:
    return app.extensions["candor.store"]


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


class Researcher:
    """A signed-in researcher over HTTP; fetches the CSRF token that each form needs."""

    def __init__(self, client: FlaskClient):
        self.client = client

    def token(self, path: str) -> str:
        page = self.client.get(path).get_data(as_text=True)
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        assert found, f"no CSRF token on {path}"
        return found[1]

    def post(self, path: str, data: dict | None = None, form: str | None = None):
        """Post with the token of the page that holds the form (the path itself by default)."""
        token = self.token(form or path)
        return self.client.post(path, data={**(data or {}), "csrf_token": token})


@cache
def password_hash() -> str:
    """Of PASSWORD; made once, since it is made to be slow."""
    return auth.hash_password(PASSWORD)


def signed_in(app: Flask, name: str = "ada", role: str = OWNER) -> Researcher:
    """A researcher with an account and a session; tests/admin/test_routes.py signs in by the
    form."""
    store, now = app.extensions["candor.store"], int(time.time())
    store.add_account(Account(name, role, password_hash()))
    store.add_session(auth.token_hash_hex(name), Session(name, created=now, seen=now))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = name
    return Researcher(client)


@pytest.fixture
def researcher(app: Flask) -> Researcher:
    return signed_in(app)


@dataclass(frozen=True)
class Live:
    """An application that answers on a real port."""

    url: str
    store: Store


@pytest.fixture
def live(app: Flask) -> Iterator[Live]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    # it looks so often, in seconds, whether it is to end
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Live(f"http://127.0.0.1:{server.server_port}", app.extensions["candor.store"])
    server.shutdown()
    thread.join()
    server.server_close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(
    database: Path, program: str = "app", under: Sequence[str] = (), **environment: str
) -> Iterator[tuple[str, subprocess.Popen, str]]:
    """The real server in a process group of its own: its address, the process, its greeting. It may
    run under another command."""
    port = free_port()
    env = {
        **os.environ,
        "CANDOR_DATABASE": str(database),
        "PORT": str(port),
        "CANDOR_URL": "",
        **environment,
    }
    command = [*under, sys.executable, "-m", "flask", "--app", program, "serve"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with greeted(process, f"http://127.0.0.1:{port}") as started:
        yield started


@contextmanager
def greeted(process: subprocess.Popen, address: str) -> Iterator[tuple[str, subprocess.Popen, str]]:
    """A server that has just been started, once it has said where to sign in, and answers."""
    try:
        assert process.stdout is not None
        greeting = ""
        for line in process.stdout:
            greeting += line
            if "/admin/" in line:
                break
        wait_for(address)
        yield address, process, greeting
    finally:
        stop(process)


def stop(process: subprocess.Popen, how: int = signal.SIGTERM) -> None:
    """End the whole process group, then what it printed is closed."""
    for last in (how, signal.SIGKILL):
        try:
            os.killpg(process.pid, last)
        except ProcessLookupError:
            break
        try:
            process.wait(10)
            break
        except subprocess.TimeoutExpired:
            continue
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # a worker that outlived its parent
    process.wait()
    if process.stdout:
        process.stdout.close()


def wait_for(address: str, seconds: float = 60) -> None:
    """Until the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    raise TimeoutError(f"{address} did not answer within {seconds} s")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=light())
    yield browser
    browser.close()


@pytest.fixture
def page(live: Live, browser: Browser) -> Iterator[Page]:
    """A page that is gone before the server is; script errors and refusals fail the test."""
    context = browser.new_context()
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.expected_problems = []  # a test adds texts of errors that it provokes
    yield page
    context.close()
    unexpected = [p for p in problems if not any(e in p for e in page.expected_problems)]
    assert not unexpected, unexpected


def begin(page: Page) -> None:
    """From the start to the questions."""
    page.get_by_role("button", name="I agree: start").click()
    page.locator("#asking:visible").wait_for()


def start(page: Page, address: str) -> None:
    """Open a survey and go on to its questions."""
    page.goto(address)
    begin(page)


def answer(page: Page, *choices: str) -> None:
    """Choose these labels, one for each question in order; from the start, if need be."""
    page.locator("#start:visible, #asking:visible").wait_for()
    if page.locator("#start").is_visible():
        begin(page)
    for fieldset, choice in zip(page.locator("#answers fieldset").all(), choices, strict=True):
        fieldset.get_by_text(choice, exact=True).click()


def send(page: Page) -> None:
    """From the answered questions through the review to the end."""
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
