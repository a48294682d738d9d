"""The randomization design of a column, read from one line.

The line has a mechanism of Candor, or a design of the R packages rr and RRreg with its own
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

from survey.core.errors import DataFileError, TotalTooLarge
from survey.core.exact_numbers import probability
from survey.core.integer_rounding import round_outwards
from survey.core.mechanisms import CHOICES, MECHANISMS
from survey.core.randomizer import Randomizer
from survey.core.translate import join_sentences, translate, translate_number

ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*(c\([^()]*\)|[^,()]+?)\s*(?:,|$)")
NUMBER = r"[0-9./eE+-]+"
# R prints rounded probabilities, whose sum differs from 1 by so much.
SUM_TOLERANCE = Fraction(1, 10**9)
# The largest denominator of a simple fraction, such as 2/3.
MAX_SIMPLE_DENOMINATOR = 1_000


@dataclass(frozen=True)
class RandomisationDesign:
    """The randomization design of a column.

    Attributes
    ----------
    privacy : the entry in a definition; empty for the direct question, which is not randomised
    answers : the number of answers; None if the mechanism allows any number
    red_cards : the number of cards drawn if cells count red cards; else 0
    """

    privacy: Mapping[str, Any]
    answers: int | None
    red_cards: int = 0


DIRECT = RandomisationDesign({}, None)


def parse_randomisation_design(text: str) -> RandomisationDesign:
    """Parse a design. Raises DataFileError, and MechanismError for an invalid number."""
    name, _, rest = (part.strip() for part in text.partition(","))
    arguments = arguments_of(rest, text)
    if name in R_PACKAGE_DESIGNS:
        needed, read = R_PACKAGE_DESIGNS[name]
        missing = ", ".join(key for key in needed if key not in arguments and key != "Kukrep")
        unknown = ", ".join(key for key in arguments if key not in needed)
        if missing or unknown:
            fault = join_sentences(
                translate(
                    "%(design)s takes the parameters %(needed)s.",
                    design=name,
                    needed=", ".join(needed),
                ),
                translate("Missing: %(parameters)s.", parameters=missing) if missing else "",
                translate("Unknown: %(parameters)s.", parameters=unknown) if unknown else "",
            )
            raise DataFileError(fault)
        arguments.setdefault("Kukrep", ["1"])  # RRreg draws one card by default.
        return read(*(arguments[key] for key in needed))
    own = MECHANISMS.get(name)
    if own is None or CHOICES not in own.serves:
        mechanism_names = sorted(
            key for key, entry in MECHANISMS.items() if CHOICES in entry.serves
        )
        raise DataFileError(
            "There is no design %(name)s. Use %(own)s, or a design of rr or RRreg: %(others)s.",
            name=repr(name),
            own=", ".join(mechanism_names),
            others=", ".join(R_PACKAGE_DESIGNS),
        )
    privacy: dict[str, Any] = {"mechanism": name}
    privacy |= {key: values[0] if len(values) == 1 else values for key, values in arguments.items()}
    answers = 2 if own.two_answers_only or "p_yes" in privacy else None
    if "rows" in arguments:
        rows = matrix_rows(arguments["rows"], text)
        if not all(cell.isdecimal() for row in rows for cell in row):
            raise DataFileError("The rows of a table must be whole numbers. Correct them.")
        privacy["rows"] = [[int(cell) for cell in row] for row in rows]
        answers = len(rows)
    elif "p_forced" in arguments:
        privacy["p_forced"] = arguments["p_forced"]
        answers = len(arguments["p_forced"])
    elif name == "forced_response" and {"p_truth", "p_yes", "p_no"} == set(arguments):
        chances = [single_probability(values, key) for key, values in arguments.items()]
        privacy |= {
            key: str(chance)
            for key, chance in zip(arguments, normalise_chances(chances), strict=True)
        }
    draws = int(privacy.get("draws", 1)) if str(privacy.get("draws", 1)).isdecimal() else 1
    return RandomisationDesign(privacy, answers, draws if draws > 1 else 0)


def arguments_of(rest: str, text: str) -> dict[str, list[str]]:
    """The values of each argument. Commas or spaces separate list items, and ; separates rows."""
    arguments: dict[str, list[str]] = {}
    at = 0
    while rest[at:].strip():
        match = ARGUMENT.match(rest, at)
        if match is None:
            hint = ""
            if re.search(r"\d,\d", rest):
                hint = translate("Write decimals with a point, as in 0.7.")
            if "[" in rest:
                hint = translate("Write a table by rows: table,rows=5 1;1 5.")
            fault = join_sentences(
                translate(
                    "%(text)s is not a design. Write a name, then NAME=VALUE with commas "
                    "between, such as forced_response,p_truth=2/3,p_yes=1/6,p_no=1/6.",
                    text=repr(text),
                ),
                hint,
            )
            raise DataFileError(fault)
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
            raise DataFileError(
                "%(value)s in %(text)s is not a number. Correct it.",
                value=repr(value),
                text=repr(text),
            )
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        raise DataFileError("The rows in %(text)s differ in length. Correct them.", text=repr(text))
    return rows


# ---- Designs of rr and RRreg ----


def single_probability(values: Sequence[str], name: str = "p") -> Fraction:
    if len(values) != 1:
        raise DataFileError("%(name)s must be one probability. Give one number.", name=name)
    return probability(values[0], name)


def two_probabilities(values: Sequence[str]) -> tuple[Fraction, Fraction]:
    if len(values) != 2:
        raise DataFileError("p must be two probabilities. Write them as c(2/3, 1/4).")
    return probability(values[0], "p"), probability(values[1], "p")


def two_answer_design(mechanism: str, **given: Fraction) -> RandomisationDesign:
    privacy = {"mechanism": mechanism}
    return RandomisationDesign(privacy | {key: str(value) for key, value in given.items()}, 2)


def normalise_chances(chances: Sequence[Fraction]) -> list[Fraction]:
    """Probabilities that add up to exactly 1, from such as R prints: 0.3333333333.

    If their sum is 1 up to rounding, a decimal close to a simple fraction becomes this fraction,
    and all are divided by their sum.

    Raises DataFileError if the sum is not 1 up to rounding.
    """
    total = sum(chances, start=Fraction(0))
    if abs(total - 1) > SUM_TOLERANCE:
        raise DataFileError(
            "The probabilities of the reports add up to %(total)s. They must add up to 1.",
            total=translate_number(f"{float(total):.10g}"),
        )
    simple = [chance.limit_denominator(MAX_SIMPLE_DENOMINATOR) for chance in chances]
    near = [
        fraction if abs(fraction - chance) <= SUM_TOLERANCE else chance
        for chance, fraction in zip(chances, simple, strict=True)
    ]
    total = sum(near, start=Fraction(0))
    return [chance / total for chance in near]


def by_table(*rows: Sequence[Fraction]) -> RandomisationDesign:
    """A design from its table: rows are answers, columns are reports."""
    exact_rows = [normalise_chances(row) for row in rows]
    try:
        table = Randomizer.from_probabilities(exact_rows)
    except TotalTooLarge:
        table = round_outwards(exact_rows)
    return RandomisationDesign(
        {"mechanism": "table", "rows": [list(row) for row in table.rows]}, len(rows)
    )


def forced_design(p: Sequence[str]) -> RandomisationDesign:
    """RRreg's FR: p are the probabilities of a forced 0, 1, ...; with two answers, 0 is no."""
    chances = [probability(value, "p") for value in p]
    truth = 1 - sum(chances, start=Fraction(0))
    if len(chances) < 2 or truth <= 0:
        raise DataFileError(
            "p of FR must be the probabilities of the forced answers. Their sum must be below 1."
        )
    if len(chances) == 2:
        return two_answer_design(
            "forced_response", p_truth=truth, p_yes=chances[1], p_no=chances[0]
        )
    privacy = {"mechanism": "forced_response", "p_truth": str(truth)}
    return RandomisationDesign(
        privacy | {"p_forced": [str(each) for each in chances]}, len(chances)
    )


