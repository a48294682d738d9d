"""`make translations`: update every catalog in translations/ with the sentences of the sources.

It adds new sentences without a translation, and drops unused ones. `make test` fails until each one
is translated. To add a language, create a folder with an empty LC_MESSAGES/messages.po and
LC_MESSAGES/researcher.po.
"""

import io
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from survey.core.languages import (
    LANGUAGES,
    MAIN,
    NATIVE_REVIEW,
    RESEARCHER,
    RESPONDENT,
    catalog_path,
    in_script,
)

ROOT = Path(__file__).parent.parent
TEMPLATE_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}
# Errors that people read on pages, with the place of the sentence among the values.
# No argument may contain a sentence of its own, which Babel would not find.
ERRORS = {
    "AboveLimit": (1,),
    "DataFileError": (1,),
    "DefinitionError": (2,),
    "DependentRows": (1,),
    "MechanismError": (1,),
    "MissingExtra": (1,),
    "NegativeEntry": (1,),
    "NotAllowed": (1,),
    "OverBudget": (2,),
    "ReleaseError": (2,),
    "RowOmitted": (2,),
    "ShapeError": (1,),
    "StateError": (1,),
    "TotalTooLarge": (1,),
    "UnanswerableQuestion": (1,),
    "UnconfirmedProtection": (1,),
    "UnequalTotals": (1,),
    "UnknownSurvey": (1,),
    "UnsupportedCondition": (1,),
    "UnusedReport": (1,),
    "WebhookError": (1,),
    "WorkbookRefused": (1,),
    "ZeroEntry": (1,),
}
# Errors of these files are for people who run a server, in English.
COMMANDS = ("survey/cli/", "survey/server/secret_key.py")
# For each catalog: the files, Babel's name of their format, and the functions whose argument is a
# sentence.
SOURCES = {
    RESPONDENT: (
        ("survey/**/*.py", "python", {"say": None}),
        ("templates/*.html", "jinja2", TEMPLATE_KEYWORDS),
        ("templates/[!al]*/**/*.html", "jinja2", TEMPLATE_KEYWORDS),
    ),
    RESEARCHER: (
        (
            "survey/**/*.py",
            "python",
            {"translate": None, "later": None, "translate_plural": (1, 2)} | ERRORS,
        ),
        ("templates/admin/**/*.html", "jinja2", TEMPLATE_KEYWORDS),
        ("templates/learn/**/*.html", "jinja2", TEMPLATE_KEYWORDS),
        ("static/admin/**/*.js", "javascript", {"translate": None}),
    ),
}
OPTIONS = {"jinja2": {"trimmed": "true", "newstyle_gettext": "true"}}


@cache
def sentences_of(name: str) -> Catalog:
    """Every sentence of the sources of a catalog."""
    found = Catalog(fuzzy=False)
    for pattern, method, keywords in SOURCES[name]:
        for path in sorted(ROOT.glob(pattern)):
            if method != "jinja2" and not mentions(path, keywords):
                continue
            where = str(path.relative_to(ROOT))
            in_english = where.startswith(COMMANDS)
            for _, sentence, comments, _ in extract_from_file(
                method,
                path,
                keywords={k: v for k, v in keywords.items() if not (in_english and k in ERRORS)},
                comment_tags=["For translators:"],
                options=OPTIONS.get(method, {}),
            ):
                found.add(sentence, locations=[(where, None)], auto_comments=comments)
    return found


def mentions(path: Path, words: Iterable[str]) -> bool:
    """Whether a source has one of these words. Most have none, and Babel is slow to find that."""
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in words)


def said(name: str = RESPONDENT) -> Catalog:
    """The sentences of a catalog. A respondent's sentence is not repeated in the other one, unless
    a script uses it."""
    others = sentences_of(RESPONDENT) if name != RESPONDENT else Catalog()
    found = Catalog(fuzzy=False)
    for message in sentences_of(name):
        if message.id and (message.id not in others or in_script(message)):
            found[message.id] = message
    return found


def catalog_at(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def with_native_review(text: str, source: str) -> str:
    """A catalog with the field X-Native-Review of its earlier version, which Babel drops."""
    field = NATIVE_REVIEW.search(source)
    line = field.group() if field else '"X-Native-Review: no\\n"'
    return text.replace('"Generated-By: ', line + '\n"Generated-By: ', 1)


def main() -> None:
    for language in LANGUAGES:
        for name in SOURCES if language != MAIN else ():
            update(catalog_path(language, name), name)


def update(path: Path, name: str) -> None:
    source = path.read_text(encoding="utf-8")
    catalog = catalog_at(path)
    catalog.update(said(name), no_fuzzy_matching=True)
    text = io.BytesIO()
    write_po(text, catalog, width=100, omit_header=False, ignore_obsolete=True)
    path.write_text(with_native_review(text.getvalue().decode(), source), encoding="utf-8")
    missing = sum(1 for message in catalog if message.id and not message.string)
    print(f"{path.relative_to(ROOT)}: {len(catalog)} sentences, {missing} not translated yet")


if __name__ == "__main__":
    main()
