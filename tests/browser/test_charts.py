"""Every kind of chart has room for its texts in any font.

Each is tested with letters 30 % wider than in this machine's font, and with labels, units and
numbers of the maximum length.
"""

from xml.etree import ElementTree

import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from tests.support.admin_pages import LONG_THAI, OUTSIDE, sign_in
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked

WIDER = 1.3
CHINESE = "在过去三十天里，您是否吸过香烟或使用过其他烟草制品？"
LABELS = ["W" * 60, "m" * 30 + " " + "m" * 90, LONG_THAI, CHINESE * 3, "i" * 99, "A B " * 40, "no"]
LONG = [{"name": f"c{n}", "label": label} for n, label in enumerate(LABELS)]
ONE_BY_ONE = {"epsilon": 1}


@pytest.fixture
def extreme(every_type, live):
    """Surveys with texts and numbers of the maximum length, with responses, and others."""
    low, high = -9_007_199_254_740, 9_007_199_254_740
    content = definition(
        yes_no(label=LABELS[1]),
        asked("long", "select_one", ONE_BY_ONE, choices=LONG),
        asked("rank", "scale", ONE_BY_ONE, choices=LONG),
        asked("boxes", "select_multiple", ONE_BY_ONE, choices=LONG),
        asked("far", "number", {"epsilon": 6}, min=low, max=high, step=high, unit="W" * 30),
        asked("near", "number", "none", min=0, max=100, unit="บาทต่อเดือน" * 3),
        slug="extreme",
        title="W" * 100,
    )
    survey = opened(live.store, content, "closed").survey
    first = {"c0": 1} | {f"c{n}": 0 for n in range(1, len(LONG))}
    truth = {"smokes": {"yes": 1, "no": 0}, "long": first, "rank": first, "boxes": {"c0": 1}}
    truth |= {"far": {str(high): 1}, "near": {"100": 1}}
    shares = read_truth(truth, survey)
    live.store.responses.add_batches(
        "extreme", simulate_responses(survey, shares, 40, seed=3), "simulated"
    )
    # All reports are equal, so estimates are far outside 0 to 100 %.
    opened(live.store, definition(yes_no(label=LABELS[0]), slug="beyond"))
    for number in range(30):
        live.store.responses.add_response("beyond", Response(bytes([number]) * 16, (1,)))
    costly = yes_no("costly", privacy={"mechanism": "table", "rows": [[10**9, 1], [1, 10**9]]})
    live.store.surveys.save_draft(parse_survey(definition(costly, slug="costly")))
    return every_type


RESULTS = ["extreme", "beyond", "health", "far", "every-type"]
PAGES = [
    *(f"/admin/surveys/{slug}/results" for slug in RESULTS),
    "/admin/surveys/costly/plan",
    "/admin/surveys/every-type/plan",
    "/admin/surveys/health/analysis/validity?asked=smokes:0&denied=20&control=plain:0&known=10",
    "/admin/surveys/every-type/analysis/tree?target=news/p&predictors=region&predictors=colour",
    "/admin/surveys/extreme/analysis/tree?target=long&predictors=rank",
    "/admin/surveys/extreme/analysis?rows=long&columns=rank&of=row",
    "/admin/surveys/extreme/analysis?rows=long&columns=smokes&layers=rank&of=row",
    "/admin/surveys/extreme/analysis/groups?measure=smokes:0&group=long&against=pairs",
    "/admin/surveys/extreme/analysis/groups?measure=near:&group=long&against=first",
    "/admin/surveys/every-type/analysis/correlation?questions=years:&questions=sleep:",
    "/admin/surveys/extreme/analysis/correlation?questions=near:&questions=smokes:0"
    "&questions=long:0&questions=rank:",
    "/admin/surveys/every-type/analysis/regression?outcome=region&predictors=sleep",
    "/admin/surveys/every-type/releases",
    "/how?lang=th",
]


@pytest.mark.slow
def test_words_in_charts_have_room_when_every_letter_is_30_percent_wider(page, extreme):
    sign_in(page, extreme)
    for path in PAGES:
        # Charts are scaled to the page. Analyses have another layout if there is room for it.
        for width in (375, 1280) if "/analysis" in path else (375,):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(extreme + path)
            charts = page.locator(".chart:has(text), .tree:has(text)")
            charts.first.wait_for(state="attached")
            assert page.evaluate(OUTSIDE, WIDER) == [], (path, width)


@pytest.mark.slow
def test_words_in_downloaded_pictures_have_room_too(page, extreme, live):
    sign_in(page, extreme)
    names = [f"extreme/pictures/{name}" for name in ("smokes", "long", "rank", "boxes", "far")]
    for name in [*names, "beyond/pictures/smokes", "far/pictures/long", "every-type/pictures/mood"]:
        picture = page.request.get(f"{extreme}/admin/surveys/{name}.svg").text()
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        page.goto("about:blank")
        page.set_content(picture)
        shift = "document.querySelector('.chart').viewBox.baseVal.y"
        assert page.evaluate(f"{shift} < 0")
        # The check assumes that charts begin at 0.
        page.evaluate(
            "() => { const chart = document.querySelector('.chart');"
            " const { y, width, height } = chart.viewBox.baseVal;"
            " const all = document.createElementNS(chart.namespaceURI, 'g');"
            " all.append(...chart.childNodes); chart.append(all);"
            " for (const text of all.querySelectorAll('[y]'))"
            "   text.setAttribute('y', Number(text.getAttribute('y')) - y);"
            " for (const each of all.querySelectorAll('[y1]')) for (const at of ['y1', 'y2'])"
            "   each.setAttribute(at, Number(each.getAttribute(at)) - y);"
            " for (const each of all.querySelectorAll('circle'))"
            "   each.setAttribute('cy', Number(each.getAttribute('cy')) - y);"
            " for (const each of all.querySelectorAll('polygon')) each.remove();"
            " chart.setAttribute('viewBox', `0 0 ${width} ${height}`); }"
        )
        assert page.evaluate(OUTSIDE, WIDER) == [], name


def test_the_check_sees_a_word_that_has_just_room(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/thai-weights/results")
    assert page.evaluate(OUTSIDE, WIDER) == []
    page.evaluate(
        "() => { const word = document.querySelector('.chart .soft');"
        " for (const other of word.ownerSVGElement.querySelectorAll('text'))"
        " if (other !== word) other.remove();"
        " const { width } = word.ownerSVGElement.getBoundingClientRect();"
        " word.setAttribute('text-anchor', 'start');"
        " word.setAttribute('y', 15);"
        " word.setAttribute('x', width - 1 - word.getBBox().width); }"
    )
    assert page.evaluate(OUTSIDE) == []
    assert len(page.evaluate(OUTSIDE, WIDER)) == 1
