"""A file of randomised answers as researchers have it, a row for each respondent, becomes a survey.

It may import what `formats` may. Start reading in `build_survey`; `designs` has the notations of
Candor and of the R packages rr and RRreg.
"""

from survey.formats.randomised_csv.build_survey import (
    ImportedSurvey,
    ImportOptions,
    survey_from_table,
)
from survey.formats.randomised_csv.designs import RandomisationDesign, parse_randomisation_design
from survey.formats.randomised_csv.sheet import CSVTable, read_csv_table

__all__ = [
    "CSVTable",
    "ImportOptions",
    "ImportedSurvey",
    "RandomisationDesign",
    "parse_randomisation_design",
    "read_csv_table",
    "survey_from_table",
]
