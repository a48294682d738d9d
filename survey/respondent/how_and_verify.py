"""The pages "How it works" and "How you can check this site".

The argument: a page cannot prove its own honesty. So these pages say what they cannot prove, and
what people can compare from outside. Like respondents' pages, they read only the address and the
language of a request, set no cookie, and store nothing.
"""

import hashlib
from functools import lru_cache
from typing import Any

from flask import Blueprint, current_app, render_template

from survey.core.languages import LANGUAGES
from survey.definition.frozen import FrozenSurvey, finite_or_none, table_entry
from survey.definition.privacy_limits import DEFAULT_LIMITS, is_above
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.privacy_text import (
    TWO_COINS,
    Table,
    example_chances,
    example_table,
    report_label,
)
from survey.respondent.routes import published_survey
from survey.respondent.types import GIVEN
from survey.server.http.page_cache import note_source
from survey.server.http.static_files import SURVEY_SCRIPT, static_files
from survey.web.i18n import page_words, preferred_language, render_in

blueprint = Blueprint("trust", __name__)
# A program that recomputes a survey's fingerprint without Candor (docs/reference/definition.md).
RECOMPUTE = """\
import hashlib, json, sys
frozen = json.load(sys.stdin)
tables = {}
for name, table in frozen["tables"].items():
    keys = {"kind", "rows", "sample", "size", "near", "far"} & table.keys()
    tables[name] = {key: table[key] for key in keys} | {"answers": len(table["answers"])}
    if "kind" not in table:
        tables[name] = table["rows"]
content = json.dumps([frozen["definition"], tables, frozen["limits"]],
                     sort_keys=True, separators=(",", ":"), ensure_ascii=False)
print(hashlib.sha256(content.encode()).hexdigest())
"""


@blueprint.get("/how")
def how() -> str:
    note_source(b"", [*LANGUAGES])
    return how_page(None, TWO_COINS)


@blueprint.get("/s/<slug>/how")
def how_survey(slug: str) -> str:
    """The page with the chances of a survey, or that of two coins if it mixes nothing up."""
    frozen, _, _ = published_survey(slug)
    with render_in(preferred_language(frozen.survey.languages)):
        survey = frozen.survey.in_language(page_words().language)
        if survey.private and survey.ratio_bound is not None:
            return how_page(survey, example_table(survey), languages=frozen.survey.languages)
        return how_page(None, TWO_COINS, languages=frozen.survey.languages)


def how_page(survey: Survey | None, table: Table, **more: Any) -> str:
    """The page "How it works" with the chances of a table, in the current language."""
    return render_template(
        "respondent/how.html",
        survey=survey,
        table=table,
        coins=table == TWO_COINS,
        chances=example_chances(table, page_words()),
        **more,
    )


@blueprint.get("/verify")
def verify() -> str:
    note_source(b"", [*LANGUAGES])
    return checking_page(None)


@blueprint.get("/s/<slug>/verify")
def verify_survey(slug: str) -> str:
    frozen, _, _ = published_survey(slug)
    with render_in(preferred_language(frozen.survey.languages)):
        return checking_page(frozen)


def checking_page(frozen: FrozenSurvey | None) -> str:
    """The page "How you can check this site", of all surveys or of one, in the current language."""
    texts: dict[str, Any] = {}
    if frozen is not None:
        survey = frozen.survey.in_language(page_words().language)
        texts = {
            "survey": survey,
            "languages": frozen.survey.languages,
            "fingerprint": frozen.fingerprint,
            "trials": trials(survey)
            | ({} if frozen.limits is None else {"limits": frozen.limits.as_json()}),
            "above": is_above(survey),
            "own_limits": None if frozen.limits == DEFAULT_LIMITS else frozen.limits,
            "recompute": RECOMPUTE,
        }
    return render_template(
        "respondent/verify.html",
        scripts=script_hashes(),
        home=current_app.config["CANDOR_URL"],
        **texts,
    )


@lru_cache(maxsize=1)
def script_hashes() -> dict[str, str]:
    """The SHA-256 of each script of respondents' pages by its name in static/respondent/: the
    script of surveys first, then its source that randomises, then the others."""
    others = sorted(name for name in static_files() if name.startswith("respondent/"))
    return {
        name.removeprefix("respondent/"): hashlib.sha256(static_files()[name].content).hexdigest()
        for name in dict.fromkeys([SURVEY_SCRIPT, "respondent/randomizer.js", *others])
    }


# The test on the page: it mixes up made-up answers 10,000 times.


def trials(survey: Survey) -> dict[str, Any]:
    """The data for static/respondent/verify.js: tables, labels of reports, made-up answers.

    `conditions` has what decides in which experimental arms a question can be asked.
    """
    deciding = ("name", "relevant", "otherwise", "derived")
    return {
        "conditions": [
            {key: value for key, value in question.as_definition().items() if key in deciding}
            for question in survey.questions
        ],
        "epsilon": finite_or_none(survey.epsilon),
        "sample": survey.budget.sample,
        "given": [(each.name, each.epsilon) for each in survey.protected if each.non_private],
        "questions": [
            {
                "name": question.name,
                "label": question.label,
                "table": table_entry(question, randomizer),
                "reports": report_labels(question),
                "dummies": GIVEN[question].examples(page_words()),
            }
            for question in survey.private
            if (randomizer := question.randomizer) is not None
        ],
    }


def report_labels(question: Question) -> list[str]:
    """The label of each report, or of each bit of a report, in the current language."""
    words = page_words()
    return [report_label(report, place, words) for place, report in enumerate(question.reports)]
