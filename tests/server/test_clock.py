"""The machine's clock changes by an hour and by a year, ahead and back, while people answer.

The server refuses no response for that reason and delays nobody. Nobody stays signed in for longer
than allowed. No code of a second factor is valid twice. A survey closes when its day is over, and
not before. The tests replace the clocks of this process, which everything in it reads.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pyotp
import pytest
from flask import Flask

from app import create_app
from survey.server import clock
from survey.server.clock import DOUBT_SECONDS, Clock, is_good
from survey.server.compaction import look
from survey.server.http.rate_limiter import RateLimit, RateLimiter
from survey.server.settings import Settings
from survey.store import Limits, Store
from survey.web import auth, second_factor, sign_in_limits
from tests.support.asgi_servers import started
from tests.support.definitions import definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.researchers import PASSWORD, Researcher, signed_in

HOUR, DAY, YEAR = 3_600, 86_400, 365 * 86_400
JUMPS = (HOUR, -HOUR, YEAR, -YEAR)
NOW = int(datetime(2027, 3, 28, 0, 30, tzinfo=UTC).timestamp())  # a night with a change of zone


@dataclass
class Times:
    """Both clocks, under the control of a test."""

    wall: float = NOW
    steady: float = 50_000.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def jump(self, seconds: float) -> None:
        self.wall += seconds


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Times:
    """Replace all clocks of the product."""
    times = Times()
    monkeypatch.setattr(time, "time", lambda: times.wall)
    monkeypatch.setattr(clock, "steady", lambda: times.steady)
    for name, value in vars(Clock()).items():
        monkeypatch.setattr(clock.clock, name, value)
    return times


# --- the clock ------------------------------------------------------------------------------------


def test_both_clocks_agree_while_nobody_sets_one(times: Times) -> None:
    for seconds in (0, 1, 59, HOUR, DAY):
        times.pass_by(seconds)
        assert clock.clock.of_ages() == clock.clock.of_days() == times.wall
    times.jump(-1)  # as machines correct themselves
    assert clock.clock.of_days() == times.wall


@pytest.mark.parametrize("ahead", [HOUR, YEAR])
def test_a_jump_ahead_is_not_believed_before_it_has_lasted(times: Times, ahead: int) -> None:
    before = clock.clock.of_days()
    times.jump(ahead)
    assert clock.clock.of_days() == before
    times.pass_by(DOUBT_SECONDS - 1)
    assert clock.clock.of_days() == before + DOUBT_SECONDS - 1
    times.pass_by(1)
    assert clock.clock.of_days() == before + DOUBT_SECONDS + ahead


def test_a_jump_ahead_that_is_taken_back_changed_nothing(times: Times) -> None:
    before = clock.clock.of_days()
    for _ in range(10):  # Each is too short alone, but together they are long enough.
        times.jump(YEAR)
        assert clock.clock.of_days() < before + DAY
        times.pass_by(DOUBT_SECONDS / 2)
        assert clock.clock.of_days() < before + DAY
        times.jump(-YEAR)
        assert clock.clock.of_days() == times.wall


@pytest.mark.parametrize("back", [HOUR, YEAR])
def test_a_jump_back_is_believed_of_days_and_not_of_ages(times: Times, back: int) -> None:
    times.jump(-back)
    assert clock.clock.of_days() == NOW - back
    times.pass_by(100)
    assert clock.clock.of_ages() == NOW + 100


def test_what_has_not_begun_is_not_good() -> None:
    assert is_good(NOW, NOW, 10)
    assert is_good(NOW, NOW + 10, 10)
    assert is_good(NOW + 60, NOW, 10)  # another server's clock
    assert not is_good(NOW, NOW + 11, 10)
    assert not is_good(NOW + 61, NOW, 10)


# --- responses ------------------------------------------------------------------------------------


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Set the real clock of this process off by this many seconds."""
    off, real = [0.0], time.time
    for name in ("believed", "doubted"):  # Its assumptions about the jumps end with the test.
        monkeypatch.setattr(clock.clock, name, getattr(clock.clock, name))
    monkeypatch.setattr(time, "time", lambda: real() + off[0])
    yield lambda seconds: off.__setitem__(0, seconds)
    monkeypatch.undo()


