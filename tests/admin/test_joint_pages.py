"""Joint questions on the researchers' pages, in their files, and in the API."""

import csv
import html
import io
import json
import re
import subprocess
import sys
import zipfile

import pyreadstat
import pytest
from jsonschema import Draft202012Validator

from survey.api.schemas import SCHEMAS
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.web.analyses.kinds import ANALYSES as KINDS
from tests.support.classes import class_definition
from tests.support.definitions import definition
from tests.support.joint_reports import OF_TWO, with_responses
from tests.support.joint_survey import TWO, WITH_OTHERS, joint_questions, joint_survey
from tests.support.researchers import signed_in

JOINT = definition(*WITH_OTHERS, slug="joint")
# The same with reports that are sets of combinations.
SETS = definition(*joint_questions(privacy={"epsilon": 1}), *WITH_OTHERS[4:], slug="joint")
# Pages that a survey of this kind does not have: a class, free texts, a draft, and a form to load
# responses into a survey that has some.
ABSENT = {
    **dict.fromkeys(("class", "class/end", "class-loss", "edit", "load", "protection"), 409),
    **dict.fromkeys(("texts", "texts/codes", "texts/coded-texts.csv"), 404),
    # It asks for a budget first.
    "releases/new": 422,
}
TOGETHER = "The answers to these questions were randomised together, as one report with ε = 2.26."
ANALYSES = [
    "analysis?rows=habits/drinks&columns=habits/smokes",
    "analysis?rows=habits/drinks&columns=region",
    "analysis?rows=habits&columns=region",
    "analysis/groups?measure=habits/smokes:2&group=region",
    "analysis/groups?measure=habits/smokes:2&group=habits/drinks",
    "analysis/correlation?questions=habits/drinks:0&questions=habits/smokes:0",
    "analysis/regression?outcome=habits/drinks&predictors=region",
    "analysis/regression?outcome=cheated&predictors=habits/smokes",
    "analysis/tree?target=habits/drinks&predictors=region",
    "analysis/tree?target=region&predictors=habits/drinks&predictors=habits/smokes",
    "analysis/validity?asked=habits/drinks:0&denied=20&control=cheated:0&known=10",
    "analysis/crosstab.csv?rows=habits/drinks&columns=habits/smokes",
    "results?by=region&total-n=30&total-s=70",
    "results/alone?questions=region",
]


@pytest.fixture
def researcher(app):
    return signed_in(app)


def get(researcher, path, status=200, slug="joint"):
    reply = researcher.client.get(f"/admin/surveys/{slug}/{path}".rstrip("/"))
    assert reply.status_code == status, (path, reply.status_code)
    return reply


def results_of(store):
    frozen = store.surveys.by_slug("joint").frozen
    return survey_results(frozen, store.counts.by_question("joint"), "browser")


def text_of(reply):
    """The text of a page, without its tags."""
    text = html.unescape(re.sub(r"<[^>]+>", " ", reply.get_data(as_text=True)))
    return " ".join(text.replace("\u00a0", " ").split())


def addresses(app):
    """Every page and file of a single survey, without further arguments but the analysis."""
    analyses = [f"analysis/{name}" for name in KINDS if name != "crosstab"]
    return analyses + sorted(
        rule.rule.removeprefix("/admin/surveys/<slug>").lstrip("/")
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/admin/surveys/<slug>")
        and rule.arguments == {"slug"}
        and "GET" in (rule.methods or ())
    )


@pytest.mark.slow
@pytest.mark.parametrize(("content", "n"), [(JOINT, 0), (JOINT, 3), (JOINT, 60), (SETS, 60)])
def test_every_page_and_file_of_a_survey_opens(app, store, researcher, content, n):
    with_responses(store, content, n)
    found = addresses(app)
    assert len(found) > 35
    assert set(ABSENT) <= set(found)
    # Without responses, there is room to load some.
    absent = ABSENT if n else ABSENT | {"load": 200}
    for address in found:
        get(researcher, address, absent.get(address, 200))
    for address in ANALYSES if n > 3 else ():
        get(researcher, address)


