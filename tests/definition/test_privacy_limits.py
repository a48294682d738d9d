"""No path opens a survey that would reveal too much. Surveys that are already open stay open.

The limits are compared exactly: there are tables just below and just above each limit.
"""

import json
import math
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from app import create_app
from survey.cli.verify import compare
from survey.core.errors import AboveLimit, DefinitionError
from survey.definition.frozen import FrozenSurvey, fingerprint_of, freeze, require_openable
from survey.definition.privacy_limits import (
    DEFAULT_LIMITS,
    PrivacyLimits,
    exceeds_power_of_e,
    is_above,
    questions_above,
    total_above,
)
from survey.definition.survey import canonical_json, parse_survey
from survey.planning.checklist import STOPS, checks
from survey.server.settings import Settings
from survey.store import Store, open_store
from survey.web.demo import add_demo
from tests.support.check_each import check_each
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.indirect import crosswise
from tests.support.researchers import signed_in

E12 = Context(prec=60).exp(Decimal(12))  # 162754.79141900392080800520489848678...


def table(large: int, small: int) -> dict:
    return {"mechanism": "table", "rows": [[large, small], [small, large]]}


def survey_of(*privacies: dict, **more: object):
    questions = [yes_no(f"q{n}", privacy=privacy) for n, privacy in enumerate(privacies)]
    return parse_survey(definition(*questions, **more))


# --- the limit for one question


@check_each(
    ("privacy", "above"),
    [
        (table(99, 1), False),
        (table(9_900, 100), False),
        (table(9_901, 100), True),
        # Exactly 99, with the largest total.
        (table(4_252_017_528, 42_949_672), False),
        (table(4_252_017_529, 42_949_672), True),
        ({"mechanism": "warner", "p": "0.99"}, False),
        ({"mechanism": "warner", "p": "0.990001"}, True),
        ({"mechanism": "warner", "p": "0.01"}, False),
        ({"mechanism": "randomized_response", "odds": 99}, False),
        ({"mechanism": "randomized_response", "odds": "99.001"}, True),
        ({"epsilon": "4.59"}, False),
        ({"epsilon": "4.6"}, True),
        ({"epsilon": 12}, True),
    ],
)
def test_more_than_ninety_nine_percent_about_one_question_is_refused(privacy, above):
    survey = survey_of(privacy)
    assert bool(questions_above(survey)) is above
    if not above:
        assert freeze(survey, confirmed=True).limits == DEFAULT_LIMITS
        return
    with pytest.raises(
        AboveLimit, match=r"Question 'q0': .* sure of the answer. The limit is 99 %"
    ):
        freeze(survey)


