"""Charts of releases: the positions on their axes, and the range of the noise alone."""

import csv
import io
import zipfile
from datetime import date
from fractions import Fraction

import pytest

from survey.central_dp.accuracy import accuracy_of, noise_outweighs_responses
from survey.central_dp.budget import CentralDPBudget, Release
from survey.central_dp.chart import (
    BRANCHES,
    COLUMNS,
    CURVED,
    LINES,
    Branch,
    Picture,
    picture_of,
)
from survey.central_dp.dp_request import Request, read_request
from survey.central_dp.figures import DPFigure, dp_figures
from survey.central_dp.text import tree_outline_lines
from survey.charts.range_line import range_of_figure
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

CONTENT = definition(
    yes_no(),  # private
    asked("age", "number", "none", min=0, max=100, unit="ปี"),
    asked("cups", "number", "none", min=0, max=3, prefer_not_to_say=True),
    asked("region", "select_one", "none", choices=letters("nes")),
    asked("sleep", "scale", "none", choices=letters("12")),
)
SURVEY = parse_survey(CONTENT)
DAY = date(2026, 11, 21)


def request(name: str, statistic: str, epsilon: str = "1", **more: str) -> Request:
    typed = {"question": name, "statistic": statistic, "epsilon": epsilon, "percent": "25"}
    return read_request(SURVEY, typed | more)


def picture(wanted: Request, *drawn: tuple[int, ...], n: int = 200) -> Picture:
    figures = dp_figures(SURVEY, wanted, n, drawn)
    found = picture_of(
        SURVEY, Release(number=1, request=wanted, n=n, drawn=drawn, day=str(DAY)), figures
    )
    assert found is not None
    return found


def place(found: Picture, value: float) -> float:
    """The position of a value on the axis, in percent."""
    return 100 * (value - found.low) / (found.high - found.low)


def test_a_mean_lies_between_its_bounds_with_its_range():
    # y = 2 place - 100, so 25 years is -50.
    found = picture(request("age", "mean"), (-50 * 200,))
    [figure] = found.figures
    assert (found.kind, found.low, found.high) == (LINES, 0, 100)
    assert (figure.value, found.beyond) == (25, False)
    # Laplace noise of scale 100 on the sum is at most 300, for 200 people, in half years.
    assert figure.ends == pytest.approx((25 - 300 / 400, 25 + 300 / 400), abs=0.01)


def test_a_mean_that_noise_took_out_of_its_bounds_is_not_drawn_within_them():
    found = picture(request("age", "mean"), (-1000,), n=1)
    [figure] = found.figures
    assert found.beyond
    assert place(found, figure.value) < 0
    chart = range_of_figure(figure, found.low, found.high)
    assert not [shape for shape in chart.shapes if shape.tag == "circle"]


def test_a_histogram_of_numbers_has_columns_and_its_other_answers_none():
    found = picture(request("cups", "histogram", bins="4"), (10, -3, 40, 20, 7))
    assert (found.kind, found.first, found.last) == (COLUMNS, "0", "3")
    assert found.high > 40  # The range of the highest value fits.
    assert [figure.value for figure in found.figures] == [10, -3, 40, 20]
    assert found.beyond  # -3 people


def test_a_histogram_of_choices_has_a_line_for_each():
    found = picture(request("region", "histogram"), (100, 50, 0))
    assert (found.kind, found.filled, found.beyond) == (LINES, True, False)
    assert found.low == 0
    assert [figure.value for figure in found.figures] == [100, 50, 0]


def test_a_curve_goes_through_its_bounds_in_a_band():
    found = picture(request("age", "clipped_sums"), (1500, 500, *[0] * 8))
    assert (found.kind, found.first, found.last) == (CURVED, "0", "100")
    assert found.bounds == [10 * k for k in range(1, 11)]
    assert found.figures[1].value > found.figures[0].value
    assert found.figures[1].value == found.figures[9].value
    widths = [figure.high - figure.low for figure in found.figures]
    assert widths == sorted(widths)  # Noise adds up.


