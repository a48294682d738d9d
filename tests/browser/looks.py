"""The widths and colours in which a page is checked, also by axe.

The suite uses each width once, and both colours. `make soak` uses each width in both colours. A
page that is too wide is so in both colours, and pale text is too pale at any width.

axe spends two thirds of its time on the contrast of each text. Of texts that look alike, the suite
therefore measures one in each test. `make soak` measures each.
"""

from collections.abc import Sequence
from itertools import cycle, product
from weakref import WeakKeyDictionary

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.support.lengths import SOAK, soak

SCHEMES = ("light", "dark")
# Preloading is for sound, films and a rule that does not run here.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
# The rules that depend on colours, and those that depend on colours or positions.
COLOURS = ("color-contrast", "link-in-text-block")
OF_WHAT_IS_SEEN = (*COLOURS, "scrollable-region-focusable", "target-size")
# The looks of the texts that were measured in each page of a browser.
known: WeakKeyDictionary[Page, set[str]] = WeakKeyDictionary()
# Marks each text that looks like a known one, and returns the looks that are new. The look of a
# text is that of the colours, fonts and effects of itself and of all that contains it. It includes
# the looks of elements out of the flow that overlap it. Only texts in full view are compared,
# because axe passes over single characters and over what is hidden or cut.
ALIKE = r"""(known) => {
  const STYLES = [
    'color', 'background', 'opacity', 'filter', 'backdropFilter', 'mixBlendMode', 'position',
    'visibility', 'fontSize', 'fontWeight', 'textShadow', 'webkitTextFillColor', 'clipPath',
    'webkitTextStroke', 'maskImage',
  ];
  // A short number for a text, from a polynomial modulo the largest prime below 2 ** 36.
  const numbers = new Map();
  const number = (text) => {
    if (!numbers.has(text)) {
      let sum = 0;
      for (const letter of text) sum = (sum * 65_599 + letter.codePointAt()) % 68_719_476_731;
      numbers.set(text, sum);
    }
    return numbers.get(text);
  };
  const drawn = (style) => STYLES.map((name) => style[name]).join();
  const generated = (element, name) => {
    const style = getComputedStyle(element, name);
    return style.content === 'none' ? '' : `${style.content} ${drawn(style)}`;
  };
  const all = [...document.querySelectorAll('body, body *')];
  const seen = new Map([[document.documentElement, { look: '', clips: [] }]]);
  for (const element of all) {
    element.removeAttribute('data-alike');
    const style = getComputedStyle(element);
    const outer = seen.get(element.parentElement);
    const off = element.matches(':disabled, [aria-disabled=true]') || element.control?.disabled;
    const look = number([
      outer.look, drawn(style), generated(element, '::before'), generated(element, '::after'), off,
    ].join('|'));
    const box = element.getBoundingClientRect();
    const clips = style.overflow === 'visible' ? outer.clips : [...outer.clips, box];
    seen.set(element, { look, clips, box, out: /absolute|fixed|sticky/.test(style.position) });
  }
  const overlap = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const within = (a, b) =>
    a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
  const out = all.filter((element) => seen.get(element).out);
  const [looks, before] = [new Set(known), known.length];
  for (const element of all) {
    const { look, clips, box } = seen.get(element);
    const own = [...element.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE);
    if (!/[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(own.map((each) => each.data).join(' '))) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const cut = box.left < 0 || box.top + scrollY < 0 || !clips.every((clip) => within(box, clip));
    if (cut) continue;
    const over = out.filter((each) => overlap(seen.get(each).box, box) && !each.contains(element));
    const here = [look, ...over.map((each) => seen.get(each).look)].join();
    if (looks.has(here)) element.setAttribute('data-alike', ''); else looks.add(here);
  }
  axe.configure({ rules: [{ id: 'color-contrast', selector: ':not([data-alike])' }] });
  return [...looks].slice(before);
}"""


def looks(*widths: int):
    """The test with `width`, in pixels, and `scheme`."""
    pairs = product(widths, SCHEMES) if SOAK else zip(widths, cycle(SCHEMES))
    each = pytest.mark.parametrize(("width", "scheme"), list(pairs))
    return lambda test: soak(each(test))


def sound(page: Page, state: str = "", rules: Sequence[str] = ()) -> None:
    """axe finds no violation on the current screen, in the page's own colours.

    Without `rules`, all rules apply.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    looks_before = known.setdefault(page, set())
    new = [] if SOAK else page.evaluate(ALIKE, list(looks_before))
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found = AxeResults(page.evaluate("(options) => axe.run(options)", OPTIONS | only))
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"
    looks_before.update(new)


def no_violations(page: Page, state: str = "", rules: Sequence[str] = ()) -> None:
    """No violations in light and dark colours.

    In dark ones, axe checks only the colours again.
    """
    for scheme in SCHEMES:
        # At once, because axe could otherwise catch colours during a transition.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        sound(page, f"{state} {scheme}", COLOURS if scheme == "dark" else rules)
