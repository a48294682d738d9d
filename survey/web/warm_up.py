"""Load the modules that requests need, before the first request has to wait for them.

Modules load parts of SciPy, Markdown and the catalogs at first use, so that commands start quickly.
In a server, the first visitor would wait for this, and it would use up the processor time of a
researcher's request. So `serve` loads them in a separate thread while it already serves.
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
