"""static/respondent/randomizer.js draws exactly, from secure randomness only, or not at all.

audit.py describes each layer and how rarely it raises a false alarm. test_audit.py breaks the file
in many ways to show that the layers detect it.
"""

import json
import math
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from survey.core.factored_randomizers import Boxes, FactoredRandomizer
from survey.core.mechanisms import MECHANISMS
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.respondent_page import answer, send, start
from tests.vectors import write

from . import audit
from .significance import ALPHA

SOURCE = audit.SOURCE.read_text(encoding="utf-8")
VECTORS = json.loads(write.FILE.read_text(encoding="utf-8"))
# For each answer. The bounds follow from it, and test_audit.py derives what a million draws detect.
DRAWS = length(250_000, audit.DRAWS)
# 160,000 reports of each of two answers are enough for bits.
DRAWS_OF_BITS = length(400_000, audit.DRAWS)
# For two questions. The test distinguishes reports with a frequency of at least one in a hundred
# (significance.py). At least 5 of each pair are therefore expected.
RESPONDENTS_TO_TWO = length(50_000, 100_000)
TABLES, BITS = audit.tables(audit.AUDITED), audit.factored(audit.AUDITED)


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    with audit.blank(browser) as page:
        yield page


def test_every_example_of_every_mechanism_is_audited():
    assert len(audit.EXAMPLES) == sum(len(m.examples) for m in MECHANISMS.values())
    assert audit.EXAMPLES.items() <= audit.AUDITED.items()
    assert len(TABLES) + len(BITS) == len(audit.AUDITED)
    assert {type(spec) for spec in BITS.values()} == {type(s) for s in audit.NARROW.values()}


@pytest.mark.slow
@soak
def test_exact_every_word_goes_where_the_definition_says(blank):
    assert [*audit.exact(blank, SOURCE)] == []


@pytest.mark.slow
@soak
def test_statistical_draws_of_every_answer_fit_its_row_and_epsilon(blank):
    audit.load(blank, SOURCE)
    blank.evaluate(audit.IN_BLOCKS)
    assert [*audit.statistical_tables(blank, TABLES, DRAWS)] == []


