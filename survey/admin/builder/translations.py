"""The texts of a draft and their translations, for the translation form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from survey.admin.builder.fields import FIELDS
from survey.core.errors import DefinitionError
from survey.core.translate import translate
from survey.definition.survey import Survey
from survey.definition.translation import MAY_STAY, Path, nest_texts, parse_translations

LONG_TEXT_CHARACTERS = (
    80  # characters; longer texts, and those of several lines, get a larger field
)


@dataclass(frozen=True, kw_only=True)
class TranslationRow:
    """One text.

    Attributes
    ----------
    key : the name of its field
    part : what it is: "Title", "Hint", a choice's code
    missing : whether the survey needs the text before it opens, and does not have it
    other : the stored text, if it differs from the one that the form was made from; else None
    """

    key: str
    part: str
    original: str
    text: str
    missing: bool
    long: bool
    other: str | None = None


@dataclass(frozen=True)
class TranslationGroup:
    """The texts of one question, or of the survey itself, with an empty title."""

    title: str
    rows: tuple[TranslationRow, ...]


def part_name(path: Path) -> str:
    """What a text is, in the language of the page."""
    if "choices" in path[2:3]:
        return translate("Choice %(name)s", name=path[-1])
    return translate(FIELDS[path[-1]].label)


def text_key(path: Path) -> str:
    return ".".join(path)


def typed_texts(survey: Survey, form: Mapping[str, str]) -> dict[Path, str]:
    """The translations in a form, by text. An empty field is not a translation."""
    typed = {path: (form.get(text_key(path)) or "").strip() for path in survey.texts}
    return {path: text.replace("\r\n", "\n") for path, text in typed.items() if text}


def translated_survey(survey: Survey, language: str, texts: Mapping[Path, str]) -> Survey:
    """The survey with these texts for one of its other languages. Raises DefinitionError."""
    every = {other: nest_texts(translation) for other, translation in survey.translations.items()}
    every[language] = nest_texts(texts)
    return replace(survey, translations=parse_translations(every, survey.texts, {survey.language}))


def translation_groups(
    survey: Survey, language: str, texts: Mapping[Path, str], *, compared: bool = False
) -> list[TranslationGroup]:
    """The rows of a translation, question by question.

    Parameters
    ----------
    texts : the texts that the form shows
    compared : whether to show the stored text next to a different one
    """
    stored = survey.translations.get(language, {})
    titles = {question.name: question.label for question in survey.questions}

    def rows() -> Iterator[tuple[str, TranslationRow]]:
        for path, original in survey.texts.items():
            text, there = texts.get(path, ""), stored.get(path, "")
            long = (
                len(original) > LONG_TEXT_CHARACTERS
                or "\n" in original
                or path[-1] in ("introduction", "label")
            )
            yield (
                titles[path[1]] if path[0] == "questions" else "",
                TranslationRow(
                    key=text_key(path),
                    part=part_name(path),
                    original=original,
                    text=text,
                    missing=not text and path[-1] not in MAY_STAY,
                    long=long,
                    other=there if compared and there != text else None,
                ),
            )

    return [
        TranslationGroup(title, tuple(row for _, row in titled_rows))
        for title, titled_rows in groupby(rows(), key=lambda each: each[0])
    ]


def require_further(survey: Survey, language: str) -> None:
    """Raises DefinitionError unless the survey has translations in this language."""
    if language not in survey.translations:
        raise DefinitionError(
            "translations", "this language is missing. Choose it in the builder first."
        )
