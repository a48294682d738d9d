"""The groups of commands, the module of each command, and the old spellings of commands.

A module is imported only when one of its commands runs, or when a group lists its commands with
their help. So `survey list` loads no analysis.
"""

from importlib import import_module
from typing import Any

import click

# The commands of each group, and the module (in this package) and function of each command.
COMMANDS: dict[str, dict[str, str]] = {
    "survey": {
        "export": "survey:export",
        "import": "survey:import_survey",
        "instruments": "survey:instruments",
        "invite": "survey:invite",
        "list": "survey:list_surveys",
        "plan": "plan:plan",
        "privacy": "privacy:privacy",
    },
    "responses": {
        "export-bundle": "export_bundle:take_home",
        "import-randomised": "import_randomised:bring_file",
        "load": "responses:load",
        "simulate": "responses:simulate",
    },
    "analyse": {
        "change": "change:change_command",
        "compare": "analyse:compare_command",
        "correlate": "analyse:correlate_command",
        "crosstab": "analyse:crosstab_command",
        "crosswise": "indirect.crosswise:crosswise_command",
        "estimate": "analyse:estimate",
        "list": "indirect.list_experiment:list_command",
        "regress": "regression:regress_answers",
        "tree": "tree:grow_tree",
        "two-designs": "validity:two_designs_command",
        "validity": "validity:validity",
    },
    "central-dp": {
        "budget": "central_dp:budget",
        "draw": "central_dp:release",
        "list": "central_dp:releases",
    },
    "database": {
        "backup": "backup:backup",
        "check": "database:check_surveys",
        "compact": "database:seal",
        "copy": "database:move",
        "restore": "backup:restore",
        "rotate-key": "database:rotate",
    },
    "account": {
        "create": "account:create",
        "list": "account:list_people",
        "remove": "account:remove",
        "reset": "account:reset",
        "role": "account:change_role",
    },
    "token": {
        "create": "token:token",
        "list": "token:list_tokens",
        "revoke": "token:revoke",
    },
}
HELP = {
    "survey": "Import, export, list and plan surveys, and create invitations.",
    "responses": "Load, simulate and export responses.",
    "analyse": "Estimate shares and means, cross-tabulate, compare and regress.\n\n"
    "The commands use the published responses, and accept private and non-private questions. For a "
    "question of type select_multiple, write QUESTION/BOX, such as tried/lsd for its choice lsd.",
    "central-dp": "Publish statistics of non-private questions, with random noise.",
    "database": "Back up, restore, check, copy and compact the database.",
    "account": "Create, list, change and remove accounts of researchers.",
    "token": "Create, list and revoke API tokens.",
    "admin": "Old name of the groups account and token, and of the command database rotate-key.",
}
# Existing timers and scripts may still use these spellings.
OLD_SPELLINGS = {
    "seal": "database compact",
    "survey backup": "database backup",
    "survey bring": "responses import-randomised",
    "survey budget": "central-dp budget",
    "survey check": "database check",
    "survey compare": "analyse compare",
    "survey correlate": "analyse correlate",
    "survey crosstab": "analyse crosstab",
    "survey estimate": "analyse estimate",
    "survey load": "responses load",
    "survey move": "database copy",
    "survey regress": "analyse regress",
    "survey release": "central-dp draw",
    "survey releases": "central-dp list",
    "survey restore": "database restore",
    "survey simulate": "responses simulate",
    "survey take-home": "responses export-bundle",
    "survey tree": "analyse tree",
    "survey validity": "analyse validity",
    "admin create": "account create",
    "admin list": "account list",
    "admin remove": "account remove",
    "admin reset": "account reset",
    "admin revoke": "token revoke",
    "admin role": "account role",
    "admin rotate": "database rotate-key",
    "admin token": "token create",
    "admin tokens": "token list",
}


def load_command(spelling: str) -> click.Command:
    """The command with a spelling such as `survey list`. Imports its module."""
    group, name = spelling.split()
    module, function = COMMANDS[group][name].split(":")
    command: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
    return command


class OldSpelling(click.Command):
    """A hidden command that prints the new spelling on standard error, and runs that command."""

    def __init__(self, spelling: str):
        super().__init__(spelling.split()[-1], hidden=True)
        self.old, self.new = spelling, OLD_SPELLINGS[spelling]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:  # fmt: skip
        # A shell also parses a line to complete it, but it runs nothing.
        if not extra.get("resilient_parsing"):
            click.echo(f"`{self.old}` is now called `{self.new}`.", err=True)
        # Click runs the command of this context, so it runs the new command.
        return load_command(self.new).make_context(info_name, args, parent, **extra)


class CommandGroup(click.Group):
    """A group with the commands of COMMANDS. It accepts old spellings, but does not list them."""

    def __init__(self, name: str):
        super().__init__(name, help=HELP[name], hidden=name not in COMMANDS)
        self.names = sorted(COMMANDS.get(name, ()))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        spelling = f"{self.name} {cmd_name}"
        if cmd_name in self.names:
            return load_command(spelling)
        return OldSpelling(spelling) if spelling in OLD_SPELLINGS else None


def top_level() -> list[click.Command]:
    """All groups, and the old commands outside of groups."""
    alone = [OldSpelling(spelling) for spelling in OLD_SPELLINGS if " " not in spelling]
    return [*map(CommandGroup, HELP), *alone]
