"""Old spellings of commands: each runs the new command, and our own files use none of them."""

import json
import os
import re
import subprocess
import sys

import pytest

from survey.cli.groups import COMMANDS, OLD_SPELLINGS
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.project import ROOT
from tests.support.researchers import PASSWORD

GROUPS = "|".join(
    old.replace(" ", r"\s+") for old in sorted(OLD_SPELLINGS, key=len, reverse=True) if " " in old
)
# "As many as a survey releases at once" is no command.
IN_GROUPS = re.compile(rf"(?<![\w.-])(?:{GROUPS})(?![\w-])(?!\s+at\s+once)")
SEAL = re.compile(r"(?:--app\s+app|flask|candor-command)\s+seal(?![\w-])")
NAMED_SEAL = re.compile(r"`seal`")  # In the program, `seal` is a function of the store.
PLACES = (".ci", "bench", "demo", "deploy", "docs", "static", "survey", "templates", "tools")
NO_TEXTS = {".mo", ".png", ".pyc", ".svg", ".xlsx", ".zip"}
# The changelog describes the past, and the table has to name the old spellings.
MAY_NAME_THEM = {ROOT / "CHANGELOG.md", ROOT / "survey" / "cli" / "groups.py"}


def note(old):
    return f"`{old}` is now called `{OLD_SPELLINGS[old]}`.\n"


@pytest.mark.parametrize("old", OLD_SPELLINGS)
def test_the_help_of_an_old_spelling_is_that_of_the_new_one(app, old):
    runner, new = app.test_cli_runner(), OLD_SPELLINGS[old]
    group, name = new.split()
    assert name in COMMANDS[group]
    assert old not in {f"{group} {name}" for group, names in COMMANDS.items() for name in names}
    former = runner.invoke(args=[*old.split(), "--help"])
    current = runner.invoke(args=[*new.split(), "--help"])
    assert (former.exit_code, former.stderr) == (0, note(old))
    assert (current.exit_code, current.stderr) == (0, "")

    def after_usage(page):
        return page.partition("\n\n")[2]

    assert after_usage(former.stdout) == after_usage(current.stdout)
    assert after_usage(current.stdout)


def test_old_spellings_print_what_the_new_ones_print(app, tmp_path):
    runner = app.test_cli_runner()

    def run(spelling, *arguments, **more):
        return runner.invoke(args=[*spelling.split(), *arguments], **more)

    file, truth = tmp_path / "health.json", tmp_path / "truth.json"
    file.write_text(json.dumps(definition()))
    truth.write_text('{"smokes": {"yes": 0.3}}')
    assert run("survey import", str(file)).exit_code == 0
    made = run("survey simulate", "health", "--n", "40", "--truth", str(truth), "--seed", "1")
    assert (made.exit_code, made.stdout) == (0, "health: 40 simulated respondents added\n")
    made = run("admin create", "ada", input=f"{PASSWORD}\n")
    assert (made.exit_code, made.stdout) == (0, "ada: account created\n")
    for old, *arguments in (
        ("survey estimate", "health", "--json"),
        ("survey crosstab", "health", "smokes", "smokes"),  # refused
        ("survey check",),
        ("survey releases", "health"),
        ("admin list",),
        ("admin tokens", "eve"),  # refused
        ("seal",),
        ("survey backup",),  # without its argument
    ):
        former, current = run(old, *arguments), run(OLD_SPELLINGS[old], *arguments)
        assert (former.exit_code, former.stdout) == (current.exit_code, current.stdout), old
        told = current.stderr.replace(OLD_SPELLINGS[old], old)  # the line about its usage
        assert former.stderr == note(old) + told, old


def test_what_is_done_by_an_old_spelling_is_recorded_as_by_the_new_one(app, store):
    runner = app.test_cli_runner()
    for spelling, name in (("admin create", "ada"), ("account create", "bob")):
        runner.invoke(args=[*spelling.split(), name], input=f"{PASSWORD}\n")
    assert [act.action for act in store.audit.acts()] == [
        "added bob as owner",
        "added ada as owner",
    ]


def test_a_script_in_the_field_goes_on(tmp_path):
    """The real program, like a timer or a cron job."""
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", "survey", "backup", str(tmp_path / "to")],
        cwd=ROOT,
        env=os.environ | {"CANDOR_DATABASE": str(tmp_path / "candor.db")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, note("survey backup"))
    [file] = (tmp_path / "to").iterdir()
    assert f" are in {file}, " in done.stdout


def test_no_help_lists_an_old_spelling(app):
    runner = app.test_cli_runner()
    assert runner.invoke(args=["admin", "--help"]).exit_code == 0
    for arguments in ([], ["admin"], *([group] for group in COMMANDS)):
        assert not named(runner.invoke(args=[*arguments, "--help"]).stdout), arguments
        page = runner.invoke(args=[*arguments, "--help"]).stdout.partition("Commands:")[2]
        commands = set(re.findall(r"^  ([a-z][\w-]*)  ", page, re.MULTILINE))
        former = {
            old.split()[-1] for old in OLD_SPELLINGS if old.split()[:-1] == arguments
        } - COMMANDS.get(" ".join(arguments), {}).keys()
        assert not commands & (former | {"admin"}), arguments


def named(text, in_program=False):
    """The old spellings in a text."""
    patterns = (IN_GROUPS, SEAL) if in_program else (IN_GROUPS, SEAL, NAMED_SEAL)
    return [match[0] for pattern in patterns for match in pattern.finditer(text)]


def texts():
    paths = [path for path in ROOT.glob("*") if path.suffix in (".md", ".py") or path.suffix == ""]
    for place in PLACES:
        paths += (ROOT / place).rglob("*")
    return [path for path in paths if path.is_file() and path.suffix not in NO_TEXTS]


def test_nothing_uses_an_old_spelling():
    read = [path for path in texts() if path not in MAY_NAME_THEM]
    assert {
        "README.md",
        "Makefile",
        "operate-a-server.md",
        "candor-backup.service",
        "verify.html",
    } <= {path.name for path in read}
    for path in read:
        assert not named(path.read_text(), path.suffix == ".py"), path


@check_each("old", OLD_SPELLINGS)
def test_a_planted_old_spelling_is_noticed(old):
    for text in (f"Use `{old}`.", f"flask --app app {old} X", f"candor-command {old}\n"):
        assert named(text), text
    assert not named(f"`{OLD_SPELLINGS[old]}`")
