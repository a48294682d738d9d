"""The researchers' pages, over HTTP."""

import cProfile
import csv
import html
import io
import json
import math
import pstats
import re
import time
import unicodedata
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import segno
from flask import url_for
from werkzeug.security import check_password_hash, generate_password_hash

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.number_text import significant
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, ROLES, Account, Session
from survey.web import auth
from survey.web.demo import add_demo
from tests.support.builder_forms import Form, filled, hidden, sent_again
from tests.support.cheaper import PRODUCT_HASH
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, FIELDS, SAMPLED, TRUTH, letters
from tests.support.researchers import PASSWORD, Researcher, password_hash, signed_in

SIGN_OUT = {"admin.sign_out", "admin.sign_out_everywhere"}
OPEN_TO_ALL = {"admin.sign_in", "admin.second_step", "admin.setup", "admin.join"}


def filled_in(rule, text):
    """A route with this value in its placeholders, or with a number or word where needed."""
    values = dict(rule.defaults or {})
    for name in rule.arguments - values.keys():
        converter = rule._converters[name]
        few = sorted(getattr(converter, "items", ()))
        values[name] = 7 if converter.regex == r"\d+" else few[0] if few else text
    return values


# --- access


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_every_route_is_closed_to_lesser_roles(app, store, role):
    opened(store, definition())
    someone = signed_in(app, "bob", role)
    token = someone.token("/admin/")
    walked = Counter()
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("admin.") or rule.endpoint in OPEN_TO_ALL | SIGN_OUT:
            continue
        needed = app.view_functions[rule.endpoint].role
        with app.test_request_context():
            path = url_for(rule.endpoint, **filled_in(rule, "unknown"))
        enough = ROLES.index(role) >= ROLES.index(needed)
        # A survey that a member does not reach is answered like one that does not exist.
        hidden = role == MEMBER and "slug" in rule.arguments and rule.endpoint != "admin.edit"
        for method in rule.methods & {"GET", "POST"}:
            reply = someone.client.open(path, method=method, data={"csrf_token": token})
            if hidden:
                assert reply.status_code == 404, rule
            elif rule.endpoint == "admin.edit" and role == MEMBER:
                assert reply.status_code == (403 if method == "POST" else 404)
            else:
                assert (reply.status_code != 403) == enough, rule
            if reply.status_code == 403:
                assert re.search(
                    rf"This action needs the role .{{1,6}}{needed}", reply.get_data(as_text=True)
                )
            walked[enough] += 1
    assert walked[True] >= 6
    assert (walked[False] >= 6) == (role != "owner")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "single"),
    [(ANALYST, None), (EDITOR, None), (OWNER, None), (MEMBER, ANALYST), (MEMBER, EDITOR)],
)
def test_no_page_offers_what_its_reader_may_not_do(app, store, role, single):
    """All links and forms on the pages of drafts, open and closed surveys, and on the list."""
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(slug="open", invitations=True))
    opened(store, definition(slug="closed"), "closed")
    someone = signed_in(app, "bob", role)
    if single:
        for slug in ("draft", "open", "closed"):
            store.accounts.set_survey_role("bob", slug, single)
    pages = ["/admin/", "/admin/account"]
    for slug in ("draft", "open", "closed"):
        pages += [f"/admin/surveys/{slug}", f"/admin/surveys/{slug}/plan"]
    pages += ["/admin/surveys/open/results", "/admin/surveys/closed/results"]
    offered = set()
    for path in pages:
        reply = someone.client.get(path)
        assert reply.status_code == 200, path
        links = [("GET", at) for at in re.findall(r'href="(/admin[^"#?]*)', reply.text)]
        forms = re.findall(r'<form method="(\w+)" action="(/admin[^"#?]*)', reply.text)
        for method, address in links + [(method.upper(), at) for method, at in forms]:
            endpoint = app.url_map.bind("localhost").match(address, method=method)[0]
            if endpoint in OPEN_TO_ALL | SIGN_OUT:
                continue
            needed = app.view_functions[endpoint].role
            highest = single or role
            assert ROLES.index(highest) >= ROLES.index(needed), f"{path} offers {address}"
            offered.add(endpoint)
    assert len(offered) >= 8
    assert ("admin.open_survey" in offered) == (highest != "analyst")
    assert ("admin.people" in offered) == (role == "owner")


def test_a_stranger_with_a_token_is_still_a_stranger(app, store, researcher):
    opened(store, definition())
    stranger = Researcher(app.test_client())
    reply = stranger.post("/admin/surveys/health/close", form="/admin/sign-in")
    assert reply.status_code == 302
    assert store.surveys.by_slug("health").state == "open"


def test_the_setup_link_makes_the_first_account_and_works_once(app, store):
    store.accounts.set_setup_token(token_hash("one-time").hex())
    first = Researcher(app.test_client())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD}
    assert first.post("/admin/setup?token=one-time", form).status_code == 302
    assert b"Surveys" in first.client.get("/admin/").data
    reply = app.test_client().get("/admin/setup?token=one-time")
    assert reply.status_code == 401
    assert b"no longer works" in reply.data
    assert app.test_client().get("/admin/setup?token=guessed").status_code == 401


def test_who_has_only_the_examples_is_told_where_to_begin(app, store, researcher):
    def texts(someone):
        page = someone.client.get("/admin/").get_data(as_text=True)
        return page, re.findall(r'<a href="([^"]+)">[\w ]+</a>', page)

    page, links = texts(researcher)
    assert "Get started" in page
    assert "/admin/surveys/new" in links
    assert "/s/smoking-and-exams" not in links  # there is no demo
    add_demo(store)
    page, links = texts(researcher)
    assert page.count('<span class="tag">example</span>') == 11
    for address in links:
        assert researcher.client.get(address).status_code == 200, address
    assert {"/s/smoking-and-exams", "/admin/people/add"} < set(links)
    page, links = texts(signed_in(app, "bob", ANALYST))
    assert "/admin/surveys/smoking-and-exams-simulated/results" in links
    assert "/admin/people/add" not in links
    example = researcher.client.get("/admin/surveys/smoking-and-exams").get_data(as_text=True)
    assert '<dd>open <span class="tag">example</span></dd>' in example
    store.surveys.save_draft(parse_survey(definition(title="Smoking and exams")))
    page = researcher.client.get("/admin/").get_data(as_text=True)
    assert "Get started" not in page
    assert page.count('<span class="tag">example</span>') == 11  # the researcher's own has none


def test_the_preview_leads_back_and_the_page_of_respondents_does_not(store, researcher, client):
    opened(store, definition())
    back = '<a href="/admin/surveys/health">Back to the survey’s overview</a>'
    assert back in researcher.client.get("/admin/surveys/health/preview").get_data(as_text=True)
    assert "/admin" not in client.get("/s/health").get_data(as_text=True)


@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_link_for_respondents_comes_as_a_qr_code(store, researcher, kind, starts):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert f'href="/admin/surveys/health/link.{kind}" download="health-link.{kind}"' in page
    reply = researcher.client.get(f"/admin/surveys/health/link.{kind}")
    assert reply.data.startswith(starts)
    same = segno.make("http://127.0.0.1:8000/s/health", micro=False)
    picture = io.BytesIO()
    same.save(picture, kind=kind, border=4, scale=4 if kind == "svg" else 20, light="#fff")
    assert reply.data == picture.getvalue()
    assert researcher.client.get(f"/admin/surveys/none/link.{kind}").status_code == 404


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "short", "again": "short"}, "at least 12 characters"),
        ({"again": "something else!"}, "The two passwords are different"),
        ({"name": "a b"}, "Use at most 64 characters: letters, digits"),
        ({"name": ""}, "Choose a sign-in name"),
    ],
)
def test_setup_says_what_is_wrong(app, store, change, words):
    store.accounts.set_setup_token(token_hash("one-time").hex())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD} | change
    reply = Researcher(app.test_client()).post("/admin/setup?token=one-time", form)
    assert words in reply.get_data(as_text=True)
    assert not store.accounts.has_accounts()


def test_a_wrong_password_and_an_unknown_name_look_the_same(app, store, researcher):
    pages = []
    for name in ("ada", "bob"):
        reply = Researcher(app.test_client()).post(
            "/admin/sign-in", {"name": name, "password": "wrong"}
        )
        assert reply.status_code == 401
        page = reply.get_data(as_text=True).replace(f'value="{name}"', "")
        pages.append(re.sub(r'value="[^"]{30,}"', "", page))
    assert "Wrong sign-in name or password" in pages[0]
    assert pages[0] == pages[1]


