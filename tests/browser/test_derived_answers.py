"""Derived answers on the respondent's page: calculated there, mixed up once, and nothing else."""

import json
import random
import re
from collections import Counter
from fractions import Fraction

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.definition.instruments.read_instruments import read_instruments
from tests.browser import tape
from tests.browser.looks import no_violations
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.derived_survey import BRANCHES, ITEMS, POINTS, derived, derived_survey, unsent
from tests.support.non_interference import results_on_page, some_answer
from tests.support.respondent_page import begin, start
from tests.support.servers import Live
from tests.support.three_ways import WAYS_SURVEY

RESPONDENTS = 400
# The questions that are asked, the review, the reports, and the number of unused words.
ANSWER = """async ([acts, words]) => {
  acts.forEach(act);
  const asked = questions.all.filter(questions.asked).map(({ name }) => name);
  tape.words = words;
  const reports = await questions.reports((context, make) => make());
  const left = tape.words.length;
  document.querySelector('#check').click();
  const review = [...document.querySelectorAll('#chosen dt')].map((dt) =>
    [dt.querySelector('.label').textContent, dt.nextElementSibling.textContent]);
  document.querySelector('#back').click();
  return [asked, review, reports, left];
}"""
ARM = derived("arm", {"random": {"a": 1, "b": 3}}, kind="select_one", privacy="none") | {
    "choices": [{"name": "a", "label": "Version A"}, {"name": "b", "label": "Version B"}]
}


@pytest.mark.plain
def test_the_page_calculates_what_the_definition_says(page: Page, live: Live):
    """400 respondents, compared with an oracle that tries out every declined answer."""
    frozen = opened(live.store, derived_survey(*BRANCHES), limits=WIDE)
    questions = frozen.document()["definition"]["questions"]
    start(page, f"{live.url}/s/derived")
    met: Counter = Counter()
    for answers, found in results_on_page(page, questions, RESPONDENTS):
        truth = tape.with_derived(questions, answers)
        for name, value in found.items():
            wanted = truth[name]
            if name == "average" and wanted != tape.DECLINED:
                assert value == pytest.approx(float(Fraction(wanted))), (answers, name)
            else:
                shown = tape.DECLINED if value is None else str(value)
                assert shown == wanted, (answers, name)
            met[name, wanted] += 1
    # Every answer of every derived question occurs, also the declined one.
    for entry in questions:
        if "derived" in entry and entry["type"] != "number":
            for answer in tape.offered(entry):
                assert met[entry["name"], answer] > 0, (entry["name"], answer)


def in_words(entry, answer):
    """An answer in the words of the review."""
    if answer == tape.DECLINED:
        return "Prefer not to say"
    if entry["type"] == "number":
        return f"{float(Fraction(answer)):g}".replace("-", "\u2212")
    usual = [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]
    labels = {each["name"]: each["label"] for each in entry.get("choices", usual)}
    labels[tape.DECLINED] = "Prefer not to say"
    return ", ".join(labels[name] for name in tape.listed(answer)) or "–"


def test_results_of_answers_that_are_not_asked_are_shown_and_reported(browser: Browser, live: Live):
    """Items, results and both behind conditions, compared with the oracle: 40 respondents."""
    context = browser.new_context()
    context.add_init_script(tape.TAPE + tape.ACT + "globalThis.early = [];")
    page = context.new_page()
    document = opened(live.store, derived_survey(*BRANCHES), limits=WIDE).document()
    entries = document["definition"]["questions"]
    known = {entry["name"]: entry for entry in entries}
    page.goto(f"{live.url}/s/derived")
    # The number of words that every respondent needs: one for each report and each rounding.
    needed = len(tape.fields(document)) + len(tape.rounded(document, None))
    chance, hidden = random.Random(91), Counter()
    begin(page)
    for _ in range(40):
        answers = {e["name"]: some_answer(e, chance) for e in entries if "derived" not in e}
        words = [chance.randrange(2**31) for _ in range(needed)]
        acts = [tape.act(known[name], answer) for name, answer in answers.items()]
        asked, review, reports, left = page.evaluate(ANSWER, [acts, words])
        found, shown = tape.answers_and_asked(entries, answers)
        assert (asked, left) == (shown, 0), answers
        assert reports == tape.expected(document, answers, words), answers
        said = {known[name]["label"]: in_words(known[name], found[name]) for name in shown}
        assert dict(review) == said, answers
        hidden.update(set(known) - set(shown))
    assert all(5 < hidden[name] < 40 for name in ("worse", "hours", "places", "how", "both"))
    context.close()


