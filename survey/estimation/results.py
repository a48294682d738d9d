"""Results: computed once for the researcher's page, the CSV files and the command line.

Every number has its uncertainty and its formula, and is not clipped. Results are post-processing of
the reports, so they cost no additional privacy.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from survey.core.exact_numbers import exact, half_up
from survey.core.translate import later, translate
from survey.definition.choices import Choice
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.target_population import EVERYONE_SIMILAR, RESPONDENTS, TargetPopulation
from survey.definition.types.joint import JointAnswer
from survey.estimation.design_fit import DesignFit
from survey.estimation.findings.calculations import Calculation, calculation_line
from survey.estimation.findings.remarks import DO_NOT_USE, MISFIT, NOTE, Remark
from survey.estimation.headlines import Headline, headline_of
from survey.estimation.mean_estimates import MeanRatio
from survey.estimation.number_text import (
    Formula,
    beyond_interval,
    error_points,
    fixed_decimals,
    number,
    rounded_share,
    rounded_to,
    share_places,
    significant,
)
from survey.estimation.share_intervals import Interval
from survey.estimation.types import ESTIMATION

ORIGINS = {
    "browser": "answered in browsers",
    "loaded": "imported from a file",
    "simulated": "simulated",
}
# An estimate may be this far outside [0, 1] before it is reported as outside.
ROUNDING_SLACK = 1e-9
CLIPPED = later("the possible share nearest to the estimate")
# Candor shows no estimate from fewer reports, because it would consist of noise only.
MIN_SHOWN_RESPONSES = 5


def nonzero_error(standard_error: float | None) -> float | None:
    return (
        standard_error if standard_error is not None and standard_error > ROUNDING_SLACK else None
    )


@dataclass(frozen=True, kw_only=True)
class AnswerResults:
    """The share of one answer, of one box, or of one part of a number's range.

    Attributes
    ----------
    n : the number of responses that report on it
    observed : the share of reports that support it; None if no set of reports supports it alone
    possible : an estimate within [0, 1], by the method in `possible_by`
    scores : the least and the most that one report can add to n times the estimate; None if the
        estimate is not a mean of such scores
    simultaneous : the interval for comparing the answers of a question. With the probability of the
        question's level, these intervals of all its answers hold together. None if no answers are
        compared.
    """

    choice: Choice
    n: int
    observed: float | None
    value: float
    standard_error: float | None
    low: float
    high: float
    method: str
    possible: float
    possible_by: str
    formula: Formula
    variance_bound: float | None = None
    variance_at_observed: float | None = None
    scores: tuple[float, float] | None = None
    simultaneous: Interval | None = None

    @property
    def largest_variance(self) -> float | None:
        """The largest possible variance of the estimate, whatever the true shares are.

        The estimate is a mean of `n` scores. The variance of one score is at most a quarter of the
        square of its range (Popoviciu). For a symmetric table, this is `variance_bound`.
        """
        if self.variance_bound is not None or self.scores is None:
            return self.variance_bound
        low, high = self.scores
        return (high - low) ** 2 / (4 * self.n)

    @property
    def outside(self) -> bool:
        """Whether the unclipped estimate, as shown, is not a possible share."""
        places = share_places(self.spread)
        return not 0 <= half_up(self.value, places) <= 1

    @property
    def spread(self) -> float:
        """The number by which texts round the estimate and its interval: the standard error."""
        return self.shown_error or (self.high - self.low) / 4

    def write_value(self, share: float) -> str:
        """A share with the decimals that the standard error of this estimate supports."""
        return rounded_share(share, self.spread)

    @property
    def shown(self) -> str:
        return self.write_value(self.value)

    @property
    def between(self) -> tuple[str, str]:
        return self.write_value(self.low), self.write_value(self.high)

    def contains(self, share: float) -> bool:
        """Whether the interval contains a share."""
        return self.low <= share <= self.high

    @property
    def unknown(self) -> bool:
        """Whether the interval, as shown, covers every possible share."""
        return self.between == (rounded_share(0, self.spread), rounded_share(1, self.spread))

    @property
    def shown_error(self) -> float | None:
        """The standard error, or None if it is 0.

        It is 0 if all reports agree, and then it contains no information. Files contain the 0.
        """
        return nonzero_error(self.standard_error)

    @property
    def exact_text(self) -> str:
        """The estimate to six digits, after its formula."""
        return number(self.value)

    @property
    def bound_texts(self) -> tuple[str, str]:
        """The largest possible variance, for a table and for a formula; empty if unknown."""
        bound = self.largest_variance
        return ("", "") if bound is None else (significant(bound, 2), significant(bound, 3))

    @property
    def variance_text(self) -> str:
        """The estimated variance; empty if it has no formula."""
        found = self.variance_at_observed
        return "" if found is None else significant(found, 3)


@dataclass(frozen=True, kw_only=True)
class QuantityResults:
    """A mean, standard deviation or quantile, in the question's unit, with its formula.

    `chebyshev` are the bounds within two estimated standard errors. With the true standard error,
    they hold with probability at least 3/4, whatever the distribution (Bienaymé & Chebyshev).
    `ratio` has the scores of a mean, or is None if the mean is no ratio of mean scores. `item` is
    the item of the answers that it is about, or None. `is_share` says that it is a share, and then
    `simultaneous` is its interval for comparing the items (see `AnswerResults`). `cannot_tell` is
    whether the interval of a quantile spans more than half of the range. Pages then say so instead
    of showing the estimate. Files contain it, so that it can be recomputed. `decimals` is the
    number of decimals of each possible value, if they are known.
    """

    name: str
    label: str
    value: float
    standard_error: float | None
    low: float
    high: float
    method: str
    formula: str
    chebyshev: tuple[float, float] | None = None
    ratio: MeanRatio | None = None
    item: Choice | None = None
    is_share: bool = False
    simultaneous: Interval | None = None
    cannot_tell: bool = False
    decimals: int | None = None

    @property
    def is_mean(self) -> bool:
        return self.name == "mean" or (self.item is not None and not self.is_share)

    @property
    def beyond(self) -> int:
        """1 if the unclipped estimate, as shown, is above its interval, −1 if below, else 0."""
        return beyond_interval(self.value, self.low, self.high, self.write_value)

    @property
    def outside(self) -> bool:
        """Whether the unclipped estimate, as shown, lies outside its interval.

        The interval is within the range of possible values.
        """
        return self.beyond != 0

    @property
    def spread(self) -> float:
        """The number by which texts round the estimate and its interval: the standard error."""
        return self.shown_error or (self.high - self.low) / 4

    @property
    def shown_error(self) -> float | None:
        """The standard error, or None if it is 0."""
        return nonzero_error(self.standard_error)

    @property
    def shown(self) -> str:
        return self.write_value(self.value)

    @property
    def between(self) -> tuple[str, str]:
        return self.write_value(self.low), self.write_value(self.high)

    def write_value(self, value: float) -> str:
        """A number with the decimals that its standard error or its interval needs."""
        if self.is_share:
            return rounded_share(value, self.spread)
        if self.decimals is not None:
            return fixed_decimals(value, self.decimals)
        return rounded_to(value, self.spread)

    @property
    def error_text(self) -> str:
        """The standard error with the decimals of the estimate."""
        return rounded_to(self.shown_error or 0.0, self.spread)

    @property
    def exact_text(self) -> str:
        """The estimate to six digits, after its formula."""
        return number(self.value)

    @property
    def chebyshev_texts(self) -> tuple[str, str] | None:
        """The ends of `chebyshev`, to six digits."""
        if self.chebyshev is None:
            return None
        low, high = self.chebyshev
        return number(low), number(high)


def error_in_points(share: AnswerResults | QuantityResults) -> str:
    """The standard error of a share in percentage points, or a dash if it contains nothing."""
    return "–" if share.shown_error is None else error_points(share.shown_error)


@dataclass(frozen=True, kw_only=True)
class FoldedShares:
    """The words around the shares of answers that matter less than the quantities of a question.

    Attributes
    ----------
    lead : what the shares in their place are about; "" if there are none
    figures : the title of all figures of the question
    heading : the title of the shares
    note : a remark below it, or ""
    """

    lead: str = ""
    figures: str
    heading: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class QuestionResults:
    """All results of one question. `answers` is empty while there are no responses.

    Attributes
    ----------
    n : the number of responses that report on it
    counts : the count of each report, or for bits of each bit set and not set. For a non-private
        number, only the values that occur are counted, in `values`.
    notes : remarks of the estimators, such as those on what these reports do not determine
    remarks : all remarks, the most severe ones first (survey/estimation/findings/rules.py)
    asked : the shares among those asked, for a question with a condition: the results of all
        answers but "not asked". Empty if they cannot be estimated.
    weighted_by : the label of the question that the results are weighted by, or empty
    design_fit : whether these reports are possible under the randomizer; None for a non-private
        question, and without responses
    target : the people whom the estimates describe; for weighted results, see `weighted_by`
    items : the results of the questions behind a joint question
    joint : for one of these, the joint question
    """

    question: Question
    n: int
    counts: tuple[int, ...]
    values: tuple[str, ...]
    level: float
    answers: tuple[AnswerResults, ...]
    covariance: tuple[tuple[float, ...], ...] | None
    quantities: tuple[QuantityResults, ...] = ()
    notes: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    asked: tuple[AnswerResults, ...] = ()
    weighted_by: str = ""
    design_fit: DesignFit | None = None
    target: TargetPopulation = EVERYONE_SIMILAR
    items: tuple["QuestionResults", ...] = ()
    joint: Question | None = None

    @property
    def level_text(self) -> str:
        """The confidence level in percent, without the sign."""
        return f"{100 * self.level:g}"

    @property
    def with_items(self) -> tuple["QuestionResults", ...]:
        """The results of the questions behind it, and then its own."""
        return (*self.items, self)

    @property
    def cross_table(self) -> tuple[tuple[AnswerResults | None, ...], ...]:
        """The shares of the combinations of two questions: a row for each answer to the first.

        None stands for a combination that conditions exclude. It is empty for other questions.
        """
        if len(self.items) != 2 or not self.answers:
            return ()
        down, across = (item.question.answers for item in self.items)
        cells = {answer.choice.name: answer for answer in self.answers}
        return tuple(
            tuple(cells.get(JointAnswer.of((row, column)).name) for column in across)
            for row in down
        )

    @property
    def drawn(self) -> Question:
        """The question whose randomizer draws the reports.

        For a question behind a joint question, it is the joint question. The table of one of its
        parts, if it has tables, has a smaller privacy loss. This bounds only what someone learns
        who knows nothing of the other answers.
        """
        return self.joint or self.question

    @property
    def epsilon(self) -> float:
        return self.drawn.epsilon

    @property
    def delta(self) -> float | None:
        """The delta from the table, at the requested epsilon; None if no delta was requested."""
        privacy, table = self.drawn.privacy, self.drawn.table
        if privacy is None or table is None or "delta" not in privacy:
            return None
        return table.delta(exact(privacy["epsilon"], "epsilon"))

    @property
    def delta_text(self) -> str:
        """The delta to three digits; empty if none was requested."""
        return "" if self.delta is None else significant(self.delta, 3)

    @property
    def least_certain(self) -> AnswerResults | None:
        """The answer whose estimate can have the largest variance, if any bound is known."""
        bounded = [each for each in self.answers if each.largest_variance is not None]
        return max(bounded, key=lambda each: each.largest_variance or 0.0, default=None)

    @property
    def bounds_differ(self) -> bool:
        """Whether the answers have different bounds on the variance, as a table shows them."""
        return len({each.bound_texts for each in self.answers if each.bound_texts[0]}) > 1

    @property
    def count_by_report(self) -> dict[str, int]:
        return dict(zip(self.values, self.counts, strict=True))

    @property
    def conditional(self) -> bool:
        """Whether "not asked" is one of its answers, so that shares among those asked matter."""
        return self.question.may_be_unasked

    @property
    def known(self) -> bool:
        """Whether the results describe the respondents, whose answers are stored as given."""
        return self.target.kind == RESPONDENTS and self.question.non_private

    @property
    def shares(self) -> tuple[AnswerResults, ...]:
        """The shares of answers. For a number there are none, only those of parts of its range."""
        return self.answers if self.question.grid is None else ()

    @property
    def ranked(self) -> tuple[AnswerResults, ...]:
        """The shares of a headline: among those asked if there is a condition.

        "Not asked" is not one of them. If answers consist of items, they can be about the items.
        """
        return ESTIMATION[self.question].headline_shares(self)

    @property
    def complete(self) -> bool:
        """Whether every answer that a respondent can choose has an estimate."""
        return len(self.ranked) == len(ESTIMATION[self.question].ranked_choices())

    @cached_property
    def item_shares(self) -> tuple[AnswerResults, ...]:
        """The shares of the items of which the answers consist; none for other questions."""
        return tuple(
            AnswerResults(
                choice=each.item,
                n=self.n,
                observed=None,
                value=each.value,
                standard_error=each.standard_error,
                low=each.low,
                high=each.high,
                method=each.method,
                possible=min(1.0, max(0.0, each.value)),
                possible_by=CLIPPED,
                formula=Formula(each.formula, ""),
                simultaneous=each.simultaneous,
            )
            for each in self.quantities
            if each.is_share and each.item is not None
        )

    @cached_property
    def headline(self) -> Headline:
        """The main finding, which claims no order that the data do not support."""
        return headline_of(self)

    @property
    def sentence(self) -> str:
        """The main finding in a sentence fit for a newspaper."""
        return self.headline.sentence

    @cached_property
    def calculation(self) -> Calculation | None:
        """How the main estimate follows from the reports, for pages and terminals."""
        return calculation_line(self)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The smallest and the largest possible mean; None if there is no mean."""
        return ESTIMATION[self.question].ends()

    @property
    def folded_shares(self) -> FoldedShares | None:
        """The words around the shares if the quantities come before them; else None."""
        return ESTIMATION[self.question].folded_shares() if self.quantities else None

    @property
    def is_for_quantiles(self) -> bool:
        """Whether the randomizer of a number is chosen for its median and quartiles."""
        return self.question.mechanism == "optimal_quantiles"

    @property
    def listed_quantities(self) -> tuple[QuantityResults, ...]:
        """The quantities in the order of the page: those that the randomizer is for come first."""
        if not self.is_for_quantiles:
            return self.quantities
        return tuple(sorted(self.quantities, key=lambda q: not q.name.startswith("quantile_")))

    @property
    def lead(self) -> QuantityResults | None:
        """The quantity that the headline states: the mean, or the median if it is the goal."""
        medians = [each for each in self.quantities if each.name == "quantile_50"]
        if self.is_for_quantiles and medians:
            return medians[0]
        return self.quantities[0] if self.quantities else None

    @property
    def verdict(self) -> Remark | None:
        """The remark that replaces the headline, if there is one."""
        return next((each for each in self.remarks if each.replaces_headline), None)

    @property
    def unusable(self) -> bool:
        """Whether no estimate may be used, so that pages for readers show none."""
        return any(each.severity == DO_NOT_USE for each in self.remarks)

    @property
    def explanations(self) -> tuple[Remark, ...]:
        """The remarks that the headline does not already state."""
        return tuple(each for each in self.remarks if each.sentence != self.sentence)

    @property
    def cautions(self) -> tuple[Remark, ...]:
        """The remarks without which an estimate can be misread."""
        return tuple(each for each in self.remarks if each.severity != NOTE)

    @property
    def remark_codes(self) -> list[str]:
        return [remark.code for remark in self.remarks]

    @property
    def design_warning(self) -> str:
        """The sentences on reports that do not fit the design; empty if they fit."""
        return next((each.sentence for each in self.remarks if each.code == MISFIT), "")

    @property
    def as_shown(self) -> "QuestionResults":
        """The results without estimates from too few reports.

        It is for pages and terminals. Files contain every estimate, so that each can be recomputed.
        """
        if not self.n:
            return self
        if self.items:
            self = replace(self, items=tuple(item.as_shown for item in self.items))
        if self.n < MIN_SHOWN_RESPONSES:
            return self.without_estimates
        if self.asked and self.asked[0].n < MIN_SHOWN_RESPONSES and self.question.non_private:
            self = replace(self, asked=())
        enough = tuple(answer for answer in self.answers if answer.n >= MIN_SHOWN_RESPONSES)
        if len(enough) == len(self.answers):
            return self
        shown = {answer.choice for answer in enough}
        asked = tuple(answer for answer in self.asked if answer.choice in shown)
        return replace(self, answers=enough, asked=asked)

    @property
    def as_published(self) -> "QuestionResults":
        """The results as readers get them: no estimates if none may be used."""
        items = tuple(item.as_published for item in self.items)
        shown = self.without_estimates if self.unusable else self.as_shown
        return replace(shown, items=items) if items else shown

    @property
    def without_estimates(self) -> "QuestionResults":
        return replace(self, answers=(), covariance=None, quantities=(), asked=())


