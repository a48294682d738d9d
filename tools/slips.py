"""`python -m tools.slips FOLDER`: look up each printed slip in the files of the course texts.

The folder has one file for each text. The texts are not part of the project, so nobody but their
owner can run this. `tests/support/printed_slips.json` has each formula, number or line as its text
prints it, with its section and the number of times that it stands there. One changed sign makes the
command fail: it then ends with status 1.
"""

import argparse
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PRINTED = Path(__file__).parent.parent / "tests" / "support" / "printed_slips.json"


def text_beginning(folder: Path, number: str) -> str:
    """The text whose file begins with this number. Empty without exactly one such file."""
    files = sorted(folder.glob(f"{number}*"))
    return files[0].read_text(encoding="utf-8") if len(files) == 1 else ""


def split_sections(text: str, headings: Mapping[str, str]) -> dict[str, str]:
    """Each section by its name, from its heading to the next of the headings.

    The headings are lines of the text, in their order. Signs of Markdown before them do not count.
    A heading that is missing has no section.
    """
    starts: dict[str, int] = {}
    lines = unicodedata.normalize("NFC", text).splitlines()
    bare = [line.strip().lstrip("#").strip() for line in lines]
    place = 0
    for name, heading in headings.items():
        wanted = unicodedata.normalize("NFC", heading)
        if wanted in bare[place:]:
            place = bare.index(wanted, place) + 1
            starts[name] = place
    ends = [start - 1 for start in starts.values()][1:]
    return {
        name: "\n".join(lines[start:end])
        for (name, start), end in zip(starts.items(), [*ends, len(lines)], strict=False)
    }


def count_printed(printed: str, section: str) -> int:
    """How often a section prints something. Line breaks and several spaces count as one space.

    A sign more at either end makes another number or name: 1e20 is not in 1e200.
    """
    words = " ".join(unicodedata.normalize("NFC", printed).split())
    before = r"(?<![0-9A-Za-z])" if re.match("[0-9A-Za-z]", words) else ""
    after = r"(?![0-9A-Za-z])" if re.search("[0-9A-Za-z]$", words) else ""
    return len(re.findall(before + re.escape(words) + after, " ".join(section.split())))


def look_up(folder: Path, printed: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """A line for each slip, and whether its text prints it as often as it is stored."""
    sections = {
        name: split_sections(text_beginning(folder, each["file"]), each["sections"])
        for name, each in printed["texts"].items()
    }
    for slip in printed["slips"]:
        section = sections[slip["text"]].get(slip["section"], "")
        found = count_printed(slip["printed"], section)
        right = found == slip["times"]
        result = "found" if right else f"found {found} times, not {slip['times']}"
        yield f"{slip['text']}, {slip['section']}: {slip['printed']}: {result}", right


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder with the course texts")
    folder = parser.parse_args(arguments).folder
    lines = list(look_up(folder, json.loads(PRINTED.read_text(encoding="utf-8"))))
    for line, _ in lines:
        print(line)
    missing = sum(not right for _, right in lines)
    print(f"{len(lines)} printed slips, {missing} not found")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
