"""What the tutorials and CONTRIBUTING.md show is what happens: commands, output, names, numbers."""

import math
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from survey.cli import greeting
from survey.core.languages import LANGUAGES, MAIN
from survey.definition.survey import parse_survey
from survey.definition.survey_level import SurveyProtection
from survey.estimation.number_text import error_points, percent
from survey.estimation.share_intervals import share_interval
from survey.planning.sample_size import expected_margin, respondents_for
from survey.planning.survey_protection import divide_again
from survey.web.demo import HEALTH_SLUG, OPEN_SLUG
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT
from tests.support.tutorials import Block, blocks, commands, fits, script_of, steps, unknown_names

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
FIRST = ROOT / "docs" / "tutorials" / "first-survey.md"
TEACHING = ROOT / "docs" / "tutorials" / "teaching-differential-privacy.md"
SHELLS = ("sh", "console")
# What the commands need of the project; what they write goes into an empty folder.
PROJECT = ("app.py", "demo", "static", "survey", "templates", "translations")


def in_shells(path: Path) -> list[Block]:
    return [block for block in blocks(path) if block.language in SHELLS]


@pytest.mark.fast
@pytest.mark.parametrize("path", [*TUTORIALS, CONTRIBUTING], ids=lambda path: path.name)
def test_what_commands_name_exists(path):
    assert in_shells(path)
    for block in in_shells(path):
        assert not unknown_names(script_of(block)), f"{path.name}:{block.line}"


@pytest.mark.fast
@check_each(
    ("script", "fault"),
    [
        ("sh deploy/nothing.sh", "file deploy/nothing.sh"),
        ("make everything", "target everything"),
        ("systemctl start candor-nothing", "unit ('candor-nothing', '')"),
        ("systemctl start candor-backup.socket", "unit ('candor-backup', '.socket')"),
        ("CANDOR_NOTHING=1 make run", "setting CANDOR_NOTHING"),
        ("ls /etc/candor/nothing", "place /etc/candor/nothing"),
        (".venv/bin/candor survey nothing", "command survey nothing"),
        ("candor survey nothing", "command survey nothing"),
        ("sh deploy/candor-command account list --all", "option --all of account list"),
    ],
)
def test_a_planted_name_is_noticed(script, fault):
    assert unknown_names(script) == [fault]


@pytest.mark.fast
def test_a_planted_fault_of_syntax_is_noticed():
    [fault] = unknown_names("cat <(")
    assert "yntax" in fault


@pytest.mark.fast
def test_blocks_that_are_not_run_say_why():
    """No test runs `sh` blocks of a tutorial: they are for a server."""
    for path in TUTORIALS:
        for block in in_shells(path):
            if block.language == "sh":
                assert block.not_run, f"{path.name}:{block.line}"


@pytest.mark.fast
def test_make_run_prints_what_is_shown(store, settings):
    for slug in (HEALTH_SLUG, OPEN_SLUG):
        opened(store, definition(yes_no(), slug=slug))
    [block] = [each for each in in_shells(FIRST) if "make run" in each.source]
    [command] = commands(block)
    assert fits(command.output, greeting(store, settings, "token"))
    assert "@.venv/bin/candor demo\n" in (ROOT / "Makefile").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.name)
