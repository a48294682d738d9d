"""Joined variables, which respondents were asked in different ways: properties and refusals."""

import itertools
import json

import numpy as np
import pytest
from scipy.linalg import block_diag

from survey.analysis.columns.column_request import columns_and_design, place_of_answer
from survey.analysis.columns.columns import columns_by_name
from survey.analysis.columns.joined import asked_flags as who_was_asked
from survey.analysis.columns.joined import join_columns, joinable
from survey.analysis.columns.reported_variable import ReportedVariable, starting_shares
from survey.analysis.groups.groups import compare
from survey.analysis.regression.estimators import MAXIMUM_LIKELIHOOD
from survey.analysis.regression.regression import regress
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.trees.trees import build_decision_tree
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import probabilities
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.csv_export import responses_csv
from survey.store import Store
from tests.support import cascades
from tests.support.analysed import COIN, FOUR, THREE, WIDE, column, mixed, plain, reported
from tests.support.analysis_pages import REFUSED, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.regressed import (
    hessian,
    information_blocks,
    jeffreys_of,
    logistic,
    maximum,
    pseudo_data_of,
    regress_penalised,
)
from tests.support.researchers import Researcher

pytestmark = pytest.mark.fast

ARM = asked("arm", "select_one", "none", choices=letters("cdx"))
# Chance decides how each respondent is asked, here with the respondent's own die.
ARMS = definition(
    ARM,
    yes_no("smokes", {"mechanism": "coin_flip"}) | {"relevant": {"arm": "c"}},
    yes_no("direct", "none") | {"relevant": {"arm": "d"}},
    asked("age", "number", "none", min=0, max=9),
    slug="arms",
)
# Two tables. Each respondent reports on two of the three questions.
ODDS = definition(
    yes_no("near", {"epsilon": 1}),
    yes_no("far", {"epsilon": 3}),
    asked("party", "select_one", {"epsilon": 2}, choices=letters("abc")),
    asked("age", "number", "none", min=0, max=9),
    slug="odds", budget={"per_respondent": {"sample": 2}},
)  # fmt: skip


def in_arms(n=600, seed=5):
    """Rows of ARMS, and the answers."""
    r = np.random.default_rng(seed)
    survey = parse_survey(ARMS)
    arm, age = r.integers(0, 3, n), r.integers(0, 10, n)
    # 0 is Yes.
    smokes = (r.random(n) > 0.2 + 0.05 * age).astype(int)
    table = next(q for q in survey.fields if q.name == "smokes").table
    # 2 is "not asked".
    coins = reported(r, table, np.where(arm == 0, smokes, 2))
    direct = np.where(arm == 1, smokes, 2)
    return survey, list(zip(*(each.tolist() for each in (arm, coins, direct, age)), strict=True))


def by_ratio_bounds(n=600, seed=6):
    r = np.random.default_rng(seed)
    survey = parse_survey(ODDS)
    tables = [question.table for question in survey.fields[:3]]
    age = r.integers(0, 10, n)
    yes, party = (r.random(n) < 0.4).astype(int), r.integers(0, 3, n)
    codes = [reported(r, table, answers).tolist()
             for table, answers in zip(tables, (yes, yes, party), strict=True)]  # fmt: skip
    # The question that each respondent does not report on.
    out = r.integers(0, 3, n)
    for place, skipped in enumerate(out):
        codes[skipped][place] = None
    return survey, list(zip(*codes, age.tolist(), strict=True)), tables


def one(survey, rows, name):
    return columns_by_name(survey, rows, [name])[name]


# --- exact


