"""Load responses that were collected elsewhere: a file, its preview, and the loading.

The preview page holds the file in a hidden field, so nothing is stored before the researcher has
seen what would be loaded. The second step checks the file again.
"""

import base64
import binascii
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, whole_survey
from survey.admin.forms.survey_form import LoadForm, TableForm
from survey.core.csv_tables import ENCODINGS, UnknownEncoding
from survey.core.errors import DataFileError, StateError
from survey.core.translate import later, translate, translate_plural
from survey.definition.questions import Question
from survey.definition.report_formats import Bits, Combination, OneOf, Stored
from survey.definition.survey import Survey
from survey.formats.csv_export import csv_column_names
from survey.formats.csv_import import CheckedFile, CSVReading, check_responses
from survey.formats.randomised_csv.options import parse_decimal_marks
from survey.store import EDITOR, StoredSurvey
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.load_responses import closed_for_data, response_batches

# In base64, such a file fits into a form.
MAX_LOADED_FILE_BYTES = 2 * 1024 * 1024
MAX_ROWS_SHOWN = 10
MAX_FAULTS_SHOWN = 20
RULE = later("exactly %(ones)s of the %(n)s cells must be 1.")
# Of a column, without special answers: these, and the last one.
MAX_VALUES_SHOWN = 10


def can_load(found: StoredSurvey) -> bool:
    """Whether responses from a file can be loaded: never next to those of other origins."""
    if found.state == "open" or found.archived:
        return False
    if found.frozen is None or found.origin == "loaded":
        return True
    return not store().counts.number_of_responses(found.survey.slug) and found.origin == "browser"


def survey_to_load(slug: str) -> StoredSurvey:
    """Raises StateError if the survey cannot hold responses from a file."""
    found = whole_survey(slug)
    if not can_load(found):
        raise StateError(
            "You cannot load responses into survey '%(slug)s'. It must be a draft, or a "
            "closed survey with only imported responses. Duplicate it, and load the responses "
            "into the copy.",
            slug=slug,
        )
    return found


def load_page(found: StoredSurvey, form: LoadForm, status: int, **more: Any) -> ResponseReturnValue:
    survey = found.survey
    page = render_template(
        "admin/surveys/load.html",
        tab="admin.overview",
        found=found,
        survey=survey,
        form=form,
        arrived=store().counts.number_of_responses(survey.slug) if found.frozen else 0,
        columns=[name for field in survey.fields for name in csv_column_names(field)],
        described=[row for field in survey.fields for row in described_columns(field)],
        most_faults=MAX_FAULTS_SHOWN,
        **more,
    )
    return page, status


@dataclass(frozen=True, kw_only=True)
class DescribedColumn:
    """A column of a file: its question and choice, and its first possible values with their labels.

    `shortened` says that there are further values before the last one. `rule` is a sentence about
    all columns of the question. A column without values takes any text.
    """

    name: str
    label: str
    choice: str = ""
    values: tuple[tuple[str, str], ...] = ()
    shortened: bool = False
    rule: str = ""


def described_columns(question: Question) -> list[DescribedColumn]:
    """The columns of a question, as the page explains them."""
    names, form = csv_column_names(question), question.form
    labels = {each.name: each.label for each in (*question.answers, *question.choices)}
    if isinstance(form, Bits | Combination):
        ones = form.ones if isinstance(form, Bits) else None
        rule = "" if ones is None else translate(RULE, ones=ones, n=len(names))
        choices = [labels.get(name.partition("/")[2], "") for name in names]
        marks = (("1", ""), ("0", ""))
        return [
            DescribedColumn(name=name, label=question.label, choice=choice, values=marks, rule=rule)
            for name, choice in zip(names, choices, strict=True)
        ]
    if not isinstance(form, OneOf):
        return [DescribedColumn(name=names[0], label=question.label)]
    values = [(name, labels.get(name, name)) for name in form.names]
    values = [(name, "" if label == name else label) for name, label in values]
    special = len(question.special_answers)
    shortened = len(values) - special > MAX_VALUES_SHOWN
    if shortened:
        values = [*values[: MAX_VALUES_SHOWN - 1], *values[len(values) - special - 1 :]]
    return [
        DescribedColumn(
            name=names[0],
            label=question.label,
            choice="",
            values=tuple(values),
            shortened=shortened,
        )
    ]


def preview_cells(survey: Survey, reports: tuple[Stored | None, ...]) -> list[str]:
    """The cells of a row of the preview."""
    cells: list[str] = []
    for question, report in zip(survey.fields, reports, strict=True):
        width = len(csv_column_names(question))
        row = [None] * width if report is None else question.form.cells(report)
        cells += ["" if cell is None else str(cell) for cell in row]
    return cells