def test_ratio_bounds_that_are_not_finite_are_above_any_limit():
    survey = survey_of({"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    assert is_above(survey, PrivacyLimits(Fraction("99.9999"), Fraction(9_999)))


# --- the limit holds for all reports about one answer

COPY = {"derived": {"any": {"hiv": "yes"}}}
COPIED = [yes_no(f"copy{n}", {"epsilon": 2.9}) | COPY for n in range(4)]
LARGER_COPIES = [yes_no(f"copy{n}", {"epsilon": 3}) | COPY for n in range(3)]


@pytest.mark.parametrize(
    ("questions", "epsilon"),
    [
        ([yes_no("hiv", "not_sent"), *COPIED], "11.60"),
        ([yes_no("hiv", {"epsilon": 1}), *LARGER_COPIES], "10.00"),
    ],
)
def test_copies_of_an_answer_count_together_everywhere(client, store, questions, epsilon):
    """One number for the limit, the chip, the fold, the first page, the checklist, and verify."""
    survey = parse_survey(definition(*questions))
    source = survey.questions[0]
    assert questions_above(survey) == [source]
    fault = r"Question 'hiv': .* several results depend on it: .*'copy1' and 'copy2'|'copy3'"
    with pytest.raises(AboveLimit, match=fault):
        freeze(survey, confirmed=True)
    assert survey.ratio_bound_about(source) == survey.largest_ratio_bound == survey.ratio_bound
    assert math.log(survey.ratio_bound_about(source)) == pytest.approx(float(epsilon), abs=0.01)
    (check,) = (each for each in checks(survey, 1_000) if each.name == "single")
    assert check.verdict == STOPS
    assert check.places == ("question:hiv",)
    assert "more than 99.9 % sure" in check.details[0]
    wide = PrivacyLimits(Fraction("99.9999"), Fraction(20))
    frozen = opened(store, definition(*questions), limits=wide)
    found = compare.check_limits(frozen)
    assert not found.ok
    assert "This survey protects too little. Question 'hiv'" in found.sentence
    page = client.get("/s/health").get_data(as_text=True).replace("\N{NO-BREAK SPACE}", " ")
    card = page[page.index('data-question="hiv"') : page.index('data-question="copy0"')]
    assert (
        f"results depend on this answer. Their protection together, as one number: ε = {epsilon}"
        in card
    )
    assert "Hardly protected" in card
    times = '<strong class="warn">more than 99.9</strong>'
    assert f"if blind, {times} with one mixed-up answer, and {times} with all." in page


def crosswise_survey(*shares: str, same: bool = False):
    return definition(
        *(
            crosswise(f"q{n}", share, hint="B" if same else f"B{n}")
            for n, share in enumerate(shares)
        )
    )


def test_a_crosswise_question_has_the_bound_of_its_known_share(client, store):
    """Someone who knows the share 1/1000 is 99.9 % sure; with 1/6, at most 83.4 %: ε = 1.61."""
    fault = r"Question 'q0': someone could become 99.9 % sure of the answer. The limit is 99 %"
    for share in ("1/1000", "999/1000"):
        with pytest.raises(AboveLimit, match=fault):
            freeze(parse_survey(crosswise_survey(share)), confirmed=True)
    survey = parse_survey(crosswise_survey("1/6", "3/4"))
    assert survey.ratio_bound_about(survey.questions[0]) == survey.largest_ratio_bound == 5
    assert survey.ratio_bound == 15
    frozen = opened(store, crosswise_survey("1/6"))
    assert f"{frozen.survey.epsilon:.2f}" == "1.61"
    assert "At worst someone becomes 84 % sure" in compare.check_limits(frozen).sentence
    page = client.get("/s/health").get_data(as_text=True).replace("\N{NO-BREAK SPACE}", " ")
    assert "<strong>Weakly protected</strong> · hidden by statement B" in page
    assert "50 are right if blind, and <strong>at most 84</strong> with your hidden answer." in page
    assert "Of 100 guesses about A, 50 are right if blind, and at most 84 with your answer." in page
    assert "Anyone who knows whether B is true for you learns whether A is true." in page
    assert "ε = 1.61" in page
    assert "choose “" in page


def test_crosswise_questions_with_the_same_second_statement_are_refused():
    """With one of the answers known, the report on it shows B, and then the other answer."""
    survey = parse_survey(crosswise_survey("1/6", "1/6", same=True))
    assert survey.ratio_bound is None
    assert questions_above(survey) == list(survey.questions)
    with pytest.raises(AboveLimit, match="'q0' has the same second statement as 'q1'"):
        freeze(survey, confirmed=True)
    (check,) = (each for each in checks(survey, 1_000) if each.name == "finite")
    assert check.verdict == STOPS
    assert "same second statement" in check.details[0]
    # Nobody answers the questions of two arms.
    arm = yes_no("arm", "none") | {"derived": {"random": {"yes": 1, "no": 1}}}
    first, second = crosswise_survey("1/6", "1/6", same=True)["questions"]
    apart = definition(
        arm, first | {"relevant": {"arm": "yes"}}, second | {"relevant": {"arm": "no"}}
    )
    assert parse_survey(apart).ratio_bound == 5


# --- the limit for all questions together


def product_of(numerator: int, denominator: int):
    """A survey whose likelihood ratio bound is exactly this fraction."""
    third = Fraction(numerator, denominator * 99 * 99)
    survey = survey_of(table(99, 1), table(99, 1), table(third.numerator, third.denominator))
    assert survey.ratio_bound == Fraction(numerator, denominator)
    return survey


@check_each(
    ("survey", "above"),
    [
        (product_of(162_754, 1), False),
        (product_of(162_755, 1), True),
        (product_of(1_627_547_914, 10**4), False),  # epsilon 12 - 1.2e-10
        (product_of(1_627_547_915, 10**4), True),
        # As floats these do not add up to 12: 0.1 a hundred and twenty times.
        (survey_of(*[{"epsilon": 0.1}] * 120), False),
        (survey_of(*[{"epsilon": "0.1001"}] * 120), True),
        (survey_of(*[{"epsilon": 1}] * 12), False),
        (survey_of(*[{"epsilon": 3}] * 4), False),
        (survey_of(*[{"mechanism": "coin_flip"}] * 10), False),  # 10.99
        (survey_of(*[{"mechanism": "coin_flip"}] * 11), True),  # 12.08
        # A random sample of questions, for which the largest losses count.
        (survey_of(*[{"epsilon": 4}] * 9, budget={"per_respondent": {"sample": 3}}), False),
        (survey_of(*[{"epsilon": 4}] * 9, budget={"per_respondent": {"sample": 4}}), True),
    ],
)
def test_more_than_epsilon_twelve_in_all_is_refused(survey, above):
    assert total_above(survey) is above
    if above:
        with pytest.raises(
            AboveLimit, match=r"The total privacy loss of one respondent is ε = 1[2-6]\."
        ):
            require_openable(survey)
    else:
        require_openable(survey)


def test_a_power_of_e_is_told_from_fractions_that_differ_in_the_fiftieth_digit():
    near = Fraction(E12)
    step = Fraction(1, 10**50)
    assert not exceeds_power_of_e(near - step, Fraction(12))
    assert exceeds_power_of_e(near + step, Fraction(12))
    # Neither the exponential nor the logarithm of floats can distinguish them.
    assert math.exp(12) == float(near - step) == float(near + step)


@pytest.mark.parametrize("exponent", ["0.001", "0.1", "2.5", "12", "600.25", "9999"])
def test_a_power_of_e_lies_between_its_neighbours(exponent):
    power = Fraction(Context(prec=80).exp(Decimal(exponent)))
    for digits in (5, 30, 45, 70):
        step = power / 10**digits
        assert not exceeds_power_of_e(power - step, Fraction(exponent))
        assert exceeds_power_of_e(power + step, Fraction(exponent))


def test_all_questions_that_are_above_are_named_or_counted():
    with pytest.raises(AboveLimit) as refused:
        require_openable(survey_of(*[{"epsilon": 12}] * 50))
    said = str(refused.value)
    assert "'q0'" in said
    assert "ε = 600" in said
    assert "Choose stronger protection" in said
    assert len(said) < 1_000


# --- what a document states


def test_a_document_states_its_limits_and_its_fingerprint_covers_them():
    survey = survey_of({"epsilon": 1})
    frozen = freeze(survey)
    document = frozen.document()
    assert document["limits"] == {"certainty": 99, "epsilon": 12}
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    for limits in ({"certainty": 99.9, "epsilon": 12}, {"certainty": 99, "epsilon": 13}, None):
        with pytest.raises(DefinitionError, match="fingerprint"):
            FrozenSurvey.from_json(json.dumps(document | {"limits": limits}))


@check_each("limits", [
    {}, [], 99, {"certainty": 99}, {"certainty": "99", "epsilon": -1},
    {"certainty": 100, "epsilon": 1}, {"certainty": True, "epsilon": 1},
    {"certainty": 99, "epsilon": "1e99999999"},
    {"certainty": 50, "epsilon": 12}, {"certainty": 99, "epsilon": 0},
])  # fmt: skip
def test_limits_that_are_none_are_refused(limits):
    with pytest.raises(DefinitionError, match="limits"):
        PrivacyLimits.from_json(limits)


def test_limits_come_back_from_a_document_as_they_were():
    for certainty, epsilon in (("99", "12"), ("99.9999", "9999"), ("50.0001", "0.0001")):
        limits = PrivacyLimits(Fraction(certainty), Fraction(epsilon))
        assert PrivacyLimits.from_json(json.loads(json.dumps(limits.as_json()))) == limits


def test_a_preview_states_no_limits():
    survey = survey_of({"epsilon": 12})
    preview = freeze(survey, None, to_open=False)
    document = json.loads(preview.to_json())
    assert "limits" not in document
    assert document["fingerprint"] == fingerprint_of(survey)
    assert FrozenSurvey.from_json(canonical_json(document)).to_json() == preview.to_json()


def test_parts_state_the_limits_of_their_whole(store):
    limits = PrivacyLimits(Fraction("99.5"), Fraction(20))
    opened(store, definition(by_hand=True, comprehension=True, receipts=False), limits=limits)
    for slug in ("health", "health.by-hand", "health.comprehension"):
        assert store.surveys.by_slug(slug).frozen.limits == limits


# --- every way to open a survey

STRONGER = {"epsilon": 5}


def save(store: Store, *privacies: dict, slug: str = "health"):
    survey = survey_of(*privacies or (STRONGER,), slug=slug)
    store.surveys.save_draft(survey)
    return survey


def test_a_draft_above_a_limit_is_not_opened_and_the_page_says_what_to_do(researcher, store):
    survey = save(store)
    page = researcher.client.get("/admin/surveys/health").text
    assert "Problem" in page
    assert "This server allows at most 99\u00a0% certainty." in page
    assert "Choose stronger protection." in page
    assert 'id="open"' not in page
    sent = {"fingerprint": fingerprint_of(survey), "looked": "yes"}
    reply = researcher.post("/admin/surveys/health/open", sent, form="/admin/surveys/health")
    assert reply.status_code == 422
    assert "The limit is 99 %" in reply.text
    assert "Choose stronger protection" in reply.text
    assert store.surveys.by_slug("health").state == "draft"


def test_the_total_stops_too(researcher, store):
    save(store, *[{"epsilon": 3}] * 5)
    page = researcher.client.get("/admin/surveys/health").text
    assert "ε = 15.00. The limit is ε = 12." in page
    assert 'id="open"' not in page


def test_practice_is_refused_as_well_and_a_simulation_is_not(researcher, store):
    save(store)
    page = researcher.client.get("/admin/surveys/health/try-out").text
    assert "Test mode needs a draft without problems." in page
    reply = researcher.post("/admin/surveys/health/try-out/practice", form="/admin/surveys/health")
    assert reply.status_code == 422
    assert store.rehearsals.by_kind("practice", "health") is None
    truth = {"n": "50", "q0.yes": "30"}
    researcher.post(
        "/admin/surveys/health/try-out/pilot", truth, form="/admin/surveys/health/try-out"
    )
    assert researcher.client.get("/admin/surveys/health/preview").status_code == 200


def test_the_command_refuses_before_anything_is_stored(app, store, tmp_path: Path):
    file = tmp_path / "health.json"
    file.write_text(json.dumps(definition(yes_no(privacy=STRONGER))))
    run = app.test_cli_runner().invoke
    found = run(args=["survey", "import", str(file), "--open"])
    assert found.exit_code != 0
    assert "The limit is 99 %" in found.output
    assert store.surveys.all() == []
    assert run(args=["survey", "import", str(file)]).exit_code == 0
    assert store.surveys.by_slug("health").state == "draft"


def test_data_collected_elsewhere_may_be_above(app, store, tmp_path: Path):
    save(store)
    file = tmp_path / "responses.csv"
    file.write_text("q0\nyes\nno\n")
    assert (
        app.test_cli_runner().invoke(args=["responses", "load", "health", str(file)]).exit_code == 0
    )
    assert store.counts.number_of_responses("health") == 2


def test_the_builder_says_it_while_it_is_typed(researcher, store):
    save(store, *[{"epsilon": 3}] * 5)
    page = researcher.client.get("/admin/surveys/health/edit").text.replace("\u00a0", " ")
    assert (
        "This server allows at most 99 % certainty about one question, and a total privacy loss of "
        "at most ε = 12." in page
    )


# --- surveys that opened while the operator allowed more


def earlier(store: Store, state: str = "open"):
    survey = save(store)
    store.surveys.freeze(freeze(survey, WIDE, to_open=False), state)
    return store.surveys.by_slug("health").frozen


def test_an_open_survey_above_a_limit_is_answered_as_before(client, store):
    frozen = earlier(store)
    body = {"id": "0" * 32, "fingerprint": frozen.fingerprint, "reports": {"q0": "1"}}
    assert client.post("/s/health/responses", json=body).status_code == 201
    assert client.get("/s/health.json").json["limits"] == WIDE.as_json()


def test_its_researchers_are_warned(app, researcher, store):
    earlier(store)
    for path in ("/admin/surveys/health", "/admin/surveys/health/results"):
        page = researcher.client.get(path).text.replace("\u00a0", " ")
        assert "This survey reveals more than this server allows for a new survey." in page
        assert "someone could become 99.4 % sure of the answer. The limit is 99 %." in page
        assert "duplicate it" in page
    run = app.test_cli_runner().invoke
    listed = run(args=["survey", "list"]).output
    assert "above the privacy limits (survey privacy health)" in listed
    said = run(args=["survey", "privacy", "health"]).output
    assert "Above the limit: Question 'q0'" in said
    assert "Choose stronger protection" in said


def test_a_survey_within_the_limits_has_no_warning(app, researcher, store):
    opened(store, definition())
    assert "reveals more" not in researcher.client.get("/admin/surveys/health").text
    assert "above" not in app.test_cli_runner().invoke(args=["survey", "list"]).output


def test_one_that_is_closed_is_not_opened_again(researcher, store):
    earlier(store, "closed")
    page = researcher.client.get("/admin/surveys/health").text
    assert "You cannot open it again." in page
    assert "<summary>Reopen survey</summary>" not in page
    reply = researcher.post("/admin/surveys/health/open", form="/admin/surveys/health")
    assert reply.status_code == 422
    assert store.surveys.by_slug("health").state == "closed"
    with pytest.raises(AboveLimit):
        store.lifecycle.set_state("health", "open")
    store.lifecycle.set_state("health", "open", PrivacyLimits(Fraction("99.5")))
    assert store.surveys.by_slug("health").state == "open"


# --- other limits


@pytest.fixture
def lenient(tmp_path: Path):
    settings = {
        "CANDOR_DATABASE": str(tmp_path / "lenient.db"),
        "CANDOR_MAX_CERTAINTY": "99.9",
        "CANDOR_MAX_EPSILON": "20",
    }
    app = create_app(Settings.from_environment(settings))
    app.config.update(TESTING=True)
    yield app
    app.extensions["candor.store"].close()


def test_an_operator_may_set_other_limits_which_respondents_can_see(lenient):
    store = lenient.extensions["candor.store"]
    survey = save(store)
    page = signed_in(lenient)
    assert "Problem" not in page.client.get("/admin/surveys/health").text
    sent = {"fingerprint": fingerprint_of(survey), "looked": "yes"}
    sent["protection"] = "hardly protected"
    page.post("/admin/surveys/health/open", sent, form="/admin/surveys/health")
    assert store.surveys.by_slug("health").state == "open"
    client = lenient.test_client()
    assert client.get("/s/health.json").json["limits"] == {"certainty": 99.9, "epsilon": 20}
    verify = client.get("/s/health/verify").text.replace("\u00a0", " ")
    assert "at most 99.9 % sure about one question, and ε is at most 20 for all" in " ".join(
        verify.split()
    )
    assert "This survey protects less than Candor requires of a new survey" in verify
    assert "reveals more" not in page.client.get("/admin/surveys/health").text


def test_stricter_limits_hold_for_the_demo_too(tmp_path: Path):
    store = open_store(str(tmp_path / "strict.db"))
    add_demo(store, PrivacyLimits(Fraction(99), Fraction(2)))
    assert {found.survey.slug for found in store.surveys.all()} == {
        "vietnamese-smokers",
        "thai-weights",
        "vietnamese-smokers-curator",
        "thai-weights-curator",
        "depression-scores",
        "titanic",
    }
    store.close()


def test_stricter_limits_stop_what_is_usual():
    survey = survey_of({"mechanism": "coin_flip"})
    strict = PrivacyLimits(Fraction(70))
    (check,) = (each for each in checks(survey, 1_000, limits=strict) if each.name == "single")
    assert check.verdict == STOPS
    with pytest.raises(AboveLimit, match=r"75 % sure of the answer\. The limit is 70 %"):
        freeze(survey, strict)


# --- requests from outside


def test_verify_reports_a_survey_above_the_limits_whatever_it_states():
    survey = survey_of({"epsilon": 5}, {"epsilon": 8})
    wide = PrivacyLimits(Fraction("99.99"), Fraction(20))
    for limits, words in ((None, "It states no limits"), (wide, "the limits 99.99 % for one")):
        finding = compare.check_limits(freeze(survey, limits, to_open=False))
        assert not finding.ok
        assert "Question 'q1': someone could become more than 99.9 % sure" in finding.sentence
        assert "ε = 13.00. The limit is ε = 12" in finding.sentence
        assert words in finding.sentence


def test_verify_says_how_sure_anyone_becomes_of_a_survey_within_them():
    finding = compare.check_limits(freeze(survey_of(*[{"mechanism": "coin_flip"}] * 2)))
    assert finding.ok
    assert "75 % sure about one question, and 90 % about all" in finding.sentence
    plain = compare.check_limits(freeze(survey_of("none")))
    assert plain.ok


def test_the_page_for_checking_has_the_figures_and_a_warning(client, store):
    earlier(store)
    opened(store, definition(slug="coins"))
    page = client.get("/s/health/verify").text.replace("\u00a0", " ")
    assert "This survey protects less than Candor requires of a new survey" in page
    assert "<strong>99.4 %</strong>" in page
    assert "(ε = 5.00)" in page
    coins = client.get("/s/coins/verify").text.replace("\u00a0", " ")
    assert "protects less" not in coins
    assert "<strong>75 %</strong>" in coins
    assert "(ε = 1.10)" in coins


@pytest.mark.parametrize(
    ("privacy", "code", "words"),
    [
        ({"epsilon": 5}, 1, "WRONG  This survey protects too little. Question 'q0'"),
        ({"epsilon": 1}, 0, "sure about one question"),
    ],
)
def test_the_command_verify_ends_with_an_error_above_the_limits(app, live, privacy, code, words):
    survey = save(live.store, privacy)
    live.store.surveys.freeze(freeze(survey, WIDE, to_open=False), "open")
    app.config["CANDOR_URL"] = live.url
    found = app.test_cli_runner().invoke(args=["verify", f"{live.url}/s/health"])
    assert words in found.output
    assert found.exit_code == code, found.output
