"""Mechanisms: named recipes that make a randomizer. A new mechanism is one new function.

The functions are in `randomized_response`, `boxes`, `numbers` and `classic_designs`. Importing
these modules registers them. This package may import `core`. Start reading in `select`, which
chooses a mechanism and builds every randomizer, then in `registry`.
"""

from survey.core.mechanisms import boxes, classic_designs, numbers, randomized_response
from survey.core.mechanisms.registry import (
    BOXES,
    CHOICES,
    JOINT,
    MECHANISMS,
    NUMBERS,
    ORDERED,
    LocalRandomizer,
    mechanism,
    ratio_bound_not_above,
)
from survey.core.mechanisms.select import build_randomizer, work_of

__all__ = [
    "BOXES",
    "CHOICES",
    "JOINT",
    "MECHANISMS",
    "NUMBERS",
    "ORDERED",
    "LocalRandomizer",
    "boxes",
    "build_randomizer",
    "classic_designs",
    "mechanism",
    "numbers",
    "randomized_response",
    "ratio_bound_not_above",
    "work_of",
]
