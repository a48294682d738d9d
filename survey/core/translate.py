"""The researcher's sentences, in the language of the page that is being made.

A respondent's sentence gets its language as an argument (`Words`), because one survey has several.
A researcher's page has one language, and errors and results from every package appear on it. So its
language is a context variable, which the web layer sets for each request. Commands, the API and
data files are in English, which is the default.

Each sentence is written once, in English, as the argument of `translate`, of `translate_plural`, of
`later`, or of an error that people read on pages. `make translations` finds it there. A function
that is cached must not call these, because its result would keep the language of the first reader.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from survey.core.languages import MAIN, RESEARCHER, Words, catalog

# A percent sign with its space in English, which may be a non-breaking one.
PERCENT_SIGN = re.compile("[ \u00a0]%")
# The full stop of a sentence after a unit that ends with one, such as "lb." or "กก.".
DOUBLED_STOP = re.compile(r"(?<!\.)\.\.(?=\s|$)")
page_language: ContextVar[str] = ContextVar("page_language", default=MAIN)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Use a language of LANGUAGES within the block."""
    before = page_language.set(language)
    try:
        yield
    finally:
        page_language.reset(before)


def translate(sentence: str, /, **values: object) -> str:
    """An English sentence in the language of the page, with placeholders such as %(n)s filled.

    A whole number is written with the signs of the page's language. A percent sign is written %%. A
    unit with a full stop at the end of a sentence gets no second one. Raises KeyError if a
    placeholder has no value.
    """
    text = str(catalog(page_language.get(), RESEARCHER).gettext(sentence)) % written_counts(values)
    return DOUBLED_STOP.sub(".", text) if ".." in text else text


def translate_constant(text: str) -> str:
    """A text that `later` marked, without placeholders. Other texts stay as they are."""
    return str(catalog(page_language.get(), RESEARCHER).gettext(text)) if text else text


def translate_error(sentence: str, /, **values: object) -> str:
    """The message of an error: an English sentence with the values of its placeholders.

    Without values, it may also be a text that is translated already, where % is an ordinary sign.
    """
    return translate(sentence, **values) if values else translate_constant(sentence)


def translate_plural(singular: str, plural: str, n: int, /, **values: object) -> str:
    """The sentence for the number n, with %(n)s and other placeholders filled."""
    found = catalog(page_language.get(), RESEARCHER).ngettext(singular, plural, n)
    return str(found) % written_counts({"n": n} | values)


def written_counts(values: Mapping[str, object]) -> dict[str, object]:
    """The same values, with whole numbers as texts."""
    return {
        name: translate_count(value) if type(value) is int else value
        for name, value in values.items()
    }


def later(sentence: str) -> str:
    """The same sentence. It marks a constant that `translate` receives when it is shown."""
    return sentence


def researcher_words() -> Words:
    """The words of the page's language, for functions that need them."""
    return Words(page_language.get())


def translate_count(n: int) -> str:
    """A whole number such as 1,234, with the signs of the page's language."""
    return translate_number(f"{n:,}")


def translate_number(number: str) -> str:
    """A number such as 1,234.50 or 12.5 %, with the signs of the page's language."""
    written = Words(page_language.get()).write_number(number)
    sign = translate("%(number)s %%", number="")
    return written if sign == " %" else PERCENT_SIGN.sub(sign, written)


def translate_list(parts: Sequence[str]) -> str:
    """A list of names, with "and" before the last one. Empty without names."""
    text = parts[0] if parts else ""
    for part in parts[1:-1]:
        text = translate("%(list)s, %(next)s", list=text, next=part)
    if len(parts) > 1:
        text = translate("%(list)s and %(last)s", list=text, last=parts[-1])
    return text


def join_sentences(*sentences: str) -> str:
    """Sentences one after the other, without the empty ones."""
    return Words(page_language.get()).gap.join(each for each in sentences if each)
