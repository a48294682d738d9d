"""The design, checked by the imports: data flows one way, and the lower packages are pure."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.check_each import check_each
from tests.support.project import PACKAGES, ROOT

pytestmark = pytest.mark.fast

SURVEY = ROOT / "survey"
SIDES = {"respondent", "api", "admin", "learn"}  # These never import each other.
PURE = ["core", "definition", "estimation", "planning", "analysis", "charts"]
# They draw answers with the generator of the simulation.
DRAWN_TYPES = ("select_one", "select_multiple", "number")
# The only modules of their packages that draw random numbers. The first simulates respondents. The
# others have a fixed seed. The second starts its search for a randomizer there. The rest permute
# responses for p-values, or simulate reports for them, so the same data always give the same p.
DRAWS = {
    SURVEY / "planning" / "simulation.py",
    *(SURVEY / "planning" / "types" / f"{name}.py" for name in DRAWN_TYPES),
    SURVEY / "core" / "mechanisms" / "optimal_quantiles.py",
    SURVEY / "analysis" / "permutations.py",
    SURVEY / "analysis" / "regression" / "bartlett_correction.py",
    SURVEY / "analysis" / "regression" / "private" / "expected_information.py",
}
# Numpy and scipy are for calculations, and markupsafe escapes the texts of charts. The module
# platform gives the codebook the version of Python, and urllib splits addresses. The modules babel,
# gettext and pathlib read the catalogs, and importlib and pkgutil find the types of questions. The
# module datetime is for dates that respondents give. No code may ask it for the time. The checklist
# uses zlib to calculate how much of a page a phone has to load. The package anyascii makes names in
# ASCII from labels.
PURE_MAY_IMPORT = {
    "anyascii",
    *("abc", "bisect", "enum", "markupsafe"),
    *("collections", "contextlib", "contextvars", "csv", "dataclasses", "datetime", "decimal"),
    *("fractions", "gettext"),
    *("functools", "hashlib", "importlib", "inspect", "io", "itertools", "json", "math", "numpy"),
    *("pkgutil", "platform"),
    *("re", "scipy", "statistics", "string", "typing", "unicodedata", "urllib", "babel", "pathlib"),
    "zlib",
}
# Names inside uvicorn and werkzeug, which any new version may change.
INSIDE = re.compile(r"_captured_signals|protocols\.http\.(h11|httptools)_impl|_compile_builder")


def imports(source: str) -> tuple[set[str], set[str]]:
    """The packages of survey/ that a source imports, and the first names of all others."""
    ours, others = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            module = (node.module or "").split(".")
            names = [[*module, alias.name] for alias in node.names]
        else:
            continue
        ours |= {name[1] for name in names if name[0] == "survey" and name[1:2]} & {*PACKAGES}
        others |= {name[0] for name in names} - {"survey"}
    return ours, others


def upward(package: str, source: str) -> set[str]:
    """The packages that a module of this package imports without permission."""
    allowed = {*PACKAGES[: PACKAGES.index(package) + 1]}
    if package in SIDES:
        allowed -= SIDES - {package}
    return imports(source)[0] - allowed


def files(package: str) -> list[Path]:
    return sorted((SURVEY / package).rglob("*.py"))


def test_the_folder_shows_the_packages():
    # An update leaves folders with files that Python compiled.
    folders = {path.relative_to(SURVEY).parts[0] for path in SURVEY.rglob("*.py")}
    assert folders == {"__init__.py", *PACKAGES}


@check_each("package", PACKAGES)
def test_imports_point_one_way(package):
    for path in files(package):
        assert not upward(package, path.read_text()), path


@check_each(("lower", "higher"), list(pairwise(PACKAGES)))
def test_a_planted_import_is_noticed(lower, higher):
    for planted in (
        f"from survey.{higher} import anything",
        f"from survey import {higher}",
        f"def later():\n    from survey.{higher}.module import anything",
    ):
        assert upward(lower, planted) == {higher}
    assert bool(upward(higher, f"import survey.{lower}")) == ({lower, higher} <= SIDES)


@pytest.mark.parametrize("package", [*PURE, "charts"])
def test_the_lower_packages_are_pure(package):
    for path in files(package):
        if path in DRAWS:
            continue
        source = path.read_text()
        assert imports(source)[1] <= PURE_MAY_IMPORT, path
        assert not re.search(r"\bopen\(|np\.random|default_rng|\bprint\(", source), path
        assert not re.search(r"\.(today|now|utcnow|fromtimestamp)\(", source), path


def test_respondents_pages_know_no_accounts():
    for path in files("respondent"):
        assert "survey.web.auth" not in path.read_text(), path
        assert "from survey.web import auth" not in path.read_text(), path


def test_sql_stands_in_the_store_alone():
    statement = re.compile(r"\b(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM|PRAGMA)\b")
    for path in [*SURVEY.rglob("*.py"), ROOT / "app.py"]:
        if not path.is_relative_to(SURVEY / "store"):
            assert not statement.search(path.read_text()), path


def test_the_environment_is_read_in_one_place():
    for path in [*SURVEY.rglob("*.py"), ROOT / "app.py"]:
        if path != SURVEY / "server" / "settings.py":
            assert not re.search(r"\bos\.environ|getenv", path.read_text()), path


def inputs_of(templates: list[Path]) -> tuple[str, list[str]]:
    """The source of some templates, and their inputs."""
    page = "".join(path.read_text() for path in templates)
    return page, re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)


def test_templates_lie_where_the_packages_do_that_render_them():
    """Only survey/web/rendering.py renders pages for another package, which `verify` needs."""
    rendered = set()
    for path in SURVEY.rglob("*.py"):
        for name in re.findall(r'"((?:admin|respondent)/[\w/]+\.(?:html|svg))"', path.read_text()):
            assert (ROOT / "templates" / name).is_file(), path
            if path != SURVEY / "web" / "rendering.py":
                assert SURVEY / Path(name).parent == path.parent, path
            rendered.add(name)
    assert len(rendered) > 40


def computed_places(template: str) -> list[str]:
    """The coordinates that a template calculates."""
    place = r"[xy][12]?|c[xy]|r|d|width|height|points|viewBox"
    printed = re.findall(rf'\s(?:{place})="((?:[^"{{]|{{{{.*?}}}}|{{%.*?%}})*)"', template)
    inside = [each for value in printed for each in re.findall(r"{{(.*?)}}", value)]
    plain = [re.sub(r'"[^"]*"|\|format', "", each) for each in inside]
    return [each for each in plain if re.search(r"[-+*/%~|]|\w\(", each)]


def test_templates_compute_no_coordinates():
    """survey/charts/ does that."""
    planted = '<a x1="{{ left - 2 }}" y1="{{ top }}" cx="{{ "%.1f"|format(a) }}" y="{{ y(1) }}"/>'
    assert computed_places(planted) == [" left - 2 ", " y(1) "]
    assert computed_places('<a points="{% for a in b %}{{ a }},{{ 2 * a }}{% endfor %}"/>')
    for path in (ROOT / "templates").rglob("*.*"):
        assert not computed_places(path.read_text()), path


def test_a_template_uses_what_lies_in_its_own_folder_or_above():
    """Results by link, help and lessons need no sign-in, and look like researchers' pages."""
    used = re.compile(r"""(?:extends|include|from) "([\w/]+\.html)"|script\("([\w/]+)\.js"\)""")
    for path in sorted((ROOT / "templates").rglob("*.*")):
        own = path.parent.relative_to(ROOT / "templates")
        sides = {"admin"} if path.stem == "results_by_link" else {*own.parts[:1]}
        for template, script in used.findall(path.read_text()):
            folder = Path(template or script).parent
            if path.stem == "error":
                assert template == "respondent/base.html"
            elif own in (Path("help"), Path("learn")):
                # templates/ itself has what all sides share, such as tables.
                assert template == "admin/base.html" or folder in (own, Path()), path
            elif script or path.stem == "results_by_link":
                assert folder.parts[0] in sides, path
            else:
                assert folder in (own, *own.parents), path


