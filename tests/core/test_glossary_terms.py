"""Terms in the texts of blocks: a page links them, a terminal shows their words."""

from survey.core.glossary_terms import glossary_term, marked_parts, without_marks


def test_a_text_keeps_its_words_and_names_its_terms():
    text = f"The {glossary_term('score', 'Werte')} of {glossary_term('special answer', 'these')}."
    assert without_marks(text) == "The Werte of these."
    assert list(marked_parts(text)) == [
        ("The ", ""), ("Werte", "score"), (" of ", ""), ("these", "special answer"), (".", ""),
    ]  # fmt: skip
    assert list(marked_parts("No term.")) == [("No term.", "")]
