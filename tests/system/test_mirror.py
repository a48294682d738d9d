"""Each test file mirrors the place of its module, and tests import only helpers from each other.

The mirror of `survey/<package>/<module>.py` is `tests/<package>/test_<module>.py`. The tests of a
module in a sub-package, `survey/<package>/<part>/<module>.py`, are in the same folder, where the
name may also be `test_<part>_<module>.py`. If two modules of a package share a name, it must be.
"""

import ast
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.support.check_each import check_each
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

SURVEY, TESTS = ROOT / "survey", ROOT / "tests"
# Researchers run these with a survey's tables in them (tests/formats/test_script_files.py).
TEMPLATES = SURVEY / "formats" / "export_bundle" / "scripts"
COMPLETE = {"core", "definition", "estimation"}  # Every module of these has its mirror.
# Modules that only the tests of pages, of commands or of their whole package reach. Never add one:
# write its test. Remove one as soon as it has its test.
WITHOUT_MIRROR = {
    "admin/builder/texts.py",
    "admin/builder/translation_routes.py",
    "admin/forms/people_forms.py",
    "admin/forms/program_forms.py",
    "admin/forms/release_forms.py",
    "admin/forms/survey_form.py",
    "admin/surveys/import_export.py",
    "analysis/columns/available.py",
    "analysis/columns/column_request.py",
    "analysis/columns/factors.py",
    "analysis/columns/reported_variable.py",
    "analysis/indirect/crosswise_columns.py",
    "analysis/regression/coefficients.py",
    "analysis/validity/checks.py",
    "cli/plan.py",
    "cli/privacy.py",
    "formats/csv_import.py",
    "formats/export_bundle/facts.py",
    "formats/export_bundle/pages.py",
    "formats/xlsform/vocabulary.py",
    "server/http/asgi_server.py",
    "server/http/security_headers.py",
    "server/http/tolerant_request.py",
    "server/http/wsgi_threads.py",
    "server/periodic.py",
    "server/record_responses.py",
    "store/sql/designs.py",
    "store/sql/integrity.py",
    "store/sql/rehearsals.py",
    "store/sql/second_factors.py",
    "store/sqlite/migrations.py",
    "store/stored.py",
    "web/analyses/forms.py",
    "web/analyses/validity_form.py",
    "web/auto_close.py",
    "web/error_pages.py",
    "web/extensions.py",
    "learn/pictures.py",
    "web/rendering.py",
    "web/warm_up.py",
}


def modules() -> list[Path]:
    """All modules below `survey/`."""
    paths = sorted(path for path in SURVEY.rglob("*.py") if path.name != "__init__.py")
    return [path.relative_to(SURVEY) for path in paths if not path.is_relative_to(TEMPLATES)]


def mirrors(module: Path, shared: set[tuple[str, str]]) -> list[str]:
    """The files below `tests/` that may contain a module's tests."""
    package, *parts = module.with_suffix("").parts
    names = ["_".join(parts)] if len(parts) > 1 else []
    if (package, parts[-1]) not in shared or len(parts) == 1:
        names.append(parts[-1])
    return [f"{package}/test_{name}.py" for name in names]


def without_mirror(all_modules: list[Path], tests: set[str]) -> set[str]:
    """The modules without a test file of their name."""
    count = Counter((module.parts[0], module.stem) for module in all_modules)
    shared = {name for name, times in count.items() if times > 1}
    return {str(module) for module in all_modules if not tests & {*mirrors(module, shared)}}


def test_every_module_has_its_mirror_but_those_that_are_listed():
    tests = {str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
    found = without_mirror(modules(), tests)
    new, gained = found - WITHOUT_MIRROR, WITHOUT_MIRROR - found
    assert not new, f"Without tests of their own; write them at their mirror: {sorted(new)}"
    assert not gained, (
        f"These have a mirror by now, or are gone. Take them off WITHOUT_MIRROR, so that it only "
        f"ever gets shorter: {sorted(gained)}"
    )


def test_the_lower_packages_are_complete():
    assert not [module for module in WITHOUT_MIRROR if module.split("/")[0] in COMPLETE]


def test_a_module_without_its_mirror_is_noticed():
    all_modules = [Path(name) for name in ("a/x.py", "a/p/y.py", "a/p/z.py", "a/q/z.py", "b/x.py")]
    assert without_mirror(all_modules, {"a/test_x.py", "a/test_y.py", "a/test_z.py"}) == {
        "a/p/z.py", "a/q/z.py", "b/x.py",
    }  # fmt: skip
    assert without_mirror(all_modules, {"a/test_p_y.py", "a/test_p_z.py", "b/test_x.py"}) == {
        "a/x.py", "a/q/z.py",
    }  # fmt: skip


# --- what tests import

TEST_MODULE = re.compile(r"tests\.(\w+\.)*(test_\w+|conftest)(?!\w)")
FROM = re.compile(r"^\s*from ((?:survey|tests)\b[\w.]*) import (\([^)]*\)|[^\n\\]*)", re.MULTILINE)


def imported(source: str) -> list[tuple[str, str]]:
    """The imports of a file from this project, as (module, name).

    They include those of programs that the file contains as text and runs in other processes.
    """
    return [
        (module, name)
        for module, names in FROM.findall(source)
        for name in re.findall(r"(\w+)(?: as \w+)?,?", re.sub(r"#.*", "", names).strip("()"))
    ]


def from_tests(source: str) -> set[str]:
    """The test modules and conftest modules from which a file imports."""
    whole = [f"{module}.{name}" for module, name in imported(source)]
    if TEST_MODULE.search(source):  # To parse all files takes ten seconds.
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                whole += [alias.name for alias in node.names]
    return {name for name in whole if TEST_MODULE.match(name)}


@pytest.mark.parametrize("folder", ["tests", "bench", "tools"])
def test_nothing_imports_from_a_test_or_from_conftest(folder):
    """Shared helpers are in tests/support, and fixtures are found by their name."""
    for path in (ROOT / folder).rglob("*.py"):
        assert not from_tests(path.read_text()), path


@check_each(
    "planted",
    [
        "from tests.core.test_scores import FIVE",
        "from tests.core import test_scores",
        "import tests.core.test_scores",
        "from tests.conftest import signed_in",
        "from tests import conftest",
        "from tests.browser.conftest import site",
        "def later():\n    from tests.core.test_scores import (\n        FIVE,\n    )",
        'PROGRAM = """\nfrom tests.core.test_scores import FIVE\n"""',
    ],
)
def test_a_planted_import_from_a_test_is_noticed(planted):
    assert len(from_tests(planted)) == 1


def missing(source: str) -> list[str]:
    """The names that are imported by `from` and do not exist."""
    gone = []
    for module, name in imported(source):
        try:
            if not hasattr(importlib.import_module(module), name):
                importlib.import_module(f"{module}.{name}")
        except ModuleNotFoundError:
            gone.append(f"{module}.{name}")
    return gone


def test_programs_that_tests_run_import_what_is_there():
    """A program within a test is text, so nothing else notices the new name of a module."""
    for path in TESTS.rglob("*.py"):
        assert not missing(path.read_text()), path
    assert missing('"""\nfrom survey import compacting\nfrom survey.settings import a\n"""') == [
        "survey.compacting", "survey.settings.a",
    ]  # fmt: skip
