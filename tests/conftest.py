"""What the tests share: an application on a fresh database, a real server, a real browser."""

import gc
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import numpy
import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from werkzeug.serving import make_server

from app import create_app
from survey.server.clock import Clock, clock
from survey.server.settings import Settings
from survey.store import ANALYST, Account, Store
from survey.web import api_tokens, sign_in_limits
from tests.support.api_programs import Program
from tests.support.cheaper import migrated
from tests.support.postgresql import PROGRAMS, Cluster, cluster
from tests.support.researchers import Researcher, password_hash, signed_in
from tests.support.screen import screen_fault
from tests.support.servers import Live
from tests.support.stores import is_postgresql
from tools.browser import installed, light

# the same examples in each run, however slow the machine
hypothesis.settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("steady")


# the servers and commands that tests start are compiled once, also where that is switched off
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
DAY_SECONDS = 24 * 60 * 60
SHORT_TEST_SECONDS = 10
# The folders of tests are in memory if there is enough of it, because each test waits for the disk
# at each transaction of its database.
MEMORY = Path("/dev/shm")
MIN_MEMORY_BYTES = 2 * 2**30
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MIN_MEMORY_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
gc.disable()  # until all tests are collected: nothing is thrown away before, and it took a third


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folder of the longest tests. If one of them began last, the other processes
    would wait for it."""
    items.sort(key=lambda item: "tests/browser/" not in item.nodeid)


def pytest_collection_finish() -> None:
    """What is there by now stays, so that it need not be searched for garbage again."""
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: most tests wait now and then, for a browser or a server
    of their own."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with a clock that trusts the machine's time.

    A test before it may have set another time. A clock that went back an hour doubts a later time
    for several minutes. In the last seconds before midnight UTC, the test waits for the new day, so
    that a short test has one date from its start to its end.
    """
    left = DAY_SECONDS - time.time() % DAY_SECONDS
    if left < SHORT_TEST_SECONDS:
        time.sleep(left)
    monkeypatch.setattr(clock, "believed", Clock().believed)
    monkeypatch.setattr(clock, "doubted", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options to debug a browser test (CONTRIBUTING.md)."""
    group = parser.getgroup("browser")
    group.addoption("--headed", action="store_true", help="Show the browser.")
    group.addoption("--slowmo", type=int, default=0, help="Milliseconds before each step.")
    group.addoption("--tracing", action="store_true", help="Record pages into test-results/.")


def pytest_report_header() -> str:
    return f"numpy {numpy.__version__}, Chromium {light() or 'not found'}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that need a browser, so that `make test` can leave most of them out."""
    if "playwright" in getattr(item, "fixturenames", ()):
        item.add_marker("browser")


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


def settings_for(database: str) -> Settings:
    return Settings(
        database=database,
        host="127.0.0.1",
        port=8000,
        url="http://127.0.0.1:8000",
        secret_key="k" * 64,
        proxies=0,
    )


@pytest.fixture
def settings(fresh_database: str) -> Settings:
    return settings_for(fresh_database)


@contextmanager
def opened_app(settings: Settings) -> Iterator[Flask]:
    """An application, which is closed after use."""
    database = Path(settings.database)
    if not is_postgresql(settings.database) and not database.exists():
        database.write_bytes(migrated())
    app = create_app(settings)
    app.load_routes()
    app.config["TESTING"] = True
    sign_in_limits.limiter.reset()
    # On a busy machine, an analysis can take more processor time than a request may.
    from survey.web.analyses.background import background_analyses

    with app.app_context():
        analyses = background_analyses()
    analyses.request_seconds = 60.0
    yield app
    analyses.close()
    app.extensions["candor.store"].close()


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    with opened_app(settings) as app:
        yield app


@pytest.fixture
def store(app: Flask) -> Store:
    return app.extensions["candor.store"]


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def researcher(app: Flask) -> Researcher:
    return signed_in(app)


@contextmanager
def listen(app: Flask) -> Iterator[Live]:
    """The application on a real port."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    # it looks so often, in seconds, whether it is to end
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Live(f"http://127.0.0.1:{server.server_port}", app.extensions["candor.store"])
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def live(app: Flask) -> Iterator[Live]:
    with listen(app) as live:
        yield live


@pytest.fixture(scope="module")
def shared_live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server for all tests of a module. They must not change what another one sees."""
    database = tmp_path_factory.mktemp("shared") / "candor.db"
    with opened_app(settings_for(str(database))) as app, listen(app) as live:
        yield live


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright, pytestconfig: pytest.Config) -> Iterator[Browser]:
    # The headless shell has no window to show.
    headed = pytestconfig.getoption("--headed") or bool(os.environ.get("PWDEBUG"))
    if headed and (fault := screen_fault(os.environ)):
        pytest.fail(fault, pytrace=False)
    browser = playwright.chromium.launch(
        executable_path=installed() if headed else light(),
        headless=not headed,
        slow_mo=pytestconfig.getoption("--slowmo"),
    )
    yield browser
    browser.close()


@pytest.fixture
def page(live: Live, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that is gone before the server is; script errors and refusals fail the test."""
    context = browser.new_context()
    tracing = request.config.getoption("--tracing")
    if tracing:
        context.tracing.start(screenshots=True, snapshots=True, sources=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.expected_problems = []  # a test adds texts of errors that it provokes
    yield page
    if tracing:
        name = re.sub(r"[^\w.-]+", "-", request.node.nodeid)
        context.tracing.stop(path=f"test-results/{name}.zip")
    context.close()
    unexpected = [p for p in problems if not any(e in p for e in page.expected_problems)]
    assert not unexpected, unexpected


@pytest.fixture
def run(app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command in an empty folder and gives what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, code: int = 0, **options: object) -> str:
        result = app.test_cli_runner().invoke(args=[*map(str, arguments)], **options)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result.stdout if code == 0 else result.output

    return run


@pytest.fixture
def token(app: Flask, store: Store) -> str:
    """An API token of the analyst bob."""
    store.accounts.add_account(Account(name="bob", role=ANALYST, password_hash=password_hash()))
    with app.app_context():
        return api_tokens.make_token("bob", "script", 90)


@pytest.fixture
def program(app: Flask, token: str) -> Program:
    """A client of the API with the token of bob."""
    return Program(app.test_client(), token)
