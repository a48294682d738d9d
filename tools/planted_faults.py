"""Plant faults of one token, one at a time, and say which of them the tests catch.

    .venv/bin/python -m tools.planted_faults               all faults, which takes hours
    .venv/bin/python -m tools.planted_faults 3 17 --near   these faults, and only the nearest tests

Use it before and after a change of the tests. Both must catch the same faults. The faults are in
planted_faults.json. They were drawn once, with a seed. `--draw` draws them again, which ends the
comparison with earlier results.

Each fault is planted into a copy of the project. First, the test file of the faulty module runs,
then the test files that import the module, then `make test` and `make test-browser` together. The
tool prints one line for each fault: its number, what caught it, its place and its text.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tools" / "planted_faults.json"
SEED, FAULTS_PER_MODULE = 20261128, 4
MODULES_OF_PACKAGE = {
    "core": 3, "definition": 3, "estimation": 3, "analysis": 3, "store": 2, "server": 2,
    "formats": 2,
}  # fmt: skip
# `make test-all` runs the tests of PostgreSQL. The scripts of the export bundle run elsewhere.
LEFT_OUT = ("store/postgresql/", "formats/export_bundle/scripts/")
REPLACEMENTS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "+", "/": "*", "//": "+", "%": "*", "**": "*", "+=": "-=", "-=": "+=", "and": "or",
    "or": "and", "not": "", "True": "False", "False": "True", "min": "max", "max": "min",
    "any": "all", "all": "any", "break": "continue", "continue": "break",
}  # fmt: skip
# A fault can cause an endless loop, which the tests then catch by their length.
TIMEOUT_SECONDS = 1_800


class Fault(NamedTuple):
    """A line of a file, which occurs there once, and the line that replaces it."""

    file: str
    line: str
    replacement: str


def with_fault(source: str, fault: Fault) -> str:
    return "\n".join(
        fault.replacement if line == fault.line else line for line in source.split("\n")
    )


# --- the draw


def replacement_of(token: tokenize.TokenInfo) -> str | None:
    if token.type == tokenize.NUMBER and token.string.isdigit():
        return str(int(token.string) + 1)
    return REPLACEMENTS.get(token.string)


def lines_of_code(tree: ast.Module) -> set[int]:
    """The numbers of the lines in functions, without signatures, docstrings and errors."""
    kept: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            for statement in body:
                kept.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    for node in ast.walk(tree):
        # Messages and types have tokens, too, but no behaviour.
        if isinstance(node, ast.Raise | ast.FunctionDef | ast.ClassDef):
            end = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno or 0
            kept.difference_update(range(node.lineno, end + 1))
    return kept


def faults_of(path: Path) -> list[Fault]:
    """All faults of one token in a module. Each one is on a line that occurs once."""
    source = path.read_text()
    lines, found = source.splitlines(), []
    kept = lines_of_code(ast.parse(source))
    for token in tokenize.generate_tokens(StringIO(source).readline):
        (number, start), (_, end) = token.start, token.end
        new, line = replacement_of(token), lines[number - 1] if number <= len(lines) else ""
        if new is None or number not in kept or lines.count(line) > 1:
            continue
        # `strict` only guards against lengths that never differ.
        if not line[:start].endswith("strict="):
            changed = line[:start] + new + (line[end:] if new else line[end:].lstrip())
            found.append(Fault(path.relative_to(ROOT).as_posix(), line, changed))
    return found


def is_python(fault: Fault) -> bool:
    """Whether the file can still be parsed. Not every star is a multiplication, for example."""
    try:
        ast.parse(with_fault((ROOT / fault.file).read_text(), fault))
    except SyntaxError:
        return False
    return True


def one_of_each_line(path: Path, chance: random.Random) -> list[Fault]:
    """The faults of a module in random order, at most one of each line."""
    faults = faults_of(path)
    chance.shuffle(faults)
    return [*{fault.line: fault for fault in faults}.values()]


def draw() -> list[Fault]:
    """Four faults on different lines of each drawn module, which has at least twelve such lines."""
    chance, drawn = random.Random(SEED), []
    for package, count in MODULES_OF_PACKAGE.items():
        modules = [
            faults
            for path in sorted((ROOT / "survey" / package).rglob("*.py"))
            if not any(part in path.as_posix() for part in LEFT_OUT)
            and len(faults := one_of_each_line(path, chance)) >= 3 * FAULTS_PER_MODULE
        ]
        for faults in chance.sample(modules, count):
            drawn += [each for each in faults if is_python(each)][:FAULTS_PER_MODULE]
    return drawn


# --- the run


def copy_of_project(folder: Path) -> Path:
    """The files of the project as they are now, without data and environments."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def nearest_tests(copy: Path, file: str) -> list[str]:
    """The test files of a module, by their names."""
    package, *parts = Path(file).with_suffix("").parts[1:]
    names = {f"test_{'_'.join(parts)}.py", f"test_{parts[-1]}.py"}
    return sorted(
        str(path) for path in (copy / "tests" / package).glob("*.py") if path.name in names
    )


