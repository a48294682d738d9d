"""What leaves the page depends on the reports alone, never on the answers behind them.

Chance is replaced by a tape, so that each answer meets each ticket that it could draw. For every
two respondents whose reports come out the same, all that the network sees of them has to be the
same too: which requests, in which order, with which headers, holding which bytes. Then whoever
watches the network or runs the server learns from a respondent what the reports tell, and nothing
else. The last tests alter the page so that it does tell more, and see the comparison notice.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, groupby, product

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route

from survey.definition import FrozenSurvey
from survey.demo import OPEN_SLUG, add_demo
from survey.store import open_store
from tests.conftest import ROOT, Live, definition, opened, serving, yes_no

# Every draw is played from globalThis.tape and noted; the self-test at the start gets zeros
TAPE = """
Math.random = () => { throw new Error('Math.random was called'); };
globalThis.tape = { words: [], id: new Array(16).fill(0) };
globalThis.draws = [];
Crypto.prototype.getRandomValues = function (array) {
  draws.push(`${array.constructor.name} ${array.length}`);
  if (array instanceof Uint8Array) array.set(tape.id);
  else if (tape.words.length) array[0] = tape.words.shift();
  else throw new Error('The tape is at its end.');
  return array;
};
"""
# Through the page as a respondent goes; in one call, because there are so many respondents.
# The request at the end is the test's own: once it is seen, so is all that was sent before it
RESPOND = """([answers, words, id]) => new Promise((finished) => {
  globalThis.tape = { words, id };
  globalThis.draws = [];
  const find = (selector) => document.querySelector(selector);
  document.querySelectorAll('fieldset').forEach((fieldset, question) => {
    fieldset.querySelectorAll('input')[answers[question]].click();
  });
  find('#answers button').click();
  find('#send').click();
  const look = () => {
    if (find('#done').hidden && find('#rejected').hidden) {
      setTimeout(look, 5);
      return;
    }
    // what is sent on leaving belongs to the transcript; the next respondent is somebody else
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    sessionStorage.clear();
    fetch('/?end').then(() => finished(draws));
  };
  look();
})"""
# the names and labels of these choices occur nowhere else
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
# every ticket of both private questions, each beside another one of the other question
FOUR_TAPES = [(ticket, (ticket + 1) % 4) for ticket in range(4)]

Answers = tuple[int, ...]


@dataclass(frozen=True)
class Visit:
    """One respondent: what was answered and drawn, and all that the network saw of it."""

    answers: Answers
    words: Answers
    reports: Answers
    draws: tuple[str, ...]
    transcript: tuple[tuple, ...]
    icons: tuple[tuple, ...]

    @property
    def body(self) -> bytes:
        """The one body that was sent."""
        [body] = [body for *_, body in self.transcript if body is not None]
        return body


def expected(frozen: FrozenSurvey, answers: Answers, words: Answers) -> Answers:
    """What the tables say: the report in whose part of the answer's row the ticket falls."""
    tape = iter(words)
    reports = []
    for question, answer in zip(frozen.survey.questions, answers, strict=True):
        if question.plain:
            reports.append(answer)
            continue
        row = question.table.rows[answer]
        ticket = next(tape) % sum(row)
        reports.append(next(y for y in range(len(row)) if ticket < sum(row[: y + 1])))
    return tuple(reports)


def all_answers(frozen: FrozenSurvey) -> list[Answers]:
    return list(product(*(range(len(q.choices)) for q in frozen.survey.questions)))


def seen(request: Request, live: Live) -> tuple:
    """All of a request that the network sees; its body comes last."""
    # what the browser asks for by itself, the icon, may end with the page, before its last headers
    by_itself = request.resource_type == "other"
    headers = request.headers if by_itself else request.all_headers()
    path = request.url.removeprefix(live.url)
    sorted_headers = tuple(sorted(headers.items()))
    return request.method, path, request.resource_type, sorted_headers, request.post_data_buffer


