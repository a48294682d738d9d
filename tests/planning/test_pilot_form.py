"""Simulations: generated respondents before anyone is asked, compared with the assumptions."""

import csv
import io
import re

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PILOT, PRACTICE, pilot_of, practice_of
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.pilot_truth import compare_with_truth
from survey.formats.csv_import import read_truth
from survey.planning.pilot_form import most_respondents, read_typed, sensible, typed_truths
from survey.planning.simulation import simulate_responses
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, TRUTH
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores

SURVEY = parse_survey(EVERY_TYPE)
SHARES = read_truth(TRUTH, SURVEY)
TRY_OUT = "/admin/surveys/health/try-out"
FORM = {"n": "500", "smokes:yes": "30", "smokes:no": "70"}


@pytest.fixture
def draft(store):
    survey = parse_survey(definition())
    store.surveys.save_draft(survey)
    return survey


def piloted(researcher, **change):
    reply = researcher.post(f"{TRY_OUT}/pilot", FORM | change, form=TRY_OUT)
    assert reply.status_code == 302, reply.get_data(as_text=True)
    return researcher.client.get(reply.location).get_data(as_text=True)


def test_the_results_of_a_pilot_say_what_was_cut_off(store, researcher):
    hours = {
        "name": "smokes", "label": "Hours?", "type": "number", "min": 0, "max": 100,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    store.surveys.save_draft(parse_survey(definition(hours)))
    typed = {"n": "200", "smokes:mean": "8", "smokes:sd": "9"}
    reply = researcher.post(f"{TRY_OUT}/pilot", typed, form=TRY_OUT)
    assert (
        "a standard deviation of 9. Because the range ends at 0, the simulation uses"
        in researcher.client.get(reply.location).text
    )


@pytest.mark.slow
def test_a_large_pilot_finds_what_was_assumed():
    """For every kind of question, estimates from 100,000 respondents are near the assumed values.

    Few in a hundred of the 95 % intervals miss them, if intervals are no narrower than they claim.
    """
    frozen = freeze(SURVEY, to_open=False)
    counts = {question.name: {} for question in SURVEY.fields}
    for batch in simulate_responses(SURVEY, SHARES, 100_000, seed=11):
        for response in batch:
            for question, report in zip(SURVEY.fields, response.reports, strict=True):
                if report is not None:
                    for code in question.form.codes(report):
                        tally = counts[question.name]
                        tally[code] = tally.get(code, 0) + 1
    found = compare_with_truth(survey_results(frozen, counts, "simulated"), SHARES)
    figures = [figure for each in found.values() for figure in each]
    assert len(figures) > 30
    assert {figure.name for figure in figures} >= {"yes", "mean", "deviation", "quantile_50"}
    missed = [figure for figure in figures if not figure.held]
    assert len(missed) <= 0.12 * len(figures), missed


# --- the form


def test_what_is_assumed_at_first_is_a_truth():
    truth = {q.name: sensible(q) for q in SURVEY.fields if q.name in SHARES}
    assert read_truth(truth, SURVEY).keys() == SHARES.keys()


def test_the_form_comes_back_as_it_was_sent():
    form = {each.field: each.value for typed in typed_truths(SURVEY) for each in typed.inputs}
    truth, typed = read_typed(SURVEY, form)
    assert not any(each.fault for each in typed)
    assert typed_truths(SURVEY, truth) == typed_truths(SURVEY)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"smokes:yes": "80", "smokes:no": "50"}, "The shares add up to 130 %"),
        ({"smokes:yes": "-1", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "some", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "nan", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "0.3", "smokes:no": "0.7"}, "The shares add up to 1 %"),
    ],
)  # fmt: skip
def test_shares_that_cannot_be_are_named(typed, words):
    _, (fault,) = read_typed(parse_survey(definition()), typed)
    assert words in fault.fault


