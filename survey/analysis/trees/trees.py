"""Decision trees: which questions, one after the other, give most information on another one.

ID3 (Quinlan, "Induction of decision trees", Machine Learning 1 (1986) 81) splits by the largest
information gain. With randomised answers a gain is never zero: noise alone produces one, and more
so if the answers are better protected. A branch is therefore split only if the gain exceeds its own
noise, by a test with a stated level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import IntervalEstimate, ratio_estimate
from survey.analysis.tables.joint_shares import coherent
from survey.analysis.trees.splits import BranchSplit, split_of
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.scores import Array
from survey.core.translate import translate, translate_number
from survey.estimation.results import MIN_SHOWN_RESPONSES

# The number of questions on the way to a leaf.
MAX_DEPTH_QUESTIONS = 4
# The number of answers of a question in a tree.
MAX_BRANCHES = 12
# The limit of numbers in memory, 320 MB.
MAX_TREE_SCORES = 40_000_000
# With more different reports, leaves have no Gaffke intervals.
MAX_GAFFKE_REPORTS = 5_000


@dataclass(frozen=True)
class Node:
    """A branch, or a leaf if `split` is None.

    Attributes
    ----------
    conditions : on the way to the node, each a column and the place of an answer
    share : the share of all respondents in the node
    shares : the share of each listed answer to the target in the node; None with fewer than five
        responses, or if the node is estimated to be empty
    children : one for each answer to the question of the split
    why : why a leaf is not split
    """

    conditions: tuple[tuple[AnalysisColumn, int], ...]
    share: IntervalEstimate | None
    shares: tuple[IntervalEstimate | None, ...]
    split: BranchSplit | None
    children: tuple["Node", ...]
    why: str = ""

    @property
    def leaves(self) -> tuple["Node", ...]:
        return sum((child.leaves for child in self.children), ()) if self.children else (self,)


@dataclass(frozen=True)
class DecisionTree:
    """A grown tree. `n` responses report on all its questions, `left_out` do not."""

    target: AnalysisColumn
    root: Node
    n: int
    left_out: int
    level: float
    remarks: tuple[str, ...]


def build_decision_tree(
    target: AnalysisColumn,
    predictors: Sequence[AnalysisColumn],
    design: SurveyDesign | None = None,
    level: float = 0.95,
    deepest: int = MAX_DEPTH_QUESTIONS,
) -> DecisionTree:
    """Grow the tree of one question by others, private or not.

    Parameters
    ----------
    target : AnalysisColumn
        The tree shows its listed answers. Respondents with a special answer are omitted, as far as
        the reports show them. Special answers of the predictors are branches.
    predictors : at least one, each with 2 to 12 answers; of the same responses
    design : weights, strata and clusters
    level : float in (0, 1)
        The level of each interval. 1 - level is the probability that a branch is split although all
        questions are independent of the target there.
    deepest : int, at least 1

    Raises
    ------
    UnanswerableQuestion
        As `complete_case_sample` and `coherent` do, and for questions with too many answers.

    Notes
    -----
    A branch is split if `splits.split_of` finds more than noise. The level is divided among the
    questions tried (Bonferroni). The split uses the one with the largest gain above its noise.
    Intervals of leaves ignore that the same responses chose the tree. Shares of leaves are
    therefore too far apart, especially if the test was close. Intervals are also wrong with few
    reports: a leaf of 10 people with private answers contains almost no information.
    """
    check_tree_columns(target, predictors)
    sample = complete_case_sample([target, *predictors], design)
    largest = len(target.answers) * max(len(column.answers) for column in predictors)
    if len(sample.reports) * largest > MAX_TREE_SCORES:
        raise UnanswerableQuestion(
            translate(
                "%(n)s different reports are too many. Choose fewer questions, or questions with "
                "fewer answers.",
                n=translate_number(f"{len(sample.reports):,}"),
            )
        )
    own = coherent(target)[:, : target.listed]
    grower = Grower(target, tuple(predictors), own, sample, level, deepest)
    whole = sample, np.ones(len(sample.reports))
    root = grower.grown(*whole, conditions=(), places=tuple(range(len(predictors))))
    left_out, remarks = len(target.reports) - sample.n, remarks_of(target, predictors)
    return DecisionTree(target, root, sample.n, left_out, level, remarks)


def remarks_of(target: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> tuple[str, ...]:
    """What a reader of the tree must know about its intervals, branches and shares."""
    remarks = [
        translate(
            "Each interval treats its leaf as fixed. The same responses also chose the splits, so "
            "leaves look somewhat more different than they are."
        )
    ]
    if any(column.extras for column in predictors):
        remarks.append(translate("“Prefer not to say” and “not asked” are separate branches."))
    if target.extras:
        remarks.append(
            translate(
                "Shares describe respondents who gave no special answer to “%(question)s”.",
                question=target.label,
            )
        )
    return tuple(remarks)


def check_tree_columns(target: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion for columns that cannot be in a tree."""
    if not predictors:
        raise UnanswerableQuestion(translate("Choose at least one question to split by."))
    if not len(target.reports):
        raise UnanswerableQuestion(translate("No responses are published yet."))
    for column in (target, *predictors):
        if len(column.answers) == 1:
            raise UnanswerableQuestion(
                translate(
                    "All respondents gave the same answer to “%(question)s”.",
                    question=column.label,
                )
            )
        if not 2 <= len(column.answers) <= MAX_BRANCHES:
            raise UnanswerableQuestion(
                translate(
                    "“%(question)s” has %(n)s answers. A tree needs questions with 2 to "
                    "%(maximum)s answers.",
                    question=column.label,
                    n=translate_number(f"{len(column.answers):,}"),
                    maximum=MAX_BRANCHES,
                )
            )


