"""Every rendering of an analysis says the same: its finding or refusal, its remarks, its figures.

The responses are drawn at random: none, one, few and many; rare, impossible and of any
distribution. The choices of the form are drawn, too. The renderings are the page with its citation,
CSV, JSON and the chart, the same by the API, and the terminal.
"""

import csv
import html
import io
import json
import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from werkzeug.datastructures import MultiDict

from survey.core.glossary_terms import without_marks
from survey.core.scores import probabilities
from survey.definition.responses.parse_response import Response
from survey.estimation.share_results import reporting_table
from survey.web import api_tokens
from survey.web.analyses.forms import AnswerChoice, offers_nothing
from survey.web.analyses.kinds import ANALYSES
from survey.web.form_fields import CheckboxesField
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import signed_in

LETTERS = [{"name": name, "label": name.upper()} for name in "abc"]
QUESTIONS = [
    yes_no("coin", label="Tails?"),
    yes_no("other", {"epsilon": 2}, label="Other?"),
    yes_no("plain", "none", label="Plain?"),
    asked("letters", "select_one", {"epsilon": 2}, choices=LETTERS),
    asked("region", "select_one", "none", choices=LETTERS),
    asked("scale", "scale", {"epsilon": 2}, choices=LETTERS),
    asked("average", "number", {"epsilon": 2}, min=0, max=8, unit="km"),
    asked("age", "number", "none", min=0, max=6),
    {
        "name": "copied", "type": "yes_no", "label": "Copied?",
        "privacy": {"mechanism": "crosswise", "p": 0.2},
    },
]  # fmt: skip
SIZES = (0, 1, 6, 40, 150, 600)
EXPONENT = re.compile(r"(?<!\w)\d+(?:[.,]\d+)?e[+-]?\d+(?!\w)")
# An impossible share or p-value in a sentence. Differences are in points.
IMPOSSIBLE = re.compile(
    r"(?<![\w.])[-−]\d[\d.,]* %|\b[1-9]\d{3,} %|\b1(?:0[1-9]|[1-9]\d)(?:\.\d+)? %"
)
STATED_P = re.compile(r"p = (0\.\d+)")


def stored(store, slug, seed):
    """A survey with responses of a drawn size, whose questions are each of a drawn kind."""
    survey = opened(store, definition(*QUESTIONS, slug=slug)).survey
    rng = np.random.default_rng(seed)
    n = int(rng.choice(SIZES))
    columns = []
    for question in survey.fields:
        table = probabilities(reporting_table(question)) if question.protected else None
        answers = len(question.answers) if table is None else table.shape[0]
        kind = rng.choice(["people", "people", "people", "rare", "impossible"])
        shares = rng.dirichlet(np.ones(answers))
        if kind == "rare":
            shares = np.eye(answers)[0] * 0.97 + 0.03 / answers
        chances = shares if table is None else shares @ table
        if kind == "impossible" and table is not None:
            chances = np.eye(table.shape[1])[int(rng.integers(table.shape[1]))]
        columns.append(rng.choice(len(chances), n, p=chances / chances.sum()))
    rows = [
        (slug, Response(seed.to_bytes(8) + k.to_bytes(8), tuple(int(code) for code in row)))
        for k, row in enumerate(zip(*columns, strict=True))
    ]
    for start in range(0, n, 200):
        assert all(store.responses.add_all(rows[start : start + 200]))


def drawn_query(form, rng):
    """Random choices, as a query and as the options of the command."""
    query, options = MultiDict(), []
    for each in form.own_fields:
        choices = [c for c in getattr(each, "choices", None) or () if c.value]
        if not choices or (not getattr(each.flags, "required", False) and offers_nothing(each)):
            continue
        if each.short_name == "items" and query["measure"] != "@sum:":
            continue
        several = isinstance(each, CheckboxesField)
        picked = rng.choice(len(choices), min(len(choices), 2) if several else 1, replace=False)
        for choice in (choices[int(k)] for k in picked):
            query.add(each.short_name, choice.value)
            spelling = choice.spelling if isinstance(choice, AnswerChoice) else choice.value
            options += [f"--{each.short_name.replace('_', '-')}", spelling]
    if "control" in query:
        query.add("known", "50")
        options += ["--known", "50"]
    return query, options


@dataclass
class Rendered:
    """An analysis as its readers get it."""

    page: str
    files: dict
    api: dict
    terminal: str
    refused: bool
    codes_on_page: list = field(default_factory=list)