@pytest.mark.parametrize(
    ("mean", "spread", "words"),
    [
        ("", "1", "a number for the mean"), ("200", "5", "from 0 to 100"),
        ("50", "0", "above 0"), ("50", "101", "at most 100"), ("50.5", "0.001", "too small"),
        ("nan", "5", "from 0 to 100"), ("50", "inf", "at most 100"),
    ],
)  # fmt: skip
def test_a_mean_and_spread_that_cannot_be_are_named(mean, spread, words):
    number = {
        "name": "age", "type": "number", "label": "?", "min": 0, "max": 100,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    survey = parse_survey(definition(number))
    _, (fault,) = read_typed(survey, {"age:mean": mean, "age:sd": spread})
    assert words in fault.fault


def test_shares_that_were_rounded_are_taken_for_a_whole():
    truth, _ = read_typed(parse_survey(definition()), {"smokes:yes": "33,3", "smokes:no": "66.6"})
    assert sum(truth["smokes"].values()) == pytest.approx(1, abs=1e-12)


def test_more_questions_and_choices_allow_fewer_respondents():
    assert most_respondents(parse_survey(definition())) == 100_000
    many = {
        "type": "select_one", "label": "?", "privacy": {"epsilon": 1},
        "choices": [{"name": f"c{i}", "label": f"C{i}"} for i in range(40)],
    }  # fmt: skip
    large = parse_survey(definition(*({"name": f"q{i}"} | many for i in range(60))))
    assert most_respondents(large) == 10_000_000 // (60 * 42)


# --- the page


def test_a_pilot_shows_the_results_page_beside_what_was_assumed(store, researcher, draft):
    page = piloted(researcher)
    assert "Simulation: nobody was asked" in page
    assert "These results are from 500 simulated respondents." in page
    row = re.search(r'<tr data-assumed="yes">(.*?)</tr>', page, re.DOTALL)[1]
    assert "30.0\u00a0%" in row
    assert ">yes</td>" in row or "<strong>no</strong></td>" in row
    found = store.surveys.by_slug("health.pilot")
    assert (found.state, found.origin) == ("closed", "simulated")
    assert sum(1 for _ in store.responses.rows("health.pilot")) == 500


def test_every_page_and_file_of_a_pilot_says_so(researcher, draft):
    piloted(researcher)
    for path in (TRY_OUT, f"{TRY_OUT}/pilot"):
        assert "obody was asked.</strong>" in researcher.client.get(path).get_data(as_text=True)
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        reply = researcher.client.get(f"/admin/surveys/health.pilot/{name}")
        assert f'"health.pilot-simulated-{name}"' in reply.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(
        researcher.client.get("/admin/surveys/health.pilot/estimates.csv").get_data(as_text=True)
    )))  # fmt: skip
    assert {(row["survey"], row["origin"]) for row in rows} == {("health.pilot", "simulated")}


def test_a_pilot_is_never_among_surveys_or_real_responses(store, researcher, draft):
    piloted(researcher)
    assert [found.survey.slug for found in store.surveys.all()] == ["health"]
    assert "health.pilot" not in researcher.client.get("/admin/").get_data(as_text=True)
    store.surveys.freeze(freeze(draft), "open")
    for number in range(25):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,)))
    assert store.counts.by_question("health") == {"smokes": {0: 25}}
    assert sum(store.counts.by_question("health.pilot")["smokes"].values()) == 500
    assert "From 25 responses." in researcher.client.get("/admin/surveys/health/results").text


def test_the_public_never_sees_a_pilot(client, researcher, draft):
    """Otherwise the questions of a draft would be public before it opens."""
    piloted(researcher)
    for path in ("", ".json", "/verify", "/withdraw", "/by-hand"):
        assert client.get(f"/s/health.pilot{path}").status_code == 404, path
    body = {"id": "0" * 32, "fingerprint": "", "reports": {}}
    assert client.post("/s/health.pilot/responses", json=body).status_code == 404


def test_the_next_pilot_takes_the_place_of_the_one_before(store, researcher, draft):
    piloted(researcher)
    page = piloted(researcher, n="40", **{"smokes:yes": "10", "smokes:no": "90"})
    assert "These results are from 40 simulated respondents." in page
    assert sum(1 for _ in store.responses.rows("health.pilot")) == 40
    assert store.rehearsals.pilot_truth("health") == {
        "smokes": pytest.approx({"yes": 0.1, "no": 0.9})
    }
    form = researcher.client.get(TRY_OUT).get_data(as_text=True)
    assert 'name="smokes:yes" value="10"' in form
    assert 'name="n" value="40"' in form


