"""`analyse crosstab`, `compare` and `correlate`, and the names that researchers give them."""

import json
import random
from itertools import combinations

import numpy as np
import pytest

from survey.analysis import columns_by_name
from survey.analysis.columns.column_request import DesignNames, analysed, place_of_answer
from survey.analysis.tables.crosstabs import crosstab
from survey.cli.tables import (
    table_lines,
    width,
)
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from survey.web.published_results import results_of, survey_now
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked, drawn, stored
from tests.support.habits import HABITS, SURVEY, N, loaded, rows


@pytest.fixture
def run(app, tmp_path, monkeypatch):
    """Run a command on a survey that was loaded from a file."""
    monkeypatch.chdir(tmp_path)
    return loaded(app, tmp_path)


def test_two_questions_are_cross_tabulated(run):
    table = crosstab(list(columns_by_name(SURVEY, rows(), ["drinks", "drugs/a"]).values()))
    found = json.loads(run("analyse", "crosstab", "habits", "drinks", "drugs/a", "--json"))
    assert found["survey"] == "habits"
    assert found["origin"] == "loaded"
    assert found["n"] == N
    assert [cell["estimate"] for cell in found["cells"]] == pytest.approx(
        [cell.value for cell in table.cells], abs=1e-12
    )
    assert [row["count"] for row in found["reports"]] == [count for _, count in table.raw]
    assert {test["name"] for test in found["tests"]} == {"score", "Wald"}
    printed = run("analyse", "crosstab", "habits", "drinks", "drugs/a")
    for words in ("Responses: loaded.", "Rows: “What of drinks?”. Columns: “What of drugs?: A”",
                  "Based on 400 responses", "Row percentages", "Odds ratio:", "φ (correlation):",
                  "Wald test of independence:", "1 degree of freedom",
                  "This test is valid with and without weights"):  # fmt: skip
        assert words in printed
    for of, words in (("all", "Percentages of all respondents"), ("column", "Column percentages")):
        assert words in run("analyse", "crosstab", "habits", "drinks", "drugs/a", "--of", of)


def test_estimate_prints_the_line_that_the_page_shows(app, run):
    """A question with "prefer not to say" has scores; one that is stored as given has no line."""
    printed = run("analyse", "estimate", "habits")
    with app.app_context():
        results = results_of(survey_now("habits")).as_shown
    lines = [each.calculation.sentence for each in results.every if each.calculation]
    assert lines
    assert all(f"  {line}\n" in printed for line in lines)
    assert printed.count("Reports “") == sum(line.startswith("Reports “") for line in lines)
    # Under a sampling design, estimates are no means of equally weighted reports.
    assert "Reports “" not in run("analyse", "estimate", "habits", "--weights", "weight")


def test_a_design_is_read_off_plain_questions(run):
    arguments = ["--weights", "weight", "--strata", "region", "--clusters", "house"]
    found = json.loads(
        run("analyse", "crosstab", "habits", "drinks", "smokes", *arguments, "--json")
    )
    columns, design = analysed(
        SURVEY, rows(), ["drinks", "smokes"], DesignNames("weight", "region", "house")
    )
    weights = [0 if row[4] == 5 else row[4] + 1 for row in rows()]
    assert design.weights.tolist() == weights
    assert design.clusters.tolist() == [row[5] for row in rows()]
    assert found["left_out"] == weights.count(0) > 0
    table = crosstab(columns, design)
    assert found["covariance"][0] == pytest.approx(table.covariance[0].tolist(), abs=1e-12)
    assert found["questions"][1]["left_out"] == ["Prefer not to say"]
    printed = run("analyse", "crosstab", "habits", "drinks", "smokes", *arguments)
    assert "respondents who gave no special answer to either question" in printed
    assert "No score test is available with weights, strata or clusters." in printed


def test_three_questions_and_a_negative_cell_are_printed(run):
    printed = run("analyse", "crosstab", "habits", "smokes", "mood", "region", "--level", "90")
    assert "What of region? N." in printed
    assert "Each percentage has its 90 % interval" in printed
    assert "Some estimated shares of all respondents are below 0" in printed
    joined = run("analyse", "crosstab", "habits", "smokes", "mood", "house", code=1)
    assert "house is a text, which has no answers." in joined


def test_groups_are_compared(run):
    found = json.loads(
        run("analyse", "compare", "habits", "smokes", "--by", "region", "--answer", "no",
            "--reference", "S", "--json")
    )  # fmt: skip
    assert found["outcome"]["measure"] == "share of No"
    assert [(d["group"], d["less"]) for d in found["differences"]] == [("N", "S"), ("W", "S")]
    assert found["overall"]["degrees"] == 2
    printed = run("analyse", "compare", "habits", "mood", "--by", "region")
    for words in ("mean", "S minus N", "p (Holm)", "Simultaneous", "is the same in all groups"):
        assert words in printed
    assert "describe respondents who gave no special answer" in run(
        "analyse", "compare", "habits", "smokes", "--by", "drinks"
    )


