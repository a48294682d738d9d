"""Induced failures: each respondent sends one body and is counted once, whatever happens.

The survey has waves, receipts, invitations, sampled questions and conditions. Seeds determine the
schedule of each respondent: the result of each request, and the acts in the meantime. These are
reload, Back, another language, offline, a second tab, and many clicks.
tests/browser/test_respond_page.py tests each failure separately.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, Route, expect

from survey.definition.responses.invitation_codes import code_from, link, token_hash
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.browser.altered import alter
from tests.support.definitions import definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.respondent_page import FAILURES, FAST
from tests.support.servers import Live

FLIP = {"mechanism": "coin_flip"}
QUESTIONS = [
    yes_no(),
    {
        "name": "packs", "type": "number", "label": "How many packs a week?", "min": 0, "max": 40,
        "relevant": {"smokes": "yes"}, "otherwise": 0, "privacy": {"epsilon": 1},
    },
    {
        "name": "tried", "type": "select_multiple", "label": "Which have you tried?",
        "choices": [{"name": n, "label": n.title()} for n in ("ale", "gin", "rum")],
        "privacy": {"mechanism": "sampled_boxes", "epsilon": 2, "sample": 2},
    },
    yes_no("sleeps", label="Do you sleep well?"),
    {
        "name": "region", "type": "select_one", "label": "Where do you live?", "privacy": "none",
        "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
    },
    {
        "name": "age", "type": "number", "label": "How old are you?", "min": 0, "max": 120,
        "relevant": {"region": "north"}, "privacy": "none",
    },
]  # fmt: skip
ENGLISH = definition(
    *QUESTIONS, series="habits", receipts=True, invitations=True,
    budget={"per_respondent": {"sample": 2}},
)  # fmt: skip
TEXTS = parse_survey(ENGLISH).texts
TRANSLATED = {"vi": nest_texts({path: f"Việt: {text}" for path, text in TEXTS.items()})}
EVERYTHING = ENGLISH | {"translations": TRANSLATED}
LAYOUTS = ("one_at_a_time", "all_on_one_page")
# Half of them in each layout.
RESPONDENTS = length(6, 10)


def slug_of(layout: str) -> str:
    return layout.replace("_", "-")


def record_and_say_nothing(route: Route) -> None:
    """The response is recorded, but the reply takes longer than the page waits."""
    route.fetch()


KINDS = FAILURES | {"reply too late": record_and_say_nothing}


@dataclass
class Respondent:
    """A respondent's failures, acts, and requests in all tabs."""

    context: BrowserContext
    chance: random.Random
    # The results of the next requests. Later ones succeed.
    failures: list[str]
    met: Counter[str] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)

    def note(self, request: Request) -> None:
        if request.method == "POST" and not request.url.endswith("/invited"):
            assert request.post_data_buffer is not None
            self.bodies.append(request.post_data_buffer)

    def meet(self, route: Route) -> None:
        kind = self.failures.pop(0) if self.failures else None
        # The page that sent the request may be closed.
        with suppress(Error):
            if kind is None:
                route.continue_()
            else:
                self.met[kind] += 1
                KINDS[kind](route)

    def do(self, page: Page, name: str) -> None:
        self.met[name] += 1
        ACTS[name](page)


@contextmanager
def somebody(browser: Browser, seed: object) -> Iterator[Respondent]:
    chance = random.Random(f"respondent {seed}")
    context = browser.new_context()
    context.add_init_script(FAST)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    one = Respondent(context, chance, chance.choices(list(KINDS), k=chance.randint(5, 12)))
    context.on("request", one.note)
    context.route("**/responses", one.meet)
    yield one
    context.close()
    assert errors == []


# The acts of respondents.


def settled(page: Page) -> str:
    """The visible part of the page. There is one as soon as its scripts have run."""
    return page.locator("main section:visible").first.get_attribute("id") or ""


def reload(page: Page) -> None:
    page.reload()
    settled(page)


def go_back(page: Page) -> None:
    """Back within the page. At its first place, this would leave it."""
    page.evaluate("""() => history.state?.step && new Promise((go) => {
        window.addEventListener('popstate', () => go(), { once: true });
        history.back();
    })""")


def leave_and_return(page: Page) -> None:
    address = page.url.partition("/s/")[0]
    page.goto(f"{address}/how")
    page.go_back()
    settled(page)


def change_language(page: Page) -> None:
    link = page.locator("[data-language]:not([aria-current])").first
    code = link.get_attribute("data-language") or link.get_attribute("lang")
    link.click()
    page.locator(f"html[lang={code}]").wait_for(state="attached")


def go_offline(page: Page) -> None:
    page.context.set_offline(True)
    if settled(page) == "sending":
        page.locator("#retry:visible, #done:visible").wait_for()
    page.context.set_offline(False)


def be_frozen(page: Page) -> None:
    """A browser keeps the page in memory and shows it again."""
    page.evaluate("""() => { for (const name of ['pagehide', 'pageshow']) {
        window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
    } }""")


def press_often(page: Page) -> None:
    """Click everything that gives nothing up, faster than the page reacts."""
    page.evaluate("""() => { for (let i = 0; i < 5; i += 1) {
        for (const id of ['retry', 'send', 'check', 'begin']) {
            if (document.getElementById(id).checkVisibility()) document.getElementById(id).click();
        }
    } }""")


ACTS: dict[str, Callable[[Page], None]] = {
    "reload": reload,
    "Back": go_back,
    "leave and return": leave_and_return,
    "language": change_language,
    "offline": go_offline,
    "frozen": be_frozen,
    "many presses": press_often,
}
# The last act may send the response.
BEFORE = [name for name in ACTS if name != "many presses"]


