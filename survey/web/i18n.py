"""Which language a page is in, and its sentences for the templates.

The language is the one that the address asks for (`?language=vi`), else the one of those offered
that the browser would rather have. It is read from the request and forgotten with it. Researchers'
pages and their help are in English.
"""

from collections.abc import Sequence

from babel.support import NullTranslations
from flask import Flask, has_request_context, request
from flask_babel import Babel, Domain, get_locale

from survey.core.languages import LANGUAGES, MAIN, Words, catalog, language_name
from survey.server.http.page_cache import preferred_by


def preferred(offered: Sequence[str]) -> str:
    """The language of this request, of those offered; the first where none fits."""
    return preferred_by(request, offered)


def selected() -> str:
    researchers = not has_request_context() or request.blueprint in ("admin", "help")
    return MAIN if researchers else preferred(LANGUAGES)


def page_words() -> Words:
    """The language of the page that is being made."""
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
