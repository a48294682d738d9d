"""Predictors of a regression: columns of numbers if they are known, cells if they are private.

A number enters unchanged. Any other predictor has one column for each answer except the reference,
which is the second of two answers (No), else the first. "Prefer not to say" is an answer like the
others, unless nobody seems to have given it (`private.absent_answers`). For a private number it has
its own column. For a non-private number, respondents with it are omitted.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.factors import factors_of
from survey.analysis.columns.reported_variable import ReportedVariable, starting_shares
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.analysis.regression.formula import (
    ModelTerms,
    coefficient_label,
    product_name,
    quote_labels,
)
from survey.analysis.regression.models import Array
from survey.analysis.regression.private.associations import associations_of
from survey.analysis.regression.standardise import BLOCK, Product, StandardisedPredictors
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.translate import join_sentences, translate
from survey.estimation.findings.remarks import NOBODY_ANSWERED, Remark

# The combinations of the private predictors' answers: five questions with seven answers.
MAX_PREDICTOR_CELLS = 16_807
# The share of a column's variance that the other columns must leave unexplained.
MIN_INDEPENDENT_VARIANCE = 1e-9
NO_FORMULA = ModelTerms()


@dataclass(frozen=True)
class PrivateDraw:
    """The private predictors whose reports come from one draw.

    It is one predictor, or several items of a joint question or boxes of one table. Its k answers
    are all combinations of their answers.

    Attributes
    ----------
    reported : a code of -1 has no information, such as for a question that the respondent was not
        asked
    scores : float array (codes, k)
    levels : float array (k, d), the columns of each answer
    columns : the places of these columns in the design
    """

    reported: ReportedVariable
    scores: Array
    levels: Array
    columns: tuple[int, ...]


@dataclass(frozen=True)
class SharedDraw:
    """The draw of the outcome, if private predictors are reported in the same one.

    Attributes
    ----------
    chances : float array (answers to the outcome, answers to these predictors, codes)
    codes : int array (n,), none missing
    answers : int array (cells,), the place of the predictors' answers of each cell
    """

    chances: Array
    codes: Codes
    answers: Codes

    def shares(self, weights: Array | None) -> Array:
        """Shares of the cells near the most likely ones, all above zero."""
        answers, places, codes = self.chances.shape
        reported = ReportedVariable(self.chances.reshape(-1, codes), self.codes)
        shares = starting_shares(reported, weights).reshape(answers, places).sum(axis=0)
        return np.asarray(shares[self.answers])


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The combinations of answers to the private predictors.

    Attributes
    ----------
    draws : those of the predictors, without the outcome's
    answers : int array (cells, draws)
    design : float array (cells, d), the columns of each cell in the model
    associations, with_non_private : see `associations.associations_of`
    shared : the outcome's draw, if it has predictors too
    """

    draws: tuple[PrivateDraw, ...]
    answers: Codes
    design: Array
    associations: Array
    with_non_private: npt.NDArray[np.bool_]
    shared: SharedDraw | None = None


@dataclass(frozen=True, kw_only=True)
class Term:
    """A predictor in a regression.

    Attributes
    ----------
    names : the names of its columns, such as `region: South`; for a number its own name
    levels : float array (answers, d), the columns of each answer; zeros for the reference
    answers, reference : labels; reference is None for a number
    columns : places in the design, of which 0 is the constant
    factors : the names of the predictors whose product it is; empty for a predictor
    special : the number of columns, the last ones, of special answers to a private question
    """

    name: str
    names: tuple[str, ...]
    levels: Array
    answers: tuple[str, ...]
    reference: str | None
    private: bool
    columns: tuple[int, ...] = ()
    factors: tuple[str, ...] = ()
    special: int = 0

    @property
    def listed_columns(self) -> tuple[int, ...]:
        """The columns without those of special answers."""
        return self.columns[: len(self.columns) - self.special]

    @property
    def is_product(self) -> bool:
        return bool(self.factors)


