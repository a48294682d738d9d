"""The randomization designs of a survey in the notation of the R packages rr and RRreg.

Both packages number the answers 0 (no) and 1 (yes). Candor numbers answers from the first, which is
yes. The matrix of RRreg has a row for each report and a column for each answer. Candor's table is
the reverse.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from survey.core.exact_numbers import exact
from survey.core.mechanisms.classic_designs import MAX_DRAWS
from survey.core.mechanisms.registry import whole_number_parameter
from survey.core.randomizer import Randomizer
from survey.definition.choices import names_of
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.facts import cells_of_reports
from survey.formats.export_bundle.script_files import r_data, script_header, with_survey

Chances = tuple[Fraction, ...]


@dataclass(frozen=True)
class RRregArguments:
    """The arguments of `RRreg::RRuni`.

    Attributes
    ----------
    model : one of these names, with the meaning of p

        * "Warner", "Crosswise": p that a yes is reported as yes, and a no as no
        * "FR": p of a forced no, p of a forced yes
        * "UQTknown": p that the question is asked, p of yes to the unrelated one
        * "Kuk": the share of red cards in the pack for yes, and in the pack for no
        * "Mangat": p that a no is reported as no; a yes is always reported as yes
        * "custom": only the matrix
    draws : Kukrep, the number of cards drawn from a pack
    """

    model: str
    p: Chances
    draws: int = 1


@dataclass(frozen=True)
class RrArguments:
    """The arguments of `rr::rrreg`.

    Attributes
    ----------
    design : one of these names, with the meaning of the arguments

        * "mirrored", "disguised": p that a yes is reported as yes, and a no as no
        * "forced-known": p of the truth, p0 of a forced no, p1 of a forced yes
        * "unrelated-known": p that the question is asked, q of yes to the unrelated one
    given : the arguments other than the design
    turned : whether rr receives the opposite of each report; without this, if a yes is evidence for
        no, its p would be below one half, and its weights negative
    """

    design: str
    given: Mapping[str, Fraction]
    turned: bool = False


@dataclass(frozen=True, kw_only=True)
class RPackageQuestion:
    """What the packages receive for a question with two answers.

    Attributes
    ----------
    answer : the answer whose share they estimate, the first one of the question
    reports : cells of responses.csv, in the order of the packages' 0, 1, ...
    matrix : RRreg's custom p: p[i][j] = Pr(report i | answer j), answers no, yes; None if it would
        not be square
    rr : None if rr has no such design
    """

    question: Question
    answer: str
    reports: tuple[str, ...]
    matrix: tuple[Chances, ...] | None
    rrreg: RRregArguments
    rr: RrArguments | None


def r_package_question(question: Question) -> RPackageQuestion | None:
    """The arguments for a question, or None if the packages do not support it.

    They support questions with two answers and two reports, and Kuk's repeated draws. They do not
    support numbers and non-private questions.
    """
    table = question.table
    if table is None or table.answers != 2 or question.grid is not None:
        return None
    repeated = table.reports > 2
    if repeated and (question.mechanism != "kuk" or question.special_answers):
        return None
    # The transposed table: rows are reports, columns are answers, both with no before yes.
    matrix = tuple(tuple(table.probability(y, x) for x in (1, 0)) for y in (1, 0))
    return RPackageQuestion(
        question=question,
        answer=names_of(question.answers)[0],
        reports=tuple(reversed(cells_of_reports(question))),
        matrix=None if repeated else matrix,
        rrreg=repeated_draws(question) if repeated else in_rrreg(question.mechanism, table),
        rr=None if repeated else in_rr(question.mechanism, table),
    )


def in_rrreg(mechanism: str, table: Randomizer) -> RRregArguments:
    """RRreg's model of the same name if there is one, else the model with the same table."""
    with_it, without = table.probability(0, 0), table.probability(0, 1)  # Pr(yes | yes or no)
    truth = with_it - without
    if mechanism in ("warner", "crosswise"):
        return RRregArguments(mechanism.capitalize(), (with_it,))
    if mechanism == "kuk":
        return RRregArguments("Kuk", (with_it, without))
    if mechanism == "unrelated_question":
        return RRregArguments(
            "UQTknown", (truth, without / (1 - truth) if truth < 1 else Fraction(0))
        )
    forced = RRregArguments("FR", (1 - with_it, without))
    if mechanism in ("coin_flip", "forced_response"):
        return forced
    if with_it + without == 1:
        return RRregArguments("Warner", (with_it,))
    if with_it == 1:
        return RRregArguments("Mangat", (1 - without,))
    return forced if truth > 0 else RRregArguments("custom", ())


