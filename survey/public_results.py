"""Results for everyone, in the survey's languages, where the researcher turned them on.

The argument: they are made of the released reports to private questions alone. Those are the
output of the randomizers, and whatever is computed from it tells nobody more of anyone than it
did (post-processing). Plain answers have no such protection and are left out.
"""

from flask import Blueprint, abort, render_template
from flask_babel import force_locale

from .current import store
from .figures import survey_results
from .i18n import preferred
from .respond import published
from .results import FEWEST_SHOWN

blueprint = Blueprint("public", __name__)


@blueprint.get("/s/<slug>/results")
def results(slug: str) -> str:
    frozen, _, origin = published(slug)
    if not store().is_published(slug):
        abort(404, "The results of this survey are not public.")
    language = preferred(frozen.survey.languages)
    survey = frozen.survey.in_language(language)
    shown = survey_results(frozen, store().counts(slug), origin).as_shown
    with force_locale(language):
        return render_template(
            "respond/results.html",
            survey=survey,
            languages=frozen.survey.languages,
            origin=origin,
            n=shown.n,
            fewest=FEWEST_SHOWN,
            questions=[
                (question, result)
                for question, result in zip(survey.fields, shown.questions, strict=True)
                if not question.plain
            ],
            left_out=any(question.plain for question in survey.fields),
        )
