"""The results page of thirty questions at a thousand responses and at a million.

Both are real surveys with simulated responses in a database, fetched through the application as
a signed-in researcher; the ratio of the two times is what matters. Counts are kept up with each
response, so that it should be near one.
"""

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from flask.testing import FlaskClient

from app import create_app
from survey import auth
from survey.definition import parse_survey
from survey.frozen import freeze
from survey.loading import read_truth
from survey.settings import Settings
from survey.simulation import simulate_responses
from survey.store import ANALYST, Account, Session, Store

from .speed import seconds
from .tables import Table

QUESTIONS, SIZES = 30, (1_000, 1_000_000)
CHOICES = [{"name": f"c{k}", "label": f"Choice {k}"} for k in range(5)]
SHARES = {"c0": 0.4, "c1": 0.3, "c2": 0.2, "c3": 0.1}
KINDS = (  # of questions, each with its true shares
    ({"type": "yes_no", "privacy": {"mechanism": "coin_flip"}}, {"yes": 0.3, "no": 0.7}),
    ({"type": "select_one", "choices": CHOICES, "privacy": {"epsilon": 1}}, SHARES),
    ({"type": "select_multiple", "choices": CHOICES, "privacy": {"epsilon": 2}}, {"c1": 0.2}),
    ({"type": "scale", "choices": CHOICES, "privacy": {"epsilon": 1}}, SHARES),
    ({"type": "number", "min": 0, "max": 100, "privacy": {"epsilon": 1}}, {"20": 0.5, "40": 0.5}),
)


def definition(slug: str) -> dict[str, object]:
    """Six questions of each of five kinds."""
    questions = [
        {"name": f"q{place}", "label": f"Question {place}?", **KINDS[place % len(KINDS)][0]}
        for place in range(QUESTIONS)
    ]
    return {"slug": slug, "title": slug, "language": "en", "questions": questions}


def filled(store: Store, slug: str, n: int) -> None:
    """A survey with simulated responses of n people."""
    survey = parse_survey(definition(slug))
    shares = {q.name: KINDS[place % len(KINDS)][1] for place, q in enumerate(survey.questions)}
    store.save_draft(survey)
    store.freeze(freeze(survey), "closed")
    store.add_batches(
        slug, simulate_responses(survey, read_truth(shares, survey), n, 1), "simulated"
    )


def analyst(app_client: FlaskClient, store: Store) -> FlaskClient:
    """The client, signed in."""
    now = int(time.time())
    store.add_account(Account("bench", ANALYST, ""))
    store.add_session(auth.token_hash("bench"), Session("bench", created=now, seen=now))
    with app_client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "bench"  # noqa: S105
    return app_client


def fetch(client: FlaskClient, slug: str) -> None:
    status = client.get(f"/admin/surveys/{slug}/results").status_code
    if status != 200:
        raise RuntimeError(f"The results page of {slug} answers {status}.")


def table(sizes: tuple[int, ...] = SIZES) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        where = {"CANDOR_DATABASE": str(Path(folder, "candor.db")), "CANDOR_DEMO": "no"}
        app = create_app(Settings.from_environment(where))
        store = app.extensions["candor.store"]
        client = analyst(app.test_client(), store)
        took = {}
        for n in sizes:
            print(f"Simulating {n:,} responses to {QUESTIONS} questions ...", file=sys.stderr)
            filled(store, f"n-{n}", n)
            fetch(client, f"n-{n}")  # the first time, tables are read and solved
            took[n] = seconds(partial(fetch, client, f"n-{n}"))
        store.close()
    floor = took[sizes[0]]
    return Table(
        f"Time of the results page of {QUESTIONS} questions",
        ["responses", f"in that of {sizes[0]:,}"],
        [[f"{n:,}", time / floor] for n, time in took.items()],
    )
