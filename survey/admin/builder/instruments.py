"""The instruments of the builder: the form's data of their questions, and what the page says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from survey.admin.builder.fields import empty_question
from survey.admin.builder.form_to_definition import to_form_data
from survey.admin.builder.texts import AS_SURVEY
from survey.core.languages import language_name
from survey.core.translate import in_language, later, page_language, translate
from survey.definition.instruments.read_instruments import (
    ADVICE,
    Cutoff,
    Instrument,
    read_instruments,
)
from survey.definition.known_tables import KnownTables
from survey.definition.types import QUESTION_TYPES

WHO = {"men": later("men"), "women": later("women")}


@dataclass(frozen=True)
class InstrumentChoice:
    """An instrument on the builder's page.

    Parameters
    ----------
    advice : what a researcher must consider
    """

    instrument: Instrument
    language: str
    advice: tuple[str, ...]


def instrument_choices() -> list[InstrumentChoice]:
    """All instruments in the language of the page."""
    return [
        InstrumentChoice(
            each,
            language_name(each.language),
            tuple(translate(ADVICE[key]) for key in each.advice),
        )
        for each in read_instruments().values()
    ]


def instruments_as_json() -> list[dict[str, Any]]:
    """The instruments for static/admin/builder/instruments.js.

    `questions` and the value of each result are the changes to an empty question's form.
    """
    return [
        {
            "slug": each.slug,
            "name": each.name,
            "prefix": each.prefix,
            "language": each.language,
            "questions": questions,
            "results": [
                {"label": label, "question": result}
                for label, result in zip(result_labels(each).values(), results, strict=True)
            ],
        }
        for each, (questions, results) in zip(
            read_instruments().values(), instruments_data(page_language.get()), strict=True
        )
    ]


@cache
def instruments_data(language: str) -> list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """The form's data of the questions and of the results of each instrument.

    Calculating them takes longer than the rest of the page, and they never change.
    """
    with in_language(language):
        return [
            (questions_data(each), [result_data(each, name) for name in each.results()])
            for each in read_instruments().values()
        ]


def result_labels(instrument: Instrument) -> dict[str, str]:
    """The name of each result on the page."""
    labels = [cutoff_label(each) for each in instrument.cutoffs]
    if instrument.bands:
        ranges = ", ".join(choice["label"] for choice in instrument.bands_entry()["choices"])
        labels.append(translate("Ranges of the score: %(ranges)s", ranges=ranges))
    labels.append(translate("Score from 0 to %(highest)s", highest=instrument.highest))
    return dict(zip(instrument.results(), labels, strict=True))


def cutoff_label(cutoff: Cutoff) -> str:
    values = {"points": cutoff.at_least, "source": cutoff.source}
    if not cutoff.who:
        return translate("Score of %(points)s or more (%(source)s)", **values)
    who = translate(WHO[cutoff.who])
    return translate("%(who)s: score of %(points)s or more (%(source)s)", who=who, **values)


def form_questions(instrument: Instrument, results: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The questions and results as the form's data, which need no randomizer."""
    survey = instrument.survey(results, KnownTables().foreseen())
    questions: list[dict[str, Any]] = to_form_data(survey)["questions"]
    return questions


def questions_data(instrument: Instrument) -> list[dict[str, Any]]:
    *questions, _ = form_questions(instrument)
    return [changed_data(each) for each in questions]


def result_data(instrument: Instrument, result: str) -> dict[str, Any]:
    """The form's data of a result, which has the protection of the survey."""
    question = form_questions(instrument, [result])[-1]
    goal = QUESTION_TYPES[question["type"]].usual_goal
    return changed_data(question | {"privacy": AS_SURVEY, "goal": goal or "shares"})


def changed_data(question: dict[str, Any]) -> dict[str, Any]:
    """The fields that differ from those of an empty question, and the type."""
    empty = empty_question()
    return {
        name: value
        for name, value in (question | {"was": ""}).items()
        if name == "type" or value != empty[name]
    }
