"""A whole survey: parsed from its definition, then frozen with its tables and a fingerprint.

Freezing fixes what respondents are promised. The frozen document holds the definition and every
table; its fingerprint is the SHA-256 of the canonical JSON of both. A frozen survey is always
read back from its stored tables, never recomputed from parameters, so a later version of a
mechanism cannot change a promise that was already made.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .errors import DefinitionError, SurveyError, ZeroEntry
from .exact import exact
from .questions import YES_NO_LABELS, Question, known_keys, parse_question, text
from .randomizer import Randomizer

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
MAX_QUESTIONS = 200
MAX_INTRODUCTION = 20_000  # characters
KEYS = {"slug", "title", "language", "introduction", "budget", "questions"}


@dataclass(frozen=True)
class Survey:
    """A survey definition that has been checked.

    `budget` is the most that the losses of all private questions may add up to, or None.
    """

    slug: str
    title: str
    language: str
    introduction: str
    budget: float | None
    questions: tuple[Question, ...]

    @property
    def odds(self) -> Fraction | None:
        """Product of the private questions' odds, exactly; None if one of them is infinite."""
        product = Fraction(1)
        for question in self.questions:
            if question.randomizer is not None:
                if question.randomizer.odds is None:
                    return None
                product *= question.randomizer.odds
        return product

    @property
    def epsilon(self) -> float:
        """The loss of one respondent: the sum over all private questions (composition)."""
        if self.odds is None:
            return math.inf
        return math.log(self.odds.numerator) - math.log(self.odds.denominator)

    def as_definition(self) -> dict[str, Any]:
        """The definition in its canonical form; parsing it gives this survey again."""
        definition: dict[str, Any] = {
            "slug": self.slug,
            "title": self.title,
            "language": self.language,
            "introduction": self.introduction,
        }
        if self.budget is not None:
            definition["budget"] = {"epsilon": self.budget, "per_respondent": "all"}
        definition["questions"] = [question.as_definition() for question in self.questions]
        return definition


def parse_budget(value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise DefinitionError("budget", 'is an object such as {"epsilon": 3}.')
    known_keys(value, {"epsilon", "per_respondent"}, "budget")
    if value.get("per_respondent", "all") != "all":
        raise DefinitionError("budget.per_respondent", 'is "all": every question is reported on.')
    try:
        epsilon = float(exact(value.get("epsilon"), "epsilon"))
    except SurveyError as error:
        raise DefinitionError("budget.epsilon", str(error)) from error
    if not 0 < epsilon < math.inf:
        raise DefinitionError("budget.epsilon", "is above 0.")
    return epsilon


def parse_survey(definition: Any) -> Survey:
    """A survey from its definition (docs/definition.md).

    Raises DefinitionError; its `place` says where the fault is.
    """
    if not isinstance(definition, Mapping):
        raise DefinitionError("", "A survey definition is a JSON object.")
    known_keys(definition, KEYS, "")
    title = text(definition, "title", "", limit=300)
    slug = text(definition, "slug", "")
    if not SLUG.fullmatch(slug):
        raise DefinitionError(
            "slug", f"is {slug!r}; use small letters, digits and hyphens within (at most 63)."
        )
    language = definition.get("language", "en")
    if language not in YES_NO_LABELS:
        raise DefinitionError("language", f"is one of {', '.join(YES_NO_LABELS)}.")
    entries = definition.get("questions")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_QUESTIONS:
        raise DefinitionError("questions", f"is a list of 1 to {MAX_QUESTIONS} questions.")
    survey = Survey(
        slug=slug,
        title=title,
        language=language,
        introduction=text(definition, "introduction", "", limit=MAX_INTRODUCTION, optional=True),
        budget=parse_budget(definition.get("budget")),
        questions=tuple(
            parse_question(entry, f"questions[{number}]", language)
            for number, entry in enumerate(entries)
        ),
    )
    seen: set[str] = set()
    for number, question in enumerate(survey.questions):
        if question.name in seen:
            raise DefinitionError(f"questions[{number}].name", f"{question.name!r} is there twice.")
        seen.add(question.name)
    if survey.budget is not None and survey.epsilon > survey.budget:
        raise DefinitionError(
            "budget.epsilon",
            f"is {survey.budget:g}; the private questions add up to {survey.epsilon:.4f}. "
            "Protect them more, ask fewer, or raise the budget.",
        )
    return survey


def read_definition(document: str | bytes) -> Survey:
    """`parse_survey` on JSON text."""
    try:
        return parse_survey(json.loads(document))
    except (ValueError, RecursionError) as error:
        raise DefinitionError("", f"This is not JSON: {error}.") from error


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal content has equal bytes."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


@dataclass(frozen=True)
class FrozenSurvey:
    """A survey whose tables are fixed; `document` is what `/s/<slug>.json` serves."""

    survey: Survey
    fingerprint: str

    def document(self) -> dict[str, Any]:
        tables = {
            question.name: {
                "answers": [choice.name for choice in question.choices],
                "reports": [report.name for report in question.reports],
                "rows": question.randomizer.rows,
                "sha256": question.randomizer.sha256,
                "epsilon": finite(question.randomizer.epsilon),
            }
            for question in self.survey.questions
            if question.randomizer is not None
        }
        return {
            "definition": self.survey.as_definition(),
            "tables": tables,
            "epsilon": finite(self.survey.epsilon),
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        return canonical(self.document())


def finite(number: float) -> float | None:
    """JSON has no infinity: None says that there is no finite value."""
    return number if math.isfinite(number) else None


def fingerprint_of(survey: Survey) -> str:
    """SHA-256 of the canonical JSON of [definition, {question: rows}]."""
    rows = {q.name: q.randomizer.rows for q in survey.questions if q.randomizer is not None}
    return hashlib.sha256(canonical([survey.as_definition(), rows]).encode()).hexdigest()


def freeze(survey: Survey, *, allow_infinite: bool = False) -> FrozenSurvey:
    """Fix the survey's tables.

    `allow_infinite` is for data collected elsewhere under a design without a finite epsilon:
    such a survey may be analysed, never opened.

    Raises ZeroEntry, naming the question.
    """
    if not allow_infinite:
        for question in survey.questions:
            if question.randomizer is not None:
                try:
                    question.randomizer.require_finite()
                except ZeroEntry as error:
                    raise ZeroEntry(f"Question {question.name!r}: {error}") from error
    return FrozenSurvey(survey, fingerprint_of(survey))


def thaw(document: str) -> FrozenSurvey:
    """The frozen survey from `FrozenSurvey.to_json`, with the very tables that it holds.

    Raises DefinitionError if the fingerprint does not fit the content.
    """
    content = json.loads(document)
    tables = content["tables"]
    parsed = parse_survey(content["definition"])
    survey = replace(
        parsed,
        questions=tuple(
            replace(
                question,
                randomizer=Randomizer.from_rows(tables[question.name]["rows"])
                if question.name in tables
                else None,
            )
            for question in parsed.questions
        ),
    )
    if fingerprint_of(survey) != content["fingerprint"]:
        raise DefinitionError("fingerprint", "does not fit the definition and tables.")
    return FrozenSurvey(survey, content["fingerprint"])
