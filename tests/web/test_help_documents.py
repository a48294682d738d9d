"""The documents as pages: titles, anchors, links that lead somewhere, and nothing else served."""

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from survey.core.languages import LANGUAGES, MAIN
from survey.web.help.documents import PARTS, Document, Documents, anchor_of, project_documents
from tests.support.check_each import check_each
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

DOCUMENTS = project_documents()
TRANSLATED = [language for language in LANGUAGES if language != MAIN]
ALL = list(DOCUMENTS.by_address.values())
EACH = check_each("document", ALL, ids=lambda document: document.path)


def planted(folder: Path, text: str) -> Document:
    """A document with this text, next to an image, another document and a source file."""
    for name, content in {
        "docs/how-to/it.md": text,
        "docs/how-to/other.md": "# Other\n\n## A part\n",
        "docs/README.md": "# Documentation\n\n## Reference\n",
        "docs/decisions/README.md": "# Decisions\n",
        "docs/how-to/picture.svg": "<svg/>",
        "README.md": "# Project\n",
        "survey/source.py": "",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Documents(folder).by_address["how-to/it"]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Weights, strata, clusters", "weights-strata-clusters"),
        ("Did people answer as asked?", "did-people-answer-as-asked"),
        ("95 % interval", "95--interval"),
        ("10⁹ of them", "10-of-them"),
        ("Privacy loss ε × n", "privacy-loss-ε--n"),
        ("Câu hỏi_2 – “so”", "câu-hỏi_2--so"),
    ],
)
def test_anchors_are_those_of_github(heading, anchor):
    assert anchor_of(heading) == anchor


def test_every_document_of_a_known_part_is_a_page():
    assert {path.parent.name for path in ROOT.glob("docs/*/*.md")} <= {*PARTS}
    assert {document.path for document in ALL} == {
        *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*/**/*.md")),
        *("docs/README.md", "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    }
    assert DOCUMENTS.by_address["decisions"].path == "docs/decisions/README.md"
    assert DOCUMENTS.by_address[""].path == "docs/README.md"


def test_every_part_is_a_heading_of_the_index():
    assert {*PARTS.values()} <= {section.title for section in DOCUMENTS.by_address[""].page[1]}


@EACH
def test_a_document_has_one_title_and_headings_in_order(document):
    levels = [section.level for section in document.page[1]]
    assert levels[0] == 1
    assert levels.count(1) == 1
    for above, below in pairwise(levels):
        assert below <= above + 1


def test_the_first_tutorial_is_in_every_language_with_the_same_parts():
    english = DOCUMENTS.by_address["tutorials/first-survey"]
    assert [each.language for each in english.translations] == [MAIN, *TRANSLATED]
    for each in english.translations:
        assert each.translations == english.translations
        assert [part.level for part in each.page[1]] == [part.level for part in english.page[1]]
        for place, part in enumerate(english.page[1]):
            assert each.anchor_like(english, part.anchor) == each.page[1][place].anchor


def test_a_document_without_translation_stands_for_itself():
    index = DOCUMENTS.by_address[""]
    assert (index.language, index.translations, index.in_language("vi")) == (MAIN, [], index)


def anchors(document: Document) -> set[str]:
    return {section.anchor for section in document.page[1]}


@check_each(
    "path",
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_every_link_of_a_source_leads_to_a_file_and_an_anchor(path):
    """Also those that the help pages show as text."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^()\s]+)\)", prose):
        parts = urlsplit(target)
        if parts.scheme:
            continue
        there = path.parent / parts.path if parts.path else path
        assert there.exists(), target
        if parts.fragment:
            document = DOCUMENTS.by_path[there.resolve().relative_to(ROOT).as_posix()]
            assert parts.fragment in anchors(document), target


@EACH
def test_every_link_of_a_page_leads_to_a_page_and_an_anchor(document):
    html, sections = document.page
    assert len(anchors(document)) == len(sections)
    for target in re.findall(r'href="([^"]*)"', html):
        parts = urlsplit(target)
        if parts.scheme:
            assert parts.scheme == "https"
            continue
        address = parts.path.removeprefix("/help/") if parts.path else document.address
        there = DOCUMENTS.by_address[address]
        assert not parts.fragment or unquote(parts.fragment) in anchors(there), target
    for source in re.findall(r'src="([^"]*)"', html):
        assert source.removeprefix("/help/images/") in DOCUMENTS.images


@EACH
def test_a_page_has_no_style_and_no_script(document):
    assert not re.search(r"<[^>]*\s(style|on\w+)=|<script", document.page[0])
    assert "&lt;!--" not in document.page[0]


def test_links_lead_to_pages_and_sources_become_text(tmp_path):
    html, _ = planted(
        tmp_path,
        "# It\n\n[a](other.md) [b](other.md#a-part) [c](../../README.md)"
        " [d](../decisions/README.md)"
        " [e](../../survey/source.py) [f](#it) [g](https://example.org/) [h](../how-to/)"
        " [l](../README.md#reference)"
        " ![i](picture.svg) [j](../../../../etc/passwd) [k](javascript:alert)\n",
    ).page
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [
        "/help/how-to/other", "/help/how-to/other#a-part", "/help/readme", "/help/decisions",
        "#it", "https://example.org/", "/help/#reference", "/help/images/how-to/picture.svg",
    ]  # fmt: skip
    assert "</a> e <a" in html.replace("\n", " ")
    assert html.count("<a ") == html.count("</a>") == 7


def test_html_is_text_without_comments_and_equal_headings_differ(tmp_path):
    html, sections = planted(
        tmp_path,
        "# It\n\n<!-- one\ntwo -->\n\n<script>x</script>\n\n## `a` **b**\n\n## a b\n\n## a b\n",
    ).page
    assert "&lt;script&gt;" in html
    assert "!--" not in html
    assert [section.anchor for section in sections] == ["it", "a-b", "a-b-1", "a-b-2"]
    assert '<h2 id="a-b-2">' in html


def test_tables_scroll_and_have_no_empty_heading(tmp_path):
    html, sections = planted(tmp_path, "# It\n\n| | n |\n|---|--:|\n| one | `2` |\n").page
    assert 'role="region" tabindex="0" aria-label="Table 1: It"' in html
    assert html.count("<div") == html.count("</div>") == 1
    assert "<td></td>" in html
    assert '<th class="figure">n</th>' in html
    assert sections[0].paragraphs == ["n", "one · 2"]


def test_the_last_block_is_searched_too(tmp_path):
    _, [section] = planted(tmp_path, "# It\n\n```sh\nmake run\n```\n").page
    assert section.paragraphs == ["make run"]


def test_no_template_names_a_file_of_docs():
    for path in (ROOT / "templates").rglob("*.*"):
        assert not re.search(r"docs/|\.md\b", path.read_text()), path


def test_the_marks_of_generated_parts_are_not_shown(tmp_path):
    text = "# It\n\n<!-- generated: fields -->\n\nA field.\n\n<!-- end -->\n"
    assert planted(tmp_path, text).page[0].count("!--") == 0
    assert [section.paragraphs for section in planted(tmp_path, text).page[1]] == [["A field."]]
