"""Pages of the team, for several test modules."""

import re

from survey.store import EDITOR
from tests.support.researchers import PASSWORD, Researcher

NEW = "seven wet umbrellas dance"


def link_on(reply):
    assert reply.status_code == 200, reply.get_data(as_text=True)
    return re.search(r"/admin/join\?token=[\w-]{43}", reply.get_data(as_text=True))[0]


def add(researcher, name="bob", role=EDITOR):
    form = {"name": name, "role": role, "own": PASSWORD}
    return link_on(researcher.post("/admin/people/add", form))


def join(app, link, password=NEW):
    someone = Researcher(app.test_client())
    return someone, someone.post(link, {"password": password, "again": password})


def sign_in(app, name, password):
    someone = Researcher(app.test_client())
    return someone, someone.post("/admin/sign-in", {"name": name, "password": password})


def is_in(someone):
    return someone.client.get("/admin/").status_code == 200
