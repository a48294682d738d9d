"""The registry: every module of the folder registers one type, and names are unique."""

import pytest

from survey.admin.builder.texts import parts_of_form
from survey.core.mechanisms import BOXES, CHOICES, JOINT, NUMBERS, ORDERED
from survey.definition.types import QUESTION_TYPES, QuestionType, question_type
from tests.support.project import ROOT

pytestmark = pytest.mark.fast


def test_every_module_registers_its_type():
    folder = ROOT / "survey" / "definition" / "types"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "registry"}
    assert modules == {*QUESTION_TYPES}
    for name, kind in QUESTION_TYPES.items():
        assert type(kind).__module__ == f"survey.definition.types.{name}"


def test_the_menu_of_types_has_an_order():
    assert [*QUESTION_TYPES] == [
        "yes_no", "select_one", "select_multiple", "scale", "ranking", "number", "crosswise",
        "joint", "text", "date", "note", "section",
    ]  # fmt: skip


def test_a_name_is_of_one_type():
    with pytest.raises(ValueError, match="'note' is registered already"):

        @question_type
        class Again(QuestionType):
            name = "note"


def test_what_is_true_of_types():
    """Exactly the types with one of a list, boxes or a number can be estimated.

    Only these are randomised, except where respondents protect the answer with a secret fact.
    """
    for kind in QUESTION_TYPES.values():
        assert kind.single_choice + kind.boxes + kind.numeric == kind.estimated
        randomised = kind.estimated and not kind.secret_fact
        assert randomised == ("protected" in parts_of_form(kind))
        assert randomised == (kind.mechanisms in (CHOICES, ORDERED, BOXES, NUMBERS, JOINT))
        assert kind.has_mean == bool(kind.usual_goal) == ("goal" in kind.builder_parts)
        assert kind.free_text == (kind.asks and not kind.estimated)
        assert kind.numeric == (not kind.single_choice and not kind.boxes and kind.estimated)


def test_every_type_has_a_template_and_a_reader():
    script = (ROOT / "static" / "respondent" / "questions.js").read_text()
    readers = script.partition("const READERS = {")[2].partition("}")[0]
    for kind in QUESTION_TYPES.values():
        assert (ROOT / "templates" / "respondent" / f"_ask_{kind.template}.html").is_file()
        assert f" {kind.reader}: " in readers
