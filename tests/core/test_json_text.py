"""JSON of strangers: how deep it may be, and that each refusal is a ValueError."""

import pytest

from survey.core.json_text import MAX_LEVELS, parse_json

pytestmark = pytest.mark.fast


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_values_are_those_of_json_in_texts_and_in_bytes() -> None:
    assert parse_json('{"a": [1, 2.5, null, "ä"]}') == {"a": [1, 2.5, None, "ä"]}
    assert parse_json('"ä"'.encode()) == "ä"
    assert parse_json(nested(MAX_LEVELS)) != []


@pytest.mark.parametrize("levels", [MAX_LEVELS + 1, 900, 100_000])
def test_deep_values_are_refused(levels: int) -> None:
    for text in (nested(levels), '{"a":' * levels + "1" + "}" * levels):
        with pytest.raises(ValueError, match="more than 50 levels"):
            parse_json(text)


@pytest.mark.parametrize("text", ["", "{", "9" * 5_000, b"\xff", '{"a" 1}'])
def test_what_is_not_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)
