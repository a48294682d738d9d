"""The results page: its figures, bounds, pictures and sentences."""

import html
import re

import pytest

from survey.definition.responses.parse_response import Response
from survey.estimation.number_text import significant
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from tests.admin.downloaded_tables import table
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import FIELDS, letters


def test_weights_that_leave_out_a_group_do_not_count_more_reports_than_respondents(
    researcher, store
):
    """The question that gives the weights has a report of everybody, also of the group left out."""
    region = {
        **{"name": "region", "type": "select_one", "label": "Where?", "privacy": "none"},
        "choices": letters("nesw"),
    }
    frozen = opened(store, definition(yes_no(), region), "closed")
    truth = read_truth(
        {"smokes": {"yes": 0.3}, "region": dict.fromkeys("nesw", 0.25)}, frozen.survey
    )
    batches = simulate_responses(frozen.survey, truth, 400, seed=7)
    store.responses.add_batches("health", batches, "simulated")
    totals = "&".join(
        f"total-{name}={total}" for name, total in zip("nesw", (1, 1, 1, 0), strict=True)
    )
    page = researcher.client.get(f"/admin/surveys/health/results?by=region&{totals}").text
    assert "respondents are excluded. Their group has a total of 0" in page
    assert "respondents report on this question" not in page


def test_the_page_states_formula_bound_epsilon_and_method(researcher, answered):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    for text in (
        "2P − 1/2",
        "(P − 1/2 + γ) / (2γ)",
        "(P − q) / (p − q)",
        "at most 1/(16γ²n) = 0.0002 for",  # 1 / (16 * 0.25^2 * 5000)
        "exact, likelihood-ratio ordered",
        "ε = 1.10; total privacy loss ε = 3.49",
        "none: stored as given",
        "5,000",
        "95\u00a0% interval",
    ):
        assert text in page, text
    # Each question has a line at the top, and a chart in its table.
    assert page.count("<li data-place") == 4
    assert page.count('<svg class="chart" ') == 4
    # The line on each private question is in view, and the figures do not repeat its bound.
    sections = page.split('<section class="question-results"')[1:]
    lines = [
        re.findall(r'<p class="hint calculation">(.*?)</p>', section.partition("<details")[0])
        for section in sections
    ]
    assert [len(line) for line in lines] == [1, 1, 1, 0]
    assert ["1/(16γ²n)" in line[0] for line in lines[:3]] == [True, True, False]
    assert page.count("16γ²n") == 2
    assert [section.count("2P − 1/2 =") for section in sections] == [1, 0, 0, 0]
    # The standard errors and the other formulas are in view once the question is open.
    for section in page.split('<section class="question-results"')[1:]:
        section = section.partition("</section>")[0]
        assert section.count("<details data-figures") == section.count("<details") == 1


def test_the_page_has_a_sentence_to_copy_for_each_result_and_the_methods(researcher, answered):
    page = html.unescape(researcher.client.get("/admin/surveys/health/results").text)
    copied = re.findall(r'data-copy="([^"]*)"', page)
    quoted = re.findall(r"<(?:blockquote|pre)>(.*?)</(?:blockquote|pre)>", page, re.DOTALL)
    # The button copies exactly what is on the page.
    assert [each.replace("\n", " ") for each in copied] == [
        each.replace("\n", " ") for each in quoted
    ]
    # In English: methods, four sentences, two references. Each sentence is at its question, too.
    assert len(copied) == 4 * (1 + 4 + 2) + 4
    for sentence in copied[:4]:
        assert copied.count(sentence) == 2
    assert sum("coin_flip" in each for each in copied) == 4
    for name in ("English", "Tiếng Việt", "ไทย", "中文"):
        assert f">{name}</summary>" in page


def test_the_bound_below_a_table_is_the_largest_in_its_column(researcher, every_type):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    several = 0
    for section in page.split('<section class="question-results"')[1:]:
        cells = re.findall(
            r'data-label="Upper bound on the variance"><data value="([^"]+)"', section
        )
        stated = re.search(
            r'Variance of each estimate.*?<span class="formula">([^<]+)', section, re.S
        )
        if stated:
            assert stated[1] == significant(max(map(float, cells)), 3)
            several += "(the largest of the bounds in the table)" in section
    assert several


