"""The API: with a token, a program reads what a researcher reads on pages. It changes nothing.

The argument: no request succeeds without a token, cookies are ignored, and scripts of other sites
cannot use the API, because it never sends a CORS header. All its data is published in batches, like
the pages. tests/api/test_api.py checks every route.

It may import `core` to `web`, and neither `respondent` nor `admin`. Start reading in `endpoints`,
from which the OpenAPI document is made.
"""

from survey.api import document, endpoints
from survey.api.blueprint import blueprint

__all__ = ["blueprint", "document", "endpoints"]
