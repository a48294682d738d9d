"""Only a type's own module knows its name. Code elsewhere uses `question.kind`."""

import ast
import re

import pytest

from survey.definition.types import QUESTION_TYPES
from tests.support.project import ROOT
from tools.structure import reads_of_flags

pytestmark = pytest.mark.fast

SURVEY = ROOT / "survey"
TYPES = SURVEY / "definition" / "types"
RUN_BY_RESEARCHERS = SURVEY / "formats" / "export_bundle" / "scripts"
# These name the types of other programs.
OTHER_PROGRAMS = SURVEY / "formats" / "other_programs"
MAX_PYTHON, MAX_ON_PAGES = 20, 10
# A flag that other code reads is a comparison in disguise. Give the type a method instead
# (`TypeBehaviours`), and lower this number.
MAX_READ_FLAGS = 49
# `question.type == "note"`, `type not in ("number", "text")`, `kind === 'yes_no'`
NAME = f"['\"](?:{'|'.join(QUESTION_TYPES)})['\"]"
LISTED = r"[(\[,]\s*['\"](?:yes_no|select_one|select_multiple)['\"]"  # The others are common words.
# names of the browser itself
INPUTS = "checkbox|click|file|hidden|pointerdown|radio|select-one|submit"
ON_PAGES = re.compile(
    rf"\btype['\")]*\s*(?:[!=]==?|not in|in)\s+(?!['\"](?:{INPUTS})['\"])"
    rf"|selectattr\(['\"]type|{LISTED}|[!=]==?\s*{NAME}"
)


def is_type(node: ast.expr) -> bool:
    """Whether it reads a type's name, is one, or is a list with one."""
    match node:
        case ast.Attribute(attr="type") | ast.Subscript(slice=ast.Constant(value="type")):
            return True
        case ast.Constant(value=value):
            return value in {*QUESTION_TYPES}
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(is_type(part) for part in parts)
    return False


def comparisons(source: str) -> int:
    compared = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Compare)]
    return sum(any(map(is_type, [node.left, *node.comparators])) for node in compared)


def test_python_compares_few_types():
    counts = {
        str(path.relative_to(ROOT)): comparisons(path.read_text())
        for path in SURVEY.rglob("*.py")
        if not any(map(path.is_relative_to, (TYPES, RUN_BY_RESEARCHERS, OTHER_PROGRAMS)))
    }
    assert sum(counts.values()) <= MAX_PYTHON, {k: n for k, n in counts.items() if n}


def test_templates_and_scripts_compare_few_types():
    counts = {
        str(path.relative_to(ROOT)): len(ON_PAGES.findall(path.read_text()))
        for folder in ("templates", "static")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".html", ".svg", ".js")
    }
    assert sum(counts.values()) <= MAX_ON_PAGES, {k: n for k, n in counts.items() if n}


def test_code_outside_the_types_reads_few_of_their_flags():
    reads = reads_of_flags(ROOT)
    assert {"boxes", "free_text", "asks"} <= {*reads}
    assert sum(reads.values()) <= MAX_READ_FLAGS, reads


@pytest.mark.parametrize(
    "planted",
    ['question.type == "note"', 'entry["type"] != NOTE', 'kind in ("number", "scale")'],
)
def test_a_planted_comparison_is_counted(planted):
    assert comparisons(planted) == 1


@pytest.mark.parametrize(
    "planted",
    [
        '{% if question.type == "note" %}',
        '{% if question.type not in ("number", "scale") %}',
        "if (this.type === 'number') return;",
        "const LISTED = ['select_one', 'select_multiple'];",
        "const two = kind === 'yes_no';",
    ],
)
def test_a_planted_comparison_on_a_page_is_counted(planted):
    assert ON_PAGES.search(planted)
