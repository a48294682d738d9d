"""Reading JSON that someone else wrote."""

import json
from itertools import chain
from typing import Any

# Definitions have at most seven levels. Python cannot walk through thousands of levels.
MAX_LEVELS = 50


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text in UTF-8. Raises ValueError, whose message says what is wrong.

    Python itself refuses integers of more than 4,300 digits.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"It has more than {MAX_LEVELS} levels.") from None
    outer, levels = [value], 0
    while outer := [each for each in outer if isinstance(each, dict | list)]:
        levels += 1
        if levels > MAX_LEVELS:
            raise ValueError(f"It has more than {MAX_LEVELS} levels.")
        members = (each.values() if isinstance(each, dict) else each for each in outer)
        outer = [*chain.from_iterable(members)]
    return value