@pytest.mark.parametrize(
    ("statistic", "expected"),
    # At epsilon 1 the scale is 2 * 75 hundredths, and ln(101 candidates / 0.05) = 7.61. That is
    # less than 11.42 respondents of 200. The rank of an end is 2 * 7.61, rounded up, and twice 15
    # beyond.
    [("quantile", (25, 19, 31)), ("minimum", (0, 0, 15)), ("maximum", (100, 85, 100))],
)
def test_what_is_selected_has_its_place_among_the_answers(statistic, expected):
    found = picture(request("age", statistic), (40,))
    assert place(found, found.figures[0].value) == 40
    assert found.rank is not None
    assert (found.rank.value, *found.rank.ends) == expected


def test_it_has_no_place_where_the_number_of_answers_is_not_public():
    assert picture(request("cups", "median"), (1,)).rank is None
    assert picture(request("age", "median", group="region", member="n"), (40,)).rank is None


def test_a_tree_has_its_questions_and_the_counts_below():
    wanted = request("sleep", "tree", by="region", depth="1")
    found = picture(wanted, (0,), (10, 20), (0, 40), (30, -2))
    root = found.root
    assert found.kind == BRANCHES
    assert root is not None
    assert (root.asked, [each.answer for each in root.branches]) == (
        "What of region?",
        ["N", "E", "S"],
    )
    leaves = [[(answer, f.value) for answer, f in each.leaf] for each in root.branches]
    assert leaves == [[("1", 10), ("2", 20)], [("1", 0), ("2", 40)], [("1", 30), ("2", -2)]]
    assert found.beyond


def test_the_most_frequent_answer_has_no_picture():
    wanted = request("region", "mode")
    release = Release(number=1, request=wanted, n=9, drawn=((1,),), day=str(DAY))
    assert picture_of(SURVEY, release, dp_figures(SURVEY, wanted, 9, ((1,),))) is None


EACH = [
    *(request("age", name) for name in ("count", "histogram", "sum", "mean", "variance")),
    *(request("age", name) for name in ("median", "quantile", "minimum", "maximum", "mode")),
    request("age", "clipped_sums"),
    request("cups", "mean"),
    request("sleep", "tree", by="region", depth="1"),
]


@pytest.mark.parametrize("wanted", EACH, ids=lambda wanted: f"{wanted.question}-{wanted.statistic}")
def test_what_noise_alone_could_have_made_is_said_so(wanted):
    said = "the result says little"
    assert accuracy_of(SURVEY, wanted, 0) == [
        "There are no responses. The result would be noise only, at the same cost."
    ]
    for n in (1, 2):
        assert noise_outweighs_responses(SURVEY, wanted, n)
        assert said in accuracy_of(SURVEY, wanted, n)[0]
    for n in (1_000, 100_000):
        assert not noise_outweighs_responses(SURVEY, wanted, n)
        assert said not in " ".join(accuracy_of(SURVEY, wanted, n))


def test_a_tree_says_what_each_level_has():
    assert "Each of the 2 levels, including the leaves, has ε = 0.5." in accuracy_of(
        SURVEY, EACH[-1], 1_000
    )


def test_a_count_is_outweighed_up_to_its_accuracy_and_no_further():
    wanted = request("age", "count", "0.5")  # within 6, see accuracy_of
    assert "within 6 of" in accuracy_of(SURVEY, wanted, 6)[1]
    assert (
        noise_outweighs_responses(SURVEY, wanted, 6),
        noise_outweighs_responses(SURVEY, wanted, 7),
    ) == (True, False)


DRAWN = [
    (EACH[0], ((150,),)),
    (EACH[1], ((20,) * 10,)),
    (EACH[5], ((40,),)),
    (EACH[7], ((3,),)),
    (EACH[9], ((40,),)),
    (EACH[10], ((100,) * 10,)),
    (EACH[12], ((0,), (10, 20), (0, 40), (30, -2))),
]

# The beginning of the sentence about the error, and the sentence about too few responses.
NEAR = {
    "en": ("In 95 of 100 cases", "There were too few answers"),
    "vi": ("Trong 95 trên 100 trường hợp", "Có quá ít câu trả lời cho"),
    "th": ("ใน 95 จาก 100 กรณี", "มีคำตอบน้อยเกินไปสำหรับ"),
    "zh": ("在 100 次中有 95 次", "这里的答案太少"),
}

