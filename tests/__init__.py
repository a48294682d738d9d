"""The tests of Candor. `tests/support` holds what several of them use."""

import sys

# Before any of these modules is imported, so that their asserts show values when they fail. The
# benchmarks import some of them where there is no pytest.
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite("tests.support")
