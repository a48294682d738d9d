"""WTForms of the researchers' pages.

It may import what `admin` may. Start reading in `survey_form`.
"""
