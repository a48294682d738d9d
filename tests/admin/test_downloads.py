"""Downloads of the results: the ZIP, and surveys without one."""

import csv
import hashlib
import html
import io
import json
import re
import zipfile

import numpy as np
import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST
from survey.web.demo import HEALTH
from tests.admin.downloaded_tables import table
from tests.support.builder_forms import filled
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import FIELDS
from tests.support.researchers import signed_in


def test_the_download(app, store):
    opened(store, definition(yes_no(), batch=1))
    for number in range(3):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,)))
    client = signed_in(app, "ann", ANALYST).client
    got = client.get("/admin/surveys/health/export.zip")
    assert got.status_code == 200
    assert got.mimetype == "application/zip"
    assert 'filename="health-export.zip"' in got.headers["Content-Disposition"]
    archive = zipfile.ZipFile(io.BytesIO(got.data))
    assert archive.read("responses.csv") == b"smokes.randomised\r\nyes\r\nyes\r\nyes\r\n"
    again = client.get("/admin/surveys/health/export.zip")
    assert hashlib.sha256(again.data).digest() == hashlib.sha256(got.data).digest()
    page = client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "/admin/surveys/health/export.zip" in page


def test_a_simulated_survey_says_so_in_every_name(app, store, tmp_path):
    opened(store, HEALTH | {"slug": "pilot"}, "closed")
    store.responses.add_batches("pilot", [], "simulated")
    got = signed_in(app).client.get("/admin/surveys/pilot/export.zip")
    assert "pilot-simulated-export.zip" in got.headers["Content-Disposition"]
    names = zipfile.ZipFile(io.BytesIO(got.data)).namelist()
    assert all(name.startswith("simulated-") for name in names)


@pytest.mark.parametrize("part", ["by-hand", "comprehension"])
def test_a_part_is_taken_home_by_its_slug(app, store, part, tmp_path):
    opened(store, definition(yes_no(), by_hand=True, comprehension=True))
    slug = f"health.{part}"
    got = signed_in(app).client.get(f"/admin/surveys/{slug}/export.zip")
    assert got.status_code == 200
    path = tmp_path / "part.zip"
    ran = app.test_cli_runner().invoke(
        args=["responses", "export-bundle", slug, "--output", str(path)]
    )
    assert ran.exit_code == 0, ran.output
    assert path.read_bytes() == got.data


def test_a_draft_has_nothing_to_take_home(app, store, tmp_path):
    store.surveys.save_draft(parse_survey(definition()))
    path = tmp_path / "all.zip"
    command = ["responses", "export-bundle", "health", "--output", str(path)]
    ran = app.test_cli_runner().invoke(args=command)
    assert ran.exit_code == 1
    assert "is a draft" in ran.output
    assert not path.exists()


def test_estimates_csv_equals_the_page(researcher, answered):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    reply = researcher.client.get("/admin/surveys/health/estimates.csv")
    lines = list(csv.DictReader(io.StringIO(reply.get_data(as_text=True))))
    shown = re.findall(r'<tr data-answer="(\w+)">(.*?)</tr>', page, re.DOTALL)
    assert len(lines) == len(shown) == 9
    for line, (name, row) in zip(lines, shown, strict=True):
        assert line["answer"] == name
        cells = re.findall(r'<data value="([^"]+)">([^<]+)</data>', row)
        columns = ["estimate", "standard_error", "low", "high"]
        # Without randomisation, the page does not repeat the estimate.
        assert line["mechanism"] != "none" or (
            line["observed"] == line["estimate"] == line["possible"]
        )
        if line["mechanism"] != "none":
            columns = ["observed", *columns, "possible"]
            # The line above the table states the bound of two answers. The file has no other one.
            if not line["variance_bound"]:
                line["variance_bound"] = cells[3][0]
                columns.insert(3, "variance_bound")
            assert float(line["variance_bound"]) >= float(line["standard_error"]) ** 2 * (
                1 - 1 / 5_000
            )
        assert [value for value, _ in cells] == [line[column] for column in columns]
        for column, (value, text) in zip(columns, cells, strict=True):
            number = f"{100 * float(value):.1f}".replace("-", "−")
            expected = f"{number}\u00a0%"
            if column == "standard_error":
                expected = f"{number} points"
            if column == "variance_bound":
                expected = f"{float(value):.2g}"
            assert text == expected


