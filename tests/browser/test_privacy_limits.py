"""The respondent's page refuses a document that exceeds the limits stated in it.

The documents are frozen without the server's check. A faulty server could do this, or an operator
who writes to the database.
"""

import math
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
        # A document from before there were limits.
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


TRY = "given => { try { losses.check(...given); return 'kept'; } catch { return 'threw'; } }"


@pytest.mark.slow
@pytest.mark.parametrize("limits", [
    {}, None, {"certainty": 99}, {"epsilon": 12}, {"certainty": "many", "epsilon": 12},
    {"certainty": 99, "epsilon": None}, {"certainty": 120, "epsilon": 12},
])  # fmt: skip
def test_limits_that_cannot_be_read_are_refused(live, page, limits):
    stored(live, DEFAULT_LIMITS, {"epsilon": 1})
    page.goto(f"{live.url}/s/health")
    assert page.evaluate(TRY, [[1], None, 1, limits]) == "threw"


def test_of_those_that_chance_picks_the_costliest_are_added(live, page):
    stored(live, DEFAULT_LIMITS, {"epsilon": 1})
    page.goto(f"{live.url}/s/health")
    limits = {"certainty": 99, "epsilon": 12}
    assert page.evaluate(TRY, [[4, 4, 4, 4], 3, 12, limits]) == "kept"
    assert page.evaluate(TRY, [[1, 4, 4, 4.01], 3, 12.01, limits]) == "threw"
    assert page.evaluate(TRY, [[4, 4, 4], None, 11.9, limits]) == "threw"
    assert page.evaluate(TRY, [[math.log(99), 0.1], 1, math.log(99), limits]) == "kept"
    assert page.evaluate(TRY, [[], None, 0, limits]) == "kept"
