"""The finding of each analysis in plain sentences, the same for pages, files and the API.

A sentence says that groups differ, or that questions are related, only if a test says so. There
must also be enough responses for this test. The tests in tests/analysis/ simulate surveys in
which nothing differs and nothing is related. About 5 % of them or fewer get such a sentence.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.cells import level_text
from survey.analysis.changes.changes import SurveyChange
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.differences import GroupDifference
from survey.analysis.groups.figures import (
    SIGNIFICANCE_LEVEL,
    WHOLE_RANGE,
    IntervalEstimate,
    estimated_share,
    p_words,
    possible_text,
    rounding_like,
    share_in_words,
)
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure, measure_text
from survey.analysis.indirect.compare_ways import WaysOfAsking
from survey.analysis.indirect.crosswise import Crosswise
from survey.analysis.indirect.list_and_direct import ListAndDirect
from survey.analysis.indirect.list_experiment import ListExperiment
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.regression.coefficients import MIN_RESPONSES_PER_COEFFICIENT, Regression
from survey.analysis.regression.formula import ALL_PREDICTORS, quote_labels
from survey.analysis.tables.association import SCORE, WALD, Test
from survey.analysis.tables.correlation import Correlation
from survey.analysis.tables.correlation_matrix import (
    MIN_CORRELATED_RESPONSES,
    Correlations,
    Pair,
)
from survey.analysis.tables.crosstabs import Crosstab
from survey.analysis.trees.splits import split_p_text
from survey.analysis.trees.trees import DecisionTree
from survey.core.glossary_terms import glossary_term
from survey.core.scores import Array
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.estimation.findings.remarks import (
    DESIGN_EFFECT,
    DIRECT_CONTRADICTED,
    HIDDEN_ANSWERS,
    MISFIT,
    NOT_PRIVATE,
    Remark,
)
from survey.estimation.number_text import (
    beyond_interval,
    fixed_decimals,
    percent,
    points_text,
    rounded_to,
)
from survey.estimation.types.joint_texts import quoted_label

# A score test of three questions needs this expected count of each combination of reports.
MIN_EXPECTED_COUNT = 5
# A Wald test of a cross-tabulation needs this estimated number of people in each cell.
MIN_PEOPLE_PER_CELL = 10


def measure_value_text(
    figure: IntervalEstimate, difference: IntervalEstimate, measure: Measure
) -> str:
    """A value of a measure: a share in percent, a mean with its unit.

    A mean has the decimals of the difference, so that the values in a sentence have the same.
    """
    if is_share(measure):
        return possible_text(figure, percent)
    return f"{possible_text(figure, rounding_like(difference))} {measure.column.unit}".strip()


def is_share(measure: Measure) -> bool:
    return measure.answer is not None


def difference_text(
    figure: IntervalEstimate, low: float, high: float, measure: Measure
) -> tuple[str, str]:
    """The size of a difference and the ends of an interval, in points or in the mean's unit.

    The difference has no sign: its interval is turned round if it is below zero.
    """
    if figure.value < 0:
        figure = replace(figure, value=-figure.value, low=-figure.high, high=-figure.low)
        low, high = -high, -low
    return size_and_interval(figure, low, high, measure)


def size_and_interval(
    figure: IntervalEstimate, low: float, high: float, measure: Measure
) -> tuple[str, str]:
    """A difference and the ends of an interval, in points or in the mean's unit."""
    written = points_text if is_share(measure) else rounding_like(figure)
    size = possible_text(figure, written)
    ends = {"low": translate_number(written(low)), "high": translate_number(written(high))}
    if is_share(measure):
        return translate("%(n)s points", n=size), translate("%(low)s to %(high)s points", **ends)
    unit = measure.column.unit
    interval = translate("%(low)s to %(high)s", **ends)
    return f"{size} {unit}".strip(), f"{interval} {unit}".strip()


def significance_text() -> str:
    return translate_number(str(SIGNIFICANCE_LEVEL))


# --- whom results describe


def excluded_responses(n: int) -> str:
    """How many responses an analysis leaves out, and why; empty if none."""
    if not n:
        return ""
    return translate(
        "Candor excludes %(n)s other responses, which lack a report or a weight.",
        n=n,
    )


def without_special_answers(special_answers: int) -> str:
    """That results leave out special answers; empty if there are no special answers."""
    if not special_answers:
        return ""
    special_answer = glossary_term("special answer", translate("special answer"))
    return translate(
        "All results describe respondents who gave no %(special_answer)s.",
        special_answer=special_answer,
    )


# --- groups


