"""`make translations`: update every catalog in translations/ with the sentences of the sources.

It adds new sentences without a translation, and drops unused ones. `make test` fails until each one
is translated. To add a language, create a folder with an empty LC_MESSAGES/messages.po.
"""

import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from survey.core.languages import NATIVE_REVIEW

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


def with_native_review(text: str, source: str) -> str:
    """A catalog with the field X-Native-Review of its earlier version, which Babel drops."""
    field = NATIVE_REVIEW.search(source)
    line = field.group() if field else '"X-Native-Review: no\\n"'
    return text.replace('"Generated-By: ', line + '\n"Generated-By: ', 1)


def main() -> None:
    for path in CATALOGS:
        source = path.read_text(encoding="utf-8")
        catalog = catalog_at(path)
        catalog.update(said(), no_fuzzy_matching=True)
        text = io.BytesIO()
        write_po(text, catalog, width=100, omit_header=False, ignore_obsolete=True)
        path.write_text(with_native_review(text.getvalue().decode(), source), encoding="utf-8")
        missing = sum(1 for message in catalog if message.id and not message.string)
        print(f"{path.relative_to(ROOT)}: {len(catalog)} sentences, {missing} not translated yet")


if __name__ == "__main__":
    main()
