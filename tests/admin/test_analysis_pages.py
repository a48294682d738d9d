"""Pages of analyses with a form and its result: each is at the place in the page's header."""

import re

import pytest

from survey.admin.analysis.request_form import PAGES
from survey.store import ANALYST
from tests.support.analysis_pages import every_type


@pytest.mark.parametrize(("endpoint", "title"), PAGES)
def test_each_analysis_has_a_page_for_analysts_that_leads_to_the_others(
    app, store, researcher, endpoint, title
):
    every_type(store, 20)
    assert app.view_functions[endpoint].role == ANALYST
    path = endpoint.removeprefix("admin.").removeprefix("analysis")
    page = researcher.client.get(f"/admin/surveys/health/analysis/{path}".rstrip("/")).text
    head = page.partition('aria-label="Analyses"')[2].partition("</nav>")[0]
    assert re.findall(r">([^<]+)</a>", head) == [text for _, text in PAGES]
    assert f'aria-current="page">{title}</a>' in head
    assert "<form" in page