@dataclass(frozen=True, kw_only=True)
class ComparedGroups:
    """Two groups with enough responses. The estimate in `higher` is at least that in `lower`."""

    difference: GroupDifference
    higher: str
    high: IntervalEstimate
    lower: str
    low: IntervalEstimate


def comparison_sentence(found: GroupComparison) -> str:
    """What the comparison shows: which groups differ, or that none do."""
    compared = [pair for each in found.differences if (pair := compared_groups(each, found))]
    if not compared:
        return no_comparison_sentence(found)
    clear = [pair for pair in compared if pair.difference.adjusted < SIGNIFICANCE_LEVEL]
    omitted = len(found.differences) - len(compared)
    rest = (
        translate("Comparisons left out because they are too uncertain: %(n)s.", n=omitted)
        if omitted
        else ""
    )
    if len(compared) == 1:
        return join_sentences(two_groups_sentence(compared[0], found, bool(clear)), rest)
    if not clear:
        verdict = translate(
            "Random error alone can explain each of the %(n)s differences between groups in "
            "%(measure)s (%(p)s with Holm’s correction).",
            n=len(compared),
            measure=measure_text(found.measure),
            p=least_p_text([pair.difference.adjusted for pair in compared]),
        )
        return join_sentences(verdict, rest)
    clearest = two_groups_sentence(min(clear, key=lambda pair: pair.difference.p), found, True)
    if len(clear) == len(compared) == 2:
        verdict = translate(
            "Both differences between groups are statistically significant (Holm’s p below "
            "%(level)s).",
            level=significance_text(),
        )
    elif len(clear) == len(compared):
        verdict = translate(
            "All %(n)s differences between groups are statistically significant (Holm’s p below "
            "%(level)s).",
            n=len(compared),
            level=significance_text(),
        )
    else:
        verdict = translate_plural(
            "Of %(all)s differences between groups, %(n)s is statistically significant (Holm’s p "
            "below %(level)s).",
            "Of %(all)s differences between groups, %(n)s are statistically significant (Holm’s p "
            "below %(level)s).",
            len(clear),
            all=len(compared),
            level=significance_text(),
        )
    clearest = translate("The clearest difference: %(sentence)s", sentence=clearest)
    return join_sentences(verdict, rest, clearest)


def no_comparison_sentence(found: GroupComparison) -> str:
    """That no two groups can be compared, and why."""
    there = [group.label for group in found.groups if group.figure is not None]
    if len(there) == 1:
        return translate(
            "There is nothing to compare: of these groups, only “%(group)s” has responses.",
            group=there[0],
        )
    if found.has_design:
        return translate(
            "There are too few responses or clusters to compare the groups. In each comparison, "
            "the interval of at least one group is the whole range."
        )
    return translate(
        "There are too few responses to compare the groups. In each comparison, the interval "
        "of at least one group is the whole range."
    )


def two_groups_sentence(pair: ComparedGroups, found: GroupComparison, clear: bool) -> str:
    each = pair.difference
    size, interval = difference_text(each.figure, each.low, each.high, found.measure)
    high, low = (
        measure_value_text(figure, each.figure, found.measure) for figure in (pair.high, pair.low)
    )
    estimates = {
        "measure": capitalise(measure_text(found.measure)),
        "higher": pair.higher,
        "high": high,
        "lower": pair.lower,
        "low": low,
    }
    sizes = {"size": size, "level": level_text(found.level), "interval": interval}
    difference = (
        translate("The difference is %(size)s (%(level)s %% interval %(interval)s).", **sizes)
        if len(found.differences) == 1
        else translate(
            "The difference is %(size)s (simultaneous %(level)s %% interval %(interval)s).",
            **sizes,
        )
    )
    impossible = has_impossible(found.measure, pair.high, pair.low)
    if clear and impossible:
        sentence = translate(
            "%(measure)s is higher for “%(higher)s” than for “%(lower)s”.", **estimates
        )
        return join_sentences(sentence, interval_of_difference(sizes, each.adjusted))
    if clear:
        sentence = translate(
            "%(measure)s is higher for “%(higher)s” (%(high)s) than for “%(lower)s” (%(low)s).",
            **estimates,
        )
        return join_sentences(sentence, difference)
    if impossible:
        return undecided_sentence(found.measure, (pair.higher, pair.lower), sizes)
    sentence = translate(
        "%(measure)s is an estimated %(high)s for “%(higher)s” and %(low)s for “%(lower)s”.",
        **estimates,
    )
    doubt = translate("Random error alone can explain this difference.")
    return join_sentences(sentence, difference, doubt)


