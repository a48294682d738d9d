"""Hashed codes: the codes are those of the text and of invitations."""

import numpy as np
import pytest

from survey.definition.responses.invitation_codes import RANDOM_BYTES, code_from, token_hash
from survey.learn.attacks import hashed_codes

pytestmark = pytest.mark.fast


def test_all_licences_differ_and_have_the_form():
    licences = [hashed_codes.licence_of(number) for number in range(hashed_codes.LICENCES)]
    assert len(set(licences)) == 10 * 26 * 10 * 10
    assert (licences[0], licences[-1]) == ("0A00", "9Z99")
    assert "5X41" in licences
    assert len(hashed_codes.all_md5_sums()) == 26_000
    assert hashed_codes.md5_sum("") == "d41d8cd98f00b204e9800998ecf8427e"  # RFC 1321


def test_codes_and_hashes_are_those_of_invitations():
    generator = np.random.default_rng(5)
    for _ in range(20):
        drawn = generator.bytes(RANDOM_BYTES)
        code = hashed_codes.base32_code(int.from_bytes(drawn, "big"))
        assert code == code_from(drawn)
        assert hashed_codes.code_hash(code) == token_hash(code)
    assert token_hash(code_from((32_767).to_bytes(16, "big"))) in hashed_codes.tried_hashes()
    assert token_hash(code_from((32_768).to_bytes(16, "big"))) not in hashed_codes.tried_hashes()