@dataclass(frozen=True, kw_only=True)
class Predictors:
    """The design of a regression.

    Attributes
    ----------
    rows : bool array (n,), the respondents whose non-private predictors are known
    non_private : float array (rows that are True, p), without the constant
    private : None if no predictor is private
    terms : non-private ones first, then their products; columns are numbered in this order
    products : the columns that are products of others
    """

    rows: npt.NDArray[np.bool_]
    non_private: Array
    private: Cells | None
    terms: tuple[Term, ...]
    remarks: tuple[Remark, ...] = ()
    products: tuple[Product, ...] = ()

    def columns_with(self, term: Term) -> tuple[int, ...]:
        """The columns of a term without special answers, and of the products that contain it."""
        contained = Counter(term.factors or (term.name,))
        return term.listed_columns + tuple(
            column
            for other in self.terms
            if other is not term and contained <= Counter(other.factors)
            for column in other.columns
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns without the constant."""
        return tuple(name for term in self.terms for name in term.names)


def reference_of(column: AnalysisColumn) -> int:
    """The answer that others are compared with."""
    return 1 if column.listed == 2 else 0


def term_of(
    column: AnalysisColumn,
    as_number: bool,
    seen: npt.NDArray[np.bool_],
    reference: int | None = None,
) -> Term:
    """A column as a term. `seen`, shape (k,), are the answers of a category with a column."""
    k = len(column.answers)
    if as_number and column.values is not None:
        levels = np.nan_to_num(column.values)[:, np.newaxis]
        names: list[str] = [column.name]
        special = column.special_answers if column.private else 0
        if column.private and column.special_answers:
            apart = np.eye(k)[:, column.listed :]
            levels = np.concatenate([levels, apart], axis=1)
            names += [f"{column.name}: {label}" for label in column.answers[column.listed :]]
        return Term(
            name=column.name,
            names=tuple(names),
            levels=levels,
            answers=column.answers,
            reference=None,
            private=column.private,
            special=special,
        )
    if reference is None or not seen[reference]:
        reference = reference_of(column)
    if not seen[reference]:
        reference = int(np.argmax(seen))
    others = [x for x in range(k) if seen[x] and x != reference]
    # A special answer is no answer that a test compares with others, unless the user chose it.
    is_apart = column.private and reference < column.listed
    return Term(
        name=column.name,
        names=tuple(f"{column.name}: {column.answers[x]}" for x in others),
        levels=np.eye(k)[:, others],
        answers=column.answers,
        reference=column.answers[reference],
        private=column.private,
        special=column.special_answers if is_apart else 0,
    )


def predictors_of(
    columns: Sequence[AnalysisColumn],
    rows: npt.NDArray[np.bool_],
    formula: ModelTerms = NO_FORMULA,
    outcome: AnalysisColumn | None = None,
) -> Predictors:
    """The design of a regression on these columns.

    Parameters
    ----------
    rows : bool array (n,), the respondents in the regression
    formula : products of the columns, numbers and scales to treat as categories, and answers to
        compare with. Special answers of non-private predictors that are named as categories are
        categories, too, and otherwise left out.
    outcome : matters only if it comes from one draw with predictors

    Raises
    ------
    UnanswerableQuestion
        If a predictor is constant, follows from others, determines too little, or makes too many
        combinations. If answers to the outcome and to a predictor of its draw exclude each other.
    """
    categories, references = formula.categories, check_formula(formula, columns)
    numbers = {c.name: c.values is not None and c.name not in categories for c in columns}
    non_private = [column for column in columns if not column.private]
    private = [column for column in columns if column.private]
    kept = known_rows(rows, non_private, categories)
    require_reports(private, kept)
    terms, blocks, remarks, width = [], [], [], 1
    for column in non_private:
        reports = column.reports[kept]
        seen = np.bincount(reports, minlength=len(column.answers)) > 0
        require_variation(column, seen, int(kept.sum()))
        if not numbers[column.name] and not seen.all():
            missing = [a for a, some in zip(column.answers, seen, strict=True) if not some]
            remarks.append(nobody_answered(missing, column))
        term = assign_design_columns(
            term_of(column, numbers[column.name], seen, references.get(column.name)), width
        )
        width += len(term.names)
        terms.append(term)
        blocks.append(term.levels[reports])
    products = append_products(formula, columns, terms, blocks, remarks)
    width = 1 + sum(len(term.names) for term in terms)
    # Columns are contiguous in memory, because they are read column by column.
    non_private_design = (
        np.concatenate([b.T for b in blocks]).T if blocks else np.empty((int(kept.sum()), 0))
    )
    check_independent(non_private_design, terms, columns)
    hidden = private_terms(private, numbers, references, width)
    p = non_private_design.shape[1]
    cells = cells_of(private, hidden, kept, p, outcome) if private else None
    whole = (*terms, *hidden)
    return Predictors(
        rows=kept,
        non_private=non_private_design,
        private=cells,
        terms=whole,
        remarks=tuple(remarks),
        products=tuple(products),
    )


def private_terms(
    columns: Sequence[AnalysisColumn],
    numbers: Mapping[str, bool],
    references: Mapping[str, int],
    width: int,
) -> list[Term]:
    """The terms of private predictors, from column `width` of the design.

    `numbers` says which of them enter as numbers.
    """
    terms: list[Term] = []
    for column in columns:
        check_private_predictor(column)
        every = np.ones(len(column.answers), dtype=bool)
        term = term_of(column, numbers[column.name], every, references.get(column.name))
        terms.append(assign_design_columns(term, width))
        width += len(term.names)
    return terms


def append_products(
    formula: ModelTerms,
    predictors: Sequence[AnalysisColumn],
    terms: list[Term],
    blocks: list[Array],
    remarks: list[Remark],
) -> list[Product]:
    """Append the products of a formula, their columns (n, d), and remarks on them."""
    products: list[Product] = []
    for factors in formula.products:
        width = 1 + sum(len(term.names) for term in terms)
        term, block, made, nobody = product_of(factors, terms, blocks, width)
        terms.append(term)
        blocks.append(block)
        products += made
        if nobody:
            remarks.append(
                Remark(
                    NOBODY_ANSWERED,
                    translate(
                        "Nobody in this analysis has these answers together: %(combinations)s. "
                        "They have no coefficient.",
                        combinations=quote_labels(
                            [coefficient_label(name, predictors) for name in nobody]
                        ),
                    ),
                )
            )
    return products


def known_rows(
    rows: npt.NDArray[np.bool_], non_private: Sequence[AnalysisColumn], categories: Collection[str]
) -> npt.NDArray[np.bool_]:
    """The respondents in `rows` whose non-private predictors are known, shape (n,).

    Raises UnanswerableQuestion if there are none.
    """
    kept = rows.copy()
    for column in non_private:
        kept &= column.reports >= 0
        # A special answer is no category, unless the user asks for categories.
        if column.special_answers and column.name not in categories:
            kept &= column.reports < column.listed
    if not kept.any():
        raise UnanswerableQuestion(
            "There is no response yet with an answer or report for each of these questions."
        )
    return kept


def check_formula(formula: ModelTerms, columns: Sequence[AnalysisColumn]) -> dict[str, int]:
    """The places of the answers to compare with, by predictor.

    Raises UnanswerableQuestion if a term has no predictor, or no such answer.
    """
    by_name = {column.name: column for column in columns}
    for factors in formula.products:
        term = product_name(factors)
        for name in factors:
            column = by_name.get(name)
            if column is None:
                raise UnanswerableQuestion(
                    "“%(term)s” needs “%(predictor)s” as a predictor of its own. Add it.",
                    term=term,
                    predictor=name,
                )
            if column.private:
                raise UnanswerableQuestion(
                    "“%(term)s” contains “%(question)s”, which is randomised. Products and "
                    "powers need non-private predictors. Remove this term.",
                    term=term,
                    question=column.label,
                )
            power = len(factors) > len(set(factors))
            if power and (column.values is None or name in formula.categories):
                raise UnanswerableQuestion(
                    "“%(term)s” is a power of “%(question)s”, which enters as categories. "
                    "Powers need a number or a scale. Remove this term.",
                    term=term,
                    question=column.label,
                )
    return {name: place_of(by_name[name], answer) for name, answer in formula.references.items()}


def place_of(column: AnalysisColumn, answer: str) -> int:
    """The place of an answer by its label. Raises UnanswerableQuestion."""
    if answer in column.answers:
        return column.answers.index(answer)
    raise UnanswerableQuestion(
        "“%(question)s” has no answer “%(answer)s” to compare with. Its answers are %(answers)s.",
        question=column.label,
        answer=answer,
        answers=quote_labels(column.answers),
    )


def product_of(
    factors: Sequence[str], terms: Sequence[Term], blocks: Sequence[Array], width: int
) -> tuple[Term, Array, list[Product], list[str]]:
    """A product of terms: its columns, and the names of those that are 0 for all respondents.

    Parameters
    ----------
    blocks : the columns of each term, float arrays (n, d)
    width : the place of its first column
    """
    places = [next(p for p, term in enumerate(terms) if term.name == name) for name in factors]
    parts = [list(zip(terms[p].names, terms[p].columns, blocks[p].T, strict=True)) for p in places]
    names: list[str] = []
    nobody: list[str] = []
    columns: list[Array] = []
    products: list[Product] = []
    for chosen in product(*parts):
        name = product_name([each[0] for each in chosen])
        column = np.prod([each[2] for each in chosen], axis=0)
        if not column.any():
            nobody.append(name)
            continue
        products.append((width + len(names), tuple(each[1] for each in chosen)))
        names.append(name)
        columns.append(column)
    whole = product_name(factors)
    if not names:
        raise UnanswerableQuestion(
            "“%(term)s” is 0 for all respondents. Remove this term.", term=whole
        )
    term = Term(
        name=whole,
        names=tuple(names),
        levels=np.empty((0, len(names))),
        answers=(),
        reference=None,
        private=False,
        columns=tuple(range(width, width + len(names))),
        factors=tuple(factors),
    )
    return term, np.transpose(columns), products, nobody


def require_variation(column: AnalysisColumn, seen: npt.NDArray[np.bool_], n: int) -> None:
    """Raise UnanswerableQuestion if all n respondents gave the same answer."""
    if seen.sum() < 2:
        raise UnanswerableQuestion(
            "“%(question)s” is the same for all respondents (%(n)s), so it explains "
            "nothing. Remove it.",
            question=column.label,
            n=n,
        )


def require_reports(columns: Sequence[AnalysisColumn], rows: npt.NDArray[np.bool_]) -> None:
    """Raise UnanswerableQuestion if no respondent here reports on one of the columns."""
    for column in columns:
        if (column.reports[rows] < 0).all():
            raise UnanswerableQuestion(
                "None of the respondents (%(n)s) reports on “%(question)s”. Remove it.",
                n=int(rows.sum()),
                question=column.label,
            )


def assign_design_columns(term: Term, width: int) -> Term:
    return replace(term, columns=tuple(range(width, width + len(term.names))))


def check_private_predictor(column: AnalysisColumn) -> None:
    if not column.tabled or column.scores is None:
        instead = translate("It can be the outcome.") if column.value_scores is not None else ""
        fault = join_sentences(
            translate(
                "The reports on “%(question)s” allow an estimate of the mean only, not of the "
                "distribution, so it cannot be a predictor.",
                question=column.label,
            ),
            instead,
        )
        raise UnanswerableQuestion(fault)


def cells_of(
    columns: Sequence[AnalysisColumn],
    terms: Sequence[Term],
    kept: npt.NDArray[np.bool_],
    p: int,
    outcome: AnalysisColumn | None,
) -> Cells:
    """All combinations of the answers to private predictors, without those that one draw excludes.

    `outcome` matters only if it comes from one draw with some of them.
    """
    sizes = [len(column.answers) for column in columns]
    require_few_cells(int(np.prod(sizes)))
    answers = np.array(list(product(*map(range, sizes))))
    draws: list[PrivateDraw] = []
    of_draws: list[Codes] = []
    possible = np.ones(len(answers), dtype=bool)
    shared = None
    with_outcome = [column for column in columns if outcome and column.draw == outcome.draw]
    every = [outcome, *columns] if outcome and with_outcome else list(columns)
    for factor in factors_of(every):
        # The places of its predictors, without the outcome.
        axes = [axis - len(every) + len(columns) for axis in factor.axes]
        own = [axis for axis in axes if axis >= 0]
        column, reports = factor.column, factor.column.reports[kept]
        require_draw_table(column, [columns[axis] for axis in own])
        places = np.ravel_multi_index(answers[:, own].T, [sizes[axis] for axis in own])
        if outcome and len(own) < len(axes):
            shape = (len(outcome.answers), -1, column.chances.shape[1])
            shared = SharedDraw(column.chances.reshape(shape), reports, places)
            require_no_exclusion(shared.chances, outcome, with_outcome)
            possible &= np.any(shared.chances[:, places], axis=(0, 2))
            continue
        if len(own) > 1:
            possible &= np.any(column.chances[places], axis=1)
        reported = ReportedVariable(column.chances, reports, column.designs)
        levels = levels_together([terms[axis].levels for axis in own])
        of_design = tuple(place for axis in own for place in terms[axis].columns)
        draws.append(PrivateDraw(reported, np.asarray(column.scores), levels, of_design))
        of_draws.append(places)
    design = np.concatenate(
        [term.levels[answers[:, place]] for place, term in enumerate(terms)], axis=1
    )[possible]
    check_cells(design, terms, columns)
    if shared is not None:
        shared = replace(shared, answers=shared.answers[possible])
    of_cells = np.array(of_draws, dtype=np.int64).reshape(len(draws), len(answers))[:, possible].T
    associations, with_non_private = associations_of(answers[possible], sizes, p)
    return Cells(
        draws=tuple(draws),
        answers=of_cells,
        design=design,
        associations=associations,
        with_non_private=with_non_private,
        shared=shared,
    )


def require_few_cells(cells: int) -> None:
    """Raise UnanswerableQuestion if there are too many cells."""
    if cells > MAX_PREDICTOR_CELLS:
        raise UnanswerableQuestion(
            "The private predictors have %(combinations)s combinations of answers. The "
            "maximum is %(maximum)s. Choose fewer predictors.",
            combinations=cells,
            maximum=MAX_PREDICTOR_CELLS,
        )


def levels_together(levels: Sequence[Array]) -> Array:
    """The columns of all combinations of answers, in row-major order."""
    places = np.indices([len(each) for each in levels]).reshape(len(levels), -1)
    parts = [each[place] for each, place in zip(levels, places, strict=True)]
    return np.concatenate(parts, axis=1)


def require_draw_table(column: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion if the reports of a draw depend on answers outside the model."""
    if not column.tabled:
        raise UnanswerableQuestion(
            "The reports on %(questions)s also depend on other answers, so there is no "
            "likelihood of these questions alone. Use a cross-tabulation.",
            questions=quote_labels([each.label for each in predictors]),
        )


def require_no_exclusion(
    chances: Array, outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]
) -> None:
    """Raise UnanswerableQuestion if an answer to the outcome excludes one to its predictors.

    `chances` are those of `SharedDraw`.
    """
    there = np.any(chances, axis=2)
    if not np.all(there | ~np.any(there, axis=0)):
        raise UnanswerableQuestion(
            "Some answers to “%(outcome)s” and to %(predictors)s cannot occur together, so a "
            "regression of one on the other has no finite coefficients. Use a "
            "cross-tabulation.",
            outcome=outcome.label,
            predictors=quote_labels([each.label for each in predictors]),
        )


