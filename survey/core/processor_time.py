"""A limit of processor time for a request, checked by long computations.

The argument: a computing thread cannot be stopped safely from outside. An exception that another
thread raises in it (PyThreadState_SetAsyncExc) can arrive between taking a lock and the block that
releases it. It can leave a transaction open, and it never arrives during a long call into compiled
code. So the computations ask by themselves. `require_time` is in every loop whose length depends on
the responses, on a search, on the number of questions or on what a reader of a lesson chooses.
Without a limit, as on the command line, it returns at once. It is only in computations, never
between two changes of the database: an action that changes something runs to its end and is
recorded.

The core reads no clock. The check comes from the shell through a context variable, so each request
has its own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from survey.core.translate import translate, translate_number


class OutOfTime(Exception):
    """A request has used all of its processor time.

    It is not a SurveyError, because code that checks forms catches those and would blame a field.

    Parameters
    ----------
    seconds : the limit
    """

    def __init__(self, seconds: float):
        self.seconds = translate_number(f"{seconds:g}")
        super().__init__(
            translate(
                "This request takes more than %(n)s seconds of the server's processor time, so "
                "Candor stopped it. Request less at once, such as fewer predictors, or use the "
                "command line, which has no limit.",
                n=self.seconds,
            )
        )


check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def require_time() -> None:
    """Raise OutOfTime if the processor time of this request is used up."""
    ask = check.get()
    if ask is not None:
        ask()


@contextmanager
def limit_time(seconds: float, clock: Callable[[], float]) -> Iterator[None]:
    """During the block, `require_time` raises OutOfTime after `seconds`.

    A limit around this one still holds.

    Parameters
    ----------
    seconds : above 0, or 0 for no limit
    clock : the processor time of this thread, in which the whole block runs
    """
    end, around = clock() + seconds, check.get()

    def ask() -> None:
        if clock() > end:
            raise OutOfTime(seconds)
        if around is not None:
            around()

    token = check.set(ask if seconds else around)
    try:
        yield
    finally:
        check.reset(token)
