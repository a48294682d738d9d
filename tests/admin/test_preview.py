"""The preview of a survey: it leads back, and the page of respondents does not."""

from tests.support.definitions import definition, opened


def test_the_preview_leads_back_and_the_page_of_respondents_does_not(store, researcher, client):
    opened(store, definition())
    back = '<a href="/admin/surveys/health">Back to the survey’s overview</a>'
    assert back in researcher.client.get("/admin/surveys/health/preview").get_data(as_text=True)
    assert "/admin" not in client.get("/s/health").get_data(as_text=True)
