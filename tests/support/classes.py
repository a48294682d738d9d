"""Surveys in class mode, and responses to them."""

import random

from survey.admin.results.looks import look_at
from survey.charts.looks import Look
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.store import Store
from survey.store.sql.surveys import ABOUT_A_SURVEY
from tests.support.batches import feed
from tests.support.definitions import definition, yes_no
from tests.support.stores import connected, tables_with


def class_definition(*questions: dict, **rest: object) -> dict:
    """A survey in class mode, which sets the size of its batches itself."""
    content = definition(*questions, class_mode=True, **rest)
    del content["batch"]
    return content


def send(store: Store, *reports: int, slug: str = "health", seed: int = 1) -> None:
    """A response with each of these reports to the only question. 0 is Yes."""
    r = random.Random(seed)
    feed(store, [Response(r.randbytes(16), (report,)) for report in reports], slug)


def look(yes: int, no: int, question: dict | None = None, **rest: object) -> Look | None:
    """The share of Yes in a class after these reports to one question."""
    content = class_definition(question or yes_no(), **rest)
    frozen = freeze(parse_survey(content), confirmed=True)
    results = survey_results(frozen, {"smokes": {0: yes, 1: no}}, "browser").as_shown
    return look_at(results.questions[0], "yes", 30)


def is_erased(database: object, slug: str = "health") -> bool:
    """Whether the database has no row about a survey or its sub-surveys, and no table of theirs."""
    columns = {"surveys": "slug"} | dict.fromkeys(ABOUT_A_SURVEY, "survey")
    with connected(database) as db:
        left = [
            table
            for table, column in columns.items()
            if db.execute(
                f"SELECT 1 FROM {table} WHERE {column} = ? OR {column} LIKE ?", [slug, f"{slug}.%"]
            ).fetchone()
        ]
    return not left and not [name for name in tables_with(database) if slug in name]
