"""The help pages, for anyone: the documents, their images, and a search.

They are on the host of researchers, where that has a name of its own. They read nothing of a
request but its address, and set no cookie.
"""

from flask import Blueprint, Response, abort, render_template, request

from survey.core.languages import MAIN
from survey.server.http.page_cache import note_source
from survey.web.help.documents import IMAGE_TYPES, anchor_of, project_documents
from survey.web.help.search import project_index
from survey.web.help.topics import help_topic, help_url, term

blueprint = Blueprint("help", __name__, url_prefix="/help")
for function in (help_topic, help_url, term):
    blueprint.add_app_template_global(function)

MIN_LISTED_HEADINGS = 3


@blueprint.get("/")
def contents() -> str:
    return document("")


@blueprint.get("/<path:address>")
def document(address: str) -> str:
    found = project_documents().by_address.get(address)
    if found is None:
        abort(
            404,
            "There is no help page at this address. Choose a page from the list of all help pages.",
        )
    # A document has one language. Its version is empty, because it cannot change while the server
    # runs.
    note_source(b"", [MAIN])
    html, sections = found.page
    headings = [section for section in sections if section.level == 2]
    return render_template(
        "help/document.html",
        document=found,
        html=html,
        part_anchor=anchor_of(found.part),
        headings=headings if len(headings) >= MIN_LISTED_HEADINGS else [],
    )


@blueprint.get("/images/<path:name>")
def image(name: str) -> Response:
    path = project_documents().images.get(name)
    if path is None:
        abort(404, "There is no image at this address.")
    return Response(path.read_bytes(), mimetype=IMAGE_TYPES[path.suffix])


@blueprint.get("/search")
def search() -> str:
    typed = request.args.get("q", "")
    results = project_index().find(typed) if typed.strip() else None
    return render_template("help/search.html", results=results)
