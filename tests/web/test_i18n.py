"""The language of a page: where it comes from, and the texts for the templates."""

import pytest
from flask import Flask, render_template_string, request

from survey.core.languages import MAIN, catalog
from survey.web.i18n import page_words, preferred_language, render_in, use_language

SENTENCE, IN_VIETNAMESE = "Yes", "Có"
PAGE = "{{ words().language }} {{ _('Yes') }}"


def test_outside_a_request_the_language_is_english(app: Flask) -> None:
    assert page_words().language == MAIN
    with app.app_context():
        assert page_words().language == MAIN
        assert render_template_string(PAGE) == "en Yes"


def test_a_page_can_be_rendered_in_another_language(app: Flask) -> None:
    """As the printed slips of a survey, which a command writes."""
    with app.app_context():
        with render_in("vi"):
            assert render_template_string(PAGE) == "vi Có"
            with render_in("th"):
                assert page_words().language == "th"
            assert page_words().language == "vi"
            with pytest.raises(ZeroDivisionError), render_in("zh"):
                raise ZeroDivisionError
            assert page_words().language == "vi"
        assert render_template_string(PAGE) == "en Yes"


@pytest.mark.parametrize(
    ("path", "accepted", "language"),
    [
        ("/", "th", "th"),
        ("/?language=vi", "th", "vi"),
        ("/?language=xx", "fr, zh;q=0.5", "zh"),
        ("/", "fr", MAIN),
    ],
)
def test_a_respondents_page_is_in_the_language_of_the_address_or_the_browser(
    app: Flask, path: str, accepted: str, language: str
) -> None:
    with app.test_request_context(path, headers={"Accept-Language": accepted}):
        assert page_words().language == preferred_language((MAIN, "th", "vi", "zh")) == language


def test_requests_within_one_context_have_their_own_languages(app: Flask) -> None:
    """A context that outlives a request must not pass its language on to the next one."""
    app.add_url_rule("/said", view_func=lambda: render_template_string(PAGE))
    client = app.test_client()
    with app.app_context():
        for language, said in (("vi", "vi Có"), ("en", "en Yes"), ("vi", "vi Có")):
            assert client.get(f"/said?language={language}").text == said


def test_a_researchers_page_is_in_the_language_of_the_account(app: Flask) -> None:
    with app.test_request_context("/admin/sign-in", headers={"Accept-Language": "th"}):
        assert request.blueprint == "admin"
        use_language()
        assert page_words().language == "th"
        use_language("vi")
        assert page_words().language == "vi"


def test_templates_have_plurals_and_values_are_escaped(app: Flask) -> None:
    template = (
        "{% trans n=count %}{{ n }} sheet of {{ name }}{% pluralize %}{{ n }} sheets of {{ name }}"
        "{% endtrans %} {% trans %}100 % of {{ name }}{% endtrans %}"
    )
    with app.app_context():
        texts = [render_template_string(template, count=n, name="<b>") for n in (1, 2)]
    assert texts == [
        "1 sheet of &lt;b&gt; 100 % of &lt;b&gt;",
        "2 sheets of &lt;b&gt; 100 % of &lt;b&gt;",
    ]


def test_a_catalog_of_researchers_includes_that_of_respondents() -> None:
    assert catalog("vi", "researcher").gettext(SENTENCE) == IN_VIETNAMESE
    assert catalog("vi").gettext(SENTENCE) == IN_VIETNAMESE
    assert catalog(MAIN).gettext(SENTENCE) == SENTENCE
