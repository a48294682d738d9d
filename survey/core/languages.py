"""The languages of all pages: English, and one for each folder of translations/.

A folder contains two catalogs (GNU gettext's .po) with the translation of each English sentence:
messages.po for respondents, and researcher.po for the sentences that only researchers read. The
catalogs are read directly, without a compile step. Their headers say whether a native speaker has
reviewed them (docs/reference/languages.md). tests/core/test_languages.py fails if a sentence is
missing.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale
from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol

from survey import PROJECT_FOLDER

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

FOLDER = PROJECT_FOLDER / "translations"
MAIN = "en"  # the language of the message ids
# The catalogs of a language. A researcher's sentence may stand in either.
RESPONDENT = "messages"
RESEARCHER = "researcher"
LANGUAGES = (
    MAIN,
    *sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{RESPONDENT}.po")),
)
# The `lang` attribute of a page, if it differs from the code.
TAGS = {"zh": "zh-Hans"}
# Languages without a space between two sentences.
UNSPACED = {"zh"}
# Formats of numbers, without and with digit groups.
DECIMALS = "0.######"
GROUPED = "#,##0.######"
NATIVE_REVIEW = re.compile(r'^"X-Native-Review: (yes|no)\\n"$', re.MULTILINE)


def catalog_path(language: str, name: str = RESPONDENT) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"{name}.po"


@lru_cache
def catalog(language: str, name: str = RESPONDENT) -> NullTranslations:
    """The translations of a language. Those for researchers include those for respondents."""
    if language == MAIN:
        return NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, read_catalog(language, name))
    compiled.seek(0)
    translations = GNUTranslations(compiled)
    if name != RESPONDENT:
        translations.add_fallback(catalog(language))
    return translations


def read_catalog(language: str, name: str) -> "Catalog":
    """The sentences of a catalog, with the places that use them."""
    # Commands in English need no catalog, and importing this takes a tenth of their start.
    from babel.messages.pofile import read_po

    return read_po(io.BytesIO(catalog_path(language, name).read_bytes()), locale=language)


def in_script(message: "Message") -> bool:
    """Whether a script uses a sentence of a catalog."""
    return any(str(place).endswith(".js") for place, _ in message.locations)


@lru_cache
def script_texts(language: str) -> dict[str, str]:
    """The translation of each sentence that the researcher's scripts use."""
    if language == MAIN:
        return {}
    messages = read_catalog(language, RESEARCHER)
    return {str(each.id): str(each.string) for each in messages if in_script(each)}


@lru_cache
def reviewed_by_native_speaker(language: str, name: str = RESPONDENT) -> bool:
    """Whether the header of a language's catalog says so. English is not a translation."""
    if language == MAIN:
        return True
    field = NATIVE_REVIEW.search(catalog_path(language, name).read_text(encoding="utf-8"))
    return field is not None and field.group(1) == "yes"


def language_name(language: str) -> str:
    """The name of a language in that language."""
    name = Locale.parse(language).get_display_name() or language
    return name[0].upper() + name[1:]


@lru_cache(maxsize=2048)  # Babel takes long, and a page repeats its numbers.
def number_in(language: str, value: float | Fraction | str, pattern: str) -> str:
    """A number in the format of a language. `pattern` is one of CLDR."""
    whole = isinstance(value, int | Fraction) and value.denominator == 1
    exact = Decimal(int(value) if whole else float(value))
    # Babel's default of 28 digits is too small for some likelihood ratio bounds.
    with localcontext() as context:
        context.prec = max(exact.adjusted(), 0) + 30
        return format_decimal(exact + 0, pattern, locale=language).replace("-", "−")


@dataclass(frozen=True)
class Words:
    """Texts and numbers in one language."""

    language: str = MAIN

    @property
    def tag(self) -> str:
        """The value of HTML's `lang` attribute."""
        return TAGS.get(self.language, self.language)

    def say(self, sentence: str, /, **values: object) -> str:
        """An English sentence in this language, with its placeholders such as %(n)s filled."""
        return str(catalog(self.language).gettext(sentence)) % values

    def number(self, value: float | Fraction | str, *, grouped: bool = False) -> str:
        """A number with at most six decimals, in the format of this language."""
        return number_in(self.language, value, GROUPED if grouped else DECIMALS)

    def write_number(self, number: str) -> str:
        """A number such as 1,234.50, with the signs of this language."""
        return number.translate(signs_of(self.language))

    @property
    def gap(self) -> str:
        """The text between two sentences: empty in Chinese, whose punctuation is wide."""
        return "" if self.language in UNSPACED else " "

    def percent(self, value: float | Fraction) -> str:
        """A percentage."""
        return self.say("%(number)s %%", number=self.number(value))

    def join_list(self, parts: Sequence[str]) -> str:
        """A list of texts, with "and" before the last one."""
        if len(parts) == 1:
            return parts[0]
        most = self.say(", ").join(parts[:-1])
        return self.say("%(most)s and %(last)s", most=most, last=parts[-1])


# A page of results writes a thousand numbers, and Babel parses the language for each sign.
@cache
def signs_of(language: str) -> dict[int, str]:
    """The decimal point and the group sign of a language, by those of 1,234.50."""
    return {ord("."): get_decimal_symbol(language), ord(","): get_group_symbol(language)}


ENGLISH = Words()
