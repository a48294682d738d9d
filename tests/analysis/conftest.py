"""Fixtures of several test modules of the analyses."""

import pytest

from tests.support.regressed import Data


@pytest.fixture
def data():
    return Data()
