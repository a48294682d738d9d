"""A limit of processor time for one request of a researcher, which long computations check.

The argument: a thread that computes cannot be stopped from outside at a safe place. An exception
that another thread raises in it (PyThreadState_SetAsyncExc) can arrive between taking a lock and
the block that gives it back, or leave a transaction open, and never arrives within a long call into
compiled code. So the computations ask by themselves: `require_time` stands in every loop whose
length depends on the responses, on a search or on the number of questions. Without a limit, as on
the command line, it returns at once. It stands in computations alone, never between two changes of
the database: what changes something is done whole, and recorded.

The core reads no clock: what is asked comes from the shell, through a context variable, so that
each request has its own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class OutOfTime(Exception):
    """A request has used all of its processor time.

    Not a SurveyError: code that looks for faults in a form catches those, and would blame a field.
    """


check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def require_time() -> None:
    """Go on, or raise OutOfTime where the processor time of this request is used up."""
    ask = check.get()
    if ask is not None:
        ask()


@contextmanager
def limited(seconds: float, clock: Callable[[], float]) -> Iterator[None]:
    """Within the block `require_time` raises OutOfTime once `seconds` have passed.

    Parameters
    ----------
    seconds : above 0; 0 for no limit
    clock : processor seconds of this thread, in which the whole block runs
    """
    end = clock() + seconds

    def ask() -> None:
        if clock() > end:
            raise OutOfTime(
                f"This takes more than {seconds:g} seconds of the server's processor time, and was "
                "stopped. Ask for less at once, such as fewer predictors, or use the command line, "
                "which has no limit."
            )

    token = check.set(ask if seconds else None)
    try:
        yield
    finally:
        check.reset(token)
