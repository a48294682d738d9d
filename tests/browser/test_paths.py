"""Skip logic: over all ways through a survey, one set of fields and one length of what is sent.

The answers to a survey with nested relevance are enumerated in the real page: what it shows is
compared with an evaluation of its own (tape.py), and what it would send with what a tape of words
makes of the answers that count. Those to questions that are hidden again do not.
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
from tests.support.definitions import definition, opened
from tests.support.respondent_page import begin, start
from tests.support.servers import Live

FLIP = {"mechanism": "coin_flip"}


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "label": name.title()} for name in names]


# a chain of five, its links choices, a number and boxes; two parents; a note and a plain branch
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
# of each question the answers that make a difference: a number below, on and above its bounds
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
# the chain ends after one, two, three or four questions, these with or without the note, or all
# five; each in the north and in the south
WAYS = 6 * 2
WORDS = 6  # one for each private question, and one to round the number
# For each respondent: what is shown once all is answered, what would be sent, how many words stay
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
    """The document of the survey, which is open."""
    return opened(live.store, BRANCHING).document()


@pytest.fixture
def sampled(live: Live) -> Document:
    return opened(live.store, SAMPLED).document()


@contextmanager
def played(browser: Browser, early: list[int]) -> Iterator[Page]:
    """A page whose chance is a tape, with these words while it loads."""
    context = browser.new_context()
    context.add_init_script(tape.TAPE + tape.ACT + f"globalThis.early = {early};")
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    with played(browser, []) as page:
        yield page


def acts(document: Document, answers: Answers, only: list[str] | None = None) -> list[tuple]:
    """What to do for these answers; also on questions that are hidden, unless only some count."""
    return [
        tape.act(entry, answers[entry["name"]])
        for entry in tape.fields(document)
        if only is None or entry["name"] in only
    ]


def some_words(seed: int) -> list[int]:
    """Below 2^31, so that none is redrawn."""
    chance = random.Random(seed)
    return [chance.randrange(2**31) for _ in range(WORDS)]


def walk(page: Page, document: Document, words: list[int]) -> Walked:
    """All respondents one after the other in one page, each finding what the last one left."""
    walks = [acts(document, answers) for answers in RESPONDENTS]
    return json.loads(page.evaluate(WALK, [walks, words]))


def to_be_asked(document: Document, answers: Answers, chosen: tuple[str, ...] | None) -> list[str]:
    """Where chance picks: the picked questions and what is needed to know whether to ask them,
    the plain ones, and the notes on any of these."""
    questions = document["definition"]["questions"]
    if chosen is not None:
        parents = set().union(*(tape.ancestors(questions, name) for name in chosen))
        candidates = {*chosen, *parents}
        questions = [q for q in questions if not tape.is_private(q) or q["name"] in candidates]
    return tape.asked(questions, answers)


def faults(
    document: Document, walked: Walked, words: list[int], chosen: tuple[str, ...] | None = None
) -> set[str]:
    """What is wrong with what the page shows and would send."""
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


# All ways, in one page


def test_the_respondents_go_all_ways(branching):
    questions = branching["definition"]["questions"]
    ways = {tuple(tape.asked(questions, answers)) for answers in RESPONDENTS}
    assert (len(RESPONDENTS), len(ways)) == (480, WAYS)


@pytest.mark.slow
def test_on_all_ways_the_page_asks_and_reports_what_it_should(live, tab, branching):
    """What is shown; and, by five tapes, that the answer which counts is the right one: not what
    was answered to a question that is hidden, but "not asked" or what the designer says. The
    fields and the length of what is sent are the same for all."""
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
        "Object.entries(question.relevant ?? {}).every(",
        "Object.entries(question.relevant ?? {}).slice(0, 1).every(",
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


# Each way, walked to its end


# Does all of it, and returns what was to be done on a question that is not to be seen
ONLY_VISIBLE = """(steps) => steps.filter((step) => {
  const visible = document.querySelector(`[data-question=${step[0]}]`).checkVisibility();
  act(step);
  return !visible;
})"""


@pytest.mark.slow
def test_each_way_walked_to_its_end_sends_the_same_fields_in_the_same_length(
    live, browser, branching
):
    """Each of them after the longest one was answered first; the review lists what is asked."""
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
        page.evaluate("sessionStorage.clear()")  # the next one is somebody else
    context.close()
    assert len(bodies) == WAYS
    assert len({len(body) for body in bodies}) == 1
    fields = [entry["name"] for entry in tape.fields(branching)]
    assert all(list(json.loads(body)["reports"]) == fields for body in bodies)
    assert len(list(live.store.responses.rows("branching"))) == WAYS


# Where chance picks


def early_words(chosen: tuple[str, ...]) -> list[int]:
    return tape.steered_pick([name in chosen for name in PRIVATE], random.Random(0))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", PICKS, ids="+".join)
def test_picked_questions_are_asked_with_what_they_depend_on(live, browser, sampled, chosen):
    """And no others, on all ways. What they depend on is not reported, nor what was not picked:
    in its place there are dashes, as many as the report would have characters."""
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
    """Exactly: over all 5! tapes of tickets, each of the ten pairs comes 12 times."""
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
    """However often; the words would pick others. Another tab picks anew."""
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
    """However often: else a second draw of the same answers could be averaged with the first."""
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
    """Also where questions are picked: what was mixed up once stays, until it has arrived."""
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
    """A note on an answer to a question that is not picked does not have it asked."""
    with played(browser, early_words(("smokes", "packs"))) as page:
        start(page, f"{live.url}/s/sampled")
        walked = walk(page, sampled, some_words(0))
    assert all({"stop", "why", "help"}.isdisjoint(shown) for shown, _, _ in walked)
