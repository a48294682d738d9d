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
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from survey.core.errors import UnanswerableQuestion
from survey.core.mechanisms.registry import MECHANISMS
from survey.core.translate import later
from survey.definition.known_tables import KnownTables, randomizer_of
from survey.definition.protection_levels import COIN_FLIP
from survey.definition.questions import Question
from survey.definition.survey import PrivacyBudget, Survey
from survey.planning.arms import share_in_arms
from survey.planning.joint_comparison import cell_of_products
from survey.planning.precision import ExpectedPrecision, precisions

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
# Tables that take long to calculate are calculated at every thirtieth ε only, and their precision
# is interpolated between these. In logarithms, it is nearly a straight line.
STEP_OF_SLOW_TABLES = 30
# More than the relative error of the exponential function.
ROUNDING = 1e-12
MAX_NEEDED = 10_000_000
# The bisection ends when the number of respondents is known within 0.2 %.
PARTS_OF_NEEDED = 500

# The names of one question, or of two for the cells of their cross-table.
Figure = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SurveyLevel:
    """The largest likelihood ratios about one answer, and about all answers together."""

    about_one: Fraction
    about_all: Fraction


# Certainties of at most 80 %, 90 % and 95 % are likelihood ratios of at most 4, 9 and 19.
SURVEY_LEVELS = {
    "strong": SurveyLevel(about_one=Fraction(4), about_all=Fraction(4)),
    "protected": SurveyLevel(about_one=Fraction(4), about_all=Fraction(9)),
    "light": SurveyLevel(about_one=Fraction(4), about_all=Fraction(19)),
}

LEVEL_NAMES = {"strong": later("Strong"), "protected": later("Protected"), "light": later("Light")}


@dataclass(frozen=True, kw_only=True)
class Division:
    """A level divided among the private questions of a survey.

    Attributes
    ----------
    survey : the survey with this protection
    per_respondent : the number of private questions on which each respondent reports; None for all
    respondents : how many are needed for a margin of 5 points, as a part of the range, of all main
        figures, and of 10 points of the others
    """

    survey: Survey
    per_respondent: int | None
    respondents: int


def divide_protection(
    survey: Survey,
    level: SurveyLevel,
    main: Collection[Figure] = (),
    kept: Collection[str] | None = None,
) -> Division:
    """The best division of a level.

    Parameters
    ----------
    main : the main figures; by default the shares and means of every private question
    kept : the names of the questions that keep their protection; by default those with a mechanism
        that was chosen by hand (`by_hand`)

    Raises
    ------
    UnanswerableQuestion
        If no division keeps the level, or if there is nothing to divide.
    """
    kept = by_hand(survey) if kept is None else kept
    found, search = None, DivisionSearch(survey=survey, level=level, main=main, kept=kept)
    if not search.divided:
        raise UnanswerableQuestion(
            "All private questions keep their protection, so there is nothing to divide."
        )
    for sample in search.samples:
        better = search.best(sample, MAX_NEEDED if found is None else found.respondents - 1)
        found = better or found
    if found is None:
        raise UnanswerableQuestion(
            "The questions that keep their protection reveal more than this level allows. "
            "Choose another level, or let Candor protect these questions, too."
        )
    return found


def by_hand(survey: Survey) -> tuple[str, ...]:
    """The names of the private questions whose mechanism was chosen by hand.

    Other entries name only an ε, or are the coin flips that Candor proposes.
    """
    return tuple(
        each.name
        for each in survey.private
        if each.privacy != COIN_FLIP and "mechanism" in (each.privacy or {})
    )


