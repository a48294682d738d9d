"""Reports on all combinations of several answers at once, as reports on some of these answers.

The combinations are those of boxes of one table, or of the answers to a joint question. The sort of
a combination is the answer to one of the questions, or the answers to some of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.variables import MISSING, Codes
from survey.core.factored_randomizers import SubsetPart, SubsetSelection
from survey.core.scores import Array, scores_of_table

# Probabilities, and scores relative to the largest, that differ less are equal.
SAME = 1e-12


@dataclass(frozen=True)
class LumpedReports:
    """Reports grouped by what they say about the sorts of answers.

    Attributes
    ----------
    cells : for each code, the sorts that it supports, one for each chosen combination
    code_of : ndarray of int, shape (reports,)
    chances : ndarray, shape (sorts, codes)
        Pr(code | sort), with zeros for a sort without a combination.
    scores : ndarray, shape (codes, sorts)
    """

    cells: tuple[tuple[int, ...], ...]
    code_of: Codes
    chances: Array
    scores: Array

    def codes(self, reports: Codes) -> Codes:
        """The codes of reports, including missing ones."""
        # MISSING is -1, which selects the last place.
        return np.asarray(np.append(self.code_of, MISSING)[reports])

    def names(self, of_sorts: Sequence[str]) -> tuple[str, ...]:
        """The name of each code, given those of the sorts."""
        return tuple("; ".join(of_sorts[cell] for cell in cells) for cells in self.cells)


@dataclass(frozen=True)
class Combinations:
    """The table of all combinations, from which a column was made.

    Attributes
    ----------
    sorts : ndarray of int, shape (combinations,)
        The column's answer in each combination.
    reports : ndarray of int, shape (n,)
        The code of the report of each response, or -1.
    report_names : tuple of str
    chances : ndarray, shape (combinations, reports)
    """

    sorts: Codes
    reports: Codes
    report_names: tuple[str, ...]
    chances: Array

    def scores(self, sorts: Codes, count: int) -> Array:
        """The unbiased scores of `count` sorts. Raises UnanswerableQuestion."""
        return scores_of_table(self.chances, np.eye(count)[sorts])

    def lump_reports(self, sorts: Codes, count: int) -> LumpedReports | None:
        """Join the combinations of each of `count` sorts.

        It is None if Pr(code | combination) depends on more than the sort. Raises
        UnanswerableQuestion.
        """
        return lump_reports(self.chances, self.scores(sorts, count), sorts)


@dataclass(frozen=True, kw_only=True)
class SubsetCombinations(Combinations):
    """Subsets of all combinations, as `SubsetSelection` draws them. `chances` are not used.

    Attributes
    ----------
    bits : ndarray, shape (reports, combinations)
        Which combinations are in each subset that occurs.
    whole : SubsetSelection
    """

    bits: Array
    whole: SubsetSelection

    def part(self, sorts: Codes, count: int) -> SubsetPart:
        """The randomizer of the sorts."""
        sizes = np.bincount(sorts, minlength=count).tolist()
        return SubsetPart(count, self.whole, tuple(sizes))

    def lump_reports(self, sorts: Codes, count: int) -> LumpedReports:
        """The numbers of chosen combinations of each sort, with a code for each that occurs."""
        part = self.part(sorts, count)
        sizes, p, q = np.array(part.sizes), float(part.p), float(part.q)
        numbers, code_of = np.unique(self.bits @ np.eye(count)[sorts], axis=0, return_inverse=True)
        ways = np.prod(scipy.special.comb(sizes, numbers), axis=1)
        held = numbers / np.maximum(sizes, 1)
        weights = self.whole.far + (self.whole.near - self.whole.far) * held
        chances = np.where(sizes > 0, ways[:, np.newaxis] * weights / self.whole.weight, 0.0)
        cells = (np.repeat(np.arange(count), each).tolist() for each in numbers.astype(np.int64))
        return LumpedReports(
            tuple(map(tuple, cells)),
            code_of.reshape(-1).astype(np.int64),
            np.asarray(chances.T),
            (numbers - sizes * q) / (p - q),
        )


def lump_reports(chances: Array, scores: Array, sorts: Codes) -> LumpedReports | None:
    """Join the answers of each sort; None if Pr(code | answer) depends on more than the sort.

    Parameters
    ----------
    chances : ndarray, shape (answers, reports)
    scores : ndarray, shape (reports, sorts)
        Unbiased for the shares of the sorts.
    sorts : ndarray of int, shape (answers,)
        The sort of each answer. Some sorts may have no answer.
    """
    cells = np.unique(sorts)
    code_of = scores[:, cells].argmax(axis=1)
    if len(np.unique(code_of)) < len(cells):
        return None
    of_code = scores[[int(np.argmax(code_of == code)) for code in range(len(cells))]]
    together = chances @ np.eye(len(cells))[code_of]
    of_sort = np.zeros((scores.shape[1], len(cells)))
    of_sort[cells] = together[[int(np.argmax(sorts == cell)) for cell in cells]]
    tells_as_much = np.abs(scores - of_code[code_of]).max() <= SAME * np.abs(scores).max()
    if not tells_as_much or np.abs(together - of_sort[sorts]).max() > SAME:
        return None
    return LumpedReports(tuple((int(cell),) for cell in cells), code_of, of_sort, of_code)
