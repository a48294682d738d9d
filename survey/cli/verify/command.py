"""`candor verify URL`: does a server send everyone the survey pages of this release?

The command requests the survey's document, its page in each language, and the files under /static/
that this release loads on that page. It also requests the other pages of the survey, and posts only
what every server refuses. It requests nothing from another host. A page that loads anything else
differs in its bytes, so the comparison finds it.
survey/cli/verify/http_client.py sends the requests in the manner of survey/cli/verify/browsers.py;
survey/cli/verify/compare.py and survey/cli/verify/headers.py compare.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import click
from flask import Flask, request

from survey.cli.verify import compare
from survey.cli.verify.browsers import VISITS
from survey.cli.verify.compare import CLOSED, OPEN, Finding
from survey.cli.verify.expected_pages import pages_of, refusals_of
from survey.cli.verify.headers import check_headers
from survey.cli.verify.http_client import Ask, ClientReply, Host
from survey.core.errors import CannotVerify
from survey.definition.frozen import FrozenSurvey
from survey.definition.sub_surveys import COMPREHENSION
from survey.definition.survey import SLUG
from survey.server.http.page_cache import preferred_by
from survey.server.http.static_files import static_files

# For requests that a host would hardly single out, fewer visits.
FIRST = VISITS[:1]
ENDS = (VISITS[0], VISITS[-1])
# Paper-and-coin mode has its own page without scripts. Its ids are random, so only its headers are
# compared.
ADDRESS = re.compile(rf"/s/({SLUG.pattern}(?:\.{COMPREHENSION})?)")
LOADED_FILE = re.compile(rb'<(?:link|script) [^>]*(?:href|src)="/static/([\w./-]+)"')
KINDS = {".js": "script", ".css": "style", ".svg": "image"}
# Browsers send these characters of a query as they are (https://url.spec.whatwg.org/).
UNQUOTED = "!$%&()*+,-./:;=?@[\\]^_`{|}~"


@dataclass(frozen=True)
class SurveyAddress:
    """The parts of a survey's URL; `query` begins with ?, or is "" if there is none."""

    origin: str
    slug: str
    query: str


def parse_survey_address(url: str) -> SurveyAddress:
    """The parts of a survey's URL. Raises CannotVerify for any other URL."""
    try:
        parts = urlsplit(url)
        is_web_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_web_address = False
    match = ADDRESS.fullmatch(parts.path) if is_web_address else None
    if match is None or parts.username is not None or not parts.netloc.isprintable():
        raise CannotVerify(
            f"{url!r} is not the address of a survey. Use one such as "
            "https://survey.example.org/s/health."
        )
    query = f"?{quote(parts.query, safe=UNQUOTED)}" if "?" in url.partition("#")[0] else ""
    return SurveyAddress(f"{parts.scheme}://{parts.netloc}", match[1], query)


