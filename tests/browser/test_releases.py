"""DP releases in a real browser, with and without JavaScript."""

import re
from datetime import date

import pytest
from playwright.sync_api import expect

from survey.central_dp.budget import parse_release_budget
from survey.central_dp.dp_request import read_request
from survey.definition.responses.parse_response import Response
from survey.store import OWNER, Account
from tests.browser.looks import sound
from tests.support.admin_pages import LOOKS, OUTSIDE
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import PASSWORD, password_hash


@pytest.fixture
def site(live):
    """A closed survey with two non-private questions and 60 responses."""
    questions = (
        yes_no(),
        asked("age", "number", "none", min=0, max=100, unit="years"),
        asked("region", "select_one", "none", choices=letters("ne")),
    )
    opened(live.store, definition(*questions), "closed")
    rows = [Response(bytes([k]) * 16, (k % 2, k, k % 2)) for k in range(60)]
    live.store.responses.add_batches("health", [rows], "loaded")
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    return live


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_budget_to_a_figure_that_everyone_sees(browser, site, scripts):
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{site.url}/admin/sign-in")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{site.url}/admin/surveys/health/results")
    page.get_by_role("link", name="DP releases", exact=True).click()
    page.get_by_label("Total ε of all releases").fill("1")
    page.get_by_label("Total δ of all releases").fill("0")
    page.get_by_role("button", name="Set budget").click()
    expect(page.get_by_text("Remaining budget: ε = 1 of ε = 1.")).to_be_visible()
    page.get_by_role("link", name="Mean of What of age?").click()
    page.get_by_label("Privacy loss ε").fill("1.5")
    page.get_by_role("button", name="Show cost and accuracy").click()
    expect(
        page.get_by_text("This release costs ε = 1.5, but only ε = 1 of the budget is left")
    ).to_be_visible()
    page.get_by_label("Privacy loss ε").fill("0.5")
    page.get_by_label("Group").select_option(label="N")
    page.get_by_role("button", name="Show cost and accuracy").click()
    expect(page.get_by_text("The release costs ε = 0.5 of the remaining budget")).to_be_visible()
    assert site.store.releases.ledger("health") == []
    page.get_by_role("button", name="Make DP release").click()
    expect(page.get_by_text("Remaining budget: ε = 0.5 of ε = 1.")).to_be_visible()
    released = page.get_by_role("region", name="Mean: What of age?")
    expect(released.get_by_text("Laplace, ε = 0.5")).to_be_visible()
    cell = released.get_by_role("row", name=re.compile("^Mean")).get_by_role("cell").first
    value = cell.inner_text()
    page.reload()
    expect(cell).to_have_text(value)
    page.get_by_role("button", name="Publish releases").click()
    page.get_by_role("link", name="public page").click()
    expect(page.get_by_text("Only those who answered “N” to “What of region?”")).to_be_visible()
    context.close()


# The largest distance of a displayed figure because of noise.
FAR = 10**7
DRAWN = [
    ({"statistic": "histogram", "bins": "50"}, ((60, -12, *[3] * 47, FAR),)),
    ({"statistic": "clipped_sums"}, ((-FAR, *[FAR] * 9),)),
    ({"statistic": "mean"}, ((FAR,),)),
    ({"statistic": "median"}, ((100,),)),
    ({"statistic": "maximum"}, ((0,),)),
    ({"question": "region", "statistic": "mode"}, ((1,),)),
    ({"question": "region", "statistic": "histogram"}, ((-3, 40),)),
    ({"question": "region", "statistic": "tree", "by": "sleep"}, ((0,), (30, 4), (-FAR, FAR))),
]


@pytest.mark.slow
def test_pictures_of_releases_fit_and_can_be_read_by_everyone(browser, live):
    """Numbers far outside the possible range, and long labels.

    Both sides are tested, narrow and wide, light and dark.
    """
    long = "คุณอาศัยอยู่ในภูมิภาคใดของประเทศไทยเป็นส่วนใหญ่" * 3
    choices = [{"name": name, "label": name + long} for name in "ne"]
    questions = (
        yes_no(),
        asked("age", "number", "none", min=0, max=100, unit="บาทต่อเดือน" * 3, label=long),
        asked("region", "select_one", "none", choices=choices, label=long),
        asked("sleep", "scale", "none", choices=choices, label=long),
    )
    survey = opened(live.store, definition(*questions, language="th"), "closed").survey
    live.store.releases.set_budget("health", parse_release_budget("10", "0"))
    for typed, drawn in DRAWN:
        wanted = read_request(survey, {"question": "age", "epsilon": "1", "depth": "1"} | typed)
        live.store.releases.add_release("health", wanted, 60, drawn, date(2026, 11, 21))
    live.store.releases.publish_releases("health", True)
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    page = browser.new_page()
    page.goto(f"{live.url}/admin/sign-in")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    for path in ("/admin/surveys/health/releases", "/s/health/results"):
        page.goto(live.url + path)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        for width, scheme, thoroughly in LOOKS:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if thoroughly:
                sound(page, path)
            too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert not page.evaluate(too_wide), (path, width, scheme)
        # The columns, the curve, and the noise of both histograms, the mean and the leaves.
        expect(page.locator(".chart")).to_have_count(2 + 4)
        assert page.evaluate(OUTSIDE) == [], path
    page.close()
