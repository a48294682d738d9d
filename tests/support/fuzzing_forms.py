"""The forms of rendered pages, and invalid ways to fill them in.

The schema is what a browser can send of a form: the fields, their kinds and their choices. `filled`
is what a browser sends from an untouched form. `spoiled` changes a few fields.
"""

import io
import random
import zipfile
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from urllib.parse import quote_from_bytes, urlsplit

from survey.definition.survey import parse_survey
from survey.formats.definition_files import survey_xlsx
from tests.support.every_type import EVERY_TYPE
from tests.support.fuzzing_values import ODD_JSON, ODD_TEXTS, odd_definition

NOT_SENT = ("submit", "button", "image", "reset")
FORGERY = "csrf_token"


@dataclass
class Field:
    name: str
    kind: str  # the type of an input, or select or textarea
    values: list[str] = field(default_factory=list)  # the values of an untouched form
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    method: str
    action: str  # a path, possibly with a query
    files: bool
    fields: list[Field] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)  # the other targets of its buttons

    @property
    def schema(self) -> tuple[object, ...]:
        """The schema of a form. Forms of one schema differ only in values."""
        return (self.method, self.action, *((each.name, each.kind) for each in self.fields))


class Reader(HTMLParser):
    """Collects the forms of a page. Buttons and fields outside a form are left out."""

    def __init__(self, path: str):
        super().__init__()
        self.path = path
        self.forms: list[Form] = []
        self.form: Form | None = None
        self.select: Field | None = None
        self.text: Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            files = given.get("enctype") == "multipart/form-data"
            self.form = Form(given.get("method", "get").upper(), self.at(given), files)
            self.forms.append(self.form)
        kind = given.get("type", "text") if tag == "input" else tag
        if self.form is not None and given.get("formaction"):
            self.form.elsewhere.append(given["formaction"])
        if self.form is None or not given.get("name"):
            if tag == "option" and self.select is not None:
                self.select.options.append(given.get("value", ""))
                if "selected" in given:
                    self.select.values = [given.get("value", "")]
            return
        if tag == "button" or kind in NOT_SENT:
            self.form.buttons.append((given["name"], given.get("value", "")))
        elif tag in ("input", "select", "textarea"):
            found = self.field(given["name"], kind)
            if kind in ("checkbox", "radio"):
                found.options.append(given.get("value", "on"))
                if "checked" in given:
                    found.values.append(given.get("value", "on"))
            elif tag == "input":
                found.values = [given.get("value", "")]
            self.select = found if tag == "select" else self.select
            self.text = found if tag == "textarea" else None

    def at(self, given: dict[str, str]) -> str:
        parts = urlsplit(given.get("action") or self.path)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def field(self, name: str, kind: str) -> Field:
        if self.form is None:
            raise AssertionError("A field outside of a form.")
        for each in self.form.fields:
            if each.name == name and kind in ("checkbox", "radio"):
                return each
        self.form.fields.append(Field(name, kind))
        return self.form.fields[-1]

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.values = ["".join(self.text.values) + data]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None
        elif tag == "select":
            if self.select is not None and not self.select.values:
                self.select.values = self.select.options[:1]
            self.select = None
        elif tag == "textarea":
            if self.text is not None:
                self.text.values = [text.removeprefix("\n") for text in self.text.values] or [""]
            self.text = None


def forms_of(path: str, page: str) -> list[Form]:
    reader = Reader(path)
    reader.feed(page)
    return reader.forms


Pairs = list[tuple[str, str | bytes]]


def filled(form: Form) -> Pairs:
    return [(each.name, value) for each in form.fields for value in each.values]


def value_for(r: random.Random, found: Field) -> str | bytes:
    """A value for a field, often of its kind and often not."""
    if found.kind == "file":
        return odd_file(r)
    if found.options and r.random() < 0.5:
        return r.choice(found.options)
    if r.random() < 0.15:
        return r.choice(ODD_JSON)
    if found.kind in ("number", "date", "text") and r.random() < 0.3:
        return str(r.choice((0, 1, 2, 3, 10, 49, 50, 51, 99, 1_000, -1, 0.5, 1e6)))
    return r.choice(ODD_TEXTS)


def spoiled(r: random.Random, form: Form) -> Pairs:
    """The form with one button pressed, valid except for a few fields."""
    pairs = filled(form)
    for each in form.fields:
        if each.kind == "file":
            pairs = [pair for pair in pairs if pair[0] != each.name]
            pairs.append((each.name, odd_file(r)))
    free = [each for each in form.fields if each.name != FORGERY]
    for _ in range(r.choice((0, 1, 1, 1, 2, 3, 8)) if free else 0):
        found = r.choice(free)
        others = [pair for pair in pairs if pair[0] != found.name]
        match r.randrange(8):
            case 0:
                pairs = others  # missing
            case 1:
                pairs.append((found.name, value_for(r, found)))  # twice
            case 2:
                pairs = [*others, *((found.name, value) for value in found.options)]
            case _:
                pairs = [*others, (found.name, value_for(r, found))]
    if r.random() < 0.1:
        pairs.append((odd_name(r, free), r.choice(ODD_TEXTS)))
    if form.buttons and r.random() < 0.9:
        pairs.append(r.choice(form.buttons))
    return pairs


