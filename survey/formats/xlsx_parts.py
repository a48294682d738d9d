"""The parts of a stranger's workbook: a ZIP of XML, unpacked and parsed only as it is needed."""

import io
import posixpath
import zipfile
from collections.abc import Callable
from xml.parsers import expat

MAX_UNPACKED_BYTES = 8 * 1024 * 1024  # of all parts that are read
MAX_PARTS = 500
RELATIONSHIPS_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN_NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
MAIN_ELEMENTS = (
    *("workbookPr", "sheet", "numFmt", "cellXfs", "xf", "si", "t", "rPh"),
    *("row", "c", "v", "is"),
)


class WorkbookRefused(Exception):
    """A workbook beyond the bounds; the text is for the researcher."""


class Package:
    """The parts of a workbook, unpacked only when they are asked for, each once."""

    def __init__(self, content: bytes):
        self.archive = zipfile.ZipFile(io.BytesIO(content))
        self.entries = {entry.filename: entry for entry in self.archive.infolist()}
        self.unpacked: set[str] = set()
        self.bytes_left = MAX_UNPACKED_BYTES
        if len(self.archive.infolist()) > MAX_PARTS:
            raise WorkbookRefused(f"This workbook has more than {MAX_PARTS} parts.")

    def read(self, name: str) -> bytes:
        """Raises WorkbookRefused beyond the bounds; KeyError and ValueError for a part that is not
        there, was read before, or is packed in another way than Excel does."""
        entry = self.entries[name]
        if name in self.unpacked:
            raise ValueError(name)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(entry.compress_type)
        self.unpacked.add(name)
        self.bytes_left -= entry.file_size
        if self.bytes_left < 0:
            raise WorkbookRefused(
                "The sheets of this workbook are too large when they are unpacked; the most is "
                f"{MAX_UNPACKED_BYTES // 1024**2} MB. Save the sheets survey, choices and settings "
                "alone, without formats."
            )
        with self.archive.open(entry) as part:
            # Not more than the directory promises; what is longer fails its checksum.
            content = part.read(entry.file_size + 1)
        if len(content) != entry.file_size:
            raise ValueError(name)
        return content


Attributes = dict[str, str]


def parse(
    content: bytes,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] = lambda name: None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Read XML with a function for each event. Names of the main namespace come without it."""

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    def begin(name: str, attributes: Attributes) -> None:
        start(short.get(name, name), attributes)

    short = {f"{space} {name}": name for space in MAIN_NAMESPACES for name in MAIN_ELEMENTS}
    parser = expat.ParserCreate(None, " ")
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda name: end(short.get(name, name))
    if text is not None:
        parser.buffer_text = True
        parser.CharacterDataHandler = text
    parser.Parse(content, True)


def part_relations(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Of each relation of a part its kind and the name of the part that it leads to."""
    folder, name = posixpath.split(part)
    relations: dict[str, tuple[str, str]] = {}

    def start(name: str, attributes: Attributes) -> None:
        if (
            name == f"{RELATIONSHIPS_NAMESPACE} Relationship"
            and attributes.get("TargetMode") != "External"
        ):
            target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"]))
            kind = attributes["Type"].rpartition("/")[2]
            relations[attributes["Id"]] = kind, target.lstrip("/")

    parse(package.read(posixpath.join(folder, "_rels", f"{name}.rels")), start)
    return relations
