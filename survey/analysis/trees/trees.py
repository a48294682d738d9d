"""Decision trees: which questions, one after the other, give most information on another one.

ID3 (Quinlan, "Induction of decision trees", Machine Learning 1 (1986) 81) splits by the largest
information gain. With randomised answers a gain is never zero: noise alone produces one, and more
so if the answers are better protected. A branch is therefore split only if the gain exceeds its own
noise, by a test with a stated level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import IntervalEstimate, ratio_estimate
from survey.analysis.trees.candidates import Candidate, Mask, candidates_of, in_parts
from survey.analysis.trees.splits import BranchSplit, find_split, split_p_text
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.scores import Array
from survey.core.translate import translate
from survey.estimation.findings.remarks import (
    ROUNDED_VALUES,
    SELECTED_SPLITS,
    SPECIAL_ANSWERS,
    Remark,
)
from survey.estimation.results import MIN_SHOWN_RESPONSES

# The number of questions on the way to a leaf.
MAX_DEPTH_QUESTIONS = 4
# The number of answers of a question in a tree.
MAX_BRANCHES = 12
# The limit of numbers in memory, 320 MB.
MAX_TREE_SCORES = 40_000_000
# With more different reports, leaves have no Gaffke intervals.
MAX_GAFFKE_REPORTS = 5_000


@dataclass(frozen=True, kw_only=True)
class Node:
    """A branch, or a leaf if `split` is None.

    Attributes
    ----------
    conditions : on the way to the node, each a column and the place of an answer
    share : the share of all respondents in the node
    shares : the share of each listed answer to the target in the node; None with fewer than five
        responses, or if the node is estimated to be empty
    children : one for each branch of the split
    why : why a leaf is not split
    predicted : the place of the most frequent listed answer, or that of the node above if nobody is
        here by the estimate
    masks : which answers lead to the node, by the place of the question
    tested : the split, or if no test is significant, the one with the smallest p-value; None if
        there was no test
    """

    conditions: tuple[tuple[AnalysisColumn, int], ...]
    share: IntervalEstimate | None
    shares: tuple[IntervalEstimate | None, ...]
    split: BranchSplit | None
    children: tuple["Node", ...]
    why: str = ""
    predicted: int = 0
    masks: Mapping[int, Mask] = field(default_factory=dict)
    tested: BranchSplit | None = None

    @property
    def nodes(self) -> tuple["Node", ...]:
        """The node and all nodes below it."""
        return (self, *(node for child in self.children for node in child.nodes))

    @property
    def leaves(self) -> tuple["Node", ...]:
        return sum((child.leaves for child in self.children), ()) if self.children else (self,)


@dataclass(frozen=True, kw_only=True)
class DecisionTree:
    """A grown tree. `n` responses report on all its questions, `left_out` do not.

    `predictors` are the questions as they were asked, and `grower` has how it grew.
    """

    target: AnalysisColumn
    root: Node
    n: int
    left_out: int
    level: float
    remarks: tuple[Remark, ...]
    predictors: tuple[AnalysisColumn, ...]
    grower: "Grower" = field(repr=False, compare=False)


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
    predictors : at least one, each a number or with 2 to 12 answers; of the same responses. A
        number is split at a cut point of its range, possibly several times.
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
    A branch is split if `splits.find_split` finds more than noise. The level is divided among the
    questions tried (Bonferroni). The split uses the one with the largest gain above its noise.
    Intervals of leaves ignore that the same responses chose the tree. Shares of leaves are
    therefore too far apart, especially if the test was close. Intervals are also wrong with few
    reports: a leaf of 10 people with private answers contains almost no information.
    """
    check_tree_columns(target, predictors)
    columns = tuple(in_parts(column) for column in predictors)
    sample = complete_case_sample([target, *columns], design)
    largest = len(target.answers) * max(len(column.answers) for column in columns)
    if len(sample.reports) * largest > MAX_TREE_SCORES:
        raise UnanswerableQuestion(
            "%(n)s different reports are too many. Choose fewer questions, or questions with "
            "fewer answers.",
            n=len(sample.reports),
        )
    own = coherent(target)[:, : target.listed]
    grower = Grower(
        target=target,
        predictors=columns,
        target_scores=own,
        whole=sample,
        level=level,
        deepest=deepest,
    )
    root, left_out = grower.grow(), len(target.reports) - sample.n
    remarks = remarks_of(target, predictors, root)
    return DecisionTree(
        target=target,
        root=root,
        n=sample.n,
        left_out=left_out,
        level=level,
        remarks=remarks,
        predictors=tuple(predictors),
        grower=grower,
    )


