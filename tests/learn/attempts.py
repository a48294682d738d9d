"""The attempts of an attack with four draws, for several test modules."""

from survey.learn.attacks.attempt import Attempt
from survey.learn.attacks.registry import run_attack

DRAWS = (1, 2, 3, 4)


def tried(name: str, epsilon: float, people: int = 240, error: int = 2) -> list[Attempt]:
    return [run_attack(name, people, epsilon, error, draw) for draw in DRAWS]
