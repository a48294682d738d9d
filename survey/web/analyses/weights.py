"""The parameters of the results page: weights, and an assumed share of fake responses.

They are in the query of the URL, so that the page can be bookmarked. Nothing is stored. The files
of estimates take the same weights.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from babel.numbers import get_decimal_symbol

from survey.core.errors import UnanswerableQuestion
from survey.core.exact_numbers import typed_decimal
from survey.core.translate import page_language, translate
from survey.definition.questions import Question
from survey.estimation.manipulation import USUAL_FRACTION
from survey.estimation.poststratification import (
    Stratum,
    groups_of,
    weighing_questions,
    weighted_results,
)
from survey.estimation.results import Results
from survey.web.extensions import store

# Above this share, nothing can be concluded about the honest responses.
MAX_FAKE_SHARE = 0.5
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")
# In a language with a decimal comma, 1.200 may mean 1,200.
MAYBE_GROUPED = re.compile(r"\d{1,3}(\.\d{3})+")


@dataclass(kw_only=True)
class WeightingRequest:
    """The parameters, and their errors.

    Attributes
    ----------
    by : the non-private question to weight by, or None
    typed : the totals as typed, by choice
    groups : empty if the results stay unweighted
    fraction : the assumed share of fake responses, as typed in `fake`
    faults : a sentence for the name of a choice, for "fake", or for "" as a whole
    """

    questions: tuple[Question, ...]
    by: Question | None = None
    typed: dict[str, str] = field(default_factory=dict)
    groups: tuple[Stratum, ...] = ()
    fake: str = f"{100 * USUAL_FRACTION:g}"
    fraction: float = USUAL_FRACTION
    faults: dict[str, str] = field(default_factory=dict)


def read_weighting(query: Mapping[str, str], results: Results) -> WeightingRequest:
    """Read the parameters from the query of a results page."""
    survey = results.frozen.survey
    asked = WeightingRequest(questions=weighing_questions(survey))
    read_fraction(query, asked)
    asked.by = next((q for q in asked.questions if q.name == query.get("by")), None)
    if asked.by is None:
        return asked
    names = [choice.name for choice in asked.by.choices]
    asked.typed = {
        name: query[f"total-{name}"].strip()[:30] for name in names if f"total-{name}" in query
    }
    if not asked.typed:
        # The question is chosen, but no totals are typed yet.
        return asked
    totals = {name: read_total(asked.typed.get(name, ""), name, asked.faults) for name in names}
    if not asked.faults and sum(totals.values()) <= 0:
        asked.faults[""] = translate("Type at least one total above 0.")
    if not asked.faults:
        counts = store().counts.by_group(survey.slug, asked.by)
        try:
            asked.groups = groups_of(asked.by, totals, counts)
        except UnanswerableQuestion as error:
            asked.faults[""] = str(error)
    return asked


def weighted_if_requested(query: Mapping[str, str], results: Results) -> Results:
    """The results for a file, with the weights that the query has.

    Raises UnanswerableQuestion if the weights are wrong, so that no file has unweighted estimates
    instead.
    """
    if not query.get("by"):
        return results
    weighing = read_weighting({name: query[name] for name in query if name != "fake"}, results)
    if weighing.by is None:
        raise UnanswerableQuestion(
            "The results cannot be weighted by “%(question)s”. Choose a non-private question "
            "with one answer out of a few.",
            question=query["by"],
        )
    for name, fault in weighing.faults.items():
        raise UnanswerableQuestion(f"total-{name}: {fault}" if name else fault)
    if not weighing.groups:
        raise UnanswerableQuestion("Type at least one total above 0.")
    return weighted_results(results, weighing.by, weighing.groups)


def estimates_name(results: Results, kind: str) -> str:
    """The name of a file with these estimates."""
    return f"estimates.{kind}" if results.weights is None else f"weighted-estimates.{kind}"


def amount(text: str) -> float | None:
    """A number as people type it, or None. A comma separates thousands."""
    typed = text.replace(" ", "").removesuffix("%")
    has_decimal_comma = get_decimal_symbol(page_language.get()) == ","
    if ("," in typed and not GROUPED.fullmatch(typed)) or (
        has_decimal_comma and MAYBE_GROUPED.fullmatch(typed)
    ):
        return None
    try:
        return float(typed_decimal(typed.replace(",", "")))
    except ValueError:
        return None


def read_total(text: str, name: str, faults: dict[str, str]) -> float:
    number = amount(text)
    if number is None or not 0 <= number <= 1e12:
        faults[name] = translate("Type a number, 0 or more, such as 1200 or 34.5.")
        return 0.0
    return number


def read_fraction(query: Mapping[str, str], asked: WeightingRequest) -> None:
    if "fake" not in query:
        return
    asked.fake = query["fake"].strip()[:10]
    percent = amount(asked.fake)
    if percent is None or not 0 <= percent / 100 <= MAX_FAKE_SHARE:
        asked.faults["fake"] = translate(
            "Type a number from %(low)s to %(high)s.", low="0", high=f"{100 * MAX_FAKE_SHARE:g}"
        )
    else:
        asked.fraction = percent / 100
