"""Texts of researchers and respondents stay text everywhere: in pages, pictures, files.

Each place for a text holds texts that break out of every context of HTML, run as templates, or
begin formulas. A parser then checks everything that can be displayed. An element or an attribute
with the name canary comes from such a text, because Candor has no such name.

tests/browser/ covers the pages' scripts, which write with textContent.
tests/formats/test_script_files.py runs the scripts of the exported ZIP.
"""

import csv
import io
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import load_workbook

from survey.core.csv_cells import csv_text
from tests.support.check_each import check_each
from tests.support.fuzzing_requests import pages
from tests.support.fuzzing_world import world
from tests.support.lengths import SOAK, soak

BREAKS = (
    '"\'></script></textarea></title></option></style></svg><canary>" canary="\' '
    "canary='{{19101*70007}}"
)
FORMULA = '=HYPERLINK("javascript:alert(1)")<canary x>--><!--]]><canary>${19101*70007}{%raw%}'
MARKDOWN = (
    "[a](javascript:alert(1)) ![b](https://elsewhere.example/x.png) <javascript:alert(1)> "
    "[c](data:text/html,x) [d]: vbscript:x <canary onload=x>"
)
# A title has at most 200 characters.
TEXTS = (FORMULA + BREAKS, *((BREAKS, FORMULA, MARKDOWN) if SOAK else ()))
SLUGS = ("draft", "health", "closed", "hand") if SOAK else ("draft", "closed")
MORE = ("\uff1d1+1", "+1<canary>", "-1+1", "@SUM(1)", "\t=1")
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NEVER = {"iframe", "object", "embed", "base", "applet", "frame", "canary"}
ADDRESSES = {"href", "src", "action", "formaction", "data", "poster", "srcset", "background"}