def remarks_of(
    target: AnalysisColumn, predictors: Sequence[AnalysisColumn], root: Node
) -> tuple[Remark, ...]:
    """What a reader of the tree must know about its intervals, branches and shares."""
    remarks = []
    if root.split is not None:
        remarks.append(
            Remark(
                SELECTED_SPLITS,
                translate(
                    "Candor chose the splits and calculated the intervals from the same "
                    "responses. So the leaves (the ends of the tree) look more different than "
                    "they are, and the intervals do not correct for this."
                ),
            )
        )
    if any(column.special_answers for column in predictors):
        branches = translate("“Prefer not to say” and “not asked” are separate branches.")
        remarks.append(Remark(SPECIAL_ANSWERS, branches))
    if any(column.private and column.cuts and column.rounding for column in predictors):
        remarks.append(
            Remark(
                ROUNDED_VALUES,
                translate(
                    "A private number is split by the level to which the answer was rounded at "
                    "random."
                ),
            )
        )
    if target.special_answers:
        remarks.append(
            Remark(
                SPECIAL_ANSWERS,
                translate(
                    "Shares describe respondents who gave no special answer to “%(question)s”.",
                    question=target.label,
                ),
            )
        )
    return tuple(remarks)


def check_tree_columns(target: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion for columns that cannot be in a tree."""
    if not predictors:
        raise UnanswerableQuestion("Choose at least one question to split by.")
    if not len(target.reports):
        raise UnanswerableQuestion("No responses are published yet.")
    for column in (target, *predictors):
        if len(column.answers) == 1:
            raise UnanswerableQuestion(
                "All respondents gave the same answer to “%(question)s”.", question=column.label
            )
        number = column.cuts and column is not target
        if not number and not 2 <= len(column.answers) <= MAX_BRANCHES:
            raise UnanswerableQuestion(
                "“%(question)s” has %(n)s answers. A tree needs questions with 2 to "
                "%(maximum)s answers.",
                question=column.label,
                n=len(column.answers),
                maximum=MAX_BRANCHES,
            )


def too_few_people(people: float) -> str:
    """Why a branch with so few people has no estimates."""
    if not people:
        return translate("no people")
    return translate("fewer than %(n)s people", n=MIN_SHOWN_RESPONSES)


@dataclass(frozen=True, kw_only=True)
class Grower:
    """The constants while a tree grows. `target_scores` has shape (codes, listed answers).

    Without `intervals`, nodes have only what they predict, which is much faster.
    """

    target: AnalysisColumn
    predictors: tuple[AnalysisColumn, ...]
    target_scores: Array
    whole: Sample
    level: float
    deepest: int
    intervals: bool = True

    def grow(self) -> Node:
        """Grow the tree. Returns its first node, with all nodes below it."""
        return self.node(self.whole, {}, (), 0)

    def node(
        self,
        sample: Sample,
        masks: Mapping[int, Mask],
        conditions: tuple[tuple[AnalysisColumn, int], ...],
        above: int,
    ) -> Node:
        """The node of these conditions, with all nodes below it.

        Conditions on non-private answers have already reduced `sample`. `above` is what the node
        above predicts.
        """
        weights = self.weights(sample, masks)
        people = sample.counts[weights != 0].sum()
        scores = self.target_scores[sample.reports[:, 0]] * weights[:, np.newaxis]
        means = sample.mean(scores)
        predicted = int(np.argmax(means)) if means.sum() > 0 else above
        if people < MIN_SHOWN_RESPONSES:
            none = (None,) * self.target.listed
            why = too_few_people(people)
            # So few people do not change what is predicted.
            return Node(
                conditions=conditions,
                share=None,
                shares=none,
                split=None,
                children=(),
                why=why,
                predicted=above,
                masks=masks,
            )
        among = scores.sum(axis=1)
        share = self.share_of(sample, among)
        shares = self.shares_of(sample, scores, among)
        leaf = Node(
            conditions=conditions,
            share=share,
            shares=shares,
            split=None,
            children=(),
            why="",
            predicted=predicted,
            masks=masks,
        )
        candidates = self.candidates(masks)
        if not candidates:
            return replace(leaf, why=translate("no predictor is left"))
        if len(conditions) >= self.deepest:
            return replace(leaf, why=translate("the tree has its maximum depth"))
        tried = [
            (candidate, split)
            for candidate in candidates
            if (split := self.split_by(candidate, sample, masks)) is not None
        ]
        if not tried:
            why = translate(
                "no predictor has two answers whose shares in this branch are clearly above 0"
            )
            return replace(leaf, why=why)
        tried = [(one, replace(split, tried=len(tried))) for one, split in tried]
        passed = [each for each in tried if each[1].adjusted_p <= 1 - self.level]
        if not passed:
            best = min((split for _, split in tried), key=lambda each: each.p)
            why = translate(
                "no predictor explains more than random noise does (%(p)s)", p=split_p_text(best)
            )
            return replace(leaf, why=why, tested=best)
        candidate, split = max(passed, key=lambda each: each[1].gain - each[1].noise)
        children = tuple(
            self.node(
                self.within(sample, candidate.place, mask),
                {**masks, candidate.place: mask},
                (*conditions, (candidate.column, answer)),
                predicted,
            )
            for answer, mask in enumerate(candidate.branches)
        )
        return replace(leaf, split=split, tested=split, children=children)

    def candidates(self, masks: Mapping[int, Mask]) -> list[Candidate]:
        """All splits that are possible in a branch."""
        return [
            candidate
            for place, column in enumerate(self.predictors)
            for candidate in candidates_of(place, column, masks.get(place))
        ]

    def weights(
        self, sample: Sample, masks: Mapping[int, Mask], besides: int | None = None
    ) -> Array:
        """The scores of each combination of reports for being in a branch, shape (m,).

        Conditions on the question at the place `besides` are left out, and those on non-private
        answers if they have reduced the sample.
        """
        product = np.ones(len(sample.reports))
        for place, mask in masks.items():
            column = self.predictors[place]
            if place != besides and (column.private or not sample.simple):
                product = product * self.mask_scores(place, mask)[sample.reports[:, place + 1]]
        return product

    def mask_scores(self, place: int, mask: Mask) -> Array:
        """The score of each report of a question for the answers of a mask, shape (codes,)."""
        return np.asarray(coherent(self.predictors[place]) @ mask.astype(np.float64))

    def share_of(self, sample: Sample, among: Array) -> IntervalEstimate | None:
        """The share in this node of all respondents who gave a listed answer."""
        if not self.intervals:
            return None
        everyone = self.target_scores[self.whole.reports[:, 0]].sum(axis=1)
        inside = sample.counts > 0 if self.whole.simple else np.ones(len(among), dtype=bool)
        return ratio_estimate(
            self.whole, among * inside, everyone, 0.0, 1.0, self.level, fine=False
        )

    def shares_of(
        self, sample: Sample, scores: Array, among: Array
    ) -> tuple[IntervalEstimate | None, ...]:
        """The share of each listed answer here. Of two, the second mirrors the first."""
        if not self.intervals:
            return (None,) * self.target.listed
        fine = len(scores) <= MAX_GAFFKE_REPORTS

        def share(of_answer: Array) -> IntervalEstimate | None:
            return ratio_estimate(sample, of_answer, among, 0.0, 1.0, self.level, fine)

        if scores.shape[1] != 2:
            return tuple(share(of_answer) for of_answer in scores.T)
        one = share(scores[:, 0])
        if one is None:
            return None, None
        return one, replace(one, value=1 - one.value, low=1 - one.high, high=1 - one.low)

    def within(self, sample: Sample, place: int, mask: Mask) -> Sample:
        """The responses with some answers to a question.

        A non-private answer is known, so other responses are omitted. Under strata and clusters
        they stay with weight zero, because the variance needs them.
        """
        if self.predictors[place].private or not sample.simple:
            return sample
        return only_combinations(sample, mask[sample.reports[:, place + 1]])

    def split_by(
        self, candidate: Candidate, sample: Sample, masks: Mapping[int, Mask]
    ) -> BranchSplit | None:
        require_time()
        place = candidate.place
        # The branches of the split have the conditions on its own question.
        weights = self.weights(sample, masks, besides=place)
        scores = self.target_scores[sample.reports[:, 0]] * weights[:, np.newaxis]
        groups = candidate.scores(self.predictors[place])[sample.reports[:, place + 1]]
        split = find_split(candidate.column, sample, groups, scores)
        return None if split is None else replace(split, cut=candidate.cut)


def only_combinations(sample: Sample, inside: Mask) -> Sample:
    """The responses of a sample without weights, strata and clusters with some combinations."""
    counts = sample.counts * inside
    kept = sample.codes[inside[sample.codes]]
    return replace(sample, codes=kept, counts=counts, shares=counts / max(1, len(kept)))
