"""The link for respondents, and its QR code."""

import io

import pytest
import segno

from tests.support.definitions import definition, opened


@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_link_for_respondents_comes_as_a_qr_code(store, researcher, kind, starts):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert f'href="/admin/surveys/health/link.{kind}" download="health-link.{kind}"' in page
    reply = researcher.client.get(f"/admin/surveys/health/link.{kind}")
    assert reply.data.startswith(starts)
    same = segno.make("http://127.0.0.1:8000/s/health", micro=False)
    picture = io.BytesIO()
    same.save(picture, kind=kind, border=4, scale=4 if kind == "svg" else 20, light="#fff")
    assert reply.data == picture.getvalue()
    assert researcher.client.get(f"/admin/surveys/none/link.{kind}").status_code == 404
