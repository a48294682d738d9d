"""The length of the longest tests: short in the suite, full by `make soak`.

A test with a longer run states both lengths with `length` and has the marker `soak`, which `make
soak` selects. The assertions are the same at both lengths. If an assertion depends on chance, its
bound follows from the length, and a comment states the rate of false alarms.
docs/evidence/reliability.md has the results of the full length.
"""

import os

import pytest

SOAK = os.environ.get("CANDOR_SOAK") == "yes"

soak = pytest.mark.soak


def length(suite: int, full: int) -> int:
    """The number of repetitions. The full number needs CANDOR_SOAK=yes, which `make soak` sets."""
    return full if SOAK else suite