WEIGHTS = "by=drinks&total-yes=3&total-no=1"


def test_the_weighted_file_equals_the_weighted_page(researcher, answered):
    page = researcher.client.get(f"/admin/surveys/health/results?{WEIGHTS}").text
    [address] = re.findall(r'<a href="([^"]*)">Download the weighted estimates', page)
    reply = researcher.client.get(html.unescape(address))
    assert "health-simulated-weighted-estimates.csv" in reply.headers["Content-Disposition"]
    lines = list(csv.DictReader(io.StringIO(reply.text)))
    shown = re.findall(r'<tr data-answer="(\w+)">.*?</tr>', page, re.DOTALL)
    assert [line["answer"] for line in lines] == shown
    for line in lines:
        assert line["weights"] == "drinks: yes 0.75, no 0.25"
        assert f'<data value="{line["estimate"]}">' in page
    unweighted = researcher.client.get("/admin/surveys/health/estimates.csv").text
    assert {line["weights"] for line in csv.DictReader(io.StringIO(unweighted))} == {""}


@pytest.mark.parametrize("query", ["by=smokes", "by=drinks", "by=drinks&total-yes=x&total-no=1"])
def test_no_file_has_wrong_weights(researcher, answered, query):
    reply = researcher.client.get(f"/admin/surveys/health/estimates.csv?{query}")
    assert reply.status_code == 422


def test_responses_of_every_type_are_exported_by_name(researcher, every_type, store):
    rows = table(researcher, "responses.csv")
    assert list(rows[0]) == [
        "smokes.randomised",
        *(f"party.randomised/{name}" for name in "abcdefgh"),
        *(f"colour.randomised/{name}" for name in "rgbw"),
        *(f"tried.randomised/{name}" for name in "vwxyz"),
        *(f"pets.randomised/{name}" for name in ("c", "d", "f", "prefer_not_to_say")),
        *(f"{name}.randomised" for name in ("mood", "glasses", "weight")),
        *("years", "region"),
        *(f"news/{name}" for name in "prt"),
        *("sleep", "remarks"),
    ]
    assert len(rows) == 2_000
    rows = [{name.replace(".randomised", ""): row[name] for name in row} for row in rows]
    for row in rows:
        party = "".join(row[f"party/{name}"] or "-" for name in "abcdefgh")
        tried = "".join(row[f"tried/{name}"] or "-" for name in "vwxyz")
        assert party == "-" * 8 or (party.count("1") == 2 and "-" not in party)
        assert tried.count("-") in (3, 5)
        assert row["smokes"] in ("yes", "no", "prefer_not_to_say", "")
        assert row["region"] in ("n", "e", "s", "w", "not_asked")
    sample = every_type.survey.budget.sample
    for row in rows[:100]:
        reported = {name.partition("/")[0] for name, cell in row.items() if cell} - set(FIELDS[8:])
        assert len(reported) == (8 if sample is None else sample)
    if sample is None:
        yes = sum(row["smokes"] == "yes" for row in rows)
        assert yes == store.counts.by_question("health")["smokes"][0]


