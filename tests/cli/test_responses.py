"""Commands that load and simulate responses, with published counts and every type."""

import csv
import io
import json
import random
import re

import pytest

from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.csv_export import responses_csv
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.every_type import (
    EVERY_TYPE,
    PICKED,
    PRIVATE,
    PRIVATE_FIELDS,
    SAMPLED,
    TRUTH,
    drawn,
    stored,
)
from tests.support.written import write

FIVE = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [{"name": name, "label": name.upper()} for name in "abcde"],
    "privacy": {
        "mechanism": "forced_response",
        "p_truth": 0.65,
        "p_forced": [0.1, 0.1, 0.05, 0.05, 0.05],
    },
}


@pytest.mark.parametrize(
    ("same", "estimate", "error"), [(198, 0.222581, 0.0547), (230, 0.016129, 0.0498)]
)
def test_published_crosswise_counts_loaded_and_estimated(run, tmp_path, same, estimate, error):
    """Jann, Jerke & Krumpal (2012): 310 respondents, p = 0.25, standard error with n - 1."""
    crosswise = yes_no("plagiarism", {"mechanism": "warner", "p": 0.25})
    run("survey", "import", write(tmp_path / "c.json", definition(crosswise, slug="crosswise")))
    lines = ["plagiarism", *["yes"] * same, *["no"] * (310 - same)]
    output = run("responses", "load", "crosswise", write(tmp_path / "c.csv", "\n".join(lines)))
    assert "310 responses loaded" in output
    results = json.loads(run("analyse", "estimate", "crosswise", "--json"))
    answer = results["questions"][0]["estimates"][0]
    assert results["n"] == 310
    assert results["origin"] == "loaded"
    assert answer["estimate"] == pytest.approx(estimate, abs=5e-7)
    assert answer["standard_error"] == pytest.approx(error, abs=5e-5)
    assert answer["estimate"] == pytest.approx((same / 310 - 0.75) / -0.5, abs=1e-10)
    closed = (same / 310 * (1 - same / 310) / 309) ** 0.5 / 0.5
    assert answer["standard_error"] == pytest.approx(closed, abs=1e-10)


def test_published_five_category_counts_loaded_and_estimated(run, tmp_path):
    run("survey", "import", write(tmp_path / "five.json", definition(FIVE, slug="five")))
    counts = dict(zip("abcde", [412, 301, 155, 92, 40], strict=True))
    lines = ["party"] + [name for name, count in counts.items() for _ in range(count)]
    run("responses", "load", "five", write(tmp_path / "five.csv", "\n".join(lines)))
    answers = json.loads(run("analyse", "estimate", "five", "--json"))["questions"][0]["estimates"]
    moments = [answer["estimate"] for answer in answers]
    assert [round(value, 4) for value in moments] == [0.48, 0.3092, 0.1615, 0.0646, -0.0154]
    forced = [0.1, 0.1, 0.05, 0.05, 0.05]
    closed = [(c / 1000 - f) / 0.65 for c, f in zip(counts.values(), forced, strict=True)]
    assert moments == pytest.approx(closed, abs=1e-10)
    likely = [round(answer["possible"], 4) for answer in answers]
    assert likely == [0.4734, 0.3044, 0.1591, 0.0631, 0]


def test_a_design_without_finite_epsilon_can_be_loaded_and_is_labelled(run, tmp_path):
    forced_yes = yes_no(privacy={"mechanism": "table", "rows": [[6, 0], [1, 5]]})
    run("survey", "import", write(tmp_path / "x.json", definition(forced_yes)))
    run("responses", "load", "health", write(tmp_path / "x.csv", "smokes\nyes\nno\nno\n"))
    assert "no finite ε" in run("analyse", "estimate", "health")
    assert "no finite ε" in run("survey", "list")


