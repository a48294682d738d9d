"""A type whose answers consist of items, as those of a ranking, is six files.

The files are in tests/support/toy_ranking. Nothing else in the project knows the type. In files, it
is a list of items, as a ranking.
"""

import csv
import io
import runpy

import pytest
from jinja2 import ChoiceLoader, FileSystemLoader

from survey.analysis.types import ANALYSIS
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from survey.estimation.build_results import survey_results
from survey.estimation.types import ESTIMATION
from survey.formats.export_bundle.facts import estimated_questions
from survey.formats.types import FORMATS
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT

TOY = ROOT / "tests" / "support" / "toy_ranking"
MODULES = ("definition", "estimation", "formats", "analysis")
LOOK_UPS = (ESTIMATION, FORMATS, ANALYSIS)
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]
ASKED = {"name": "pick", "type": "best_worst", "label": "Best and worst?", "choices": CHOICES}
# The places of a>b, a>c, b>a, b>c, c>a and c>b.
GIVEN = [0] * 30 + [1] * 10 + [3] * 20 + [5] * 20


@pytest.fixture
def best_worst(app):
    """The type, installed with the others."""
    for module in MODULES:
        runpy.run_path(str(TOY / f"{module}.py"))
    app.jinja_env.loader = ChoiceLoader([app.jinja_env.loader, FileSystemLoader(TOY)])
    yield QUESTION_TYPES["best_worst"]
    declared = type(QUESTION_TYPES.pop("best_worst"))
    for look_up in LOOK_UPS:
        del look_up.by_type[declared]


@pytest.mark.parametrize("privacy", ["none", {"mechanism": "coin_flip"}])
def test_it_works_from_the_definition_to_the_results(
    best_worst, app, store, client, researcher, privacy
):
    frozen = opened(store, definition(yes_no(), ASKED | {"privacy": privacy}, by_hand=True))
    assert [each.name for each in frozen.survey.questions[1].answers] == [
        "a>b", "a>c", "b>a", "b>c", "c>a", "c>b",
    ]  # fmt: skip
    for number, place in enumerate(GIVEN):
        store.responses.add_response("health", Response(number.to_bytes(16, "big"), (0, place)))
    for address in ("/s/health", "/s/health/by-hand"):
        page = client.get(address).get_data(as_text=True)
        assert "The best one comes first, then the worst." in page
    results = survey_results(frozen, store.counts.by_question("health"), "browser")
    figures = {each.item.name: each for each in results.questions[1].quantities}
    if privacy == "none":
        # Of 80 people, 40, 20 and 20 choose a, b and c as the best, and 0, 50 and 30 as the worst.
        assert [each.value for each in figures.values()] == [40 / 80, -30 / 80, -10 / 80]
    # Each answer adds one and takes one away.
    assert sum(each.value for each in figures.values()) == pytest.approx(0, abs=1e-9)
    text = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "“A”: best minus worst" in text
    table = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row["question"] == "pick"]
    assert len([row for row in rows if row["measure"] == "best_minus_worst"]) == 3
    facts = {q.name: each for q, each in estimated_questions(frozen.survey)}["pick"]
    assert facts["means"][0] == ("best_minus_worst", "a", [1, 1, -1, 0, -1, 0])


def test_it_is_written_as_xlsform_and_read_again(best_worst):
    survey = parse_survey(definition(yes_no(), ASKED | {"privacy": {"epsilon": 1}}))
    sheets = to_xlsform(survey)
    assert [row["name"] for row in sheets["choices"]][-3:] == ["a", "b", "c"]
    again = from_xlsform(sheets)
    assert again.survey == survey
    assert not again.left_out


def test_it_needs_few_files():
    assert sum(path.is_file() for path in TOY.rglob("*.*") if "__pycache__" not in path.parts) == 6


def test_the_type_is_gone_after_its_test():
    assert "best_worst" not in QUESTION_TYPES