def has_impossible(measure: Measure, *figures: IntervalEstimate) -> bool:
    """Whether one of these estimates, as printed, is outside its interval."""
    return any(
        beyond_interval(
            figure.value,
            figure.low,
            figure.high,
            percent if is_share(measure) else rounding_like(figure),
        )
        for figure in figures
    )


def interval_of_difference(sizes: Mapping[str, str], p: float) -> str:
    """The interval of a difference whose estimate is no finding, and the p-value that decides."""
    return translate(
        "The %(level)s %% interval of the difference is %(interval)s (%(p)s).",
        level=sizes["level"],
        interval=sizes["interval"],
        p=p_words(p),
    )


def undecided_sentence(measure: Measure, labels: tuple[str, str], sizes: Mapping[str, str]) -> str:
    """That random error can explain a difference, of which only the interval is stated.

    The difference of two estimates is no finding if one of them is impossible.
    """
    one, other = labels
    sentence = translate(
        "The %(level)s %% interval of the difference in %(measure)s between “%(one)s” and "
        "“%(other)s” is %(interval)s.",
        measure=measure_text(measure),
        one=one,
        other=other,
        **sizes,
    )
    return join_sentences(sentence, translate("Random error alone can explain this difference."))


def compared_groups(each: GroupDifference, found: GroupComparison) -> ComparedGroups | None:
    """Two groups; None unless there are enough people in both to say something.

    The test of the difference is valid for few people too. The groups need intervals with
    information, or a clear difference.
    """
    if each.figure.method == WHOLE_RANGE:
        return None
    distinguished = each.adjusted < SIGNIFICANCE_LEVEL
    estimates = []
    for place in (each.group, each.other):
        group = found.groups[place]
        if group.size is None or group.figure is None:
            return None
        unknown = group.figure.low <= found.measure.low and group.figure.high >= found.measure.high
        if unknown and not distinguished:
            return None
        estimates.append((group.label, group.figure))
    if each.figure.value < 0:
        estimates.reverse()
    (higher, high), (lower, low) = estimates
    return ComparedGroups(difference=each, higher=higher, high=high, lower=lower, low=low)


# --- changes between surveys


def change_sentence(found: SurveyChange) -> str:
    """How the measure changed: from one survey to another, or on average."""
    width = found.waves[0].top - found.waves[0].bottom
    if all(each.low <= -width and each.high >= width for each in found.differences):
        return translate("There are too few responses to compare the surveys.")
    if found.trend is None:
        return two_surveys_sentence(found)
    size, interval = size_and_interval(
        found.trend, found.trend.low, found.trend.high, found.measure
    )
    if found.trend.low <= 0 <= found.trend.high:
        average = later(
            "The responses do not show that %(measure)s rises or falls on average. The average "
            "change from one survey to the next is %(size)s (%(level)s %% interval %(interval)s)."
        )
    else:
        size, interval = difference_text(
            found.trend, found.trend.low, found.trend.high, found.measure
        )
        average = (
            later(
                "From one survey to the next, %(measure)s rises by %(size)s on average "
                "(%(level)s %% interval %(interval)s)."
            )
            if found.trend.value > 0
            else later(
                "From one survey to the next, %(measure)s falls by %(size)s on average "
                "(%(level)s %% interval %(interval)s)."
            )
        )
    return join_sentences(
        translate(
            average,
            measure=measure_text(found.measure),
            size=size,
            level=level_text(found.level),
            interval=interval,
        ),
        significant_changes(found),
    )


def significant_changes(found: SurveyChange) -> str:
    """How many surveys differ significantly from the first, by Holm's p-values in the table."""
    differences, level = len(found.differences), significance_text()
    clear = sum(each.adjusted < SIGNIFICANCE_LEVEL for each in found.differences)
    if clear == 0:
        return translate(
            "No difference from the first survey is statistically significant (%(p)s with Holm’s "
            "correction).",
            p=least_p_text([each.adjusted for each in found.differences]),
        )
    if clear == differences:
        return translate(
            "All differences from the first survey are statistically significant (Holm’s p below "
            "%(level)s).",
            level=level,
        )
    return translate_plural(
        "Of %(all)s differences from the first survey, %(n)s is statistically significant (Holm’s "
        "p below %(level)s).",
        "Of %(all)s differences from the first survey, %(n)s are statistically significant (Holm’s "
        "p below %(level)s).",
        clear,
        all=differences,
        level=level,
    )


