"""Numbers as researchers type them next to results."""

from survey.core.translate import in_language
from survey.web.analyses.weights import amount
from tests.support.check_each import check_each


@check_each(
    ("typed", "meant"),
    [
        ("1200", 1200.0),
        ("1,200", 1200.0),
        ("1 200.5", 1200.5),
        ("34.5 %", 34.5),
        ("1,200,000", 1_200_000.0),
        # A decimal comma would otherwise be read as a separator of thousands.
        ("34,5", None),
        ("1,2000", None),
        ("many", None),
        ("inf", None),
        ("", None),
    ],
)
@check_each("language", ["en", "vi"])
def test_a_number_is_read_as_it_is_meant(typed, meant, language):
    with in_language(language):
        assert amount(typed) == meant


def test_a_point_may_separate_thousands_where_the_comma_is_decimal():
    assert amount("1.200") == 1.2
    with in_language("vi"):
        assert amount("1.200") is None
        assert amount("1.25") == 1.25
