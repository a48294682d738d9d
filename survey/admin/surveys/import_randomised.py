"""Make a survey from a file whose columns were randomised elsewhere: its options and preview.

The page has the options of the command `responses import-randomised`, under the same names. As on
the page "Load responses", the preview holds the file in a hidden field, and the second step checks
it again.
"""

import base64
import io
from pathlib import PurePath
from typing import Any

from flask import flash, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import RandomisedForm
from survey.admin.surveys.import_export import taken_slugs
from survey.admin.surveys.load import (
    MAX_FAULTS_SHOWN,
    MAX_ROWS_SHOWN,
    encoding_choice,
    file_of,
    lines_of,
)
from survey.admin.surveys.load import preview_cells as cells_of
from survey.core.csv_tables import UnknownEncoding
from survey.core.errors import SurveyError
from survey.core.translate import translate, translate_plural
from survey.definition.certainty import epsilon_text, survey_loss_text
from survey.definition.choices import plain_ascii
from survey.definition.survey import MAX_TITLE_CHARACTERS
from survey.formats.csv_export import csv_column_names
from survey.formats.definition_files import slug_with_suffix
from survey.formats.randomised_csv.build_survey import (
    ColumnFaults,
    ImportedSurvey,
    survey_from_table,
)
from survey.formats.randomised_csv.options import OptionTexts, parse_options
from survey.formats.randomised_csv.sheet import read_csv_table
from survey.store import EDITOR
from survey.web.audit_log import CREATED_FROM_FILE, audit
from survey.web.load_responses import create_survey_with_responses, response_batches

# The slug of a title without letters of the alphabet.
DEFAULT_SLUG = "responses"
MAX_SLUG_START_CHARACTERS = 50


def randomised_page(form: RandomisedForm, status: int, **more: Any) -> ResponseReturnValue:
    page = render_template(
        "admin/surveys/import_randomised.html", form=form, most_faults=MAX_FAULTS_SHOWN, **more
    )
    return page, status


def typed_options(form: RandomisedForm) -> OptionTexts:
    return OptionTexts(
        private=lines_of(form.private.data),
        yes=lines_of(form.yes.data),
        choices=lines_of(form.choices.data),
        categories=lines_of(form.categories.data),
        skip=lines_of(form.skip.data),
        numbers=lines_of(form.numbers.data),
        weights=lines_of(form.weights.data),
        keep_missing=lines_of(form.keep_missing.data),
        decimal_mark=lines_of(form.decimal_mark.data),
        require_complete=form.require_complete.data,
        design_by=(form.design_by.data or "").strip(),
        join=lines_of(form.join.data),
    )


def read_file(content: bytes, form: RandomisedForm) -> ImportedSurvey:
    """The survey and the responses of a file. Raises SurveyError."""
    missing, encoding, separator = form.missing.data, form.encoding.data, form.separator.data
    table = read_csv_table(io.BytesIO(content), lines_of(missing), encoding, separator)
    options = parse_options(typed_options(form), table.columns)
    title = (form.title.data or "").strip() or translate("Imported responses")
    start = plain_ascii(title)[:MAX_SLUG_START_CHARACTERS].strip("-") or DEFAULT_SLUG
    return survey_from_table(table, options, slug_with_suffix(start, taken_slugs()), title)


def listed_faults(error: SurveyError) -> tuple[str, ...]:
    return error.faults if isinstance(error, ColumnFaults) else (str(error),)


@blueprint.get("/import/responses", role=EDITOR)
def import_randomised() -> ResponseReturnValue:
    return randomised_page(RandomisedForm(formdata=None), 200)


@blueprint.post("/import/responses", role=EDITOR)
def check_randomised() -> ResponseReturnValue:
    """A preview of a file. Nothing is stored."""
    form = RandomisedForm()
    if not form.title.data and form.file.data:
        form.title.data = PurePath(form.file.data.filename or "").stem[:MAX_TITLE_CHARACTERS]
    too_large = translate(
        "The file is larger than 2 MB. Use the command `responses import-randomised`."
    )
    if not form.validate() or (content := file_of(form, too_large)) is None:
        return randomised_page(form, 422)
    try:
        imported = read_file(content, form)
    except UnknownEncoding as error:
        return randomised_page(form, 422, **encoding_choice(form, error, content))
    except SurveyError as error:
        return randomised_page(form, 422, faults=listed_faults(error))
    survey = imported.survey
    return randomised_page(
        form,
        200,
        imported=imported,
        survey=survey,
        columns=[name for field in survey.fields for name in csv_column_names(field)],
        rows=[cells_of(survey, row) for row in imported.rows[:MAX_ROWS_SHOWN]],
        content=base64.b64encode(content).decode(),
        kept=[
            field
            for field in form
            if field.name not in ("file", "content", "csrf_token") and field.data
        ],
        epsilon_text=epsilon_text,
        loss=survey_loss_text(survey),
    )


@blueprint.post("/import/responses/add", role=EDITOR)
def create_from_responses() -> ResponseReturnValue:
    """Create the survey of a preview."""
    form = RandomisedForm()
    if not form.validate() or (content := file_of(form, "")) is None:
        return randomised_page(RandomisedForm(formdata=None), 422)
    try:
        imported = read_file(content, form)
    except SurveyError as error:
        return randomised_page(RandomisedForm(formdata=None), 422, faults=listed_faults(error))
    n, slug = len(imported.rows), imported.survey.slug
    batches = response_batches(iter(imported.rows))
    create_survey_with_responses(imported.survey, batches, g.account.name)
    audit(CREATED_FROM_FILE, slug)
    flash(translate_plural("Candor loaded %(n)s response.", "Candor loaded %(n)s responses.", n))
    return redirect(url_for("admin.results", slug=slug))
