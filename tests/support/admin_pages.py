"""The researchers' pages in a browser: how tests sign in, and check widths and colours."""

from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from tests.support.definitions import opened
from tests.support.every_type import TRUTH
from tests.support.researchers import PASSWORD

# The addresses of the pages without a session, and of those with one.
STRANGERS = [
    "/admin/setup?token=token",
    "/admin/setup?token=used",
    "/admin/join?token=used",
    "/admin/sign-in",
    "/admin/sign-in/code",
]
PAGES = [
    "/admin/",
    "/admin/import",
    "/admin/import/responses",
    "/admin/surveys/new",
    "/admin/surveys/draft",
    "/admin/surveys/draft/edit",
    "/admin/surveys/draft/translations/en",
    "/admin/surveys/draft/preview",
    "/admin/surveys/draft/load",
    "/admin/surveys/every-draft",
    "/admin/surveys/every-draft/edit",
    "/admin/surveys/every-draft/preview",
    "/admin/surveys/smoking-and-exams",
    "/admin/surveys/health",
    "/admin/surveys/health/results",
    "/admin/surveys/too-few/results",
    "/admin/surveys/smoking-and-exams/results",
    "/admin/surveys/health/analysis",
    "/admin/surveys/health/analysis?rows=smokes&columns=party&weights=&strata=plain",
    "/admin/surveys/health/analysis/groups",
    "/admin/surveys/health/analysis/groups?measure=party:7&group=plain",
    "/admin/surveys/every-type/analysis/groups?measure=mood:&group=region",
    "/admin/surveys/health/analysis/change",
    "/admin/surveys/every-type/analysis/change",
    "/admin/surveys/health/analysis/crosswise",
    "/admin/surveys/health/analysis/list",
    "/admin/surveys/every-type/analysis/list",
    "/admin/surveys/health/analysis/regression",
    "/admin/surveys/health/analysis/regression?outcome=smokes&predictors=party",
    "/admin/surveys/every-type/analysis/regression?outcome=region&predictors=sleep&predictors=years",
    "/admin/surveys/every-type/analysis/regression?outcome=tried/v&predictors=sleep",
    "/admin/surveys/health/analysis/design",
    "/admin/surveys/every-type/analysis/design",
    "/admin/surveys/every-type/analysis?rows=smokes&columns=mood&weights=@file&strata=@file",
    "/admin/surveys/health/analysis/tree",
    "/admin/surveys/health/analysis/tree?target=party&predictors=plain",
    "/admin/surveys/every-type/analysis/tree?target=news/p&predictors=region&predictors=colour",
    "/admin/surveys/health/analysis/correlation",
    "/admin/surveys/health/analysis/correlation?questions=smokes:0&questions=plain:0",
    "/admin/surveys/every-type/analysis/correlation?questions=mood:&questions=years:&questions=sleep:",
    "/admin/surveys/health/analysis/validity",
    "/admin/surveys/health/analysis/validity?asked=smokes:0&denied=20&control=plain:0&known=10",
    "/admin/surveys/every-type/analysis/validity?asked=mood:1&direct=region:0&false=200",
    "/admin/surveys/every-type/analysis/saved",
    "/admin/surveys/texted/texts",
    "/admin/surveys/texted/texts?words=คุณ&coder=bob",
    "/admin/surveys/texted/texts/codes",
    "/admin/surveys/nothing",
    "/admin/surveys/class-draft/class-loss",
    "/admin/surveys/class-draft/class-loss?own=2.5",
    "/admin/surveys/every-draft/plan",
    "/admin/surveys/every-draft/protection",
    "/admin/surveys/every-draft/try-out",
    "/admin/surveys/health/plan",
    "/admin/surveys/health/try-out/practice",
    "/admin/surveys/health/share",
    "/admin/surveys/health/webhooks",
    "/admin/surveys/health/releases",
    "/admin/surveys/every-type/releases",
    "/admin/surveys/every-type/releases/new?question=years&statistic=mean&epsilon=0.5",
    "/admin/surveys/health/log",
    "/admin/surveys/health/team",
    "/admin/surveys/health/results/alone",
    "/admin/surveys/every-type/results/alone",
    "/admin/surveys/thai-weights/erase",
    "/admin/log",
    "/admin/people",
    "/admin/people/add",
    "/admin/people/bob/role",
    "/admin/people/bob/reset",
    "/admin/people/bob/remove",
    "/admin/account",
    "/admin/account/password",
    "/admin/account/second-factor",
    "/admin/account/tokens",
]
RESULTS = [  # those of the demo, then of this test
    "/admin/surveys/smoking-and-exams-simulated/results",
    "/admin/surveys/health-habits-simulated/results",
    "/admin/surveys/thai-weights/results",
    "/admin/surveys/vietnamese-smokers/results",
    "/admin/surveys/every-type/results",
    "/admin/surveys/three-picked/results",
    "/admin/surveys/far/results",
]
LONG_THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่" * 2