@pytest.mark.parametrize(
    "tables", [(COIN, WIDE), (COIN, COIN), (THREE, THREE), (FOUR, FOUR), (COIN, WIDE, COIN)]
)
@pytest.mark.parametrize("both", [False, True])
def test_scores_are_unbiased_and_chances_whole_in_each_way_of_asking(tables, both):
    """Enumerated: each way of asking alone, and pairs."""
    parts = []
    for place, table in enumerate(tables):
        reports = [-1] * (3 * len(tables))
        reports[3 * place : 3 * place + 3] = [0, 1, 0]
        if both:
            # The first response reports on all questions.
            reports[0] = 0
        parts.append(column(reports, table, f"q{place}", values=list(range(table.answers))))
    found = parts[0]
    for part in parts[1:]:
        found = join_columns(found, part)
    k = tables[0].answers
    for way in np.unique(found.designs):
        inside = found.designs == way
        if not found.chances[:, inside].any():
            continue
        assert found.chances[:, inside].sum(axis=1) == pytest.approx(np.ones(k))
        assert found.chances[:, inside] @ found.scores[inside] == pytest.approx(np.eye(k))
        assert found.chances[:, inside] @ found.value_scores[inside] == pytest.approx(np.arange(k))
    assert len(found.report_names) == found.chances.shape[1] == len(found.scores)
    assert (found.reports >= 0).all()
    if both:
        product = np.prod([part.chances[:, 0] for part in parts], axis=0)
        assert found.chances[:, found.reports[0]] == pytest.approx(product)
    # Each row has the columns of its own ways of asking.
    for row, code in enumerate(found.reports.tolist()):
        own = [part for part in parts if part.reports[row] >= 0]
        expected = np.prod([part.chances[:, part.reports[row]] for part in own], axis=0)
        assert found.chances[:, code] == pytest.approx(expected)


def test_who_was_asked_is_read_off_the_non_private_questions():
    survey, rows = in_arms()
    found = one(survey, rows, "smokes+direct")
    arm = np.array([row[0] for row in rows])
    assert found.answers == ("Yes", "No")
    assert found.label == "Do you smoke? (questions 2 and 3 together)"
    assert found.special_answers == 0
    assert ((found.reports >= 0) == (arm < 2)).all()
    direct = np.array([row[2] for row in rows])[arm == 1]
    given = found.chances[:, found.reports[arm == 1]]
    assert given == pytest.approx(np.eye(2)[direct].T)
    # Without the row of "not asked".
    table = probabilities(survey.fields[1].table)[:2]
    assert found.chances[:, found.reports[arm == 0]] == pytest.approx(
        table[:, [row[1] for row in rows if row[0] == 0]]
    )


def test_who_was_offered_a_choice_is_read_off_the_non_private_questions():
    """Only the third choice of a chain's first question leads to no choice of the second."""
    one = cascades.asked("one", choices=[cascades.choice(name) for name in "abc"])
    two = cascades.asked(
        "two", choices=[cascades.choice("x", one=["a"]), cascades.choice("y", one=["a", "b"])]
    )
    three = yes_no("three", "none") | {"relevant": {"two": ["x", "y"]}}
    survey = parse_survey(definition(one, two, three))
    known = {question.name: question for question in survey.fields}
    stored = {"one": [0, 1, 2], "two": [0, 1, 2], "three": [0, 1, 2]}
    assert who_was_asked(known["two"], known, stored).tolist() == [True, True, False]
    assert who_was_asked(known["three"], known, stored).tolist() == [True, True, False]


def test_a_regression_is_that_of_mixed_designs():
    """A column built separately with `mixed`: the same likelihood and the same maximum."""
    survey, rows = in_arms()
    (joint, age), _ = columns_and_design(survey, rows, ["smokes+direct", "age"])
    found = regress(joint, [age], estimator=MAXIMUM_LIKELIHOOD)
    kept = [row for row in rows if row[0] < 2]
    arms = np.array([row[0] for row in kept])
    table = probabilities(survey.fields[1].table)[:2]
    by_hand = mixed([table, np.eye(2)], arms, np.array([row[1 + row[0]] for row in kept]))
    x = np.array([row[3] for row in kept])
    yes = 1 / (1 + np.exp(-(found.coefficients[0].value + found.coefficients[1].value * x)))
    mass = yes * by_hand.chances[0, by_hand.codes] + (1 - yes) * by_hand.chances[1, by_hand.codes]
    assert found.log_likelihood == pytest.approx(np.log(mass).sum(), abs=1e-8)
    slope = (by_hand.chances[0, by_hand.codes] - by_hand.chances[1, by_hand.codes]) / mass
    score = slope * yes * (1 - yes)
    assert score.sum() == pytest.approx(0, abs=1e-5)
    assert (score * x).sum() == pytest.approx(0, abs=1e-4)
    expected = regress(joint, [age], errors="expected", estimator=MAXIMUM_LIKELIHOOD)
    assert expected.coefficients[1].error == pytest.approx(found.coefficients[1].error, rel=0.1)


