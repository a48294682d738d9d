"""The languages of respondents' pages: English, and one for each folder of translations/.

A folder holds a catalog (GNU gettext's .po): for each English sentence what it is in that
language. The catalog is read as it lies there; nothing is compiled. tests/core/test_languages.py
fails where a sentence is missing from one.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, get_decimal_symbol
from babel.support import NullTranslations, Translations

from survey import PROJECT_FOLDER

FOLDER = PROJECT_FOLDER / "translations"
MAIN = "en"  # what the sentences are written in
LANGUAGES = (MAIN, *sorted(path.parent.parent.name for path in FOLDER.glob("*/LC_MESSAGES/*.po")))
TAGS = {"zh": "zh-Hans"}  # where a page's `lang` says more than the code does
UNSPACED = {"zh"}
DECIMALS, GROUPED = "0.######", "#,##0.######"  # as people type a number; as they read one


@lru_cache
def catalog(language: str) -> NullTranslations:
    """The sentences of a language."""
    if language == MAIN:
        return NullTranslations()
    source = (FOLDER / language / "LC_MESSAGES" / "messages.po").read_bytes()
    sentences = read_po(io.BytesIO(source), locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, sentences)
    compiled.seek(0)
    return Translations(compiled)


def language_name(language: str) -> str:
    """What a language calls itself."""
    name = Locale.parse(language).get_display_name() or language
    return name[0].upper() + name[1:]


@dataclass(frozen=True)
class Words:
    """A language to say things in."""

    language: str = MAIN

    @property
    def tag(self) -> str:
        """The language as HTML's `lang` has it."""
        return TAGS.get(self.language, self.language)

    def say(self, sentence: str, /, **values: object) -> str:
        """An English sentence in this language, its places such as %(n)s filled."""
        return str(catalog(self.language).ugettext(sentence)) % values

    def number(self, value: float | Fraction | str, *, grouped: bool = False) -> str:
        """A number with at most six decimals, as this language writes it."""
        whole = isinstance(value, int | Fraction) and value.denominator == 1
        exact = Decimal(int(value) if whole else float(value))
        pattern = GROUPED if grouped else DECIMALS
        with localcontext() as context:  # Babel's would do for 28 digits; odds may have more
            context.prec = max(exact.adjusted(), 0) + 30
            return format_decimal(exact + 0, pattern, locale=self.language).replace("-", "−")

    def written(self, number: str) -> str:
        """A number that is written with a point already, with this language's decimal sign."""
        return number.replace(".", get_decimal_symbol(self.language))

    @property
    def gap(self) -> str:
        """What stands between two sentences; Chinese has none, its marks are wide."""
        return "" if self.language in UNSPACED else " "

    def percent(self, value: float | Fraction) -> str:
        """A number of hundredths."""
        return self.say("%(number)s %%", number=self.number(value))

    def listed(self, parts: Sequence[str]) -> str:
        """Several things in a row, the last one joined with "and"."""
        if len(parts) == 1:
            return parts[0]
        most = self.say(", ").join(parts[:-1])
        return self.say("%(most)s and %(last)s", most=most, last=parts[-1])


ENGLISH = Words()
