"""Run a program under what a unit of deploy/ allows it: its system calls, and no memory that is
both written and executed. As a script: python tests/support/confined.py UNIT PROGRAM ARGUMENTS...

systemd does the same before it starts a service; that it did is not tested here, but that the
service works so is.
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

ALLOW, DENY = 0x7FFF0000, 0x00050000 | errno.EPERM  # as libseccomp counts them
NO_NEW_PRIVILEGES, NO_WRITTEN_CODE = 38, 65  # of prctl


def service(unit: Path) -> dict[str, list[str]]:
    """What a unit sets, each with all values that it gives it."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


@cache
def groups() -> dict[str, set[str]]:
    """What systemd's names for system calls stand for, such as @system-service."""
    shown = subprocess.run(
        ["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True
    ).stdout
    return {
        name: set(re.findall(r"^    ([@\w-]+)$", body, re.MULTILINE))
        for name, body in re.findall(r"^(@[\w-]+)\n((?:    .*\n)+)", shown, re.MULTILINE)
    }


def members(group: str) -> set[str]:
    """The system calls of a group, and of the groups in it."""
    named = groups()[group]
    inner = {name for name in named if name.startswith("@")}
    return (named - inner).union(*(members(each) for each in inner))


def allowed(filters: list[str]) -> set[str]:
    """The system calls that lines of SystemCallFilter= leave."""
    calls: set[str] = set()
    for line in filters:
        denies = line.startswith("~")
        for name in line.lstrip("~").split():
            meant = members(name) if name.startswith("@") else {name}
            calls = calls - meant if denies else calls | meant
    return calls


def confine(unit: Path) -> None:
    """From here on this process may do no more than the unit says."""
    settings = service(unit)
    kernel = ctypes.CDLL(None, use_errno=True)
    if settings.get("MemoryDenyWriteExecute") == ["yes"]:
        assert kernel.prctl(NO_WRITTEN_CODE, 1, 0, 0, 0) == 0
    seccomp = ctypes.CDLL(find_library("seccomp"))
    seccomp.seccomp_init.restype = ctypes.c_void_p
    made = ctypes.c_void_p(seccomp.seccomp_init(DENY))
    # what is needed to get from here to the program is what systemd itself allows
    for name in allowed(settings["SystemCallFilter"]) | members("@default"):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert seccomp.seccomp_rule_add(made, ALLOW, number, 0) == 0
    assert kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert seccomp.seccomp_load(made) == 0


def possible() -> bool:
    """Whether this system can: Linux from 6.3 on, with systemd and libseccomp."""
    if not sys.platform.startswith("linux") or not find_library("seccomp"):
        return False
    version = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))
    return version >= (6, 3) and any(
        Path(folder, "systemd-analyze").exists() for folder in os.get_exec_path()
    )


if __name__ == "__main__":
    confine(Path(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