def importing_tests(copy: Path, file: str) -> list[str]:
    """The test files without a browser that import a module."""
    *parents, name = Path(file).with_suffix("").parts
    module, folder = re.escape(".".join([*parents, name])), re.escape(".".join(parents))
    imports = re.compile(
        rf"^from {module} import |^from {folder} import .*\b{name}\b", re.MULTILINE
    )
    return sorted(
        str(path)
        for path in (copy / "tests").rglob("test_*.py")
        if path.parent.name != "browser" and imports.search(path.read_text())
    )


def left_out_of_both(copy: Path) -> str:
    """The markers of `make test-all`."""
    [markers] = re.findall(r"^LEFT_OUT = (.+)$", (copy / "Makefile").read_text(), re.MULTILINE)
    return markers


def passes(copy: Path, *arguments: str) -> bool:
    """Whether the tests pass. At the first failure, or after half an hour, they do not."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += [*arguments, "-m", f"not ({left_out_of_both(copy)})"]
    try:
        ended = subprocess.run(
            command, cwd=copy, timeout=TIMEOUT_SECONDS, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        return False
    if ended.returncode not in (0, 1, 2, 5):  # 2 is an error while collecting, 5 means no test
        raise SystemExit(ended.stdout + ended.stderr)
    return ended.returncode in (0, 5)


class Planted:
    """A copy of the project, into which faults are planted."""

    def __init__(self, copy: Path):
        self.copy = copy
        self.writes = 0
        self.passed = cache(lambda *arguments: passes(copy, *arguments))

    def write(self, path: Path, text: str) -> None:
        """Write with a new time, because Python keeps bytecode by seconds and size."""
        self.writes += 1
        time = path.stat().st_mtime + 2
        path.write_text(text)
        os.utime(path, (time, time))

    def stages(self, file: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names and arguments of the runs, from near to wide."""
        for name, tests in (
            ("its test file", nearest_tests(self.copy, file)),
            ("a test file that imports it", importing_tests(self.copy, file)),
        ):
            if tests:
                yield name, ("-n0", *tests)
        yield "another test", ("--numprocesses=auto", "--maxprocesses=5", "--dist=worksteal")

    def caught_by(self, fault: Fault, *, near: bool) -> str:
        """The first run that fails with this fault, and passes without it."""
        path = self.copy / fault.file
        source = path.read_text()
        if source.split("\n").count(fault.line) != 1:
            return "gone: the line is not in the file any more"
        for name, arguments in self.stages(fault.file):
            wide = "-n0" not in arguments
            if wide and near:
                break
            if not wide and not self.passed(*arguments):
                raise SystemExit(f"Without a fault, these tests fail: {' '.join(arguments)}")
            self.write(path, with_fault(source, fault))
            caught = not passes(self.copy, *arguments)
            self.write(path, source)
            if caught:
                return f"caught by {name}"
        return "not caught" + (" near" if near else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("numbers", nargs="*", type=int, help="the faults to plant, by default all")
    parser.add_argument("--near", action="store_true", help="run only the nearest tests")
    parser.add_argument("--draw", action="store_true", help="draw the faults again")
    wanted = parser.parse_args()
    if wanted.draw:
        FILE.write_text(json.dumps([each._asdict() for each in draw()], indent=1) + "\n")
        return
    faults = [Fault(**each) for each in json.loads(FILE.read_text())]
    with TemporaryDirectory() as folder:
        planted = Planted(copy_of_project(Path(folder)))
        for number in wanted.numbers or range(1, len(faults) + 1):
            fault = faults[number - 1]
            result = planted.caught_by(fault, near=wanted.near)
            print(f"{number}\t{result}\t{fault.file}\t{fault.replacement.strip()}", flush=True)


if __name__ == "__main__":
    main()
