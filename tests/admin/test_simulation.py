"""The page of simulations: results next to what was assumed, and no trace among surveys."""

import csv
import io
import re
from datetime import date

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PILOT, PRACTICE, pilot_of, practice_of
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.number_text import percent
from survey.estimation.pilot_truth import AssumedGroup, compare_with_truth
from survey.planning.pilot_form import typed_form
from survey.planning.simulation import simulate_responses
from tests.support.definitions import definition, opened, yes_no
from tests.support.pilots import SCORED, SHARES, SURVEY
from tests.support.researchers import signed_in, without_csrf_tokens

pytestmark = pytest.mark.both_stores


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
        "a standard deviation of 9. The range begins at 0, so smaller values are left out. The "
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
    everyone = [AssumedGroup(1.0, SHARES)]
    found = compare_with_truth(survey_results(frozen, counts, "simulated"), everyone)
    figures = [figure for each in found.values() for figure in each]
    assert len(figures) > 30
    assert {figure.name for figure in figures} >= {"yes", "mean", "deviation", "quantile_50"}
    missed = [figure for figure in figures if not figure.held]
    assert len(missed) <= 0.12 * len(figures), missed


def compared(page, caption):
    """The rows of all tables with this caption: the true value, and whether the interval has it."""
    tables = re.findall(rf"<caption[^>]*>{caption}</caption>(.*?)</table>", page, re.DOTALL)
    return [
        [
            (name, figure.replace("\u00a0", " "), "<strong>" not in rest)
            for name, figure, rest in re.findall(
                r'<tr data-assumed="([^"]+)">.*?<td class="figure"[^>]*>(.*?)</td>(.*?)</tr>',
                table,
                re.DOTALL,
            )
        ]
        for table in tables
    ]


def test_results_are_compared_with_what_was_calculated(store, researcher):
    """The true values are those of the simulated respondents, also of questions that follow."""
    survey = parse_survey(SCORED)
    store.surveys.save_draft(survey)
    form = researcher.client.get(TRY_OUT).text
    assert "If you leave all fields empty, Candor calculates this answer" in form
    assert "Candor draws experimental arms with the weights of the survey." in form
    assert form.count("This answer is not sent. Candor uses it for derived answers") == 2
    assert "The answers behind a derived answer are independent, too." in form
    reply = researcher.post(f"{TRY_OUT}/pilot", {"n": "800"} | typed_form(survey).fields,
                            form=TRY_OUT)  # fmt: skip
    assert reply.status_code == 302, reply.text
    page = researcher.client.get(reply.location).text
    counts = store.counts.by_question("health.pilot-answers")
    assert set(counts) == {"arm", "high", "days", "help", "first"}
    # Nobody of version a is asked the first item, and everyone of it is asked whether it is a.
    assert counts["first"][2] == counts["arm"][1]
    high, days, helped = compared(page, "Comparison with true values")
    assert high[0][1] == percent(counts["high"][0] / 800)
    assert helped[2][1] == percent(counts["high"][1] / 800)
    assert {name for name, _, _ in days} >= {"mean", "quantile_50"}
    arm, first = compared(page, "Comparison with assumed true values")
    assert [figure for _, figure, _ in arm] == ["25.0 %", "75.0 %"]
    assert [figure for _, figure, _ in first] == ["12.5 %", "12.5 %", "75.0 %"]
    assert page.count("Candor calculated this answer from other simulated answers.") == 2
    assert page.count("Candor calculated the answer that decides who is asked this question.") == 1
    # Analyses compare with the true answers, too.
    analysis = researcher.client.get(
        "/admin/surveys/health.pilot/analysis?rows=arm&columns=high"
    ).text
    assert "Comparison with the true answers" in analysis
    assert "intervals contain the value from the true answers" in analysis


def test_results_are_compared_with_an_assumed_share(store, researcher):
    survey = parse_survey(SCORED)
    store.surveys.save_draft(survey)
    form = typed_form(survey).fields | {"n": "300", "high:yes": "12", "high:no": "88"}
    reply = researcher.post(f"{TRY_OUT}/pilot", form, form=TRY_OUT)
    page = researcher.client.get(reply.location).text
    tables = compared(page, "Comparison with assumed true values")
    shares = [[figure for _, figure, _ in table] for table in tables]
    # Half of those above the cut-off get help.
    assert shares[1] == ["12.0 %", "88.0 %", "0.0 %"]
    assert shares[2] == ["6.0 %", "6.0 %", "88.0 %"]
    assert len(compared(page, "Comparison with true values")) == 1
    assert 'name="high:yes" value="12"' in researcher.client.get(TRY_OUT).text


