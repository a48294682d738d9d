"""The pages of texts: read, search, code, and how far two coders agree."""

import csv
import io
import re
import zipfile

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import ANALYST, Store
from survey.store.sql.codes import NO_CODE, coded_text_key
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher, signed_in, without_csrf_tokens
from tests.support.texts_apart import publish_texts

PAGE = "/admin/surveys/health/texts"
CODES = f"{PAGE}/codes"
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
WHY = {"name": "why", "type": "text", "label": "Why?", "privacy": "none"}


def asked(store: Store, texts: list[tuple[str, str]], state: str = "closed") -> None:
    """A survey that stores these pairs of texts apart. Once it is closed, they can be read."""
    opened(store, definition(yes_no(), REMARKS, WHY, texts_apart=True))
    for k, pair in enumerate(texts):
        there = Response(id_of(k), pair)
        store.responses.add_response("health", Response(bytes([k + 100]) * 16, (0,), texts=there))
    if state == "closed":
        publish_texts(store)


def id_of(k: int) -> bytes:
    return k.to_bytes(16, "big")


def key(k: int, question: str = "remarks") -> str:
    return coded_text_key(id_of(k), question).hex()


def shown(researcher: Researcher, query: str = "") -> list[str]:
    page = researcher.client.get(f"{PAGE}?{query}").get_data(as_text=True)
    return re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", page, re.DOTALL)


def code_numbers(store: Store, *names: str) -> list[int]:
    for name in names:
        store.codes.add_code("health", name)
    by_name = {code.name: code.number for code in store.codes.code_list("health")}
    return [by_name[name] for name in names]


def matching(researcher: Researcher, query: str = "") -> str:
    page = researcher.client.get(f"{PAGE}?{query}").get_data(as_text=True)
    found = re.search(r'id="matching">(.*?)</p>', page, re.DOTALL)
    assert found is not None
    return found[1]


def test_texts_are_read_and_searched(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    asked(store, [("It costs <too> much", ""), ("", "  "), ("Đắt quá", "The COST of it")])
    assert shown(ada) == ["It costs &lt;too&gt; much", "Đắt quá", "The COST of it"]
    assert matching(ada) == "3 texts."
    # Every word, in any case, also in another Unicode form of the same letters.
    assert shown(ada, "words=much+cost") == ["It costs &lt;too&gt; much"]
    assert shown(ada, "words=đa%CC%86%CC%81t") == ["Đắt quá"]
    assert shown(ada, "question=why") == ["The COST of it"]
    assert matching(ada, "words=cost") == "2 of 3 texts."
    assert shown(ada, "words=nothing") == []


def test_nothing_joins_a_text_to_its_writer(app: Flask, store: Store) -> None:
    """Neither the ids, with which somebody could withdraw a response, nor the other text."""
    ada = signed_in(app)
    asked(store, [("one", "two")])
    [code] = code_numbers(store, "cost")
    store.codes.set_codings("health", "ada", {bytes.fromhex(key(0)): [code]})
    for address in (PAGE, CODES, f"{PAGE}/coded-texts.csv"):
        page = ada.client.get(address).get_data(as_text=True)
        assert id_of(0).hex() not in page
        assert (bytes([100]) * 16).hex() not in page
    assert key(0) != key(0, "why")


def test_a_survey_that_stores_texts_with_the_answers_shows_only_texts(
    app: Flask, store: Store
) -> None:
    ada = signed_in(app)
    age = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 99, "privacy": "none"}
    opened(store, definition(age, REMARKS))
    store.responses.add_response("health", Response(id_of(1), (77, "Alone")))
    page = ada.client.get(PAGE).get_data(as_text=True)
    assert "Alone" in page
    body = re.sub(r"<head>.*?</head>", "", without_csrf_tokens(page), flags=re.DOTALL)
    assert "77" not in body


