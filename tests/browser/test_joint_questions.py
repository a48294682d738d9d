"""Joint questions on the respondent's page: the answers are randomised together, once."""

import json
import random
from collections import Counter

from playwright.sync_api import Page, expect

from tests.browser import tape
from tests.browser.looks import no_violations
from tests.browser.test_derived_answers import DERIVE
from tests.support.definitions import definition, opened, yes_no
from tests.support.joint_survey import ITEMS, joint_questions, joint_survey
from tests.support.non_interference import some_answer
from tests.support.respondent_page import begin, start
from tests.support.servers import Live

RESPONDENTS = 300


def choose(page: Page, name: str, answer: str) -> None:
    page.get_by_role("radiogroup", name=f"Item {name}").get_by_label(answer, exact=True).check()


def test_the_page_combines_the_answers_as_the_definition_says(page: Page, live: Live):
    """300 respondents, compared with an oracle. Every possible combination occurs."""
    frozen = opened(live.store, joint_survey())
    questions = frozen.document()["definition"]["questions"]
    chance = random.Random(24)
    given = [entry for entry in questions if "derived" not in entry]
    everyone = [
        {entry["name"]: some_answer(entry, chance) for entry in given} for _ in range(RESPONDENTS)
    ]
    start(page, f"{live.url}/s/joint")
    acts = [[tape.act(entry, answers[entry["name"]]) for entry in given] for answers in everyone]
    met: Counter[str] = Counter()
    for answers, found in zip(everyone, page.evaluate(DERIVE, [acts]), strict=True):
        wanted = tape.with_derived(questions, answers)["habits"]
        assert found["habits"] == wanted, answers
        met[wanted] += 1
    # The rarest combination has probability 1/18, so it is missing with probability below 1e-7.
    assert set(met) == {choice.name for choice in frozen.survey.questions[-1].choices}


def test_respondents_see_their_answers_and_not_the_combination(page: Page, live: Live):
    frozen = opened(live.store, joint_survey())
    page.goto(f"{live.url}/s/joint")
    expect(page.locator("#start")).to_contain_text("3 questions")
    expect(page.locator("#start")).to_contain_text("Your device mixes up each answer")
    begin(page)
    mark = page.locator("[data-question=drinks] .mark")
    expect(mark).to_contain_text("mixed up on your device, together with other answers")
    no_violations(page)
    choose(page, "drinks", "No")
    expect(page.locator("[data-question=drives]")).to_be_hidden()
    choose(page, "smokes", "Often")
    page.locator("[data-question=drinks] summary").click()
    odds = page.locator("[data-question=drinks] details")
    expect(odds.locator("p").first).to_have_text("These answers are mixed up together:")
    expect(odds.locator("ul").first.locator("li")).to_have_text([f"Item {each}" for each in ITEMS])
    page.get_by_role("button", name="Check my answers").click()
    chosen = page.locator("#chosen")
    expect(chosen.locator("h3")).to_have_text(["Will be mixed up"])
    expect(chosen.locator("dt .label")).to_have_text(["Item drinks", "Item smokes"])
    assert "Habits" not in chosen.inner_text()
    no_violations(page)
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    reports = json.loads(sent.value.post_data)["reports"]
    assert set(reports) == {"habits"}
    # What was sent is shown for each question, also for the one that was not asked.
    parts = frozen.survey.questions[-1].choices[int(reports["habits"])].parts
    shown = page.locator("#left dl > dd").all_text_contents()
    assert [text.lower() for text in shown] == [part.label.lower() for part in parts]
    assert page.locator("#left dt .label").all_text_contents() == [f"Item {each}" for each in ITEMS]


def test_a_sampled_page_asks_the_questions_behind_a_joint_one_that_it_picks(page: Page, live: Live):
    content = definition(
        yes_no("first"), *joint_questions(), budget={"per_respondent": {"sample": 1}}
    )
    opened(live.store, content)
    met = set()
    for _ in range(30):  # All picks are the same with probability 2 ^ -29.
        page.goto(f"{live.url}/s/health")
        page.evaluate("sessionStorage.clear()")
        page.reload()
        begin(page)
        met.add(page.locator("#answers fieldset:visible").count())
        if met == {1, 2}:
            break
    assert met == {1, 2}
