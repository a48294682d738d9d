"""Texts about releases, in the language of the page."""

import pytest

from survey.central_dp import text
from survey.central_dp.dp_request import read_request
from survey.central_dp.figures import DPFigure
from survey.core.translate import in_language
from survey.definition.survey import parse_survey
from tests.support.definitions import definition
from tests.support.every_type import asked, letters

SURVEY = parse_survey(
    definition(
        asked("age", "number", "none", min=0, max=100),
        asked("region", "select_one", "none", choices=letters("nes")),
    )
)
REQUEST = read_request(
    SURVEY,
    {"question": "age", "statistic": "quantile", "percent": "30", "epsilon": "0.5",
     "group": "region", "member": "n"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "loss", "ends"),
    [("en", "ε = 0.5", "−1,000 to 2,000"), ("vi", "ε = 0,5", "−1.000 đến 2.000")],
)
def test_numbers_are_in_the_language_of_the_page(language, loss, ends):
    with in_language(language):
        assert text.mechanism_text(REQUEST).endswith(loss)
        assert text.range_text(DPFigure(label="", value=1234.5, low=-1000.0, high=2000.0)) == ends


@pytest.mark.parametrize(
    ("figure", "shown", "between"),
    [
        # A quarter of the interval is 0.5, so the value has two decimals. Whole numbers have none.
        (DPFigure(label="", value=12.3456, low=11.0, high=13.0), "12.35", ("11", "13")),
        (
            DPFigure(label="", value=-1234.0, low=-1300.5, high=-1100.0),
            "−1,234",
            ("−1,301", "−1,100"),
        ),
        (DPFigure(label="", value=0.125, low=None, high=None), "0.125", None),
        (DPFigure(label="", value=2.0, low=None, high=None, text="Blue"), "Blue", None),
    ],
)
def test_a_figure_is_written_with_the_decimals_of_its_interval(figure, shown, between):
    assert (figure.shown, figure.between) == (shown, between)


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_the_audit_log_is_in_english(language):
    with in_language(language):
        entry = text.release_log_text(SURVEY, REQUEST)
    assert entry == "released 30 % quantile of age, only N to region, ε = 0.5"