def test_passwords_of_the_product_are_slow_to_guess():
    """Tests hash at a hundredth of the cost. N = 2^15, r = 8, p = 1 needs 32 MB for each guess."""
    made = generate_password_hash(PASSWORD, PRODUCT_HASH)
    assert made.startswith("scrypt:32768:8:1$")
    assert auth.HASH != PRODUCT_HASH
    assert check_password_hash(made, PASSWORD)


def test_a_name_or_password_left_out_is_said_beside_the_field(app):
    page = Researcher(app.test_client()).post("/admin/sign-in", {}).get_data(as_text=True)
    assert "Type your sign-in name." in page
    assert "Type your password." in page


def test_guessing_is_throttled(app, store):
    store.accounts.add_account(Account("ada", OWNER, password_hash()))
    visitor = Researcher(app.test_client())
    for _ in range(3):
        good = visitor.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
        assert good.status_code == 302
    guesses = [
        visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"}).status_code
        for n in range(14)
    ]
    assert guesses == [401] * 12 + [429] * 2


def test_behind_a_proxy_each_client_has_its_own_guesses(settings, store):
    app = create_app(replace(settings, proxies=1))

    def guess(address, name):
        visitor = Researcher(app.test_client())
        visitor.client.environ_base["HTTP_X_FORWARDED_FOR"] = f"6.6.6.6, {address}"
        return visitor.post("/admin/sign-in", {"name": name, "password": "x"}).status_code

    assert [guess("10.0.0.1", f"name {n}") for n in range(16)] == [401] * 15 + [429]
    assert guess("10.0.0.2", "ada") == 401
    app.extensions["candor.store"].close()


def test_addresses_of_one_ipv6_network_have_their_guesses_together(app):
    """One connection to a provider has 2^64 addresses."""

    def guess(address, number):
        visitor = Researcher(app.test_client())
        visitor.client.environ_base["REMOTE_ADDR"] = address
        # The names differ, because each name has its own limit.
        sent = {"name": f"name {number}", "password": "x"}
        return visitor.post("/admin/sign-in", sent).status_code

    together = [guess(f"2001:db8::{number:x}", number) for number in range(16)]
    assert together == [401] * 15 + [429]
    assert guess("2001:db8:0:1::1", 16) == 401


def test_throttling_says_so_in_a_sentence(app):
    visitor = Researcher(app.test_client())
    for n in range(16):
        reply = visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"})
    assert b"Too many attempts" in reply.data


def test_signing_in_makes_a_new_session_and_ends_the_old_one(app, store, researcher):
    def token():
        with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
            return session["token"]

    before = token()
    researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    assert token() != before
    assert store.accounts.session(token_hash(before).hex()) is None


def test_signing_out_ends_the_session_on_the_server(store, researcher):
    with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
        token = session["token"]
    assert researcher.post("/admin/sign-out", form="/admin/").status_code == 302
    assert store.accounts.session(token_hash(token).hex()) is None
    assert researcher.client.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    ("created", "seen", "good"),
    [
        (0, 0, True),
        (3 * 3600, 3600, True),
        (3 * 3600, 2 * 3600 + 5, False),  # idle for two hours
        (12 * 3600 + 5, 5, False),  # twelve hours in total
    ],
)
def test_sessions_end_by_idling_and_by_age(app, store, created, seen, good):
    store.accounts.add_account(Account("ada", OWNER, password_hash()))
    now = int(time.time())
    store.accounts.add_session(token_hash("t").hex(), Session("ada", now - created, now - seen))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "t"
    assert client.get("/admin/").status_code == (200 if good else 302)


def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_respondents(researcher):
    reply = researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    cookie = reply.headers["Set-Cookie"]
    assert cookie.startswith("candor=")
    for part in ("HttpOnly", "SameSite=Strict", "Path=/admin"):
        assert part in cookie


def test_with_https_the_cookie_is_secure_and_browsers_are_told_to_insist(settings, tmp_path):
    app = create_app(replace(settings, url="https://survey.example.org"))
    store = app.extensions["candor.store"]
    store.accounts.add_account(Account("ada", OWNER, password_hash()))
    client = app.test_client()
    page = client.get("/admin/sign-in", base_url="https://survey.example.org")
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.get_data(as_text=True))[1]
    reply = client.post(
        "/admin/sign-in",
        data={"name": "ada", "password": PASSWORD, "csrf_token": token},
        base_url="https://survey.example.org",
        headers={"Referer": "https://survey.example.org/admin/sign-in"},
    )
    assert reply.status_code == 302
    assert reply.headers["Set-Cookie"].startswith("__Secure-candor=")
    assert "Secure;" in reply.headers["Set-Cookie"]
    assert reply.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    store.close()


# --- building


def test_a_survey_is_built_previewed_opened_and_closed(store, researcher):
    reply = researcher.post("/admin/surveys/new", filled(title="Đời sống & Health"))
    assert reply.location == "/admin/surveys/doi-song-health"
    page = researcher.client.get(reply.location).get_data(as_text=True)
    assert "Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”." in page
    assert "Pre-launch checklist" in page
    preview = researcher.client.get(f"{reply.location}/preview").get_data(as_text=True)
    assert "Preview: this page sends nothing" in preview
    assert "data-endpoint" not in preview
    seen = {"fingerprint": hidden(researcher, reply.location, "fingerprint"), "looked": "yes"}
    researcher.post(f"{reply.location}/open", seen, form=reply.location)
    assert store.surveys.by_slug("doi-song-health").state == "open"
    assert researcher.client.get("/s/doi-song-health").status_code == 200
    researcher.post(f"{reply.location}/close", form=reply.location)
    assert researcher.client.get("/s/doi-song-health").status_code == 410
    researcher.post(f"{reply.location}/open", form=reply.location)
    assert store.surveys.by_slug("doi-song-health").state == "open"


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({"privacy": "gamma", "gamma": "0.3"}, ((4, 1), (1, 4))),
        ({"privacy": "epsilon", "epsilon": "1.0986122886681098"}, ((3, 1), (1, 3))),
        ({"privacy": "other", "other": '{"mechanism": "warner", "p": "2/3"}'}, ((2, 1), (1, 2))),
        (
            {"type": "select_one", "choices": "One\nb | Two\nสาม"},
            ((4, 1, 1), (1, 4, 1), (1, 1, 4)),
        ),
    ],
)
def test_each_kind_of_protection_can_be_chosen(store, researcher, change, rows):
    assert researcher.post("/admin/surveys/new", filled(**change)).status_code == 302
    question = store.surveys.by_slug("health").survey.questions[0]
    assert question.randomizer.rows == rows
    shown = "medium" if question.type == "yes_no" else "coin_flip"
    # The form shows it unchanged.
    form = sent_again(researcher, "/admin/surveys/health/edit")
    assert form["questions-0-privacy"] == change.get("privacy", shown)
    seen = {"seen": hidden(researcher, "/admin/surveys/health/edit", "seen")}
    again = researcher.post("/admin/surveys/health/edit", filled(**change) | seen)
    assert again.status_code == 302
    assert store.surveys.by_slug("health").survey.questions[0] == question


