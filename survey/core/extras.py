"""The optional packages of Candor: each extra, with a module that only it installs."""

from importlib.util import find_spec

from survey import DISTRIBUTION, IN_CLONE

MODULES = {
    "postgresql": "psycopg",
    "files": "pyreadstat",
    "fast": "uvloop",
    "metrics": "prometheus_client",
    "central-dp": "opendp",
}


def has_extra(name: str) -> bool:
    """Whether the packages of an extra are installed. They are not loaded."""
    return find_spec(MODULES[name]) is not None


def install_command(name: str, in_clone: bool = IN_CLONE) -> str:
    """The command that installs an extra. `make run` installs all but one."""
    if in_clone:
        return "make central-dp" if name == "central-dp" else "make run"
    return f"pip install '{DISTRIBUTION}[{name}]'"
