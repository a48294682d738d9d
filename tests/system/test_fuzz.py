"""Every route answers every request in time, never with 5xx, and changes only what it should.

There are two ways to make requests (tests/support/fuzzing_requests.py). The first is random, with
something unusual in every part. The second follows a schema: a form of a page, an operation of the
API's document or a respondent's JSON, valid except for a few places. After each request,
tests/support/fuzzing_watch.py checks the answer and the database. The generators are seeded, so
each run sends the same requests.

Schemathesis would not help with the API. Each of its nine operations takes one parameter in its
path, and Schemathesis would vary only that. No such document describes the routes of respondents
and researchers.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.routing import Rule

from survey.server.webhooks import safe_http_post
from survey.store import OWNER
from tests.support import fuzzing_watch
from tests.support.every_type import drawn
from tests.support.fuzzing_forms import filled, forms_of, with_token
from tests.support.fuzzing_requests import by_chance, by_schema, of, paths_of, sent_form
from tests.support.fuzzing_watch import Sent, Watch, ask
from tests.support.fuzzing_world import World, world
from tests.support.lengths import length, soak

# A form that is refused early leaves its file open until the request's memory is freed.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <function SpooledTemporaryFile"
    ":pytest.PytestUnraisableExceptionWarning"
)
EACH = 500  # requests between two restorations of the first state
WARM = 2_000  # requests until everything that loads at its first use is loaded
MOST_GROWTH = 50 * 1024 * 1024  # bytes


def memory() -> int:
    """The resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def fresh_response(w: World, r: random.Random) -> Sent:
    content = {
        "id": r.randbytes(16).hex(),
        "fingerprint": w.fingerprints["health"],
        "reports": drawn(r),
    }
    headers = {"Content-Type": "application/json"}
    return Sent("POST", b"/s/health/responses", headers=headers, body=json.dumps(content).encode())


def unreachable(*_: object) -> None:
    raise ConnectionRefusedError


Maker = Callable[[random.Random, World, list[Rule]], Sent]


def fuzz(folder: Path, n: int, seed: int, maker: Maker) -> tuple[Watch, int]:
    """Send n requests.

    The results are the watch, and the growth of memory in bytes after the warm-up.
    """
    r, first = random.Random(seed), 0
    w = world(folder)
    rules = list(w.app.url_map.iter_rules())
    watch = Watch(w)
    for number in range(n):
        if number % EACH == 0:
            w.restore()
            watch.changed()
            first = memory() if number == WARM else first
        elif number % 20 == 0:
            w.forget_tries()
        sent = maker(r, w, rules)
        answer = ask(w, sent)
        watch.look(sent, answer)
        if sent.who and answer.headers.get("Location", "").endswith("/admin/sign-in"):
            w.let_in_again(sent.who)
            watch.changed()
    grown = memory() - (first or memory())
    w.restore()
    assert ask(w, fresh_response(w, r)).status == 201
    watch.close()
    w.close()
    return watch, grown


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        safe_http_post, "addresses_of", lambda host, port, *, local: ["203.0.113.7"]
    )
    monkeypatch.setattr(safe_http_post, "connect_to_any", unreachable)


def kinds(seen: dict[int, int]) -> set[int]:
    return set(seen)


@pytest.mark.slow
@soak
def test_requests_by_chance_to_every_route(tmp_path: Path) -> None:
    n = length(400, 100_000)
    watch, grown = fuzz(tmp_path, n, 1_729, by_chance)
    print(sorted(watch.seen.items()), f"slowest {watch.slowest:.2f} s, {grown >> 20} MB more")
    assert watch.faults == {}
    assert grown < MOST_GROWTH
    # They reach the pages, and get every kind of refusal.
    assert {200, 302, 400, 401, 403, 404, 405, 409, 415, 422} <= kinds(watch.seen)


@pytest.mark.slow
@soak
def test_requests_by_schema_to_every_route(tmp_path: Path) -> None:
    n = length(300, 100_000)
    watch, grown = fuzz(tmp_path, n, 2_721, lambda r, w, _: by_schema(r, w))
    print(sorted(watch.seen.items()), f"slowest {watch.slowest:.2f} s, {grown >> 20} MB more")
    assert watch.faults == {}
    assert grown < MOST_GROWTH
    assert {200, 201, 302, 400, 401, 403, 404, 409, 422} <= kinds(watch.seen)


# Too large, too small, no number, or digits that only some readers accept.
TYPED_NUMBERS = (
    "1e999999", "-1e999999", "1e-999999", "1e999999/1e-999999", "1/1e-999999", "1/0", "1e99",
    "-1e99/1e-99", "NaN", "sNaN", "-Infinity", "1_000", "٣", "９", "0x10", "9" * 5_000,
    "0." + "9" * 5_000, "1" + ",000" * 2_000,
)  # fmt: skip
TEXT_FIELDS = ("text", "number", "range", "textarea")


