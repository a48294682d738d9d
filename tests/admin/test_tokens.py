"""The page of API tokens: it shows a token once, and says what is wrong."""

import re
from datetime import timedelta

import pytest
from flask import Flask

from survey.store import ANALYST, Store
from survey.web import api_tokens
from tests.support.api_programs import Program, assert_refused, today
from tests.support.researchers import PASSWORD, signed_in


@pytest.mark.both_stores
def test_a_token_is_made_shown_once_and_revoked_on_the_page(app: Flask, store: Store) -> None:
    someone = signed_in(app, "ann", ANALYST)
    path = "/admin/account/tokens"
    reply = someone.post(path, {"label": "<b>Script</b>", "days": "30", "own": PASSWORD})
    assert reply.status_code == 200
    [token] = set(re.findall(r"candor_[\w-]{43}", reply.get_data(as_text=True)))
    program = Program(app.test_client(), token)
    assert program.get("/surveys").status_code == 200
    page = someone.client.get(path).get_data(as_text=True)
    assert "candor_" not in page
    assert "&lt;b&gt;Script&lt;/b&gt;" in page
    assert f"{today() + timedelta(30)}" in page
    reply = someone.post(f"{path}/revoke", {"label": "<b>Script</b>"}, form=path)
    assert reply.status_code == 302
    assert_refused(program.get("/surveys"), 401)
    assert store.tokens.of_account("ann") == []
    reply = someone.post(f"{path}/revoke", {"label": "<b>Script</b>"}, form=path)
    assert reply.status_code == 409


@pytest.mark.both_stores
def test_nobody_revokes_or_sees_the_token_of_another(
    app: Flask, program: Program, store: Store
) -> None:
    owner = signed_in(app)
    path = "/admin/account/tokens"
    assert "You have no tokens." in owner.client.get(path).get_data(as_text=True)
    assert owner.post(f"{path}/revoke", {"label": "script"}, form=path).status_code == 409
    assert program.get("/surveys").status_code == 200


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"label": "", "days": "90"}, "Type a name, so that you know"),
        ({"label": "x" * 41, "days": "90"}, "Use at most 40 characters."),
        ({"label": "a", "days": "366"}, "Type a whole number from 1 to 365."),
        ({"label": "a", "days": "many"}, "Type a whole number from 1 to 365."),
        ({"label": "   ", "days": "90"}, "Use 1 to 40 characters for the name of a token."),
        ({"label": "taken", "days": "90"}, "already has a token &#39;taken&#39;"),
        (
            {"label": "a", "days": "90", "own": "wrong"},
            "This is not your current password.",
        ),
        (
            {"label": "a", "days": "90", "own": ""},
            "Type your current password.",
        ),
    ],
)
def test_the_page_says_what_is_wrong_beside_the_field(
    app: Flask, store: Store, form: dict[str, str], words: str
) -> None:
    someone = signed_in(app, "ann", ANALYST)
    with app.app_context():
        api_tokens.make_token("ann", "taken", 1)
    reply = someone.post("/admin/account/tokens", {"own": PASSWORD} | form)
    assert reply.status_code == 422
    page = reply.get_data(as_text=True)
    assert words in page
    assert 'aria-invalid="true"' in page
    assert len(store.tokens.of_account("ann")) == 1
