"""Build a release into dist/. Run by `make release`.

It has the wheel, the archive of the sources, the SBOM and checksums.

The version is in survey/__init__.py. A release needs the tag of that version on the commit, its
section with a date in CHANGELOG.md, and the same version in CITATION.cff. A development version,
which ends in .dev and a number, has neither tag nor date. A commit with both would be published,
because a pushed tag starts .github/workflows/release.yml.

The wheel and the archive are built twice, and must have the same bytes. KEY=path of an SSH key
signs the checksums: SHA256SUMS.sig. docs/how-to/make-a-release.md says how to verify them.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from survey import VERSION
from tools import sbom

FOLDER = Path("dist")
CHECKSUMS = "SHA256SUMS"
NAMESPACE = "candor-release"  # of signatures, so that nobody can use them for anything else


def faults(version: str, tags: list[str], changelog: str, citation: str, status: str) -> list[str]:
    """What forbids a release of this version.

    Parameters
    ----------
    tags : the tags of the commit
    changelog, citation : the content of CHANGELOG.md and of CITATION.cff
    status : the output of `git status --porcelain`, empty if everything is committed
    """
    number, development, _ = version.partition(".dev")
    date = "Unreleased" if development else r"\d{4}-\d\d-\d\d"
    heading = next((line for line in changelog.splitlines() if line.startswith("## ")), "")
    found = []
    if not re.fullmatch(rf"## \[{re.escape(number)}\] - {date}", heading):
        found.append(f"CHANGELOG.md begins with {heading!r}, which is not the section of {version}")
    if f"\nversion: {version}\n" not in citation:
        found.append(f"CITATION.cff does not have the version {version}")
    if not development and f"v{version}" not in tags:
        found.append(f"the commit does not have the tag v{version}")
    if development and any(re.match(r"v\d", tag) for tag in tags):
        found.append(f"the commit has the tag of a release, but the version is {version}")
    if status:
        found.append("some files are not committed")
    return found


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def build(folder: Path) -> dict[str, str]:
    """Build the wheel and the archive of the sources; their names and SHA-256."""
    program = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def main() -> None:
    against = faults(
        VERSION,
        output("git", "tag", "--points-at", "HEAD").split(),
        Path("CHANGELOG.md").read_text(encoding="utf-8"),
        Path("CITATION.cff").read_text(encoding="utf-8"),
        output("git", "status", "--porcelain"),
    )
    if against:
        sys.exit("\n".join([*against, "Nothing was built."]))
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    sums = build(FOLDER)
    with tempfile.TemporaryDirectory() as again:
        if build(Path(again)) != sums:
            sys.exit("Two builds differ, so these files must not be published.")
    sbom.main()
    sums[sbom.WRITTEN.name] = hashlib.sha256(sbom.WRITTEN.read_bytes()).hexdigest()
    shutil.move(sbom.WRITTEN, FOLDER)
    checksums = FOLDER / CHECKSUMS
    checksums.write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    key = os.environ.get("KEY")
    if key:
        subprocess.run(
            ["ssh-keygen", "-Y", "sign", "-f", key, "-n", NAMESPACE, str(checksums)], check=True
        )
    print(checksums.read_text() + f"{FOLDER}/ has Candor {VERSION}, {'' if key else 'not '}signed.")


if __name__ == "__main__":
    main()
