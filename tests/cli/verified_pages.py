"""A survey in two languages for `candor verify`, for several test modules."""

from tests.support.definitions import definition

PAGE = "/s/health"


def two_languages() -> dict:
    texts = {"title": "Sức khoẻ", "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}}}
    return definition(translations={"vi": texts})
