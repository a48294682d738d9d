"""The filter of texts, and the summary of codings."""

import pytest

from survey.definition.survey import parse_survey
from survey.formats.coded_texts_csv import WrittenText
from survey.store.sql.codes import NO_CODE, Code
from survey.web.exports.written_texts import NOT_CODED, TextFilter, summarise, text_sources
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
[QUESTION] = parse_survey(definition(REMARKS)).questions
TEXTS = [WrittenText(bytes([k]) * 32, QUESTION, text) for k, text in enumerate(("Straße", "a b"))]
CODINGS = {TEXTS[0].key: {"ada": frozenset({5}), "bob": frozenset({NO_CODE})}}


@pytest.mark.parametrize(
    ("content", "sources"),
    [
        (definition(yes_no()), []),
        (definition(yes_no(), REMARKS, texts_apart=True), ["health.texts"]),
        (definition(yes_no(), REMARKS, texts_apart=True, by_hand=True), ["health.texts"]),
        # Surveys without private questions, and data that were collected elsewhere.
        (definition(REMARKS), ["health"]),
        (definition(yes_no(), REMARKS, texts_apart=False), ["health"]),
    ],
)
def test_where_the_texts_of_a_survey_are(content: dict, sources: list[str]) -> None:
    assert [each.slug for each in text_sources(parse_survey(content))] == sources


@check_each(
    ("wanted", "places"),
    [
        (TextFilter(), [0, 1]),
        (TextFilter(words="STRASSE"), [0]),
        (TextFilter(words="b a"), [1]),
        (TextFilter(question="other"), []),
        (TextFilter(code="5", coder="ada"), [0]),
        (TextFilter(code="5", coder="bob"), []),
        (TextFilter(code="0", coder="bob"), [0]),
        (TextFilter(code="0", coder="ada"), []),
        (TextFilter(code=NOT_CODED, coder="ada"), [1]),
        (TextFilter(code="x", coder="ada"), []),
    ],
)
def test_a_filter_takes_the_texts_that_fit(wanted: TextFilter, places: list[int]) -> None:
    assert wanted.select(iter(TEXTS), CODINGS) == [TEXTS[place] for place in places]


def test_the_summary_counts_published_texts_only() -> None:
    codings = CODINGS | {b"\xff" * 32: {"eve": frozenset({5})}}
    found = summarise(iter(TEXTS), [Code(5, "cost")], codings)
    assert found.coders == ("ada", "bob")
    assert found.texts == {"ada": 1, "bob": 1}
    assert found.given == {5: {"ada": 1, "bob": 0}, NO_CODE: {"ada": 0, "bob": 1}}
    [(first, second, [(code, agreed)])] = found.pairs
    assert (first, second, code.name) == ("ada", "bob", "cost")
    assert (agreed.both, agreed.first, agreed.second, agreed.neither) == (0, 1, 0, 0)