def custom(p: Sequence[str]) -> RandomisationDesign:
    """RRreg's custom matrix by rows: p[i, j] = Pr(report i | answer j); of two answers, 0 is no."""
    matrix = [[probability(cell, "p") for cell in row] for row in matrix_rows(p, "custom")]
    if len(matrix) != len(matrix[0]):
        raise DataFileError("The matrix of custom must be square. Separate its rows with ;.")
    rows = [list(column) for column in zip(*matrix, strict=True)]
    if len(rows) == 2:  # Candor lists yes first.
        rows = [row[::-1] for row in rows[::-1]]
    return by_table(*rows)


def certain_no(no_says_yes: Fraction) -> RandomisationDesign:
    """A yes is always reported as yes. A no is reported as yes with the given probability."""
    return by_table([Fraction(1), Fraction(0)], [no_says_yes, 1 - no_says_yes])


def one_probability(mechanism: str) -> Callable[[Sequence[str]], RandomisationDesign]:
    """A reader of designs whose only parameter p is that of the mechanism."""
    return lambda p: two_answer_design(mechanism, p=single_probability(p))


def kuk_design(p: Sequence[str], draws: Sequence[str] = ("1",)) -> RandomisationDesign:
    yes, no = two_probabilities(p)
    if not draws[0].isdecimal() or len(draws) != 1:
        raise DataFileError("Kukrep must be a whole number. Correct it.")
    privacy = {"mechanism": "kuk", "p_yes": str(yes), "p_no": str(no), "draws": int(draws[0])}
    return RandomisationDesign(privacy, 2, int(draws[0]) if int(draws[0]) > 1 else 0)


def unrelated_design(p: Sequence[str], q: Sequence[str]) -> RandomisationDesign:
    return two_answer_design(
        "unrelated_question", p=single_probability(p), prevalence=single_probability(q, "q")
    )


def forced_known(p: Sequence[str], p0: Sequence[str], p1: Sequence[str]) -> RandomisationDesign:
    truth, yes, no = normalise_chances(
        [single_probability(p), single_probability(p1, "p1"), single_probability(p0, "p0")]
    )
    return two_answer_design("forced_response", p_truth=truth, p_yes=yes, p_no=no)


# The arguments of each design, and the function that makes it.
R_PACKAGE_DESIGNS: dict[str, tuple[tuple[str, ...], Callable[..., RandomisationDesign]]] = {
    "forced-known": (("p", "p0", "p1"), forced_known),
    "mirrored": (("p",), one_probability("warner")),
    "disguised": (
        ("p",),
        lambda p: two_answer_design(
            "kuk", p_yes=single_probability(p), p_no=1 - single_probability(p)
        ),
    ),
    "unrelated-known": (("p", "q"), unrelated_design),
    "Warner": (("p",), one_probability("warner")),
    "Crosswise": (("p",), one_probability("crosswise")),
    # p is the share of the unrelated trait.
    "Triangular": (("p",), lambda p: certain_no(single_probability(p))),
    "UQTknown": (
        ("p",),
        lambda p: unrelated_design(*([value] for value in map(str, two_probabilities(p)))),
    ),
    "FR": (("p",), forced_design),
    "Kuk": (("p", "Kukrep"), kuk_design),
    # p is the probability that a no is reported as no.
    "Mangat": (("p",), lambda p: certain_no(1 - single_probability(p))),
    "custom": (("p",), custom),
}
