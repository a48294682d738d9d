"""A request for an analysis: the form that a query fills in, and the columns that it names."""

from urllib.parse import parse_qsl, urlencode

from werkzeug.datastructures import MultiDict

from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.column_request import analysed
from survey.analysis.columns.design_file import DesignFile, read_design_file
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import translate
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.analyses.forms import AnalysisForm
from survey.web.extensions import store
from survey.web.published_results import frozen_of

Query = MultiDict[str, str]


def columns_for(
    found: StoredSurvey, form: AnalysisForm
) -> tuple[list[AnalysisColumn], SurveyDesign]:
    """The columns and the design that a form requests, from the published responses.

    Raises UnanswerableQuestion.
    """
    wanted = form.wanted
    survey = frozen_of(found).survey
    labels = {each.name: each.label for each in analysable_variables(survey)}
    twice = [labels[name] for place, name in enumerate(wanted) if name in wanted[:place]]
    if twice:
        raise UnanswerableQuestion(
            translate(
                "“%(question)s” is chosen twice. Choose different questions.", question=twice[0]
            )
        )
    rows = store().responses.rows(survey.slug)
    return analysed(survey, rows, wanted, form.design, kept_file(survey))


def query_of(text: str) -> Query:
    """The query in the text of an address, such as "rows=smokes&columns=party"."""
    return MultiDict(parse_qsl(text, keep_blank_values=True))


def query_text(query: Query, form: AnalysisForm) -> str:
    """The text of a query, with only the fields of the form, in the order of the query."""
    known = {field.name for field in form}
    return urlencode([pair for pair in query.items(multi=True) if pair[0] in known])


def kept_file(survey: Survey) -> DesignFile | None:
    """The survey's design file, or None."""
    content = store().designs.content(survey.slug)
    return None if content is None else read_design_file(content.encode(), survey)


def form_for(found: StoredSurvey, kind: type[AnalysisForm], query: Query) -> AnalysisForm | None:
    """The form with the questions of a survey, or None if it has too few."""
    survey = frozen_of(found).survey
    if len({each.question.name for each in kind.usable(survey)}) < kind.fewest:
        return None
    form = kind(query or None)
    form.offer(survey)
    file = kept_file(survey)
    if file is not None:
        form.offer_file(file)
    return form
