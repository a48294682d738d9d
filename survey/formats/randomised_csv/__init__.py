"""A file of randomised answers as researchers have it, a row for each respondent, becomes a survey.

designs.py  how a column was randomised, as Candor, rr and RRreg write it
sheet.py    the cells of the file
plain.py    a column as it is: numbers, choices, texts
private.py  a randomised column: which cell is which report
making.py   the definition and the reports
"""

from survey.formats.randomised_csv.build_survey import Brought, Wishes, bring
from survey.formats.randomised_csv.designs import Design, read_design
from survey.formats.randomised_csv.sheet import Sheet, read_sheet

__all__ = ["Brought", "Design", "Sheet", "Wishes", "bring", "read_design", "read_sheet"]
