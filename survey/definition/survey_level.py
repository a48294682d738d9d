"""One level of protection for all private questions of a survey.

A level limits the likelihood ratio that the reports of one respondent can give between two answers
to one question, and between any two sets of all answers. `survey/planning/survey_protection.py`
finds the tables that keep it with the fewest respondents. A definition that states a level keeps
it, or the parser refuses the definition.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.translate import later
from survey.definition.choices import known_keys

# The names of one question, or of two for the cells of their cross-tabulation.
Figure = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SurveyLevel:
    """The largest likelihood ratios about one answer, and about all answers together."""

    about_one: Fraction
    about_all: Fraction

    def allows(self, about_one: Fraction | None, about_all: Fraction | None) -> bool:
        """Whether bounds of a survey, which are None if there are none, are within the level."""
        if about_one is None or about_all is None:
            return False
        return about_one <= self.about_one and about_all <= self.about_all


# Certainties of at most 80 %, 90 % and 95 % are likelihood ratios of at most 4, 9 and 19.
SURVEY_LEVELS = {
    "strong": SurveyLevel(about_one=Fraction(4), about_all=Fraction(4)),
    "protected": SurveyLevel(about_one=Fraction(4), about_all=Fraction(9)),
    "light": SurveyLevel(about_one=Fraction(4), about_all=Fraction(19)),
}
LEVEL_NAMES = {"strong": later("Strong"), "protected": later("Protected"), "light": later("Light")}
USUAL_LEVEL = "protected"

PROTECTION_FIELDS = {
    "level": "`strong`, `protected` or `light`. Someone who sees all reports of a respondent, and "
    "considered two answers equally likely before, is at most 80 % sure of one answer. Of all "
    "answers together, this person is at most 80, 90 or 95 % sure. Candor refuses a definition "
    "whose private questions reveal more.",
    "main": "List of the main figures, for which Candor chose the protection. Each is a list with "
    "the name of one question, or of two for their cross-tabulation, such as "
    '`[["smokes"], ["smokes", "drinks"]]`. Default: all private questions.',
    "kept": "List of the names of private questions whose protection a researcher chose by hand. "
    "Optional.",
}
NOT_PRIVATE = later("names %(name)s, which is not a private question.")
REVEALS_MORE = later(
    "The private questions reveal more than this level allows. Choose another level, or stronger "
    "protection for the questions that have their own."
)


@dataclass(frozen=True, kw_only=True)
class SurveyProtection:
    """The level of a survey, and what Candor considers when it divides it among the questions.

    Attributes
    ----------
    level : a key of SURVEY_LEVELS
    main : the main figures; empty for the shares and means of all private questions
    kept : the names of the private questions that keep their protection
    """

    level: str
    main: tuple[Figure, ...] = ()
    kept: tuple[str, ...] = ()

    def as_definition(self) -> dict[str, Any]:
        """The object in the form of a definition. Empty lists are left out."""
        lists = {"main": [[*each] for each in self.main], "kept": [*self.kept]}
        return {"level": self.level} | {name: each for name, each in lists.items() if each}


def parse_protection(value: Any, private: Collection[str]) -> SurveyProtection | None:
    """The level that a definition states, or None. Raises DefinitionError.

    Parameters
    ----------
    private : the names of the private questions
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise DefinitionError("protection", 'must be an object such as {"level": "protected"}.')
    known_keys(value, PROTECTION_FIELDS, "protection")
    if value.get("level") not in SURVEY_LEVELS:
        levels = ", ".join(SURVEY_LEVELS)
        raise DefinitionError("protection.level", "must be one of %(levels)s.", levels=levels)
    kept = parse_names(value.get("kept", []), "protection.kept", private)
    figures = value.get("main", [])
    if not isinstance(figures, list):
        raise DefinitionError("protection.main", "must be a list of lists of names.")
    main = [parse_names(each, "protection.main", private) for each in figures]
    if not all(1 <= len(each) <= 2 for each in main):
        raise DefinitionError("protection.main", "must have one or two names in each list.")
    return SurveyProtection(level=value["level"], main=tuple(main), kept=kept)


def parse_names(value: Any, place: str, private: Collection[str]) -> tuple[str, ...]:
    """The names of different private questions in a list. Raises DefinitionError."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise DefinitionError(place, "must be a list of names.")
    for name in value:
        if name not in private:
            raise DefinitionError(place, NOT_PRIVATE, name=repr(name))
    if len(set(value)) < len(value):
        raise DefinitionError(place, "names a question twice.")
    return tuple(value)