def test_two_questions_are_correlated(run):
    found = json.loads(run("analyse", "correlate", "habits", "mood", "weight", "--json"))
    assert abs(found["estimate"]) < 1
    printed = run("analyse", "correlate", "habits", "mood", "region", "--second-answer", "w")
    assert "“The share of ‘W’ in ‘What of region?’”" in printed
    assert "Coefficient" in printed
    assert "“The share of ‘No’ in ‘What of smokes?’”" in run(
        "analyse", "correlate", "habits", "smokes", "drugs/b", "--first-answer", "NO",
        "--second-answer", "not ticked",
    )  # fmt: skip


@pytest.mark.parametrize(
    "sentence, arguments",
    [
        ("There is no survey 'nowhere'", ("analyse", "crosstab", "nowhere", "a", "b")),
        ("Choose two or three questions for a cross-tabulation.",
         ("analyse", "crosstab", "habits", "drinks")),
        ("“What of drugs?: A” and “What of drugs?: B” are randomised together",
         ("analyse", "compare", "habits", "drugs/a", "--by", "drugs/b")),
        ("mood is private. For weights, strata or clusters, choose a non-private question",
         ("analyse", "compare", "habits", "smokes", "--by", "region", "--strata", "mood")),
        ("There is no question 'size' for the design.",
         ("analyse", "compare", "habits", "smokes", "--by", "region", "--weights", "size")),
        ("region is not a number. Choose a number",
         ("analyse", "correlate", "habits", "mood", "weight", "--weights", "region")),
        ("region has no answer 'x'. There are: N, S, W.",
         ("analyse", "compare", "habits", "smokes", "--by", "region", "--reference", "x")),
        ("“What of region?” has no mean. Choose an answer",
         ("analyse", "compare", "habits", "region", "--by", "drinks")),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(run, sentence, arguments):
    assert sentence in run(*arguments, code=1)


def test_a_draft_and_a_survey_without_responses_say_so(run, tmp_path):
    (tmp_path / "other.json").write_text(json.dumps({**HABITS, "slug": "other"}))
    run("survey", "import", "other.json")
    assert "is a draft" in run("analyse", "crosstab", "other", "drinks", "region", code=1)
    run("survey", "import", "other.json", "--open", code=1)
    third = {**HABITS, "slug": "third", "texts_apart": True}
    (tmp_path / "third.json").write_text(json.dumps(third))
    run("survey", "import", "third.json", "--open")
    for command in (["analyse", "crosstab", "third", "drinks", "region"],
                    ["analyse", "compare", "third", "drinks", "--by", "region"],
                    ["analyse", "correlate", "third", "mood", "weight"]):  # fmt: skip
        assert "No responses are published yet." in run(*command, code=1)


def test_answers_are_found_by_their_names_and_labels():
    survey = parse_survey(EVERY_TYPE)
    found = columns_by_name(
        survey, [stored(drawn(random.Random(1)))], ["smokes", "tried/w", "years"]
    )
    assert place_of_answer(survey, found["smokes"], "yes") == 0
    assert place_of_answer(survey, found["tried/w"], "0") == 1
    assert place_of_answer(survey, found["years"], found["years"].answers[0]) == 0
    with pytest.raises(UnanswerableQuestion, match="has no answer 'Prefer not to say'"):
        place_of_answer(survey, found["smokes"], "Prefer not to say")


@pytest.mark.slow
def test_every_pair_of_a_surveys_questions_gives_a_table_or_a_sentence():
    """If chance picks the questions, few report on both. No output has a traceback or a NaN."""
    r = random.Random(2)
    names = ["smokes", "party", "colour", "tried/w", "pets/d", "mood", "glasses", "weight",
             "region", "news/r"]  # fmt: skip
    for content, sample, n in ((EVERY_TYPE, None, 40), (SAMPLED, 3, 120)):
        survey = parse_survey(content)
        columns = columns_by_name(survey, [stored(drawn(r, sample)) for _ in range(n)], names)
        tables = 0
        for pair in combinations(names, 2):
            try:
                table = crosstab([columns[name] for name in pair])
            except UnanswerableQuestion as refusal:
                assert str(refusal).endswith(".")
                continue
            tables += 1
            for figure in (*table.cells, *(f for f in table.of_row if f is not None)):
                assert np.isfinite([figure.value, figure.low, figure.high]).all()
                assert figure.low <= figure.high
        assert tables > 20


def test_tables_are_aligned_by_what_a_terminal_shows():
    assert [width(text) for text in ("Süd", "西部", "ที่", "Su\u0308d")] == [3, 4, 1, 3]
    lines = table_lines([["", "a"], ["西", "10"], ["bcd", "7"]])
    assert lines == ["         a", "  西    10", "  bcd    7"]


def test_who_was_not_asked_for_a_weight_has_none():
    """The largest weight is the last value, whatever it is."""
    weight = asked("weight", "number", "none", min=1, max=9, step=1)
    survey = parse_survey(definition(yes_no(), weight))
    _, design = analysed(survey, [(0, 3), (1, None), (0, 8)], ["smokes"], DesignNames("weight"))
    assert list(design.weights) == [4, 0, 9]
