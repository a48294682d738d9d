"""Every route in one table: who may use it, and what each answer must and must not contain.

A route without a row fails, so the table is complete. The roles apply to the whole site. Each
researcher sees all surveys, so there is no "researcher of another survey". The tests below cover
what belongs to one person alone, or to one survey alone. A token of the API has no scopes: it reads
what its routes return, and is worthless everywhere else.
"""

import asyncio
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.server.http.asgi_app import Front
from survey.server.http.connection_limits import ConnectionTable, HTTPTransport, connections
from survey.server.webhooks import safe_http_post
from survey.store import ANALYST, EDITOR, OWNER, ROLES
from survey.web import sign_in_limits
from tests.support.every_type import drawn
from tests.support.fuzzing_headers import fault_of_headers
from tests.support.fuzzing_requests import of
from tests.support.fuzzing_watch import Answer, Sent, Watch, ask
from tests.support.fuzzing_world import (
    CODES,
    NAMES,
    NOBODY,
    OLD_TOKEN,
    OTHERS_TOKEN,
    RECEIPT,
    SHARE,
    TOKEN,
    WEBHOOK,
    World,
    settings_at,
    world,
)
from tests.support.lengths import SOAK, soak

ANYONE, PROGRAM = "anyone", "token"
# The endpoint, the method, the lowest role with permission, an address, and the status with
# permission. Forms contain only their token.
TABLE = """
static                       GET  anyone  /static/respondent/randomizer.js                      200
respond.home                 GET  anyone  /                                                     200
respond.blank                GET  anyone  /blank                                                200
respond.page                 GET  anyone  /s/health                                             200
respond.document             GET  anyone  /s/health.json                                        200
respond.invited              POST anyone  /s/invited/invited                                    200
respond.receive              POST anyone  /s/health/responses                                   201
respond.withdrawing          GET  anyone  /s/health/withdraw                                    200
respond.withdraw             POST anyone  /s/health/withdrawals                                 200
paper_and_coin.form          GET  anyone  /s/hand/by-hand                                       200
paper_and_coin.at_its_slug   GET  anyone  /s/hand.by-hand                                       302
paper_and_coin.receive       POST anyone  /s/hand/by-hand                                       422
paper_and_coin.thanks        GET  anyone  /s/hand/by-hand/thanks                                200
api.surveys                  GET  token   /api/v1/surveys                                       200
api.survey                   GET  token   /api/v1/surveys/health                                200
api.responses                GET  token   /api/v1/surveys/health/responses.csv                  200
api.excel_file               GET  token   /api/v1/surveys/health/responses.xlsx                 200
api.stata_file               GET  token   /api/v1/surveys/health/responses.dta                  200
api.spss_file                GET  token   /api/v1/surveys/health/responses.sav                  200
api.estimates_json           GET  token   /api/v1/surveys/health/estimates.json                 200
api.estimates                GET  token   /api/v1/surveys/health/estimates.csv                  200
api.codebook_json            GET  token   /api/v1/surveys/health/codebook.json                  200
api.releases_json            GET  token   /api/v1/surveys/health/releases.json                  200
api.analysis_json            GET  token   /api/v1/surveys/health/analyses/crosstab.json         422
api.analysis_csv             GET  token   /api/v1/surveys/health/analyses/crosstab.csv          422
api.analysis_svg             GET  token   /api/v1/surveys/health/analyses/crosstab.svg          422
api.list_saved_analyses      GET  token   /api/v1/surveys/health/saved-analyses                 200
api.saved_analysis           GET  token   /api/v1/surveys/health/saved-analyses/1.json          404
api.export                   GET  token   /api/v1/surveys/health/export.zip                     200
api.openapi                  GET  token   /api/v1/openapi.json                                  200
trust.how                    GET  anyone  /how                                                  200
trust.how_survey             GET  anyone  /s/health/how                                        200
trust.verify                 GET  anyone  /verify                                               200
trust.verify_survey          GET  anyone  /s/health/verify                                      200
public.results               GET  anyone  /s/health/results                                     200
shared.results               GET  anyone  /shared?token=SHARE                                   200
help.contents                GET  anyone  /help/                                                200
help.document                GET  anyone  /help/readme                                          200
help.image                   GET  anyone  /help/images/candor.png                               200
help.search                  GET  anyone  /help/search?q=privacy                                200
learn.contents               GET  anyone  /learn/                                               200
learn.lesson                 GET  anyone  /learn/two-coins?share=20                             200
learn.notebook               GET  anyone  /learn/two-coins.ipynb                                200
learn.exercises              GET  anyone  /learn/exercises                                      200
learn.answers                GET  anyone  /learn/answers                                        200
admin.account                GET  analyst /admin/account                                        200
admin.change_password        GET  analyst /admin/account/password                               200
admin.change_password        POST analyst /admin/account/password                               422
admin.change_language        POST analyst /admin/account/language                                302
admin.sign_out_everywhere    POST analyst /admin/account/sign-out-everywhere                    302
admin.begin_second_factor    POST analyst /admin/account/second-factor/begin                    302
admin.show_second_factor     GET  analyst /admin/account/second-factor                          302
admin.turn_on_second_factor  POST analyst /admin/account/second-factor/on                       409
admin.turn_off_second_factor POST analyst /admin/account/second-factor/off                      302
admin.surveys                GET  analyst /admin/                                               200
admin.overview               GET  analyst /admin/surveys/health                                 200
admin.monitor                GET  analyst /admin/surveys/health/monitor.json                    200
admin.analysis               GET  analyst /admin/surveys/health/analysis                        200
admin.new                    GET  editor  /admin/surveys/new                                    200
admin.new                    POST editor  /admin/surveys/new                                    422
admin.edit                   GET  editor  /admin/surveys/draft/edit                             200
admin.edit                   POST editor  /admin/surveys/draft/edit                             422
admin.archive                POST editor  /admin/surveys/closed/archive                         302
admin.restore                POST editor  /admin/surveys/closed/restore                         302
admin.delete_draft           POST editor  /admin/surveys/draft/delete                           302
admin.restore_draft       POST analyst /admin/deleted/1/restore                           404
admin.delete_for_good        POST analyst /admin/deleted/1/drop                                 404
admin.erase                  GET  editor  /admin/surveys/closed/erase                           200
admin.erase                  POST editor  /admin/surveys/closed/erase                           422
admin.copy                   POST editor  /admin/surveys/health/copy                            302
admin.analysis               GET  analyst /admin/surveys/health/analysis/groups                 200
admin.analysis               GET  analyst /admin/surveys/health/analysis/change                 200
admin.analysis               GET  analyst /admin/surveys/health/analysis/crosswise              200
admin.analysis               GET  analyst /admin/surveys/health/analysis/list                   200
admin.analysis               GET  analyst /admin/surveys/health/analysis/correlation            200
admin.design                 GET  analyst /admin/surveys/health/analysis/design                 200
admin.keep_design            POST editor  /admin/surveys/health/analysis/design                 422
admin.delete_design          POST editor  /admin/surveys/health/analysis/design/delete          302
admin.export                 GET  analyst /admin/surveys/health/export.zip                      200
admin.responses              GET  analyst /admin/surveys/health/responses.csv                   200
admin.estimates              GET  analyst /admin/surveys/health/estimates.csv                   200
admin.codebook_json          GET  analyst /admin/surveys/health/codebook.json                   200
admin.setup                  GET  anyone  /admin/setup                                          401
admin.setup                  POST anyone  /admin/setup                                          401
admin.join                   GET  anyone  /admin/join                                           401
admin.join                   POST anyone  /admin/join                                           401
admin.sign_in                GET  anyone  /admin/sign-in                                        200
admin.sign_in                POST anyone  /admin/sign-in                                        200
admin.second_step            GET  anyone  /admin/sign-in/code                                   302
admin.second_step            POST anyone  /admin/sign-in/code                                   302
admin.sign_out               POST analyst /admin/sign-out                                       302
admin.load                   GET  editor  /admin/surveys/draft/load                             200
admin.check_load             POST editor  /admin/surveys/draft/load                             422
admin.load_responses         POST editor  /admin/surveys/draft/load/add                         422
admin.data_file              GET  analyst /admin/surveys/health/responses.sav                   200
admin.k_anonymity            GET  analyst /admin/surveys/health/results/alone                   200
admin.analysis               GET  analyst /admin/surveys/closed/analysis/tree                   200
admin.analysis_download      GET  analyst /admin/surveys/closed/analysis/tree.svg               404
admin.saved_analyses         GET  analyst /admin/surveys/health/analysis/saved                  200
admin.stop_analysis          POST analyst /admin/surveys/health/analysis/groups/stop            302
admin.save_analysis          POST analyst /admin/surveys/health/analysis/saved                  422
admin.rename_analysis        POST analyst /admin/surveys/health/analysis/saved/1                422
admin.delete_analysis        POST analyst /admin/surveys/health/analysis/saved/1/delete         302
admin.import_file            GET  editor  /admin/import                                         200
admin.import_file            POST editor  /admin/import                                         422
admin.import_randomised      GET  editor  /admin/import/responses                               200
admin.check_randomised       POST editor  /admin/import/responses                               422
admin.create_from_responses  POST editor  /admin/import/responses/add                           422
admin.apply_protection       POST editor  /admin/surveys/draft/protection/light                 302
admin.protect_questions      POST editor  /admin/surveys/draft/protect                          302
admin.definition_json        GET  analyst /admin/surveys/health/definition.json                 200
admin.definition_xlsx        GET  analyst /admin/surveys/health/definition.xlsx                 200
admin.make_invitations       POST editor  /admin/surveys/invited/invitations                    302
admin.limit                  POST editor  /admin/surveys/health/limits                          302
admin.open_survey            POST editor  /admin/surveys/health/open                            302
admin.close_survey           POST editor  /admin/surveys/health/close                           302
admin.log                    GET  owner   /admin/log                                            200
admin.log_csv                GET  owner   /admin/log.csv                                        200
admin.survey_log             GET  editor  /admin/surveys/health/log                             200
admin.survey_log_csv         GET  editor  /admin/surveys/health/log.csv                         200
admin.survey_team            GET  owner   /admin/surveys/health/team                            200
admin.survey_team            POST owner   /admin/surveys/health/team                            422
admin.people                 GET  owner   /admin/people                                         200
admin.add_person             GET  owner   /admin/people/add                                     200
admin.add_person             POST owner   /admin/people/add                                     422
admin.change_role            GET  owner   /admin/people/eve/role                                200
admin.change_role            POST owner   /admin/people/eve/role                                422
admin.reset_person           GET  owner   /admin/people/eve/reset                               200
admin.reset_person           POST owner   /admin/people/eve/reset                               422
admin.remove_person          GET  owner   /admin/people/eve/remove                              200
admin.remove_person          POST owner   /admin/people/eve/remove                              422
admin.plan                   GET  analyst /admin/surveys/health/plan                            200
admin.protection             GET  analyst /admin/surveys/draft/protection                       200
admin.preview_privacy        POST editor  /admin/odds                                           200
admin.preview_typed          POST editor  /admin/preview                                        422
admin.preview                GET  analyst /admin/surveys/health/preview                         200
admin.link_svg               GET  analyst /admin/surveys/health/link.svg                        200
admin.link_png               GET  analyst /admin/surveys/health/link.png                        200
admin.analysis               GET  analyst /admin/surveys/health/analysis/regression             200
admin.releases               GET  analyst /admin/surveys/health/releases                        200
admin.set_release_budget     POST owner   /admin/surveys/closed/releases/budget                 422
admin.publish_releases       POST editor  /admin/surveys/health/releases/public                 302
admin.new_release            GET  analyst /admin/surveys/closed/releases/new                    422
admin.draw_release           POST editor  /admin/surveys/closed/releases                        422
admin.releases_file          GET  analyst /admin/surveys/health/releases.csv                    200
admin.results                GET  analyst /admin/surveys/health/results                         200
admin.picture                GET  analyst /admin/surveys/health/pictures/smokes.svg             200
admin.class_page             GET  analyst /admin/surveys/class/class                            200
admin.class_page             POST analyst /admin/surveys/class/class                            422
admin.class_loss             GET  editor  /admin/surveys/class/class-loss                       409
admin.class_loss             POST editor  /admin/surveys/class/class-loss                       409
admin.end_class              GET  editor  /admin/surveys/class/class/end                        200
admin.end_class              POST editor  /admin/surveys/class/class/end                        302
admin.class_ended            GET  analyst /admin/class-ended                                    200
admin.sharing                GET  editor  /admin/surveys/health/share                           200
admin.add_share              POST editor  /admin/surveys/health/share                           422
admin.delete_share           POST editor  /admin/surveys/health/share/1/delete                  302
admin.publish                POST editor  /admin/surveys/health/publish                         302
admin.start                  POST editor  /admin/surveys/start                                  404
admin.tokens                 GET  analyst /admin/account/tokens                                 200
admin.add_token              POST analyst /admin/account/tokens                                 422
admin.revoke_token           POST analyst /admin/account/tokens/revoke                          409
admin.translate              GET  editor  /admin/surveys/draft/translations/th                  200
admin.translate              POST editor  /admin/surveys/draft/translations/th                  409
admin.texts                  GET  analyst /admin/surveys/health/texts                           200
admin.code_texts             POST analyst /admin/surveys/health/texts                           302
admin.codes                  GET  analyst /admin/surveys/health/texts/codes                     200
admin.add_code               POST analyst /admin/surveys/health/texts/codes                     422
admin.rename_code            POST analyst /admin/surveys/health/texts/codes/1                   422
admin.delete_code            POST analyst /admin/surveys/health/texts/codes/1/delete            302
admin.coded_texts            GET  analyst /admin/surveys/health/texts/coded-texts.csv           200
admin.try_out                GET  analyst /admin/surveys/health/try-out                         200
admin.simulate_pilot         POST editor  /admin/surveys/hand/try-out/pilot                     422
admin.start_practice         POST editor  /admin/surveys/hand/try-out/practice                  302
admin.delete_rehearsal       POST editor  /admin/surveys/hand/try-out/pilot/delete              302
admin.rehearsal_results      GET  analyst /admin/surveys/hand/try-out/pilot                     200
admin.analysis               GET  analyst /admin/surveys/health/analysis/validity               200
admin.webhooks               GET  analyst /admin/surveys/health/webhooks                        200
admin.add_webhook            POST editor  /admin/surveys/health/webhooks                        422
admin.test_webhook           POST editor  /admin/surveys/health/webhooks/WEBHOOK/test           302
admin.delete_webhook         POST editor  /admin/surveys/health/webhooks/WEBHOOK/delete         302
"""