def two_surveys_sentence(found: SurveyChange) -> str:
    """In which of two surveys the measure is higher, or that random error can explain it."""
    (before, after), each = found.waves, found.differences[0]
    first, last = (
        measure_value_text(wave.figure, each.figure, found.measure) for wave in found.waves
    )
    values = {
        "measure": capitalise(measure_text(found.measure)),
        "before": before.label,
        "first": first,
        "after": after.label,
        "last": last,
    }
    undecided = each.low <= 0 <= each.high
    # A sentence that does not say which survey is higher has the sign of the table.
    write = size_and_interval if undecided else difference_text
    size, interval = write(each.figure, each.low, each.high, found.measure)
    difference = translate(
        "The difference is %(size)s (%(level)s %% interval %(interval)s).",
        size=size,
        level=level_text(found.level),
        interval=interval,
    )
    impossible = has_impossible(found.measure, *(wave.figure for wave in found.waves))
    sizes = {"level": level_text(found.level), "interval": interval}
    if undecided:
        if impossible:
            return undecided_sentence(found.measure, (after.label, before.label), sizes)
        sentence = translate(
            "%(measure)s is an estimated %(first)s in “%(before)s” and %(last)s in “%(after)s”.",
            **values,
        )
        return join_sentences(
            sentence, difference, translate("Random error alone can explain this difference.")
        )
    if impossible:
        sentence = (
            later("%(measure)s is higher in “%(after)s” than in “%(before)s”.")
            if each.figure.value > 0
            else later("%(measure)s is lower in “%(after)s” than in “%(before)s”.")
        )
        return join_sentences(
            translate(sentence, **values), interval_of_difference(sizes, each.adjusted)
        )
    sentence = (
        later("%(measure)s is higher in “%(after)s” (%(last)s) than in “%(before)s” (%(first)s).")
        if each.figure.value > 0
        else later(
            "%(measure)s is lower in “%(after)s” (%(last)s) than in “%(before)s” (%(first)s)."
        )
    )
    return join_sentences(translate(sentence, **values), difference)


# --- cross-tabulations


def crosstab_sentence(table: Crosstab) -> str:
    """Whether the questions are related. For two answers each, also the shares of the rows."""
    labels = [f"“{column.label}”" for column in table.columns]
    test = valid_test(table)
    if test is None:
        verdict = translate(
            "There is no valid test of whether %(questions)s are related: there are too few "
            "responses for some combinations of answers, or too few clusters. The shares with "
            "their intervals are in the table.",
            questions=translate_list(labels),
        )
    else:
        verdict = relation_sentence(test, labels)
    return join_sentences(verdict, rows_sentence(table))


def relation_sentence(test: Test, labels: Sequence[str]) -> str:
    """Whether a test shows that these questions are related."""
    is_clear = test.p < SIGNIFICANCE_LEVEL
    values = {
        "questions": translate_list(labels),
        "test": translate(test.name),
        "p": p_words(test.p),
    }
    if len(labels) > 2 and test.name == WALD:
        values |= {"questions": translate_list(labels[:2]), "third": labels[2]}
        sentence = (
            later(
                "Given the answer to %(third)s, %(questions)s are related (%(test)s test, %(p)s)."
            )
            if is_clear
            else later(
                "The responses do not show that, given the answer to %(third)s, %(questions)s are "
                "related (%(test)s test, %(p)s)."
            )
        )
    elif not is_clear:
        sentence = later(
            "The responses do not show that %(questions)s are related (%(test)s test, %(p)s)."
        )
    elif len(labels) == 2:
        sentence = later("%(questions)s are related (%(test)s test, %(p)s).")
    else:
        sentence = later("%(questions)s are not all independent (%(test)s test, %(p)s).")
    return translate(sentence, **values)


def valid_test(table: Crosstab) -> Test | None:
    """The test for which there are enough responses, or None."""
    by_name = {test.name: test for test in table.tests}
    # For two questions, the score test is valid for any number of responses.
    few = len(table.columns) > 2 and min_expected_count(table) < MIN_EXPECTED_COUNT
    if SCORE in by_name and not few:
        return by_name[SCORE]
    people = min(cell.value for cell in table.cells) * table.n
    return by_name.get(WALD) if people >= MIN_PEOPLE_PER_CELL else None


def min_expected_count(table: Crosstab) -> float:
    """The smallest count of a combination of reports that is expected if they are independent."""
    total = sum(count for _, count in table.raw)
    if not total:
        return 0.0
    smallest = float(total)
    for place in range(len(table.columns)):
        counts: dict[str, int] = defaultdict(int)
        for names, count in table.raw:
            counts[names[place]] += count
        smallest *= min(counts.values()) / total
    return smallest