def repeated_draws(question: Question) -> RRregArguments:
    privacy = question.privacy or {}
    packs = exact(privacy["p_yes"], "p_yes"), exact(privacy["p_no"], "p_no")
    return RRregArguments(
        "Kuk", packs, whole_number_parameter(privacy["draws"], "draws", 1, MAX_DRAWS)
    )


def in_rr(mechanism: str, table: Randomizer) -> RrArguments:
    with_it, without = table.probability(0, 0), table.probability(0, 1)  # Pr(yes | yes or no)
    turned = with_it < without
    if turned:
        with_it, without = 1 - with_it, 1 - without
    truth = with_it - without
    if mechanism == "unrelated_question" and truth < 1:
        return RrArguments("unrelated-known", {"p": truth, "q": without / (1 - truth)})
    if with_it + without == 1 and mechanism not in ("coin_flip", "forced_response"):
        design = "disguised" if mechanism == "kuk" else "mirrored"
        return RrArguments(design, {"p": with_it}, turned)
    return RrArguments("forced-known", {"p": truth, "p0": 1 - with_it, "p1": without}, turned)


def in_rr_and_rrreg(frozen: FrozenSurvey, origin: str, names: Mapping[str, str]) -> str | None:
    """The R script, or None if the packages support no question. `names` as in script_files.py."""
    handed = [each for each in map(r_package_question, frozen.survey.fields) if each is not None]
    if not handed:
        return None
    lines = r_data(names, [(each.question, "\n".join(r_argument_lines(each))) for each in handed])
    return with_survey("rr-and-RRreg.R", script_header(frozen, origin)[:2], lines)


def r_argument_lines(handed: RPackageQuestion) -> list[str]:
    """The arguments of the packages as R code. Fractions stay fractions."""
    rrreg, rr = handed.rrreg, handed.rr
    lines = [
        f'    name = "{handed.question.name}", column = "{csv_column_names(handed.question)[0]}",',
        f'    answer = "{handed.answer}",',
        f"    reports = c({', '.join(map(json.dumps, handed.reports))}), # 0, 1, ...",
    ]
    if rrreg.model != "custom":
        p = f"p = {r_vector(rrreg.p) if len(rrreg.p) > 1 else rrreg.p[0]}"
        draws = f", Kukrep = {rrreg.draws}" if rrreg.draws > 1 else ""
        lines.append(f'    in_rrreg = quote(list(model = "{rrreg.model}", {p}{draws})),')
    if handed.matrix is not None:
        rows = ", ".join(map(r_vector, handed.matrix))
        matrix = f'list(model = "custom", p = rbind({rows}))'
        lines.append(f"    as_custom = quote({matrix}), # row: report, column: answer; no first")
    if rr is not None:
        values = "".join(f", {name} = {value}" for name, value in rr.given.items())
        lines.append(f'    in_rr = quote(list(design = "{rr.design}"{values})),')
    turned = rr is not None and rr.turned
    return [*lines, f"    turned = {str(turned).upper()} # whether rr is given 1 - y"]


def r_vector(values: Iterable[Fraction]) -> str:
    return f"c({', '.join(map(str, values))})"
