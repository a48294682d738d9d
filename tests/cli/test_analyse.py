"""`analyse KIND`: one command for each analysis, from the same description as its page."""

import json
import random
from itertools import combinations

import numpy as np
import pytest

from survey.analysis import columns_by_name
from survey.analysis.columns.column_request import DesignNames, columns_and_design, place_of_answer
from survey.analysis.columns.summed import name_of_sum
from survey.analysis.groups.groups import compare
from survey.analysis.tables.crosstabs import crosstab
from survey.cli.groups import load_command
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from survey.web.analyses.forms import DESIGN_FIELDS
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.result import FILES
from tests.support.analysis_requests import REQUESTS
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked, drawn, stored
from tests.support.habits import HABITS, SURVEY, N, loaded, rows
from tests.support.indirect import store_crosswise, store_list, store_two_lists


@pytest.fixture
def run(app, tmp_path, monkeypatch):
    """Run a command on a survey that was loaded from a file."""
    monkeypatch.chdir(tmp_path)
    return loaded(app, tmp_path)


def test_every_analysis_is_requested_below():
    assert {*REQUESTS} == {*ANALYSES}


@check_each("name", ANALYSES)
def test_an_analysis_has_a_command_with_the_fields_of_its_form(app, name):
    form = ANALYSES[name].form(None)
    wanted = [field.short_name for field in form.own_fields]
    # A design file replaces the field for the sizes of populations.
    wanted += [*DESIGN_FIELDS[:-1], "file", "encoding"] if form.sampled else []
    made = load_command(f"analyse {name}")
    *options, slug = made.params
    assert slug.opts == ["slug"]
    assert [option.name for option in options] == [*wanted, *FILES]
    for option in options:
        spelling = {"file": "design"}.get(option.name, option.name)
        assert option.opts == [f"--{spelling.replace('_', '-')}"]
        assert option.help
    assert made.name == name
    page = app.test_cli_runner().invoke(args=["analyse", name, "--help"]).output
    assert all(option.opts[0] in page for option in options)


@pytest.mark.parametrize("name", ANALYSES)
def test_a_file_is_the_one_that_the_page_offers(run, app, store, researcher, name):
    store_crosswise(store)
    store_list(store)
    store_two_lists(store)
    slug, options, query = REQUESTS[name]
    for kind in FILES:
        address = f"/admin/surveys/{slug}/analysis/{name}.{kind}?{query}"
        downloaded = researcher.client.get(address)
        assert downloaded.status_code == 200, address
        arguments = ["analyse", name, slug, *options.split(), f"--{kind}"]
        printed = app.test_cli_runner().invoke(args=arguments)
        assert printed.stdout_bytes == downloaded.data, kind


def test_two_questions_are_cross_tabulated(run):
    table = crosstab(list(columns_by_name(SURVEY, rows(), ["drinks", "drugs/a"]).values()))
    both = ("analyse", "crosstab", "habits", "--rows", "drinks", "--columns", "drugs/a")
    found = json.loads(run(*both, "--json"))
    assert (found["survey"], found["origin"], found["analysis"]) == ("habits", "loaded", "crosstab")
    assert (found["do_not_use"], found["n"]) == (False, N)
    assert [cell["estimate"] for cell in found["cells"]] == pytest.approx(
        [cell.value for cell in table.cells], abs=1e-12
    )
    assert [row["count"] for row in found["reports"]] == [count for _, count in table.raw]
    assert [test["name"] for test in found["tests"]] == ["score"]
    printed = run(*both)
    for words in (
        "Responses: loaded.",
        "Rows: “What of drinks?”. Columns: “What of drugs?: A”",
        "Based on 400 responses",
        "Row percentages",
        "Odds ratio:",
        "φ (correlation):",
        "Score test of independence:",
        "1 degree of freedom",
        "This test is valid without weights",
        found["sentence"],
    ):
        assert words in printed
    for of, words in (("all", "Percentages of all respondents"), ("column", "Column percentages")):
        assert words in run(*both, "--of", of)


def test_a_design_is_read_off_non_private_questions(run):
    arguments = (
        "analyse",
        "crosstab",
        "habits",
        "--rows",
        "drinks",
        "--columns",
        "smokes",
        "--weights",
        "weight",
        "--strata",
        "region",
        "--clusters",
        "house",
    )
    found = json.loads(run(*arguments, "--json"))
    columns, design = columns_and_design(
        SURVEY, rows(), ["drinks", "smokes"], DesignNames("weight", "region", "house")
    )
    weights = [0 if row[4] == 5 else row[4] + 1 for row in rows()]
    assert design.weights.tolist() == weights
    assert design.clusters.tolist() == [row[5] for row in rows()]
    assert found["left_out"] == weights.count(0) > 0
    table = crosstab(columns, design)
    assert found["covariance"][0] == pytest.approx(table.covariance[0].tolist(), abs=1e-12)
    assert found["questions"][1]["left_out"] == ["Prefer not to say"]
    printed = run(*arguments)
    assert "respondents who gave no special answer to either question" in printed
    assert "No score test is available with weights, strata or clusters." in printed


def test_three_questions_and_a_negative_cell_are_printed(run):
    two = ("analyse", "crosstab", "habits", "--rows", "smokes", "--columns", "mood", "--layers")
    printed = run(*two, "region")
    assert "What of region? “N”." in printed
    assert "Each percentage has its 95 % interval" in printed
    assert "Some estimated shares of all respondents are below 0" in printed
    assert "'house' is not possible for --layers." in run(*two, "house", code=1)