def test_commands_print_what_is_shown(path, tmp_path):
    """Each in a shell of its own, from an empty folder with the program; tests/cli has the commands
    themselves."""
    environment = {**os.environ, "CANDOR_DATABASE": "instance/candor.db"}
    for name in PROJECT:
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, program in {"python": "", "candor": f"{tmp_path}/app.py"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {program} "$@"\n')
        (programs / name).chmod(0o755)
    for block in blocks(path):
        if block.file:
            (tmp_path / block.file).write_text(block.source)
        if block.language != "console" or block.not_run:
            continue
        for command in commands(block):
            if command.line.startswith("export "):
                name, _, value = command.line.removeprefix("export ").partition("=")
                environment[name] = value
                continue
            done = subprocess.run(
                ["sh", "-c", command.line],
                cwd=tmp_path, env=environment, capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert fits(command.output, done.stdout), f"{command.line}\n{done.stdout}"


def test_the_class_gets_the_figures_that_are_worked_out(run):
    """Without a shell, so that they are tested with each change."""
    [files] = [{block.file: block.source for block in blocks(TEACHING) if block.file}]
    for name, content in files.items():
        Path(name).write_text(content)
    shown = [
        command
        for block in in_shells(TEACHING)
        for command in commands(block)
        if "bin/candor " in command.line
    ]
    assert len(shown) == 4
    for command in shown:
        line = command.line.partition("bin/candor ")[2]
        assert fits(command.output, run(*line.split())), line


def test_the_sums_of_the_lesson_are_right(run):
    """Every “= number” that follows from other numbers on the page."""
    text = TEACHING.read_text()
    count = int(re.search(r"(\d+) of 1,000 respondents sent", text)[1])
    share = count / 1000
    error = (share * (1 - share) / 999) ** 0.5
    times = (2 * error / (0.3 * 0.7 / 1000) ** 0.5) ** 2
    for sentence in (
        f"P = {count}/1000 = {share:.3f}",
        f"2 × {share:.3f} − 0.5 = {2 * share - 0.5:.3f}",
        f"√({share:.3f} × {1 - share:.3f} / 999) = {error:.4f}",
        f"twice as large: {2 * error:.4f}",
        f"{times**0.5:.2f} times as large",
        f"{times**0.5:.2f}² ≈ {times:.1f} times as many",
        "2 × √(0.5 × 0.5 / 99) = 0.1005",
        "about 850 billion",
    ):
        assert sentence in " ".join(text.split()), sentence
    assert round(3**25 / 1e9, -1) == 850
    for prior in (0.1, 0.5, 0.9):
        after = 3 * prior / (3 * prior + 1 - prior)
        assert f"| {100 * prior:.0f} % | {100 * after:.1f} % |" in text


@pytest.mark.fast
def test_the_example_of_an_estimate_is_one():
    """The row of the first tutorial is what Candor gives for that many reports."""
    text = FIRST.read_text()
    yes, n = map(int, re.search(r"(\d+) of (\d+) respondents sent", text).groups())
    interval = share_interval(yes, n, 3 / 4, 1 / 4)
    seen = yes / n
    error = 2 * (seen * (1 - seen) / (n - 1)) ** 0.5
    cells = [percent(seen), percent(2 * seen - 1 / 2), error_points(error)]
    cells.append(f"{percent(interval.low)} to {percent(interval.high)}")
    assert f"| Yes | {' | '.join(cells)} |" in text


@pytest.mark.fast
def test_the_first_tutorial_has_steps_to_walk():
    """tests/browser/test_tutorial.py walks them."""
    walked = [*steps(FIRST)]
    assert len([step for step in walked if step.label]) > 30
    assert walked[0].label == "Sign-in name"
    assert walked[0].values == ("ada",)
    assert "Sent. Thank you." in [step.seen for step in walked]


def links_of(path: Path) -> list[Path]:
    """The files that a page links to."""
    targets = re.findall(r"\]\(([^()#\s]+)\)", path.read_text())
    return sorted((path.parent / target).resolve() for target in targets)


def numbers_of(text: str, decimal_point: str) -> list[Counter[str]]:
    """The numbers of each section, without code blocks and the numbers of list items."""
    prose = re.sub(r"^```.*?^```|^ *\d+\. ", "", text, flags=re.DOTALL | re.MULTILINE)
    return [
        Counter(
            each.replace(decimal_point, ".") for each in re.findall(r"\d+(?:[.,]\d+)?", section)
        )
        for section in re.split(r"^##+ .*$", prose, flags=re.MULTILINE)
    ]


@pytest.mark.fast
@check_each("language", [each for each in LANGUAGES if each != MAIN])
def test_a_translation_has_the_code_links_and_numbers_of_the_first_tutorial(language):
    """tests/browser/test_tutorial.py walks its steps."""
    path = FIRST.parent / language / FIRST.name
    assert [each.source for each in blocks(path)] == [each.source for each in blocks(FIRST)]
    assert links_of(path) == links_of(FIRST)
    decimal_point = "," if language == "vi" else "."
    assert numbers_of(path.read_text(), decimal_point) == numbers_of(FIRST.read_text(), ".")


@pytest.mark.fast
def test_the_first_tutorial_says_what_its_draft_costs_and_tells():
    second = {
        "name": "overtime",
        "type": "select_one",
        "label": "?",
        "choices": [{"name": name, "label": name} for name in ("a", "b", "c")],
        "privacy": {"epsilon": 1},
    }
    draft = parse_survey(definition(yes_no("sick", {"mechanism": "coin_flip"}), second))
    level = SurveyProtection(level="protected", kept=("sick",))
    survey = divide_again(draft, level)
    question = survey.questions[1]
    strong = divide_again(draft, replace(level, level="strong"))
    assert (f"{survey.epsilon:.2f}", f"{strong.epsilon:.2f}") == ("2.20", "1.39")
    assert survey.ratio_bound == 9
    text = " ".join(FIRST.read_text().split())
    margin = expected_margin(question, 500)
    assert f"a margin of error of ± {100 * margin:.0f} percentage points for the second" in text
    larger = respondents_for(question, 0.1)
    assert f"With {larger} respondents, the margin of error would be ± 10 percentage points" in text
    small, large = (math.ceil(10 * math.exp(epsilon)) / 10 for epsilon in (0.5, 2))
    assert f"ε = 0.50, a report is at most {small} times as likely." in text
    assert f"ε = 2.00, it is at most {large} times as likely." in text
