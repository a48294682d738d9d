"""The project's documents as pages: the Markdown files of docs/, and four files beside that folder.

The argument for safety: an address is looked up in a table of the files that exist, and is never
joined to a path, so no address leads anywhere else. The documents are part of Candor and are
trusted like its templates. HTML in them is shown as text all the same, and a link to a file that is
no document becomes plain text, so that no link is dead.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from survey import PROJECT_FOLDER

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PREFIX = "/help/"
# The folders of docs/ in the order of the index, each with its title and what it is for.
PARTS = {
    "tutorials": ("Tutorials", "Learn Candor by doing, one step after the other."),
    "how-to": ("How-to guides", "Do one task."),
    "reference": ("Reference", "Look up a fact."),
    "explanation": ("Explanation", "Understand how Candor works, and why."),
    "evidence": ("Evidence", "Check what was measured and audited."),
    "decisions": ("Decisions", "Read why the design is as it is."),
    "": ("The project", "Security, changes, and how to contribute."),
}
PROJECT_FILES = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
IMAGE_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}
# The general categories of the letters that GitHub keeps in the anchor of a heading.
ANCHOR_CATEGORIES = ("L", "M", "Nd", "Nl", "Pc")
TABLE = '<div class="scroll" role="region" tabindex="0" aria-label="{}">\n<table>\n'
FIRST_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")
OPENING_CHARACTERS = 3_000


@cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


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
    address : where its page is, relative to /help/
    part : the folder of docs/ that it is in, or "" for a file of the project's own folder
    """

    documents: "Documents"
    path: str
    address: str
    part: str

    @cached_property
    def text(self) -> str:
        return (self.documents.root / self.path).read_text(encoding="utf-8")

    @cached_property
    def opening(self) -> list[str]:
        """The title and the first paragraphs, without the cost of parsing all of the text."""
        tokens = pairwise(parser().parse(self.text[:OPENING_CHARACTERS]))
        wanted = ("heading_open", "paragraph_open")
        return [plain_text(inline) for opened, inline in tokens if opened.type in wanted]

    @property
    def title(self) -> str:
        return self.opening[0]

    @property
    def summary(self) -> str:
        """The first sentence."""
        sentences = map(FIRST_SENTENCE.match, self.opening[1:])
        return next((each[0] for each in sentences if each), "")

    @cached_property
    def page(self) -> tuple[Markup, list[Section]]:
        """The document as HTML, and its sections."""
        tokens = parser().parse(self.text)
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
            if token.type == "heading_open":
                title = plain_text(inner)
                anchor = anchor_of(title)
                again = f"-{anchors[anchor]}" if anchors[anchor] else ""
                anchors[anchor] += 1
                token.attrs["id"] = anchor + again
                section = Section(int(token.tag[1]), title, anchor + again)
                yield section
            elif token.type == "table_open":
                tables += 1
                label = f"Table {tables}: {section.title}"
                token.type, token.content = "html_block", Markup(TABLE).format(label)
            elif token.type == "table_close":
                token.type, token.content = "html_block", "</table>\n</div>\n"
            elif token.type == "tr_open":
                section.paragraphs.append("")
            elif token.type in ("th_open", "td_open"):
                section.paragraphs[-1] += f"{plain_text(inner)} · "
                # The policy for content forbids the style attribute that the parser writes.
                if "right" in str(token.attrs.pop("style", "")):
                    token.attrs["class"] = "figure"
                # A screen reader would announce an empty heading.
                token.tag = token.tag if inner.content else "td"
            elif inner.type == "th_close" and not token.content:
                inner.tag = "td"
            elif token.type == "paragraph_open":
                section.paragraphs.append(plain_text(inner))
            elif token.type in ("fence", "code_block"):
                section.paragraphs.append(" ".join(token.content.split()))

    def rewrite_links(self, children: "list[Token]") -> "Iterator[Token]":
        """A paragraph with each link leading to a page, or taken out."""
        dropped = False
        for token in children:
            if token.type == "link_open":
                address = self.documents.link(self, str(token.attrs["href"]))
                dropped = address is None
                token.attrs["href"] = address or ""
            elif token.type == "image":
                token.attrs["src"] = self.documents.link(self, str(token.attrs["src"])) or ""
            if not (dropped and token.type in ("link_open", "link_close")):
                yield token


class Documents:
    """All documents of a folder by their addresses, in the order of the index."""

    def __init__(self, root: Path):
        self.root = root
        self.by_address: dict[str, Document] = {}
        for part in PARTS:
            paths = (root / "docs" / part).glob("*.md")
            for path in sorted(paths) if part else [root / name for name in PROJECT_FILES]:
                # The README of a folder is the page of the folder.
                name = "" if part and path.stem == "README" else path.stem.lower()
                address = f"{part}/{name}".strip("/")
                relative = path.relative_to(root).as_posix()
                if path.is_file():
                    self.by_address[address] = Document(self, relative, address, part)
        self.by_path = {document.path: document for document in self.by_address.values()}
        self.images = {
            path.relative_to(root / "docs").as_posix(): path
            for path in sorted((root / "docs").rglob("*"))
            if path.suffix in IMAGE_TYPES
        }

    def in_part(self, part: str) -> list[Document]:
        return [document for document in self.by_address.values() if document.part == part]

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
        if folder == "docs" and name in self.images:
            return f"{PREFIX}images/{name}"
        if path == "docs/README.md":
            return PREFIX
        return f"{PREFIX}#{name}" if folder == "docs" and name in PARTS else None


@cache
def project_documents() -> Documents:
    return Documents(PROJECT_FOLDER)
