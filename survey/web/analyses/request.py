"""A request for an analysis: its query, and the form that the query fills in."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from werkzeug.datastructures import MultiDict

from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.design_file import DesignFile, read_design_file
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import Survey
from survey.web.analyses.forms import AnalysisForm
from survey.web.extensions import store

Query = MultiDict[str, str]


def check_different(survey: Survey, wanted: Sequence[str]) -> None:
    """Raise UnanswerableQuestion if a column is requested twice."""
    labels = {each.name: each.label for each in analysable_variables(survey)}
    twice = [labels[name] for place, name in enumerate(wanted) if name in wanted[:place]]
    if twice:
        raise UnanswerableQuestion(
            "“%(question)s” is chosen twice. Choose different questions.", question=twice[0]
        )


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


def form_for(
    kind: type[AnalysisForm], survey: Survey, query: Query, file: DesignFile | None = None
) -> AnalysisForm:
    """The form with the questions of a survey, and the columns of a design file: this one, or the
    one that the survey keeps."""
    form = kind(query or None)
    form.offer(survey)
    file = file or kept_file(survey)
    if file is not None:
        form.offer_file(file)
    return form
