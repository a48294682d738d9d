"""The search of the help: what it finds, in which order, and how fast."""

import random
import time
from pathlib import Path

import pytest

from survey.web.help import search
from survey.web.help.documents import Documents
from survey.web.help.search import MAX_RESULTS, SearchIndex, project_index

pytestmark = pytest.mark.fast

BUDGET = """# Central DP

What is published with noise.

## The budget

It limits the privacy loss. Naïve averaging of crème brûlée ends there.

## Noise

Privacy costs noise, and the budget pays. {filler}

## Loss

A loss of privacy is bounded by the budget.
"""


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    path = tmp_path / "docs" / "explanation" / "dp.md"
    path.parent.mkdir(parents=True)
    path.write_text(BUDGET.format(filler="Many words follow. " * 40 + "The end is compacted."))
    return SearchIndex(Documents(tmp_path).by_address.values())


def found(index: SearchIndex, query: str) -> list[str]:
    """The addresses of what a query finds, the best first."""
    return [each.url.removeprefix("/help/explanation/dp") for each in index.find(query).best]


def test_headings_come_first_then_how_many_words_match(index):
    assert found(index, "budget") == ["#the-budget", "#loss", "#noise"]
    assert found(index, "privacy budget noise") == ["#noise", "#the-budget", "#loss", "#central-dp"]
    assert found(index, "the loss") == ["#loss", "#the-budget"]


@pytest.mark.parametrize("query", ["NAIVE", "naïve", "Naive", "creme", "CRÈME", "brule", "brûl"])
def test_case_and_accents_do_not_count(index, query):
    assert found(index, query) == ["#the-budget"]


def test_a_greek_letter_is_found_by_its_name():
    headings = [
        "".join(text for text, _ in each.heading) for each in project_index().find("epsilon").best
    ]
    assert "What ε means" in headings[:3]
    assert [each.url for each in project_index().find("ε").best] == [
        each.url for each in project_index().find("epsilon").best
    ]


@pytest.mark.parametrize("query", ["aver", "averaging", "avraging", "averagging", "averahing"])
def test_the_start_of_a_word_and_one_wrong_letter_are_found(index, query):
    assert found(index, query) == ["#the-budget"]


def test_two_wrong_letters_are_not_found(index):
    assert found(index, "avrgaing") == []


def test_a_correction_is_named(index):
    assert index.find("budgte").corrections == {"budgte": ["budget"]}
    assert index.find("budg").corrections == {}


def test_matches_are_marked_in_the_heading_and_the_snippet(index):
    best = index.find("compacted nois").best[0]
    assert best.page == "Central DP"
    assert best.heading == [("", False), ("Noise", True), ("", False)]
    assert [text for text, mark in best.snippet if mark] == ["noise"]
    [far] = index.find("compacted").best
    assert far.snippet[0][0].startswith("… ")
    assert [text for text, mark in far.snippet if mark] == ["compacted"]
    assert sum(len(text) for text, _ in far.snippet) < 300


def test_a_result_names_its_page_once_and_shows_no_date(tmp_path):
    path = tmp_path / "docs" / "decisions" / "0001-budget.md"
    path.parent.mkdir(parents=True)
    path.write_text("# 1. A budget\n\nDate: 2026-11-21\n\n## Context\n\nNobody has a budget.\n")
    title, context = SearchIndex(Documents(tmp_path).by_address.values()).find("budget").best
    assert (title.page, title.snippet) == ("", [("", False)])
    assert (context.page, context.heading) == ("1. A budget", [("Context", False)])


def test_the_glossary_comes_before_lists_of_facts(tmp_path):
    for part, name in (("reference", "api"), ("reference", "glossary"), ("how-to", "it")):
        path = tmp_path / "docs" / part / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\nIt has a loss.\n")
    best = SearchIndex(Documents(tmp_path).by_address.values()).find("loss").best
    assert [each.url.split("/")[-1] for each in best] == ["glossary#glossary", "it#it", "api#api"]


@pytest.mark.parametrize("query", ["", " ", "???", "_", "xylophone", "\x00", "é" * 5])
def test_nothing_is_found_without_an_error(index, query):
    results = index.find(query)
    assert (results.total, results.best, results.shortened) == (0, [], False)


def test_a_long_query_is_shortened(index):
    assert index.find("budget " * 100).total == 3
    assert index.find("budget " * 100).shortened
    assert index.find(" ".join(f"w{n}" for n in range(30)) + " budget").shortened
    assert index.find("x" * 100_000).shortened
    assert len(index.find("x" * 100_000).query) == search.MAX_QUERY_CHARACTERS


# --- the documents of the project -----------------------------------------------------------------


def misspelt(chance: random.Random, word: str) -> str:
    place = chance.randrange(1, len(word) - 1)
    start, end = word[:place], word[place:]
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return chance.choice(
        [start + letter + end, start + end[1:], start + letter + end[1:],
         start + end[1] + end[0] + end[2:]]
    )  # fmt: skip


def test_every_word_with_one_wrong_letter_is_found():
    """Unless it is then another word, or begins one."""
    index, chance, tried = project_index(), random.Random(19), 0
    for word in chance.sample([each for each in index.words if 5 < len(each) < 30], 300):
        typed = misspelt(chance, word)
        if typed[:1] and not any(each.startswith(typed) for each in index.words):
            assert word in index.matching(typed), (word, typed)
            tried += 1
    assert tried > 200


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("privacy loss", "/help/reference/glossary#privacy-loss"),
        ("CANDOR_PROXIES", "/help/reference/settings#address"),
        ("standard eror", "/help/reference/glossary#standard-error"),
        ("What is a receipt?", "/help/reference/glossary#receipt"),
    ],
)
def test_a_term_or_a_setting_is_on_the_first_screen(query, url):
    assert url in [each.url for each in project_index().find(query).best[:5]]


def test_a_search_takes_less_than_50_milliseconds():
    """Of processor time, in the best of three: another process may be in the way."""
    index, worst = project_index(), 0.0
    for query in ("e", "privacy loss", "an ex co in pr se st th un wi", "qzrtwk " * 20, "x" * 200):
        times = []
        for _ in range(3):
            start = time.thread_time()
            results = index.find(query)
            times.append(time.thread_time() - start)
        assert len(results.best) <= MAX_RESULTS
        worst = max(worst, min(times))
    assert worst < 0.05