@pytest.mark.slow
@soak
def test_statistical_every_subset_is_picked_equally_often_and_rounding_keeps_the_mean(blank):
    audit.load(blank, SOURCE)
    blank.evaluate(audit.IN_BLOCKS)
    assert [*audit.statistical_parts(blank, DRAWS // 5)] == []


@pytest.mark.slow
@soak
def test_statistical_with_a_call_of_the_generator_for_each_draw(blank):
    audit.load(blank, SOURCE)
    coin = {"two coin flips": TABLES["coin_flip(2)"]}
    assert [*audit.statistical_tables(blank, coin, DRAWS)] == []
    boxes = {"boxes": BITS["sampled_boxes(3, odds=3)"]}
    sample = audit.sampled(blank, boxes, DRAWS // 5)
    assert [*audit.statistical_bits(boxes, sample)] == []


def most_telling(spec: FactoredRandomizer) -> tuple[float, float]:
    """Two probabilities of the most informative event, with each of the extreme answers.

    For boxes, the event is that all reported ones are set. Otherwise, it is that the own one of two
    bits is set and the other is not.
    """
    one, other = audit.extremes(spec)
    if isinstance(spec, Boxes):
        ticked, clear = (float(spec.table.probability(0, row)) for row in (0, 1))
        return ticked**spec.sample, clear**spec.sample
    place = (one, other)
    return tuple(float(audit.together(spec, given, *place)[1]) for given in place)


@pytest.mark.slow
@soak
def test_statistical_bits_are_as_frequent_as_python_counts_on_and_tell_the_stated_epsilon(blank):
    """Bits alone, in pairs and in whole reports.

    An epsilon above the stated one breaks the promise and is a finding. From below, the logarithm
    of the ratio of both frequencies has the standard deviation computed here. The limits leave 7.6
    of it (1e-9 over 10 randomizers, 1,891 events and 4 limits). A further 6.4 are exceeded with
    probability 1e-10.
    """
    audit.load(blank, SOURCE)
    blank.evaluate(audit.IN_BLOCKS)
    samples = dict(audit.sampled(blank, BITS, DRAWS_OF_BITS))
    assert [*audit.statistical_bits(BITS, samples.items())] == []
    assert samples.keys() == BITS.keys()
    for name, spec in BITS.items():
        more, fewer = most_telling(spec)
        assert math.log(more / fewer) == pytest.approx(spec.epsilon, abs=1e-9)
        draws = sum(samples[name][audit.extremes(spec)[0]].values())
        deviation = math.sqrt(((1 - more) / more + (1 - fewer) / fewer) / draws)
        bound = audit.loss_bound(spec, samples[name], ALPHA / len(BITS))
        assert spec.epsilon - 14 * deviation < bound <= spec.epsilon
        assert 14 * deviation < 0.1 * spec.epsilon, "too few draws to tell"


@pytest.mark.slow
@soak
def test_joint_reports_to_two_questions_share_no_randomness(blank):
    assert [*audit.joint(blank, SOURCE, draws=RESPONDENTS_TO_TWO)] == []


@pytest.mark.plain
def test_instrumented_each_draw_takes_one_accepted_word_of_the_secure_generator(blank):
    assert audit.sources(blank, SOURCE) == []


def test_instrumented_without_secure_randomness_it_throws(blank):
    assert audit.fallbacks(blank, SOURCE) == []
    # The only reason is the missing randomness.
    [given] = audit.in_states(blank, SOURCE, [("", "")])
    assert None not in given


@pytest.mark.plain
def test_instrumented_what_is_no_table_or_protects_less_than_stated_is_refused(blank):
    assert audit.refusals(blank, SOURCE) == []


@pytest.mark.parametrize("name", audit.AUDITED)
def test_as_many_words_are_drawn_whatever_the_answer(blank, name):
    audit.load(blank, SOURCE)
    assert audit.thirst(blank, name, audit.AUDITED[name]) == []


def test_picking_takes_a_word_for_each_thing_and_rounding_one(blank):
    """With words that none of these redraws."""
    audit.load(blank, SOURCE)
    for first in range(8):
        words = list(range(first, first + 12))
        for size in range(8):
            [[taken, used]] = audit.replay(blank, "pick", 7, [[size, words]])
            assert (sum(taken), used) == (size, 7)
        for steps in range(12):
            [[_, used]] = audit.replay(blank, "round", steps, [[5, words]])
            assert used == 1


@pytest.mark.plain
def test_agrees_with_python_on_every_vector_of_tables(blank):
    """null in the file means that the word is redrawn.

    A zero follows here, so two words are used.
    """
    audit.load(blank, SOURCE)
    compared = 0
    for table in VECTORS["tables"]:
        cases, wanted = [], []
        for chosen, word, report in table["vectors"]:
            redrawn = report is None
            cases.append([chosen, [word, 0] if redrawn else [word]])
            after = write.report(table["rows"][chosen], 0)
            wanted.append([after, 2] if redrawn else [report, 1])
        assert audit.replay(blank, "randomize", table["rows"], cases) == wanted
        epsilon = blank.evaluate("randomizer.epsilon", table["rows"])
        assert epsilon == pytest.approx(table["epsilon"], abs=1e-11)
        compared += len(cases)
    assert compared > 5_000


@pytest.mark.plain
def test_agrees_with_python_on_every_vector_of_bits(blank):
    """All words of a tape are used, and no more."""
    audit.load(blank, SOURCE)
    compared = 0
    for record in VECTORS["bits"]:
        spec = {**record["bits"], "answers": list(range(record["answers"]))}
        cases = [[chosen, tape] for chosen, tape, _ in record["vectors"]]
        wanted = [[report, len(tape)] for _, tape, report in record["vectors"]]
        assert audit.replay(blank, "report", spec, cases) == wanted
        compared += len(cases)
    assert compared > 1_000


@pytest.mark.plain
def test_agrees_with_python_on_every_vector_of_rounding(blank):
    audit.load(blank, SOURCE)
    for steps, width, word, point in VECTORS["rounds"]:
        tape = [word] if point is not None else [word, 0]
        wanted = point if point is not None else write.point(steps, width, 0)
        assert audit.replay(blank, "round", steps, [[width, tape]]) == [[wanted, len(tape)]]


# The requests of the page to crypto.getRandomValues, which returns these 32-bit words in turn.
WATCHED = """
    globalThis.asked = [];
    Math.random = () => { asked.push('Math.random'); return 0; };
    const words = [2 ** 32 - 1, 0];
    crypto.getRandomValues = (array) => {
        asked.push(`${array.constructor.name} ${array.length}`);
        if (array instanceof Uint32Array) array[0] = words.shift();
        return array;
    };
"""


def test_the_page_draws_one_word_for_each_private_question_at_the_press_of_send(live, page):
    """The two words decide the reports in the request. Nothing else affects them."""
    first = yes_no("smokes")
    plain = yes_no("adult", privacy="none", label="Are you 18 or older?")
    second = yes_no("drinks", privacy={"mechanism": "warner", "p": "2/3"}, label="Do you drink?")
    opened(live.store, definition(first, plain, second))
    page.add_init_script(WATCHED)
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes", "No", "No")
    before = page.evaluate("asked.splice(0)")
    assert before == ["Uint8Array 16"], "the page draws before Send is pressed"
    with page.expect_request("**/responses") as sent:
        send(page)
    assert sorted(page.evaluate("asked")) == ["Uint32Array 1", "Uint32Array 1", "Uint8Array 16"]
    # 2^32 - 1 is ticket 3 of 3:1, a flip to No; 0 is ticket 0 of the row [1, 2], a flip to Yes.
    reports = sent.value.post_data_json["reports"]
    assert reports == {"smokes": "1", "adult": "1", "drinks": "0"}


# Words spread over the whole range, equal for each respondent, and the number of used words.
METERED = """
    globalThis.used = 0;
    const real = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = (array) => {
        if (!(array instanceof Uint32Array)) return real(array); // the id of the response
        used += 1;
        array[0] = Math.imul(used, 0x9e3779b9);
        return array;
    };
"""
LETTERS = [{"name": letter, "label": letter.upper()} for letter in "abcdefg"]
EVERY_KIND = definition(
    yes_no(),
    {
        "name": "weight", "type": "number", "label": "Weight?", "min": 30, "max": 150, "step": 1,
        "privacy": {"epsilon": 1}, "prefer_not_to_say": True, "relevant": {"smokes": ["yes"]},
    },
    {
        "name": "party", "type": "select_one", "label": "Party?", "choices": LETTERS,
        "privacy": {"mechanism": "subset_selection", "epsilon": 1}, "prefer_not_to_say": True,
    },
    {
        "name": "town", "type": "select_one", "label": "Town?", "choices": LETTERS,
        "privacy": {"mechanism": "optimized_unary_encoding", "epsilon": 1},
        "relevant": {"smokes": ["yes"]},
    },
    {
        "name": "drugs", "type": "select_multiple", "label": "Drugs?", "choices": LETTERS,
        "privacy": {"epsilon": 3}, "prefer_not_to_say": True, "relevant": {"smokes": ["yes"]},
    },
    {
        "name": "pets", "type": "select_multiple", "label": "Pets?", "choices": LETTERS[:3],
        "privacy": {"mechanism": "joint_boxes", "epsilon": 3}, "relevant": {"smokes": ["yes"]},
    },
)  # fmt: skip
# For each question, what is clicked or typed.
RESPONDENTS = [
    {"smokes": ["Yes"], "weight": "62", "party": ["A"], "town": ["G"], "drugs": ["A"], "pets": []},
    {"smokes": ["Yes"], "weight": "150", "party": ["G"], "town": ["A"], "drugs": [], "pets": ["A"]},
    {"smokes": ["No"], "party": ["Prefer not to say"]},
    {
        "smokes": ["Yes"], "weight": ["Prefer not to say"], "party": ["D"], "town": ["D"],
        "drugs": ["Prefer not to say"], "pets": ["A", "B", "C"],
    },
    {"smokes": ["Yes"], "weight": "30", "party": ["B"], "town": ["B"], "drugs": list("ABCDEFG"),
     "pets": ["C"]},
]  # fmt: skip


@pytest.mark.slow
def test_the_page_draws_as_many_words_whatever_is_answered_declined_or_not_asked(live, page):
    frozen = opened(live.store, EVERY_KIND, limits=WIDE)
    page.add_init_script(METERED)
    used, shapes = set(), set()
    for respondent in RESPONDENTS:
        start(page, f"{live.url}/s/health")
        for name, given in respondent.items():
            question = page.locator(f"[data-question={name}]")
            if isinstance(given, str):
                question.locator("input[type=text]").fill(given)
            else:
                for label in given:
                    question.locator("label").get_by_text(label, exact=True).click()
        with page.expect_request("**/responses") as sent:
            send(page)
        used.add(page.evaluate("used"))
        reports = sent.value.post_data_json["reports"]
        shapes.add(tuple((name, len(text)) for name, text in reports.items()))
        page.evaluate("sessionStorage.clear()")
    assert len(used) == len(shapes) == 1
    # A coin; a rounding and a table; 8 choices; 8 bits; some of 9 boxes; a table.
    boxes = frozen.survey.questions[4].randomizer
    assert used == {1 + 2 + 8 + 8 + 9 + boxes.sample + 1}