def rows_sentence(table: Crosstab) -> str:
    """The share of the first column in both rows of a two-by-two table, or an empty text."""
    if table.shape != (2, 2):
        return ""
    first, second = table.columns
    shares = []
    for row in (0, 1):
        figure = table.of_row[row * 2]
        if figure is None or figure.any_share:
            return ""
        shares.append(share_in_words(figure, level_text(table.level)))
    # Both questions can have the same answers, so the sentence names the question of each answer.
    return translate(
        "The estimated share of “%(answer)s” to %(second)s is %(share)s among those with “%(row)s” "
        "to %(first)s, and %(other_share)s among those with “%(other_row)s”.",
        answer=second.answers[0],
        second=quoted_label(second.label),
        share=shares[0],
        row=first.answers[0],
        first=quoted_label(first.label),
        other_share=shares[1],
        other_row=first.answers[1],
    )


# --- correlations


def correlations_sentence(found: Correlations, labels: Sequence[str]) -> str:
    """Which pairs of questions are correlated. `labels` name the quantities in order."""
    judged = judged_pairs(found)
    if not judged:
        return translate(
            "Candor cannot test whether the answers are correlated. Either all respondents gave "
            "the same answers, or there are too few responses: a test with a sampling design needs "
            "at least %(n)s, and more for rare answers.",
            n=MIN_CORRELATED_RESPONSES,
        )
    clear = correlated_pairs(found)
    told = [each for each in judged if (each[0].first, each[0].second) in clear] or judged
    # The adjusted p-value of a judged pair is never None.
    clearest, estimate = min(told, key=lambda each: each[0].adjusted or 0.0)
    pair_values = {
        "one": quote_labels([labels[clearest.first]]),
        "other": quote_labels([labels[clearest.second]]),
        "coefficient": coefficient_with_interval(estimate.figure, found.level),
    }
    if len(found.pairs) == 1:
        return single_pair_sentence(bool(clear), estimate, pair_values)
    unjudged = len(found.pairs) - len(judged)
    rest = (
        translate("Pairs without a coefficient or a valid test: %(n)s.", n=unjudged)
        if unjudged
        else ""
    )
    if not clear:
        verdict = translate_plural(
            "The responses do not show a correlation in %(n)s pair (%(p)s with Holm’s correction).",
            "The responses do not show a correlation in any of %(n)s pairs (%(p)s with Holm’s "
            "correction).",
            len(judged),
            p=least_p_text([pair.adjusted or 0.0 for pair, _ in judged]),
        )
        return join_sentences(verdict, rest)
    verdict = translate_plural(
        "Of %(pairs)s pairs, %(n)s is correlated (Holm’s p below %(level)s).",
        "Of %(pairs)s pairs, %(n)s are correlated (Holm’s p below %(level)s).",
        len(clear),
        pairs=len(judged),
        level=significance_text(),
    )
    clearest_pair = translate(
        "The clearest correlation: %(one)s with %(other)s, %(coefficient)s.", **pair_values
    )
    return join_sentences(verdict, rest, clearest_pair)


def coefficient_with_interval(figure: IntervalEstimate, level: float) -> str:
    """A coefficient with its interval. Of one that no correlation has, it is one end alone."""
    size, low, high = (
        translate_number(rounded_to(value, figure.standard_error))
        for value in (figure.value, figure.low, figure.high)
    )
    if figure.value > 1:
        return translate("at least %(low)s", low=low)
    if figure.value < -1:
        return translate("at most %(high)s", high=high)
    return translate(
        "%(value)s (%(level)s %% interval %(low)s to %(high)s)",
        value=size,
        level=level_text(level),
        low=low,
        high=high,
    )


def single_pair_sentence(is_clear: bool, found: Correlation, values: Mapping[str, str]) -> str:
    """Whether two questions are correlated. The p-value of a judged pair is never None."""
    figure, texts = found.figure, {"p": p_words(found.p or 0.0), **values}
    if not is_clear and figure.low <= -1 and figure.high >= 1:
        return translate(
            "The responses do not show a correlation (%(p)s). The correlation of %(one)s with "
            "%(other)s can have any value.",
            **texts,
        )
    if not is_clear:
        return translate(
            "The responses do not show a correlation (%(p)s). The estimated correlation of %(one)s "
            "with %(other)s is %(coefficient)s.",
            **texts,
        )
    if figure.value > 0:
        return translate(
            "%(one)s is positively correlated with %(other)s (%(p)s): %(coefficient)s.", **texts
        )
    return translate(
        "%(one)s is negatively correlated with %(other)s (%(p)s): %(coefficient)s.", **texts
    )


