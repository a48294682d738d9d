"""The source of scripts."""

import re


def code(text: str) -> str:
    """The source without comments. No script contains

    within a text (test_scripts.py).
    """
    return re.sub(r"//.*", "", text)