def too_few_people(people: float) -> str:
    """Why a branch with so few people has no estimates."""
    if not people:
        return translate("no people")
    return translate("fewer than %(n)s people", n=MIN_SHOWN_RESPONSES)


@dataclass(frozen=True)
class Grower:
    """The constants while a tree grows. `own` has the target's scores, (codes, listed)."""

    target: AnalysisColumn
    predictors: tuple[AnalysisColumn, ...]
    own: Array
    whole: Sample
    level: float
    deepest: int

    def grown(
        self,
        sample: Sample,
        weights: Array,
        conditions: tuple[tuple[AnalysisColumn, int], ...],
        places: tuple[int, ...],
    ) -> Node:
        """The node of these conditions, with all nodes below it.

        `weights`, shape (m,), are the scores of each combination of reports for the conditions on
        private answers. Conditions on non-private answers have already reduced `sample`. `places`
        are the remaining predictors.
        """
        people = sample.counts[weights != 0].sum()
        if people < MIN_SHOWN_RESPONSES:
            why = too_few_people(people)
            return Node(conditions, None, (None,) * self.target.listed, None, (), why)
        scores = self.own[sample.reports[:, 0]] * weights[:, np.newaxis]
        among = scores.sum(axis=1)
        share = self.share_of(sample, among)
        shares = self.shares_of(sample, scores, among)
        leaf = Node(conditions, share, shares, None, ())
        if not places:
            return replace(leaf, why=translate("no predictor is left"))
        if len(conditions) >= self.deepest:
            return replace(leaf, why=translate("the tree has its maximum depth"))
        tried = [
            (place, split)
            for place in places
            if (split := self.split_by(place, sample, scores)) is not None
        ]
        if not tried:
            why = translate("no predictor has two answers that clearly occur here")
            return replace(leaf, why=why)
        passed = [each for each in tried if each[1].p <= (1 - self.level) / len(tried)]
        if not passed:
            why = translate("no predictor explains more than noise would")
            return replace(leaf, why=why)
        place, split = max(passed, key=lambda each: each[1].gain - each[1].noise)
        left = tuple(other for other in places if other != place)
        children = tuple(
            self.grown(*self.branch(place, answer, sample, weights),
                       (*conditions, (split.column, answer)), left)
            for answer in range(len(split.column.answers))
        )  # fmt: skip
        return replace(leaf, split=split, children=children)

    def share_of(self, sample: Sample, among: Array) -> IntervalEstimate | None:
        """The share in this node of all respondents who gave a listed answer."""
        everyone = self.own[self.whole.reports[:, 0]].sum(axis=1)
        inside = sample.counts > 0 if self.whole.simple else np.ones(len(among), dtype=bool)
        return ratio_estimate(
            self.whole, among * inside, everyone, 0.0, 1.0, self.level, fine=False
        )

    def shares_of(
        self, sample: Sample, scores: Array, among: Array
    ) -> tuple[IntervalEstimate | None, ...]:
        """The share of each listed answer here. Of two, the second mirrors the first."""
        fine = len(scores) <= MAX_GAFFKE_REPORTS

        def share(of_answer: Array) -> IntervalEstimate | None:
            return ratio_estimate(sample, of_answer, among, 0.0, 1.0, self.level, fine)

        if scores.shape[1] != 2:
            return tuple(share(of_answer) for of_answer in scores.T)
        one = share(scores[:, 0])
        if one is None:
            return None, None
        return one, replace(one, value=1 - one.value, low=1 - one.high, high=1 - one.low)

    def branch(
        self, place: int, answer: int, sample: Sample, weights: Array
    ) -> tuple[Sample, Array]:
        """The responses with one answer.

        A non-private answer is known, so other responses are omitted. Under strata and clusters
        they stay with weight zero, because the variance needs them.
        """
        column = self.predictors[place]
        codes = sample.reports[:, place + 1]
        if column.private or not sample.simple:
            return sample, weights * coherent(column)[codes, answer]
        inside = codes == answer
        counts = sample.counts * inside
        kept = sample.codes[inside[sample.codes]]
        return replace(
            sample, codes=kept, counts=counts, shares=counts / max(1, len(kept))
        ), weights

    def split_by(self, place: int, sample: Sample, scores: Array) -> BranchSplit | None:
        require_time()
        column = self.predictors[place]
        groups = coherent(column)[sample.reports[:, place + 1]]
        return split_of(column, sample, groups, scores)