def visit(page: Page, live: Live, frozen: FrozenSurvey, answers: Answers, words: Answers) -> Visit:
    """Answer the survey in a fresh page.

    The id is a function of the reports: one id with two different reports would be a conflict.
    """
    reports = expected(frozen, answers, words)
    requests: list[Request] = []
    sockets: list[tuple] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("request", note)
    page.on("websocket", lambda socket: sockets.append(("websocket", socket.url, None)))
    page.goto(f"{live.url}/s/{frozen.survey.slug}", wait_until="domcontentloaded")
    identifier = [*sha256(bytes(reports)).digest()[:16]]
    draws = page.evaluate(RESPOND, [answers, words, identifier])
    page.remove_listener("request", note)
    transcript = [seen(request, live) for request in requests if not request.url.endswith("?end")]
    return Visit(
        answers,
        words,
        reports,
        tuple(draws),
        tuple(sockets) + tuple(entry for entry in transcript if entry[2] != "other"),
        tuple(entry for entry in transcript if entry[2] == "other"),
    )


def compare(visits: Iterable[Visit]) -> tuple[int, int]:
    """How many pairs have the same reports and other answers, and how many of them differ."""
    compared = differing = 0
    in_order = sorted(visits, key=lambda visit: visit.reports)
    for _, alike in groupby(in_order, key=lambda visit: visit.reports):
        for one, other in combinations(alike, 2):
            if one.answers != other.answers:
                compared += 1
                differing += one.transcript != other.transcript
    return compared, differing


@dataclass(frozen=True)
class Experiment:
    live: Live
    demo: FrozenSurvey
    canary: FrozenSurvey
    context: BrowserContext

    def visits(self, frozen: FrozenSurvey, tapes: Iterable[Answers]) -> list[Visit]:
        """Everyone who could answer, with each tape."""
        page = self.context.new_page()
        visits = [
            visit(page, self.live, frozen, answers, words)
            for words in tapes
            for answers in all_answers(frozen)
        ]
        page.close()
        return visits


@pytest.fixture(scope="module")
def experiment(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Experiment]:
    """The real server with both surveys, and a browser without chance."""
    database = tmp_path_factory.mktemp("non_interference") / "candor.db"
    store = open_store(str(database))
    add_demo(store)
    canary = opened(store, CANARY)
    demo = store.survey(OPEN_SLUG).frozen
    assert demo is not None
    context = browser.new_context()
    context.add_init_script(TAPE)
    with serving(database) as (url, _, _):
        yield Experiment(Live(url, store), demo, canary, context)
    context.close()
    store.close()


@pytest.fixture(scope="module")
def demo_visits(experiment: Experiment) -> list[Visit]:
    """Every pair of answers with every pair of tickets: 4 answers, 4 x 5 tickets."""
    return experiment.visits(experiment.demo, product(range(4), range(5)))


@pytest.fixture(scope="module")
def canary_visits(experiment: Experiment) -> list[Visit]:
    """Every set of answers, 3 x 2 x 2, with four tapes."""
    return experiment.visits(experiment.canary, FOUR_TAPES)


@pytest.fixture(params=["demo", "canary"])
def survey_and_visits(
    request: pytest.FixtureRequest, experiment: Experiment
) -> tuple[FrozenSurvey, list[Visit]]:
    visits = request.getfixturevalue(f"{request.param}_visits")
    return getattr(experiment, request.param), visits


def test_every_ticket_meets_every_answer(survey_and_visits):
    """The tapes leave nothing out: each answer to each question is drawn upon with each ticket."""
    frozen, visits = survey_and_visits
    private = [number for number, q in enumerate(frozen.survey.questions) if not q.plain]
    for place, number in enumerate(private):
        question = frozen.survey.questions[number]
        met = {(visit.answers[number], visit.words[place]) for visit in visits}
        total = sum(question.table.rows[0])
        assert met == set(product(range(len(question.choices)), range(total)))


