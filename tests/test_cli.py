"""The commands, through Flask's own runner."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest

from app import create_app
from survey import auth
from survey.cli import greeting
from survey.demo import OPEN_SLUG, SIMULATED_SLUG, add_demo
from tests.conftest import ROOT, definition, yes_no

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


@pytest.fixture
def run(app, tmp_path, monkeypatch):
    """Runs a command in an empty folder and gives what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0, **options):
        result = app.test_cli_runner().invoke(args=arguments, **options)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result.stdout if code == 0 else result.output

    return run


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_a_definition_is_imported_listed_and_opened(run, store, tmp_path):
    file = write(tmp_path / "health.json", definition())
    assert run("survey", "import", file) == "health: draft, 1 questions\n"
    assert run("survey", "list") == "health: draft, 0 responses, epsilon 1.0986\n"
    other = write(tmp_path / "other.json", definition(slug="other"))
    assert run("survey", "import", other, "--open") == "other: open, 1 questions\n"
    assert store.survey("other").state == "open"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "This is not JSON"),
        (definition(slug="A"), "slug: is 'A'"),
        (definition(yes_no(privacy={"epsilon": 0})), "questions[0].privacy: epsilon is above 0"),
    ],
)
def test_a_faulty_definition_is_a_sentence_and_stores_nothing(run, store, tmp_path, content, words):
    assert words in run("survey", "import", write(tmp_path / "x.json", content), code=1)
    assert store.surveys() == []


def test_a_survey_without_finite_epsilon_is_not_opened_and_not_stored(run, store, tmp_path):
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    file = write(tmp_path / "x.json", definition(one_sided))
    assert "no finite epsilon" in run("survey", "import", file, "--open", code=1)
    assert store.surveys() == []


@pytest.mark.parametrize(
    ("same", "estimate", "error"), [(198, 0.222581, 0.0547), (230, 0.016129, 0.0498)]
)
def test_published_crosswise_counts_loaded_and_estimated(run, tmp_path, same, estimate, error):
    """Jann, Jerke & Krumpal (2012): 310 respondents, p = 0.25, standard error with n - 1."""
    crosswise = yes_no("plagiarism", {"mechanism": "warner", "p": 0.25})
    run("survey", "import", write(tmp_path / "c.json", definition(crosswise, slug="crosswise")))
    lines = ["plagiarism", *["yes"] * same, *["no"] * (310 - same)]
    output = run("survey", "load", "crosswise", write(tmp_path / "c.csv", "\n".join(lines)))
    assert "310 responses loaded" in output
    results = json.loads(run("survey", "estimate", "crosswise", "--json"))
    answer = results["questions"][0]["answers"][0]
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
    run("survey", "load", "five", write(tmp_path / "five.csv", "\n".join(lines)))
    answers = json.loads(run("survey", "estimate", "five", "--json"))["questions"][0]["answers"]
    moments = [answer["estimate"] for answer in answers]
    assert [round(value, 4) for value in moments] == [0.48, 0.3092, 0.1615, 0.0646, -0.0154]
    forced = [0.1, 0.1, 0.05, 0.05, 0.05]
    closed = [(c / 1000 - f) / 0.65 for c, f in zip(counts.values(), forced, strict=True)]
    assert moments == pytest.approx(closed, abs=1e-10)
    likely = [round(answer["most_likely"], 4) for answer in answers]
    assert likely == [0.4734, 0.3044, 0.1591, 0.0631, 0]


def test_a_design_without_finite_epsilon_can_be_loaded_and_is_labelled(run, tmp_path):
    forced_yes = yes_no(privacy={"mechanism": "table", "rows": [[6, 0], [1, 5]]})
    run("survey", "import", write(tmp_path / "x.json", definition(forced_yes)))
    run("survey", "load", "health", write(tmp_path / "x.csv", "smokes\nyes\nno\nno\n"))
    assert "no finite epsilon" in run("survey", "estimate", "health")
    assert "no finite epsilon" in run("survey", "list")


