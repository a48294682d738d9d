"""The team: invitation links, roles, removal, and roles on single surveys."""

import re
import threading
import time
from pathlib import Path

import pytest

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import token_hash
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account, Session
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, password_hash, signed_in
from tests.support.team_pages import NEW, add, is_in, join, link_on, sign_in

pytestmark = pytest.mark.both_stores


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
    store.accounts.add_account(Account(name="bob", role=EDITOR, password_hash=password_hash()))
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
        store.accounts.add_account(Account(name=name, role=OWNER, password_hash="hash"))
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