@pytest.mark.parametrize(("survey", "pairs"), [("demo", 460), ("canary", 82)])
def test_who_reports_the_same_looks_the_same(request, survey, pairs):
    """Whatever was answered: same reports, same traffic, to the last byte."""
    assert compare(request.getfixturevalue(f"{survey}_visits")) == (pairs, 0)


def test_the_traffic_of_all_differs_in_the_reports_alone(survey_and_visits):
    """Apart from one body of one length there is a single transcript, and the body is known."""
    frozen, visits = survey_and_visits
    assert len({tuple(entry[:-1] for entry in visit.transcript) for visit in visits}) == 1
    assert len({len(visit.body) for visit in visits}) == 1
    requested = [(method, path) for method, path, *_ in visits[0].transcript]
    page = f"/s/{frozen.survey.slug}"
    assert requested == [
        ("GET", page),
        ("GET", "/static/style.css"),
        ("GET", "/static/randomizer.js"),
        ("GET", "/static/respond.js"),
        ("POST", f"{page}/responses"),
    ]
    for visit in visits:
        names = [question.name for question in frozen.survey.questions]
        content = {
            "id": sha256(bytes(visit.reports)).hexdigest()[:32],
            "fingerprint": frozen.fingerprint,
            "reports": dict(zip(names, visit.reports, strict=True)),
        }
        assert visit.body == json.dumps(content, separators=(",", ":")).encode()


def test_what_the_browser_fetches_by_itself_is_always_the_same(demo_visits, canary_visits):
    """The icon comes when the browser likes, so it is kept out of the order; it tells nothing."""
    fetched = {icon[:2] for visit in demo_visits + canary_visits for icon in visit.icons}
    assert fetched <= {("GET", "/static/icon.svg")}
    assert len({icon for visit in demo_visits for icon in visit.icons}) <= 1


def test_an_answer_that_differs_from_its_report_is_nowhere(experiment, canary_visits):
    """Neither its name, its label nor its place among the choices, nor what it would have sent."""
    lied = 0
    for visit in canary_visits:
        everything = repr(visit.transcript)
        assert not re.search("canary[ _]", everything, re.IGNORECASE)
        reports = json.loads(visit.body)["reports"]
        truth = dict(zip(reports, visit.answers, strict=True))
        for question in experiment.canary.survey.questions:
            if visit.reports != visit.answers:
                assert json.dumps(truth, separators=(",", ":")) not in everything
            answer, report = truth[question.name], reports[question.name]
            if question.table.rows[answer][report] != max(question.table.rows[answer]):
                assert report != answer
                lied += 1
    # of the tickets, 2 of 4 and 1 of 4 give another report than the answer
    assert lied == len(canary_visits) * 2 // 4 + len(canary_visits) // 4


def test_the_only_chance_is_one_word_per_private_question_and_the_id(survey_and_visits):
    """In this order, at the press of the button; Math.random would have thrown."""
    frozen, visits = survey_and_visits
    private = [question for question in frozen.survey.questions if not question.plain]
    each = ("Uint32Array 1",) * len(private) + ("Uint8Array 16",)
    assert {visit.draws for visit in visits} == {each}


def test_nothing_is_left_that_could_tell_visitors_apart(experiment, demo_visits, canary_visits):
    """No cookie after all these visits; and the store counted each different id once."""
    assert experiment.context.cookies() == []
    for frozen, visits in [(experiment.demo, demo_visits), (experiment.canary, canary_visits)]:
        stored = list(experiment.live.store.responses(frozen.survey.slug))
        assert sorted(stored) == sorted({visit.reports for visit in visits})


def test_a_page_left_open_sends_nothing_later(experiment):
    """An hour passes on its clock before the answers are checked, and an hour after each step."""
    page = experiment.context.new_page()
    page.clock.install()
    later: list[str] = []
    page.goto(f"{experiment.live.url}/s/{OPEN_SLUG}")
    page.on("request", lambda request: later.append(f"{request.method} {request.resource_type}"))
    for fieldset in page.locator("fieldset").all():
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


