"""A file of randomised answers as researchers have it, a row for each respondent, becomes a survey.

It may import what `formats` may. Start reading in `build_survey`; `designs` has the notations of
Candor and of the R packages rr and RRreg.
"""

from survey.formats.randomised_csv.build_survey import Brought, Wishes, bring
from survey.formats.randomised_csv.designs import Design, read_design
from survey.formats.randomised_csv.sheet import Sheet, read_sheet

__all__ = ["Brought", "Design", "Sheet", "Wishes", "bring", "read_design", "read_sheet"]