# Typed texts of the builder, and the resulting definition. The first question is private.
TYPED = {
    "prefer not to say": (
        {"prefer_not_to_say": "y", "privacy": "epsilon", "epsilon": "0.5"},
        {"type": "yes_no", "prefer_not_to_say": True, "privacy": {"epsilon": "0.5"}},
    ),
    "boxes": (
        {"type": "select_multiple", "choices": "x | One\ny | Two\nz | Three",
         "privacy": "epsilon", "epsilon": "2"},
        {"type": "select_multiple", "privacy": {"epsilon": "2"},
         "choices": [{"name": n, "label": label}
                     for n, label in (("x", "One"), ("y", "Two"), ("z", "Three"))]},
    ),
    "boxes, as JSON": (
        {"type": "select_multiple", "choices": "One\nTwo\nThree\nFour", "privacy": "other",
         "other": '{"mechanism": "sampled_boxes", "odds": 3, "sample": 2}'},
        {"type": "select_multiple", "choices": [
            {"name": n.lower(), "label": n} for n in ("One", "Two", "Three", "Four")],
         "privacy": {"mechanism": "sampled_boxes", "odds": 3, "sample": 2}},
    ),
    "scale": (
        {"type": "scale", "choices": "low\nmiddle\nhigh", "privacy": "mean"},
        {"type": "scale", "privacy": {"epsilon": "1", "goal": "mean"},
         "choices": [{"name": n, "label": n} for n in ("low", "middle", "high")]},
    ),
    "number": (
        {"type": "number", "min": "0", "max": " 10 ", "step": "0.5", "unit": " hours",
         "privacy": "epsilon"},
        {"type": "number", "min": 0, "max": 10, "step": 0.5, "unit": "hours",
         "privacy": {"epsilon": "1"}},
    ),
    "number for its mean": (
        {"type": "number", "min": "-5", "max": "5", "privacy": "mean"},
        {"type": "number", "min": -5, "max": 5, "step": 1,
         "privacy": {"epsilon": "1", "goal": "mean"}},
    ),
    "number for its quantiles": (
        {"type": "number", "min": "-5", "max": "5", "privacy": "quantiles"},
        {"type": "number", "min": -5, "max": 5, "step": 1,
         "privacy": {"epsilon": "1", "goal": "quantiles"}},
    ),
    "number for its quantiles, with a protection level": (
        {"type": "number", "min": "0", "max": "40", "privacy": "strong", "goal": "quantiles"},
        {"type": "number", "min": 0, "max": 40, "step": 1,
         "privacy": {"epsilon": "0.5", "goal": "quantiles"}},
    ),
    "number in Thai digits": (
        {"type": "number", "min": "๑", "max": "๒๐", "privacy": "none"},
        {"type": "number", "min": 1, "max": 20, "step": 1, "privacy": "none"},
    ),
    "number with points, as JSON": (
        {"type": "number", "min": "0", "max": "1000", "privacy": "other",
         "other": '{"mechanism": "window", "epsilon": 1, "points": 6}'},
        {"type": "number", "min": 0, "max": 1000, "step": 1,
         "privacy": {"mechanism": "window", "epsilon": 1, "points": 6}},
    ),
    "text": (
        {"type": "text", "privacy": "coin_flip", "choices": "left\nover", "otherwise": "left"},
        {"type": "text", "privacy": "none"},
    ),
    "note": ({"type": "note", "privacy": "coin_flip", "prefer_not_to_say": "y"}, {"type": "note"}),
    "asked of some": (
        {"relevant": "first: no", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"first": ["no"]}, "privacy": {"epsilon": "1"}},
    ),
    "asked of some, else an answer": (
        {"relevant": "\r\n first:no , yes\r\n", "otherwise": " no ", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"first": ["yes", "no"]}, "otherwise": "no",
         "privacy": {"epsilon": "1"}},
    ),
    "boxes asked of some, else none": (
        {"type": "select_multiple", "choices": "a\nb", "relevant": "first: yes",
         "otherwise": "-", "privacy": "epsilon"},
        {"type": "select_multiple", "choices": letters("ab"), "relevant": {"first": ["yes"]},
         "otherwise": [], "privacy": {"epsilon": "1"}},
    ),
    "boxes asked of some, else two": (
        {"type": "select_multiple", "choices": "a\nb\nc", "relevant": "first: yes",
         "otherwise": "c, a", "privacy": "epsilon"},
        {"type": "select_multiple", "choices": letters("abc"), "relevant": {"first": ["yes"]},
         "otherwise": ["a", "c"], "privacy": {"epsilon": "1"}},
    ),
    "asked by a range": (
        {"relevant": "age: 18 to 65", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 18, "max": 65}},
         "privacy": {"epsilon": "1"}},
    ),
    "asked from a value on": (
        {"relevant": "age: at least 17.5", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 17.5}}, "privacy": {"epsilon": "1"}},
    ),
    "asked up to a small value": (
        {"relevant": "age: at most 0.00001", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"max": 0.00001}}, "privacy": {"epsilon": "1"}},
    ),
    "asked by two earlier ones": (
        {"relevant": "age: at least 18\nfirst: yes", "privacy": "epsilon"},
        {"type": "yes_no", "relevant": {"age": {"min": 18}, "first": ["yes"]},
         "privacy": {"epsilon": "1"}},
    ),
}  # fmt: skip
FIRST = {"name": "first", "label": "First?"}
AGE = {"name": "age", "label": "Age?", "type": "number", "min": "0", "max": "120", "unit": "years",
       "privacy": "epsilon"}  # fmt: skip


def as_written(question):
    """A question in the form of a definition, with the labels as typed."""
    entry = question.as_definition()
    for choice in entry.get("choices", []):
        choice["label"] = choice["label"].upper() if len(choice["label"]) == 1 else choice["label"]
    return entry


@pytest.mark.parametrize(("typed", "written"), TYPED.values(), ids=list(TYPED))
def test_each_type_is_built_and_comes_back_into_the_form_as_it_was(
    store, researcher, typed, written
):
    typed = {"name": "last", "label": "Last?", "hint": "A hint.", **typed}
    form = filled(FIRST, AGE, typed)
    assert researcher.post("/admin/surveys/new", form).status_code == 302
    *_, question = store.surveys.by_slug("health").survey.questions
    expected = {"name": "last", "label": "Last?", "hint": "A hint.", **written}
    found = as_written(question)
    if question.type == "yes_no":
        del found["choices"]
    assert found == expected
    # The form as a browser sends it again, without changes.
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert again["questions-2-type"] == question.type
    reply = researcher.client.post("/admin/surveys/health/edit", data=again)
    assert reply.status_code == 302
    assert store.surveys.by_slug("health").survey.questions[-1] == question


def test_a_survey_of_every_type_is_the_same_after_the_builder(store, researcher):
    """Parsed from a definition, shown in the form, sent by a browser, and parsed again."""
    for content in (EVERY_TYPE, SAMPLED | {"slug": "some"}):  # The builder stores texts apart.
        before = parse_survey(content)
        store.surveys.save_draft(before)
        path = f"/admin/surveys/{before.slug}/edit"
        again = sent_again(researcher, path)
        assert researcher.client.post(path, data=again).status_code == 302
        after = store.surveys.by_slug(before.slug).survey
        assert after.budget == before.budget
        for old, new in zip(before.questions, after.questions, strict=True):
            assert (old.randomizer, old.relevant, old.special_answers, old.grid) == (
                new.randomizer, new.relevant, new.special_answers, new.grid,
            )  # fmt: skip
            assert (old.choices, old.label, old.hint) == (new.choices, new.label, new.hint)
            assert str(old.otherwise) == str(new.otherwise)


@pytest.mark.parametrize("budget", ["3", "2.1972245773362196", "1234567", "0.00001"])
def test_a_budget_is_the_same_after_the_builder(store, researcher, budget):
    question = {"name": "", "privacy": "none" if budget == "0.00001" else "coin_flip"}
    researcher.post("/admin/surveys/new", filled(question, question, budget=budget))
    data = sent_again(researcher, "/admin/surveys/health/edit")
    assert float(data["budget"]) == float(budget)
    assert researcher.client.post("/admin/surveys/health/edit", data=data).status_code == 302


def test_a_sample_of_the_private_questions_is_chosen_and_changed(store, researcher):
    three = [FIRST, AGE, {"name": "last"}]
    reply = researcher.post("/admin/surveys/new", filled(*three, sample=" 2 ", budget="2.2"))
    assert reply.status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert (survey.budget.sample, survey.budget.epsilon) == (2, 2.2)
    again = sent_again(researcher, "/admin/surveys/health/edit")
    assert again["sample"] == "2"
    again["sample"] = again["budget"] = ""
    researcher.client.post("/admin/surveys/health/edit", data=again)
    assert store.surveys.by_slug("health").survey.budget.sample is None


def test_a_draft_has_composed_letters(store, researcher):
    typed = {"title": "Sức khoẻ", "label": "Hút thuốc không?", "choices": "có\nkhông"}
    apart = {key: unicodedata.normalize("NFD", text) for key, text in typed.items()}
    assert apart["label"] != typed["label"]
    title = apart.pop("title")
    researcher.post("/admin/surveys/new", filled({"type": "select_one"} | apart, title=title))
    survey = store.surveys.by_slug("suc-khoe").survey
    assert (survey.title, survey.questions[0].label) == (typed["title"], typed["label"])
    assert [(choice.name, choice.label) for choice in survey.questions[0].choices] == [
        ("co", "có"), ("khong", "không"),
    ]  # fmt: skip


