"""The form for assumed true shares of a simulation: shares in percent, a mean and a spread.

It converts the typed texts into form fields, and into the input of `csv_import.read_truth`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DataFileError
from survey.definition.choices import DECLINED
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.assumed_shares import number_truth

DEFAULT_SIMULATED_RESPONDENTS, MAX_SIMULATED_RESPONDENTS = 500, 100_000
# Respondents times answers; this takes about five seconds.
MAX_SIMULATED_ANSWERS = 10_000_000
# Rounded shares may differ from 100 % by this much.
ROUNDING_TOLERANCE_PERCENT = 0.5
# The default share of each box.
DEFAULT_TICKED_PERCENT = 20.0


@dataclass(frozen=True)
class TypedShare:
    """One input: a choice's share in percent, or a mean or spread in the question's unit."""

    field: str
    label: str
    value: str
    unit: str


@dataclass(frozen=True)
class TypedTruth:
    """The inputs of one question, and their fault if there is one."""

    question: Question
    inputs: tuple[TypedShare, ...]
    fault: str = ""


def most_respondents(survey: Survey) -> int:
    """The maximum number of simulated respondents while a user waits for the page."""
    answers = sum(len(question.choices) + 2 for question in survey.fields)
    return max(1, min(MAX_SIMULATED_RESPONDENTS, MAX_SIMULATED_ANSWERS // answers))


def sensible(question: Question) -> dict[str, Any]:
    """The default shares: equal for all answers; for numbers, centred in the range."""
    if question.kind.numeric and question.grid is not None:
        low, high = float(question.grid.low), float(question.grid.high)
        return {"mean": (low + high) / 2, "sd": float(f"{(high - low) / 6:.2g}")}
    names = [choice.name for choice in question.choices]
    if question.kind.boxes:
        return dict.fromkeys(names, DEFAULT_TICKED_PERCENT / 100)
    each = round(1 / len(names), 3)
    return dict.fromkeys(names[:-1], each) | {names[-1]: 1 - each * (len(names) - 1)}


def typed_truths(survey: Survey, truth: Mapping[str, Any] | None = None) -> tuple[TypedTruth, ...]:
    """The form, filled with earlier true shares if they still match the questions."""
    return tuple(
        prefilled_truth(question, (truth or {}).get(question.name))
        for question in survey.fields
        if not question.kind.free_text
    )


def prefilled_truth(question: Question, earlier: Any) -> TypedTruth:
    shares = sensible(question)
    if isinstance(earlier, Mapping) and set(earlier) - {DECLINED} == set(shares):
        shares = dict(earlier)
    texts = {
        name: form_number_text(value if name in ("mean", "sd") and question.grid else 100 * value)
        for name, value in shares.items()
    }
    return TypedTruth(question, inputs_of(question, texts))


def form_number_text(value: float) -> str:
    return f"{value:.6g}"


def inputs_of(question: Question, texts: Mapping[str, str]) -> tuple[TypedShare, ...]:
    inputs = []
    if question.grid is not None:
        for name, label in (("mean", "Mean"), ("sd", "Standard deviation")):
            typed = texts.get(name, "")
            inputs.append(TypedShare(f"{question.name}:{name}", label, typed, question.grid.unit))
    for choice in question.offered:
        typed = texts.get(choice.name, "0" if choice.name == DECLINED else "")
        inputs.append(TypedShare(f"{question.name}:{choice.name}", choice.label, typed, "%"))
    return tuple(inputs)


def read_typed(
    survey: Survey, form: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[TypedTruth, ...]]:
    """The typed true shares, for `read_truth`, and the form with its faults.

    The shares are complete only if there is no fault.
    """
    truth: dict[str, Any] = {}
    typed = []
    for question in survey.fields:
        if question.kind.free_text:
            continue
        prefix = f"{question.name}:"
        texts = {
            key.removeprefix(prefix): text.strip()
            for key, text in form.items()
            if key.startswith(prefix)
        }
        fault = ""
        try:
            truth[question.name] = (
                parse_mean_and_spread(question, texts)
                if question.grid
                else shares_typed(question, texts)
            )
        except ValueError as error:
            fault = str(error)
        typed.append(TypedTruth(question, inputs_of(question, texts), fault))
    return truth, tuple(typed)


def percent_typed(text: str, label: str) -> float:
    """A share from a percentage. Raises ValueError with a sentence."""
    try:
        value = float(text.removesuffix("%").replace(",", ".") or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError(f"Type a number from 0 to 100 for “{label}”.")
    return value / 100


def shares_typed(question: Question, texts: Mapping[str, str]) -> dict[str, float]:
    shares = {
        choice.name: percent_typed(texts.get(choice.name, ""), choice.label)
        for choice in question.offered
    }
    if question.kind.boxes:
        return shares
    total = 100 * sum(shares.values())
    if abs(total - 100) > ROUNDING_TOLERANCE_PERCENT + 1e-9:
        raise ValueError(
            f"The shares add up to {form_number_text(total)} %. Change them to add up to 100 %."
        )
    return {name: value / total * 100 for name, value in shares.items()}


def parse_mean_and_spread(question: Question, texts: Mapping[str, str]) -> dict[str, float]:
    grid = question.number_grid
    try:
        mean, spread = (float(texts.get(key, "").replace(",", ".")) for key in ("mean", "sd"))
    except ValueError:
        raise ValueError("Type a number for the mean and for the standard deviation.") from None
    low, high = float(grid.low), float(grid.high)
    if not low <= mean <= high:
        raise ValueError(f"Type a mean from {low:g} to {high:g}.")
    if not 0 < spread <= high - low:
        raise ValueError(f"Type a standard deviation above 0, and at most {high - low:g}.")
    shares = {"mean": mean, "sd": spread}
    if question.offers_to_decline:
        label = question.offered[-1].label
        shares[DECLINED] = percent_typed(texts.get(DECLINED, ""), label)
    try:
        number_truth(question, grid, shares)
    # The spread is so small that it lies between two values.
    except DataFileError:
        raise ValueError(
            "Type a larger standard deviation: it is too small for the step."
        ) from None
    return shares
