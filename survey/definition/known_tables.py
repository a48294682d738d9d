"""Stored randomizers of drafts, which Candor therefore need not calculate again.

A mechanism may solve linear programmes, which take a tenth of a second or more. The store therefore
keeps a draft's randomizers with the draft. When a draft changes, the builder passes the stored
randomizers to the parser.

The argument. A recipe identifies a randomizer: it is a SHA-256 of everything that the randomizer is
calculated from. Labels are not part of a recipe, so a question keeps its recipe when it is copied
or moved. The store keeps each randomizer with a digest of its integers and recipe, and with
`TABLES_VERSION`.

If the version or the digest does not match, Candor ignores the stored randomizer and calculates it
again. This is safe, because a draft makes no promise yet. Candor checks a stored table like every
other table, and computes ε from its integers. Someone who can write to the database can still
exchange a table together with its digest. The pages then state the ε of that table, as they do for
the mechanism `table`.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from survey.core.errors import (
    DefinitionError,
    MechanismError,
    SurveyError,
    TableError,
    TotalTooLarge,
)
from survey.core.exact_numbers import exact
from survey.core.factored_randomizers import FactoredRandomizer
from survey.core.factored_randomizers import from_json as factored_from_json
from survey.core.mechanisms import LocalRandomizer, build_randomizer, work_of
from survey.core.mechanisms.numbers import MAX_ANSWERS_FOR_QUANTILES
from survey.core.number_grid import LEVELS_FOR_DISTRIBUTION, LEVELS_FOR_MEAN, Grid, decimal_text
from survey.core.randomizer import Randomizer, StatedRandomizer
from survey.core.translate import later, translate_number
from survey.definition.questions import Question
from survey.definition.types import QUESTION_TYPES

# Raise it when a mechanism, numpy or scipy makes another table from the same parameters.
# tests/definition/test_known_tables.py then fails and says so.
TABLES_VERSION = 2
# The sum of cubed numbers of answers over the tables that slow mechanisms calculate. The maximum
# takes up to 20 s on one processor: 107 tables for a mean on 21 levels, one window over 100
# answers, or 20 tables for quantiles.
MAX_WORK_CUBED_ANSWERS = 1_000_000
# The limit for one table in the page.
MAX_TABLE_CHARACTERS = 600_000
NOT_A_MECHANISM = later(
    'must be "none", or an object such as {"mechanism": "coin_flip"} or {"epsilon": 1}.'
)
NUMBER_OF_LEVELS = later("points must be a whole number from 2 to %(most)s.")
NO_LEVELS = later("points does not fit quantiles, because all answers are kept. Leave it out.")
TOO_MANY_FOR_QUANTILES = later(
    "For quantiles, a number can have at most %(most)s values, not %(size)s. Use a step of at "
    "least %(step)s."
)
ALWAYS_NON_PRIVATE = later('A %(kind)s is always non-private. Set "privacy" to "none".')
TOO_LONG_TABLE = later(
    "The table would be %(n)s characters long. The maximum is %(most)s. Choose another mechanism, "
    "or offer fewer answers."
)
TOO_MUCH_WORK = later(
    "The questions need too many different tables that take long to calculate. Give several "
    "questions the same ε and the same range, use fewer levels, or save some of the questions "
    "first and add the others later."
)


def recipe(
    privacy: Mapping[str, Any], kind: str, choices: int, grid: Grid | None, special_answers: int
) -> str:
    """SHA-256, in hexadecimal, of everything that a question's randomizer is calculated from.

    Parameters
    ----------
    privacy : the question's entry of that name
    kind : the question's type
    choices : the number of choices that the designer lists
    grid : the values of a number
    special_answers : the number of special answers
    """
    written = dict(privacy)
    with suppress(MechanismError):
        # The form has 1.5 as a text, JSON as a number.
        written["epsilon"] = str(exact(privacy.get("epsilon"), "epsilon"))
    size = None if grid is None else grid.size
    parts = [written, kind, choices, size, special_answers]
    content = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()


@dataclass
class KnownTables:
    """The randomizers of one definition: those from the store, and those calculated since.

    Attributes
    ----------
    found : randomizers by recipe
    max_work : the limit for the calculation (`work_of`), or None for no limit
    work : the work of the calculation so far
    foresees : whether the work is only counted; the randomizers are then not those of the questions
    """

    found: dict[str, LocalRandomizer] = field(default_factory=dict)
    max_work: int | None = MAX_WORK_CUBED_ANSWERS
    work: int = 0
    foresees: bool = False

    @classmethod
    def of(cls, questions: Iterable[Question]) -> "KnownTables":
        """The known tables of a stored draft."""
        return cls(tables_of(questions))

    def randomizer(
        self, recipe: str, work: int, calculate: Callable[[], LocalRandomizer]
    ) -> LocalRandomizer:
        """The randomizer of a recipe, calculated if it is not known.

        Raises MechanismError before it calculates if the work exceeds the limit.
        """
        if recipe not in self.found:
            self.work += work
            if self.max_work is not None and self.work > self.max_work:
                raise MechanismError(TOO_MUCH_WORK)
            self.found[recipe] = Randomizer.identity(2) if self.foresees else calculate()
        return self.found[recipe]

    def foreseen(self) -> "KnownTables":
        """A copy that counts the work of missing tables and calculates none."""
        return replace(self, found=dict(self.found), max_work=None, foresees=True)


def randomizer_of(
    privacy: Any,
    kind: str,
    choices: int,
    grid: Grid | None,
    special_answers: int,
    place: str,
    tables: KnownTables,
) -> LocalRandomizer:
    """The randomizer of a privacy entry. For a number, its answers are the levels.

    It is calculated if `tables` does not have it. Raises DefinitionError.
    """
    if not isinstance(privacy, Mapping):
        raise DefinitionError(place, NOT_A_MECHANISM)
    parameters, answers = dict(privacy), choices
    try:
        if grid is not None:
            for_mean = parameters.get("goal") == "mean"
            spread = parameters.get("mechanism", "window") == "window" and not for_mean
            answers = grid.levels(LEVELS_FOR_DISTRIBUTION if spread else LEVELS_FOR_MEAN)
            if is_for_quantiles(parameters):
                answers = all_answers(grid, parameters)
            elif "points" in parameters:
                most = min(grid.size, 61)
                answers = parameters.pop("points")
                if type(answers) is not int or not 2 <= answers <= most:
                    raise MechanismError(NUMBER_OF_LEVELS, most=most)
                # The number of levels that cover the range evenly.
                answers = -(-(grid.size - 1) // grid.width(answers)) + 1
        family = QUESTION_TYPES[kind].mechanisms
        if family is None:
            fault = QUESTION_TYPES[kind].never_private or ALWAYS_NON_PRIVATE
            raise MechanismError(fault, kind=kind)
        built = tables.randomizer(
            recipe(privacy, kind, choices, grid, special_answers),
            work_of(parameters, family, answers, special_answers),
            lambda: build_randomizer(parameters, family, answers, special_answers),
        )
        if isinstance(built, Randomizer) and len(built.to_json()) > MAX_TABLE_CHARACTERS:
            length = translate_number(f"{len(built.to_json()):,}")
            limit = translate_number(f"{MAX_TABLE_CHARACTERS:,}")
            raise MechanismError(TOO_LONG_TABLE, n=length, most=limit)
    except MechanismError as error:
        raise DefinitionError(place, str(error), error.reason, error.parameter) from error
    except TableError as error:
        raise DefinitionError(place, str(error), "mechanism") from error
    return built


def is_for_quantiles(parameters: Mapping[str, Any]) -> bool:
    """Whether a number keeps all of its answers, so that its median can be any of them."""
    names = parameters.get("mechanism"), parameters.get("goal")
    return names in (("optimal_quantiles", None), (None, "quantiles"))


def all_answers(grid: Grid, parameters: dict[str, Any]) -> int:
    """The number of answers of a question for quantiles. Raises MechanismError."""
    if parameters.pop("points", grid.size) != grid.size:
        raise MechanismError(NO_LEVELS)
    if grid.size > MAX_ANSWERS_FOR_QUANTILES:
        steps = -(-(grid.size - 1) // (MAX_ANSWERS_FOR_QUANTILES - 1))
        raise MechanismError(
            TOO_MANY_FOR_QUANTILES,
            most=MAX_ANSWERS_FOR_QUANTILES,
            size=grid.size,
            step=translate_number(decimal_text(steps * grid.step)),
        )
    return grid.size


def recipe_of(question: Question) -> str:
    return recipe(
        question.privacy or {},
        question.type,
        len(question.choices),
        question.grid,
        len(question.special_answers),
    )


def tables_of(questions: Iterable[Question]) -> dict[str, LocalRandomizer]:
    """The randomizers of a draft's questions by their recipes."""
    return {
        recipe_of(question): question.randomizer
        for question in questions
        if question.randomizer is not None
    }


