"""Rendering for all pages: safe texts, scripts with their hashes, filters for numbers.

The respondent's page depends only on the frozen survey and the language, never on the rest of the
request. So it is byte-identical for all visitors who read it in the same language.
"""

import hashlib
import json
from base64 import b64encode
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flask import Flask, render_template, url_for
from markupsafe import Markup

from survey.charts.dp_release import release_chart
from survey.charts.noise_density import noise_chart
from survey.charts.range_line import range_of_figure, range_of_share
from survey.charts.results_chart import results_chart
from survey.charts.tracks import answer_tracks, share_labels, summary_track
from survey.core.glossary_terms import marked_parts
from survey.core.languages import LANGUAGES, Words
from survey.definition.certainty import (
    Certainty,
    certainty_from,
    certainty_of_answer,
    epsilon_text,
    hits_of_hundred,
    loss_text_of,
    nobody_can_tell,
    protection_of_survey,
    sentence_on_guesses,
    sentence_on_mixing,
    several_reports,
    surest,
    survey_loss_text,
    survey_ratio_bound_text,
)
from survey.definition.fieldwork import exit_address
from survey.definition.frozen import FrozenSurvey
from survey.definition.instruments.read_instruments import instrument_items, instruments_behind
from survey.definition.sub_surveys import COMPREHENSION, PRACTICE, sub_survey_kind, sub_survey_slug
from survey.estimation.findings.remarks import about_entered_answers
from survey.estimation.findings.summaries import about_intervals, more_answers, summaries
from survey.estimation.number_text import (
    nonbreaking,
)
from survey.estimation.results import error_in_points
from survey.formats.citation import method_text
from survey.formats.field_days import date_in
from survey.planning.privacy_text import (
    after_sending,
    example_table,
    least_protected,
    per_hundred,
)
from survey.server.http.static_files import static_files
from survey.web.i18n import page_words, render_in

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# No img, because pages load nothing from elsewhere, and no class or style.
ALLOWED_TAGS = {
    "a",
    "blockquote",
    "br",
    "code",
    "em",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "ul",
}
HEADINGS = {"h1": "h4", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
QR = {"border": 2, "scale": 4, "omitsize": True, "svgclass": None, "lineclass": None}


@lru_cache
def markdown_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False})