# How many people the tree predicts correctly.
TREE = {
    "en": "the tree sorts 90 of 98 people correctly",
    "vi": "cây phân loại đúng 90 trong 98 người",
    "th": "ต้นไม้จำแนกคนถูก 90 จาก 98 คน",
    "zh": "它在 98 人中归类正确 90 人",
}


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_everyone_sees_each_picture_and_how_near_it_is(store, client, language):
    """The sentence is in the survey's language.

    With hardly any responses, another one replaces it.
    """
    for slug, n in (("health", 200), ("few", 1)):
        opened(store, CONTENT | {"slug": slug, "language": language}, "closed")
        store.releases.set_budget(slug, CentralDPBudget(Fraction(100), Fraction(0)))
        for wanted, drawn in DRAWN:
            store.releases.add_release(slug, wanted, n, drawn, DAY)
        store.releases.publish_releases(slug, True)
    page = client.get("/s/health/results").text.replace("\u00a0", " ")
    # The columns, the curve, and the noise of the count, the columns and the leaves.
    assert page.count('<svg class="chart"') == 2 + 3
    assert page.count("<details>") == 3
    assert page.count('class="leaf"') == 3
    assert page.count('class="rank"') == 2
    near, few = NEAR[language]
    assert page.count(f'<p class="hint">{near}') == 4  # a quantile, an end, the mode, the tree
    # The leaves (10, 20), (0, 40) and (30, -2): 20 + 40 + 30 = 90 right, of 98.
    assert TREE[language] in page
    assert few not in page
    assert client.get("/s/few/results").text.count(few) == len(DRAWN)


def test_a_unit_is_escaped_once(store, client):
    """The chart's template escaped it, shortened it, and escaped it again."""
    number = asked("spent", "number", "none", min=0, max=100, unit="R&D")
    content = definition(number)
    opened(store, content, "closed")
    store.releases.set_budget("health", CentralDPBudget(Fraction(100), Fraction(0)))
    typed = {"question": "spent", "statistic": "histogram", "epsilon": "1", "bins": "10"}
    wanted = read_request(parse_survey(content), typed)
    store.releases.add_release("health", wanted, 200, ((20,) * 10,), DAY)
    store.releases.publish_releases("health", True)
    page = client.get("/s/health/results").text
    assert ">100 R&amp;D</text>" in page


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_what_is_taken_home_says_how_near_each_figure_is(app, store, researcher, tmp_path):
    """Values by hand, at epsilon 1 with 200 responses.

    survey/central_dp/noise_scales.py has the formulas.
    """
    opened(store, CONTENT, "closed")
    home = "/admin/surveys/health/export.zip"
    without = zipfile.ZipFile(io.BytesIO(researcher.client.get(home).data))
    assert "releases.csv" not in without.namelist()
    assert "releases.csv" not in without.read("README.txt").decode()
    store.releases.set_budget("health", CentralDPBudget(Fraction(100), Fraction(0)))
    means = [
        (request("age", "mean"), ((-10_000,),)),
        (request("cups", "mean"), ((-100,), (150,))),  # of the respondents who gave a number
    ]
    for wanted, drawn in [*DRAWN, *means]:
        store.releases.add_release("health", wanted, 200, drawn, DAY)
    archive = zipfile.ZipFile(io.BytesIO(researcher.client.get(home).data))
    assert "releases.csv" in archive.read("README.txt").decode()
    assert "releases.csv" in archive.read("codebook.html").decode()
    text = archive.read("releases.csv").decode()
    found, deviations = {}, {}
    for row in rows_of(text):
        assert (row["epsilon"], row["delta"], row["day"]) == ("1", "0", "2026-11-21")
        assert row["level"] == "0.95"
        found.setdefault(row["statistic"], []).append((row["scale"], row["within"]))
        noise = row["noise_deviation"]
        deviations.setdefault(row["statistic"], set()).add(noise and f"{float(noise):.4f}")
    assert found["count"] == [("1.000000001", "3.0")]
    assert set(found["histogram"]) == {("1.000000001", "5.0")}
    # 1 / (sqrt 2 sinh(1/2)) = 1.3570; for the mean, 100 half years, for 200 people.
    assert (deviations["count"], deviations["median"]) == ({"1.3570"}, {""})
    assert deviations["mean"] == {"0.3536", ""}  # nothing where the number is not public
    assert deviations["tree"] == {"2.7992", ""}  # 1 / (sqrt 2 sinh(1/4)) in each leaf
    assert len(deviations["clipped_sums"]) == 10
    # 100 ln(2 / (0.05 * 1.99)) = 300.07: 300 half years, for 200 people.
    assert found["mean"] == [("100.0000001", "0.75"), ("6.000000006 2.000000002", "")]
    assert found["mode"] == [("1.000000001", "7.0")]  # ln(101 / 0.05) = 7.6
    assert found["median"] == [("100.0000001", "8.0")]  # hundredths: 50 * 2 * 7.6
    assert found["minimum"] == [("2.000000002", "30.0")]
    assert len(found["clipped_sums"]) == 10
    # The counts of six leaves and classes, and how many of the three leaves are right.
    scales = "2.000000002 2.000000002"
    assert found["tree"] == [(scales, "11.0")] * 6 + [(scales, "33.0")]
    # The command line and the page give the same.
    assert researcher.client.get("/admin/surveys/health/releases.csv").text == text
    run = app.test_cli_runner()
    output = tmp_path / "all.zip"
    assert (
        run.invoke(args=["responses", "export-bundle", "health", "--output", str(output)]).exit_code
        == 0
    )
    assert zipfile.ZipFile(output).read("releases.csv").decode() == text


