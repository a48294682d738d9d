"""Simulated respondents: true answers drawn from assumed shares, then randomised with the tables.

They serve to try a survey before anyone is asked. They protect nobody, so numpy's generator is
sufficient. Reports of real respondents come only from the browser.

Answers to different questions are related through groups of respondents, and independent within a
group. A correlation for each pair of questions would have no meaning for choices without an order,
and some sets of correlations are impossible.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from survey.core.factored_randomizers import Boxes, FactoredRandomizer, SubsetSelection
from survey.core.processor_time import require_time
from survey.definition.answer_bounds.calculated_answers import (
    Answers,
    Flags,
    derive_answers,
    effective,
    offered_choices,
    who_is_asked,
)
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey
from survey.estimation.pilot_truth import AssumedGroup
from survey.planning.types import PLANNING
from survey.planning.types.select_multiple import rows_as_texts

# The number of respondents drawn at once.
BATCH_RESPONDENTS = 10_000

Truth = Mapping[str, Sequence[float]]
Row = tuple[Stored | None, ...]


def simulate_responses(
    survey: Survey, truth: Truth, n: int, seed: int | None
) -> Iterator[list[Response]]:
    """Batches of n responses in total. The same seed gives the same reports with new ids."""
    everyone = (AssumedGroup(1.0, truth),)
    for reports, _ in simulate_groups(survey, everyone, n, seed):
        yield [Response(secrets.token_bytes(16), row) for row in reports]


def simulate_groups(
    survey: Survey, groups: Sequence[AssumedGroup], n: int, seed: int | None
) -> Iterator[tuple[list[Row], list[Row]]]:
    """Batches of n respondents in total: their stored reports, and their true answers.

    Each respondent belongs to one group at random, with its share as the probability. The rows of
    both lists have the same order. The true answers are those that `pilot_answers_of`
    (survey/definition/sub_surveys.py) stores.

    Parameters
    ----------
    groups : their shares add up to 1
    """
    generator = np.random.default_rng(seed)
    shares = [group.share for group in groups]
    for start in range(0, n, BATCH_RESPONDENTS):
        require_time()
        sizes = generator.multinomial(min(BATCH_RESPONDENTS, n - start), shares).tolist()
        reports, answers = list[Row](), list[Row]()
        for group, size in zip(groups, sizes, strict=True):
            if size:
                drawn = draw_answers(survey, group.truth, size, generator)
                reports += zip(*randomise_answers(survey, drawn, size, generator), strict=True)
                answers += zip(*as_stored(drawn, survey), strict=True)
        yield reports, answers


def simulate_reports(
    survey: Survey, truth: Truth, n: int, generator: np.random.Generator
) -> list[list[Stored | None]]:
    """The stored reports of n simulated respondents, one list for each field.

    Answers to different questions are independent, except for relevance and derived answers.

    Parameters
    ----------
    truth : for each question, the shares that `read_truth` returns
    """
    return randomise_answers(survey, draw_answers(survey, truth, n, generator), n, generator)


def draw_answers(
    survey: Survey, truth: Truth, n: int, generator: np.random.Generator
) -> dict[str, Answers]:
    """The answers of n respondents that go through the randomizers, for each question.

    Free texts have none.
    """
    drawn, asked = answer_questions(survey, truth, n, generator)
    return {
        question.name: effective(question, drawn[question.name], asked[question.name])
        for question in survey.listed_fields
    }


def answer_questions(
    survey: Survey, truth: Truth, n: int, generator: np.random.Generator
) -> tuple[dict[str, Answers], dict[str, Flags]]:
    """The answers of n respondents to all questions except texts, and who is asked each of them.

    The answers are as if everyone was asked, and include those that are not sent. Derived answers
    without assumed shares are calculated from them.
    """
    known = {question.name: question for question in survey.simulated}
    drawn: dict[str, Answers] = {}
    asked: dict[str, Flags] = {}
    for name, question in known.items():
        asked[name] = who_is_asked(question, known, drawn, asked, n)
        if question.choice_conditions:
            offered = offered_choices(question, known, drawn, asked, n)
            drawn[name] = PLANNING[question].draw_offered(truth[name], offered, generator)
        elif name in truth:
            drawn[name] = PLANNING[question].draw(truth[name], n, generator)
        else:
            drawn[name] = derive_answers(question, known, drawn, asked)
    return drawn, asked


def randomise_answers(
    survey: Survey, answers: Mapping[str, Answers], n: int, generator: np.random.Generator
) -> list[list[Stored | None]]:
    """The stored reports of these respondents, one list for each field. Texts are empty."""
    picked = picks(survey, n, generator)
    columns: list[list[Stored | None]] = []
    for question in survey.fields:
        if question.name not in answers:
            columns.append([""] * n)
            continue
        reports = reports_of(question, answers[question.name], generator)
        chosen = picked.get(question.name)
        columns.append(
            [*reports]
            if chosen is None
            else [report if here else None for report, here in zip(reports, chosen, strict=True)]
        )
    return columns


def as_stored(answers: Mapping[str, Answers], survey: Survey) -> list[list[Stored]]:
    """The true answers as they would be stored without randomisation, except texts."""
    return [
        PLANNING[question].store_unrandomised(answers[question.name])
        for question in survey.listed_fields
    ]


def picks(survey: Survey, n: int, generator: np.random.Generator) -> dict[str, Flags]:
    """Who reports on which private question, if each respondent reports on a random sample."""
    sample = survey.budget.sample
    if sample is None:
        return {}
    order = generator.random((n, len(survey.private))).argsort(axis=1)
    return {
        question.name: np.asarray((order[:, :sample] == place).any(axis=1))
        for place, question in enumerate(survey.private)
    }


def reports_of(
    question: Question, answers: Answers, generator: np.random.Generator
) -> list[Stored]:
    """The stored reports to these answers."""
    randomizer = question.randomizer
    if isinstance(randomizer, FactoredRandomizer):
        return bit_reports(randomizer, answers, generator)
    if randomizer is None:
        return PLANNING[question].store_unrandomised(answers)
    rows = PLANNING[question].rows(randomizer, answers, generator)
    # Larger integers than those of numpy are divided by a power of two.
    excess = max(0, randomizer.total.bit_length() - 62)
    ends = np.array([[end >> excess for end in accumulate(row)] for row in randomizer.rows])
    tickets = generator.integers(0, ends[0, -1], size=len(rows))
    return list((tickets[:, np.newaxis] >= ends[rows]).sum(axis=1).tolist())


def bit_reports(
    randomizer: FactoredRandomizer, answers: Answers, generator: np.random.Generator
) -> list[Stored]:
    n, k = len(answers), randomizer.answers
    order = generator.random((n, k))
    if isinstance(randomizer, SubsetSelection):
        inside = generator.random(n) < float(randomizer.p)
        # The answer comes first if it is included and last if not. The others have random places.
        order[np.arange(n), answers] = np.where(inside, -1.0, 2.0)
        return rows_as_texts(np.where(smallest(order, randomizer.size), "1", "0"))
    coins = np.array(randomizer.as_json()["rows"], dtype=np.float64)
    bits = answers if isinstance(randomizer, Boxes) else np.eye(k, dtype=np.int64)[answers]
    chances = (coins[:, 0] / coins.sum(axis=1))[1 - bits]
    letters = np.where(generator.random((n, k)) < chances, "1", "0")
    return rows_as_texts(np.where(smallest(order, randomizer.reported), letters, "-"))


def smallest(order: npt.NDArray[np.float64], count: int) -> Flags:
    """Which entries are among the `count` smallest of their row."""
    is_smallest = np.zeros(order.shape, dtype=bool)
    first = np.argpartition(order, count - 1, axis=1)[:, :count]
    np.put_along_axis(is_smallest, first, True, axis=1)
    return is_smallest