RESPONDENTS = sorted((ROOT / "templates" / "respondent").glob("*.html"))
PAPER_AND_COIN = [path for path in RESPONDENTS if "coin_" in path.stem]


def test_answer_inputs_have_no_name():
    """Only the page for real coins may, since its inputs contain reports."""
    page, inputs = inputs_of([path for path in RESPONDENTS if path not in PAPER_AND_COIN])
    assert len(inputs) >= 3
    for tag in inputs:
        assert "name=" not in tag
        assert 'autocomplete="off"' in tag
    assert "action=" not in page
    assert not re.search(r"(include|extends|import|from)\s+.respondent/_?coin_", page)


def test_the_page_for_real_coins_keeps_nothing_and_runs_nothing():
    assert {"_coin_question", "coin_form", "coin_sent"} < {path.stem for path in PAPER_AND_COIN}
    page, inputs = inputs_of(PAPER_AND_COIN)
    assert len(inputs) >= 6
    for tag in inputs:
        assert "name=" in tag
        assert 'autocomplete="off"' in tag
    assert "script" not in page.replace("No script runs on it", "")
    # Nor does it load the script that reads answers on the page of browsers.
    assert "data-question" not in page


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.walk(ast.parse(path.read_text()))
    return [node for node in tree if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_a_module_says_in_one_line_what_it_is():
    for path in SURVEY.rglob("*.py"):
        first, _, rest = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")
        assert first.endswith((".", "?")), path
        assert not rest or rest.startswith("\n"), path


def test_nothing_names_what_is_inside_the_servers_libraries():
    naming = {
        path
        for path in [ROOT / "app.py", *SURVEY.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
        if INSIDE.search(path.read_text())
    }
    assert naming == {Path(__file__)}
