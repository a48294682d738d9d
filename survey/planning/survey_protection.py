"""One protection level for a whole survey, divided among its private questions.

A level limits how sure anyone can become of one answer, and of all answers together. Two things can
be divided: on how many of the private questions each respondent reports, chosen at random
(`sample`), and the ε of each report. The best division needs the fewest respondents for the figure
that needs most; of these, for the figure that needs most of the others; and so on.

For each sample size it is found by bisection. For n respondents, each question gets the smallest ε
with which n respondents are enough for its figures. n is possible if all reports then stay within
the level. The ε are on a grid, which costs at most a few percent of the respondents.

The bounds are exact: those of the survey with these tables, over all conditions and experimental
arms (`Survey.ratio_bound`, `Survey.largest_ratio_bound`).
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.mechanisms.registry import MECHANISMS
from survey.core.processor_time import require_time
from survey.core.scores import Array
from survey.definition.choices import names_of
from survey.definition.known_tables import KnownTables, is_for_quantiles, randomizer_of
from survey.definition.protection_levels import COIN_FLIP, MEDIUM, privacy_of_level
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey
from survey.definition.survey_level import (
    REVEALS_MORE,
    SURVEY_LEVELS,
    Figure,
    SurveyLevel,
    SurveyProtection,
)
from survey.estimation.types.joint_items import item_questions
from survey.planning.arms import share_asked_all, share_in_arms
from survey.planning.joint_comparison import (
    cell_of_products,
    joint_candidates,
    possible_combinations,
)
from survey.planning.precision import (
    ExpectedPrecision,
    goal_precisions,
    is_for_one_estimate,
    planned_precisions,
)

# The margin of main figures, as half the width of a 95 % interval and a part of the range.
MAIN_MARGIN = 0.05
# Without main figures, all are. Otherwise the margin of the others may be twice as large.
OTHER_MARGIN = 2 * MAIN_MARGIN
# The ε of coin flips, rounded up so that Candor finds their likelihood ratio, 3:1.
COIN_FLIP_EPSILON = "1.0987"
# Ratios of 2:1, 3:1 and 4:1 have tables with small numbers. The smaller ε of a pair is for tables
# whose ratio is not one of small numbers, and must not be above 3 or 4.
SIMPLE_EPSILONS = ("0.6932", "1.0986", COIN_FLIP_EPSILON, "1.3862", "1.3863")
# In steps of one percent. With a larger ε, someone could become more than 80 % sure of one answer.
EPSILONS = tuple(
    sorted((*(f"{0.01 * 1.01**step:.4f}" for step in range(495)), *SIMPLE_EPSILONS), key=float)
)
PLACES = range(len(EPSILONS))
SOME_PLACES = (*PLACES[::10], PLACES[-1])
# Tables that take long to calculate are calculated at every hundredth ε only, and their precision
# is interpolated between these. In logarithms, it is nearly a straight line.
STEP_OF_SLOW_TABLES = 100
# More than the relative error of the exponential function.
ROUNDING = 1e-12
MAX_NEEDED = 10_000_000
# The bisection ends when the number of respondents is known within 0.2 %.
PARTS_OF_NEEDED = 500


@dataclass(frozen=True, kw_only=True)
class Division:
    """A level divided among the private questions of a survey.

    Attributes
    ----------
    survey : the survey with this protection
    respondents : how many are needed for a margin of 5 points, as a part of the range, of all main
        figures, and of 10 points of the others
    """

    survey: Survey
    respondents: int

    @property
    def per_respondent(self) -> int | None:
        """The number of private questions on which each respondent reports; None for all."""
        return self.survey.budget.sample

    @property
    def exceeds_population(self) -> bool:
        """Whether the population of the survey has fewer people than are needed."""
        size = self.survey.fieldwork.results_about
        return isinstance(size, int) and self.respondents > size


def divide_protection(
    survey: Survey,
    level: SurveyLevel,
    main: Collection[Figure] = (),
    kept: Collection[str] | None = None,
) -> Division:
    """The best division of a level.

    Parameters
    ----------
    main : the main figures, of questions that do not keep their protection; by default the shares
        and means of every private question
    kept : the names of the questions that keep their protection; by default those with a mechanism
        that was chosen by hand (`chosen_by_hand`)

    Raises
    ------
    UnanswerableQuestion
        If no division keeps the level, or if there is nothing to divide.
    """
    kept = chosen_by_hand(survey) if kept is None else kept
    found, search = None, DivisionSearch(survey=survey, level=level, main=main, kept=kept)
    if survey.fieldwork.by_hand:
        raise UnanswerableQuestion(
            "In paper-and-coin mode, all private questions keep their coin flips, so there is "
            "nothing to divide. Set their protection by hand."
        )
    if not search.divided:
        raise UnanswerableQuestion(
            "All private questions keep their protection, so there is nothing to divide."
        )
    for sample in search.samples:
        found = search.best(sample, found.respondents - 1 if found else None) or found
    if found is not None:
        return found
    if any(search.keeps(sample, search.smallest_places) for sample in search.samples):
        raise UnanswerableQuestion(
            "This level needs more than %(most)s respondents. Choose another one.",
            most=f"{MAX_NEEDED:,}",
        )
    raise UnanswerableQuestion(
        "The questions that keep their protection reveal more than this level allows. "
        "Choose another level, or let Candor protect these questions, too."
    )


def divide_again(
    survey: Survey, protection: SurveyProtection, before: Survey | None = None
) -> Survey:
    """The survey with a level, divided among the questions that do not keep their protection.

    `before` is an earlier version, whose division may still be the best one. Raises DefinitionError
    if no division keeps the level, or if the survey then breaks a rule.
    """
    try:
        found = division_of_rest(survey, protection, before)
    except UnanswerableQuestion as error:
        raise DefinitionError("protection.level", str(error), "divided") from error
    return state_level(survey if found is None else found.survey, protection)


def division_of_rest(
    survey: Survey, protection: SurveyProtection, before: Survey | None = None
) -> Division | None:
    """The best division of what the questions by hand leave of a level; None if all are by hand.

    `before` is an earlier version. If only texts have changed since, its division is the best one,
    and is not searched again. Raises UnanswerableQuestion if no division keeps the level.
    """
    level = SURVEY_LEVELS[protection.level]
    if (
        before is not None
        and before.protection == protection
        and what_divides(before, protection.kept) == what_divides(survey, protection.kept)
    ):
        return division_of_before(survey, before)
    if any(each.name not in protection.kept for each in survey.private):
        return divide_protection(survey, level, protection.main, protection.kept)
    if not level.allows(survey.largest_ratio_bound, survey.ratio_bound):
        raise UnanswerableQuestion(REVEALS_MORE)
    return None


def what_divides(survey: Survey, kept: Collection[str]) -> object:
    """Everything on which the division of a level depends, but the level itself."""
    private = [
        (each.name, QuestionForm.of(each, survey), each.name in kept and each.privacy)
        for each in survey.private
    ]
    every = [
        (each.name, each.relevant, each.derived, each.known_share, each.sent, len(each.choices))
        for each in survey.questions
    ]
    return private, every, survey.fieldwork.by_hand, survey.fieldwork.results_about


def division_of_before(survey: Survey, before: Survey) -> Division | None:
    """The division of an earlier version on which nothing has changed since."""
    protection = before.protection
    if protection is None or not survey.private:
        return None
    tables = {each.name: (each.privacy, each.randomizer) for each in before.private}
    questions = tuple(
        replace(each, privacy=tables[each.name][0], randomizer=tables[each.name][1])
        if each.name in tables
        else each
        for each in survey.questions
    )
    budget = replace(survey.budget, sample=before.budget.sample, at_most=False)
    divided = replace(survey, questions=questions, budget=budget)
    search = DivisionSearch(
        survey=divided,
        level=SURVEY_LEVELS[protection.level],
        main=protection.main,
        kept=[each.name for each in divided.private],
    )
    needed = max(search.needed_by_kept(divided.budget.sample), search.needed_by_pairs())
    return Division(survey=divided, respondents=needed)


def state_level(survey: Survey, protection: SurveyProtection) -> Survey:
    """The survey whose definition states this level. Raises DefinitionError if it does not fit."""
    stated = replace(survey, protection=protection)
    return parse_survey(stated.as_definition(), tables=KnownTables.of(stated.questions))


def chosen_by_hand(survey: Survey) -> tuple[str, ...]:
    """The names of the private questions whose mechanism was chosen by hand.

    Other entries name only an ε, or are the coin flips that Candor proposes.
    """
    return tuple(
        each.name
        for each in survey.private
        if each.privacy != COIN_FLIP and "mechanism" in (each.privacy or {})
    )


def cross_tabulations(survey: Survey, names: Collection[str]) -> tuple[Figure, ...]:
    """Each two of these questions of which Candor can plan a cross-tabulation.

    They have one choice, not for its mean alone, and an experimental arm asks both.
    """
    single = [
        each
        for each in joint_candidates(survey)
        if each.name in names and not is_for_one_estimate(each)
    ]
    return tuple(
        (one.name, other.name)
        for one, other in combinations(single, 2)
        if share_asked_all((one, other), survey) and possible_combinations((one, other)).any()
    )


@dataclass(frozen=True, kw_only=True)
class NeededFigure:
    """The estimates of a question, or of the cells of two, and what their margin depends on.

    Attributes
    ----------
    names : the question, or both
    margin : the largest one, as a part of the range
    in_arms : the share of respondents in the experimental arms that ask it, or both
    forms : what is known about the tables of each question
    possible : the combinations of answers of two questions, 1 if their conditions permit it
    """

    names: Figure
    margin: float
    in_arms: float
    forms: tuple["Protections", ...]
    possible: Array | None = None

    @cached_property
    def key(self) -> object:
        """The same for figures that need the same number of respondents."""
        cells = None if self.possible is None else self.possible.tobytes()
        return self.forms, self.margin, self.in_arms, cells


@dataclass(frozen=True, kw_only=True)
class DivisionSearch:
    """The search for the best division of a level."""

    survey: Survey
    level: SurveyLevel
    main: Collection[Figure]
    kept: Collection[str]

    @cached_property
    def divided(self) -> dict[str, "Protections"]:
        """The questions that share the protection, with what is known about their tables."""
        return {
            each.name: protections(QuestionForm.of(each, self.survey))
            for each in self.survey.private
            if each.name not in self.kept and share_in_arms(each, self.survey)
        }

    @property
    def samples(self) -> Iterator[int | None]:
        """The sample sizes. All questions, which is simplest for respondents, come first."""
        return iter((None, *range(self.private - 1, 0, -1)))

    @property
    def smallest_places(self) -> dict[str, int]:
        return dict.fromkeys(self.divided, PLACES[0])

    def margin(self, figure: Figure) -> float:
        """The largest margin of a figure, as a part of the range."""
        return MAIN_MARGIN if not self.main or figure in self.main else OTHER_MARGIN

    @cached_property
    def figures(self) -> tuple[NeededFigure, ...]:
        """The figures of the questions that share the protection."""
        pairs = (each for each in self.main if len(each) > 1)
        found = []
        for names in (*((name,) for name in self.divided), *pairs):
            items = [each for each in self.survey.private if each.name in names]
            found.append(
                NeededFigure(
                    names=names,
                    margin=self.margin(names),
                    in_arms=float(share_asked_all(items, self.survey)),
                    forms=tuple(self.divided[name] for name in names),
                    possible=possible_combinations(items) if len(items) > 1 else None,
                )
            )
        return tuple(found)

    def needed_by_kept(self, sample: int | None) -> int:
        """The respondents for the figures of the questions that keep their protection."""
        survey = self.survey_with(sample, {})
        return max(
            (
                figure.respondents(self.margin((kept.name,)) * figure.width)
                for kept in survey.private
                if kept.name not in self.divided
                for _, figure in planned_precisions(survey, None, [kept])
            ),
            default=1,
        )

    def needed_by_pairs(self) -> int:
        """The respondents for the cross-tabulations of the survey as it is protected now."""
        needed = [1]
        for names in (each for each in self.main if len(each) > 1):
            items = [each for each in self.survey.private if each.name in names]
            cell = cell_of_products(items, possible_combinations(items), self.survey)
            share = cell.reported * self.share_reporting(self.survey.budget.sample, len(names))
            needed.append(
                replace(cell, reported=share).respondents(self.margin(names) * cell.width)
            )
        return max(needed)

    def best(self, sample: int | None, most: int | None) -> Division | None:
        """The best division with this sample, if it needs at most this many respondents."""
        by_kept, fixed = self.needed_by_kept(sample), dict[str, int]()
        if most is not None and by_kept > most:
            return None
        found = self.least(sample, fixed, MAX_NEEDED if most is None else min(most, MAX_NEEDED))
        if found is None:
            return None
        respondents, places = found
        while len(fixed) < len(self.divided):
            can_grow: dict[object, bool] = {}
            for name, place in places.items():
                role = self.roles[name], place
                if name not in fixed and role not in can_grow:
                    larger = places | {name: place + 1}
                    can_grow[role] = place < PLACES[-1] and self.keeps(sample, larger)
            stuck = {
                name: place
                for name, place in places.items()
                if name not in fixed and not can_grow[self.roles[name], place]
            }
            fixed |= stuck or places
            better = self.least(sample, fixed, respondents)
            places = places if better is None else better[1]
        needed = (self.respondents(sample, figure, places, exact=True) for figure in self.figures)
        return Division(survey=self.survey_with(sample, places), respondents=max(by_kept, *needed))

    def least(
        self, sample: int | None, fixed: Mapping[str, int], most: int
    ) -> tuple[int, dict[str, int]] | None:
        """The least number of respondents for the questions whose ε is not fixed.

        It comes with the place of the ε of each question. None if it is above `most`.
        """
        low, high, found = 0, most, None
        middle = high
        while found is None or high - low > max(1, high // PARTS_OF_NEEDED):
            require_time()
            places = self.smallest(sample, middle, fixed)
            if places is not None and self.keeps(sample, places):
                found, high = places, middle
            elif found is None:
                return None
            else:
                low = middle
            # Numbers of respondents are compared by their ratio.
            middle = round(math.sqrt(max(low, 1) * high))
            if middle in (low, high):
                break
        return high, found

    def smallest(
        self, sample: int | None, n: int, fixed: Mapping[str, int]
    ) -> dict[str, int] | None:
        """The place of the smallest ε of each question with which n respondents are enough.

        None if even the largest ε is not enough for a figure.
        """
        places = dict(fixed)
        # Figures that depend on the same need the same ε.
        alike: dict[object, int | None] = {}
        for figure in self.figures:
            free = [name for name in figure.names if name not in fixed]
            if not free:
                continue

            def need(place: int, figure: NeededFigure = figure) -> int:
                return self.respondents(
                    sample, figure, {**dict.fromkeys(figure.names, place), **fixed}
                )

            key = figure.key, tuple(fixed.get(name) for name in figure.names)
            if key not in alike:
                alike[key] = smallest_place(need, n)
            place = alike[key]
            if place is None:
                return None
            places |= {name: max(place, places.get(name, 0)) for name in free}
        return places

    def respondents(
        self,
        sample: int | None,
        figure: NeededFigure,
        places: Mapping[str, int],
        *,
        exact: bool = False,
    ) -> int:
        """The respondents for the least precise estimate of a figure."""
        reported = figure.in_arms * self.share_reporting(sample, len(figure.names))
        if not reported:
            return MAX_NEEDED + 1
        at = tuple(places[name] for name in figure.names)
        key = figure.key, at, sample, exact
        if key not in self.needs:
            about = self.survey.fieldwork.results_about
            self.needs[key] = max(
                replace(each, reported=reported * each.reported, results_about=about).respondents(
                    figure.margin * each.width
                )
                for each in self.precisions(figure, at, exact=exact)
            )
        return self.needs[key]

    def precisions(
        self, figure: NeededFigure, at: tuple[int, ...], *, exact: bool
    ) -> tuple[ExpectedPrecision, ...]:
        """The precision of a figure with these ε, if all report."""
        if figure.possible is None:
            return figure.forms[0].precisions(at[0], exact=exact)
        if (figure.key, at) not in self.cells:
            items = [form.question_at(p) for form, p in zip(figure.forms, at, strict=True)]
            self.cells[figure.key, at] = cell_of_products(items, figure.possible, None)
        return (self.cells[figure.key, at],)

    @cached_property
    def needs(self) -> dict[object, int]:
        """The respondents that were calculated."""
        return {}

    @cached_property
    def cells(self) -> dict[object, ExpectedPrecision]:
        """The precision of cells that was calculated."""
        return {}

    def share_reporting(self, sample: int | None, questions: int) -> float:
        """The share of those asked one question, or two, who report on it, or on both."""
        drawn = sample or self.private
        return math.prod((drawn - each) / (self.private - each) for each in range(questions))

    @cached_property
    def shared_answers(self) -> tuple[tuple[Question, tuple[str, ...]], ...]:
        """The answers on which several reports depend, with the names of these reports."""
        reports = (
            (each, tuple(report.name for report in self.survey.reports_about(each)))
            for each in self.survey.answers_with_bounds
            if each.known_share is None
        )
        return tuple((each, names) for each, names in reports if len(names) > 1)

    @cached_property
    def private(self) -> int:
        """The number of private questions."""
        return len(self.survey.private)

    @cached_property
    def bounds_by_hand(self) -> dict[str, Fraction | None]:
        """The bounds of the protected questions whose protection is not divided."""
        return {
            each.name: each.ratio_bound
            for each in self.survey.protected
            if each.name not in self.divided
        }

    @cached_property
    def asked_in_arms(self) -> list[tuple[list[str], list[str]]]:
        """For each combination of arms, the private questions, and the protected others."""
        return [
            (
                [each.name for each in asked if not each.non_private],
                [each.name for each in asked if each.non_private],
            )
            for asked in self.survey.in_each_arm(self.survey.protected)
        ]

    @cached_property
    def roles(self) -> dict[str, object]:
        """The same value for divided questions that the level and all figures treat alike."""
        shared = {name for _, names in self.shared_answers for name in names}
        pairs = {name for each in self.main if len(each) > 1 for name in each}
        return {
            name: (
                name if name in shared | pairs else form.form,
                self.margin((name,)),
                tuple(name in private for private, _ in self.asked_in_arms),
            )
            for name, form in self.divided.items()
        }

    def keeps(self, sample: int | None, places: Mapping[str, int]) -> bool:
        """Whether all reports together stay within the level, and those about each answer."""
        bounds = self.bounds_by_hand | {
            name: self.divided[name].ratio_bound(place) for name, place in places.items()
        }
        finite = {name: bound for name, bound in bounds.items() if bound is not None}
        if len(finite) < len(bounds) or max(finite.values()) > self.level.about_one:
            return False
        for private, others in self.asked_in_arms:
            together = math.prod((finite[name] for name in others), start=Fraction(1))
            together *= product_of_largest((finite[name] for name in private), sample)
            if together > self.level.about_all:
                return False
        # The product is an upper bound. Where it is too large, the exact bound may be smaller.
        unsure = [
            each
            for each, names in self.shared_answers
            if math.prod(finite[name] for name in names) > self.level.about_one
        ]
        if not unsure:
            return True
        survey = self.survey_with(sample, places)
        exact = (survey.ratio_bound_about(each) for each in unsure)
        return all(bound is not None and bound <= self.level.about_one for bound in exact)

    def survey_with(self, sample: int | None, places: Mapping[str, int]) -> Survey:
        """The survey with these ε."""
        tables = {name: self.divided[name].question_at(place) for name, place in places.items()}
        return replace(
            self.survey,
            questions=tuple(
                replace(
                    each,
                    privacy=tables[each.name].privacy,
                    randomizer=tables[each.name].randomizer,
                )
                if each.name in tables
                else each
                for each in self.survey.questions
            ),
            budget=replace(self.survey.budget, sample=sample, at_most=False),
        )


def product_of_largest(bounds: Iterable[Fraction], most: int | None) -> Fraction:
    """The largest product of at most this many of the bounds; without a number, of all."""
    product, left = Fraction(1), most
    for bound, n in sorted(Counter(bounds).items(), reverse=True):
        taken = n if left is None else min(n, left)
        product *= bound**taken
        left = None if left is None else left - taken
    return product


def smallest_place(need: Callable[[int], int], n: int) -> int | None:
    """The place of the smallest ε with which n respondents are enough, or None.

    A larger ε can need a few more respondents where a mechanism changes its form. So the search
    begins at the first of some ε with which n are enough.
    """
    enough = next((place for place in SOME_PLACES if need(place) <= n), None)
    if enough is None:
        return None
    below = max((place for place in SOME_PLACES if place < enough), default=-1)
    return bisect_left(PLACES, -n, below + 1, enough, key=lambda each: -need(each))


@dataclass(frozen=True, kw_only=True)
class QuestionForm:
    """What the tables of a question, and the precision of its figures, depend on.

    Attributes
    ----------
    answers : the number of choices, or the names of the answers of a joint question
    items : the names of the answers of each question behind a joint question
    privacy : the entry `privacy` without its ε
    question, survey : one of this form, and its survey
    """

    kind: str
    answers: int | tuple[str, ...]
    items: tuple[tuple[str, ...], ...]
    grid: str
    special_answers: tuple[str, ...]
    privacy: tuple[tuple[str, Any], ...]
    question: Question = field(compare=False)
    survey: Survey = field(compare=False)

    @classmethod
    def of(cls, question: Question, survey: Survey) -> "QuestionForm":
        names = tuple(names_of(question.choices))
        return cls(
            kind=question.type,
            answers=names if question.joined else len(names),
            items=tuple(tuple(names_of(each.answers)) for each in survey.items_of(question)),
            grid=repr(question.grid),
            special_answers=tuple(names_of(question.special_answers)),
            privacy=tuple(sorted(without_mechanism(question).items())),
            question=question,
            survey=survey,
        )


def without_mechanism(question: Question) -> dict[str, Any]:
    """The entry `privacy` without a mechanism chosen by hand, and without its ε."""
    privacy = question.privacy or {}
    if "mechanism" in privacy:
        goal = "quantiles" if is_for_quantiles(privacy) else ""
        privacy = privacy_of_level(MEDIUM, question.kind, goal)
    return {name: value for name, value in privacy.items() if name not in ("mechanism", "epsilon")}


# A draft is divided again after each change, and drafts have few forms of questions.
@lru_cache(maxsize=512)
def protections(form: QuestionForm) -> "Protections":
    return Protections(form)


class Protections:
    """The tables of questions of one form for each ε, and the precision of their figures."""

    def __init__(self, form: QuestionForm):
        self.form = form
        self.tables: dict[int, Question] = {}
        self.found: dict[int, tuple[ExpectedPrecision, ...]] = {}

    def entry(self, place: int) -> dict[str, Any]:
        """The entry `privacy` of the question."""
        epsilon = EPSILONS[place]
        if epsilon == COIN_FLIP_EPSILON and len(self.form.question.answers) == 2:
            return dict(COIN_FLIP)
        return {"epsilon": epsilon} | dict(self.form.privacy)

    def question_at(self, place: int) -> Question:
        """The question with the table of this ε."""
        if place not in self.tables:
            require_time()
            question, privacy = self.form.question, self.entry(place)
            randomizer = randomizer_of(
                privacy,
                question.type,
                len(question.choices),
                question.grid,
                len(question.special_answers),
                "privacy",
                KnownTables(max_work=None),
            )
            self.tables[place] = replace(question, privacy=privacy, randomizer=randomizer)
        return self.tables[place]

    @cached_property
    def is_slow(self) -> bool:
        """Whether its tables take long to calculate."""
        chosen = MECHANISMS[self.question_at(0).mechanism]
        return chosen.slow or chosen.fixed_work > 0

    def ratio_bound(self, place: int) -> Fraction | None:
        """The likelihood ratio bound of the table, or one that is hardly above it."""
        if place in self.tables or not self.is_slow:
            return self.question_at(place).ratio_bound
        return Fraction(math.exp(float(EPSILONS[place])) * (1 + ROUNDING))

    def precisions(self, place: int, *, exact: bool) -> tuple[ExpectedPrecision, ...]:
        """The precision of each figure with this ε, if all report."""
        if place not in self.found and not exact and self.is_slow:
            low = place - place % STEP_OF_SLOW_TABLES
            high = min(low + STEP_OF_SLOW_TABLES, PLACES[-1])
            if low < place < high:
                return self.between(low, high, place)
        if place not in self.found:
            question = self.question_at(place)
            behind = item_questions(self.form.survey, question)
            self.found[place] = tuple(
                figure for each in (question, *behind) for figure in goal_precisions(each)
            )
        return self.found[place]

    def between(self, low: int, high: int, place: int) -> tuple[ExpectedPrecision, ...]:
        """The precision between two calculated ε."""
        below, above, here = (math.log(float(EPSILONS[each])) for each in (low, high, place))
        part = (here - below) / (above - below)
        return tuple(
            replace(one, variance=one.variance ** (1 - part) * other.variance**part)
            for one, other in zip(
                self.precisions(low, exact=True), self.precisions(high, exact=True), strict=True
            )
        )
