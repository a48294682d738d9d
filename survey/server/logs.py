"""What the server writes down for its operator, on standard error: a line for each event.

The argument. A log is kept longer, read by more people and guarded less than a database, so nothing
may be in it that a response, a person or an address could be known by. Two rules see to that, and
no list of what is secret, which would have gaps:

* Words stand in lines of ours alone, and each is a constant or a figure of the server. What
  libraries have to say, and what an error says of itself, is never written: "invalid literal:
  'yes'" quotes an answer, "Exception on /shared?..." an address, a failed statement its values. Of
  an error there are the kinds, in the order in which one came of the other, and the places in the
  code: files, lines, functions. Local variables are in none of these.
* There is no line for a request. A line with a moment beside somebody's request says that somebody
  was there; for one fault in the code that is the price of mending it, but a fault that meets
  everybody would be a list of all who came. So the same fault is written once, then not again
  for `QUIET_SECONDS`, and then with how often it was met. What else is written comes at moments of
  the server's own: it looks every few seconds whether the database is there, whether requests are
  being held back, whether to seal.

Whatever collects the lines adds the time, so leaving it out here would hide nothing.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from traceback import walk_tb
from types import TracebackType
from typing import TextIO

from survey import PROJECT_FOLDER

QUIET_SECONDS = 600.0
MAX_REMEMBERED_FAULTS = 1_000  # remembered; a program has no more places than that to fail in
HOME = str(PROJECT_FOLDER) + "/"
LIBRARIES = ("/site-packages/", "/dist-packages/")

Fact = str | int | float | list[str]

ours = logging.getLogger("candor")


def note(event: str, **facts: Fact) -> None:
    """Write down an event, in words that no request has a part in."""
    ours.info(event, extra={"facts": facts})


def warn(event: str, **facts: Fact) -> None:
    ours.warning(event, extra={"facts": facts})


def fault(event: str, error: BaseException) -> None:
    """Write down what nobody foresaw."""
    ours.error(event, exc_info=(type(error), error, error.__traceback__))


def chain(error: BaseException) -> Iterator[BaseException]:
    """An error, what it came of, and what that came of."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def error_kind(error: BaseException) -> str:
    """The kind of an error, with the code that a database gives it."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    name = type(error).__name__
    return f"{name} {code}" if isinstance(code, str) else name


def cause_of(error: BaseException) -> str:
    """What an error came of in the end, in a word."""
    return error_kind([*chain(error)][-1])


def place(file: str, line: int, function: str) -> str:
    """A place in the code, without where on the machine the code lies."""
    for folder in LIBRARIES:
        file = file.rpartition(folder)[2]
    file = file.removeprefix(HOME)
    if file.startswith("/"):  # Python's own
        file = "/".join(file.split("/")[-2:])
    return f"{file}:{line} {function}"


def traceback_places(traceback: TracebackType | None) -> list[str]:
    return [
        place(frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in walk_tb(traceback)
    ]


class LineFormatter(logging.Formatter):
    """A record as one line."""

    def __init__(self, manner: str):
        super().__init__()
        self.manner = manner

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        entry: dict[str, Fact] = {"time": moment, "level": record.levelname.lower()}
        if record.name == ours.name:
            entry |= {"event": str(record.msg), **getattr(record, "facts", {})}
        else:
            where = place(record.pathname, record.lineno, record.funcName or "")
            entry |= {"event": "library", "logger": record.name, "where": where}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            entry["kinds"] = [error_kind(each) for each in chain(error)]
            entry["trace"] = traceback_places(error.__traceback__)
        again = getattr(record, "again", 0)
        if again:
            entry["again"] = again
        return json.dumps(entry) if self.manner == "json" else plain_log_line(entry)


def plain_log_line(told: dict[str, Fact]) -> str:
    rest = " ".join(
        f"{name}={value if isinstance(value, int | float) else json.dumps(value)}"
        for name, value in told.items()
        if name not in ("time", "level", "event")
    )
    return f"{told['time']} {told['level']}: {told['event']} {rest}".rstrip()


class FaultRateFilter(logging.Filter):
    """Lets a fault through once, and again when it was quiet about it for long enough."""

    def __init__(self) -> None:
        super().__init__()
        self.met: dict[tuple[str, ...], tuple[float, int]] = {}
        self.lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == ours.name and not record.exc_info:
            return True
        error = record.exc_info[1] if record.exc_info else None
        trace = (
            traceback_places(error.__traceback__)
            if error
            else [f"{record.pathname}:{record.lineno}"]
        )
        key = (record.name, type(error).__name__, *trace[-3:])
        now = time.monotonic()
        with self.lock:
            since, again = self.met.get(key, (-QUIET_SECONDS, 0))
            if now - since < QUIET_SECONDS:
                self.met[key] = since, again + 1
                return False
            if len(self.met) >= MAX_REMEMBERED_FAULTS:
                self.met.clear()
            self.met[key] = now, 0
        record.again = again
        return True


class Writer(logging.StreamHandler[TextIO]):
    """To standard error. Python would quote a record that cannot be written."""

    def handleError(self, record: logging.LogRecord) -> None:
        with suppress(OSError, ValueError):
            self.stream.write("A line of the log could not be written.\n")


def configure_logging(manner: str) -> None:
    """From here on all that is said in this process is said in this manner, by whoever."""
    handler = Writer(sys.stderr)
    handler.setFormatter(LineFormatter(manner))
    handler.addFilter(FaultRateFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    ours.setLevel(logging.INFO)
    for name in [*logging.root.manager.loggerDict]:  # such as Flask's, which has one of its own
        logging.getLogger(name).handlers.clear()
    logging.captureWarnings(True)
    threading.excepthook = lambda raised: unforeseen("fault in a thread", raised.exc_value)
    sys.excepthook = lambda kind, error, trace: unforeseen("fault", error)
    sys.unraisablehook = lambda raised: unforeseen("fault in passing", raised.exc_value)


def unforeseen(event: str, error: BaseException | None) -> None:
    """Write down what nobody caught."""
    if error is not None:
        fault(event, error)
