"""Joint questions on the respondent's page: the answers are randomised together, once."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from tests.browser import tape
from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.joint_survey import ITEMS, joint_questions, joint_survey
from tests.support.non_interference import results_on_page
from tests.support.respondent_page import begin, start
from tests.support.servers import Live

RESPONDENTS = 300


def choose(page: Page, name: str, answer: str) -> None:
    page.get_by_role("radiogroup", name=f"Item {name}").get_by_label(answer, exact=True).check()


@pytest.mark.plain
def test_the_page_combines_the_answers_as_the_definition_says(page: Page, live: Live):
    """300 respondents, compared with an oracle. Every possible combination occurs."""
    frozen = opened(live.store, joint_survey())
    questions = frozen.document()["definition"]["questions"]
    start(page, f"{live.url}/s/joint")
    met: Counter[str] = Counter()
    for answers, found in results_on_page(page, questions, RESPONDENTS):
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


def test_a_set_of_combinations_is_sent_and_shown_for_each_question(page: Page, live: Live):
    """ε = 1: the device sends 3 of the 12 combinations."""
    content = definition(*joint_questions(privacy={"epsilon": 1}), slug="joint")
    frozen = opened(live.store, content)
    joint = frozen.survey.questions[-1]
    start(page, f"{live.url}/s/joint")
    page.locator("[data-question=drinks] summary").click()
    odds = page.locator("[data-question=drinks] details")
    expect(odds).to_contain_text("Your device sends 3 of the 12 possible combinations of answers.")
    choose(page, "drinks", "No")
    choose(page, "smokes", "Often")
    page.get_by_role("button", name="Check my answers").click()
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    report = json.loads(sent.value.post_data)["reports"]["habits"]
    assert joint.form.read(report) == report
    chosen = [each.parts for each, bit in zip(joint.choices, report, strict=True) if bit == "1"]
    shown = page.locator("#left dl > dd").all_text_contents()
    expected = [", ".join(part.label for part in parts) for parts in zip(*chosen, strict=True)]
    assert [text.lower() for text in shown] == [text.lower() for text in expected]
    assert page.locator("#left dt .label").all_text_contents() == [f"Item {each}" for each in ITEMS]
    no_violations(page)


def random_items(chance: random.Random) -> list[dict[str, Any]]:
    """Two to four questions with conditions on each other and on two other questions."""
    items: list[dict[str, Any]] = []
    for name in "abcd"[: chance.randint(2, 4)]:
        conditions = {}
        if chance.random() < 0.4:
            conditions[chance.choice(["told", "kept"])] = ["yes"]
        if items and chance.random() < 0.5:
            conditions[chance.choice(items)["name"]] = [chance.choice(["yes", "no"])]
        item = {"name": name, "type": "yes_no", "label": name, "privacy": "not_sent"}
        if chance.random() < 0.4:
            item["prefer_not_to_say"] = True
        if conditions:
            item["relevant"] = conditions
            if chance.random() < 0.3:
                item["otherwise"] = chance.choice(["yes", "no"])
        items.append(item)
    return items


def test_the_page_needs_the_combinations_of_the_definition(page: Page, live: Live):
    """200 random definitions: the page lists the combinations that the parser lists."""
    opened(live.store, joint_survey())
    start(page, f"{live.url}/s/joint")
    others = [yes_no("told", "none"), yes_no("kept", "not_sent")]
    chance, agreed = random.Random(3), 0
    while agreed < 200:
        items = random_items(chance)
        joint = {"name": "joint", "type": "joint", "label": "J", "privacy": {"epsilon": 1}}
        names = [item["name"] for item in items]
        try:
            survey = parse_survey(
                definition(*others, *items, joint | {"derived": {"joint": names}})
            )
        except DefinitionError:  # Too many combinations, or a condition that cannot hold.
            continue
        *entries, _ = survey.as_definition()["questions"]
        for entry in entries:
            entry["names"] = tape.offered(entry)
        found = page.evaluate(
            """([names, entries]) => [...derived.combinations(
              names, new Map(entries.map((each) => [each.name, each])))]""",
            [names, entries],
        )
        assert sorted(found) == sorted(each.name for each in survey.questions[-1].choices), items
        agreed += 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"yes+no+some"', '"yes+no+never"'),
        ('"no+not_asked+some"', '"no+no+some"'),
        ('"relevant":{"drinks":["yes"]}', '"relevant":{"drinks":["no"]}'),
    ],
)
def test_a_page_whose_table_lacks_a_combination_refuses(page: Page, live: Live, before, after):
    """Otherwise the page would fail for some answers only, which would tell them."""
    opened(live.store, joint_survey())

    def changed(route):
        reply = route.fetch()
        body = reply.text()
        assert before in body
        route.fulfill(response=reply, body=body.replace(before, after))

    page.route("**/s/joint", changed)
    page.goto(f"{live.url}/s/joint")
    expect(page.locator("#refused")).to_be_visible()


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
