"""The researchers' side, by HTTP."""

import csv
import io
import json
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from flask import url_for

from app import create_app
from survey import auth
from survey.intake import Response
from survey.simulation import simulate_responses
from survey.store import Session
from tests.conftest import PASSWORD, Researcher, definition, opened, yes_no

OPEN_TO_ALL = {"admin.sign_in", "admin.setup"}


def filled(**change):
    """A builder form with one coin-flip question."""
    question = {
        "label": "Do you smoke?",
        "hint": "",
        "name": "smokes",
        "type": "yes_no",
        "choices": "",
        "privacy": "coin_flip",
        "gamma": "0.25",
        "epsilon": "1",
        "other": "",
    }
    survey = {"title": "Health", "slug": "", "language": "en", "introduction": "", "budget": ""}
    question |= {key: value for key, value in change.items() if key in question}
    survey |= {key: value for key, value in change.items() if key in survey}
    return {
        **survey,
        **{f"questions-0-{key}": value for key, value in question.items()},
        "do": change.get("do", "save"),
    }


def hidden(researcher, path, name):
    """The value of a hidden field on a page."""
    page = researcher.client.get(path).get_data(as_text=True)
    return re.search(rf'name="{name}"[^>]*value="([^"]+)"', page)[1]


# --- who may come in


def test_every_route_is_closed_to_strangers_and_every_change_wants_a_token(app, store, researcher):
    opened(store, definition())
    stranger = app.test_client()
    walked = 0
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("admin."):
            continue
        with app.test_request_context():
            path = url_for(rule.endpoint, **dict.fromkeys(rule.arguments, "health"))
        if rule.endpoint not in OPEN_TO_ALL and "GET" in rule.methods:
            reply = stranger.get(path)
            assert reply.status_code == 302, rule
            assert reply.location == "/admin/sign-in", rule
        if "POST" in rule.methods:
            assert stranger.post(path).status_code == 400, rule  # no CSRF token
            assert researcher.client.post(path).status_code == 400, rule
        else:
            assert researcher.client.post(path).status_code in (400, 405), rule
        for method in {"DELETE", "PUT", "PATCH"}:
            assert researcher.client.open(path, method=method).status_code in (400, 405), rule
        walked += 1
    assert walked >= 15


def test_a_stranger_with_a_token_is_still_a_stranger(app, store, researcher):
    opened(store, definition())
    stranger = Researcher(app.test_client())
    reply = stranger.post("/admin/surveys/health/close", form="/admin/sign-in")
    assert reply.status_code == 302
    assert store.survey("health").state == "open"


def test_the_setup_link_makes_the_first_account_and_works_once(app, store):
    store.set_setup_token(auth.token_hash("one-time"))
    first = Researcher(app.test_client())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD}
    assert first.post("/admin/setup?token=one-time", form).status_code == 302
    assert b"Surveys" in first.client.get("/admin/").data
    reply = app.test_client().get("/admin/setup?token=one-time")
    assert reply.status_code == 401
    assert b"used up" in reply.data
    assert app.test_client().get("/admin/setup?token=guessed").status_code == 401


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "short", "again": "short"}, "at least 12 characters"),
        ({"again": "something else!"}, "The two passwords are different"),
        ({"name": "a b"}, "Use letters, digits"),
        ({"name": ""}, "Choose a name"),
    ],
)
def test_setup_says_what_is_wrong(app, store, change, words):
    store.set_setup_token(auth.token_hash("one-time"))
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD} | change
    reply = Researcher(app.test_client()).post("/admin/setup?token=one-time", form)
    assert words in reply.get_data(as_text=True)
    assert not store.has_accounts()


def test_a_wrong_password_and_an_unknown_name_look_the_same(app, store, researcher):
    pages = []
    for name in ("ada", "bob"):
        reply = Researcher(app.test_client()).post(
            "/admin/sign-in", {"name": name, "password": "wrong"}
        )
        assert reply.status_code == 401
        page = reply.get_data(as_text=True).replace(f'value="{name}"', "")
        pages.append(re.sub(r'value="[^"]{30,}"', "", page))
    assert "do not fit together" in pages[0]
    assert pages[0] == pages[1]


def test_a_name_or_password_left_out_is_said_beside_the_field(app):
    page = Researcher(app.test_client()).post("/admin/sign-in", {}).get_data(as_text=True)
    assert "Type your name." in page
    assert "Type your password." in page


