"""Public results in the survey's languages, if the researcher turned them on.

The argument: they use only the published reports to private questions. Those are the output of
the randomizers, and nothing computed from it reveals more about anyone (post-processing). Answers
to non-private questions have no such protection and are left out. If the researcher turned them
on, the page shows central DP releases of these questions: with noise, and within a budget.
"""

from dataclasses import dataclass

from flask import Blueprint, abort, render_template

from survey.central_dp.accuracy import noise_outweighs_responses, rank_bounds, selected_of
from survey.central_dp.budget import Release, total_loss
from survey.central_dp.chart import Picture
from survey.central_dp.dp_request import question_of
from survey.central_dp.figure_noise import FigureNoise, common_noise
from survey.central_dp.figures import DPFigure, most_frequent_count, tree_accuracy_figure
from survey.central_dp.selection import Selection
from survey.central_dp.tree import DPTree
from survey.core.number_grid import decimal_text
from survey.definition.survey import Survey
from survey.estimation.build_results import survey_results
from survey.estimation.findings.public_sentences import (
    percentage,
    possible_mean,
    public_finding,
    public_remarks,
    sentences_on_asked,
)
from survey.estimation.number_text import number
from survey.estimation.types.joint_items import item_questions
from survey.estimation.types.joint_texts import parts_sentence
from survey.formats.citation import citation_of
from survey.respondent.routes import frozen_for_page
from survey.server.http.hosts import absolute_url
from survey.web.central_dp_service import figures_and_picture
from survey.web.extensions import store
from survey.web.i18n import page_words, preferred_language, render_in

blueprint = Blueprint("public", __name__)


@dataclass(frozen=True, kw_only=True)
class ShownRelease:
    """A central DP release as the page shows it.

    Attributes
    ----------
    near : the accuracy of a selected answer or a tree, which have no range
    sides : for a quantile, how many answers may be below and above it, if known
    right, usual : for a tree, how many people it and its most frequent answer predict correctly
    """

    release: Release
    figures: list[DPFigure]
    picture: Picture | None
    near: Selection | DPTree | None
    sides: tuple[int, int] | None
    lost_in_noise: bool
    noise: FigureNoise | None
    right: DPFigure | None
    usual: tuple[str, int, int] | None


def shown_release(survey: Survey, release: Release) -> ShownRelease:
    request, n = release.request, release.n
    drawn = (survey, request, n, release.drawn)
    right = tree_accuracy_figure(*drawn)
    figures, picture = figures_and_picture(survey, release)
    return ShownRelease(
        release=release,
        figures=figures,
        picture=picture,
        near=selected_of(survey, request),
        sides=rank_bounds(survey, request, n),
        lost_in_noise=noise_outweighs_responses(survey, request, n),
        noise=common_noise(survey, request, n),
        right=right,
        usual=most_frequent_count(*drawn) if right else None,
    )


@blueprint.get("/s/<slug>/results")
def results(slug: str) -> str:
    stored, shared, version = store().public.shown_results(slug)
    frozen, origin, ledger = frozen_for_page(stored, version), stored.origin, shared.ledger
    if not shared.estimates and not ledger:
        abort(404, "The results of this survey are not public.")
    language = preferred_language(frozen.survey.languages)
    survey = frozen.survey.in_language(language)
    visible_results = survey_results(frozen, shared.counts, origin).as_published
    with render_in(language):
        return render_template(
            "respondent/results.html",
            survey=survey,
            languages=frozen.survey.languages,
            origin=origin,
            estimates=shared.estimates,
            n=visible_results.n,
            target=visible_results.target,
            citation=citation_of(
                visible_results,
                language,
                address=absolute_url("public.results", slug=slug),
                private_only=True,
                field_days=shared.field_days,
            ),
            percentage=percentage,
            possible_mean=possible_mean,
            parts_sentence=parts_sentence,
            public_finding=public_finding,
            public_remarks=public_remarks,
            sentences_on_asked=sentences_on_asked,
            questions=[
                (question, item_questions(survey, question), result)
                for question, result in zip(survey.fields, visible_results.questions, strict=True)
                if not question.non_private
            ],
            left_out=not ledger and bool(survey.non_private),
            releases=[shown_release(survey, each) for each in ledger],
            lost=[decimal_text(loss) for loss in total_loss(each.request for each in ledger)],
            question_of=question_of,
            written=public_number,
        )


def public_number(value: float) -> str:
    """A number on the axis of a chart, with the signs of the page's language."""
    return page_words().write_number(number(value))
