"""A survey of habits for analyses, and the commands that load it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flask import Flask

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats.csv_export import responses_csv
from tests.support.definitions import definition
from tests.support.every_type import asked, letters

HABITS = definition(
    asked("smokes", "yes_no", {"mechanism": "coin_flip"}, prefer_not_to_say=True),
    asked("drinks", "yes_no", {"epsilon": 2}),
    asked("mood", "scale", {"epsilon": 2}, choices=letters("123")),
    asked("region", "select_one", "none", choices=letters("nsw")),
    asked("weight", "number", "none", min=1, max=5, prefer_not_to_say=True),
    asked("house", "text", "none"),
    asked("drugs", "select_multiple", {"mechanism": "joint_boxes", "epsilon": 2},
          choices=letters("ab")),
    slug="habits", budget={"epsilon": 20, "per_respondent": "all"}, texts_apart=False,
)  # fmt: skip
SURVEY = parse_survey(HABITS)
N = 400


def rows(n=N, seed=1):
    r = np.random.default_rng(seed)
    houses = [f"house {place}" for place in r.integers(0, 60, n)]
    codes = [r.integers(0, size, n).tolist() for size in (3, 2, 3, 3, 6)]
    return list(zip(*codes, houses, r.integers(0, 4, n).tolist(), strict=True))


def loaded(app: Flask, folder: Path) -> Callable[..., str]:
    """Load the survey from files in this folder, the current one.

    The result runs further commands on the survey.
    """

    def run(*arguments: str, code: int = 0) -> str:
        result = app.test_cli_runner().invoke(args=arguments)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result.output

    (folder / "habits.json").write_text(json.dumps(HABITS))
    frozen = freeze(SURVEY, to_open=False)
    (folder / "responses.csv").write_text("".join(responses_csv(frozen, rows())), newline="")
    run("survey", "import", "habits.json")
    run("responses", "load", "habits", "responses.csv")
    return run
