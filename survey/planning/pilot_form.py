"""The form for assumed true shares of a simulation: shares in percent, a mean and a spread.

It converts the typed texts into form fields, and into the input of `csv_import.read_groups`. With
several groups of respondents, it has these inputs for each group, and the share of each group. The
inputs of a derived answer may all be empty. The answer is then calculated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DataFileError
from survey.core.exact_numbers import typed_decimal
from survey.core.translate import join_sentences, translate, translate_number
from survey.definition.choices import DECLINED
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.number_text import significant
from survey.estimation.types import ESTIMATION
from survey.planning.assumed_shares import number_truth
from survey.planning.types import PLANNING

DEFAULT_SIMULATED_RESPONDENTS = 500
MAX_SIMULATED_RESPONDENTS = 100_000
# Respondents times answers; this takes about five seconds.
MAX_SIMULATED_ANSWERS = 10_000_000
# Rounded shares may differ from 100 % by this much.
ROUNDING_TOLERANCE_PERCENT = 0.5
# The field with the number of groups.
GROUPS_FIELD = "groups"
MAX_GROUPS = 4
GROUP_NUMBERS = tuple(map(str, range(1, MAX_GROUPS + 1)))


@dataclass(frozen=True)
class TypedShare:
    """One input: a choice's share in percent, or a mean or spread in the question's unit."""

    field: str
    label: str
    value: str
    unit: str


@dataclass(frozen=True)
class TypedTruth:
    """The inputs of one question for each group, and their fault if there is one."""

    question: Question
    groups: tuple[tuple[TypedShare, ...], ...]
    fault: str = ""


@dataclass(frozen=True)
class TypedForm:
    """All inputs of the form.

    Attributes
    ----------
    shares : the share of each group; one input, which is not shown, if there is one group
    fault : the fault of these shares; empty if there is none
    """

    shares: tuple[TypedShare, ...]
    questions: tuple[TypedTruth, ...]
    fault: str = ""

    @property
    def wrong(self) -> bool:
        return bool(self.fault) or any(each.fault for each in self.questions)

    @property
    def fields(self) -> dict[str, str]:
        """Each field with its text, as a browser sends the form."""
        inputs = [each for typed in self.questions for group in typed.groups for each in group]
        sent = {each.field: each.value for each in (*inputs, *self.shares)}
        return sent | {GROUPS_FIELD: str(len(self.shares))}


def most_respondents(survey: Survey) -> int:
    """The maximum number of simulated respondents while a user waits for the page."""
    answers = sum(len(question.choices) + 2 for question in survey.simulated)
    return max(1, min(MAX_SIMULATED_RESPONDENTS, MAX_SIMULATED_ANSWERS // answers))


def typed_form(survey: Survey, content: Mapping[str, Any] | None = None) -> TypedForm:
    """The form, filled with earlier true shares if they still match the questions."""
    groups = earlier_groups(content or {})
    return TypedForm(
        share_inputs([percent_text(share) for share, _ in groups]),
        tuple(
            TypedTruth(
                question,
                tuple(
                    prefilled_inputs(question, answers.get(question.name), number)
                    for number, (_, answers) in enumerate(groups, 1)
                ),
            )
            for question in asked_questions(survey)
        ),
    )


def earlier_groups(content: Mapping[str, Any]) -> list[tuple[float, Mapping[str, Any]]]:
    """The share and the true shares of each group, from what `read_typed` made."""
    listed = content.get("groups")
    if not isinstance(listed, list):
        return [(1.0, content)]
    return [(group["share"], group["answers"]) for group in listed]


def asked_questions(survey: Survey) -> list[Question]:
    """The questions with inputs. The weights of experimental arms are in the definition."""
    return [question for question in survey.simulated if question.can_be_assumed]


def share_inputs(texts: Sequence[str]) -> tuple[TypedShare, ...]:
    return tuple(
        TypedShare(f"share-{number}", share_label(number), text, "%")
        for number, text in enumerate(texts, 1)
    )


def share_label(number: int) -> str:
    return translate("Share of group %(number)s", number=number)


def prefilled_inputs(question: Question, earlier: Any, group: int) -> tuple[TypedShare, ...]:
    shares = PLANNING[question].usual_truth() if question.derived is None else {}
    if isinstance(earlier, Mapping) and set(earlier) - {DECLINED} == set(
        PLANNING[question].usual_truth()
    ):
        shares = dict(earlier)
    texts = {
        name: form_number_text(value)
        if name in ("mean", "sd") and question.grid
        else percent_text(value)
        for name, value in shares.items()
    }
    return inputs_of(question, texts, group)


def form_number_text(value: float) -> str:
    """A number as people type it: without digit groups or an exponent."""
    return significant(value, 6).replace(",", "").replace("−", "-")


def percent_text(share: float) -> str:
    return form_number_text(100 * share)


def field_prefix(question: Question, group: int) -> str:
    """The beginning of a question's fields. The first group has the fields of a single one."""
    return f"{question.name}:" if group == 1 else f"{group}:{question.name}:"


def inputs_of(question: Question, texts: Mapping[str, str], group: int) -> tuple[TypedShare, ...]:
    inputs, prefix = [], field_prefix(question, group)
    if question.grid is not None:
        for name, label in (
            ("mean", translate("Mean")),
            ("sd", translate("Standard deviation")),
        ):
            typed = texts.get(name, "")
            inputs.append(TypedShare(f"{prefix}{name}", label, typed, question.grid.unit))
    for choice in question.offered:
        usual = "0" if choice.name == DECLINED and question.derived is None else ""
        typed = texts.get(choice.name, usual)
        inputs.append(TypedShare(f"{prefix}{choice.name}", choice.label, typed, "%"))
    return tuple(inputs)


