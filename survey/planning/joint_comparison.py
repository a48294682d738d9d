"""Three ways to protect a few questions with the same total ε, compared before anyone answers.

* Separate: each question has its own report, with an equal part of ε.
* Sampled: the browser picks some of the questions at random, which share ε.
* Joint: one report by subset selection on all combinations (a joint question). If the sets have one
  combination, this is k-ary randomised response.

Let m be the number of questions, and K the number of combinations. All variances are n times the
variance of an estimate from n respondents.

* Share of one answer: P (1 - P) / (p - q)^2 with P = q + (p - q) pi, where p and q are the
  probabilities that a report supports the answer. For two answers, p = t / (t + 1) and q = 1 - p,
  with t the likelihood ratio bound of the report: e^(ε/m) if separate, e^(ε/s) for a sample of s. A
  sample multiplies the variance by m / s. In the joint design, p and q are the probabilities that a
  set contains the own combination, or another one. If c combinations have the answer, its variance
  is that of the number of them in the set, divided by (p - q)^2 (`share_noise`).
* Share of one combination, a cell of the cross-table, if all combinations are equally common. In
  the joint design it is P (1 - P) / (p - q)^2 with pi = 1 / K. Of separate questions, the product
  of their unbiased scores S estimates it. Its variance is the product of all E[S^2] less 1 / K^2,
  if all combinations are possible. A sample of fewer than m questions has no report on a
  combination.

The mechanisms are those that Candor picks, with their own integers. Subset selection is that of Ye
and Barg (2018), IEEE Trans. Inf. Theory 64. The combinations of several questions are the full
domain of Cormode, Kulkarni and Srivastava (2018), SIGMOD, "Marginal release under local
differential privacy".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from survey.core.errors import MechanismError, UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.languages import Words
from survey.core.mechanisms import CHOICES, JOINT, LocalRandomizer, build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, unbiased_scores
from survey.core.translate import (
    join_sentences,
    page_language,
    translate,
    translate_count,
    translate_list,
    translate_number,
)
from survey.definition.certainty import epsilon_text, surest
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.target_population import SIMILAR
from survey.definition.types.joint import (
    MAX_COMBINATIONS,
    MAX_ITEMS,
    MIN_ITEMS,
    joint_answers,
)
from survey.estimation.number_text import margin_in_words
from survey.estimation.types.joint_items import item_question
from survey.planning.arms import share_asked_all, share_in_arms
from survey.planning.plan_text import respondents_text
from survey.planning.precision import (
    SHARE,
    ExpectedPrecision,
    share_precision,
)

SEPARATE = "separate"
SAMPLED = "sampled"
TOGETHER = "joint"
# The margin of the sentences, as half the width of a 95 % interval.
USUAL_MARGIN = 0.05


@dataclass(frozen=True, kw_only=True)
class QuestionDesign:
    """One way to protect a few questions.

    Attributes
    ----------
    name : SEPARATE, SAMPLED or TOGETHER
    asked : the number of questions on which one respondent reports
    share : the least precise share of one answer to one question
    cell : the least precise share of one combination of answers, if all combinations are equally
        common; None if no respondent reports on a combination
    ratio_bound : the likelihood ratio bound of a report, or of all reports, about one question;
        None if it is infinite. The reports on all questions are within the total ε.
    """

    name: str
    asked: int
    share: ExpectedPrecision
    cell: ExpectedPrecision | None
    ratio_bound: Fraction | None

    @property
    def share_variance(self) -> float:
        """n times the variance of the share, from n respondents."""
        return self.share.variance / self.share.reported


@dataclass(frozen=True, kw_only=True)
class DesignComparison:
    """The three ways to protect the same questions, with this total ε.

    `sampled` has the best sample size. `joined` says whether the survey has the joint question.
    """

    items: tuple[Question, ...]
    epsilon: float
    joined: bool
    separate: QuestionDesign
    sampled: QuestionDesign
    joint: QuestionDesign

    @property
    def designs(self) -> tuple[QuestionDesign, ...]:
        """The designs that differ: a sample of all questions is the separate design."""
        if self.sampled.asked == len(self.items):
            return self.separate, self.joint
        return self.separate, self.sampled, self.joint


def compare_designs(
    items: Sequence[Question],
    epsilon: float,
    share: float | None = None,
    survey: Survey | None = None,
    joint: Question | None = None,
) -> DesignComparison:
    """The comparison for questions with one answer each, at the same total ε.

    Parameters
    ----------
    items : 2 to 4 questions with at most 64 combinations of answers
    epsilon : float
        The total privacy loss, from 0.01 for each question to 12.
    share : float in [0, 1], optional
        The assumed true share of one answer; by default the least favourable one, which is one half
        for two answers.
    survey : if given, whom the results describe
    joint : the joint question of these items, if the survey has one; its randomizer is then used

    Raises
    ------
    MechanismError
        If ε is outside of its range.
    """
    m = len(items)
    parts = [protect_each(items, epsilon / s) for s in range(1, m + 1)]
    samples = [
        sampled_design(SAMPLED, each, s, share, survey) for s, each in enumerate(parts, start=1)
    ]
    best = min(samples, key=lambda design: design.share_variance)
    together = joint or joint_question(items, epsilon)
    return DesignComparison(
        items=tuple(items),
        epsilon=epsilon,
        joined=joint is not None,
        separate=sampled_design(SEPARATE, parts[-1], m, share, survey),
        sampled=best,
        joint=joint_design(together, items, share, survey),
    )


def protect_each(items: Sequence[Question], epsilon: float) -> list[Question]:
    """The questions, each with the most accurate mechanism for shares at this ε."""
    return [
        replace(item, randomizer=randomizer_for(CHOICES, item, epsilon), sent=True)
        for item in items
    ]


def randomizer_for(kind: str, question: Question, epsilon: float) -> LocalRandomizer:
    return build_randomizer(
        {"epsilon": epsilon}, kind, len(question.choices), len(question.special_answers)
    )


def joint_question(items: Sequence[Question], epsilon: float) -> Question:
    """A joint question of these items, with the mechanism that Candor picks for this ε."""
    question = Question(
        name="joint",
        type="joint",
        label="",
        hint="",
        choices=joint_answers(items),
        privacy=None,
        randomizer=None,
    )
    return replace(question, randomizer=randomizer_for(JOINT, question, epsilon))


def sampled_design(
    name: str, items: Sequence[Question], asked: int, share: float | None, survey: Survey | None
) -> QuestionDesign:
    """The design in which each question has its own report, and `asked` of them are picked."""
    cell = None
    if asked == len(items) and share_asked_all(items, survey):
        cell = cell_of_products(items, possible_combinations(items), survey)
    bounds = [item.randomizer.ratio_bound if item.randomizer else None for item in items]
    finite = [each for each in bounds if each is not None]
    return QuestionDesign(
        name=name,
        asked=asked,
        share=least_precise(items, share, asked / len(items), survey),
        cell=cell,
        ratio_bound=max(finite) if len(finite) == len(bounds) else None,
    )


def joint_design(
    joint: Question, items: Sequence[Question], share: float | None, survey: Survey | None
) -> QuestionDesign:
    """The design of a joint question with its own randomizer."""
    if joint.randomizer is None:
        raise UnanswerableQuestion(f"{joint.name} is not randomised.")
    of_items = [item_question(joint, item, place) for place, item in enumerate(items)]
    cell, together = None, float(share_asked_all(items, survey))
    if together:
        cell = share_precision(joint, 1 / len(joint.choices), together)
        cell = replace(cell, results_about=target_of(survey))
    return QuestionDesign(
        name=TOGETHER,
        asked=len(items),
        share=least_precise(of_items, share, 1.0, survey),
        cell=cell,
        ratio_bound=joint.randomizer.ratio_bound,
    )


def least_precise(
    items: Sequence[Question], share: float | None, reported: float, survey: Survey | None
) -> ExpectedPrecision:
    """The least precise share of one answer to one of the questions.

    Raises UnanswerableQuestion if no experimental arm asks one of them.
    """
    in_arms = [float(share_in_arms(item, survey)) for item in items]
    if not all(in_arms):
        raise UnanswerableQuestion("Nobody is asked one of the questions.")
    found = [
        share_precision(item, share, reported * asked)
        for item, asked in zip(items, in_arms, strict=True)
    ]
    least = max(found, key=lambda each: each.variance / each.reported)
    return replace(least, results_about=target_of(survey))


def target_of(survey: Survey | None) -> str | int:
    return SIMILAR if survey is None else survey.fieldwork.results_about


def possible_combinations(items: Sequence[Question]) -> Array:
    """1 for each combination of answers that the conditions permit, and 0 for others.

    It has an axis for each question. All are 0 if there are too many to try (`joint_answers`).
    """
    answers = [{answer.name: place for place, answer in enumerate(i.answers)} for i in items]
    possible = np.zeros([len(item.answers) for item in items])
    for each in joint_answers(items):
        possible[tuple(of[part.name] for of, part in zip(answers, each.parts, strict=True))] = 1
    return possible


def cell_of_products(
    items: Sequence[Question], possible: Array, survey: Survey | None
) -> ExpectedPrecision:
    """The least precise cell, estimated by the product of the scores of separate reports.

    `possible` is from `possible_combinations`, and has a 1.
    """
    # All possible combinations are equally common. Each step turns an axis of true answers into
    # one of estimated answers.
    share = 1 / float(possible.sum())
    second = possible * share
    for item in items:
        second = np.tensordot(second, second_moments(item), axes=(0, 0))
    variance = float(second[possible > 0].max()) - share**2
    direct = share * (1 - share)
    return ExpectedPrecision(
        kind=SHARE,
        variance=variance,
        direct=direct,
        width=1.0,
        reported=float(share_asked_all(items, survey)),
        noise=variance - direct,
        results_about=target_of(survey),
    )


def second_moments(question: Question) -> Array:
    """E[S^2] of the unbiased score S of each answer (column), for each true answer (row)."""
    randomizer = question.randomizer
    if isinstance(randomizer, OneHot):
        p, q = float(randomizer.p), float(randomizer.q)
        own = p * (1 - q) ** 2 + (1 - p) * q**2
        moments = np.full((randomizer.answers, randomizer.answers), q * (1 - q))
        np.fill_diagonal(moments, own)
        return moments / (p - q) ** 2
    if isinstance(randomizer, Randomizer):
        scores = unbiased_scores(randomizer, np.eye(randomizer.answers))
        return np.asarray(probabilities(randomizer) @ scores**2)
    raise UnanswerableQuestion(f"Nothing can be estimated from {question.name!r}.")


# The comparison for the questions of a survey.


def comparisons_of(
    survey: Survey, share: float | None = None, limits: PrivacyLimits = DEFAULT_LIMITS
) -> tuple[DesignComparison, ...]:
    """The comparisons for all joint questions, and for the questions that could be joined."""
    joint = [
        compare_joint_question(survey, question, share)
        for question in survey.private
        if survey.items_of(question)
    ]
    found = [*joint, compare_joining(survey, share, limits)]
    return tuple(each for each in found if each is not None)


def compare_joint_question(
    survey: Survey, joint: Question, share: float | None = None
) -> DesignComparison | None:
    """The comparison for the questions behind a joint question, at its own ε.

    None if ε is infinite, or too small to share it among the questions.
    """
    if math.isinf(joint.epsilon):
        return None
    try:
        return compare_designs(survey.items_of(joint), joint.epsilon, share, survey, joint)
    except (MechanismError, UnanswerableQuestion):
        return None


def joint_candidates(survey: Survey) -> tuple[Question, ...]:
    """The private questions that a joint question could combine: those with one choice."""
    return tuple(
        question
        for question in survey.private
        if question.kind.can_be_joint and question.derived is None
    )


def questions_to_join(survey: Survey) -> tuple[Question, ...]:
    """All candidates if one joint question can combine them, otherwise the first two.

    It is empty if there are fewer than two, or if even these have too many combinations. No
    respondent answers questions of experimental arms that exclude each other.
    """
    found = joint_candidates(survey)
    for items in (found, found[:MIN_ITEMS]):
        few = MIN_ITEMS <= len(items) <= MAX_ITEMS and share_asked_all(items, survey)
        if few and 1 < len(joint_answers(items)) <= MAX_COMBINATIONS:
            return items
    return ()


def compare_joining(
    survey: Survey, share: float | None = None, limits: PrivacyLimits = DEFAULT_LIMITS
) -> DesignComparison | None:
    """The comparison for questions that the survey could join, at their present total ε.

    The separate design has the randomizers of the survey. The comparison is None in these cases:

    * The survey has no such questions, or each respondent reports on a sample of them.
    * This server does not allow the ε of the joint question.
    * The cross-table would not become more precise.
    """
    items = questions_to_join(survey)
    if not items or survey.budget.sample is not None:
        return None
    epsilon = sum(item.epsilon for item in items)
    try:
        found = compare_designs(items, epsilon, share, survey)
        now = sampled_design(SEPARATE, items, len(items), share, survey)
    except (MechanismError, UnanswerableQuestion):
        return None
    joint = found.joint
    if now.cell is None or joint.cell is None or joint.cell.variance >= now.cell.variance:
        return None
    if (
        joint.ratio_bound is None
        or now.ratio_bound is None
        or not now.ratio_bound < joint.ratio_bound <= limits.ratio_bound
    ):
        return None
    return replace(found, separate=now)


def cross_table_sentence(found: DesignComparison) -> str:
    """What the cross-tabulation of the questions needs, together and separately."""
    needs = {design.name: needed_text(design.cell) for design in (found.joint, found.separate)}
    if found.joined:
        return translate(
            "If the answers are randomised together, the cross-tabulation of %(questions)s needs "
            "%(joint)s. With separate reports and the same total ε, it would need %(separate)s.",
            questions=labels_of(found),
            **needs,
        )
    return translate(
        "If the answers are randomised together at the same total ε, the cross-tabulation of "
        "%(questions)s needs %(joint)s instead of %(separate)s.",
        questions=labels_of(found),
        **needs,
    )


def share_needs_sentence(found: DesignComparison) -> str:
    """What the share of an answer to one question needs, in each design."""
    needs = translate(
        "The share of each answer to one question needs %(joint)s together, and %(separate)s "
        "separately.",
        joint=needed_text(found.joint.share),
        separate=needed_text(found.separate.share),
    )
    if found.sampled not in found.designs:
        return needs
    sampled = translate(
        "If each respondent reports on %(asked)s of the %(all)s questions, picked at random, it "
        "needs %(sampled)s.",
        asked=found.sampled.asked,
        all=len(found.items),
        sampled=needed_text(found.sampled.share),
    )
    return join_sentences(needs, sampled)


def comparison_text(found: DesignComparison) -> str:
    """Everything about a comparison except `cross_table_sentence`."""
    return join_sentences(
        share_needs_sentence(found), assumption_sentence(), price_sentences(found)
    )


def builder_text(found: DesignComparison) -> str:
    """The comparison for the builder, which states the price in its own words."""
    return join_sentences(
        cross_table_sentence(found), share_needs_sentence(found), assumption_sentence()
    )


def price_sentences(found: DesignComparison) -> str:
    """How sure someone could become of the answer to one question, together and separately."""
    return join_sentences(
        translate("A joint report protects each single answer less than separate reports."),
        translate(
            "Suppose that someone first considers two answers to one question equally likely."
        ),
        translate(
            "In the worst case, the joint report makes this person %(joint)s sure of one answer. "
            "With a separate report, it would be %(separate)s.",
            joint=certainty_text(found.joint),
            separate=certainty_text(found.separate),
        ),
    )


def assumption_sentence(margin: float = USUAL_MARGIN) -> str:
    """What the numbers of respondents assume."""
    return translate(
        "The numbers of respondents are for a margin of %(margin)s. For the cross-tabulation, they "
        "assume that all combinations of answers are equally common.",
        margin=margin_in_words(margin, None),
    )


def labels_of(found: DesignComparison) -> str:
    """The questions in a sentence, as in: “One?” and “Two?”."""
    return translate_list([f"“{item.label}”" for item in found.items])


def design_name(found: DesignComparison, design: QuestionDesign) -> str:
    """A design in a table."""
    if design.name == TOGETHER:
        return translate("Together, as a joint question")
    if design.name == SAMPLED:
        return translate(
            "%(asked)s of %(all)s, chosen at random", asked=design.asked, all=len(found.items)
        )
    return translate("Separately")


def certainty_text(design: QuestionDesign) -> str:
    """How sure someone could become of the answer to one question, in percent."""
    return surest(design.ratio_bound, Words(page_language.get()))


def combined_sentence(found: DesignComparison) -> str:
    """Which questions a table of designs is about."""
    about = {
        "questions": labels_of(found),
        "epsilon": translate_number(epsilon_text(found.epsilon)),
    }
    if found.joined:
        return translate(
            "A joint question combines %(questions)s. In each row of the table below, the total "
            "privacy loss is ε = %(epsilon)s.",
            **about,
        )
    return translate(
        "A joint question could combine %(questions)s. In each row of the table below, the total "
        "privacy loss is ε = %(epsilon)s.",
        **about,
    )


def needed_count(precision: ExpectedPrecision | None, margin: float) -> str:
    """The number of respondents for a margin, in a table."""
    if precision is None:
        return translate("not possible")
    needed, size = precision.respondents(margin), precision.results_about
    if isinstance(size, int) and needed > size:
        return translate("more than the population")
    return translate_count(needed)


def needed_text(precision: ExpectedPrecision | None, margin: float = USUAL_MARGIN) -> str:
    """The number of respondents for a margin, in words."""
    if precision is None:
        return translate("not possible")
    needed = precision.respondents(margin)
    size = precision.results_about
    if isinstance(size, int) and needed > size:
        return translate("more respondents than the population has people")
    return respondents_text(needed)
