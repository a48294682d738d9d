"""The language of a page, and its texts for the templates.

The language is the one in the URL (`?language=vi`), else the browser's preferred one of those
offered. It comes from the request and is not stored. The researcher's pages and their help are
in English.
"""

from collections.abc import Sequence

from babel.support import NullTranslations
from flask import Flask, has_request_context, request
from flask_babel import Babel, Domain, get_locale

from survey.core.languages import LANGUAGES, MAIN, Words, catalog, language_name
from survey.server.http.page_cache import preferred_by


def preferred(offered: Sequence[str]) -> str:
    """The language of this request among those offered, or the first if none fits."""
    return preferred_by(request, offered)


def selected() -> str:
    researchers = not has_request_context() or request.blueprint in ("admin", "help")
    return MAIN if researchers else preferred(LANGUAGES)


def page_words() -> Words:
    """The language of the page that is being rendered."""
    locale = get_locale()
    return Words(MAIN if locale is None else locale.language)


class CatalogDomain(Domain):
    """Flask-Babel's view of the catalogs."""

    def get_translations(self) -> NullTranslations:
        return catalog(page_words().language)


def init_app(app: Flask) -> None:
    """Give the templates `trans`, `_` and `words`."""
    babel = Babel(app, locale_selector=selected)
    babel.domain_instance = CatalogDomain()
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.globals.update(words=page_words, own_name=language_name)