def answer_all(page: Page, choice: str) -> None:
    for name in ITEMS:
        page.get_by_role("radiogroup", name=f"Item {name}").get_by_label(choice).check()


@pytest.mark.plain
def test_only_the_derived_answer_is_sent(page: Page, live: Live):
    content = definition(
        *(unsent(name) for name in ITEMS),
        derived("high", {"sum": dict.fromkeys(ITEMS, POINTS), "at_least": 5}),
    )
    opened(live.store, content)
    page.goto(f"{live.url}/s/health")
    expect(page.locator("#start")).to_contain_text(
        "Your device does not send 4 of your answers, only what it calculates from them."
    )
    expect(page.locator("#start")).to_contain_text("4 questions")
    begin(page)
    expect(page.locator("[data-question=high]")).to_be_hidden()
    no_violations(page)
    answer_all(page, "Often")
    page.get_by_role("button", name="Check my answers").click()
    mixed, kept = page.locator("#chosen dl").all_inner_texts()
    assert mixed.split("\n")[0] == "Derived highProtected"
    assert "Yes" in mixed.split("\n")
    assert kept.count("Often") == 4
    # A change of an item changes the derived answer.
    expect(page.locator("#chosen")).to_contain_text("Stay on your device")
    page.get_by_role("button", name="Change: Item i1").click()
    page.get_by_role("radiogroup", name="Item i1").get_by_label("Never").check()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Change: Item i2").click()
    page.get_by_role("radiogroup", name="Item i2").get_by_label("Never").check()
    page.get_by_role("button", name="Check my answers").click()
    assert "No" in page.locator("#chosen dl").first.inner_text().split("\n")
    no_violations(page)
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert set(json.loads(sent.value.post_data)["reports"]) == {"high"}
    assert page.evaluate("document.querySelectorAll(':checked').length") == 0


def review_of(page: Page, address: str, answer: str) -> list[str]:
    """The review after the same answer to every question, one text for each detail of a result."""
    page.goto(address)
    begin(page)
    for question in page.locator("fieldset[role=radiogroup]:visible").all():
        question.get_by_label(answer, exact=True).check()
    page.get_by_role("button", name="Check my answers").click()
    return page.locator("#chosen dl").first.locator("dd").all_inner_texts()


def test_the_review_shows_help_below_a_score_whatever_it_is(page: Page, live: Live):
    """What stands below the result must not show it to someone who glances at the screen."""
    survey = read_instruments()["gad-7"].survey().as_definition()
    help_text = "Call **116 123** or read [more](https://example.org/)."
    opened(live.store, survey | {"support": help_text})
    opened(live.store, survey | {"slug": "alone"})
    below = set()
    for answer, result in (("Not at all", "No"), ("Nearly every day", "Yes")):
        said, note = review_of(page, f"{live.url}/s/gad-7", answer)
        assert said == result
        below.add(note)
    (note,) = below
    assert "This result is not a diagnosis." in note
    assert "Help and support" in note and "Call 116 123 or read more." in note
    link = page.locator("#chosen .result-note a")
    expect(link).to_have_attribute("target", "_blank")
    no_violations(page)
    # Without a help text, nothing is promised.
    assert review_of(page, f"{live.url}/s/alone", "Not at all") == [
        "No", "This result is not a diagnosis.",
    ]  # fmt: skip


def test_help_stands_once_below_the_first_of_several_results(page: Page, live: Live):
    items = [unsent(name) for name in ITEMS]
    rules = [{"sum": dict.fromkeys(ITEMS, POINTS), "at_least": bound} for bound in (3, 5)]
    results = [derived(f"r{n}", rule, prefer_not_to_say=False) for n, rule in enumerate(rules)]
    opened(live.store, definition(*items, *results, support="Call 116 123."))
    review_of(page, f"{live.url}/s/health", "Often")
    assert page.locator("#chosen").get_by_text("Call 116 123.").count() == 2
    assert [each.is_visible() for each in page.locator("#chosen .helps").all()] == [True, False]
    # These questions are no instrument.
    expect(page.locator("#chosen")).not_to_contain_text("diagnosis")
    no_violations(page)


