"""How many respondents ten studies need, before and after derived answers and joint questions.

It writes docs/evidence/ten-studies.md.

    python -m bench.ten_studies

tests/planning/test_ten_studies.py checks the page, and simulates some of the studies.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from bench.evidence import EVIDENCE, markdown_table, wrapped
from survey.core.factored_randomizers import SubsetSelection
from survey.core.mechanisms import CHOICES, build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, unbiased_scores
from survey.definition.survey import Survey, parse_survey
from survey.planning.joint_comparison import DesignComparison, compare_joint_question
from survey.planning.precision import precisions, respondents_needed

DOCUMENT = EVIDENCE / "ten-studies.md"
EPSILON, MARGIN = 2.0, 0.05
# A study with more respondents than this is out of reach.
MOST_RESPONDENTS = 1_000_000

Array = np.ndarray


@dataclass(frozen=True)
class Study:
    """One row of the table.

    Attributes
    ----------
    wanted : what the study estimates
    source : a study that asked these questions
    questions : the questions of the survey with derived answers or a joint question
    before : the respondents for separate or sampled questions with the same total ε, and how
    after : the respondents for the survey, and how
    """

    name: str
    wanted: str
    source: str
    questions: list[dict[str, Any]]
    before: Callable[["Study"], tuple[int, str]]
    after: Callable[["Study"], tuple[int, str]]

    @property
    def survey(self) -> Survey:
        return parse_survey({"slug": "study", "title": self.name, "questions": self.questions})


# The questions of the studies.


def choices(count: int) -> list[dict[str, str]]:
    return [{"name": f"c{place}", "label": str(place)} for place in range(count)]


def unsent(names: list[str], answers: int = 2) -> list[dict[str, Any]]:
    """Questions that stay in the respondent's page."""
    if answers == 2:
        kind: dict[str, Any] = {"type": "yes_no"}
    else:
        kind = {"type": "scale", "choices": choices(answers)}
    return [{"name": name, "label": name, "privacy": "not_sent", **kind} for name in names]


def numbered(count: int) -> list[str]:
    return [f"q{place}" for place in range(1, count + 1)]


def points(count: int, answers: int) -> dict[str, dict[str, int]]:
    """The points of a scale whose first choice has none."""
    each = {f"c{place}": place for place in range(answers)}
    return dict.fromkeys(numbered(count), each)


def result(kind: str, derived: dict[str, Any], **rest: Any) -> dict[str, Any]:
    privacy = {"epsilon": EPSILON}
    return {
        "name": "result",
        "type": kind,
        "label": "Result",
        "derived": derived,
        "privacy": privacy,
    } | rest


def score(count: int, answers: int, cutoff: int) -> list[dict[str, Any]]:
    """A scale of some items, and whether its score is at least the cut-off."""
    derived = {"sum": points(count, answers), "at_least": cutoff}
    return [*unsent(numbered(count), answers), result("yes_no", derived)]


def joint(*names: str) -> list[dict[str, Any]]:
    return [*unsent(list(names)), result("joint", {"joint": list(names)})]


# The numbers of respondents before.


def combined(
    count: int, answers: int, holds: Callable[[Array], Array]
) -> Callable[[Study], tuple[int, str]]:
    """Separate reports with ε / count each, combined by the product of their scores.

    `holds` says for the number of points of each combination whether it counts.
    """

    def respondents(study: Study) -> tuple[int, str]:
        return respondents_needed(least_variance(count, answers, holds), MARGIN), "separate"

    return respondents


@cache
def least_variance(count: int, answers: int, holds: Callable[[Array], Array]) -> float:
    """n times the smallest variance that the product of scores has for any true answers.

    The estimate of a share f has the variance sum_x pi_x E[S^2 | x] - f^2. This is concave in pi,
    so it is smallest if everyone has the same answers.
    """
    chances, scores = table_of(answers, EPSILON / count)
    target = np.zeros((answers,) * count)
    target[...] = holds(np.indices(target.shape).sum(axis=0))
    worth = target
    for _ in range(count):
        # Each axis of answers, first to last, becomes an axis of reports.
        worth = np.tensordot(worth, scores, axes=(0, 1))
    second = worth**2
    for _ in range(count):
        second = np.tensordot(second, chances, axes=(0, 1))
    return float((second - target**2).min())


