"""How a question of a file was randomised, read from one line.

The line names a mechanism of Candor, or a design of the R packages rr and RRreg with its own
parameters.

    forced_response, p_truth=2/3, p_yes=1/6, p_no=1/6      Candor
    forced-known, p=2/3, p0=1/6, p1=1/6                    rr: truth, forced no, forced yes
    FR, p=c(1/6, 1/6)                                      RRreg: forced 0, 1, ...
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from survey.core.errors import DataFileError
from survey.core.exact_numbers import probability
from survey.core.mechanisms import CHOICES, MECHANISMS
from survey.core.randomizer import Randomizer

ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*(c\([^()]*\)|[^,()]+?)\s*(?:,|$)")
NUMBER = r"[0-9./eE+-]+"


@dataclass(frozen=True)
class RandomisationDesign:
    """How a question was randomised.

    Attributes
    ----------
    privacy : as a definition has it
    answers : how many there are; None where the mechanism takes any number
    red : the cards drawn, where cells count the red ones; else 0
    """

    privacy: Mapping[str, Any]
    answers: int | None
    red: int = 0


def parse_randomisation_design(text: str) -> RandomisationDesign:
    """Raises DataFileError, or MechanismError for a number that is none."""
    name, _, rest = (part.strip() for part in text.partition(","))
    arguments = arguments_of(rest, text)
    if name in R_PACKAGE_DESIGNS:
        needed, read = R_PACKAGE_DESIGNS[name]
        if name == "Kuk":  # one card unless it is said
            arguments.setdefault("Kukrep", ["1"])
        if set(arguments) != set(needed):
            raise DataFileError(
                f"{name} takes {' and '.join(needed)} here, not "
                f"{' and '.join(arguments) or 'nothing'}."
            )
        return read(*(arguments[key] for key in needed))
    own = MECHANISMS.get(name)
    if own is None or CHOICES not in own.serves:
        mechanism_names = sorted(
            key for key, entry in MECHANISMS.items() if CHOICES in entry.serves
        )
        raise DataFileError(
            f"There is no design {name!r}. There are {', '.join(mechanism_names)}; rr's and "
            f"RRreg's are {', '.join(R_PACKAGE_DESIGNS)}."
        )
    privacy: dict[str, Any] = {"mechanism": name}
    privacy |= {key: values[0] if len(values) == 1 else values for key, values in arguments.items()}
    answers = 2 if own.two_answers_only or "p_yes" in privacy else None
    if "rows" in arguments:
        rows = matrix_rows(arguments["rows"], text)
        if not all(cell.isdecimal() for row in rows for cell in row):
            raise DataFileError("The rows of a table are whole numbers.")
        privacy["rows"] = [[int(cell) for cell in row] for row in rows]
        answers = len(rows)
    elif "p_forced" in arguments:
        privacy["p_forced"] = arguments["p_forced"]
        answers = len(arguments["p_forced"])
    draws = int(privacy.get("draws", 1)) if str(privacy.get("draws", 1)).isdecimal() else 1
    return RandomisationDesign(privacy, answers, draws if draws > 1 else 0)


def arguments_of(rest: str, text: str) -> dict[str, list[str]]:
    """The values of each argument; those of a list apart by commas or spaces, its rows by ;."""
    arguments: dict[str, list[str]] = {}
    at = 0
    while rest[at:].strip():
        match = ARGUMENT.match(rest, at)
        if match is None:
            raise DataFileError(
                f"{text!r} is no design: a name, then NAME=VALUE with commas between, such as "
                "forced_response,p_truth=2/3,p_yes=1/6,p_no=1/6."
            )
        values = re.sub(r"^c\(|\)$", "", match[2]).replace(",", " ").replace(";", " ; ")
        arguments[match[1]] = values.split()
        at = match.end()
    return arguments


def matrix_rows(values: Sequence[str], text: str) -> list[list[str]]:
    rows: list[list[str]] = [[]]
    for value in values:
        if value == ";":
            rows.append([])
        elif re.fullmatch(NUMBER, value):
            rows[-1].append(value)
        else:
            raise DataFileError(f"{value!r} in {text!r} is no number.")
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        raise DataFileError(f"The rows in {text!r} are not equally long.")
    return rows


# ---- As rr and RRreg have them ----


def single_probability(values: Sequence[str], name: str = "p") -> Fraction:
    if len(values) != 1:
        raise DataFileError(f"{name} is one probability here.")
    return probability(values[0], name)


def two_probabilities(values: Sequence[str]) -> tuple[Fraction, Fraction]:
    if len(values) != 2:
        raise DataFileError("p is two probabilities here, such as c(2/3, 1/4).")
    return probability(values[0], "p"), probability(values[1], "p")


def two_answer_design(mechanism: str, **given: Fraction) -> RandomisationDesign:
    privacy = {"mechanism": mechanism}
    return RandomisationDesign(privacy | {key: str(value) for key, value in given.items()}, 2)


def by_table(*rows: Sequence[Fraction]) -> RandomisationDesign:
    """Rows of answers, columns of reports."""
    for row in rows:
        if sum(row) != 1:
            raise DataFileError(f"The chances of reports add up to {sum(row)}, not to 1.")
    table = Randomizer.from_probabilities(rows)
    return RandomisationDesign(
        {"mechanism": "table", "rows": [list(row) for row in table.rows]}, len(rows)
    )


def forced(p: Sequence[str]) -> RandomisationDesign:
    """RRreg's FR: the chances of a forced 0, 1, ..., the truth else; of two the first is no."""
    chances = [probability(value, "p") for value in p]
    truth = 1 - sum(chances, start=Fraction(0))
    if len(chances) < 2 or truth <= 0:
        raise DataFileError("p of FR are the chances of each forced answer, below 1 together.")
    if len(chances) == 2:
        return two_answer_design(
            "forced_response", p_truth=truth, p_yes=chances[1], p_no=chances[0]
        )
    privacy = {"mechanism": "forced_response", "p_truth": str(truth)}
    return RandomisationDesign(
        privacy | {"p_forced": [str(each) for each in chances]}, len(chances)
    )


