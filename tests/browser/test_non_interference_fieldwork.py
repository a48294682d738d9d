"""Waves, receipts, invitations, another language and kiosk mode reveal nothing more.

As in test_non_interference.py, respondents with different answers have the same reports, and the
network must see the same. Here, all that the page writes on the device must also be the same, step
by step: in its storage and in the browser's history. In a wave, no tape can steer the draws,
because they come from the device's secret. The test searches for a secret with which many answers
give the same reports, and all respondents use it.
"""

import json
import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from survey.store import open_store
from tests.browser import tape
from tests.browser.altered import alter
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.non_interference import (
    BRANCHES,
    PLAIN,
    REMEMBER,
    Script,
    Visit,
    acts,
    choices,
    compare,
    id_of,
    scripts,
    seen,
    some_answer,
)
from tests.support.servers import Live, serving
from tests.support.wave_streams import canonical, stream

SERIES = "habits"
# Everything that the page writes, in order: names, values, states and addresses.
WATCH = """
globalThis.written = [];
for (const name of ['setItem', 'removeItem', 'clear']) {
  const plain = Storage.prototype[name];
  Storage.prototype[name] = function (...given) {
    written.push([this === localStorage ? 'local' : 'session', name, ...given]);
    return plain.apply(this, given);
  };
}
for (const name of ['pushState', 'replaceState']) {
  const plain = History.prototype[name];
  History.prototype[name] = function (...given) {
    written.push(['history', name, ...given]);
    return plain.apply(this, given);
  };
}
for (const [kept, name] of [[IDBFactory, 'open'], [CacheStorage, 'open']]) {
  kept.prototype[name] = (...given) => {
    written.push([kept.name, ...given]);
    throw new Error(name);
  };
}
Object.defineProperty(document, 'cookie', {
  get: () => '', set: (text) => { written.push(['cookie', text]); },
});
"""
# One respondent after another through the page, with each question in turn in that layout.
# `language` is selected after the first answer.
RESPOND = """async ([people, language]) => {
  const find = (selector) => document.querySelector(selector);
  const until = (true_) => new Promise((go, fail) => {
    let left = 6_000; // looks, half a minute or more: rather an error than a test that hangs
    const look = () => {
      left -= 1;
      if (true_()) go();
      else if (left) setTimeout(look, 5);
      else fail(new Error(`It is never so: ${true_}`));
    };
    look();
  });
  const note = (when) => written.push([when, { ...localStorage }, { ...sessionStorage },
    history.state, location.href, document.title, window.name,
    [...document.querySelectorAll('main section')].find((each) => !each.hidden)?.id]);
  const onScreen = () => find('[data-question]:not([hidden])').dataset.question;
  for (const [place, { acts, words, id, code }] of people.entries()) {
    await until(() => !find('#start').hidden);
    if (code) find('#invited').value = code;
    find('#begin').click();
    await until(() => !find('#asking').hidden || find('#remember:not([hidden])'));
    [tape.words, tape.id] = [words, id];
    if (find('#asking').hidden) {
      find('#wave input').click();
      find('#chosen-wave').click();
      await until(() => !find('#asking').hidden);
    }
    if (find('#page').dataset.layout === 'one_at_a_time') {
      for (let turn = 0; ; turn += 1) {
        acts.filter(([name]) => name === onScreen()).forEach(act);
        if (turn === 1 && language) {
          find(`[data-language][lang=${language}]`).click();
          await until(() => document.documentElement.lang === language);
        }
        if (find('#next').hidden) break;
        find('#next').click();
      }
    } else {
      acts.forEach(act);
    }
    find('#check').click();
    await until(() => !find('#review').hidden);
    note('at the review');
    find('#send').click();
    await until(() => ['#done', '#rejected', '#refused'].some((end) => !find(end).hidden));
    await until(() => !history.state?.step); // the way back to the start takes a moment of its own
    note('at the end');
    if (place < people.length - 1) find('#anew').click();
  }
  window.dispatchEvent(new PageTransitionEvent('pagehide'));
  note('after leaving');
  const all = [draws, JSON.stringify(written)];
  sessionStorage.clear();
  localStorage.clear();
  await fetch('/?end');
  return all;
}"""
RESPONDENTS = length(4, 6)
GIVEN = {"invitations": True, "receipts": True}
FEW = [
    yes_no() | {"prefer_not_to_say": True},
    {
        "name": "party", "type": "select_one", "label": "Which party?",
        "choices": choices(*"abcde"), "privacy": {"mechanism": "subset_selection", "epsilon": 1},
    },
    {
        "name": "weight", "type": "number", "label": "Your weight?", "min": 30, "max": 150,
        "privacy": {"epsilon": 1}, "relevant": {"smokes": "yes"},
    },
]  # fmt: skip