def test_a_fault_in_the_last_line_loads_nothing(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    file = write(tmp_path / "x.csv", "smokes\n" + "yes\n" * 20 + "maybe\n")
    assert "Line 22, column smokes" in run("responses", "load", "health", file, code=1)
    assert store.surveys.by_slug("health").state == "draft"


def test_loading_twice_is_refused_unless_asked_for(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    file = write(tmp_path / "x.csv", "smokes\nyes\n")
    run("responses", "load", "health", file)
    assert "use --append" in run("responses", "load", "health", file, code=1)
    run("responses", "load", "health", file, "--append")
    assert store.counts.by_question("health") == {"smokes": {0: 2}}


def test_a_number_that_can_mean_two_is_loaded_with_its_decimal_mark(run, store, tmp_path):
    pay = {"name": "pay", "type": "number", "label": "?", "privacy": "none", "min": 0, "max": 9000}
    run("survey", "import", write(tmp_path / "x.json", definition(pay)))
    file = write(tmp_path / "x.csv", "pay\n1.000\n7\n")
    refused = run("responses", "load", "health", file, code=1)
    assert "Line 2, column pay: the cell '1.000' can mean 1 or 1000" in refused
    assert "not ';'" in run("responses", "load", "health", file, "--decimal-mark", ";", code=1)
    run("responses", "load", "health", file, "--decimal-mark", "pay=,")
    assert store.counts.by_question("health") == {"pay": {1000: 1, 7: 1}}


def test_a_file_that_is_not_utf_8_is_refused(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    (tmp_path / "x.csv").write_bytes(b"smokes\n\xff\n")
    assert "not UTF-8" in run("responses", "load", "health", str(tmp_path / "x.csv"), code=1)


def test_simulated_respondents_are_marked_and_repeatable(run, store, tmp_path):
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    counts = []
    for slug in ("one", "two"):
        run("survey", "import", write(tmp_path / "x.json", definition(slug=slug)))
        output = run("responses", "simulate", slug, "--n", "500", "--truth", truth, "--seed", "3")
        assert "500 simulated respondents added" in output
        counts.append(store.counts.by_question(slug))
    assert counts[0] == counts[1]
    assert sum(counts[0]["smokes"].values()) == 500
    assert "closed, simulated, 500 responses" in run("survey", "list")
    assert "Responses: simulated." in run("analyse", "estimate", "one")


def test_derived_answers_are_calculated_or_drawn_as_the_file_says(run, store, tmp_path):
    content = definition(
        unsent("sad"), unsent("tired"), derived("high", {"any": {"sad": ["often"]}}), slug="one"
    )
    often = {"never": 0, "some": 0, "often": 1}
    truth = {"sad": often, "tired": often}
    for slug, more, expected in (("one", {}, 0.576), ("two", {"high": {"yes": 0}}, 0.212)):
        run("survey", "import", write(tmp_path / "x.json", content | {"slug": slug}))
        file = write(tmp_path / "truth.json", truth | more)
        run("responses", "simulate", slug, "--n", "5000", "--truth", file, "--seed", "3")
        reports = store.counts.by_question(slug)
        assert set(reports) == {"high"}
        # Of three answers at ε = 1, 57.6 % of those with Yes report it, and 21.2 % of the others.
        # Five standard errors.
        assert reports["high"][0] / 5000 == pytest.approx(expected, abs=0.035)
    missing = write(tmp_path / "truth.json", {"sad": often})
    run("survey", "import", write(tmp_path / "x.json", content | {"slug": "three"}))
    refused = run("responses", "simulate", "three", "--n", "5", "--truth", missing, code=1)
    assert "The true shares of 'tired' must be an object" in refused


def test_simulating_twice_adds_respondents(run, store, tmp_path):
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    run("survey", "import", write(tmp_path / "x.json", definition()))
    for _ in range(2):
        run("responses", "simulate", "health", "--n", "50", "--truth", truth, "--seed", "3")
    assert sum(store.counts.by_question("health")["smokes"].values()) == 100


@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED], ids=["all reported", "three picked"])
def test_what_is_exported_and_loaded_into_a_copy_has_the_same_estimates(
    run, store, app, tmp_path, content
):
    """Reports of every form and texts of every kind survive a file unchanged."""
    sample = PICKED if content is SAMPLED else None
    file = write(tmp_path / "x.json", content)
    run("survey", "import", file)
    r = random.Random(4)
    responses = [Response(r.randbytes(16), stored(drawn(r, sample))) for _ in range(300)]
    frozen = freeze(parse_survey(content), to_open=False)
    store.surveys.freeze(frozen, "closed")
    store.responses.add_batches("health", [responses], "loaded")
    exported = "".join(responses_csv(frozen, store.responses.rows("health")))
    copy = write(tmp_path / "copy.json", content | {"slug": "copy"})
    run("survey", "import", copy)
    (tmp_path / "x.csv").write_bytes(exported.encode())
    assert "300 responses loaded" in run("responses", "load", "copy", str(tmp_path / "x.csv"))
    assert store.counts.by_question("copy") == store.counts.by_question("health")
    one, other = (
        json.loads(run("analyse", "estimate", slug, "--json")) for slug in ("health", "copy")
    )
    assert one["questions"] == other["questions"]
    assert {*one["questions"][0]["reports"]} == {"yes", "no", "prefer_not_to_say"}
    # A second export has the same rows in another order, that of its new random ids.
    again = "".join(
        responses_csv(store.surveys.by_slug("copy").frozen, store.responses.rows("copy"))
    )
    assert sorted(rows_of(again)) == sorted(rows_of(exported))
    assert rows_of(again)[0] == rows_of(exported)[0]


def rows_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_every_type_is_simulated_listed_and_estimated_in_words(run, store, tmp_path):
    for content, slug, n in ((EVERY_TYPE, "all", 3_000), (SAMPLED, "some", 3_001)):
        run("survey", "import", write(tmp_path / "x.json", content | {"slug": slug}))
        truth = write(tmp_path / "truth.json", TRUTH)
        arguments = ("--n", str(n), "--truth", truth, "--seed", "6")
        assert f"{n} simulated" in run("responses", "simulate", slug, *arguments)
    assert run("survey", "list").splitlines() == [
        "some: closed, simulated, 3001 responses, epsilon 5.10 + 5 non-private questions",
        "all: closed, simulated, 3000 responses, epsilon 10.10 + 5 non-private questions",
    ]
    output = run("analyse", "estimate", "all")
    for line in (
        "What of tried?  (epsilon 2.00)",
        "What of weight?  (epsilon 1.00)",
        "These reports allow an estimate of the mean only, not of the standard deviation, "
        "quantiles or a histogram.",
        "What of years?  (stored as given)",
        "0 of 3,000 respondents wrote a text.",
    ):
        assert line in output
    for label in ("Mean", "Standard deviation", "Median", "Mean, 1 = 1, 5 = 5", "Not asked", "V"):
        line = rf"^  {label}: .* \(.*95 % interval .* to .*\)$"
        assert re.search(line, output, re.MULTILINE), label
    assert "np.float64" not in output


def test_responses_are_counted_where_no_question_has_all_of_them(run, tmp_path):
    """Three of eight questions are picked, and none is plain.

    A response counts once in every form.
    """
    content = definition(*PRIVATE, budget={"per_respondent": {"sample": 3}})
    run("survey", "import", write(tmp_path / "x.json", content))
    truth = {question["name"]: TRUTH[question["name"]] for question in PRIVATE}
    file = write(tmp_path / "truth.json", truth)
    run("responses", "simulate", "health", "--n", "301", "--truth", file)
    assert "simulated, 301 responses, epsilon" in run("survey", "list")
    results = json.loads(run("analyse", "estimate", "health", "--json"))
    assert results["n"] == 301
    assert sum(question["n"] for question in results["questions"]) == 3 * 301


def test_the_same_seed_simulates_the_same_reports_of_every_type(run, store, tmp_path):
    truth = write(tmp_path / "truth.json", TRUTH)
    counts = []
    for slug, seed in (("one", "1"), ("two", "1"), ("three", "2")):
        run("survey", "import", write(tmp_path / "x.json", SAMPLED | {"slug": slug}))
        run("responses", "simulate", slug, "--n", "300", "--truth", truth, "--seed", seed)
        counts.append(store.counts.by_question(slug))
    assert counts[0] == counts[1] != counts[2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"smokes": ...},
            "The true shares of 'smokes' must be an object: the share of each choice: yes, no",
        ),
        (
            {"years": 40},
            'The true shares of \'years\' must be an object: {"mean": ..., "sd": ...}, or',
        ),
        ({"welcome": {}}, "'welcome' is not a question of this survey"),
        ({"remarks": {"a": 1}}, "'remarks' is not a question of this survey"),
        (
            {"party": {"a": 0.5}},
            "The shares of 'b', 'c', 'd', 'e', 'f', 'g', 'h' of 'party' are missing.",
        ),
        (
            {"party": dict.fromkeys("abcdefgh", 0.1)},
            "The shares of 'party' add up to 0.8. Make them add up to 1",
        ),
        ({"mood": {"1": 0.9, "2": 0.2}}, "The shares of 'mood' add up to 1.1"),
        ({"tried": {"v": 1.5}}, "The share of 'v' must be a number from 0 to 1."),
        ({"tried": {"a": 0.5}}, "'tried' has no choice 'a'."),
        ({"colour": {"r": True}}, "The share of 'r' must be a number"),
        ({"glasses": {"mean": 6, "sd": 0}}, "'glasses': mean and sd must be numbers, with sd > 0."),
        ({"glasses": {"mean": float("nan"), "sd": 1}}, "'glasses': mean and sd must be numbers"),
        ({"glasses": {"mean": 1e9, "sd": 1}}, "'glasses': this mean is too far outside"),
        ({"glasses": {"5": 0.5, "41": 0.5}}, "'glasses' has no value '41'."),
        ({"glasses": {"5": 0.5}}, "The shares of 'glasses' add up to 0.5, not 1."),
        ({"glasses": {"mean": 6, "sd": 2, "prefer_not_to_say": 0.1}}, "no choice 'prefer_not"),
    ],
)
def test_a_truth_with_a_fault_names_the_question_and_adds_nothing(
    run, store, tmp_path, change, words
):
    run("survey", "import", write(tmp_path / "x.json", EVERY_TYPE))
    content = {name: value for name, value in (TRUTH | change).items() if value is not ...}
    truth = write(tmp_path / "truth.json", content)
    assert words in run("responses", "simulate", "health", "--n", "5", "--truth", truth, code=1)
    assert store.surveys.by_slug("health").state == "draft"


