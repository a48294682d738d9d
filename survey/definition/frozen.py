"""Frozen surveys: a definition, its tables, and a fingerprint of both, which no longer change.

Freezing fixes what respondents are promised. The frozen document holds the definition and every
table. Its fingerprint is the SHA-256 of the canonical JSON of both. Candor always reads a frozen
survey from its stored tables and never computes them from parameters. A later version of a
mechanism therefore cannot change an earlier promise.

The document also states the privacy limits at the time of freezing
(survey/definition/privacy_limits.py), and the fingerprint covers them. Previews, and the true
answers of simulated respondents, have no limits.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DefinitionError, TotalTooLarge, UnconfirmedProtection, ZeroEntry
from survey.core.factored_randomizers import FactoredRandomizer
from survey.core.languages import Words
from survey.core.mechanisms import LocalRandomizer
from survey.core.translate import page_language, translate
from survey.definition.certainty import (
    HARDLY_PROTECTED,
    Certainty,
    certainty_of_one,
    sentence_on_guesses,
)
from survey.definition.choices import names_of
from survey.definition.imitation import misleading_texts
from survey.definition.known_tables import read_randomizer
from survey.definition.opening.conditional_texts import texts_with_addresses
from survey.definition.opening.series_arms import series_arms_fault
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, require_within
from survey.definition.questions import Question
from survey.definition.survey import (
    Survey,
    canonical_json,
    parse_survey,
    require_texts_for_all,
)


@dataclass(frozen=True)
class FrozenSurvey:
    """A survey whose tables are fixed. `/s/<slug>.json` serves its `document`."""

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
        """The frozen survey from the output of `to_json`, with exactly the tables in it.

        Raises DefinitionError if the fingerprint does not match the content.
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
    """A private question's randomizer in the form of the page and the codebook.

    A table has `rows`, with names in `answers` and `reports`. A factored randomizer has its `kind`
    and numbers. A number's table also has `width`: the answer's steps between neighbouring levels.
    """
    entry: dict[str, Any] = {"answers": names_of(question.answers)}
    if isinstance(randomizer, FactoredRandomizer):
        entry = randomizer.as_json() | entry
    else:
        entry |= {"reports": names_of(question.reports), "rows": randomizer.rows}
        if question.grid is not None:
            entry["width"] = question.grid.width(randomizer.answers - len(question.special_answers))
    return entry | {"sha256": randomizer.sha256, "epsilon": finite_or_none(randomizer.epsilon)}


def finite_or_none(number: float) -> float | None:
    """The number, or None for infinity, which JSON does not have."""
    return number if math.isfinite(number) else None


def fingerprint_of(survey: Survey, limits: PrivacyLimits | None = None) -> str:
    """The fingerprint of a survey: a SHA-256 in hexadecimal.

    It is computed over the canonical JSON of [definition, {question: rows or factored randomizer}].
    If the document states limits, they are the third member.
    """
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
    survey: Survey,
    limits: PrivacyLimits | None = DEFAULT_LIMITS,
    *,
    to_open: bool = True,
    confirmed: bool = False,
) -> FrozenSurvey:
    """Freeze a survey: fix its tables.

    Parameters
    ----------
    limits : the limits of this server, which the document states; None for what no respondent
        answers. With limits, the page of a preview would refuse to show a draft above them.
    to_open : False for surveys without respondents: a preview, or data collected elsewhere. Candor
        can analyse such data even if the design has no finite epsilon or is above the limits.
    confirmed : whether someone has confirmed what respondents read, if the report to a question
        nearly reveals its answer

    Raises ZeroEntry, AboveLimit and DefinitionError, as `require_openable` does. Raises
    UnconfirmedProtection if the confirmation is necessary and missing.
    """
    if to_open:
        require_openable(survey, limits or DEFAULT_LIMITS)
        if needs_confirmation(survey) and not confirmed:
            raise UnconfirmedProtection(
                "Respondents would read: “%(heading)s. %(sentence)s” Choose stronger "
                "protection, or confirm that the survey may open like this.",
                heading=translate(HARDLY_PROTECTED),
                sentence=sentence_on_guesses(survey, Words(page_language.get())),
            )
    return FrozenSurvey(survey, fingerprint_of(survey, limits), limits)


def needs_confirmation(survey: Survey) -> bool:
    """Whether the report to a question nearly reveals its answer: certainty above 95 %."""
    return certainty_of_one(survey) == Certainty.NEARLY_SURE


def require_openable(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
    """Require that a survey can open: finite epsilon, within the limits, with all texts.

    Its free texts must be stored apart from private answers, and be asked of everyone.

    Raises ZeroEntry with the question's name if an epsilon is infinite, and TotalTooLarge if
    browsers cannot draw reports from a table. Raises AboveLimit if the
    survey reveals more than the limits allow. Raises DefinitionError in six cases. A text is
    missing in a language or could mislead. An address in a text would reveal an answer.
    Experimental arms would join waves. Free texts would lie next to private answers, or would not
    be asked of everyone. The number of reports would differ between respondents.
    """
    for language, paths in survey.untranslated.items():
        place = ".".join(("translations", language, *paths[0]))
        more = len(paths) - 1
        fault = (
            translate("is not translated yet, and %(n)s more.", n=more)
            if more
            else translate("is not translated yet.")
        )
        raise DefinitionError(place, fault)
    if survey.texts_apart is False:
        raise DefinitionError(
            "texts_apart",
            "is false. A text can show who wrote it, so it must not lie next to private "
            "answers. Remove this setting.",
        )
    if survey.budget.at_most:
        raise DefinitionError(
            "budget.per_respondent",
            "is for responses from files, which report on different numbers of private "
            "questions. Remove this setting.",
        )
    require_texts_for_all(survey)
    for written, fault in (*misleading_texts(survey), *texts_with_addresses(survey)):
        raise DefinitionError(written.place, fault)
    if (arms_fault := series_arms_fault(survey)) is not None:
        raise DefinitionError("series", arms_fault)
    for question in survey.private:
        if question.table is not None:
            try:
                question.table.require_drawable()
                question.table.require_finite()
            except (TotalTooLarge, ZeroEntry) as error:
                sentence = translate(
                    "Question '%(name)s': %(error)s", name=question.name, error=error
                )
                raise type(error)(sentence) from error
    require_within(survey, limits)
