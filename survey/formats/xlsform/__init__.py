"""XLSForm, in which survey tools exchange forms: rows of three sheets become a definition and back.

What is dropped on the way in is said, never silently. It may import what `formats` may. Start
reading in `read_form` and `write_form`, which are the two ways.
"""

from survey.formats.xlsform.read_form import ImportedDefinition, from_xlsform
from survey.formats.xlsform.write_form import to_xlsform

__all__ = ["ImportedDefinition", "from_xlsform", "to_xlsform"]
