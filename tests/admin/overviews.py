"""Overviews of surveys, for several test modules."""

OVERVIEW = "/admin/surveys/health"


def text_of(reply) -> str:
    return " ".join(reply.get_data(as_text=True).replace("\u00a0", " ").split())