def odd_name(r: random.Random, known: list[Field]) -> str:
    names = [each.name for each in known] or ["x"]
    name = r.choice(names)
    return r.choice(
        (
            name + "-0",
            name.replace("-0-", f"-{r.choice((99, 399, 400, 10**9, -1))}-"),
            f"questions-{r.choice((1, 50, 399, 401, 10**20))}-label",
            "questions-x-label",
            "questions-١-label",
            name + "\0",
            name.upper(),
            "x" * 10_000,
            "__proto__",
            "do",
            "slug",
            "role",
            "state",
            "",
        )
    )


def urlencoded(pairs: Pairs) -> bytes:
    def quoted(text: str | bytes) -> str:
        raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return quote_from_bytes(raw, safe=b"")

    return "&".join(f"{quoted(name)}={quoted(value)}" for name, value in pairs).encode()


BOUNDARY = "b0undary"


def multipart(pairs: Pairs) -> bytes:
    parts = []
    for name, value in pairs:
        raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        more = '; filename="a.xlsx"' if isinstance(value, bytes) else ""
        safe = name.replace("\0", "").replace("\r", "").replace("\n", "").replace('"', "")
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{safe}"{more}\r\n\r\n'
        parts.append(head.encode("utf-8", "surrogatepass") + raw + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


# --- files ----------------------------------------------------------------------------------------


def zipped(*parts: tuple[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts:
            how = zipfile.ZIP_DEFLATED if len(part) > 1_000_000 else zipfile.ZIP_STORED
            archive.writestr(name, part, how)
    return content.getvalue()


def unpacked(content: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


WORKBOOK = survey_xlsx(parse_survey(EVERY_TYPE))
PARTS = unpacked(WORKBOOK)
SHEET = "xl/worksheets/sheet1.xml"
ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;"> <!ENTITY x SYSTEM '
    b'"file:///etc/passwd">]><worksheet>&d;&x;</worksheet>'
)
DESIGN = b"region,weight,stratum,cluster\nn,1.5,x,a\ne,1,y,b\ns,2,x,c\nw,1,y,d\n"


def with_part(name: str, content: bytes) -> bytes:
    return zipped(*((each, content if each == name else part) for each, part in PARTS))


@cache
def bombs() -> tuple[bytes, bytes]:
    """30 MB of zeros in 30 kB, and the same with a directory that states a small size."""
    large = with_part(SHEET, b"\0" * 30_000_000)
    return large, large.replace((30_000_000).to_bytes(4, "little"), (300).to_bytes(4, "little"))


def odd_file(r: random.Random) -> bytes:
    match r.randrange(13):
        case 0:
            return r.randbytes(r.randrange(200))
        case 8:
            return r.choice(bombs())
        case 1:
            return WORKBOOK[: r.randrange(len(WORKBOOK))]
        case 2:
            content = bytearray(WORKBOOK)
            for _ in range(r.randint(1, 6)):
                content[r.randrange(len(content))] = r.randrange(256)
            return bytes(content)
        case 3:
            return with_part(r.choice(PARTS)[0], r.choice((ENTITIES, b"", b"<", b"\xff\xfe<")))
        case 4:
            name, part = r.choice(PARTS)
            changed = bytearray(part)
            for _ in range(r.randint(1, 5)):
                changed[r.randrange(len(changed))] = r.choice(b'0123456789<>"&;az\0\xff')
            return with_part(name, bytes(changed))
        case 5:
            return r.choice(
                (b"PK\x03\x04", b"\xd0\xcf\x11\xe0" + b"\0" * 600, b"", b"{", b"\xef\xbb\xbf{")
            )
        case 6:
            lines = DESIGN.decode().split("\n")
            row = r.randrange(len(lines))
            lines[row] = r.choice(ODD_TEXTS) + "," + lines[row]
            return "\n".join(lines).encode("utf-8", "surrogatepass")
        case 7:
            changed = bytearray(DESIGN)
            for _ in range(r.randint(1, 3)):
                changed[r.randrange(len(changed))] = r.choice(b'0123456789,"\n\r;-eE.\0\xff nesw')
            return bytes(changed)
        case _:
            return odd_definition(r).encode("utf-8", "surrogatepass")


def written(form: Form, pairs: Pairs) -> tuple[str, bytes]:
    """The content type and the body."""
    if form.files:
        return f"multipart/form-data; boundary={BOUNDARY}", multipart(pairs)
    return "application/x-www-form-urlencoded", urlencoded(pairs)


def with_token(pairs: Pairs, token: str) -> Pairs:
    return [(name, token if name == FORGERY else value) for name, value in pairs]