def test_choices_get_names(store, researcher):
    researcher.post(
        "/admin/surveys/new", filled(type="select_one", choices="Very often\n b |Two\nสาม")
    )
    names = [choice.name for choice in store.surveys.by_slug("health").survey.questions[0].choices]
    assert names == ["very_often", "b", "sam"]
    researcher.post(
        "/admin/surveys/new", filled(slug="b", type="select_one", choices="< 1000\n> 1000\nA+\nA-")
    )
    names = [choice.name for choice in store.surveys.by_slug("b").survey.questions[0].choices]
    assert names == ["1000", "1000_2", "a", "a-"]


@check_each(
    ("change", "words"),
    [
        (
            {"title": "…"},
            "Survey address: Candor cannot make an address from the title. Type one, such as",
        ),
        ({"slug": "Has Space"}, "Survey address: use at most 63 characters: lower-case letters"),
        ({"title": ""}, "Title: type a title."),
        ({"label": "a\x00b"}, "Question 1: it contains a control character"),
        ({"privacy": "other", "other": '{"mechanism": "warner"}'}, "warner needs p."),
        ({"label": ""}, "Question 1: type the question."),
        (
            {"privacy": "gamma", "gamma": "0.7"},
            "Question 1, γ, between 0 and 1/2: type a number",
        ),
        (
            {"privacy": "epsilon", "epsilon": ""},
            "Question 1, Privacy loss ε: type a number from 0.01",
        ),
        ({"privacy": "other", "other": "{"}, "Mechanism as JSON: type the mechanism as JSON"),
        ({"privacy": "other", "other": "[]"}, "must be &#34;none&#34;, or an object"),
        (
            {"type": "select_one"},
            "Question 1, Choices, one per line: give 2 to 100 choices (up to 1,000 if ",
        ),
        ({"budget": "1"}, "add up to 1.0986"),
    ],
)
def test_a_fault_is_shown_and_nothing_typed_is_lost(store, researcher, change, words):
    reply = researcher.post("/admin/surveys/new", filled(**{"hint": "kept hint"} | change))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert words in page
    assert "kept hint" in page
    assert store.surveys.all() == []


