"""Rankings on pages and in files: results, public results, exports, analyses, the API."""

import csv
import io
import json
import zipfile
from itertools import permutations

import pyreadstat
import pytest

from tests.support.admin_pages import simulated
from tests.support.definitions import definition, yes_no
from tests.support.researchers import signed_in

ITEMS = ("rice", "fish", "egg")
ORDERS = [">".join(order) for order in permutations(ITEMS)]


def foods(name, privacy, **rest):
    choices = [{"name": item, "label": item.title()} for item in ITEMS]
    asked = {"name": name, "type": "ranking", "label": f"Order of {name}?", "choices": choices}
    return asked | {"privacy": privacy} | rest


@pytest.fixture
def survey(store):
    shares = dict(zip(ORDERS, (0.5, 0.1, 0.1, 0.1, 0.1, 0.1), strict=True))
    content = definition(yes_no(), foods("given", "none"), foods("mixed", {"epsilon": 2}))
    truth = {"smokes": {"yes": 0.3}, "given": shares, "mixed": shares}
    return simulated(store, "foods", content, 400, truth)


@pytest.fixture
def researcher(app, survey):
    return signed_in(app)


def get(researcher, path):
    reply = researcher.client.get(f"/admin/surveys/foods/{path}")
    assert reply.status_code == 200, path
    return reply


def test_results_show_ranks_before_orders(researcher):
    page = get(researcher, "results").get_data(as_text=True).replace("\u00a0", " ")
    assert page.count("“Rice” is most often ranked first: in an estimated") >= 2
    assert "orders that people like these respondents would give" in page
    assert page.index("Mean rank of “Rice”") < page.index("Shares of the orders")
    assert "Rice &gt; Fish &gt; Egg" in page
    assert "Estimated ranks in “Order of mixed?”, where 1 is first" in page


def test_public_results_show_places(researcher, client):
    researcher.post("/admin/surveys/foods/publish", {"public": "yes"}, "/admin/surveys/foods/share")
    page = client.get("/s/foods/results").get_data(as_text=True)
    assert "“Rice” is put first most often." in page
    assert "The mean place of each, where 1 is first:" in page
    assert page.count(">Rice<") == 2


def test_files_have_orders_and_ranks(researcher):
    rows = [*csv.DictReader(io.StringIO(get(researcher, "responses.csv").text.lstrip("\ufeff")))]
    assert {row["given"] for row in rows} == set(ORDERS)
    figures = [*csv.DictReader(io.StringIO(get(researcher, "estimates.csv").text.lstrip("\ufeff")))]
    own = {(f["measure"], f["answer"]): f for f in figures if f["question"] == "given"}
    ranks = [1 + row["given"].split(">").index("fish") for row in rows]
    assert float(own["mean_rank", "fish"]["estimate"]) == pytest.approx(sum(ranks) / 400)
    first = sum(rank == 1 for rank in ranks) / 400
    assert float(own["ranked_first", "fish"]["estimate"]) == pytest.approx(first)
    assert {f["type"] for f in figures if f["question"] == "given"} == {"ranking"}
    book = json.loads(get(researcher, "codebook.json").text)
    assert book["tables"]["mixed"]["answers"] == ORDERS


def test_labelled_files_have_the_labels_of_orders(researcher, tmp_path):
    path = tmp_path / "responses.sav"
    path.write_bytes(get(researcher, "responses.sav").data)
    frame, meta = pyreadstat.read_sav(path)
    assert meta.variable_value_labels["given"][1.0] == "Rice > Fish > Egg"
    rows = [*csv.DictReader(io.StringIO(get(researcher, "responses.csv").text.lstrip("\ufeff")))]
    assert [ORDERS[int(code) - 1] for code in frame["given"]] == [row["given"] for row in rows]


def test_the_zip_has_the_ranks_in_its_scripts(researcher):
    archive = zipfile.ZipFile(io.BytesIO(get(researcher, "export.zip").data))
    [script] = [name for name in archive.namelist() if name.endswith("estimate.py")]
    text = " ".join(archive.read(script).decode().split())
    assert "('mean_rank', 'rice', [1, 1, 2, 3, 2, 3])" in text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("analysis?rows=given&columns=smokes", "Rice &gt; Fish &gt; Egg"),
        ("analysis/groups?measure=mixed:0&group=given", "Rice &gt; Fish &gt; Egg"),
        ("analysis/regression?outcome=smokes&predictors=given", "Rice &gt; Egg"),
        ("results/alone?questions=given", "Order of given?"),
        ("plan?question=mixed", "Order of mixed?"),
        ("definition.json", '"type":"ranking"'),
    ],
)
def test_other_pages_take_a_ranking(researcher, path, words):
    page = get(researcher, path).get_data(as_text=True)
    assert words in page.replace('"type": ', '"type":')
