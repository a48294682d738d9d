"""Writes randomizers.json: what each mechanism's table makes of given random words.

The file is the agreement between the two halves: test_vectors.py holds Python to it and
browser/test_randomizer.py holds static/randomizer.js to it. Any other client that samples from
these tables can be held to it too. A vector is [answer, word, report]: the word is one of the
2^32 values of a random 32-bit word; null for a report means that the word must be redrawn.
Run by `make vectors`, after a mechanism was added.
"""

import json
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

from survey.mechanisms import MECHANISMS, build_randomizer
from survey.randomizer import Randomizer

FILE = Path(__file__).parent / "randomizers.json"
WORDS = 2**32


def examples() -> dict[str, tuple[str, int, dict, Randomizer]]:
    """Every example of every registered mechanism: title -> name, answers, parameters, table."""
    found = {}
    for name, mechanism in MECHANISMS.items():
        for answers, parameters in mechanism.examples:
            given = ", ".join([str(answers), *(f"{k}={v}" for k, v in parameters.items())])
            table = build_randomizer({"mechanism": name, **parameters}, answers)
            found[f"{name}({given})"] = (name, answers, parameters, table)
    return found


def limit(total: int) -> int:
    """Words from here on are redrawn: below it every remainder is equally frequent."""
    return WORDS - WORDS % total


def report(row: tuple[int, ...], word: int) -> int | None:
    """Found by bisection over the running totals, where the browser walks and subtracts."""
    total = sum(row)
    return bisect_right(list(accumulate(row)), word % total) if word < limit(total) else None


def words(row: tuple[int, ...]) -> list[int]:
    """Both ends of each report's block of tickets, both ends of the words, and some between."""
    total, ends = sum(row), list(accumulate(row))
    edges = {0, *ends, *(end - 1 for end in ends)} - {-1, total}
    last = limit(total)
    far = {last - total, last - 1, last, WORDS - 1} - {WORDS}
    between = {(0x9E3779B9 * step) % WORDS for step in range(1, 7)}  # spread over all the words
    return sorted(edges | far | between)


def content() -> list[dict]:
    return [
        {
            "mechanism": name,
            "answers": answers,
            "parameters": parameters,
            "rows": table.rows,
            "sha256": table.sha256,
            "epsilon": round(table.epsilon, 12),
            "vectors": [
                [answer, word, report(row, word)]
                for answer, row in enumerate(table.rows)
                for word in words(row)
            ],
        }
        for name, answers, parameters, table in examples().values()
    ]


def written() -> str:
    """The content as JSON, one line for each entry of a table's record."""
    tables = (
        ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        for table in content()
    )
    return "[\n" + ",\n".join(f" {{\n{table}\n }}" for table in tables) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
