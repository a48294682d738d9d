"""Candor: surveys whose answers are randomised in the respondent's browser.

The way of the data, in order:

    browser   answer -> static/randomizer.js -> report -> static/respond.js -> POST
    server    intake -> store -> estimates -> results -> export

The core (errors, randomizer, mechanisms, questions, definition, intake, scores, intervals,
estimates, results, export) does no input or output, reads no clock, draws no randomness and
knows neither Flask nor the database; what goes in and comes out are frozen dataclasses. The
shell around it loads from the store, calls the core, and renders. `respond` (respondents) and
`admin` (researchers) never import each other. `tests/system/test_layers.py` reads the imports and
fails if one of these sentences stops being true.
"""

from pathlib import Path

VERSION = "0.1.0"
PROJECT_FOLDER = Path(__file__).parent.parent  # with templates, static files and translations
