"""An analysis that is not Candor's: how often two randomised questions have the same report."""

import time
from dataclasses import replace

from wtforms import FloatField, SelectField, StringField

from survey.analysis.as_rows import AnalysisRow, estimate_row
from survey.analysis.blocks import Row, Table, remark_block
from survey.analysis.cells import share_cell
from survey.analysis.groups.figures import t_interval_estimate
from survey.charts.svg import Chart
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.translate import translate
from survey.estimation.findings.remarks import SMALL_SAMPLE, Remark
from survey.web.analyses.forms import AnalysisForm
from survey.web.analyses.kind import AnalysisKind
from survey.web.analyses.result import AnalysisResult


class TwinsForm(AnalysisForm):
    parts = ("one", "other")
    one = SelectField("First twin", description="The twin that was born first.")
    other = SelectField("Second twin")


def twins_result(form, columns, design):
    one, other = columns
    same = (one.reports == other.reports).mean()
    error = (same * (1 - same) / len(one.reports)) ** 0.5
    degrees = max(1, len(one.reports) - 1)
    figure = t_interval_estimate(float(same), float(error), degrees, 0, 1, 0.95)
    remark = Remark(SMALL_SAMPLE, "Twins are rare.")
    rows = (Row(("both",), (share_cell(figure),)),)
    table = Table(
        key="same", region="Same", caption="", names=("Twins",), figures=("Share",), rows=rows
    )
    return AnalysisResult(
        title="Twins",
        sentence=f"The twins agree in {len(one.reports)} responses.",
        n=len(one.reports),
        charts=(Chart(shapes=(), height=50),),
        rows=(
            estimate_row(figure, "same report", one.name, other.name),
            AnalysisRow(figure="pairs"),
        ),
        content={"agree": figure.value},
        heading="Do twins agree?",
        blocks=(remark_block(remark), table),
    )


class SlowTwinsForm(TwinsForm):
    seconds = FloatField("Processor time", default=0.0)
    error = StringField("Error", default="")


def slow_twins_result(form, columns, design):
    """The same after some seconds of processor time, with a text in the language of the page."""
    end = time.thread_time() + form.seconds.data
    while time.thread_time() < end:
        require_time()
    if form.error.data == "refusal":
        raise UnanswerableQuestion(f"Refused. {translate('Download')}")
    if form.error.data == "fault":
        raise ValueError("secret answer")
    return replace(twins_result(form, columns, design), note=translate("Download"))


TWINS = AnalysisKind(
    name="twins",
    title="Twins",
    about=lambda: "This analysis compares twins.",
    form=TwinsForm,
    compute=twins_result,
    help="explanation/analyses",
)

SLOW_TWINS = replace(TWINS, name="slow", form=SlowTwinsForm, compute=slow_twins_result)
