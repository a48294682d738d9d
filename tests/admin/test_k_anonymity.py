"""The page that says who is alone, and the notice before downloads and links."""

import html
import re

import pytest

from survey.admin.results import k_anonymity
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher

REGION = asked("region", "select_one", "none", choices=letters("nes"))
AGE = asked("age", "number", "none", min=0, max=99)
TEXT = asked("remarks", "text", "none")


def text_of(researcher: Researcher, address: str) -> str:
    reply = researcher.client.get(f"/admin/surveys/health/{address}")
    assert reply.status_code == 200
    page = re.sub(r"<[^>]+>", " ", reply.get_data(as_text=True))
    return re.sub(r"\s+", " ", html.unescape(page)).replace("\u00a0", " ")


def answered(store: Store, rows: list[tuple[int, ...]]) -> None:
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))


# Six people in the north aged 30, one in the east aged 30, one in the north aged 31.
ROWS = [(0, 30, 0)] * 6 + [(1, 30, 0), (0, 31, 1)]


def test_the_page_counts_groups_and_says_what_helps(researcher: Researcher, store: Store):
    opened(store, definition(REGION, AGE, yes_no()))
    answered(store, ROWS)
    text = text_of(researcher, "results/alone")
    assert (
        "2 of 8 respondents (25.0 %) gave a unique combination of answers to the ticked questions."
    ) in text
    assert "The smallest group with the same answers has 1 respondent (k = 1)." in text
    assert "1 2 2 25.0 % 2 0 0 0.0 %" in text
    assert "5 to 9 1 6 75.0 %" in text
    assert "Put the answers to “What of age?” into 5 ranges 1 12.5 % 1" in text
    assert "Leave out “What of region?” 1 12.5 % 1" in text
    assert "Candor does not count texts and dates" not in text
    text = text_of(researcher, "results/alone?question=region")
    assert "1 of 8 respondents (12.5 %) gave a unique answer to the ticked question." in text
    assert "Merge “E” and “N”" not in text
    assert "Merge “N” and “E” in “What of region?” 0 0.0 % 8" in text


def test_the_page_marks_groups_that_all_gave_the_same_answer(researcher: Researcher, store: Store):
    opened(store, definition(REGION, AGE, yes_no()))
    answered(store, ROWS)
    # Six people in the north are 30, and one is 31. Six of those who are 30 are in the north.
    text = text_of(researcher, "results/alone")
    assert "In no group of two or more respondents did everyone give the same answer" in text
    answered_again = [(1, 30, 0)] * 2
    for number, row in enumerate(answered_again):
        store.responses.add_response("health", Response((100 + number).to_bytes(16), row))
    text = text_of(researcher, "results/alone?question=region")
    # All three in the east are 30. By region alone, nothing else is known.
    assert "Answer that is the same in the whole group Groups Respondents Largest group" in text
    assert "What of age? 1 3 3" in text
    assert "What of region? 1" not in text.split("Answer that is the same")[1].split("Change")[0]


def test_the_notice_stands_before_downloads_and_before_links(researcher: Researcher, store: Store):
    opened(store, definition(REGION, AGE, yes_no()))
    answered(store, ROWS)
    told = (
        "2 of 8 respondents (25.0 %) gave a unique combination of answers to the "
        "non-private questions."
    )
    results, share = text_of(researcher, "results"), text_of(researcher, "share")
    assert results.index(told) < results.index("Download all data (ZIP)")
    assert share.index(told) < share.index("Create link")
    answered_again = [(1, 30, 0), (0, 31, 1)] * 3
    for number, row in enumerate(answered_again):
        store.responses.add_response("health", Response((100 + number).to_bytes(16), row))
    assert (
        "No respondent gave unique answers to the non-private questions. The smallest group with "
        "the same answers has 4 respondents." in text_of(researcher, "results")
    )


def test_many_responses_are_counted_only_when_asked(
    researcher: Researcher, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(k_anonymity, "MAX_RESPONSES_FOR_NOTICE", 7)
    opened(store, definition(REGION, AGE, yes_no()))
    answered(store, ROWS)
    text = text_of(researcher, "results")
    assert "Before you share the data, check how many respondents gave a unique" in text
    assert "2 of 8" not in text
    assert "2 of 8" in text_of(researcher, "results/alone")


def test_there_is_nothing_to_say_without_answers_or_questions(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no(), TEXT))
    assert "No responses are published yet." in text_of(researcher, "results/alone")
    assert "alone with" not in text_of(researcher, "results")
    opened(store, definition(yes_no(), slug="private"))
    reply = researcher.client.get("/admin/surveys/private/results/alone").get_data(as_text=True)
    assert "So no combination of such answers can identify a respondent." in reply


def test_texts_are_named_and_labels_escaped(researcher: Researcher, store: Store):
    opened(store, definition(REGION | {"label": "<b>Where?</b>"}, TEXT))
    for number, place in enumerate((0, 0, 0, 1, 2)):
        store.responses.add_response("health", Response(number.to_bytes(16), (place, "x")))
    reply = researcher.client.get("/admin/surveys/health/results/alone").get_data(as_text=True)
    assert "Candor does not count texts and dates." in reply
    assert "<b>Where" not in reply
    assert "&lt;b&gt;Where?" in reply


def test_responses_that_wait_for_their_batch_are_not_counted(researcher: Researcher, store: Store):
    opened(store, definition(REGION, AGE, yes_no(), batch=8))
    answered(store, ROWS[:7])
    assert "No responses are published yet." in text_of(researcher, "results/alone")
    store.responses.add_response("health", Response((7).to_bytes(16), ROWS[7]))
    assert "2 of 8" in text_of(researcher, "results/alone")