def test_a_private_predictor_by_rows_is_the_maximum_of_its_likelihood():
    """An independent likelihood, with its maximum found by another optimiser.

    The predictor was asked in one way in some rows, in another or in both in others.
    """
    r, n = np.random.default_rng(8), 1_200
    answers = r.integers(0, 2, n)
    # 0 is Yes.
    y = (r.random(n) > np.where(answers == 0, 0.7, 0.4)).astype(int)
    way = r.integers(0, 3, n)
    coins = np.where(way == 1, -1, reported(r, COIN, answers))
    wide = np.where(way == 0, -1, reported(r, WIDE, answers))
    predictor = join_columns(column(coins, COIN, "coins"), column(wide, WIDE, "wide"))
    tables = probabilities(COIN), probabilities(WIDE)
    seen = [np.where(codes < 0, 1.0, table[:, codes])
            for table, codes in zip(tables, (coins, wide), strict=True)]  # fmt: skip

    def height(theta):
        shares = logistic(theta[2]), 1 - logistic(theta[2])
        total = 0
        for place, share in enumerate(shares):
            yes = logistic(theta[0] + theta[1] * (place == 0))
            told = np.where(y == 0, yes, 1 - yes)
            total = total + share * told * seen[0][place] * seen[1][place]
        return np.log(total).sum()

    def complete(theta):
        """The information of the answers to the outcome, in each cell."""
        ones = np.ones((n, 1))
        share, parts = logistic(theta[2]) * np.ones(n), []
        for has, mass in ((1.0, share), (0.0, 1 - share)):
            design = np.column_stack([ones, has * ones])
            yes = logistic(design @ theta[:2])[:, np.newaxis]
            parts.append((mass, design, information_blocks(yes)))
        return parts

    def with_more(theta):
        """With half a respondent for the parameter of the predictor's distribution."""
        share = logistic(theta[2])
        return height(theta) + (usual @ np.log(np.array([share, 1 - share]))) / 2

    usual = starting_shares(
        ReportedVariable(predictor.chances, predictor.reports, predictor.designs), None
    )
    found = regress_penalised(plain(y, 2, "y"), [predictor])
    best = maximum(lambda b: with_more(b) + jeffreys_of(complete(b)), 3)
    assert [row.value for row in found.coefficients] == pytest.approx(best[:2], abs=1e-6)
    pseudo = block_diag(pseudo_data_of(complete(best)), 0)
    spread = np.sqrt(np.diag(np.linalg.inv(-hessian(with_more, best) + pseudo)))[:2]
    assert [row.error for row in found.coefficients] == pytest.approx(spread, rel=1e-5)


def test_a_comparison_is_by_the_scores_of_each_way():
    survey, rows = in_arms()
    (joint, arm), _ = columns_and_design(survey, rows, ["smokes+direct", "arm"])
    groups = compare(joint, arm).groups
    alone = columns_by_name(survey, [row for row in rows if row[0] == 1], ["direct"])["direct"]
    assert groups[1].figure.value == pytest.approx((alone.reports == 0).mean())
    table = probabilities(survey.fields[1].table)[:2]
    least = np.linalg.lstsq(table / np.sqrt(table.sum(axis=0)), np.eye(2), rcond=None)[0]
    scores = least / np.sqrt(table.sum(axis=0))[:, np.newaxis]
    scores += (1 - scores.sum(axis=1, keepdims=True)) / 2
    coins = [row[1] for row in rows if row[0] == 0]
    assert groups[0].figure.value == pytest.approx(scores[coins, 0].mean())
    assert groups[2].figure is None


