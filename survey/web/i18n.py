"""The language of a page, and its texts for the templates.

The language of a respondent's page is the one in the URL (`?language=vi`), else the browser's
preferred one of those offered. It comes from the request and is not stored. The language of a
researcher's page is a setting of the account, else the browser's preferred one. Data files, the
API and the documents are in English.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gettext import NullTranslations
from typing import cast

from flask import Flask, g, has_app_context, has_request_context, request

from survey.core.languages import (
    LANGUAGES,
    MAIN,
    RESEARCHER,
    RESPONDENT,
    Words,
    catalog,
    language_name,
    script_texts,
)
from survey.core.translate import page_language, translate_constant, translate_number
from survey.server.http.page_cache import preferred_by


def preferred_language(offered: Sequence[str]) -> str:
    """The language of this request among those offered, or the first if none fits."""
    return preferred_by(request, offered)


def is_researcher_page() -> bool:
    """Whether the page uses the texts of researchers. Results by link and lessons show some."""
    return request.blueprint in ("admin", "help", "learn", "shared") or is_unknown_researcher_page()


def is_unknown_researcher_page() -> bool:
    """Whether this request is for an address below /admin that no page has."""
    return request.blueprint is None and request.path.startswith("/admin/")


def page_language_code() -> str:
    """The code of the language of this page, such as "vi"; English outside a request."""
    if not has_request_context():
        return MAIN
    return page_language.get() if is_researcher_page() else preferred_language(LANGUAGES)


def page_words() -> Words:
    """The language of the page that is being rendered."""
    if not has_app_context():
        return Words(MAIN)
    # A page needs it for each sentence.
    if "page_words" not in g:
        g.page_words = Words(page_language_code())
    return cast(Words, g.page_words)


@contextmanager
def render_in(language: str) -> Iterator[None]:
    """Render pages in a language of LANGUAGES within the block."""
    before = page_words()
    g.page_words = Words(language)
    try:
        yield
    finally:
        g.page_words = before


def is_english_file() -> bool:
    """Whether this request is for a file that people keep. Pictures are part of a page, and so is
    the progress that a page asks for."""
    rule = request.url_rule.rule if request.url_rule else ""
    is_part_of_page = request.path.endswith((".svg", "/monitor.json"))
    return "." in rule.rpartition("/")[2] and not is_part_of_page


def use_language(language: str = "") -> None:
    """Set the language of this request of a researcher: one of LANGUAGES, or "" for the browser's
    preferred one."""
    if request.blueprint == "learn":
        language = preferred_language(LANGUAGES)
    no_page = request.blueprint not in ("admin", "learn") and not is_unknown_researcher_page()
    if no_page or is_english_file():
        language = MAIN
    elif not language:
        language = request.accept_languages.best_match(LANGUAGES) or MAIN
    page_language.set(language)
    g.pop("page_words", None)


def reset_language(_: BaseException | None = None) -> None:
    page_language.set(MAIN)


def page_catalog() -> NullTranslations:
    language = page_words().language
    if not has_request_context():
        return catalog(language, RESPONDENT)
    # A page needs it for each sentence.
    if "texts_name" not in g:
        g.texts_name = RESEARCHER if is_researcher_page() else RESPONDENT
    return catalog(language, g.texts_name)


def init_app(app: Flask) -> None:
    """Give the templates `trans`, `_`, `words` and `gap`."""
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined] # by the extension
        gettext=lambda sentence: page_catalog().gettext(sentence),
        ngettext=lambda singular, plural, n: page_catalog().ngettext(singular, plural, n),
        newstyle=True,
    )
    app.jinja_env.globals.update(
        words=page_words,
        gap=lambda: page_words().gap,
        own_name=language_name,
        page_tag=lambda: page_words().tag,
        script_texts=lambda: script_texts(page_language.get()),
    )
    app.jinja_env.filters.update(translate_number=translate_number, translated=translate_constant)
    app.before_request(use_language)
    app.teardown_request(reset_language)
