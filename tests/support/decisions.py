"""Finds code and templates that decide or calculate something with a statistic.

A statistic is a number that a result holds: an estimate, a standard error, an end of an interval, a
p-value, a count of reports, ε. Results are complete when they leave the packages that make them.
What shows them may print their texts and nothing else.

The names of the statistics are those of the numeric fields and properties of all dataclasses that
leave these packages. So a new field is found without a change here. A name that a function or a
template gives to a statistic is followed. Digit grouping as in `{n:,}` rounds nothing, and
"is None" compares nothing, so both are allowed.
"""

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from jinja2 import Environment, nodes

from tests.support.project import PACKAGES, ROOT

MAKING = ("estimation", "planning", "central_dp", "analysis")
NUMERIC = re.compile(r"\b(float|int|Fraction|Decimal|Array|ndarray)\b")
MADE = re.compile(rf"survey\.({'|'.join(MAKING)})\b")
WORD = re.compile(r"\w+")
# What analyses, plans and DP releases are made from, as a researcher or a definition states it. The
# progress of the fieldwork counts people who sent something, and estimates nothing.
INPUTS = {
    *(
        "AnalysisColumn",
        "BoundedSum",
        "BoxSample",
        "Combinations",
        "DesignFile",
        "FieldworkProgress",
    ),
    *("FiniteCorrection", "Grower", "Measure", "PlanParameters", "Request", "Sample"),
    "SurveyDesign",
}
# Positions in a list of answers, groups or releases, numbers of digits, and whom results describe.
POSITIONS = {
    *("cut", "first", "group", "number", "other", "place", "places", "predicted", "results_about"),
    *("second", "shape"),
}
# Objects that describe a question or a request. Their attributes are also named `low` or `size`.
DEFINITIONS = {
    *("asked", "boxes", "code", "column", "form", "grid", "number_grid", "levels", "randomizer"),
    *("request", "table"),
}
# Functions that round, select or add up, and those that only convert a number.
DECIDING = {"abs", "divmod", "half_up", "max", "min", "pow", "round", "sorted", "sum"}
CONVERTING = {"Decimal", "Fraction", "exact", "float", "int"}
MODULES = {"math", "np", "numpy"}
ROUNDING_FILTERS = {
    *("abs", "error_points", "int", "max", "min", "number", "percent", "round", "significant"),
    *("sort", "sum"),
}
GROUPING = {",", "{:,}"}


def numeric_types(kind: type) -> dict[str, str]:
    """The annotation of each field and property of a dataclass, by its name."""
    types = {field.name: annotation_text(field.type) for field in dataclasses.fields(kind)}
    for name, member in inspect.getmembers(kind):
        function = member.fget if isinstance(member, property) else None
        if isinstance(member, cached_property):
            function = member.func
        if function is not None:
            types[name] = annotation_text(function.__annotations__.get("return", ""))
    return types


def annotation_text(annotation: Any) -> str:
    return annotation.__name__ if type(annotation) is type else str(annotation)


@cache
def statistics() -> frozenset[str]:
    """The names of all statistics that results hold."""
    results, returned = {}, {}
    for package in MAKING:
        for path in sorted((ROOT / "survey" / package).rglob("*.py")):
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            for name, found in vars(module).items():
                if getattr(found, "__module__", "") != module.__name__:
                    continue
                if dataclasses.is_dataclass(found):
                    results[name] = numeric_types(found)
                elif inspect.isfunction(found):
                    returned[name] = annotation_text(found.__annotations__.get("return", ""))
    todo = [
        word
        for name in names_that_leave()
        for word in (name, *WORD.findall(returned.get(name, "")))
        if word in results
    ]
    leaving: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in leaving and name not in INPUTS:
            leaving.add(name)
            todo += [
                w for text in results[name].values() for w in WORD.findall(text) if w in results
            ]
    numeric = {
        field for name in leaving for field, text in results[name].items() if NUMERIC.search(text)
    }
    return frozenset(numeric - POSITIONS)


