"""The command `attack`, which prints what a textbook attack finds."""

import click

from survey.cli.command_errors import command


@command
@click.argument("name", required=False)
@click.option(
    "--people",
    type=click.Choice(["60", "120", "240"]),
    default="120",
    show_default=True,
    help="Number of made-up people.",
)
@click.option(
    "--epsilon",
    type=click.FloatRange(0.1, 4),
    default=1.1,
    show_default=True,
    help="Privacy loss ε of a report, or of a central DP release.",
)
@click.option(
    "--error",
    type=click.IntRange(0, 4),
    default=2,
    show_default=True,
    help="Largest error of a raw count, for the two attacks of Dinur and Nissim.",
)
@click.option(
    "--draw",
    type=click.IntRange(1, 1_000_000),
    default=1,
    show_default=True,
    help="Seed of the random numbers. The same seed always gives the same results.",
)
def attack(name: str | None, people: str, epsilon: float, error: int, draw: int) -> None:
    """Attack the raw answers of made-up people, and then answers that Candor protects.

    NAME is the attack, such as linkage. Without it, the command lists the attacks. For the raw and
    for the protected answers, the command prints how many guesses are right. For the protected
    answers, it also prints the bound that no attack exceeds on average.

    The page /learn/break-it shows the same results.
    """
    # Only this command needs the lessons.
    from survey.cli.attack.report import attack_report, list_attacks

    lines = attack_report(name, int(people), epsilon, error, draw) if name else list_attacks()
    click.echo("\n".join(lines))