# These are exempt from the token of forms for the same reason. No session exists that another site
# could use. The headers of browsers reveal requests from other sites, which are refused.
EXEMPT = {"respond.invited", "respond.receive", "respond.withdraw", "paper_and_coin.receive"}
WHO = (NOBODY, ANALYST, EDITOR, OWNER, PROGRAM)
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Row:
    endpoint: str
    method: str
    least: str
    address: str
    status: int

    def may(self, who: str) -> bool:
        if self.least in (ANYONE, PROGRAM):
            return self.least in (ANYONE, who)
        return who in ROLES and ROLES.index(who) >= ROLES.index(self.least)

    def expected(self, who: str) -> int:
        if self.may(who):
            return self.status
        if self.least == PROGRAM:
            return 401
        return 403 if who in ROLES else 302


ROWS = [
    Row(endpoint, method, least, address, int(status))
    for endpoint, method, least, address, status in map(str.split, TABLE.split("\n")[1:-1])
]


def right_body(w: World, endpoint: str) -> bytes:
    """The respondents' routes, whose refusals tests/system/test_malformed.py covers."""
    match endpoint:
        case "respond.invited":
            return json.dumps({"invitation": CODES[0]}).encode()
        case "respond.withdraw":
            return json.dumps({"receipt": RECEIPT}).encode()
        case "respond.receive":
            content = {"id": "9" * 32, "fingerprint": w.fingerprints["health"]}
            return json.dumps(content | {"reports": drawn(random.Random(1))}).encode()
    return f"response-id={'9' * 32}&survey-fingerprint={w.fingerprints['hand.by-hand']}".encode()


