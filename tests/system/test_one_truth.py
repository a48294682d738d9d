"""Every rendering of a question's results says the same: its verdict, its remarks, its estimates.

The results are drawn at random: of every type of question, empty, of one response, with too few,
rare, impossible and contradicted by the design. The renderings are the researcher's page, the
results by link, the public page, the citation, CSV, JSON, the API and the terminal.
"""

import csv
import html
import io
import json
import re

import numpy as np
import pytest

from survey.core.languages import LANGUAGES, Words
from survey.core.scores import probabilities
from survey.core.translate import in_language
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.findings.public_sentences import (
    codes_for_readers,
    public_finding,
    public_remarks,
    remarks_to_cite,
)
from survey.estimation.findings.remarks import DO_NOT_USE, MISFIT, NO_RESPONSES, TOO_FEW
from survey.estimation.share_results import reporting_table
from survey.formats.citation import citation_of
from survey.formats.csv_export import estimates_csv, results_as_json
from survey.respondent import public_results
from survey.web import published_results
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import signed_in

# One question for each way in which results are estimated and shown.
LETTERS = [{"name": name, "label": name.upper()} for name in "abcde"]
FOODS = [{"name": name, "label": name} for name in ("Rice", "Fish", "Tofu")]
QUESTIONS = [
    yes_no("coin", label="Tails?"),
    yes_no(
        "forced",
        {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.25, "p_no": 0.25},
        label="Forced?",
    ),
    yes_no("plain", "none", label="Plain?"),
    asked("one", "select_one", {"epsilon": 1}, choices=LETTERS),
    asked("subset", "select_one", {"epsilon": 0.3}, choices=LETTERS),
    asked("many", "select_multiple", {"epsilon": 1}, choices=LETTERS),
    asked("few", "select_multiple", "none", choices=LETTERS[:2]),
    asked("scale", "scale", {"epsilon": 1}, choices=LETTERS[:3]),
    asked("average", "number", {"epsilon": 1}, min=0, max=5_000_000, step=100_000, unit="VND"),
    asked("middle", "number", {"goal": "quantiles", "epsilon": 1}, min=0, max=10),
    asked("whole", "number", {"mechanism": "discrete_laplace", "epsilon": 1}, min=0, max=10),
    asked("bit", "number", {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10),
    asked("foods", "ranking", {"epsilon": 1}, choices=FOODS),
    yes_no("then", {"epsilon": 1}, label="Then?") | {"relevant": {"plain": "yes"}},
]
RENDERINGS = ("page", "link", "public", "citation", "csv", "json", "terminal")
# An exponent, as in 2.5e+06, is not a number that people read.
EXPONENT = re.compile(r"\d[.,]?\d*e[+-]?\d")


@pytest.fixture(scope="module")
def frozen():
    return freeze(parse_survey(definition(*QUESTIONS, slug="health")))


def drawn_counts(frozen, seed):
    """Counts of reports: of people, of one report only, or of reports with any distribution."""
    rng = np.random.default_rng(seed)
    drawn = {}
    for question in frozen.survey.fields:
        n = int(rng.choice([0, 1, 4, 5, 7, 30, 200, 2_000, 50_000]))
        kind = rng.choice(["people", "people", "rare", "impossible", "noise"])
        drawn[question.name] = counts_of(question, n, kind, rng)
    return drawn


def counts_of(question, n, kind, rng):
    each = question.form.codes_each
    if each > 1 or question.one_hot is not None or (question.kind.boxes and question.table is None):
        boxes = len(question.answers)
        shares = np.full(boxes, 0.5)
        if kind == "impossible":
            shares = np.zeros(boxes)
        elif kind in ("rare", "noise"):
            shares = rng.random(boxes)
        ones = rng.binomial(n, shares)
        return {2 * j + bit: int(ones[j] if not bit else n - ones[j]) for j in range(boxes)
                for bit in (0, 1)}  # fmt: skip
    table = probabilities(reporting_table(question))
    answers, reports = table.shape
    if kind == "impossible":
        return {int(rng.integers(reports)): n} if n else {}
    shares = rng.dirichlet(np.ones(answers))
    if kind == "rare":
        shares = np.eye(answers)[0] * 0.99 + 0.01 / answers
    chances = rng.dirichlet(np.full(reports, 0.3)) if kind == "noise" else shares @ table
    counts = rng.multinomial(n, chances / chances.sum())
    return {code: int(count) for code, count in enumerate(counts) if count}


def squeezed(text):
    """The visible text of a page on one line."""
    plain = html.unescape(text).replace("\u00a0", " ").replace("\u2060", "")
    return " ".join(plain.split())


def section_of(page, question):
    """The part of a page about a question, by its heading."""
    found = [part for part in re.split(r"<section\b", page) if f". {question.label}</h" in part]
    return found[0] if found else ""


class Renderings:
    """Each rendering of drawn results, made as its readers get it."""

    def __init__(self, app, monkeypatch, results):
        self.results = results
        self.app, self.monkeypatch = app, monkeypatch

    def all(self, researcher, link):
        for module in (published_results, public_results):
            self.monkeypatch.setattr(module, "survey_results", lambda *_: self.results)
        # The counts in the store are the same for all drawn results.
        published_results.remembered_results.values.clear()
        client = self.app.test_client()
        return {
            "page": researcher.client.get("/admin/surveys/health/results").get_data(as_text=True),
            "link": client.get(link).get_data(as_text=True),
            "public": client.get("/s/health/results").get_data(as_text=True),
            "citation": citation_of(self.results.as_shown, "en"),
            "csv": list(csv.DictReader(io.StringIO(estimates_csv(self.results)))),
            "json": json.loads(json.dumps(results_as_json(self.results), allow_nan=False)),
            "terminal": self.app.test_cli_runner().invoke(
                args=["analyse", "estimate", "health"], catch_exceptions=False
            ).output,
        }  # fmt: skip


def check_researchers(result, name, page):
    """The pages with all remarks: the verdict is the headline, and each remark stands once."""
    part = section_of(page, result.question)
    text = squeezed(part)
    assert squeezed(result.sentence) in text, (name, result.question.name)
    shown = re.findall(r'data-remark="(\w+)"', part)
    stated = [each.code for each in result.remarks if each.sentence == result.sentence]
    assert sorted({*shown, *stated}) == sorted(result.remark_codes), (name, result.question.name)
    for remark in result.remarks:
        assert text.count(squeezed(remark.sentence)) >= 1, (name, remark.code)
    if TOO_FEW in result.remark_codes:
        assert "<td" not in part
        assert "<svg" not in part


def check_headline(result):
    """A headline states an impossible value only to say so, and then it prints one."""
    sentence = result.sentence
    for quantity in result.quantities:
        if quantity.outside and quantity is result.lead and result.question.kind.numeric:
            assert f"is {quantity.shown}" not in sentence
    if "No share can have this value" in sentence:
        assert result.headline.answers[0].shown not in ("0 %", "0.0 %", "100 %", "100.0 %")
    assert "nan" not in sentence
    assert not re.search(r"\d of the \d+ answers", sentence)


def check_public(result, page):
    part, words = section_of(page, result.question), Words()
    said = public_remarks(result, words)
    assert re.findall(r'data-remark="(\w+)"', part) == list(said)
    for sentence in said.values():
        assert squeezed(sentence) in squeezed(part)
    if result.unusable:
        assert not re.search(r"<td|comes first|put first|comes from chance|Mean:", part)
    for mean in result.quantities:
        if mean.name == "mean" and result.question.kind.numeric:
            [shown] = re.findall(r"Mean: <strong>(.*?)</strong>", part)
            assert shown.startswith(("at least", "at most")) == mean.outside


def check_citation(result, citation):
    words, sentence = Words(), citation.sentence_on(result.question.name)
    for cited in remarks_to_cite(result, result.question, words).values():
        assert not sentence or cited in sentence
    if result.unusable:
        assert "interval" not in sentence
        assert (MISFIT not in result.remark_codes or TOO_FEW in result.remark_codes) or sentence


def check_files(result, found):
    [content] = [
        each for each in found["json"]["questions"] if each["name"] == result.question.name
    ]
    assert content["remark_codes"] == result.remark_codes
    assert content["remarks"] == [each.sentence for each in result.remarks]
    assert content["do_not_use"] == result.unusable
    for row in found["csv"]:
        if row["question"] == result.question.name:
            assert row["remark_codes"].split() == result.remark_codes
            assert row["do_not_use"] == ("yes" if result.unusable else "")


def check_terminal(result, text):
    [part] = [each for each in text.split("\n\n") if each.startswith(f"{result.question.label}  (")]
    for sentence in (result.sentence, *(each.sentence for each in result.remarks)):
        assert sentence in part, result.question.name
    first = part.splitlines()[1].strip()
    assert result.verdict is None or first == result.verdict.sentence


@pytest.fixture
def site(app, store, frozen):
    opened(store, definition(*QUESTIONS, slug="health"))
    researcher = signed_in(app)
    share = "/admin/surveys/health/share"
    researcher.post(f"{share.removesuffix('/share')}/publish", {"public": "yes"}, form=share)
    reply = researcher.post("/admin/surveys/health/share", {"name": "Colleague"})
    link = re.search(r"(/shared\?token=[\w-]{43})</code>", reply.get_data(as_text=True))[1]
    return researcher, link


def check_all(results, found):
    for result in results.as_shown.questions:
        check_headline(result)
        check_researchers(result, "page", found["page"])
        check_researchers(result, "link", found["link"])
        if not result.question.non_private:
            check_public(result.as_published, found["public"])
        check_citation(result, found["citation"])
        check_files(result, found)
        check_terminal(result, found["terminal"])
    for name in ("page", "link", "public", "terminal"):
        assert not EXPONENT.search(re.sub(r"<[^>]*>|[0-9a-f]{64}", "", found[name])), name


def test_every_rendering_says_the_same(app, monkeypatch, frozen, site):
    """25 surveys of 14 questions: 350 results."""
    seen = set()
    for seed in range(25):
        results = survey_results(frozen, drawn_counts(frozen, seed), "browser")
        found = Renderings(app, monkeypatch, results).all(*site)
        check_all(results, found)
        seen |= {code for each in results.questions for code in each.remark_codes}
    assert {NO_RESPONSES, TOO_FEW, MISFIT, "share_outside", "mean_outside", "too_imprecise"} <= seen


def test_a_remark_that_one_rendering_lacks_is_found(app, monkeypatch, frozen, site):
    """The check fails if a remark is removed from any single rendering."""
    counts = {"coin": {0: 60, 1: 940}, "one": {0: 1_000}}
    results = survey_results(frozen, counts, "browser")
    complete = Renderings(app, monkeypatch, results).all(*site)
    check_all(results, complete)
    for name in ("page", "link", "public", "terminal"):
        gone = complete[name].replace("do not fit", "fit")
        with pytest.raises(AssertionError):
            check_all(results, complete | {name: gone})
    with pytest.raises(AssertionError):
        rows = [row | {"remark_codes": ""} for row in complete["csv"]]
        check_all(results, complete | {"csv": rows})


def test_reports_that_contradict_the_design_are_a_finding_nowhere(app, monkeypatch, frozen, site):
    """Forced response with 6 % of reports Yes, where chance alone gives 25 %."""
    counts = {"forced": {0: 60, 1: 940}, "one": {0: 990, 1: 10}, "whole": {15: 1_000}}
    results = survey_results(frozen, counts, "browser")
    found = Renderings(app, monkeypatch, results).all(*site)
    text = " ".join([*(found[name] for name in ("page", "link", "public", "terminal")),
                     *found["citation"].sentences])  # fmt: skip
    assert "comes from chance" not in text
    assert "can explain this" not in text
    assert "This is random error" not in text
    assert "comes first" not in text
    assert found["page"].count("Random error does not explain this") >= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_codes_and_its_own_sentences(frozen, language):
    with in_language(language):
        results = survey_results(frozen, drawn_counts(frozen, 3), "browser").as_published
    english = survey_results(frozen, drawn_counts(frozen, 3), "browser").as_published
    for result, other in zip(results.every, english.every, strict=True):
        assert result.remark_codes == other.remark_codes
        for code in codes_for_readers(result):
            said = public_remarks(result, Words(language)).get(code, "")
            assert (said != public_remarks(other, Words()).get(code, "")) == (
                bool(said) and language != "en"
            )
        public_finding(result.question, result, Words(language))
        assert all(each.severity != DO_NOT_USE or not result.answers for each in result.remarks)
