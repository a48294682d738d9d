"""Installation of system packages for the tests."""

import shutil
import subprocess


def run(*command: str) -> bool:
    """Whether a command exists and succeeds. Its output is dropped, its errors are shown."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def install(*packages: str, update: bool = True, recommended: bool = True) -> bool:
    """Install Debian packages, as root or with sudo without a password.

    With `recommended`, it includes recommended packages. Returns False if it fails.
    """
    if not shutil.which("apt-get"):
        return False
    command = ["apt-get", "install", "-y", "-qq", *packages]
    if not recommended:
        command.append("--no-install-recommends")
    for sudo in ((), ("sudo", "-n")):
        if (not update or run(*sudo, "apt-get", "update", "-qq")) and run(*sudo, *command):
            return True
    return False