def judged_pairs(found: Correlations) -> list[tuple[Pair, Correlation]]:
    """The pairs of which there are enough responses to say something."""
    return [
        (pair, each) for pair in found.pairs if (each := pair.found) is not None and is_judged(each)
    ]


def is_judged(each: Correlation) -> bool:
    """Whether the p-value of this pair is valid.

    An exact one is, with few responses too. The others need MIN_CORRELATED_RESPONSES, and no
    product of two respondents' deviations may be a large part of the standard error of their sum.
    For two rare answers, this requires an expected MIN_EXPECTED_COUNT people who gave both.
    """
    if each.p is None or each.exact:
        return each.p is not None
    if each.n < MIN_CORRELATED_RESPONSES:
        return False
    products, error = score_products(each)
    return bool(np.abs(products).max() <= error / math.sqrt(MIN_EXPECTED_COUNT))


def correlated_pairs(found: Correlations) -> set[tuple[int, int]]:
    """The places of the pairs whose p-value with Holm's correction, in the table, is below 0.05."""
    return {
        (pair.first, pair.second)
        for pair, _ in judged_pairs(found)
        if pair.adjusted is not None and pair.adjusted < SIGNIFICANCE_LEVEL
    }


def score_products(each: Correlation) -> tuple[Array, float]:
    """For each response the product of its deviations from both means, and the standard error of
    their sum if the two questions are independent.

    A deviation is score - mean x score of a listed answer, unbiased for that of the answer.
    """
    deviations = []
    both = each.first.column.reported & each.second.column.reported
    for measure in (each.first, each.second):
        codes = measure.column.reports[both]
        scores, among = measure.scores[codes], measure.among[codes]
        deviations.append(scores - among * scores.mean() / among.mean())
    one, other = deviations
    products: Array = one * other
    variance = max(float((one**2).sum() * (other**2).sum()) / len(one), float((products**2).sum()))
    return products, math.sqrt(variance)


# --- indirect questions


def crosswise_sentence(found: Crosswise, column: AnalysisColumn) -> str:
    """The share for whom the first statement is true, corrected if possible."""
    figures = found.everyone
    values = {"statement": column.label, "level": level_text(found.level)}
    if figures.attentive is None:
        return translate(
            "“%(statement)s” is true for %(share)s of people like these respondents. "
            "The intervals have a level of %(level)s %%. This assumes that nobody answered at "
            "random.",
            share=estimated_share(figures.uncorrected),
            **values,
        )
    if figures.corrected is None:
        return translate(
            "%(attentive)s of people like these respondents would answer attentively. "
            "Perhaps nobody would, so no correction of “%(statement)s” is possible. The "
            "intervals have a level of %(level)s %%.",
            attentive=capitalise(estimated_share(figures.attentive)),
            **values,
        )
    return translate(
        "“%(statement)s” is true for %(corrected)s of people like these respondents, "
        "corrected for random answers. Without the correction, the estimate is %(uncorrected)s. "
        "%(attentive)s would answer attentively. The intervals have a level of "
        "%(level)s %%.",
        corrected=estimated_share(figures.corrected),
        uncorrected=possible_text(figures.uncorrected, percent),
        attentive=capitalise(estimated_share(figures.attentive)),
        **values,
    )


def instruction_remarks(found: Crosswise) -> tuple[Remark, ...]:
    """The remark that the two groups contradict each other, or none."""
    test = found.instructions
    if test is None or test.p >= SIGNIFICANCE_LEVEL:
        return ()
    sentence = translate(
        "The results of the two groups contradict each other (%(p)s). Some people probably did not "
        "follow the instructions. Do not use these estimates.",
        p=p_words(test.p),
    )
    return (Remark(MISFIT, sentence),)


def crosswise_finding(found: Crosswise, column: AnalysisColumn) -> str:
    """The share and the test of two groups, or why the share may not be used."""
    for remark in instruction_remarks(found):
        return remark.sentence
    share = crosswise_sentence(found, column)
    if found.instructions is None:
        return share
    agreement = translate(
        "The results of the two groups do not contradict each other (%(p)s). This test cannot show "
        "whether people answered at random.",
        p=p_words(found.instructions.p),
    )
    return join_sentences(share, agreement)


def design_effect_remarks(found: ListExperiment) -> tuple[Remark, ...]:
    """The remark that the test found a design effect, or none."""
    if found.p >= SIGNIFICANCE_LEVEL:
        return ()
    sentence = translate(
        "The answers contradict the design (%(p)s): the sensitive statement seems to change the "
        "answers to the other statements. Do not use this estimate.",
        p=p_words(found.p),
    )
    return (Remark(DESIGN_EFFECT, sentence),)


