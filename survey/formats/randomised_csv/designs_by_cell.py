"""Designs that differ between rows: the cell of another column says which one a row has.

Each design of a column becomes a question of its own. Only rows with this design have a report on
it. A joined variable (survey/analysis/columns/joined.py) then uses the own table of each row.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from survey.core.errors import DataFileError
from survey.core.translate import translate, translate_number
from survey.definition.choices import MAX_CHOICES
from survey.formats.randomised_csv.designs import DIRECT, RandomisationDesign
from survey.formats.randomised_csv.non_private_column import ColumnQuestion, quoted_cells
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
    def numbers_of_reports(self) -> set[int]:
        """The numbers of these columns on which a row with a design has a randomised report."""
        cells = {cell for designs in self.designs.values() for cell in designs}
        return {
            sum(designs.get(cell, DIRECT) != DIRECT for designs in self.designs.values())
            for cell in cells
        } or {0}

    @property
    def direct(self) -> dict[str, str]:
        """The cell of each direct question, by the heading of the question."""
        return {
            name: cell
            for name, (heading, cell) in self.questions.items()
            if self.designs[heading][cell] == DIRECT
        }

    @property
    def as_choices(self) -> set[str]:
        """The deciding column if it must be a single choice, for the conditions of `direct`."""
        return {self.deciding} if self.direct else set()

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
    """Raise DataFileError if a design has no rows, or a report has no design."""
    if not by.designs:
        return
    deciding = sheet.cells_of(by.deciding)
    present = Counter(deciding)
    for heading, designs in by.designs.items():
        for cell in designs:
            if cell not in present:
                raise DataFileError(
                    "%(option)s: no row has the cell %(cell)s in %(deciding)s. Its cells are "
                    "%(cells)s.",
                    option=by_cell(heading, cell),
                    cell=repr(cell),
                    deciding=by.deciding,
                    cells=quoted_cells(sorted(filter(None, present))),
                )
        require_designs(sheet, by, heading, deciding)


def require_designs(
    sheet: CSVTable, by: DesignsByCell, heading: str, deciding: Sequence[str]
) -> None:
    """Raise DataFileError if a row has a report in a column, but no design."""
    reports = sheet.cells_of(heading)
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
            "Line %(line)s has the report %(report)s in %(column)s, but its cell in "
            "%(deciding)s is missing, so its design is unknown (rows like this: %(n)s). Fill "
            "in the cell, or remove the report.",
            **values,
        )
    raise DataFileError(
        "Line %(line)s has the report %(report)s in %(column)s, but there is no design for its "
        "cell %(cell)s in %(deciding)s (rows like this: %(n)s). Correct the cell, remove the "
        'report, or add --private "%(option)s=DESIGN".',
        cell=repr(cell),
        option=by_cell(heading, cell),
        **values,
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
    designs = dict(by.designs[heading])
    answers = next((each.answers for each in designs.values() if each.answers), None)
    # All designs read a cell in the same way, even if some cells occur with one design only. A
    # number of red cards needs no such care, and its limit depends on the design.
    answered = [
        row for row, cell in enumerate(deciding) if cell in designs and not designs[cell].red_cards
    ]
    questions = {}
    for name, (column, cell) in by.questions.items():
        if column == heading:
            rows = [row for row, each in enumerate(deciding) if each == cell]
            read = rows if designs[cell].red_cards else answered
            design = designs[cell]
            if design == DIRECT:
                design = replace(DIRECT, answers=answers)
            found = private_column(heading, [cells[row] for row in read], design, yes, order)
            codes = dict(zip(read, found.stored, strict=True))
            here = {*rows}
            other = None if design.privacy else not_asked_code(found)
            stored = [codes[row] if row in here else other for row in range(len(cells))]
            questions[name] = replace(found, stored=stored)
    return questions


def not_asked_code(column: ColumnQuestion) -> int:
    """The stored value of rows whose design is another than the direct question."""
    return len((column.entry or {}).get("choices", ("yes", "no")))


def with_direct_conditions(
    by: DesignsByCell, names: Mapping[str, str], columns: Mapping[str, ColumnQuestion]
) -> dict[str, ColumnQuestion]:
    """The questions by heading. Each direct one has the condition that the row has its cell.

    A condition is about an earlier question, so the deciding column then comes first. Raises
    DataFileError if it is not a single choice.
    """
    found = dict(columns)
    if not by.direct:
        return found
    deciding = found.pop(by.deciding, None)
    if deciding is None or deciding.entry is None or "choices" not in deciding.entry:
        raise DataFileError(
            "%(deciding)s says which rows have direct answers, so Candor must import it as "
            "choices. Do not omit it with --skip. It needs from 2 to %(most)s different cells.",
            deciding=by.deciding,
            most=MAX_CHOICES,
        )
    choice_names = {choice["label"]: choice["name"] for choice in deciding.entry["choices"]}
    for name, cell in by.direct.items():
        if cell not in choice_names:
            raise DataFileError(
                "%(option)s: no row that is imported has this cell. Remove this design.",
                option=name,
            )
        relevant = {names[by.deciding]: choice_names[cell]}
        found[name] = replace(
            found[name], entry={**(found[name].entry or {}), "relevant": relevant}
        )
    return {by.deciding: deciding, **found}


def notes_on_designs(
    by: DesignsByCell, names: Mapping[str, str], deciding: Sequence[str]
) -> list[str]:
    """A note on the questions of each column with several designs, and how to join them.

    Parameters
    ----------
    names : the name of each question by its heading
    deciding : the cell of each row that says which design the row has
    """
    notes, rows = list[str](), Counter(deciding)
    for heading in by.designs:
        made = {name: cell for name, (column, cell) in by.questions.items() if column == heading}
        if len(made) > 1:
            parts = [
                translate(
                    "%(name)s (%(cell)s, rows: %(n)s)",
                    name=names[name],
                    n=rows[cell],
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
    notes += [
        translate(
            "%(name)s has direct answers, which nothing protects: they are stored as given (rows: "
            "%(n)s). The privacy loss ε of the survey is about the other rows.",
            name=names[name],
            n=rows[cell],
        )
        for name, cell in by.direct.items()
    ]
    return notes
