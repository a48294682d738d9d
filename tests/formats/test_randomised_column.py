"""Randomised columns: which cell is which answer."""

import pytest

from survey.core.errors import DataFileError
from tests.support.check_each import check_each
from tests.support.randomised_tables import brought, file_of, halves, imported


@pytest.mark.parametrize(
    ("cells", "yes", "codes"),
    [
        ("1 0 1", None, [0, 1, 0]),
        ("Yes NO yes", None, [0, 1, 0]),
        ("FALSE TRUE TRUE", None, [1, 0, 0]),
        ("0 0 0", None, [1, 1, 1]),
        ("1 2 1", "1", [0, 1, 0]),
        ("1 2 1", "2", [1, 0, 1]),
        ("A B B", "B", [1, 0, 0]),
    ],
)
def test_which_cell_counts_as_yes(cells, yes, codes):
    text = "q\n" + "\n".join(cells.split()) + "\n"
    wish = {} if yes is None else {"q": yes}
    found = brought(text, private={"q": "coin_flip"}, yes=wish)
    assert [row[0] for row in found.rows] == codes


def test_same_counts_as_yes_in_the_crosswise_model_alone():
    text = "q\nsame\ndifferent\n"
    assert brought(text, private={"q": "Crosswise,p=1/4"}).rows == [(0,), (1,)]
    with pytest.raises(DataFileError, match="which cell of q counts as yes"):
        brought(text, private={"q": "Warner,p=1/4"})


def test_red_cards_are_counted():
    found = brought("q\n0\n3\n1\n", private={"q": "Kuk,p=c(2/3,1/3),Kukrep=3"})
    form = found.survey.fields[0].form
    assert [form.cells(row[0]) for row in found.rows] == [["r4"], ["r1"], ["r3"]]


def test_labels_of_several_answers_are_named_in_order():
    text = "q\nnever\nไม่มี\nso so\n"
    design = {"q": "forced_response,p_truth=.5,p_forced=.2 .2 .05 .05"}
    order = {"q": ["so so", "never", "ไม่มี", "always"]}
    found = brought(text, private=design, choices=order)
    assert [row[0] for row in found.rows] == [1, 2, 0]
    choices = found.survey.fields[0].choices
    assert [c.label for c in choices] == order["q"]
    assert [c.name for c in choices] == ["so_so", "never", "aimmi", "always"]


def test_choices_in_any_script_have_different_names():
    answers = ["Không", "Khong", "不是", "ไม่ใช่", "Нет", "-1", "1", "…"]
    text = file_of(["q", "a"], halves(lambda n: answers[n % 8]))
    (_, question) = imported(text, "q=coin_flip").survey.fields
    names = {choice.label: choice.name for choice in question.choices}
    assert set(names) == set(answers)
    assert len({*names.values()}) == 8
    assert names["不是"] == "bushi"
    assert names["-1"] == "minus_1"
    assert {names["Không"], names["Khong"]} == {"khong_2", "Khong"} or names["Không"] == "khong"


@check_each(
    ("answers", "stated"),
    [
        (["No, never", "Yes, once", "Yes, often"], '"No, never","Yes, once","Yes, often"'),
        (["nie", "ja, selten", "ja, oft"], 'nie, "ja, selten", "ja, oft"'),
        (["không, không", "có; ít", 'có, "nhiều"'], '"không, không",có; ít,"có, ""nhiều"""'),
        (["从不", "是，一次", "是,常常"], '从不,是，一次,"是,常常"'),
    ],
)
def test_answers_with_commas_are_named_in_quotes(answers, stated):
    text = file_of(["q1", "age"], [[answers[n % 3], str(n)] for n in range(60)])
    found = imported(text, "q1=FR,p=c(.1,.1,.1)", choices=[f"q1={stated}"], skip=["age"])
    assert [choice.label for choice in found.survey.fields[0].choices] == answers
    assert [row[0] for row in found.rows] == [n % 3 for n in range(60)]
    with pytest.raises(DataFileError, match="Put quotes around an answer that contains a comma"):
        imported(text, "q1=FR,p=c(.1,.1,.1)", choices=["q1=No, never,Yes, once,Yes, often"])
