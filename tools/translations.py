"""`make translations`: update every catalog in translations/ with the sentences of the sources.

It adds new sentences without a translation, and drops unused ones. `make test` fails until each one
is translated. To add a language, create a folder with an empty LC_MESSAGES/messages.po.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parent.parent
CATALOGS = sorted(ROOT.glob("translations/*/LC_MESSAGES/messages.po"))
# The sentences of the core, and of the pages that are not for researchers.
SOURCES = [("survey/**/*.py", "python"), ("templates/**/*.html", "jinja2")]
KEYWORDS = {"say": None, "_": None, "gettext": None, "ngettext": (1, 2)}
OPTIONS = {"trimmed": "true", "newstyle_gettext": "true"}


def said() -> Catalog:
    """Every sentence of the sources."""
    found = Catalog(fuzzy=False)
    for pattern, method in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            options = OPTIONS if method == "jinja2" else {}
            for _, sentence, comments, _ in extract_from_file(
                method, path, keywords=KEYWORDS, comment_tags=["For translators:"], options=options
            ):
                where = str(path.relative_to(ROOT))
                found.add(sentence, locations=[(where, None)], auto_comments=comments)
    return found


def catalog_at(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def main() -> None:
    for path in CATALOGS:
        catalog = catalog_at(path)
        catalog.update(said(), no_fuzzy_matching=True)
        with path.open("wb") as file:
            write_po(file, catalog, width=100, omit_header=False, ignore_obsolete=True)
        missing = sum(1 for message in catalog if message.id and not message.string)
        print(f"{path.relative_to(ROOT)}: {len(catalog)} sentences, {missing} not translated yet")


if __name__ == "__main__":
    main()
