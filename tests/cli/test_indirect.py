"""The commands `analyse crosswise` and `analyse list`: documented examples, files, refusals."""

import json
from pathlib import Path

import pytest
from flask import Flask

from survey.store import Store
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters
from tests.support.indirect import (
    CMDATA,
    CONTROL,
    COUNT,
    TREATMENT,
    VERSION,
    crosswise,
    store_crosswise,
    store_list,
    store_rows,
    store_two_lists,
)
from tests.support.three_ways import store_ways


def run(app: Flask, *arguments: str):
    return app.test_cli_runner().invoke(args=[*arguments])


def content_of(app: Flask, *arguments: str) -> dict:
    reply = run(app, *arguments, "--json")
    assert reply.exit_code == 0, reply.output
    return json.loads(reply.output)


def test_the_anchor_of_the_survey_corrects_a_crosswise_question(app: Flask, store: Store) -> None:
    store_crosswise(store)
    content = content_of(app, "analyse", "crosswise", "copying", "--asked", "copied")
    assert content["anchor"] == "flown"
    assert content["everyone"]["corrected"]["estimate"] == pytest.approx(0.1054, abs=5e-5)
    assert content["everyone"]["attentive"]["estimate"] == pytest.approx(0.7729, abs=5e-5)
    shown = run(app, "analyse", "crosswise", "copying", "--asked", "copied").output
    assert "“I have copied in a thesis.” is true for an estimated 10.5 %" in shown
    assert "Without the correction, the estimate is 19.5 %." in shown


def test_people_who_passed_a_check_are_compared_with_all(app: Flask, store: Store) -> None:
    store_crosswise(store)
    arguments = ("analyse", "crosswise", "copying", "--asked", "copied", "--check", "check:a")
    content = content_of(app, *arguments)
    assert content["everyone"]["n"] == 2000
    assert content["passed"]["n"] == 2000 - sum(-(-count // 4) for count in CMDATA.values())
    assert "Passed the attention check" in run(app, *arguments).output


def test_a_file_with_two_groups(app: Flask, tmp_path: Path) -> None:
    """71 % and 29 % say "same": 20 % have the trait, with p = 0.15 and 0.85."""
    lines = ["answer,version"]
    for version, same in (("1", 710), ("0", 290)):
        lines += [f"same,{version}"] * same + [f"different,{version}"] * (1000 - same)
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(lines))
    reply = run(
        app, "responses", "import-randomised", "paper", str(file), "--categories", "version"
    )
    assert reply.exit_code == 0, reply.output
    arguments = (
        "analyse",
        "crosswise",
        "paper",
        "--asked",
        "answer",
        "--known",
        "0.15",
        "--groups",
        "by:version",
    )
    content = content_of(app, *arguments)
    assert content["everyone"]["uncorrected"]["estimate"] == pytest.approx(0.2)
    assert content["everyone"]["n"] == 2000
    assert (content["same"], content["groups"]) == ("same", ["1", "0"])
    assert content["instructions"]["p"] > 0.9
    shown = run(app, *arguments).output
    assert "The results of the two groups do not contradict each other" in shown
    assert "“same” counts as: both statements are true or both are false." in shown
    assert "The first group is “1”, and the second one is “0”." in shown


def test_an_imported_crosswise_column_has_its_known_share(app: Flask, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["answer", *["1"] * 198, *["0"] * 112]))
    reply = run(app, "responses", "import-randomised", "thesis", str(file),
                "--private", "answer=crosswise,p=1/4")  # fmt: skip
    assert reply.exit_code == 0, reply.output
    content = content_of(app, "analyse", "crosswise", "thesis", "--asked", "answer")
    assert content["known"] == 0.25
    assert content["everyone"]["uncorrected"]["estimate"] == pytest.approx(0.222581, abs=5e-7)


def test_an_imported_column_can_be_the_anchor(app: Flask, tmp_path: Path) -> None:
    """The counts of the documented example of cWise, as a file with the reports of two columns."""
    file = tmp_path / "answers.csv"
    lines = [f"{1 - a},{1 - b}" for (a, b), n in CMDATA.items() for _ in range(n)]
    file.write_text("\n".join(["copied,flown", *lines]))
    columns = ("--private", "copied=crosswise,p=0.15", "--private", "flown=crosswise,p=0.15")
    reply = run(app, "responses", "import-randomised", "paper", str(file), *columns)
    assert reply.exit_code == 0, reply.output
    asked = ("analyse", "crosswise", "paper", "--asked", "copied")
    content = content_of(app, *asked, "--anchor", "flown")
    assert content["everyone"]["corrected"]["estimate"] == pytest.approx(0.1054, abs=5e-5)
    assert content_of(app, *asked)["everyone"]["corrected"] is None