class Look(HTMLParser):
    """Collects the elements and attributes that no page of ours may have."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.elements = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements += 1
        given = {name: value or "" for name, value in attrs}
        if tag in NEVER and not (tag == "iframe" and "data-preview" in given):
            self.faults.append(tag)
        data = given.get("type") in ("application/json", "text/plain")
        if tag == "script" and not data and not given.get("src", "").startswith("/static/"):
            self.faults.append("a script of its own")
        if tag == "meta" and "http-equiv" in given:
            self.faults.append("http-equiv")
        for name, value in given.items():
            if name.startswith("on") or name in ("canary", "style", "srcdoc"):
                self.faults.append(f"{tag} {name}")
            if name in ADDRESSES and tag != "a" and not value.startswith(("/", "#", "data:image/")):
                self.faults.append(f"{tag} {name} {value[:40]}")
            if name in ADDRESSES and urlsplit(value.strip()).scheme not in (
                *("", "http", "https", "mailto", "tel", "data"),
            ):
                self.faults.append(f"{tag} {name} {value[:40]}")
            if tag == "a" and name == "href" and value.strip().lower().startswith("data:"):
                self.faults.append(f"a to {value[:40]}")


def faults_of_page(page: str) -> list[str]:
    look = Look()
    look.feed(page)
    look.close()
    said = ["a template ran"] if "1337203707" in page else []
    return look.faults + said + ([] if look.elements else ["nothing"])


# A negative number, alone or in a line that was read with another separator than its own. The
# words, numbers, hyphens and quoted texts after it call nothing.
NEGATIVE = r"-[0-9]+([.][0-9]+)?(e-?[0-9]+)?"
WHOLE_LINE = rf'{NEGATIVE}(,([\w .-]*|"([^"]|"")*"?))*'


def faults_of_csv(content: str) -> list[str]:
    return [
        cell[:40]
        for separator in ",;\t"
        for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator)
        for cell in row
        if cell.lstrip("" if separator == "," else "\t\r\n").startswith(STARTS)
        and not re.fullmatch(NEGATIVE if separator == "," else WHOLE_LINE, cell)
    ]


def faults_of_workbook(content: bytes) -> list[str]:
    return [
        str(cell.value)[:40]
        for sheet in load_workbook(io.BytesIO(content)).worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f" or cell.hyperlink
    ]


def faults_of_picture(content: bytes) -> list[str]:
    root = ElementTree.fromstring(content)
    found = []
    for element in root.iter():
        name = str(element.tag).rpartition("}")[2]
        if name in ("script", "foreignObject", "image", "a", "canary"):
            found.append(name)
        found += [key for key in element.attrib if key.lower().startswith("on") or key == "canary"]
    return found


def faults_of(path: str, kind: str, body: bytes) -> list[str]:
    match kind.partition(";")[0]:
        case "text/html":
            return faults_of_page(body.decode())
        case "text/csv":
            return faults_of_csv(body.decode("utf-8-sig"))
        case "image/svg+xml":
            return faults_of_picture(body)
        case "application/zip":
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                return [
                    fault
                    for name in archive.namelist()
                    if name.endswith(".csv")
                    for fault in faults_of_csv(archive.read(name).decode("utf-8-sig"))
                ]
    return faults_of_workbook(body) if path.endswith(".xlsx") else []


@soak
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12])
def test_what_people_write_is_text_wherever_it_is_shown(tmp_path: Path, text: str) -> None:
    w = world(tmp_path, text=text)
    wrong, kinds, shown = {}, set(), 0
    for path, answer in pages(
        w, ("draft", "health", "closed", "hand") if SOAK else ("draft", "closed")
    ):
        if answer.status != 200:
            continue
        kind = answer.headers["Content-Type"]
        faults = faults_of(path, kind, answer.body)
        if faults:
            wrong[path] = faults[:3]
        kinds.add(kind.partition(";")[0])
        shown += b"canary" in answer.body
    w.close()
    assert wrong == {}
    assert {"text/html", "text/csv", "image/svg+xml", "application/zip"} <= kinds
    assert shown > 40  # The texts are there, and they are texts.


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>{}</p>", "canary"),
        ('<p title="{}">a</p>', "canary"),
        ("<p title='{}'>a</p>", "canary"),
        ("<textarea>{}</textarea>", "canary"),
        ('<script type="application/json">"{}"</script>', "canary"),
        # The text opens a quotation mark, which the rest of the page closes, as in a browser. Newer
        # versions of Python's parser drop an element that is still open at the end of the page.
        ('<a href={}>a</a><p title="b">c</p>', "canary"),
    ],
)
def test_control_a_text_that_is_not_escaped_is_found(page: str, fault: str) -> None:
    assert any(fault in each for each in faults_of_page(page.replace("{}", BREAKS)))
    assert not faults_of_page(page.replace("{}", "harmless").replace("=harmless", "=/harmless"))


@check_each(
    "page",
    [
        "<a href='javascript:alert(1)'>a</a>", "<a href=' JAVASCRIPT:x'>a</a>", "<p onload=x>a</p>",
        "<img src='https://elsewhere.example/x.png'>", "<iframe src='/'></iframe>",
        "<p>1337203707</p>",
        "<a href='data:text/html,x'>a</a>", "<p style='x'>a</p>", "<script>x</script>", "",
    ],
)  # fmt: skip
def test_control_what_runs_or_loads_is_found(page: str) -> None:
    assert faults_of_page(page)


@pytest.mark.parametrize("text", (FORMULA, *MORE))
def test_no_cell_of_a_table_begins_a_formula(text: str) -> None:
    assert faults_of_csv(csv_text([["a", text]])) == []
    assert faults_of_csv(f'"{text.replace(chr(34), chr(34) * 2)}"') != []  # the text itself


@pytest.mark.parametrize("line", ("-1,1+a1", "-1,(a1)", "-1,a1!a1", '-1,"a"&a1'))
def test_control_a_line_that_could_compute_is_found(line: str) -> None:
    assert faults_of_csv(line)


AWKWARD = st.sampled_from("=+-@\t\r\n\0 '\",;a1\uff1d\uff0b")


@given(st.lists(st.lists(st.text(AWKWARD), min_size=1)))
@example([["-1", ""]])
@example([["-1", "1-a1"], ["-1", "=a1"], ["-1", "a;=1"], ["-1", '";=a1'], ["-1", '"";"=a1']])
@example([["-1", "1\n=a", "-1"], ["-1", ";-1", "\t-a"], ["-1", "-a"], ["-1", "-1", "+a"]])
def test_no_text_breaks_out_of_its_cell(rows: list[list[str]]) -> None:
    content = csv_text(rows)
    assert faults_of_csv(content) == []
    read = list(csv.reader(io.StringIO(content, newline="")))
    assert [len(row) for row in read] == [len(row) for row in rows]
