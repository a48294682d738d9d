"""The people whom the results of a survey describe, as its definition states them.

By default they are people like the respondents, an unlimited population from which each respondent
is drawn independently. A survey can instead be about a population of known size, from which the
respondents are a random sample, or about the respondents themselves. Sampling error is then
smaller, or absent, and only the randomisation is uncertain.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.translate import translate

SIMILAR = "people_like_respondents"
RESPONDENTS = "respondents"
FINITE = "population"
MAX_POPULATION = 10_000_000


@dataclass(frozen=True)
class TargetPopulation:
    """The people whom estimates describe.

    Attributes
    ----------
    kind : SIMILAR, RESPONDENTS, or FINITE
    size : the number of these people; None if there is no limit
    stated : the size in the definition if there are more responses than that. The kind is then
        SIMILAR, because the stated size cannot be right.
    """

    kind: str = SIMILAR
    size: int | None = None
    stated: int | None = None

    @property
    def explanation(self) -> str:
        """The sentences on a stated size that cannot be right; empty if it can."""
        if self.stated is None:
            return ""
        return translate(
            "There are more responses than the %(size)s people in the population that the survey "
            "states. Some people answered more than once, or this size is wrong. Therefore the "
            "results are about people like the respondents.",
            size=self.stated,
        )

    @property
    def results_about(self) -> str:
        """The value of `results_about` in a definition, as text."""
        return str(self.size) if self.kind == FINITE else self.kind

    def group(self, share: float, n: int) -> "TargetPopulation":
        """The part of a population that is a group with this share of it and n responses.

        Known shares are those of a larger population than the respondents. So a group of the
        respondents is a sample of similar people. A group with more responses than people is too.
        """
        if self.kind != FINITE or self.size is None or n > round(share * self.size):
            return TargetPopulation()
        return TargetPopulation(FINITE, round(share * self.size))


EVERYONE_SIMILAR = TargetPopulation()


def target_population(results_about: str | int, responses: int) -> TargetPopulation:
    """The target population of a survey with this number of responses.

    Parameters
    ----------
    results_about : SIMILAR, RESPONDENTS, or the size of a population
    responses : int, at least 0
    """
    if results_about == RESPONDENTS:
        return TargetPopulation(RESPONDENTS, max(1, responses))
    if isinstance(results_about, int):
        if responses > results_about:
            return TargetPopulation(SIMILAR, None, results_about)
        return TargetPopulation(FINITE, results_about)
    return EVERYONE_SIMILAR


def parse_results_about(definition: Mapping[str, Any]) -> str | int:
    """The member `results_about` of a definition. Raises DefinitionError."""
    about = definition.get("results_about", SIMILAR)
    if about in (SIMILAR, RESPONDENTS) and isinstance(about, str):
        return str(about)
    if type(about) is not int or not 1 <= about <= MAX_POPULATION:
        raise DefinitionError(
            "results_about",
            "must be %(similar)s, %(respondents)s, or a whole number of people from 1 to %(most)s.",
            "range",
            similar=SIMILAR,
            respondents=RESPONDENTS,
            most=MAX_POPULATION,
        )
    return about
