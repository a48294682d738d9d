"""The pages that researchers open daily, at a thousand responses and at ten million.

The surveys are real and open, and some responses are still waiting. A signed-in researcher fetches
the pages through the application. Counts are updated when a batch is published, so no page should
read the responses themselves: the ratio of the times is the result. The sizes take turns, so that
other load on the machine affects all of them alike.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

from flask.testing import FlaskClient

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.server.settings import Settings
from survey.store import ANALYST, Account, Session, Store
from tests.support.postgresql import PROGRAMS, cluster

from .filled import fill
from .speed import seconds
from .tables import Figure, Table

QUESTIONS, ROUNDS = 10, 5
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
SIZES_IN_POSTGRESQL = (1_000, 100_000, 1_000_000)
MOST = 2.0  # relative to the time at a thousand
MOST_OF_RESULTS = 5.0  # relative to the respondents' page
CHOICES = [{"name": f"c{k}", "label": f"Choice {k}"} for k in range(5)]
SHARES = {"c0": 0.4, "c1": 0.3, "c2": 0.2, "c3": 0.1}
KINDS = (  # kinds of questions, each with its true shares
    ({"type": "yes_no", "privacy": {"mechanism": "coin_flip"}}, {"yes": 0.3, "no": 0.7}),
    ({"type": "select_one", "choices": CHOICES, "privacy": {"epsilon": 1}}, SHARES),
    ({"type": "select_multiple", "choices": CHOICES, "privacy": {"epsilon": 2}}, {"c1": 0.2}),
    ({"type": "scale", "choices": CHOICES, "privacy": {"epsilon": 1}}, SHARES),
    ({"type": "number", "min": 0, "max": 100, "privacy": {"epsilon": 1}}, {"20": 0.5, "40": 0.5}),
)
SLUG = "pages"
PAGES = {
    "results": f"/admin/surveys/{SLUG}/results",
    "all surveys": "/admin/",
    "one survey": f"/admin/surveys/{SLUG}",
    "live progress": f"/admin/surveys/{SLUG}/monitor.json",
    "estimates as CSV": f"/admin/surveys/{SLUG}/estimates.csv",
    "public results": f"/s/{SLUG}/results",
    "the respondents' page": f"/s/{SLUG}",
}


def definition() -> dict[str, object]:
    """Two questions of each of five kinds."""
    questions = [
        {"name": f"q{place}", "label": f"Question {place}?", **KINDS[place % len(KINDS)][0]}
        for place in range(QUESTIONS)
    ]
    return {"slug": SLUG, "title": "Pages", "language": "en", "questions": questions}


def filled(store: Store, n: int) -> None:
    """The survey with simulated responses of n people, and public results."""
    shares = {f"q{place}": KINDS[place % len(KINDS)][1] for place in range(QUESTIONS)}
    fill(store, definition(), shares, n)
    store.shares.publish(SLUG, True)


def analyst(app_client: FlaskClient, store: Store) -> FlaskClient:
    """The client, signed in."""
    now = int(time.time())
    store.accounts.add_account(Account(name="bench", role=ANALYST, password_hash=""))
    store.accounts.add_session(token_hash("bench").hex(), Session("bench", created=now, seen=now))
    with app_client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "bench"  # noqa: S105
    return app_client


def fetch(client: FlaskClient, address: str) -> None:
    status = client.get(address).status_code
    if status != 200:
        raise RuntimeError(f"{address} answers {status}.")


@contextmanager
def researcher_of(database: str, n: int) -> Iterator[FlaskClient]:
    """A researcher's client of a database with n responses."""
    where = {"CANDOR_DATABASE": database, "CANDOR_SECRET_KEY": "k" * 64}
    app = create_app(Settings.from_environment(where))
    with closing(app.extensions["candor.store"]) as store:
        print(f"Filling a survey with {n:,} responses ...", file=sys.stderr, flush=True)
        filled(store, n)
        yield analyst(app.test_client(), store)


def times(
    clients: Mapping[int, FlaskClient], clock: Callable[[], float]
) -> dict[str, dict[int, float]]:
    """The seconds of each page at each size, the minimum of the rounds."""
    for client in clients.values():
        for address in PAGES.values():
            fetch(client, address)  # The first request reads and solves tables.
    took = {page: dict.fromkeys(clients, float("inf")) for page in PAGES}
    for _ in range(ROUNDS):
        for page, address in PAGES.items():
            for n, client in clients.items():
                spent = seconds(partial(fetch, client, address), 1, clock)
                took[page][n] = min(took[page][n], spent)
    return took


def table(sizes: tuple[int, ...] = SIZES) -> Table:
    """The table for SQLite, in processor time, which is all in this process."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        clients = {
            n: running.enter_context(researcher_of(str(Path(folder, f"{n}.db")), n)) for n in sizes
        }
        return table_of("SQLite", times(clients, time.process_time))


def table_of_postgresql(sizes: tuple[int, ...] = SIZES_IN_POSTGRESQL) -> Table | None:
    """The table for PostgreSQL, in time as a researcher sees it; None without PostgreSQL.

    The database is another process, so processor time would miss it.
    """
    if PROGRAMS is None:
        return None
    with cluster() as server, ExitStack() as running:
        clients = {
            n: running.enter_context(
                researcher_of(running.enter_context(server.database("template")), n)
            )
            for n in sizes
        }
        return table_of("PostgreSQL", times(clients, time.perf_counter))


def table_of(database: str, took: Mapping[str, Mapping[int, float]]) -> Table:
    rows: list[list[str | float]] = []
    figures = []
    for page, found in took.items():
        first, *later = found
        growth = {n: spent / found[first] for n, spent in found.items()}
        rows.append([page, 1_000 * found[first], *(growth[n] for n in later)])
        worst = max(growth.values())
        figures.append(
            Figure(
                f"{database}: {page}, up to {max(found):,} responses",
                f"longest time / time with {first:,} responses", worst, most=MOST, growth=growth,
            )
        )  # fmt: skip
    results = max(found / took["the respondents' page"][n] for n, found in took["results"].items())
    figures.append(
        Figure(
            f"{database}: results, until the next responses are published",
            "time / time of the respondents' page",
            results,
            most=MOST_OF_RESULTS,
        )
    )
    return Table(
        f"Pages of a survey of {QUESTIONS} questions, on {database}",
        ["page", f"ms at {first:,}", *(f"{n:,}: ×" for n in later)],
        rows,
        figures,
    )