def test_a_curve_stands_where_bounds_are_chosen(store, researcher):
    opened(store, CONTENT, "closed")
    store.releases.set_budget("health", CentralDPBudget(Fraction(1), Fraction(0)))
    new = "/admin/surveys/health/releases/new?question={}&statistic={}"
    page = researcher.client.get(new.format("age", "mean")).text
    assert "sums for several upper bounds" in page
    assert '<polygon class="band"' not in page
    store.releases.add_release("health", EACH[10], 200, ((100,) * 10,), DAY)
    assert '<polygon class="band"' in researcher.client.get(new.format("age", "mean")).text
    for other in (("age", "clipped_sums"), ("age", "count"), ("cups", "mean")):
        assert '<polygon class="band"' not in researcher.client.get(new.format(*other)).text
    page = researcher.client.get("/admin/surveys/health/releases").text
    assert "The budget is used up." in page
    assert '<polygon class="band"' in page


def test_two_sentences_have_a_space_between_them(store, client):
    opened(store, CONTENT, "closed")
    store.releases.set_budget("health", CentralDPBudget(Fraction(1), Fraction(0)))
    store.releases.add_release("health", EACH[0], 200, ((150,),), DAY)
    store.releases.publish_releases("health", True)
    assert "is in the range. All of them together: ε" in client.get("/s/health/results").text


def test_the_command_line_shows_a_tree_as_it_grows_and_says_what_is_there_already(app, store):
    opened(store, CONTENT, "closed")
    store.releases.set_budget("health", CentralDPBudget(Fraction(1), Fraction(0)))
    wanted = request("sleep", "tree", by="region", depth="1")
    store.releases.add_release("health", wanted, 200, ((0,), (10, 20), (0, 40), (30, -2)), DAY)
    asked_for = "central-dp draw health sleep tree --by region --depth 1 --epsilon 1"
    said = app.test_cli_runner().invoke(args=asked_for.split()).output.splitlines()
    assert said[1:] == [
        "This was released before. Showing it again costs nothing.",
        "What of region?",
        "  N: “1” 10, “2” 20",
        "  E: “1” 0, “2” 40",
        "  S: “1” 30, “2” −2",
        "By its noisy counts, the tree predicts 90 of 98 respondents correctly (57 to 123 with a "
        "probability of 95 %). Always predicting the most frequent answer, “2”, is right for 58. "
        "These numbers are sums of released counts, so they cost nothing. They are usually "
        "somewhat too large, because each leaf predicts the answer with its largest noisy count.",
        "Left: epsilon 0",
    ]


def test_an_outline_is_indented_by_depth():
    leaf = Branch("z", leaf=[("1", DPFigure(label="", value=5, low=4, high=6))])
    tree = Branch("", "A?", [Branch("x", "B?", [leaf, leaf]), leaf])
    assert tree_outline_lines(tree) == [
        "A?",
        "  x",
        "    B?",
        "      z: “1” 5",
        "      z: “1” 5",
        "  z: “1” 5",
    ]
