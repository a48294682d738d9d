"""Pages of analyses across several questions.

It may import what `admin` may. Start reading in `request_form`, which all of them share.
"""