@dataclass(frozen=True)
class PopulationShares:
    """The known share of each group of the population, by the name of the choice.

    `question` is the name of the question that defines the groups.
    """

    question: str
    shares: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of all questions of a survey.

    Attributes
    ----------
    origin : a key of ORIGINS
    weights : for weighted results, the question and the population's groups; else None
    target : the people whom the estimates describe
    excluded : for weighted results, the number of respondents who are in no group with a weight
    """

    frozen: FrozenSurvey
    origin: str
    n: int
    questions: tuple[QuestionResults, ...]
    weights: PopulationShares | None = None
    target: TargetPopulation = EVERYONE_SIMILAR
    excluded: int = 0

    def part_sentence(self, result: QuestionResults) -> str:
        """How many respondents report on a question, if not all do."""
        if not 0 < result.n < self.n:
            return ""
        return translate(
            "%(reports)s of %(all)s respondents report on this question.",
            reports=result.n,
            all=self.n,
        )

    @property
    def every(self) -> tuple[QuestionResults, ...]:
        """The results of all questions, those behind a joint question before it."""
        return tuple(each for question in self.questions for each in question.with_items)

    @property
    def sections(self) -> tuple[Question, ...]:
        """The sections of the survey that have a question with results, in their order."""
        section_of = self.frozen.survey.section_of
        found = (section_of.get(each.question.name) for each in self.questions)
        return tuple({each.name: each for each in found if each is not None}.values())

    @property
    def as_shown(self) -> "Results":
        """The results as pages and terminals show them (`QuestionResults.as_shown`)."""
        return replace(self, questions=tuple(question.as_shown for question in self.questions))

    @property
    def as_published(self) -> "Results":
        """The results as readers get them (`QuestionResults.as_published`)."""
        return replace(self, questions=tuple(each.as_published for each in self.questions))
