"""The results of a survey, as a page, and its pictures as files."""

from urllib.parse import urlencode

from flask import Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, link_of, results_of
from survey.admin.results.weights import asked_for
from survey.admin.surveys.overview import come_so_far
from survey.core.errors import UnanswerableQuestion
from survey.definition.sub_surveys import kind_of, parts_of, whole_of
from survey.estimation.chart_captions import caption_of
from survey.estimation.comprehension_results import understood
from survey.estimation.manipulation import most_moved
from survey.estimation.poststratification import weighted_results
from survey.store import ANALYST
from survey.web.auth import requires
from survey.web.extensions import store


@blueprint.get("/surveys/<slug>/results")
@requires(ANALYST)
def results(slug: str) -> ResponseReturnValue:
    found = store().survey(whole_of(slug))
    shown = results_of(found)
    weighing = asked_for(request.args, shown)
    if weighing.by and weighing.groups:
        try:
            shown = weighted_results(shown, weighing.by, weighing.groups)
        except UnanswerableQuestion as error:
            weighing.groups, weighing.faults[""] = (), str(error)

    def picture_of(survey: str, question: str) -> str:
        address = url_for("admin.picture", slug=survey, question=question)
        weighted = weighing.groups and survey == found.survey.slug
        return f"{address}?{urlencode(request.args)}" if weighted else address

    return render_template(
        "admin/results/results.html",
        found=found,
        survey=found.survey,
        link=link_of(found),
        results=shown.as_shown,
        weighing=weighing,
        fraction=weighing.fraction,
        most_moved=most_moved,
        picture_of=picture_of,
        parts={
            kind_of(part.slug): results_of(store().survey(part.slug)).as_shown
            for part in parts_of(found.survey)
        },
        understood=understood,
        so_far=come_so_far(found),
    )


@blueprint.get("/surveys/<slug>/pictures/<question>.svg")
@requires(ANALYST)
def picture(slug: str, question: str) -> Response:
    """The picture of one question, weighted as the page that links to it is."""
    found = store().survey(slug)
    shown = results_of(found)
    weighing = asked_for(request.args, shown)
    if weighing.by and weighing.groups:
        shown = weighted_results(shown, weighing.by, weighing.groups)
    result = next((q for q in shown.as_shown.questions if q.question.name == question), None)
    if result is None or not result.answers:
        abort(404, "There is no picture of this question.")
    weighted_by = weighing.by.label if weighing.by and weighing.groups else ""
    caption = caption_of(result, found.survey.title, slug, found.origin, weighted_by)
    drawn = render_template("admin/results/chart.svg", result=result, caption=caption)
    response = Response(drawn, mimetype="image/svg+xml")
    name = f"{slug}-{question}.svg"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
