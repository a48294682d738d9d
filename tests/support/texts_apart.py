"""Texts that are stored apart: all that are recorded, and their publication."""

from survey.definition.fieldwork import MIN_RESPONSES_AT_CLOSING
from survey.definition.responses.parse_response import Response
from survey.store import Store


def recorded_texts(store: Store, slug: str = "health") -> list[tuple[str, ...]]:
    """The texts of each person in the order of their ids, whether they can be read or not."""
    table = store.database.response_table(f"{slug}.texts")
    with store.database.reading() as db:
        rows = db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
    return [tuple(row[1:]) for row in rows]


def publish_texts(store: Store, slug: str = "health") -> None:
    """Close a survey of yes/no questions and texts.

    Before that, people without a text answer, so that enough people have answered.
    """
    survey = store.surveys.by_slug(slug).survey
    for number in range(MIN_RESPONSES_AT_CLOSING - len(recorded_texts(store, slug))):
        texts = Response(bytes([250 - number]) * 16, ("",) * len(survey.apart))
        reports = (0,) * len(survey.fields)
        store.responses.add_response(
            slug, Response(bytes([240 - number]) * 16, reports, texts=texts)
        )
    store.lifecycle.set_state(slug, "closed")
