"""`flask --app app verify URL`: does a server send everyone the survey pages of this release?

The command requests the survey's document, its page in each language, and the files under /static/
that this release loads on that page. It requests nothing else, from no other host. A page that
loads anything else differs in its bytes, so the comparison finds it.
survey/cli/verify/http_client.py sends the requests, and survey/cli/verify/compare.py compares.
"""

import re
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import click
from flask import Flask

from survey.cli.verify import compare
from survey.cli.verify.compare import CLOSED, OPEN, Finding
from survey.cli.verify.expected_pages import pages_of
from survey.cli.verify.http_client import CLIENTS, Client, ClientReply, Host
from survey.core.errors import CannotVerify
from survey.definition.sub_surveys import COMPREHENSION
from survey.definition.survey import SLUG
from survey.server.http.static_files import static_files

# Each client requests each file this many times.
REQUESTS_PER_CLIENT = 2
# Paper-and-coin mode has its own page without scripts, so there is nothing to verify.
ADDRESS = re.compile(rf"/s/({SLUG.pattern}(?:\.{COMPREHENSION})?)/?")
LOADED_FILE = re.compile(rb'<(?:link|script) [^>]*(?:href|src)="/static/([\w./-]+)"')


def parse_survey_address(url: str) -> tuple[str, str]:
    """The origin and the slug in a survey's URL. Raises CannotVerify for any other URL."""
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
    return f"{parts.scheme}://{parts.netloc}", match[1]


def each_time() -> Iterator[Client]:
    return (client for _ in range(REQUESTS_PER_CLIENT) for client in CLIENTS)


def survey_findings(app: Flask, url: str) -> Iterator[Finding]:
    """All findings about the survey at this URL, as they are made.

    Raises CannotVerify if nothing can be found out.
    """
    origin, slug = parse_survey_address(url)
    host, path = Host(origin), f"/s/{slug}"
    replies = [host.ask(client, f"{path}.json") for client in each_time()]
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
    status = host.ask(CLIENTS[0], path).status
    status = CLOSED if status == CLOSED else OPEN
    expected = pages_of(app, frozen, document, closed=status == CLOSED)
    pages: list[ClientReply] = []
    for where, texts in expected.items():
        for language, text in texts.items():
            those = list(pages_in(host, where, language))
            yield from compare.check_status(those, status if where == path else OPEN)
            yield compare.check_bytes(f"{where} ({language})", those, text)
            pages += those
    bodies = [text for texts in expected.values() for text in texts.values()]
    for name in dict.fromkeys(name for body in bodies for name in LOADED_FILE.findall(body)):
        file = f"/static/{name.decode()}"
        files = [host.ask(client, file) for client in each_time()]
        yield from compare.check_status(files, OPEN)
        yield compare.check_bytes(file, files, static_files()[name.decode()].content)
        replies += files
    yield from compare.check_headers([*pages, *replies], https=origin.startswith("https:"))
    if frozen.survey.fieldwork.comprehension:
        yield from survey_findings(app, f"{origin}{path}.{COMPREHENSION}")


def pages_in(host: Host, path: str, language: str) -> Iterator[ClientReply]:
    """The page in a language, requested by address and by the browser's language."""
    for client in each_time():
        yield host.ask(client, f"{path}?language={language}")
        yield host.ask(client, path, language)


def report(app: Flask, url: str) -> None:
    """Print the findings about the survey at this URL; exit with 1 if a check fails."""
    wrong = 0
    for finding in survey_findings(app, url):
        click.echo(str(finding))
        wrong += not finding.ok
    if wrong:
        click.echo(f"\nChecks failed: {wrong}. Do not answer there before this is explained.")
        sys.exit(1)
    click.echo("\nEverything matches this release. SECURITY.md explains what this proves.")