def render_markdown(text: str) -> Markup:
    """Markdown as safe HTML: it runs nothing, loads nothing, and sends no referrer to linked sites.

    Links open in a new tab, so that no answer and no receipt is lost. Headings begin with h4, so
    that none looks like a heading of the page."""
    import nh3

    markdown = markdown_parser()
    tokens = markdown.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = HEADINGS[token.tag]
    html = nh3.clean(
        markdown.renderer.render(tokens, markdown.options, {}),
        tags=ALLOWED_TAGS,
        attributes={"a": {"href"}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    return Markup(html)


@lru_cache(maxsize=64)
def integrity(name: str) -> str:
    """The hash of a file in static/ for its tag (Subresource Integrity)."""
    return "sha384-" + b64encode(hashlib.sha384(static_files()[name].content).digest()).decode()


def respondent_page(
    frozen: FrozenSurvey, language: str, *, preview: bool, back: str | None = None
) -> str:
    """The respondent's page in one of the survey's languages. A preview has no endpoint to send to,
    and may have a link `back` to the page that opened it."""
    survey, slug, work = frozen.survey, frozen.survey.slug, frozen.survey.fieldwork
    understood = url_for(
        "respond.page", slug=sub_survey_slug(COMPREHENSION, slug), language=language
    )
    return survey_page(
        "respondent/survey.html",
        frozen,
        language,
        document=page_document(frozen),
        # The page in another language has other labels, so their names say which these are.
        of_instruments=[q.name for q in survey.derived if instruments_behind(survey, q)],
        # The respondent has already read the first screen with the survey.
        direct=sub_survey_kind(slug) == COMPREHENSION,
        endpoint=None if preview else url_for("respond.receive", slug=slug),
        back=back,
        invited=None if preview else url_for("respond.invited", slug=slug),
        how=url_for("trust.how_survey", slug=slug, language=language),
        verify=url_for("trust.verify_survey", slug=slug, language=language),
        withdraw=url_for("respond.withdrawing", slug=slug, language=language),
        withdrawals=None if preview else url_for("respond.withdraw", slug=slug),
        by_hand=url_for("paper_and_coin.form", slug=slug, language=language)
        if work.by_hand
        else None,
        understood=understood if work.comprehension else None,
    )


def survey_page(template: str, frozen: FrozenSurvey, language: str, **more: Any) -> str:
    """A page about a survey, in one of the survey's languages."""
    survey, languages = frozen.survey.in_language(language), frozen.survey.languages
    with render_in(language):
        return render_template(
            template,
            survey=survey,
            languages=languages,
            # The labels of the main language say which questions these are.
            instrument_items=instrument_items(frozen.survey),
            **more,
        )


def closed_page(
    frozen: FrozenSurvey, language: str, origin: str, *, has_results: bool = False
) -> str:
    """The page of a survey that accepts no responses."""
    results = url_for("public.results", slug=frozen.survey.slug, language=language)
    return survey_page(
        "respondent/closed.html",
        frozen,
        language,
        origin=origin,
        results=results if has_results else None,
    )


def withdraw_page(frozen: FrozenSurvey, language: str) -> str:
    """The page to withdraw a response with its receipt."""
    withdrawals = url_for("respond.withdraw", slug=frozen.survey.slug)
    return survey_page("respondent/withdraw.html", frozen, language, withdrawals=withdrawals)


def page_document(frozen: FrozenSurvey) -> dict[str, Any]:
    """The part of the frozen document that the page's scripts need.

    It has no texts, which are on the page itself. The conditions of choices are listed once each,
    with the places of the choices that have them.
    """
    document = frozen.document()
    keys = ("budget", "series", "receipts", "texts_apart")
    definition = {key: document["definition"].get(key) for key in keys}
    definition["questions"] = [
        {key: value for key, value in entry.items() if key not in ("label", "hint", "unit")}
        | ({"choices": [c["name"] for c in entry["choices"]]} if "choices" in entry else {})
        | ({"conditions": question.choice_conditions} if question.choice_conditions else {})
        | ({"may_be_empty": True} if question.may_be_empty else {})
        for entry, question in zip(
            document["definition"]["questions"], frozen.survey.questions, strict=True
        )
    ]
    return document | {"definition": definition}


def date_text(day: date, length: str) -> str:
    """A date in the language of the page: "long" as in 23 November 2026, or "medium"."""
    return date_in(page_words(), day, length)


def marked_hits(ratio_bound: Fraction | None, words: Words) -> str:
    """How often of 100 times a guess is right at worst; a warning if it almost always is."""
    warns = certainty_from(ratio_bound) == Certainty.NEARLY_SURE
    tag = '<strong class="warn">{}</strong>' if warns else "<strong>{}</strong>"
    return Markup(tag).format(nonbreaking(hits_of_hundred(ratio_bound, words)))


def init_app(app: Flask) -> None:
    """Register the functions and filters of the templates."""

    def script(name: str) -> Markup:
        # Integrity-Policy allows a script only with its hash, and fetched with CORS.
        tag = '<script src="{}" integrity="{}" crossorigin="anonymous" defer></script>'
        return Markup(tag).format(url_for("static", filename=name), integrity(name))

    def style(name: str) -> Markup:
        tag = '<link rel="stylesheet" href="{}" integrity="{}">'
        return Markup(tag).format(url_for("static", filename=name), integrity(name))

    @app.template_filter("compact_json")
    def compact_json(value: Any) -> Markup:
        """JSON for a data block. It escapes < > &, so that the text cannot end the block."""
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return Markup(text)

    app.jinja_env.globals.update(
        script=script,
        style=style,
        per_hundred=lambda question: per_hundred(question, page_words()),
        after_sending=lambda survey: after_sending(survey, page_words()),
        certainty_of_answer=certainty_of_answer,
        ratio_bound_text=lambda survey: survey_ratio_bound_text(survey, page_words()),
        surest=lambda ratio_bound: nonbreaking(surest(ratio_bound, page_words())),
        least_protected=least_protected,
        nobody_can_tell=nobody_can_tell,
        almost_sure=lambda ratio_bound: certainty_from(ratio_bound) == Certainty.NEARLY_SURE,
        guesses=lambda survey: Markup(sentence_on_guesses(survey, page_words(), marked_hits)),
        hits=lambda ratio_bound: nonbreaking(hits_of_hundred(ratio_bound, page_words())),
        mixing=lambda survey: sentence_on_mixing(survey, page_words()),
        protection=protection_of_survey,
        several_reports=several_reports,
        example_table=example_table,
        all_languages=LANGUAGES,
        words_in=Words,
        exit_address=exit_address,
        is_practice=lambda survey: sub_survey_kind(survey.slug) == PRACTICE,
        results_chart=lambda result: results_chart(result, page_words()),
        summaries=summaries,
        summary_track=lambda summary: summary_track(summary, page_words()),
        share_labels=share_labels,
        answer_tracks=lambda result: answer_tracks(result, page_words()),
        about_intervals=lambda result: nonbreaking(about_intervals(result)),
        more_answers=more_answers,
        error_in_points=error_in_points,
        about_entered_answers=about_entered_answers,
        release_chart=release_chart,
        noise_chart=noise_chart,
        range_of_figure=range_of_figure,
        range_of_share=range_of_share,
    )
    add_filters(app)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


def add_filters(app: Flask) -> None:
    """Register the filters of the templates."""
    app.jinja_env.filters.update(
        qr=lambda symbol: Markup(symbol.svg_inline(**QR)),
        markdown=render_markdown,
        nonbreaking=nonbreaking,
        marked_parts=marked_parts,
        epsilon=lambda epsilon: page_words().write_number(epsilon_text(epsilon)),
        loss=survey_loss_text,
        listed_loss=lambda listed: loss_text_of(listed.epsilon, listed.non_private, listed.fields),
        interval_method=lambda method: method_text(method, page_words()),
        decimal=lambda value: page_words().number(value),
        day=lambda day: date_text(day, "long"),
        short_day=lambda day: date_text(day, "medium"),
    )
