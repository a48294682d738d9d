"""The results page of a survey, and its charts as files."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from survey.admin.blueprint import blueprint, link_of, results_of
from survey.admin.surveys.overview import received_sentence
from survey.charts.caption import add_caption, caption_lines
from survey.charts.results_chart import results_chart
from survey.charts.svg import LOOK, svg_file
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import page_language, translate
from survey.definition.sub_surveys import sub_survey_kind, sub_surveys_of, whole_of
from survey.estimation.confidence_sequences import QuestionSequences, question_sequences
from survey.estimation.manipulation import fake_sentences
from survey.estimation.poststratification import weighted_results
from survey.estimation.progress import first_results_sentence
from survey.estimation.results import Results
from survey.estimation.types.comprehension_results import comprehension_results
from survey.formats.citation import Citation, citations_of
from survey.formats.field_days import FieldDays
from survey.server.http.hosts import absolute_url
from survey.store import ANALYST, StoredSurvey
from survey.web.analyses.crosswise import anchored_sentences
from survey.web.analyses.weights import read_weighting
from survey.web.audit_log import audit_file
from survey.web.exports.written_texts import why_texts_are_unread
from survey.web.extensions import store
from survey.web.published_results import Remembered

# The questions of a page take about 20 kB each.
remembered_questions = Remembered[tuple[Results, str]](8)


@blueprint.get("/surveys/<slug>/results", role=ANALYST)
def results(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(whole_of(slug))
    survey_results = results_of(stored)
    weighing = read_weighting(request.args, survey_results)
    if weighing.by and weighing.groups:
        try:
            survey_results = weighted_results(survey_results, weighing.by, weighing.groups)
        except UnanswerableQuestion as error:
            weighing.groups, weighing.faults[""] = (), str(error)

    def picture_of(survey: str, question: str) -> str:
        address = url_for("admin.picture", slug=survey, question=question)
        weighted = weighing.groups and survey == stored.survey.slug
        return f"{address}?{urlencode(request.args)}" if weighted else address

    by = weighing.by.label if weighing.by and weighing.groups else ""
    citations = citations_for(stored, survey_results.as_shown, by)
    facts = QuestionFacts(
        watched=is_watched(stored) and not weighing.groups,
        anchored=tuple(() if weighing.groups else anchored_sentences(stored).items()),
        fraction=weighing.fraction,
        address=citations[0].address,
        field_days=citations[0].field_days,
        root=request.script_root,
    )

    def drawn_questions() -> str:
        return questions_html(stored, survey_results, facts, citations[0], picture_of)

    if weighing.groups:
        drawn = drawn_questions()
    else:
        # The results are in the value, too, so that no other results have their id.
        key = (id(survey_results), facts)
        _, drawn = remembered_questions.of(key, lambda: (survey_results, drawn_questions()))
    return render_template(
        "admin/results/results.html",
        found=stored,
        survey=stored.survey,
        link=link_of(stored),
        results=survey_results.as_shown,
        questions=Markup(drawn),  # noqa: S704 (a template made it, which escapes all texts)
        citations=citations,
        weighing=weighing,
        picture_of=picture_of,
        fraction=weighing.fraction,
        fake_sentences=fake_sentences,
        weights_query=urlencode(request.args),
        parts={
            sub_survey_kind(part.slug): results_of(store().surveys.by_slug(part.slug)).as_shown
            for part in sub_surveys_of(stored.survey)
        },
        texts_unread=why_texts_are_unread(stored),
        comprehension_results=comprehension_results,
        so_far=received_sentence(stored),
        first_results=first_results_sentence(stored.survey.fieldwork.batch),
    )


def citations_for(stored: StoredSurvey, shown: Results, weighted_by: str) -> list[Citation]:
    """The citations of the results as the page shows them, that of its language first."""
    public = store().shares.is_published(stored.survey.slug)
    return citations_of(
        shown,
        weighted_by,
        absolute_url("public.results", slug=stored.survey.slug) if public else "",
        page_language.get(),
        store().public.field_days(stored),
    )


@dataclass(frozen=True, kw_only=True)
class QuestionFacts:
    """All that the questions of the page depend on, apart from the results without weights.

    Attributes
    ----------
    watched : whether they have intervals that hold at every look
    anchored : the names of crosswise questions, each with its corrected share in a sentence
    fraction : the assumed share of fake responses
    address, field_days : as in a citation
    root : what all addresses of the application begin with
    """

    watched: bool
    anchored: tuple[tuple[str, str], ...]
    fraction: float
    address: str
    field_days: FieldDays | None
    root: str


def questions_html(
    stored: StoredSurvey,
    survey_results: Results,
    facts: QuestionFacts,
    citation: Citation,
    picture_of: Callable[[str, str], str],
) -> str:
    """The results of all questions as HTML."""
    shown = survey_results.as_shown
    return render_template(
        "admin/results/questions.html",
        survey=stored.survey,
        results=shown,
        citations=[citation],
        sequences=sequences_of(stored, shown) if facts.watched else {},
        anchored=dict(facts.anchored),
        fraction=facts.fraction,
        fake_sentences=fake_sentences,
        picture_of=picture_of,
    )


def is_watched(stored: StoredSurvey) -> bool:
    """Whether the results are watched, so that they have intervals that hold at every look.

    These are open surveys, and those whose designer planned to watch them.
    """
    work = stored.survey.fieldwork
    planned = work.planned is not None or work.stop_at is not None
    return stored.origin == "browser" and (stored.state == "open" or planned)


def sequences_of(stored: StoredSurvey, shown: Results) -> dict[str, QuestionSequences]:
    """The intervals that hold at every look, by question."""
    work = stored.survey.fieldwork
    return {each.question.name: question_sequences(each, work.planned) for each in shown.every}


@blueprint.get("/surveys/<slug>/pictures/<path:question>.svg", role=ANALYST)
def picture(slug: str, question: str) -> Response:
    """The chart of one question, with the same weights as the page that links to it."""
    stored = store().surveys.by_slug(slug)
    survey_results = results_of(stored)
    weighing = read_weighting(request.args, survey_results)
    if weighing.by and weighing.groups:
        survey_results = weighted_results(survey_results, weighing.by, weighing.groups)
    result = next((q for q in survey_results.as_shown.every if q.question.name == question), None)
    if result is None or not result.answers:
        abort(404, translate("There is no chart of this question."))
    weighted_by = weighing.by.label if weighing.by and weighing.groups else ""
    lines = caption_lines(result, stored.survey.title, slug, stored.origin, weighted_by)
    chart = add_caption(results_chart(result), lines)
    description = " ".join([*(line for _, line in lines), result.sentence])
    drawn = chart.svg(result.sentence, title=result.question.label, desc=description, style=LOOK)
    content = svg_file(drawn, width=chart.width, height=chart.height)
    response = Response(content, mimetype="image/svg+xml")
    name = f"{slug}-{question.replace('/', '-')}.svg"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return audit_file(response, "downloaded a chart", slug)
