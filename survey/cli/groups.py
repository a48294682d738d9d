"""The groups of commands, `survey ...` and `admin ...`, and the module that each command is in.

A module is imported when one of its commands is run, or when the group lists them with their help.
So `survey list` loads no analysis.
"""

from collections.abc import Mapping
from importlib import import_module

import click
from flask.cli import AppGroup

SURVEY = {
    "analysis": ("compare", "correlate", "crosstab"),
    "backing_up": ("backup", "restore"),
    "bringing": ("bring",),
    "data": ("estimate", "load", "simulate"),
    "moving": ("move",),
    "planning": ("plan",),
    "privacy": ("privacy",),
    "regression": ("regress",),
    "releases": ("budget", "release", "releases"),
    "surveys": ("check", "export", "import", "invite", "list"),
    "take_home": ("take-home",),
    "trees": ("tree",),
    "validity": ("validity",),
}
ADMIN = {
    "accounts": ("create", "list", "remove", "reset", "role"),
    "rotating": ("rotate",),
    "tokens": ("revoke", "token", "tokens"),
}


class Commands(AppGroup):
    """A group whose commands are in modules of this package.

    Parameters
    ----------
    modules : for each module the names of its commands
    """

    def __init__(self, name: str, help: str, modules: Mapping[str, tuple[str, ...]]):
        super().__init__(name, help=help)
        self.modules = {name: module for module, names in modules.items() for name in names}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.modules:
            import_module(f"{__package__}.{self.modules[cmd_name]}")
        return super().get_command(ctx, cmd_name)


survey_commands = Commands("survey", "Import, list, load, simulate and estimate surveys.", SURVEY)
admin_commands = Commands("admin", "Researchers' accounts.", ADMIN)
