"""The pages at /learn, for everyone.

They read the address and the language of a request, set no cookie, and store nothing. Every number
comes from the address. The server keeps each page as it begins, and calculates it again for each
request with another value (survey/server/http/page_cache.py).
"""

from typing import Any

from flask import Blueprint, Response, abort, render_template, request, url_for

from survey.core.languages import LANGUAGES
from survey.core.translate import translate
from survey.learn.controls import Draw, read_values
from survey.learn.exercise_sheets import sheet_parts
from survey.learn.lesson import Lesson, check_answer
from survey.learn.lessons import LESSONS
from survey.learn.notebook import write_notebook
from survey.server.http.page_cache import note_source

blueprint = Blueprint("learn", __name__, url_prefix="/learn")


@blueprint.url_defaults
def keep_language(_endpoint: str, values: dict[str, Any]) -> None:
    """Links between the lessons keep the language that the reader chose."""
    chosen = request.args.get("language", "")
    if chosen in LANGUAGES and request.blueprint == blueprint.name:
        values.setdefault("language", chosen)


@blueprint.get("/", endpoint="contents")
def show_contents() -> str:
    """The list of lessons (GET, everyone, 200)."""
    note_source(b"", [*LANGUAGES])
    return render_template("learn/contents.html", lessons=LESSONS, language_links=language_links())


@blueprint.get("/exercises", endpoint="exercises")
def show_exercises() -> str:
    """A sheet with the exercises of all lessons, to print (GET, everyone, 200)."""
    return exercise_sheet(answers=False)


@blueprint.get("/answers", endpoint="answers")
def show_answers() -> str:
    """The same sheet with the answers (GET, everyone, 200)."""
    return exercise_sheet(answers=True)


def exercise_sheet(*, answers: bool) -> str:
    note_source(b"", [*LANGUAGES])
    return render_template(
        "learn/exercises.html",
        parts=sheet_parts(LESSONS),
        answers=answers,
        language_links=language_links(),
    )


@blueprint.get("/<address>", endpoint="lesson")
def show_lesson(address: str) -> str:
    """A lesson with the values in the address (GET, everyone, 200; 404 for an unknown lesson)."""
    found, place = lesson_at(address)
    note_source(b"", [*LANGUAGES])
    values = read_values(found.controls, request.args)
    replies = [
        (each, check_answer(each, request.args.get(each.field, ""))) for each in found.exercises
    ]
    return render_template(
        f"learn/{found.address.replace('-', '_')}.html",
        lesson=found,
        place=place + 1,
        lessons=LESSONS,
        before=LESSONS[place - 1] if place else None,
        after=LESSONS[place + 1] if place + 1 < len(LESSONS) else None,
        values=values,
        shown=found.show(values),
        replies=replies,
        language_links=language_links(),
        draws=any(isinstance(control, Draw) for control in found.controls),
    )


@blueprint.get("/<address>.ipynb", endpoint="notebook")
def send_notebook(address: str) -> Response:
    """The numbers of a lesson as a notebook (GET, everyone, 200; 404 for an unknown lesson)."""
    found, _ = lesson_at(address)
    values = read_values(found.controls, request.args)
    page = url_for("learn.lesson", address=address, _external=True, **values.written)
    reply = Response(write_notebook(found, values, page), mimetype="application/x-ipynb+json")
    reply.headers.set("Content-Disposition", "attachment", filename=f"{address}.ipynb")
    return reply


def lesson_at(address: str) -> tuple[Lesson, int]:
    for place, found in enumerate(LESSONS):
        if found.address == address:
            return found, place
    abort(
        404,
        translate("There is no lesson at this address. Choose one from the list of lessons."),
    )


def language_links() -> list[tuple[str, str]]:
    """Each language with the address of this page in it. The values of the controls stay."""
    kept = {
        name: value
        for name, value in request.args.items()
        if name not in ("language", "again") and len(value) <= 100
    }
    arguments = {**kept, **(request.view_args or {})}
    endpoint = request.endpoint or "learn.contents"
    return [(each, url_for(endpoint, **{**arguments, "language": each})) for each in LANGUAGES]
