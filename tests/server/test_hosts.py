"""Researchers' pages on their own host name: each name serves its own side only."""

import re
from dataclasses import replace

import pytest

from app import create_app
from survey.server.http.hosts import RESEARCHERS, KnownHosts

pytestmark = pytest.mark.fast

SURVEYS, OFFICE = "survey.example.org", "office.example.org"
AS_TYPED = "Office.example.org"  # in the settings; browsers send lower case


@pytest.fixture
def apart(settings):
    app = create_app(replace(settings, url=f"https://{SURVEYS}", admin_url=f"https://{AS_TYPED}"))
    app.load_routes()
    yield app
    app.extensions["candor.store"].close()


def test_every_route_answers_under_the_name_of_its_side_alone(apart):
    client = apart.test_client()
    walked = 0
    for rule in apart.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        path = re.sub("<[^>]*>", "1", rule.rule)
        theirs = rule.endpoint.split(".")[0] in RESEARCHERS
        right, wrong = (OFFICE, SURVEYS) if theirs else (SURVEYS, OFFICE)
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            if (path, wrong) == ("/", OFFICE):
                continue  # It redirects, see below.
            refused = client.open(path, method=method, base_url=f"https://{wrong}")
            assert refused.status_code == 404, (method, path)
            assert "Set-Cookie" not in refused.headers
            if "<" not in rule.rule and path != "/shared":  # This one needs a token.
                found = client.open(path, method=method, base_url=f"https://{right}")
                assert found.status_code != 404, (method, path)
            walked += 1
    assert walked > 100
    with client.get("/static/respondent/randomizer.js", base_url=f"https://{OFFICE}") as script:
        assert script.status_code == 200


def test_another_name_gets_what_is_public_and_no_researchers_page(apart):
    client = apart.test_client()
    assert client.get("/", base_url="https://10.0.0.1").status_code == 200
    assert client.get("/admin/", base_url="https://10.0.0.1").status_code == 404
    assert client.get("/", base_url=f"https://{OFFICE}:8443").status_code == 200


def test_the_bare_name_of_researchers_leads_to_their_pages(apart):
    found = apart.test_client().get("/", base_url=f"https://{OFFICE}")
    assert (found.status_code, found.headers["Location"]) == (302, "/admin/")


def test_links_lead_across(apart):
    home = apart.test_client().get("/", base_url=f"https://{SURVEYS}").get_data(as_text=True)
    assert f'href="https://{AS_TYPED}/admin/"' in home
    lost = apart.test_client().get("/admin/", base_url=f"https://{SURVEYS}")
    assert f"https://{AS_TYPED}/admin/" in lost.get_data(as_text=True)


def test_with_one_name_links_stay_relative(client):
    assert 'href="/admin/"' in client.get("/").get_data(as_text=True)


def test_the_cookie_belongs_to_that_name_alone(apart):
    page = apart.test_client().get("/admin/sign-in", base_url=f"https://{OFFICE}")
    cookie = page.headers["Set-Cookie"]
    assert cookie.startswith("__Host-candor=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Strict"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


# --- the accepted names ---------------------------------------------------------------------------

KNOWN = KnownHosts(f"https://{SURVEYS}", f"https://{AS_TYPED}:8443")


@pytest.mark.parametrize(
    "host",
    [
        *(SURVEYS, f"{SURVEYS}:443", SURVEYS.upper(), f"{SURVEYS}.", OFFICE, f"{OFFICE}:8443"),
        *("localhost", "localhost:9000", "candor.localhost"),
        *("127.0.0.1:8130", "10.1.2.3", "[::1]:8000", "[2001:db8::1]"),
    ],
)
def test_names_of_the_settings_localhost_and_ip_addresses_are_known(host):
    assert KNOWN.include(host)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", f"{SURVEYS}.evil.example", f"evil-{SURVEYS}", "example.org", "", ":80"),
        *("localhost.evil.example", "127.0.0.1.evil.example", "2130706433", "0x7f.1"),
        *("evil.example@127.0.0.1", "127.0.0.1/x", "[evil.example]", "\xff", "a b"),
    ],
)
def test_names_that_somebody_else_can_have_lead_here_are_not(host):
    assert not KNOWN.include(host)


def test_a_name_beyond_ascii_is_known_as_browsers_send_it():
    assert KnownHosts("https://umfräge.example").include("xn--umfrge-eua.example")


def test_without_an_address_in_the_settings_the_one_it_listens_on_is_known():
    assert KnownHosts("http://survey.internal:8000", "").include("survey.internal:8000")


@pytest.mark.parametrize("path", ["/s//x", "//s/health", "/admin//sign-in"])
def test_two_slashes_lead_nowhere(client, path):
    """A redirect to the address with one slash would repeat any Host that was sent."""
    reply = client.get(path, base_url="http://evil.example")
    assert reply.status_code == 404
    assert "Location" not in reply.headers
