"""Surveys of other programs: recognised by their content, and converted into rows of an XLSForm.

The import of XLSForms (survey/formats/xlsform/) then reads these rows. So each kind of question,
condition and text is read in one place, and notes name the places of the person's own file.
"""
