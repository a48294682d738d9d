"""Open surveys of any size, filled through the same functions as responses from the front.

The store records them group by group, keeps the counts, and lets the last few wait. Ids arrive in
ascending order, like the rows of a compacted database, so that each row is written behind the one
before it.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.privacy_limits import PrivacyLimits
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey, parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import Truth, simulate_reports
from survey.store import Store

AT_ONCE = 10_000  # More responses have too many values for one statement of SQLite.
DISTINCT = 100  # simulated groups; later groups repeat them under new ids
SEED = 1


def responses(survey: Survey, truth: Truth, n: int) -> Iterator[list[Response]]:
    """Simulated responses in the order of their ids, which are spread evenly."""
    generator = np.random.default_rng(SEED)
    known: list[list[tuple[Any, ...]]] = []
    for number, start in enumerate(range(0, n, AT_ONCE)):
        if len(known) < DISTINCT:
            columns = simulate_reports(survey, truth, AT_ONCE, generator)
            known.append(list(zip(*columns, strict=True)))
        many = min(AT_ONCE, n - start)
        first = np.sort(generator.uniform(start / n, (start + many) / n, many)) * 2.0**64
        beginnings, ends = first.astype(">u8").tobytes(), generator.bytes(8 * many)
        yield [
            Response(beginnings[8 * k : 8 * k + 8] + ends[8 * k : 8 * k + 8], reports)
            for k, reports in enumerate(known[number % DISTINCT][:many])
        ]


def fill(
    store: Store, definition: Mapping[str, Any], shares: Mapping[str, Any], n: int
) -> FrozenSurvey:
    """An open survey with the responses of n people."""
    survey = parse_survey(definition)
    # Ten questions of all kinds slightly exceed the usual limit.
    frozen = freeze(survey, PrivacyLimits(epsilon=Fraction(20)))
    store.surveys.save_draft(survey)
    store.surveys.freeze(frozen, "open")
    for group in responses(survey, read_truth(shares, survey), n):
        store.responses.add_all([(survey.slug, response) for response in group])
    if store.counts.number_of_responses(survey.slug) != n:
        raise RuntimeError(
            f"{survey.slug} has {store.counts.number_of_responses(survey.slug):,} responses."
        )
    return frozen