def test_a_sampled_page_asks_the_items_of_the_derived_answers_that_it_picks(page: Page, live: Live):
    """The four items are asked if and only if the page picks their derived answer."""
    rule = {"any": {name: ["often"] for name in ITEMS}}
    content = definition(
        yes_no("first"),
        *(unsent(name) for name in ITEMS),
        derived("any_of", rule),
        budget={"per_respondent": {"sample": 1}},
    )
    opened(live.store, content)
    met = set()
    for _ in range(30):  # All picks are the same with probability 2 ^ -29.
        page.goto(f"{live.url}/s/health")
        page.evaluate("sessionStorage.clear()")
        page.reload()
        begin(page)
        shown = page.locator("#answers fieldset:visible").count()
        met.add(shown)
        if met == {1, 4}:
            break
    assert met == {1, 4}


def test_an_arm_is_drawn_at_the_start_and_stays_after_a_reload(page: Page, live: Live):
    content = definition(
        ARM,
        yes_no("x", label="In A", privacy="none") | {"relevant": {"arm": ["a"]}},
        yes_no("y", label="In B") | {"relevant": {"arm": ["b"]}},
    )
    opened(live.store, content)
    start(page, f"{live.url}/s/health")
    drawn = page.evaluate("questions.arms()")
    for _ in range(8):  # A new draw would be the same each time with probability below 0.1.
        page.reload()
        begin(page)
        assert page.evaluate("questions.arms()") == drawn
    label = {"a": "In A", "b": "In B"}[drawn["arm"]]
    expect(page.locator("#answers fieldset:visible .label")).to_have_text([label])
    page.get_by_role("radiogroup", name=label).get_by_label("Yes").check()
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#chosen")).to_contain_text(f"Version {drawn['arm'].upper()}")
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert json.loads(sent.value.post_data)["reports"]["arm"] == str("ab".index(drawn["arm"]))


OTHER_ARM = ARM | {"name": "other", "label": "Other arm"}
IN_TWO_ARMS = [
    ARM,
    OTHER_ARM,
    yes_no("x", label="In A") | {"relevant": {"arm": ["a"]}},
    yes_no("why", label="Follow-up in A") | {"relevant": {"x": ["yes"]}},
    yes_no("y", label="In B") | {"relevant": {"arm": ["b"]}},
    yes_no("z", label="In both B") | {"relevant": {"arm": ["b"], "other": ["b"]}},
]


def choose_arms(page: Page, arms: dict[str, str]) -> None:
    """The arms of the next start, as after a reload of a page that had drawn them."""
    page.evaluate("arms => sender.kept.write({ arms, state: 'asking' })", arms)
    page.reload()


def test_a_survey_whose_arms_have_private_questions_can_be_answered_in_each_arm(
    page: Page, live: Live
):
    """The losses of all tables add up to more than the stated ε, but not those of any arm."""
    frozen = opened(live.store, definition(*IN_TWO_ARMS))
    assert sum(question.epsilon for question in frozen.survey.private) > frozen.survey.epsilon
    page.goto(f"{live.url}/s/health/verify")
    expect(page.locator("#checked p")).to_contain_text("None of them tells more")
    for arms, asked in {"ab": ["In A", "Follow-up in A"], "ba": ["In B"]}.items():
        page.goto(f"{live.url}/s/health")
        page.evaluate("sender.kept.clear()")
        choose_arms(page, dict(zip(("arm", "other"), arms, strict=True)))
        begin(page)
        for label in asked:
            page.get_by_role("radiogroup", name=label, exact=True).get_by_label("Yes").check()
        shown = page.locator("#answers fieldset:visible .label")
        expect(shown).to_have_text(asked)
        page.get_by_role("button", name="Check my answers").click()
        with page.expect_request("**/responses") as sent:
            page.get_by_role("button", name="Mix up and send").click()
        page.get_by_role("heading", name="Sent. Thank you.").wait_for()
        reports = json.loads(sent.value.post_data)["reports"]
        assert [reports[name] for name in ("arm", "other")] == [
            str("ab".index(arm)) for arm in arms
        ]