def test_a_fault_in_the_last_line_loads_nothing(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    file = write(tmp_path / "x.csv", "smokes\n" + "yes\n" * 20 + "maybe\n")
    assert "Line 22, column smokes" in run("survey", "load", "health", file, code=1)
    assert store.survey("health").state == "draft"


def test_loading_twice_is_refused_unless_asked_for(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    file = write(tmp_path / "x.csv", "smokes\nyes\n")
    run("survey", "load", "health", file)
    assert "use --append" in run("survey", "load", "health", file, code=1)
    run("survey", "load", "health", file, "--append")
    assert store.counts("health") == {"smokes": [2, 0]}


def test_a_file_that_is_not_utf_8_is_refused(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    (tmp_path / "x.csv").write_bytes(b"smokes\n\xff\n")
    assert "not UTF-8" in run("survey", "load", "health", str(tmp_path / "x.csv"), code=1)


def test_simulated_respondents_are_marked_and_repeatable(run, store, tmp_path):
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    counts = []
    for slug in ("one", "two"):
        run("survey", "import", write(tmp_path / "x.json", definition(slug=slug)))
        output = run("survey", "simulate", slug, "--n", "500", "--truth", truth, "--seed", "3")
        assert "500 simulated respondents added" in output
        counts.append(store.counts(slug))
    assert counts[0] == counts[1]
    assert sum(counts[0]["smokes"]) == 500
    assert "closed, simulated, 500 responses" in run("survey", "list")
    assert "Responses: simulated." in run("survey", "estimate", "one")


def test_simulating_twice_adds_respondents(run, store, tmp_path):
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    run("survey", "import", write(tmp_path / "x.json", definition()))
    for _ in range(2):
        run("survey", "simulate", "health", "--n", "50", "--truth", truth, "--seed", "3")
    assert sum(store.counts("health")["smokes"]) == 100


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
    assert "is a draft" in run("survey", "estimate", "health", code=1)
    run("survey", "load", "health", write(tmp_path / "x.csv", "smokes\n" + "no\n" * 9 + "yes\n"))
    output = run("survey", "estimate", "health")
    assert "10 responses, epsilon 1.0986" in output
    assert "Yes: −30.0 % (standard error 20.0 %; 95 % interval 0.0 % to " in output
    assert "is below 0 %" in output


def test_unknown_surveys_are_a_sentence(run, tmp_path):
    assert "There is no survey 'x'" in run("survey", "estimate", "x", code=1)
    truth = write(tmp_path / "truth.json", {})
    assert "no survey" in run("survey", "simulate", "x", "--n", "5", "--truth", truth, code=1)
    truth = write(tmp_path / "truth.json", "{")
    run("survey", "import", write(tmp_path / "x.json", definition()))
    for content in ("{", "[" * 100_000):
        write(tmp_path / "truth.json", content)
        refused = run("survey", "simulate", "health", "--n", "5", "--truth", truth, code=1)
        assert "is not JSON" in refused


def test_accounts_are_made_with_a_password_from_standard_input(run, store):
    run("admin", "create", "ada", input="correct horse battery\n")
    assert auth.check_password_hash(store.password_hash("ada"), "correct horse battery")
    assert store.password_hash("ada").startswith("scrypt:")
    assert "already" in run("admin", "create", "ada", input="correct horse battery\n", code=1)
    assert "12 to 1000 characters" in run("admin", "create", "bob", input="short\n", code=1)
    assert "A name has letters" in run("admin", "create", "b b", input="x" * 12, code=1)


def test_the_demo_is_an_open_survey_and_a_simulated_one(store, settings):
    add_demo(store)
    assert store.survey(OPEN_SLUG).state == "open"
    simulated = store.survey(SIMULATED_SLUG)
    assert (simulated.state, simulated.origin) == ("closed", "simulated")
    assert sum(store.counts(SIMULATED_SLUG)["smokes"]) == 2_000
    text = greeting(store, settings, "token")
    assert f"http://127.0.0.1:8000/s/{OPEN_SLUG}" in text
    assert "http://127.0.0.1:8000/admin/setup?token=token" in text
    assert "Warning" not in text


def test_an_open_address_without_https_gets_a_warning(settings, store):
    assert "without https" in greeting(store, replace(settings, host="0.0.0.0"), None)
    safe = replace(settings, host="0.0.0.0", url="https://survey.example.org")
    assert "Warning" not in greeting(store, safe, None)


def test_a_start_that_fails_leaves_the_link_of_a_running_one_good(settings, store):
    store.set_setup_token("running")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        # a process of its own, since a real start that fails ends with its process
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
    assert store.setup_token_is("running")


def test_an_open_survey_is_not_turned_into_a_simulated_one(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()), "--open")
    truth = write(tmp_path / "truth.json", {"smokes": {"yes": 0.3}})
    refused = run("survey", "simulate", "health", "--n", "5", "--truth", truth, code=1)
    assert "is open to respondents" in refused
    assert (store.survey("health").state, store.survey("health").origin) == ("open", "browser")


def test_sealing(run):
    assert "sealed" in run("seal")
