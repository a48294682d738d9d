"""Invitations: one person, one answer, and nobody learns whose it was.

An invitation is a code of 128 random bits, 26 characters of Crockford's base32, which has no
letter that is easily taken for another. The store keeps the SHA-256 of the code and whether it
was spent: whoever steals the database can neither answer with the codes nor join one to a
response, since nothing stands beside both. With 128 random bits a plain hash is enough: there is
nothing to guess. The code travels in the fragment of a link, which browsers send to nobody.
"""

import hashlib
import re

from survey.core.errors import MalformedResponse

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O, U
CODE_CHARACTERS = 26  # for 128 bits at 5 each; the first one is below 8
RANDOM_BYTES = 16
MAX_CODES_AT_ONCE = 1_000
CODE_PATTERN = re.compile(f"[{ALPHABET}]{{{CODE_CHARACTERS}}}")
SEPARATORS = re.compile("[\\s\u2010-\u2015\u2212-]+")  # white space, and what is typed as a hyphen
TYPED_LETTERS = str.maketrans("OILoil" + ALPHABET.lower(), "011011" + ALPHABET)


def code_from(random: bytes) -> str:
    """The code of 16 random bytes: one number in base 32, its most significant digit first."""
    if len(random) != RANDOM_BYTES:
        raise ValueError(f"A code is made of {RANDOM_BYTES} bytes.")
    number = int.from_bytes(random, "big")
    places = reversed(range(CODE_CHARACTERS))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in places)


def canonical_code(typed: str) -> str:
    """The code as it is sent and hashed, from how people type it: in small letters, with spaces
    or hyphens, with O for 0 and I or L for 1. Raises MalformedResponse if it is no code."""
    code = SEPARATORS.sub("", typed).translate(TYPED_LETTERS)
    if not CODE_PATTERN.fullmatch(code):
        raise MalformedResponse(f"An invitation code has {CODE_CHARACTERS} letters and digits.")
    return code


def code_in_groups(code: str) -> str:
    """The code in groups of four, as it is printed: "0123 4567 89AB CDEF GHJK MNPQ RS"."""
    return " ".join(code[start : start + 4] for start in range(0, CODE_CHARACTERS, 4))


def token_hash(token: str) -> bytes:
    """What is stored of a code in its canonical form, or of any token of 128 random bits or more:
    its SHA-256, 32 bytes."""
    return hashlib.sha256(token.encode()).digest()


def link(url: str, slug: str, code: str) -> str:
    """The link of an invitation; the code stands in its fragment, which is never sent."""
    return f"{url}/s/{slug}#{code}"