def names_that_leave() -> Iterator[str]:
    """The names that other packages import from those that make results."""
    for package in set(PACKAGES) - set(MAKING):
        for path in (ROOT / "survey" / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            for node in ast.parse(source).body if MADE.search(source) else ():
                if isinstance(node, ast.ImportFrom) and MADE.match(node.module or ""):
                    yield from (alias.name for alias in node.names)


def decisions_in_code(source: str) -> list[str]:
    """The comparisons and calculations with statistics in a Python module, each as text."""
    tree = ast.parse(source)
    found: dict[tuple[int, int], str] = {}
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Module):
            inside = list(walk_scope(scope))
            known = named_in_code(inside)
            for node in inside:
                if decides(node, known):
                    found[node.lineno, node.col_offset] = ast.unparse(node)
    return [found[place] for place in sorted(found)]


def walk_scope(scope: ast.FunctionDef | ast.Module) -> Iterator[ast.AST]:
    """All nodes of a function, or those of a module outside its functions."""
    yield scope
    if isinstance(scope, ast.FunctionDef):
        yield from (node for child in ast.iter_child_nodes(scope) for node in ast.walk(child))
        return
    todo: list[ast.AST] = [scope]
    while todo:
        for child in ast.iter_child_nodes(todo.pop()):
            if not isinstance(child, ast.FunctionDef):
                yield child
                todo.append(child)


def named_in_code(inside: list[ast.AST]) -> set[str]:
    """The variables that hold a statistic."""
    known = numbers_received(inside)
    size = -1
    while size < len(known):
        size = len(known)
        for node in inside:
            match node:
                case ast.Assign(targets=targets, value=value) if is_statistic(value, known):
                    simple = [t for t in targets if isinstance(t, ast.Name | ast.Tuple)]
                    known |= {n.id for t in simple for n in ast.walk(t) if isinstance(n, ast.Name)}
                case (
                    ast.NamedExpr(target=target, value=value)
                    | ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.For(target=target, iter=value)
                    | ast.comprehension(target=target, iter=value)
                ) if is_statistic(value, known):
                    known |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return known


def numbers_received(inside: list[ast.AST]) -> set[str]:
    """The parameters that are statistics by their name and type.

    The parameters of a command or a view are what a person types or requests.
    """
    return {
        each.arg
        for node in inside
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
        for each in node.args.args
        if each.arg in statistics()
        and each.annotation is not None
        and re.search(r"\bfloat\b", ast.unparse(each.annotation))
    }


def is_statistic(node: ast.AST | None, known: set[str]) -> bool:
    """Whether the value of an expression is a statistic, or made of statistics."""
    match node:
        case ast.Attribute(value=holder, attr=name):
            last = getattr(holder, "attr", getattr(holder, "id", ""))
            if name == "kind":
                return last == "headline"
            return name in statistics() and last not in DEFINITIONS
        case ast.Name(id=name):
            return name in known
        case ast.Call(func=function, args=arguments):
            return (called(function) in DECIDING | CONVERTING or is_calculation(function)) and any(
                is_statistic(each, known) for each in arguments
            )
        case ast.GeneratorExp(elt=item) | ast.ListComp(elt=item) | ast.SetComp(elt=item):
            return is_statistic(item, known)
        case ast.Compare() | ast.FormattedValue() | ast.JoinedStr():
            return False
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return is_statistic(value, known)
        case ast.IfExp(body=one, orelse=other):
            return is_statistic(one, known) or is_statistic(other, known)
        case ast.UnaryOp(op=ast.Not()):
            return False
        case ast.expr() if not isinstance(node, ast.Lambda | ast.Dict | ast.DictComp):
            return any(is_statistic(child, known) for child in ast.iter_child_nodes(node))
    return False


def called(function: ast.expr) -> str:
    return str(getattr(function, "id", getattr(function, "attr", "")))


def is_calculation(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in MODULES
    )