def test_the_codebook_recomputes_every_kind_of_share(researcher, every_type):
    """It uses only the two files and formulas of the literature, no project code."""
    book = json.loads(researcher.client.get("/admin/surveys/health/codebook.json").data)
    rows = table(researcher, "responses.csv")
    estimates = {
        (line["question"], line["answer"]): float(line["estimate"])
        for line in table(researcher, "estimates.csv") if line["measure"] == "share"
    }  # fmt: skip
    for name, entry in book["tables"].items():
        columns = book["columns"][name]
        cells = [[row[column] for column in columns] for row in rows]
        cells = [row for row in cells if any(row)]
        kind = entry.get("kind", "table")
        if kind == "table":
            if len(columns) > 1:  # all combinations: back to one name, boxes first
                boxes = len(columns) - 1
                names = ["prefer_not_to_say" if row[-1] == "1" else "".join(row[:boxes])
                         for row in cells]  # fmt: skip
            else:
                names = [row[0] for row in cells]
            seen = np.array([names.count(report) for report in entry["reports"]]) / len(names)
            matrix = np.array(entry["rows"]) / sum(entry["rows"][0])
            if matrix.shape[0] != matrix.shape[1]:
                continue  # several scores are unbiased: estimation/test_share_estimates.py
            shares = dict(zip(entry["reports"], seen @ np.linalg.inv(matrix), strict=True))
            if len(columns) > 1:
                answers = [column.partition("/")[2] for column in columns]
                shares = {
                    answer: sum(share for report, share in shares.items()
                                if (report[place: place + 1] == "1" and report != answers[-1])
                                or report == answer)
                    for place, answer in enumerate(answers)
                }  # fmt: skip
        else:
            k = len(columns)
            ones = [[row[place] for row in cells] for place in range(k)]
            seen = [column.count("1") / (len(column) - column.count("")) for column in ones]
            if kind == "subset":
                size, near, far = entry["size"], entry["near"], entry["far"]
                p = size * near / (size * near + (k - size) * far)
                q = (size - p) / (k - 1)
            else:
                (a, b), (c, d) = entry["rows"]
                p, q = a / (a + b), c / (c + d)
            shares = dict(zip(entry["answers"], [(P - q) / (p - q) for P in seen], strict=True))
        found = {
            answer: estimates[name, answer] for answer in shares if (name, answer) in estimates
        }
        assert found == pytest.approx(shares, abs=1e-9), name


def test_simulated_is_said_once_in_the_name_of_a_file(researcher, store):
    opened(store, definition(slug="health-simulated"), "closed")
    store.responses.add_batches("health-simulated", [[Response(bytes(16), (0,))]], "simulated")
    for name in ("export.zip", "responses.csv"):
        reply = researcher.client.get(f"/admin/surveys/health-simulated/{name}")
        assert f'filename="health-simulated-{name}"' in reply.headers["Content-Disposition"]


def test_responses_csv_holds_every_response_by_name_and_nothing_else(researcher, answered, store):
    reply = researcher.client.get("/admin/surveys/health/responses.csv")
    assert reply.is_streamed
    assert reply.mimetype == "text/csv"
    rows = list(csv.reader(io.StringIO(reply.get_data(as_text=True))))
    assert rows[0] == [*("smokes.randomised", "cheated.randomised", "party.randomised", "drinks")]
    assert len(rows) == 5_001
    yes = sum(row[0] == "yes" for row in rows[1:])
    assert yes == store.counts.by_question("health")["smokes"][0]


def test_the_codebook_recomputes_the_estimates(researcher, answered):
    """It uses only the two files, no project code.

    It reads the table, inverts it and compares.
    """
    book = json.loads(researcher.client.get("/admin/surveys/health/codebook.json").data)
    text = researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(text)))
    text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    lines = [line for line in csv.DictReader(io.StringIO(text)) if line["question"] == "party"]
    table = book["tables"]["party"]
    counts = [sum(row["party.randomised"] == report for row in rows) for report in table["reports"]]
    matrix = np.array(table["rows"]) / sum(table["rows"][0])
    shares = np.array(counts) / len(rows) @ np.linalg.inv(matrix)
    assert [float(line["estimate"]) for line in lines] == pytest.approx(list(shares), abs=1e-12)


def test_a_draft_has_no_downloads(researcher):
    researcher.post("/admin/surveys/new", filled())
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        assert researcher.client.get(f"/admin/surveys/health/{name}").status_code == 409