def test_every_figure_of_every_type_on_the_page_is_in_the_csv(researcher, every_type):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    lines = [line for line in table(researcher, "estimates.csv") if line["measure"]]
    shown = {}
    for number, section in enumerate(page.split('<section class="question-results"')[1:]):
        for kind, name, row in re.findall(
            r'<tr data-(answer|quantity)="([^"]+)">(.*?)</tr>', section, re.DOTALL
        ):
            values = re.findall(r'data-label="([^"]+)">(.*?)</td>', row, re.DOTALL)
            shown[FIELDS[number], kind, name] = {
                label: re.findall(r'<data value="([^"]+)">', cell) for label, cell in values
            }
    written = {}
    for line in lines:
        quantity = line["measure"] != "share"
        name = line["measure"] if quantity else line["answer"]
        error = line["standard_error"]
        cells = {
            "Estimate": [line["estimate"]],
            # Pages do not show a standard error of 0, from reports that all agree.
            "Standard error": [error] if error and float(error) > 1e-9 else [],
            "95 % interval": [line["low"], line["high"]],
        }
        # The page says so instead of showing the figures.
        if line["cannot_tell"]:
            cells = {label: [] for label in cells}
        # The line on a question with two answers states their bound.
        if line["variance_bound"] and line["type"] == "select_multiple":
            cells["Upper bound on the variance"] = [line["variance_bound"]]
        if not quantity and line["mechanism"] != "none":
            cells["Within 0–100 %"] = [line["possible"]]
            cells["Reported"] = [line["observed"]] if line["observed"] else []
        written[line["question"], "quantity" if quantity else "answer", name] = cells
    assert shown.keys() == written.keys()
    for place, cells in shown.items():
        assert {label: cells.get(label, []) for label in written[place]} == written[place], place
        rest = cells.keys() - written[place].keys()
        assert rest <= {"Number of reports", "Upper bound on the variance"}, place
    # Every type has all of its possible estimates.
    measures = {(line["type"], line["measure"]) for line in lines}
    assert measures == {
        *((kind, "share") for kind in ("yes_no", "select_one", "select_multiple", "scale")),
        *(("number", each) for each in ("share", "mean", "deviation")),
        *(("number", f"quantile_{each}") for each in (25, 50, 75)),
        ("scale", "mean"),
    }


def test_each_type_has_its_picture(researcher, every_type):
    """Twelve charts: the mechanism for the mean has no distribution, and a text has no chart. The
    first picture of a question is that of its headline."""
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    sections = page.split('<section class="question-results"')[1:]
    pictures = {}
    for name, section in zip(FIELDS, sections, strict=True):
        figures = section.partition("<details data-figures")[2]
        drawn_as = "none"
        if "<svg" in figures:
            chart = figures.split("<svg")[1].split("</svg>")[0]
            drawn_as = "columns" if "bar-share" in chart else "shares"
        pictures[name] = drawn_as
    assert pictures == {
        "smokes": "shares", "party": "shares", "colour": "shares", "tried": "shares",
        "pets": "shares", "mood": "shares", "glasses": "columns", "weight": "none",
        "years": "columns", "region": "shares", "news": "shares", "sleep": "shares",
        "remarks": "none",
    }  # fmt: skip
    assert "0 of 2,000 respondents wrote a text." in sections[-1]
    assert ("respondents report on this question" in page) == (
        every_type.survey.budget.sample is not None
    )


@pytest.mark.parametrize(
    ("question", "each", "first"),
    [("glasses", 4, 0), ("years", 11, 5)],  # a column for each 4th value; for 0 to 10, and so on
)
def test_the_mean_is_drawn_where_its_value_lies_among_the_columns(
    researcher, every_type, question, each, first
):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    section = page.split('<section class="question-results"')[1 + FIELDS.index(question)]
    section = section.partition("<details data-figures")[2]
    [value] = re.findall(r'data-quantity="mean">.*?<data value="([^"]+)">', section, re.DOTALL)
    columns = re.findall(
        r'<rect class="bar-share" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"', section
    )
    *columns, _ = [(float(x), float(width)) for x, width in columns]  # the last is the legend's
    assert len(columns) == 11
    (left, width), (right, _) = columns[0], columns[-1]
    middle = left + width / 2 + (float(value) - first) / each * (right - left) / 10
    [circle] = re.findall(r'<circle class="estimate" cx="([\d.]+)%"', section)
    assert float(circle) == pytest.approx(middle, abs=0.06)


def test_simulated_is_said_everywhere(client, researcher, answered):
    assert "simulated</span>" in researcher.client.get("/admin/").get_data(as_text=True)
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "Simulated." in page
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        reply = researcher.client.get(f"/admin/surveys/health/{name}")
        assert f'filename="health-simulated-{name}"' in reply.headers["Content-Disposition"]
    assert reply.get_json(force=True)["origin"] == "simulated"
    assert "this survey are simulated" in client.get("/s/health").get_data(as_text=True)


def test_a_survey_without_responses_has_an_empty_state(store, researcher):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "Estimates appear when Candor has received 5 responses." in page
    assert "http://127.0.0.1:8000/s/health" in page
    csv_text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    assert csv_text.count("\r\n") == 1


def test_one_response_and_a_negative_estimate_are_explained(store, researcher):
    opened(store, definition())
    store.responses.add_response("health", Response(b"\1" * 16, (1,)))
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "1 response is too few to show" in page
    assert "−50" not in page
    for number in range(2, 6):
        store.responses.add_response("health", Response(bytes([number]) * 16, (1,)))
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "−50\u00a0%" in page
    assert "is below 0\u00a0%" in page
