"""Notebooks of lessons: they calculate the numbers of the page."""

import json
import math

import pytest

from survey.learn.notebook import write_notebook
from tests.learn.lesson_values import each_lesson, some_values

pytestmark = pytest.mark.fast


@each_lesson
def test_the_notebook_calculates_the_numbers_of_the_page(lesson):
    """Its code runs as it is, with Python and NumPy alone."""
    for values in some_values(lesson):
        document = json.loads(write_notebook(lesson, values, "http://127.0.0.1/learn/x"))
        assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
        code = [
            "".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"
        ]
        assert not [line for line in code if "survey" in line]
        names: dict[str, object] = {}
        for source in code:
            exec(compile(source, lesson.address, "exec"), names)  # our own notebook
        page = lesson.show(values).numbers
        calculated = names["numbers"]
        assert isinstance(calculated, dict)
        assert set(calculated) == set(page)
        for name, number in page.items():
            assert math.isclose(calculated[name], number, rel_tol=1e-9, abs_tol=1e-9), name


def test_only_translated_pages_say_that_the_notebook_is_in_english(client):
    pages = {
        each: client.get(f"/learn/slips?language={each}").get_data(as_text=True)
        for each in ("en", "vi")
    }
    assert "(tiếng Anh)" in pages["vi"]
    assert "(in English)" not in pages["en"]
    assert ">All lessons</a>" in pages["en"]


@each_lesson
def test_the_notebook_is_a_download(lesson, client):
    reply = client.get(f"/learn/{lesson.address}.ipynb")
    assert reply.status_code == 200
    assert reply.mimetype == "application/x-ipynb+json"
    assert f"filename={lesson.address}.ipynb" in reply.headers["Content-Disposition"]
    assert json.loads(reply.data)["cells"]
