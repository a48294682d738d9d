"""The tests of Candor. `tests/support` holds what several of them use."""

import pytest

# Before any of these modules is imported, so that their asserts show values when they fail.
pytest.register_assert_rewrite("tests.support")