@soak
def test_no_response_is_refused_while_the_clock_jumps(
    app: Flask, settings: Settings, store: Store, pace: Callable[[float], None]
) -> None:
    """Eight clients, in full for five minutes. The survey's last day is in a week."""
    seconds = length(1, 300)
    frozen = opened(store, definition(yes_no()))
    store.lifecycle.set_limits("health", Limits(closes=int(time.time()) + 7 * DAY))
    statuses: list[int] = []
    ending = threading.Event()
    with started(app, replace(settings, requests_a_minute=0), frozen) as running:

        def answer(number: int) -> None:
            sent = 0
            while not ending.is_set():
                sent += 1
                statuses.append(running.post(running.body(id=f"{number:016x}{sent:016x}"))[0])

        clients = [threading.Thread(target=answer, args=[number]) for number in range(8)]
        for client in clients:
            client.start()
        start = time.monotonic()
        # A busy machine may need more time for the responses that are expected below.
        while time.monotonic() < start + seconds or (
            len(statuses) <= 20 * seconds and time.monotonic() < start + seconds + 60
        ):
            for off in (HOUR, -HOUR, YEAR, 0, -YEAR, 0):
                pace(off)
                look(store)  # like the thread that closes and compacts
                time.sleep(0.02)
        ending.set()
        for client in clients:
            client.join()
    assert set(statuses) == {201}
    assert len(statuses) == store.counts.number_of_responses("health") > 20 * seconds
    assert store.surveys.by_slug("health").state == "open"


@pytest.mark.parametrize("jump", JUMPS)
def test_a_survey_closes_when_its_day_is_over_and_not_before(
    store: Store, times: Times, jump: int
) -> None:
    opened(store, definition(yes_no()))
    store.lifecycle.set_limits("health", Limits(closes=NOW + DAY))

    def state() -> str:
        look(store)
        return store.surveys.by_slug("health").state

    assert state() == "open"
    times.jump(jump)
    assert state() == "open"
    times.pass_by(60)
    times.jump(-jump)
    assert state() == "open"
    times.pass_by(DAY - 61)
    assert state() == "open"
    times.pass_by(1)
    assert state() == "closed"
    times.jump(jump)
    assert state() == "closed"


def test_a_clock_that_was_wrong_from_the_start_and_is_put_right_closes_what_is_due(
    store: Store, times: Times
) -> None:
    opened(store, definition(yes_no()))
    store.lifecycle.set_limits("health", Limits(closes=NOW + DAY))
    times.jump(2 * DAY)
    for _ in range(120):
        look(store)
        times.pass_by(DOUBT_SECONDS / 100)
    assert store.surveys.by_slug("health").state == "closed"
    assert clock.now() == times.wall


# --- sessions -------------------------------------------------------------------------------------


def is_in(researcher: Researcher) -> bool:
    return researcher.client.get("/admin/").status_code == 200


@pytest.mark.parametrize("jump", [0, *JUMPS])
def test_a_session_never_lives_longer_than_it_may(app: Flask, times: Times, jump: int) -> None:
    """It is used each hour, so it does not end by being idle."""
    researcher = signed_in(app)
    hours = 0
    while is_in(researcher) and hours < 30:
        hours += 1
        times.pass_by(HOUR)
        if hours == 5:
            times.jump(jump)
    longest = auth.MAX_SESSION_SECONDS // HOUR
    # With a clock ahead, it ends sooner: by the hour, or at once.
    assert hours == {HOUR: longest, YEAR: 5}.get(jump, longest + 1)