def test_guessing_is_throttled(app, store):
    store.add_account("ada", auth.hash_password(PASSWORD))
    visitor = Researcher(app.test_client())
    for _ in range(3):
        good = visitor.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
        assert good.status_code == 302
    guesses = [
        visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"}).status_code
        for n in range(14)
    ]
    assert guesses == [401] * 12 + [429] * 2


def test_behind_a_proxy_each_client_has_its_own_guesses(settings, store):
    app = create_app(replace(settings, proxies=1))

    def guess(address, name):
        visitor = Researcher(app.test_client())
        visitor.client.environ_base["HTTP_X_FORWARDED_FOR"] = f"6.6.6.6, {address}"
        return visitor.post("/admin/sign-in", {"name": name, "password": "x"}).status_code

    assert [guess("10.0.0.1", f"name {n}") for n in range(16)] == [401] * 15 + [429]
    assert guess("10.0.0.2", "ada") == 401
    app.extensions["candor.store"].close()


def test_throttling_says_so_in_a_sentence(app):
    visitor = Researcher(app.test_client())
    for n in range(16):
        reply = visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"})
    assert b"Too many tries" in reply.data


def test_signing_in_makes_a_new_session_and_ends_the_old_one(app, store, researcher):
    def token():
        with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
            return session["token"]

    before = token()
    researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    assert token() != before
    assert store.session(auth.token_hash(before)) is None


def test_signing_out_ends_the_session_on_the_server(store, researcher):
    with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
        token = session["token"]
    assert researcher.post("/admin/sign-out", form="/admin/").status_code == 302
    assert store.session(auth.token_hash(token)) is None
    assert researcher.client.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    ("created", "seen", "good"),
    [
        (0, 0, True),
        (3 * 3600, 3600, True),
        (3 * 3600, 2 * 3600 + 5, False),  # idle for two hours
        (12 * 3600 + 5, 5, False),  # twelve hours in all
    ],
)
def test_sessions_end_by_idling_and_by_age(app, store, created, seen, good):
    store.add_account("ada", auth.hash_password(PASSWORD))
    now = int(time.time())
    store.add_session(auth.token_hash("t"), Session("ada", now - created, now - seen))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "t"
    assert client.get("/admin/").status_code == (200 if good else 302)


def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_respondents(researcher):
    reply = researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    cookie = reply.headers["Set-Cookie"]
    assert cookie.startswith("candor=")
    for part in ("HttpOnly", "SameSite=Strict", "Path=/admin"):
        assert part in cookie


def test_with_https_the_cookie_is_secure_and_browsers_are_told_to_insist(settings, tmp_path):
    app = create_app(replace(settings, url="https://survey.example.org"))
    store = app.extensions["candor.store"]
    store.add_account("ada", auth.hash_password(PASSWORD))
    client = app.test_client()
    page = client.get("/admin/sign-in", base_url="https://survey.example.org")
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.get_data(as_text=True))[1]
    reply = client.post(
        "/admin/sign-in",
        data={"name": "ada", "password": PASSWORD, "csrf_token": token},
        base_url="https://survey.example.org",
        headers={"Referer": "https://survey.example.org/admin/sign-in"},
    )
    assert reply.status_code == 302
    assert reply.headers["Set-Cookie"].startswith("__Secure-candor=")
    assert "Secure;" in reply.headers["Set-Cookie"]
    assert reply.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    store.close()


# --- building


