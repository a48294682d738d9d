"""The files of a result: the caption says which survey, how many responses, and their origin."""

import json
from dataclasses import replace

import pytest
from flask import Flask

from survey import VERSION
from survey.analysis.as_rows import AnalysisRow
from survey.charts import svg
from survey.store import Store
from survey.web.analyses.result import AnalysisResult, analysis_citation, analysis_file
from tests.support.definitions import definition, opened, yes_no

CHART = svg.Chart(shapes=(svg.line("axis", 0, 1, 2, 3),), height=10, width=860)
RESULT = AnalysisResult(
    title="Smoking by region",
    sentence="Nothing is known.",
    n=1_234,
    charts=(CHART,),
    rows=(AnalysisRow(figure="share", about=("=1+1", "b"), estimate=0.1),),
    content={"n": 1_234, "low": float("-inf")},
)


def test_files_name_the_survey_and_keep_the_numbers(app: Flask, store: Store) -> None:
    frozen = opened(store, definition())
    found = store.surveys.by_slug("health")
    with app.app_context():
        picture = analysis_file(RESULT, found, "groups", "svg")
        table = analysis_file(RESULT, found, "groups", "csv")
        content = json.loads(analysis_file(RESULT, found, "groups", "json"))
    assert "Smoking by region" in picture
    assert f"{found.survey.title} · n = 1,234" in picture
    assert "Nothing is known." in picture
    assert 'width="860"' in picture
    # No spreadsheet runs a label as a formula.
    assert "'=1+1" in table
    assert ",0.1," in table
    assert content == {
        "survey": "health",
        "origin": "browser",
        "fingerprint": frozen.fingerprint,
        "analysis": "groups",
        "sentence": "Nothing is known.",
        "do_not_use": False,
        "remarks": [],
        "n": 1_234,
        "low": None,
    }


def test_a_description_is_read_aloud_and_stands_in_the_file(app: Flask, store: Store) -> None:
    opened(store, definition())
    described = replace(RESULT, description="A, then B.")
    assert "A, then B." in described.pictures[0].__html__()
    with app.app_context():
        found = store.surveys.by_slug("health")
        assert "Nothing is known. A, then B." in analysis_file(described, found, "tree", "svg")


@pytest.mark.parametrize(
    ("question", "privacy"),
    [
        (yes_no(), "is at most ε = 1.10. "),
        (yes_no(privacy={"mechanism": "table", "rows": [[1, 1, 0], [0, 1, 1]]}), "has no finite"),
        (yes_no(privacy="none"), ""),
    ],
)
def test_a_citation_says_what_a_reader_needs(
    app: Flask, store: Store, question: dict, privacy: str
) -> None:
    frozen = opened(store, definition(question), "closed")
    found = store.surveys.by_slug("health")
    with app.app_context():
        text = analysis_citation(RESULT, found, "Groups", "Weighted by age.")
        simulated = analysis_citation(RESULT, replace(found, origin="simulated"), "Groups")
        loaded = analysis_citation(RESULT, replace(found, origin="loaded"), "Groups")
    start = (
        "Nothing is known. Analysis: groups. Data: published responses to the survey “Health”, "
        "n = 1,234. "
    )
    assert text.startswith(f"{start}Weighted by age. ")
    assert text.endswith(
        f"SHA-256 fingerprint of the survey: {frozen.fingerprint}. Software: Candor {VERSION}."
    )
    assert ("privacy loss" in text) == bool(privacy)
    assert privacy in text
    assert simulated.startswith(f"Simulated data: nobody was asked. {start}")
    assert f"{start}These responses were collected elsewhere. " in loaded
