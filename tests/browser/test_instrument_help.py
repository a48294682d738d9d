"""Help below the last question of an instrument: the same for everyone, whatever they answer."""

import pytest
from playwright.sync_api import Page, expect

from survey.core.languages import LANGUAGES, Words
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import start
from tests.support.servers import Live

PHQ = read_instruments()["phq-9"]
RESULT = next(iter(PHQ.results().values()))
ENTRIES = (*PHQ.questions(), yes_no("walks", label="Do you walk?"), RESULT)
EVERYONE = "Everyone sees this text, whatever they answer."
# The visible text of the questions, whatever is chosen.
SEEN = "() => document.querySelector('#asking').innerText"


def choose(page: Page, place: int) -> None:
    """Give the same answer to all items that are on the screen."""
    for row in page.locator("fieldset.row:visible").all():
        row.locator(".choice").nth(place).click()


def test_everyone_sees_the_same_help_after_the_last_item(page: Page, live: Live):
    opened(live.store, definition(*ENTRIES))
    seen = []
    for place in (0, 3):
        start(page, f"{live.url}/s/health")
        choose(page, place)
        seen.append(page.evaluate(SEEN))
        help_text = page.locator(".help:visible")
        expect(help_text).to_contain_text(EVERYONE)
        expect(help_text).to_contain_text("findahelpline.com")
        # An opened website would show in the history, and to the network, who looked for help.
        expect(help_text.locator("a")).to_have_count(0)
        last = page.locator(f"[data-question={PHQ.prefix}_9]").bounding_box()
        assert help_text.bounding_box()["y"] >= last["y"] + last["height"]
    assert seen[0] == seen[1]
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".help")).to_be_hidden()


def test_alone_it_follows_the_last_item_and_the_end_has_it_too(page: Page, live: Live):
    opened(live.store, definition(*ENTRIES, layout="one_at_a_time", support="Call **123**."))
    start(page, f"{live.url}/s/health")
    for number in range(1, 10):
        expect(page.locator(".help:visible")).to_have_count(1 if number == 9 else 0)
        choose(page, 3)
        if number == 9:
            # The researcher's own text stands below it.
            expect(page.locator(".help")).to_contain_text("Call 123.")
        page.get_by_role("button", name="Next").click()
    page.locator("[data-question=walks] .choice").first.click()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    expect(page.locator("#done")).to_contain_text(EVERYONE)


@pytest.mark.parametrize("slug", sorted(read_instruments()))
def test_every_instrument_has_it_in_every_language(client, store, slug: str):
    instrument = read_instruments()[slug]
    result = next(iter(instrument.results().values()))
    content = definition(*instrument.questions(), result)
    texts = nest_texts(parse_survey(content).texts)
    others = {language: texts for language in LANGUAGES if language != "en"}
    opened(store, content | {"translations": others})
    for language in LANGUAGES:
        page = client.get(f"/s/health?language={language}").text
        said = Words(language).say(
            "Talking to someone whom you trust can help. So can a doctor or a nurse."
        )
        # After the last item, and at the end.
        assert page.count(said) == 2
        assert f'{instrument.prefix}_{len(instrument.items)}" hidden' in page
        assert language == "en" or "Talking to someone" not in page


def test_a_survey_without_an_instrument_has_none(client, store):
    opened(store, definition(yes_no()))
    assert "findahelpline" not in client.get("/s/health").text


def test_the_list_of_open_questions_is_short_and_gets_shorter(page: Page, live: Live):
    page.set_viewport_size({"width": 375, "height": 667})
    opened(live.store, definition(*ENTRIES))
    start(page, f"{live.url}/s/health")
    page.get_by_role("button", name="Next").click()
    box = page.locator("#open")
    expect(box).to_contain_text("9 questions still need an answer:")
    expect(box).to_contain_text("and 6 more")
    expect(box.get_by_role("button")).to_have_count(3)
    assert box.bounding_box()["height"] <= 667 / 3
    rows = page.locator("fieldset.row")
    for number in range(7):
        choice = rows.nth(number).locator(".choice").first
        choice.scroll_into_view_if_needed()
        before = rows.nth(number).bounding_box()["y"]
        choice.click()
        # The question stays where it is, although the list above it is shorter.
        assert abs(rows.nth(number).bounding_box()["y"] - before) <= 1
    expect(box).to_contain_text("2 questions still need an answer:")
    expect(box.get_by_role("button")).to_have_text([PHQ.items[7][0], PHQ.items[8][0]])
    rows.nth(7).locator(".choice").first.click()
    expect(box).to_be_hidden()
    expect(rows.nth(8).locator(".error")).to_be_visible()


def test_the_paper_and_coin_page_has_it_below_the_last_item(client, store):
    """Items that are sent can be answered there."""
    coin = {"privacy": {"mechanism": "coin_flip"}}
    short = read_instruments()["gad-2"]
    items = [entry | coin if entry["type"] != "section" else entry for entry in short.questions()]
    opened(store, definition(*items, by_hand=True))
    page = client.get("/s/health/by-hand").text
    assert page.count("findahelpline.com") == 1
    assert page.index(short.items[-1][0]) < page.index("findahelpline.com")
