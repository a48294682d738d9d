"""Skip logic: for all paths through a survey, the fields and the length of the body are equal.

The test enumerates the answers to a survey with nested relevance in the real page. It compares the
visible questions with an independent evaluation (tape.py), and the reports with those that a tape
of words makes of the effective answers. Answers to questions that are hidden again are not
effective.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, product
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.browser import tape
from tests.browser.altered import alter
from tests.support.definitions import WIDE, definition, opened
from tests.support.respondent_page import begin, start
from tests.support.servers import Live

FLIP = {"mechanism": "coin_flip"}


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "label": name.title()} for name in names]


# A chain of five, with conditions on choices, a number and boxes; two parents; a note and a
# non-private branch.
QUESTIONS: list[dict[str, Any]] = [
    {
        "name": "smokes", "type": "yes_no", "label": "Do you smoke?", "prefer_not_to_say": True,
        "privacy": FLIP,
    },
    {
        "name": "packs", "type": "number", "label": "How many packs a week?", "min": 0, "max": 40,
        "prefer_not_to_say": True, "relevant": {"smokes": "yes"}, "otherwise": 0,
        "privacy": {"epsilon": 2},
    },
    {
        "name": "stop", "type": "yes_no", "label": "Would you like to stop?",
        "relevant": {"packs": {"min": 10}}, "privacy": FLIP,
    },
    {
        "name": "why", "type": "select_multiple", "label": "Why do you not?",
        "choices": named("habit", "taste"), "prefer_not_to_say": True,
        "relevant": {"stop": "no"}, "privacy": {"mechanism": "joint_boxes", "odds": 9},
    },
    {"name": "help", "type": "note", "label": "There is help.", "relevant": {"why": "habit"}},
    {
        "name": "often", "type": "scale", "label": "How often?",
        "choices": named("never", "rarely", "daily"), "otherwise": "never",
        "relevant": {"why": ["taste"], "packs": {"max": 20}}, "privacy": FLIP,
    },
    {
        "name": "region", "type": "select_one", "label": "Where do you live?",
        "choices": named("north", "south"), "privacy": "none",
    },
    {
        "name": "age", "type": "number", "label": "How old are you?", "min": 0, "max": 120,
        "relevant": {"region": "north"}, "privacy": "none",
    },
]  # fmt: skip
BRANCHING = definition(*QUESTIONS, slug="branching")
SAMPLED = definition(*QUESTIONS, slug="sampled", budget={"per_respondent": {"sample": 2}})
PRIVATE = ("smokes", "packs", "stop", "why", "often")
PICKS = list(combinations(PRIVATE, 2))
# For each question, the answers that matter: a number below, on and above its bounds.
CASES: dict[str, list[Any]] = {
    "smokes": ["yes", "no", tape.DECLINED],
    "packs": ["9", "10", "20", "21", tape.DECLINED],
    "stop": ["yes", "no"],
    "why": [[], ["habit"], ["habit", "taste"], [tape.DECLINED]],
    "often": ["never", "daily"],
    "region": ["north", "south"],
    "age": ["7"],
}
RESPONDENTS = [dict(zip(CASES, answers, strict=True)) for answers in product(*CASES.values())]
# The chain ends after one, two, three or four questions, the last two with or without the note, or
# after all five. Each occurs in the north and in the south.
WAYS = 6 * 2
# One for each private question, and one to round the number.
WORDS = 6
# For each respondent: the visible questions at the end, the reports, and the number of unused
# words.
WALK = """async ([walks, words]) => {
  const walked = [];
  for (const acts of walks) {
    acts.forEach(act);
    const elements = [...document.querySelectorAll('[data-question]')];
    const shown = elements.filter((e) => e.checkVisibility()).map((e) => e.dataset.question);
    tape.words = [...words];
    const reports = await questions.reports((context, make) => make());
    walked.push([shown, reports, tape.words.length]);
  }
  return JSON.stringify(walked);
}"""

Answers = dict[str, Any]
Document = dict[str, Any]
Walked = list[tuple[list[str], dict[str, str], int]]


@pytest.fixture
def branching(live: Live) -> Document:
    """The document of the survey, which is open.

    The "not asked" of a later question is about the earlier answers, so five reports together
    make someone more than 99.9 % sure of the first answer.
    """
    return opened(live.store, BRANCHING, limits=WIDE).document()


@pytest.fixture
def sampled(live: Live) -> Document:
    return opened(live.store, SAMPLED).document()


@contextmanager
def played(browser: Browser, early: list[int]) -> Iterator[Page]:
    """A page whose randomness is a tape, with these words while it loads."""
    context = browser.new_context()
    context.add_init_script(tape.TAPE + tape.ACT + f"globalThis.early = {early};")
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    with played(browser, []) as page:
        yield page


def acts(document: Document, answers: Answers, only: list[str] | None = None) -> list[tuple]:
    """The acts for these answers, also on hidden questions unless `only` is given."""
    return [
        tape.act(entry, answers[entry["name"]])
        for entry in tape.fields(document)
        if only is None or entry["name"] in only
    ]


def some_words(seed: int) -> list[int]:
    """Words below 2^31, so that none is redrawn."""
    chance = random.Random(seed)
    return [chance.randrange(2**31) for _ in range(WORDS)]


def walk(page: Page, document: Document, words: list[int]) -> Walked:
    """All respondents one after the other in one page, each after the state of the last one."""
    walks = [acts(document, answers) for answers in RESPONDENTS]
    return json.loads(page.evaluate(WALK, [walks, words]))


def to_be_asked(document: Document, answers: Answers, chosen: tuple[str, ...] | None) -> list[str]:
    """The questions to ask with a random sample.

    They are the sampled questions, the questions in their conditions, the non-private ones, and the
    notes on any of these.
    """
    questions = document["definition"]["questions"]
    if chosen is not None:
        parents = set().union(*(tape.ancestors(questions, name) for name in chosen))
        candidates = {*chosen, *parents}
        questions = [q for q in questions if not tape.is_private(q) or q["name"] in candidates]
    return tape.asked(questions, answers)


def faults(
    document: Document, walked: Walked, words: list[int], chosen: tuple[str, ...] | None = None
) -> set[str]:
    """Differences between the page and the expected questions and reports."""
    found = set()
    for answers, (shown, reports, left) in zip(RESPONDENTS, walked, strict=True):
        if shown != to_be_asked(document, answers, chosen):
            found.add("shows other questions")
        needed = len(words) - left
        if needed != (WORDS if chosen is None else len(chosen) + ("packs" in chosen)):
            found.add("draws otherwise")
        elif reports != tape.expected(document, answers, words[:needed], chosen):
            found.add("reports otherwise")
    if len({tuple(reports) for _, reports, _ in walked}) > 1:
        found.add("has other fields")
    if len({len(json.dumps(reports)) for _, reports, _ in walked}) > 1:
        found.add("has another length")
    return found


# All paths, in one page.


def test_the_respondents_go_all_ways(branching):
    questions = branching["definition"]["questions"]
    ways = {tuple(tape.asked(questions, answers)) for answers in RESPONDENTS}
    assert (len(RESPONDENTS), len(ways)) == (480, WAYS)


@pytest.mark.slow
def test_on_all_ways_the_page_asks_and_reports_what_it_should(live, tab, branching):
    """The visible questions and, with five tapes, the effective answers are correct.

    For a hidden question, the effective answer is not the given one, but "not asked" or the
    designer's choice. The fields and the length of the body are the same for all.
    """
    start(tab, f"{live.url}/s/branching")
    for seed in range(5):
        words = some_words(seed)
        assert faults(branching, walk(tab, branching, words), words) == set()


MISTAKES: dict[str, tuple[str, str, set[str]]] = {
    "counts what was answered before": (
        "question.taken(asked(question))",
        "question.taken(asked(question) || question.answered)",
        {"reports otherwise"},
    ),
    "forgets that a parent may be hidden": (
        "asked(named.get(name)) && named",
        "named",
        {"shows other questions", "reports otherwise"},
    ),
    "looks at one condition of two": (
        "Object.entries(conditions).every(",
        "Object.entries(conditions).slice(0, 1).every(",
        {"shows other questions", "reports otherwise"},
    ),
    "takes the bound of a number for beyond it": (
        "value >= (condition.min",
        "value > (condition.min",
        {"shows other questions", "reports otherwise"},
    ),
    "leaves out what is hidden": (
        "async function reports(mix) {",
        "async function reports(mix) { const fields = all.filter((q) => q.asks && asked(q));",
        {"draws otherwise", "reports otherwise", "has other fields", "has another length"},
    ),
    "writes less where nothing was asked": (
        "question.report(rows[place], mix)",
        "question.report(rows[place], mix)"
        ".then((text) => (asked(question) ? text : text.replace(/^0/, '')))",
        {"reports otherwise", "has another length"},
    ),
    "does not round what nobody typed": (
        "const rounded = randomizer.round(",
        "const rounded = row === 0 ? 0 : randomizer.round(",
        {"draws otherwise"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_it_is_noticed_when_the_page(live, tab, branching, mistake):
    old, new, expected = MISTAKES[mistake]
    alter(tab, "branching", [(old, new)])
    start(tab, f"{live.url}/s/branching")
    words = some_words(0)
    assert faults(branching, walk(tab, branching, words), words) == expected


# Each path, followed to its end.


# Performs all steps, and returns those on invisible questions.
ONLY_VISIBLE = """(steps) => steps.filter((step) => {
  const visible = document.querySelector(`[data-question=${step[0]}]`).checkVisibility();
  act(step);
  return !visible;
})"""


@pytest.mark.slow
def test_each_way_walked_to_its_end_sends_the_same_fields_in_the_same_length(
    live, browser, branching
):
    """Each path is taken after the longest one was answered first.

    The review lists the questions that are asked.
    """
    questions = branching["definition"]["questions"]
    labels = {q["name"]: q["label"] for q in questions}
    ways = {tuple(tape.asked(questions, answers)): answers for answers in RESPONDENTS}
    longest = max(ways, key=len)
    bodies: list[bytes] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data_buffer or b"")

    context = browser.new_context()
    context.add_init_script(tape.ACT)
    context.on("request", note)
    page = context.new_page()
    for way, answers in ways.items():
        page.goto(f"{live.url}/s/branching")
        page.evaluate("document.getElementById('begin').click()")
        page.locator("#asking:visible").wait_for()
        first = acts(branching, ways[longest], [*longest])
        steps = [*first, *acts(branching, answers, [*way])]
        assert page.evaluate(ONLY_VISIBLE, steps) == []
        page.evaluate("document.getElementById('check').click()")
        asked = [labels[name] for name in way if name != "help"]
        expect(page.locator("#chosen dt .label")).to_have_text(asked)
        page.evaluate("document.getElementById('send').click()")
        page.locator("#done:visible").wait_for()
        # The next respondent is somebody else.
        page.evaluate("sessionStorage.clear()")
    context.close()
    assert len(bodies) == WAYS
    assert len({len(body) for body in bodies}) == 1
    fields = [entry["name"] for entry in tape.fields(branching)]
    assert all(list(json.loads(body)["reports"]) == fields for body in bodies)
    assert len(list(live.store.responses.rows("branching"))) == WAYS


# With a random sample of questions.


def early_words(chosen: tuple[str, ...]) -> list[int]:
    return tape.steered_pick([name in chosen for name in PRIVATE], random.Random(0))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", PICKS, ids="+".join)
def test_picked_questions_are_asked_with_what_they_depend_on(live, browser, sampled, chosen):
    """On all paths, no other questions are asked.

    Questions in conditions and questions outside the sample are not reported. Dashes take their
    place, as many as the report would have characters.
    """
    words = some_words(len(chosen))
    with played(browser, early_words(chosen)) as page:
        start(page, f"{live.url}/s/sampled")
        walked = walk(page, sampled, words)
    assert faults(sampled, walked, words, chosen) == set()
    reports = walked[0][1]
    dashes = {name for name in PRIVATE if set(reports[name]) == {"-"}}
    assert dashes == set(PRIVATE) - set(chosen)
    complete = tape.expected(sampled, RESPONDENTS[0], words)
    assert [*map(len, reports.values())] == [*map(len, complete.values())]


def test_each_set_of_questions_is_picked_equally_often(live, browser, sampled):
    """Exactly: over all 5! tapes of tickets, each of the ten pairs occurs 12 times."""
    tapes = [list(words) for words in product(*(range(left) for left in range(5, 0, -1)))]
    with played(browser, early_words(PICKS[0])) as page:
        start(page, f"{live.url}/s/sampled")
        drawn = page.evaluate(
            "(tapes) => tapes.map((words) => { tape.words = words; return questions.draw(); })",
            tapes,
        )
    assert Counter(map(tuple, drawn)) == dict.fromkeys(PICKS, 12)


def names_shown(page: Page) -> list[str]:
    return page.locator("[data-question]:visible").evaluate_all(
        "(elements) => elements.map((element) => element.dataset.question)"
    )


@pytest.mark.slow
def test_a_reload_keeps_what_was_picked(live, browser, sampled):
    """This holds for any number of reloads, although the words would pick others.

    Another tab draws a new sample.
    """
    with played(browser, early_words(("why", "often"))) as page:
        start(page, f"{live.url}/s/sampled")
        first = names_shown(page)
        page.add_init_script(f"globalThis.early = {early_words(('smokes', 'packs'))};")
        for _ in range(3):
            page.reload()
            begin(page)
            assert names_shown(page) == first
            assert page.evaluate("questions.draw()") == ["smokes", "packs"]
        kept = [json.loads(value) for value in page.evaluate("Object.values(sessionStorage)")]
        assert kept == [{"picked": ["why", "often"], "state": "asking"}]
        other = page.context.new_page()
        other.add_init_script(f"globalThis.early = {early_words(('smokes', 'stop'))};")
        start(other, f"{live.url}/s/sampled")
        kept = [json.loads(value) for value in other.evaluate("Object.values(sessionStorage)")]
        assert kept == [{"picked": ["smokes", "stop"], "state": "asking"}]


LONGEST: Answers = {
    "smokes": "yes", "packs": "10", "stop": "no", "why": ["habit", "taste"], "often": "daily",
    "region": "north", "age": "7",
}  # fmt: skip


def fill_and_send(page: Page, document: Document) -> None:
    begin(page)
    for step in acts(document, LONGEST):
        page.evaluate("act", step)
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()


@pytest.mark.slow
def test_after_sending_a_reload_asks_nothing_and_picks_nothing(live, page, sampled):
    """This holds for any number of reloads.

    Otherwise a second draw of the same answers could be averaged with the first.
    """
    page.add_init_script(tape.ACT)
    page.goto(f"{live.url}/s/sampled")
    fill_and_send(page, sampled)
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    for _ in range(3):
        page.reload()
        page.get_by_text("This survey was answered in this tab.").wait_for()
        assert page.locator("section:visible").count() == 1
        kept = [json.loads(value) for value in page.evaluate("Object.values(sessionStorage)")]
        assert kept == [{"state": "sent"}]


@pytest.mark.slow
def test_a_reload_while_it_is_being_sent_sends_the_same_bytes(live, page, sampled):
    """This includes sampled questions: randomised reports stay until they have arrived."""
    page.expected_problems += ["Failed to load resource", "net::"]
    bodies: list[bytes] = []

    def lose(route: Route) -> None:
        bodies.append(route.request.post_data_buffer or b"")
        if len(bodies) < 5:
            route.abort()
        else:
            route.continue_()

    page.route("**/responses", lose)
    page.add_init_script(tape.ACT)
    page.goto(f"{live.url}/s/sampled")
    fill_and_send(page, sampled)
    for _ in range(3):
        page.get_by_text("No connection yet.").wait_for()
        page.reload()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert (len(bodies), len(set(bodies))) == (5, 1)
    assert len(list(live.store.responses.rows("sampled"))) == 1


@pytest.mark.slow
def test_a_note_alone_has_nothing_asked(live, browser, sampled):
    """A note may depend on a question outside the sample.

    The note does not cause that question to be asked.
    """
    with played(browser, early_words(("smokes", "packs"))) as page:
        start(page, f"{live.url}/s/sampled")
        walked = walk(page, sampled, some_words(0))
    assert all({"stop", "why", "help"}.isdisjoint(shown) for shown, _, _ in walked)