def check_cells(design: Array, terms: Sequence[Term], predictors: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion if a column follows from the others in all possible cells."""
    names = [name for term in terms for name in term.names]
    for place, name in enumerate(names, start=1):
        before = np.column_stack([np.ones(len(design)), design[:, :place]])
        if np.linalg.matrix_rank(before) <= place:
            raise UnanswerableQuestion(
                "%(predictor)s follows from the answers to the other private predictors. "
                "Remove one of them.",
                predictor=quote_labels([coefficient_label(name, predictors)]),
            )


def check_independent(
    non_private: Array, terms: Sequence[Term], predictors: Sequence[AnalysisColumn]
) -> None:
    """Raise UnanswerableQuestion if a column can be computed from those before it."""
    labels = [coefficient_label(name, predictors) for term in terms for name in term.names]
    if not labels:
        return
    standard = StandardisedPredictors(non_private)
    related = np.zeros((1 + len(labels), 1 + len(labels)))
    for first in range(0, len(non_private), BLOCK):
        require_time()
        block = standard.block(slice(first, first + BLOCK))
        related += block.T @ block / len(non_private)
    related = related[1:, 1:]
    for place in range(1, len(labels)):
        before = related[:place, :place]
        with_them = related[:place, place]
        by = np.linalg.solve(before, with_them)
        if 1 - with_them @ by < MIN_INDEPENDENT_VARIANCE:
            part = [label for label, b in zip(labels[:place], by, strict=True) if abs(b) > 1e-4]
            raise UnanswerableQuestion(
                "%(predictor)s can be computed from %(others)s. Remove one of them.",
                predictor=quote_labels([labels[place]]),
                others=quote_labels(part),
            )


def nobody_answered(missing: Sequence[str], column: AnalysisColumn) -> Remark:
    """A remark on answers that nobody gave."""
    return Remark(
        NOBODY_ANSWERED,
        translate(
            "Nobody answered %(answers)s to “%(question)s”.",
            answers=quote_labels(missing),
            question=column.label,
        ),
    )
