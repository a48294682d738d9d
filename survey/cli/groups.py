"""The groups of commands, `survey ...` and `admin ...`, and the module that each command is in.

A module is imported when one of its commands is run, or when the group lists them with their help.
So `survey list` loads no analysis.
"""

from collections.abc import Mapping
from importlib import import_module

import click
from flask.cli import AppGroup

SURVEY = {
    "analyse": ("compare", "correlate", "crosstab"),
    "backup": ("backup", "restore"),
    "import_randomised": ("bring",),
    "responses": ("estimate", "load", "simulate"),
    "copy_database": ("move",),
    "plan": ("plan",),
    "privacy": ("privacy",),
    "regression": ("regress",),
    "central_dp": ("budget", "release", "releases"),
    "survey": ("check", "export", "import", "invite", "list"),
    "export_bundle": ("take-home",),
    "tree": ("tree",),
    "validity": ("validity",),
}
ADMIN = {
    "account": ("create", "list", "remove", "reset", "role"),
    "rotate_key": ("rotate",),
    "token": ("revoke", "token", "tokens"),
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
