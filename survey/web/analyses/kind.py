"""What an analysis is: its form, its result and its texts.

The page, the files, the API, the command, the chart and the help of an analysis are made from this
description, and from what it computes. Adding one is a module with a description, and a line in
survey/web/analyses/kinds.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.columns import source_questions
from survey.analysis.columns.design_file import DesignFile
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate_constant
from survey.estimation.build_results import misfit_remark
from survey.estimation.findings.remarks import Remark
from survey.store import StoredSurvey
from survey.web.analyses.forms import AnalysisForm
from survey.web.analyses.request import Query, check_different, form_for, kept_file
from survey.web.analyses.result import AnalysisResult
from survey.web.extensions import store
from survey.web.published_results import frozen_of

Columns = list[AnalysisColumn]
Run = Callable[[Any, Columns, SurveyDesign], AnalysisResult]


@dataclass(frozen=True, kw_only=True)
class Computation:
    """An analysis whose data are read. It needs no database, so another process can run it.

    Attributes
    ----------
    compute, form, columns, design : see `AnalysisKind`
    elsewhere : see `AnalysisForm`
    misfits : a remark on each question whose reports do not fit their design
    """

    compute: Run
    form: AnalysisForm
    columns: Columns
    design: SurveyDesign
    elsewhere: tuple[tuple[StoredSurvey, AnalysisColumn], ...]
    misfits: tuple[Remark, ...]

    def result(self) -> AnalysisResult:
        """The result. Raises UnanswerableQuestion.

        If the reports on a question do not fit their design, the result says this instead of its
        finding.
        """
        told = [remark.sentence for remark in self.misfits]
        # A form may be read several times, such as in two languages.
        self.form.elsewhere = self.elsewhere
        try:
            result = self.compute(self.form, self.columns, self.design)
        except UnanswerableQuestion as refusal:
            raise UnanswerableQuestion(join_sentences(*told, str(refusal))) from refusal
        if not told:
            return result
        return replace(result, sentence=join_sentences(*told), verdict=self.misfits)


@dataclass(frozen=True, kw_only=True)
class AnalysisKind:
    """An analysis.

    Attributes
    ----------
    name : in the addresses of its page and files, and of its command
    title : in the list of analyses
    about : what it does, in the language of the page
    form : what a researcher chooses
    compute : the result, from the form, the columns and the design. Raises UnanswerableQuestion.
    help : the address of its formulas in the documents
    """

    name: str
    title: str
    about: Callable[[], str]
    form: type[AnalysisForm]
    compute: Run
    help: str

    def form_of_query(
        self, found: StoredSurvey, query: Query, file: DesignFile | None = None
    ) -> AnalysisForm | None:
        """The form with what a query chooses; None if the survey has too few questions.

        `file` is a design file instead of the one that the survey keeps.
        """
        survey = frozen_of(found).survey
        if len({each.question.name for each in self.form.usable(survey)}) < self.form.fewest:
            return None
        form = form_for(self.form, survey, query, file)
        form.found, form.query = found, query
        form.offer_others(found)
        return form

    def valid_form(
        self, found: StoredSurvey, query: Query, file: DesignFile | None = None
    ) -> AnalysisForm:
        """The form with what a query chooses. Raises UnanswerableQuestion if it is not valid."""
        form = self.form_of_query(found, query, file)
        if form is None:
            raise UnanswerableQuestion(translate_constant(self.form.lacking))
        if not query:
            raise UnanswerableQuestion("The address has no parameters: copy it from the page.")
        if not form.validate():
            name, faults = next(iter(form.errors.items()))
            label = translate_constant(form[name].label.text if name else self.title)
            messages = (translate_constant(str(fault)) for fault in faults)
            raise UnanswerableQuestion(f"{label}: {join_sentences(*messages)}")
        return form

    def result(
        self, found: StoredSurvey, query: Query, file: DesignFile | None = None
    ) -> AnalysisResult:
        """The result for a query, however long it takes. Raises UnanswerableQuestion."""
        return self.read(found, self.valid_form(found, query, file), file).result()

    def read(
        self, found: StoredSurvey, form: AnalysisForm, file: DesignFile | None = None
    ) -> Computation:
        """Read all that the result for a valid form needs. Raises UnanswerableQuestion."""
        survey = frozen_of(found).survey
        check_different(survey, form.wanted)
        rows = store().responses.rows(survey.slug)
        columns, design = columns_and_design(
            survey, rows, form.wanted, form.design, file or kept_file(survey)
        )
        own, *others = form.used_surveys(found)
        elsewhere = tuple((other, column_of(other, name)) for other, (name,) in others)
        misfits = tuple(
            remark for used, names in (own, *others) for remark in misfit_remarks(used, names)
        )
        return Computation(
            compute=self.compute,
            form=form,
            columns=columns,
            design=design,
            elsewhere=elsewhere,
            misfits=misfits,
        )


def column_of(found: StoredSurvey, name: str) -> AnalysisColumn:
    """A column of another survey. Raises UnanswerableQuestion."""
    survey = frozen_of(found).survey
    (column,), _ = columns_and_design(survey, store().responses.rows(survey.slug), [name])
    return column


def misfit_remarks(found: StoredSurvey, names: Sequence[str]) -> list[Remark]:
    """A remark on each question behind these columns whose reports do not fit their design."""
    survey = frozen_of(found).survey
    sources = {source for name in names for source in source_questions(survey, name)}
    counts = store().counts.by_question(found.survey.slug)
    found_remarks = (
        misfit_remark(question, counts.get(question.name, {}))
        for question in survey.fields
        if question.name in sources
    )
    return [remark for remark in found_remarks if remark is not None]
