"""A cross-tabulation as the blocks of its page."""

from collections.abc import Callable, Iterator, Sequence

from survey.analysis.blocks import (
    HINT,
    NOTICE,
    Block,
    Facts,
    FigureCell,
    Folded,
    Heading,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import count_cell, level_text, points_cell, ratio_cell, share_cell
from survey.analysis.columns.combinations import SubsetCombinations
from survey.analysis.groups.figures import SIGNIFICANCE_LEVEL, IntervalEstimate
from survey.analysis.sentences import capitalise
from survey.analysis.tables.association import WALD, Test
from survey.analysis.tables.crosstabs import Crosstab
from survey.analysis.tables.result_text import result_of_test
from survey.core.glossary_terms import glossary_term
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_constant,
    translate_number,
)
from survey.estimation.number_text import percent
from survey.estimation.types.joint_texts import quoted_label

OF_ALL = "all"
OF_ROW = "row"
OF_COLUMN = "column"
CAPTIONS = {
    OF_ROW: later("Row percentages. Each percentage has its %(level)s %% interval."),
    OF_COLUMN: later("Column percentages. Each percentage has its %(level)s %% interval."),
    OF_ALL: later("Percentages of all respondents. Each percentage has its %(level)s %% interval."),
}

IN_THEIR_PLACE = later(
    "The table has an end of the interval in their place, and the CSV file has the estimates."
)


def crosstab_blocks(table: Crosstab, of: str = OF_ROW) -> Iterator[Block]:
    """Everything that a cross-tabulation found, but its sentence and its picture.

    `of` is what the percentages add up to.
    """
    yield Paragraph(join_sentences(*described_respondents(table)))
    for layer, answer in enumerate(layer_answers(table)):
        yield percentages_table(table, of, layer, answer)
    yield from notes(table, of)
    if facts := association_facts(table):
        yield Facts(tuple(facts))
    yield Heading(translate("Are the answers related?"))
    for test in table.tests:
        yield Paragraph(independence_text(test, len(table.columns)))
    if not table.tests:
        yield Paragraph(translate("No test is possible here."))
    yield from map(remark_block, table.remarks)
    yield Folded(
        translate("Differences between rows, maximum likelihood shares, received reports"),
        tuple(further_tables(table)),
        printed=True,
    )


def layer_answers(table: Crosstab) -> Sequence[str]:
    """The answers to the third question, or one empty text if there is none."""
    if len(table.columns) < 3:
        return ("",)
    third = table.columns[2]
    return third.answers[: third.listed]


def percentages(table: Crosstab, of: str) -> tuple[IntervalEstimate | None, ...]:
    return {OF_ALL: table.cells, OF_ROW: table.of_row, OF_COLUMN: table.of_column}[of]


def described_respondents(table: Crosstab) -> Iterator[str]:
    """How many responses there are, and whom the results describe."""
    three = len(table.columns) > 2
    based = (
        later("Based on %(n)s responses with an answer or report for all three questions.")
        if three
        else later("Based on %(n)s responses with an answer or report for both questions.")
    )
    yield translate(based, n=table.n)
    if table.left_out:
        yield translate("Candor excludes %(n)s other responses.", n=table.left_out)
    if table.given is None:
        return
    share, (low, high) = share_cell(table.given).text, share_cell(table.given).between or ("", "")
    yield translate(
        later(
            "All results describe respondents who gave no %(special_answer)s to any of the three "
            "questions: %(share)s of the respondents (%(level)s %% interval %(low)s to %(high)s)."
        )
        if three
        else later(
            "All results describe respondents who gave no %(special_answer)s to either question: "
            "%(share)s of the respondents (%(level)s %% interval %(low)s to %(high)s)."
        ),
        special_answer=glossary_term("special answer", translate("special answer")),
        share=share,
        level=level_text(table.level),
        low=low,
        high=high,
    )


def cell_place(table: Crosstab, row: int, column: int, layer: int) -> int:
    """The place of a cell in the lists of a cross-tabulation."""
    return (row * table.columns[1].listed + column) * len(layer_answers(table)) + layer


