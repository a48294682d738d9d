"""How long the longest tests are: shorter in the suite, in full by `make soak`.

A test of which there is a longer run says both lengths with `length`, and carries the marker
`soak`, by which `make soak` finds it. It asserts the same at either length; where chance has a say,
the bound follows from the length, and a comment beside it says how often it is a false alarm.
docs/evidence/reliability.md has the figures of the full length.
"""

import os

import pytest

SOAK = os.environ.get("CANDOR_SOAK") == "yes"

soak = pytest.mark.soak


def length(suite: int, full: int) -> int:
    """How many times; the full number only where CANDOR_SOAK=yes, which `make soak` sets."""
    return full if SOAK else suite
