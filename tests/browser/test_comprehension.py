"""The comprehension test in the same tab after a survey: nothing links the two."""

import json

import pytest
from playwright.sync_api import Page, Request

from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import answer, send
from tests.support.servers import Live


@pytest.mark.plain
def test_the_test_is_taken_after_the_survey_and_shares_nothing_with_it(live: Live, page: Page):
    opened(live.store, definition(yes_no(), comprehension=True))
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes")
    send(page)
    page.goto(f"{live.url}/s/health.comprehension")
    answer(
        page,
        "A mixed-up answer, from which they can only guess what I really answered",
        "I really answered “Yes”",
        "I don't know",
    )
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    survey, test = (json.loads(request.post_data or "") for request in sent)
    assert test["reports"] == {"learnt": "1", "meaning": "0", "who": "4"}
    # Ids are 128 random bits each. Two share 24 digits or more by chance with probability below
    # 1e-20.
    same = sum(a == b for a, b in zip(survey["id"], test["id"], strict=True))
    assert same < 24
    assert survey["fingerprint"] != test["fingerprint"]
    assert set(survey) == set(test) == {"id", "fingerprint", "reports"}
    for request in sent:
        headers = request.all_headers()
        assert not {"cookie", "referer"} & set(headers)
    assert page.context.cookies() == []
    assert list(live.store.responses.rows("health.comprehension")) == [(1, 0, 4)]
    assert sum(live.store.counts.by_question("health")["smokes"].values()) == 1