def cells_of(change, content=SAMPLED):
    """A responses.csv with a valid response and one with these changed cells."""
    r = random.Random(1)
    reports = stored(drawn(r, PICKED if content is SAMPLED else None))
    rows = rows_of(
        "".join(responses_csv(freeze(parse_survey(content), to_open=False), [reports, reports]))
    )
    rows[2] = [
        change.get(name.replace(".randomised", ""), cell)
        for name, cell in zip(rows[0], rows[2], strict=True)
    ]
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"smokes": "maybe"}, "Line 3, column smokes: 'maybe' is not a value of this column."),
        ({"party/a": "2"}, "Line 3, column party: '2' is no report on a choice. Write 1"),
        ({f"party/{name}": "1" for name in "abcdefgh"}, "exactly 2 of the 8 cells must be 1."),
        ({"tried/v": "1", "tried/w": "1", "tried/x": "0", "tried/y": "", "tried/z": ""},
         "Line 3, column tried: fill exactly 2 cells of this question with 1 or 0, and leave"),
        ({f"pets/{name}": "1" for name in ("c", "d", "f", "prefer_not_to_say")},
         "Line 3, column pets: the cells 1, 1, 1, 1 cannot occur together. Write 1 for each"),
        ({"mood": "6"}, "Line 3, column mood: '6' is not a value of this column."),
        ({"glasses": "1.5"}, "Line 3, column glasses: '1.5' is not a value"),
        ({"years": "121"}, "Line 3, column years: '121' is not a value"),
        ({"years": ""}, "Line 3, column years: an empty cell is not a value"),
        ({"region": "x"}, "Line 3, column region: 'x' is not a value"),
        ({"news/p": ""}, "Line 3, column news: fill all 3 cells of this question"),
        ({"remarks": "x" * 1_001}, "Line 3, column remarks: a text is at most 1000"),
    ],
    ids=lambda case: case[:40] if isinstance(case, str) else None,
)  # fmt: skip
def test_a_cell_that_is_no_report_is_refused_by_line_and_question(
    run, store, tmp_path, change, words
):
    run("survey", "import", write(tmp_path / "x.json", EVERY_TYPE))
    file = write(tmp_path / "x.csv", cells_of(change, EVERY_TYPE))
    assert words in run("responses", "load", "health", file, code=1)
    assert store.surveys.by_slug("health").state == "draft"


