"""Translations of a survey's texts: parse them, find missing ones, and apply them.

A definition holds its texts in its main language. `translations` has the texts of each further
language in the same form, `{"vi": {"title": ..., "questions": {"smokes": {"label": ...}}}}`. A
draft may lack some translations, and pages then show the main language. A survey cannot open until
all are present.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.languages import LANGUAGES
from survey.definition.choices import MAX_TEXT_CHARACTERS, Choice, answer_words, parse_text
from survey.definition.questions import Question

Path = tuple[str, ...]
Texts = Mapping[Path, str]
# If a translation omits these, the main language's text is used.
MAY_STAY = {"contact", "unit"}


def question_texts(question: Question, language: str) -> Iterator[tuple[Path, str]]:
    """The places of a question's texts in a translation, with the texts in its language.

    Candor's own words for Yes and No are omitted, because Candor translates them itself.
    """
    place = ("questions", question.name)
    yield (*place, "label"), question.label
    yield (*place, "hint"), question.hint
    if question.grid is not None:
        yield (*place, "unit"), question.grid.unit
    for choice, word in zip(question.listed, own_words(question, language), strict=True):
        if choice.label != word:
            yield (*place, "choices", choice.name), choice.label


def own_words(question: Question, language: str) -> Sequence[str | None]:
    """Candor's own words for a question's choices in a language; None where it has none."""
    return question.kind.own_words(language) or [None] * len(question.listed)


def flatten_texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The leaves of nested objects, each with its path."""
    for key, entry in value.items():
        if isinstance(entry, Mapping):
            yield from flatten_texts(entry, (*path, str(key)))
        else:
            yield (*path, str(key)), entry


def nest_texts(texts: Texts) -> dict[str, Any]:
    """The inverse of `flatten_texts`."""
    whole: dict[str, Any] = {}
    for path, leaf in texts.items():
        inner = whole
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = leaf
    return whole


def parse_translations(
    value: Any, texts: Texts, taken: Collection[str], member: str = "translations"
) -> dict[str, Texts]:
    """Parse the translations of a definition, by language.

    Parameters
    ----------
    texts : the survey's texts in the main language; a translation may hold only these
    taken : languages that the survey has already, which cannot occur again
    member : the member of the definition, for error messages

    Raises DefinitionError.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise DefinitionError(member, 'must be an object such as {"vi": {"title": ...}}.')
    translations = {}
    for other, entry in value.items():
        place = f"{member}.{other}"
        if other not in LANGUAGES or other in taken:
            others = ", ".join(code for code in LANGUAGES if code not in taken)
            raise DefinitionError(
                place, "is not another known language. Known: %(languages)s.", languages=others
            )
        translated_texts = {}
        for path, leaf in flatten_texts(entry):
            where = ".".join((place, *path))
            if path not in texts:
                raise DefinitionError(where, "translates a text that the survey does not have.")
            limit = max(MAX_TEXT_CHARACTERS, 2 * len(texts[path]))
            translated_texts[path] = parse_text({where: leaf}, where, "", limit=limit)
        translations[str(other)] = translated_texts
    return {other: translations[other] for other in LANGUAGES if other in translations}


def missing(texts: Texts, translation: Texts) -> list[Path]:
    """The places that a translation still lacks, in the order of the survey."""
    return [path for path in texts if path not in translation and path[-1] not in MAY_STAY]


def translate_question(
    question: Question, translation: Texts, main: str, language: str
) -> Question:
    """The question in another language. Texts without a translation stay unchanged."""
    place = ("questions", question.name)

    def word(default: str, *path: str) -> str:
        return translation.get((*place, *path), default)

    pairs = zip(
        question.listed, own_words(question, main), own_words(question, language), strict=True
    )
    listed = tuple(
        replace(
            choice,
            label=word(
                own if own and choice.label == old else choice.label, "choices", choice.name
            ),
        )
        for choice, old, own in pairs
    )
    return replace(
        question,
        label=word(question.label, "label"),
        hint=word(question.hint, "hint"),
        grid=question.grid and replace(question.grid, unit=word(question.grid.unit, "unit")),
        choices=question.kind.answers_of(listed),
        special_answers=tuple(
            Choice(special.name, answer_words(language)[answer_words(main).index(special.label)])
            for special in question.special_answers
        ),
    )