def test_test_mode_takes_responses_of_a_survey_with_results(store, researcher):
    store.surveys.save_draft(parse_survey(SCORED))
    assert researcher.post(f"{TRY_OUT}/practice", form=TRY_OUT).status_code == 302
    frozen = store.surveys.by_slug("health.practice").frozen
    assert [question.name for question in frozen.survey.unsent] == ["sad", "tired"]
    assert researcher.client.get(f"{TRY_OUT}/practice").status_code == 200
    assert researcher.client.get("/s/health.practice").status_code == 200


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
    assert "From 25 responses" in researcher.client.get("/admin/surveys/health/results").text


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


def test_groups_are_added_without_a_simulation_and_then_simulated(store, researcher, draft):
    page = researcher.post(f"{TRY_OUT}/pilot", FORM | {"change": "add"}, form=TRY_OUT)
    assert page.status_code == 200
    assert store.rehearsals.by_kind(PILOT, "health") is None
    assert 'name="2:smokes:yes" value="30"' in page.text
    assert "Remove group 2" in page.text
    groups = {
        "groups": "2", "share-1": "25", "share-2": "75", "2:smokes:yes": "90", "2:smokes:no": "10",
    }  # fmt: skip
    shown = piloted(researcher, **groups)
    # 0.25 * 30 % + 0.75 * 90 %
    row = re.search(r'<tr data-assumed="yes">(.*?)</tr>', shown, re.DOTALL)[1]
    assert "75.0\u00a0%" in row
    assert store.rehearsals.pilot_truth("health") == {
        "groups": [
            {"share": 0.25, "answers": {"smokes": pytest.approx({"yes": 0.3, "no": 0.7})}},
            {"share": 0.75, "answers": {"smokes": pytest.approx({"yes": 0.9, "no": 0.1})}},
        ]
    }
    form = researcher.client.get(TRY_OUT).text
    assert 'name="2:smokes:yes" value="90"' in form
    assert 'name="share-2" value="75"' in form
    fewer = researcher.post(f"{TRY_OUT}/pilot", FORM | groups | {"change": "remove"}, form=TRY_OUT)
    assert "2:smokes:yes" not in fewer.text
    assert "share-1" not in fewer.text


def test_the_true_answers_are_kept_apart_and_end_with_the_simulation(
    store, client, researcher, draft
):
    piloted(researcher, **{"smokes:yes": "100", "smokes:no": "0"})
    answers = store.rehearsals.pilot_answers("health")
    assert (answers.state, answers.origin, answers.survey.private) == ("closed", "simulated", ())
    assert store.counts.by_question("health.pilot-answers") == {"smokes": {0: 500}}
    assert set(store.responses.rows("health.pilot-answers")) == {(0,)}
    assert len(set(store.responses.rows("health.pilot"))) == 2
    assert [found.survey.slug for found in store.surveys.all()] == ["health"]
    assert client.get("/s/health.pilot-answers").status_code == 404
    piloted(researcher, n="60")
    assert sum(store.counts.by_question("health.pilot-answers")["smokes"].values()) == 60
    researcher.post(f"{TRY_OUT}/pilot/delete", form=TRY_OUT)
    assert store.rehearsals.pilot_answers("health") is None
    assert store.counts.by_question("health.pilot-answers") == {}


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
    store.deleted_drafts.delete_draft("habits", date.today())
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
    form = {"n": "200"} | typed_form(SURVEY).fields
    reply = researcher.post(f"{path}/pilot", form, form=path)
    assert reply.status_code == 302, reply.text
    page = researcher.client.get(reply.location).text
    assert page.count("Assumed</th>") == len(SHARES)


def test_a_survey_of_simulated_responses_has_nothing_to_try_out(store, researcher):
    opened(store, definition(), "closed")
    store.responses.add_batches("health", [[Response(b"\1" * 16, (0,))]], "loaded")
    page = researcher.client.get("/admin/surveys/health").text
    assert "Test" not in without_csrf_tokens(page)
    assert researcher.client.get(TRY_OUT).status_code == 409
    with pytest.raises(StateError, match="a survey of real people instead"):
        store.rehearsals.save_pilot(freeze(pilot_of(parse_survey(definition()))), {}, [])


def test_an_analyst_sees_the_pilot_and_cannot_make_one(app, store, researcher, draft):
    piloted(researcher)
    analyst = signed_in(app, "bob", "analyst")
    assert analyst.client.get(f"{TRY_OUT}/pilot").status_code == 200
    assert analyst.post(f"{TRY_OUT}/pilot", FORM, form=TRY_OUT).status_code == 403
