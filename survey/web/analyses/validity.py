"""The validity of answers: bounds, a control question, a direct arm, a second randomizer."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from typing import Any

from survey.analysis.as_json import part_json
from survey.analysis.as_rows import POINTS, AnalysisRow, bounds_rows, estimate_row
from survey.analysis.blocks import Block
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.validity.checks import alike
from survey.analysis.validity.noncompliance import (
    NoncomplianceEstimate,
    bounds_with_inputs,
    denials,
    deviants,
    report_counts_and_table,
)
from survey.analysis.validity.validity import (
    Contrast,
    Control,
    contrast_with_direct,
    randomised_arm,
    said_by,
    use_control_question,
)
from survey.analysis.validity.validity_blocks import (
    bounds_blocks,
    bounds_note,
    contrast_blocks,
    control_blocks,
    deviants_blocks,
    refused_check,
)
from survey.charts.denials import denials_chart
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, later, translate
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.analyses.validity_form import SAYS, ValidityForm

# The chart goes up to this share of denials, or up to the assumed one if it is larger.
MIN_CHART_DENIED_SHARE = 0.5
CHECK_TITLES = {
    "control": later("Control question"),
    "contrast": later("Direct arm"),
    "deviants": later("Second randomizer"),
}


def result_or_refusal(check: Callable[[], Any]) -> dict[str, Any]:
    """The result of a check, or its refusal, which does not stop the other checks."""
    try:
        return {"found": check(), "refusal": ""}
    except UnanswerableQuestion as refusal:
        return {"found": None, "refusal": str(refusal)}


def split_survey_deviants(form: ValidityForm, asked: AnalysisColumn) -> NoncomplianceEstimate:
    """The share of people who deviate, from the reports of this survey and another one."""
    ((found, other),) = form.elsewhere
    if not alike(asked, other):
        raise UnanswerableQuestion(
            "“%(other)s” in the survey “%(survey)s” and “%(question)s” are different "
            "questions. Choose a survey that asked the same question.",
            other=other.label,
            survey=found.survey.title,
            question=asked.label,
        )
    return deviants(
        report_counts_and_table(asked), report_counts_and_table(other), SAYS[form.says.data]
    )


def validity_result(form: ValidityForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """Bounds of the true share, and each check that the form requests."""
    asked, *rest = columns
    places = form.places
    sample = complete_case_sample([asked], design)
    reported_share = said_by(asked, sample, places["asked"])
    denied, false, random = form.erred
    bounds = bounds_with_inputs(reported_share, denied, false, random, asked.listed)
    moved = denials(bounds, asked.listed, max(MIN_CHART_DENIED_SHARE, denied))
    checks = requested_checks(form, asked, rest, design)
    answer = asked.answers[places["asked"]]
    left_out = len(asked.reports) - sample.n
    rows = [*bounds_rows(bounds, answer)]
    for check in checks.values():
        if check["found"] is not None:
            rows += check_rows(check["found"], answer)
    return AnalysisResult(
        title=translate(
            "“%(answer)s” in “%(question)s”: the true share, if some people denied it",
            answer=answer,
            question=asked.label,
        ),
        sentence=bounds.sentence(answer, asked.label),
        n=sample.n,
        charts=(denials_chart(moved, bounds),),
        rows=tuple(rows),
        content={
            "question": part_json(asked),
            "answer": answer,
            "n": sample.n,
            "left_out": left_out,
            "bounds": part_json(asdict(bounds)),
            "denials": [asdict(each) for each in moved],
            **{name: check_json(check) for name, check in checks.items()},
        },
        heading=f"{asked.label} · “{answer}”",
        blocks=(
            *bounds_blocks(bounds, asked, sample.n, left_out),
            *check_blocks(checks, asked, answer),
        ),
        note=bounds_note(bounds, moved, answer, sample.n),
    )


def requested_checks(
    form: ValidityForm, asked: AnalysisColumn, rest: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, dict[str, Any]]:
    """The results or refusals of the requested checks, by name."""
    places = form.places
    checks: dict[str, dict[str, Any]] = {}
    if form.control.data:
        control, control_share = rest[0], float(form.known.data) / 100
        checks["control"] = result_or_refusal(
            lambda: use_control_question(
                asked, control, control_share, places["asked"], places["control"], design
            )
        )
    if form.direct.data:
        direct = rest[-1]

        def contrast() -> Any:
            arm = randomised_arm(asked, direct)
            return contrast_with_direct(
                arm, direct, places["asked"], places["direct"], design=design
            )

        checks["contrast"] = result_or_refusal(contrast)
    if form.split.data:
        checks["deviants"] = result_or_refusal(lambda: split_survey_deviants(form, asked))
    return checks


def check_blocks(
    checks: dict[str, dict[str, Any]], asked: AnalysisColumn, answer: str
) -> Iterator[Block]:
    """The result of each check, or why it has none."""
    for name, check in checks.items():
        found = check["found"]
        match found:
            case Control():
                yield from control_blocks(found, answer)
            case Contrast():
                yield from contrast_blocks(found, asked)
            case NoncomplianceEstimate():
                yield from deviants_blocks(found, asked)
            case _:
                yield from refused_check(translate(CHECK_TITLES[name]), check["refusal"])


def check_rows(found: Control | Contrast | NoncomplianceEstimate, answer: str) -> list[AnalysisRow]:
    """The figures of a check."""
    match found:
        case Control():
            return [
                estimate_row(found.control, later("control question"), p=found.p),
                estimate_row(found.random, later("answered at random")),
                estimate_row(found.uncorrected, later("share, not corrected"), answer),
                estimate_row(found.corrected, later("share, corrected"), answer),
            ]
        case Contrast():
            return [
                estimate_row(found.randomised, later("share, randomised"), answer),
                estimate_row(found.direct, later("share, asked directly"), answer),
                estimate_row(found.difference, later("difference"), answer, unit=POINTS, p=found.p),
            ]
    return [
        estimate_row(found.honest_yes, later("followed the rule, first answer")),
        estimate_row(found.honest_no, later("followed the rule, second answer")),
        estimate_row(found.deviating, later("did not follow the rule"), p=found.p),
    ]


def check_json(check: dict[str, Any]) -> dict[str, Any]:
    """A check as a JSON value: what it found, or why there is nothing."""
    found = check["found"]
    if found is None:
        return {"refusal": check["refusal"]}
    return {each.name: part_json(getattr(found, each.name)) for each in fields(found)}


def about_validity() -> str:
    return join_sentences(
        translate(
            "This analysis shows whether people answered truthfully and carefully, as far as the "
            "design of this survey can show it."
        ),
        translate(
            "The browser always applies the randomizer. But people may choose a false or a random "
            "answer first, as with a direct question."
        ),
        translate("People who randomised their answers themselves may not have followed the rule."),
        translate(
            "The results page shows how much fake responses could have changed the results of "
            "private questions."
        ),
    )


VALIDITY = AnalysisKind(
    name="validity",
    title=later("Validity"),
    about=about_validity,
    form=ValidityForm,
    compute=validity_result,
    help="explanation/analyses#validity",
)