def duplicated(page: Page) -> Page:
    """A second tab with all that the first one stores."""
    with page.expect_popup() as opening:
        page.evaluate("window.open(location.href)")
    settled(opening.value)
    return opening.value


# In one call, because it runs for many respondents. The visible questions are answered as these
# numbers from 0 to 1 say. The page then goes to the next question or to the review.
ANSWER = """(numbers) => {
  const visible = (element) => element.checkVisibility();
  let left = null;
  do { // an answer may make a question appear
    if (left) {
      const inputs = [...left.querySelectorAll('input')];
      const number = numbers.pop();
      if (inputs[0].type === 'text') inputs[0].value = `${Math.floor(number * 41)}`;
      else inputs[Math.floor(number * inputs.length)].click();
      inputs[0].dispatchEvent(new InputEvent('input', { bubbles: true }));
      left.dataset.met = 'yes';
    }
    left = [...document.querySelectorAll('[data-question]:not([data-met])')].find(visible);
  } while (left);
  for (const each of document.querySelectorAll('[data-met]')) delete each.dataset.met;
  [...document.querySelectorAll('#next, #check')].find(visible).click();
}"""


def start(page: Page, chance: random.Random) -> None:
    page.locator("#begin").click()
    page.locator("#wave input").nth(chance.randrange(2)).check()
    page.locator("#chosen-wave").click()
    page.locator("#asking:visible").wait_for()


def answer(page: Page, chance: random.Random) -> None:
    page.evaluate(ANSWER, [chance.random() for _ in QUESTIONS])


def walk(page: Page, one: Respondent, disturbances: list[str]) -> None:
    """Continue from any place to the review, with these disturbances."""
    left = list(disturbances)
    for _ in range(100):
        where = settled(page)
        if left and (where == "review" or one.chance.random() < 0.3):
            one.do(page, left.pop())
        elif where == "start":
            start(page, one.chance)
        elif where == "asking":
            answer(page, one.chance)
        elif not left:
            return
    raise AssertionError("the review is never reached")


def press_send(page: Page, how: str) -> None:
    button = page.locator("#send")
    if how == "once":
        button.click()
    elif how == "twice":
        button.dblclick()
    else:
        button.evaluate("(button) => { for (let i = 0; i < 20; i += 1) button.click(); }")


def finish(page: Page) -> None:
    """Click again until the response is sent."""
    for _ in range(20):
        page.locator("#retry:visible, #done:visible, #rejected:visible, #start:visible").wait_for()
        if settled(page) != "sending":
            return
        # In one step, because the request may succeed at this moment.
        page.evaluate("document.getElementById('retry').click()")


def take_part(one: Respondent, address: str) -> None:
    """One respondent, from the link of the invitation to the end in each tab."""
    chance = one.chance
    # Drawn first, because the browser's randomness decides how many questions follow.
    before, then = chance.choices(BEFORE, k=2), chance.choices([*ACTS, "second tab"], k=4)
    how, after = chance.choice(["once", "twice", "twenty times"]), chance.choice(list(ACTS))
    patient = chance.choices([True, False], k=len(then))
    page = one.context.new_page()
    page.goto(address)
    walk(page, one, before)
    assert one.bodies == []
    press_send(page, how)
    page.locator("#sending:visible, #done:visible").wait_for()
    for name, waiting in zip(then, patient, strict=True):
        if one.failures and waiting:
            page.locator("#retry:visible, #done:visible").wait_for()
        if name == "second tab":
            one.met[name] += 1
            page = duplicated(page)
        else:
            one.do(page, name)
        assert settled(page) in ("sending", "done")
    for tab in one.context.pages:
        finish(tab)
        expect(tab.locator("#done")).to_be_visible()
    one.do(page, after)
    expect(page.locator("#done")).to_be_visible()


@pytest.mark.slow
@soak
def test_after_any_schedule_of_failures_one_body_was_sent_and_counted_once(
    live: Live, browser: Browser
) -> None:
    for layout in LAYOUTS:
        opened(live.store, EVERYTHING | {"slug": slug_of(layout), "layout": layout})
    met: Counter[str] = Counter()
    for seed in range(RESPONDENTS):
        slug = slug_of(LAYOUTS[seed % 2])
        code = code_from(bytes([seed]) * 16)
        live.store.invitations.add_invitations(slug, [token_hash(code)])
        with somebody(browser, seed) as one:
            take_part(one, link(live.url, slug, code))
            assert len(set(one.bodies)) == 1, one.met
            assert json.loads(one.bodies[0])["invitation"] == code
            so_far = seed // 2 + 1
            assert len(list(live.store.responses.rows(slug))) == so_far, one.met
            assert live.store.invitations.issued_and_spent(slug) == (so_far, so_far)
            met += one.met
    assert sum(met[kind] for kind in KINDS) >= 5 * RESPONDENTS, met
    assert set(met) == {*KINDS, *ACTS, "second tab"}, met


@pytest.mark.slow
def test_control_a_page_that_forgets_what_it_sends_would_be_noticed(
    live: Live, browser: Browser
) -> None:
    """If the page did not keep the frozen reports, a reload would draw again."""
    opened(live.store, EVERYTHING)
    code = code_from(bytes(16))
    live.store.invitations.add_invitations("health", [token_hash(code)])
    with somebody(browser, "control") as one:
        one.failures = ["500"] * 5 + ["reply lost"]
        page = one.context.new_page()
        alter(page, "health*", [("kept.write(sending);", "")])
        page.goto(link(live.url, "health", code))
        for _ in range(2):
            walk(page, one, [])
            press_send(page, "once")
            page.locator("#retry:visible, #done:visible, #rejected:visible").wait_for()
            page.reload()
            settled(page)
        assert len(set(one.bodies)) == 2
