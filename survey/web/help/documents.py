"""The project's documents as pages: the Markdown files of docs/, and four of the project's folder.

The argument for safety: an address is looked up in a table of the files that exist, and is never
joined to a path, so no address leads anywhere else. The documents are part of Candor and are
trusted like its templates. HTML in them is shown as text all the same, and a link to a file that is
no document becomes plain text, so that no link is dead.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from survey import PROJECT_FOLDER
from survey.core.languages import LANGUAGES, MAIN

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PREFIX = "/help/"
GLOSSARY = "reference/glossary"
# The folders of docs/ whose documents are pages, each with its heading in docs/README.md.
PARTS = {
    "tutorials": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
    "evidence": "Evidence",
    "decisions": "Explanation",
}
PROJECT_FILES = ("docs/README.md", "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
IMAGE_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}
# The general categories of the letters that GitHub keeps in the anchor of a heading.
ANCHOR_CATEGORIES = ("L", "M", "Nd", "Nl", "Pc")
# Marks where tables are generated. The parser would show it as text, as all HTML.
COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
# The first line of a decision. It says nothing of the subject, so a search does not show it.
DATE = re.compile(r"Date: [\d-]+$")
OPTION = re.compile(r"(?<![\w-])--[\w-]+")
OPTION_SPAN = r'<span class="option">\g<0></span>'
TABLE = '<div class="scroll" role="region" tabindex="0" aria-label="{}">\n<table>\n'


@cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in (RendererHTML.code_inline, RendererHTML.code_block, RendererHTML.fence):
        markdown.add_render_rule(rule.__name__, keep_options_whole(rule))
    return markdown


def keep_options_whole(render: Callable[..., str]) -> Callable[..., str]:
    """A rule that renders code. A line does not break within an option such as --output."""
    return lambda *given: OPTION.sub(OPTION_SPAN, render(*given))


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    kept = (
        letter
        for letter in heading.lower()
        if letter in " -" or unicodedata.category(letter).startswith(ANCHOR_CATEGORIES)
    )
    return "".join(kept).replace(" ", "-")


def plain_text(inline: "Token") -> str:
    """The words of a paragraph or heading, without their marks."""
    parts = [" " if "break" in each.type else each.content for each in inline.children or []]
    return " ".join("".join(parts).split())


def address_of(path: str) -> str:
    """The address of a document. The README of a folder is the page of the folder."""
    folder, _, name = path.removesuffix(".md").rpartition("/")
    if not folder:
        return name.lower()
    return f"{folder}/{name}".removeprefix("docs").removesuffix("/README").strip("/")


@dataclass
class Section:
    """A heading with the paragraphs below it, up to the next heading."""

    level: int
    title: str
    anchor: str
    paragraphs: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Document:
    """A file of the project that the help pages show.

    Parameters
    ----------
    path : the file, relative to the folder of the project, with slashes
    address : where its page is, relative to /help/; "" for the list of all pages
    """

    documents: "Documents"
    path: str
    address: str

    @property
    def title(self) -> str:
        return self.page[1][0].title

    @property
    def language(self) -> str:
        """The language of the document. A translation is in a folder with the code of its language,
        such as tutorials/vi."""
        return next((part for part in self.address.split("/")[1:-1] if part in LANGUAGES), MAIN)

    def in_language(self, language: str) -> "Document":
        """The same document in another language, or this one if it is not translated."""
        folder, _, name = self.address.rpartition("/")
        return self.documents.by_address.get(f"{folder}/{language}/{name}", self)

    @property
    def translations(self) -> list["Document"]:
        """The document in every language that it is available in, if there are several."""
        english = self.documents.by_address[self.address.replace(f"/{self.language}/", "/")]
        found = [english.in_language(language) for language in LANGUAGES if language != MAIN]
        others = [each for each in found if each is not english]
        return [english, *others] if others else []

    def anchor_like(self, other: "Document", anchor: str) -> str:
        """The anchor of the section at the place of another document's section; "" if none is."""
        anchors = [section.anchor for section in other.page[1]]
        own = self.page[1]
        place = anchors.index(anchor) if anchor in anchors else len(own)
        return own[place].anchor if place < len(own) else ""

    @property
    def part(self) -> str:
        """The heading in docs/README.md below which the document is listed, or ""."""
        return PARTS.get(self.address.partition("/")[0], "")

    @cached_property
    def page(self) -> tuple[Markup, list[Section]]:
        """The document as HTML, and its sections."""
        path = self.documents.root / self.path
        tokens = parser().parse(COMMENT.sub("", path.read_text(encoding="utf-8")))
        sections = list(self.find_sections(tokens))
        for token in tokens:
            if token.type == "inline":
                token.children = list(self.rewrite_links(token.children or []))
        return Markup(parser().renderer.render(tokens, parser().options, {})), sections

    def find_sections(self, tokens: "list[Token]") -> Iterator[Section]:
        """The sections. Gives headings their anchors, and makes tables as our pages have them."""
        anchors: Counter[str] = Counter()
        section, tables = Section(1, self.address, ""), 0
        for token, inner in pairwise(tokens + tokens[-1:]):
            kind = token.type
            if kind == "heading_open":
                title = plain_text(inner)
                anchor = anchor_of(title)
                again = f"-{anchors[anchor]}" if anchors[anchor] else ""
                anchors[anchor] += 1
                token.attrs["id"] = anchor + again
                section = Section(int(token.tag[1]), title, anchor + again)
                yield section
            elif kind == "table_open":
                tables += 1
                label = f"Table {tables}: {section.title}"
                token.type, token.content = "html_block", Markup(TABLE).format(label)
            elif kind == "table_close":
                token.type, token.content = "html_block", "</table>\n</div>\n"
            elif kind == "tr_open":
                section.paragraphs.append("")
            elif kind in ("th_open", "td_open"):
                cells = (section.paragraphs[-1], plain_text(inner))
                section.paragraphs[-1] = " · ".join(filter(None, cells))
                # The policy for content forbids the style attribute that the parser writes.
                if "right" in str(token.attrs.pop("style", "")):
                    token.attrs["class"] = "figure"
                # A screen reader would announce an empty heading.
                token.tag = token.tag if inner.content else "td"
            elif inner.type == "th_close" and not token.content:
                inner.tag = "td"
            elif kind == "paragraph_open" and not DATE.match(inner.content):
                section.paragraphs.append(plain_text(inner))
            elif kind in ("fence", "code_block"):
                section.paragraphs.append(" ".join(token.content.split()))

    def rewrite_links(self, children: "list[Token]") -> "Iterator[Token]":
        """The words of a paragraph, with each link leading to a page, or taken out."""
        dropped = False
        for token in children:
            kind = token.type
            if kind == "link_open":
                address = self.documents.link(self, str(token.attrs["href"]))
                dropped = address is None
                token.attrs["href"] = address or ""
            elif kind == "image":
                token.attrs["src"] = self.documents.link(self, str(token.attrs["src"])) or ""
            if not (dropped and kind in ("link_open", "link_close")):
                yield token


