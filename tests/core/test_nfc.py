"""One form of every text from outside."""

import unicodedata

import pytest

from survey.core.nfc import to_nfc
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each("text", ["hút thuốc", "Größe", "がく", "각", "นํ้า", "हाँ", "plain", ""])
def test_a_decomposed_text_is_the_composed_one(text):
    composed = unicodedata.normalize("NFC", text)
    assert to_nfc(unicodedata.normalize("NFD", text)) == to_nfc(composed) == composed


def test_every_text_of_a_json_value_is_normalised():
    decomposed = unicodedata.normalize("NFD", "có")
    assert len(decomposed) == 3
    value = {decomposed: [decomposed, 1, None, True, {"a": decomposed}], "n": 1.5}
    assert to_nfc(value) == {"có": ["có", 1, None, True, {"a": "có"}], "n": 1.5}
    assert to_nfc((decomposed, 2)) == ("có", 2)
