"""static/randomizer.js samples the tables exactly, from secure randomness alone, or not at all.

audit.py says what each layer does and how rarely it raises a false alarm; test_audit.py breaks
the file in many ways to show that the layers notice.
"""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from survey.mechanisms import MECHANISMS
from tests.conftest import answer, definition, opened, send, yes_no
from tests.vectors import write

from . import audit

SOURCE = audit.SOURCE.read_text(encoding="utf-8")
COIN = {"two coin flips": audit.EXAMPLES["coin_flip(2)"]}


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    with audit.blank(browser) as page:
        yield page


def test_every_example_of_every_mechanism_is_audited():
    assert len(audit.EXAMPLES) == sum(len(m.examples) for m in MECHANISMS.values())
    assert audit.EXAMPLES.items() <= audit.AUDITED.items()


def test_exact_every_ticket_and_every_redraw_is_where_the_table_says(blank):
    assert audit.exact(blank, SOURCE) == []


def test_statistical_a_million_draws_of_every_answer_fit_its_row_and_epsilon(blank):
    assert audit.statistical(blank, SOURCE) == []


def test_statistical_with_a_call_of_the_generator_for_each_draw(blank):
    assert audit.statistical(blank, SOURCE, COIN, direct=True) == []


def test_joint_reports_to_two_questions_share_no_randomness(blank):
    assert audit.joint(blank, SOURCE) == []


def test_instrumented_each_draw_takes_one_accepted_word_of_the_secure_generator(blank):
    assert audit.sources(blank, SOURCE) == []


def test_instrumented_without_secure_randomness_it_throws(blank):
    assert audit.fallbacks(blank, SOURCE) == []


def test_instrumented_check_refuses_what_is_no_table_or_protects_less_than_stated(blank):
    assert audit.refusals(blank, SOURCE) == []


def test_agrees_with_python_on_every_vector(blank):
    """null in the file: the word is redrawn. Here a zero follows, and two words are used."""
    compared = 0
    audit.load(blank, SOURCE)
    for table in json.loads(write.FILE.read_text(encoding="utf-8")):
        cases, wanted = [], []
        for chosen, word, report in table["vectors"]:
            redrawn = report is None
            cases.append([chosen, [word, 0] if redrawn else [word]])
            after = write.report(table["rows"][chosen], 0)
            wanted.append([after, 2] if redrawn else [report, 1])
        assert audit.replay(blank, table["rows"], cases) == wanted
        assert blank.evaluate("randomizer.epsilon", table["rows"]) == pytest.approx(
            table["epsilon"], abs=1e-11
        )
        compared += len(cases)
    assert compared > 500


# what the page asks of crypto.getRandomValues, which answers with these 32-bit words in turn
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
    """The two words decide the reports in the request: nothing else has a say in them."""
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
    # 2^32 - 1 is ticket 3 of 3:1, a flip to No; 0 is ticket 0 of the row [1, 2], a flip to Yes
    reports = sent.value.post_data_json["reports"]
    assert reports == {"smokes": 1, "adult": 1, "drinks": 0}
