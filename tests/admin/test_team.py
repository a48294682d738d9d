"""Accounts: invitation links, roles, passwords, and removal."""

import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app import create_app
from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import token_hash
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account, Session
from tests.support.definitions import definition, opened
from tests.support.researchers import (
    PASSWORD,
    Researcher,
    password_hash,
    signed_in,
    without_csrf_tokens,
)

pytestmark = pytest.mark.both_stores

NEW = "seven wet umbrellas dance"


def link_on(reply):
    assert reply.status_code == 200, reply.get_data(as_text=True)
    return re.search(r"/admin/join\?token=[\w-]{43}", reply.get_data(as_text=True))[0]


def add(researcher, name="bob", role=EDITOR):
    form = {"name": name, "role": role, "own": PASSWORD}
    return link_on(researcher.post("/admin/people/add", form))


def join(app, link, password=NEW):
    someone = Researcher(app.test_client())
    return someone, someone.post(link, {"password": password, "again": password})


def sign_in(app, name, password):
    someone = Researcher(app.test_client())
    return someone, someone.post("/admin/sign-in", {"name": name, "password": password})


def is_in(someone):
    return someone.client.get("/admin/").status_code == 200


def test_an_owner_adds_a_person_who_chooses_a_password(app, store, researcher):
    link = add(researcher)
    page = researcher.client.get("/admin/people").get_data(as_text=True)
    assert "no password yet" in page
    assert link not in page
    bob, reply = join(app, link)
    assert reply.status_code == 302
    assert is_in(bob)
    assert store.accounts.by_name("bob").role == EDITOR
    assert is_in(sign_in(app, "bob", NEW)[0])
    assert "no password yet" not in researcher.client.get("/admin/people").get_data(as_text=True)


@pytest.mark.sqlite_only
def test_the_link_works_once_and_only_its_hash_is_stored(app, store, settings, researcher):
    link = add(researcher)
    token = link.split("=")[1].encode()
    store.compact()
    assert token not in Path(settings.database).read_bytes()
    assert join(app, link)[1].status_code == 302
    for path in (link, "/admin/join?token=guessed", "/admin/join"):
        reply = app.test_client().get(path)
        assert reply.status_code == 401
        assert b"This link no longer works" in reply.data


