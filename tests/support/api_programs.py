"""Programs that use the API, for several test modules."""

from datetime import UTC, date, datetime

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from survey.api.blueprint import OPERATIONS
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened
from tests.support.saved_analyses import save_all

# Those of analyses need more than the address of a survey.
SIMPLE = [each for each in OPERATIONS if not each.of_an_analysis and not each.of_a_saved_analysis]


def today() -> date:
    return datetime.now(UTC).date()


class Program:
    """A client that sends a token, or none."""

    def __init__(self, client: FlaskClient, token: str | None = None):
        self.client = client
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(f"/api/v1{path}", headers=self.headers | headers, buffered=True)


def some_responses(store: Store) -> None:
    """A survey with a saved analysis, and with enough responses for it."""
    opened(store, definition())
    save_all(store, reports=("validity", "asked=smokes:0"))
    for number in range(30):
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))


def assert_refused(reply: TestResponse, status: int) -> None:
    """Check for a sentence in JSON, no cookie, and no permission for other sites."""
    assert reply.status_code == status
    assert reply.mimetype == "application/json"
    assert list(reply.get_json()) == ["error"]
    assert reply.get_json()["error"].endswith(".")
    assert "Set-Cookie" not in reply.headers
    assert not [name for name, _ in reply.headers if name.startswith("Access-Control")]


def paths(app: Flask, store: Store) -> list[str]:
    """Each route of the API, for an existing survey."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api")]
    assert {rule.endpoint.partition(".")[0] for rule in rules} == {"api"}
    number = next((str(each.number) for each in store.saved_analyses.list_analyses("health")), "1")
    whole = [rule.rule.replace("<slug>", "health").replace("<number>", number) for rule in rules]
    return [
        path.replace("<analysis>", "validity") + "?asked=smokes:0" * ("<a" in path)
        for path in whole
    ]


def remove(store: Store, sql: str) -> None:
    with store.database.transaction() as db:  # type: ignore[attr-defined]
        db.execute(sql)
