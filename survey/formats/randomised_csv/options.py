"""The options of an import, from the texts that the command or the page takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.core.errors import DataFileError, SurveyError
from survey.core.nfc import to_nfc
from survey.core.translate import translate
from survey.formats.randomised_csv.build_survey import ColumnFaults, ImportOptions
from survey.formats.randomised_csv.designs import RandomisationDesign, parse_randomisation_design


@dataclass(frozen=True)
class OptionTexts:
    """The values of each option as typed, see the command `responses import-randomised`."""

    private: Sequence[str] = ()
    yes: Sequence[str] = ()
    choices: Sequence[str] = ()
    categories: Sequence[str] = ()
    skip: Sequence[str] = ()
    numbers: Sequence[str] = ()
    weights: Sequence[str] = ()
    keep_missing: Sequence[str] = ()
    require_complete: bool = False


def parse_options(texts: OptionTexts) -> ImportOptions:
    """The options of an import. Raises ColumnFaults with every design that is wrong."""
    texts = OptionTexts(**{key: to_nfc(value) for key, value in vars(texts).items()})
    faults: list[str] = []
    designs: dict[str, RandomisationDesign] = {}
    for text in texts.private:
        try:
            for column, design in values_by_column([text], "DESIGN").items():
                designs[column] = parse_randomisation_design(design)
        except SurveyError as error:
            faults.append(str(error))
    if faults:
        raise ColumnFaults(faults)
    # A cell without a column counts as yes in all columns (key "").
    yes = values_by_column([each if "=" in each else f"={each}" for each in texts.yes], "CELL")
    choices = {
        column: [cell.strip() for cell in cells.split(",")]
        for column, cells in values_by_column(texts.choices, "CELL,CELL").items()
    }
    return ImportOptions(
        designs, yes, choices, texts.categories, texts.skip, texts.numbers, texts.weights,
        texts.keep_missing, texts.require_complete,
    )  # fmt: skip


def values_by_column(values: Sequence[str], what: str) -> dict[str, str]:
    """The values of options such as COLUMN=VALUE, by column. Raises DataFileError."""
    by_column = {}
    for value in values:
        column, equals, rest = value.partition("=")
        if not equals or not rest.strip():
            raise DataFileError(
                translate(
                    "%(value)s has the wrong form. Write it as COLUMN=%(what)s.",
                    value=repr(value),
                    what=what,
                )
            )
        by_column[column.strip()] = rest.strip()
    return by_column
