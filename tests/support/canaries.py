"""Canaries: texts that are easy to find, and a search for them in every encoding.

A file or a log may contain a text in another case, as UTF-16, in hexadecimal, in base64 at any
offset, percent-encoded or hashed. It may contain an address as its bytes or as one number too.
"""

import base64
import hashlib
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import quote

HASHES = ("md5", "sha1", "sha256")


def in_base64(content: bytes) -> set[bytes]:
    """The part of these bytes that base64 of a longer text contains.

    There is one for each of three offsets and both alphabets. The ends depend on the neighbouring
    bytes, so they are left out.
    """
    found = set()
    for before in range(3):
        text = base64.b64encode(b"\0" * before + content).rstrip(b"=")
        cut = text[(0, 2, 3)[before] : len(text) - (1 if (before + len(content)) % 3 else 0)]
        found |= {cut, cut.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


def digests(content: bytes) -> set[bytes]:
    return {hashlib.new(name, content).digest() for name in HASHES}


class Canary:
    """A text, or some bytes, to find in any encoding.

    `hashed` adds the hashes of the text. The store keeps some hashes by design. For example, it
    recognises an invitation by its hash.
    """

    def __init__(self, text: str, *, hashed: bool = False, raw: Iterable[bytes] = ()):
        cases = {case.encode() for case in (text, text.lower(), text.upper())}
        binary = set(raw)
        if hashed:
            binary |= {digest for case in cases for digest in digests(case)}
        any_case = set(cases)  # compared in lower case
        for case in cases | binary:
            any_case |= {case.hex().encode()}
        for case in cases:
            any_case |= {case.decode().encode(code) for code in ("utf-16-le", "utf-16-be")}
            any_case |= {quote(case, safe="").encode()}
            any_case |= {"".join(f"%{byte:02x}" for byte in case).encode()}
        self.any_case = {spelling.lower() for spelling in any_case}
        # In lower case, bytes that are letters would match other bytes too: four bytes with two
        # letters would be found by chance four times as often.
        self.exact = binary.union(*map(in_base64, cases | {b for b in binary if len(b) > 8}))

    def within(self, content: bytes, lowered: bytes) -> bool:
        return any(s in lowered for s in self.any_case) or any(s in content for s in self.exact)


def address(text: str) -> Canary:
    """An IPv4 address: also as four bytes in either order, and as one decimal number.

    A database's files contain some 10,000 random bytes (salts, checksums, keys). They contain four
    given bytes with a probability of at most 2^-18.
    """
    packed = socket.inet_aton(text)
    number = str(int.from_bytes(packed, "big")).encode()
    return Canary(text, hashed=True, raw=(packed, packed[::-1], number))


def sweep(places: Mapping[str, bytes], canaries: Mapping[str, Canary]) -> dict[str, set[str]]:
    """The names of the canaries, by the place that contains them."""
    found = {}
    for place, content in places.items():
        lowered = content.lower()
        hits = {name for name, canary in canaries.items() if canary.within(content, lowered)}
        if hits:
            found[place] = hits
    return found
