"""List what Candor runs on, down to the last package, as CycloneDX: sbom.json, made from
requirements-central-dp.lock, which has the extra, too. Run by `make sbom`. The same lock gives the
same bytes; a list that is not valid is not written."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from survey import VERSION
from tools.lock import locked, plain

LOCK = Path("requirements-central-dp.lock")
WRITTEN = Path("sbom.json")
ABOUT = """[project]
name = "candor"
version = "{}"
description = "Surveys whose answers are randomised in the respondent's browser"
license = "Apache-2.0"
"""


def bill() -> str:
    """The list, valid against the schema of CycloneDX."""
    with tempfile.TemporaryDirectory() as folder:
        about = Path(folder, "pyproject.toml")
        about.write_text(ABOUT.format(VERSION), encoding="utf-8")
        command = [
            *(str(Path(sys.executable).with_name("cyclonedx-py")), "requirements", str(LOCK)),
            *("--pyproject", str(about), "--spec-version", "1.6", "--output-reproducible"),
            *("--short-PURLs", "--output-format", "JSON", "--validate", "--output-file", "-"),
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    content = bill()
    listed = {plain(each["name"]): each["version"] for each in json.loads(content)["components"]}
    wanted = {name: entry.version for name, entry in locked(LOCK.read_text()).items()}
    if listed != wanted:
        sys.exit(f"The list is not that of {LOCK}; nothing was written.")
    WRITTEN.write_text(content, encoding="utf-8")
    print(f"{WRITTEN}: {len(listed)} packages, CycloneDX 1.6, valid.")


if __name__ == "__main__":
    main()