def test_of_many_who_use_a_link_at_once_one_gets_the_account(store):
    store.accounts.add_person("bob", EDITOR, "token", 100)
    won = []

    def use(n):
        if store.accounts.use_link("token", 0, f"hash {n}"):
            won.append(f"hash {n}")

    threads = [threading.Thread(target=use, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.accounts.by_name("bob").password_hash] == won


def test_a_link_lasts_seven_days(app, store, researcher):
    link = add(researcher)
    hashed, week = token_hash(link.split("=")[1]).hex(), 7 * 24 * 60 * 60
    assert store.accounts.link(hashed, int(time.time()) + week - 60) == "bob"
    assert store.accounts.link(hashed, int(time.time()) + week + 60) is None
    assert store.accounts.use_link(hashed, int(time.time()) + week + 60, "hash") is None
    assert store.accounts.by_name("bob").password_hash == ""


def test_without_a_password_nobody_signs_in(app, researcher):
    add(researcher)
    for password in ("", PASSWORD):
        someone, _ = sign_in(app, "bob", password)
        assert not is_in(someone)


def test_what_a_name_may_hold_is_said_before_it_is_typed(researcher):
    page = researcher.client.get("/admin/people/add").get_data(as_text=True)
    assert '<label for="name">Sign-in name</label>' in page
    assert (
        '<p class="hint" id="name-hint">Use only letters, digits and these characters: . _ @ -'
        in page
    )


def test_a_name_that_is_taken_or_no_name_is_said_beside_the_field(researcher):
    for name, words in (("ada", "already an account &#39;ada&#39;"), ("..", "Use at most 64")):
        form = {"name": name, "role": EDITOR, "own": PASSWORD}
        reply = researcher.post("/admin/people/add", form)
        assert reply.status_code == 422
        assert words in reply.get_data(as_text=True)


def test_a_role_is_changed_and_holds_at_once(app, store, researcher):
    bob = signed_in(app, "bob", EDITOR)
    assert bob.client.get("/admin/people").status_code == 403
    form = {"role": OWNER, "own": PASSWORD}
    assert researcher.post("/admin/people/bob/role", form).status_code == 302
    assert bob.client.get("/admin/people").status_code == 200


def test_a_role_that_does_not_exist_is_refused(app, store, researcher):
    signed_in(app, "bob", EDITOR)
    reply = researcher.post("/admin/people/bob/role", {"role": "king", "own": PASSWORD})
    assert reply.status_code == 422
    assert store.accounts.by_name("bob").role == EDITOR


def test_a_removed_account_is_out_at_once_and_a_new_one_of_its_name_does_not_let_it_in(
    app, store, researcher
):
    bob = signed_in(app, "bob", EDITOR)
    assert researcher.post("/admin/people/bob/remove", {"own": PASSWORD}).status_code == 302
    assert store.accounts.by_name("bob") is None
    store.accounts.add_session("late", Session("bob", 0, 0))  # a sign-in that was under way
    assert store.accounts.session("late") is None
    store.accounts.add_account(Account("bob", EDITOR, password_hash()))
    assert not is_in(bob)


def test_a_reset_ends_everything_and_gives_a_new_link(app, store, researcher):
    bob = signed_in(app, "bob", EDITOR)
    store.factors.begin_second_factor("bob", bytes(16))
    store.factors.confirm_second_factor("bob", 1, [bytes(32)])
    link = link_on(researcher.post("/admin/people/bob/reset", {"own": PASSWORD}))
    assert not is_in(bob)
    assert store.factors.second_factor("bob") is None
    assert not is_in(sign_in(app, "bob", PASSWORD)[0])
    later = link_on(researcher.post("/admin/people/bob/reset", {"own": PASSWORD}))
    assert app.test_client().get(link).status_code == 401  # the new one replaces it
    assert is_in(join(app, later)[0])
    assert store.accounts.by_name("bob").role == EDITOR


def test_nobody_resets_themselves(researcher):
    reply = researcher.client.get("/admin/people/ada/reset")
    assert reply.status_code == 409
    assert b"in your account" in reply.data


@pytest.mark.parametrize("errand", ["role", "reset", "remove"])
def test_an_account_that_does_not_exist_is_not_found(researcher, errand):
    assert researcher.client.get(f"/admin/people/eve/{errand}").status_code == 404


@pytest.mark.parametrize("own", ["", "not my password"])
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/admin/people/add", {"name": "eve", "role": OWNER}),
        ("/admin/people/bob/role", {"role": OWNER}),
        ("/admin/people/bob/reset", {}),
        ("/admin/people/bob/remove", {}),
        ("/admin/account/password", {"password": NEW, "again": NEW}),
    ],
)
def test_each_change_asks_for_ones_own_password(app, store, researcher, path, form, own):
    bob = signed_in(app, "bob", EDITOR)
    before = [store.accounts.by_name(name) for name in ("ada", "bob", "eve")]
    reply = researcher.post(path, {**form, "own": own})
    assert reply.status_code == 422
    fault = (
        "This is not your current password. Try again." if own else "Type your current password."
    )
    assert fault in reply.get_data(as_text=True)
    assert [store.accounts.by_name(name) for name in ("ada", "bob", "eve")] == before
    assert is_in(bob)


def test_guessing_ones_own_password_is_throttled_over_all_pages(app, store, researcher):
    signed_in(app, "bob", EDITOR)
    paths = ["/admin/people/bob/reset", "/admin/people/bob/remove", "/admin/account/password"]
    token = researcher.token(paths[0])
    form = {"own": "x", "csrf_token": token}
    statuses = [researcher.client.post(paths[n % 3], data=form).status_code for n in range(21)]
    assert statuses == [422] * 20 + [429]


# --- the last owner


def owners(store):
    return [person.name for person in store.accounts.people() if person.role == OWNER]


@pytest.mark.parametrize("errand", ["role", "remove"])
def test_the_last_owner_stays(store, researcher, errand):
    reply = researcher.post(f"/admin/people/ada/{errand}", {"role": EDITOR, "own": PASSWORD})
    assert reply.status_code == 409
    assert "last owner who can sign in" in reply.get_data(as_text=True)
    assert owners(store) == ["ada"]


def test_an_owner_without_a_password_does_not_count(store, researcher):
    add(researcher, "bob", OWNER)
    for change in (
        lambda: store.accounts.remove_account("ada"),
        lambda: store.accounts.set_role("ada", EDITOR),
        lambda: store.accounts.reset_account("ada", "token", 1),
    ):
        with pytest.raises(StateError, match="last owner"):
            change()
    assert store.accounts.by_name("ada").password_hash
    store.accounts.set_password("bob", "hash")
    store.accounts.remove_account("ada")
    assert owners(store) == ["bob"]


