"""Texts, in which everything is an answer that is short enough."""

from survey.core.languages import Words
from survey.definition.types.text import MAX_TYPED_CHARACTERS, TextType
from survey.respondent.types import GIVEN
from survey.respondent.types.select_one import Fields, GivenChoice


@GIVEN.of(TextType)
class GivenText(GivenChoice):
    """Own words, or nothing."""

    def advice(self, words: Words) -> str:
        most = words.number(MAX_TYPED_CHARACTERS, grouped=True)
        return words.say("Write at most %(most)s characters.", most=most)

    def report(self, given: Fields, words: Words) -> str:
        values = given.get(self.question.name, [])
        # Browsers send two characters for a line end. A text in the database has no zero character.
        text = "".join(values).replace("\r\n", "\n").strip()
        return text.replace("\0", "\ufffd")
