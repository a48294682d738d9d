"""At which widths and in which colours a page is looked at, and by axe.

In the suite at each width once, and in both colours; by `make soak` at each width in both. What is
too wide is so in either, and what is too pale at any width.
"""

from itertools import cycle, product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.support.lengths import SOAK, soak

SCHEMES = ("light", "dark")
# Nothing is preloaded: that is for sounds, films and a rule that is not run
OPTIONS = {"resultTypes": ["violations"], "preload": False}
# the rules that ask for colours or for where things lie
SEEN = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
OF_WHAT_IS_SEEN = {"runOnly": {"type": "rule", "values": SEEN}}


def looks(*widths: int):
    """The test with `width`, in pixels, and `scheme`."""
    pairs = product(widths, SCHEMES) if SOAK else zip(widths, cycle(SCHEMES))
    each = pytest.mark.parametrize(("width", "scheme"), list(pairs))
    return lambda test: soak(each(test))


def sound(page: Page, state: str = "", *, only_seen: bool = False) -> None:
    """axe finds nothing wrong with what is on the screen just now, in the page's own colours."""
    found = Axe().run(page, options=OPTIONS | (OF_WHAT_IS_SEEN if only_seen else {}))
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"


def no_violations(page: Page, state: str = "") -> None:
    """Neither in light colours, nor in dark ones, in which axe looks again at colours alone."""
    for scheme in SCHEMES:
        # at once: colours that change slowly would be caught in between
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        sound(page, f"{state} {scheme}", only_seen=scheme == "dark")
