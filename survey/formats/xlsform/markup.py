"""Markup in the labels and hints of an XLSForm: removed on import, because pages show plain text.

ODK and Enketo show a part of Markdown and HTML (https://docs.getodk.org/form-styling/). An export
escapes signs that they would read as markup, so that they show the text that Candor shows.
"""

import re

LINE_ENDS = r"br\s*/?|/p|/li|/tr|/div|/h[1-6]|hr\s*/?"
TAGS = (
    "b|i|u|s|em|strong|span|font|p|br|hr|div|h[1-6]|ol|ul|li|a|small|big|sub|sup|center|img|code|"
    "pre|blockquote|table|tbody|thead|tr|td|th"
)
# What each kind of markup leaves, in this order.
MARKUP = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), text)
    for pattern, text in (
        (r"<a\s[^<>]*?href\s*=\s*[\"']([^\"'<>]+)[\"'][^<>]*>([^<>]*)</a\s*>", r"\2 (\1)"),
        (rf"<(?:{LINE_ENDS})>", "\n"),
        (rf"</?(?:{TAGS})(?:\s[^<>]*)?/?>", ""),
        (r"\[([^\]\n]+)\]\((https?://[^)\s]+)\)", r"\1 (\2)"),
        (r"^#{1,6}[ \t]+(?=\S)", ""),
        (r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"\1"),
        (r"(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)", r"\1"),
        (r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])", r"\1"),
        (r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)", r"\1"),
    )
)
# Signs that stand for themselves, and how an export writes them.
ESCAPES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "[": "&#91;", "\\": "\\\\", "*": "\\*", "_": "\\_",
    "#": "\\#",
}  # fmt: skip
SIGNS = {written: sign for sign, written in ESCAPES.items()} | {
    "&nbsp;": " ", "&quot;": '"', "&#39;": "'",
}  # fmt: skip
# No cell contains control characters, so each can stand for a sign while markup is removed.
HELD = {sign: chr(number) for number, sign in enumerate(dict.fromkeys(SIGNS.values()), 14)}
ESCAPED = re.compile("|".join(map(re.escape, SIGNS)))


def without_markup(text: str) -> tuple[str, bool]:
    """The plain text, and whether it had markup."""
    held = ESCAPED.sub(lambda match: HELD[SIGNS[match[0]]], text)
    plain = held
    for pattern, rest in MARKUP:
        plain = pattern.sub(rest, plain)
    found = plain != held
    for sign, character in HELD.items():
        plain = plain.replace(character, sign)
    return plain.strip() if found else plain, found


def escaped_markup(text: str) -> str:
    """The text as `without_markup` reads it again, unchanged if it has no markup."""
    if without_markup(text) == (text, False):
        return text
    return "".join(ESCAPES.get(sign, sign) for sign in text)
