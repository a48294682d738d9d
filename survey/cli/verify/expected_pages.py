"""The pages that this release renders from a survey's public document, to be compared.

They depend only on the frozen survey and the language, so any machine can render them.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask

from survey.definition.frozen import FrozenSurvey
from survey.web.rendering import closed_page, respondent_page, withdraw_page

# The logarithms of two machines may differ in the last digit.
EPSILON_TOLERANCE = 1e-12


def pages_of(
    app: Flask, frozen: FrozenSurvey, document: Mapping[str, Any], *, closed: bool
) -> dict[str, dict[str, bytes]]:
    """The survey's page and, if it has one, its page for withdrawals, by path and language."""

    def page(language: str) -> str:
        if closed:
            has_results = document.get("public_results") is True
            origin = str(document.get("origin"))
            return closed_page(frozen, language, origin, has_results=has_results)
        return respondent_page(frozen, language, preview=False)

    path = f"/s/{frozen.survey.slug}"
    makers: dict[str, Callable[[str], str]] = {path: page}
    if frozen.survey.fieldwork.receipts:
        makers[f"{path}/withdraw"] = lambda language: withdraw_page(frozen, language)
    with app.test_request_context(path):
        return {
            where: {
                language: as_stated(maker(language), frozen, document).encode()
                for language in frozen.survey.languages
            }
            for where, maker in makers.items()
        }


def as_stated(page: str, frozen: FrozenSurvey, document: Mapping[str, Any]) -> str:
    """The page with the values of epsilon from the document, if they are close to ours."""
    ours = frozen.document()
    pairs = [(ours["epsilon"], document.get("epsilon"))]
    for name, entry in ours["tables"].items():
        pairs.append((entry["epsilon"], document["tables"].get(name, {}).get("epsilon")))
    for computed, stated in pairs:
        if computed != stated and near(stated, computed):
            pattern = re.escape(f'"epsilon":{json.dumps(computed)}')
            page = re.sub(rf"{pattern}(?=[,}}])", f'"epsilon":{json.dumps(stated)}', page)
    return page


def near(stated: Any, computed: Any) -> bool:
    """Whether two numbers agree apart from rounding, or both are None."""
    if isinstance(stated, int | float) and isinstance(computed, int | float):
        return abs(stated - computed) <= EPSILON_TOLERANCE
    return stated is None and computed is None
