"""The documents agree with the code: tables, commands, hashes, examples."""

import hashlib
import inspect
import json
import re
import shlex
import tomllib

import pytest

from survey.cli.groups import COMMANDS, command_names, load_command
from survey.core import errors
from survey.core.mechanisms import MECHANISMS
from survey.definition.survey import parse_survey
from survey.estimation.share_intervals import share_interval
from survey.server.http.static_files import SOURCES, SURVEY_SCRIPT
from tests.support.project import PACKAGES, ROOT
from tests.support.share_coverage import worst_coverage

pytestmark = pytest.mark.fast

README = (ROOT / "README.md").read_text()
SECURITY = (ROOT / "SECURITY.md").read_text()
DOCS = {path.name: path.read_text() for path in ROOT.glob("docs/*/*.md")}
PAGES = {path: path.read_text() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]}
DECISIONS = ROOT / "docs" / "decisions"


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 80


def test_every_page_is_in_the_index():
    """A decision is in the index of the decisions."""
    index = PAGES[ROOT / "docs" / "README.md"]
    pages = [path for path in PAGES if path.parent.parent == ROOT / "docs"]
    assert len(pages) > 20
    for path in pages:
        if path.parent != DECISIONS or path.name == "README.md":
            target = path.relative_to(ROOT / "docs").as_posix()
            [entry] = re.findall(
                rf"^\* \[[^]]+\]\({target}\): (.+(?:\n  .+)*)", index, re.MULTILINE
            )
            assert entry.endswith("."), target


def test_the_mechanisms_table_is_the_registry():
    for entry in MECHANISMS.values():
        parameters = ", ".join(f"`{name}`" for name in entry.parameters) or "none"
        line = f"| `{entry.name}` | {entry.title} | {parameters} | {entry.source} |"
        assert line in DOCS["mechanisms.md"]
        # also the table and its loss
        assert DOCS["mechanisms.md"].count(f"| `{entry.name}` |") == 2


def test_the_hashes_in_security_md_are_those_of_the_files(client):
    """Every script that a respondent's page may load, and the sources of the joined one."""
    loaded = "".join(
        path.read_text() for path in (ROOT / "templates" / "respondent").glob("*.html")
    )
    names = set(re.findall(r"""script\("respondent/([\w.]+)"\)""", loaded))
    sources = {name.removeprefix("respondent/") for name in SOURCES}
    files = {path.name for path in (ROOT / "static" / "respondent").glob("*.js")}
    assert names | sources == files | {"survey.js"}, "each file is used"
    table = dict(re.findall(r"^\| static/(\S+) \| `(\w+)` \|$", SECURITY, re.MULTILINE))
    assert table == {
        name: hashlib.sha256(client.get(f"/static/{name}").data).hexdigest()
        for name in ("style.css", *(f"respondent/{each}" for each in names | sources))
    }


