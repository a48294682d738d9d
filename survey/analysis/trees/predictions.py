"""What a tree predicts, and for which share of respondents it is right.

The tree's own responses flatter it. Cross-validation predicts each response by a tree that grew
without it (Stone, JRSS B 36 (1974) 111).
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import Codes
from survey.analysis.groups.figures import IntervalEstimate, ratio_estimate
from survey.analysis.permutations import random_parts
from survey.analysis.trees.trees import MAX_GAFFKE_REPORTS, DecisionTree, Grower, Node
from survey.core.scores import Array

FOLDS = 5
# The rows that the page and the command show next to their true answers.
MAX_PREDICTED_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class TreeAccuracy:
    """The share of respondents whose answer is predicted correctly.

    None if it cannot be estimated.

    Attributes
    ----------
    in_sample : by the tree, among the responses from which it grew
    cross_validated : by trees that grew without the response that they predict. The interval is for
        the tree itself.
    commonest : by the most frequent answer, cross-validated in the same way
    answer : the label of the most frequent answer
    differing : the share of respondents for whom these trees predict another answer than the tree;
        None if they all predict the same for everyone
    """

    in_sample: IntervalEstimate | None
    cross_validated: IntervalEstimate | None
    commonest: IntervalEstimate | None
    answer: str
    differing: IntervalEstimate | None = None


def tree_accuracy(tree: DecisionTree) -> TreeAccuracy:
    """The accuracy of a tree, with intervals of the tree's level.

    Notes
    -----
    A respondent's score is the sum over the leaves of the scores for being there and having the
    predicted answer. Its mean is an unbiased estimate of the share of correct predictions, also
    for private answers, because each response is predicted by a tree that does not depend on it.
    For the share in sample this does not hold, so it is too large on average. Clusters stay
    together.

    The interval of the cross-validated accuracy is for the tree itself. The trees of
    cross-validation have some predictions in common with it. Its accuracy is at least the share of
    correct ones among these, and at most that plus the share of all other predictions. The interval
    extends from the lower end of the first bound to the upper end of the second one. Imbens &
    Manski, Econometrica 72 (2004) 1845, have intervals for bounds.
    """
    grower, sample = tree.grower, tree.grower.whole
    among = grower.target_scores[sample.reports[:, 0]].sum(axis=1)
    parts = fold_of_responses(sample)
    in_folds, by_commonest = [], []
    for part in range(FOLDS):
        trained = replace(grower, whole=left_out_sample(sample, parts == part), intervals=False)
        root = trained.grow()
        in_folds.append(prediction_scores(grower, root, tree.root))
        by_commonest.append(grower.target_scores[sample.reports[:, 0], root.predicted])
    common, other, differing = np.concatenate(in_folds, axis=1)
    spread = apart(sample, parts)

    def share(scores: Array, sample: Sample = spread) -> IntervalEstimate | None:
        everyone = np.tile(among, len(scores) // len(among))
        fine = len(scores) <= MAX_GAFFKE_REPORTS
        return ratio_estimate(sample, scores, everyone, 0.0, 1.0, tree.level, fine)

    cross_validated, differ = share(common + other), None
    if differing.any() and cross_validated is not None:
        differ = share(differing)
        least, most = share(common), share(common + differing)
        if least is not None and most is not None:
            low, high = min(least.low, cross_validated.low), max(most.high, cross_validated.high)
            cross_validated = replace(cross_validated, low=low, high=high)
    in_sample = share(prediction_scores(grower, tree.root, tree.root)[0], sample)
    answer = tree.target.answers[tree.root.predicted]
    commonest = share(np.concatenate(by_commonest))
    return TreeAccuracy(
        in_sample=in_sample,
        cross_validated=cross_validated,
        commonest=commonest,
        answer=answer,
        differing=differ,
    )


def prediction_scores(grower: Grower, root: Node, shown: Node) -> Array:
    """The scores of each combination of reports for the predictions of a tree, shape (3, m).

    They are for a correct prediction that the shown tree has too, for another correct prediction,
    and for any prediction that the shown tree does not have.
    """
    sample = grower.whole
    answers = grower.target_scores[sample.reports[:, 0]]
    scores = np.zeros((3, len(sample.reports)))
    for own, other in product(root.leaves, shown.leaves):
        masks = dict(own.masks)
        for place, mask in other.masks.items():
            masks[place] = masks[place] & mask if place in masks else mask
        inside = np.ones(len(sample.reports))
        for place, mask in masks.items():
            inside = inside * grower.mask_scores(place, mask)[sample.reports[:, place + 1]]
        right = inside * answers[:, own.predicted]
        if own.predicted == other.predicted:
            scores[0] += right
        else:
            scores[1:] += right, inside * answers.sum(axis=1)
    return scores


def fold_of_responses(sample: Sample) -> Codes:
    """The part of each response, from 0 to FOLDS - 1. Responses of a cluster are in one part."""
    if sample.units is None:
        return random_parts(sample.n, FOLDS)
    return random_parts(int(sample.units.max()) + 1, FOLDS)[sample.units]


def left_out_sample(sample: Sample, left_out: np.ndarray) -> Sample:
    """The sample without some responses. With weights, strata or clusters, they have weight 0."""
    kept = ~left_out
    m = len(sample.reports)
    counts = np.bincount(sample.codes[kept], minlength=m).astype(np.float64)
    if sample.simple:
        codes = sample.codes[kept]
        return replace(sample, codes=codes, counts=counts, shares=counts / max(1, len(codes)))
    weights = np.full(sample.n, 1 / sample.n) if sample.weights is None else sample.weights
    weights = weights * kept
    weights = weights / max(float(weights.sum()), np.finfo(np.float64).tiny)
    shares = np.asarray(np.bincount(sample.codes, weights, m), dtype=np.float64)
    return replace(sample, counts=counts, shares=shares, weights=weights)


def apart(sample: Sample, parts: Codes) -> Sample:
    """The sample with combinations of part and reports, so that each part has scores of its own."""
    m = len(sample.reports)
    codes = sample.codes + m * parts
    counts = np.bincount(codes, minlength=m * FOLDS).astype(np.float64)
    shares = counts / sample.n
    if sample.weights is not None:
        shares = np.asarray(np.bincount(codes, sample.weights, m * FOLDS), dtype=np.float64)
    reports = np.tile(sample.reports, (FOLDS, 1))
    return replace(sample, reports=reports, codes=codes, counts=counts, shares=shares)


@dataclass(frozen=True)
class PredictedRow:
    """A response with non-private answers: to the predictors, to the target, and the prediction."""

    answers: tuple[str, ...]
    true: str
    predicted: str

    @property
    def right(self) -> bool:
        return self.true == self.predicted


def predicted_rows(tree: DecisionTree, most: int = MAX_PREDICTED_ROWS) -> list[PredictedRow]:
    """The first responses with all answers, next to what the tree predicts for them.

    It is empty if a question is private, because a report is not a true answer. Respondents with a
    special answer to the target are left out.
    """
    columns = (tree.target, *tree.predictors)
    if any(column.private for column in columns):
        return []
    answered = np.logical_and.reduce([column.reported for column in columns])
    answered &= tree.target.reports < tree.target.listed
    rows = []
    for place in np.flatnonzero(answered)[:most]:
        codes = [int(column.reports[place]) for column in tree.grower.predictors]
        predicted = leaf_of(tree.root, codes).predicted
        rows.append(
            PredictedRow(
                tuple(column.answers[column.reports[place]] for column in tree.predictors),
                tree.target.answers[tree.target.reports[place]],
                tree.target.answers[predicted],
            )
        )
    return rows


def leaf_of(root: Node, codes: list[int]) -> Node:
    """The leaf to which non-private answers lead."""
    return next(
        leaf
        for leaf in root.leaves
        if all(mask[codes[place]] for place, mask in leaf.masks.items())
    )
