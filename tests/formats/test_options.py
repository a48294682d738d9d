"""The options of an import, from the texts that the command or the page takes."""

import pytest

from survey.core.errors import DataFileError
from survey.formats.randomised_csv.build_survey import ColumnFaults
from survey.formats.randomised_csv.options import OptionTexts, parse_options, values_by_column

pytestmark = pytest.mark.fast


def test_each_value_belongs_to_its_column():
    options = parse_options(
        OptionTexts(private=["q1=FR,p=c(1/6,1/6)"], yes=["1", "q1=2"], choices=["q2=never, often"])
    )
    assert list(options.private) == ["q1"]
    assert options.yes == {"": "1", "q1": "2"}
    assert options.choices == {"q2": ["never", "often"]}


def test_all_wrong_designs_are_named_at_once():
    with pytest.raises(ColumnFaults) as refusal:
        parse_options(OptionTexts(private=["q1=nonsense", "q2=FR,p=c(2,3)", "q3"]))
    assert len(refusal.value.faults) == 3


@pytest.mark.parametrize("text", ["q1", "q1=", "q1= "])
def test_a_value_without_a_column_or_a_cell_is_refused(text):
    with pytest.raises(DataFileError, match="COLUMN=CELL"):
        values_by_column([text], "CELL")
