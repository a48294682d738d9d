"""Write the locks again. Run by `make lock`.

pyproject.toml has the packages that Candor uses, each with the range of its versions. A lock also
has every package behind them. It states exact versions, with the hashes of all files of a version.
tests/system/test_lock.py compares the locks with pyproject.toml.

One lock serves all systems and versions of Python. Before it is kept, each package must have a
wheel for each of SYSTEMS and PYTHONS, so that nobody there has to compile one.
"""

import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path("pyproject.toml")
# What servers and `make run` install. OpenDP is large, so it is left out.
SERVER_EXTRAS = ("postgresql", "files", "fast", "metrics")


@dataclass(frozen=True)
class Lock:
    """What a lock is made of: extras of Candor, None for no Candor at all, and a group of tools."""

    extras: tuple[str, ...] | None
    group: str = ""
    agrees: str = ""  # the lock whose versions it takes


LOCKS = {
    "requirements.txt": Lock(SERVER_EXTRAS),
    "requirements-central-dp.txt": Lock((*SERVER_EXTRAS, "central-dp"), "", "requirements.txt"),
    "requirements-dev.txt": Lock(
        (*SERVER_EXTRAS, "central-dp"), "dev", "requirements-central-dp.txt"
    ),
    "bench/requirements.txt": Lock(SERVER_EXTRAS, "bench", "requirements.txt"),
    "tools/requirements-audit.txt": Lock(None, "audit"),
}
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "macos")
COMPILED_BY_USERS = {"bench/requirements.txt"}  # other implementations without a wheel
HEAD = "# Written by `make lock` from pyproject.toml, which says why each is there.\n"
ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==([\w.!+-]+)([^\\\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Locked:
    """A package in a lock."""

    version: str
    marker: str  # where it is installed, such as sys_platform == 'win32'; empty for everywhere
    hashes: tuple[str, ...]
    why: str  # the packages or files that require it


def plain(name: str) -> str:
    """The normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked(lock: Lock, project: Path = PROJECT) -> dict[str, Requirement]:
    """The packages of pyproject.toml that belong into a lock, by their normalised names."""
    content = tomllib.loads(project.read_text(encoding="utf-8"))
    lines: list[str] = content["dependency-groups"][lock.group] if lock.group else []
    if lock.extras is not None:
        lines = [*lines, *content["project"]["dependencies"]]
    for extra in lock.extras or ():
        lines += content["project"]["optional-dependencies"][extra]
    return {plain(each.name): each for each in map(Requirement, lines)}


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


def faults(wanted: dict[str, Requirement], lock: dict[str, Locked]) -> list[str]:
    """The differences between a lock and what `make lock` would write, as far as they show here."""
    found = []
    for name, requirement in wanted.items():
        if name not in lock:
            found.append(f"{name} is not in the lock")
        elif not requirement.specifier.contains(lock[name].version):
            found.append(f"{requirement} is wanted, but {lock[name].version} is in the lock")
    for name, entry in lock.items():
        if not entry.hashes:
            found.append(f"{name} has no hashes")
        if name not in wanted and not re.search(r"\w", entry.why):
            found.append(f"nothing requires {name}")
    return found


def write(name: str, lock: Lock, options: list[str]) -> None:
    """Write one lock. Versions stay as they are in the file, unless the options of uv say more."""
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "compile", "--quiet", "--no-config"]
    command = [
        *(*uv, "--universal", "--python-version", PYTHONS[0], "--fork-strategy", "fewest"),
        *("--generate-hashes", "--no-header", "--output-file", name),
        *(() if lock.extras is None else (str(PROJECT),)),
        *(part for extra in lock.extras or () for part in ("--extra", extra)),
        *(("--group", lock.group) if lock.group else ()),
        *(("--constraints", lock.agrees) if lock.agrees else ()),
        *options,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    text = Path(name).read_text(encoding="utf-8")
    Path(name).write_text(HEAD + text, encoding="utf-8")
    if name in COMPILED_BY_USERS:
        return
    for version in PYTHONS:
        for system in SYSTEMS:
            subprocess.run(
                [
                    *(*uv, "--python-version", version, "--python-platform", system, name),
                    *("--only-binary", ":all:", "--no-header", "--no-annotate"),
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )


def main() -> None:
    """Arguments are options of uv, such as --upgrade or --upgrade-package NAME."""
    for name, lock in LOCKS.items():
        try:
            write(name, lock, sys.argv[1:])
        except subprocess.CalledProcessError:
            sys.exit(f"{name} could not be written. See the error above.")
        print(f"{name}: {len(locked(Path(name).read_text()))}")


if __name__ == "__main__":
    main()
