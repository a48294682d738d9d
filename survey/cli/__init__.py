"""The commands, which run as `candor ...`.

This package may import every other package. Start reading in `groups`, which lists the groups and
the module of each command, then in `command_errors`, which all commands use.
"""

import click
from flask import Flask

from survey.cli.attack.command import attack
from survey.cli.command_errors import application, command
from survey.cli.groups import top_level
from survey.cli.run_server import demo, greeting, serve

__all__ = ["all_commands", "greeting", "init_app"]


@command
@click.argument("url")
def verify(url: str) -> None:
    """Check whether a server sends unchanged pages of a survey to this computer.

    URL is the address of the survey, best as respondents get it. The command requests the
    frozen survey, the survey's page in each language, its scripts and styles, and the other
    pages of the survey. It repeats each request with the headers of several browsers. It
    compares each page, script and style byte by byte with what this version of Candor sends
    for the frozen survey. It permits no header that this version does not send, apart from a
    few of servers and proxies. It posts only what every server refuses. If anything differs,
    it exits with status 1. If the URL has a query, the page under it must be the same. Run
    the command from a network that the operator of the server cannot recognise as yours, such
    as a mobile connection.
    """
    from survey.cli.verify.command import report

    report(application(), url)


def all_commands() -> list[click.Command]:
    """The groups of commands, then the commands that belong to no group."""
    return [*top_level(), attack, demo, serve, verify]


def init_app(app: Flask) -> None:
    """Register all commands with Flask, whose test client runs them."""
    for each in all_commands():
        app.cli.add_command(each)
