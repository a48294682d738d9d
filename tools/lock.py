"""Write the locks again. Run by `make lock`.

A lock has every package behind a requirements file, with the hashes of all files of its version.
tests/system/test_lock.py compares locks with requirements.

One lock serves all systems and versions of Python. Before it is kept, each package must have a
wheel for each of SYSTEMS and PYTHONS, so that nobody there has to compile one.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Each requirements file, and the lock that it must agree with, if any.
LOCKS = {
    "requirements.txt": None,
    "requirements-central-dp.txt": "requirements.lock",
    "requirements-dev.txt": "requirements-central-dp.lock",
    "bench/requirements.txt": "requirements.lock",
    "tools/requirements-audit.txt": None,
}
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "macos")
COMPILED_BY_USERS = {"bench/requirements.txt"}  # other implementations without a wheel
HEAD = "# Written by `make lock` from {}, which says why each is there.\n"
ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==([\w.!+-]+)([^\\\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Locked:
    """A package in a lock."""

    version: str
    marker: str  # where it is installed, such as sys_platform == 'win32'; empty for everywhere
    hashes: tuple[str, ...]
    why: str  # the packages or files that require it


def lock_of(requirements: str) -> str:
    return requirements.removesuffix(".txt") + ".lock"


def plain(name: str) -> str:
    """The normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked(path: Path) -> dict[str, str]:
    """The names and versions in a requirements file and in the files that it includes.

    A version is empty if the line has none.
    """
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        wanted = line.partition("#")[0].strip()
        if wanted.startswith("-r "):
            found |= asked(path.parent / wanted[3:].strip())
        elif wanted:
            name = re.split(r"[\[=<>~!; ]", wanted)[0]
            entry = ENTRY.match(wanted)
            found[plain(name)] = entry[2] if entry else ""
    return found


def locked(text: str) -> dict[str, Locked]:
    """The packages in a lock."""
    entries = list(ENTRY.finditer(text))
    ends = [entry.start() for entry in entries[1:]] + [len(text)]
    found = {}
    for entry, end in zip(entries, ends, strict=True):
        body = text[entry.end() : end]
        hashes = tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})\b", body))
        why = " ".join(re.findall(r"^    # *(?:via)?(.*)$", body, re.MULTILINE))
        found[plain(entry[1])] = Locked(entry[2], entry[3].strip(" ;"), hashes, why)
    return found


def faults(wanted: dict[str, str], lock: dict[str, Locked]) -> list[str]:
    """The differences between a lock and what `make lock` would write, as far as they show here."""
    found = []
    for name, version in wanted.items():
        if not version:
            found.append(f"{name} is not pinned")
        elif name not in lock:
            found.append(f"{name} is not in the lock")
        elif lock[name].version != version:
            found.append(f"{name} is {version}, but {lock[name].version} in the lock")
    for name, entry in lock.items():
        if not entry.hashes:
            found.append(f"{name} has no hashes")
        if name not in wanted and not re.search(r"\w", entry.why):
            found.append(f"nothing requires {name}")
    return found


def write(requirements: str, agrees: str | None, newest: bool) -> None:
    """Write the lock of one requirements file."""
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "compile", "--quiet", "--no-config"]
    lock = lock_of(requirements)
    command = [
        *(*uv, "--universal", "--python-version", PYTHONS[0], "--fork-strategy", "fewest"),
        *("--generate-hashes", "--no-header", "--output-file", lock, requirements),
        *(("--constraints", agrees) if agrees else ()),
        *(("--upgrade",) if newest else ()),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    text = Path(lock).read_text(encoding="utf-8")
    Path(lock).write_text(HEAD.format(requirements) + text, encoding="utf-8")
    if requirements in COMPILED_BY_USERS:
        return
    for version in PYTHONS:
        for system in SYSTEMS:
            subprocess.run(
                [
                    *(*uv, "--python-version", version, "--python-platform", system, lock),
                    *("--only-binary", ":all:", "--no-header", "--no-annotate"),
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )


def main() -> None:
    newest = "--newest" in sys.argv[1:]
    for requirements, agrees in LOCKS.items():
        try:
            write(requirements, agrees, newest)
        except subprocess.CalledProcessError:
            sys.exit(f"{lock_of(requirements)} could not be written. See the error above.")
        print(f"{lock_of(requirements)}: {len(locked(Path(lock_of(requirements)).read_text()))}")


if __name__ == "__main__":
    main()
