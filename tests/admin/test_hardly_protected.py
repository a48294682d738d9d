"""A survey in which someone can become more than 95 % sure of an answer needs a confirmation.

Each way to open a survey has one: the page, the command, and the function behind both.
"""

import json
import re
from pathlib import Path

import pytest

from survey.core.errors import AboveLimit, UnconfirmedProtection
from survey.definition.frozen import fingerprint_of, freeze
from survey.definition.sub_surveys import practice_of
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

PATH = "/admin/surveys/health"
SENTENCE = (
    "“Hardly protected. Of 100 guesses between two answers, 50 are right if blind, at most 96 with "
    "one mixed-up answer, and at most 99 with all.”"
)


def table(*row: int) -> dict:
    return {"mechanism": "table", "rows": [[*row], [*reversed(row)]]}


def survey_of(*row: int):
    """A survey whose certainty is the first number of all."""
    return parse_survey(definition(yes_no(), yes_no("weak", table(*row)), contact="a@example.org"))


# 95 % is the last that needs no confirmation.
WEAK, HARDLY = survey_of(95, 5), survey_of(9_501, 499)


def draft(store, survey) -> dict[str, str]:
    store.surveys.save_draft(survey)
    return {"fingerprint": fingerprint_of(survey), "looked": "yes"}


def state(store) -> str:
    return store.surveys.by_slug("health").state


def test_freezing_to_open_needs_the_confirmation_exactly_above_95_percent():
    assert freeze(WEAK).survey == WEAK
    with pytest.raises(UnconfirmedProtection, match="Hardly protected"):
        freeze(HARDLY)
    assert freeze(HARDLY, confirmed=True).fingerprint == freeze(HARDLY, to_open=False).fingerprint


def test_a_confirmation_does_not_lift_the_limits():
    with pytest.raises(AboveLimit):
        freeze(survey_of(995, 5), confirmed=True)


@pytest.mark.parametrize("typed", [None, "", "protected", "hardly"])
def test_the_page_opens_no_survey_without_the_typed_words(store, researcher, typed):
    sent = draft(store, HARDLY) | ({} if typed is None else {"protection": typed})
    shown = " ".join(researcher.client.get(PATH).text.replace("\u00a0", " ").split())
    assert SENTENCE in shown
    assert "The survey is not open yet. Type the two words" not in shown
    reply = researcher.post(f"{PATH}/open", sent, form=PATH)
    assert reply.status_code == 422
    assert "The survey is not open yet. Type the two words" in reply.text
    assert state(store) == "draft"


@pytest.mark.parametrize("typed", ["hardly protected", " Hardly Protected "])
def test_the_typed_words_open_it(store, researcher, typed):
    sent = draft(store, HARDLY) | {"protection": typed}
    assert researcher.post(f"{PATH}/open", sent, form=PATH).status_code == 302
    assert state(store) == "open"


def test_respondents_read_the_sentence_that_was_confirmed(store, researcher, client):
    sent = draft(store, HARDLY) | {"protection": "hardly protected"}
    confirmed = re.search("“(Hardly protected)[.] (.*?)”", researcher.client.get(PATH).text)
    researcher.post(f"{PATH}/open", sent, form=PATH)
    page = re.sub("</?strong[^>]*>", "", client.get("/s/health").text)
    assert all(part in page for part in confirmed.groups())


def test_a_survey_that_needs_none_asks_for_none(store, researcher):
    sent = draft(store, WEAK)
    assert 'name="protection"' not in researcher.client.get(PATH).text
    assert researcher.post(f"{PATH}/open", sent, form=PATH).status_code == 302


def test_reopening_and_test_mode_need_none(store, researcher):
    """Respondents of an open survey have read the sentence, and test mode has no respondents."""
    store.surveys.save_draft(HARDLY)
    store.surveys.freeze(freeze(HARDLY, confirmed=True), "open")
    store.lifecycle.set_state("health", "closed")
    assert 'name="protection"' not in researcher.client.get(PATH).text
    assert researcher.post(f"{PATH}/open", form=PATH).status_code == 302
    assert state(store) == "open"
    place = f"{PATH}/try-out"
    assert researcher.post(f"{place}/practice", form=place).status_code == 302
    assert store.surveys.by_slug(practice_of(HARDLY).slug).state == "open"


def test_the_command_names_its_option(app, store, tmp_path: Path):
    file = tmp_path / "health.json"
    file.write_text(json.dumps(HARDLY.as_definition()))
    run = app.test_cli_runner().invoke
    refused = run(args=["survey", "import", str(file), "--open"])
    assert refused.exit_code == 1
    assert SENTENCE in refused.output
    assert "The option is --hardly-protected." in refused.output
    assert store.surveys.all() == []
    opened = run(args=["survey", "import", str(file), "--open", "--hardly-protected"])
    assert opened.exit_code == 0
    assert state(store) == "open"