def translated(content: dict[str, Any]) -> dict[str, Any]:
    texts = parse_survey(content).texts
    return content | {
        "translations": {"vi": nest_texts({p: f"Việt: {t}" for p, t in texts.items()})}
    }


SURVEYS: dict[str, dict[str, Any]] = {
    "given": definition(*BRANCHES, slug="given", **GIVEN),
    "waves": definition(*FEW, slug="waves", series=SERIES, **GIVEN),
    "picked-in-waves": definition(
        *BRANCHES, slug="picked-in-waves", series=SERIES,
        budget={"per_respondent": {"sample": 4}}, **GIVEN,
    ),
    "switched": translated(
        definition(*BRANCHES, slug="switched", layout="one_at_a_time", **GIVEN)
    ),
    "kiosk": definition(*BRANCHES, slug="kiosk", **GIVEN),
}  # fmt: skip
IN_WAVES = ("waves", "picked-in-waves")
# For the first respondent, and a second one.
CODES = [code_from(bytes([turn]) * 16) for turn in (1, 2)]

Answers = dict[str, Any]
Document = Mapping[str, Any]


# The effect of a secret on answers, in Python.


@cache
def first_words(secret: bytes, context: str) -> tuple[int, ...]:
    words = stream(json.loads(context), secret)
    return tuple(next(words) for _ in range(40))


def drawn(make: Callable[[Iterator[int]], Any], secret: bytes, *context: Any) -> Any:
    """What `make` makes of the words of this context.

    A tape has no words that the page would redraw, so they are skipped.
    """
    words = list(first_words(secret, canonical(list(context))))
    while True:
        left = iter(words)
        try:
            return make(left)
        except AssertionError:
            del words[len(words) - len(list(left)) - 1]


def report_in_wave(
    entry: Mapping[str, Any], table: Mapping[str, Any], answer: Any, secret: bytes
) -> str:
    names = list(table["answers"])
    integers = {"answers": len(names)}
    for member in ("far", "kind", "near", "rows", "sample", "size", "width"):
        if member in table:
            integers[member] = table[member]
    rounding = None
    row: Any
    if "kind" in table and entry["type"] == "select_multiple":
        row = [name in tape.listed(answer) for name in names]
    elif "kind" in table:
        row = names.index(answer)
    else:
        rows = tape.rows_met(entry, table, answer)
        if entry["type"] == "number":
            place = partial(tape.below, len(rows))
            rounding = drawn(place, secret, "round", entry["name"], integers)
        row = rows[rounding or 0]
    make = partial(tape.report, entry, table, answer, rounding)
    return drawn(make, secret, "report", entry["name"], integers, row)


def picked_in_wave(document: Document, secret: bytes) -> list[str] | None:
    sample = document["definition"].get("budget", {}).get("per_respondent", {}).get("sample")
    if sample is None:
        return None
    names = [entry["name"] for entry in tape.fields(document) if tape.is_private(entry)]
    taken = drawn(partial(tape.picked, len(names), sample), secret, "pick", names, sample)
    return [name for name, wanted in zip(names, taken, strict=True) if wanted]


def reports_in_wave(document: Document, answers: Answers, secret: bytes) -> dict[str, str]:
    chosen = picked_in_wave(document, secret)
    shown = tape.asked(document["definition"]["questions"], answers)
    reports = {}
    for entry in tape.fields(document):
        name = entry["name"]
        answer = tape.effective(entry, answers.get(name), name in shown)
        if not tape.is_private(entry):
            reports[name] = tape.plain(entry, answer)
        elif chosen is not None and name not in chosen:
            reports[name] = tape.not_picked(document["tables"][name])
        else:
            reports[name] = report_in_wave(entry, document["tables"][name], answer, secret)
    return reports