def test_groups_are_compared(run):
    share = ("analyse", "groups", "habits", "--measure", "smokes:no", "--group", "region")
    found = json.loads(run(*share, "--against", "first", "--json"))
    assert found["outcome"]["measure"] == "share of No"
    assert [(d["group"], d["less"]) for d in found["differences"]] == [("S", "N"), ("W", "N")]
    assert found["overall"]["degrees"] == 2
    printed = run("analyse", "groups", "habits", "--measure", "mood", "--group", "region")
    for words in (
        "mean",
        "S minus N",
        "W minus S",
        "p (Holm)",
        "Simultaneous",
        "is the same in all groups",
    ):
        assert words in printed
    assert "describe respondents who gave no special answer" in run(
        "analyse", "groups", "habits", "--measure", "smokes:yes", "--group", "drinks"
    )


def test_the_sum_of_several_questions_is_compared(run):
    points = "mood: 1 5, 2 0, 3 -1; smokes: yes 2, no 0"
    of_sum = ("analyse", "groups", "habits", "--measure", "@sum", "--group", "region")
    of_sum += ("--items", "smokes", "--items", "mood", "--points", points)
    found = json.loads(run(*of_sum, "--json"))
    assert found["outcome"]["label"] == "Sum of 2 questions"
    assert [each["points"] for each in found["sum"]] == ["Yes 2, No 0", "1 5, 2 0, 3 −1"]
    column = columns_by_name(
        SURVEY, rows(), [name_of_sum(["smokes", "mood"], of_sum[-1]), "region"]
    )
    expected = compare(*column.values()).everyone
    assert found["everyone"]["estimate"] == pytest.approx(expected.value)
    printed = run(*of_sum)
    assert "1 5, 2 0, 3 −1" in printed
    assert "the mean of “Sum of 2 questions”" in printed


def test_questions_are_correlated(run):
    asked = ("analyse", "correlation", "habits", "--questions", "mood")
    found = json.loads(run(*asked, "--questions", "weight", "--json"))
    [pair] = found["pairs"]
    assert abs(pair["correlation"]["estimate"]) < 1
    printed = run(*asked, "--questions", "region:W")
    assert "3. What of mood? × 4. What of region? “W”\n" in printed
    assert "Coefficient" in printed
    assert "Correlations of 3 questions" in run(
        *asked, "--questions", "SMOKES:yes", "--questions", "drugs/b"
    )


@pytest.mark.parametrize(
    "sentence, arguments, code",
    [
        ("There is no survey 'nowhere'", "crosstab nowhere --rows a --columns b", 1),
        ("Missing option '--columns'", "crosstab habits --rows drinks", 2),
        ("“3. What of mood?” is chosen twice. Choose different questions.",
         "crosstab habits --rows mood --columns mood", 1),
        ("“What of drugs?: A” and “What of drugs?: B” are randomised together",
         "groups habits --measure drugs/a:1 --group drugs/b", 1),
        ("'mood' is not possible for --strata. Choose one of these: region, weight, house.",
         "groups habits --measure smokes:no --group region --strata mood", 1),
        ("'region' is not possible for --weights. Choose one of these: weight.",
         "groups habits --measure smokes:no --group region --weights region", 1),
        ("'region:x' is not possible for --measure. Choose one of these: smokes:yes, smokes:no, ",
         "groups habits --measure region:x --group drinks", 1),
        ("'region' is not possible for --measure.",
         "groups habits --measure region --group drinks", 1),
        ("Questions of the sum: Tick at least two questions for the sum.",
         "groups habits --measure @sum --group region --items mood", 1),
        ("“What of mood?” is a question of the sum, or is randomised together with one.",
         "groups habits --measure @sum --group mood --items mood --items drinks", 1),
        ("Questions: Tick at least two questions.", "correlation habits --questions mood", 1),
        ("'all' is not one of 'pairs', 'first'",
         "groups habits --measure mood --group drinks --against all", 2),
        ("This survey has nothing to choose for --split.",
         "validity habits --asked drinks:yes --split other", 1),
        ("Further terms: “log(mood)” is not a term",
         "regression habits --outcome drinks --predictors mood --further log(mood)", 1),
        ("Type a number from 0 to 90.", "validity habits --asked drinks:yes --denied many", 1),
        ("This analysis needs a crosswise question.", "crosswise habits --asked drinks", 1),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(run, sentence, arguments, code):
    assert sentence in " ".join(run("analyse", *arguments.split(), code=code).split())


def test_a_draft_and_a_survey_without_responses_say_so(run, tmp_path):
    (tmp_path / "other.json").write_text(json.dumps({**HABITS, "slug": "other"}))
    run("survey", "import", "other.json")
    both = ("--rows", "drinks", "--columns", "region")
    assert "is a draft" in run("analyse", "crosstab", "other", *both, code=1)
    run("survey", "import", "other.json", "--open", code=1)
    third = {**HABITS, "slug": "third", "texts_apart": True}
    (tmp_path / "third.json").write_text(json.dumps(third))
    run("survey", "import", "third.json", "--open")
    for command in (
        ["crosstab", "third", *both],
        ["groups", "third", "--measure", "drinks:yes", "--group", "region"],
        ["correlation", "third", "--questions", "mood", "--questions", "weight"],
    ):
        assert "No responses are published yet." in run("analyse", *command, code=1)


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


def test_who_was_not_asked_for_a_weight_has_none():
    """The largest weight is the last value, whatever it is."""
    weight = asked("weight", "number", "none", min=1, max=9, step=1)
    survey = parse_survey(definition(yes_no(), weight))
    _, design = columns_and_design(
        survey, [(0, 3), (1, None), (0, 8)], ["smokes"], DesignNames("weight")
    )
    assert list(design.weights) == [4, 0, 9]