def test_results_have_each_question_and_then_all_combinations(store, researcher):
    with_responses(store, JOINT, 400)
    page = text_of(get(researcher, "results"))
    # The lines at the top have the same numbers.
    page = page[page.index("The estimates describe the answers") :]
    places = [
        page.index(part)
        for part in ("1. Habits", TOGETHER, "1a. Item drinks", "1b. Item drives",
                     "1c. Item smokes", "1. All combinations", "2. What of region?")
    ]  # fmt: skip
    assert places == sorted(places)
    # The table of a part alone has a smaller loss, which no page states.
    assert page.count("k_randomized_response, ε = 2.26; total privacy loss ε = 3.26") == 4
    assert "Shares among those asked for question 1b" in get(researcher, "results").text
    assert "Cross-tabulate two of these questions" in page
    assert (
        "analysis?rows=habits/drinks&amp;columns=habits/drives" in get(researcher, "results").text
    )
    assert (
        "The answers to “Item drinks”, “Item drives” and “Item smokes” were randomised together, "
        "as one answer (“Habits”)." in page
    )
    assert "k_randomized_response with ε = 2.26 and n = 400 for question 1;" in page
    assert "Estimated shares of the answers to “Item smokes”" in page


def test_results_from_sets_of_combinations_say_how_they_follow(store, researcher):
    with_responses(store, SETS, 400)
    page = text_of(get(researcher, "results"))
    page = page[page.index("1a. Item drinks") :]
    item, whole = page.split("1. All combinations")
    assert item.count("subset_selection, ε = 1.00; total privacy loss ε = 2.00") == 3
    assert "Yes: estimate = (N − c q) / (p − q)" in item
    assert "N is the mean number of combinations with the answer in a report" in item
    # The numbers of combinations in a report have more than two values.
    assert "at most (largest score − smallest score)² / (4n), for any true shares" in item
    assert "at most 1 / (4(p − q)²n), for any true shares" in whole
    assert "a continuity correction" in item
    found = results_of(store).questions[0]
    for place, each in enumerate(found.items):
        for answer in each.answers:
            parts = [a.value for a in found.answers if a.choice.parts[place] == answer.choice]
            assert answer.value == pytest.approx(sum(parts))


def test_two_questions_are_rows_and_columns(store, researcher):
    with_responses(store, definition(*TWO, slug="joint"), 900, OF_TWO)
    found = get(researcher, "results").text
    cells = re.findall(r'<tr data-row="(\w+)">(.*?)</tr>', found, re.DOTALL)
    assert [name for name, _ in cells] == ["yes", "no"]
    shares = [re.findall(r'<data value="([^"]+)">', row)[::3] for _, row in cells]
    results = results_of(store).questions[0]
    values = [float(share) for row in shares for share in row]
    assert values == [answer.value for answer in results.answers]
    assert "Cross-tabulate these questions" in found
    assert "A dash means" not in found
    # The headline names the questions of "Yes / Never", also in the picture that can be saved.
    order = "The answers are to “Do you drink?” and “How often do you smoke?”, in this order."
    assert "comes first" in results.sentence
    assert results.sentence.endswith(order)
    assert order in text_of(get(researcher, "results"))
    named = "Rows: “Do you drink?”. Columns: “How often do you smoke?”."
    assert named in text_of(get(researcher, "results"))
    table = get(researcher, "analysis?rows=habits/drinks&columns=habits/smokes")
    assert text_of(table).count(named) >= 2


def test_a_chart_of_each_question_can_be_downloaded(store, researcher):
    with_responses(store, JOINT, 400)
    page = get(researcher, "results").text
    for name in ("habits/drinks", "habits/drives", "habits/smokes", "habits"):
        assert f'href="/admin/surveys/joint/pictures/{name}.svg" download' in page
        reply = get(researcher, f"pictures/{name}.svg")
        assert reply.mimetype == "image/svg+xml"
        file = name.replace("/", "-")
        assert f'filename="joint-{file}.svg"' in reply.headers["Content-Disposition"]
    get(researcher, "pictures/habits/nothing.svg", 404)


