"""The API: a program reads with a token what a researcher reads on pages, and changes nothing.

The argument: nothing here answers without a token, looks at a cookie, or can be asked by another
site's script (no CORS header is ever sent); and all that it gives is published in batches, like the
pages. tests/api/test_api.py walks the table of routes. It may import `core` to `web`, and neither
`respondent` nor `admin`. Start reading in `endpoints`, of which the OpenAPI document is made.
"""

from survey.api import document, endpoints
from survey.api.blueprint import blueprint

__all__ = ["blueprint", "document", "endpoints"]
