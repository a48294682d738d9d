"""Mechanisms: named recipes that make a randomizer. Adding one is adding one function.

`build_randomizer` is the door; the functions stand in the modules beside, by what they tell:
shares, boxes, numbers, and the designs of the survey literature. Importing these registers them.
"""

from survey.core.mechanisms import boxes, classic_designs, numbers, shares
from survey.core.mechanisms.registry import (
    BOXES,
    CHOICES,
    MECHANISMS,
    NUMBERS,
    ORDERED,
    LocalRandomizer,
    mechanism,
    odds_not_above,
)
from survey.core.mechanisms.select import build_randomizer, work_of

__all__ = [
    "BOXES",
    "CHOICES",
    "MECHANISMS",
    "NUMBERS",
    "ORDERED",
    "LocalRandomizer",
    "boxes",
    "build_randomizer",
    "classic_designs",
    "mechanism",
    "numbers",
    "odds_not_above",
    "shares",
    "work_of",
]
