"""Non-interference: network traffic depends only on the reports, never on the answers.

A tape replaces the randomness (tape.py). In the two smaller surveys, each answer meets each ticket
that it could draw. The large surveys have every type of question and nested relevance. There the
tape is steered so that respondents with different answers have the same reports.

For each two respondents with the same reports, the network must see the same: requests, order,
headers and bytes. Someone who watches the network or runs the server then learns only the reports
from a respondent. The last tests change the page so that it reveals more, and check that the
comparison detects it.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from survey.definition.frozen import FrozenSurvey
from survey.store import open_store
from survey.web.demo import OPEN_SLUG, QUESTIONS
from tests.browser import tape
from tests.browser.altered import alter
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.derived_survey import derived_survey
from tests.support.joint_survey import joint_survey
from tests.support.lengths import SOAK, length, soak
from tests.support.non_interference import (
    BRANCHES,
    FIRST,
    FREEZE,
    PLAIN,
    REMEMBER,
    RESPONDENTS,
    Answers,
    Script,
    Visit,
    acts,
    compare,
    id_of,
    scripts,
    seen,
    some_reports,
    with_sections,
)
from tests.support.respondent_page import begin
from tests.support.servers import Live, serving

# A respondent's path through the page, in one call because there are many respondents. The last
# request belongs to the test: when it arrives, everything sent before it has arrived too.
RESPOND = """([acts, words, ids]) => new Promise((finished) => {
  tape.words = words;
  tape.ids = ids;
  const find = (selector) => document.querySelector(selector);
  const answer = () => {
    if (find('#asking').hidden) {
      setTimeout(answer, 5);
      return;
    }
    acts.forEach(act);
    while (find('#check').hidden) find('#next').click(); // where questions come one at a time
    find('#check').click();
    find('#send').click();
    look();
  };
  const look = () => {
    if (['#done', '#rejected', '#refused'].every((end) => find(end).hidden)) {
      setTimeout(look, 5);
      return;
    }
    // what is sent on leaving belongs to the transcript; the next respondent is somebody else
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    sessionStorage.clear();
    fetch('/?end').then(() => finished(draws));
  };
  find('#begin').click();
  answer();
})"""
# The names and labels of these choices occur nowhere else.
CANARY = definition(
    {
        "name": "secret",
        "type": "select_one",
        "label": "Which of the three?",
        "choices": [
            {"name": "canary_alder", "label": "Canary Birch"},
            {"name": "canary_cedar", "label": "Canary Dogwood"},
            {"name": "canary_elder", "label": "Canary Fir"},
        ],
        "privacy": {"mechanism": "k_randomized_response", "odds": 2},
    },
    {
        "name": "region",
        "type": "select_one",
        "label": "Where do you live?",
        "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
        "privacy": "none",
    },
    yes_no()
    | {
        "choices": [{"name": "yes", "label": "Canary Hazel"}, {"name": "no", "label": "Canary Ivy"}]
    },
    slug="canary",
)
# Every ticket of both private questions, each with a different one of the other question.
FOUR_TAPES = [(ticket, (ticket + 1) % 4) for ticket in range(4)]


NESTED = definition(*BRANCHES, slug="nested")
SAMPLED = definition(*BRANCHES, slug="sampled", budget={"per_respondent": {"sample": 4}})
# The questions, and the choices of each question that can have them, are in random order.
SHUFFLED = definition(
    {"name": "all", "type": "section", "label": "", "random_order": True},
    *(
        question | {"random_order": True, "anchors": [question["choices"][-1]["name"]]}
        if question["type"] in ("select_one", "select_multiple") and len(question["choices"]) > 2
        else question
        for question in BRANCHES
    ),
    slug="shuffled",
)
PAGED = definition(*with_sections(), slug="paged")
ONE = definition(*BRANCHES, slug="one", layout="one_at_a_time")
PICKED = [("smokes", "quit", "often", "party"), ("packs", "tried", "where", "balance")]
# The answers to all questions stay in the page, which sends only what it derives from them.
DERIVED = derived_survey()
# A joint question randomises all answers together. Its 18 combinations of inputs occur repeatedly.
JOINT, JOINT_RESPONDENTS = joint_survey(), 36
# 528 pairs of respondents who differ in their answers, and whose reports are the same.
DERIVED_RESPONDENTS = 33


def all_answers(frozen: FrozenSurvey) -> list[Answers]:
    questions = frozen.document()["definition"]["questions"]
    names = [question["name"] for question in questions]
    every = product(*([choice["name"] for choice in q["choices"]] for q in questions))
    return [dict(zip(names, answers, strict=True)) for answers in every]


def early_words(document: dict, chosen: Sequence[str]) -> list[int]:
    """The words that pick these questions at the start."""
    private = [entry["name"] for entry in tape.fields(document) if tape.is_private(entry)]
    return tape.steered_pick([name in chosen for name in private], random.Random(0))


def is_first_of_group(entry: dict) -> bool:
    """Whether neither the question nor a choice of it has a condition."""
    listed = [entry, *entry.get("choices", [])]
    return entry["type"] not in tape.UNANSWERED and all("relevant" not in each for each in listed)


def shuffling_words(document: dict) -> int:
    """The number of words that draw the orders: for k choices, k + (k - 1) + ... + 1.

    A section has as many groups of questions as it has questions that depend on no other, because
    each condition in these surveys names one question.
    """
    entries = document["definition"]["questions"]
    moving = [
        len(entry["choices"]) - len(entry.get("anchors", []))
        if "choices" in entry
        else sum(is_first_of_group(each) for each in entries)
        for entry in entries
        if entry.get("random_order")
    ]
    return sum(k * (k + 1) // 2 for k in moving)


def visit(page: Page, live: Live, frozen: FrozenSurvey, script: Script, spare: int = 0) -> Visit:
    """Answer the survey in a fresh page, with `spare` more words than it should need.

    The id is a function of the reports: one id with two different reports would be a conflict.
    """
    document = frozen.document()
    reports = tape.expected(document, script.answers, script.words, script.chosen)
    requests: list[Request] = []
    sockets: list[tuple] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("request", note)
    page.on("websocket", lambda socket: sockets.append(("websocket", socket.url, None)))
    early = [] if script.chosen is None else early_words(document, script.chosen)
    # Respondents with equal reports see the choices in different orders.
    order = random.Random(str(script.answers))
    early += [order.randrange(10_000) for _ in range(shuffling_words(document))]
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    session.send(
        "Page.addScriptToEvaluateOnNewDocument", {"source": f"globalThis.early = {early};"}
    )
    page.goto(f"{live.url}/s/{frozen.survey.slug}", wait_until="domcontentloaded")
    # This removes its script too.
    session.detach()
    ids = [[*bytes.fromhex(id_of((*reports.values(), *which)))] for which in ((), TEXTS)]
    words = [*script.words, *[0] * spare]
    draws = page.evaluate(RESPOND, [acts(document, script), words, ids])
    page.remove_listener("request", note)
    transcript = [seen(request, live) for request in requests if not request.url.endswith("?end")]
    return Visit(
        script.answers,
        script.words,
        tuple(reports.values()),
        tuple(draws),
        tuple(sockets) + tuple(entry for entry in transcript if entry[2] != "other"),
        tuple(entry for entry in transcript if entry[2] == "other"),
    )


# Marks the id of texts, which is another function of the reports.
TEXTS = ("texts",)


@dataclass(frozen=True)
class Experiment:
    live: Live
    surveys: dict[str, FrozenSurvey]
    context: BrowserContext

    def visits(self, name: str, scripts: Iterable[Script]) -> list[Visit]:
        page = self.context.new_page()
        visits = [visit(page, self.live, self.surveys[name], script) for script in scripts]
        page.close()
        return visits

    def everyone(self, name: str, tapes: Iterable[tuple[int, ...]]) -> list[Visit]:
        """Every possible respondent, with each tape."""
        answers = all_answers(self.surveys[name])
        return self.visits(name, [Script(each, words) for words in tapes for each in answers])


@pytest.fixture(scope="module")
def experiment(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Experiment]:
    """The real server with all surveys, and a browser without randomness."""
    database = tmp_path_factory.mktemp("non_interference") / "candor.db"
    store = open_store(str(database))
    demo = definition(*QUESTIONS, slug=OPEN_SLUG)
    surveys = {"demo": demo, "canary": CANARY, "nested": NESTED, "one": ONE, "sampled": SAMPLED}
    surveys |= {"shuffled": SHUFFLED, "paged": PAGED, "derived": DERIVED, "joint": JOINT}
    frozen = {name: opened(store, content, limits=WIDE) for name, content in surveys.items()}
    context = browser.new_context()
    context.add_init_script(tape.TAPE + tape.ACT)
    with serving(database) as (url, _, _):
        yield Experiment(Live(url, store), frozen, context)
    context.close()
    store.close()


@pytest.fixture(scope="module")
def demo_visits(experiment: Experiment) -> list[Visit]:
    """All pairs of answers with all pairs of tickets: 4 answers, 4 x 5 tickets.

    The suite uses five pairs of tickets, in which each ticket still meets each answer.
    """
    tapes = [tape for tape in product(range(4), range(5)) if SOAK or tape[0] == tape[1] % 4]
    return experiment.everyone("demo", tapes)


@pytest.fixture(scope="module")
def canary_visits(experiment: Experiment) -> list[Visit]:
    """All sets of answers, 3 x 2 x 2, with four tapes.

    The suite uses two tapes in one region and two in the other. All answers to private questions
    still meet all tapes.
    """
    everyone = [
        Script(answers, words)
        for words in FOUR_TAPES
        for answers in all_answers(experiment.surveys["canary"])
        if SOAK or answers["region"] == ("north", "south")[words[0] % 2]
    ]
    return experiment.visits("canary", everyone)


@pytest.fixture(scope="module")
def nested_visits(experiment: Experiment) -> list[Visit]:
    """Three groups of respondents with the same reports.

    With these seeds they take all paths, even if they are few.
    """
    frozen = experiment.surveys["nested"]
    made = [script for seed in (2, 3, 4) for script in scripts(frozen, None, seed)]
    return experiment.visits("nested", made)


@pytest.fixture(scope="module")
def shuffled_visits(experiment: Experiment) -> list[Visit]:
    """The same with choices in random order, once."""
    return experiment.visits("shuffled", scripts(experiment.surveys["shuffled"], None, 6))


@pytest.fixture(scope="module")
def paged_visits(experiment: Experiment) -> list[Visit]:
    """The same with sections and optional questions, twice. Some respondents skip a question,
    others choose “Prefer not to say”."""
    frozen = experiment.surveys["paged"]
    made = [script for seed in (7, 8) for script in scripts(frozen, None, seed)]
    return experiment.visits("paged", made)


@pytest.fixture(scope="module")
def derived_visits(experiment: Experiment) -> list[Visit]:
    """Respondents whose answers stay in the page, once."""
    frozen = experiment.surveys["derived"]
    return experiment.visits("derived", scripts(frozen, None, 9, DERIVED_RESPONDENTS))


@pytest.fixture(scope="module")
def joint_visits(experiment: Experiment) -> list[Visit]:
    """Respondents whose answers are randomised together, once."""
    frozen = experiment.surveys["joint"]
    return experiment.visits("joint", scripts(frozen, None, 10, JOINT_RESPONDENTS))


@pytest.fixture(scope="module")
def one_visits(experiment: Experiment) -> list[Visit]:
    """The same with one question at a time, once."""
    return experiment.visits("one", scripts(experiment.surveys["one"], None, 5))


@pytest.fixture(scope="module")
def sampled_visits(experiment: Experiment) -> list[Visit]:
    """The same with four sampled questions of nine: twice, with different samples."""
    frozen = experiment.surveys["sampled"]
    made = [s for seed, chosen in enumerate(PICKED) for s in scripts(frozen, chosen, seed)]
    return experiment.visits("sampled", made)


@pytest.fixture(
    params=[
        pytest.param("demo", marks=pytest.mark.slow),
        "canary",
        "shuffled",
        "paged",
        pytest.param("nested", marks=pytest.mark.slow),
        "one",
        "derived",
        "joint",
        pytest.param("sampled", marks=pytest.mark.slow),
    ]
)
def survey_and_visits(
    request: pytest.FixtureRequest, experiment: Experiment
) -> tuple[FrozenSurvey, list[Visit]]:
    visits = request.getfixturevalue(f"{request.param}_visits")
    return experiment.surveys[request.param], visits


@pytest.mark.slow
@soak
def test_every_ticket_meets_every_answer(experiment, demo_visits, canary_visits):
    """The tapes are complete: each answer to each question meets each ticket."""
    for name, visits in [("demo", demo_visits), ("canary", canary_visits)]:
        questions = experiment.surveys[name].survey.private
        for place, question in enumerate(questions):
            met = {(visit.answers[question.name], visit.words[place]) for visit in visits}
            total = sum(question.table.rows[0])
            assert met == set(product([c.name for c in question.choices], range(total)))


@pytest.mark.slow
def test_the_respondents_of_the_large_surveys_go_all_ways(experiment, nested_visits):
    """Each question with a condition is hidden for some and shown to others.

    Each answer is given, except numbers.
    """
    document = experiment.surveys["nested"].document()
    tables = document["tables"].values()
    assert {table.get("kind") for table in tables} == {None, "boxes", "subset", "unary"}
    assert sorted(table["width"] for table in tables if "width" in table) == [4, 5]
    questions = document["definition"]["questions"]
    shown = [tape.asked(questions, visit.answers) for visit in nested_visits]
    for entry in questions:
        name = entry["name"]
        ways = {name in asked for asked in shown}
        assert ways == ({True, False} if tape.is_asked_of_some(entry) else {True}), name
        if "choices" in entry:
            asked = zip(nested_visits, shown, strict=True)
            given = [visit.answers[name] for visit, names in asked if name in names]
            names = {choice for answer in given for choice in tape.listed(answer)}
            assert names == set(tape.offered(entry)), name
    assert len({tuple(asked) for asked in shown}) >= 20


PAIRS_ALIKE = RESPONDENTS * (RESPONDENTS - 1) // 2


@soak
@pytest.mark.usefixtures("experiment")  # This makes it a test with a browser (tests/conftest.py).
@pytest.mark.parametrize(
    ("survey", "pairs"),
    [
        pytest.param("demo", length(30, 460), marks=pytest.mark.slow),
        ("canary", length(30, 82)),
        pytest.param("nested", 3 * PAIRS_ALIKE, marks=pytest.mark.slow),
        ("one", PAIRS_ALIKE),
        ("derived", DERIVED_RESPONDENTS * (DERIVED_RESPONDENTS - 1) // 2),
        ("joint", 588),
        ("shuffled", PAIRS_ALIKE),
        ("paged", 2 * PAIRS_ALIKE),
        pytest.param("sampled", 2 * PAIRS_ALIKE, marks=pytest.mark.slow),
    ],
)
def test_who_reports_the_same_looks_the_same(request, survey, pairs):
    """For all answers: equal reports give equal traffic, to the last byte."""
    assert compare(request.getfixturevalue(f"{survey}_visits")) == (pairs, 0)


def test_of_the_respondents_with_pages_some_skip_and_some_decline(experiment, paged_visits):
    document = experiment.surveys["paged"].document()
    ways = set()
    for one in paged_visits:
        shown = tape.asked(document["definition"]["questions"], one.answers)
        declined = [
            entry["name"]
            for entry in tape.fields(document)
            if entry.get("optional") and entry["name"] in shown
            and one.answers[entry["name"]] == tape.DECLINED
        ]  # fmt: skip
        ways.add((bool(declined), "page_since" in shown))
    assert ways == {(True, True), (True, False), (False, True), (False, False)}


def test_the_traffic_of_all_differs_in_the_reports_alone(survey_and_visits):
    """Except for one body of fixed length, there is a single transcript.

    The body is known.
    """
    frozen, visits = survey_and_visits
    assert len({tuple(entry[:-1] for entry in visit.transcript) for visit in visits}) == 1
    assert len({len(visit.body) for visit in visits}) == 1
    requested = [(method, path) for method, path, *_ in visits[0].transcript]
    page = f"/s/{frozen.survey.slug}"
    assert requested == [
        ("GET", page),
        ("GET", "/static/style.css"),
        ("GET", "/static/respondent/survey.js"),
        # Whether the survey is still open, before the first question.
        ("HEAD", page),
        ("POST", f"{page}/responses"),
    ]
    names = [entry["name"] for entry in tape.fields(frozen.document())]
    for visit in visits:
        reports = dict(zip(names, visit.reports, strict=True))
        texts = {question.name: reports.pop(question.name) for question in frozen.survey.apart}
        content = {
            "id": id_of(visit.reports),
            "fingerprint": frozen.fingerprint,
            "reports": reports,
        }
        if texts:
            content["texts"] = {"id": id_of((*visit.reports, *TEXTS)), "reports": texts}
        assert visit.body == json.dumps(content, separators=(",", ":")).encode()


def test_what_the_browser_fetches_by_itself_is_always_the_same(survey_and_visits):
    """The browser requests the icon at any time, so the order does not include it.

    It reveals nothing.
    """
    _, visits = survey_and_visits
    fetched = {icon[:2] for visit in visits for icon in visit.icons}
    assert fetched <= {("GET", "/static/icon.svg")}
    assert len({icon for visit in visits for icon in visit.icons}) <= 1


def test_an_answer_that_differs_from_its_report_is_nowhere(experiment, canary_visits):
    """Neither its name, label or place among the choices occurs, nor its own report."""
    questions = experiment.surveys["canary"].survey.questions
    lied = 0
    for visit in canary_visits:
        everything = repr(visit.transcript)
        assert not re.search("canary[ _]", everything, re.IGNORECASE)
        reports = json.loads(visit.body)["reports"]
        places = {
            question.name: [c.name for c in question.choices].index(visit.answers[question.name])
            for question in questions
        }
        truth = {name: str(place) for name, place in places.items()}
        if truth != reports:
            assert json.dumps(truth, separators=(",", ":")) not in everything
        for question in questions:
            row = question.table.rows[places[question.name]] if question.table else None
            if row and row[int(reports[question.name])] != max(row):
                assert reports[question.name] != truth[question.name]
                lied += 1
    # With 2 of 4 and 1 of 4 tickets, the report differs from the answer.
    assert lied == len(canary_visits) * 2 // 4 + len(canary_visits) // 4


def words_of(table: dict) -> int:
    """The number of words of a report.

    A table takes one word, and one more to round a number. Bits take one to pick each, or one for
    each, or both.
    """
    size = len(table["answers"])
    bits = {"boxes": size + table.get("sample", 0), "unary": size, "subset": size}
    return bits[table["kind"]] if "kind" in table else 1 + ("width" in table)


def test_the_only_chance_is_a_number_of_words_that_the_survey_fixes(survey_and_visits):
    """The order is: the self-test when the page loads, the sample and the order of choices at the
    start.

    After the click on the button follow a word to round each number, the id, the id of texts that
    are stored apart, and the words for each reported question. Their number does not depend on the
    answers. Math.random would throw.
    """
    frozen, visits = survey_and_visits
    document = frozen.document()
    picking = len(document["tables"]) if frozen.survey.budget.sample else 0
    picking += shuffling_words(document)
    names = [entry["name"] for entry in tape.fields(document)]
    for visit in visits:
        reports = dict(zip(names, visit.reports, strict=True))
        words = sum(
            words_of(table)
            for name, table in document["tables"].items()
            if set(reports[name]) != {"-"}
        )
        chosen = [name for name in document["tables"] if set(reports[name]) != {"-"}]
        rounding = len(tape.rounded(document, chosen))
        identifier, word = ("Uint8Array 16",), ("Uint32Array 1",)
        first = identifier + word * picking
        ids = identifier * (2 if frozen.survey.apart else 1)
        assert visit.draws == first + word * rounding + ids + word * (words - rounding)
        assert len(visit.words) == words


def test_nothing_is_left_that_could_tell_visitors_apart(experiment, survey_and_visits):
    """After all these visits there is no cookie, and the store counted each different id once."""
    frozen, visits = survey_and_visits
    assert experiment.context.cookies() == []
    stored = list(experiment.live.store.responses.rows(frozen.survey.slug))
    forms = {question.name: question.form for question in frozen.survey.fields}
    names = [question.name for question in frozen.survey.sent]
    sent = {
        tuple(
            None if forms[name].width and set(text) == {"-"} else forms[name].read(text)
            for name, text in zip(names, visit.reports, strict=True)
            if name in forms
        )
        for visit in visits
    }
    assert len(stored) == len(sent)
    assert set(stored) == sent


def test_a_page_left_open_sends_nothing_later(experiment):
    """An hour passes before the answers are checked, and an hour after each step."""
    page = experiment.context.new_page()
    page.clock.install()
    later: list[str] = []
    page.goto(f"{experiment.live.url}/s/{OPEN_SLUG}")
    begin(page)
    page.on("request", lambda request: later.append(f"{request.method} {request.resource_type}"))
    for fieldset in page.locator("#answers fieldset").all():
        fieldset.get_by_text("Yes", exact=True).click()
    page.clock.run_for(3_600_000)
    page.evaluate("tape.words = [0, 0]")
    page.get_by_role("button", name="Check my answers").click()
    page.clock.run_for(3_600_000)
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    page.clock.run_for(3_600_000)
    page.close()
    assert [entry for entry in later if not entry.endswith("other")] == ["POST fetch"]


# Words in reserve, so that the tape does not stop a page that draws too many.
SPARE = 100


SERIALIZE = "JSON.stringify({ id, fingerprint, reports, texts, invitation })"
REPORTS = "async function reports(mix) {"
REPORT = "question.report(rows[place], mix)"
TAKEN = "question.taken(asked(question))"
ENTRIES = "Object.fromEntries(fields.map(({ name }, place) => [name, texts[place]]))"
SEEN = "(asked(question) || !question.private)"
BETRAYALS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "sends the answer": (
        "demo",
        [
            (
                "return mix(['report', name, integers, row], (draw) => "
                "randomizer.report(table, row, draw))",
                "return `${row}`",
            )
        ],
    ),
    "adds a member": (
        "demo",
        [
            REMEMBER,
            (
                "fingerprint, reports, texts, invitation })",
                "fingerprint, reports, texts, invitation, ...(told ? { late: true } : {}) })",
            ),
        ],
    ),
    "adds a space": (
        "demo",
        [
            REMEMBER,
            (
                "fingerprint, reports, texts, invitation })",
                "fingerprint, reports, texts, invitation }, null, told)",
            ),
        ],
    ),
    "orders the members": (
        "demo",
        [
            REMEMBER,
            (
                SERIALIZE,
                "told ? JSON.stringify({ fingerprint, id, reports, texts, invitation }) : "
                f"{SERIALIZE}",
            ),
        ],
    ),
    "adds a request": (
        "demo",
        [(FREEZE, f"if ({FIRST}) fetch('/static/icon.svg'); {FREEZE}")],
    ),
    "sends a beacon": (
        "demo",
        [(FREEZE, f"if ({FIRST}) navigator.sendBeacon('/', 'late'); {FREEZE}")],
    ),
    "opens a socket": (
        "demo",
        [
            (
                FREEZE,
                f"if ({FIRST}) new WebSocket(location.origin.replace('http', 'ws')); {FREEZE}",
            )
        ],
    ),
    "names it in a header": (
        "demo",
        [REMEMBER, ("'application/json' }", "'application/json', 'X-Late': `${told}` }")],
    ),
    "names it in the address": (
        "demo",
        [REMEMBER, ("fetch(address,", "fetch(`${address}?${told}`,")],
    ),
    "tells it on leaving": (
        "demo",
        [
            (
                FREEZE,
                f"if ({FIRST}) "
                "window.addEventListener('pagehide', () => navigator.sendBeacon('/', 'late'));"
                f" {FREEZE}",
            )
        ],
    ),
    "leaves out the field of a question that is hidden": (
        "nested",
        [
            (
                REPORTS,
                f"{REPORTS} const fields = all.filter((question) => "
                f"question.asks && {SEEN});",
            )
        ],
    ),
    "sends dashes for a question that is hidden": (
        "nested",
        [("reported.has(question) ?", f"reported.has(question) && {SEEN} ?")],
    ),
    "sends nothing for a question that is hidden": (
        "nested",
        [(REPORT, f"{SEEN} ? {REPORT} : ''")],
    ),
    "sends less for a question that is hidden": (
        "nested",
        [(REPORT, f"{SEEN} ? {REPORT} : {REPORT}.then((text) => text.slice(1))")],
    ),
    "asks a plain question on one way only": (
        "nested",
        [(TAKEN, "question.taken(asked(question) && (question.private || asked(all[1])))")],
    ),
    "picks by an answer": (
        "sampled",
        [
            (
                FREEZE,
                f"if ({FIRST}) questions.take(['smokes', 'packs', 'quit', 'tried']); {FREEZE}",
            )
        ],
    ),
    "tells the picked ones in another order": (
        "sampled",
        [
            (REPORTS, f"{REPORTS} const turned = all[0].checked;"),
            (f"return {ENTRIES}", f"const pairs = Object.entries({ENTRIES}); "
             "return Object.fromEntries(turned ? pairs.reverse() : pairs)"),
        ],
    ),
}  # fmt: skip


# smokes, tried and often, with many dependent questions, compared with almost none.
MANY: Answers = {
    "smokes": "yes", "packs": "12", "quit": "yes", "tried": ["gin"], "often": "daily",
    "where": ["pub"], "party": "a", "since": "always", "balance": "2.5",
}  # fmt: skip
FEW = MANY | {"smokes": "no", "tried": ["ale"], "party": "g"}
PAIRS: dict[str, list[Answers]] = {
    "demo": [{"smokes": "yes", "cheated": "yes"}, {"smokes": "no", "cheated": "yes"}],
    "nested": [MANY | PLAIN[0], FEW | PLAIN[0]],
    "sampled": [MANY | PLAIN[0], FEW | PLAIN[0]],
}


def visits_to_altered_page(
    experiment: Experiment, name: str, changes: list[tuple[str, str]]
) -> list[Visit]:
    """Two respondents with different answers but, with their tickets, the same reports."""
    frozen = experiment.surveys[name]
    document = frozen.document()
    chosen = PICKED[0] if name == "sampled" else None
    reports = some_reports(document, chosen, random.Random(1))
    page = experiment.context.new_page()
    alter(page, frozen.survey.slug, changes)
    visits = []
    for answers in PAIRS[name]:
        words = tuple(tape.steered(document, answers, reports, 0))
        visits.append(visit(page, experiment.live, frozen, Script(answers, words, chosen), SPARE))
    page.close()
    return visits


@pytest.mark.slow
@pytest.mark.parametrize("survey", PAIRS)
def test_the_comparison_is_quiet_about_a_page_served_through_it_unaltered(experiment, survey):
    """A control: findings of the next test are caused by the alterations."""
    visits = visits_to_altered_page(experiment, survey, [])
    assert compare(visits) == (1, 0)
    for each in visits:
        sent = json.loads(each.body)
        texts = sent.get("texts", {"reports": {}})["reports"]
        assert (*sent["reports"].values(), *texts.values()) == each.reports


@pytest.mark.slow
@pytest.mark.parametrize("betrayal", BETRAYALS)
def test_the_comparison_notices_a_page_that(experiment, betrayal):
    survey, changes = BETRAYALS[betrayal]
    assert compare(visits_to_altered_page(experiment, survey, changes)) == (1, 1)
