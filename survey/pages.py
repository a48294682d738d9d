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
from .results import number, percent

# no img (nothing is loaded from elsewhere), no class or style
ALLOWED_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "ul",
}  # fmt: skip
markdown = MarkdownIt("commonmark", {"html": False})


def render_markdown(text: str) -> Markup:
    """Markdown as HTML that cannot run anything, load anything, or tell a linked site whence."""
    tokens = markdown.parse(text)
    for token in tokens:
        if token.tag == "h1":  # the page has one
            token.tag = "h2"
    html = nh3.clean(
        markdown.renderer.render(tokens, markdown.options, {}),
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


def per_hundred(question: Question) -> list[str]:
    """Sentences such as "Of 100 people whose answer is Yes, 75 send Yes and 25 send No." """
    table = question.table
    figures: dict[int, str] = {}
    for x, row in enumerate(table.rows):
        for y, entry in enumerate(row):
            if entry not in figures:
                exact = table.probability(y, x) * 100
                shown = round(exact) if exact >= 10 else table.per_hundred(y, x)
                figures[entry] = f"{'' if shown == exact else 'about '}{shown}"
    own = {row[x] for x, row in enumerate(table.rows) if x < len(row)}
    others = {entry for x, row in enumerate(table.rows) for y, entry in enumerate(row) if x != y}
    if table.answers == table.reports > 3 and len(own) == len(others) == 1:
        return [  # one pattern for all answers, however many there are
            f"Of 100 people with the same answer, {figures[own.pop()]} send that answer and "
            f"{figures[others.pop()]} send each of the other {table.answers - 1}."
        ]
    sentences = []
    for choice, row in zip(question.choices, table.rows, strict=True):
        sent = [
            f"{figures[entry]} send {report.label}"
            for entry, report in zip(row, question.reports, strict=True)
        ]
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
    if math.isinf(epsilon):
        return "no finite epsilon"
    return f"{epsilon:.4f}" if epsilon >= 0.001 else f"{epsilon:.2g}"


def nonbreaking(text: str) -> str:
    """Percent signs stay with their numbers."""
    return text.replace(" %", "\u00a0%")


def loss_text(survey: Survey) -> str:
    """The loss of one respondent; a survey that protects nothing says so instead of 0."""
    plain = sum(question.plain for question in survey.questions)
    if plain == len(survey.questions):
        return "not protected"
    return epsilon_text(survey.epsilon) + (f" + {plain} plain" if plain else "")


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
    app.jinja_env.filters.update(
        markdown=render_markdown,
        percent=lambda share: nonbreaking(percent(share)),
        nonbreaking=nonbreaking,
        number=number,
        epsilon=epsilon_text,
        loss=loss_text,
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