def test_few_responses_show_no_estimate(store, researcher):
    with_responses(store, JOINT, 4)
    page = text_of(get(researcher, "results"))
    # Three questions, their combinations, and two further questions.
    assert page.count("4 responses are too few to show an estimate.") == 6
    assert "Cross-tabulate" not in page


def test_weighted_results_weight_each_question(store, researcher):
    with_responses(store, JOINT, 400)
    page = text_of(get(researcher, "results?by=region&total-n=1&total-s=0"))
    only = [
        row for row in csv.reader(io.StringIO(get(researcher, "responses.csv").text))
        if row[1] == "n"
    ]  # fmt: skip
    n = len(only)
    drinkers = sum(row[0].startswith("yes+") for row in only)
    # Of 12 combinations, 6 contain this answer, and the odds are 19 : 2.
    p, q = (9.5 + 5) / 20.5, 6 / 20.5
    weighted = get(researcher, "estimates.csv?by=region&total-n=1&total-s=0").text
    found = {(row["question"], row["answer"]): row for row in csv.DictReader(io.StringIO(weighted))}
    own = found["habits/drinks", "yes"]
    assert float(own["estimate"]) == pytest.approx((drinkers / n - q) / (p - q), abs=1e-9)
    assert own["epsilon"] == found["habits", "yes+yes+never"]["epsilon"]
    assert "Weighted by “What of region?”" in page
    assert "1a. Item drinks" in page


def test_an_open_survey_has_intervals_at_every_look(store, researcher):
    with_responses(store, JOINT, 200, state="open")
    page = get(researcher, "results").text
    assert page.count("Intervals that are valid at every look") == 6
    # They are wider than the intervals for one look.
    results = results_of(store).questions[0]
    for answer in results.items[2].answers:
        region = "Intervals at every look for question 1c"
        row = re.search(
            rf'{region}.*?<tr data-look="{answer.choice.name}">(.*?)</tr>', page, re.DOTALL
        )
        low, high = (float(end) for end in re.findall(r'<data value="([^"]+)">', row[1]))
        assert low <= answer.low < answer.high <= high


def test_a_class_can_watch_each_question(store, researcher):
    with_responses(store, class_definition(*joint_survey()["questions"], slug="joint"), 60)
    page = text_of(get(researcher, "class"))
    assert "Item drinks – Yes" in page
    assert "Item smokes – Often" in page
    assert "Habits – Yes / Yes / Never" in page
    assert re.search(r"95 % interval: [\d.]+ % to [\d.]+ %, from 60 responses", page)


def test_results_by_link_have_no_link_to_an_analysis(store, researcher, client):
    with_responses(store, JOINT, 400)
    page = researcher.post("/admin/surveys/joint/share", {"name": "Ada"}).get_data(as_text=True)
    found = text_of(client.get(re.search(r"/shared\?token=[\w-]+", page)[0]))
    assert "1c. Item smokes" in found
    assert TOGETHER in found
    assert "Cross-tabulate" not in found


def test_public_results_have_each_question(store, client):
    with_responses(store, JOINT, 400)
    store.shares.publish("joint", public=True)
    page = text_of(client.get("/s/joint/results"))
    places = [
        page.index(part)
        for part in ("1. Habits The answers to these questions were mixed up together.",
                     "Item drinks", "Item drives", "Item smokes",
                     "All combinations of answers The answers are to “Item drinks”, “Item drives” "
                     "and “Item smokes”, in this order.",
                     "2. Did you cheat?")
    ]  # fmt: skip
    assert places == sorted(places)
    assert "Only some people were asked this question" in page
    assert "Habits" in text_of(client.get("/s/joint/results?language=vi"))


# Files


def figures(found):
    return {(row["question"], row["measure"], row["answer"]): row for row in csv.DictReader(found)}


