"""Every route that changes something requires the token of the session, or is exempt."""

import re

import pytest

EXEMPT = {"respond", "paper_and_coin", "api"}  # the exempt blueprints
# The rest says whether the session has ended.
SENTENCE = "Nothing was changed"


@pytest.mark.parametrize("token", [None, "made up"])
def test_a_request_without_a_token_is_refused_but_where_no_cookie_could_be_borrowed(
    app, client, token
):
    app.load_routes()
    walked = set()
    for rule in app.url_map.iter_rules():
        if "POST" in rule.methods:
            path = re.sub("<[^>]*>", "1", rule.rule)
            reply = client.post(path, data={} if token is None else {"csrf_token": token})
            blueprint = rule.endpoint.split(".")[0]
            refused = reply.status_code == 400 and SENTENCE in reply.get_data(as_text=True)
            assert refused == (blueprint not in EXEMPT), path
            walked.add(blueprint)
    assert {"admin", "respond", "paper_and_coin"} <= walked
