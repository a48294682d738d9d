"""Caches for hundreds of applications in one process, which change nothing but the time of tests.

Each test has an application with its own database. The application takes a tenth of a second. Its
first page takes as long again if the templates, the routes and the migrations are prepared each
time. Here a process prepares them once, with the same result. The rules of accessibility run more
than a thousand times, and each document loads them once.
"""

import os
from contextlib import closing
from copy import copy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MethodType
from typing import Any, ClassVar

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from playwright.sync_api import Page
from threadpoolctl import threadpool_limits
from werkzeug.routing import Rule

from survey.store import open_store
from survey.web import auth

# This takes a millisecond, and the product's hash a tenth of a second. tests/web/test_auth.py
# checks the parameters of the product.
PRODUCT_HASH, auth.HASH = auth.HASH, "scrypt:256:8:1"
auth.nobody = auth.hash_password("what guesses at an unknown name are compared with")


class Compiled(BytecodeCache):
    """Templates by their name and the checksum of their source, which Jinja checks."""

    def __init__(self) -> None:
        self.known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.known:
            bucket.bytecode_from_string(self.known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.known[bucket.key] = bucket.bytecode_to_string()


class RuleCompiledOnce(Rule):
    """An application's routes, as functions that match and build addresses.

    They are two thirds of the time to make an application. They depend on the rule alone, and take
    everything else as an argument.
    """

    made: ClassVar[dict[object, dict[str, Any]]] = {}

    def compile(self) -> None:
        if self.defaults:
            super().compile()
            return
        key = (self.rule, self.subdomain, self.merge_slashes)
        if key not in self.made:
            before = {name: copy(value) for name, value in vars(self).items()}
            super().compile()
            self.made[key] = {
                name: value
                for name, value in vars(self).items()
                if name not in before or before[name] != value
            }
        for name, value in self.made[key].items():
            # A function of one rule, used for another.
            bound = MethodType(value.__func__, self) if isinstance(value, MethodType) else value
            setattr(self, name, bound)


@cache
def migrated() -> bytes:
    """A database with all tables and no rows."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "candor.db"
        with closing(open_store(str(path))) as store:
            store.compact()
        return path.read_bytes()


def look(
    axe: Axe, page: Page, context: str | None = None, options: dict | None = DEFAULT_OPTIONS
) -> AxeResults:
    """The violations that `Axe.run` returns.

    Its source has half a megabyte and is loaded into each document once. The passed rules, which
    are most, are not transferred.
    """
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(axe.axe_script)
    given = axe._format_script_args(context, options)
    violations = page.evaluate(f"axe.run({given}).then((found) => found.violations)")
    return AxeResults({"violations": violations})


Axe.run = look
# As in app.py: each worker here is its own process.
threadpool_limits(1)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": Compiled()}
Flask.url_rule_class = RuleCompiledOnce
