"""XLSForm, in which survey tools exchange forms: rows of three sheets become a definition and back.

`reading` and `writing` are the two ways; what is dropped on the way in is said, never silently.
"""

from survey.formats.xlsform.read_form import Imported, from_xlsform
from survey.formats.xlsform.write_form import to_xlsform

__all__ = ["Imported", "from_xlsform", "to_xlsform"]
