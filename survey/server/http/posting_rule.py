"""The rule for posted requests: their origin, content type, encoding and length.

The front applies it before it acknowledges a response (survey/server/http/asgi_app.py). The routes
apply it to all requests that respondents post (survey/respondent/), and send the refusal.

The argument: the rule reads only the WSGI environment of a request. The front builds the same
environment for the application. In it a header that was sent twice has both values, joined by a
comma. Such a value matches no page of this site and no content type. So the front and the routes
cannot judge a request differently. An accepted request comes from a page of this site: browsers say
so in Sec-Fetch-Site, and older ones in Origin. A program that sends neither header is not a browser
and holds nobody's cookies. The length is that of the body, which the server has read whole.
"""

from dataclasses import dataclass
from typing import Any

from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_content_length, get_host

JSON = "application/json"


@dataclass(frozen=True)
class PostingRefusal:
    """Why the server does not read a posted request."""

    status: int
    sentence: str


def posting_refusal(
    environ: dict[str, Any], what: str, max_bytes: int, content_type: str = JSON
) -> PostingRefusal | None:
    """Why a posted request is refused, or None if its body may be read.

    Parameters
    ----------
    environ : the request in WSGI (PEP 3333)
    what : the name of the posted item in a refusal, such as "Response"
    max_bytes : the maximum length of the body
    content_type : the only type that is accepted, with any parameters
    """
    if is_from_elsewhere(environ):
        return PostingRefusal(403, f"{what}s are accepted only from this site's own pages.")
    stated_type, _ = parse_options_header(environ.get("CONTENT_TYPE"))
    if stated_type.lower() != content_type or "HTTP_CONTENT_ENCODING" in environ:
        return PostingRefusal(
            415, f"A {what.lower()} must have the type {content_type} and no content encoding."
        )
    length = get_content_length(environ)
    # Every browser states the length. A body without a known end is not read.
    if length is None:
        return PostingRefusal(400, f"A {what.lower()} must state its length in Content-Length.")
    if length > max_bytes:
        return PostingRefusal(413, f"A {what.lower()} must be at most {max_bytes} bytes long.")
    return None


def is_from_elsewhere(environ: dict[str, Any]) -> bool:
    """Whether a browser says that a page of another site sent this request."""
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return bool(site != "same-origin")
    origin = environ.get("HTTP_ORIGIN")
    if origin is None:
        return False
    host = origin.partition("://")[2]
    return not host or host != get_host(environ)