class Documents:
    """All documents of a folder by their addresses, in the order in which a search lists equals."""

    def __init__(self, root: Path):
        self.root = root
        self.by_address: dict[str, Document] = {}
        paths = [path for part in PARTS for path in sorted((root / "docs" / part).rglob("*.md"))]
        for path in [*paths, *(root / name for name in PROJECT_FILES)]:
            relative = path.relative_to(root).as_posix()
            if path.is_file():
                address = address_of(relative)
                self.by_address[address] = Document(self, relative, address)
        self.by_path = {document.path: document for document in self.by_address.values()}
        self.images = {
            path.relative_to(root / "docs").as_posix(): path
            for path in sorted((root / "docs").rglob("*"))
            if path.suffix in IMAGE_TYPES
        }

    def link(self, document: Document, target: str) -> str | None:
        """Where a link of a document leads; None if that is no page."""
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not parts.path:
            return target
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), parts.path))
        folder, _, name = path.partition("/")
        if path in self.by_path:
            anchor = f"#{parts.fragment}" if parts.fragment else ""
            return PREFIX + self.by_path[path].address + anchor
        return f"{PREFIX}images/{name}" if folder == "docs" and name in self.images else None


@cache
def project_documents() -> Documents:
    return Documents(PROJECT_FOLDER)
