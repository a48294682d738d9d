"""Write the software bill of materials of Candor in CycloneDX: sbom.json. Run by `make sbom`.

It lists every package of requirements-central-dp.txt, which includes the extra. The same lock
gives the same bytes. An invalid list is not written.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from survey import DISTRIBUTION, VERSION
from tools.lock import locked, plain

LOCK = Path("requirements-central-dp.txt")
WRITTEN = Path("sbom.json")
ABOUT = """[project]
name = "{}"
version = "{}"
description = "Surveys whose answers are randomised in the respondent's browser"
license = "Apache-2.0"
"""


def bill() -> str:
    """The list, validated against the schema of CycloneDX."""
    with tempfile.TemporaryDirectory() as folder:
        about = Path(folder, "pyproject.toml")
        about.write_text(ABOUT.format(DISTRIBUTION, VERSION), encoding="utf-8")
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
        sys.exit(f"The list differs from {LOCK}, so nothing was written. Run `make lock` first.")
    WRITTEN.write_text(content, encoding="utf-8")
    print(f"{WRITTEN}: {len(listed)} packages, CycloneDX 1.6, valid.")


if __name__ == "__main__":
    main()