def test_a_document_that_states_less_than_its_costliest_arm_is_refused(page: Page, live: Live):
    frozen = opened(live.store, definition(*IN_TWO_ARMS))
    total = f'"epsilon":{frozen.survey.epsilon!r}'

    def changed(route):
        reply = route.fetch()
        body = reply.text()
        assert body.count(total) == 1
        less = f'"epsilon":{frozen.survey.epsilon - 1e-6!r}'
        route.fulfill(response=reply, body=body.replace(total, less))

    page.route(re.compile(r"/s/health(/verify)?$"), changed)
    page.goto(f"{live.url}/s/health")
    expect(page.locator("#refused")).to_be_visible()
    page.goto(f"{live.url}/s/health/verify")
    expect(page.locator("#checked .warn")).to_have_count(1)


def test_arms_have_their_weights(page: Page, live: Live):
    """2,000 draws with weights 1 and 3. A right page fails with probability below 1e-6."""
    opened(live.store, definition(ARM, yes_no("x")))
    start(page, f"{live.url}/s/health")
    drawn = page.evaluate(
        """() => Array.from({ length: 2000 }, () => {
          questions.all[0].shuffle();
          return questions.arms().arm;
        })"""
    )
    # Five standard errors of 0.0097.
    assert drawn.count("a") / 2000 == pytest.approx(0.25, abs=0.0485)


def test_a_page_whose_non_private_question_derives_from_a_private_one_refuses(
    page: Page, live: Live
):
    """A server that changed the definition would otherwise get an answer that was to stay."""
    content = definition(
        *(unsent(name) for name in ITEMS), derived("any_of", {"any": {"i1": ["often"]}})
    )
    opened(live.store, content)

    def changed(route):
        reply = route.fetch()
        body = reply.text().replace('"privacy":{"epsilon":1}', '"privacy":"none"')
        route.fulfill(response=reply, body=body)

    page.route("**/s/health", changed)
    page.goto(f"{live.url}/s/health")
    expect(page.locator("#refused")).to_be_visible()


def test_each_version_of_a_comparison_says_how_it_is_asked(page: Page, live: Live):
    """The page says of the direct question and of the lists that they are stored as given."""
    opened(live.store, WAYS_SURVEY)
    met = set()
    for _ in range(60):  # All four versions come, except with probability below 1e-6.
        start(page, f"{live.url}/s/ways")
        arm = page.evaluate("questions.arms().arm")
        shown = page.locator("#answers fieldset:visible")
        expect(shown).to_have_count(1)
        given = shown.get_by_text("stored as you give it")
        expect(given).to_have_count(0 if arm == "randomised" else 1)
        met.add(arm)
        page.evaluate("sessionStorage.clear()")
        if len(met) == 4:
            break
    assert met == {"randomised", "direct", "list", "list_with"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"at_least":5', '"bands":{"yes":0,"x":5}'),
        ('"at_least":5', '"bands":{"x":0,"y":5}'),
        ('"often":2', '"other":2'),
    ],
)
def test_a_changed_rule_does_not_stop_the_page_for_some_answers(
    page: Page, live: Live, before: str, after: str
):
    """A page that sent nothing for some results only would tell them."""
    declines = derived("high", {"sum": dict.fromkeys(ITEMS, POINTS), "at_least": 5})
    opened(live.store, definition(*(unsent(n, prefer_not_to_say=True) for n in ITEMS), declines))

    def changed(route):
        reply = route.fetch()
        head, mark, rule = reply.text().rpartition('"name":"high"')
        route.fulfill(response=reply, body=head + mark + rule.replace(before, after))

    page.route("**/s/health", changed)
    for choice in ("Never", "Often", "Prefer not to say"):
        page.goto(f"{live.url}/s/health")
        page.evaluate("sessionStorage.clear()")
        page.reload()
        begin(page)
        answer_all(page, choice)
        page.get_by_role("button", name="Check my answers").click()
        with page.expect_request("**/responses") as sent:
            page.get_by_role("button", name="Mix up and send").click()
        assert len(json.loads(sent.value.post_data)["reports"]["high"]) == 1