def test_a_line_that_reports_on_more_or_fewer_questions_than_are_picked_is_refused(
    run, store, tmp_path
):
    run("survey", "import", write(tmp_path / "x.json", SAMPLED))
    header, _, some = rows_of(cells_of({}))
    _, _, every = rows_of(cells_of({}, EVERY_TYPE))
    for name in PRIVATE_FIELDS:
        columns = [column.replace(".randomised", "") for column in header]
        places = [k for k, column in enumerate(columns) if column.partition("/")[0] == name]
        picked = any(some[place] for place in places)
        change = {columns[place]: "" if picked else every[place] for place in places}
        file = write(tmp_path / "x.csv", cells_of(change))
        refused = run("responses", "load", "health", file, code=1)
        assert "Line 3: a response must report on exactly 3 private questions" in refused
    assert store.surveys.by_slug("health").state == "draft"
    run("responses", "load", "health", write(tmp_path / "x.csv", cells_of({})))
    assert "closed, loaded, 2 responses" in run("survey", "list")


def test_an_open_survey_is_not_turned_into_a_simulated_one(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()), "--open")
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    refused = run("responses", "simulate", "health", "--n", "5", "--truth", truth, code=1)
    assert "is open to respondents" in refused
    assert (store.surveys.by_slug("health").state, store.surveys.by_slug("health").origin) == (
        "open",
        "browser",
    )
