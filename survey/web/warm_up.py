"""What requests will need, loaded before the first of them has to wait for it.

Modules load scipy's parts, Markdown and the catalogs when they use them, so that commands start
quickly. In a server the first visitor would wait for that, and a researcher's request would spend
its processor time on it; so `serve` loads them in a thread of its own while it serves already.
"""

from importlib import import_module
from threading import Thread

from survey.core.languages import LANGUAGES
from survey.definition.choices import answer_words
from survey.web.rendering import render_markdown

PARTS = ("scipy.special", "scipy.optimize", "scipy.sparse", "scipy.linalg.lapack")


def load_lazy_modules() -> None:
    for language in LANGUAGES:
        answer_words(language)
    render_markdown("")
    for part in PARTS:
        import_module(part)


def start_warm_up() -> None:
    Thread(target=load_lazy_modules, name="warm-up", daemon=True).start()
