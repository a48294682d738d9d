"""The server's log for its operator, on standard error: one line for each event.

The argument. A log is kept longer, read by more people and guarded less than a database. So it must
contain nothing that identifies a response, a person or an address. Two rules ensure this. A list of
secrets to remove would have gaps.

* Only our own lines contain words, and each is a constant or a number of the server. The message of
  a library or of an error is never written: "invalid literal: 'yes'" quotes an answer, "Exception
  on /shared?..." an address, and a failed statement its values. For an error, the log has the types
  in the chain of causes, and the places in the code: files, lines, functions. None of these
  contains local variables.
* There is no line for a request. A line with the time of somebody's request shows that somebody was
  there. For one fault in the code, that is the price of fixing it. But a fault that affects
  everyone would list the time of every visit. So a fault is written once, and then not again for
  `QUIET_SECONDS`. The next line says how often it occurred. All other events happen at the server's
  own times: every few seconds it checks the database, the rate limits and the need to compact.

The program that collects the lines adds the time, so leaving it out here would hide nothing.
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
# Faults that are remembered. A program has fewer places where it can fail.
MAX_REMEMBERED_FAULTS = 1_000
HOME = str(PROJECT_FOLDER) + "/"
LIBRARIES = ("/site-packages/", "/dist-packages/")

Fact = str | int | float | list[str]

ours = logging.getLogger("candor")


def note(event: str, **facts: Fact) -> None:
    """Write an event. No value may come from a request."""
    ours.info(event, extra={"facts": facts})


def warn(event: str, **facts: Fact) -> None:
    ours.warning(event, extra={"facts": facts})


def fault(event: str, error: BaseException) -> None:
    """Write an unexpected error."""
    ours.error(event, exc_info=(type(error), error, error.__traceback__))


def chain(error: BaseException) -> Iterator[BaseException]:
    """An error, its cause, the cause of that, and so on."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def error_kind(error: BaseException) -> str:
    """The type of an error, with the code of the database if it has one."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    name = type(error).__name__
    return f"{name} {code}" if isinstance(code, str) else name


def cause_of(error: BaseException) -> str:
    """The type of the first error in the chain of causes."""
    return error_kind([*chain(error)][-1])


def place(file: str, line: int, function: str) -> str:
    """A place in the code, without the folder of the installation."""
    for folder in LIBRARIES:
        file = file.rpartition(folder)[2]
    file = file.removeprefix(HOME)
    if file.startswith("/"):  # The file belongs to Python itself.
        file = "/".join(file.split("/")[-2:])
    return f"{file}:{line} {function}"


def traceback_places(traceback: TracebackType | None) -> list[str]:
    return [
        place(frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in walk_tb(traceback)
    ]


class LineFormatter(logging.Formatter):
    """Formats a record as one line, as text or JSON."""

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
    """Lets a fault through once, and again after `QUIET_SECONDS` with its number of repetitions."""

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
    """Writes to standard error. Python's own handler would quote a record that fails."""

    def handleError(self, record: logging.LogRecord) -> None:
        with suppress(OSError, ValueError):
            self.stream.write("A log line could not be written.\n")


def configure_logging(manner: str) -> None:
    """Send all log lines of this process, from any library, to standard error in this format."""
    handler = Writer(sys.stderr)
    handler.setFormatter(LineFormatter(manner))
    handler.addFilter(FaultRateFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    ours.setLevel(logging.INFO)
    for name in [*logging.root.manager.loggerDict]:  # Flask, for example, adds its own handler.
        logging.getLogger(name).handlers.clear()
    logging.captureWarnings(True)
    threading.excepthook = lambda raised: unforeseen("fault in a thread", raised.exc_value)
    sys.excepthook = lambda kind, error, trace: unforeseen("fault", error)
    sys.unraisablehook = lambda raised: unforeseen("fault in passing", raised.exc_value)


def unforeseen(event: str, error: BaseException | None) -> None:
    """Write an error that nothing caught."""
    if error is not None:
        fault(event, error)