class Inspection:
    """The requests about one survey, and what they found.

    Parameters
    ----------
    app : this release, which renders the expected pages
    host : the server of the survey
    address : the address as it was typed
    """

    def __init__(self, app: Flask, host: Host, address: SurveyAddress):
        self.app = app
        self.host = host
        self.address = address
        self.path = f"/s/{address.slug}"
        self.replies: list[ClientReply] = []

    def ask(self, ask: Ask) -> list[ClientReply]:
        """The replies to all clients. Their headers are checked at the end."""
        replies = self.host.ask_all(ask)
        self.replies += replies
        return replies

    def findings(self) -> Iterator[Finding]:
        """All findings, as they are made. Raises CannotVerify if nothing can be found out."""
        replies = self.ask(Ask(target=f"{self.path}.json"))
        document = compare.read_document(replies[0])
        yield from compare.check_status(replies, OPEN)
        yield compare.check_bytes("The survey's document", replies)
        frozen = compare.frozen_from_document(document)
        if isinstance(frozen, Finding):
            yield frozen
            yield Finding(False, "The page cannot be compared, because the survey is not known.")
            return
        yield from compare.check_document(document, frozen)
        yield compare.check_limits(frozen)
        status = CLOSED if self.host.ask(Ask(target=self.path)).status == CLOSED else OPEN
        expected = pages_of(self.app, frozen, document, closed=status == CLOSED)
        yield from self.page_findings(expected, status)
        yield from self.typed_findings(expected[self.path], status)
        yield from self.file_findings(expected)
        yield from self.other_page_findings(frozen, document, status)
        yield from self.refusal_findings(frozen, document)
        https = self.address.origin.startswith("https:")
        yield from check_headers(self.replies, https=https)
        if frozen.survey.fieldwork.comprehension:
            part = SurveyAddress(self.address.origin, f"{self.address.slug}.{COMPREHENSION}", "")
            yield from Inspection(self.app, self.host, part).findings()

    def page_findings(
        self, expected: Mapping[str, Mapping[str, bytes]], status: int
    ) -> Iterator[Finding]:
        """About the pages, requested by the link to each language and by the browser's language.

        static/respondent/language.js loads the link by a script.
        """
        for where, texts in expected.items():
            for language, text in texts.items():
                linked = f"{where}?language={language}"
                replies = [
                    *self.ask(Ask(target=linked, from_here=True)),
                    *self.ask(Ask(target=linked, kind="load", visits=FIRST)),
                    *self.ask(Ask(target=where, language=language)),
                ]
                wanted = status if where == self.path else OPEN
                yield from compare.check_status(replies, wanted)
                yield compare.check_bytes(f"{where} ({language})", replies, text)

    def typed_findings(self, texts: Mapping[str, bytes], status: int) -> Iterator[Finding]:
        """About the page under the query of the typed address, which may state a language."""
        query = self.address.query
        if not query:
            return
        names = dict(parse_qsl(query[1:], keep_blank_values=True)).keys() - {"language"}
        if names:
            yield Finding(
                True,
                "This release ignores everything after the question mark of the address except a "
                f"language: {', '.join(ascii(name[:80])[1:-1] for name in sorted(names))}.",
            )
        for language in texts:
            replies = self.ask(Ask(target=self.path + query, language=language))
            accepted = {"Accept-Language": language}
            with self.app.test_request_context(self.path + query, headers=accepted):
                shown = preferred_by(request, [*texts])
            yield from compare.check_status(replies, status)
            what = f"The address as typed, for browsers in {language} ({shown})"
            yield compare.check_bytes(what, replies, texts[shown])

    def file_findings(self, expected: Mapping[str, Mapping[str, bytes]]) -> Iterator[Finding]:
        bodies = [text for texts in expected.values() for text in texts.values()]
        for name in dict.fromkeys(found for body in bodies for found in LOADED_FILE.findall(body)):
            file = name.decode()
            replies = self.ask(
                Ask(target=f"/static/{file}", kind=KINDS.get(Path(file).suffix, "image"))
            )
            yield from compare.check_status(replies, OPEN)
            yield compare.check_bytes(f"/static/{file}", replies, static_files()[file].content)

    def other_page_findings(
        self, frozen: FrozenSurvey, document: Mapping[str, Any], status: int
    ) -> Iterator[Finding]:
        """About pages and errors that are not rendered here: all clients get the same."""
        main = frozen.survey.language
        results = OPEN if document.get("public_results") is True else 404
        asks = [
            (Ask(target=f"{self.path}/how", from_here=True, language=main, visits=ENDS), OPEN),
            (Ask(target=f"{self.path}/verify", from_here=True, language=main, visits=ENDS), OPEN),
            # The place that stays in the history after "Leave now".
            (Ask(target="/blank", from_here=True, language=main, visits=ENDS), OPEN),
            # Some browsers request this file on their own. This release has none.
            (Ask(target="/favicon.ico", kind="image", language=main, visits=ENDS), 404),
            # static/respondent/start.js requests the status of the page.
            (Ask(target=self.path, kind="load", method="HEAD", language=main, visits=ENDS), status),
        ]
        for ask, wanted in asks:
            replies = self.ask(ask)
            yield from compare.check_status(replies, wanted)
            yield compare.check_bytes(f"{ask.method} {ask.target}", replies)
        # These change while people answer, or have random ids.
        changing = [(Ask(target=f"{self.path}/results", from_here=True, visits=ENDS), results)]
        if frozen.survey.fieldwork.by_hand:
            form = f"{self.path}/by-hand"
            changing += [
                (Ask(target=form, from_here=True), status),
                (Ask(target=f"{form}/thanks", from_here=True, visits=ENDS), OPEN),
                (Ask(target=form, kind="form", method="POST", body=b"fingerprint="), 400),
            ]
        for ask, wanted in changing:
            yield from compare.check_status(self.ask(ask), wanted)

    def refusal_findings(
        self, frozen: FrozenSurvey, document: Mapping[str, Any]
    ) -> Iterator[Finding]:
        """About the replies to posted requests that no server records."""
        for end, refusal in refusals_of(self.app, frozen, document).items():
            replies = self.ask(
                Ask(target=self.path + end, kind="fetch", method="POST", body=refusal.body)
            )
            yield from compare.check_status(replies, refusal.status)
            yield compare.check_bytes(f"The refusal of {end}", replies, refusal.content)


def report(app: Flask, url: str) -> None:
    """Print the findings about the survey at this URL; exit with 1 if a check fails."""
    address = parse_survey_address(url)
    wrong = 0
    with Host(address.origin) as host:
        for finding in Inspection(app, host, address).findings():
            click.echo(str(finding))
            wrong += not finding.ok
    if wrong:
        click.echo(f"\nChecks failed: {wrong}. Do not answer there before this is explained.")
        sys.exit(1)
    click.echo("\nEverything matches this release. SECURITY.md explains what this proves.")
