"""The commands, run by Flask's own runner."""

import csv
import io
import json
import os
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app import create_app
from survey.analysis.columns.column_request import analysed
from survey.analysis.tables.crosstabs import crosstab
from survey.central_dp.bounded_sums import count_answers
from survey.central_dp.noisy_sums import noises_of
from survey.cli import greeting
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import responses_csv
from survey.server.clock import today
from survey.web import auth
from survey.web.demo import (
    CURATORS,
    DEPRESSION,
    DEPRESSION_RESPONDENTS,
    HEALTH_SLUG,
    OPEN_SLUG,
    SEED,
    YEARS,
    add_demo,
    depression_answers,
    draw_phq9,
)
from survey.web.titanic_people import titanic_groups
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
from tests.support.project import ROOT
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


def test_a_definition_is_imported_listed_and_opened(run, store, tmp_path):
    file = write(tmp_path / "health.json", definition())
    assert run("survey", "import", file) == "health: draft, 1 question\n"
    assert run("survey", "list") == "health: draft, 0 responses, epsilon 1.10\n"
    other = write(tmp_path / "other.json", definition(slug="other"))
    assert run("survey", "import", other, "--open") == "other: open, 1 question\n"
    assert store.surveys.by_slug("other").state == "open"


def test_opening_a_class_says_when_it_is_erased(run, store, tmp_path):
    file = write(tmp_path / "class.json", definition(class_mode=True, batch=5))
    assert run("survey", "import", file, "--open").splitlines() == [
        "health: open, 1 question",
        "health: in class mode, so Candor erases it at the end of tomorrow (UTC)",
    ]
    assert store.surveys.by_slug("health").last_class_day == today() + timedelta(days=1)
    draft = write(tmp_path / "draft.json", definition(class_mode=True, batch=5, slug="draft"))
    assert run("survey", "import", draft) == "draft: draft, 1 question\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "This is not JSON"),
        (definition(slug="A"), "slug: is 'A'"),
        (
            definition(yes_no(privacy={"epsilon": 0})),
            "questions[0].privacy: epsilon must be above 0",
        ),
    ],
)
def test_a_faulty_definition_is_a_sentence_and_stores_nothing(run, store, tmp_path, content, words):
    assert words in run("survey", "import", write(tmp_path / "x.json", content), code=1)
    assert store.surveys.all() == []


def test_a_survey_without_finite_epsilon_is_not_opened_and_not_stored(run, store, tmp_path):
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    file = write(tmp_path / "x.json", definition(one_sided))
    assert "no finite epsilon" in run("survey", "import", file, "--open", code=1)
    assert store.surveys.all() == []


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


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"PORT": "http"}, "Candor cannot start. PORT is 'http'"),
        ({"CANDOR_DATABASE": "."}, "Candor cannot start. The database cannot be used"),
    ],
)
def test_what_keeps_it_from_starting_is_a_sentence(monkeypatch, tmp_path, environment, words):
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=words):
        create_app()


