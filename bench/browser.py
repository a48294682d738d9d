"""The work of respondents' devices: draws in Chromium relative to plain random words, and the size
of a page relative to the text of its questions.
"""

import gzip
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from flask.testing import FlaskClient

from app import create_app
from survey.definition.frozen import freeze, table_entry
from survey.definition.privacy_limits import PrivacyLimits
from survey.definition.survey import Survey, parse_survey
from survey.server.http.compression import GZIP_LEVEL
from survey.server.settings import Settings

from .pages import QUESTIONS, SLUG, definition
from .simulated import question_of
from .speed import LN_3
from .tables import Figure, Table

HERE = Path(__file__).parent
DRAWS, ROUNDS = 20_000, 5
NEEDED = re.compile(r'<(?:script|link)\b[^>]*?(?:src|href)="(/static/[^"]+)"')


def chromium() -> str | None:
    """The path of a Chromium that Playwright can control here; None if there is none."""
    try:
        from tools.browser import installed

        return installed()
    except ImportError:
        return None


def randomizing() -> Table | None:
    """The time of one answer in Chromium; None if there is none."""
    path = chromium()
    if path is None:
        return None
    from playwright.sync_api import sync_playwright

    rows: list[list[str | float]] = []
    figures = []
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path)) as browser,
    ):
        page = browser.new_page()
        page.add_script_tag(
            content=(HERE.parent / "static" / "respondent" / "randomizer.js").read_text()
        )
        for k in (5, 16):
            question = question_of(k, LN_3)
            entry = json.loads(json.dumps(table_entry(question, question.randomizer)))
            found = page.evaluate(
                (HERE / "browser.js").read_text(),
                {"table": entry, "draws": DRAWS, "rounds": ROUNDS},
            )
            ratio = found["ours"] / found["bare"]
            rows.append([str(k), 1_000 * found["ours"], found["words"], ratio])
            what = f"an answer out of {k}, randomised in Chromium"
            figures.append(Figure(what, "time / time of the random numbers alone", ratio))
    return Table(
        "Time to randomise an answer in Chromium, ε = ln 3",
        ["k", "µs", "random numbers", "time / time of the random numbers alone"],
        rows,
        figures,
    )


def texts_of(survey: Survey) -> Iterator[str]:
    """The text of the questions that respondents read."""
    yield survey.title
    for question in survey.questions:
        yield question.label
        yield from (choice.label for choice in question.choices)


def sent(client: FlaskClient, address: str, *, compressed: bool) -> bytes:
    encoding = "gzip" if compressed else "identity"
    with client.get(address, headers={"Accept-Encoding": encoding}) as reply:
        if reply.status_code != 200:
            raise RuntimeError(f"{address} answers {reply.status_code}.")
        return reply.data


def weight() -> Table:
    """The size of the respondents' page of bench/pages.py with everything that it loads."""
    with tempfile.TemporaryDirectory() as folder:
        where = {"CANDOR_DATABASE": str(Path(folder, "db"))}
        app = create_app(Settings.from_environment(where))
        with closing(app.extensions["candor.store"]) as store:
            survey = parse_survey(definition())
            store.surveys.save_draft(survey)
            store.surveys.freeze(freeze(survey, PrivacyLimits(epsilon=Fraction(20))), "open")
            client = app.test_client()
            page = f"/s/{SLUG}"
            loaded = NEEDED.findall(sent(client, page, compressed=False).decode())
            sizes = {
                address: [
                    len(sent(client, address, compressed=compressed))
                    for compressed in (False, True)
                ]
                for address in (page, *dict.fromkeys(loaded))
            }
    text = "\n".join(texts_of(survey)).encode()
    floor = [len(text), len(gzip.compress(text, GZIP_LEVEL, mtime=0))]
    kinds = {"the page itself": [sizes.pop(page)]}
    for kind, ending in (("its script", ".js"), ("its styles", ".css"), ("its icon", ".svg")):
        kinds[kind] = [size for address, size in sizes.items() if address.endswith(ending)]
    kinds["all files"] = [size for each in list(kinds.values()) for size in each]
    kinds["the text of the questions only"] = [floor]
    rows: list[list[str | float]] = []
    for kind, listed in kinds.items():
        whole, small = (sum(column) for column in zip(*listed, strict=True))
        rows.append([kind, str(len(listed)), whole / 1_000, small / 1_000])
    _, _, _, small = rows[-2]
    figures = [
        Figure("the respondents' page with all its files", "kB, compressed", float(small)),
        Figure(
            "the respondents' page with all its files",
            "times the compressed text of the questions",
            1_000 * small / floor[1],
        ),
    ]
    return Table(
        f"Size of the respondents' page of {QUESTIONS} questions",
        ["part", "files", "kB", "kB compressed"],
        rows,
        figures,
    )
