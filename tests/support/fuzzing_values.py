"""Invalid and hostile values: texts, numbers, JSON, names, headers."""

import json
import random
from copy import deepcopy
from typing import Any

from survey.web.demo import HEALTH, SMOKING
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED

SCRIPTS = (
    "<script>alert(1)</script>", "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>', "'><svg/onload=alert(1)>", "javascript:alert(1)",
    "[a](javascript:alert(1))", "<!--", "]]>", "{{7*7}}", "${7*7}", "{%raw%}", "%(x)s", "{0}",
    "{name.__class__}", "\\u003cscript\\u003e",
)  # fmt: skip
NUMBERS = (
    "-1", "0", "-0", "1", "1.5", "2", "1e400", "-1e400", "1e-400", "NaN", "nan", "inf",
    "-Infinity", "9" * 5_000, "0." + "9" * 5_000, "0x10", "1_000", "1,000", "٣", "１２", "²", "1/3",
    "+5", " 7 ", str(2**31), str(2**63), str(2**63 - 1), str(2**64), str(-(2**63)), "1e9", "1e300",
    ".5", "5.", "0.1", "0.5", "0.25", "1e-9", "100", "1000", "1000000", "3", "10", "50", "5e-324",
    "1E+9999999", "1e999999", "1e-999999", "1e999999/1e-999999", "1/1e-999999", "1/0", "0/1e-99",
    "1/3e", "1e99", "-1e99/1e-99",
)  # fmt: skip
DATES = (
    "0000-00-00", "0001-01-01", "9999-12-31", "10000-01-01", "2026-02-30", "2026-13-01",
    "2026-11-21T00:00", "-2026-11-21", "٢٠٢٦-١١-٢١", "2999-01-01", "1969-12-31", "tomorrow",
)  # fmt: skip
PLACES = (
    "..", "../../etc/passwd", "/", "a/b", "a.b", "health.by-hand", "health.x", "x" * 63, "x" * 64,
    "HEALTH", "health", "closed", "draft", "-", "a--b", "%00", "%2e%2e", "a b", "a\\b", "con",
    "new",
)  # fmt: skip
ODD_TEXTS: tuple[str, ...] = (
    "", " ", "\t", "\n", "\r\n", "\0", "a\0b", "\x1b[31m", "\x7f", "\ufeff", "\u202eabc", "\u2028",
    "\ud800", "a\udfff", "\U000e0001" * 50, "é" * 70, "ก" * 1_001, "👩‍👩‍👧‍👦" * 30, "ﬀ",
    "\u0301" * 200, "x" * 1_000, "x" * 100_000, "x " * 3_000, "a\n" * 2_000, "a\n" * 60,
    "[" * 5_000, "*" * 3_000, "\r\nSet-Cookie: a=b", "=1+1", "@SUM(1)", "+1", "-1+1",
    "'; DROP TABLE surveys; --", "None", "null", "true", "yes", "no", "en", "th", "xx", "owner",
    "king", "ada", "eve", "on", "off", "smokes", "years", "smokes,smokes", "yes\nno", "yes=yes",
    "smokes = yes", "years >= 18", "a\na", "1\n2\n3", "party/a", "http://x",
    "https://203.0.113.9/a", "https://[::1]/", "https://x:99999/", "ftp://x", "https://", "//x",
    "https://user:pass@203.0.113.9/", "http://127.0.0.1/", "https://\u2100.example/", "https://[",
    "a@b.c", "> " * 400 + "x", "[a]" * 1_000, "](" * 1_000, "`" * 999, "![a](b)", "<" * 2_000,
    "&" * 2_000, "_x0000_", *SCRIPTS, *NUMBERS, *DATES, *PLACES,
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 1.5, -0.0, 1e308, 2**31, 2**63, 10**400, -(10**400),
    float("nan"), float("inf"), float("-inf"), [], {}, [[]], [0], {"a": 1}, {"__proto__": 1},
    [None], "", "a", "yes", "none", "en", "strong", "coin_flip", "x" * 5_000, "\0", "\ud800", "1",
    "1e400", {"epsilon": 1}, {"mechanism": "coin_flip"},
    {"mechanism": "table", "rows": [[2, 1], [1, 2]]}, {"mechanism": "table", "rows": [[1]]},
    {"mechanism": "table", "rows": [[10**300, 1], [1, 10**300]]},
    {"mechanism": "joint_boxes", "epsilon": 700}, {"epsilon": 1e-300}, {"epsilon": 1e9},
    {"mechanism": "subset_selection", "epsilon": 1, "size": 10**9}, {"min": 18}, {"smokes": "yes"},
)  # fmt: skip


def as_json(value: Any) -> str:
    return json.dumps(value)


ODD_JSON: tuple[str, ...] = (
    *(as_json(value) for value in ODD_VALUES), '{"epsilon": 1, "epsilon": 2}',
    "[" * 900 + "]" * 900, "[" * 20_000, '{"a":' * 5_000, "9" * 5_000,
    '{"mechanism": "table", "rows": [[1e400, 1], [1, 1]]}', '{"mechanism": "coin_flip"',
    "{'a': 1}",
    '{"mechanism": "table", "rows": ' + as_json([[3, 1, 1], [1, 3, 1], [1, 1, 3]]) + "}", "﻿{}",
)  # fmt: skip
DEFINITIONS = (
    EVERY_TYPE,
    SAMPLED,
    HEALTH,
    SMOKING,
    definition(yes_no(), by_hand=True, comprehension=True),
)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Each container in a JSON value, with each of its keys or indices."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [(value, key), *places_in(inner)]
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += [(value, index), *places_in(inner)]
    return found


def odd_json(r: random.Random, good: Any, times: int) -> str:
    """JSON that is valid except for a few places."""
    value = deepcopy(good)
    marked: list[str] = []
    for _ in range(times):
        inside, key = r.choice(places_in(value) or [([None], 0)])
        match r.randrange(9):
            case 0 if isinstance(inside, dict):
                del inside[key]
            case 1 if isinstance(inside, dict):
                inside[r.choice(("x", "__proto__", "privacy", "relevant", "otherwise", ""))] = 1
            case 2 if isinstance(inside, list):
                inside.append(deepcopy(inside[key]))
            case 3 if isinstance(inside, list) and len(inside) < 9:
                inside += deepcopy(inside * r.choice((1, 30)))
            case 4:
                inside[key] = r.choice(ODD_TEXTS)
            case 5:
                inside[key] = f"here{len(marked)}"
                marked.append(r.choice(ODD_JSON[:-1]))
            case 6:
                others = places_in(value)
                other, place = r.choice(others) if others else (inside, key)
                inside[key] = deepcopy(other[place])
            case _:
                inside[key] = deepcopy(r.choice(ODD_VALUES))
    text = json.dumps(value)
    for number, instead in enumerate(marked):
        text = text.replace(f'"here{number}"', instead)
    return text


def odd_definition(r: random.Random) -> str:
    return odd_json(r, r.choice(DEFINITIONS), r.choice((1, 1, 1, 2, 5)))