@pytest.mark.parametrize("jump", JUMPS)
def test_an_idle_session_ends(app: Flask, times: Times, jump: int) -> None:
    researcher = signed_in(app)
    times.jump(jump)
    times.pass_by(auth.IDLE_SECONDS + 1)
    assert not is_in(researcher)


@pytest.mark.parametrize("back", [HOUR, YEAR])
def test_a_session_of_before_a_jump_back_ends_with_the_next_start(
    app: Flask, settings: Settings, times: Times, back: int
) -> None:
    researcher = signed_in(app)
    cookie = researcher.client.get_cookie("candor", path="/admin")
    assert cookie is not None
    times.jump(-back)
    for name, value in vars(Clock()).items():
        setattr(clock.clock, name, value)  # the other server's
    other = create_app(settings)
    client = other.test_client()
    client.set_cookie("candor", cookie.value, path="/admin")
    assert not is_in(Researcher(client))
    other.extensions["candor.store"].close()


@pytest.mark.parametrize("jump", [-1, 1, -HOUR])
def test_forms_and_cookies_are_good_after_a_jump(app: Flask, times: Times, jump: int) -> None:
    """The same holds for a session of a server whose clock is a second ahead."""
    researcher = signed_in(app)
    token = researcher.token("/admin/account")
    times.jump(jump)
    form = {"csrf_token": token}
    assert (
        researcher.client.post("/admin/account/second-factor/begin", data=form).status_code == 302
    )


# --- codes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", JUMPS)
def test_a_code_is_good_once_whatever_the_clock(
    app: Flask, store: Store, times: Times, jump: int
) -> None:
    signed_in(app)
    salt = bytes(16)
    store.factors.begin_second_factor("ada", salt)
    store.factors.confirm_second_factor("ada", 0, [])
    codes = pyotp.TOTP(second_factor.derive_totp_key(app.config["SECRET_KEY"], salt))

    def fits(code: str) -> bool:
        with app.app_context():
            return auth.code_fits("ada", code)

    used = codes.at(times.wall)
    assert fits(used)
    assert not fits(used)
    times.jump(jump)
    then = codes.at(times.wall)
    assert fits(then) == (jump > 0)  # The code of a step before the last one is refused.
    times.jump(-jump)
    assert not fits(used)
    times.jump(jump)
    assert not fits(then)


# --- limits of attempts ---------------------------------------------------------------------------


@pytest.mark.parametrize("jump", JUMPS)
def test_who_is_held_back_is_so_for_ten_minutes(app: Flask, times: Times, jump: int) -> None:
    sign_in_limits.limiter.reset()
    signed_in(app)
    client = app.test_client()

    def attempt(password: str) -> int:
        form = {"name": "ada", "password": password}
        return Researcher(client).post("/admin/sign-in", form).status_code

    times.jump(jump)
    assert {attempt("wrong") for _ in range(15)} == {401}
    assert attempt(PASSWORD) == 429
    times.jump(-jump)
    assert attempt(PASSWORD) == 429  # A jump does not permit more attempts.
    times.pass_by(599)
    assert attempt(PASSWORD) == 429
    times.pass_by(1)
    assert attempt(PASSWORD) == 302


def test_by_the_clock_of_the_machine_people_would_wait_for_a_year(times: Times) -> None:
    """The control. The limiter also forgets people who do not come again."""
    limit = RateLimit("attempts", 1, 60)
    found = {}
    for seconds in (time.time, clock.steady):
        limiter = RateLimiter()
        times.jump(YEAR)
        assert limiter.seconds_to_wait(limit, b"somebody", seconds()) == 0
        times.jump(-YEAR)
        times.pass_by(61)
        found[seconds] = limiter.seconds_to_wait(limit, b"somebody", seconds())
    assert found == {time.time: YEAR - 1, clock.steady: 0}
    times.pass_by(120)
    assert limiter.seconds_to_wait(limit, b"somebody else", clock.steady()) == 0
    assert len(limiter.counts) == 1
