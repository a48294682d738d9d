"""A lesson's numbers as a Jupyter notebook (nbformat 4), which needs only Python and NumPy."""

import json

from survey.core.languages import MAIN
from survey.core.translate import in_language, translate_constant
from survey.learn.controls import Values
from survey.learn.lesson import Cell, Lesson

LANGUAGE = {"display_name": "Python 3", "language": "python", "name": "python3"}


def write_notebook(lesson: Lesson, values: Values, url: str) -> str:
    """The notebook as JSON, in English. `url` is the address of the page with these values."""
    with in_language(MAIN):
        title, idea = translate_constant(lesson.title), translate_constant(lesson.idea)
        head = Cell(f"# {title}\n\n{idea}\n\nThe page with these numbers: <{url}>", code=False)
        cells = [head, *lesson.notebook(values)]
    document = {
        "cells": [cell_json(cell, f"cell-{place}") for place, cell in enumerate(cells)],
        "metadata": {"kernelspec": LANGUAGE, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def cell_json(cell: Cell, identifier: str) -> dict[str, object]:
    source = cell.source.strip().splitlines(keepends=True)
    if not cell.code:
        return {"cell_type": "markdown", "id": identifier, "metadata": {}, "source": source}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identifier,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
