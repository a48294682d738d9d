"""The respondent's page refuses a document that exceeds the limits stated in it.

The documents are frozen without the server's check. A faulty server could do this, or an operator
who writes to the database.
"""

import math
import random
from fractions import Fraction

import pytest
from playwright.sync_api import expect

from survey.definition.frozen import freeze
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

RAISED = PrivacyLimits(Fraction("99.9"), Fraction(20))
ODDS_OF_99 = {"mechanism": "table", "rows": [[99, 1], [1, 99]]}
MORE = {"mechanism": "table", "rows": [[9_901, 100], [100, 9_901]]}


def stored(live, limits, *privacies) -> None:
    questions = [yes_no(f"q{n}", privacy=privacy) for n, privacy in enumerate(privacies)]
    survey = parse_survey(definition(*questions))
    live.store.surveys.save_draft(survey)
    live.store.surveys.freeze(freeze(survey, limits, to_open=False), "open")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "privacies", "refused"),
    [
        (DEFAULT_LIMITS, [ODDS_OF_99], False),
        (DEFAULT_LIMITS, [MORE], True),
        (RAISED, [MORE], False),
        # As in a preview.
        (None, [MORE], False),
        (DEFAULT_LIMITS, [{"epsilon": 3}] * 4, False),
        (DEFAULT_LIMITS, [*[{"epsilon": 3}] * 4, {"epsilon": 0.1}], True),
        (RAISED, [{"epsilon": 3}] * 5, False),
        (RAISED, [{"epsilon": 3}] * 7, True),
        (None, [{"epsilon": 3}] * 7, False),
    ],
)
def test_a_page_above_the_limits_that_it_states_is_refused(live, page, limits, privacies, refused):
    stored(live, limits, *privacies)
    page.goto(f"{live.url}/s/health")
    expect(page.locator("#refused")).to_be_visible(visible=refused)
    expect(page.locator("#start")).to_be_visible(visible=not refused)
    page.goto(f"{live.url}/s/health/verify")
    expect(page.locator("#checked p")).to_have_count(1)
    expect(page.locator("#checked .warn")).to_have_count(int(refused))


def given(*losses: float) -> list:
    """The first arguments of `losses.check`, for questions without conditions."""
    names = [f"q{number}" for number in range(len(losses))]
    return [[{"name": name} for name in names], list(zip(names, losses, strict=True)), []]


TRY = "given => { try { losses.check(...given); return 'kept'; } catch { return 'threw'; } }"


@pytest.mark.slow
@pytest.mark.parametrize("limits", [
    {}, None, {"certainty": 99}, {"epsilon": 12}, {"certainty": "many", "epsilon": 12},
    {"certainty": 99, "epsilon": None}, {"certainty": 120, "epsilon": 12},
])  # fmt: skip
def test_limits_that_cannot_be_read_are_refused(live, page, limits):
    stored(live, DEFAULT_LIMITS, {"epsilon": 1})
    page.goto(f"{live.url}/s/health")
    assert page.evaluate(TRY, [*given(1), None, 1, limits]) == "threw"


def test_of_those_that_chance_picks_the_costliest_are_added(live, page):
    stored(live, DEFAULT_LIMITS, {"epsilon": 1})
    page.goto(f"{live.url}/s/health")
    limits = {"certainty": 99, "epsilon": 12}
    assert page.evaluate(TRY, [*given(4, 4, 4, 4), 3, 12, limits]) == "kept"
    assert page.evaluate(TRY, [*given(1, 4, 4, 4.01), 3, 12.01, limits]) == "threw"
    assert page.evaluate(TRY, [*given(4, 4, 4), None, 11.9, limits]) == "threw"
    assert page.evaluate(TRY, [*given(math.log(99), 0.1), 1, math.log(99), limits]) == "kept"
    assert page.evaluate(TRY, [*given(), None, 0, limits]) == "kept"


def arm(name: str, arms: str) -> dict:
    return {
        "name": name, "type": "select_one", "label": name, "privacy": "none",
        "choices": [{"name": each, "label": each} for each in arms],
        "derived": {"random": dict.fromkeys(arms, 1)},
    }  # fmt: skip


def crosswise(name: str) -> dict:
    return {"name": name, "type": "crosswise", "label": name, "hint": f"B {name}",
            "known_share": "1/6", "privacy": "none"}  # fmt: skip


def with_random_conditions(seed: int) -> dict:
    """A survey with arms, whose questions depend on arms and on other questions."""
    drawing = random.Random(seed)
    possible = {"u": "ab", "v": "abc", "w": "ab"}
    arms, asked = [arm(*each) for each in possible.items()], []
    for number in range(8):
        name = f"q{number}"
        odds = drawing.randint(2, 9)
        question = yes_no(name, {"mechanism": "randomized_response", "odds": odds})
        if number in (2, 5):
            question = crosswise(name)
        few = drawing.sample(sorted(possible), drawing.randint(0, 2))
        # Whether a question without randomisation is asked must not depend on private answers.
        few = [each for each in few if question["type"] == "yes_no" or each in "uvw"]
        if few:
            question["relevant"] = {
                each: drawing.sample(possible[each], drawing.randint(1, len(possible[each]) - 1))
                for each in few
            }
            if question["type"] == "yes_no" and drawing.random() < 0.5:
                question["otherwise"] = drawing.choice(["yes", "no"])
        asked.append(question)
        if question["type"] == "yes_no":
            possible[name] = ["yes", "no"]
    size = {"type": "number", "min": 0, "max": 3, "label": "size", "otherwise": 2}
    asked.append({"name": "size", **size, "relevant": {"u": "b"}, "privacy": {"epsilon": 0.7}})
    low = drawing.choice([1, 3])
    asked.append(yes_no("big", {"epsilon": 1.7}) | {"relevant": {"size": {"min": low}}})
    budget = {"budget": {"per_respondent": {"sample": 3}}} if drawing.random() < 0.5 else {}
    return definition(*arms, *asked, **budget)


def with_many_arms(depending: int) -> dict:
    """A survey with 2^11 combinations of arms, in which questions depend on the last ones."""
    names = [f"arm{number}" for number in range(11)]
    asked = [
        yes_no(f"q{name}{each}", {"epsilon": 1 + number / 10}) | {"relevant": {name: each}}
        for number, name in enumerate(names[-depending:])
        for each in "ab"
    ]
    return definition(*(arm(name, "ab") for name in names), *asked)


def test_the_page_adds_the_losses_of_the_costliest_arm_as_the_server_does(live, page):
    """The least total that the page accepts is that of the server, for each of these surveys."""
    stored(live, DEFAULT_LIMITS, {"epsilon": 1})
    page.goto(f"{live.url}/s/health")
    contents = [*map(with_random_conditions, range(25)), *map(with_many_arms, (2, 11))]
    surveys = [parse_survey(content) for content in contents]
    calls = []
    for survey in surveys:
        entries = survey.as_definition()["questions"]
        mixed = [(each.name, each.epsilon) for each in survey.private]
        open_ = [(each.name, each.epsilon) for each in survey.protected if each.non_private]
        checked, total = [entries, mixed, open_, survey.budget.sample], survey.epsilon
        calls += [[*checked, total], [*checked, total - 1e-6]]
    assert page.evaluate(f"calls => calls.map({TRY})", calls) == ["kept", "threw"] * len(surveys)
    # In most of them, no arm has all questions.
    apart = [each for each in surveys if each.most_asked(each.protected) < len(each.protected)]
    assert len(apart) > 15
