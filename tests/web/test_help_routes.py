"""The help pages over HTTP: public, safe, without scripts, and on the right host."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from app import create_app
from survey.web.help.documents import project_documents
from tests.support.check_each import check_each
from tests.support.project import ROOT

pytestmark = pytest.mark.fast


def test_the_index_leads_to_every_document(client):
    pages = client.get("/help/").text + client.get("/help/decisions").text
    for address in project_documents().by_address:
        assert f'href="/help/{address}"' in pages, address


def test_every_page_and_image_is_served_to_anyone_without_a_script(client):
    for address, document in project_documents().by_address.items():
        reply = client.get(f"/help/{address}")
        assert reply.status_code == 200, address
        assert "Set-Cookie" not in reply.headers
        page = reply.get_data(as_text=True)
        assert "<script" not in page
        assert page.count("<h1") == 1
        assert not re.search(r'(?:src|action)="(?!/)', page)
        assert str(escape(document.title)) in page
    for name, path in project_documents().images.items():
        reply = client.get(f"/help/images/{name}")
        assert reply.data == path.read_bytes()
        assert reply.mimetype in ("image/png", "image/svg+xml")


@check_each(
    "path",
    [
        *("/help/../app.py", "/help/%2e%2e/app.py", "/help/..%2fapp.py", "/help/images/../app.py"),
        *("/help/images/%2e%2e/%2e%2e/app.py", "/help/app.py", "/help/survey/x.py", "/help/x"),
        *("/help/README.md", "/help/readme/", "/help//readme", "/help/docs/decisions", "/help/%00"),
        *("/help/images/", "/help/images/reference/glossary.md", "/help/images//candor.png"),
    ],
)
def test_an_address_that_is_not_in_the_table_leads_nowhere(client, path):
    reply = client.get(path)
    assert reply.status_code == 404
    assert "create_app" not in reply.get_data(as_text=True)


def test_an_unknown_address_says_what_to_do(client):
    page = client.get("/help/reference/nothing").get_data(as_text=True)
    assert "There is no help page at this address." in page
    assert 'href="/help/"' in page


@check_each(
    ("query", "sentence"),
    [
        ("", "Type one or more words."),
        ("?q=", "Type one or more words."),
        ("?q=+%20", "Type one or more words."),
        ("?q=xylophone", "No page contains “xylophone”."),
        ("?q=%3Cqx%3E", "No page contains “qx”."),
        ("?q=" + "privacy+" * 90, "The search text is too long."),
        ("?q=xylophone+qxvq", "No page contains “xylophone” or “qxvq”. Check the spelling"),
        ("?q=xylophone+budget", "“xylophone”. Candor searched for the other words."),
        ("?q=%3F%3F%3F", "“???” contains no letter and no digit. Type one or more words."),
        ("?q=%3Cb%3E+budget", 'value="&lt;b&gt; budget"'),
        ("?q=reciept", "No page contains “reciept”. Candor searched for “receipt” instead."),
        ("?q=privacy", "<mark>Privacy</mark>"),
        ("?q=privacy", "These are the best 20."),
        # A hash in SECURITY.md may begin with FF, so it only has to be a whole page.
        ("?q=%FF%00", "</main>"),
    ],
)
def test_each_state_of_a_search_is_clear(client, query, sentence):
    reply = client.get(f"/help/search{query}")
    assert reply.status_code == 200
    assert sentence in reply.get_data(as_text=True)


def test_a_page_may_send_its_form_to_this_server_alone(client):
    for path in ("/help/", "/help/readme", "/help/search?q=x"):
        assert "form-action 'self';" in client.get(path).headers["Content-Security-Policy"]


def test_pages_are_in_english_whatever_the_browser_prefers(client):
    assert '<html lang="en">' in client.get("/help/", headers={"Accept-Language": "th"}).text


SURVEYS, OFFICE = "https://survey.example.org", "https://office.example.org"


def test_with_two_host_names_the_host_of_researchers_has_the_help(settings):
    app = create_app(replace(settings, url=SURVEYS, admin_url=OFFICE))
    app.load_routes()
    client = app.test_client()
    for path in ("/help/", "/help/readme", "/help/search?q=privacy", "/help/images/candor.png"):
        assert client.get(path, base_url=OFFICE).status_code == 200
        assert client.get(path, base_url=SURVEYS).status_code == 404
    sign_in = client.get("/admin/sign-in", base_url=OFFICE).get_data(as_text=True)
    assert f'href="{OFFICE}/help/' in sign_in
    app.extensions["candor.store"].close()


def test_the_container_holds_the_documents():
    copied = re.findall(r"^COPY (\S+) ", (ROOT / "deploy" / "Containerfile").read_text(), re.M)
    for document in project_documents().by_address.values():
        assert document.path.partition("/")[0] in copied