def rows_and_columns(table: Crosstab) -> str:
    """Both questions can have the same answers, so each table names the questions."""
    first, second = table.columns[:2]
    return translate(
        "Rows: “%(rows)s”. Columns: “%(columns)s”.", rows=first.label, columns=second.label
    )


def percentages_table(table: Crosstab, of: str, layer: int, answer: str) -> Table:
    """The percentages in one layer."""
    first, second = table.columns[:2]
    shares, region, about = percentages(table, of), translate("Table"), ""
    if answer:
        third = table.columns[2].label
        named = quoted_label(answer)
        region = translate("Table: %(question)s %(answer)s", question=third, answer=named)
        about = f"{third} {named}."
    caption = translate(CAPTIONS[of], level=level_text(table.level))

    def cell(row: int, column: int) -> FigureCell:
        place = cell_place(table, row, column, layer)
        if not table.possible[place]:
            return FigureCell(text=translate("not possible"))
        return share_cell(shares[place])

    return Table(
        key=f"percentages-{layer}" if answer else "percentages",
        region=region,
        caption=join_sentences(rows_and_columns(table), about, caption),
        names=("",),
        figures=tuple(second.answers[: second.listed]),
        rows=tuple(
            Row((first.answers[row],), tuple(cell(row, each) for each in range(second.listed)))
            for row in range(first.listed)
        ),
        tall=False,
    )


def notes(table: Crosstab, of: str) -> Iterator[Paragraph]:
    """What stands in place of figures, and figures that are not possible."""
    shares = percentages(table, of)
    if not all(table.possible):
        yield Paragraph(
            translate(
                "“Not possible”: the conditions of the survey exclude these combinations of "
                "answers."
            ),
            HINT,
        )
    if any(share is None and can_be for share, can_be in zip(shares, table.possible, strict=True)):
        yield Paragraph(
            translate(
                "A dash means that the estimated share of the row or column is zero or less."
            ),
            HINT,
        )
    unknown = any(each and each.any_share for each in shares)
    if unknown or any(each and each.any_ratio for each in table.odds_ratios):
        yield Paragraph(
            translate(
                "“Not known” means that any value is possible. There are too few responses for "
                "such strong randomisation."
            ),
            HINT,
        )
    if table.negative:
        below = translate(
            "Some estimated shares of all respondents are below 0. Random error can cause this "
            "where few people gave these answers."
        )
        likeliest = translate("maximum likelihood shares")
        likely = (
            translate(
                "The %(shares)s, which lie between 0 and 100 %%, are below.",
                shares=glossary_term("maximum likelihood", likeliest),
            )
            if table.likeliest
            else ""
        )
        yield Paragraph(join_sentences(below, translate(IN_THEIR_PLACE), likely), NOTICE)
    if any(each and each.value > 1 for each in shares):
        above = translate(
            "Some estimated percentages are above 100 %%. Random error can cause this where few "
            "people gave these answers."
        )
        yield Paragraph(join_sentences(above, translate(IN_THEIR_PLACE)), NOTICE)


def association_facts(table: Crosstab) -> Iterator[tuple[str, FigureCell]]:
    """Odds ratios and φ, of each layer."""
    layers = layer_answers(table)
    for figures, name, name_in_layer in (
        (table.odds_ratios, later("Odds ratio"), later("Odds ratio, %(answer)s")),
        (table.phis, later("φ (correlation)"), later("φ (correlation), %(answer)s")),
    ):
        for figure, layer in zip(figures, layers, strict=False):
            if figure is not None:
                words = (
                    translate(name_in_layer, answer=quoted_label(layer))
                    if layer
                    else translate(name)
                )
                yield words, ratio_cell(figure)