def table_of(answers: int, epsilon: float) -> tuple[Array, Array]:
    """The probability of each report for each answer, and the scores of the answers for a report.

    The mechanism is the most accurate one for shares.
    """
    randomizer = build_randomizer({"epsilon": epsilon}, CHOICES, answers)
    if isinstance(randomizer, SubsetSelection):
        sets = list(combinations(range(answers), randomizer.size))
        member = np.array([[answer in each for each in sets] for answer in range(answers)])
        p, q = float(randomizer.p), float(randomizer.q)
        inside = math.comb(answers - 1, randomizer.size - 1)
        chances = np.where(member, p / inside, (1 - p) / (len(sets) - inside))
        return chances, ((member - q) / (p - q)).T
    if not isinstance(randomizer, Randomizer):
        raise TypeError(f"{answers} answers have another mechanism.")
    return probabilities(randomizer), unbiased_scores(randomizer, np.eye(answers))


def cells_before(study: Study) -> tuple[int, str]:
    cell = compared(study).separate.cell
    if cell is None:
        raise TypeError("Separate questions have a cross-table.")
    return cell.respondents(MARGIN), "separate"


def shares_before(study: Study) -> tuple[int, str]:
    found = compared(study)
    best = min(found.separate, found.sampled, key=lambda design: design.share_variance)
    return best.share.respondents(MARGIN), best.name


def one_item_of_the_mean(study: Study) -> tuple[int, str]:
    """Each respondent reports on one item, with the whole ε and the best table for a mean.

    The mean score is the mean of the items' means. Each item has n / m of the reports, so the
    variance of the mean score is that of one item with all reports.
    """
    item = unsent(["q1"], 4)[0] | {"privacy": {"epsilon": EPSILON, "goal": "mean"}}
    survey = parse_survey({"slug": "study", "title": "One item", "questions": [item]})
    mean = next(each for each in precisions(survey.private[0]) if each.kind == "mean")
    return mean.respondents(MARGIN * mean.width), "sampled"


def same(study: Study) -> tuple[int, str]:
    return result_after(study)[0], "one question"


# The numbers of respondents after.


def compared(study: Study) -> DesignComparison:
    found = compare_joint_question(study.survey, study.survey.private[0])
    if found is None:
        raise TypeError(f"{study.name} has no joint question.")
    return found


def result_after(study: Study) -> tuple[int, str]:
    """The respondents for the least favourable share of the only private question."""
    (question,) = study.survey.private
    first = precisions(question)[0]
    how = "one question" if question.derived is None else "derived answer"
    return first.respondents(MARGIN * first.width), how


def cells_after(study: Study) -> tuple[int, str]:
    cell = compared(study).joint.cell
    if cell is None:
        raise TypeError("A joint question has a cross-table.")
    return cell.respondents(MARGIN), "joint question"


def shares_after(study: Study) -> tuple[int, str]:
    return compared(study).joint.share.respondents(MARGIN), "joint question"


def at_least(cutoff: int) -> Callable[[Array], Array]:
    return lambda total: total >= cutoff


DAYTON = "Dayton (1998), *Latent Class Scaling Analysis*, data set `cheating` in R's poLCA"
STUDIES = (
    Study(
        "Depression",
        "Share with a PHQ-9 score of at least 10 (9 items with 4 answers)",
        "Kroenke, Spitzer and Williams (2001), J Gen Intern Med 16",
        score(9, 4, 10),
        combined(9, 4, at_least(10)),
        result_after,
    ),
    Study(
        "Drinking",
        "Share of men with an AUDIT-C score of at least 4 (3 items with 5 answers)",
        "Bush et al. (1998), Arch Intern Med 158",
        score(3, 5, 4),
        combined(3, 5, at_least(4)),
        result_after,
    ),
    Study(
        "Adverse childhood experiences",
        "Share with at least 4 of 7 categories",
        "Felitti et al. (1998), Am J Prev Med 14",
        [
            *unsent(numbered(7)),
            result("yes_no", {"count": dict.fromkeys(numbered(7), "yes"), "at_least": 4}),
        ],
        combined(7, 2, at_least(4)),
        result_after,
    ),
    Study(
        "Cheating: any act",
        "Share of students with at least one of 4 acts",
        DAYTON,
        [*unsent(numbered(4)), result("yes_no", {"any": dict.fromkeys(numbered(4), "yes")})],
        combined(4, 2, at_least(1)),
        result_after,
    ),
    Study(
        "Cheating: all acts together",
        "Each of the 16 cells of the table of 4 acts, for example for latent classes",
        DAYTON,
        joint(*numbered(4)),
        cells_before,
        cells_after,
    ),
    Study(
        "Two habits of athletes",
        "Each of the 4 cells of physical by cognitive doping",
        "Schröter et al. (2016), PLoS ONE 11, on triathletes",
        joint("physical", "cognitive"),
        cells_before,
        cells_after,
    ),
    Study(
        "Three habits of pupils",
        "Each of the 8 cells of alcohol by cigarettes by marijuana",
        "Agresti (2002), *Categorical Data Analysis*, the table of 2,276 pupils",
        joint("alcohol", "cigarettes", "marijuana"),
        cells_before,
        cells_after,
    ),
    Study(
        "Tax evasion",
        "Share of each of 2 kinds: income not reported, deductions claimed wrongly",
        "Houston and Tran (2001), Advances in Taxation 13",
        joint("income", "deductions"),
        shares_before,
        shares_after,
    ),
    Study(
        "Anxiety",
        "Mean GAD-7 score (7 items with 4 answers), ± 5 % of its range",
        "Spitzer et al. (2006), Arch Intern Med 166",
        [
            *unsent(numbered(7), 4),
            result(
                "number",
                {"sum": points(7, 4)},
                min=0,
                max=21,
                # With two levels, this is the smallest number for any true answers.
                privacy={"mechanism": "optimal_mean", "epsilon": EPSILON, "points": 2},
            ),
        ],
        one_item_of_the_mean,
        result_after,
    ),
    Study(
        "Doping by event",
        "Share of athletes at each event; the event is not private",
        "Ulrich et al. (2018), Sports Medicine 48",
        [
            {
                "name": "doping",
                "type": "yes_no",
                "label": "Doping",
                "privacy": {"epsilon": EPSILON},
            }
        ],
        same,
        result_after,
    ),
)