def test_a_survey_is_built_previewed_opened_and_closed(store, researcher):
    reply = researcher.post("/admin/surveys/new", filled(title="Đời sống & Health"))
    assert reply.location == "/admin/surveys/doi-song-health"
    page = researcher.client.get(reply.location).get_data(as_text=True)
    assert "Of 100 people whose answer is Yes, 75 send Yes and 25 send No." in page
    assert "Before you open it" in page
    preview = researcher.client.get(f"{reply.location}/preview").get_data(as_text=True)
    assert "Preview: nothing is sent" in preview
    assert "data-endpoint" not in preview
    seen = {"fingerprint": hidden(researcher, reply.location, "fingerprint")}
    researcher.post(f"{reply.location}/open", seen, form=reply.location)
    assert store.survey("doi-song-health").state == "open"
    assert researcher.client.get("/s/doi-song-health").status_code == 200
    researcher.post(f"{reply.location}/close", form=reply.location)
    assert researcher.client.get("/s/doi-song-health").status_code == 410
    researcher.post(f"{reply.location}/open", form=reply.location)
    assert store.survey("doi-song-health").state == "open"


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({"privacy": "gamma", "gamma": "0.3"}, ((4, 1), (1, 4))),
        ({"privacy": "epsilon", "epsilon": "1.0986122886681098"}, ((3, 1), (1, 3))),
        ({"privacy": "other", "other": '{"mechanism": "warner", "p": "2/3"}'}, ((2, 1), (1, 2))),
        (
            {"type": "select_one", "choices": "One\nb | Two\nสาม"},
            ((4, 1, 1), (1, 4, 1), (1, 1, 4)),
        ),
    ],
)
def test_each_kind_of_protection_can_be_chosen(store, researcher, change, rows):
    assert researcher.post("/admin/surveys/new", filled(**change)).status_code == 302
    question = store.survey("health").survey.questions[0]
    assert question.randomizer.rows == rows
    # and the form shows it again as it was
    page = researcher.client.get("/admin/surveys/health/edit").get_data(as_text=True)
    assert f'<option selected value="{change.get("privacy", "coin_flip")}">' in page
    seen = {"seen": hidden(researcher, "/admin/surveys/health/edit", "seen")}
    again = researcher.post("/admin/surveys/health/edit", filled(**change) | seen)
    assert again.status_code == 302
    assert store.survey("health").survey.questions[0] == question


def test_choices_get_names(store, researcher):
    researcher.post(
        "/admin/surveys/new", filled(type="select_one", choices="Very often\n b |Two\nสาม")
    )
    names = [choice.name for choice in store.survey("health").survey.questions[0].choices]
    assert names == ["very_often", "b", "choice_3"]
    researcher.post(
        "/admin/surveys/new", filled(slug="b", type="select_one", choices="< 1000\n> 1000\nA+\nA-")
    )
    names = [choice.name for choice in store.survey("b").survey.questions[0].choices]
    assert names == ["1000", "1000_2", "a", "a_4"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": "สุขภาพ"}, "Address cannot be made from the title; type one."),
        ({"slug": "Has Space"}, "Address is &#39;Has Space&#39;"),
        ({"title": ""}, "Title is empty."),
        ({"label": "a\x00b"}, "Question 1, label: holds a control character"),
        ({"privacy": "other", "other": '{"mechanism": "warner"}'}, "warner needs p."),
        ({"label": ""}, "Question 1, label: is empty"),
        ({"privacy": "gamma", "gamma": "0.7"}, "below 1/2"),
        ({"privacy": "epsilon", "epsilon": ""}, "a number or a fraction"),
        ({"privacy": "other", "other": "{"}, "is not JSON"),
        ({"privacy": "other", "other": "[]"}, "is &#34;none&#34;, or an object"),
        ({"type": "select_one"}, "2 to 100 choices"),
        ({"budget": "1"}, "add up to 1.0986"),
    ],
)
def test_a_fault_is_shown_and_nothing_typed_is_lost(store, researcher, change, words):
    reply = researcher.post("/admin/surveys/new", filled(**{"hint": "kept hint"} | change))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert words in page
    assert "kept hint" in page
    assert store.surveys() == []