def list_sentence(found: ListExperiment, both: ListAndDirect | None = None) -> str:
    """The share and the test of design effects, or why the share may not be used.

    `both` is the estimate together with a direct question, which placebo tests must not contradict.
    """
    for remark in design_effect_remarks(found):
        return remark.sentence
    share = translate(
        "The sensitive statement is true for %(share)s of people like these "
        "respondents. The interval has a level of %(level)s %%.",
        share=estimated_share(found.share),
        level=level_text(found.level),
    )
    effect = translate("The test finds no design effect (%(p)s).", p=p_words(found.p))
    together = "" if both is None or both.is_contradicted else both_sentence(both)
    return join_sentences(share, effect, together)


def list_remarks(found: ListExperiment) -> tuple[Remark, ...]:
    """Remarks on floor and ceiling, and on what the answers reveal.

    Floor and ceiling bound the true share, which a design effect makes unknown.
    """
    hidden = translate(
        "In the control group, no statement is true for %(floor)s, and all statements are true "
        "for %(ceiling)s. If such people hide that the sensitive statement is true, the true "
        "share is higher, by at most an estimated %(most)s points.",
        floor=translate_number(percent(found.floor)),
        ceiling=translate_number(percent(found.ceiling)),
        most=translate_number(points_text(found.floor + found.ceiling)),
    )
    without, with_it = found.revealed
    revealed = translate(
        "A list experiment is not differentially private. In the treatment group, the answers 0 "
        "(%(without)s respondents) and %(most)s (%(with_it)s) reveal whether the sensitive "
        "statement is true.",
        without=without,
        with_it=with_it,
        most=found.items + 1,
    )
    told = Remark(NOT_PRIVATE, revealed)
    return (told,) if design_effect_remarks(found) else (Remark(HIDDEN_ANSWERS, hidden), told)


def both_sentence(found: ListAndDirect) -> str:
    """The share from a list and a direct question, and what it assumes."""
    share = translate(
        "Together with the direct question, the sensitive statement is true for %(share)s of "
        "people like these respondents.",
        share=estimated_share(found.share),
    )
    assumption = translate(
        "This assumes that nobody says Yes to the direct question for whom the statement is not "
        "true."
    )
    return join_sentences(share, assumption)


def both_remarks(found: ListAndDirect) -> tuple[Remark, ...]:
    """The remark that a placebo test contradicts the estimate from both, or none."""
    if not found.is_contradicted:
        return ()
    sentence = translate(
        "A placebo test contradicts an assumption of the estimate from the list and the direct "
        "question together. Do not use this estimate."
    )
    return (Remark(DIRECT_CONTRADICTED, sentence),)


def placebo_sentences(found: ListAndDirect) -> Iterator[str]:
    """What the two placebo tests find."""
    if found.among_yes is None:
        yield translate(
            "Too few respondents said Yes to the direct question to test that the list finds all "
            "of them."
        )
    elif found.yes_p is None:
        yield translate(
            "Among respondents who said Yes, all answers to a list are the same, so there is no "
            "test that the list finds all of them."
        )
    else:
        yield translate(
            "Among respondents who said Yes, the difference of the means should be 1. It is "
            "%(value)s (%(level)s %% interval %(low)s to %(high)s), %(p)s.",
            level=level_text(found.level),
            value=translate_number(fixed_decimals(found.among_yes.value, 2)),
            low=translate_number(fixed_decimals(found.among_yes.low, 2)),
            high=translate_number(fixed_decimals(found.among_yes.high, 2)),
            p=p_words(found.yes_p),
        )
    control, treatment = (translate_number(percent(each)) for each in found.of_groups)
    yield translate(
        "The list should not change the direct answers. %(control)s said Yes in the control group, "
        "and %(treatment)s in the treatment group (%(p)s).",
        control=control,
        treatment=treatment,
        p=p_words(found.group_p),
    )


def ways_sentence(found: WaysOfAsking) -> str:
    """Which ways of asking differ from the direct question, by Holm's p-values."""
    others = found.ways[1:]
    adjusted = adjust_by_holm([1.0 if each.p is None else each.p for each in others])
    different = [
        f"{each.label} ({p_words(p)})"
        for each, p in zip(others, adjusted, strict=True)
        if p < SIGNIFICANCE_LEVEL
    ]
    if not different:
        return translate(
            "No way of asking differs significantly from the direct question, with Holm’s "
            "correction (%(p)s). This does not show that people answer truthfully.",
            p=least_p_text(adjusted),
        )
    return translate(
        "These ways of asking differ significantly from the direct question, with Holm’s "
        "correction: %(ways)s.",
        ways=translate_list(different),
    )


