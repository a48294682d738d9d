"""What the command `attack` prints: how often the guesses of an attack are right."""

from survey.core.errors import StateError
from survey.core.translate import translate_constant
from survey.estimation.number_text import percent
from survey.learn.attacks.attempt import Attempt, Step
from survey.learn.attacks.registry import ATTACKS, BY_NAME, Attack, run_attack
from survey.learn.lessons.break_it import chance_points, further_number, small_share


def list_attacks() -> list[str]:
    """A line for each attack."""
    width = max(len(attack.name) for attack in ATTACKS)
    return [f"{attack.name:{width}}  {translate_constant(attack.title)}" for attack in ATTACKS]


def attack_report(name: str, people: int, epsilon: float, error: int, draw: int) -> list[str]:
    """The lines of the report: what happens, how often guesses are right, and the bound.

    Raises StateError for an unknown name.
    """
    if name not in BY_NAME:
        names = ", ".join(BY_NAME)
        raise StateError(f"There is no attack {name!r}. Choose one of: {names}.")
    attack = BY_NAME[name]
    found = run_attack(name, people, epsilon, error, draw)
    return [
        translate_constant(attack.title),
        "",
        f"Guess:      {translate_constant(attack.guess)}",
        f"Raw table:  {translate_constant(attack.raw)}",
        f"Candor:     {translate_constant(attack.candor)}",
        f"Best:       {translate_constant(attack.best)}",
        f"Bound:      {translate_constant(attack.reason)}",
        "",
        *right_lines(attack, found),
        "",
        f"{translate_constant(attack.axis)}:",
        *map(step_line, found.steps),
        *(
            f"raw, {size} people: {', '.join(percent(share) for share in shares)}"
            for size, shares in found.sizes
        ),
    ]


def right_lines(attack: Attack, found: Attempt) -> list[str]:
    lines = [
        f"Right with the raw table: {found.raw} of {found.targets} "
        f"({percent(found.raw / found.targets)})",
        f"Right with Candor: {found.candor} of {found.targets} "
        f"({percent(found.candor / found.targets)})",
        f"Right with Candor, best known attack: {found.best} of {found.targets} "
        f"({percent(found.best / found.targets)})",
        f"Bound on average: {small_share(found.bound)} "
        f"(three standard errors: {chance_points(found)} points)",
    ]
    return lines + [
        f"{translate_constant(label)}: {further_number(found.more[key])}"
        for key, label in attack.labels.items()
    ]


def step_line(step: Step) -> str:
    candor = "–" if step.candor is None else percent(step.candor)
    return (
        f"{step.x:8g}  raw {percent(step.raw):>7}  Candor {candor:>7}  "
        f"bound {small_share(min(1.0, step.bound))}"
    )
