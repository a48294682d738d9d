"""The tables and surveys of lessons about the people of the Titanic."""

from functools import lru_cache
from typing import Any

from survey.core.translate import later
from survey.definition.survey import Survey, parse_survey
from survey.learn.trees.tree_table import TreeTable, answer_labels
from survey.web.titanic_people import (
    ANSWERS,
    LABELS,
    NAMES,
    OLDEST,
    SPLITS,
    SURVIVAL,
    UNKNOWN,
    passengers,
)

AGE_LABELS = (later("age not recorded"),)
COUNTED = later("%(first)s survived, %(second)s died")
SHIP = TreeTable(
    questions=tuple(LABELS[name] for name in SPLITS),
    answers=answer_labels(ANSWERS),
    everyone=later("all people"),
    counted=COUNTED,
)


@lru_cache
def passenger_table() -> TreeTable:
    """The columns of the passengers, of whom nobody belongs to the crew."""
    ages = sorted({int(age) for age in passengers()[:, NAMES.index("age")]} - {UNKNOWN})
    return TreeTable(
        questions=SHIP.questions,
        answers=(SHIP.answers[0][:-1], SHIP.answers[1], AGE_LABELS, SHIP.outcomes),
        everyone=later("all passengers"),
        counted=COUNTED,
        number=NAMES.index("age"),
        oldest=OLDEST,
        cuts=tuple(range(9, OLDEST, 10)),
        ages=tuple(ages[:-1]),
    )


@lru_cache
def passenger_survey(mechanism: str = "") -> Survey:
    """A survey that asks the passengers, with ages from 0 to 99 years."""
    questions = [titanic_question(name, mechanism) for name in NAMES]
    del questions[0]["choices"][-1]
    questions[NAMES.index("age")] = {
        "name": "age",
        "type": "number",
        "label": "age",
        "min": 0,
        "max": OLDEST,
        "prefer_not_to_say": True,
        "privacy": "none",
    }
    return parse_survey({"title": "Titanic", "slug": "titanic", "questions": questions})


def titanic_question(name: str, mechanism: str) -> dict[str, Any]:
    """The definition of a question. Survival is private if there is a mechanism."""
    private = mechanism and name == NAMES[SURVIVAL]
    return {
        "name": name,
        "type": "select_one",
        "label": name,
        "choices": [{"name": answer, "label": answer} for answer in ANSWERS[name]],
        "privacy": {"mechanism": mechanism} if private else "none",
    }


@lru_cache
def titanic_survey(mechanism: str = "") -> Survey:
    """A survey that asks for all four. Survival is private if there is a mechanism."""
    questions = [titanic_question(name, mechanism) for name in NAMES]
    return parse_survey({"title": "Titanic", "slug": "titanic", "questions": questions})
