"""The groups of commands, and the module of each command.

A module is imported only when one of its commands runs, or when a group lists its commands with
their help. So `survey list` loads no analysis.
"""

from importlib import import_module

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
}


def load_command(spelling: str) -> click.Command:
    """The command with a spelling such as `survey list`. Imports its module."""
    group, name = spelling.split()
    module, function = COMMANDS[group][name].split(":")
    command: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
    return command


class CommandGroup(click.Group):
    """A group with the commands of COMMANDS."""

    def __init__(self, name: str):
        super().__init__(name, help=HELP[name])
        self.names = sorted(COMMANDS[name])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(f"{self.name} {cmd_name}") if cmd_name in self.names else None


def command_groups() -> list[click.Command]:
    return [CommandGroup(name) for name in COMMANDS]
