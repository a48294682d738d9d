"""A command does not import what it does not use, since imports are most of the time of a start.

The tests count modules and not seconds, so they do not fail on a busy machine.
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from flask.cli import FlaskGroup

import survey.cli
from survey.cli.groups import ANALYSE, COMMANDS, HELP, command_names
from survey.web import auth, warm_up
from survey.web.analyses.kinds import ANALYSES
from tests.support.check_each import check_each
from tests.support.project import ROOT

HEAVY = {
    *("asyncio", "babel.dates", "babel.messages"),
    *("cryptography", "markdown_it", "nh3", "opendp", "openpyxl", "prometheus_client", "psycopg"),
    *("scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats", "segno"),
    *(
        "survey.admin",
        "survey.analysis",
        "survey.api",
        "survey.server.http.asgi_server",
        "survey.formats.export_bundle",
    ),
    *("uvicorn", "zxcvbn"),
}
COMMAND = """
import app
result = app.create_app().test_cli_runner().invoke(args=["survey", "list"])
assert result.exit_code == 0, result.output
"""


def loaded(code: str, folder: Path) -> set[str]:
    """The modules that a program loads in its own process."""
    done = subprocess.run(
        [sys.executable, "-c", code + "\nimport sys; print('MODULES', *sys.modules)"],
        cwd=ROOT,
        env={"CANDOR_DATABASE": str(folder / "candor.db"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("MODULES ")[2].split())


# Some functions of numpy load numpy.ma when they are called first.
@pytest.mark.parametrize(
    ("code", "heavy"),
    [("import app", HEAVY | {"numpy.ma"}), (COMMAND, HEAVY)],
    ids=["import app", "survey list"],
)
def test_what_is_heavy_is_loaded_where_it_is_used(tmp_path, code, heavy):
    modules = loaded(code, tmp_path)
    assert "survey.store" in modules
    assert modules & heavy == set()


@pytest.mark.slow
def test_control_routes_load_researchers_pages(tmp_path):
    modules = loaded("import app; app.create_app().test_client().get('/')", tmp_path)
    assert {"survey.admin", "survey.analysis"} <= modules


def test_the_server_has_what_requests_need_before_they_ask(tmp_path):
    modules = loaded("from survey.web import warm_up; warm_up.load_lazy_modules()", tmp_path)
    assert {*warm_up.PARTS, "markdown_it", "nh3"} <= modules


def test_groups_list_exactly_the_commands_of_the_table(app):
    runner = app.test_cli_runner()
    for group in COMMANDS:
        page = runner.invoke(args=[group, "--help"]).stdout
        listed = re.findall(r"^  ([a-z][\w-]*)  ", page.partition("Commands:\n")[2], re.MULTILINE)
        assert listed == command_names(group), group
    assert {*command_names(ANALYSE)} == {*COMMANDS[ANALYSE], *ANALYSES}


def test_the_program_lists_the_groups_and_the_commands_that_are_in_none(app):
    whole = FlaskGroup(create_app=lambda: app)
    page = app.test_cli_runner().invoke(cli=whole, args=["--help"]).stdout
    listed = re.findall(r"^  ([a-z][\w-]*)  ", page.partition("Commands:\n")[2], re.MULTILINE)
    others = {*whole.commands}  # those of Flask
    assert {*listed} - others == {*COMMANDS, "attack", "demo", "serve", "verify"}
    assert {*COMMANDS} == {*HELP}


@check_each("group", COMMANDS)
def test_each_command_is_where_the_table_says(app, group):
    for name, place in COMMANDS[group].items():
        command = app.cli.get_command(None, group).get_command(None, name)
        function = command.callback
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        module, _, own = place.partition(":")
        assert (function.__module__, function.__name__) == (f"survey.cli.{module}", own)


def test_every_command_of_a_module_is_in_the_table():
    folder = Path(survey.cli.__file__).parent
    commands = {
        f"{module}:{name}"
        for path in folder.rglob("*.py")
        if path.name != "__init__.py" and "\n@command\n" in path.read_text(encoding="utf-8")
        for module in [".".join(path.relative_to(folder).with_suffix("").parts)]
        for name, each in vars(importlib.import_module(f"survey.cli.{module}")).items()
        if isinstance(each, click.Command)
    }
    # Like the commands of __init__.py, `attack` is in no group.
    assert commands - {"attack.command:attack"} == {
        place for group in COMMANDS.values() for place in group.values()
    }


def test_a_guess_at_an_unknown_name_costs_what_one_at_a_known_name_costs(tmp_path):
    """The compared hash has the parameters of a real one.

    tests/support/cheaper.py changes both.
    """
    code = (
        "from survey.web import auth\n"
        "real, none = auth.hash_password('x').split('$'), auth.nobody.split('$')\n"
        "assert real[0] == none[0] and [*map(len, real)] == [*map(len, none)], (real, none)\n"
    )
    loaded(code, tmp_path)
    assert not auth.check_password_hash(auth.nobody, "")


def test_a_command_has_one_name(app):
    """Names that it had before version 0.1.0 are refused."""
    runner = app.test_cli_runner()
    for old in (["seal"], ["survey", "backup"], ["survey", "release"], ["admin", "create", "ada"]):
        refused = runner.invoke(args=old)
        assert refused.exit_code == 2, old
        assert "No such command" in refused.stderr, old


def test_a_function_has_the_name_of_its_command():
    for name, place in {(n, p) for group in COMMANDS.values() for n, p in group.items()}:
        function = place.partition(":")[2]
        assert {*name.split("-")} <= {*function.split("_")}, place
