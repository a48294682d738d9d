"""The commands `serve` and `demo` differ only in the demo surveys, and the greeting says where."""

from importlib import import_module

import pytest
from flask.cli import ScriptInfo

import app as program
from survey import VERSION, cli
from survey.cli import greeting, top_commands


@pytest.fixture
def served(monkeypatch):
    """The calls of the server."""
    calls = []
    monkeypatch.setattr(cli, "run_server", lambda app, *, demo: calls.append((app, demo)))
    return calls


@pytest.mark.fast
@pytest.mark.parametrize(("name", "demo"), [("serve", False), ("demo", True)])
def test_only_the_command_demo_adds_surveys(app, served, name, demo):
    assert app.test_cli_runner().invoke(args=[name]).exit_code == 0
    [(given, added)] = served
    assert given is app  # A server needs the application itself, and no proxy of it.
    assert added is demo


@pytest.mark.fast
def test_the_greeting_names_the_folder_of_the_data(store, settings, tmp_path):
    assert f"  Folder of the data     {tmp_path}\n" in greeting(store, settings, None) + "\n"


@pytest.mark.fast
def test_the_command_line_lists_everything_without_an_application(monkeypatch, capsys):
    shown = [command.name for command in top_commands() if not command.hidden]
    assert {"demo", "serve", "survey", "verify"} < {*shown}

    def refuse(*_):
        raise AssertionError("The help needs no application.")

    monkeypatch.setattr(program, "create_app", refuse)
    for arguments, expected in (["candor", "--help"], None), (["candor", "--version"], VERSION):
        monkeypatch.setattr("sys.argv", arguments)
        with pytest.raises(SystemExit) as ended:
            program.main()
        assert ended.value.code == 0
        said = capsys.readouterr().out
        names = [expected] if expected else [f"\n  {name} " for name in shown]
        for name in names:
            assert name in said


@pytest.mark.fast
def test_the_names_of_commands_stay_when_their_packages_are_imported():
    """Importing survey.cli.verify sets that name in survey.cli."""
    import_module("survey.cli.verify.command")
    names = [command.name for command in top_commands()]
    assert {"attack", "demo", "serve", "verify"} < {*names}


@pytest.mark.fast
def test_a_command_of_the_command_line_has_the_application(app, monkeypatch, capsys):
    """As `candor survey list` runs it."""
    monkeypatch.setattr(program, "create_app", lambda: app)
    monkeypatch.setattr("sys.argv", ["candor", "survey", "list"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert (ended.value.code, capsys.readouterr().out) == (0, "")
    assert ScriptInfo(create_app=lambda: app).load_app() is app
