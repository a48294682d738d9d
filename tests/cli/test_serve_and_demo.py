"""The commands `serve` and `demo` differ only in the demo surveys, and the greeting says where."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import pytest
from flask.cli import ScriptInfo

import app as program
from app import create_app
from survey import VERSION, cli
from survey.cli import greeting, top_commands
from tests.support.project import ROOT


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


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"PORT": "http"}, "Candor cannot start. PORT is 'http'"),
        ({"CANDOR_DATABASE": "."}, "Candor cannot start. The database cannot be used"),
    ],
)
def test_what_keeps_it_from_starting_is_a_sentence(monkeypatch, tmp_path, environment, words):
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=words):
        create_app()


def test_an_open_address_without_https_gets_a_warning(settings, store):
    assert "without https" in greeting(store, replace(settings, host="0.0.0.0"), None)
    safe = replace(settings, host="0.0.0.0", url="https://survey.example.org")
    assert "Warning" not in greeting(store, safe, None)


@pytest.mark.slow
def test_a_start_that_fails_leaves_the_link_of_a_running_one_good(settings, store):
    store.accounts.set_setup_token("running")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        # It runs in its own process, since a failed start ends its process.
        second = subprocess.run(
            [sys.executable, "-m", "flask", "--app", "app", "serve"],
            cwd=ROOT,
            env={**os.environ, "CANDOR_DATABASE": settings.database, "PORT": port},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert second.returncode == 1
    assert "set PORT to another number" in second.stderr
    assert "Traceback" not in second.stderr
    assert store.accounts.setup_token_is("running")
