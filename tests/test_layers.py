"""The design, read from the imports: data flows one way, and the core is pure."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.fast

SURVEY = ROOT / "survey"
# Each module may import only what stands in a row above its own
CORE_ROWS = [
    {"__init__", "errors", "processor_time", "text_widths"},
    {"exact", "randomizer", "spreadsheet"},
    {"tables", "bits", "grid", "reports", "scores", "languages", "invitations", "account_names"},
    {"mechanisms"},
    {"questions"},
    {"relevance", "sensitive", "known_tables"},
    {"parsing", "by_hand"},
    {"fieldwork", "translation"},
    {"definition"},
    {"imitation"},
    {"protection", "xlsform", "packing"},
    {"privacy_limits"},
    {"frozen"},
    {"disclosure", "shuffling"},
    {"text_checks"},
    {"intervals", "power"},
    {"score_intervals"},
    {"estimates"},
    {"number_estimates", "wording"},
    {"results"},
    {"number_figures"},
    {"figures", "intake", "export", "monitoring", "assumed"},
    {"admission"},
    {"precision", "release"},
    {"planning"},
    {"curves", "plan_words"},
    {
        "bringing",
        "loading",
        "simulation",
        "receipts",
        "comprehension",
        "by_hand_form",
        "manipulation",
        "poststratification",
    },
    {"analysis"},
    {"parts", "truth_form", "checklist"},
    {"captions"},
]
SHELL_ROWS = [
    {"logs", "metrics", "lasting", "clock", "workbook_parts"},
    {
        *("settings", "store", "headers", "compression", "visiting", "workbook", "posting"),
        "workbook_reader",
        *("repeating", "hosts", "gathering", "threads", "throttle", "requests", "encryption"),
    },
    {"interchange", "drawing", "recording", "patience", "watching", "secret_key"},
    {"current", "demo", "sealing", "recount", "builder_texts", "webhooks"},
    {"second_factor", "passwords", "builder_labels"},
    {"auth", "i18n", "builder", "closing", "acts", "translating", "starting", "notifying"},
    {
        *(
            "pages",
            "page_cache",
            "slips",
            "links",
            "rearranging",
            "conflicts",
            "tokens",
            "releasing",
        ),
        "builder_faults",
    },
    {"public_pages"},
    {"front", "warm_up"},
    {"server", "forms", "people_forms", "outlook"},
    {"invite", "take_home", "program_forms", "release_forms", "analysis_forms"},
    {"released", "validity_form"},
    {"respond", "shared", "api", "remaking"},
    {"admin"},
    {"by_hand_page", "trust", "public_results", "checking"},
    {"verifying"},
    {"cli"},
    {"site"},
]
ROWS = CORE_ROWS + SHELL_ROWS
CORE = set().union(*CORE_ROWS) - {"simulation"}  # which draws
# numpy and scipy compute; platform tells the codebook which Python that was; urllib takes
# addresses apart; babel and pathlib read the catalogs
CORE_MAY_IMPORT = {
    *("collections", "contextlib", "contextvars", "csv", "dataclasses", "decimal", "fractions"),
    *("functools", "hashlib", "inspect", "io", "itertools", "json", "math", "numpy", "platform"),
    *("re", "scipy"),
    *("statistics", "typing", "unicodedata", "urllib", "babel", "pathlib"),
}
PACKAGES = {
    "store",
    "mechanisms",
    "xlsform",
    "admin",
    "api",
    "cli",
    "take_home",
    "analysis",
    "release",
    "bringing",
}  # rooms of several modules


def imports(path: Path) -> tuple[set[str], set[str]]:
    """Rooms of survey/ that a file imports, and all others, by their first name."""
    ours, others = set(), set()
    room = path.parent.name if path.parent != SURVEY else None
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            others |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if node.level == 1 and room is not None:
                ours.add(room)
            elif node.level:
                ours |= {module[0]} if node.module else {alias.name for alias in node.names}
            else:
                others.add(module[0])
    known = PACKAGES | {path.stem for path in SURVEY.glob("*.py")}
    return {name if name in known else "__init__" for name in ours}, others


def files(room: str) -> list[Path]:
    return sorted((SURVEY / room).glob("*.py")) if room in PACKAGES else [SURVEY / f"{room}.py"]


MODULES = sorted(SURVEY.glob("*.py"))
ROOMS = sorted(set().union(*ROWS))


def row_of(name: str) -> int:
    return next(number for number, row in enumerate(ROWS) if name in row)


def test_every_module_has_its_row():
    assert {path.stem for path in MODULES} | PACKAGES == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_only_point_upwards(room):
    for path in files(room):
        for name in imports(path)[0] - {room}:
            assert row_of(name) < row_of(room), f"{path} imports {name}"


@pytest.mark.parametrize("room", sorted(CORE))
def test_the_core_is_pure(room):
    for path in files(room):
        assert imports(path)[1] <= CORE_MAY_IMPORT, path
        source = path.read_text()
        assert not re.search(r"\bopen\(|np\.random|default_rng|\bprint\(", source), path


def test_respondents_and_researchers_never_import_each_other():
    assert "admin" not in imports(SURVEY / "respond.py")[0]
    for path in files("admin"):
        assert "respond" not in imports(path)[0]
    assert "auth" not in imports(SURVEY / "respond.py")[0]


def test_the_api_is_a_side_of_its_own():
    for path in files("api"):
        assert not imports(path)[0] & {"respond", "admin", "forms", "pages"}, path
    for path in [SURVEY / "respond.py", *files("admin")]:
        assert "api" not in imports(path)[0], path


def test_sql_stands_in_the_store_alone():
    statement = re.compile(r"\b(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM|PRAGMA)\b")
    for path in [*MODULES, ROOT / "app.py"]:
        assert not statement.search(path.read_text()), path


def test_the_environment_is_read_in_one_place():
    for path in [*MODULES, ROOT / "app.py"]:
        if path.stem == "lasting":  # which syncs files
            assert "env" not in path.read_text()
        elif path.stem != "settings":
            assert "os" not in imports(path)[1], path


def inputs_of(templates: list[Path]) -> tuple[str, list[str]]:
    """The source of some templates, and their inputs."""
    page = "".join(path.read_text() for path in templates)
    return page, re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)


RESPONDENTS = sorted((ROOT / "templates" / "respond").glob("*.html"))
BY_HAND = [path for path in RESPONDENTS if path.stem.startswith("by_hand")]


def test_answer_inputs_have_no_name():
    """But for the page for real coins, whose inputs hold reports; no other page may borrow them."""
    page, inputs = inputs_of([path for path in RESPONDENTS if path not in BY_HAND])
    assert len(inputs) >= 3
    for tag in inputs:
        assert "name=" not in tag
        assert 'autocomplete="off"' in tag
    assert "action=" not in page
    assert not re.search(r"(include|extends|import|from)\s+.respond/by_hand", page)


def test_the_page_for_real_coins_keeps_nothing_and_runs_nothing():
    assert [path.stem for path in BY_HAND] == ["by_hand", "by_hand_question", "by_hand_sent"]
    page, inputs = inputs_of(BY_HAND)
    assert len(inputs) >= 6
    for tag in inputs:
        assert "name=" in tag
        assert 'autocomplete="off"' in tag
    assert "script" not in page.replace("No script runs on it", "")
    # nor what reads answers on the page of browsers
    assert "data-question" not in page


def test_modules_stay_readable_in_one_sitting():
    for path in [*SURVEY.rglob("*.py"), ROOT / "app.py", *(ROOT / "static").rglob("*.js")]:
        assert len(path.read_text().splitlines()) <= 300, path
