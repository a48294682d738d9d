"""Paper-and-coin mode in every language, by touch, keyboard and mouse, without JavaScript."""

from playwright.sync_api import Browser

from survey.web.demo import SMOKING
from tests.browser.walk import everywhere, translations, walking
from tests.support.definitions import opened
from tests.support.servers import Live

PRIVATE = {"label": "Who?", "privacy": {"mechanism": "coin_flip"}}
PLAIN = {"label": "What now?", "privacy": "none"}
OPTIONS = [{"name": name, "label": name} for name in "12345"]
MARKED = {"label": "? ? ? ?", "choices": {name: name for name in "12345"}}
SURVEY = SMOKING | {
    "slug": "walk",
    "batch": 1,
    "by_hand": True,
    "questions": [
        SMOKING["questions"][0],
        {"name": "party", "type": "select_one", "choices": OPTIONS} | PRIVATE,
        {"name": "weight", "type": "number", "min": -9, "max": 1500, "step": 0.5,
         "prefer_not_to_say": True} | PLAIN,
        {"name": "boxes", "type": "select_multiple", "choices": OPTIONS} | PLAIN,
        {"name": "remarks", "type": "text"} | PLAIN,
    ],
    "translations": translations(
        "smokes", party=MARKED, boxes=MARKED,
        weight={"label": "? ? ? ?"}, remarks={"label": "? ? ? ?"},
    ),
}  # fmt: skip


@everywhere(turn=1)
def test_with_real_coins(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY)
    address = f"{live.url}/s/walk/by-hand"
    with walking(browser, language, width, java_script_enabled=False) as walk:
        page, tap = walk.page, walk.tap
        walk.go(f"{live.url}/s/walk")
        walk.look("nothing without scripts", axe=False)
        tap("noscript a")
        page.locator("main.by-hand").wait_for()
        walk.look("by hand", axe=False)
        tap("fieldset#smokes input")
        tap("fieldset#party input")
        page.locator("fieldset#weight input[type=text]").fill("1600")
        tap("main button[type=submit]")
        page.get_by_role("alert").wait_for()
        walk.look("by hand, wrong number", axe=False)
        assert page.locator("fieldset#smokes input").first.is_checked()
        page.locator("fieldset#weight input[type=text]").fill("60.5")
        tap("main button[type=submit]")
        page.wait_for_url("**/thanks**")
        walk.look("by hand, sent", axe=False)
    assert len(list(live.store.responses.rows("walk.by-hand"))) == 1
    # The same pages again, because the checker is a script.
    with walking(browser, language, width) as walk:
        walk.go(address)
        walk.look("by hand")
        walk.page.locator("#answers").evaluate("(form) => { form.noValidate = true; }")
        walk.tap("main button[type=submit]")
        walk.page.get_by_role("alert").wait_for()
        walk.look("by hand, nothing chosen")
        walk.go(f"{address}/thanks")
        walk.look("by hand, sent")
        live.store.lifecycle.set_state("walk", "closed")
        walk.go(address)
        walk.look("by hand, closed")
