"""The groups of commands, and the module of each command.

A module is imported only when one of its commands runs, or when a group lists its commands with
their help. So `survey list` loads no analysis.
"""

from importlib import import_module

import click

ANALYSE = "analyse"
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
        "export-bundle": "export_bundle:export_bundle",
        "import-randomised": "import_randomised:import_randomised",
        "load": "responses:load",
        "simulate": "responses:simulate",
    },
    # Besides one for each analysis.
    "analyse": {"estimate": "estimate:estimate", "two-designs": "two_designs:two_designs_command"},
    "central-dp": {
        "budget": "central_dp:budget",
        "draw": "central_dp:draw",
        "list": "central_dp:list_releases",
    },
    "database": {
        "backup": "database:backup",
        "check": "database:check",
        "compact": "database:compact",
        "copy": "database:copy_database",
        "restore": "database:restore",
        "rotate-key": "database:rotate_key",
    },
    "account": {
        "create": "account:create",
        "list": "account:list_accounts",
        "remove": "account:remove",
        "reset": "account:reset",
        "role": "account:change_role",
    },
    "token": {
        "create": "token:create_token",
        "list": "token:list_tokens",
        "revoke": "token:revoke",
    },
}
HELP = {
    "survey": "Import, export, list and plan surveys, and create invitations.",
    "responses": "Load, simulate and export responses.",
    "analyse": "Estimate shares and means, cross-tabulate, compare and regress.\n\n"
    "The commands use the published responses, and accept private and non-private questions. Name "
    "a question as its definition does, a box as QUESTION/BOX, such as tried/lsd, and an answer as "
    "QUESTION:ANSWER, such as smokes:yes.",
    "central-dp": "Publish statistics of non-private questions, with random noise.",
    "database": "Back up, restore, check, copy and compact the database.",
    "account": "Create, list, change and remove accounts of researchers.",
    "token": "Create, list and revoke API tokens.",
}


def load_command(spelling: str) -> click.Command:
    """The command with a spelling such as `survey list`. Imports its module."""
    group, name = spelling.split()
    if group == ANALYSE and name not in COMMANDS[group]:
        kinds = import_module("survey.web.analyses.kinds").ANALYSES
        made: click.Command = import_module(f"{__package__}.analyse").analysis_command(kinds[name])
        return made
    module, function = COMMANDS[group][name].split(":")
    command: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
    return command


def command_names(group: str) -> list[str]:
    """The names of a group's commands: those of COMMANDS, and one for each analysis."""
    names = [*COMMANDS[group]]
    if group == ANALYSE:
        names += import_module("survey.web.analyses.kinds").ANALYSES
    return sorted(names)


class CommandGroup(click.Group):
    """A group with the commands of COMMANDS, and those of the analyses."""

    def __init__(self, name: str):
        super().__init__(name, help=HELP[name])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names(self.name or "")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = cmd_name in command_names(self.name or "")
        return load_command(f"{self.name} {cmd_name}") if known else None


def command_groups() -> list[click.Command]:
    return [CommandGroup(name) for name in COMMANDS]