def squeezed(text):
    """The visible text on one line."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", text))
    return " ".join(plain.replace("\u00a0", " ").replace("\u2060", "").split())


def rendered(app, researcher, token, name, query, options):
    parameters = query.to_dict(flat=False)
    path = "" if name == "crosstab" else f"/{name}"
    site = "/admin/surveys/health/analysis"
    page = researcher.client.get(f"{site}{path}", query_string=parameters)
    assert page.status_code == 200
    files, api = {}, {}
    for kind in ("csv", "json", "svg"):
        file = researcher.client.get(f"{site}/{name}.{kind}", query_string=parameters)
        files[kind] = file.text
        reply = app.test_client().get(
            f"/api/v1/surveys/health/analyses/{name}.{kind}",
            query_string=parameters,
            headers={"Authorization": f"Bearer {token}"},
        )
        assert (reply.status_code == 200) == (file.status_code == 200)
        api[kind] = reply.text
    command = app.test_cli_runner().invoke(args=["analyse", name, "health", *options])
    assert command.exit_code in (0, 1), command.output
    refused = 'id="finding"' not in page.text
    assert refused == (command.exit_code == 1), command.output
    codes = re.findall(r'data-remark="(\w+)"', page.text)
    return Rendered(page.text, files, api, command.output, refused, codes)


def check_refusal(shown):
    """A refusal is the same sentence on the page, for programs and in the terminal."""
    errors = re.findall(r'class="error"[^>]*>(.*?)</p>', shown.page)
    notice = re.findall(r'<p class="notice" role="status">(.*?)</p>', shown.page, re.S)
    sentences = [squeezed(text) for text in notice + errors]
    assert sentences
    terminal = squeezed(shown.terminal)
    for sentence in sentences[:1]:
        # The page also says how many responses are waiting.
        first = sentence.partition(". ")[0].rstrip(".")
        assert first in terminal, (sentence, terminal)
        assert first in squeezed(json.loads(shown.api["json"])["error"]), shown.api["json"]


def check_result(shown):
    """The finding and each remark are in every rendering, and every figure is in the files."""
    content = json.loads(shown.files["json"])
    rows = list(csv.DictReader(io.StringIO(shown.files["csv"])))
    page, terminal = squeezed(shown.page), squeezed(without_marks(shown.terminal))
    sentence = squeezed(content["sentence"])
    assert shown.api == shown.files
    assert page.count(sentence) >= 2, "the finding and the citation"
    assert sentence in terminal
    assert sentence in squeezed(shown.files["svg"])
    codes = [each["code"] for each in content["remarks"]]
    replacing = [
        c for c, r in zip(codes, content["remarks"], strict=True) if r["sentence"] in sentence
    ]
    assert sorted(shown.codes_on_page + replacing) == sorted(codes)
    for remark in content["remarks"]:
        assert squeezed(remark["sentence"]) in page, remark
        assert squeezed(remark["sentence"]) in terminal, remark
    for row in rows:
        assert row["remark_codes"].split() == [*dict.fromkeys(codes)]
        assert row["do_not_use"] == ("yes" if content["do_not_use"] else "")
    assert content["do_not_use"] == any(r["severity"] == "do_not_use" for r in content["remarks"])
    assert content["do_not_use"] == ('class="notice warn" id="finding"' in shown.page)
    numbers = numbers_in(content)
    names = ("estimate", "standard_error", "low", "high", "p", "adjusted_p")
    in_csv = {float(row[name]) for row in rows for name in names if row[name]}
    assert in_csv - {math.inf} <= numbers
    for text in (page, terminal):
        assert not EXPONENT.search(text), EXPONENT.search(text)
    assert not IMPOSSIBLE.search(sentence), sentence
    # A p-value that the finding states is one of the table.
    known = [float(row[name]) for row in rows for name in ("p", "adjusted_p") if row[name]]
    known += [value for value in numbers if 0 <= value <= 1]
    for stated in STATED_P.findall("" if content["do_not_use"] else sentence):
        digits = len(stated) - 2
        assert any(abs(p - float(stated)) <= 0.51 * 10**-digits for p in known), (stated, sentence)


def numbers_in(value):
    if isinstance(value, dict):
        return set().union(*(numbers_in(each) for each in value.values()), set())
    if isinstance(value, list):
        return set().union(*(numbers_in(each) for each in value), set())
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {float(value)} if number else set()


def draw(app, store, seed):
    """All analyses of one drawn survey: each with its name and renderings."""
    stored(store, "health", seed)
    stored(store, "again", seed + 10_000)
    researcher = signed_in(app)
    with app.app_context():
        token = api_tokens.make_token("ada", "script", 90)
    rng = np.random.default_rng(seed)
    for name, kind in ANALYSES.items():
        with app.app_context():
            form = kind.form_of_query(store.surveys.by_slug("health"), MultiDict())
            query, options = drawn_query(form, rng)
        yield name, query, rendered(app, researcher, token, name, query, options)


@pytest.mark.parametrize(
    "seed", [pytest.param(k, marks=[pytest.mark.slow] if k > 2 else []) for k in range(34)]
)
def test_all_renderings_of_an_analysis_agree(app, store, seed):
    """34 surveys with nine analyses each are 306 results and refusals."""
    for name, query, shown in draw(app, store, seed):
        try:
            (check_refusal if shown.refused else check_result)(shown)
        except AssertionError as fault:
            raise AssertionError(f"{name}?{query.to_dict(flat=False)}: {fault}") from fault


def test_a_rendering_without_its_remark_or_verdict_is_found(app, store):
    """Each fault is planted in one rendering of one result that has remarks."""
    shown = next(
        shown
        for _, _, shown in draw(app, store, 0)
        if not shown.refused and json.loads(shown.files["json"])["remarks"]
    )
    check_result(shown)
    content = json.loads(shown.files["json"])
    remark, sentence = content["remarks"][-1], content["sentence"]
    without = json.dumps(content | {"remarks": content["remarks"][:-1]})
    plants = {
        "page": {"page": squeezed(shown.page).replace(squeezed(remark["sentence"]), "")},
        "terminal": {"terminal": shown.terminal.replace(remark["sentence"], "")},
        "json": {"files": shown.files | {"json": without}, "api": shown.api | {"json": without}},
        "csv": {"files": shown.files | {"csv": shown.files["csv"].replace(remark["code"], "")}},
        "finding": {"terminal": shown.terminal.replace(sentence, "Nothing differs.")},
    }
    for fault in plants.values():
        with pytest.raises(AssertionError):
            check_result(Rendered(**(vars(shown) | fault)))
