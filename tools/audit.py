"""Look for published vulnerabilities in locked packages. Run by `make audit`.

A lock also has packages for other systems and Python versions. They are not looked up.

It passes only if each package was really looked up. pip-audit itself reports "no known
vulnerabilities" for packages that it skips. Without a reachable source of advisories, it skips all.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.markers import Marker

from tools.lock import LOCKS, locked


def verdict(names: set[str], report: dict[str, Any]) -> list[str]:
    """The objections to these packages, from the tool's report.

    Empty if each package was looked up and none has a known vulnerability.
    """
    said = {entry["name"].lower(): entry for entry in report["dependencies"]}
    found = []
    for name in sorted(names):
        entry = said.get(name)
        if entry is None or "skip_reason" in entry:
            found.append(f"{name} was not looked up")
            continue
        for hole in entry["vulns"]:
            known = ", ".join([hole["id"], *hole["aliases"]])
            fixed = ", ".join(hole["fix_versions"]) or "no version yet"
            found.append(
                f"{name} {entry['version']} has a known vulnerability, fixed in {fixed}: {known}"
            )
    return found


def audited(lock: Path) -> list[str]:
    """The objections to a lock."""
    names = {
        name
        for name, entry in locked(lock.read_text(encoding="utf-8")).items()
        if not entry.marker or Marker(entry.marker).evaluate()
    }
    tool = Path(sys.executable).with_name("pip-audit")
    command = [
        *(str(tool), "--strict", "--disable-pip", "--require-hashes", "--progress-spinner", "off"),
        *("--format", "json", "--requirement", str(lock)),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        said = (done.stderr.strip() or "It gave no reason.").splitlines()[-1]
        return [f"it was not audited, because no source of advisories answered: {said}"]
    return verdict(names, report)


def main() -> None:
    locks = [Path(name) for name in LOCKS]
    against = [f"{lock}: {what}" for lock in locks for what in audited(lock)]
    if against:
        sys.exit("\n".join([*against, "The audit failed."]))
    print(
        "Each package that the locks install on this system and Python version was looked up. "
        "None has a known vulnerability."
    )


if __name__ == "__main__":
    main()
