"""The survey's design file: weights, strata and clusters, which analyses can use."""

import io
from typing import Any

import numpy as np
from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of, whole_survey
from survey.admin.forms.survey_form import TableForm
from survey.admin.surveys.load import encoding_choice, file_of
from survey.analysis.columns.available import telling_design
from survey.analysis.columns.columns import stored_of
from survey.analysis.columns.design_file import (
    OTHERS,
    DesignFile,
    file_row_places,
    lacking,
    larger_than_a_design,
    read_design_file,
)
from survey.core.csv_tables import UnknownEncoding, decode_text
from survey.core.errors import DataFileError
from survey.core.translate import translate, translate_number
from survey.definition.choices import names_of
from survey.definition.survey import Survey
from survey.store import ANALYST, EDITOR, StoredSurvey
from survey.web.analyses.request import kept_file
from survey.web.audit_log import audit
from survey.web.extensions import store

MAX_SHOWN_LINES = 200  # lines of the file on its page


@blueprint.get("/surveys/<slug>/analysis/design", role=ANALYST)
def design(slug: str) -> ResponseReturnValue:
    return design_file_page(whole_survey(slug), TableForm())


@blueprint.post("/surveys/<slug>/analysis/design", role=EDITOR)
def keep_design(slug: str) -> ResponseReturnValue:
    stored = whole_survey(slug)
    survey = frozen_of(stored).survey
    form = TableForm()
    if not form.validate() or (content := file_of(form, larger_than_a_design())) is None:
        return design_file_page(stored, form), 422
    encoding = form.encoding.data
    try:
        file = read_design_file(content, survey, encoding)
        fault = responses_per_line(survey, file)[1]
        if fault is not None:
            raise DataFileError(fault)
    except UnknownEncoding as error:
        return design_file_page(stored, form, **encoding_choice(form, error, content)), 422
    except DataFileError as error:
        form.file.errors = [str(error)]
        return design_file_page(stored, form), 422
    with decode_text(io.BytesIO(content), encoding) as text:
        store().designs.keep_design(slug, text.read())
    audit(f"uploaded a design file with {' and '.join(file.tells)}", slug)
    flash(
        translate(
            "The design file is saved. To use it, open “Weights, strata, clusters” in an analysis."
        )
    )
    return redirect(url_for("admin.design", slug=slug))


@blueprint.post("/surveys/<slug>/analysis/design/delete", role=EDITOR)
def delete_design(slug: str) -> ResponseReturnValue:
    store().designs.delete_design(slug)
    audit("deleted the design file", slug)
    flash(
        translate(
            "The design file is deleted. Links to analyses that used it now open a form without it."
        )
    )
    return redirect(url_for("admin.design", slug=slug))


def responses_per_line(survey: Survey, file: DesignFile) -> tuple[list[int], str | None]:
    """The number of published responses for each line of the file, with the line for all others
    last; and a message about responses without a line."""
    stored = stored_of(survey, store().responses.rows(survey.slug), file.keys)
    places = file_row_places(file, stored)
    counts = np.bincount(places, minlength=len(file.rows) + 1)
    return counts.tolist(), lacking(file, survey, stored, places)


def design_file_page(found: StoredSurvey, form: TableForm, **more: Any) -> str:
    survey = frozen_of(found).survey
    file = kept_file(survey)
    lines, fault = ([], None) if file is None else design_file_lines(survey, file)
    return render_template(
        "admin/analysis/design_file.html",
        found=found,
        survey=survey,
        tab="admin.analysis",
        form=form,
        file=file,
        lines=lines[:MAX_SHOWN_LINES],
        omitted=max(0, len(lines) - MAX_SHOWN_LINES),
        fault=fault,
        possible=bool(telling_design(survey)),
        example=example(survey),
        **more,
    )


def design_file_lines(survey: Survey, file: DesignFile) -> tuple[list[list[str]], str | None]:
    """The cells of each line, with the responses last; and a message about responses without a
    line."""
    forms = {question.name: question.form for question in survey.fields}
    counts, fault = responses_per_line(survey, file)
    lines = [
        [
            str(forms[name].cells(value)[0]) if value is not None else ""
            for name, value in zip(file.keys, key, strict=True)
        ]
        for key in file.rows
    ]
    design_values = list(file.rows.values())
    if file.others is not None:
        lines.append([OTHERS] * len(file.keys))
        design_values.append(file.others)
    cells = zip(lines, design_values, counts, strict=False)
    return [
        [
            *line,
            *(f"{each:.15g}" if isinstance(each, float) else each for each in row),
            translate_number(f"{n:,}"),
        ]
        for line, row, n in cells
    ], fault


def example(survey: Survey) -> list[str]:
    """An example file for this survey; empty without a non-private question.

    Its last line covers all answers that the others do not list.
    """
    listed = [each.question for each in telling_design(survey) if each.question.choices]
    if not listed:
        return []
    names = names_of(listed[0].choices)
    lines = [f"{name},{weight}" for name, weight in zip(names, ("1.2", "0.8"), strict=False)]
    return [f"{listed[0].name},weight", *lines, "*,1"]
