"""The change of a measure between surveys as the blocks of its page."""

from collections.abc import Iterator

from survey.analysis.blocks import (
    HINT,
    Block,
    Folded,
    Heading,
    Paragraph,
    Row,
    Table,
)
from survey.analysis.cells import count_cell, level_text
from survey.analysis.changes.changes import RELATION_NOTES, SurveyChange
from survey.analysis.groups.group_blocks import (
    differences_table,
    measure_cell,
    measure_heading,
    trend_row,
)
from survey.analysis.sentences import without_special_answers
from survey.core.translate import join_sentences, translate


def change_blocks(found: SurveyChange) -> Iterator[Block]:
    """Everything that a comparison of surveys found, but its sentence and its chart."""
    measure = found.measure
    relation = translate(RELATION_NOTES[found.relation])
    described = without_special_answers(measure.column.special_answers)
    yield Paragraph(join_sentences(relation, described))
    heading = measure_heading(measure)
    yield Table(
        key="surveys",
        region=translate("Surveys"),
        caption=translate(
            "%(measure)s, by survey. Each estimate has its %(level)s %% interval.",
            measure=heading,
            level=level_text(found.level),
        ),
        names=(translate("Survey"),),
        figures=(translate("Responses"), heading),
        rows=tuple(
            Row((wave.label,), (count_cell(wave.n), measure_cell(wave.figure, measure)))
            for wave in found.waves
        ),
    )
    yield Heading(translate("Differences from the first survey"))
    labels = [wave.label for wave in found.waves]
    trend = None if found.trend is None else trend_row(found.trend, found.trend_p, measure)
    yield differences_table(
        found.differences, labels, translate("Surveys"), measure, found.level, trend
    )
    method = translate(
        "The interval of a difference combines the intervals of the two surveys (MOVER). The "
        "p-value is the smallest significance level at which this interval excludes zero. The "
        "surveys are sorted by the day on which they were opened."
    )
    yield Folded(translate("How this is computed"), (Paragraph(method, HINT),))