def test_security_md_is_short_and_every_promise_has_tests_that_exist():
    """A promise is a row of the section Protection. Its last cell names tests in tests/."""
    assert len(SECURITY.encode()) <= 20_000
    [section] = re.findall(r"^## Protection\n(.*?)^## ", SECURITY, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| (?!-|promise)(.+) \| (.+) \|$", section, re.MULTILINE)
    assert len(rows) == len({promise for promise, _ in rows}) > 40
    for promise, cell in rows:
        tests = re.findall(r"`([^`]+)`", cell)
        assert tests, promise
        for path in tests:
            assert (ROOT / "tests" / path).is_file(), path


def test_every_command_is_in_the_reference_and_has_help(app):
    def walk(group, prefix=""):
        for name in group.list_commands(None):
            command = group.get_command(None, name)  # It is loaded here.
            if hasattr(command, "commands"):
                yield from walk(command, f"{prefix}{name} ")
            else:
                yield f"{prefix}{name}", command

    ours = [
        (name, command)
        for name, command in walk(app.cli)
        if command.callback.__module__.startswith("survey.") or name.split()[0] in COMMANDS
    ]
    # The others are attack, serve and verify.
    assert len(ours) == 4 + sum(len(command_names(group)) for group in COMMANDS)
    for name, command in ours:
        assert f"\n### {name}\n" in DOCS["commands.md"], name
        assert command.help, name


def documented_analyses():
    """The pages, and the words after `analyse` of each command line in them with its arguments."""
    for path, page in PAGES.items():
        for line in re.findall(r"(?:candor |`)analyse (\S[^`\n]*)", page.replace("\\\n", "")):
            name, *arguments = shlex.split(line)
            # The reference has the form of each command, not an example.
            if arguments and arguments[0] != "[OPTIONS]":
                yield path, name, arguments


def test_the_analyses_in_the_documents_are_possible_command_lines():
    found = list(documented_analyses())
    assert {name for _, name, _ in found} >= {"crosswise", "groups", "list", "regression", "tree"}
    for path, name, arguments in found:
        assert load_command(f"analyse {name}").make_context(name, arguments), (path, arguments)


def test_the_two_commands_stand_on_the_first_screen_and_in_the_makefile():
    first_screen = "\n".join(README.splitlines()[:20])
    makefile = (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert f"make {target}" in first_screen
        assert re.search(rf"^{target}:.* ## ", makefile, re.MULTILINE)
    assert "![" in first_screen


def test_ci_runs_every_test_and_lint():
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in script if line.startswith("make ")] == [
        "make test", "make test-browser", "make test-all", "make lint",
    ]  # fmt: skip


def test_the_three_commands_run_every_test_together():
    """They select by expressions and their opposites, with declared markers only."""
    makefile = (ROOT / "Makefile").read_text()
    [left_out] = re.findall(r"^LEFT_OUT = (.+)$", makefile, re.MULTILINE)
    [quick] = re.findall(r"^QUICK = (.+)$", makefile, re.MULTILINE)
    assert re.findall(r'\$\(PYTEST\) -m "(.+)"', makefile) == [
        "($(QUICK)) and not ($(LEFT_OUT))",
        "not ($(QUICK)) and not ($(LEFT_OUT))",
        "$(LEFT_OUT)",
    ]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    names = {line.partition(":")[0] for line in declared["markers"]}
    assert quick == "plain or not browser"
    assert {"plain", "browser", *left_out.split(" or ")} <= names
    assert {name for name in names if name.startswith(("slow", "needs_"))} == {
        *left_out.split(" or ")
    }


def test_paths_named_in_the_documents_exist():
    for page, text in PAGES.items():
        for path in re.findall(
            r"\b(?:tests|survey|static|templates|docs)/[\w./]+\.(?:py|js|html)\b", text
        ):
            joined = path == f"static/{SURVEY_SCRIPT}"  # from its sources, at the start
            assert joined or (ROOT / path).exists(), f"{page}: {path}"


def test_the_example_definition_is_one():
    block, joint = re.findall(r"```json\n(.*?)```", DOCS["definition.md"], re.DOTALL)
    assert len(parse_survey(json.loads(block)).questions) == 9
    survey = {"slug": "s", "title": "S", "language": "en", "questions": json.loads(joint)}
    assert len(parse_survey(survey).questions[-1].choices) == 6


def test_every_package_is_in_the_design():
    design = DOCS["design.md"]
    rows = re.findall(r"^\| \*\*(\w+)\*\* \| (.+) \|$", design, re.MULTILINE)
    assert [name for name, _ in rows] == PACKAGES
    for name, row in rows:
        assert f"**{name}**: " in design  # in the list, too
        folder = ROOT / "survey" / name
        for file in re.findall(r"`([\w/]+\.py)`", row):
            assert (folder / file).exists(), f"{name}: {file}"
        for sub in re.findall(r"`(\w+)/`", row):
            assert (folder / sub).is_dir(), f"{name}: {sub}"


def test_the_way_of_a_response_is_in_the_files_that_the_design_names():
    rows = re.findall(r"^\| `([\w./]+)` \| ((?:`\w+`(?:, )?)+) \|", DOCS["design.md"], re.MULTILINE)
    assert len(rows) >= 6
    for path, functions in rows:
        source = (ROOT / path).read_text()
        for function in re.findall(r"\w+", functions):
            assert re.search(rf"(function|def) {function}\(", source), f"{path}: {function}"


def test_the_design_and_decisions_are_short():
    assert len(DOCS["design.md"].splitlines()) <= 150
    for path in DECISIONS.glob("*.md"):
        if path.name != "README.md":
            assert len(path.read_text().splitlines()) <= 40, path


def test_every_decision_is_dated_and_in_the_index():
    index = PAGES[DECISIONS / "README.md"]
    listed = re.findall(
        r"^\| (\d+) \| \[(.+)\]\(([^)]+)\)(?: \((.+)\))? \| (.+) \|$", index, re.MULTILINE
    )
    assert [name for _, _, name, _, _ in listed] == sorted(
        path.name for path in DECISIONS.glob("0*.md")
    )
    for number, title, name, note, date in listed:
        text = PAGES[DECISIONS / name]
        later = re.search(r"^\[Decision (\d+)\]\(\S+\) replaces this one\.", text, re.MULTILINE)
        earlier = re.search(r"^This decision replaces \[(\d+)\]", text, re.MULTILINE)
        notes = [f"replaced by {later[1]}"] if later else []
        notes += [f"replaces {earlier[1]}"] if earlier else []
        assert note == ", ".join(notes), name
        assert name.startswith(f"{int(number):04}-")
        assert text.startswith(f"# {number}. {title}\n\nDate: {date}\n")
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], name


