"""Hashed licence numbers: all MD5 sums of a short field are soon calculated (Pandurangan 2014)."""

import hashlib
import math
from functools import lru_cache
from itertools import product

import numpy as np

from survey.learn.attacks.attempt import AttackSetting, Attempt, Step

LICENCES = 26_000  # 10 × 26 × 100
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# The digits of invitation codes: 26 of them stand for 128 bits.
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PLACES = 26
CODE_BITS = 128
POWERS = (1, 2, 3, 4, 4.4, 4.5, 5, 10, 20, 30, 35, 36, 37, 37.5, 38, 38.2, 38.4, 38.5)


def licence_of(number: int) -> str:
    """A digit, a letter and two digits, such as 5X41."""
    return f"{number // 2_600}{LETTERS[number // 100 % 26]}{number % 100:02}"


def md5_sum(licence: str) -> str:
    return hashlib.md5(licence.encode(), usedforsecurity=False).hexdigest()


@lru_cache
def all_md5_sums() -> dict[str, int]:
    """The number of the licence for each MD5 sum."""
    return {md5_sum(licence_of(number)): number for number in range(LICENCES)}


def base32_code(number: int) -> str:
    return "".join(DIGITS[number >> 5 * place & 31] for place in reversed(range(PLACES)))


def code_hash(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()


@lru_cache
def tried_hashes() -> frozenset[bytes]:
    """The hashes of the first 32,768 codes. Only their last three digits differ."""
    start = DIGITS[0] * (PLACES - 3)
    return frozenset(code_hash(start + "".join(last)) for last in product(DIGITS, repeat=3))


def invert_hashes(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker hashes every possible licence, and as many invitation codes."""
    people = setting.people
    drawn = generator.integers(0, LICENCES, people)
    published = [md5_sum(licence_of(int(number))) for number in drawn]
    found = np.array([all_md5_sums()[each] for each in published])
    codes = [int.from_bytes(generator.bytes(CODE_BITS // 8), "big") for _ in range(people)]
    tries = len(tried_hashes())
    candor = sum(code_hash(base32_code(code)) in tried_hashes() for code in codes)
    steps = []
    for power in POWERS:
        reached = candor / people if 10.0**power <= tries else None
        found_by_then = float(np.mean(found < 10.0**power))
        steps.append(Step(power, found_by_then, reached, 10.0**power / 2.0**CODE_BITS))
    more = {"licences": float(LICENCES), "codes": 2.0**CODE_BITS}
    bound = math.ldexp(tries, -CODE_BITS)
    raw = int(np.sum(found == drawn))
    return Attempt(people, raw, candor, candor, bound, tuple(steps), more)
