"""Tables of randomised answers, for several test modules."""

import csv
import io

from survey.core.nfc import to_nfc
from survey.formats.randomised_csv.build_survey import ImportOptions, survey_from_table
from survey.formats.randomised_csv.designs import parse_randomisation_design
from survey.formats.randomised_csv.options import OptionTexts, parse_options
from survey.formats.randomised_csv.sheet import read_csv_table
from tests.support.decomposed import same_if_decomposed

THIRD = "forced-known,p=2/3,p0=1/6,p1=1/6"


@same_if_decomposed
def brought(content, *, slug="study", title="Study", missing=(), encoding="", **wishes):
    """The survey of a file. Each test also reads the decomposed file, with decomposed options."""
    private = {
        to_nfc(name): parse_randomisation_design(design)
        for name, design in wishes.pop("private", {}).items()
    }
    content = content if isinstance(content, bytes) else content.encode()
    sheet = read_csv_table(io.BytesIO(content), missing, encoding)
    return survey_from_table(sheet, ImportOptions(private=private, **to_nfc(wishes)), slug, title)


def imported(content, *private, missing=(), **options):
    """The same with the options as texts, as the command and the page have them."""
    table = read_csv_table(io.BytesIO(content.encode()), missing)
    wishes = parse_options(OptionTexts(private=private, **options), table.columns)
    return survey_from_table(table, wishes, "study", "Study")


def halves(*columns, n=60):
    """Rows of a private column with half 0 and half 1, and of the other columns by their row."""
    return [[str(place % 2), *(column(place) for column in columns)] for place in range(n)]


def file_of(headings, rows, separator=",", end="\n"):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows([headings, *rows])
    return text.getvalue()


WARNER = "Warner,p=2/3"
