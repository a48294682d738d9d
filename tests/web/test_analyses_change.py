"""The analysis of a change between surveys: which surveys it offers, and its result."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import ANALYST, MEMBER, Store
from survey.store.sql.saved_analyses import SavedAnalysis
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher, signed_in_with

PATH = "/admin/surveys/first/analysis/change"
TWO = "measure=smokes:0&surveys=second"
THREE = f"{TWO}&surveys=third"
# The probabilities of a reported Yes are 9/10 with the answer Yes and 2/10 with No.
FORCED = {"mechanism": "table", "rows": [[9, 1], [2, 8]]}


@pytest.fixture
def three(store: Store) -> None:
    """Three surveys, in which 60, 40 and 20 % of 400 reports are Yes."""
    for place, (slug, privacy) in enumerate(
        (("first", {}), ("second", {}), ("third", {"privacy": FORCED}))
    ):
        opened(store, definition(yes_no(**privacy), slug=slug, title=slug.title()), "closed")
        rows = [Response(n.to_bytes(16), (int(n % 5 >= 3 - place),)) for n in range(400)]
        store.responses.add_batches(slug, [rows], "loaded")


def rows_of(researcher: Researcher, query: str) -> list[dict[str, str]]:
    reply = researcher.client.get(f"{PATH}.csv?{query}")
    assert reply.status_code == 200, reply.text
    return list(csv.DictReader(io.StringIO(reply.text)))


@pytest.mark.usefixtures("three")
def test_the_difference_of_two_surveys(researcher: Researcher) -> None:
    content = researcher.client.get(f"{PATH}.json?{TWO}").get_json()
    # With two coins, 60 and 40 % of the reports are estimated shares of 2P - 1/2 = 70 and 30 %.
    assert [each["estimate"] for each in content["surveys"]] == pytest.approx([0.7, 0.3])
    (difference,) = content["differences"]
    assert difference["estimate"] == pytest.approx(-0.4)
    assert difference["p"] < 0.001
    assert content["sentence"].startswith(
        "The share of “Yes” in “Do you smoke?” is lower in “Second”"
    )
    named = [(row["first"], row["second"]) for row in rows_of(researcher, TWO)]
    assert named == [("First", ""), ("Second", ""), ("Second", "First")]


@pytest.mark.usefixtures("three")
def test_three_surveys_have_a_trend_also_with_another_randomizer(
    store: Store, researcher: Researcher
) -> None:
    content = researcher.client.get(f"{PATH}.json?{THREE}").get_json()
    # (0.2 - 0.2) / 0.7 is the third share. The trend of three is half of last minus first.
    third = 0.0
    assert content["surveys"][2]["estimate"] == pytest.approx(third)
    assert content["trend"]["estimate"] == pytest.approx((third - 0.7) / 2)
    assert "falls by 35.0 points on average" in content["sentence"]
    assert (
        "All differences from the first survey are statistically significant" in content["sentence"]
    )
    page = researcher.client.get(f"{PATH}?{THREE}").text
    assert "Average change from one survey to the next" in page
    assert page.count("<svg") >= 2
    cited = page.partition("<blockquote>")[2].partition("</blockquote>")[0]
    for slug in ("first", "second", "third"):
        assert store.surveys.by_slug(slug).frozen.fingerprint in cited
    assert cited.count("n = 400") == 3


@pytest.mark.usefixtures("three")
def test_people_in_several_surveys_lengthen_the_interval(researcher: Researcher) -> None:
    width = {}
    for shared in ("", "&shared=y"):
        row = rows_of(researcher, TWO + shared)[-1]
        width[shared] = float(row["high"]) - float(row["low"])
    assert width["&shared=y"] > 1.02 * width[""]


@pytest.mark.usefixtures("three")
def test_surveys_are_in_the_order_of_their_opening(store: Store, researcher: Researcher) -> None:
    with store.database.transaction() as db:
        for slug, day in (("first", "2026-03-01"), ("second", "2026-01-01")):
            db.execute("UPDATE surveys SET opened = ? WHERE slug = ?", [day, slug])
    content = researcher.client.get(f"{PATH}.json?{THREE}").get_json()
    assert [each["survey"] for each in content["surveys"]] == ["Third", "Second", "First"]


@pytest.mark.parametrize(
    ("surveys", "refusal"),
    [
        ("", "Tick at least one survey."),
        ("&surveys=other", "has no question with the same name or words"),
        ("&surveys=unlike", "have different answers"),
        ("&surveys=nowhere", "is not in the list"),
    ],
)
def test_surveys_that_cannot_be_compared_are_refused(
    store: Store, researcher: Researcher, surveys: str, refusal: str
) -> None:
    drinks = yes_no("drinks", label="Do you drink?")
    unlike = asked("smokes", "select_one", "none", choices=letters("ab"))
    for slug, questions in (
        ("first", (drinks, yes_no())),
        ("other", (drinks,)),
        ("unlike", (unlike,)),
    ):
        content = definition(*questions, slug=slug)
        opened(store, content, "closed")
        row = Response(b"1" * 16, (0,) * len(questions))
        store.responses.add_batches(slug, [[row]], "loaded")
    query = f"measure=smokes:0{surveys}"
    assert refusal in researcher.client.get(f"{PATH}?{query}").text
    assert researcher.client.get(f"{PATH}.csv?{query}").status_code == 404


@pytest.mark.usefixtures("three")
def test_a_refusal_names_the_survey(store: Store, researcher: Researcher) -> None:
    opened(store, definition(slug="small", title="A small one"), "closed")
    store.responses.add_batches("small", [[Response(b"1" * 16, (0,))]], "loaded")
    page = researcher.client.get(f"{PATH}?measure=smokes:0&surveys=small").text
    assert "A small one: Responses with an answer or report for " in page


@pytest.mark.usefixtures("three")
def test_the_zip_of_a_command_has_a_saved_comparison(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    store.saved_analyses.save(
        SavedAnalysis(survey="first", name="Since then", analysis="change", query=THREE)
    )
    file = tmp_path / "first.zip"
    arguments = ["responses", "export-bundle", "first", "--output", str(file)]
    reply = app.test_cli_runner().invoke(args=arguments)
    assert reply.exit_code == 0, reply.output
    with zipfile.ZipFile(file) as archive:
        assert any("analysis-1" in name and name.endswith(".svg") for name in archive.namelist())


def test_without_a_comparable_survey_the_page_says_so(store: Store, researcher: Researcher) -> None:
    opened(store, definition(slug="first"), "closed")
    opened(store, definition(yes_no("drinks", label="Do you drink?"), slug="other"), "closed")
    page = researcher.client.get(PATH).text
    assert "You have no other survey that was opened and has a question" in page


@pytest.mark.usefixtures("three")
def test_it_offers_and_reads_only_surveys_within_reach(app: Flask) -> None:
    eve = signed_in_with(app, "eve", MEMBER, first=ANALYST, third=ANALYST)
    page = eve.client.get(PATH).text
    assert "Third" in page
    assert "Second" not in page
    assert eve.client.get(f"{PATH}.csv?{THREE}").status_code == 404
    assert eve.client.get(f"{PATH}.csv?measure=smokes:0&surveys=third").status_code == 200