def decides(node: ast.AST, known: set[str]) -> bool:
    """Whether a node compares, calculates or rounds a statistic."""

    def held(*parts: ast.AST) -> bool:
        return any(is_statistic(part, known) for part in parts)

    match node:
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()]):
            return held(left)
        case ast.Compare(left=left, ops=operators, comparators=others):
            return not all(isinstance(each, ast.Is | ast.IsNot) for each in operators) and held(
                left, *others
            )
        case ast.BinOp(left=left, right=right):
            return held(left, right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=value) | ast.AugAssign(value=value):
            return held(value)
        case ast.FormattedValue(value=value, format_spec=ast.JoinedStr(values=[*parts])):
            text = "".join(str(getattr(part, "value", "?")) for part in parts)
            return text not in GROUPING and held(value)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return text not in GROUPING and held(*node.args, *(k.value for k in node.keywords))
        case ast.Call(func=function, args=arguments, keywords=keywords):
            keys = [k.value.body for k in keywords if isinstance(k.value, ast.Lambda)]
            deciding = called(function) in DECIDING | {"format"} or is_calculation(function)
            return deciding and held(*arguments, *keys)
    return False


ARITHMETIC = (
    nodes.Add,
    nodes.Sub,
    nodes.Mul,
    nodes.Div,
    nodes.FloorDiv,
    nodes.Mod,
    nodes.Pow,
)


TEMPLATES = Environment(extensions=["jinja2.ext.i18n"])


def decisions_in_template(source: str) -> list[str]:
    """The comparisons and calculations with statistics in a template: the line of each."""
    tree = TEMPLATES.parse(source)
    known: set[str] = set()
    size = -1
    while size < len(known):
        size = len(known)
        for macro in tree.find_all(nodes.Macro):
            known |= {each.name for each in macro.args} & statistics()
        for node in tree.find_all((nodes.Assign, nodes.For)):
            value = node.node if isinstance(node, nodes.Assign) else node.iter
            if is_shown_statistic(value, known):
                known |= {each.name for each in names_in(node.target)}
    lines = source.splitlines()
    places = {node.lineno for node in tree.find_all(nodes.Expr) if decides_in_template(node, known)}
    return [lines[place - 1].strip() for place in sorted(places)]


def names_in(target: nodes.Node) -> Iterator[nodes.Name]:
    if isinstance(target, nodes.Name):
        yield target
    yield from target.find_all(nodes.Name)


def is_shown_statistic(node: nodes.Node | None, known: set[str]) -> bool:
    """Whether the value of an expression of a template is a statistic, or made of statistics."""
    match node:
        case nodes.Getattr(node=holder, attr=name):
            last = getattr(holder, "attr", getattr(holder, "name", ""))
            if name == "kind":
                return last == "headline"
            return name in statistics() and last not in DEFINITIONS
        case nodes.Name(name=name):
            return name in known
        case nodes.Filter(node=value, name=name):
            return name in ROUNDING_FILTERS | {"first", "last", "list"} and is_shown_statistic(
                value, known
            )
        case nodes.Call() | nodes.Test() | nodes.Compare() | nodes.Not() | nodes.Concat():
            return False
        case nodes.Getitem(node=value):
            return is_shown_statistic(value, known)
        case nodes.CondExpr(expr1=one, expr2=two):
            return is_shown_statistic(one, known) or is_shown_statistic(two, known)
        case nodes.Expr():
            return any(is_shown_statistic(child, known) for child in node.iter_child_nodes())
    return False


def decides_in_template(node: nodes.Expr, known: set[str]) -> bool:
    """Whether an expression of a template compares, calculates or rounds a statistic."""

    def held(*parts: nodes.Node | None) -> bool:
        return any(is_shown_statistic(part, known) for part in parts)

    match node:
        case nodes.Compare(expr=left, ops=operands):
            return held(left, *(each.expr for each in operands if "in" not in each.op))
        case nodes.Filter(name="format", args=arguments):
            return held(*arguments)
        case nodes.Filter(name=name, node=value):
            return name in ROUNDING_FILTERS and held(value)
        case nodes.Call(node=nodes.Getattr(node=nodes.Const(value=text), attr="format")):
            return text not in GROUPING and held(*node.args)
        case nodes.BinExpr() if isinstance(node, ARITHMETIC):
            return held(node.left, node.right)
        case nodes.Neg(node=value):
            return held(value)
    return False