def test_every_analysis_takes_it():
    survey, rows, tables = by_ratio_bounds()
    assert one(survey, rows, "near+far").reported.all()
    (joint, party, age), _ = columns_and_design(survey, rows, ["near+far", "party", "age"])
    table = crosstab([joint, party])
    assert sum(cell.value for cell in table.cells) == pytest.approx(1)
    assert {test.name for test in table.tests} == {"score", "Wald"}
    assert any(", far: " in name for name, _ in table.raw for name in name)
    assert pearson_correlation(joint, age).figure.standard_error > 0
    assert (
        build_decision_tree(joint, [age]).n
        == build_decision_tree(party, [joint]).n + (party.reports < 0).sum()
        == len(rows)
    )
    assert regress(age, [joint], "linear").n == len(rows)
    assert regress(party, [joint]).n == (party.reports >= 0).sum()
    assert place_of_answer(survey, joint, "no") == 1
    assert tables[0].ratio_bound < tables[1].ratio_bound


def test_most_likely_shares_are_those_of_the_likelihood_of_all_ways():
    """A search on a fine grid, from counts by way of asking and report."""
    survey, rows, _ = by_ratio_bounds(200, seed=9)
    (joint, age), _ = columns_and_design(
        survey, [(*row[:3], row[3] % 2) for row in rows], ["near+far", "age"]
    )
    found = crosstab([joint, age]).likeliest
    for value in (0, 1):
        codes = joint.reports[age.reports == value]
        grid = np.linspace(0, 1, 100_001)
        mass = np.outer(grid, joint.chances[0]) + np.outer(1 - grid, joint.chances[1])
        counts = np.bincount(codes, minlength=joint.chances.shape[1])
        best = grid[np.argmax(np.log(np.maximum(mass, 1e-300)) @ counts)]
        assert found[value] / (found[value] + found[2 + value]) == pytest.approx(best, abs=2e-5)


def test_what_declines_stays_an_answer():
    content = definition(
        ARM,
        yes_no("smokes", {"epsilon": 2}) | {"relevant": {"arm": "c"}, "prefer_not_to_say": True},
        yes_no("direct", "none") | {"relevant": {"arm": "d"}, "prefer_not_to_say": True},
    )
    rows = [(arm, arm and 3, code) for arm, code in itertools.product((0, 1), (0, 1, 2))] * 5
    found = one(parse_survey(content), rows, "smokes+direct")
    assert found.answers == ("Yes", "No", "Prefer not to say")
    assert found.special_answers == 1


def test_questions_of_the_same_text_and_answers_are_offered():
    assert list(joinable(parse_survey(ARMS))) == ["smokes+direct"]
    assert list(joinable(parse_survey(ODDS))) == ["near+far"]
    asked_twice = definition(yes_no("smokes"), yes_no("other", label="Another?"))
    assert joinable(parse_survey(asked_twice)) == {}


