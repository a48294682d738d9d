"""The headers that `verify` permits."""

import pytest

from survey.cli.verify.headers import (
    PERMITTED,
    check_headers,
    faults_of_headers,
    headers_of_release,
)
from survey.cli.verify.http_client import ClientReply
from survey.server.http.security_headers import HSTS
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

PAGE = "/s/health"
OF_SERVERS = {
    "Date": "Sat, 28 Nov 2026 18:34:28 GMT",
    "Server": "nginx/1.29 (Debian)",
    "Via": "1.1 proxy",
    "Connection": "keep-alive",
    "Keep-Alive": "timeout=5, max=100",
    "Content-Length": "12",
    "Transfer-Encoding": "chunked",
    "Content-Encoding": "gzip",
    "Vary": "accept-encoding",
    "Strict-Transport-Security": HSTS,
}


def faults(*more: tuple[str, str], path: str = PAGE, https: bool = False) -> list[str]:
    """The faults of a correct reply with these headers too."""
    headers = (*headers_of_release(path, https=https).items(), *more)
    return [
        *faults_of_headers(
            ClientReply(client="x", path=path, status=200, headers=headers, body=b""), https=https
        )
    ]


def test_headers_of_servers_are_permitted_and_only_once():
    assert OF_SERVERS.keys() == PERMITTED.keys()
    assert faults(*OF_SERVERS.items()) == []
    for name, value in OF_SERVERS.items():
        for own in (name, name.lower(), name.upper()):
            assert faults((own, value)) == []
            assert faults((own, value), (name, value)) == [f"The header {own} is there 2 times"]


def test_any_other_header_is_wrong():
    dangerous = (
        *("Clear-Site-Data", "Alt-Svc", "Speculation-Rules", "Origin-Trial", "Set-Cookie", "Link"),
        *("Refresh", "NEL", "Report-To", "Reporting-Endpoints", "SourceMap", "Accept-CH"),
        *("Service-Worker-Allowed", "Supports-Loading-Mode", "No-Vary-Search", "Document-Policy"),
        *("Content-Security-Policy-Report-Only", "Access-Control-Allow-Origin", "ETag", "Upgrade"),
    )
    for name in (*dangerous, *map(str.lower, dangerous), "X-Harmless"):
        assert faults((name, "")) == [f"Candor never sends the header {name}, but it is there"]


@check_each(
    ("name", "value"),
    [
        ("Date", "soon"),
        ("Server", "a\nClear-Site-Data: *"),
        ("Connection", "Upgrade"),
        ("Content-Encoding", "br"),
        ("Content-Encoding", "dcb"),
        ("Transfer-Encoding", "gzip, chunked"),
        ("Vary", "User-Agent"),
        ("Vary", "*"),
        ("Keep-Alive", "<x>"),
        ("Strict-Transport-Security", "max-age=0"),
    ],
)
def test_a_header_of_servers_has_only_values_without_an_effect(name, value):
    [fault] = faults((name, value))
    assert fault.startswith(f"The header {name} has a value that is not permitted: {value!a}")


def test_each_header_of_this_release_is_required_with_its_value():
    wanted = headers_of_release(PAGE, https=True)
    assert wanted["Strict-Transport-Security"] == HSTS
    for name, value in wanted.items():
        rest = tuple(pair for pair in wanted.items() if pair[0] != name)
        reply = ClientReply(client="x", path=PAGE, status=200, headers=rest, body=b"")
        assert [*faults_of_headers(reply, https=True)] == [f"The header {name} is missing"]
        [fault] = faults((name.lower(), "x"), https=True)
        assert fault.endswith(f"instead of {value!r}")


def test_the_kind_of_reply_follows_from_its_address():
    kinds = {
        f"{PAGE}?x=.json": "text/html; charset=utf-8",
        f"{PAGE}.json?x": "application/json",
        f"{PAGE}/responses": "application/json",
        "/s/responses": "text/html; charset=utf-8",
        "/static/respondent/randomizer.js": "text/javascript; charset=utf-8",
        "/static/style.css": "text/css; charset=utf-8",
    }
    for path, kind in kinds.items():
        assert headers_of_release(path, https=False)["Content-Type"] == kind
    policies = {
        path: headers_of_release(path, https=False)["Referrer-Policy"]
        for path in (f"{PAGE}/by-hand", f"{PAGE}/by-hand/thanks", "/s/by-hand", PAGE)
    }
    assert [*policies.values()] == ["same-origin", "same-origin", "no-referrer", "no-referrer"]


def test_a_fault_names_how_often_where_and_for_whom():
    replies = [
        ClientReply(client=name, path=f"{PAGE}?x", status=200, headers=(), body=b"")
        for name in ("a", "b", "b")
    ]
    found = [str(each) for each in check_headers(replies, https=False)]
    missing = "WRONG  The header Content-Type is missing: 3 of 3 times, first for /s/health?x, "
    assert f"{missing}for a, b." in found