def simulated(store, slug, content, n, truth=TRUTH):
    survey = opened(store, content | {"slug": slug, "title": slug}, "closed").survey
    responses = simulate_responses(survey, read_truth(truth, survey), n, seed=1)
    store.responses.add_batches(slug, responses, "simulated")
    return survey


def sign_in(page, site, name="ada"):
    page.goto(f"{site}/admin/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/")


# Opens closed parts, as people do, unless this happened before. Then it waits for the effects.
OPEN = """() => {
    for (const summary of document.querySelectorAll('summary:not([data-seen])')) {
        if (!summary.checkVisibility()) continue;
        summary.dataset.seen = 'yes';
        summary.click();
    }
    return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
# The shapes outside a chart or over another word of it, if every letter is `wider` times as wide as
# in the font of this machine. A word grows away from its anchor.
OUTSIDE = """(wider) => [...document.querySelectorAll('.chart, .tree')].flatMap((chart) => {
    for (const fold of document.querySelectorAll('.question-results details')) fold.open = true;
    // A fluid chart has no box of its own: its units are the pixels of the page.
    const fluid = !chart.hasAttribute('viewBox');
    const page = chart.getBoundingClientRect();
    const { width, height } = fluid ? page : chart.viewBox.baseVal;
    const box_of = (element) => {
        if (!fluid) return element.getBBox();
        const { x, y, width, height } = element.getBoundingClientRect();
        return { x: x - page.x, y: y - page.y, width, height };
    };
    // without a font for Thai each mark above a letter is a box next to it: that says nothing
    const pen = document.createElement('canvas').getContext('2d');
    const boxes = pen.measureText('กิ').width > 1.2 * pen.measureText('ก').width;
    const room = (element) => {
        const box = box_of(element);
        if (element.localName !== 'text') return box;
        if (boxes && /[ก-๙]/.test(element.textContent)) {
            return { x: box.x, y: box.y, width: 0, height: 0 };
        }
        const more = ((wider ?? 1) - 1) * box.width;
        const share = { start: 0, middle: 0.5, end: 1 }[getComputedStyle(element).textAnchor];
        return { x: box.x - share * more, y: box.y, width: box.width + more, height: box.height };
    };
    const drawn = [...chart.querySelectorAll('text, rect, line, circle, polygon, polyline')];
    const found = drawn.filter((element) => {
        const box = room(element);
        return box.x < -0.5 || box.y < -0.5 || box.x + box.width > width + 0.5 ||
            box.y + box.height > height + 0.5;
    }).map((element) => element.outerHTML);
    const words = [...chart.querySelectorAll('text')];
    for (const [place, one] of words.entries()) {
        for (const other of words.slice(place + 1)) {
            const [a, b] = [room(one), room(other)];
            if (Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1 &&
                Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 4) {
                found.push(`${one.textContent} / ${other.textContent}`);
            }
        }
    }
    return found;
})"""
# axe is slow, so it runs here alone. The first two have both widths and all colours.
LOOKS = [(375, "light", True), (1280, "dark", True), (375, "dark", False), (1280, "light", False)]
