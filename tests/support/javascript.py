"""The source of scripts."""

import re


def code(text: str) -> str:
    """Without comments. None of the scripts holds // within a text (test_scripts.py)."""
    return re.sub(r"//.*", "", text)
