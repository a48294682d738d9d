"""The clients that `verify` imitates send what browsers send."""

import pytest

from survey.cli.verify.browsers import CHROMIUM, CLIENTS, FIREFOX, SAFARI, VISITS

pytestmark = pytest.mark.fast

ORIGIN = "https://survey.example.org"
NAMED = {client.name: client for client in CLIENTS}
BROWSERS = [client for client in CLIENTS if client.name != "curl"]


def test_each_client_differs_and_each_engine_is_there():
    assert len({client.values["agent"] for client in CLIENTS}) == len(CLIENTS)
    engines = [client.engine for client in CLIENTS]
    assert all(engine in engines for engine in (CHROMIUM, FIREFOX, SAFARI))
    systems = " ".join(client.values["agent"] for client in BROWSERS)
    for system in ("Android", "iPhone", "Windows", "Macintosh", "Linux x86_64"):
        assert system in systems


def test_a_page_is_opened_as_browsers_open_it():
    for client in BROWSERS:
        headers = client.headers("page", ORIGIN)
        assert headers["Sec-Fetch-Dest"] == "document"
        assert {"br", "gzip"} <= {*headers["Accept-Encoding"].split(", ")}
        assert ("Upgrade-Insecure-Requests" in headers) == (client.engine is not SAFARI)
        assert ("Sec-Fetch-User" in headers) == (client.engine is not SAFARI)
        assert headers["Priority"] == "u=0, i"
        assert ("sec-ch-ua" in headers) == (client.engine is CHROMIUM)
    phone = NAMED["Chrome on Android, from another site"].headers("page", ORIGIN)
    assert (phone["sec-ch-ua-mobile"], phone["sec-ch-ua-platform"]) == ("?1", '"Android"')
    assert (phone["Sec-Fetch-Site"], phone["Referer"]) == (
        "cross-site",
        "https://www.facebook.com/",
    )
    assert "Edg/" in NAMED["Edge on Windows, from another site"].values["agent"]
    assert '"Microsoft Edge"' in NAMED["Edge on Windows, from another site"].values["brands"]
    tor = NAMED["Tor Browser"]
    assert all(tor.headers(kind, ORIGIN)["Sec-GPC"] == "1" for kind in FIREFOX)


def test_a_link_on_a_page_of_this_host_has_no_referrer():
    for client in BROWSERS:
        headers = client.headers("page", ORIGIN, from_here=True)
        assert headers["Sec-Fetch-Site"] == "same-origin"
        assert "Referer" not in headers


def test_requests_of_other_kinds_have_their_own_marks():
    marks = {
        "script": ("script", "cors"), "style": ("style", "no-cors"), "image": ("image", "no-cors"),
        "fetch": ("empty", "cors"), "load": ("empty", "cors"), "form": ("document", "navigate"),
    }  # fmt: skip
    for client in BROWSERS:
        for kind, (target, mode) in marks.items():
            headers = client.headers(kind, ORIGIN)
            assert (headers["Sec-Fetch-Dest"], headers["Sec-Fetch-Mode"]) == (target, mode)
            assert headers["Sec-Fetch-Site"] == "same-origin"
            assert ("Content-Type" in headers) == (kind in ("fetch", "form"))
        assert client.headers("fetch", ORIGIN)["Origin"] == ORIGIN
        assert client.headers("form", ORIGIN)["Origin"] == ORIGIN


def test_one_language_replaces_those_of_a_client():
    for client in CLIENTS:
        headers = client.headers("page", ORIGIN, "th")
        assert headers["Accept-Language"] == "th"
        assert all(value and value == value.strip() for value in headers.values())
    assert "Accept-Language" not in NAMED["curl"].headers("page", ORIGIN)


def test_somebody_comes_back_with_what_a_host_could_have_given_them():
    last = VISITS[-1]
    assert {"Cookie", "If-None-Match", "If-Modified-Since"} == last.of_all.keys()
    assert VISITS[0] == type(last)()
