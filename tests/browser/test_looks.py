"""Texts that look alike are measured once, and none that looks different is left out."""

import pytest

from tests.browser.looks import sound
from tests.support.check_each import check_each

# Forty texts that can be read. The check of a page changes one of them.
PAGE = f"""<!doctype html><html lang="en"><title>Texts</title><style>
  body {{ color: #000; background: #fff; }}
  p {{ position: relative; margin: 8px; height: 24px; }}
  span {{ position: relative; }}
</style><main><h1>Texts</h1>{"<p><span>A text</span></p>" * 40}"""
# Each makes a text too pale, by itself or by what contains it or lies below it.
CHANGES = {
    "its colour": "text.style.color = '#bbb'",
    "its background": "text.style.background = '#444'",
    "the background of what contains it": "text.parentElement.style.background = '#444'",
    "its opacity": "text.parentElement.style.opacity = 0.3",
    "what lies below it": """text.parentElement.insertAdjacentHTML(
        'afterbegin', '<i style="position: absolute; inset: 0; background: #444"></i>')""",
}


@pytest.fixture
def texts(page):
    page.set_content(PAGE)
    return page


@check_each("number", [1, 20, 39])
@check_each("name", CHANGES)
def test_a_text_that_became_too_pale_is_found(texts, number, name):
    texts.set_content(PAGE)
    sound(texts)
    # The heading and one text are measured at most.
    assert texts.locator("[data-alike]").count() >= 39
    texts.evaluate(f"const text = document.querySelectorAll('span')[{number}]; {CHANGES[name]}")
    with pytest.raises(AssertionError, match="contrast"):
        sound(texts)
