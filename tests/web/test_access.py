"""Who reaches which survey: every route, file, API request and token, for every kind of account.

The tests read the routes from the application, so they visit a new route without a new line here.
"""

import re
from collections import Counter
from datetime import date

import pytest
from flask import Flask, url_for
from werkzeug.routing import AnyConverter, Rule
from werkzeug.test import TestResponse

from survey.api.blueprint import OPERATIONS
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server.webhooks import safe_http_post
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, ROLES, Account, Store
from survey.store.sql.audit_log import Act
from survey.web.api_tokens import make_token
from tests.support.audited_routes import AUDITED, WITH_NUMBERS, Site
from tests.support.builder_forms import filled
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher, signed_in, signed_in_with

# It is in the title and the texts of the surveys that somebody must not see.
SECRET = "Zaubernuss"
HIDDEN, DRAFT, OWN, MISSING = "secret-1", "secret-2", "garden-1", "nothing1"


def fill(store: Store) -> None:
    """A survey and a draft to hide, both in the audit log, and a survey and a draft of one's own.

    The hidden draft once had the address that is missing now.
    """
    marked = {"title": SECRET, "introduction": SECRET}
    opened(store, WITH_NUMBERS | marked | {"slug": HIDDEN}, "closed")
    opened(store, definition(slug=OWN), "closed")
    label = f"{SECRET}?"
    store.surveys.save_draft(parse_survey(definition(yes_no(label=label), slug=DRAFT, **marked)))
    store.surveys.save_draft(parse_survey(definition(slug="garden-2")))
    renamed = f"saved the draft, and changed its address from {MISSING}"
    for slug, action in ((HIDDEN, "opened the survey"), (DRAFT, renamed)):
        store.audit.record(Act(survey=slug, account=SECRET, action=action, moment=1_795_000_000))


def of_a_survey(app: Flask) -> list[Rule]:
    return [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("admin.") and "slug" in rule.arguments
    ]


def address(app: Flask, rule: Rule, slug: str) -> str:
    """The address of a route for this survey. A placeholder with fixed values has the first."""
    known = {"slug": slug, "name": "bob", "language": "en", "kind": "pilot", "number": 7}
    values = {name: known.get(name, "smokes") for name in rule.arguments}
    for name, converter in rule._converters.items():
        if isinstance(converter, AnyConverter):
            values[name] = min(converter.items)
    with app.test_request_context():
        return url_for(rule.endpoint, **values)


def ask(someone: Researcher, path: str, method: str) -> TestResponse:
    """The reply to an empty form, or to a GET request. The form never changes anything that a test
    below reads: the surveys of these requests are out of reach, or the role is too low."""
    data = {"csrf_token": someone.token("/admin/account")} if method == "POST" else None
    return someone.client.open(path, method=method, data=data)


def without(reply: TestResponse, slug: str) -> tuple[int, str]:
    """Status and page, without the slug that was asked for and the token of the session."""
    page = reply.get_data(as_text=True).replace(slug, "SLUG")
    lines = [line for line in page.splitlines() if "csrf_token" not in line]
    return reply.status_code, "\n".join(lines)


# --- the one function


@check_each(
    ("role", "single", "on_health", "anywhere"),
    [
        (OWNER, {}, OWNER, OWNER),
        (OWNER, {"health": ANALYST}, OWNER, OWNER),
        (EDITOR, {}, EDITOR, EDITOR),
        (ANALYST, {}, ANALYST, ANALYST),
        (ANALYST, {"health": EDITOR}, EDITOR, EDITOR),
        (ANALYST, {"other": EDITOR}, ANALYST, EDITOR),
        (MEMBER, {}, MEMBER, MEMBER),
        (MEMBER, {"health": ANALYST}, ANALYST, ANALYST),
        (MEMBER, {"health": ANALYST, "other": EDITOR}, ANALYST, EDITOR),
        (MEMBER, {"other": EDITOR}, MEMBER, EDITOR),
    ],
)
def test_the_higher_of_two_roles_counts(role, single, on_health, anywhere):
    account = Account(name="bob", role=role, password_hash="", survey_roles=single)
    assert account.role_on("health") == on_health
    assert account.role_on() == anywhere


def test_every_route_of_a_survey_calls_it_slug(app):
    """`guard_view` and the API take the survey from this part of the address."""
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith(("admin.", "api.")) and "/surveys/<" in rule.rule:
            assert "slug" in rule.arguments, rule


