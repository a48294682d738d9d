"""Assumed true shares for a simulation, parsed from names and numbers."""

import math
from collections.abc import Mapping
from statistics import NormalDist, StatisticsError
from typing import Any

from survey.core.errors import DataFileError
from survey.core.number_grid import Grid
from survey.core.translate import translate, translate_number
from survey.definition.choices import DECLINED
from survey.definition.questions import Question
from survey.estimation.types import ESTIMATION


def hint(question: Question) -> str:
    if question.grid is not None:
        return translate('{"mean": ..., "sd": ...}, or the share of each value')
    names = ", ".join(choice.name for choice in question.offered)
    return translate("the share of each choice: %(names)s", names=names)


def parse_share(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DataFileError("The share of %(name)s must be a number from 0 to 1.", name=repr(name))
    return float(value)


def no_choice(question: Question, name: str) -> DataFileError:
    return DataFileError(
        "%(question)s has no choice %(choice)s.", question=repr(question.name), choice=repr(name)
    )


def choice_truth(question: Question, shares: Mapping[str, Any]) -> list[float]:
    names = [choice.name for choice in question.offered]
    for name in shares:
        if name not in names:
            raise no_choice(question, name)
    stated_shares = [
        None if name not in shares else parse_share(shares[name], name) for name in names
    ]
    if not ESTIMATION[question].shares_add_up:
        return [value or 0.0 for value in stated_shares]
    if DECLINED in names:
        stated_shares[-1] = stated_shares[-1] or 0.0
    rest = 1 - sum(value for value in stated_shares if value is not None)
    if stated_shares.count(None) > 1 and rest >= -1e-9:
        missing = ", ".join(
            repr(name) for name, value in zip(names, stated_shares, strict=True) if value is None
        )
        raise DataFileError(
            "The shares of %(missing)s of %(question)s are missing. State the share of every "
            "choice, 0 included. You can leave out one choice: it then has the rest.",
            missing=missing,
            question=repr(question.name),
        )
    if (abs(rest) > 1e-9 and None not in stated_shares) or rest < -1e-9:
        raise DataFileError(
            "The shares of %(question)s add up to %(total)s. Make them add up to 1, and leave "
            "out at most one choice.",
            question=repr(question.name),
            total=translate_number(f"{1 - rest:g}"),
        )
    return [max(0.0, rest) if value is None else value for value in stated_shares]


def number_truth(question: Question, grid: Grid, shares: Mapping[str, Any]) -> list[float]:
    declines = question.offers_to_decline
    declined = parse_share(shares.get(DECLINED, 0), DECLINED)
    if declined and not declines:
        raise no_choice(question, DECLINED)
    rest = {name: value for name, value in shares.items() if name != DECLINED}
    values = [0.0] * grid.size
    if set(rest) == {"mean", "sd"}:
        try:
            law = NormalDist(float(rest["mean"]), float(rest["sd"]))
            steps = [float(grid.value(place)) for place in range(grid.size)]
            values = [law.pdf(step) for step in steps]
            # Python's JSON parser accepts NaN.
            if not math.isfinite(sum(values)):
                raise ValueError
        except (ArithmeticError, StatisticsError, TypeError, ValueError) as error:
            raise DataFileError(
                "%(question)s: mean and sd must be numbers, with sd > 0.",
                question=repr(question.name),
            ) from error
        if not sum(values):
            raise DataFileError(
                "%(question)s: this mean is too far outside the range.",
                question=repr(question.name),
            )
    else:
        for name, value in rest.items():
            try:
                values[grid.index(name)] = parse_share(value, name)
            except ValueError as error:
                raise DataFileError(
                    "%(question)s has no value %(value)s.",
                    question=repr(question.name),
                    value=repr(name),
                ) from error
        if abs(sum(values) + declined - 1) > 1e-9:
            raise DataFileError(
                "The shares of %(question)s add up to %(total)s, not 1.",
                question=repr(question.name),
                total=translate_number(f"{sum(values) + declined:g}"),
            )
    scale = (1 - declined) / sum(values) if sum(values) else 0.0
    return [value * scale for value in values] + ([declined] if declines else [])