def test_a_taken_address_is_refused(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    reply = researcher.post("/admin/surveys/new", filled())
    assert "take another name" in reply.get_data(as_text=True)


def test_questions_are_added_moved_and_removed_without_losing_what_was_typed(researcher):
    page = researcher.post("/admin/surveys/new", filled(do="add")).get_data(as_text=True)
    assert page.count('class="question"') == 2
    two = filled(do="down-0") | {
        key.replace("-0-", "-1-"): value
        for key, value in filled(label="Do you drink?", name="drinks").items()
        if key.startswith("questions-0-")
    }
    page = researcher.post("/admin/surveys/new", two).get_data(as_text=True)
    assert page.index("Do you drink?") < page.index("Do you smoke?")
    page = researcher.post("/admin/surveys/new", two | {"do": "remove-0"}).get_data(as_text=True)
    assert "Do you drink?" in page
    assert "Do you smoke?" not in page
    page = researcher.post("/admin/surveys/new", two | {"do": "remove-99"}).get_data(as_text=True)
    assert page.count('class="question"') == 2


def test_odds_come_as_sentences_for_the_builder(researcher):
    def odds(**query):
        return researcher.client.get("/admin/odds", query_string=query).get_json()

    assert odds(privacy="coin_flip") == {
        "sentences": [
            "Of 100 people whose answer is Yes, 75 send Yes and 25 send No.",
            "Of 100 people whose answer is No, 25 send Yes and 75 send No.",
        ],
        "epsilon": "1.0986",
    }
    assert odds(language="vi")["sentences"][0].startswith("Of 100 people whose answer is Có")
    assert odds(privacy="none") == {
        "sentences": ["The answer is stored as given."],
        "epsilon": None,
    }
    assert "below 1/2" in odds(privacy="gamma", gamma="1")["error"]
    assert "2 to 100 choices" in odds(type="select_one")["error"]
    assert (
        "no finite epsilon"
        in odds(privacy="other", other='{"mechanism": "table", "rows": [[2, 0], [1, 1]]}')["error"]
    )
    many = odds(type="select_one", choices="a\nb\nc\nd\ne", privacy="epsilon", epsilon="1")
    assert many["sentences"][0] == (
        "Of 100 people with the same answer, about 40 send that answer and about 15 send each of "
        "the other 4."
    )


def test_a_draft_that_changed_in_another_tab_is_neither_opened_nor_overwritten(store, researcher):
    researcher.post("/admin/surveys/new", filled())
    path = "/admin/surveys/health"
    seen = hidden(researcher, f"{path}/edit", "seen")
    shown = hidden(researcher, path, "fingerprint")
    changed = filled(privacy="none") | {"seen": seen}
    assert researcher.post(f"{path}/edit", changed).status_code == 302
    reply = researcher.post(f"{path}/open", {"fingerprint": shown}, form=path)
    assert reply.status_code == 409
    assert b"changed meanwhile" in reply.data
    reply = researcher.post(f"{path}/edit", filled(label="Mine?") | {"seen": seen})
    assert reply.status_code == 422
    assert "changed in another tab" in reply.get_data(as_text=True)
    assert store.survey("health").survey.questions[0].plain
    assert store.survey("health").state == "draft"


def test_a_form_of_another_session_is_refused_in_a_sentence(researcher):
    reply = researcher.client.post("/admin/surveys/new", data={"csrf_token": "old"})
    assert reply.status_code == 400
    assert b"signed in or out in another tab" in reply.data
    assert b"Back to the surveys" in reply.data


def test_a_survey_that_protects_nothing_says_so(store, researcher):
    opened(store, definition(yes_no(privacy="none")))
    assert "not protected" in researcher.client.get("/admin/").get_data(as_text=True)
    opened(store, definition(yes_no(), yes_no("b", privacy="none"), slug="mixed"))
    assert "1.0986 + 1 plain" in researcher.client.get("/admin/").get_data(as_text=True)


def test_an_open_survey_cannot_be_edited_or_deleted(store, researcher):
    opened(store, definition())
    assert researcher.client.get("/admin/surveys/health/edit").status_code == 409
    reply = researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert reply.status_code == 409
    assert b"only a draft can be changed" in reply.data


def test_a_draft_is_deleted_and_then_unknown(researcher):
    researcher.post("/admin/surveys/new", filled())
    researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert researcher.client.get("/admin/surveys/health").status_code == 404


def test_texts_of_researchers_cannot_run(store, researcher):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    link = "[a](javascript:alert(1)) ![b](https://elsewhere.example/x.png)"
    opened(
        store,
        definition(yes_no(label=evil), title=evil, introduction=f"{evil}\n\n{link}"),
    )
    for path in ("/s/health", "/admin/", "/admin/surveys/health", "/admin/surveys/health/preview"):
        page = researcher.client.get(path).get_data(as_text=True)
        assert "<script>alert" not in page, path
        assert "<img" not in page, path
        assert 'href="javascript:' not in page, path


def test_an_introduction_keeps_its_headings_below_the_title(client, store):
    opened(store, definition(introduction="# Why\n\nSo."))
    page = client.get("/s/health").get_data(as_text=True)
    assert "<h2>Why</h2>" in page
    assert page.count("<h1") == 1


# --- results and downloads


@pytest.fixture
def answered(store):
    frozen = opened(
        store,
        state="closed",
        content=definition(
            yes_no(),
            yes_no("cheated", privacy={"mechanism": "randomized_response", "gamma": 0.3}),
            {
                "name": "party",
                "type": "select_one",
                "label": "Which party?",
                "choices": [{"name": n, "label": n.upper()} for n in "abc"],
                "privacy": {"epsilon": 1},
            },
            yes_no("drinks", privacy="none"),
        ),
    )
    truth = [[0.3, 0.7], [0.1, 0.9], [0.5, 0.3, 0.2], [0.6, 0.4]]
    batches = simulate_responses(frozen.survey, truth, 5_000, seed=7)
    store.add_batches("health", batches, "simulated")
    return frozen


def test_estimates_csv_equals_the_page(researcher, answered):
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    reply = researcher.client.get("/admin/surveys/health/estimates.csv")
    lines = list(csv.DictReader(io.StringIO(reply.get_data(as_text=True))))
    shown = re.findall(r'<tr data-answer="(\w+)">(.*?)</tr>', page, re.DOTALL)
    assert len(lines) == len(shown) == 9
    for line, (name, row) in zip(lines, shown, strict=True):
        assert line["answer"] == name
        cells = re.findall(r'<data value="([^"]+)">([^<]+)</data>', row)
        columns = ("observed", "estimate", "standard_error", "low", "high", "most_likely")
        assert [value for value, _ in cells] == [line[column] for column in columns]
        for value, text in cells:
            assert text == f"{100 * float(value):.1f}\u00a0%".replace("-", "−")


def test_the_page_states_formula_bound_epsilon_and_method(researcher, answered):
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    for text in (
        "2P − 1/2",
        "(P − 1/2 + γ) / (2γ)",
        "(P − q) / (p − q)",
        "at most 1 / (16γ²n)",
        "0.000200",  # 1 / (16 * 0.25^2 * 5000)
        "Wilson, mapped through the table",
        "ε = 1.0986 of 3.4848 for the whole survey",
        "none: stored as given",
        "5,000",
        "with 95\u00a0% confidence",
    ):
        assert text in page, text
    assert page.count("<svg") == 4


def test_simulated_is_said_everywhere(client, researcher, answered):
    assert "simulated</span>" in researcher.client.get("/admin/").get_data(as_text=True)
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "Simulated." in page
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        reply = researcher.client.get(f"/admin/surveys/health/{name}")
        assert f'filename="health-simulated-{name}"' in reply.headers["Content-Disposition"]
    assert reply.get_json(force=True)["origin"] == "simulated"
    assert "simulated respondents" in client.get("/s/health").get_data(as_text=True)


def test_responses_csv_holds_every_response_by_name_and_nothing_else(researcher, answered, store):
    reply = researcher.client.get("/admin/surveys/health/responses.csv")
    assert reply.is_streamed
    assert reply.mimetype == "text/csv"
    rows = list(csv.reader(io.StringIO(reply.get_data(as_text=True))))
    assert rows[0] == ["smokes", "cheated", "party", "drinks"]
    assert len(rows) == 5_001
    yes = sum(row[0] == "yes" for row in rows[1:])
    assert yes == store.counts("health")["smokes"][0]


def test_the_codebook_recomputes_the_estimates(researcher, answered):
    """Only the two files, no code of ours: read the table, invert it, compare."""
    book = json.loads(researcher.client.get("/admin/surveys/health/codebook.json").data)
    text = researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
    rows = list(csv.DictReader(io.StringIO(text)))
    text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    lines = [line for line in csv.DictReader(io.StringIO(text)) if line["question"] == "party"]
    table = book["tables"]["party"]
    counts = [sum(row["party"] == report for row in rows) for report in table["reports"]]
    matrix = np.array(table["rows"]) / sum(table["rows"][0])
    shares = np.array(counts) / len(rows) @ np.linalg.inv(matrix)
    assert [float(line["estimate"]) for line in lines] == pytest.approx(list(shares), abs=1e-12)


def test_a_survey_without_responses_has_an_empty_state(store, researcher):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "No responses yet." in page
    assert "http://127.0.0.1:8000/s/health" in page
    csv_text = researcher.client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    assert csv_text.count("\r\n") == 1


def test_one_response_and_a_negative_estimate_are_explained(store, researcher):
    opened(store, definition())
    store.add_response("health", Response(b"\1" * 16, (1,)))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "needs 2 responses" in page
    assert "−50.0\u00a0%" in page
    assert "is below 0\u00a0%" in page


def test_a_draft_has_no_downloads(researcher):
    researcher.post("/admin/surveys/new", filled())
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        assert researcher.client.get(f"/admin/surveys/health/{name}").status_code == 409
