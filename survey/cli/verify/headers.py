"""The headers that a reply may have: those of this release, and a few of servers and proxies.

The argument: a header can make a browser erase what a page has stored (Clear-Site-Data). Others
make it load from another server (Alt-Svc, Link, Speculation-Rules) or switch on features
(Origin-Trial). New ones appear every year. So there is no list of dangerous headers. A header that
is not permitted below is wrong, whatever it does, and so is a second one of a name.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from survey.cli.verify.compare import Finding, clients_of, replies_by_key
from survey.cli.verify.http_client import NO_HEADER, ClientReply
from survey.server.http.security_headers import (
    HSTS,
    coin_page_headers,
    file_headers,
    respondent_headers,
)
from survey.server.http.static_files import ADDRESS, CONTENT_TYPES

PAGE = "text/html; charset=utf-8"
DOCUMENT = "application/json"
# The addresses to which the scripts of pages post, and those of paper-and-coin mode.
POSTED = re.compile(r"/s/[^/]+/(responses|invited|withdrawals)")
COIN_PAGE = re.compile(r"/s/[^/]+/by-hand(/thanks)?")
# Headers that servers and proxies add, and the whole values that they may have.
PERMITTED = {
    # RFC 9110 requires Date (6.6.1). Browsers use it only for the age of copies, which they may not
    # keep here.
    "Date": r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT",
    # Names of programs (RFC 9110, 10.2.4 and 7.6.3). Browsers do not read them.
    "Server": r"[\x20-\x7e]*",
    "Via": r"[\x20-\x7e]*",
    # How the connection goes on, and where the body ends. They change nothing in the body.
    "Connection": r"(?i)keep-alive|close",
    "Keep-Alive": r"[\w=, ]*",
    "Content-Length": r"\d+",
    "Transfer-Encoding": r"(?i)chunked",
    # This command decodes gzip like a browser, and then compares the content.
    "Content-Encoding": r"(?i)gzip",
    # For caches. Any other name would mean that the page depends on that header.
    "Vary": r"(?i)Accept-Encoding",
    # A server with an https address sends it over http too, where browsers ignore it.
    "Strict-Transport-Security": re.escape(HSTS),
}


def check_headers(replies: Sequence[ClientReply], *, https: bool) -> list[Finding]:
    """Whether every reply has the headers of this release, and no others than permitted."""
    wrong = replies_by_key(
        (fault, reply) for reply in replies for fault in faults_of_headers(reply, https=https)
    )
    if not wrong:
        sentence = f"All {len(replies)} replies have the headers of this release, and no others."
        return [Finding(True, sentence)]
    return [
        Finding(
            False,
            f"{fault}: {len(those)} of {len(replies)} times, first for {those[0].path}, for "
            f"{clients_of(those)}.",
        )
        for fault, those in wrong.items()
    ]


def faults_of_headers(reply: ClientReply, *, https: bool) -> Iterator[str]:
    wanted = headers_of_release(reply.path, https=https)
    for name, value in wanted.items():
        got = reply.header(name)
        if got is None:
            yield f"The header {name} is missing"
        elif got != value:
            yield f"The header {name} is {got[:200]!a} instead of {value!r}"
    known = {name.lower() for name in wanted}
    permitted = {name.lower(): values for name, values in PERMITTED.items()}
    for lower, named in reply.by_name.items():
        name, value = ascii(named[0][0][:80])[1:-1], ascii(named[0][1][:200])
        if lower in known:
            continue
        if lower == NO_HEADER:
            yield f"Among the headers are lines that are none: {value}"
        elif lower not in permitted:
            yield f"Candor never sends the header {name}, but it is there"
        elif len(named) > 1:
            yield f"The header {name} is there {len(named)} times"
        elif not re.fullmatch(permitted[lower], named[0][1]):
            yield f"The header {name} has a value that is not permitted: {value}"


def headers_of_release(target: str, *, https: bool) -> dict[str, str]:
    """The headers that this release sends for this path, apart from those of servers."""
    path = target.partition("?")[0]
    if path.startswith(ADDRESS):
        of_kind = file_headers(https)
    else:
        of_kind = (
            coin_page_headers(https) if COIN_PAGE.fullmatch(path) else respondent_headers(https)
        )
    return of_kind | {"Content-Type": type_of(path)}


def type_of(path: str) -> str:
    if path.startswith(ADDRESS):
        return CONTENT_TYPES.get(Path(path).suffix, "")
    return DOCUMENT if path.endswith(".json") or POSTED.fullmatch(path) else PAGE
