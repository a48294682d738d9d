"""XLSForm, the format in which survey tools exchange forms: import and export.

The import reports everything that it drops. This package may import what `formats` may. Start
reading in `read_form` and `write_form`.
"""