def test_only_the_builder_checks_the_role_itself(app):
    """Every other view is closed by `guard_view` before it runs. Of the builder, the tests below
    send each kind of request."""
    own = [
        rule.endpoint
        for rule in of_a_survey(app)
        if app.view_functions[rule.endpoint].checks_role_itself
    ]
    assert own == ["admin.edit"]


# --- every route, for somebody who does not reach the survey


@pytest.mark.slow
@pytest.mark.parametrize("slug", [HIDDEN, DRAFT, f"{HIDDEN}.by-hand"])
@pytest.mark.parametrize("single", [{}, {"garden_1": EDITOR}], ids=["nothing", "another"])
def test_a_survey_out_of_reach_is_like_one_that_does_not_exist(app, store, slug, single):
    fill(store)
    someone = signed_in_with(app, "eve", MEMBER, **single)
    before = store.surveys.list_surveys()
    missing = slug.replace(slug.partition(".")[0], MISSING)
    walked = 0
    for rule in of_a_survey(app):
        for method in sorted(rule.methods & {"GET", "POST"}):
            replies = [
                without(ask(someone, address(app, rule, each), method), each)
                for each in (slug, missing)
            ]
            assert replies[0] == replies[1], f"{method} {rule} shows that {slug} exists"
            assert replies[0][0] in (403, 404, 409), rule
            assert SECRET not in replies[0][1]
            walked += 1
    assert walked >= 50
    assert store.surveys.list_surveys() == before


@pytest.mark.slow
def test_no_page_of_ones_own_shows_a_survey_out_of_reach(app, store):
    """The list, all pages of another survey, and the previews, which take the draft from a
    parameter. The control is an owner, whose pages do show it."""
    fill(store)
    eve = signed_in_with(app, "eve", MEMBER, garden_1=EDITOR, garden_2=EDITOR)
    ada = signed_in(app)

    def shown(someone: Researcher) -> set[str]:
        found = set()
        for rule in app.url_map.iter_rules():
            if not rule.endpoint.startswith("admin.") or "GET" not in rule.methods:
                continue
            for slug in (OWN, "garden-2"):
                reply = someone.client.get(address(app, rule, slug), buffered=True)
                if any(word.encode() in reply.get_data() for word in (SECRET, HIDDEN, DRAFT)):
                    found.add(rule.endpoint)
        for path in ("odds", "preview"):
            page = someone.post(f"/admin/{path}?draft={DRAFT}", filled(), form="/admin/surveys/new")
            if SECRET in page.get_data(as_text=True):
                found.add(path)
        return found

    assert shown(eve) == set()
    assert {"admin.surveys"} <= shown(ada)


def test_the_preview_uses_a_draft_only_for_those_who_may_edit_it(app, store):
    """The translations of the stored draft appear in the preview of a form with its questions."""
    translated = {"vi": {"questions": {"smokes": {"label": SECRET}}}}
    store.surveys.save_draft(parse_survey(definition(slug=DRAFT, translations=translated)))
    opened(store, definition(slug=OWN))
    form = filled(name="smokes") | {"languages": "vi", "preview_language": "vi"}

    def preview(someone: Researcher) -> bool:
        reply = someone.post(f"/admin/preview?draft={DRAFT}", form, form="/admin/surveys/new")
        return SECRET in reply.get_data(as_text=True)

    assert preview(signed_in(app))
    assert not preview(signed_in_with(app, "eve", MEMBER, garden_1=EDITOR))


def test_the_validity_page_offers_other_surveys_only_within_reach(app, store):
    forced = {"mechanism": "table", "rows": [[9, 1], [2, 8]]}
    opened(store, definition(slug=OWN), "closed")
    opened(store, definition(yes_no(privacy=forced), slug=HIDDEN, title=SECRET), "closed")
    for slug in (OWN, HIDDEN):
        rows = [Response(bytes([k]) * 16, (k % 2,)) for k in range(60)]
        store.responses.add_batches(slug, [rows], "loaded")
    path = f"/admin/surveys/{OWN}/analysis/validity"
    pages = [
        someone.client.get(path).get_data(as_text=True)
        for someone in (signed_in(app), signed_in_with(app, "eve", MEMBER, garden_1=ANALYST))
    ]
    assert [SECRET in page for page in pages] == [True, False]