def test_two_questions_with_opposite_second_statements(app: Flask, store: Store) -> None:
    odd = asked("odd", "yes_no", "none")
    two = [
        crosswise("first", "1/5", relevant={"odd": "yes"}),
        crosswise("other", "4/5", relevant={"odd": "no"}),
    ]
    # 68 % of each group support the answers of people without the trait: 20 % have it.
    rows = [(0, int(n >= 68), 2) for n in range(100)] + [(1, 2, int(n < 68)) for n in range(100)]
    store_rows(store, definition(odd, *two), rows)
    first = ("analyse", "crosswise", "health", "--asked", "first", "--groups")
    content = content_of(app, *first, "second:other")
    assert content["everyone"]["uncorrected"]["estimate"] == pytest.approx(0.2)
    assert content["instructions"] == {"same": [68, 32], "n": [100, 100], "p": pytest.approx(1.0)}
    refused = run(app, *first, "second:first")
    assert "is chosen twice. Choose different questions." in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("copied --check check", "--check. Choose one of these: check:a, check:b, check:c."),
        ("copied --groups by:check", "Choose one of these: second:copied, second:flown."),
        ("copied --groups second:flown", "must add up to 1"),
        ("copied --check check:z", "'check:z' is not possible for --check."),
        ("check", "'check' is not possible for --asked. Choose one of these: copied, flown."),
        ("copied --known 1/2", "above 0, below 1 and not 1/2"),
        ("copied --known often", "Type a number such as 0.15 or 1/6."),
        ("copied --check check:c", "too few responses (0)"),
    ],
)
def test_refused_crosswise_analyses(app: Flask, store: Store, arguments, message: str) -> None:
    store_crosswise(store)
    reply = run(app, "analyse", "crosswise", "copying", "--asked", *arguments.split())
    assert reply.exit_code != 0
    assert message in reply.output


def test_a_question_without_a_known_share_needs_one(app: Flask, store: Store) -> None:
    store_rows(store, definition(yes_no(privacy="none")), [(0,)] * 20)
    reply = run(app, "analyse", "crosswise", "health", "--asked", "smokes")
    assert "known share of the second statement" in reply.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("items", "--treatment", "by:version:t"),
        ("control", "--treatment", "survey:treated:count"),
    ],
)
def test_a_list_experiment_in_one_survey_and_in_two(app, store, arguments) -> None:
    store_list(store)
    store_two_lists(store)
    arguments = ("analyse", "list", *arguments, "--count", "count")
    content = content_of(app, *arguments)
    assert content["control"]["counts"] == list(CONTROL)
    assert content["treatment"]["counts"] == list(TREATMENT)
    assert content["share"]["estimate"] == pytest.approx(0.494740, abs=1e-6)
    assert content["design_effect_p"] == pytest.approx(0.788, abs=5e-4)
    shown = run(app, *arguments).output
    assert "true for an estimated 49.5 %" in shown
    assert "The test finds no design effect" in shown
    assert "the answers 0 (9 respondents) and 4 (139) reveal" in shown


def test_the_groups_can_be_exchanged(app: Flask, store: Store) -> None:
    store_list(store)
    group = ("--treatment", "by:version:c")
    reply = run(app, "analyse", "list", "items", "--count", "count", *group)
    assert "139 people gave a number above 3" in reply.output
    assert "exchange the groups" in reply.output


def test_counts_from_a_file_need_the_number_of_statements(app: Flask, tmp_path: Path) -> None:
    """Nobody gave the largest answer, so the file does not show it."""
    lines = ["count,group"]
    lines += [f"{n % 4},control" for n in range(40)] + [f"{n % 4},treated" for n in range(44)]
    file = tmp_path / "counts.csv"
    file.write_text("\n".join(lines))
    assert run(app, "responses", "import-randomised", "lists", str(file)).exit_code == 0
    arguments = (
        "analyse",
        "list",
        "lists",
        "--count",
        "count",
        "--items",
        "3",
        "--treatment",
        "by:group:treated",
    )
    assert content_of(app, *arguments)["treatment"]["counts"] == [11, 11, 11, 11, 0]


