"""A survey with results that are shared, for several test modules."""

import re

from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened, yes_no

PLAIN = yes_no("plain", label="Do you own a dog?", privacy="none")
BOTH = definition(yes_no(), PLAIN)


def open_filled(store):
    """An open survey with eight responses."""
    opened(store, BOTH)
    for number in range(8):
        store.responses.add_response("health", Response(number.to_bytes(16), (int(number > 5), 1)))
    return store


def get(client, path):
    reply = client.get(path)
    assert "Set-Cookie" not in reply.headers
    return reply, " ".join(reply.get_data(as_text=True).replace("\u00a0", " ").split())


def made(researcher, name="Colleague"):
    reply = researcher.post("/admin/surveys/health/share", {"name": name})
    assert reply.status_code == 200
    return re.search(
        r"https?://[^/]+(/shared\?token=[\w-]{43})</code>", reply.get_data(as_text=True)
    )[1]
