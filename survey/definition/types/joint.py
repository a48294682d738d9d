"""Joint question: the answers to a few questions, randomised as one answer."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from survey.core.errors import DefinitionError
from survey.core.mechanisms import JOINT
from survey.core.translate import later, translate
from survey.definition.choices import NOT_ASKED, Choice, names_of
from survey.definition.types.registry import QuestionType, question_type

if TYPE_CHECKING:
    from survey.definition.questions import Question

MIN_ITEMS = 2
MAX_ITEMS = 4
# More combinations need too many respondents.
MAX_COMBINATIONS = 64
# The limit of combinations that are tried, with those that conditions make impossible.
MAX_TRIED = 4_096


@dataclass(frozen=True)
class JointAnswer(Choice):
    """One answer to each of several questions, which together are one answer."""

    parts: tuple[Choice, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Choice]) -> "JointAnswer":
        name = "+".join(part.name for part in parts)  # No name of a choice contains this sign.
        return cls(name, " / ".join(part.label for part in parts), tuple(parts))


@question_type
class JointType(QuestionType):
    """A derived answer whose choices are all possible combinations of the answers behind it.

    They are randomised once, so the shares of each question and the cross-table of the questions
    follow from one report.
    """

    name = "joint"
    title = later("Joint question: randomise a few answers together")
    answered_by = (
        "Nothing: the page combines the answers to 2 to 4 earlier questions (see [Joint "
        "questions](#joint-questions))."
    )
    menu_place = 55
    members = frozenset({"derived", "privacy"})
    mechanisms = JOINT
    operations = frozenset({"joint"})
    single_choice = True
    joint = True
    builder_parts = ("protected", "joint")
    template = "choice"
    reader = "choice"

    @property
    def keys(self) -> frozenset[str]:
        # Everyone sends a report, and nobody reads a hint.
        return super().keys - {"relevant", "hint"}

    def parse_condition(self, condition: Any, offered: Sequence[Choice], place: str) -> Any:
        return super().parse_condition(condition, (), place)

    def condition_from_section(self, section: "Question | None") -> Mapping[str, Any]:
        """Everyone sends a report."""
        return {}

    def listed_choices(self, choices: Sequence[Choice]) -> tuple[Choice, ...]:
        """None: the choices are combinations of the answers to other questions."""
        return ()

    def combine_answers(
        self, entry: Mapping[str, Any], earlier: Sequence["Question"], place: str
    ) -> tuple[Choice, ...]:
        return parse_joint_answers(entry.get("derived"), earlier, f"{place}.derived")


def parse_joint(value: Any, earlier: Sequence["Question"], place: str) -> list["Question"]:
    """The questions of a joint question, in the order of the survey. Raises DefinitionError."""
    names = value.get("joint") if isinstance(value, Mapping) else None
    where = f"{place}.joint"
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        names = []
    if not MIN_ITEMS <= len(names) <= MAX_ITEMS:
        raise DefinitionError(
            where,
            "must be a list of %(least)s to %(most)s questions.",
            "items",
            least=MIN_ITEMS,
            most=MAX_ITEMS,
        )
    items = [question for question in earlier if question.name in names]
    if len(items) < len(names):
        known = {item.name for item in items}
        missing = next((name for name in names if name not in known), None)
        fault = (
            translate("names a question twice.")
            if missing is None
            else translate("%(name)s is not an earlier question.", name=repr(missing))
        )
        raise DefinitionError(where, fault, "unknown")
    for item in items:
        if not item.kind.can_be_joint or item.sent:
            raise DefinitionError(
                where,
                "%(name)s must be a yes/no question, a single choice or a scale that is not sent.",
                "joint",
                name=repr(item.name),
            )
    return items


def parse_joint_answers(
    value: Any, earlier: Sequence["Question"], place: str
) -> tuple[JointAnswer, ...]:
    """The choices of a joint question. Raises DefinitionError."""
    items = parse_joint(value, earlier, place)
    answers = joint_answers(items)
    if not 1 < len(answers) <= MAX_COMBINATIONS:
        raise DefinitionError(
            f"{place}.joint",
            "has too many combinations of answers. The maximum is %(most)s, with “prefer not to "
            "say” and “not asked” as answers.",
            "combinations",
            most=MAX_COMBINATIONS,
        )
    for place_of, item in enumerate(items):
        if {each.parts[place_of].name for each in answers} < set(names_of(item.answers)):
            raise DefinitionError(
                f"{place}.joint",
                "combines %(name)s, whose condition every answer meets. Remove this condition.",
                "always",
                name=repr(item.name),
            )
    return answers


def joint_answers(items: Sequence["Question"]) -> tuple[JointAnswer, ...]:
    """All combinations of the answers to a few questions that their conditions permit.

    The last question's answer changes first. A question that is not asked has the answer "not
    asked", or the one that the designer set. Conditions on other questions are unknown here, so
    both cases are possible. There are no combinations if more than `MAX_TRIED` must be tried.
    """
    if math.prod(len(item.answers) for item in items) > MAX_TRIED:
        return ()
    names = {item.name for item in items}
    outside = [unknown_conditions(item, names) for item in items]
    unknown = sorted(set(outside) - {""})
    cases = [
        dict(zip(unknown, held, strict=True)) | {"": True}
        for held in product((True, False), repeat=len(unknown))
    ]
    return tuple(
        JointAnswer.of(parts)
        for parts in product(*(item.answers for item in items))
        if any(is_possible(items, parts, [case[each] for each in outside]) for case in cases)
    )


def unknown_conditions(item: "Question", names: set[str]) -> str:
    """The conditions of a question on other questions than these, as a text; empty if none."""
    other = {name: each for name, each in (item.relevant or {}).items() if name not in names}
    return json.dumps(other, sort_keys=True) if other else ""


def is_possible(items: Sequence["Question"], parts: Sequence[Choice], held: Sequence[bool]) -> bool:
    """Whether respondents can have these answers together.

    `held` says for each question whether its conditions on other questions hold.
    """
    given: dict[str, str | None] = {}
    for item, part, holds in zip(items, parts, held, strict=True):
        asked = holds and meets_conditions(item.relevant or {}, given)
        hidden = NOT_ASKED if item.otherwise is None else item.otherwise
        if (part.name == NOT_ASKED) if asked else (part.name != hidden):
            return False
        # Nobody meets a condition on a question that is not asked.
        given[item.name] = part.name if asked else None
    return True


def meets_conditions(
    conditions: Mapping[str, Sequence[str]], given: Mapping[str, str | None]
) -> bool:
    """Whether the answers so far meet the conditions on these questions."""
    return all(given[name] in each for name, each in conditions.items() if name in given)
