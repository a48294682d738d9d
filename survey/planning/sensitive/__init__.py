"""Questions that sound sensitive because of their words.

sensitive_words.json has a short list for each language. It contains frequent words and misses
others, so it may warn but never stop a survey. A word with a * at its end matches every word that
begins with it.
"""

import json
import re
import unicodedata
from functools import cache
from pathlib import Path

from survey.definition.questions import Question

LIST = Path(__file__).with_name("sensitive_words.json")
# The letters of English and Vietnamese.
LETTERS = r"a-z\u00df-\u024f\u0300-\u036f\u1e00-\u1eff"
# In these languages no spaces mark where a word begins or ends.
WITHOUT_SPACES = {"th", "zh"}


@cache
def pattern() -> re.Pattern[str]:
    """All words of all languages. A word in one language is not a word in another."""
    alternatives = []
    for language, words in json.loads(LIST.read_text(encoding="utf-8")).items():
        for word in words:
            text = re.escape(normal(word.removesuffix("*")))
            if language not in WITHOUT_SPACES:
                text = f"(?<![{LETTERS}]){text}"
                text += f"[{LETTERS}]*" if word.endswith("*") else f"(?![{LETTERS}])"
            alternatives.append(f"({text})")
    return re.compile("|".join(alternatives))


def normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def sensitive_words(question: Question) -> tuple[str, ...]:
    """The words in a question's texts that make it sound sensitive.

    Of several forms of one word, such as income and incomes, only the first one is there.
    """
    texts = [question.label, question.hint, *(choice.label for choice in question.choices)]
    first: dict[int | None, str] = {}
    for match in pattern().finditer(normal("\n".join(texts))):
        first.setdefault(match.lastindex, match.group())
    return tuple(first.values())
