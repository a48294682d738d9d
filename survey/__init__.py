"""Candor: surveys whose answers are randomised in the respondent's browser.

A package may import only those before it: `core`, `definition`, `estimation`, `planning`,
`central_dp`, `formats`, `analysis`, `store`, `server`, `web`, then the three sides `respondent`,
`api` and `admin`, which never import each other, then `cli`. tests/system/test_layers.py reads the
imports. Start reading in docs/explanation/design.md, which follows one response from the browser to
the CSV.
"""

from pathlib import Path

VERSION = "0.1.0"
PROJECT_FOLDER = Path(__file__).parent.parent  # with templates, static files and translations
