"""WTForms of the researcher's pages.

It may import what `admin` may. Start reading in `survey_form`.
"""
