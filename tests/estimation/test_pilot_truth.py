"""The consequences of assumed true shares: calculated independently, and compared with draws."""

import copy
import io
import re
from collections import Counter
from itertools import product

import numpy as np
import pytest

from survey.core.errors import DataFileError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.sub_surveys import pilot_answers_of, pilot_of
from survey.definition.survey import parse_survey
from survey.estimation.pilot_truth import (
    AssumedGroup,
    chance_asked,
    cut_off,
    follows_calculation,
    shares_of_all,
    true_shares,
)
from survey.estimation.types import ESTIMATION
from survey.formats.csv_export import responses_csv
from survey.formats.csv_import import read_groups, read_responses, read_truth
from survey.planning.simulation import effective, simulate_groups, who_is_asked
from survey.planning.types import PLANNING
from tests.support.cascades import chain
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.every_type import EVERY_TYPE, SAMPLED, TRUTH

pytestmark = pytest.mark.fast
SURVEY = parse_survey(EVERY_TYPE)
SHARES = read_truth(TRUTH, SURVEY)


def test_shares_of_those_who_are_asked_are_shares_of_everyone():
    """40 % drink. Of these, 3 in 10 smoke; all others are "not asked"."""
    smokes = yes_no() | {"relevant": {"drinks": "yes"}}
    survey = parse_survey(definition(yes_no("drinks"), smokes))
    truth = read_truth({"drinks": {"yes": 0.4}, "smokes": {"yes": 0.3}}, survey)
    assert true_shares(survey.questions[1], survey, truth) == pytest.approx([0.12, 0.28, 0.6])
    as_no = parse_survey(definition(yes_no("drinks"), smokes | {"otherwise": "no"}))
    assert true_shares(as_no.questions[1], as_no, truth) == pytest.approx([0.12, 0.88])


def test_a_question_that_depends_on_two_counts_what_they_share_once():
    """Both of its parents are asked of the same people, who drink."""
    smokes = yes_no() | {"relevant": {"drinks": "yes"}}
    cheats = yes_no("cheats") | {"relevant": {"drinks": "yes"}}
    last = yes_no("last") | {"relevant": {"smokes": "yes", "cheats": "no"}}
    survey = parse_survey(definition(yes_no("drinks"), smokes, cheats, last))
    given = {"drinks": 0.5, "smokes": 0.3, "cheats": 0.2, "last": 0.9}
    truth = read_truth({name: {"yes": share} for name, share in given.items()}, survey)
    assert chance_asked(survey.questions[3], survey, truth) == pytest.approx(0.5 * 0.3 * 0.8)


def test_true_shares_are_those_of_the_answers_that_are_drawn():
    """200,000 draws: five standard errors, one false alarm in a million for each share."""
    generator, n = np.random.default_rng(7), 200_000
    fields = [question for question in SURVEY.fields if question.name in SHARES]
    drawn = {q.name: PLANNING[q].draw(SHARES[q.name], n, generator) for q in fields}
    asked = {}
    by_name = {question.name: question for question in SURVEY.questions}
    for question in SURVEY.questions:
        asked[question.name] = who_is_asked(question, by_name, drawn, asked, n)
    for question in fields:
        answers = effective(question, drawn[question.name], asked[question.name])
        expected = np.array(true_shares(question, SURVEY, SHARES))
        if answers.ndim == 2:
            seen = answers.mean(axis=0)
        else:
            seen = np.bincount(answers, minlength=len(expected)) / n
        error = np.sqrt(expected * (1 - expected) / n)
        assert np.all(np.abs(seen - expected) <= 5 * error + 1e-12), question.name


SMOKES = yes_no() | {"relevant": {"drinks": "yes"}}
GROUPS = {
    "groups": [
        {"share": 0.4, "answers": {"drinks": {"yes": 0.9}, "smokes": {"yes": 0.5}}},
        {"share": 0.6, "answers": {"drinks": {"yes": 0.2}, "smokes": {"yes": 0.1}}},
    ]
}


def test_groups_relate_the_answers_and_the_shares_of_all_follow_by_hand():
    """Of 100, 36 + 12 drink. Of these, 18 + 1.2 smoke; 52 are not asked."""
    survey = parse_survey(definition(yes_no("drinks"), SMOKES))
    groups = read_groups(GROUPS, survey)
    drinks, smokes = survey.questions
    assert shares_of_all(drinks, survey, groups) == pytest.approx([0.48, 0.52])
    assert shares_of_all(smokes, survey, groups) == pytest.approx([0.192, 0.288, 0.52])