def test_of_owners_who_remove_each_other_at_once_one_remains(store):
    names = [f"owner{n}" for n in range(12)]
    for name in names:
        store.accounts.add_account(Account(name, OWNER, "hash"))
    refused = []

    def remove(name):
        try:
            store.accounts.remove_account(name)
        except StateError as error:
            refused.append(error)

    threads = [threading.Thread(target=remove, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert len(owners(store)) == 1


def test_an_owner_may_go_where_another_stays(app, store, researcher):
    signed_in(app, "bob", OWNER)
    assert researcher.post("/admin/people/ada/remove", {"own": PASSWORD}).status_code == 302
    assert not is_in(researcher)
    assert owners(store) == ["bob"]


# --- the user's own account


def test_a_new_password_ends_all_other_sessions(app, store, researcher):
    elsewhere, _ = sign_in(app, "ada", PASSWORD)
    assert is_in(elsewhere)
    form = {"own": PASSWORD, "password": NEW, "again": NEW}
    assert researcher.post("/admin/account/password", form).status_code == 302
    assert is_in(researcher)
    assert not is_in(elsewhere)
    assert not is_in(sign_in(app, "ada", PASSWORD)[0])
    assert is_in(sign_in(app, "ada", NEW)[0])


def test_signing_out_everywhere_ends_all_sessions_of_this_account_alone(app, researcher):
    elsewhere, _ = sign_in(app, "ada", PASSWORD)
    bob = signed_in(app, "bob", EDITOR)
    reply = researcher.post("/admin/account/sign-out-everywhere", form="/admin/account")
    assert reply.status_code == 302
    assert [is_in(each) for each in (researcher, elsewhere, bob)] == [False, False, True]


@pytest.mark.sqlite_only
def test_the_rules_hold_wherever_a_password_is_chosen(app, store, researcher, settings):
    link = add(researcher, "lovelace")
    weak = {"password": "lovelace is here", "again": "lovelace is here"}
    assert b"name of the account" in Researcher(app.test_client()).post(link, weak).data
    common = {"own": PASSWORD, "password": "password1234", "again": "password1234"}
    reply = researcher.post("/admin/account/password", common)
    assert b"too easy to guess" in reply.data
    empty = create_app(replace(settings, database=settings.database + "2"))
    empty.extensions["candor.store"].accounts.set_setup_token(token_hash("t").hex())
    reply = Researcher(empty.test_client()).post(
        "/admin/setup?token=t", {"name": "lovelace", **weak}
    )
    assert b"name of the account" in reply.data
    empty.extensions["candor.store"].close()


# --- commands


@pytest.fixture
def run(app):
    def command(*args, code=0, **kwargs):
        result = app.test_cli_runner().invoke(args=args, **kwargs)
        assert result.exit_code == code, result.output
        return result.output

    return command


def test_commands_do_the_same(app, store, run):
    assert "first account must be an owner" in run(
        "account", "create", "bob", "--role", "editor", code=1
    )
    run("account", "create", "ada", input=f"{PASSWORD}\n")
    run("account", "create", "bob", "--role", "editor", input=f"{PASSWORD}\n")
    assert run("account", "list").splitlines() == [
        "ada: owner, without second factor",
        "bob: editor, without second factor",
    ]
    assert run("account", "role", "bob", "analyst") == "bob: analyst\n"
    assert "last owner" in run("account", "role", "ada", "editor", code=1)
    assert "last owner" in run("account", "remove", "ada", code=1)
    assert run("account", "role", "bob", "member") == "bob: member\n"
    assert "Use none only with --survey" in run("account", "role", "bob", "none", code=1)
    opened(store, definition(by_hand=True))
    given = run("account", "role", "bob", "editor", "--survey", "health")
    assert given == "bob: editor on health\n"
    assert run("account", "list").splitlines()[1:] == [
        "bob: member, without second factor", "  health: editor",
    ]  # fmt: skip
    for role, slug, said in (
        ("owner", "health", "A role on one survey is analyst, editor or none, not owner."),
        ("editor", "health.by-hand", "is a part of survey 'health'"),
        ("editor", "none", "There is no survey 'none'."),
    ):
        assert said in run("account", "role", "bob", role, "--survey", slug, code=1)
    run("account", "role", "bob", "none", "--survey", "health")
    assert run("account", "list").splitlines()[1:] == ["bob: member, without second factor"]
    assert "no account 'eve'" in run("account", "remove", "eve", code=1)
    assert "too easy to guess" in run("account", "create", "eve", input="password1234\n", code=1)
    run("account", "remove", "bob")
    assert store.accounts.by_name("bob") is None


def test_the_last_owner_gets_back_in_by_a_command(app, store, run):
    run("account", "create", "ada", input=f"{PASSWORD}\n")
    said = run("account", "reset", "ada")
    assert said.startswith("http://127.0.0.1:8000/admin/join?token=")
    assert "ada: owner, without second factor, no password yet" in run("account", "list")
    link = said.split()[0].removeprefix("http://127.0.0.1:8000")
    assert is_in(join(app, link)[0])


# --- roles on single surveys


def give(researcher, role, name="bob", own=PASSWORD):
    form = {"name": name, "role": role, "own": own}
    return researcher.post("/admin/surveys/health/team", form)


def rows_of(researcher):
    """The rows of the page Team of a survey: name, role on all surveys, role on this survey."""
    page = researcher.client.get("/admin/surveys/health/team").get_data(as_text=True)
    rows = re.findall(r'<th scope="row">(\w+).*?</th>(.*?)</tr>', page, re.S)
    return [(name, *re.findall(r"<td[^>]*>(.*?)</td>", cells)) for name, cells in rows]


def test_an_owner_gives_a_role_on_one_survey_and_removes_it(app, store, researcher):
    opened(store, definition())
    bob = signed_in(app, "bob", MEMBER)
    signed_in(app, "eve", ANALYST)
    assert rows_of(researcher) == [("ada", "owner", "–"), ("eve", "analyst", "–")]
    assert give(researcher, ANALYST).status_code == 302
    assert rows_of(researcher)[1] == ("bob", "–", "analyst")
    assert bob.client.get("/admin/surveys/health/results").status_code == 200
    assert give(researcher, EDITOR).status_code == 302
    assert bob.client.get("/admin/surveys/health/log").status_code == 200
    assert give(researcher, EDITOR, "eve").status_code == 302
    assert rows_of(researcher)[2] == ("eve", "analyst", "editor")
    assert give(researcher, "none").status_code == 302
    assert bob.client.get("/admin/surveys/health").status_code == 404
    log = researcher.client.get("/admin/surveys/health/log").get_data(as_text=True)
    for action in (
        "changed the role of bob on this survey to analyst",
        "changed the role of bob on this survey to editor",
        "removed the role of bob on this survey",
    ):
        assert action in log


def test_giving_a_role_needs_the_own_password_and_a_person_who_is_no_owner(app, store, researcher):
    opened(store, definition())
    signed_in(app, "bob", MEMBER)
    signed_in(app, "fay", OWNER)
    for change, said in (
        ({"own": "wrong"}, "This is not your current password."),
        ({"own": ""}, "Type your current password."),
        ({"name": "fay"}, "This choice is not in the list"),
        ({"name": "nobody"}, "This choice is not in the list"),
        ({"role": OWNER}, "This choice is not in the list"),
    ):
        form = {"name": "bob", "role": EDITOR, "own": PASSWORD} | change
        reply = researcher.post("/admin/surveys/health/team", form)
        assert reply.status_code == 422, change
        assert said in reply.get_data(as_text=True)
    assert store.accounts.roles_on("health") == {}


def test_with_owners_alone_the_page_leads_to_the_team(store, researcher):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health/team").get_data(as_text=True)
    assert "Everyone in the team is an owner, and owners have access to all surveys." in page
    assert 'name="own"' not in page


def test_an_account_keeps_its_reach_until_an_owner_makes_it_a_member(app, store, researcher):
    opened(store, definition())
    opened(store, definition(slug="other", title="Other"))
    bob = signed_in(app, "bob", EDITOR)
    give(researcher, ANALYST)
    assert bob.client.get("/admin/surveys/other/log").status_code == 200
    assert bob.client.get("/admin/surveys/health/log").status_code == 200  # the higher role
    form = {"role": MEMBER, "own": PASSWORD}
    page = researcher.client.get("/admin/people/bob/role").get_data(as_text=True)
    assert '<a href="/admin/surveys/health/team" lang="en">Health</a>: analyst' in page
    reply = researcher.post("/admin/people/bob/role", form)
    team = researcher.client.get(reply.location).get_data(as_text=True)
    assert "bob has access to 1 survey." in team
    assert "<span>member of 1 survey</span>" in team
    assert bob.client.get("/admin/surveys/other").status_code == 404
    assert bob.client.get("/admin/surveys/health").status_code == 200
    assert bob.client.get("/admin/surveys/health/log").status_code == 403
    account = bob.client.get("/admin/account").get_data(as_text=True)
    assert '<a href="/admin/surveys/health" lang="en">Health</a>: analyst' in account


def test_a_new_member_reaches_nothing_yet(app, store, researcher):
    opened(store, definition())
    bob, _ = join(app, add(researcher, role=MEMBER))
    assert bob.client.get("/admin/surveys/health").status_code == 404
    assert is_in(bob)


def test_the_sign_in_page_says_whom_to_ask_and_shows_no_account(app, store, researcher):
    page = app.test_client().get("/admin/sign-in").get_data(as_text=True)
    assert "Forgot your password?" in page
    assert "Ask an owner of this server" in page
    assert "ada" not in without_csrf_tokens(page)