def request(w: World, row: Row, who: str, *, forgery: bool = False) -> Sent:
    """Send the request of the page; with `forgery`, without the token of its form."""
    path, _, query = row.address.replace("WEBHOOK", WEBHOOK.hex()).partition("?")
    query = query.replace("SHARE", "h" + SHARE[1:])
    headers = {"Authorization": f"Bearer {TOKEN}"} if who == PROGRAM else of(w, who)
    sent = Sent(row.method, path.encode(), query.encode(), headers, who=who)
    if row.method == "GET":
        return sent
    headers["Content-Type"] = FORM
    if row.endpoint in EXEMPT:
        sent.body = right_body(w, row.endpoint)
        headers["Content-Type"] = (
            FORM if row.endpoint == "paper_and_coin.receive" else "application/json"
        )
    elif not forgery:
        # The others have a session too, which does not sign them in.
        role = who if who in ROLES else NOBODY
        sent.body = f"csrf_token={w.tokens[role]}".encode()
        headers["Cookie"] = f"{w.app.config['SESSION_COOKIE_NAME']}={w.cookies[role]}"
    return sent


def asked(row: Row) -> list[str]:
    """Everyone without permission, and the lowest role with it.

    `make soak` asks for all of these.
    """
    may = [who for who in WHO if row.may(who)]
    return [who for who in WHO if who not in may or SOAK or who == may[0]]


