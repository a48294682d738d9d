"""Fixtures of several test modules."""

from collections.abc import Iterator

import pytest

from tests.support.postgresql import Cluster


@pytest.fixture
def database(postgresql_server: Cluster) -> Iterator[str]:
    with postgresql_server.database("template") as address:
        yield address