def custom(p: Sequence[str]) -> RandomisationDesign:
    """RRreg's matrix, row by row: p[i, j] = Pr(report i | answer j), from 0 on; of two 0 is no."""
    matrix = [[probability(cell, "p") for cell in row] for row in matrix_rows(p, "custom")]
    if len(matrix) != len(matrix[0]):
        raise DataFileError("The matrix of custom is square, its rows with ; between.")
    rows = [list(column) for column in zip(*matrix, strict=True)]
    if len(rows) == 2:  # ours begin with yes
        rows = [row[::-1] for row in rows[::-1]]
    return by_table(*rows)


def certain_no(no_says_yes: Fraction) -> RandomisationDesign:
    """A no says yes with this chance; a yes always says yes."""
    return by_table([Fraction(1), Fraction(0)], [no_says_yes, 1 - no_says_yes])


def one_probability(mechanism: str) -> Callable[[Sequence[str]], RandomisationDesign]:
    """Designs whose p is that of the mechanism."""
    return lambda p: two_answer_design(mechanism, p=single_probability(p))


def kuk_design(p: Sequence[str], draws: Sequence[str] = ("1",)) -> RandomisationDesign:
    yes, no = two_probabilities(p)
    if not draws[0].isdecimal() or len(draws) != 1:
        raise DataFileError("Kukrep is a whole number.")
    privacy = {"mechanism": "kuk", "p_yes": str(yes), "p_no": str(no), "draws": int(draws[0])}
    return RandomisationDesign(privacy, 2, int(draws[0]) if int(draws[0]) > 1 else 0)


def unrelated(p: Sequence[str], q: Sequence[str]) -> RandomisationDesign:
    return two_answer_design(
        "unrelated_question", p=single_probability(p), prevalence=single_probability(q, "q")
    )


def forced_known(p: Sequence[str], p0: Sequence[str], p1: Sequence[str]) -> RandomisationDesign:
    return two_answer_design(
        "forced_response",
        p_truth=single_probability(p),
        p_yes=single_probability(p1, "p1"),
        p_no=single_probability(p0, "p0"),
    )


# the arguments that each takes, and what it is here
R_PACKAGE_DESIGNS: dict[str, tuple[tuple[str, ...], Callable[..., RandomisationDesign]]] = {
    "forced-known": (("p", "p0", "p1"), forced_known),
    "mirrored": (("p",), one_probability("warner")),
    "disguised": (
        ("p",),
        lambda p: two_answer_design(
            "kuk", p_yes=single_probability(p), p_no=1 - single_probability(p)
        ),
    ),
    "unrelated-known": (("p", "q"), unrelated),
    "Warner": (("p",), one_probability("warner")),
    "Crosswise": (("p",), one_probability("crosswise")),
    # The share of the harmless trait.
    "Triangular": (("p",), lambda p: certain_no(single_probability(p))),
    "UQTknown": (
        ("p",),
        lambda p: unrelated(*([value] for value in map(str, two_probabilities(p)))),
    ),
    "FR": (("p",), forced),
    "Kuk": (("p", "Kukrep"), kuk_design),
    # How often a no says no.
    "Mangat": (("p",), lambda p: certain_no(1 - single_probability(p))),
    "custom": (("p",), custom),
}
