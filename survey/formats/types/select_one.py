"""One answer out of a few, and the defaults of all types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from survey.core.languages import Words
from survey.core.translate import translate
from survey.definition.choices import DECLINED
from survey.definition.questions import Question
from survey.definition.types.registry import QuestionType
from survey.estimation.results import QuantityResults, QuestionResults
from survey.formats.types import EARLIER, FORMATS
from survey.formats.xlsform.conditions import (
    EarlierQuestion,
    Formula,
    Held,
    listed_words,
    numbers_of,
    unsupported_use,
)
from survey.formats.xlsform.expressions import (
    COMPARED,
    Expression,
    UnsupportedCondition,
    constant_number,
)
from survey.formats.xlsform.read_calculation import (
    Points,
    PointsRange,
    choices_of,
    is_within,
    worth,
)
from survey.formats.xlsform.vocabulary import type_of_list

if TYPE_CHECKING:
    from survey.formats.citation import Citation

# The measure, the item that it is about or "", and the value of each answer.
Mean = tuple[str, str, list[int]]


@FORMATS.of(QuestionType)
@dataclass(frozen=True)
class ChoiceFormat:
    """A question in files: its row and its answer in XLSForm, and what is cited of it."""

    question: Question

    # Estimates.

    def means(self) -> list[Mean]:
        """The means that scripts compute next to the shares of the answers."""
        return []

    def cited_means(self, result: QuestionResults) -> Sequence[QuantityResults]:
        """The estimates of a distribution that are cited in place of shares."""
        return [] if result.answers else result.quantities

    def cite(self, citation: "Citation", result: QuestionResults) -> str:
        """The estimates in words; empty if there are none to cite."""
        if result.answers:
            return citation.sentence_of_shares(self.question, result)
        return citation.sentences_of_distribution(self.question, result)

    def cited_method(self, words: Words) -> str:
        """How the quantities follow from the shares; "" if the citation says so elsewhere."""
        return ""

    def label_with_values(self, words: Words) -> str:
        """The label, with the numbers of which the mean is cited."""
        return self.question.label

    # XLSForm.

    @property
    def answer(self) -> str:
        """The answer in an expression."""
        return f"${{{self.question.name}}}"

    def required_cell(self) -> str | None:
        """The cell `required`; None if the column has no meaning for the type."""
        return "no" if self.question.optional else "yes"

    def usual_list_name(self) -> str:
        """The name of the list of choices if no other list has it."""
        return self.question.name

    def special_choices(self) -> list[str]:
        """The special answers that are choices of the list."""
        return [DECLINED] if self.question.offers_to_decline else []

    def list_members(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """The members that the list does not state, or that a list alone would state wrongly."""
        question, kind = self.question, self.question.kind
        members = {key: value for key, value in own.items() if key != DECLINED}
        names = [choice.name for choice in question.choices]
        if type_of_list(kind.xlsform_list, {*kind.appearances}, names) != question.type:
            members["type"] = question.type
        if DECLINED in names:  # The designer uses this name for an own choice.
            members[DECLINED] = False
        return members

    def is_answer(self, choice: str) -> str:
        """The expression that is true for respondents with this answer."""
        return f"{self.answer} = '{choice}'"

    def filter_columns(self, allowed: Sequence[str]) -> int:
        """The number of columns in which a filter looks for the answer; 0 if one has them all."""
        return 0

    def points_as_xpath(self, points: Any) -> str:
        """The points of the answer, and 0 without an answer."""
        own = all(str(each) == choice for choice, each in points.items())
        if own and self.question.relevant is None and not self.question.offers_to_decline:
            return self.answer  # The names of the choices are their points.
        worth = {choice: each for choice, each in points.items() if each != 0}
        chain = "".join(f"if({self.is_answer(each)}, {worth[each]}, " for each in worth)
        return f"{chain}0{')' * len(worth)}"

    def declined_ends(self, points: Any) -> tuple[int, int]:
        """The lowest and highest points of somebody who declined to answer."""
        return min(points.values()), max(points.values())


@EARLIER.of(QuestionType)
@dataclass(frozen=True)
class EarlierChoice:
    """The answer to an earlier question in a condition or calculation.

    With `of_choices`, the condition is that of a choice, whose row may name an answer that the
    question does not have.
    """

    parent: EarlierQuestion

    # Conditions. All of these methods raise UnsupportedCondition.

    def selected_choices(self, words: Expression) -> list[Expression]:
        """The choices in `selected('a b', ${name})`."""
        return listed_words(words)

    def is_chosen(self, *values: Expression, of_choices: bool) -> Formula:
        """Whether one of some choices is chosen."""
        found = set[str]()
        for value in values:
            names = dict(self.parent.names)
            if isinstance(value.value, Fraction):
                names = {name: str(constant_number(text)) for name, text in names.items()}
            written = str(value.value)
            chosen = {name for name, text in names.items() if text == written}
            if value.kind != "constant" or not (chosen or (names and of_choices)):
                raise self.no_choice(value)
            found |= chosen
        return Held(self.parent.name, frozenset(found)) if found else False

    def no_choice(self, value: Expression) -> UnsupportedCondition:
        """The fault of a value that is no choice of the question."""
        return UnsupportedCondition(
            "names %(value)s, which is not a choice of %(name)s",
            value=repr(str(value.value) if value.kind == "constant" else value.source),
            name=repr(self.parent.name),
        )

    def compare(self, sign: str, value: Expression, *, of_choices: bool) -> Formula:
        """A comparison with a constant, where != is read as =. The names may be numbers."""
        if sign in ("=", "!="):
            return self.is_chosen(value, of_choices=of_choices)
        end = constant_number(value.value)
        if end is None and of_choices:
            return False
        if end is None:
            raise comparison_of_choices()
        numbers = numbers_of(self.parent).items()
        chosen = frozenset(name for name, number in numbers if COMPARED[sign](number, end))
        return Held(self.parent.name, chosen) if chosen else False

    def is_answered(self) -> Formula:
        """Whether the answer is not empty."""
        if not (self.parent.skippable or self.parent.optional):
            return True
        # Respondents leave such a question empty in other tools.
        empty = {DECLINED} if self.parent.optional else set[str]()
        return Held(self.parent.name, frozenset(self.parent.names) - empty)

    def opposite(self, allowed: Any) -> Formula:
        """The condition that the answer is none of those allowed."""
        if self.parent.skippable:
            return Held(self.parent.name, allowed, holds=False)
        rest = frozenset(self.parent.names) - allowed
        return Held(self.parent.name, rest) if rest else False

    def either(self, one: Any, other: Any) -> Any:
        """The answers of which one or the other condition holds; None if this is no condition."""
        return one | other

    def both(self, one: Any, other: Any) -> Any:
        """The answers for which both conditions hold; None if this is no condition."""
        return one & other

    def without(self, allowed: Any, excluded: Any) -> Any:
        """The allowed answers that are not excluded; None if this is no condition."""
        return allowed - excluded

    # Calculations. All of these methods raise UnsupportedCondition.

    def own_points(self) -> Any:
        """The points of each choice, or the weight of a number."""
        return numbers_of(self.parent)

    def points_of_ticks(self, count: Expression) -> dict[str, Fraction]:
        """The points of each choice in `count-selected(${name})`."""
        raise unsupported_use(count)

    def points_if(self, allowed: Any, then: Points, otherwise: Points) -> Points:
        """The points that depend on whether an answer is allowed."""
        name = self.parent.name
        table = {
            choice: worth(then if choice in allowed else otherwise, name, choice)
            - otherwise.constant
            for choice in choices_of(self.parent)
        }
        return Points(otherwise.constant, {name: table})

    def absorb_constant(self, points: Points) -> Points:
        """The same points, with the constant as part of those of the choices."""
        if self.parent.skippable:
            return points
        ((name, table),) = points.of.items()
        return Points(of={name: {each: table[each] + points.constant for each in table}})

    def choices_within(self, table: Any, limits: PointsRange) -> frozenset[str] | None:
        """The choices with points between two ends; None if this is no condition."""
        return frozenset(each for each in table if is_within(table[each], limits))

    def require_countable(self, chosen: Sequence[str]) -> None:
        """Refuse a count of choices of which a respondent may have several."""

    def ends(self, table: Any) -> list[Fraction]:
        """Points with the lowest and the highest among them."""
        return list(table.values())


def comparison_of_choices() -> UnsupportedCondition:
    fault = translate("compares choices in a way that Candor does not support")
    return UnsupportedCondition(fault)
