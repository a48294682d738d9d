"""XLSForm, in which survey tools exchange forms: rows of three sheets become a definition and back.

What is dropped on the way in is said, never silently. It may import what `formats` may. Start
reading in `read_form` and `write_form`, which are the two ways.
"""
