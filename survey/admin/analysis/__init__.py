"""Pages of analyses across several questions.

Start reading in `request_form`, which all of them share.
"""
