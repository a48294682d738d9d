"""The page of the audit log: its filters, its file, and who may read it."""

import csv
import io
import re

import pytest

from survey.store import ANALYST, EDITOR
from survey.store.sql.audit_log import Act
from tests.support.acts import acts
from tests.support.definitions import definition, opened
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores


def test_the_log_is_told_by_survey_person_and_page_the_latest_first(app, store, researcher):
    opened(store, definition())
    signed_in(app, "bob", EDITOR)
    for n in range(120):
        survey = "health" if n % 2 else "other"
        store.audit.record(
            Act(survey=survey, account="bob" if n % 3 else "ada", action=f"act {n}.", moment=n)
        )

    def told(path):
        page = researcher.client.get(path).get_data(as_text=True)
        links = {
            text: link.replace("&amp;", "&")
            for link, text in re.findall(r'<a class="button" href="([^"]+)">(\w+)</a>', page)
        }
        return [int(n) for n in re.findall(r"act (\d+)\.", page)], links

    first, links = told("/admin/log")
    assert first == list(range(119, 69, -1))
    second, links = told(links["Older"])
    assert second == list(range(69, 19, -1))
    third, last = told(links["Older"])
    assert third == list(range(19, -1, -1))
    assert "Older" not in last
    assert told(last["Newest"])[0] == first
    assert told("/admin/surveys/health/log")[0] == list(range(119, 19, -2))
    assert told("/admin/log?account=ada")[0] == list(range(117, -1, -3))
    older = told("/admin/surveys/health/log?account=bob&before=21")
    assert older[0] == [19, 17, 13, 11, 7, 5, 1]
    page = researcher.client.get("/admin/surveys/health/log").get_data(as_text=True)
    assert "1970-01-01 00:01:59" in page
    assert '<option value="bob">bob</option>' in page
    assert "No entries found." in researcher.client.get("/admin/log?account=eve").get_data(
        as_text=True
    )
    assert researcher.client.get("/admin/log?before=x").status_code == 200
    page = researcher.client.get("/admin/log").get_data(as_text=True)
    assert '<a href="/admin/surveys/health" lang="en">Health</a>' in page
    assert '<code>other</code> <span class="hint">deleted or renamed</span>' in page


def test_the_log_as_a_file_holds_all_and_no_formula(app, store, researcher):
    signed_in(app, "@cmd", EDITOR)
    for n in range(60):
        store.audit.record(
            Act(survey="health", account="@cmd", action="opened the survey", moment=n)
        )
    text = researcher.client.get("/admin/log.csv").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 60  # the download itself is recorded later
    assert rows[0] == {
        "moment": "1970-01-01 00:00:59Z",
        "account": "'@cmd",
        "survey": "health",
        "action": "opened the survey",
    }
    assert acts(store, most=1) == [("", "ada", "downloaded the audit log")]
    opened(store, definition())
    reply = researcher.client.get("/admin/surveys/health/log.csv")
    assert 'filename="health-log.csv"' in reply.headers["Content-Disposition"]
    assert len(reply.get_data(as_text=True).splitlines()) == 61


def test_who_may_read_the_log(app, store):
    opened(store, definition())
    for role, statuses in ((ANALYST, (403, 403)), (EDITOR, (403, 200))):
        someone = signed_in(app, f"some-{role}", role)
        for path in ("{}", "{}.csv"):
            asked = [path.format("/admin/log"), path.format("/admin/surveys/health/log")]
            assert tuple(someone.client.get(each).status_code for each in asked) == statuses
        page = someone.client.get("/admin/surveys/health").get_data(as_text=True)
        assert ("/admin/surveys/health/log" in page) == (role == EDITOR)
