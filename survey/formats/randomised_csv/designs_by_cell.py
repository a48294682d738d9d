"""Designs that differ between rows: the cell of another column says which one a row has.

Each design of a column becomes a question of its own. Only rows with this design have a report on
it. A joined variable (survey/analysis/columns/joined.py) then uses the own table of each row.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from survey.core.errors import DataFileError
from survey.core.translate import translate, translate_number
from survey.formats.csv_import import names_text
from survey.formats.randomised_csv.designs import RandomisationDesign
from survey.formats.randomised_csv.plain_column import ColumnQuestion, quoted_cells
from survey.formats.randomised_csv.randomised_column import private_column
from survey.formats.randomised_csv.sheet import CSVTable


@dataclass(frozen=True)
class DesignsByCell:
    """Private columns whose design depends on another cell of the row.

    Attributes
    ----------
    deciding : the heading of the column with this cell; empty if there is none
    designs : the design for each cell of that column, by the heading of the private column
    """

    deciding: str = ""
    designs: Mapping[str, Mapping[str, RandomisationDesign]] = field(default_factory=dict)

    def columns_with_report(self, cell: str) -> list[str]:
        """The headings of the columns that have a design for rows with this cell."""
        return [heading for heading, designs in self.designs.items() if cell in designs]

    @property
    def reports_each(self) -> int:
        """The number of these columns on which a row with a design reports."""
        cells = {cell for designs in self.designs.values() for cell in designs}
        return max((len(self.columns_with_report(cell)) for cell in cells), default=0)

    @property
    def questions(self) -> dict[str, tuple[str, str]]:
        """The heading and the cell of each design, by the heading of its question.

        A column with one design keeps its heading, such as one of two columns with gaps.
        """
        return {
            heading if len(designs) == 1 else by_cell(heading, cell): (heading, cell)
            for heading, designs in self.designs.items()
            for cell in designs
        }


def by_cell(heading: str, cell: str) -> str:
    """A column and a cell in the notation of `--private`."""
    return f"{heading}[{cell}]"


def check_designs_by_cell(sheet: CSVTable, by: DesignsByCell) -> None:
    """Raise DataFileError if a design has no rows, or a report has no design.

    Rows that have a design must all report on the same number of columns, because the privacy loss
    of a respondent is the sum over this number of reports.
    """
    if not by.designs:
        return
    deciding = [row[sheet.columns.index(by.deciding)] for row in sheet.rows]
    present = Counter(deciding)
    for heading, designs in by.designs.items():
        for cell in designs:
            if cell not in present:
                raise DataFileError(
                    translate(
                        "%(option)s: no row has the cell %(cell)s in %(deciding)s. Its cells are "
                        "%(cells)s.",
                        option=by_cell(heading, cell),
                        cell=repr(cell),
                        deciding=by.deciding,
                        cells=quoted_cells(sorted(filter(None, present))),
                    )
                )
        require_designs(sheet, by, heading, deciding)
    asked = {cell: len(columns) for cell in present if (columns := by.columns_with_report(cell))}
    if len({*asked.values()}) > 1:
        raise DataFileError(
            translate(
                "Each respondent must report on the same number of private columns, but the "
                "designs by %(deciding)s give different numbers: %(numbers)s. Add the missing "
                "designs, or split the file by this number.",
                deciding=by.deciding,
                numbers=names_text(
                    [f"{cell!r}: {translate_number(str(n))}" for cell, n in sorted(asked.items())]
                ),
            )
        )


def require_designs(
    sheet: CSVTable, by: DesignsByCell, heading: str, deciding: Sequence[str]
) -> None:
    """Raise DataFileError if a row has a report in a column, but no design."""
    reports = [row[sheet.columns.index(heading)] for row in sheet.rows]
    without = [
        number
        for number, (report, cell) in enumerate(zip(reports, deciding, strict=True))
        if report and cell not in by.designs[heading]
    ]
    if not without:
        return
    first = without[0]
    cell = deciding[first]
    values = {
        "line": translate_number(f"{sheet.lines[first]:,}"),
        "column": heading,
        "report": repr(reports[first]),
        "deciding": by.deciding,
        "n": translate_number(f"{sum(deciding[each] == cell for each in without):,}"),
    }
    if not cell:
        raise DataFileError(
            translate(
                "Line %(line)s has the report %(report)s in %(column)s, but its cell in "
                "%(deciding)s is missing, so its design is unknown (rows like this: %(n)s). Fill "
                "in the cell, or remove the report.",
                **values,
            )
        )
    raise DataFileError(
        translate(
            "Line %(line)s has the report %(report)s in %(column)s, but there is no design for its "
            "cell %(cell)s in %(deciding)s (rows like this: %(n)s). Correct the cell, remove the "
            'report, or add --private "%(option)s=DESIGN".',
            cell=repr(cell),
            option=by_cell(heading, cell),
            **values,
        )
    )


def questions_by_design(
    by: DesignsByCell,
    heading: str,
    cells: Sequence[str],
    deciding: Sequence[str],
    yes: str | None,
    order: Sequence[str] | None,
) -> dict[str, ColumnQuestion]:
    """A question for each design of a column. Rows with another design have None.

    Parameters
    ----------
    cells, deciding : the cells of the column, and those that say which design a row has, shape (n,)
    yes, order : as in `private_column`

    Raises DataFileError if a cell is not a report.
    """
    designs = by.designs[heading]
    # All designs read a cell in the same way, even if some cells occur with one design only. A
    # number of red cards needs no such care, and its limit depends on the design.
    answered = [
        row for row, cell in enumerate(deciding) if cell in designs and not designs[cell].red
    ]
    questions = {}
    for name, (column, cell) in by.questions.items():
        if column == heading:
            rows = [row for row, each in enumerate(deciding) if each == cell]
            read = rows if designs[cell].red else answered
            found = private_column(heading, [cells[row] for row in read], designs[cell], yes, order)
            codes = dict(zip(read, found.stored, strict=True))
            here = {*rows}
            stored = [codes[row] if row in here else None for row in range(len(cells))]
            questions[name] = replace(found, stored=stored)
    return questions


def notes_on_designs(
    by: DesignsByCell, names: Mapping[str, str], questions: Mapping[str, ColumnQuestion]
) -> list[str]:
    """A note on the questions of each column with several designs, and how to join them.

    Parameters
    ----------
    names : the name of each question by its heading
    """
    notes = []
    for heading in by.designs:
        made = {name: cell for name, (column, cell) in by.questions.items() if column == heading}
        if len(made) > 1:
            parts = [
                translate(
                    "%(name)s (%(cell)s, rows: %(n)s)",
                    name=names[name],
                    n=translate_number(f"{sum(c is not None for c in questions[name].stored):,}"),
                    cell=repr(cell),
                )
                for name, cell in made.items()
            ]
            notes.append(
                translate(
                    "%(column)s becomes a question for each of its designs, by %(deciding)s: "
                    "%(questions)s. In analyses, %(joined)s stands for all of them, and uses the "
                    "design of each row.",
                    column=heading,
                    deciding=by.deciding,
                    questions=", ".join(parts),
                    joined="+".join(names[name] for name in made),
                )
            )
    return notes