# --- refused


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("smokes+arm", "smokes and arm cannot be joined: their answers are not the same in the "
         "same order (Yes; No, and C; D; X)."),
        ("smokes+nothing", "There is no question 'nothing' to join, in smokes+nothing."),
        ("smokes+smokes", "smokes+smokes names a question twice."),
        ("age+smokes", "age cannot be joined: it is not a single choice."),
        ("smokes+", "There is no question '' to join"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_a_sentence(name, sentence):
    survey, rows = in_arms(20)
    with pytest.raises(UnanswerableQuestion) as refused:
        columns_and_design(survey, rows, [name])
    assert sentence in str(refused.value)


def test_asked_directly_and_by_coins_is_refused():
    survey = parse_survey(definition(yes_no("smokes"), yes_no("direct", "none")))
    with pytest.raises(UnanswerableQuestion, match="12 respondents were asked both"):
        one(survey, [(0, 1)] * 12, "smokes+direct")


def test_a_variable_and_one_of_its_questions_are_refused():
    survey, rows = in_arms(20)
    with pytest.raises(UnanswerableQuestion, match=r"direct is in smokes\+direct and in"):
        columns_and_design(survey, rows, ["smokes+direct", "direct"])


def test_who_was_asked_by_a_private_answer_is_not_known():
    content = definition(
        yes_no("drinks", label="Do you drink?"),
        yes_no("smokes") | {"relevant": {"drinks": "yes"}},
        yes_no("direct", "none"),
    )
    survey = parse_survey(content)
    with pytest.raises(UnanswerableQuestion, match="depends on drinks, which is private"):
        one(survey, [(0, 0, 0)] * 9, "smokes+direct")
    assert joinable(survey) == {}


def test_two_non_private_ways_are_a_non_private_question():
    content = definition(
        ARM,
        yes_no("one", "none") | {"relevant": {"arm": "c"}},
        yes_no("two", "none") | {"relevant": {"arm": "d"}},
    )
    found = one(parse_survey(content), [(0, 0, 2), (1, 2, 1), (2, 2, 2)] * 4, "one+two")
    assert found.reports.tolist() == [0, 1, -1] * 4
    assert not found.private
    assert found.chances.tolist() == plain([0], 2).chances.tolist()


# --- the command and the pages


def test_a_command_takes_it(app, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey, rows = in_arms()
    (tmp_path / "arms.json").write_text(json.dumps(ARMS))
    content = "".join(responses_csv(freeze(survey), rows))
    (tmp_path / "responses.csv").write_text(content, newline="")

    def run(*arguments):
        result = app.test_cli_runner().invoke(args=arguments)
        assert result.exit_code == 0, result.output
        return result.output

    run("survey", "import", "arms.json")
    run("responses", "load", "arms", "responses.csv")
    assert "Logistic regression: Do you smoke? (questions 2 and 3 together)" in run(
        "analyse", "regression", "arms", "--outcome", "smokes+direct", "--predictors", "age"
    )
    both = "“Do you smoke? (questions 2 and 3 together)”"
    for line in (
        "crosstab arms --rows smokes+direct --columns arm",
        "groups arms --measure age --group smokes+direct",
        "groups arms --measure smokes+direct:yes --group arm",
        "correlation arms --questions age --questions smokes+direct:yes",
        "tree arms --target smokes+direct --predictors age",
    ):
        assert both[1:-1] in run("analyse", *line.split())


def test_pages_offer_it(researcher: Researcher, store: Store):
    _, rows = in_arms(100)
    opened(store, ARMS | {"slug": "health"})
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    page = shown(researcher)
    assert options(page, "rows") == ["arm", "smokes", "direct", "age", "smokes+direct"]
    assert "2+3. Do you smoke? (questions 2 and 3 together)" in page
    query = {"outcome": "smokes+direct", "predictors": "age", "model": "logistic"}
    assert "questions 2 and 3 together" in shown(researcher, "/regression", **query)
    table = shown(researcher, rows="smokes+direct", columns="arm")
    assert "smokes: Yes" in table
    groups = shown(researcher, "/groups", measure="smokes+direct:0", group="arm")
    assert "share of “Yes”" in groups
    both = shown(researcher, rows="smokes+direct", columns="direct")
    assert "direct is in smokes+direct and in direct." in both
    matrix = shown(researcher, "/correlation", questions=["smokes+direct:0", "age:"])
    assert REFUSED not in matrix
    assert "questions 2 and 3 together" in matrix
    # Validity checks compare the ways of asking, so they are separate there.
    assert options(shown(researcher, "/validity"), "asked") == ["arm:0", "arm:1", "arm:2",
           "smokes:0", "smokes:1", "direct:0", "direct:1"]  # fmt: skip
