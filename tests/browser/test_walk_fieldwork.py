"""Invitations, kiosk mode, leaving at once, and unusual ends, in every language.

The devices are touch, keyboard and mouse.
"""

import json

import pytest
from playwright.sync_api import Browser, Route

from survey.definition.responses.invitation_codes import (
    code_from,
    code_in_groups,
    token_hash,
)
from survey.web.demo import SMOKING
from tests.browser.walk import DOUBLE, Walk, everywhere, translations, walking
from tests.support.definitions import opened
from tests.support.servers import Live

EXIT = "https://weather.example/today"
ISSUED, UNKNOWN = code_from(bytes(range(16))), code_from(bytes(16))
LINKED = code_from(bytes(range(1, 17)))
IDLE, WARNING = 60, 20  # seconds
SURVEY = SMOKING | {
    "slug": "walk",
    "batch": 1,
    "layout": "all_on_one_page",
    "questions": SMOKING["questions"][:1],
    "exit": EXIT,
    "comprehension": False,
    "translations": translations("smokes"),
}


def arrive(walk: Walk, live: Live, fragment: str = "") -> None:
    walk.go(f"{live.url}/s/walk", fragment)
    walk.page.locator("#start:visible").wait_for()


def begin(walk: Walk) -> None:
    """From the start to the questions, which wait for the server's word that it is open."""
    walk.tap("#begin")
    walk.page.locator("#asking:visible").wait_for()


def answer(walk: Walk) -> None:
    """From the start to the review."""
    begin(walk)
    walk.tap("[data-question=smokes] input")
    walk.tap("#check")
    walk.page.locator("#review:visible").wait_for()


def end(walk: Walk, section: str, state: str) -> None:
    walk.tap("#send")
    walk.page.locator(f"{section}:visible").wait_for()
    walk.look(state)


def another_tab(walk: Walk) -> Walk:
    """A tab without knowledge of what was sent."""
    walk.page.close()
    return Walk(walk.context, walk.context.new_page(), walk.language, walk.width)


@everywhere(turn=2)
def test_invitations(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY | {"invitations": True})
    live.store.invitations.add_invitations("walk", map(token_hash, (ISSUED, LINKED)))
    with walking(browser, language, width) as walk:
        arrive(walk, live)
        walk.tap("#begin")
        walk.page.locator("[data-refusal=malformed]:visible").wait_for()
        walk.look("no code")
        walk.page.locator("#invited").fill(code_in_groups(ISSUED).lower())
        answer(walk)
        end(walk, "#done", "invited by a typed code")
        walk = another_tab(walk)
        arrive(walk, live, f"#{LINKED}")
        assert LINKED not in walk.page.url
        assert walk.page.locator("#invited").input_value() == LINKED
        walk.look("invited by a link")
        answer(walk)
        end(walk, "#done", "sent with a link's code")
        for code, state in ((LINKED, "spent_invitation"), (UNKNOWN, "unknown_invitation")):
            walk = another_tab(walk)
            arrive(walk, live, f"#{code}")
            walk.page.locator(f"[data-refusal={state}]:visible").wait_for()
            walk.look(state)
    assert live.store.invitations.issued_and_spent("walk") == (2, 2)
    assert len(list(live.store.responses.rows("walk"))) == 2


@everywhere(turn=0)
def test_a_device_for_many(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY)
    with walking(browser, language, width) as walk:
        walk.page.clock.install()
        arrive(walk, live, "#kiosk")
        walk.look("kiosk, start")
        begin(walk)
        walk.tap("[data-question=smokes] input")
        walk.page.clock.run_for(1000 * (IDLE + 5))
        walk.page.locator("#idle:visible").wait_for()
        walk.look("kiosk, still there?")
        walk.tap("#stay")
        walk.page.locator("#idle").wait_for(state="hidden")
        assert walk.page.locator(":checked").count() == 1
        # At the narrowest width, this button has the place of the one pressed before.
        walk.page.wait_for_timeout(DOUBLE)
        walk.tap("#check")
        end(walk, "#done", "kiosk, sent")
        walk.tap("#anew")
        walk.page.locator("#start:visible").wait_for()
        walk.look("kiosk, next person")
        begin(walk)
        assert walk.page.locator(":checked").count() == 0
        walk.tap("[data-question=smokes] input")
        walk.page.clock.run_for(1000 * (IDLE + WARNING + 5))
        walk.page.locator("#start:visible").wait_for()
    assert len(list(live.store.responses.rows("walk"))) == 1


@pytest.mark.slow
@everywhere(turn=1)
def test_leaving_at_once(live: Live, browser: Browser, language, width):
    """With the button, and on devices with keys with Shift three times."""
    opened(live.store, SURVEY)
    with walking(browser, language, width) as walk:
        walk.context.route(f"{EXIT}*", lambda route: route.fulfill(body="Rain."))
        arrive(walk, live)
        answer(walk)
        if width == 768:
            for _ in range(3):
                walk.page.keyboard.press("Shift")
        else:
            walk.tap("#leave")
        walk.page.wait_for_url(EXIT)
        arrive(walk, live)
        walk.look("back after leaving")
        assert walk.page.locator(":checked").count() == 0
        assert walk.page.locator("#chosen *").count() == 0
    assert live.store.counts.by_question("walk") == {}


def changed(**parts: object):
    """Alters a response on its way, so that the real server refuses it."""

    def alter(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        route.continue_(post_data=json.dumps(body | parts))

    return alter


@pytest.mark.slow
@everywhere(turn=2)
def test_other_ends(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY)
    with walking(browser, language, width) as walk:
        arrive(walk, live)
        answer(walk)
        walk.context.set_offline(True)
        walk.tap("#send")
        offline = walk.page.locator("#progress").get_attribute("data-offline")
        walk.page.locator("#progress").get_by_text(offline or "").wait_for()
        walk.look("offline")
        walk.context.set_offline(False)
        walk.page.locator("#done:visible").wait_for()
        for status, parts in (("409", {"fingerprint": "0" * 64}), ("other", {"reports": {}})):
            walk = another_tab(walk)
            walk.page.route("**/responses", changed(**parts))
            arrive(walk, live)
            answer(walk)
            end(walk, "#rejected", f"rejected, {status}")
            assert walk.page.locator(f"[data-status='{status}']").is_visible()
        walk = another_tab(walk)
        arrive(walk, live)
        answer(walk)
        live.store.lifecycle.set_state("walk", "closed")
        end(walk, "#rejected", "closed meanwhile")
        assert walk.page.locator("[data-status='410']").is_visible()
    assert len(list(live.store.responses.rows("walk"))) == 1
