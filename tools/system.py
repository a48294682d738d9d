"""Installing what no Python package brings, with the system's package manager."""

import shutil
import subprocess


def run(*command: str) -> bool:
    """Whether a command is there and succeeds; what it prints is left out, its errors are not."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def install(*packages: str, update: bool = True, recommended: bool = True) -> bool:
    """Install Debian packages, as root or with a sudo that asks nothing, perhaps with what they
    recommend; False where neither can."""
    if not shutil.which("apt-get"):
        return False
    command = ["apt-get", "install", "-y", "-qq", *packages]
    if not recommended:
        command.append("--no-install-recommends")
    for sudo in ((), ("sudo", "-n")):
        if (not update or run(*sudo, "apt-get", "update", "-qq")) and run(*sudo, *command):
            return True
    return False
