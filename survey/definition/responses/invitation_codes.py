"""Invitation codes: each person answers once, and nobody learns which response is whose.

An invitation is a code of 128 random bits: 26 characters of Crockford's base32, which avoids
letters that look alike. The store keeps the SHA-256 of the code and whether it is spent. Nothing
links this to a response. Someone who steals the database can therefore neither answer with the
codes nor link a code to a response. With 128 random bits a plain hash is enough, because nobody can
guess the code. The code is in the fragment of a link, which browsers do not send.
"""

import hashlib
import re

from survey.core.errors import MalformedResponse

# Without I, L, O and U.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# For 128 bits at 5 bits each. The first character is below 8.
CODE_CHARACTERS = 26
RANDOM_BYTES = 16
MAX_CODES_AT_ONCE = 1_000
CODE_PATTERN = re.compile(f"[{ALPHABET}]{{{CODE_CHARACTERS}}}")
# White space, and characters that people type as a hyphen.
SEPARATORS = re.compile("[\\s\u2010-\u2015\u2212-]+")
TYPED_LETTERS = str.maketrans("OILoil" + ALPHABET.lower(), "011011" + ALPHABET)


def code_from(random: bytes) -> str:
    """The code of 16 random bytes: a base-32 number, most significant digit first."""
    if len(random) != RANDOM_BYTES:
        raise ValueError(f"A code is made of {RANDOM_BYTES} bytes.")
    number = int.from_bytes(random, "big")
    places = reversed(range(CODE_CHARACTERS))
    return "".join(ALPHABET[number >> 5 * place & 31] for place in places)


def canonical_code(typed: str) -> str:
    """The canonical code, as it is sent and hashed, from a typed one.

    People may type small letters, spaces, hyphens, O for 0, and I or L for 1. Raises
    MalformedResponse if it is not a code.
    """
    code = SEPARATORS.sub("", typed).translate(TYPED_LETTERS)
    if not CODE_PATTERN.fullmatch(code):
        raise MalformedResponse(f"An invitation code has {CODE_CHARACTERS} letters and digits.")
    return code


def code_in_groups(code: str) -> str:
    """The code in groups of four, for printing: "0123 4567 89AB CDEF GHJK MNPQ RS"."""
    return " ".join(code[start : start + 4] for start in range(0, CODE_CHARACTERS, 4))


def token_hash(token: str) -> bytes:
    """The stored form of a canonical code: its SHA-256, 32 bytes.

    It also suits any other token of 128 or more random bits.
    """
    return hashlib.sha256(token.encode()).digest()


def link(url: str, slug: str, code: str) -> str:
    """The link of an invitation. The code is in the fragment, which browsers never send."""
    return f"{url}/s/{slug}#{code}"