# --- regressions


def regression_sentence(
    found: Regression, outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]
) -> str:
    """Which predictors are related to the outcome, by Holm's p-values in the table of tests."""
    labels = {column.name: column.label for column in predictors}
    adjusted = {test.name: test.adjusted_p for test in found.tests if test.adjusted_p is not None}
    if found.has_few_responses:
        return translate(
            "There are too few responses to say what “%(outcome)s” depends on. A regression needs "
            "about %(each)s responses for each coefficient, which makes %(n)s here.",
            outcome=outcome.label,
            each=MIN_RESPONSES_PER_COEFFICIENT,
            n=MIN_RESPONSES_PER_COEFFICIENT * found.slopes,
        )
    if not adjusted:
        return translate(
            "Candor cannot test whether “%(outcome)s” is related to %(predictors)s.",
            outcome=outcome.label,
            predictors=translate_list([f"“{label}”" for label in labels.values()]),
        )
    related = [name for name, p in adjusted.items() if p < SIGNIFICANCE_LEVEL]
    others = [name for name in adjusted if name not in related]
    told, untold = (
        translate_list([f"“{labels[name]}”" for name in names]) for names in (related, others)
    )
    least = least_p_text([adjusted[name] for name in others]) if others else ""
    if not related:
        return unrelated_sentence(found, outcome, untold, least)
    p = p_words(max(adjusted[name] for name in related))
    if len(related) > 1 and not p.startswith("p <"):
        p = translate("%(p)s or less", p=p)
    values = {"outcome": outcome.label, "predictors": told, "p": p}
    if len(labels) == 1:
        sentence = later("“%(outcome)s” is related to %(predictors)s (%(p)s).")
    elif len(adjusted) == 1:
        sentence = later(
            "“%(outcome)s” is related to %(predictors)s, with the other predictors held constant "
            "(%(p)s)."
        )
    else:
        sentence = later(
            "“%(outcome)s” is related to %(predictors)s, with the other predictors held constant "
            "(%(p)s with Holm’s correction)."
        )
    rest = (
        translate(
            "The responses do not show a relation to %(predictors)s (%(p)s).",
            predictors=untold,
            p=least,
        )
        if others
        else ""
    )
    return join_sentences(translate(sentence, **values), rest)


def least_p_text(p_values: Sequence[float]) -> str:
    """The p-value of one predictor, or the smallest of several."""
    smallest, largest = p_words(min(p_values)), p_words(max(p_values))
    return smallest if smallest == largest else translate("%(p)s or more", p=smallest)


def unrelated_sentence(
    found: Regression, outcome: AnalysisColumn, predictors: str, least: str
) -> str:
    """That the responses show no relation to any predictor, with the smallest p-value.

    The test of all predictors together can have a small p-value even so, which the sentence then
    does not hide.
    """
    tests = [test for test in found.tests if test.adjusted_p is not None]
    together = [
        test for test in found.tests if test.name == ALL_PREDICTORS and math.isfinite(test.p)
    ]
    values = {"outcome": outcome.label, "predictors": predictors, "p": least}
    if not together:
        return translate(
            "The responses do not show that “%(outcome)s” is related to %(predictors)s (%(p)s).",
            **values,
        )
    sentence = (
        later(
            "The responses do not show that “%(outcome)s” is related to %(predictors)s, with the "
            "other predictors held constant (%(p)s with Holm’s correction)."
        )
        if len(tests) > 1
        else later(
            "The responses do not show that “%(outcome)s” is related to %(predictors)s, with the "
            "other predictors held constant (%(p)s)."
        )
    )
    joint = translate("The test of all predictors together has %(p)s.", p=p_words(together[0].p))
    return join_sentences(translate(sentence, **values), joint)


# --- trees


def tree_sentence(tree: DecisionTree) -> str:
    """The first split of a tree, or why there is none."""
    root = tree.root
    if root.split is None:
        return translate(
            "The tree that predicts “%(outcome)s” from %(predictors)s has no branch: %(reason)s.",
            outcome=tree.target.label,
            predictors=quoted_predictors(tree),
            reason=root.why,
        )
    return translate(
        "The answers to “%(outcome)s” depend on “%(question)s” (%(p)s). The tree splits by this "
        "question first. Predictors: %(predictors)s.",
        outcome=tree.target.label,
        question=root.split.column.label,
        p=split_p_text(root.split),
        predictors=quoted_predictors(tree),
    )


def quoted_predictors(tree: DecisionTree) -> str:
    return translate_list([f"“{each.label}”" for each in tree.predictors])


def capitalise(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
