"""The results of a survey, as a page."""

from flask import render_template
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..comprehension import understood
from ..current import store
from ..parts import kind_of, parts_of, whole_of
from ..store import ANALYST
from .blueprint import blueprint, link_of, results_of


@blueprint.get("/surveys/<slug>/results")
@requires(ANALYST)
def results(slug: str) -> ResponseReturnValue:
    found = store().survey(whole_of(slug))
    return render_template(
        "admin/results.html",
        found=found,
        survey=found.survey,
        link=link_of(found),
        results=results_of(found),
        parts={
            kind_of(part.slug): results_of(store().survey(part.slug))
            for part in parts_of(found.survey)
        },
        understood=understood,
    )