def test_the_error_tree_in_the_docstring_is_the_tree():
    lines = [line for line in inspect.cleandoc(errors.__doc__).splitlines() if "── " in line]
    margin = min(line.index("── ") for line in lines)
    above = {0: errors.SurveyError}
    for line in lines:
        depth = (line.index("── ") - margin) // 4 + 1
        kind = getattr(errors, line.split("── ")[1].split()[0])
        assert kind.__mro__[1] is above[depth - 1], kind
        above[depth] = kind
    assert len(lines) + 1 == len(inspect.getmembers(errors, inspect.isclass))


@pytest.mark.parametrize("n", [10, 20, 50, 200, 501, 1000])
def test_the_coverage_table_is_what_enumeration_gives(n):
    text = DOCS["mathematics.md"]
    header = next(line for line in text.splitlines() if line.startswith("| n |"))
    row = next(line for line in text.splitlines() if line.startswith("| smallest coverage"))
    stated = dict(zip(header.split("|")[2:-1], row.split("|")[2:-1], strict=True))
    intervals = [share_interval(y, n, 3 / 4, 1 / 4) for y in range(n + 1)]
    worst = worst_coverage(intervals, n, 3 / 4, 1 / 4)
    assert float(stated[f" {n} "]) == pytest.approx(worst, abs=5.1e-5)


def test_the_sheet_of_the_standard_has_every_requirement_once_and_names_files_that_exist():
    """ASVS 5.0.0 has 253 requirements of levels 1 and 2, in these numbers for its chapters."""
    text = DOCS["asvs.md"]
    first = re.findall(r"^\| ([0-9][0-9., ]*) \|", text, re.MULTILINE)
    items = [item for cell in first for item in cell.split(", ")]
    assert len(items) == len(set(items)) == 253
    chapters = [sum(item.startswith(f"{number}.") for item in items) for number in range(1, 18)]
    assert chapters == [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7]
    for path in re.findall(r"\b((?:tests|survey)/[\w/.]+\w)", text):
        assert (ROOT / path).exists(), path
