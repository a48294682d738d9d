"""New drafts from an example, and the preview of unsaved changes."""

import re

import pytest

from survey.admin.builder.examples import examples
from survey.core.languages import LANGUAGES
from survey.definition.frozen import require_openable
from survey.definition.survey_level import SurveyProtection
from survey.planning.survey_protection import divide_again
from survey.server.http.security_headers import POLICY, policy_text
from tests.support.builder_forms import filled
from tests.support.definitions import definition, opened

# Eight letters and digits, which form no word.
RANDOM = re.compile("[bcdfghjkmnpqrstvwxz2-9]{8}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_are_sound(language):
    assert len(examples(language)) == 3
    for survey in examples(language).values():
        require_openable(survey)
        assert survey.languages == (language,)
        assert survey.protection == SurveyProtection(level="protected")
        assert divide_again(survey, survey.protection) == survey
        assert survey.private
        assert all(question.offers_to_decline for question in survey.private)
        assert survey.introduction and survey.fieldwork.minutes


def test_examples_are_in_the_researchers_language(store, researcher):
    store.accounts.set_language("ada", "vi")
    page = researcher.client.get("/admin/surveys/new").get_data(as_text=True)
    assert '<strong lang="vi">Trung thực trong thi cử</strong>' in page
    reply = researcher.post("/admin/surveys/start", {"example": "exams"}, form="/admin/surveys/new")
    draft = store.surveys.by_slug(reply.location.split("/")[3]).survey
    assert (draft.language, draft.translations) == ("vi", {})
    assert draft.questions[0].choices[0].label == "Năm thứ nhất"


@pytest.mark.parametrize("name", list(examples("en")))
def test_a_draft_starts_from_each_example_and_again_from_the_same(store, researcher, name):
    path = "/admin/surveys/start"
    slugs = set()
    for _ in range(3):
        reply = researcher.post(path, {"example": name}, form="/admin/surveys/new")
        slug = reply.location.split("/")[3]
        assert RANDOM.fullmatch(slug)
        assert reply.location == f"/admin/surveys/{slug}/edit"
        assert store.surveys.by_slug(slug).state == "draft"
        slugs.add(slug)
    assert len(slugs) == 3
    assert researcher.client.get(reply.location).status_code == 200


def test_a_new_survey_has_a_random_address_that_can_be_changed(store, researcher):
    """If it is deleted, the address comes from the title: see test_builder_routes.py."""
    offered = {
        re.search(r'id="slug"[^>]*value="([^"]*)"', page)[1]
        for page in (
            researcher.client.get("/admin/surveys/new").get_data(as_text=True) for _ in range(3)
        )
    }
    assert len(offered) == 3
    assert all(RANDOM.fullmatch(slug) for slug in offered)
    for slug in (*offered, "my-own"):
        form = filled(slug=slug)
        reply = researcher.post("/admin/surveys/new", form)
        assert reply.location == f"/admin/surveys/{slug}"
        # The address of a draft stays, even if the title changes.
        assert f'value="{slug}"' in researcher.client.get(f"{reply.location}/edit").text


def test_an_unknown_example_is_refused(store, researcher):
    reply = researcher.post("/admin/surveys/start", {"example": "../x"}, form="/admin/surveys/new")
    assert reply.status_code == 404
    assert store.surveys.all() == []


# --- the preview of typed texts


def preview(researcher, *questions, path="/admin/preview", **change):
    return researcher.post(path, filled(*questions, **change), form="/admin/surveys/new")


def test_the_preview_is_the_respondents_page_of_what_is_typed(store, researcher):
    reply = preview(researcher, {"label": "Do you drink?"}, {"label": "", "name": "b"})
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    assert "Preview: this page sends nothing" in page and "data-endpoint" not in page
    assert "Do you drink?" in page and "…" in page
    assert store.surveys.all() == []


def test_questions_that_are_not_ready_are_left_out_and_nothing_at_all_is_a_sentence(researcher):
    page = preview(researcher, {"label": "Ready?"}, {"type": "scale"}).get_data(as_text=True)
    assert "Ready?" in page and page.count("<fieldset data-question") == 1
    reply = preview(researcher, {"type": "scale", "label": "Which?"})
    assert reply.status_code == 422
    assert (
        "Question 1, Choices, one per line: give 2 to 100 choices (up to 1,000 if non-private)."
        in reply.get_data(as_text=True)
    )


def test_the_preview_speaks_the_languages_of_the_stored_draft(store, researcher):
    form = filled(label="Smoke?") | {"languages": "vi"}
    researcher.post("/admin/surveys/new", form)
    place = "/admin/surveys/health/translations/vi"
    seen = re.search(
        r'name="seen" value="(\w+)"', researcher.client.get(place).get_data(as_text=True)
    )[1]
    researcher.post(place, {"seen": seen, "questions.smokes.label": "Hút?"})
    chosen = {"preview_language": "vi"}
    reply = researcher.post("/admin/preview?draft=health", form | chosen, form="/admin/surveys/new")
    page = reply.get_data(as_text=True)
    assert "Hút?" in page and '<html lang="vi' in page


def test_only_the_preview_may_be_framed_and_only_the_builder_frames(store, researcher):
    def policy(reply):
        return dict(
            part.split(" ", 1) for part in reply.headers["Content-Security-Policy"].split("; ")
        )

    shown = policy(preview(researcher))
    assert shown == POLICY | {"frame-ancestors": "'self'"}
    opened(store, definition())
    client = researcher.client
    assert client.get("/s/health").headers["Content-Security-Policy"] == policy_text(POLICY)
    for path in ("/admin/", "/admin/surveys/health", "/admin/surveys/health/preview"):
        other = policy(client.get(path))
        assert other["frame-ancestors"] == "'none'" and "frame-src" not in other
    builder = policy(client.get("/admin/surveys/new"))
    assert builder["frame-src"] == "'self'" and builder["frame-ancestors"] == "'none'"
