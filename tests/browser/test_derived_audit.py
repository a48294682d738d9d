"""The audit of joint questions and derived answers: from the inputs of the page to the reports.

The layers of audit.py examine the sampler. This audit examines what the page adds to it: which row
of which table the inputs select. For every combination of inputs, the page makes many reports. They
must fit the tables, the reports on two questions must be independent, and no report may tell more
than the stated loss. Planted faults are found.

False alarms. A right page fails one of the 18 + 18 + 18 + 1 tests with probability below 55 ALPHA,
that is below 1e-7 (significance.py).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Page

from survey.core.randomizer import Randomizer
from survey.definition.frozen import FrozenSurvey
from tests.browser import tape
from tests.browser.altered import alter
from tests.browser.significance import ALPHA, dependence, epsilon_bound, misfit
from tests.support.definitions import WIDE, definition, opened
from tests.support.derived_survey import derived
from tests.support.joint_survey import ITEMS, joint_questions
from tests.support.lengths import length
from tests.support.respondent_page import start
from tests.support.servers import Live

DRAWS = length(3_000, 30_000)
EITHER = derived("either", {"any": {"drinks": ["yes"], "smokes": ["often"]}})
# The reports of one respondent's answers, counted. All draws are fresh.
COUNT = """async ([acts, draws]) => {
  for (const [name, , places] of acts) {
    const { inputs } = questions.all.find((question) => question.name === name);
    inputs.forEach((input, place) => { input.checked = places.includes(place); });
  }
  const counts = {};
  for (let draw = 0; draw < draws; draw += 1) {
    const { habits, either } = await questions.reports((context, make) => make());
    counts[`${habits} ${either}`] = (counts[`${habits} ${either}`] ?? 0) + 1;
  }
  return counts;
}"""


def audited(live: Live) -> FrozenSurvey:
    return opened(live.store, definition(*joint_questions(), EITHER, slug="joint"), limits=WIDE)


def counted(page: Page, frozen: FrozenSurvey) -> Iterator[tuple[dict[str, str], Counter]]:
    """For every combination of inputs: the true derived answers, and the counts of both reports."""
    questions = frozen.document()["definition"]["questions"]
    given = [entry for entry in questions if entry["name"] in ITEMS]
    for answers in product(*(tape.offered(entry) for entry in given)):
        named = dict(zip(ITEMS, answers, strict=True))
        acts = [tape.act(entry, named[entry["name"]]) for entry in given]
        found = page.evaluate(COUNT, [acts, DRAWS])
        counts = Counter({tuple(map(int, pair.split())): n for pair, n in found.items()})
        yield tape.with_derived(questions, named), counts


def by_report(counts: Counter, place: int, table: Randomizer) -> list[int]:
    """The count of each report to one of the two questions."""
    sums = Counter[int]()
    for reports, times in counts.items():
        sums[reports[place]] += times
    return [sums[report] for report in range(table.reports)]


def faults(page: Page, frozen: FrozenSurvey) -> list[str]:
    """What is wrong with the reports of this page."""
    found = []
    tables = [(q, q.table) for q in frozen.survey.fields if q.table is not None]
    by_answer: dict[str, list[int]] = {}
    for truth, counts in counted(page, frozen):
        for place, (question, table) in enumerate(tables):
            row = [answer.name for answer in question.answers].index(truth[question.name])
            reports = by_report(counts, place, table)
            if misfit(table.rows[row], reports) < ALPHA:
                found.append(f"{question.name} of {truth} does not fit its table")
        first = [[counts[one, other] for other in range(tables[1][1].reports)]
                 for one in range(tables[0][1].reports)]  # fmt: skip
        if dependence(first) < ALPHA:
            found.append(f"the reports of {truth} depend on each other")
        by_answer.setdefault(truth["habits"], by_report(counts, 0, tables[0][1]))
    if epsilon_bound(list(by_answer.values()), ALPHA) > tables[0][1].epsilon:
        found.append("a report tells more than the stated loss")
    return found


def test_the_reports_of_all_answers_fit_the_tables(page: Page, live: Live):
    frozen = audited(live)
    start(page, f"{live.url}/s/joint")
    assert faults(page, frozen) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Three reports in ten are the true answer.
        (
            "return mix(['report', name, integers, row], (draw) =>",
            "if (Math.random() < 0.3) return String(row).padStart(String(integers.rows.length - 1)"
            ".length, '0'); return mix(['report', name, integers, row], (draw) =>",
        ),
        # A declined answer counts as No.
        ("return question.declined ? DECLINED", "return question.declined ? 'no'"),
        # A question that is not asked keeps the answer from before.
        ("if (!asked(question)) return question.otherwise ?? NOT_ASKED;", ""),
        # The cut-off follows the joint report in place of its own draw.
        (
            "const texts = await Promise.all(made);",
            "const texts = await Promise.all(made); if (Math.random() < 0.3) texts[1] = "
            "String(Number(texts[0]) % 2);",
        ),
    ],
    ids=("the truth at times", "declined is No", "hidden answers count", "two reports depend"),
)
def test_planted_faults_are_found(page: Page, live: Live, old: str, new: str):
    frozen = audited(live)
    alter(page, "joint", [(old, new)])
    start(page, f"{live.url}/s/joint")
    try:
        assert faults(page, frozen) != []
    except Exception as error:
        # A page that finds no row for an answer fails loudly.
        assert "RangeError" in str(error) or "TypeError" in str(error), error
