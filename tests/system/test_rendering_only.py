"""What shows results decides nothing: no comparison, calculation or rounding of a statistic.

A result is complete when it leaves the packages that make it (tests/support/decisions.py). So a
page, a file, a command and the API cannot contradict each other.
"""

import pytest

from tests.support.decisions import decisions_in_code, decisions_in_template, statistics
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

SHOWING = (
    *("survey/admin", "survey/api", "survey/cli", "survey/formats", "survey/respondent"),
    *("survey/web/exports", "templates"),
)
# These read definitions and responses, which contain no results. Lessons calculate with data that
# they make up.
READING = (
    *("survey/formats/csv_import.py", "survey/formats/randomised_csv/"),
    *("survey/formats/types/number.py", "survey/formats/xlsform/"),
    "templates/learn/",
)
# None of these decides anything about a result.
ALLOWED = {
    # The score of an attack on made-up data, in a lesson.
    ("survey/cli/attack/report.py", "found.raw / found.targets"),
    # The number of respondents that the form of a simulation proposes.
    ("survey/admin/surveys/simulation.py", "min(n, most_respondents(stored.survey))"),
    # The plural of a word in English.
    ("survey/formats/export_bundle/pages.py", "results.n == 1"),
}


def showing_files():
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in SHOWING
        for ending in ("*.py", "*.html")
        for path in sorted((ROOT / folder).rglob(ending))
    ]
    return [path for path in found if not path.startswith(READING)]


def decisions(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    find = decisions_in_template if path.endswith(".html") else decisions_in_code
    return [each for each in find(source) if (path, each) not in ALLOWED]


def test_nothing_that_shows_results_decides_anything():
    found = {path: decided for path in showing_files() if (decided := decisions(path))}
    assert not found


def test_every_exception_is_needed():
    for path, text in ALLOWED:
        assert text in decisions_in_code((ROOT / path).read_text(encoding="utf-8"))


def test_a_new_field_of_a_result_is_a_statistic():
    """The names come from the dataclasses themselves, those of analyses and releases included."""
    names = {"value", "standard_error", "low", "high", "p", "n", "epsilon", "counts", "kappa"}
    names |= {"adjusted_p", "within_two", "share_alone", "design_effect", "largest_variance"}
    assert names <= statistics()
    assert not {"label", "sentence", "shown", "between", "method", "outside"} & statistics()


@pytest.mark.parametrize(
    "planted",
    [
        "answer.value < 0",
        "result.n == 1",
        "0.05 > found.adjusted_p > 0",
        "1 - answer.low",
        "-answer.low",
        "100 * result.level",
        "round(quantity.standard_error, 2)",
        "half_up(answer.value, 3)",
        "math.sqrt(answer.variance_bound)",
        "max(each.high for each in result.answers)",
        "sorted(result.answers, key=lambda each: each.value)",
        'f"{answer.value:.1f}"',
        'f"{answer.value:{width}}"',
        '"{:.2f}".format(answer.value)',
        'format(answer.value, ".1f")',
        '"%.1f" % answer.value',
        "percent(1 - answer.value)",
        "[low <= 0 for low in (answer.low, answer.high)]",
        "(low := answer.low) and low < 0",
        "count_by_name[name] / result.n",
        'result.headline.kind == "first"',
    ],
)
def test_a_planted_decision_in_code_is_found(planted):
    assert decisions_in_code(f"def show(answer, result):\n    return {planted}")


@pytest.mark.parametrize(
    "source",
    [
        "def show(answer):\n    low, high = answer.low, answer.high\n    return high - low",
        "def show(answer):\n    for end in (answer.low, answer.high):\n        print(end > 1)",
        "def write_p(p: float) -> str:\n    return 'small' if p < 0.05 else 'large'",
        "def show(answers):\n    total = 0\n    for each in answers:\n        total += each.value",
    ],
)
def test_a_statistic_with_another_name_is_followed(source):
    assert decisions_in_code(source)


@pytest.mark.parametrize(
    "planted",
    [
        "{% if answer.value < 0 %}{% endif %}",
        "{% if 0 < result.n < 5 %}{% endif %}",
        '{% if headline.kind == "first" %}{% endif %}',
        "{{ 1 - answer.low }}",
        "{{ people / right.n }}",
        "{{ answer.value|percent }}",
        "{{ answer.value|round(1) }}",
        "{{ [answer.value, 0]|max }}",
        '{{ "%.3g"|format(quantity.standard_error) }}',
        '{{ "{:.1f}".format(answer.value) }}',
        "{% set low = answer.low %}{{ low * 100 }}",
        "{% for end in (answer.low, answer.high) %}{{ end > 1 }}{% endfor %}",
        "{% macro cell(value) %}{{ value + 0.0 }}{% endmacro %}",
        "{% trans share=answer.value|percent %}{{ share }}{% endtrans %}",
    ],
)
def test_a_planted_decision_in_a_template_is_found(planted):
    assert decisions_in_template(planted)


@pytest.mark.parametrize(
    "source",
    [
        "{{ answer.shown|translate_number }} {{ answer.between[0] }}",
        '{{ "{:,}".format(result.n)|translate_number }}',
        "{% if result.n %}{% if answer.standard_error is none %}–{% endif %}{% endif %}",
        '<data value="{{ answer.value }}">{{ answer.shown }}</data>',
        '{% if asked.statistic == "mean" %}{% endif %}{{ results|length + 1 }}',
    ],
)
def test_texts_and_digit_grouping_are_no_decision_in_a_template(source):
    assert not decisions_in_template(source)


@pytest.mark.parametrize(
    "source",
    [
        "def show(answer):\n    return f'{answer.n:,} {answer.shown}'",
        "def show(answer):\n    return answer.standard_error is None or not answer.n",
        "def show(question):\n    return question.grid.low < 0",
        "@command\ndef plan(share: float):\n    return share / 100",
    ],
)
def test_texts_and_digit_grouping_are_no_decision_in_code(source):
    assert not decisions_in_code(source)
