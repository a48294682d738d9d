"""The command `analyse two-designs`: shares from two groups, and refusals."""

import json
import math
import re

import numpy as np
import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters

GROUP = asked("version", "select_one", "none", choices=letters("ab"))
CHEATING = ("--model", "CDM", "--p", "a=1/5", "--p", "b=0.6")


@pytest.fixture
def answered(store: Store) -> None:
    """Of 100 people in each group, 40 and 60 report yes. Another question is private."""
    direct = yes_no("said", "none")
    opened(store, definition(direct, GROUP, yes_no()), "closed")
    rows = [
        Response(n.to_bytes(16), (int(n // 2 >= (60 if n % 2 else 40)), n % 2, 0))
        for n in range(200)
    ]
    store.responses.add_batches("health", [rows], "loaded")


def run(app: Flask, *arguments: str):
    return app.test_cli_runner().invoke(args=["analyse", "two-designs", "health", *arguments])


@pytest.mark.usefixtures("answered")
def test_the_shares_of_two_groups(app: Flask) -> None:
    reply = run(app, "said", "--by", "version", *CHEATING, "--json")
    assert reply.exit_code == 0, reply.output
    content = json.loads(reply.output)
    assert (content["yes"], content["n"]) == ([40, 60], [100, 100])
    shares = [each["estimate"] for each in content["shares"].values()]
    assert shares == pytest.approx([0.3, 0.5, 0.2])
    shown = run(app, "said", "--by", "version", *CHEATING).output
    assert "did not follow the rule" in shown
    assert "  What of version?   Reports “Yes”   Reports\n" in shown
    assert re.search(r"\n  B +60 +100\n", shown)
    assert "cannot be below 0" not in shown


@pytest.mark.parametrize("groups", [("1", "2"), ("2", "1"), ("early", "late"), ("late", "early")])
def test_an_imported_file_gives_the_published_shares(app: Flask, tmp_path, groups) -> None:
    """The minarets survey of Heck & Moshagen 2018, section 4.1, whatever the groups are called."""
    lines = ["answer,version"]
    for group, yes, n in zip(groups, (373, 398), (564, 692), strict=True):
        lines += [f"yes,{group}"] * yes + [f"no,{group}"] * (n - yes)
    file = tmp_path / "minarets.csv"
    file.write_text("\n".join(lines))
    invoke = app.test_cli_runner().invoke
    assert invoke(args=["responses", "import-randomised", "health", str(file)]).exit_code == 0
    given = ("--p", f"{groups[1]}=10/12", "--p", f"{groups[0]}=2/12", "--answer", "yes")
    reply = run(app, "answer", "--by", "version", "--model", "SLD", *given, "--json")
    shares = json.loads(reply.output)["shares"].values()
    assert [each["estimate"] for each in shares] == pytest.approx([0.870695, 0.635806], abs=1e-6)


@pytest.mark.usefixtures("answered")
def test_each_group_of_the_symmetric_design_has_two_probabilities(app: Flask) -> None:
    given = ("--p", "b=0.6", "--p", "a=0.2", "--p", "b=0.1", "--p", "a=0.3")
    reply = run(app, "said", "--by", "version", "--model", "CDMsym", *given, "--json")
    shares = [each["estimate"] for each in json.loads(reply.output)["shares"].values()]
    honest_yes, honest_no, _ = shares
    assert honest_yes * 0.7 + honest_no * 0.2 == pytest.approx(0.4)
    assert honest_yes * 0.9 + honest_no * 0.6 == pytest.approx(0.6)


@pytest.mark.usefixtures("answered")
def test_impossible_counts_have_a_warning(app: Flask) -> None:
    swapped = ("--model", "CDM", "--p", "a=0.6", "--p", "b=0.2")
    shown = run(app, "said", "--by", "version", *swapped).output
    assert "The reports do not fit the stated design." in shown
    content = json.loads(run(app, "said", "--by", "version", *swapped, "--json").output)
    assert 0 < content["design_fit"]["p"] < 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("smokes", "--by", "version", *CHEATING), "must be a non-private question"),
        (("said", "--by", "smokes", *CHEATING), "must be a non-private question"),
        (("said", "--by", "version", *CHEATING[:-1], "b=1/5"), "different probabilities"),
        (("said", "--by", "version", *CHEATING[:-1], "b=often"), "is not a probability"),
        (("said", "--by", "version", *CHEATING[:-1], "3/5"), "Write it as GROUP=3/5"),
        (("said", "--by", "version", *CHEATING[:-1], "c=3/5"), "has no answer 'c'"),
        (("said", "--by", "version", *CHEATING[:-1], "a=3/5"), "same number of times"),
        (("said", "--by", "version", *CHEATING, "--p", "b=1/5"), "same number of times"),
    ],
)
@pytest.mark.usefixtures("answered")
def test_refusals(app: Flask, arguments: tuple[str, ...], message: str) -> None:
    reply = run(app, *arguments)
    assert reply.exit_code != 0
    assert message in reply.output


@pytest.mark.usefixtures("answered")
def test_predictors_explain_the_trait(app: Flask, tmp_path) -> None:
    """Older people have the trait more often; 30 % of people with it deny it."""
    r, lines = np.random.default_rng(8), ["answer,version,age"]
    for place in range(600):
        age, truthful = int(r.integers(18, 80)), (0.2, 0.9)[place % 2]
        trait = r.random() < 1 / (1 + math.exp(-(age - 50) / 10))
        yes = r.random() < (0.7 if trait else 1 - truthful)
        lines.append(f"{'yes' if yes else 'no'},{'ab'[place % 2]},{age}")
    file = tmp_path / "detector.csv"
    file.write_text("\n".join(lines))
    invoke = app.test_cli_runner().invoke
    assert invoke(args=["responses", "import-randomised", "old", str(file)]).exit_code == 0
    given = ("--model", "SLD", "--p", "a=0.2", "--p", "b=0.9", "--answer", "yes")
    asked_for = ("analyse", "two-designs", "old", "answer", "--by", "version", *given)
    reply = invoke(args=[*asked_for, "--predictor", "age", "--json"])
    assert reply.exit_code == 0, reply.output
    found = json.loads(reply.output)["regression"]
    assert [each["name"] for each in found["parameters"]] == [
        "constant",
        "age",
        "honesty of people with the trait",
    ]
    age = found["parameters"][1]
    assert age["low"] < 0.1 < age["high"]
    assert age["p"] < 0.001
    assert np.sqrt(found["covariance"][1][1]) == pytest.approx(age["standard_error"])
    shown = invoke(args=[*asked_for, "--predictor", "age"]).output
    assert "Logistic regression of the trait" in shown
    assert "Log-likelihood: " in shown
    other = invoke(args=[*asked_for, "--predictor", "nothing"])
    assert other.exit_code != 0
    refused = run(app, "said", "--by", "version", *CHEATING, "--predictor", "version")
    assert "Only the model SLD has predictors" in refused.output
