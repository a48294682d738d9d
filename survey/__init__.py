"""Candor: surveys whose answers are randomised in the respondent's browser.

The packages, in order: `core`, `definition`, `estimation`, `planning`, `central_dp`, `formats`,
`analysis`, `store`, `server`, `web`, `respondent`, `api`, `admin`, `cli`. A package may import only
those before it. The three sides `respondent`, `api` and `admin` never import each other.
tests/system/test_layers.py checks the imports. Start reading in docs/explanation/design.md, which
follows one response from the browser to the CSV.
"""

from pathlib import Path

VERSION = "0.1.0.dev0"
DISTRIBUTION = "candor-survey"  # the name on the Python Package Index
PROJECT_FOLDER = Path(__file__).parent.parent  # with templates, static files and translations
# pyproject.toml is in a clone of the repository, but not in an installed Candor.
IN_CLONE = (PROJECT_FOLDER / "pyproject.toml").exists()
