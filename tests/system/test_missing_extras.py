"""Without an extra, everything else works, and what needs the extra says what to install.

tests/web/test_central_dp_service.py tests this for central DP releases, and
tests/system/test_wheel.py a whole server without any extra.
"""

import io
import sys
import zipfile

import pytest

from survey.core.errors import SettingsError
from survey.core.extras import MODULES
from survey.definition.responses.parse_response import Response
from survey.server.metrics import Metrics
from survey.store import open_store
from survey.web import api_tokens
from tests.support.definitions import definition, opened

pytestmark = pytest.mark.fast

NEEDS_FILES = (
    "Files of Stata and SPSS need packages that are not installed on this server. Run "
    "`make run` there, then try again."
)


@pytest.fixture
def without_files(monkeypatch):
    for name in ("pyreadstat", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def downloads(app, store, researcher):
    """Responses, and the reply to each download of them."""
    opened(store, definition())
    for number in range(30):
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))
    return lambda name: researcher.client.get(f"/admin/surveys/health/{name}")


@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_a_page_names_the_packages_of_a_file(downloads, request, kind):
    assert downloads(f"responses.{kind}").status_code == 200
    request.getfixturevalue("without_files")
    refused = downloads(f"responses.{kind}")
    assert refused.status_code == 422
    assert NEEDS_FILES in refused.text
    assert downloads("responses.xlsx").status_code == 200


@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_the_api_names_the_packages_of_a_file(app, downloads, without_files, kind):
    with app.app_context():
        token = api_tokens.make_token("ada", "script", 90)
    reply = app.test_client().get(
        f"/api/v1/surveys/health/responses.{kind}", headers={"Authorization": f"Bearer {token}"}
    )
    assert (reply.status_code, reply.get_json()) == (422, {"error": NEEDS_FILES})


def test_the_zip_leaves_out_only_these_files(downloads, request):
    def names() -> set[str]:
        with zipfile.ZipFile(io.BytesIO(downloads("export.zip").data)) as archive:
            assert archive.testzip() is None
            readme = archive.read("README.txt").decode()
            listed = set(archive.namelist())
        for name in ("responses.dta", "responses.sav"):
            assert (name in readme) == (name in listed)
        return listed

    complete = names()
    request.getfixturevalue("without_files")
    assert complete - names() == {"responses.dta", "responses.sav"}


def test_a_postgresql_database_names_its_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, MODULES["postgresql"], None)
    with pytest.raises(SettingsError, match="Run `make run`, or use a SQLite database"):
        open_store("postgresql://candor@127.0.0.1:9/candor")


def test_the_server_counts_without_the_package_of_metrics(monkeypatch):
    monkeypatch.setitem(sys.modules, MODULES["metrics"], None)
    metrics = Metrics()
    metrics.count("candor_responses", "recorded")
    metrics.observe("candor_group_size", 1)
    metrics.request("/s/health", 200)
    metrics.sample(queue=1, pages=1, connections=1)
    with pytest.raises(ModuleNotFoundError):
        metrics.text()