def test_texts_are_nowhere_before_the_survey_closes(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    asked(store, [("early", "")] * 30, "open")
    addresses = (
        *("/texts", "/texts/coded-texts.csv", ".texts/responses.csv", ".texts/estimates.csv"),
        *("/results", "", "/results/alone"),
    )

    def pages() -> list[str]:
        return [
            ada.client.get(f"/admin/surveys/health{address}").get_data(as_text=True)
            for address in addresses
        ]

    packed = ada.client.get("/admin/surveys/health/export.zip").data
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("texts.csv").decode().splitlines() == ["remarks,why"]
    rule = "Nobody can read texts before the survey closes."
    assert not any("early" in page for page in pages())
    for address in ("/texts", "/results", ""):
        assert rule in ada.client.get(f"/admin/surveys/health{address}").get_data(as_text=True)
    store.lifecycle.set_state("health", "closed")
    assert "early" in pages()[0]
    overview = ada.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "While the survey is open again, nobody can read its texts." in overview
    store.lifecycle.set_state("health", "open")
    assert not any("early" in page for page in pages())


def test_only_a_survey_with_texts_has_the_page(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    opened(store, definition())
    assert ada.client.get(PAGE).status_code == 404
    assert PAGE not in ada.client.get("/admin/surveys/health").get_data(as_text=True)
    opened(store, definition(yes_no(), REMARKS, slug="other", texts_apart=True))
    assert "/other/texts" in ada.client.get("/admin/surveys/other").get_data(as_text=True)
    assert ada.client.get("/admin/surveys/other.texts/texts").status_code == 409


def test_codes_are_saved_filtered_and_downloaded(app: Flask, store: Store) -> None:
    ada = signed_in(app, role=ANALYST)
    asked(store, [(f"text {k}", "") for k in range(4)])
    cost, fear = code_numbers(store, "cost", "fear")
    fields = {
        "text": [key(0), key(1), key(2), "zz", key(9)],
        f"codes-{key(0)}": [str(cost), str(fear), str(NO_CODE)],
        f"codes-{key(1)}": [str(NO_CODE), "12345", "x"],
        f"codes-{key(3)}": [str(cost)],  # not among the texts of the form
        f"codes-{key(9)}": [str(cost)],  # no text, for example because it was withdrawn
    }
    reply = ada.post(PAGE, fields)
    assert reply.status_code == 302
    assert "Saved the codes of 2 texts." in ada.client.get(PAGE).get_data(as_text=True)
    assert store.codes.codings("health") == {
        bytes.fromhex(key(0)): {"ada": {cost, fear}},
        bytes.fromhex(key(1)): {"ada": {NO_CODE}},
    }
    assert shown(ada, f"code={fear}") == ["text 0"]
    assert shown(ada, "code=0") == ["text 1"]
    assert shown(ada, "code=none") == ["text 2", "text 3"]
    content = ada.client.get(f"{PAGE}/coded-texts.csv").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [
        (row["text"], row["coder"], row["codes"], row["cost"], row["fear"]) for row in rows
    ] == [
        ("text 0", "ada", "2", "1", "1"),
        ("text 1", "ada", "0", "0", "0"),
        ("text 2", "", "", "", ""),
        ("text 3", "", "", "", ""),
    ]
    assert [row["text_id"] for row in rows] == [key(k) for k in range(4)]


def test_saving_goes_on_where_the_coder_is(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    asked(store, [(f"text {k}", "") for k in range(60)])
    code_numbers(store, "cost")
    assert shown(ada, "page=3") == [f"text {k}" for k in range(50, 60)]
    assert shown(ada, "page=99") == shown(ada, "page=3")
    for query, more, there in (
        ("", {"next": "yes"}, f"{PAGE}?page=2"),
        ("words=text&page=2", {"next": "yes"}, f"{PAGE}?words=text&page=3"),
        ("page=2", {}, f"{PAGE}?page=2"),
        # Texts that are coded now leave this list.
        ("code=none", {"next": "yes"}, f"{PAGE}?code=none"),
    ):
        reply = ada.post(f"{PAGE}?{query}", more, form=PAGE)
        assert reply.headers["Location"] == there


def test_a_coder_sees_only_own_codes_unless_another_coder_is_chosen(
    app: Flask, store: Store
) -> None:
    ada = signed_in(app)
    asked(store, [("text 0", ""), ("text 1", "")])
    [cost] = code_numbers(store, "cost")
    store.codes.set_codings("health", "bob", {bytes.fromhex(key(1)): [cost]})
    page = ada.client.get(PAGE).get_data(as_text=True)
    assert "checked" not in page
    assert 'class="tag">cost' not in page
    assert shown(ada, f"code={cost}") == []
    assert shown(ada, f"code={cost}&coder=bob") == ["text 1"]
    page = ada.client.get(f"{PAGE}?coder=bob").get_data(as_text=True)
    assert "The codes below are those of bob." in page
    assert 'class="tag">cost' in page
    assert 'type="checkbox"' not in page


def test_the_code_list(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    asked(store, [("text 0", "")])
    ada.post(CODES, {"name": "  cost "})
    for name, message in (
        ("", "Type a name."),
        ("cost", "There is already a code “cost”. Type a different name."),
        ("x" * 61, "This text is too long. Use at most 60 characters."),
    ):
        reply = ada.post(CODES, {"name": name})
        assert reply.status_code == 422
        assert message in reply.get_data(as_text=True)
    [number] = code_numbers(store, "fear")
    reply = ada.post(f"{CODES}/{number}", {"name": "cost"}, form=CODES)
    assert reply.status_code == 422
    assert reply.get_data(as_text=True).count("There is already a code “cost”.") == 1
    ada.post(f"{CODES}/{number}", {"name": "worry"}, form=CODES)
    store.codes.set_codings("health", "ada", {bytes.fromhex(key(0)): [number]})
    assert "This also removes the code from 1 text" in ada.client.get(CODES).get_data(as_text=True)
    ada.post(f"{CODES}/{number}/delete", form=CODES)
    page = ada.client.get(CODES).get_data(as_text=True)
    assert "The code “worry” is deleted." in page
    assert [code.name for code in store.codes.code_list("health")] == ["cost"]


@pytest.mark.parametrize("coders", [("ada", "bob"), ("ada", "bob", "eve")])
def test_the_page_shows_how_far_two_coders_agree(
    app: Flask, store: Store, coders: tuple[str, ...]
) -> None:
    """The example of Sim and Wright (2005), see tests/analysis/test_agreement.py."""
    ada = signed_in(app)
    asked(store, [(f"text {k}", "") for k in range(41)])
    cost, _ = code_numbers(store, "cost", "never")
    cells = [(1, 1)] * 22 + [(1, 0)] * 2 + [(0, 1)] * 4 + [(0, 0)] * 11
    for place, coder in enumerate(coders):
        given = {
            bytes.fromhex(key(k)): [cost if cell[min(place, 1)] else NO_CODE]
            for k, cell in enumerate(cells)
        }
        # A text that only one person coded does not count.
        given[bytes.fromhex(key(39))] = [cost] if coder == "ada" else []
        store.codes.set_codings("health", coder, given)
    page = ada.client.get(CODES).get_data(as_text=True)
    assert re.findall(r"<h3>(.*?)</h3>", page)[0] == "ada and bob"
    assert page.count("Both have coded 39 texts.") == (1 if len(coders) == 2 else 3)
    table = page.partition("<h3>ada and bob")[2]
    row = re.findall(r'data-label="([^"]+)"><?(?:data value="[^"]*">)?([^<]+)', table)
    assert dict(row[:6]) == {
        "Both": "22", "Only ada": "2", "Only bob": "4", "Neither": "11",
        "Agree": "84.6\N{NO-BREAK SPACE}%", "κ": "0.67",
    }  # fmt: skip
    assert ">0.37</data> to" in table
    assert "undefined" in table  # the code that nobody gave
    assert (
        "κ is undefined if both gave the code to every text, or both gave it to no text." in table
    )


def test_one_coder_has_nobody_to_agree_with(app: Flask, store: Store) -> None:
    ada = signed_in(app)
    asked(store, [("text", "")])
    [cost] = code_numbers(store, "cost")
    store.codes.set_codings("health", "ada", {bytes.fromhex(key(0)): [cost]})
    page = ada.client.get(CODES).get_data(as_text=True)
    assert "When two people have coded the same texts" in page
    assert "κ" not in page.partition("<main")[2]
