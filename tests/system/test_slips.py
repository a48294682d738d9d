"""The command that looks up the printed slips, with made-up texts: the real ones are not ours."""

import json

import pytest

from tools import slips

pytestmark = pytest.mark.fast
STORED = json.loads(slips.PRINTED.read_text(encoding="utf-8"))


def made_up_texts(printed=STORED):
    """Each text with its headings, words of our own, and what it prints, by the file's number."""
    texts = {}
    for name, text in printed["texts"].items():
        lines = ["Contents", "1.\tSomething ....... 3"]
        for section, heading in text["sections"].items():
            lines += ["", f"## {heading}", "Words of our own, then:"]
            for slip in printed["slips"]:
                if (slip["text"], slip["section"]) == (name, section):
                    lines += [f"so $${slip['printed']}$$ stands here."] * slip["times"]
        texts[text["file"]] = "\n".join(lines)
    return texts


def write_texts(folder, texts):
    for number, text in texts.items():
        (folder / f"{number}_made-up.txt").write_text(text, encoding="utf-8")


def test_all_are_found_where_their_texts_print_them(tmp_path, capsys):
    write_texts(tmp_path, made_up_texts())
    assert slips.main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(STORED["slips"]) + 1
    assert all(line.endswith(": found") for line in lines[:-1])
    assert "notes, 2.2.3: O(\\alpha^2): found" in lines
    assert lines[-1] == f"{len(STORED['slips'])} printed slips, 0 not found"


def test_without_the_minus_sign_of_a_formula_the_command_fails(tmp_path, capsys):
    texts = made_up_texts()
    assert texts["003"].count(r"H(x,S) = -\sum") == 1
    texts["003"] = texts["003"].replace(r"H(x,S) = -\sum", r"H(x,S) = \sum")
    write_texts(tmp_path, texts)
    assert slips.main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert r"\frac{m_k}{N} H(S_k): found 0 times, not 1" in out
    assert out.endswith(f"{len(STORED['slips'])} printed slips, 1 not found\n")


def test_each_sign_of_each_slip_matters(tmp_path):
    """Another sign at any place, a sign less, or a digit more at either end."""
    for slip in STORED["slips"]:
        printed = slip["printed"]
        changed = [
            printed[:place] + other + printed[place + 1 :]
            for place, sign in enumerate(printed)
            for other in ("#", "")
            if not sign.isspace()
        ]
        changed += [each for each in (f"{printed}0", f"0{printed}")
                    if printed[-1].isascii() and printed[-1].isalnum()
                    and printed[0].isascii() and printed[0].isalnum()]  # fmt: skip
        assert slips.count_printed(printed, f"so {printed} here") == 1
        for each in changed:
            assert slips.count_printed(printed, f"so {each} here") == 0, each


def test_a_slip_in_another_section_or_without_its_file_is_not_found(tmp_path, capsys):
    texts = made_up_texts()
    texts["002"] = texts["002"].replace("O(\\alpha^2)", "O(n)") + "\nO(\\alpha^2)"
    del texts["004"]
    write_texts(tmp_path, texts)
    assert slips.main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "notes, 2.2.3: O(\\alpha^2): found 0 times, not 1" in out
    assert out.count("agency, ") == out.count("agency, ") and "x &= 40: found 0 times" in out


def test_line_breaks_and_composed_letters_do_not_matter():
    assert slips.count_printed("độ nhạy cảm", "do\u0323\u0302  nhạy") == 0
    assert slips.count_printed("a + noise b", "a +\n   noise b") == 1
    sections = slips.split_sections("Contents\n# One\nx\n## Two\ny", {"1": "One", "2": "Two"})
    assert sections == {"1": "x", "2": "y"}
    assert slips.split_sections("# Two\ny", {"1": "One", "2": "Two"}) == {"2": "y"}


def test_what_is_stored_is_short():
    for slip in STORED["slips"]:
        assert len(slip["printed"]) <= 80
        assert slip["section"] in STORED["texts"][slip["text"]]["sections"]
