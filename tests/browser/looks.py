"""At which widths and in which colours a page is looked at.

In the suite at each width once, and in both colours; by `make soak` at each width in both. What is
too wide is so in either, and what is too pale at any width.
"""

from itertools import cycle, product

import pytest

from tests.lengths import SOAK, soak

SCHEMES = ("light", "dark")


def looks(*widths: int):
    """The test with `width`, in pixels, and `scheme`."""
    pairs = product(widths, SCHEMES) if SOAK else zip(widths, cycle(SCHEMES))
    each = pytest.mark.parametrize(("width", "scheme"), list(pairs))
    return lambda test: soak(each(test))
