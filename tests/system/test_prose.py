"""The prose check finds each kind of fault in each kind of file, and none in plain English."""

from pathlib import Path

import pytest

from tests.support.check_each import check_each
from tools.prose import MAX_SENTENCE_WORDS, READERS, faults_of_file, main, sources

pytestmark = pytest.mark.fast

WORDS = ["very"] * (MAX_SENTENCE_WORDS - 5)
LONG = " ".join(["This sentence has", *WORDS, "many words."])
TOO_LONG = LONG.replace("many", "many more")
FILES = {
    "a paragraph.md": "# Heading\n\nWORDS\n",
    "an item.md": "# Heading\n\n1. WORDS\n",
    "a cell.md": "| one |\n|---|\n| WORDS |\n",
    "a docstring.py": '"""WORDS"""\n',
    "a method.py": 'class A:\n    def f(self):\n        """Do it.\n\n        WORDS\n        """\n',
    "a comment.py": "a = 1\n# WORDS\nb = 2\n",
    "a message.py": 'raise ValueError(f"{1} is wrong. WORDS")\n',
    "a comment.js": "'use strict';\n// WORDS\nconst a = 1;\n",
    "a block.js": "/* WORDS */\n",
    "a style.css": "/* WORDS */\np { color: red }\n",
    "a page.html": "{% if a %}<p>WORDS</p>{% endif %}",
    "a note.html": "{# WORDS #}<p>Text</p>",
    "a hint.html": '<input placeholder="WORDS">',
    "an argument.html": '{{ field(form.name, hint="WORDS") }}',
    "a translation.html": '{% set title = _("WORDS") %}',
}


def faults(tmp_path: Path, name: str, words: str) -> list[str]:
    path = tmp_path / name
    path.write_text(FILES[name].replace("WORDS", words))
    return [fault for _, fault in faults_of_file(path) if "a line of" not in fault]


@check_each("name", FILES)
def test_plain_english_is_no_fault(name, tmp_path):
    assert faults(tmp_path, name, LONG) == []


@check_each("name", FILES)
@check_each(
    "words",
    (
        "Count them anew.", "It is mended.", "Mend it.", "As was reckoned.", "Whoever asks.",
        "If you wished so.", "As we told of it.", "Take everything home.", "She took it home.",
    ),
)  # fmt: skip
def test_a_planted_word_is_found(name, words, tmp_path):
    assert [fault[0] for fault in faults(tmp_path, name, words)] == ["“"]


@check_each("name", FILES)
def test_a_planted_long_sentence_is_found(name, tmp_path):
    start = " ".join(LONG.split()[:8])
    assert faults(tmp_path, name, TOO_LONG) == [
        f"a sentence of {MAX_SENTENCE_WORDS + 1} words: “{start} …”"
    ]


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("a " * 61 + "\n", 1),
        ("x" * 121 + "\n", 0),  # an address
        ("| a | b |\n|---|---|\n|" + " a" * 15 + " " * 100 + "| b |\n", 0),
        ("```sh\n" + "a " * 61 + "\n```\n", 0),
    ],
)
def test_a_long_line_of_markdown_is_found(source, count, tmp_path):
    path = tmp_path / "page.md"
    path.write_text(source)
    lines = [fault for _, fault in faults_of_file(path) if "a line of" in fault]
    assert len(lines) == count


def test_two_sentences_are_two(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("One " * 16 + "ends. " + "Two " * 16 + "e.g. ends!\n\n" + "Three " * 16 + "\n")
    assert [fault for _, fault in faults_of_file(path) if "a sentence" in fault] == []


def test_every_kind_of_file_of_the_project_is_read():
    assert {path.suffix for path in sources()} == set(READERS)


@pytest.mark.parametrize("name", ("Makefile", "docs", "docs/missing.md"))
def test_what_is_not_read_is_said(name, capsys):
    assert main([name]) == 2
    assert name in capsys.readouterr().out