@dataclass(frozen=True)
class Walked:
    row: Row
    who: str
    forgery: bool
    sent: Sent
    answer: Answer
    changed: bool


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Walked]]:
    """Everyone at every route once. Changes are undone before the next one."""
    found = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            safe_http_post, "addresses_of", lambda host, port, *, local: ["203.0.113.7"]
        )
        patched.setattr(safe_http_post, "connect_to_any", refuse)
        w = world(tmp_path_factory.mktemp("routes"))
        watch = Watch(w)
        for row in ROWS:
            for who in asked(row):
                for forgery in (False, True) if row.method == "POST" else (False,):
                    sent = request(w, row, who, forgery=forgery)
                    answer = ask(w, sent)
                    changed = watch.changed()
                    found.append(Walked(row, who, forgery, sent, answer, bool(changed)))
                    if changed:
                        w.restore()
                        watch.changed()
                    else:
                        sign_in_limits.limiter.reset()
        watch.close()
        w.close()
    yield found


def refuse(*_: object) -> None:
    raise ConnectionRefusedError


def test_every_route_has_its_row(app: Flask) -> None:
    routes = {
        (rule.endpoint, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(row.endpoint, row.method) for row in ROWS} == routes
    assert len(ROWS) == len({(row.endpoint, row.method, row.address) for row in ROWS})


def test_an_address_of_the_table_is_that_of_its_route(app: Flask) -> None:
    adapter = app.url_map.bind("localhost")
    for row in ROWS:
        assert adapter.match(row.address.partition("?")[0], method=row.method)[0] == row.endpoint


@pytest.mark.slow
@soak
def test_each_is_let_in_or_refused_as_its_row_says(walk: list[Walked]) -> None:
    wrong = {}
    for each in walk:
        if each.forgery or each.answer.status == each.row.expected(each.who):
            continue
        wrong[each.row.endpoint, each.row.method, each.who] = each.answer.status
    assert wrong == {}


@pytest.mark.slow
def test_who_is_refused_changes_nothing_and_strangers_are_led_to_the_door(
    walk: list[Walked],
) -> None:
    refused = [each for each in walk if not each.row.may(each.who)]
    assert len(refused) > 300
    assert [(e.row.endpoint, e.row.method, e.who) for e in refused if e.changed] == []
    for each in refused:
        if each.answer.status == 302:
            assert each.answer.headers["Location"] == "/admin/sign-in"


@pytest.mark.slow
def test_what_changes_something_wants_the_token_of_its_form(walk: list[Walked]) -> None:
    for each in walk:
        if not each.forgery or each.row.endpoint in EXEMPT:
            continue
        assert each.answer.status == 400, each.row
        assert not each.changed, each.row


def test_every_exemption_is_of_a_door_without_a_session_and_closed_to_other_sites(
    tmp_path: Any, app: Flask
) -> None:
    w = world(tmp_path)
    for row in ROWS:
        exempt = row.method == "POST" and not row.endpoint.startswith("admin.")
        assert (row.endpoint in EXEMPT) == exempt
        if not exempt:
            continue
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ):
            sent = request(w, row, OWNER)
            sent.headers |= headers
            assert ask(w, sent).status == 403, (row, headers)
    w.close()