def test_a_form_of_a_draft_that_was_deleted_is_not_lost(app, store):
    """With the draft, a member's role on it is gone. The form can still be saved as a copy by an
    editor of another survey, and the page tells nothing about anybody's survey."""
    fill(store)
    eve = signed_in_with(app, "eve", MEMBER, garden_1=EDITOR, garden_2=EDITOR)
    store.deleted_drafts.delete_draft("garden-2", date.today())
    sent = filled(do="save", title="Typed")
    reply = eve.post("/admin/surveys/garden-2/edit", sent, form="/admin/surveys/new")
    assert reply.status_code == 409
    assert 'value="Typed"' in reply.get_data(as_text=True)
    copied = eve.post(
        "/admin/surveys/garden-2/edit", sent | {"do": "save-copy"}, form="/admin/surveys/new"
    )
    assert copied.status_code == 302
    assert eve.client.get(copied.location).status_code == 200


# --- every route, for roles on this survey


@pytest.mark.slow
@pytest.mark.parametrize("role", [ANALYST, EDITOR])
def test_a_role_on_a_survey_opens_exactly_its_routes(app, store, role):
    """GET with the role on the survey, POST where the role is too low. The next test does all
    that an editor may do."""
    fill(store)
    someone = signed_in_with(app, "bob", MEMBER, secret_1=role)
    walked = {True: 0, False: 0}
    for rule in of_a_survey(app):
        enough = ROLES.index(role) >= ROLES.index(app.view_functions[rule.endpoint].role)
        for method in sorted(rule.methods & {"GET", "POST"}):
            if method == "POST" and enough:
                continue
            reply = ask(someone, address(app, rule, HIDDEN), method)
            assert (reply.status_code != 403) == enough, rule
            if not enough:
                assert f"Your role on this survey is “{role}”." in reply.get_data(as_text=True)
            walked[enough] += 1
    assert min(walked.values()) >= 2


# What an editor of a survey may change there.
OF_EDITORS = {
    *("edit", "translate", "copy", "delete_draft", "open_survey", "close_survey", "limit"),
    *("simulate_pilot", "start_practice", "delete_rehearsal", "make_invitations", "class_loss"),
    *("archive", "restore", "erase", "end_class", "keep_design", "delete_design", "load_responses"),
    *("protect_questions", "apply_protection"),
    *("add_share", "delete_share", "publish", "draw_release", "publish_releases"),
    *("add_webhook", "test_webhook", "delete_webhook"),
}
# A budget comes first, and only an owner sets it.
WITH_BUDGET = {"draw_release", "publish_releases"}


def test_the_routes_of_editors_are_those_above(app):
    changing = {
        rule.endpoint.removeprefix("admin.")
        for rule in of_a_survey(app)
        if "POST" in rule.methods and app.view_functions[rule.endpoint].role == EDITOR
    }
    assert changing - {"check_load"} == OF_EDITORS  # The preview of a file changes nothing.


@pytest.mark.slow
@pytest.mark.parametrize("single", [EDITOR, ANALYST])
@pytest.mark.parametrize("endpoint", sorted(OF_EDITORS - WITH_BUDGET))
def test_an_editor_of_one_survey_does_there_what_editors_do(
    app, store, monkeypatch, endpoint, single
):
    monkeypatch.setattr(safe_http_post, "addresses_of", lambda *_, **__: ["203.0.113.7"])
    monkeypatch.setattr(safe_http_post, "connect_to_any", refuse)
    signed_in(app)
    someone = signed_in(app, "bob", MEMBER)
    # The survey does not exist yet.
    store.accounts.change("INSERT INTO survey_roles VALUES ('bob', 'health', ?)", single)
    site, route = Site(app, store, someone), AUDITED[f"admin.{endpoint}"]
    if single == EDITOR:
        route.do(site)
        assert store.audit.acts(account="bob")[0].action == route.action
        return
    with pytest.raises((AssertionError, TypeError)):  # a status, or a page without the form
        route.do(site)
    assert store.audit.acts(account="bob") == []


def refuse(*_: object) -> None:
    raise ConnectionRefusedError


def test_only_owners_give_roles_and_budgets(app, store):
    opened(store, definition())
    bob = signed_in_with(app, "bob", MEMBER, health=EDITOR)
    for path in ("/admin/surveys/health/team", "/admin/people", "/admin/log", "/admin/log.csv"):
        assert bob.client.get(path).status_code == 403, path
    reply = ask(bob, "/admin/surveys/health/releases/budget", "POST")
    assert reply.status_code == 403
    assert store.releases.budget("health") is None


def test_the_audit_log_of_a_survey_is_for_its_editors(app, store):
    opened(store, definition())
    editor = signed_in_with(app, "bob", MEMBER, health=EDITOR)
    analyst = signed_in_with(app, "eve", MEMBER, health=ANALYST)
    for path in ("log", "log.csv"):
        assert editor.client.get(f"/admin/surveys/health/{path}").status_code == 200
        assert analyst.client.get(f"/admin/surveys/health/{path}").status_code == 403


