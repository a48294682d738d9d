"""Texts that could mislead: they contain invisible characters or Candor's own phrases.

The argument: respondents decide by what a page shows. Invisible characters change what is shown.
U+202E draws a label backwards, and a zero-width space makes two choices look alike. Line ends and
many spaces make one label look like several texts.

Candor checks this only when a survey opens. Some invisible characters are part of the spelling:
the two joiners in some scripts and in emoji, and variation selectors after ideographs, symbols and
the digits of a keycap. They are allowed there, and two choices must differ in more than that.
Combining marks, such as those of Thai and Vietnamese, are visible.

Candor's own phrases in a designer's text are only advice in the pre-launch checklist. They may be
well meant, and the pages show the designer's texts in a separate box.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from survey.core.languages import LANGUAGES, Words
from survey.core.translate import translate
from survey.definition.survey import Survey
from survey.definition.translation import Path

JOINERS = "\u200c\u200d"  # ZERO WIDTH NON-JOINER and JOINER
# A joiner may follow letters of scripts without capitals, marks, and pictures.
JOINED = ("Lo", "Mn", "Mc", "So", "Sk")
# They choose the form of the character before: in color, or as it is written in one country.
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f]")
SELECTED = ("Lo", "So", "Sm", "Sk", "Po", "Nd")
# Characters that nothing shows: Unicode's property Default_Ignorable_Code_Point beyond the
# category Cf, and three that fonts draw as a space. Python does not know this property.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2065\u3164\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
    "\u2800\U0001d159\U00016fe4]"
)
# Browsers show a run of the spaces of a keyboard as one, but not of other spaces.
WIDE_SPACES = re.compile(r"[^\S \t\n\r\u2028\u2029]{3,}")
LINE_ENDS = "\n\r\u2028\u2029"
# These texts are Markdown or a paragraph, in which line ends are usual.
MAY_HAVE_LINES = {("introduction",), ("support",), ("recruitment",)}
# Only Candor says these sentences. They come from the catalogs in translations/.
OWN_PHRASES = (
    "Who can learn your real answers?",
    "Your device mixes up each answer before sending.",
    "No, they cannot",
    "They get only mixed‑up answers.",
    "They never learn whether what they got is real.",
    "They get the same, because nothing else is kept.",
    "How this answer is mixed up",
    "mixed up on your device",
    "stored as you give it",
    "Your answers have not left your device.",
    "From the people running this survey",
)


@dataclass(frozen=True)
class DefinitionText:
    """A text that the designer wrote.

    Attributes
    ----------
    place : its place in the definition, in the form that errors use
    path : its place among the texts of its language, as in `Survey.texts`
    """

    place: str
    language: str
    path: Path
    text: str


def written_texts(survey: Survey) -> Iterator[DefinitionText]:
    """Every text of the survey in each of its languages."""
    numbers = {question.name: number for number, question in enumerate(survey.questions)}
    for path, text in survey.texts.items():
        place = ".".join(path)
        if path[0] == "questions":
            question = survey.questions[numbers[path[1]]]
            place = f"questions[{numbers[path[1]]}].{path[2]}"
            if path[2] == "choices":
                names = [choice.name for choice in question.listed]
                place += f"[{names.index(path[3])}].label"
        yield DefinitionText(place, survey.language, path, text)
    for language, texts in survey.translations.items():
        for path, text in texts.items():
            yield DefinitionText(".".join(("translations", language, *path)), language, path, text)


def character_fault(text: str, *, may_have_lines: bool) -> str | None:
    """What is wrong with the characters of a text and how to fix it, or None."""
    if WIDE_SPACES.search(text):
        return translate("contains several wide spaces in a row. Write one space.")
    for before, character in zip(" " + text, text, strict=False):
        if is_invisible(character):
            if is_spelling(before, character):
                continue
            code = f"U+{ord(character):04X}"
            name = unicodedata.name(character, "") or translate("without a name")
            preceding = text[: text.index(character)][-20:]
            if not preceding:
                return translate(
                    "contains an invisible character, %(code)s (%(name)s), at its beginning. "
                    "Delete it.",
                    code=code,
                    name=name,
                )
            return translate(
                "contains an invisible character, %(code)s (%(name)s), after “%(preceding)s”. "
                "Delete it.",
                code=code,
                name=name,
                preceding=preceding,
            )
        if character in LINE_ENDS and not may_have_lines:
            return translate("contains a line break. Write it in one line.")
    return None


def is_invisible(character: str) -> bool:
    if unicodedata.category(character) == "Cf":
        return True
    return bool(BLANK.match(character) or SELECTORS.match(character))


def is_spelling(before: str, character: str) -> bool:
    """Whether an invisible character is part of the spelling after the character before it."""
    category = unicodedata.category(before)
    if SELECTORS.match(character):
        return category in SELECTED and not BLANK.match(before)
    return character in JOINERS and (category in JOINED or bool(SELECTORS.match(before)))


def shown_text(text: str) -> str:
    """What a text looks like: without invisible characters, and with one kind of space."""
    visible = "".join(character for character in text if not is_invisible(character))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def misleading_texts(survey: Survey) -> Iterator[tuple[DefinitionText, str]]:
    """The texts whose characters could mislead, each with the fault and how to fix it.

    A survey with such a text cannot open.
    """
    notes = {each.name for each in survey.questions if each not in survey.with_answers}
    looks: set[tuple[str, str, str]] = set()
    for written in written_texts(survey):
        path, text = written.path, written.text
        of_question = path[0] == "questions"
        paragraph = of_question and (path[1] in notes or path[2] == "hint")
        fault = character_fault(text, may_have_lines=paragraph or path in MAY_HAVE_LINES)
        if fault is None and of_question and path[2] == "choices":
            look = written.language, path[1], shown_text(text)
            if look in looks:
                fault = translate(
                    "looks like another choice of this question, “%(label)s”. Change one.",
                    label=look[2],
                )
            looks.add(look)
        if fault is not None:
            yield written, fault


def own_phrases() -> Mapping[str, str]:
    """Candor's own phrases in all languages, by their comparable text."""
    translated_phrases = (
        Words(language).say(phrase) for phrase in OWN_PHRASES for language in LANGUAGES
    )
    return {comparable_text(phrase): phrase for phrase in translated_phrases}


def comparable_text(text: str) -> str:
    """A text without small visual differences: capitals, width, emphasis, hyphens and spaces."""
    plain = (
        unicodedata.normalize("NFKC", shown_text(text)).casefold().replace("*", "").replace("_", "")
    )
    # NFKC makes a hyphen of a hyphen that does not break.
    plain = plain.replace("\N{HYPHEN}", "-")
    return " ".join(plain.split())


def imitating_texts(survey: Survey) -> Iterator[tuple[DefinitionText, str]]:
    """The texts that contain one of Candor's own phrases, each with the phrase."""
    phrases = own_phrases()
    for written in written_texts(survey):
        bare = comparable_text(written.text)
        own_phrase = next((own for phrase, own in phrases.items() if phrase in bare), None)
        if own_phrase is not None:
            yield written, own_phrase
