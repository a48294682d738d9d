"""A survey whose promises are fixed: its definition, its tables, and a fingerprint of both.

Freezing fixes what respondents are promised. The frozen document holds the definition and every
table; its fingerprint is the SHA-256 of the canonical JSON of both. A frozen survey is always
read back from its stored tables, never recomputed from parameters, so a later version of a
mechanism cannot change a promise that was already made.

The document also states the limits that held when it was frozen
(survey/definition/privacy_limits.py), and the fingerprint covers them. One that was frozen before
there were limits states none; it keeps its bytes and its fingerprint.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DefinitionError, ZeroEntry
from survey.core.factored_randomizers import FactoredRandomizer
from survey.core.mechanisms import LocalRandomizer
from survey.definition.choices import names_of
from survey.definition.imitation import misleading_texts
from survey.definition.known_tables import read_randomizer
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, require_within
from survey.definition.questions import Question
from survey.definition.survey import Survey, canonical_json, parse_survey


@dataclass(frozen=True)
class FrozenSurvey:
    """A survey whose tables are fixed; `document` is what `/s/<slug>.json` serves."""

    survey: Survey
    fingerprint: str
    limits: PrivacyLimits | None = None

    def document(self) -> dict[str, Any]:
        stated = {} if self.limits is None else {"limits": self.limits.as_json()}
        return stated | {
            "definition": self.survey.as_definition(),
            "tables": {
                question.name: table_entry(question, randomizer)
                for question in self.survey.private
                if (randomizer := question.randomizer) is not None
            },
            "epsilon": finite_or_none(self.survey.epsilon),
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        return canonical_json(self.document())

    @classmethod
    def from_json(cls, document: str) -> "FrozenSurvey":
        """The frozen survey from `to_json`, with the very tables that it holds.

        Raises DefinitionError if the fingerprint does not fit the content.
        """
        content = json.loads(document)
        stored = {
            name: read_randomizer(entry | {"answers": len(entry["answers"])})
            for name, entry in content["tables"].items()
        }
        survey = parse_survey(content["definition"], stored)
        limits = PrivacyLimits.from_json(content.get("limits"))
        if fingerprint_of(survey, limits) != content["fingerprint"]:
            raise DefinitionError("fingerprint", "does not fit the definition and tables.")
        return cls(survey, content["fingerprint"], limits)


def table_entry(question: Question, randomizer: LocalRandomizer) -> dict[str, Any]:
    """A private question's randomizer as the page and the codebook carry it.

    A table has `rows`, named by `answers` and `reports`; a factored one its `kind` and numbers.
    A number's table has `width` too: the answer's steps from one of its points to the next.
    """
    entry: dict[str, Any] = {"answers": names_of(question.answers)}
    if isinstance(randomizer, FactoredRandomizer):
        entry = randomizer.as_json() | entry
    else:
        entry |= {"reports": names_of(question.reports), "rows": randomizer.rows}
        if question.grid is not None:
            entry["width"] = question.grid.width(randomizer.answers - len(question.extras))
    return entry | {"sha256": randomizer.sha256, "epsilon": finite_or_none(randomizer.epsilon)}


def finite_or_none(number: float) -> float | None:
    """JSON has no infinity: None says that there is no finite value."""
    return number if math.isfinite(number) else None


def fingerprint_of(survey: Survey, limits: PrivacyLimits | None = None) -> str:
    """SHA-256 of the canonical JSON of [definition, {question: rows or factored randomizer}], with
    the limits as a third member where the document states some."""
    randomizers = {
        question.name: randomizer.as_json()
        if isinstance(randomizer, FactoredRandomizer)
        else randomizer.rows
        for question in survey.private
        if (randomizer := question.randomizer) is not None
    }
    stated = [] if limits is None else [limits.as_json()]
    content = canonical_json([survey.as_definition(), randomizers, *stated])
    return hashlib.sha256(content.encode()).hexdigest()


def freeze(
    survey: Survey, limits: PrivacyLimits | None = DEFAULT_LIMITS, *, to_open: bool = True
) -> FrozenSurvey:
    """Fix the survey's tables.

    Parameters
    ----------
    limits : those of this server, which the document states; None for a preview, whose page would
        otherwise refuse to show a draft that is above them
    to_open : False for what no respondent meets: a preview, or data collected elsewhere, which
        may be analysed though its design has no finite epsilon or is above the limits

    Raises ZeroEntry, AboveLimit and DefinitionError, as `require_openable` does.
    """
    if to_open:
        require_openable(survey, limits or DEFAULT_LIMITS)
    return FrozenSurvey(survey, fingerprint_of(survey, limits), limits)


def require_openable(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
    """Raises ZeroEntry, naming the question, unless every epsilon is finite; AboveLimit where the
    survey would reveal more than the limits allow; DefinitionError unless every text is there in
    every language and can be read as it stands."""
    for language, paths in survey.untranslated.items():
        place = ".".join(("translations", language, *paths[0]))
        more = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
        raise DefinitionError(place, f"is not translated yet{more}.")
    for written, fault in misleading_texts(survey):
        raise DefinitionError(written.place, fault)
    for question in survey.private:
        if question.table is not None:
            try:
                question.table.require_finite()
            except ZeroEntry as error:
                raise ZeroEntry(f"Question {question.name!r}: {error}") from error
    require_within(survey, limits)