def alike_in_wave(document: Document, seed: int) -> tuple[bytes, list[Answers]]:
    """A secret, and respondents with different answers whose reports it makes equal."""
    chance = random.Random(seed)
    private = [entry for entry in tape.fields(document) if tape.is_private(entry)]
    plain = PLAIN[0] if len(private) < len(tape.fields(document)) else {}
    everyone = [
        {entry["name"]: some_answer(entry, chance) for entry in private} | plain for _ in range(200)
    ]
    for number in count():
        secret = bytes([seed, number] * 16)
        groups: dict[tuple[str, ...], list[Answers]] = defaultdict(list)
        for answers in everyone:
            groups[tuple(reports_in_wave(document, answers, secret).values())].append(answers)
        for alike in groups.values():
            first = {repr(answers["smokes"]) for answers in alike[:RESPONDENTS]}
            if len(alike) >= RESPONDENTS and first >= {"'yes'", "'no'"}:
                return secret, alike[:RESPONDENTS]
    raise AssertionError


# Visits.


@dataclass(frozen=True)
class Plan:
    """Respondents who use one page one after the other, and the secret of its device."""

    people: list[Script]
    secret: bytes | None = None

    def reports(self, document: Document) -> list[dict[str, str]]:
        if self.secret is not None:
            return [reports_in_wave(document, p.answers, self.secret) for p in self.people]
        return [tape.expected(document, p.answers, p.words) for p in self.people]


@dataclass(frozen=True)
class Fieldwork:
    live: Live
    surveys: dict[str, FrozenSurvey]
    context: BrowserContext
    database: Path
    planned: dict[str, list[Plan]] = field(default_factory=dict)

    def plans(self, name: str) -> list[Plan]:
        if name not in self.planned:
            self.planned[name] = self.made(name)
        return self.planned[name]

    def made(self, name: str) -> list[Plan]:
        document = self.surveys[name].document()
        if name in IN_WAVES:
            secret, alike = alike_in_wave(document, IN_WAVES.index(name))
            return [
                Plan([Script(answers, (), leftovers=turn % 2 == 0)], secret)
                for turn, answers in enumerate(alike)
            ]
        first, second = (scripts(self.surveys[name], None, seed)[:RESPONDENTS] for seed in (4, 5))
        if name == "kiosk":
            return [Plan([one, other]) for one, other in zip(first, reversed(second), strict=True)]
        return [Plan([one]) for one in first]

    def visits(self, name: str) -> list[Visit]:
        page = self.context.new_page()
        visits = [visit(page, self, name, plan) for plan in self.plans(name)]
        page.close()
        return visits

    def unspend(self) -> None:
        """Reset the invitations, so that every respondent can use the same one."""
        with closing(sqlite3.connect(self.database, timeout=20)) as connection, connection:
            connection.execute("UPDATE invitations SET spent = 0")


def visit(page: Page, fieldwork: Fieldwork, slug: str, plan: Plan) -> Visit:
    """All that the network and the device keep of these respondents.

    The id follows from the reports, so equal reports are the same response.
    """
    live, document = fieldwork.live, fieldwork.surveys[slug].document()
    fieldwork.unspend()
    reports = plan.reports(document)
    # Otherwise only the fragment would change.
    page.goto("about:blank")
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("request", note)
    sockets: list[tuple[Any, ...]] = []
    page.on("websocket", lambda socket: sockets.append(("websocket", socket.url, None)))
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    secret = "" if plan.secret is None else plan.secret.hex()
    keep = f"if ('{secret}') localStorage.setItem('candor series {SERIES}', '{secret}');"
    session.send("Page.addScriptToEvaluateOnNewDocument", {"source": keep})
    kiosk = slug == "kiosk"
    page.goto(f"{live.url}/s/{slug}#{'kiosk' if kiosk else CODES[0]}")
    # This removes its script too.
    session.detach()
    people = [
        {
            "acts": acts(document, script),
            "words": list(script.words),
            "id": [*bytes.fromhex(id_of(tuple(sent.values())))],
            "code": code if kiosk else None,
        }
        for script, sent, code in zip(plan.people, reports, CODES, strict=False)
    ]
    draws, told = page.evaluate(RESPOND, [people, "vi" if slug == "switched" else None])
    page.remove_listener("request", note)
    transcript = [seen(request, live) for request in requests if not request.url.endswith("?end")]
    return Visit(
        {str(place): script.answers for place, script in enumerate(plan.people)},
        tuple(word for script in plan.people for word in script.words),
        tuple(text for each in reports for text in each.values()),
        tuple(draws),
        (*sockets, *(entry for entry in transcript if entry[2] != "other"), ("told", told, None)),
        tuple(entry for entry in transcript if entry[2] == "other"),
    )