def independence_text(test: Test, questions: int) -> str:
    """A test of independence, what it says, and when it is valid."""
    about = later("%(test)s test of independence:")
    if questions > 2:
        about = (
            later("%(test)s test of independence within each answer to the third question:")
            if test.name == WALD
            else later("%(test)s test of independence of all three questions:")
        )
    verdict = (
        translate(
            "If the answers were independent, a relation at least this strong would appear in "
            "fewer than 1 of 20 surveys."
        )
        if test.p < SIGNIFICANCE_LEVEL
        else translate(
            "This test does not show that the answers are independent. With more respondents, the "
            "test might find a relation."
        )
    )
    return join_sentences(
        f"{capitalise(translate(about, test=translate_constant(test.name)))} "
        f"{result_of_test(test)}",
        verdict,
        translate("This test is %(when)s.", when=translate_constant(test.right_when)),
    )


def further_tables(table: Crosstab) -> Iterator[Block]:
    """The differences between rows, the maximum likelihood shares, and the received reports."""
    first = table.columns[0]
    if any(table.differences):
        caption = translate(
            "The shares of each row minus those of “%(answer)s”, in percentage points, with "
            "%(level)s %% intervals.",
            answer=first.answers[0],
            level=level_text(table.level),
        )
        cells = [points_cell(each) for each in table.differences]
        yield by_layer(
            table, "differences", translate("Differences"), caption, 1, cells.__getitem__
        )
    if table.likeliest:
        likely = [
            FigureCell(text=translate_number(percent(each)), exact=each) for each in table.likeliest
        ]
        caption = translate(
            "Maximum likelihood shares of all respondents. They lie between 0 and 100 %%, and are "
            "biased where a true share is near 0."
        )
        region = translate("Maximum likelihood shares")
        yield by_layer(table, "likeliest", region, caption, 0, likely.__getitem__)
    yield Table(
        key="reports",
        region=translate("Received reports"),
        caption=join_sentences(*about_reports(table)),
        names=tuple(column.label for column in table.columns),
        figures=(translate("Responses"),),
        rows=tuple(Row(tuple(names), (count_cell(count),)) for names, count in table.raw),
        named_rows=False,
    )
    scores = glossary_term("score", translate("scores"))
    yield Paragraph(
        translate(
            "Candor multiplies the %(scores)s of a respondent’s reports. Each share is the mean of "
            "these products. The share is unbiased for any true shares, and the products also give "
            "the covariance of the shares. Percentages are ratios of such shares. Their intervals "
            "are Gaffke’s, Fieller’s, or with weights, strata or clusters those of an effective "
            "sample size.",
            scores=scores,
        ),
        HINT,
    )


def about_reports(table: Crosstab) -> Iterator[str]:
    """What the table of reports contains, and how to read reports that are sets."""
    yield translate("Received reports, not corrected for the randomisation.")
    if sum(count for _, count in table.raw) < table.n:
        yield translate("The table contains only the most frequent ones.")
    sets = [isinstance(column.combinations, SubsetCombinations) for column in table.columns]
    if any(sets):
        yield translate(
            "A report on questions that are randomised together contains several combinations of "
            "answers."
        )
    if sum(sets) > 1:
        yield translate("In a row, the answers at the same place belong to the same combination.")


def by_layer(
    table: Crosstab,
    key: str,
    region: str,
    caption: str,
    skipped: int,
    cell: Callable[[int], FigureCell],
) -> Table:
    """A table with all layers next to each other, without the first rows that are `skipped`."""
    first, second = table.columns[:2]
    places = [
        (column, layer)
        for column in range(second.listed)
        for layer in range(len(layer_answers(table)))
    ]
    names = layer_answers(table)
    return Table(
        key=key,
        region=region,
        caption=join_sentences(rows_and_columns(table), caption),
        names=("",),
        figures=tuple(
            f"{second.answers[column]}, {names[layer]}" if names[layer] else second.answers[column]
            for column, layer in places
        ),
        rows=tuple(
            Row(
                (first.answers[row],),
                tuple(
                    cell(cell_place(table, row - skipped, column, layer))
                    for column, layer in places
                ),
            )
            for row in range(skipped, first.listed)
        ),
        tall=False,
    )
