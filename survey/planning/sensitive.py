"""Questions that sound sensitive, by the words in them.

A short list for each language in sensitive_words.json: it finds what is often meant, and misses
what is worded otherwise, so that it may warn and never stop anyone. A word that ends in * stands
for all that begin so.
"""

import json
import re
import unicodedata
from functools import cache
from pathlib import Path

from survey.definition.questions import Question

LIST = Path(__file__).with_name("sensitive_words.json")
LETTERS = r"a-z\u00df-\u024f\u0300-\u036f\u1e00-\u1eff"  # of English and Vietnamese
WITHOUT_SPACES = {"th", "zh"}  # where nothing shows from which letter to which a word goes


@cache
def pattern() -> re.Pattern[str]:
    """All words of all languages: a text in one is no word of another."""
    alternatives = []
    for language, words in json.loads(LIST.read_text(encoding="utf-8")).items():
        for word in words:
            text = re.escape(normal(word.removesuffix("*")))
            if language not in WITHOUT_SPACES:
                text = f"(?<![{LETTERS}]){text}"
                text += "" if word.endswith("*") else f"(?![{LETTERS}])"
            alternatives.append(text)
    return re.compile("|".join(alternatives))


def normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def sensitive_words(question: Question) -> tuple[str, ...]:
    """The words in a question's text, hint or choices that make it sound sensitive, each once."""
    texts = [question.label, question.hint, *(choice.label for choice in question.choices)]
    matches = pattern().findall(normal("\n".join(texts)))
    return tuple(dict.fromkeys(matches))
