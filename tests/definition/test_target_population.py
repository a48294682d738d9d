"""Whom results describe, in a definition and in the builder."""

import pytest

from survey.admin.builder.faults import locate_error
from survey.admin.builder.form_to_definition import to_definition, to_form_data
from survey.core.errors import DefinitionError
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.planning.plan_text import goal_sentence, survey_sentence, target_sentence
from survey.planning.precision import precisions
from survey.planning.sample_size import PlanParameters, plan_figures
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast
QUESTION = {"name": "q", "label": "Have you?", "type": "yes_no", "privacy": {"epsilon": 2}}


def survey(**members):
    return parse_survey({"slug": "s", "title": "S", "questions": [QUESTION], **members})


@pytest.mark.parametrize("about", ["respondents", 1, 1200, 10_000_000])
def test_a_definition_keeps_whom_its_results_describe(about):
    parsed = survey(results_about=about)
    assert parsed.fieldwork.results_about == about
    assert parsed.as_definition()["results_about"] == about
    assert parse_survey(parsed.as_definition()) == parsed


def test_the_default_is_not_written_so_that_fingerprints_stay():
    assert "results_about" not in survey().as_definition()
    stated = survey(results_about="people_like_respondents")
    assert freeze(stated).fingerprint == freeze(survey()).fingerprint
    assert freeze(survey(results_about="respondents")).fingerprint != freeze(stated).fingerprint


@check_each("about", [0, -1, 10_000_001, 1.5, True, "everyone", "", None, [3]])
def test_any_other_value_is_refused(about):
    with pytest.raises(
        DefinitionError, match="whole number of people from 1 to 10,000,000"
    ) as error:
        survey(results_about=about)
    assert locate_error(error.value).field == "population"


@pytest.mark.parametrize("about", ["people_like_respondents", "respondents", 340])
def test_the_builder_gives_back_what_it_got(about):
    data = to_form_data(survey(results_about=about))
    assert data["population"] == ("340" if about == 340 else "")
    written = to_definition(data).get("results_about", "people_like_respondents")
    assert written == about


def test_an_empty_population_is_refused_at_its_field():
    data = to_form_data(survey()) | {"results_about": "population", "population": " "}
    with pytest.raises(DefinitionError) as error:
        parse_survey(to_definition(data))
    assert locate_error(error.value).field == "population"


def test_the_plan_leaves_out_sampling_error():
    """For a symmetric coin, p (1 - p) / (p - q)^2, and the rest times 1 - n / N."""
    similar, respondents, finite = (
        precisions(each.questions[0], 0.3, each)[0]
        for each in (survey(), survey(results_about="respondents"), survey(results_about=1000))
    )
    p, q = similar.coin
    noise = p * (1 - p) / (p - q) ** 2
    assert respondents.variance_for(500) == pytest.approx(noise)
    assert finite.variance_for(500) == pytest.approx(noise + 0.5 * 0.3 * 0.7)
    assert finite.variance_for(2000) == pytest.approx(noise)
    assert similar.variance_for(500) == pytest.approx(noise + 0.3 * 0.7)
    for each in (similar, respondents, finite):
        n = each.respondents(0.06)
        assert each.margin(n) <= 0.06 < each.margin(n - 1)


def test_a_margin_that_a_population_cannot_reach():
    small = survey(results_about=100)
    wishes = PlanParameters(n=120, margin=0.02)
    rows = plan_figures(small, wishes)
    assert rows[0].unreachable
    assert "Even if all 100 people in the population answer" in goal_sentence(rows[0], wishes)
    assert "too small for a margin" in survey_sentence(rows, wishes)
    assert "more respondents than this population has people" in target_sentence(small, wishes)
    assert "only the error from the randomisation" in target_sentence(
        survey(results_about="respondents"), wishes
    )
    assert target_sentence(survey(), wishes) == ""