def goal_of(question: Question) -> str:
    """The goal of the present protection, or the usual one of the type."""
    return str((question.privacy or {}).get("goal", "")) or question.kind.usual_goal


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
            each.name: protections(QuestionForm.of(each))
            for each in self.survey.private
            if each.name not in self.kept
        }

    @property
    def samples(self) -> Iterator[int | None]:
        """The sample sizes. All questions, which is simplest for respondents, come first."""
        # Someone who draws coins by hand reports on every question.
        by_hand = self.survey.fieldwork.by_hand
        return iter((None, *(() if by_hand else range(len(self.survey.private) - 1, 0, -1))))

    @cached_property
    def figures(self) -> tuple[tuple[Figure, float], ...]:
        """The figures that count, each with its margin."""
        singles = tuple((name,) for name in self.divided)
        pairs = tuple(each for each in self.main if len(each) > 1)
        return tuple(
            (each, MAIN_MARGIN if not self.main or each in self.main else OTHER_MARGIN)
            for each in (*singles, *pairs)
        )

    def best(self, sample: int | None, most: int) -> Division | None:
        """The best division with this sample, if it needs at most this many respondents."""
        fixed: dict[str, int] = {}
        found = self.least(sample, fixed, most)
        if found is None:
            return None
        respondents, places = found
        while len(fixed) < len(self.divided):
            stuck = {
                name: place
                for name, place in places.items()
                if name not in fixed
                and (place == PLACES[-1] or not self.keeps(sample, places | {name: place + 1}))
            }
            fixed |= stuck or places
            better = self.least(sample, fixed, respondents)
            places = places if better is None else better[1]
        return Division(
            survey=self.protected(sample, places),
            per_respondent=sample,
            respondents=max(self.needed(sample, places, exact=True)),
        )

    def least(
        self, sample: int | None, fixed: Mapping[str, int], most: int
    ) -> tuple[int, dict[str, int]] | None:
        """The least number of respondents for the questions whose ε is not fixed.

        It comes with the place of the ε of each question. None if it is above `most`.
        """
        low, high, found = 0, most, None
        middle = high
        while found is None or high - low > max(1, high // PARTS_OF_NEEDED):
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
        # Questions of the same form need the same ε.
        alike: dict[object, int | None] = {}
        for figure, margin in self.figures:
            free = [name for name in figure if name not in fixed]
            if not free:
                continue

            def need(place: int, figure: Figure = figure, margin: float = margin) -> int:
                at = {name: fixed.get(name, place) for name in figure}
                return self.respondents(sample, at, margin)

            key: object = figure
            if len(figure) == 1:
                key = (self.divided[figure[0]], margin, self.share_in_arms[figure[0]])
            if key not in alike:
                alike[key] = smallest_place(need, n)
            place = alike[key]
            if place is None:
                return None
            places |= {name: max(place, places.get(name, 0)) for name in free}
        return places

    def needed(
        self, sample: int | None, places: Mapping[str, int], *, exact: bool = False
    ) -> Iterator[int]:
        """The respondents that each figure needs."""
        for figure, margin in self.figures:
            at = {name: places[name] for name in figure}
            yield self.respondents(sample, at, margin, exact=exact)

    def respondents(
        self, sample: int | None, at: Mapping[str, int], margin: float, *, exact: bool = False
    ) -> int:
        """The respondents for a figure of one question, or of the cells of two."""
        reported = self.reported(sample, len(at))
        if not reported:
            return MAX_NEEDED + 1
        if len(at) > 1:
            items = [self.divided[name].question_at(place) for name, place in at.items()]
            cells = replace(cell_of_products(items, self.survey), reported=reported)
            return cells.respondents(margin)
        ((name, place),) = at.items()
        form, share = self.divided[name], self.share_in_arms[name]
        key = (form, place, margin, share, sample, exact)
        if key not in self.needs:
            about = self.survey.fieldwork.results_about
            self.needs[key] = max(
                replace(
                    each, reported=reported * share * each.reported, results_about=about
                ).respondents(margin * each.width)
                for each in form.precisions(place, exact=exact)
            )
        return self.needs[key]

    @cached_property
    def needs(self) -> dict[object, int]:
        """The respondents for figures of one question, which many questions have in common."""
        return {}

    @cached_property
    def share_in_arms(self) -> dict[str, float]:
        """The share of respondents in the arms that ask each question."""
        return {each.name: float(share_in_arms(each, self.survey)) for each in self.survey.private}

    def reported(self, sample: int | None, questions: int) -> float:
        """The share of those asked who report on all of so many questions."""
        every = len(self.survey.private)
        drawn = sample or every
        return math.prod((drawn - each) / (every - each) for each in range(questions))

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
    def asked_in_arms(self) -> list[list[Question]]:
        """The protected questions of each combination of experimental arms."""
        return self.survey.in_each_arm(self.survey.protected)

    def keeps(self, sample: int | None, places: Mapping[str, int]) -> bool:
        """Whether all reports together stay within the level, and those about each answer."""
        bounds = {
            each.name: self.divided[each.name].bound(places[each.name])
            if each.name in places
            else each.ratio_bound
            for each in self.survey.protected
        }
        finite = {name: bound for name, bound in bounds.items() if bound is not None}
        if len(finite) < len(bounds) or max(finite.values()) > self.level.about_one:
            return False
        for asked in self.asked_in_arms:
            private = sorted((finite[q.name] for q in asked if not q.non_private), reverse=True)
            always = [finite[q.name] for q in asked if q.non_private]
            together = math.prod([*private[:sample], *always], start=Fraction(1))
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
        survey = self.protected(sample, places)
        exact = (survey.ratio_bound_about(each) for each in unsure)
        return all(bound is not None and bound <= self.level.about_one for bound in exact)

    def protected(self, sample: int | None, places: Mapping[str, int]) -> Survey:
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
            budget=PrivacyBudget(None, sample),
        )


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
    """What the tables of a question depend on. Its texts do not matter."""

    kind: str
    choices: int
    grid: str
    special_answers: tuple[str, ...]
    goal: str
    question: Question = field(compare=False)

    @classmethod
    def of(cls, question: Question) -> "QuestionForm":
        return cls(
            kind=question.type,
            choices=len(question.choices),
            grid=repr(question.grid),
            special_answers=tuple(each.name for each in question.special_answers),
            goal=goal_of(question),
            question=question,
        )


# A draft is divided again after each change, and drafts have few forms of questions.
@lru_cache(maxsize=512)
def protections(form: QuestionForm) -> "Protections":
    return Protections(form.question, form.goal)


class Protections:
    """The tables of questions of one form for each ε, and the precision of their figures."""

    def __init__(self, question: Question, goal: str):
        self.question = replace(question, relevant=None, derived=None)
        self.goal = goal
        self.tables: dict[int, Question] = {}
        self.found: dict[int, tuple[ExpectedPrecision, ...]] = {}

    def entry(self, place: int) -> dict[str, Any]:
        """The entry `privacy` of the question."""
        epsilon = EPSILONS[place]
        if epsilon == COIN_FLIP_EPSILON and len(self.question.answers) == 2:
            return dict(COIN_FLIP)
        named = {"goal": self.goal} if self.goal in ("mean", "quantiles") else {}
        return {"epsilon": epsilon} | named

    def question_at(self, place: int) -> Question:
        """The question with the table of this ε."""
        if place not in self.tables:
            question, privacy = self.question, self.entry(place)
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
        return MECHANISMS[self.question_at(0).mechanism].slow

    def bound(self, place: int) -> Fraction | None:
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
            self.found[place] = precisions(self.question_at(place))
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