def groups_sent(form: Mapping[str, str]) -> int:
    """The number of groups of a form, 1 if it does not say."""
    text = form.get(GROUPS_FIELD, "1")
    return int(text) if text in GROUP_NUMBERS else 1


def with_group(survey: Survey, form: Mapping[str, str]) -> dict[str, str]:
    """The form with one more group. It begins as a copy of the last one, with equal shares."""
    last = groups_sent(form)
    if last == MAX_GROUPS:
        return dict(form)
    copied = {
        field_prefix(question, last + 1) + name: text
        for question in asked_questions(survey)
        for name, text in texts_of(question, form, last).items()
    }
    return dict(form) | copied | equal_shares(last + 1)


def without_group(form: Mapping[str, str]) -> dict[str, str]:
    """The form without its last group, with equal shares of the others."""
    return dict(form) | equal_shares(max(1, groups_sent(form) - 1))


def equal_shares(groups: int) -> dict[str, str]:
    each = round(100 / groups)
    shares = [each] * (groups - 1)
    texts = [*map(str, shares), str(100 - sum(shares))]
    sent = {each.field: each.value for each in share_inputs(texts)}
    return sent | {GROUPS_FIELD: str(groups)}


def texts_of(question: Question, form: Mapping[str, str], group: int) -> dict[str, str]:
    """The typed texts of a question for one group."""
    prefix = field_prefix(question, group)
    return {
        key.removeprefix(prefix): text.strip()
        for key, text in form.items()
        if key.startswith(prefix)
    }


def read_typed(survey: Survey, form: Mapping[str, str]) -> tuple[dict[str, Any], TypedForm]:
    """The typed true shares, for `read_groups`, and the form with its faults.

    The shares are complete only if there is no fault.
    """
    groups = groups_sent(form)
    truths: list[dict[str, Any]] = [{} for _ in range(groups)]
    typed = []
    for question in asked_questions(survey):
        inputs, faults = [], []
        for group, truth in enumerate(truths, 1):
            texts = texts_of(question, form, group)
            inputs.append(inputs_of(question, texts, group))
            if question.derived is not None and not any(texts.values()):
                continue
            try:
                truth[question.name] = (
                    parse_mean_and_spread(question, texts)
                    if question.grid
                    else shares_typed(question, texts)
                )
            except ValueError as error:
                fault = str(error)
                if groups > 1:
                    fault = translate("Group %(number)s: %(fault)s", number=group, fault=fault)
                faults.append(fault)
        typed.append(TypedTruth(question, tuple(inputs), join_sentences(*faults)))
    texts_of_shares = [form.get(f"share-{number}", "").strip() for number in range(1, groups + 1)]
    fault, shares = "", [1.0]
    if groups > 1:
        try:
            percents = [
                percent_typed(text, share_label(number))
                for number, text in enumerate(texts_of_shares, 1)
            ]
            shares = whole(percents)
        except ValueError as error:
            fault = str(error)
    content = truths[0]
    if groups > 1:
        content = {
            "groups": [
                {"share": share, "answers": truth}
                for share, truth in zip(shares, truths, strict=False)
            ]
        }
    return content, TypedForm(share_inputs(texts_of_shares), tuple(typed), fault)


def percent_typed(text: str, label: str) -> float:
    """A share from a percentage. Raises ValueError with a sentence."""
    try:
        value = float(typed_decimal(text.removesuffix("%").replace(",", ".") or "0"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError(translate("Type a number from 0 to 100 for “%(label)s”.", label=label))
    return value / 100


def shares_typed(question: Question, texts: Mapping[str, str]) -> dict[str, float]:
    shares = {
        choice.name: percent_typed(texts.get(choice.name, ""), choice.label)
        for choice in question.offered
    }
    if not ESTIMATION[question].shares_add_up:
        return shares
    return dict(zip(shares, whole([*shares.values()]), strict=True))


def whole(shares: Sequence[float]) -> list[float]:
    """The shares, divided by their sum. Raises ValueError if the sum is not about 1."""
    total = 100 * sum(shares)
    if abs(total - 100) > ROUNDING_TOLERANCE_PERCENT + 1e-9:
        raise ValueError(
            translate(
                "The shares add up to %(total)s %%. Change them to add up to 100 %%.",
                total=translate_number(form_number_text(total)),
            )
        )
    return [share / total * 100 for share in shares]


def parse_mean_and_spread(question: Question, texts: Mapping[str, str]) -> dict[str, float]:
    grid = question.number_grid
    try:
        mean, spread = (
            float(typed_decimal(texts.get(key, "").replace(",", "."))) for key in ("mean", "sd")
        )
    except ValueError:
        raise ValueError(
            translate("Type a number for the mean and for the standard deviation.")
        ) from None
    low, high = float(grid.low), float(grid.high)
    if not low <= mean <= high:
        ends = {
            "low": translate_number(significant(low, 6)),
            "high": translate_number(significant(high, 6)),
        }
        raise ValueError(translate("Type a mean from %(low)s to %(high)s.", **ends))
    if not 0 < spread <= high - low:
        raise ValueError(
            translate(
                "Type a standard deviation above 0, and at most %(most)s.",
                most=translate_number(significant(high - low, 6)),
            )
        )
    shares = {"mean": mean, "sd": spread}
    if question.offers_to_decline:
        label = question.offered[-1].label
        shares[DECLINED] = percent_typed(texts.get(DECLINED, ""), label)
    try:
        number_truth(question, grid, shares)
    # The spread is so small that it lies between two values.
    except DataFileError:
        raise ValueError(
            translate("The standard deviation is too small for the step. Type a larger one.")
        ) from None
    return shares