FAULTS = [
    # The typed texts of the third question, and the message on them.
    ({"type": "number", "min": "5", "max": "1"}, "3, Largest value: type a number above the"),
    ({"type": "number", "min": "", "max": "1"}, "Question 3, Smallest value: type a number."),
    ({"type": "number", "min": "0", "max": "1", "step": "0"}, "3, Step: type a number above 0."),
    ({"type": "number", "min": "0", "max": "10", "step": "3"}, "Step: the largest value is not a"),
    ({"type": "number", "min": "0", "max": "9999999"}, "Question 3, Step: use larger steps."),
    ({"type": "number", "min": "0", "max": "1", "unit": "u" * 50}, "3, Unit: it is longer"),
    ({"type": "number", "min": "0", "max": "9"}, "3, Protection: this protection does not fit"),
    ({"type": "select_multiple", "choices": "one"}, "3, Choices, one per line: give 2"),
    ({"type": "select_multiple", "choices": "a\nb"}, "3, Protection: this protection does not fit"),
    ({"type": "scale"}, "3, Choices, one per line: give 2"),
    ({"type": "text", "label": ""}, "Question 3: type the question."),
    ({"type": "note", "label": " "}, "Question 3: type the question."),
    ({"type": "select_one", "choices": "a | A\nprefer_not_to_say | No", "prefer_not_to_say": "y"},
     "one per line: Candor itself uses the name &#39;prefer_not_to_say&#39; for another answer."),
    ({"privacy": "mean"}, "3, Protection: this protection does not fit"),
    ({"relevant": "first"}, "Question 3, Asked only if: “first” is not a condition."),
    ({"relevant": "first:"}, "Question 3, Asked only if: “first:” is not a condition."),
    ({"relevant": "second: yes"}, "there is no earlier question “second”."),
    ({"relevant": "smokes: yes"}, "Asked only if: there is no earlier question “smokes”."),
    ({"relevant": "first: maybe"}, "Asked only if: “first” must be one or a list of: yes, no."),
    ({"relevant": "age: 18"}, "Asked only if: write “age: 18 to 65” or “age: at least 18”."),
    ({"relevant": "age: x to y"}, "Question 3, Asked only if: write “age: 18"),
    ({"relevant": "age: at least 18\nage: at most 65"}, "3, Asked only if: “age” is used twice"),
    ({"relevant": "first: yes", "otherwise": "perhaps"}, "not asked: it must be one of: yes"),
    ({"otherwise": "no"}, "Answer for people who are not asked: leave it empty"),
    ({"relevant": "first: yes", "privacy": "none"}, "which is private"),
    ({"name": "first"}, "3, Column name in the CSV file: another question has the same"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_a_fault_of_any_type_names_the_question_and_nothing_typed_is_lost(
    store, researcher, change, words
):
    change = {"hint": "kept hint", **change}
    reply = researcher.post("/admin/surveys/new", filled(FIRST, AGE, change))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert re.search(r'<a href="#questions-2-\w+" data-fault="[^"]+">Question 3', page)
    assert words in page
    assert store.surveys.all() == []
    form = Form()
    form.feed(page)
    for key, value in change.items():
        assert form.fields[f"questions-2-{key}"] == value
    assert form.fields["questions-1-max"] == "120"


@pytest.mark.parametrize(
    ("questions", "change", "words"),
    [
        ([FIRST], {"sample": "1"}, "Private questions per respondent: type a number below"),
        ([FIRST, AGE], {"sample": "2"}, "type a number below the number of private questions"),
        ([FIRST, AGE], {"sample": "many"}, "Private questions per respondent: type a whole number"),
        (
            [FIRST, AGE],
            {"sample": "1", "budget": "1"},
            "the private questions asked add up to 1.0986",
        ),
        (
            [{"type": "note"}],
            {},
            "Questions: add at least one question. Notes and sections cannot be answered.",
        ),
        ([FIRST], {"budget": "x"}, "Privacy budget ε per respondent: type a number above 0"),
    ],
)
def test_a_fault_of_the_whole_survey_is_told(store, researcher, questions, change, words):
    reply = researcher.post("/admin/surveys/new", filled(*questions, **change))
    assert reply.status_code == 422
    assert words in reply.get_data(as_text=True)
    assert store.surveys.all() == []


def test_an_unknown_type_or_protection_is_refused(store, researcher):
    for change in ({"type": "date"}, {"privacy": "rot13"}):
        assert researcher.post("/admin/surveys/new", filled(**change)).status_code in (200, 422)
        assert store.surveys.all() == []


def test_a_taken_address_is_refused(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    reply = researcher.post("/admin/surveys/new", filled())
    assert "Survey address: another survey has this address. Choose another one." in reply.get_data(
        as_text=True
    )


def previewed(researcher, **question):
    """The preview of a question after one on smoking."""
    language = question.pop("language", "en")
    form = filled({"name": "smokes"}, {"name": "q", "label": "", **question}, language=language)
    reply = researcher.post("/admin/odds", form, form="/admin/surveys/new")
    return reply.get_json()["questions"][1]


def test_previews_come_as_sentences_for_the_builder(researcher):
    assert previewed(researcher, privacy="coin_flip") == {
        "fault": "",
        "sentences": [
            "Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.",
            "Of 100 people who answer “No”, 25 send “Yes” and 75 send “No”.",
        ],
        "precision": (
            "With 500 respondents, the margin (95\u00a0%) is at most about ±\u00a08.8 points for "
            "each share."
        ),
        "epsilon": "1.10",
        "short": "Custom, ε = 1.10",
        "source": "",
        "price": "",
        "declining": (
            "At the same ε and margin of error, “prefer not to say” costs about 56\u00a0% more "
            "respondents."
        ),
    }
    assert previewed(researcher, language="vi")["sentences"][0].startswith(
        "Of 100 people who answer “Có”"
    )
    plain = previewed(researcher, privacy="none")
    assert plain["sentences"] == ["The answer is stored as given."]
    assert plain["epsilon"] is None
    assert "above 0 and below 1/2" in previewed(researcher, privacy="gamma", gamma="1")["fault"]
    assert "2 to 100 choices" in previewed(researcher, type="select_one")["fault"]
    table = '{"mechanism": "table", "rows": [[2, 0], [1, 1]]}'
    assert "no finite epsilon" in previewed(researcher, privacy="other", other=table)["fault"]
    many = previewed(
        researcher, type="select_one", choices="a\nb\nc\nd\ne", privacy="epsilon", epsilon="1"
    )
    assert many["sentences"][0] == (
        "Of 100 people with the same answer, about 40 send exactly that answer. Each of the "
        "other 4 answers is sent by about 15."
    )


ODDS = {
    "boxes": (
        {"type": "select_multiple", "choices": "a\nb\nc\nd\ne\nf\ng", "privacy": "epsilon"},
        ["The respondent’s device picks 1 of the 7 boxes at random. It sends only that one, "
         "randomised.",
         "If a box is picked, of 100 people who ticked it, about 73 send “yes”. Of 100 people who "
         "did not tick it, about 27 also send “yes”.",
         "Each respondent reports on 1 of the 7 boxes, chosen at random. So the results can never "
         "show how two boxes are related, for example in a cross-tabulation."],
    ),
    "all boxes, each with its share of epsilon": (
        {"type": "select_multiple", "choices": "a\nb", "privacy": "other",
         "other": '{"mechanism": "sampled_boxes", "odds": 3, "sample": 2}'},
        ["Each box is randomised separately.",
         "Of 100 people who ticked a box, 75 send “yes” for it. Of 100 people who did not tick it, "
         "25 also send “yes”."],
    ),
    "combinations of boxes": (
        {"type": "select_multiple", "choices": "a\nb\nc", "privacy": "other",
         "other": '{"mechanism": "joint_boxes", "odds": 9}'},
        ["Of 100 people with the same ticks, about 56 send exactly those ticks. Each of the "
         "other 7 possible answers is sent by about 6.2."],
    ),
    "a set of choices": (
        {"type": "select_one", "choices": "a\nb\nc\nd\ne\nf\ng\nh", "privacy": "epsilon"},
        ["The respondent’s device sends 2 of the 8 answers. Of 100 people with the same answer, "
         "about 48 send that answer as one of the 2. Each of the other answers is sent by about 22 "
         "of these 100 people."],
    ),
    "a bit for each choice": (
        {"type": "select_one", "choices": "a\nb\nc", "privacy": "other",
         "other": '{"mechanism": "optimized_unary_encoding", "odds": 3}'},
        ["The respondent’s device sends “yes” or “no” for each answer. Of 100 people with the "
         "same answer, 50 send “yes” for it. For any other answer, 25 send “yes”."],
    ),
    "prefer not to say": (
        {"prefer_not_to_say": "y"},
        ["Of 100 people who answer “Yes”, 60 send “Yes”, 20 send “No” and 20 send “Prefer not to "
         "say”.",
         "Of 100 people who answer “No”, 20 send “Yes”, 60 send “No” and 20 send “Prefer not to "
         "say”.",
         "Of 100 people who answer “Prefer not to say”, 20 send “Yes”, 20 send “No” and 60 send "
         "“Prefer not to say”."],
    ),
    "not asked": (
        {"relevant": "smokes: yes"},
        ["Of 100 people who answer “Yes”, 60 send “Yes”, 20 send “No” and 20 send “Not asked”.",
         "Of 100 people who answer “No”, 20 send “Yes”, 60 send “No” and 20 send “Not asked”.",
         "Of 100 people who answer “Not asked”, 20 send “Yes”, 20 send “No” and 60 send “Not "
         "asked”."],
    ),
    "not asked, but an answer": (
        {"relevant": "smokes: yes", "otherwise": "no"},
        ["Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.",
         "Of 100 people who answer “No”, 25 send “Yes” and 75 send “No”."],
    ),
    "number": (
        {"type": "number", "min": "0", "max": "40", "unit": "cups", "privacy": "epsilon"},
        ["The respondent’s device picks a random value around the answer and sends that. Of 100 "
         "people with the same answer, at least about 32 send a value at most 8 cups away from it.",
         "Anything that the device can send is at most 2.8 times more likely with one answer than "
         "with another."],
    ),
    "number for its mean": (
        {"type": "number", "min": "0", "max": "40", "privacy": "mean"},
        ["The respondent’s device sends one of a few codes, not the number itself.",
         "Anything that the device can send is at most 2.8 times more likely with one answer than "
         "with another.",
         "The reports allow an estimate of the mean only, not of the share of each answer. So this "
         "question cannot be in a cross-tabulation, and cannot be a predictor in a regression. It "
         "can be the outcome. If you need more, choose another goal or protection."],
    ),
    "plain number": (
        {"type": "number", "min": "0", "max": "40", "privacy": "none"},
        ["The answer is stored as given."],
    ),
}  # fmt: skip


@check_each(("query", "sentences"), ODDS.values())
def test_the_builder_tells_the_ratio_bounds_of_each_type(researcher, query, sentences):
    assert previewed(researcher, **query)["sentences"] == sentences


@check_each(
    ("query", "words"),
    [
        ({"type": "number", "min": "5", "max": "1"}, "Largest value: type a number above"),
        ({"type": "number"}, "Smallest value: type a number. Largest value: type a number."),
        ({"type": "number", "min": "0", "max": "9", "relevant": "x: y"}, "Asked only if: there"),
        ({"type": "select_multiple", "choices": "a\nb"}, "Protection: this protection does not"),
        ({"type": "scale", "choices": "a"}, "Choices, one per line: give 2 to 100 choices (up"),
        ({"type": "date"}, "Earliest date: choose a date. Latest date: choose a date."),
        ({"type": "colour"}, "Type: choose one from the list."),
        ({"type": "select_one", "choices": "a\nb", "privacy": "other", "other": "[" * 9_999},
         "Mechanism as JSON: type the mechanism as JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_yet_is_a_sentence_without_the_place_in_a_list(
    researcher, query, words
):
    assert previewed(researcher, **query)["fault"].startswith(words)


def draft_page(store, researcher, *questions, **rest):
    store.surveys.save_draft(parse_survey(definition(*questions, **rest)))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    return " ".join(re.sub("<[^>]+>", "", page).replace("\u00a0", " ").split())


def test_a_draft_says_how_sure_anyone_can_become_at_worst(store, researcher):
    """Coin flips: 3:1 for each, so 3/4 and 9/10."""
    page = draft_page(store, researcher, yes_no(), yes_no("drinks"), yes_no("plain", "none"))
    assert (
        "In the worst case, this person becomes 75 % sure of the answer to one question, and 90 "
        "% sure "
        "about all private questions together." in page
    )


def test_a_draft_with_a_single_private_question_says_it_once(store, researcher):
    page = draft_page(store, researcher, yes_no())
    assert "becomes 75 % sure of the answer to one question." in page
    assert "about all private questions together" not in page


def test_a_draft_of_which_chance_picks_says_so_and_counts_what_is_picked(store, researcher):
    """Two of the ratios 3:1, 3:1 and 9:1 are sampled.

    The worst case is 27:1, which is 96 %.
    """
    strong = yes_no("c", {"mechanism": "randomized_response", "odds": 9})
    budget = {"per_respondent": {"sample": 2}}
    page = draft_page(store, researcher, yes_no("a"), yes_no("b"), strong, budget=budget)
    assert (
        "90 % sure of the answer to one question, and 97 % sure about all private questions "
        "together." in page
    )
    assert "Each respondent reports on 2 of the 3 private questions, chosen at random." in page
    assert "times smaller" not in page  # it is already sampled


def test_a_draft_of_many_questions_says_what_asking_a_few_would_gain(store, researcher):
    """Ten questions at epsilon 1/10 each have a variance in proportion to 1 / tanh(1/20)^2.

    One question at epsilon 1, asked of a tenth of the people, has 10 / tanh(1/2)^2. This is 8.6
    times less.
    """
    tenth = {"mechanism": "randomized_response", "epsilon": 0.1}
    questions = [yes_no(f"q{n}", tenth) for n in range(10)]
    page = draft_page(store, researcher, *questions)
    assert "You can ask each respondent 1 of the 10 private questions" in page
    gain = math.tanh(0.5) ** 2 / math.tanh(0.05) ** 2 / 10
    assert f"about {gain:.1f} times smaller" in page
    assert (
        "The button sets “Private questions per respondent” to 1, and ε of each private question "
        "to about 0.99." in page
    )
    assert "you can no longer analyse how the answers to two private questions are related." in page


def test_a_draft_lists_every_type_in_the_words_of_the_builder(store, researcher):
    """Names of mechanisms mean nothing to a person who has not read a paper on them."""
    page = draft_page(store, researcher, *EVERY_TYPE["questions"])
    questions = parse_survey(EVERY_TYPE).questions
    private = [q for q in questions if not q.non_private and q.type != "note"]
    for name in {question.mechanism for question in private}:
        assert name not in page
    words = re.findall(r"(Medium|Another mechanism), ε = ", page)
    assert len(words) == len(private)
    assert set(words) == {"Medium", "Another mechanism"}
    assert page.count("Answers are stored as given, without protection.") == 5
    assert "Now something else. A note has no answer." in page


def test_a_draft_that_changed_in_another_tab_is_neither_opened_nor_overwritten(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    path = "/admin/surveys/health"
    seen = hidden(researcher, f"{path}/edit", "seen")
    shown = hidden(researcher, path, "fingerprint")
    changed = filled(privacy="none") | {"seen": seen}
    assert researcher.post(f"{path}/edit", changed).status_code == 302
    reply = researcher.post(f"{path}/open", {"fingerprint": shown, "looked": "yes"}, form=path)
    assert reply.status_code == 409
    assert b"The draft has changed." in reply.data
    reply = researcher.post(f"{path}/edit", filled(label="Mine?") | {"seen": seen})
    assert reply.status_code == 409
    assert "this draft has changed" in reply.get_data(as_text=True)
    assert store.surveys.by_slug("health").survey.questions[0].non_private
    assert store.surveys.by_slug("health").state == "draft"


def test_a_form_of_another_session_is_refused_in_a_sentence(researcher):
    reply = researcher.client.post("/admin/surveys/new", data={"csrf_token": "old"})
    assert reply.status_code == 400
    assert b"signed in or out in another tab" in reply.data
    assert b'<a href="/admin/">Surveys</a>' in reply.data


def test_a_survey_that_protects_nothing_says_so(store, researcher):
    opened(store, definition(yes_no(privacy="none")))
    assert "not protected" in researcher.client.get("/admin/").get_data(as_text=True)
    opened(store, definition(yes_no(), yes_no("b", privacy="none"), slug="mixed"))
    assert "1.10 + 1 non-private question" in researcher.client.get("/admin/").get_data(
        as_text=True
    )


def test_an_open_survey_cannot_be_edited_or_deleted(store, researcher):
    opened(store, definition())
    assert researcher.client.get("/admin/surveys/health/edit").status_code == 409
    reply = researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert reply.status_code == 409
    assert b"Only a draft can be changed" in reply.data


def test_a_draft_is_deleted_and_then_unknown(researcher):
    researcher.post("/admin/surveys/new", filled())
    researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert researcher.client.get("/admin/surveys/health").status_code == 404


def test_texts_of_researchers_cannot_run(store, researcher):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    link = "[a](javascript:alert(1)) ![b](https://elsewhere.example/x.png)"
    opened(
        store,
        definition(yes_no(label=evil), title=evil, introduction=f"{evil}\n\n{link}"),
    )
    for path in ("/s/health", "/admin/", "/admin/surveys/health", "/admin/surveys/health/preview"):
        page = researcher.client.get(path).get_data(as_text=True)
        assert "<script>alert" not in page, path
        page = page.replace('<img src="/admin/surveys/health/link.svg"', "")  # the QR code
        assert "<img" not in page, path
        assert 'href="javascript:' not in page, path


def test_an_introduction_keeps_its_headings_below_the_title(client, store):
    opened(store, definition(introduction="# Why\n\nSo."))
    page = client.get("/s/health").get_data(as_text=True)
    assert "<h4>Why</h4>" in page
    assert page.count("<h1") == 1


# --- results and downloads


@pytest.fixture
def answered(store):
    frozen = opened(
        store,
        state="closed",
        content=definition(
            yes_no(),
            yes_no("cheated", privacy={"mechanism": "randomized_response", "gamma": 0.3}),
            {
                "name": "party",
                "type": "select_one",
                "label": "Which party?",
                "choices": [{"name": n, "label": n.upper()} for n in "abc"],
                "privacy": {"epsilon": 1},
            },
            yes_no("drinks", privacy="none"),
        ),
    )
    truth = {
        "smokes": [0.3, 0.7], "cheated": [0.1, 0.9], "party": [0.5, 0.3, 0.2], "drinks": [0.6, 0.4],
    }  # fmt: skip
    batches = simulate_responses(frozen.survey, truth, 5_000, seed=7)
    store.responses.add_batches("health", batches, "simulated")
    return frozen


def test_estimates_csv_equals_the_page(researcher, answered):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    reply = researcher.client.get("/admin/surveys/health/estimates.csv")
    lines = list(csv.DictReader(io.StringIO(reply.get_data(as_text=True))))
    shown = re.findall(r'<tr data-answer="(\w+)">(.*?)</tr>', page, re.DOTALL)
    assert len(lines) == len(shown) == 9
    for line, (name, row) in zip(lines, shown, strict=True):
        assert line["answer"] == name
        cells = re.findall(r'<data value="([^"]+)">([^<]+)</data>', row)
        columns = ["estimate", "standard_error", "low", "high"]
        # Without randomisation, the page does not repeat the estimate.
        assert line["mechanism"] != "none" or (
            line["observed"] == line["estimate"] == line["possible"]
        )
        if line["mechanism"] != "none":
            columns = ["observed", *columns, "possible"]
            # The line above the table states the bound of two answers. The file has no other one.
            if not line["variance_bound"]:
                line["variance_bound"] = cells[3][0]
                columns.insert(3, "variance_bound")
            assert float(line["variance_bound"]) >= float(line["standard_error"]) ** 2 * (
                1 - 1 / 5_000
            )
        assert [value for value, _ in cells] == [line[column] for column in columns]
        for column, (value, text) in zip(columns, cells, strict=True):
            number = f"{100 * float(value):.1f}".replace("-", "−")
            expected = f"{number}\u00a0%"
            if column == "standard_error":
                expected = f"{number} points"
            if column == "variance_bound":
                expected = f"{float(value):.2g}"
            assert text == expected


def test_weights_that_leave_out_a_group_do_not_count_more_reports_than_respondents(
    researcher, store
):
    """The question that gives the weights has a report of everybody, also of the group left out."""
    region = {
        **{"name": "region", "type": "select_one", "label": "Where?", "privacy": "none"},
        "choices": letters("nesw"),
    }
    frozen = opened(store, definition(yes_no(), region), "closed")
    truth = read_truth(
        {"smokes": {"yes": 0.3}, "region": dict.fromkeys("nesw", 0.25)}, frozen.survey
    )
    batches = simulate_responses(frozen.survey, truth, 400, seed=7)
    store.responses.add_batches("health", batches, "simulated")
    totals = "&".join(
        f"total-{name}={total}" for name, total in zip("nesw", (1, 1, 1, 0), strict=True)
    )
    page = researcher.client.get(f"/admin/surveys/health/results?by=region&{totals}").text
    assert "respondents are excluded. Their group has a total of 0" in page
    assert "respondents report on this question" not in page


WEIGHTS = "by=drinks&total-yes=3&total-no=1"


def test_the_weighted_file_equals_the_weighted_page(researcher, answered):
    page = researcher.client.get(f"/admin/surveys/health/results?{WEIGHTS}").text
    [address] = re.findall(r'<a href="([^"]*)">Download the weighted estimates', page)
    reply = researcher.client.get(html.unescape(address))
    assert "health-simulated-weighted-estimates.csv" in reply.headers["Content-Disposition"]
    lines = list(csv.DictReader(io.StringIO(reply.text)))
    shown = re.findall(r'<tr data-answer="(\w+)">.*?</tr>', page, re.DOTALL)
    assert [line["answer"] for line in lines] == shown
    for line in lines:
        assert line["weights"] == "drinks: yes 0.75, no 0.25"
        assert f'<data value="{line["estimate"]}">' in page
    unweighted = researcher.client.get("/admin/surveys/health/estimates.csv").text
    assert {line["weights"] for line in csv.DictReader(io.StringIO(unweighted))} == {""}


@pytest.mark.parametrize("query", ["by=smokes", "by=drinks", "by=drinks&total-yes=x&total-no=1"])
def test_no_file_has_wrong_weights(researcher, answered, query):
    reply = researcher.client.get(f"/admin/surveys/health/estimates.csv?{query}")
    assert reply.status_code == 422


def test_the_page_states_formula_bound_epsilon_and_method(researcher, answered):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    for text in (
        "2P − 1/2",
        "(P − 1/2 + γ) / (2γ)",
        "(P − q) / (p − q)",
        "at most 1/(16γ²n) = 0.0002 for",  # 1 / (16 * 0.25^2 * 5000)
        "exact, likelihood-ratio ordered",
        "ε = 1.10; total privacy loss ε = 3.49",
        "none: stored as given",
        "5,000",
        "95\u00a0% interval",
    ):
        assert text in page, text
    # Each question has a line at the top, and a chart in its table.
    assert page.count("<li data-place") == 4
    assert page.count('<svg class="chart" ') == 4
    # The line on each private question is in view, and the figures do not repeat its bound.
    sections = page.split('<section class="question-results"')[1:]
    lines = [
        re.findall(r'<p class="hint calculation">(.*?)</p>', section.partition("<details")[0])
        for section in sections
    ]
    assert [len(line) for line in lines] == [1, 1, 1, 0]
    assert ["1/(16γ²n)" in line[0] for line in lines[:3]] == [True, True, False]
    assert page.count("16γ²n") == 2
    assert [section.count("2P − 1/2 =") for section in sections] == [1, 0, 0, 0]
    # The standard errors and the other formulas are in view once the question is open.
    for section in page.split('<section class="question-results"')[1:]:
        section = section.partition("</section>")[0]
        assert section.count("<details data-figures") == section.count("<details") == 1


def test_the_page_has_a_sentence_to_copy_for_each_result_and_the_methods(researcher, answered):
    page = html.unescape(researcher.client.get("/admin/surveys/health/results").text)
    copied = re.findall(r'data-copy="([^"]*)"', page)
    quoted = re.findall(r"<(?:blockquote|pre)>(.*?)</(?:blockquote|pre)>", page, re.DOTALL)
    # The button copies exactly what is on the page.
    assert [each.replace("\n", " ") for each in copied] == [
        each.replace("\n", " ") for each in quoted
    ]
    # In English: methods, four sentences, two references. Each sentence is at its question, too.
    assert len(copied) == 4 * (1 + 4 + 2) + 4
    for sentence in copied[:4]:
        assert copied.count(sentence) == 2
    assert sum("coin_flip" in each for each in copied) == 4
    for name in ("English", "Tiếng Việt", "ไทย", "中文"):
        assert f">{name}</summary>" in page


@pytest.fixture(params=[EVERY_TYPE, SAMPLED], ids=["all are reported", "chance picks three"])
def every_type(request, store):
    """A survey with all question types and 2,000 simulated respondents."""
    frozen = opened(store, request.param, "closed")
    truth = read_truth(TRUTH, frozen.survey)
    store.responses.add_batches(
        "health", simulate_responses(frozen.survey, truth, 2_000, seed=11), "simulated"
    )
    return frozen


def table(researcher, name):
    text = researcher.client.get(f"/admin/surveys/health/{name}").get_data(as_text=True)
    return list(csv.DictReader(io.StringIO(text)))


def test_the_bound_below_a_table_is_the_largest_in_its_column(researcher, every_type):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    several = 0
    for section in page.split('<section class="question-results"')[1:]:
        cells = re.findall(
            r'data-label="Upper bound on the variance"><data value="([^"]+)"', section
        )
        stated = re.search(
            r'Variance of each estimate.*?<span class="formula">([^<]+)', section, re.S
        )
        if stated:
            assert stated[1] == significant(max(map(float, cells)), 3)
            several += "(the largest of the bounds in the table)" in section
    assert several


def test_every_figure_of_every_type_on_the_page_is_in_the_csv(researcher, every_type):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    lines = [line for line in table(researcher, "estimates.csv") if line["measure"]]
    shown = {}
    for number, section in enumerate(page.split('<section class="question-results"')[1:]):
        for kind, name, row in re.findall(
            r'<tr data-(answer|quantity)="([^"]+)">(.*?)</tr>', section, re.DOTALL
        ):
            values = re.findall(r'data-label="([^"]+)">(.*?)</td>', row, re.DOTALL)
            shown[FIELDS[number], kind, name] = {
                label: re.findall(r'<data value="([^"]+)">', cell) for label, cell in values
            }
    written = {}
    for line in lines:
        quantity = line["measure"] != "share"
        name = line["measure"] if quantity else line["answer"]
        error = line["standard_error"]
        cells = {
            "Estimate": [line["estimate"]],
            # Pages do not show a standard error of 0, from reports that all agree.
            "Standard error": [error] if error and float(error) > 1e-9 else [],
            "95 % interval": [line["low"], line["high"]],
        }
        # The page says so instead of showing the figures.
        if line["cannot_tell"]:
            cells = {label: [] for label in cells}
        # The line on a question with two answers states their bound.
        if line["variance_bound"] and line["type"] == "select_multiple":
            cells["Upper bound on the variance"] = [line["variance_bound"]]
        if not quantity and line["mechanism"] != "none":
            cells["Within 0–100 %"] = [line["possible"]]
            cells["Reported"] = [line["observed"]] if line["observed"] else []
        written[line["question"], "quantity" if quantity else "answer", name] = cells
    assert shown.keys() == written.keys()
    for place, cells in shown.items():
        assert {label: cells.get(label, []) for label in written[place]} == written[place], place
        rest = cells.keys() - written[place].keys()
        assert rest <= {"Number of reports", "Upper bound on the variance"}, place
    # Every type has all of its possible estimates.
    measures = {(line["type"], line["measure"]) for line in lines}
    assert measures == {
        *((kind, "share") for kind in ("yes_no", "select_one", "select_multiple", "scale")),
        *(("number", each) for each in ("share", "mean", "deviation")),
        *(("number", f"quantile_{each}") for each in (25, 50, 75)),
        ("scale", "mean"),
    }


def test_each_type_has_its_picture(researcher, every_type):
    """Twelve charts: the mechanism for the mean has no distribution, and a text has no chart. The
    first picture of a question is that of its headline."""
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    sections = page.split('<section class="question-results"')[1:]
    pictures = {}
    for name, section in zip(FIELDS, sections, strict=True):
        figures = section.partition("<details data-figures")[2]
        drawn_as = "none"
        if "<svg" in figures:
            chart = figures.split("<svg")[1].split("</svg>")[0]
            drawn_as = "columns" if "bar-share" in chart else "shares"
        pictures[name] = drawn_as
    assert pictures == {
        "smokes": "shares", "party": "shares", "colour": "shares", "tried": "shares",
        "pets": "shares", "mood": "shares", "glasses": "columns", "weight": "none",
        "years": "columns", "region": "shares", "news": "shares", "sleep": "shares",
        "remarks": "none",
    }  # fmt: skip
    assert "0 of 2,000 respondents wrote a text." in sections[-1]
    assert ("respondents report on this question" in page) == (
        every_type.survey.budget.sample is not None
    )


@pytest.mark.parametrize(
    ("question", "each", "first"),
    [("glasses", 4, 0), ("years", 11, 5)],  # a column for each 4th value; for 0 to 10, and so on
)
def test_the_mean_is_drawn_where_its_value_lies_among_the_columns(
    researcher, every_type, question, each, first
):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    section = page.split('<section class="question-results"')[1 + FIELDS.index(question)]
    section = section.partition("<details data-figures")[2]
    [value] = re.findall(r'data-quantity="mean">.*?<data value="([^"]+)">', section, re.DOTALL)
    columns = re.findall(
        r'<rect class="bar-share" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"', section
    )
    *columns, _ = [(float(x), float(width)) for x, width in columns]  # the last is the legend's
    assert len(columns) == 11
    (left, width), (right, _) = columns[0], columns[-1]
    middle = left + width / 2 + (float(value) - first) / each * (right - left) / 10
    [circle] = re.findall(r'<circle class="estimate" cx="([\d.]+)%"', section)
    assert float(circle) == pytest.approx(middle, abs=0.06)


def test_responses_of_every_type_are_exported_by_name(researcher, every_type, store):
    rows = table(researcher, "responses.csv")
    assert list(rows[0]) == [
        "smokes.randomised",
        *(f"party.randomised/{name}" for name in "abcdefgh"),
        *(f"colour.randomised/{name}" for name in "rgbw"),
        *(f"tried.randomised/{name}" for name in "vwxyz"),
        *(f"pets.randomised/{name}" for name in ("c", "d", "f", "prefer_not_to_say")),
        *(f"{name}.randomised" for name in ("mood", "glasses", "weight")),
        *("years", "region"),
        *(f"news/{name}" for name in "prt"),
        *("sleep", "remarks"),
    ]
    assert len(rows) == 2_000
    rows = [{name.replace(".randomised", ""): row[name] for name in row} for row in rows]
    for row in rows:
        party = "".join(row[f"party/{name}"] or "-" for name in "abcdefgh")
        tried = "".join(row[f"tried/{name}"] or "-" for name in "vwxyz")
        assert party == "-" * 8 or (party.count("1") == 2 and "-" not in party)
        assert tried.count("-") in (3, 5)
        assert row["smokes"] in ("yes", "no", "prefer_not_to_say", "")
        assert row["region"] in ("n", "e", "s", "w", "not_asked")
    sample = every_type.survey.budget.sample
    for row in rows[:100]:
        reported = {name.partition("/")[0] for name, cell in row.items() if cell} - set(FIELDS[8:])
        assert len(reported) == (8 if sample is None else sample)
    if sample is None:
        yes = sum(row["smokes"] == "yes" for row in rows)
        assert yes == store.counts.by_question("health")["smokes"][0]


def test_the_codebook_recomputes_every_kind_of_share(researcher, every_type):
    """It uses only the two files and formulas of the literature, no project code."""
    book = json.loads(researcher.client.get("/admin/surveys/health/codebook.json").data)
    rows = table(researcher, "responses.csv")
    estimates = {
        (line["question"], line["answer"]): float(line["estimate"])
        for line in table(researcher, "estimates.csv") if line["measure"] == "share"
    }  # fmt: skip
    for name, entry in book["tables"].items():
        columns = book["columns"][name]
        cells = [[row[column] for column in columns] for row in rows]
        cells = [row for row in cells if any(row)]
        kind = entry.get("kind", "table")
        if kind == "table":
            if len(columns) > 1:  # all combinations: back to one name, boxes first
                boxes = len(columns) - 1
                names = ["prefer_not_to_say" if row[-1] == "1" else "".join(row[:boxes])
                         for row in cells]  # fmt: skip
            else:
                names = [row[0] for row in cells]
            seen = np.array([names.count(report) for report in entry["reports"]]) / len(names)
            matrix = np.array(entry["rows"]) / sum(entry["rows"][0])
            if matrix.shape[0] != matrix.shape[1]:
                continue  # several scores are unbiased: estimation/test_share_estimates.py
            shares = dict(zip(entry["reports"], seen @ np.linalg.inv(matrix), strict=True))
            if len(columns) > 1:
                answers = [column.partition("/")[2] for column in columns]
                shares = {
                    answer: sum(share for report, share in shares.items()
                                if (report[place: place + 1] == "1" and report != answers[-1])
                                or report == answer)
                    for place, answer in enumerate(answers)
                }  # fmt: skip
        else:
            k = len(columns)
            ones = [[row[place] for row in cells] for place in range(k)]
            seen = [column.count("1") / (len(column) - column.count("")) for column in ones]
            if kind == "subset":
                size, near, far = entry["size"], entry["near"], entry["far"]
                p = size * near / (size * near + (k - size) * far)
                q = (size - p) / (k - 1)
            else:
                (a, b), (c, d) = entry["rows"]
                p, q = a / (a + b), c / (c + d)
            shares = dict(zip(entry["answers"], [(P - q) / (p - q) for P in seen], strict=True))
        found = {
            answer: estimates[name, answer] for answer in shares if (name, answer) in estimates
        }
        assert found == pytest.approx(shares, abs=1e-9), name


def test_simulated_is_said_everywhere(client, researcher, answered):
    assert "simulated</span>" in researcher.client.get("/admin/").get_data(as_text=True)
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "Simulated." in page
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        reply = researcher.client.get(f"/admin/surveys/health/{name}")
        assert f'filename="health-simulated-{name}"' in reply.headers["Content-Disposition"]
    assert reply.get_json(force=True)["origin"] == "simulated"
    assert "this survey are simulated" in client.get("/s/health").get_data(as_text=True)


def test_simulated_is_said_once_in_the_name_of_a_file(researcher, store):
    opened(store, definition(slug="health-simulated"), "closed")
    store.responses.add_batches("health-simulated", [[Response(bytes(16), (0,))]], "simulated")
    for name in ("export.zip", "responses.csv"):
        reply = researcher.client.get(f"/admin/surveys/health-simulated/{name}")
        assert f'filename="health-simulated-{name}"' in reply.headers["Content-Disposition"]


def test_responses_csv_holds_every_response_by_name_and_nothing_else(researcher, answered, store):
    reply = researcher.client.get("/admin/surveys/health/responses.csv")
    assert reply.is_streamed
    assert reply.mimetype == "text/csv"
    rows = list(csv.reader(io.StringIO(reply.get_data(as_text=True))))
    assert rows[0] == [*("smokes.randomised", "cheated.randomised", "party.randomised", "drinks")]
    assert len(rows) == 5_001
    yes = sum(row[0] == "yes" for row in rows[1:])
    assert yes == store.counts.by_question("health")["smokes"][0]


def test_the_codebook_recomputes_the_estimates(researcher, answered):
    """It uses only the two files, no project code.

    It reads the table, inverts it and compares.
    """
    book = json.loads(researcher.client.get("/admin/surveys/health/codebook.json").data)
    text = researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(text)))
    text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    lines = [line for line in csv.DictReader(io.StringIO(text)) if line["question"] == "party"]
    table = book["tables"]["party"]
    counts = [sum(row["party.randomised"] == report for row in rows) for report in table["reports"]]
    matrix = np.array(table["rows"]) / sum(table["rows"][0])
    shares = np.array(counts) / len(rows) @ np.linalg.inv(matrix)
    assert [float(line["estimate"]) for line in lines] == pytest.approx(list(shares), abs=1e-12)


def test_a_survey_without_responses_has_an_empty_state(store, researcher):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "Estimates appear when Candor has received 5 responses." in page
    assert "http://127.0.0.1:8000/s/health" in page
    csv_text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    assert csv_text.count("\r\n") == 1


def test_one_response_and_a_negative_estimate_are_explained(store, researcher):
    opened(store, definition())
    store.responses.add_response("health", Response(b"\1" * 16, (1,)))
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "1 response is too few to show" in page
    assert "−50" not in page
    for number in range(2, 6):
        store.responses.add_response("health", Response(bytes([number]) * 16, (1,)))
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "−50\u00a0%" in page
    assert "is below 0\u00a0%" in page


def test_a_draft_has_no_downloads(researcher):
    researcher.post("/admin/surveys/new", filled())
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        assert researcher.client.get(f"/admin/surveys/health/{name}").status_code == 409


def test_opening_a_draft_takes_work_in_proportion_to_its_questions(researcher, store):
    """The builder stays quick with 200 questions. Function calls do not depend on the machine."""
    calls, sizes = [], []
    for n in (24, 25, 50, 100):
        questions = [yes_no(f"q{place}", "none") for place in range(n)]
        store.surveys.save_draft(parse_survey(definition(*questions, slug=f"n{n}")))
        with cProfile.Profile() as profile:
            page = researcher.client.get(f"/admin/surveys/n{n}/edit").data
        calls.append(pstats.Stats(profile).total_calls)
        sizes.append(len(page))
    # The first page also fills caches. Work with the square of the number would be 4 times as much.
    for (_, one, two, four), most in ((calls, 3), (sizes, 2.1)):
        assert four - two < most * (two - one)
    assert sizes[-1] < 100 * 2_000