@dataclass(frozen=True)
class Row:
    """The respondents of one study before and after, and how."""

    study: Study
    before: int
    how_before: str
    after: int
    how_after: str

    @property
    def part(self) -> float:
        """The respondents after, as a part of those before."""
        return self.after / self.before


@cache
def rows() -> tuple[Row, ...]:
    return tuple(Row(each, *each.before(each), *each.after(each)) for each in STUDIES)


def people(n: int) -> str:
    """A number of respondents, rounded down to a power of ten if it is out of reach."""
    return f"{n:,}" if n <= MOST_RESPONDENTS else f"out of reach (over 10^{len(str(n)) - 1})"


def part_text(row: Row) -> str:
    if row.before > MOST_RESPONDENTS:
        return "possible only now"
    times = row.before / row.after
    return "equal" if times == 1 else f"{times:,.0f}" if times >= 10 else f"{times:.1f}"


def table_row(row: Row) -> list[str]:
    return [
        row.study.name, row.study.wanted, people(row.before), row.how_before, people(row.after),
        row.how_after, part_text(row),
    ]  # fmt: skip


def document() -> str:
    """The page as a text."""
    found = rows()
    fewer = sum(row.part <= 1 / 3 for row in found)
    more = sum(row.part > 1 for row in found) or "no"
    heads = "study", "estimate", "before", "questions before", "now", "questions now", "times fewer"
    table = markdown_table(heads, map(table_row, found))
    sources = "\n".join(f"* **{row.study.name}**: {row.study.source}." for row in found)
    return wrapped(f"""# Ten studies

This page compares two ways to ask the questions of ten published studies, with a total privacy loss
ε of {EPSILON:g}. Before, each item was a private question of its own. Now the page can calculate
[derived answers](../how-to/use-derived-answers.md), and randomise a few questions together (a
[joint question](../reference/definition.md#joint-questions)). In {fewer} of {len(found)} studies,
the number of respondents is at most a third of the number before. It is larger in {more} study.

`python -m bench.ten_studies` writes this page, with the [formulas](../explanation/planning.md) of
the page “Plan”. *tests/planning/test_ten_studies.py* calculates it again, and simulates six of the
numbers.

## Respondents for ± {100 * MARGIN:g} points

An entry is the number of respondents for a 95 % interval of ± {100 * MARGIN:g} percentage points.

{table}

## Assumptions and limits

* **Now**: for the least favourable true share or distribution. For cells, all combinations of
  answers are equally common.
* **Before, separate**: each of m items has ε / m. An estimate for a combination is the product of
  the [scores](../explanation/mathematics.md#scores) of the items. For a score or any of several
  acts, the number is for the *most* favourable true answers.
* **Before, sampled**: each browser picks some items at random, which share ε, in the best number. A
  sample cannot estimate a score above a cut-off, any of several acts, or a table of all items.
* **Out of reach** means more than a million respondents.
* Before, one question could ask whether any of several acts happened, or list up to six boxes with
  one table. The studies ask about each act separately, which reminds respondents of it.
* A joint question protects each answer less: someone who knows the other answers can become up to
  89 % sure of one of two answers, instead of 74 %.
* ± {100 * MARGIN:g} points are too wide for a cell with a few percent of the respondents.

## Sources

{sources}
""")


def main() -> None:
    DOCUMENT.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
