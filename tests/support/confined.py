"""Run a program with the restrictions of a unit of deploy/.

The restrictions are its system calls, and no memory that is both written and executed. As a script:
python tests/support/confined.py UNIT PROGRAM ARGUMENTS...

systemd applies the same restrictions before it starts a service. These tests do not cover systemd
itself. They show that the service works with the restrictions.
"""

import ctypes
import errno
import os
import re
import subprocess
import sys
from ctypes.util import find_library
from functools import cache
from pathlib import Path

ALLOW, DENY = 0x7FFF0000, 0x00050000 | errno.EPERM  # the values of libseccomp
NO_NEW_PRIVILEGES, NO_WRITTEN_CODE = 38, 65  # options of prctl


def service(unit: Path) -> dict[str, list[str]]:
    """The settings of a unit, each with all of its values."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


@cache
def groups() -> dict[str, set[str]]:
    """The system calls behind systemd's names, such as @system-service."""
    shown = subprocess.run(
        ["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True
    ).stdout
    return {
        name: set(re.findall(r"^    ([@\w-]+)$", body, re.MULTILINE))
        for name, body in re.findall(r"^(@[\w-]+)\n((?:    .*\n)+)", shown, re.MULTILINE)
    }


def members(group: str) -> set[str]:
    """The system calls of a group, with the groups in it."""
    named = groups()[group]
    inner = {name for name in named if name.startswith("@")}
    return (named - inner).union(*(members(each) for each in inner))


def allowed(filters: list[str]) -> set[str]:
    """The system calls that the SystemCallFilter= lines allow."""
    calls: set[str] = set()
    for line in filters:
        denies = line.startswith("~")
        for name in line.lstrip("~").split():
            meant = members(name) if name.startswith("@") else {name}
            calls = calls - meant if denies else calls | meant
    return calls


def confine(unit: Path) -> None:
    """From here on, this process may do no more than the unit allows."""
    settings = service(unit)
    kernel = ctypes.CDLL(None, use_errno=True)
    if settings.get("MemoryDenyWriteExecute") == ["yes"]:
        assert kernel.prctl(NO_WRITTEN_CODE, 1, 0, 0, 0) == 0
    seccomp = ctypes.CDLL(find_library("seccomp"))
    seccomp.seccomp_init.restype = ctypes.c_void_p
    made = ctypes.c_void_p(seccomp.seccomp_init(DENY))
    # systemd itself allows the calls between here and the start of the program.
    for name in allowed(settings["SystemCallFilter"]) | members("@default"):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert seccomp.seccomp_rule_add(made, ALLOW, number, 0) == 0
    assert kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert seccomp.seccomp_load(made) == 0


def possible() -> bool:
    """Whether this system supports it: Linux from 6.3 on, with systemd and libseccomp."""
    if not sys.platform.startswith("linux") or not find_library("seccomp"):
        return False
    version = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))
    return version >= (6, 3) and any(
        Path(folder, "systemd-analyze").exists() for folder in os.get_exec_path()
    )


if __name__ == "__main__":
    confine(Path(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