@pytest.fixture(scope="module")
def fieldwork(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fieldwork]:
    """The real server with all surveys, and a browser without randomness."""
    database = tmp_path_factory.mktemp("fieldwork") / "candor.db"
    store = open_store(str(database))
    frozen = {name: opened(store, content, limits=WIDE) for name, content in SURVEYS.items()}
    for name in SURVEYS:
        store.invitations.add_invitations(name, map(token_hash, CODES))
    context = browser.new_context()
    context.add_init_script(tape.TAPE + tape.ACT + WATCH)
    with serving(database) as (url, _, _):
        yield Fieldwork(Live(url, store), frozen, context, database)
    context.close()
    store.close()


@pytest.fixture(scope="module", params=SURVEYS)
def survey_and_visits(
    request: pytest.FixtureRequest, fieldwork: Fieldwork
) -> tuple[FrozenSurvey, list[Visit]]:
    return fieldwork.surveys[request.param], fieldwork.visits(request.param)


def bodies(visit: Visit, door: str) -> Sequence[dict[str, Any]]:
    """The posted bodies, in order."""
    posted = [entry for entry in visit.transcript if entry[-1] is not None]
    assert all(entry[1].endswith(("/invited", "/responses")) for entry in posted)
    return [json.loads(entry[-1]) for entry in posted if entry[1].endswith(door)]


@pytest.mark.slow
@soak
def test_who_reports_the_same_looks_the_same_to_the_network_and_to_the_device(
    survey_and_visits: tuple[FrozenSurvey, list[Visit]],
) -> None:
    """For all answers: the same requests and the same writes, to the last byte."""
    _, visits = survey_and_visits
    pairs = RESPONDENTS * (RESPONDENTS - 1) // 2
    assert compare(visits) == (pairs, 0)
    # The browser decides how often it requests the icon of two consecutive pages.
    assert len({repr(icon) for visit in visits for icon in visit.icons}) <= 1


def test_they_went_different_ways_and_sent_what_was_foretold(
    fieldwork: Fieldwork, survey_and_visits: tuple[FrozenSurvey, list[Visit]]
) -> None:
    """The comparison covers what it claims: codes, receipts, waves, two respondents."""
    frozen, visits = survey_and_visits
    name = frozen.survey.slug
    people = 2 if name == "kiosk" else 1
    fields = [question.name for question in frozen.survey.fields]
    apart = [question.name for question in frozen.survey.apart]
    # The only text is the last question.
    assert [question.name for question in frozen.survey.asked] == fields + apart
    questions = frozen.document()["definition"]["questions"]
    for visit in visits:
        assert bodies(visit, "/invited") == [{"invitation": code} for code in CODES[:people]]
        sent = bodies(visit, "/responses")
        assert [body["invitation"] for body in sent] == CODES[:people]
        every = [body["reports"] | body.get("texts", {"reports": {}})["reports"] for body in sent]
        assert [text for reports in every for text in reports.values()] == list(visit.reports)
        assert all(list(body["reports"]) == fields for body in sent)
        assert all(list(reports) == fields + apart for reports in every)
        secrets = [id_of(tuple(reports.values())) for reports in every]
        receipts = [bytes.fromhex(secret) for secret in secrets]
        assert all(body["id"] != secret for body, secret in zip(sent, secrets, strict=True))
        assert len({*receipts}) == people
        # The only draws are those of the self-test and the receipt.
        if name in IN_WAVES:
            assert visit.draws == ("Uint8Array 16",) * 2
        told = json.loads(visit.transcript[-1][1])
        assert [step[0] for step in told if step[0].startswith("a")] == [
            *("at the review", "at the end") * people, "after leaving",
        ]  # fmt: skip
        last = told[-1]
        assert last[-1] == "done"
        assert list(last[1]) == ([f"candor series {SERIES}"] if name in IN_WAVES else [])
        assert [json.loads(value) for value in last[2].values()] == [{"state": "sent"}]
        assert not any(step[0] in ("cookie", "IDBFactory", "CacheStorage") for step in told)
    ways = {
        tuple(tape.asked(questions, answers))
        for visit in visits
        for answers in visit.answers.values()
    }
    assert len(ways) > 1
    languages = [entry for entry in visits[0].transcript if str(entry[1]).endswith("?language=vi")]
    assert len(languages) == (name == "switched")
    assert len(list(fieldwork.live.store.responses.rows(name))) == people


