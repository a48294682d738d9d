"""How answers to several questions go together."""

from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue

from ..analysis import columns_of
from ..analysis.association import RIGHT_WHEN
from ..analysis.crosstabs import Crosstab, crosstab
from ..analysis.offered import offered
from ..analysis_forms import OF_ALL, OF_COLUMN, OF_ROW, CrosstabForm
from ..auth import requires
from ..current import store
from ..errors import UnanswerableQuestion
from ..parts import whole_of
from ..store import ANALYST
from .blueprint import blueprint, frozen_of
from .overview import come_so_far


def tabulated(slug: str, wanted: list[str]) -> Crosstab:
    """Raises UnanswerableQuestion where the responses do not tell it."""
    if len(set(wanted)) < len(wanted):
        raise UnanswerableQuestion("Choose different questions.")
    survey = store().survey(slug).survey
    columns = columns_of(survey, store().responses(slug), wanted)
    return crosstab([columns[name] for name in wanted])


@blueprint.get("/surveys/<slug>/analysis")
@requires(ANALYST)
def analysis(slug: str) -> ResponseReturnValue:
    found = store().survey(whole_of(slug))
    frozen_of(found)
    variables = offered(found.survey)
    shown: dict[str, Any] = {}
    if len({each.question.name for each in variables}) > 1:
        form = shown["form"] = CrosstabForm(request.args or None)
        form.offer(variables)
        if request.args and form.validate():
            try:
                table = shown["table"] = tabulated(found.survey.slug, form.wanted)
                of = {OF_ALL: table.cells, OF_ROW: table.of_row, OF_COLUMN: table.of_column}
                shares = shown["percentages"] = of[form.of.data]
                shown["unknown"] = any(each and each.low <= 0 and each.high >= 1 for each in shares)
            except UnanswerableQuestion as refusal:
                released, _ = store().released_and_waiting(found.survey.slug)
                waiting = "" if released else come_so_far(found)
                shown["refusal"] = f"{refusal} {waiting}".strip()
    return render_template(
        "admin/analysis.html",
        found=found,
        survey=found.survey,
        right_when=RIGHT_WHEN,
        **shown,
    )
