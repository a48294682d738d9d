"""Translations of a draft's texts: the builder keeps them, next to the original."""

from html import unescape

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from tests.support.builder_forms import filled, hidden, sent_again
from tests.support.definitions import definition, yes_no

BOXES = {
    "name": "tried", "type": "select_multiple", "label": "Which?", "privacy": {"epsilon": 1},
    "choices": [{"name": "a", "label": "Beer"}, {"name": "b.c", "label": "Wine"}],
}  # fmt: skip
EDIT, TRANSLATE = "/admin/surveys/health/edit", "/admin/surveys/health/translations/vi"


def draft(store, translation=None):
    content = definition(yes_no(), BOXES, translations={"vi": translation or {}})
    store.surveys.save_draft(parse_survey(content))


def page_of(researcher, path=TRANSLATE):
    return unescape(researcher.client.get(path).get_data(as_text=True))


def save(researcher, **texts):
    seen = hidden(researcher, TRANSLATE, "seen")
    return researcher.post(TRANSLATE, {"seen": seen, **texts})


def test_each_text_stands_beside_a_field_and_what_is_missing_is_marked(store, researcher):
    draft(store, {"title": "Sức khỏe"})
    page = page_of(researcher)
    assert "4 texts are missing" in page
    assert page.count(">missing<") == 4
    assert 'name="questions.tried.choices.b.c"' in page
    assert 'value="Sức khỏe"' in page
    assert 'lang="vi-VN"' in page or 'lang="vi"' in page


def test_what_is_typed_is_saved_and_what_is_emptied_goes(store, researcher):
    draft(store, {"title": "Sức khỏe"})
    texts = {"questions.smokes.label": "Hút?", "questions.tried.choices.b.c": "Rượu", "title": ""}
    assert save(researcher, **texts).location == TRANSLATE
    assert dict(store.surveys.by_slug("health").survey.translations["vi"]) == {
        ("questions", "smokes", "label"): "Hút?",
        ("questions", "tried", "choices", "b.c"): "Rượu",
    }
    assert save(researcher, title="Mới", do="close").location == "/admin/surveys/health"


def test_a_fault_is_told_and_nothing_typed_is_lost(store, researcher):
    draft(store)
    reply = save(researcher, title="a\x01b", **{"questions.tried.label": "kept"})
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert "Translations, vi.title: contains a control character." in page
    assert "kept" in page


def test_a_draft_changed_meanwhile_is_shown_beside_what_was_typed(store, researcher):
    draft(store)
    seen = hidden(researcher, TRANSLATE, "seen")
    save(researcher, title="Of another tab")
    reply = researcher.post(TRANSLATE, {"seen": seen, "title": "Mine"})
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 409
    assert "Of another tab" in page and 'value="Mine"' in page
    assert store.surveys.by_slug("health").survey.in_language("vi").title == "Of another tab"
    assert save(researcher, title="Mine").status_code == 302
    assert store.surveys.by_slug("health").survey.in_language("vi").title == "Mine"


def test_only_drafts_and_their_languages_can_be_translated(store, researcher):
    draft(store)
    assert researcher.client.get("/admin/surveys/health/translations/th").status_code == 404
    assert researcher.client.get("/admin/surveys/health/translations/tlh").status_code == 404
    store.surveys.save_draft(parse_survey(definition(slug="other")))
    assert researcher.client.get("/admin/surveys/other/translations/vi").status_code == 404


def test_what_was_typed_is_kept_where_the_survey_was_opened_meanwhile(store, researcher):
    draft(store, FULL)
    seen, token = (hidden(researcher, TRANSLATE, name) for name in ("seen", "csrf_token"))
    store.surveys.freeze(freeze(store.surveys.by_slug("health").survey), "open")
    typed = {"seen": seen, "csrf_token": token, "title": "Mine"}
    reply = researcher.client.post(TRANSLATE, data=typed)
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert "Survey 'health' is open. You can change only drafts." in page
    assert 'value="Mine"' in page
    assert store.surveys.by_slug("health").survey.in_language("vi").title == "Sức khỏe"
    assert researcher.client.get(TRANSLATE).status_code == 409


FULL = {
    "title": "Sức khỏe",
    "questions": {
        "smokes": {"label": "Hút?"},
        "tried": {"label": "Gì?", "choices": {"a": "Bia", "b.c": "Rượu"}},
    },
}


def test_the_builder_keeps_translations_through_new_names_and_drops_those_of_what_is_gone(
    store, researcher
):
    draft(store, FULL)
    form = sent_again(researcher, EDIT)
    form |= {"questions-0-name": "smoking", "questions-1-choices": "a | Beer\nd | Spirits"}
    assert researcher.client.post(EDIT, data=form).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert survey.translations["vi"] == {
        ("title",): "Sức khỏe",
        ("questions", "smoking", "label"): "Hút?",
        ("questions", "tried", "label"): "Gì?",
        ("questions", "tried", "choices", "a"): "Bia",
    }


def test_a_language_that_is_not_ticked_any_more_goes_and_the_main_one_never_counts(
    store, researcher
):
    draft(store, FULL)
    form = sent_again(researcher, EDIT)
    del form["languages"]
    researcher.client.post(EDIT, data=form)
    assert store.surveys.by_slug("health").survey.languages == ("en",)
    researcher.post("/admin/surveys/new", filled(slug="two") | {"languages": ["en", "th"]})
    assert store.surveys.by_slug("two").survey.languages == ("en", "th")


def test_a_language_that_is_removed_keeps_its_translations(store, researcher):
    texts = {"title": "Sức khỏe", "questions": {"smokes": {"label": "Hút?"}}}
    draft(store, texts)
    before = store.surveys.by_slug("health").survey
    form = sent_again(researcher, EDIT)
    without = {name: value for name, value in form.items() if name != "languages"}
    researcher.post(EDIT, without)
    page = page_of(researcher, EDIT)
    assert "Draft saved. The draft keeps the translations into Tiếng Việt." in page
    assert "Respondents cannot choose Tiếng Việt, but the draft keeps 2 translated texts." in page
    kept = store.surveys.by_slug("health").survey
    assert (kept.languages, dict(kept.not_offered)) == (("en",), dict(before.translations))
    # Respondents cannot choose the language, and it stops no opening.
    assert freeze(kept).survey.languages == ("en",)
    assert parse_survey(kept.as_definition()) == kept
    # A renamed question keeps them, and a removed one loses them.
    renamed = sent_again(researcher, EDIT) | {"questions-0-name": "ever"}
    researcher.post(EDIT, renamed)
    kept = store.surveys.by_slug("health").survey
    assert ("questions", "ever", "label") in kept.not_offered["vi"]
    # The main language may become the one that is not offered, and back.
    researcher.post(EDIT, sent_again(researcher, EDIT) | {"language": "vi"})
    assert store.surveys.by_slug("health").survey.language == "vi"
    researcher.post(EDIT, sent_again(researcher, EDIT) | {"language": "en", "languages": "vi"})
    again = store.surveys.by_slug("health").survey
    assert not again.not_offered
    assert again.translations["vi"] == {
        ("title",): "Sức khỏe", ("questions", "ever", "label"): "Hút?",
    }  # fmt: skip
