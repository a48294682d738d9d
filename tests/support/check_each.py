"""Check many items in one test, and report every item that fails.

pytest collects, prepares and reports each case of `parametrize` by itself. This takes longer than
a case that needs no fixture of its own. For thousands of such cases, it takes minutes.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

MAX_LABEL = 500  # The first characters tell items apart, and an item can be a large table.


def check_each(
    names: str | tuple[str, ...], items: Iterable[Any], ids: Callable[[Any], object] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test that runs for each item, as `pytest.mark.parametrize` does.

    All items share the fixtures of one test. With several names, an item is a sequence of values.
    `ids` makes the label of a failing item, by default from its values.

    The test fails with a group of the failures of all items, or if there is no item.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    items = [item if len(names) > 1 else (item,) for item in items]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def check(**fixtures: object) -> None:
            assert items, "There is no item to check."
            failures = []
            for item in items:
                values = dict(zip(names, item, strict=True))
                try:
                    test(**values, **fixtures)
                except (Exception, pytest.fail.Exception) as failure:
                    label = str(values if ids is None else ids(*item))[:MAX_LABEL]
                    failure.add_note(f"This happened for {label}.")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(items)} failed", failures)

        # pytest gives fixtures for the other parameters only.
        others = [each for name, each in signature.parameters.items() if name not in names]
        assert len(others) + len(names) == len(signature.parameters), f"{names} are not parameters"
        check.__signature__ = signature.replace(parameters=others)
        return check

    return decorate
