"""The rule for posted requests: their origin, content type, encoding and length.

The front applies it before it acknowledges a response (survey/server/http/asgi_app.py). The routes
apply it to whatever respondents post (survey/respondent/), and send the sentence of a refusal.

The argument: the rule reads the WSGI environment of a request, and nothing else. The front makes
that environment for the application, too. In it a header that was sent twice has both values,
joined by a comma, which passes for no page of this site and for no type. So the front and the
routes cannot judge a request differently. What passes comes from a page of this site: browsers say
so in Sec-Fetch-Site, and older ones in Origin. Programs that send neither header are no browser,
and hold nobody's cookies. The length is that of the body, which the server has read whole.
"""

from dataclasses import dataclass
from typing import Any

from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_content_length, get_host

JSON = "application/json"


@dataclass(frozen=True)
class PostingRefusal:
    """Why a posted request is not read."""

    status: int
    sentence: str


def posting_refusal(
    environ: dict[str, Any], what: str, max_bytes: int, content_type: str = JSON
) -> PostingRefusal | None:
    """Why a posted request is refused, or None if its body may be read.

    Parameters
    ----------
    environ : the request in WSGI (PEP 3333)
    what : what is posted, as a refusal calls it, such as "Response"
    max_bytes : the length of the longest body
    content_type : the only type that is accepted, with any parameters
    """
    if is_from_elsewhere(environ):
        return PostingRefusal(403, f"{what}s are taken from this site's own pages only.")
    stated_type, _ = parse_options_header(environ.get("CONTENT_TYPE"))
    if stated_type.lower() != content_type or "HTTP_CONTENT_ENCODING" in environ:
        return PostingRefusal(415, f"A {what.lower()} is {content_type}, without an encoding.")
    length = get_content_length(environ)
    # Every browser states the length. A body without a known end is not read.
    if length is None:
        return PostingRefusal(400, f"A {what.lower()} states its length in Content-Length.")
    if length > max_bytes:
        return PostingRefusal(413, f"A {what.lower()} is at most {max_bytes} bytes long.")
    return None


def is_from_elsewhere(environ: dict[str, Any]) -> bool:
    """Whether a browser says that another site's page sends this."""
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return bool(site != "same-origin")
    origin = environ.get("HTTP_ORIGIN")
    if origin is None:
        return False
    host = origin.partition("://")[2]
    return not host or host != get_host(environ)