@pytest.mark.slow
def test_looking_changes_nothing_but_the_log_of_what_was_taken_home(walk: list[Walked]) -> None:
    for each in walk:
        if each.row.method == "GET" and each.changed:
            kind = each.answer.headers.get("Content-Disposition", "")
            program = each.row.least == PROGRAM
            assert program or kind.startswith("attachment"), each.row


@pytest.mark.slow
def test_every_answer_has_the_headers_of_its_kind_and_no_others(walk: list[Walked]) -> None:
    wrong = {}
    for each in walk:
        path = each.sent.path.decode()
        fault = fault_of_headers(each.row.endpoint, path, each.answer.headers)
        if fault:
            wrong[each.row.endpoint, each.who, each.answer.status] = fault
    assert wrong == {}
    assert any("Set-Cookie" in each.answer.headers for each in walk)


def test_refusals_of_any_kind_have_them_too(tmp_path: Any) -> None:
    """404, 405, 413, 415, and 400 for an invalid Host, at every address."""
    w = world(tmp_path)
    seen, wrong = set(), {}
    for row in ROWS:
        for method, change in (
            ("DELETE", {}),
            ("OPTIONS", {}),
            ("POST", {"Content-Length": "9" * 9, "Content-Type": FORM}),
            ("POST", {"Content-Type": "text/plain"}),
            ("GET", {"Host": "x" * 300}),
        ):
            sent = request(w, row, OWNER)
            sent.method, sent.body = method, b""
            sent.headers |= {name: text for name, text in change.items() if "Length" not in name}
            sent.length = change.get("Content-Length")
            if method == "POST" and row.endpoint.startswith("admin."):
                sent.headers["X-CSRFToken"] = w.tokens[OWNER]
            answer = ask(w, sent)
            seen.add(answer.status)
            there = row.endpoint
            if change.get("Host") or method not in (row.method, "OPTIONS"):
                there = endpoint_of(w, sent.path.decode(), method, change)
            if answer.status >= 500 or (answer.status == 200 and method != "OPTIONS"):
                wrong[row.endpoint, method, str(change)] = str(answer.status)
            fault = fault_of_headers(there, sent.path.decode(), answer.headers)
            if fault:
                wrong[row.endpoint, method, str(change)] = fault
    for path in ("/nowhere", "/admin/nowhere", "/static/nowhere.js", "/static/../app.py", "/s/%00"):
        answer = ask(w, Sent("GET", path.encode()))
        seen.add(answer.status)
        assert answer.status == 404
        assert fault_of_headers(None, path, answer.headers) is None
    w.close()
    assert wrong == {}
    assert {400, 404, 405, 413, 415} <= seen


