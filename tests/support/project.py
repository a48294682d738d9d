"""The folder of the project, and its packages."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

# Each package imports only from those before it.
PACKAGES = [
    "core",
    "definition",
    "estimation",
    "planning",
    "central_dp",
    "formats",
    "analysis",
    "charts",
    "store",
    "server",
    "web",
    "respondent",
    "api",
    "admin",
    "learn",
    "cli",
]