def test_simulated_groups_have_the_joint_shares_of_the_mixture():
    """40,000 respondents, two related questions: each cell within 4.5 standard errors.

    That is a false alarm in about 36,000 runs for the four cells. If the answers were independent,
    the first cell would be 0.1248 instead of 0.192, which is 34 standard errors away.
    """
    survey = parse_survey(definition(yes_no("drinks"), yes_no()))
    n, cells = 40_000, Counter()
    for reports, answers in simulate_groups(survey, read_groups(GROUPS, survey), n, seed=8):
        assert len(reports) == len(answers)
        cells.update(answers)
    assert sum(cells.values()) == n
    for both in product((0, 1), repeat=2):
        # The answer yes is 0, so abs(answer - p) is p for yes, and 1 - p for no.
        expected = sum(
            share * abs(both[0] - drinks) * abs(both[1] - smokes)
            for share, drinks, smokes in ((0.4, 0.9, 0.5), (0.6, 0.2, 0.1))
        )
        assert abs(cells[both] / n - expected) < 4.5 * np.sqrt(expected * (1 - expected) / n)


def test_true_answers_are_those_of_the_reports():
    """With tables that always report the answer, both rows are equal."""
    certain = {"mechanism": "table", "rows": [[1, 0], [0, 1]]}
    smokes = SMOKES | {"privacy": certain, "otherwise": "no"}
    survey = parse_survey(definition(yes_no("drinks", certain), smokes))
    [(reports, answers)] = simulate_groups(survey, read_groups(GROUPS, survey), 500, seed=2)
    assert reports == answers
    # Only those who drink are asked whether they smoke. All others count as "no".
    assert set(answers) == {(0, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED])
def test_true_answers_of_every_type_fit_the_survey_without_randomisation(content):
    survey = pilot_of(parse_survey(content))
    directly = pilot_answers_of(parse_survey(content))
    frozen = freeze(directly, to_open=False)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    assert not directly.private
    everyone = (AssumedGroup(1.0, SHARES),)
    [(reports, answers)] = simulate_groups(survey, everyone, 200, seed=5)
    assert len(reports) == len(answers) == 200
    table = "".join(responses_csv(frozen, answers))
    assert list(read_responses(io.BytesIO(table.encode()), directly)) == answers


def test_counted_answers_have_the_assumed_shares():
    """20,000 respondents, every type of question: each share within five standard errors.

    Rare values of a number may have five counts more, since their counts have a Poisson law.
    """
    survey = pilot_of(parse_survey(EVERY_TYPE))
    directly = pilot_answers_of(survey)
    everyone, n = (AssumedGroup(1.0, SHARES),), 20_000
    counts = {question.name: Counter() for question in directly.fields}
    for _, answers in simulate_groups(survey, everyone, n, seed=12):
        for row in answers:
            for question, answer in zip(directly.fields, row, strict=True):
                counts[question.name].update(question.form.codes(answer))
    for question in survey.fields:
        if question.kind.free_text:
            continue
        assert not follows_calculation(question, survey, everyone)
        expected = np.array(shares_of_all(question, survey, everyone))
        seen = np.array(ESTIMATION[question].counted_shares(counts[question.name]))
        error = np.sqrt(expected * (1 - expected) / n)
        assert np.all(np.abs(seen - expected) <= 5 * error + 5 / n), question.name


def test_only_calculated_results_and_what_depends_on_them_have_no_assumed_shares():
    choices = [{"name": name, "label": name} for name in "ab"]
    survey = parse_survey(
        definition(
            derived("arm", {"random": {"a": 1, "b": 3}}, "select_one", choices=choices,
                    privacy="none"),
            unsent("sad"),
            derived("high", {"any": {"sad": ["often"]}}),
            yes_no("help") | {"relevant": {"high": ["yes"]}},
            yes_no("then") | {"relevant": {"help": ["yes"]}},
            yes_no("first") | {"relevant": {"arm": ["a"]}},
        )
    )  # fmt: skip
    given = {name: {"yes": 0.5} for name in ("help", "then", "first")}
    given |= {"sad": {"never": 0.5, "some": 0.3}}

    def calculated(content):
        groups = read_groups(content, survey)
        return {q.name for q in survey.fields if follows_calculation(q, survey, groups)}

    assert calculated(given) == {"high", "help", "then"}
    drawn = given | {"high": {"yes": 0.12}}
    assert calculated(drawn) == set()
    both = {"groups": [{"share": 0.5, "answers": each} for each in (given, drawn)]}
    assert calculated(both) == {"high", "help", "then"}
    # The weights say who is asked: half of a quarter, half of a quarter, and three quarters.
    groups = read_groups(given, survey)
    assert shares_of_all(survey.questions[-1], survey, groups) == [0.125, 0.125, 0.75]