def endpoint_of(w: World, path: str, method: str, change: dict[str, str]) -> str | None:
    """The status of another method at the same address, or None without one."""
    if "Host" in change:
        return None
    found = w.app.url_map.bind("localhost")
    if not found.test(path, method):
        return None
    return str(found.match(path, method=method)[0])


def test_with_https_every_answer_insists_on_it_and_the_cookie_is_for_it_alone(
    tmp_path: Any,
) -> None:
    w = world(tmp_path, url="https://localhost")
    script = "/static/respondent/randomizer.js"
    for path in ("/", "/nowhere", script, "/api/v1/surveys", "/admin/sign-in"):
        answer = ask(w, Sent("GET", path.encode()))
        cookie = answer.headers.pop("Set-Cookie", None)
        assert fault_of_headers(None, path, answer.headers, https=True) is None
        assert (cookie is None) == (path != "/admin/sign-in")
        if cookie:
            assert set(cookie.split("; ")[1:]) == {
                "Secure",
                "HttpOnly",
                "Path=/admin",
                "SameSite=Strict",
            }
            assert cookie.startswith("__Secure-candor=")
    w.close()


@pytest.mark.parametrize("change", ["", "Set-Cookie", "X-Powered-By", "Cache-Control"])
def test_control_a_fault_in_the_headers_is_found(tmp_path: Any, change: str) -> None:
    w = world(tmp_path)
    headers = ask(w, Sent("GET", b"/")).headers
    w.close()
    if change:
        headers[change] = "public"
    assert (fault_of_headers("respond.home", "/", headers) is None) == (not change)