def test_files_have_each_question(store, researcher, tmp_path):
    with_responses(store, JOINT, 400)
    reports = [*csv.reader(io.StringIO(get(researcher, "responses.csv").text))]
    assert reports[0] == ["habits.randomised", "region", "cheated.randomised"]
    own = figures(io.StringIO(get(researcher, "estimates.csv").text))
    drinks = own["habits/drinks", "share", "yes"]
    assert (drinks["type"], drinks["mechanism"]) == ("yes_no", "k_randomized_response")
    assert drinks["epsilon"] == own["habits", "share", "yes+yes+never"]["epsilon"]
    drinkers = sum(row[0].startswith("yes+") for row in reports[1:])
    assert float(drinks["observed"]) == pytest.approx(drinkers / 400)
    assert own["habits/drives", "share", "yes"]["asked_estimate"]
    book = json.loads(get(researcher, "codebook.json").text)
    items = book["joint_items"]
    assert list(items) == ["habits/drinks", "habits/drives", "habits/smokes"]
    assert items["habits/smokes"]["parts"] == ["never", "some", "often"] * 4
    assert items["habits/smokes"]["answers"] == ["never", "some", "often"]
    # Nine combinations do not have the part, and the odds are 19 : 2 over 12 combinations.
    assert items["habits/smokes"]["rows"][0][1:] == [2 * 4, 2 * 4]
    path = tmp_path / "responses.sav"
    path.write_bytes(get(researcher, "responses.sav").data)
    frame, meta = pyreadstat.read_sav(path)
    labels = meta.variable_value_labels["habits_randomised"]
    assert labels[1.0] == "randomised report: Yes / Yes / Never"
    assert len(frame) == 400


def test_the_zip_has_each_question_and_a_script_that_agrees(store, researcher, tmp_path):
    with_responses(store, JOINT, 400)
    zipfile.ZipFile(io.BytesIO(get(researcher, "export.zip").data)).extractall(tmp_path)
    ran = subprocess.run(
        [sys.executable, tmp_path / "estimate.py"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "habits/drives, share, not_asked: agrees" in ran.stdout
    page = (tmp_path / "codebook.html").read_text()
    for name in ("habits/drinks", "habits/drives", "habits/smokes"):
        assert f"<code>{name}</code>" in page
    citation = (tmp_path / "citation.txt").read_text()
    assert "Estimated shares of the answers to “Item smokes”" in citation


def test_responses_load_again(store, researcher, run, tmp_path):
    with_responses(store, JOINT, 60)
    content = get(researcher, "responses.csv").data
    (tmp_path / "responses.csv").write_bytes(content)
    (tmp_path / "again.json").write_text(json.dumps(JOINT | {"slug": "again"}))
    run("survey", "import", "again.json")
    assert "60 responses loaded" in run("responses", "load", "again", "responses.csv")
    assert sorted(get(researcher, "responses.csv", slug="again").data.splitlines()) == sorted(
        content.splitlines()
    )
    (tmp_path / "wrong.csv").write_bytes(content.replace(b"yes+yes", b"no+yes", 1))
    said = run("responses", "load", "again", "wrong.csv", code=1)
    assert "is not a value of this column" in said


def test_commands_print_each_question(store, run):
    with_responses(store, JOINT, 400)
    said = run("analyse", "estimate", "joint")
    places = [
        said.index(f"\n{label}  (epsilon 2.26)")
        for label in ("Item drinks", "Item drives", "Item smokes", "Habits")
    ]
    assert places == sorted(places)
    assert "Yes, among those asked:" in said
    with_design = run("analyse", "estimate", "joint", "--strata", "region")
    assert "Item smokes, share of Often:" in with_design
    assert "Habits, share of Yes / Yes / Often:" in with_design


def test_the_api_has_each_question_within_the_joint_question(store):
    with_responses(store, JOINT, 400)
    found = json.loads(json.dumps(results_as_json(results_of(store))))
    schema = {**SCHEMAS["Estimates"], "components": {"schemas": SCHEMAS}}
    Draft202012Validator(schema).validate(found)
    habits, region, _ = found["questions"]
    assert "items" not in region
    assert [item["name"] for item in habits["items"]] == [
        "habits/drinks", "habits/drives", "habits/smokes"
    ]  # fmt: skip
    assert {item["epsilon"] for item in habits["items"]} == {habits["epsilon"]}
    assert sum(habits["items"][2]["reports"].values()) == 400
