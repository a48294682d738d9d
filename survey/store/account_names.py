"""Account names, restricted so that no two of them look alike.

The argument: the audit log and the team page identify people by their account names. If a second
account had a name that only looks like another one, its actions would appear to be the other
person's. So a new name must be in Unicode's compatibility form (NFKC), and its letters must belong
to one script. It must differ from every other name in more than upper and lower case. The
rules do not detect two names that look alike although each is in one script.
"""

import re
import unicodedata

from survey.core.translate import translate

NAME = re.compile(r"(?=.*\w)[\w.@-]{1,64}")  # A name of dots alone would break URLs.
# Scripts that are written together: Japanese, Korean, and Chinese with Bopomofo.
TOGETHER = ({"CJK", "HIRAGANA", "KATAKANA"}, {"CJK", "HANGUL"}, {"CJK", "BOPOMOFO"})


def comparable(name: str) -> str:
    """A form that is equal for names that look the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def scripts_of(name: str) -> set[str]:
    """The scripts of the letters of a name, as the first words of their Unicode names.

    ASCII digits and marks such as . _ @ - belong to every script.
    """
    own = [character for character in name if character.isalpha() or not character.isascii()]
    return {re.split("[ -]", unicodedata.name(each, "UNKNOWN"))[0] for each in own}


def name_fault(name: str) -> str | None:
    """What is wrong with the name of a new account, as a sentence; None if it is acceptable."""
    if not NAME.fullmatch(name):
        return translate("Use at most 64 characters: letters, digits and . _ @ -")
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return translate(
            "This name has characters that look like others. Use “%(name)s” instead.",
            name=plain[:64],
        )
    scripts = scripts_of(name)
    if len(scripts) > 1 and not any(scripts <= written for written in TOGETHER):
        mixed = " and ".join(sorted(script.capitalize() for script in scripts))
        return translate(
            "This name mixes letters of %(scripts)s. Use letters of one script.", scripts=mixed
        )
    return None
