"""Downloads of the results: the ZIP, and surveys without one."""

import hashlib
import io
import zipfile

import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST
from survey.web.demo import HEALTH
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in


def test_the_download(app, store):
    opened(store, definition(yes_no(), batch=1))
    for number in range(3):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,)))
    client = signed_in(app, "ann", ANALYST).client
    got = client.get("/admin/surveys/health/export.zip")
    assert got.status_code == 200
    assert got.mimetype == "application/zip"
    assert 'filename="health-export.zip"' in got.headers["Content-Disposition"]
    archive = zipfile.ZipFile(io.BytesIO(got.data))
    assert archive.read("responses.csv") == b"smokes.randomised\r\nyes\r\nyes\r\nyes\r\n"
    again = client.get("/admin/surveys/health/export.zip")
    assert hashlib.sha256(again.data).digest() == hashlib.sha256(got.data).digest()
    page = client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "/admin/surveys/health/export.zip" in page


def test_a_simulated_survey_says_so_in_every_name(app, store, tmp_path):
    opened(store, HEALTH | {"slug": "pilot"}, "closed")
    store.responses.add_batches("pilot", [], "simulated")
    got = signed_in(app).client.get("/admin/surveys/pilot/export.zip")
    assert "pilot-simulated-export.zip" in got.headers["Content-Disposition"]
    names = zipfile.ZipFile(io.BytesIO(got.data)).namelist()
    assert all(name.startswith("simulated-") for name in names)


@pytest.mark.parametrize("part", ["by-hand", "comprehension"])
def test_a_part_is_taken_home_by_its_slug(app, store, part, tmp_path):
    opened(store, definition(yes_no(), by_hand=True, comprehension=True))
    slug = f"health.{part}"
    got = signed_in(app).client.get(f"/admin/surveys/{slug}/export.zip")
    assert got.status_code == 200
    path = tmp_path / "part.zip"
    ran = app.test_cli_runner().invoke(
        args=["responses", "export-bundle", slug, "--output", str(path)]
    )
    assert ran.exit_code == 0, ran.output
    assert path.read_bytes() == got.data


def test_a_draft_has_nothing_to_take_home(app, store, tmp_path):
    store.surveys.save_draft(parse_survey(definition()))
    path = tmp_path / "all.zip"
    command = ["responses", "export-bundle", "health", "--output", str(path)]
    ran = app.test_cli_runner().invoke(args=command)
    assert ran.exit_code == 1
    assert "is a draft" in ran.output
    assert not path.exists()