# Pages that reveal the answer to the first question, or the path after it.
WRITTEN = "kept.write(sending);"
STATED = "return { id, textsId, receipt: secret };"
BETRAYALS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "keeps the answer on the device": (
        "waves",
        [REMEMBER, (WRITTEN, f"localStorage.setItem('candor', told); {WRITTEN}")],
    ),
    "forgets the device": (
        "waves",
        [REMEMBER, (WRITTEN, f"if (told) waves.forget('habits'); {WRITTEN}")],
    ),
    "keeps the answer for the tab": (
        "picked-in-waves",
        [REMEMBER, (WRITTEN, "kept.write({ ...sending, told });")],
    ),
    "makes the id fit the answer": (
        "given",
        [
            REMEMBER,
            (STATED, "return { id: id.slice(0, 31) + Number(told), textsId, receipt: secret };"),
        ],
    ),
    "spells the code in another way": (
        "given",
        [
            REMEMBER,
            (
                "fingerprint, reports, texts, invitation })",
                "fingerprint, reports, texts, invitation: told ? invitation : ` ${invitation}` })",
            ),
        ],
    ),
    "asks about the next one's code as the last one answered": (
        "kiosk",
        [
            REMEMBER,
            (
                "JSON.stringify({ invitation: code });",
                "JSON.stringify({ invitation: code }, null, Number(globalThis.told));",
            ),
        ],
    ),
    "asks about the code once more, after the answer": (
        "given",
        [
            REMEMBER,
            (WRITTEN, "if (told) sender.post(JSON.stringify({ invitation: settled.invitation }), "
                      f"find('invitation').dataset.endpoint); {WRITTEN}"),
        ],
    ),
    "notes in the history which question it was": (
        "switched",
        [("    place = to;\n", "    place = to; history.replaceState({ depth: 1, to }, '');\n")],
    ),
    "asks for the other language by the question": (
        "switched",
        [
            (
                "request.open('GET', address);",
                "request.open('GET', `${address}&from=${document.querySelector("
                "'[data-question]:not([hidden])').dataset.question}`);",
            )
        ],
    ),
    "tells of one person when the next one starts": (
        "kiosk",
        [REMEMBER, ("kept.clear();\n    goHome();", "kept.clear();\n    fetch(`/?${told}`);\n"
                    "    goHome();")],
    ),
}  # fmt: skip


def two_visits(fieldwork: Fieldwork, name: str, changes: list[tuple[str, str]]) -> list[Visit]:
    """Visits of two respondents with different first answers, to a page with these changes."""
    of_answer = {plan.people[0].answers["smokes"]: plan for plan in fieldwork.plans(name)}
    page = fieldwork.context.new_page()
    alter(page, f"{name}*", changes)
    visits = [visit(page, fieldwork, name, of_answer[answer]) for answer in ("yes", "no")]
    page.close()
    return visits


@pytest.mark.slow
@pytest.mark.parametrize("name", ["waves", "switched", "kiosk"])
def test_the_comparison_is_quiet_about_a_page_served_through_it_unaltered(
    fieldwork: Fieldwork, name: str
) -> None:
    assert compare(two_visits(fieldwork, name, [])) == (1, 0)


@pytest.mark.slow
@pytest.mark.parametrize("betrayal", BETRAYALS)
def test_the_comparison_notices_a_page_that(fieldwork: Fieldwork, betrayal: str) -> None:
    assert compare(two_visits(fieldwork, *BETRAYALS[betrayal])) == (1, 1)
