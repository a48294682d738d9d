"""Results with chosen values, so that their chart can be calculated by hand."""

from survey.charts.svg import Chart, Shape
from survey.definition.parse_question import parse_question
from survey.definition.questions import Choice, Question
from survey.estimation.number_text import Formula
from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults


def question(content: dict) -> Question:
    return parse_question(content, "", "en")


def share(
    value: float,
    low: float = 0.0,
    high: float = 1.0,
    observed: float | None = None,
    label: str = "A",
) -> AnswerResults:
    """The share of an answer, of 100 responses."""
    return AnswerResults(
        choice=Choice("a", label),
        n=100,
        observed=observed,
        value=value,
        standard_error=0.05,
        low=low,
        high=high,
        method="",
        possible=min(max(value, 0.0), 1.0),
        possible_by="",
        formula=Formula("", ""),
    )


def mean(value: float, low: float, high: float) -> QuantityResults:
    return QuantityResults(
        name="mean",
        label="Mean",
        value=value,
        standard_error=0.5,
        low=low,
        high=high,
        method="",
        formula="",
    )


def results(
    asked: Question, *answers: AnswerResults, quantities: tuple[QuantityResults, ...] = ()
) -> QuestionResults:
    return QuestionResults(
        question=asked,
        n=100,
        counts=(),
        values=(),
        level=0.95,
        answers=answers,
        covariance=None,
        quantities=quantities,
    )


def places(*points: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    """Points as charts calculate them, printed with one decimal."""
    return tuple((float(x), float(y)) for x, y in points)


def values(shapes: list[Shape], *names: str) -> list[tuple[object, ...]]:
    """For each shape: its class, its text, or attributes."""
    return [
        tuple(getattr(each, name) if name in ("kind", "text") else each.attributes[name]
              for name in names)
        for each in shapes
    ]  # fmt: skip


def drawn(chart: Chart, tag: str, kind: str | None = None) -> list[Shape]:
    """The shapes of one kind in a chart."""
    return [shape for shape in chart.shapes if shape.tag == tag and kind in (None, shape.kind)]


def words(chart: Chart) -> list[str]:
    """The texts of a chart, in the order in which they are drawn."""
    return [shape.text for shape in drawn(chart, "text")]