# --- answers of the front itself ------------------------------------------------------------------


def asgi(
    front: Front, path: str, *headers: tuple[bytes, bytes], method: str = "POST"
) -> tuple[int, dict[str, str]]:
    """The front's answer to a request without a body."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "scheme": "http",
        "server": ("localhost", 80),
        "http_version": "1.1",
        "headers": [(b"host", b"localhost"), *headers],
        "client": ("192.0.2.7", 1),
    }
    # It runs in its own thread, since a browser's loop may run in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, front(scope, receive, send)).result()
    given = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], given


@pytest.mark.parametrize("https", [False, True])
def test_refusals_of_the_front_have_them_too(tmp_path: Any, https: bool) -> None:
    url = "https://localhost" if https else "http://localhost"
    settings = settings_at(tmp_path / "candor.db", url=url, requests_a_minute=4)
    app = create_app(settings)
    front = Front(app, app.extensions["candor.store"], settings, longest=1_000)
    found = [asgi(front, "/s/health/responses", (b"content-length", b"999999"))]
    front.threads.respondents.busy = 10**6
    found.append(asgi(front, "/"))
    front.gathering.add = lambda piece: None  # type: ignore[method-assign]
    typed = (b"content-type", b"application/json"), (b"content-length", b"0")
    found.append(asgi(front, "/s/health/responses", *typed))
    found.append(asgi(front, "/", (b"host", b"another")))
    found.append(asgi(front, "/"))
    app.extensions["candor.store"].close()
    assert [status for status, _ in found] == [413, 503, 503, 400, 429]
    for status, headers in found:
        assert fault_of_headers(None, "/", headers, https=https) is None
        assert ("Retry-After" in headers) == (status in (429, 503))


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_is_for_operators_has_them_too(tmp_path: Any, path: str) -> None:
    settings = settings_at(tmp_path / "candor.db", url="https://localhost")
    app = create_app(settings)
    front = Front(app, app.extensions["candor.store"], settings, longest=1_000)
    statuses = []
    for method in ("GET", "POST"):
        status, headers = asgi(front, path, method=method)
        assert fault_of_headers(None, "/", headers, https=True) is None
        statuses.append(status)
    app.extensions["candor.store"].close()
    assert all(status < 500 or path == "/readyz" for status in statuses)


@pytest.mark.parametrize("https", [False, True])
def test_what_is_no_http_is_refused_with_them_too(https: bool) -> None:
    written: list[bytes] = []
    kind = connections(None, ConnectionTable(9), https=https)
    connection = kind.__new__(kind)
    connection.transport = SimpleNamespace(write=written.append, close=lambda: None)
    connection.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")
    connection.parsing = True
    HTTPTransport(connection).write(b"whatever")
    for answer, status in zip(written, (431, 400), strict=True):
        first, *lines = answer.partition(b"\r\n\r\n")[0].decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        assert first.split()[1] == str(status)
        assert fault_of_headers(None, "/", headers, https=https) is None


# --- data of one person, or of one survey ---------------------------------------------------------


def posted(w: World, path: str, who: str = OWNER, **fields: str) -> Answer:
    content = "&".join(f"{k}={v}" for k, v in {**fields, "csrf_token": w.tokens[who]}.items())
    headers = of(w, who) | {"Content-Type": FORM}
    return ask(w, Sent("POST", path.encode(), headers=headers, body=content.encode()))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    found = world(tmp_path_factory.mktemp("kept"))
    yield found
    found.close()


@pytest.fixture
def w(kept: World) -> World:
    """A world in its first state."""
    kept.restore()
    return kept


def test_nobody_revokes_the_token_of_another(w: World) -> None:
    # the token of the analyst
    assert posted(w, "/admin/account/tokens/revoke", label="script").status == 409
    assert posted(w, "/admin/account/tokens/revoke", EDITOR, label="other").status == 409
    for token in (TOKEN, OTHERS_TOKEN):
        answer = ask(
            w, Sent("GET", b"/api/v1/surveys", headers={"Authorization": f"Bearer {token}"})
        )
        assert answer.status == 200
    assert posted(w, "/admin/account/tokens/revoke", ANALYST, label="script").status == 302


def test_a_token_of_any_role_is_nothing_on_researchers_pages_and_one_past_its_day_nothing(
    w: World,
) -> None:
    for token in (TOKEN, OTHERS_TOKEN):
        headers = {"Authorization": f"Bearer {token}"}
        assert ask(w, Sent("GET", b"/admin/people", headers=headers)).status == 302
    headers = {"Authorization": f"Bearer {OLD_TOKEN}"}
    assert ask(w, Sent("GET", b"/api/v1/surveys", headers=headers)).status == 401


def test_what_is_of_one_survey_is_not_reached_by_the_address_of_another(w: World) -> None:
    """A link to results, a webhook, a file of weights, a test run, and their numbers."""
    before = [w.store.shares.links("health"), w.store.webhooks.receivers("health")]
    [share], hook = before[0], WEBHOOK.hex()
    posted(w, f"/admin/surveys/closed/share/{share.number}/delete")
    assert posted(w, f"/admin/surveys/closed/webhooks/{hook}/delete").status == 404
    assert posted(w, f"/admin/surveys/hand/webhooks/{hook}/test").status == 404
    assert posted(w, "/admin/surveys/health/try-out/pilot/delete").status < 500
    assert w.store.rehearsals.by_kind("pilot", "hand") is not None
    assert [w.store.shares.links("health"), w.store.webhooks.receivers("health")] == before


def test_a_link_shows_the_survey_that_it_is_of(w: World) -> None:
    pages = {
        slug: ask(w, Sent("GET", b"/shared", b"token=" + (slug[0] + SHARE[1:]).encode()))
        for slug in ("health", "closed", "nothing")
    }
    assert [page.status for page in pages.values()] == [200, 200, 404]
    assert b"/s/health/" not in pages["closed"].body
    assert b"/s/closed/" not in pages["health"].body


def test_codes_and_receipts_are_of_one_survey(w: World) -> None:
    with w.app.app_context():
        other = token_hash("nothing")
    assert w.store.shares.find_shared(other) is None
    headers = {"Content-Type": "application/json"}
    code = json.dumps({"invitation": CODES[1]}).encode()
    receipt = json.dumps({"receipt": RECEIPT}).encode()
    for path, body, status in (
        ("/s/invited/invited", code, 200),
        ("/s/health/invited", code, 404),
        ("/s/closed/withdrawals", receipt, 404),
        ("/s/hand/withdrawals", receipt, 404),
        ("/s/health.practice/withdrawals", receipt, 404),
        ("/s/health/withdrawals", receipt, 200),
    ):
        assert ask(w, Sent("POST", path.encode(), headers=headers, body=body)).status == status


def test_a_session_changes_its_own_account_alone(w: World) -> None:
    """The same holds for any name or role in the request."""
    before = [w.store.accounts.by_name(name) for name in NAMES.values()]
    for path in ("password", "second-factor/off", "second-factor/begin", "second-factor/on"):
        answer = posted(w, f"/admin/account/{path}", ANALYST, name="ada", role=OWNER, account="ada")
        assert answer.status < 500
    assert [w.store.accounts.by_name(name) for name in NAMES.values()] == before
    assert w.store.factors.second_factor("ada") is None