def test_a_pilot_is_deleted_at_a_press(store, researcher, draft):
    piloted(researcher)
    reply = researcher.post(f"{TRY_OUT}/pilot/delete", form=TRY_OUT)
    assert reply.status_code == 302
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health.pilot")
    assert store.rehearsals.by_kind(PILOT, "health") is None
    assert store.rehearsals.pilot_truth("health") is None
    assert store.counts.by_question("health.pilot") == {}
    assert researcher.client.get(f"{TRY_OUT}/pilot").status_code == 404
    # There is room for another simulation.
    piloted(researcher)


def test_a_pilot_of_an_earlier_version_says_so(store, researcher, draft):
    piloted(researcher)
    store.surveys.save_draft(draft, replacing="health")
    assert "Earlier version" not in researcher.client.get(f"{TRY_OUT}/pilot").text
    store.surveys.save_draft(parse_survey(definition(yes_no(label="Do you smoke now?"))), "health")
    assert "earlier version" in researcher.client.get(TRY_OUT).text
    assert "Earlier version" in researcher.client.get(f"{TRY_OUT}/pilot").text
    assert "Earlier version" not in piloted(researcher)


def test_a_renamed_or_deleted_draft_takes_its_rehearsals_along(store, researcher, draft):
    piloted(researcher)
    store.rehearsals.start_practice(freeze(practice_of(draft)))
    renamed = parse_survey(definition(slug="habits"))
    store.surveys.save_draft(renamed, replacing="health")
    assert (
        store.rehearsals.by_kind(PILOT, "health")
        is store.rehearsals.by_kind(PRACTICE, "health")
        is None
    )
    store.rehearsals.save_pilot(freeze(pilot_of(renamed)), {}, [])
    store.surveys.delete_draft("habits")
    assert store.rehearsals.by_kind(PILOT, "habits") is None
    assert store.rehearsals.pilot_truth("habits") is None
    # The name is available again, also for a simulation.
    store.surveys.save_draft(draft)
    piloted(researcher)


def test_a_pilot_stays_apart_when_the_survey_opens(store, researcher, draft):
    piloted(researcher)
    store.surveys.freeze(freeze(draft), "open")
    page = researcher.client.get(f"{TRY_OUT}/pilot").text
    assert "Simulation: nobody was asked" in page
    assert "Earlier version" not in page


@pytest.mark.parametrize("n", ["0", "", "100001", "many", "1e3", "-5", "٣", "9" * 400])
def test_impossible_numbers_of_respondents_are_refused_and_nothing_is_lost(
    store, researcher, draft, n
):
    form = FORM | {"n": n, "smokes:yes": "12", "smokes:no": "88"}
    reply = researcher.post(f"{TRY_OUT}/pilot", form, form=TRY_OUT)
    assert reply.status_code == 422
    assert "from 1 to 100,000" in reply.text
    assert 'name="smokes:yes" value="12"' in reply.text
    assert store.rehearsals.by_kind(PILOT, "health") is None


def test_every_kind_of_question_can_be_piloted(store, researcher):
    store.surveys.save_draft(SURVEY)
    path = f"/admin/surveys/{SURVEY.slug}/try-out"
    form = {"n": "200"} | {i.field: i.value for t in typed_truths(SURVEY) for i in t.inputs}
    reply = researcher.post(f"{path}/pilot", form, form=path)
    assert reply.status_code == 302, reply.text
    page = researcher.client.get(reply.location).text
    assert page.count("Assumed</th>") == len(SHARES)


def test_a_survey_of_simulated_responses_has_nothing_to_try_out(store, researcher):
    opened(store, definition(), "closed")
    store.responses.add_batches("health", [[Response(b"\1" * 16, (0,))]], "loaded")
    assert "Test" not in researcher.client.get("/admin/surveys/health").text
    assert researcher.client.get(TRY_OUT).status_code == 409
    with pytest.raises(StateError, match="a survey of real people instead"):
        store.rehearsals.save_pilot(freeze(pilot_of(parse_survey(definition()))), {}, [])


def test_an_analyst_sees_the_pilot_and_cannot_make_one(app, store, researcher, draft):
    piloted(researcher)
    analyst = signed_in(app, "bob", "analyst")
    assert analyst.client.get(f"{TRY_OUT}/pilot").status_code == 200
    assert analyst.post(f"{TRY_OUT}/pilot", FORM, form=TRY_OUT).status_code == 403
