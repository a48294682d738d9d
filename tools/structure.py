"""Count what makes the code hard to change: `python -m tools.structure [FOLDER]`.

The figures are a thermometer. Nobody shortens names or joins lines for them.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Longer lines of templates are counted.
LONG_LINE_CHARACTERS = 160


def python_files(root: Path) -> list[Path]:
    return sorted((root / "survey").rglob("*.py"))


def template_files(root: Path) -> list[Path]:
    return [path for path in sorted((root / "templates").rglob("*.*")) if path.is_file()]


def code_lines(source: str) -> int:
    """The number of lines that are neither blank, nor a comment, nor part of a docstring."""
    documented = set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node) is not None and first is not None:
                documented |= {*range(first.lineno, (first.end_lineno or first.lineno) + 1)}
    lines = enumerate(map(str.strip, source.splitlines()), start=1)
    return sum(
        bool(line) and not line.startswith("#") and number not in documented
        for number, line in lines
    )


def flags_of_types(root: Path) -> set[str]:
    """The names of the Boolean attributes and properties of question types."""
    tree = ast.parse((root / "survey/definition/types/registry.py").read_text())
    [kind] = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "QuestionType"
    ]
    flags = set[str]()
    for node in kind.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "ClassVar[bool]":
            flags.add(ast.unparse(node.target))
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            is_property = any(ast.unparse(each) == "property" for each in node.decorator_list)
            if is_property and ast.unparse(node.returns) == "bool":
                flags.add(node.name)
    return flags


def reads_of_flags(root: Path) -> dict[str, int]:
    """How often code and templates outside the types read each flag of a type."""
    types = root / "survey" / "definition" / "types"
    sources = [
        path.read_text()
        for path in [*python_files(root), *template_files(root)]
        if not path.is_relative_to(types)
    ]
    return {
        flag: sum(len(re.findall(rf"(?:\bkind|\])\.{flag}\b", each)) for each in sources)
        for flag in sorted(flags_of_types(root))
    }


def several_constants(source: str) -> int:
    """The number of statements of a module that assign several constants at once."""
    return sum(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and all(ast.unparse(each).isupper() for each in node.targets[0].elts)
        for node in ast.parse(source).body
    )


def figures(root: Path) -> Iterator[tuple[str, int]]:
    """Each figure with its name."""
    sources = [path.read_text() for path in python_files(root)]
    yield "code lines of survey/", sum(map(code_lines, sources))
    flags = reads_of_flags(root)
    yield "reads of a type's flags outside the types", sum(flags.values())
    for flag, reads in flags.items():
        if reads:
            yield f"    {flag}", reads
    yield "# fmt: skip", sum(each.count("# fmt: skip") for each in sources)
    yield "lines that assign several constants", sum(map(several_constants, sources))
    yield "raise statements", sum(len(re.findall(r"^\s+raise \w", s, re.M)) for s in sources)
    mirror = (root / "tests/system/test_mirror.py").read_text()
    listed = re.search(r"WITHOUT_MIRROR = {(.*?)}", mirror, re.DOTALL)
    yield "modules without a mirror test", len(re.findall(r'"', listed[1])) // 2 if listed else 0
    lines = [each for path in template_files(root) for each in path.read_text().splitlines()]
    yield (
        f"lines of templates above {LONG_LINE_CHARACTERS} characters",
        sum(len(line) > LONG_LINE_CHARACTERS for line in lines),
    )


def main(folder: str = str(ROOT)) -> None:
    for name, number in figures(Path(folder)):
        print(f"{number:7,}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
