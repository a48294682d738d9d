"""Names of accounts, chosen so that no two of them look alike.

The argument: the audit log and the list of the team name people by their accounts. A second account
whose name only looks like another's would let its acts pass for the other's. So a new name is as
Unicode's compatibility form (NFKC) has it, its letters are of one script, and it differs from every
other name in more than upper and lower case. Accounts from before keep their names and sign in with
them. Names of one script that look like those of another as a whole are not found.
"""

import re
import unicodedata

NAME = re.compile(r"(?=.*\w)[\w.@-]{1,64}")  # dots alone are no part of an address
# scripts that are written together: Japanese, Korean, and Chinese with its phonetic letters
TOGETHER = ({"CJK", "HIRAGANA", "KATAKANA"}, {"CJK", "HANGUL"}, {"CJK", "BOPOMOFO"})


def comparable(name: str) -> str:
    """The same for all names that are taken for one another."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def scripts_of(name: str) -> set[str]:
    """The scripts of a name's letters, as the names of the characters begin; ASCII digits and
    marks such as . _ @ - are of all scripts."""
    own = [character for character in name if character.isalpha() or not character.isascii()]
    return {re.split("[ -]", unicodedata.name(each, "UNKNOWN"))[0] for each in own}


def name_fault(name: str) -> str | None:
    """What is wrong with a new account's name, as a sentence; None if nothing is."""
    if not NAME.fullmatch(name):
        return "Use letters, digits and . _ @ - without spaces (at most 64)."
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return f"This name has characters that look like others. Write it as {plain[:64]}"
    scripts = scripts_of(name)
    if len(scripts) > 1 and not any(scripts <= written for written in TOGETHER):
        mixed = " and ".join(sorted(script.capitalize() for script in scripts))
        return f"This name mixes letters of {mixed}. Use letters of one script."
    return None