def preview(survey: Survey, checked: CheckedFile, content: bytes) -> dict[str, Any]:
    """The variables of the page after a check."""
    if checked.faults:
        return {"faults": checked.faults}
    return {
        "n": len(checked.rows),
        "rows": [preview_cells(survey, row) for row in checked.rows[:MAX_ROWS_SHOWN]],
        "content": base64.b64encode(content).decode(),
    }


def file_of(form: TableForm, too_large: str) -> bytes | None:
    """The content of the file that the researcher chose, or that the page holds.

    None if there is no file, or if it is larger than MAX_LOADED_FILE_BYTES. The form then has the
    error.
    """
    if form.content.data:
        with suppress(binascii.Error):
            return base64.b64decode(form.content.data, validate=True)
    elif form.file.data:
        # A large upload is a temporary file.
        with closing(form.file.data) as file:
            content: bytes = file.read(MAX_LOADED_FILE_BYTES + 1)
        if len(content) <= MAX_LOADED_FILE_BYTES:
            return content
        form.file.errors = [too_large]
        return None
    form.file.errors = [translate("Choose a file.")]
    return None


def encoding_choice(form: TableForm, error: UnknownEncoding, content: bytes) -> dict[str, Any]:
    """The variables of the page on which the researcher chooses the encoding of a file."""
    own = ("file", "content", "encoding", "csrf_token")
    return {
        "likely": error.likely,
        "others": [name for name in ENCODINGS if name not in error.likely],
        "content": base64.b64encode(content).decode(),
        "kept": [field for field in form if field.name not in own and field.data],
    }


def lines_of(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def check_file(content: bytes, survey: Survey, form: LoadForm) -> CheckedFile:
    """Read a file as the researcher says. Raises UnknownEncoding."""
    try:
        marks = parse_decimal_marks(lines_of(form.decimal_mark.data), ())
    except DataFileError as error:
        return CheckedFile((), (str(error),))
    reading = CSVReading(form.encoding.data, form.separator.data, marks)
    return check_responses(content, survey, reading)


@blueprint.get("/surveys/<slug>/load", role=EDITOR)
def load(slug: str) -> ResponseReturnValue:
    return load_page(survey_to_load(slug), LoadForm(formdata=None), 200)


@blueprint.post("/surveys/<slug>/load", role=EDITOR)
def check_load(slug: str) -> ResponseReturnValue:
    """A preview of a file. Nothing is stored."""
    found, form = survey_to_load(slug), LoadForm()
    too_large = translate(
        "The file is larger than 2 MB. Use the command `responses load`, or load several files."
    )
    if not form.validate() or (content := file_of(form, too_large)) is None:
        return load_page(found, form, 422)
    try:
        checked = check_file(content, found.survey, form)
    except UnknownEncoding as error:
        return load_page(found, form, 422, **encoding_choice(form, error, content))
    status = 422 if checked.faults else 200
    return load_page(found, form, status, **preview(found.survey, checked, content))


@blueprint.post("/surveys/<slug>/load/add", role=EDITOR)
def load_responses(slug: str) -> ResponseReturnValue:
    """Load the file of a preview. Raises StateError if responses were loaded in the meantime."""
    found, form = survey_to_load(slug), LoadForm()
    if not form.validate() or (content := file_of(form, "")) is None:
        return load_page(found, LoadForm(formdata=None), 422)
    try:
        checked = check_file(content, found.survey, form)
    except UnknownEncoding as error:
        return load_page(found, form, 422, **encoding_choice(form, error, content))
    if checked.faults:
        return load_page(found, LoadForm(formdata=None), 422, faults=checked.faults)
    arrived = store().counts.number_of_responses(slug) if found.frozen else 0
    if form.arrived.data != str(arrived):
        raise StateError(
            "Responses were loaded after you checked this file. Open the page again, and check "
            "the file again if you still want to load it."
        )
    survey, n = closed_for_data(slug), len(checked.rows)
    store().responses.add_batches(slug, response_batches(iter(checked.rows)), "loaded")
    audit(f"loaded {n} response{'' if n == 1 else 's'} from a file", survey.slug)
    flash(translate_plural("Candor loaded %(n)s response.", "Candor loaded %(n)s responses.", n))
    return redirect(url_for("admin.results", slug=slug))


@blueprint.app_context_processor
def for_the_overview() -> dict[str, Any]:
    return {"can_load": can_load}
