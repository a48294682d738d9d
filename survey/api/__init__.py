"""The API: a program reads with a token what a researcher reads on pages, and changes nothing.

The argument: nothing here answers without a token, looks at a cookie, or can be asked by another
site's script (no CORS header is ever sent); and all that it gives is released in batches, like the
pages. tests/api/test_api.py walks the table of routes. What the routes are is written down once, in
survey/api/endpoints.py; the OpenAPI document is made from that.
"""

from survey.api import document, endpoints
from survey.api.blueprint import blueprint

__all__ = ["blueprint", "document", "endpoints"]
