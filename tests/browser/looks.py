"""The widths and colours in which a page is checked, also by axe.

The suite uses each width once, and both colours. `make soak` uses each width in both colours. A
page that is too wide is so in both colours, and pale text is too pale at any width.
"""

from itertools import cycle, product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.support.lengths import SOAK, soak

SCHEMES = ("light", "dark")
# Preloading is for sound, films and a rule that does not run here.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
# The rules that depend on colours or positions.
SEEN = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
OF_WHAT_IS_SEEN = {"runOnly": {"type": "rule", "values": SEEN}}


def looks(*widths: int):
    """The test with `width`, in pixels, and `scheme`."""
    pairs = product(widths, SCHEMES) if SOAK else zip(widths, cycle(SCHEMES))
    each = pytest.mark.parametrize(("width", "scheme"), list(pairs))
    return lambda test: soak(each(test))


def sound(page: Page, state: str = "", *, only_seen: bool = False) -> None:
    """axe finds no violation on the current screen, in the page's own colours."""
    found = Axe().run(page, options=OPTIONS | (OF_WHAT_IS_SEEN if only_seen else {}))
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"


def no_violations(page: Page, state: str = "") -> None:
    """No violations in light and dark colours.

    In dark ones, axe checks only the colours again.
    """
    for scheme in SCHEMES:
        # At once, because axe could otherwise catch colours during a transition.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        sound(page, f"{state} {scheme}", only_seen=scheme == "dark")
