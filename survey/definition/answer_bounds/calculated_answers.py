"""Conditions and derived answers of many respondents at once, from the answers they give.

They serve simulated respondents, and the combinations of answers behind a privacy bound. The rules
are those of static/respondent/questions.js and derived.js. Points are whole numbers below
2^53, and a mean is their sum divided once, so the results are the same to the last bit.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.definition.choices import names_of
from survey.definition.derived_answers import COMBINED, OPERATIONS, POINTS, sources_of
from survey.definition.questions import Question
from survey.definition.types.joint import JointAnswer

# Places in the list of answers; for boxes one column each, 1 if ticked.
Answers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# Two arrays: the lowest and the highest value, whatever the declined answers are.
Ends = tuple[Any, Any]


def fits_condition(parent: Question, answers: Answers, condition: Any) -> Flags:
    """Whether the answers to a question meet a condition on it."""
    if parent.grid is not None:
        low = float(condition.get("min", -np.inf))
        high = float(condition.get("max", np.inf))
        values = float(parent.grid.low) + answers * float(parent.grid.step)
        return (answers < parent.grid.size) & (values >= low - 1e-9) & (values <= high + 1e-9)
    names = names_of(parent.offered)
    places = [names.index(name) for name in condition]
    if answers.ndim == 2:  # boxes
        return np.asarray(answers[:, places].any(axis=1))
    return np.isin(answers, places)


def who_is_asked(
    question: Question,
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
    n: int,
) -> Flags:
    """Who is asked the question, given the answers to earlier ones, and who is asked those."""
    here = who_meets(question.relevant or {}, known, drawn, asked, n)
    if question.may_be_empty:
        here &= offered_choices(question, known, drawn, asked, n).any(axis=1)
    return here


def who_meets(
    conditions: Mapping[str, Any],
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
    n: int,
) -> Flags:
    """Who meets conditions on earlier questions, all of them."""
    here = np.ones(n, dtype=bool)
    for name, condition in conditions.items():
        here &= asked[name] & fits_condition(known[name], drawn[name], condition)
    return here


def offered_choices(
    question: Question,
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
    n: int,
) -> Flags:
    """Who is offered each choice of a question, shape (n, choices)."""
    offered = np.ones((n, len(question.choices)), dtype=bool)
    for condition, places in question.choice_conditions:
        offered[:, places] = who_meets(condition, known, drawn, asked, n)[:, np.newaxis]
    return offered


def declined_place(question: Question) -> int:
    """The place of "prefer not to say" among the answers to a question, if it offers this."""
    return question.grid.size if question.grid is not None else len(question.choices)


def has_declined(question: Question, answers: Answers) -> Flags:
    """Who preferred not to say the answer."""
    if not question.offers_to_decline:
        return np.zeros(len(answers), dtype=bool)
    place = declined_place(question)
    return np.asarray(answers[:, place] == 1 if answers.ndim == 2 else answers == place)


def effective(question: Question, answers: Answers, asked: Flags) -> Answers:
    """The answers that go through the randomizer, including those of questions not asked."""
    if answers.ndim == 2:  # boxes
        names = [special.name for special in question.special_answers]
        full = np.zeros((len(answers), len(question.answers)), dtype=np.int64)
        full[:, : answers.shape[1]] = answers
        hidden = np.zeros(full.shape[1], dtype=np.int64)
        if question.may_be_unasked:
            hidden[len(question.choices) + len(names) - 1] = 1
        for place, choice in enumerate(question.choices):
            hidden[place] |= choice.name in (question.otherwise or [])
        full[~asked] = hidden
        return full
    substantive = question.grid.size if question.grid is not None else len(question.choices)
    not_asked = substantive + question.offers_to_decline
    if question.otherwise is not None:
        not_asked = (
            question.grid.index(question.otherwise)
            if question.grid is not None
            else [choice.name for choice in question.choices].index(question.otherwise)
        )
    return np.where(asked, answers, not_asked)


def derive_answers(
    question: Question,
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
) -> Answers:
    """The derived answer of each respondent, except an experimental arm.

    It is "prefer not to say" if it depends on a declined answer.

    Parameters
    ----------
    known : the questions that it uses, by name
    drawn : their answers, as if everyone was asked
    asked : who is asked each of them
    """
    derived = question.derived or {}
    if "recode" in derived:
        return recoded_answers(question, known, drawn, asked)
    if COMBINED in derived:
        return joint_answers_of(question, known, drawn, asked)
    ends = value_ends(derived, known, drawn, asked)
    low, high = (answers_at(question, values) for values in ends)
    return np.where(low == high, low, declined_place(question))


def value_ends(
    derived: Mapping[str, Any],
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
) -> Ends:
    """The lowest and highest value of a sum, a mean or a number of conditions.

    A mean is of the questions that are asked, or that have an answer for those not asked. Everyone
    who has the result has at least one of these (`require_mean`).
    """
    operation = next(name for name in OPERATIONS if name in derived)
    ends_of = point_ends if operation in POINTS else verdicts
    each = [
        ends_of(entry, known[name], drawn[name], asked[name])
        for name, entry in derived[operation].items()
    ]
    low, high = (np.sum(ends, axis=0, dtype=np.int64) for ends in zip(*each, strict=True))
    if operation != "mean":
        return low, high
    counted = [asked[name] | (known[name].otherwise is not None) for name in derived["mean"]]
    number = np.maximum(np.sum(counted, axis=0), 1)
    return low / number, high / number


def point_ends(points: Any, question: Question, answers: Answers, asked: Flags) -> Ends:
    """The lowest and highest points of the answers to a question.

    A question that is not asked has no points, or those of the answer that the designer set.
    """
    otherwise = question.otherwise
    if question.grid is not None:
        grid = question.grid
        values = int(grid.low) + np.minimum(answers, grid.size - 1) * int(grid.step)
        worth = points * values
        ends = [int(end * points) for end in (grid.low, grid.high)]
        instead = 0 if otherwise is None else points * int(otherwise)
    else:
        of_choices = np.array([points[name] for name in names_of(question.choices)])
        ends = [*of_choices.tolist()]
        if answers.ndim == 2:  # boxes
            worth = answers[:, : len(of_choices)] @ of_choices
            ends = [sum(sign(each, 0) for each in ends) for sign in (min, max)]
            instead = sum(points[name] for name in otherwise or [])
        else:
            worth = of_choices[np.minimum(answers, len(of_choices) - 1)]
            instead = 0 if otherwise is None else points[otherwise]
    declined = has_declined(question, answers)
    low, high = (
        np.where(asked, np.where(declined, end, worth), instead) for end in (min(ends), max(ends))
    )
    return low, high


def verdicts(condition: Any, question: Question, answers: Answers, asked: Flags) -> Ends:
    """Whether a condition holds, and whether it might hold with another answer than a declined one.

    A condition that lists "prefer not to say" holds for declined answers.
    """
    holds = asked & fits_condition(question, answers, condition)
    return holds, holds | (asked & has_declined(question, answers))


def answers_at(question: Question, values: npt.NDArray[np.float64]) -> Answers:
    """The places of the answers to which the values of a sum, mean or count belong."""
    derived, names = question.derived or {}, names_of(question.choices)
    least = derived.get("at_least")
    if "any" in derived or "all" in derived:
        least = 1 if "any" in derived else len(derived["all"])
    if least is not None:
        return np.where(values >= float(least), names.index("yes"), names.index("no"))
    if "bands" in derived:
        bounds = [float(derived["bands"][name]) for name in names]
        return np.maximum(np.searchsorted(bounds, values, side="right") - 1, 0)
    grid = question.number_grid
    # As JavaScript's Math.round, a half is rounded up. Only the mean of no question is below 0.
    places = np.floor((values - float(grid.low)) / float(grid.step) + 0.5).astype(np.int64)
    return np.maximum(places, 0)


def recoded_answers(
    question: Question,
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
) -> Answers:
    """The first answer whose conditions all hold. The last answer has no conditions."""
    derived = question.derived or {}
    n = len(asked[sources_of(derived)[0]])
    found = np.full(n, -1)
    for place, name in enumerate(names_of(question.choices)):
        sure = possible = np.ones(n, dtype=bool)
        for source, condition in derived["recode"][name].items():
            low, high = verdicts(condition, known[source], drawn[source], asked[source])
            sure, possible = sure & low, possible & high
        undecided = found < 0
        found[undecided & sure] = place
        found[undecided & possible & ~sure] = declined_place(question)
    return found


def joint_answers_of(
    question: Question,
    known: Mapping[str, Question],
    drawn: Mapping[str, Answers],
    asked: Mapping[str, Flags],
) -> Answers:
    """The combinations of the answers behind a joint question."""
    items = [known[name] for name in (question.derived or {})["joint"]]
    names = [names_of(item.answers) for item in items]
    # The place of each combination. Those that conditions exclude do not occur.
    places = np.full([len(each) for each in names], -1)
    for place, choice in enumerate(question.choices):
        if isinstance(choice, JointAnswer):
            parts = zip(names, choice.parts, strict=True)
            places[tuple(each.index(part.name) for each, part in parts)] = place
    answers = [effective(item, drawn[item.name], asked[item.name]) for item in items]
    found = np.asarray(places[tuple(answers)])
    if (found < 0).any():
        raise ValueError(f"{question.name} has no such combination of answers.")
    return found
