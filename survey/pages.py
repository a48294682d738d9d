"""What both blueprints render with: texts made safe, scripts with their hashes, numbers in words.

The respondent's page depends on the frozen survey alone, never on the request, so that it is
byte-identical for every visitor.
"""

import hashlib
import json
import math
from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from typing import Any

import nh3
from flask import Flask, render_template, url_for
from markdown_it import MarkdownIt
from markupsafe import Markup

from .definition import FrozenSurvey, Survey
from .questions import Question
from .results import ORIGINS, number, percent

# no h1 (the page has one), no img (nothing is loaded from elsewhere), no class or style
ALLOWED_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "ul",
}  # fmt: skip
markdown = MarkdownIt("commonmark", {"html": False})


def render_markdown(text: str) -> Markup:
    """Markdown as HTML that cannot run anything, load anything, or tell a linked site whence."""
    html = nh3.clean(
        markdown.render(text),
        tags=ALLOWED_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    return Markup(html)


@lru_cache(maxsize=32)
def integrity(path: Path) -> str:
    """The hash by which a page names a script (Subresource Integrity)."""
    return "sha384-" + b64encode(hashlib.sha384(path.read_bytes()).digest()).decode()


def people_of_hundred(question: Question, report: int, answer: int) -> str:
    """How many of 100 people with an answer send a report, such as 75, about 48 or about 2.9."""
    exact = question.table.probability(report, answer) * 100
    shown = round(exact) if exact >= 10 else question.table.per_hundred(report, answer)
    return f"{'' if shown == exact else 'about '}{shown}"


def per_hundred(question: Question) -> list[str]:
    """Sentences such as "Of 100 people whose answer is Yes, 75 send Yes and 25 send No." """
    sentences = []
    for x, choice in enumerate(question.choices):
        people = [people_of_hundred(question, y, x) for y in range(question.table.reports)]
        sent = [f"{n} send {r.label}" for n, r in zip(people, question.reports, strict=True)]
        if question.reports is question.choices and len(sent) > 3:
            others = {n for y, n in enumerate(people) if y != x}
            if len(others) == 1:  # one figure says it, however many choices there are
                sent = [sent[x], f"{others.pop()} send each of the other {len(sent) - 1} answers"]
        listed = ", ".join(sent[:-1]) + " and " + sent[-1]
        sentences.append(f"Of 100 people whose answer is {choice.label}, {listed}.")
    return sentences


def odds_text(survey: Survey) -> str:
    """How many times surer anyone can become about one set of answers over another, at worst."""
    if survey.odds is None:
        return "without limit"
    odds = survey.odds
    times = odds.numerator / odds.denominator
    return f"{times:,.0f}" if odds.denominator == 1 or times >= 100 else f"{times:.1f}"


def epsilon_text(epsilon: float) -> str:
    return "no finite epsilon" if math.isinf(epsilon) else f"{epsilon:.4f}"


def respondent_page(frozen: FrozenSurvey, *, preview: bool) -> str:
    """The respondent's page; a preview has no address to send to."""
    slug = frozen.survey.slug
    return render_template(
        "respond/survey.html",
        frozen=frozen,
        survey=frozen.survey,
        document=frozen.document(),
        endpoint=None if preview else url_for("respond.receive", slug=slug),
    )


def init_app(app: Flask) -> None:
    """Give the templates what they need."""
    static = Path(app.static_folder or "static")

    def script(name: str) -> Markup:
        # Integrity-Policy admits a script only with its hash and fetched by the rules of CORS
        # Integrity-Policy admits a script only with its hash, and fetched by the rules of CORS
        tag = '<script src="{}" integrity="{}" crossorigin="anonymous" defer></script>'
        return Markup(tag).format(url_for("static", filename=name), integrity(static / name))

    @app.template_filter("compact_json")
    def compact_json(value: Any) -> Markup:
        """JSON for a data block; < > & are escaped so that it cannot end the block."""
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return Markup(text)

    app.jinja_env.globals.update(script=script, per_hundred=per_hundred, odds_text=odds_text)
    app.jinja_env.globals["origins"] = ORIGINS
    app.jinja_env.filters.update(
        markdown=render_markdown, percent=percent, number=number, epsilon=epsilon_text
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
