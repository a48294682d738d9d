"""Codes of texts: the list, who gave them, and that they go with their text."""

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import Store
from survey.store.sql.codes import MAX_CODES, NO_CODE, coded_text_key
from tests.support.definitions import definition, opened, yes_no
from tests.support.texts_apart import recorded_texts

pytestmark = pytest.mark.both_stores

TEXT = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
ONE = coded_text_key(b"\1" * 16, "remarks")
TWO = coded_text_key(b"\2" * 16, "remarks")


def asked(store: Store, slug: str = "health") -> None:
    opened(store, definition(yes_no(), TEXT, slug=slug, texts_apart=True))


def add_codes(store: Store, *names: str) -> list[int]:
    for name in names:
        store.codes.add_code("health", name)
    by_name = {code.name: code.number for code in store.codes.code_list("health")}
    return [by_name[name] for name in names]


def test_codes_are_listed_by_name_and_renamed(store: Store) -> None:
    asked(store)
    fear, cost = add_codes(store, "fear", "Cost")
    assert [code.name for code in store.codes.code_list("health")] == ["Cost", "fear"]
    store.codes.rename_code("health", fear, "worry")
    store.codes.rename_code("health", cost, "Cost")
    assert [code.name for code in store.codes.code_list("health")] == ["Cost", "worry"]
    for refused in ("worry", "Cost"):
        with pytest.raises(StateError, match=f"There is already a code “{refused}”"):
            store.codes.add_code("health", refused)
    with pytest.raises(StateError, match="already a code “Cost”"):
        store.codes.rename_code("health", fear, "Cost")


def test_codes_are_those_of_one_survey(store: Store) -> None:
    asked(store)
    asked(store, "other")
    [fear] = add_codes(store, "fear")
    store.codes.add_code("other", "fear")
    store.codes.rename_code("other", fear, "changed")
    store.codes.delete_code("other", fear)
    assert [(code.number, code.name) for code in store.codes.code_list("health")] == [
        (fear, "fear")
    ]
    # A code of another survey is unknown.
    assert store.codes.set_codings("other", "ada", {ONE: [fear]}) == 0


def test_drafts_and_unknown_surveys_have_no_codes_and_a_survey_has_a_limit(store: Store) -> None:
    store.surveys.save_draft(parse_survey(definition()))
    with pytest.raises(StateError, match="is a draft"):
        store.codes.add_code("health", "fear")
    with pytest.raises(UnknownSurvey):
        store.codes.add_code("nothing", "fear")
    asked(store, "other")
    for number in range(MAX_CODES):
        store.codes.add_code("other", str(number))
    with pytest.raises(StateError, match="can have 50 codes"):
        store.codes.add_code("other", "one more")


def test_each_coder_has_own_codes_and_replaces_only_own(store: Store) -> None:
    asked(store)
    fear, cost = add_codes(store, "fear", "cost")
    assert store.codes.set_codings("health", "ada", {ONE: [fear, cost], TWO: [NO_CODE]}) == 2
    assert store.codes.set_codings("health", "bob", {ONE: [cost]}) == 1
    assert store.codes.codings("health") == {
        ONE: {"ada": {fear, cost}, "bob": {cost}},
        TWO: {"ada": {NO_CODE}},
    }
    # The same again changes nothing. "No code fits" gives way to a code, and an unknown code to
    # nothing.
    assert store.codes.set_codings("health", "bob", {ONE: [cost]}) == 0
    given = {ONE: [], TWO: [NO_CODE, fear, 12345]}
    assert store.codes.set_codings("health", "ada", given) == 2
    assert store.codes.codings("health") == {ONE: {"bob": {cost}}, TWO: {"ada": {fear}}}


def test_a_deleted_code_takes_its_codings_along(store: Store) -> None:
    asked(store)
    fear, cost = add_codes(store, "fear", "cost")
    store.codes.set_codings("health", "ada", {ONE: [fear, cost], TWO: [fear]})
    store.codes.delete_code("health", NO_CODE)
    store.codes.delete_code("health", fear)
    assert store.codes.codings("health") == {ONE: {"ada": {cost}}}
    assert [code.name for code in store.codes.code_list("health")] == ["cost"]


def test_codings_go_with_a_withdrawn_text_and_with_the_survey(store: Store) -> None:
    asked(store)
    texts = [Response(bytes([k]) * 16, (f"text {k}",)) for k in (1, 2)]
    for k, text in enumerate(texts):
        store.responses.add_response("health", Response(bytes([7 + k]) * 16, (0,), texts=text))
    assert recorded_texts(store) == [("text 1",), ("text 2",)]
    [fear] = add_codes(store, "fear")
    store.codes.set_codings("health", "ada", {ONE: [fear], TWO: [fear]})
    assert store.responses.withdraw("health", bytes([7]) * 16, texts[0].id)
    assert store.codes.codings("health") == {TWO: {"ada": {fear}}}
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.delete_survey("health")
    asked(store)
    assert store.codes.codings("health") == {}
    assert store.codes.code_list("health") == []


def test_codings_go_with_a_text_that_is_stored_with_the_answers(store: Store) -> None:
    opened(store, definition(TEXT, receipts=True))
    store.responses.add_response("health", Response(b"\1" * 16, ("text",)))
    [fear] = add_codes(store, "fear")
    store.codes.set_codings("health", "ada", {ONE: [fear]})
    assert store.responses.withdraw("health", b"\1" * 16)
    assert store.codes.codings("health") == {}
