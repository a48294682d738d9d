"""The result of a test in words."""

from survey.analysis.groups.figures import p_words
from survey.analysis.tables.association import Test
from survey.core.translate import translate_number, translate_plural
from survey.estimation.number_text import fixed_decimals


def result_of_test(test: Test) -> str:
    """p, the statistic and its degrees of freedom."""
    return translate_plural(
        "%(p)s (χ² = %(statistic)s, %(n)s degree of freedom).",
        "%(p)s (χ² = %(statistic)s, %(n)s degrees of freedom).",
        test.degrees,
        p=p_words(test.p),
        statistic=translate_number(fixed_decimals(test.statistic, 2)),
    )