def faults_of_typed_numbers(w: World, pages: Iterable[str], typed: Iterable[str]) -> list[str]:
    """The forms on pages that fail with one of these texts in all of their fields."""
    found, texts = [], list(typed)
    for page in pages:
        answer = ask(w, Sent("GET", page.encode(), headers=of(w, OWNER)))
        if answer.status != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        for form in forms_of(page, answer.body.decode()):
            names = {each.name for each in form.fields if each.kind in TEXT_FIELDS}
            kept = [pair for pair in filled(form) if pair[0] not in names]
            for text in texts if names else ():
                pairs = with_token([*kept, *((name, text) for name in names)], w.tokens[OWNER])
                status = ask(w, sent_form(w, form, pairs, OWNER)).status
                if status >= 500:
                    found.append(f"{form.method} {form.action} {text[:30]}: {status}")
            w.forget_tries()
    return found


PLACES = ("plan", "results", "analysis/validity", "try-out")


def test_every_number_that_a_researcher_types_is_accepted_or_refused(w: World) -> None:
    pages = [f"/admin/surveys/closed/{place}" for place in PLACES]
    assert faults_of_typed_numbers(w, pages, TYPED_NUMBERS[::9]) == []


@pytest.mark.slow
def test_every_number_in_every_form_is_accepted_or_refused(w: World) -> None:
    pages = [
        path
        for rule in w.app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and rule.endpoint != "static"
        for path in paths_of(rule, ("draft", "closed"))
    ]
    assert faults_of_typed_numbers(w, pages, TYPED_NUMBERS[::4]) == []


# --- the watch finds the faults that it is for ----------------------------------------------------


def planted(w: World, view: Callable[[], Any]) -> dict[str, str]:
    """The findings of the watch if a route does this."""
    w.app.view_functions["trust.how"] = view
    w.app.view_functions["admin.account"] = view
    watch = Watch(w)
    for path in (b"/how", b"/admin/account"):
        sent = Sent("GET", path, headers=of(w, OWNER), who=OWNER)
        watch.look(sent, ask(w, sent))
    watch.close()
    return watch.faults


def busy() -> str:
    end = time.thread_time() + 0.03
    while time.thread_time() < end:
        pass
    return "done"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("raises", "status 500: ZeroDivisionError"),
        ("works on and on", "over 0.02 s"),
        ("tells a trace", "a trace"),
        ("sets a cookie", "a cookie"),
        ("deletes", "GET changed"),
        ("refuses and deletes", "refused with 409, and changed ['surveys']"),
        ("thaws", "a frozen survey has changed"),
        ("forgets an act", "an act of a respondent"),
    ],
)
def test_control_what_is_wrong_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, words: str
) -> None:
    assert fuzzing_watch.LONGEST_SECONDS == 2
    monkeypatch.setattr(fuzzing_watch, "LONGEST_SECONDS", 0.02)
    w = world(tmp_path)

    def wrong() -> Any:
        with w.store.database.transaction() as db:  # type: ignore[attr-defined]
            match kind:
                case "raises":
                    return str(1 / 0)
                case "works on and on":
                    return busy()
                case "tells a trace":
                    return "Traceback (most recent call last)"
                case "sets a cookie":
                    return "", 200, {"Set-Cookie": "a=b"}
                case "deletes" | "refuses and deletes":
                    db.execute("DELETE FROM surveys WHERE slug = 'draft'")
                case "thaws":
                    db.execute("UPDATE surveys SET document = '{}' WHERE slug = 'closed'")
                case "forgets an act":
                    db.execute("INSERT INTO acts (survey, account, action, moment)"
                               " VALUES ('', 'ada', 'x', 1)")  # fmt: skip
        return ("", 409) if kind.startswith("refuses") else "done"

    found = planted(w, wrong)
    w.close()
    assert any(fault.startswith(words) for fault in found), found


# --- earlier findings, each alone -----------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    found = world(tmp_path_factory.mktemp("fuzz"))
    yield found
    found.close()


@pytest.fixture
def w(kept: World) -> World:
    """A world in its first state."""
    kept.restore()
    return kept


@pytest.mark.parametrize("path", ["/", "/how", "/admin/", "/s/health", "/nowhere", "/shared"])
def test_a_query_of_any_bytes_is_read(w: World, path: str) -> None:
    """Bytes that are no UTF-8 once made every page fail, and the error page too."""
    for query in (b"\xc1\xff", b"language=\xe9", b"a=\n", b"token=\xed\xa0\x80"):
        assert ask(w, Sent("GET", path.encode(), query)).status < 500