# What a page could do that tells on its respondent, as changes to respond.js
FREEZE = "const reports = {};"
SERIALIZE = "JSON.stringify({ id: randomizer.identifier(), fingerprint, reports })"
BETRAYALS = {
    "sends the answer": [("rows ? randomizer.randomize(rows, chosen) : chosen", "chosen")],
    "adds a member": [
        (
            "fingerprint, reports })",
            "fingerprint, reports, ...(answer(questions[0]) ? { late: true } : {}) })",
        )
    ],
    "adds a space": [
        ("fingerprint, reports })", "fingerprint, reports }, null, answer(questions[0]))")
    ],
    "orders the members": [
        (
            SERIALIZE,
            "answer(questions[0]) ? JSON.stringify({ fingerprint, id: randomizer.identifier(), "
            f"reports }}) : {SERIALIZE}",
        )
    ],
    "adds a request": [(FREEZE, f"{FREEZE} if (answer(questions[0])) fetch('/static/icon.svg');")],
    "sends a beacon": [
        (FREEZE, f"{FREEZE} if (answer(questions[0])) navigator.sendBeacon('/', 'late');")
    ],
    "opens a socket": [
        (
            FREEZE,
            f"{FREEZE} if (answer(questions[0])) "
            "new WebSocket(location.origin.replace('http', 'ws'));",
        )
    ],
    "names it in a header": [
        (FREEZE, f"{FREEZE} globalThis.told = answer(questions[0]);"),
        ("'application/json' }", "'application/json', 'X-Late': `${told}` }"),
    ],
    "names it in the address": [
        (FREEZE, f"{FREEZE} globalThis.told = answer(questions[0]);"),
        ("fetch(page.dataset.endpoint,", "fetch(`${page.dataset.endpoint}?${told}`,"),
    ],
    "tells it on leaving": [
        (
            FREEZE,
            f"{FREEZE} if (answer(questions[0])) "
            "window.addEventListener('pagehide', () => navigator.sendBeacon('/', 'late'));",
        )
    ],
}


def alter(page: Page, slug: str, changes: list[tuple[str, str]]) -> None:
    """Serve respond.js with these changes, and the page without what would notice them."""
    script = (ROOT / "static" / "respond.js").read_text()
    for old, new in changes:
        assert script.count(old) == 1, f"respond.js no longer holds {old!r} once"
        script = script.replace(old, new)

    def without_integrity(route: Route) -> None:
        response = route.fetch()
        headers = {k: v for k, v in response.headers.items() if k != "integrity-policy"}
        body = re.sub(r' integrity="[^"]*"', "", response.text())
        assert body != response.text()
        route.fulfill(response=response, headers=headers, body=body)

    page.route(f"**/s/{slug}", without_integrity)
    page.route(
        "**/static/respond.js",
        lambda route: route.fulfill(body=script, content_type="text/javascript"),
    )


def visits_to_altered_page(experiment: Experiment, changes: list[tuple[str, str]]) -> list[Visit]:
    """Two respondents with different answers and, by the tickets they draw, the same reports."""
    page = experiment.context.new_page()
    alter(page, OPEN_SLUG, changes)
    visits = [
        visit(page, experiment.live, experiment.demo, answers, (0, 0))
        for answers in [(0, 0), (1, 0)]
    ]
    page.close()
    return visits


def test_the_comparison_is_quiet_about_a_page_served_through_it_unaltered(experiment):
    """So that what the next test sees comes from the alterations."""
    assert compare(visits_to_altered_page(experiment, [])) == (1, 0)


@pytest.mark.parametrize("betrayal", BETRAYALS)
def test_the_comparison_notices_a_page_that(experiment, betrayal):
    assert compare(visits_to_altered_page(experiment, BETRAYALS[betrayal])) == (1, 1)
