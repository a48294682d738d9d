"""Every flow in every language, on three devices.

They are touch at 320 px, keyboard at 768, and mouse at 1280 with dark colours. In the suite, each
language uses one of these in each flow, and all of them over the flows. Each state is checked by
axe, must not scroll sideways, and must contain no untranslated English (walk.py).

This module goes from the start to the withdrawal. test_walk_*.py take the other paths.
"""

import json

from playwright.sync_api import Browser

from survey.web.demo import SMOKING
from tests.browser.walk import DOUBLE, everywhere, translations, walking
from tests.support.definitions import opened
from tests.support.servers import Live

SURVEY = SMOKING | {
    "series": "walk",
    "slug": "walk",
    "batch": 1,
    "questions": [
        *SMOKING["questions"],
        {"name": "age", "type": "number", "label": "?", "min": 18, "max": 99, "privacy": "none"},
        {
            "name": "part",
            "type": "select_one",
            "label": "?",
            "privacy": "none",
            "choices": [
                {"name": f"p{n}", "label": f"{n}", "relevant": {"age": ages}}
                for n, ages in enumerate([{"max": 39}, {"min": 40}, {"min": 40}, {"min": 60}])
            ],
        },
    ],
    "translations": translations(
        "smokes",
        "cheated",
        age={"label": "??"},
        part={"label": "??", "choices": {f"p{n}": f"{n}" for n in range(4)}},
    ),
}


@everywhere(turn=0)
def test_from_the_start_to_taking_it_back(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY)
    with walking(browser, language, width) as walk:
        page, tap, look = walk.page, walk.tap, walk.look
        walk.go(f"{live.url}/s/walk")
        page.locator("#start:visible").wait_for()
        look("start")
        # "How does it work?" may be open already, because `look` opens all.
        page.locator("#practice").locator("xpath=..").evaluate("(fold) => { fold.open = true; }")
        tap("[data-toss='0']")
        assert page.locator("#tossed").inner_text()
        tap("#begin")
        page.locator("#remember:visible").wait_for()
        look("step of a series")
        tap("#chosen-wave")
        look("step of a series, nothing chosen")
        tap("#wave input")
        tap("#chosen-wave")
        page.locator("#asking:visible").wait_for()
        look("first question")
        tap("#next")
        look("first question, not answered")
        tap("[data-question=smokes] input")
        tap("#next")
        tap("[data-question=cheated] input")
        tap("#next")
        page.wait_for_timeout(DOUBLE)
        # Without a number, no choice of the last question is offered.
        tap("#check")
        look("number, not typed")
        page.locator("[data-question=age] input").fill("40")
        page.wait_for_timeout(DOUBLE)
        tap("#next")
        look("choices for this number")
        shown = page.locator("[data-question=part] .choice:visible")
        assert [text.strip() for text in shown.all_text_contents()] == ["1", "2"]
        tap("[data-question=part] .choice:not([hidden]) input")
        page.wait_for_timeout(DOUBLE)
        tap("#check")
        page.locator("#review:visible").wait_for()
        look("review")
        assert page.locator("#chosen dd").count() == 8
        tap("#send")
        page.locator("#done:visible").wait_for()
        look("done")
        body = json.loads(page.locator("#bytes").text_content() or "")
        assert set(body["reports"]) == {"smokes", "cheated", "age", "part"}
        tap("#usable summary")
        look("withdrawing")
        tap("#take-back")
        page.locator("#usable").wait_for(state="hidden")  # once it is done, not before
        page.locator("#outcome:not(:empty)").wait_for()
        look("withdrawn")
        with walk.context.expect_page() as opening:
            tap("#understood a")
        test = opening.value
        test.locator("#asking:visible").wait_for()
        look("comprehension", test)
        test.close()
        for path in ("/", "/how", "/verify", "/s/walk/verify", "/s/none", "/s/walk/withdraw"):
            walk.go(f"{live.url}{path}")
            page.wait_for_load_state("load")
            look(path)
        live.store.lifecycle.set_state("walk", "closed")
        walk.go(f"{live.url}/s/walk")
        look("closed")
    assert sum(live.store.counts.by_question("walk").get("smokes", {}).values()) == 0