@pytest.mark.slow
def test_a_query_is_not_changed_where_it_can_be_read(w: World) -> None:
    assert ask(w, Sent("GET", b"/s/hand", b"language=e%6E&x=%F0%9F%9A%AC+1")).status == 200
    token = b"%68" + b"s" * 42
    assert ask(w, Sent("GET", b"/shared", b"token=" + token)).status == 200


@pytest.mark.parametrize("path", ["/", "/admin/", "/api/v1/surveys", "/s/health/responses"])
def test_a_host_that_is_none_is_refused_in_a_sentence(w: World, path: str) -> None:
    """The refusal's page once had no links to build."""
    for host in ("x" * 300, "a..b", "\xff"):
        answer = ask(w, Sent("GET", path.encode(), headers={"Host": host}))
        if answer.status != 400:
            assert answer.status < 500
            continue
        assert json.loads(answer.body) == {
            "error": "The Host header of this request is not a valid host name."
        }


@pytest.mark.parametrize("body", [b"5", b"null", b"[]", b'"x"', b"{}", b'{"title": 1}'])
def test_researchers_pages_take_forms_alone(w: World, body: bytes) -> None:
    """JSON was once read as a form, and 5 is no form."""
    for path in ("/admin/preview", "/admin/surveys/new", "/admin/account/tokens"):
        headers = of(w, OWNER) | {
            "Content-Type": "application/json",
            "X-CSRFToken": w.tokens[OWNER],
        }
        assert ask(w, Sent("POST", path.encode(), headers=headers, body=body)).status == 415


@pytest.mark.parametrize("number", ["9" * 20, "9" * 400, "9" * 9_000])
def test_numbers_of_many_digits_are_told_to_be_too_large(w: World, number: str) -> None:
    """Python's integers once exceeded those of the database, or of floating point."""
    headers = of(w, OWNER) | {"X-CSRFToken": w.tokens[OWNER]}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    path = f"/admin/surveys/health/share/{number}/delete"
    assert ask(w, Sent("POST", path.encode(), headers=headers)).status == 404
    for path, name in (
        ("/admin/surveys/health/limits", "cap"),
        ("/admin/surveys/health/limits", "target"),
        ("/admin/surveys/invited/invitations", "count"),
        ("/admin/account/tokens", "days"),
    ):
        for typed in (number, "-" + number):
            body = f"{name}={typed}".encode()
            answer = ask(w, Sent("POST", path.encode(), headers=headers, body=body))
            # The form for invitations is on another page, which states the error.
            assert answer.status == (302 if name == "count" else 422), path
    assert w.store.invitations.issued_and_spent("invited") == (40, 0)


@pytest.mark.parametrize("name", ["batch", "minutes", "sample", "respondents"])
def test_the_builder_tells_of_numbers_of_many_digits(w: World, name: str) -> None:
    """Python reads no number with more than 4,300 digits."""
    headers = of(w, OWNER) | {"X-CSRFToken": w.tokens[OWNER]}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    for typed in ("9" * 30, "9" * 5_000):
        rest = "questions-0-label=B&questions-0-type=yes_no&questions-0-privacy=medium&do=close"
        body = f"title=A&language=en&layout=all_on_one_page&level=&{name}={typed}&{rest}"
        sent = Sent("POST", b"/admin/surveys/new", headers=headers, body=body.encode())
        assert ask(w, sent).status == 422


def test_a_number_of_leading_zeros_is_not_cut_off(w: World) -> None:
    headers = of(w, OWNER) | {"X-CSRFToken": w.tokens[OWNER]}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    for typed, status, kept in (("0" * 27 + "800", 302, 800), ("0" * 40 + "900", 422, 800)):
        sent = Sent("POST", b"/admin/surveys/health/limits", headers=headers)
        sent.body = f"target={typed}".encode()
        assert ask(w, sent).status == status
        assert w.store.surveys.by_slug("health").limits.target == kept


@pytest.mark.parametrize(
    "page", ["", "/groups", "/correlation", "/regression", "/validity", "/tree"]
)
def test_an_analysis_of_what_there_is_not_is_refused_on_its_page(w: World, page: str) -> None:
    """With an unknown measure and no groups, no groups could be proposed."""
    names = ("measure", "group", "rows", "of", "outcome", "target")
    for name in names:
        for typed in ("", "nothing:0"):
            sent = Sent(
                "GET", f"/admin/surveys/closed/analysis{page}".encode(), headers=of(w, OWNER)
            )
            sent.query = f"{name}={typed}".encode()
            assert ask(w, sent).status in (200, 422), sent.query