def test_estimates_in_words(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    assert "is a draft" in run("analyse", "estimate", "health", code=1)
    run("responses", "load", "health", write(tmp_path / "x.csv", "smokes\n" + "no\n" * 9 + "yes\n"))
    output = run("analyse", "estimate", "health")
    assert "10 responses, epsilon 1.10" in output
    assert "Yes: −30 % (standard error 20.0 points; 95 % interval 0 % to " in output
    assert "is below 0 %" in output


def test_few_responses_are_not_estimated_in_words_but_as_json(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    run("responses", "load", "health", write(tmp_path / "x.csv", "smokes\n" + "no\n" * 4))
    output = run("analyse", "estimate", "health")
    assert "4 responses are too few to show an estimate. Here, Candor shows" in output
    assert "interval" not in output
    (question,) = json.loads(run("analyse", "estimate", "health", "--json"))["questions"]
    assert question["estimates"][0]["estimate"] == pytest.approx(-0.5)


def test_unknown_surveys_are_a_sentence(run, tmp_path):
    assert "There is no survey 'x'" in run("analyse", "estimate", "x", code=1)
    truth = write(tmp_path / "truth.json", {})
    assert "no survey" in run("responses", "simulate", "x", "--n", "5", "--truth", truth, code=1)
    truth = write(tmp_path / "truth.json", "{")
    run("survey", "import", write(tmp_path / "x.json", definition()))
    for content in ("{", "[" * 100_000):
        write(tmp_path / "truth.json", content)
        refused = run("responses", "simulate", "health", "--n", "5", "--truth", truth, code=1)
        assert "is not valid JSON" in refused


# --- a survey of every type


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


def test_accounts_are_made_with_a_password_from_standard_input(run, store):
    run("account", "create", "ada", input="correct horse battery\n")
    made = store.accounts.by_name("ada")
    assert auth.check_password_hash(made.password_hash, "correct horse battery")
    assert made.password_hash.startswith("scrypt:")
    assert "already" in run("account", "create", "ada", input="correct horse battery\n", code=1)
    assert "at least 12 characters" in run("account", "create", "bob", input="short\n", code=1)
    assert "Use at most 64 characters: letters, digits" in run(
        "account", "create", "b b", input="x" * 12, code=1
    )


def test_the_demo_is_two_open_surveys_and_nine_simulated_ones(run, store, settings):
    add_demo(store)
    assert run("survey", "list").splitlines() == [
        "smoking-and-exams: open, 0 responses, epsilon 2.49",
        "health-habits: open, 0 responses, epsilon 4.00 + 2 non-private questions",
        "smoking-and-exams-simulated: closed, simulated, 2000 responses, epsilon 2.49",
        "health-habits-simulated: closed, simulated, 5000 responses, epsilon 4.00 + 2 "
        "non-private questions",
        "thai-weights: closed, simulated, 10000 responses, epsilon 2.00",
        "vietnamese-smokers: closed, simulated, 10000 responses, epsilon 1.00",
        "thai-weights-curator: closed, simulated, 1000 responses, not protected",
        "vietnamese-smokers-curator: closed, simulated, 10000 responses, not protected",
        "drinking-and-driving: closed, simulated, 3000 responses, epsilon 2.20",
        "depression-scores: closed, simulated, 3000 responses, epsilon 2.00 + 1 non-private "
        "question",
        "titanic: closed, simulated, 2201 responses, epsilon 1.10 + 4 non-private questions",
    ]
    text = greeting(store, settings, "token")
    for slug in (OPEN_SLUG, HEALTH_SLUG):
        assert f"http://127.0.0.1:8000/s/{slug}\n" in text
    assert "simulated" not in text
    assert "http://127.0.0.1:8000/admin/setup?token=token" in text
    assert "Warning" not in text


def test_the_demos_estimates_are_near_the_truth_they_are_drawn_from(run, store):
    """The demo contains its seed, so the draws are the same each time.

    Each interval has a probability of 95 %, and here all of them contain the truth.
    """
    add_demo(store)
    smokers = json.loads(run("analyse", "estimate", "vietnamese-smokers", "--json"))["questions"][0]
    assert_holds(smokers["estimates"][0], 0.225)
    weight = json.loads(run("analyse", "estimate", "thai-weights", "--json"))["questions"][0]
    assert_holds(next(e for e in weight["estimates"] if e["measure"] == "mean"), 62.5)
    deviation = next(e for e in weight["estimates"] if e["measure"] == "deviation")
    assert 8 < deviation["estimate"] < 14
    score = json.loads(run("analyse", "estimate", "depression-scores", "--json"))["questions"][-1]
    assert_holds(score["estimates"][0], 0.232)
    # At ε = 2, the variance of a share is at most 0.431 / n. The estimate divides by n - 1.
    assert score["estimates"][0]["standard_error"] <= (0.431 / 2_999) ** 0.5


def test_the_demo_of_two_habits_has_its_shares_and_cross_table(store):
    """Four intervals of 95 % that all hold the truth, for the seed of the demo."""
    add_demo(store)
    stored = store.surveys.by_slug("drinking-and-driving")
    rows = list(store.responses.rows(stored.survey.slug))
    counts = {"habits": Counter(report for (report,) in rows)}
    habits = survey_results(freeze(stored.survey), counts, "simulated").questions[-1]
    for item, true in zip(habits.items, (0.4, 0.15), strict=True):
        assert item.answers[0].low < true < item.answers[0].high
    columns, _ = analysed(stored.survey, rows, ["habits/drunk", "habits/drove"])
    table = crosstab(columns)
    for cell, true in ((0, 0.3), (2, 0.05)):
        share = table.of_row[cell]
        assert share is not None and share.low < true < share.high
    # The odds ratio is (0.3 / 0.7) / (0.05 / 0.95).
    (ratio,) = table.odds_ratios
    assert ratio is not None and ratio.low < 8.14 < ratio.high


def test_the_scores_of_the_demo_are_those_of_correlated_items():
    """The introduction states the true share, and the published α is 0.89."""
    generator = np.random.default_rng(SEED)
    years = generator.choice(len(YEARS), size=DEPRESSION_RESPONDENTS, p=list(YEARS.values()))
    points = draw_phq9(years, generator)
    assert points.shape == (DEPRESSION_RESPONDENTS, 9)
    assert set(np.unique(points)) == {0, 1, 2, 3}
    scores = points.sum(axis=1)
    answers = depression_answers(np.random.default_rng(SEED))
    assert np.array_equal(answers["phq9_10_or_more"] == 0, scores >= 10)
    share = f"{100 * np.mean(scores >= 10):.1f} %"
    assert share in DEPRESSION["introduction"]
    alpha = 9 / 8 * (1 - points.var(axis=0).sum() / scores.var())
    assert alpha == pytest.approx(0.89, abs=0.01)


def test_the_demos_of_a_curator_have_a_release_with_noise_within_a_budget(store):
    """The drawn values are stored, and they are near the sums of the simulated answers."""
    add_demo(store)
    for demo, within in zip(CURATORS, (3, 3_595), strict=True):
        slug = demo.definition["slug"]
        stored = store.surveys.by_slug(slug)
        [release] = store.releases.ledger(slug)
        answers = count_answers(stored.survey, release.request, store.responses.rows(slug))
        [noise] = noises_of(stored.survey, release.request, release.n)
        assert noise.within == within
        [total] = noise.part.sum_of(answers)
        # The draws keep the bound that holds with a probability of 95 %, and are not the sums.
        assert 0 < abs(release.drawn[0][0] - total) <= within
        assert store.releases.budget(slug) == demo.budget


def test_the_titanic_of_the_demo_has_its_people_and_a_tree_either_way(run, store):
    """Each group has its numbers of the table, and both trees split by sex first.

    The reports are drawn with a seed, so they are the same each time. Of 711 survivors and 1,490
    others, 3/4 and 1/4 report Yes, 905.75 on average with a standard deviation of 20.3. Here the
    number is within two of these, and the interval of the estimate contains the true share.
    """
    add_demo(store)
    rows = [tuple(map(int, row)) for row in store.responses.rows("titanic")]
    # Rows of the database are in no order. Yes is 0.
    people = Counter(row[:4] for row in rows)
    expected = Counter(
        {(*who, fate): many for who, fates in titanic_groups() for fate, many in enumerate(fates)}
    )
    assert people == +expected
    assert abs(sum(row[4] == 0 for row in rows) - 905.75) < 2 * 20.3
    coins = json.loads(run("analyse", "estimate", "titanic", "--json"))["questions"][-1]
    assert_holds(next(e for e in coins["estimates"] if e["answer"] == "yes"), 711 / 2201)
    for target in ("survived", "survived_by_coins"):
        predictors = [f"--predictors={each}" for each in ("class", "sex", "age")]
        grown = run("analyse", "tree", "titanic", "--target", target, *predictors)
        assert re.search(r"All respondents +Sex +100\.0 % .* 0\.1\d\d +0\.\d\d\d +below 0", grown)


def assert_holds(estimate, truth):
    assert estimate["low"] <= truth <= estimate["high"]


def test_an_open_address_without_https_gets_a_warning(settings, store):
    assert "without https" in greeting(store, replace(settings, host="0.0.0.0"), None)
    safe = replace(settings, host="0.0.0.0", url="https://survey.example.org")
    assert "Warning" not in greeting(store, safe, None)


@pytest.mark.slow
def test_a_start_that_fails_leaves_the_link_of_a_running_one_good(settings, store):
    store.accounts.set_setup_token("running")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        # It runs in its own process, since a failed start ends its process.
        second = subprocess.run(
            [sys.executable, "-m", "flask", "--app", "app", "serve"],
            cwd=ROOT,
            env={**os.environ, "CANDOR_DATABASE": settings.database, "PORT": port},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert second.returncode == 1
    assert "set PORT to another number" in second.stderr
    assert "Traceback" not in second.stderr
    assert store.accounts.setup_token_is("running")


def test_an_open_survey_is_not_turned_into_a_simulated_one(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()), "--open")
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    refused = run("responses", "simulate", "health", "--n", "5", "--truth", truth, code=1)
    assert "is open to respondents" in refused
    assert (store.surveys.by_slug("health").state, store.surveys.by_slug("health").origin) == (
        "open",
        "browser",
    )


def test_compacting(run):
    assert "compacted" in run("database", "compact")