def test_a_seed_gives_the_same_reports_as_in_earlier_versions():
    survey = parse_survey(definition(yes_no("drinks"), yes_no()))
    groups = read_groups({"drinks": {"yes": 0.4}, "smokes": {"yes": 0.3}}, survey)
    [(reports, _)] = simulate_groups(survey, groups, 100, seed=3)
    # Computed by the version that had no groups.
    assert "".join(str(drinks) for drinks, _ in reports[:20]) == "01110000110111010100"


@check_each(
    ("change", "words"),
    [
        (lambda groups: groups[0].update(share=0.5), "The shares of the groups add up to 1.1."),
        (lambda groups: groups[0].update(share=-0.4), "share of 'group 1' must be a number from 0"),
        (lambda groups: groups[0].update(share="x"), "share of 'group 1' must be a number from 0"),
        (lambda groups: groups[1].pop("answers"), 'Group 2 must be an object with "share" and'),
        (lambda groups: groups[1].update(more=1), 'Group 2 must be an object with "share" and'),
        (lambda groups: groups[1]["answers"].pop("smokes"), "Group 2: The true shares of 'smokes'"),
        (lambda groups: groups.clear(), "The file has 0 groups. Write from 1 to 4."),
        (lambda groups: groups.extend(groups * 2), "The file has 6 groups. Write from 1 to 4."),
    ],
)
def test_groups_that_cannot_be_are_refused(change, words):
    survey = parse_survey(definition(yes_no("drinks"), SMOKES))
    content = copy.deepcopy(GROUPS)
    change(content["groups"])
    with pytest.raises(DataFileError, match=re.escape(words)):
        read_groups(content, survey)


def test_true_shares_lie_either_in_groups_or_not():
    survey = parse_survey(definition(yes_no("drinks"), SMOKES))
    with pytest.raises(DataFileError, match="put all true shares into the groups"):
        read_groups(GROUPS | {"drinks": {"yes": 0.4}}, survey)
    # A question may have this name.
    named = parse_survey(definition(yes_no("groups")))
    [group] = read_groups({"groups": {"yes": 0.4}}, named)
    assert group.truth["groups"] == pytest.approx([0.4, 0.6])


@pytest.mark.parametrize(
    ("mean", "sd", "said"),
    [
        (
            8,
            9,
            "You entered a mean of 8 and a standard deviation of 9. The range begins at 0, so "
            "smaller values are left out. The simulation uses a mean of 10.777 and a standard "
            "deviation of 7.047.",
        ),
        (
            50,
            40,
            "The range is 0 to 100, so values outside it are left out. The simulation uses a ",
        ),
        (50, 10, ""),
    ],
)
def test_a_typed_mean_that_is_cut_off_says_what_is_left_of_it(mean, sd, said):
    hours = {
        "name": "hours", "label": "Hours?", "type": "number", "min": 0, "max": 100,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    survey = parse_survey(definition(hours, yes_no()))
    truth = {"hours": {"mean": mean, "sd": sd}, "smokes": {"yes": 0.5}}
    shares = read_truth(truth, survey)
    number, smokes = survey.fields
    found = cut_off(number, truth["hours"], shares["hours"])
    assert said in found
    assert bool(found) == bool(said)
    assert cut_off(smokes, truth["smokes"], shares["smokes"]) == ""


def test_shares_of_conditional_choices_are_those_of_the_simulated_respondents():
    survey = parse_survey(definition(yes_no(), *chain(2, 1)))
    truth = {
        "smokes": [0.5, 0.5], "province": [1.0, 1.0, 1.0], "district": [1.0] * 6,
        "commune": [1.0] * 6,
    }  # fmt: skip
    groups = (AssumedGroup(1.0, truth),)
    follows = [follows_calculation(question, survey, groups) for question in survey.questions]
    assert follows == [False, False, True, True]