def test_labels_that_begin_with_a_number_are_counts(app: Flask, store: Store) -> None:
    choices = [{"name": f"n{n}", "label": f"{n} statements"} for n in range(3)]
    question = asked("count", "select_one", "none", choices=choices)
    rows = [(n % 2, 0) for n in range(20)] + [(n % 3, 1) for n in range(21)]
    store_rows(store, definition(question, VERSION), rows)
    content = content_of(
        app, "analyse", "list", "health", "--count", "count", "--treatment", "by:version:t"
    )
    assert (content["items"], content["treatment"]["counts"]) == (1, [7, 7, 7])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("count", "Missing option '--treatment'"),
        ("count --treatment by:version", "Choose one of these: by:version:t, by:version:c, "),
        ("count --treatment question:count", "“1. What of count?” is chosen twice."),
        ("version --treatment by:count:1", "'by:count:1' is not possible for --treatment."),
        ("smokes --treatment by:version:t", "'smokes' is not possible for --count."),
        ("word --treatment by:version:t", "are not whole numbers from 0"),
        ("count --treatment by:version:t --items 2", "which is impossible with 2 control"),
        ("count --treatment by:version:t --items many", "This is not a whole number."),
        ("count --treatment by:version:t --ways smokes", "nothing to choose for --ways."),
    ],
)
def test_refused_list_experiments(app: Flask, store: Store, arguments, message: str) -> None:
    words = asked("word", "select_one", "none", choices=letters("ab"))
    rows = [(n % 5, n % 2, 0, 0) for n in range(30)]
    store_rows(store, definition(COUNT, VERSION, yes_no(), words), rows)
    reply = run(app, "analyse", "list", "health", "--count", *arguments.split())
    assert reply.exit_code != 0
    assert message in reply.output


def test_three_ways_of_asking_in_one_table(app: Flask, store: Store) -> None:
    """True shares: 30 % randomised and by the list, 20 % directly. With 400 respondents in each
    arm, the estimates are within four standard errors of them for this seed."""
    rows = store_ways(store)
    arguments = (
        "analyse",
        "list",
        "ways",
        "--count",
        "list",
        "--treatment",
        "question:list_with",
        "--ways",
        "smokes+smokes_direct",
    )
    content = content_of(app, *arguments)["ways"]
    direct, randomised, listed = content["ways"]
    assert [each["way"] for each in content["ways"]] == ["direct", "randomised", "list"]
    assert [each["n"] for each in content["ways"]] == [400, 400, 800]
    told = [row[2] for row in rows if row[0] == 1]
    assert direct["share"]["estimate"] == pytest.approx(told.count(0) / 400)
    assert direct["difference_from_direct"] is None
    for each in (randomised, listed):
        share, difference = each["share"], each["difference_from_direct"]
        assert abs(share["estimate"] - 0.3) < 4 * share["standard_error"]
        assert difference["estimate"] == pytest.approx(
            share["estimate"] - direct["share"]["estimate"]
        )
        assert difference["low"] < difference["estimate"] < difference["high"]
        assert (each["p"] < 0.05) == (not difference["low"] <= 0 <= difference["high"])
    shown = run(app, *arguments).output
    assert "Randomised question (smokes)" in shown
    assert "Difference from the direct question, in points" in shown
    assert "Each estimate has its 95 % interval." in shown
    compared = content_of(
        app, "analyse", "groups", "ways", "--group", "arm", "--measure", "smokes+smokes_direct:yes"
    )
    by_arm = [each["estimate"] for each in compared["groups"] if each["estimate"] is not None]
    assert by_arm == [
        pytest.approx(each["share"]["estimate"], abs=0.02) for each in (randomised, direct)
    ]


@pytest.mark.parametrize("ways", ["smokes", "arm", "smokes_direct+smokes"])
def test_refused_ways_of_asking(app: Flask, store: Store, ways: str) -> None:
    store_ways(store, n=20)
    arguments = ("--count", "list", "--treatment", "question:list_with", "--ways", ways)
    reply = run(app, "analyse", "list", "ways", *arguments)
    assert reply.exit_code == 1
    assert (
        f"Error: {ways!r} is not possible for --ways. Choose one of these: smokes+smokes_direct."
    ) in reply.output