# --- creating surveys


def test_who_creates_a_survey_reaches_it(app, store):
    opened(store, definition(slug=OWN))
    bob = signed_in_with(app, "bob", MEMBER, garden_1=EDITOR)
    made = bob.post("/admin/surveys/new", filled(slug="tulips"))
    assert made.status_code == 302
    assert bob.client.get("/admin/surveys/tulips/edit").status_code == 200
    assert store.accounts.by_name("bob").survey_roles == {OWN: EDITOR, "tulips": EDITOR}
    # An editor of all surveys gets no role on a single one: a lower role then takes effect at once.
    eve = signed_in(app, "eve", EDITOR)
    assert eve.post("/admin/surveys/new", filled(slug="roses")).status_code == 302
    assert store.accounts.by_name("eve").survey_roles == {}
    assert bob.client.get("/admin/surveys/roses").status_code == 404


@pytest.mark.parametrize("single", [{}, {"garden_1": ANALYST}])
def test_who_is_an_editor_nowhere_creates_no_survey(app, store, single):
    opened(store, definition(slug=OWN))
    bob = signed_in_with(app, "bob", MEMBER, **single)
    for path in ("surveys/new", "import"):
        assert bob.client.get(f"/admin/{path}").status_code == 403
    for path in ("surveys/start", "odds", "preview"):
        assert ask(bob, f"/admin/{path}", "POST").status_code == 403
    copied = ask(bob, f"/admin/surveys/{OWN}/copy", "POST")
    assert copied.status_code == (403 if single else 404)
    assert "New survey" not in bob.client.get("/admin/").get_data(as_text=True)
    assert [each.slug for each in store.surveys.list_surveys()] == [OWN]


# --- the API and its tokens


def get(app: Flask, token: str, path: str) -> TestResponse:
    return app.test_client().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {token}"})


def token_of(app: Flask, name: str) -> str:
    with app.app_context():
        return make_token(name, "script", 30)


def test_a_token_has_the_reach_of_its_account_at_each_request(app, store):
    fill(store)
    signed_in_with(app, "bob", MEMBER, garden_1=ANALYST)
    token = token_of(app, "bob")

    def listed() -> list[str]:
        return [each["slug"] for each in get(app, token, "/surveys").json["surveys"]]

    assert listed() == [OWN]
    for each in OPERATIONS:
        if not each.of_a_survey:
            continue
        path = each.path.replace("{analysis}", "crosstab").replace("{number}", "1")
        paths = [path.replace("{slug}", slug) for slug in (OWN, HIDDEN, MISSING)]
        own, hidden, missing = (get(app, token, path) for path in paths)
        # An analysis without its questions is refused, and this survey has no saved analysis.
        refused = {"{analysis}": 422, "{number}": 404}
        status = next((code for name, code in refused.items() if name in each.path), 200)
        assert own.status_code == status, each.path
        assert (hidden.status_code, missing.status_code) == (404, 404), each.path
        assert hidden.text.replace(HIDDEN, "") == missing.text.replace(MISSING, "")
    store.accounts.set_survey_role("bob", HIDDEN, ANALYST)
    assert listed() == [OWN, HIDDEN]
    store.accounts.set_survey_role("bob", OWN, None)
    assert listed() == [HIDDEN]
    assert get(app, token, f"/surveys/{OWN}/responses.csv").status_code == 404
    store.accounts.set_role("bob", ANALYST)
    assert len(listed()) == 4
    store.accounts.set_role("bob", MEMBER)
    assert listed() == [HIDDEN]


def test_a_sub_survey_is_reached_with_its_survey(app, store):
    opened(store, definition(by_hand=True))
    signed_in_with(app, "bob", MEMBER, health=ANALYST)
    eve = signed_in(app, "eve", MEMBER)
    for name, status in (("bob", 200), ("eve", 404)):
        reply = get(app, token_of(app, name), "/surveys/health.by-hand/responses.csv")
        assert reply.status_code == status
    assert eve.client.get("/admin/surveys/health.by-hand/results").status_code == 404


def test_the_downloads_of_a_member_are_in_the_log(app, store):
    opened(store, definition())
    bob = signed_in_with(app, "bob", MEMBER, health=ANALYST)
    assert bob.client.get("/admin/surveys/health/responses.csv").status_code == 200
    [act] = store.audit.acts()
    assert (act.account, act.survey) == ("bob", "health")


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


# --- every route and every page, by role


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