def recipe_digest(recipe: str, randomizer: LocalRandomizer) -> str:
    return hashlib.sha256(f"{recipe} {randomizer.sha256}".encode()).hexdigest()


def write_tables(tables: Mapping[str, LocalRandomizer]) -> str:
    """The randomizers as JSON, for the store."""
    entries = {
        recipe: (
            randomizer.as_json()
            if isinstance(randomizer, FactoredRandomizer)
            else {"rows": randomizer.rows}
        )
        | {"sha256": recipe_digest(recipe, randomizer)}
        for recipe, randomizer in tables.items()
    }
    return json.dumps({"version": TABLES_VERSION, "tables": entries}, separators=(",", ":"))


def read_tables(content: str | None) -> dict[str, LocalRandomizer]:
    """The inverse of `write_tables`. It omits tables of other versions and damaged ones."""
    try:
        read = json.loads(content or "{}")
        entries = dict(read["tables"]) if read["version"] == TABLES_VERSION else {}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    tables = {}
    for recipe, entry in entries.items():
        with suppress(SurveyError, ValueError, TypeError, KeyError, AttributeError):
            randomizer = read_randomizer(entry)
            if recipe_digest(recipe, randomizer) == entry["sha256"]:
                tables[recipe] = randomizer
    return tables


def read_randomizer(entry: Mapping[str, Any]) -> LocalRandomizer:
    """A randomizer from a table's rows, or from the kind and numbers of a factored one."""
    if "kind" in entry:
        return factored_from_json(dict(entry))
    with suppress(TotalTooLarge):
        return Randomizer.from_rows(entry["rows"])
    return StatedRandomizer.from_rows(entry["rows"])
