"""Mechanisms: named recipes that make a randomizer. Adding one is adding one function.

`build_randomizer` is the door; the functions stand in the modules beside, by what they tell:
shares, boxes, numbers, and the designs of the survey literature. Importing these registers them.
"""

from . import boxes, literature, numbers, shares
from .best import build_randomizer, work_of
from .registry import (
    BOXES,
    CHOICES,
    MECHANISMS,
    NUMBERS,
    ORDERED,
    LocalRandomizer,
    mechanism,
    odds_not_above,
)

__all__ = [
    "BOXES",
    "CHOICES",
    "MECHANISMS",
    "NUMBERS",
    "ORDERED",
    "LocalRandomizer",
    "boxes",
    "build_randomizer",
    "literature",
    "mechanism",
    "numbers",
    "odds_not_above",
    "shares",
    "work_of",
]
