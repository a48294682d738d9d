"""The second factor: valid codes work once, theft gives nothing, and failures reveal nothing."""

import hashlib
import hmac
import re
import threading
import time
from base64 import b32decode
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyotp
import pytest

from app import create_app
from survey.admin.team import account
from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import code_in_groups, token_hash
from survey.server import clock as server_clock
from survey.web import auth, second_factor, sign_in_limits
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, Researcher, signed_in

pytestmark = pytest.mark.both_stores

SECRET, SALT = "k" * 64, bytes(range(16))
KEY = second_factor.derive_totp_key(SECRET, SALT)


class Clock:
    def __init__(self, now):
        self.now = now

    def time(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The time for comparing codes, at the start of a step."""
    clock = Clock(int(time.time()) // 30 * 30)
    machine = SimpleNamespace(time=clock.time, monotonic=time.monotonic)
    for module in (auth, account, server_clock):
        monkeypatch.setattr(module, "time", machine)
    monkeypatch.setattr(auth.clock, "start", 0)
    return clock


def code_at(key, moment):
    return pyotp.TOTP(key).at(moment)


def wrong_code(key, moment):
    """A code of no step around this moment. A fixed one is valid by chance in 1 of 300,000 runs."""
    valid = {code_at(key, moment + 30 * step) for step in range(-3, 4)}
    return next(code for code in map("{:06}".format, range(8)) if code not in valid)


def key_on(researcher):
    page = researcher.client.get("/admin/account/second-factor").get_data(as_text=True)
    return re.search(r'class="key">([A-Z2-7 ]+)<', page)[1].replace(" ", "")


def turn_on(researcher, clock):
    """The key and the recovery codes. The code of the previous step is used up."""
    researcher.post("/admin/account/second-factor/begin", form="/admin/account")
    key = key_on(researcher)
    form = {"own": PASSWORD, "code": code_at(key, clock.now - 30)}
    reply = researcher.post(
        "/admin/account/second-factor/on", form, form="/admin/account/second-factor"
    )
    assert reply.status_code == 200
    codes = re.findall(r"<code>([0-9A-Z ]+)</code>", reply.get_data(as_text=True))
    return key, codes


def first_step(app, name="ada", password=PASSWORD):
    someone = Researcher(app.test_client())
    return someone, someone.post("/admin/sign-in", {"name": name, "password": password})


def second_step(someone, code):
    return someone.post("/admin/sign-in/code", {"code": code}).status_code


def is_in(someone):
    return someone.client.get("/admin/").status_code == 200


# --- the codes


def test_the_key_is_derived_as_the_docstring_says():
    derived = hmac.new(SECRET.encode(), b"candor second factor\0" + SALT, hashlib.sha256).digest()
    assert b32decode(KEY) == derived[:20]
    assert len(KEY) == 32
    assert second_factor.derive_totp_key(SECRET, bytes(16)) != KEY
    assert second_factor.derive_totp_key("j" * 64, SALT) != KEY


@pytest.mark.parametrize(
    ("moment", "code"),
    [  # RFC 6238, appendix B, for SHA-1, with the last six of the eight digits
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(moment, code):
    key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"  # 12345678901234567890
    step = moment // 30
    assert second_factor.step_of(key, code, moment) == step
    assert second_factor.step_of(key, f"{code[:3]} {code[3:]}", moment) == step
    assert second_factor.step_of(key, code, moment + 30) == step
    assert second_factor.step_of(key, code, moment - 30) == step
    assert second_factor.step_of(key, code, moment + 60) is None
    assert second_factor.step_of(key, code, moment - 60) is None


@pytest.mark.parametrize(
    "typed", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "-12345", "１２３４５６"]
)
def test_what_is_no_code_fits_nothing(typed):
    assert second_factor.step_of(KEY, typed, 59) is None


def test_the_qr_code_holds_what_apps_read():
    address = second_factor.app_address(KEY, "ada@x.org", "survey.example.org")
    read = pyotp.parse_uri(address)
    assert (read.secret, read.name, read.issuer) == (KEY, "ada@x.org", "Candor survey.example.org")
    assert (read.interval, read.digits) == (30, 6)


def test_recovery_codes_are_random_and_read_as_people_type_them():
    codes = second_factor.new_recovery_codes()
    assert len(set(codes)) == 10
    for code in codes:
        stored = hashlib.sha256(code.encode()).digest()
        assert second_factor.recovery_hash(code_in_groups(code).lower()) == stored
    assert second_factor.recovery_hash("123456") is None


# --- turning it on


def test_it_is_on_once_a_code_was_right(app, store, researcher, clock):
    researcher.post("/admin/account/second-factor/begin", form="/admin/account")
    key = key_on(researcher)
    assert not store.factors.second_factor("ada").on
    assert first_step(app)[1].location == "/admin/"  # so far the password is sufficient
    path = "/admin/account/second-factor"
    for form, words in (
        (
            {"own": PASSWORD, "code": wrong_code(key, clock.now)},
            "Type the code that the app shows now",
        ),
        ({"own": PASSWORD, "code": ""}, "Type the code."),
        (
            {"own": "wrong", "code": code_at(key, clock.now)},
            "This is not your current password.",
        ),
    ):
        reply = researcher.post(f"{path}/on", form, form=path)
        assert reply.status_code == 422
        page = reply.get_data(as_text=True)
        assert words in page
        assert " ".join(key[n : n + 4] for n in range(0, 32, 4)) in page  # the same key as before
    assert not store.factors.second_factor("ada").on
    elsewhere, _ = first_step(app)
    reply = researcher.post(f"{path}/on", {"own": PASSWORD, "code": code_at(key, clock.now)}, path)
    page = reply.get_data(as_text=True)
    assert store.factors.second_factor("ada").on
    assert len(re.findall("<code>", page)) == 10
    assert not is_in(elsewhere)
    assert is_in(researcher)
    again = researcher.client.get(path).get_data(as_text=True)
    assert "Turn off second factor" in again  # nothing is shown twice
    # Four random characters would be in the page, or in its CSRF token, in 1 of 300,000 runs.
    assert f"{key[:4]} {key[4:8]}" not in again
    assert key not in again


def test_one_that_is_on_is_not_begun_or_confirmed_anew(store, researcher, clock):
    turn_on(researcher, clock)
    before = store.factors.second_factor("ada")
    with pytest.raises(StateError, match="already on"):
        store.factors.begin_second_factor("ada", bytes(16))
    with pytest.raises(StateError, match="already on"):
        store.factors.confirm_second_factor("ada", 5, [])
    begun = researcher.post("/admin/account/second-factor/begin", form="/admin/account/password")
    assert begun.status_code == 409
    assert store.factors.second_factor("ada") == before


@pytest.mark.sqlite_only
def test_a_stolen_database_holds_no_key_and_no_recovery_code(store, settings, researcher, clock):
    key, codes = turn_on(researcher, clock)
    store.compact()
    stolen = Path(settings.database).read_bytes()
    assert store.factors.second_factor("ada").salt in stolen  # stored values are found
    for secret in (key.encode(), b32decode(key), b32decode(key).hex().encode()):
        assert secret not in stolen
    for code in codes:
        assert code.encode() not in stolen
        assert code.replace(" ", "").encode() not in stolen


def test_the_page_with_the_key_runs_nothing_and_is_kept_nowhere(researcher, clock):
    researcher.post("/admin/account/second-factor/begin", form="/admin/account")
    reply = researcher.client.get("/admin/account/second-factor")
    page = reply.get_data(as_text=True)
    assert "<svg" in page
    assert not re.search(r"style=|<style|<script|data:|<image|onload", page)
    assert reply.headers["Cache-Control"] == "no-store"


# --- signing in


def test_signing_in_takes_two_steps(app, researcher, clock):
    key, _ = turn_on(researcher, clock)
    someone, reply = first_step(app)
    assert reply.location == "/admin/sign-in/code"
    assert not is_in(someone)
    assert second_step(someone, code_at(key, clock.now)) == 302
    assert is_in(someone)


def test_whoever_did_not_turn_it_on_signs_in_as_before(app, researcher, clock):
    signed_in(app, "bob", "editor")
    turn_on(researcher, clock)
    assert is_in(first_step(app, "bob")[0])


def test_a_code_is_good_once(app, researcher, clock):
    key, _ = turn_on(researcher, clock)
    code = code_at(key, clock.now)
    assert second_step(first_step(app)[0], code) == 302
    assert second_step(first_step(app)[0], code) == 401
    # A code of a step before it is refused too, although it would be in the window.
    assert second_step(first_step(app)[0], code_at(key, clock.now - 30)) == 401
    assert second_step(first_step(app)[0], code_at(key, clock.now + 30)) == 302
    clock.now -= 3600  # a clock that is set back makes no old code valid
    assert second_step(first_step(app)[0], code_at(key, clock.now)) == 401


def test_the_code_that_turned_it_on_does_not_sign_in(app, researcher, clock):
    key, _ = turn_on(researcher, clock)
    assert second_step(first_step(app)[0], code_at(key, clock.now - 30)) == 401


@pytest.mark.parametrize("late", [-2, -1, 0, 1, 2])
def test_clocks_may_differ_by_one_step(app, researcher, clock, late):
    key, _ = turn_on(researcher, clock)
    clock.now += 300
    status = second_step(first_step(app)[0], code_at(key, clock.now + 30 * late))
    assert status == (302 if abs(late) <= 1 else 401)


def test_of_many_with_the_same_code_at_once_one_passes(app, store, researcher, clock):
    key, codes = turn_on(researcher, clock)
    for typed in (code_at(key, clock.now), codes[0]):
        passed = []

        def use(typed=typed, passed=passed):
            with app.app_context():
                if auth.code_fits("ada", typed):
                    passed.append(typed)

        threads = [threading.Thread(target=use) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert passed == [typed]


def test_a_recovery_code_signs_in_once(app, store, researcher, clock):
    _, codes = turn_on(researcher, clock)
    someone, _ = first_step(app)
    assert second_step(someone, codes[3].lower()) == 302
    assert is_in(someone)
    assert second_step(first_step(app)[0], codes[3]) == 401
    assert store.factors.second_factor("ada").recovery_codes == 9
    assert second_step(first_step(app)[0], codes[4]) == 302
    page = researcher.client.get("/admin/account").get_data(as_text=True)
    assert "<dt>Recovery codes left</dt><dd>8</dd>" in page


def test_nobody_elses_code_is_good(app, researcher, clock):
    key, codes = turn_on(researcher, clock)
    bob = signed_in(app, "bob", "editor")
    other, _ = turn_on(bob, clock)
    # By chance, one of two codes is also a code of Bob.
    of_bob = {code_at(other, clock.now + 30 * step) for step in (-1, 0, 1)}
    now_or_next = [code_at(key, clock.now + 30 * step) for step in (0, 1)]
    someone, _ = first_step(app, "bob")
    for code in (next(each for each in now_or_next if each not in of_bob), codes[0]):
        assert second_step(someone, code) == 401


def test_guessing_codes_is_throttled_by_the_account(app, researcher, clock):
    key, _ = turn_on(researcher, clock)
    statuses = []
    for _ in range(10):  # the one that turned it on counts, too
        someone, _ = first_step(app)
        someone.client.environ_base["REMOTE_ADDR"] = f"10.0.0.{len(statuses)}"
        statuses.append(second_step(someone, wrong_code(key, clock.now)))
    assert statuses == [401] * 9 + [429]
    assert second_step(first_step(app)[0], code_at(key, clock.now)) == 429


def test_nothing_tells_of_a_second_factor_before_the_password_is_right(app, researcher, clock):
    turn_on(researcher, clock)
    signed_in(app, "bob", "editor")
    pages = []
    for name in ("ada", "bob", "nobody"):
        someone, reply = first_step(app, name, "wrong password")
        assert reply.status_code == 401
        page = reply.get_data(as_text=True).replace(f'value="{name}"', "")
        code = someone.client.get("/admin/sign-in/code")
        pages.append((re.sub(r'value="[^"]{30,}"', "", page), code.status_code, code.location))
    assert pages[0] == pages[1] == pages[2]
    assert pages[0][1:] == (302, "/admin/sign-in")


def test_a_session_that_waits_for_the_code_opens_no_page_and_ends_after_five_minutes(
    app, store, researcher, clock
):
    turn_on(researcher, clock)
    opened(store, definition())
    someone, _ = first_step(app)
    for path in ("/admin/", "/admin/account", "/admin/surveys/health/responses.csv"):
        assert someone.client.get(path).location == "/admin/sign-in"
    assert someone.client.get("/admin/sign-in/code").status_code == 200
    clock.now += 301
    assert someone.client.get("/admin/sign-in/code").location == "/admin/sign-in"
    assert not is_in(someone)


def test_the_session_of_the_second_step_is_a_new_one(app, store, researcher, clock):
    key, _ = turn_on(researcher, clock)
    someone, _ = first_step(app)

    def token():
        with someone.client.session_transaction(base_url="http://localhost/admin/") as session:
            return session["token"]

    before = token()
    second_step(someone, code_at(key, clock.now))
    assert token() != before
    assert store.accounts.session(token_hash(before).hex()) is None


def test_signing_out_everywhere_ends_a_waiting_session_too(app, researcher, clock):
    turn_on(researcher, clock)
    someone, _ = first_step(app)
    researcher.post("/admin/account/sign-out-everywhere", form="/admin/account")
    assert someone.client.get("/admin/sign-in/code").location == "/admin/sign-in"


# --- turning it off, and losing it


@pytest.mark.parametrize(
    ("own", "code", "words"),
    [
        ("wrong", "good", "This is not your current password."),
        (PASSWORD, "other", "wrong, or was already used"),
        (PASSWORD, "", "Type the code."),
    ],
)
def test_turning_it_off_asks_for_password_and_code(store, researcher, clock, own, code, words):
    key, _ = turn_on(researcher, clock)
    path = "/admin/account/second-factor"
    codes = {"good": code_at(key, clock.now), "other": wrong_code(key, clock.now), "": ""}
    form = {"own": own, "code": codes[code]}
    reply = researcher.post(f"{path}/off", form, form=path)
    assert reply.status_code == 422
    assert words in reply.get_data(as_text=True)
    assert store.factors.second_factor("ada").on


def test_turned_off_it_is_gone_with_its_codes_and_the_next_one_has_another_key(
    app, store, researcher, clock
):
    key, codes = turn_on(researcher, clock)
    elsewhere, _ = first_step(app)
    second_step(elsewhere, codes[0])
    path = "/admin/account/second-factor"
    form = {"own": PASSWORD, "code": code_at(key, clock.now)}
    assert researcher.post(f"{path}/off", form, form=path).status_code == 302
    assert store.factors.second_factor("ada") is None
    assert not is_in(elsewhere)
    assert is_in(first_step(app)[0])
    clock.now += 300
    other, new_codes = turn_on(researcher, clock)
    assert other != key
    assert not set(codes) & set(new_codes)
    assert second_step(first_step(app)[0], codes[1]) == 401


def test_with_another_secret_key_recovery_codes_still_sign_in(
    app, settings, store, researcher, clock
):
    key, codes = turn_on(researcher, clock)
    other = create_app(replace(settings, secret_key="j" * 64))
    assert second_step(first_step(other)[0], code_at(key, clock.now)) == 401
    assert second_step(first_step(other)[0], codes[0]) == 302
    other.extensions["candor.store"].close()


# --- required of everyone


def test_where_all_need_one_whoever_has_none_gets_only_to_setting_it_up(settings, store, clock):
    app = create_app(replace(settings, second_factor=True))
    app.load_routes()
    sign_in_limits.limiter.reset()
    researcher = signed_in(app)
    opened(store, definition())
    for path in ("/admin/", "/admin/people", "/admin/surveys/health/responses.csv"):
        assert researcher.client.get(path).location == "/admin/account"
    closing = researcher.post("/admin/surveys/health/close", form="/admin/account")
    assert closing.location == "/admin/account"
    assert store.surveys.by_slug("health").state == "open"
    assert store.audit.acts() == []
    page = researcher.client.get("/admin/account").get_data(as_text=True)
    assert "This server requires a second factor" in page
    turn_on(researcher, clock)
    assert is_in(researcher)
    app.extensions["candor.store"].close()
