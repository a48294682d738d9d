"""Each name says what it means, and a search for it leads to one place."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.project import ROOT
from tools.structure import python_files, several_constants

pytestmark = pytest.mark.fast

SURVEY = ROOT / "survey"
# They are no modules, because researchers run them.
TEMPLATES = SURVEY / "formats" / "export_bundle" / "scripts"
# The modules in -ing, which are standard nouns.
NOUNS = {"integer_rounding", "ranking", "rendering"}
MAX_SHARED_FUNCTIONS = 30
# A reader cannot tell what more values without names mean.
MAX_UNNAMED_FIELDS = 4
# Limits are called MAX_ and MIN_, with the unit as a suffix.
OLD_LIMITS = re.compile(r"^(MOST|FEWEST|LONGEST|FEW|ROOM|ENOUGH)", re.MULTILINE)


def shared(kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> set[str]:
    """The names that more than one module defines at its top level."""
    return {name for name, modules in Counter(defined(kinds)).items() if modules > 1}


def defined(kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> Iterator[str]:
    """The names of each module, without repetitions."""
    for path in {*SURVEY.rglob("*.py")} - {*TEMPLATES.iterdir()}:
        body = ast.parse(path.read_text()).body
        yield from {getattr(node, "name", "") for node in body if isinstance(node, kinds)}


def test_modules_are_named_after_things():
    assert {path.stem for path in SURVEY.rglob("*ing.py")} == NOUNS


def test_a_class_name_is_of_one_class():
    assert not shared(ast.ClassDef)


def test_few_function_names_are_of_several_functions():
    """Names such as `init_app`, and of routes and commands, which are those of addresses."""
    assert len(shared((ast.FunctionDef, ast.AsyncFunctionDef))) <= MAX_SHARED_FUNCTIONS


def test_limits_have_one_prefix():
    for path in SURVEY.rglob("*.py"):
        assert not OLD_LIMITS.search(path.read_text()), path


def test_a_line_assigns_one_constant():
    assert not [path for path in python_files(ROOT) if several_constants(path.read_text())]


def test_large_dataclasses_are_built_by_keyword():
    for path in python_files(ROOT):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                written = " ".join(map(ast.unparse, node.decorator_list))
                fields = sum(
                    isinstance(each, ast.AnnAssign)
                    and "ClassVar" not in ast.unparse(each.annotation)
                    for each in node.body
                )
                if "dataclass" in written and fields > MAX_UNNAMED_FIELDS:
                    assert "kw_only=True" in written, (path, node.name)
