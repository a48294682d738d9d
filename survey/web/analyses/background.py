"""Analyses that take longer than a request may: another process computes them.

The argument. A request computes an analysis for at most `REQUEST_SECONDS`. A longer one goes on in
a process of its own with a low priority, because a thread of the server would take turns with the
threads that answer respondents. The process gets all data from the request that started it, has no
database, and writes nothing to a disk or a log. It ends when the server does, because it then
cannot read its standard input any more.

One such process runs at a time. Requests for the same analysis of the same survey join it. Its
result stays in memory for the page, the files and the API.
"""

import os
import pickle
import resource
import secrets
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from flask import abort, current_app

from survey import PROJECT_FOLDER
from survey.analysis.blocks import remark_block
from survey.core.errors import UnanswerableQuestion
from survey.core.languages import MAIN
from survey.core.processor_time import OutOfTime, limit_time
from survey.core.translate import in_language, page_language, translate, translate_number
from survey.definition.sub_surveys import whole_of
from survey.estimation.findings.remarks import OUTDATED, Remark
from survey.server import logs
from survey.store import StoredSurvey
from survey.store.sql.counts import CountsByQuestion
from survey.web.analyses.forms import AnalysisForm
from survey.web.analyses.kind import AnalysisKind, Computation
from survey.web.analyses.request import Query
from survey.web.analyses.result import AnalysisResult
from survey.web.extensions import store
from survey.web.published_results import frozen_of

# Processor time for the analyses of one request, without reading their data.
REQUEST_SECONDS = 2.0
# Processor time in the background, for each language.
MAX_TASK_SECONDS = 600.0
# Analyses that run or wait.
MAX_UNFINISHED = 8
# Analyses whose results are kept. A result takes some tens of kilobytes.
MAX_KEPT = 32
# A result of earlier data is shown for this time after its end, and is then computed again.
OUTDATED_SECONDS = 600.0
# When the next attempt is worthwhile.
RETRY_SECONDS = 3
PRIORITY = 19  # the lowest one of Unix
START = "from survey.web.analyses.background import run_sent; run_sent()"
COMMAND = (sys.executable, "-c", START)
# The server's environment has the secret key. More threads would not make an analysis faster.
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": os.pathsep.join(sys.path),
}

# The counts of the published responses to each survey, by its slug and fingerprint.
Data = dict[tuple[str, str], CountsByQuestion]
# The survey, the analysis, what the form chooses, the design file, and the language.
Key = tuple[str, str, str, str, str]


class StillComputing(Exception):
    """The analysis is not ready.

    It is not a SurveyError, because it is no refusal.
    """

    def __init__(self, task: "Task"):
        self.task = task
        super().__init__(
            translate(
                "Candor is calculating this analysis in the background, because a request has "
                "only %(n)s seconds of processor time for analyses. Try again in a moment.",
                n=translate_number(f"{REQUEST_SECONDS:g}"),
            )
        )


@dataclass(frozen=True)
class Failure:
    """An internal error of the process: the types of its causes, and the places in the code."""

    kinds: list[str]
    trace: list[str]


Outcome = AnalysisResult | UnanswerableQuestion | Failure


class Task:
    """An analysis in the background, in one or two languages.

    Parameters
    ----------
    slug : the survey
    data : the published responses that the analysis has read
    computations : what to compute, by language, in this order

    Attributes
    ----------
    name : a random name, with which the page can stop the task
    began, ended : times of the monotonic clock, or None
    """

    def __init__(self, slug: str, data: Data, computations: Mapping[str, Computation]):
        self.name = secrets.token_hex(8)
        self.slug, self.data, self.languages = slug, data, (*computations,)
        # The form is used further by the request, so the process gets its present state.
        self.sent = pickle.dumps(dict(computations))
        self.outcomes: dict[str, Outcome] = {}
        self.began: float | None = None
        self.ended: float | None = None
        self.stopped = False
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def finished(self) -> bool:
        return self.stopped or self.ended is not None

    @property
    def seconds(self) -> int:
        """The time since the process started, 0 if it waits for other analyses."""
        return 0 if self.began is None else int(time.monotonic() - self.began)

    def stop(self) -> None:
        self.stopped = True
        if self.process is not None:
            self.process.kill()

    def run(self) -> None:
        """Compute in another process, and wait for it."""
        self.began = time.monotonic()
        try:
            # An error at the end of the block means that the process has ended before it read all.
            with (
                suppress(OSError),
                subprocess.Popen(  # noqa: S603
                    (*COMMAND, str(MAX_TASK_SECONDS), str(PRIORITY)),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=PROJECT_FOLDER,
                    env=ENVIRONMENT,
                ) as process,
            ):
                self.process = process
                if self.stopped:
                    process.kill()
                self.exchange(process)
                process.kill()
        finally:
            # The system may have ended the process, such as for want of memory.
            ended = Failure(["process ended"], [])
            self.outcomes = dict.fromkeys(self.languages, ended) | self.outcomes
            self.sent, self.ended = b"", time.monotonic()
        for outcome in self.outcomes.values():
            if isinstance(outcome, Failure) and not self.stopped:
                logs.warn("fault in an analysis", kinds=outcome.kinds, trace=outcome.trace)

    def exchange(self, process: subprocess.Popen[bytes]) -> None:
        """Send the data, and receive one outcome for each language."""
        if process.stdin is None or process.stdout is None:
            return
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            process.stdin.write(self.sent)
            process.stdin.flush()
            for language in self.languages:
                # The process is our own code, and gets only what this server has sent it.
                self.outcomes[language] = pickle.load(process.stdout)  # noqa: S301

    def result(self, language: str) -> AnalysisResult:
        """The result. Raises StillComputing and UnanswerableQuestion."""
        outcome = self.outcomes.get(language)
        if outcome is None:
            raise StillComputing(self)
        if isinstance(outcome, UnanswerableQuestion):
            # The same error raised again would keep the frames of each request.
            raise UnanswerableQuestion(str(outcome))
        if isinstance(outcome, Failure):
            abort(500)
        return outcome


class BackgroundAnalyses:
    """The analyses of a server that run, wait, or ended last.

    Attributes
    ----------
    request_seconds : processor time for the analyses of one request
    """

    def __init__(self) -> None:
        self.request_seconds = REQUEST_SECONDS
        self.lock = threading.Lock()
        self.turn = threading.Lock()  # held by the task that runs
        self.tasks: OrderedDict[Key, Task] = OrderedDict()

    def find(self, key: Key, data: Data) -> Task | None:
        """The task with a usable result, or that will have one."""
        with self.lock:
            task = self.tasks.get(key)
            if task is None:
                return None
            if is_usable(task, key[-1], data):
                self.tasks.move_to_end(key)
                return task
            self.drop(task)
            return None

    def start(self, key: Key, data: Data, computations: Mapping[str, Computation]) -> Task:
        """Compute an analysis in the background, in each language that has no task.

        Raises UnanswerableQuestion if too many analyses wait.
        """
        with self.lock:
            if key in self.tasks:  # Another request was faster.
                return self.tasks[key]
            if len({each for each in self.tasks.values() if not each.finished}) >= MAX_UNFINISHED:
                raise UnanswerableQuestion(
                    "Many analyses are waiting on this server. Try again in some minutes, or "
                    "use the command line, which does not wait."
                )
            keys = {language: (*key[:-1], language) for language in computations}
            new = {
                language: each
                for language, each in computations.items()
                if keys[language] not in self.tasks
            }
            task = Task(key[0], data, new)
            self.tasks |= {keys[language]: task for language in new}
            kept = [each for each, other in self.tasks.items() if other.finished]
            for each in kept[: max(0, len(self.tasks) - MAX_KEPT)]:
                del self.tasks[each]
        threading.Thread(target=self.run, args=[task], name="analysis", daemon=True).start()
        return task

    def run(self, task: Task) -> None:
        with self.turn:
            if not task.stopped:
                task.run()

    def drop(self, task: Task) -> None:
        """Stop a task and forget its results. The caller holds the lock."""
        task.stop()
        for key in [key for key, each in self.tasks.items() if each is task]:
            del self.tasks[key]

    def stop(self, slug: str, name: str | None = None) -> None:
        """Stop and forget a task of a survey, by its name, or all tasks of the survey."""
        with self.lock:
            for task in {*self.tasks.values()}:
                if whole_of(task.slug) == whole_of(slug) and name in (None, task.name):
                    self.drop(task)

    def close(self) -> None:
        """Stop all tasks."""
        with self.lock:
            for task in {*self.tasks.values()}:
                self.drop(task)


def is_usable(task: Task, language: str, data: Data) -> bool:
    """Whether the outcome of a task answers a request that has read `data`.

    For a while, the task may have read fewer responses. But after a withdrawal it has read a
    response that no result may contain any more.
    """
    if task.data != data and not has_grown(task.data, data):
        return False
    if task.ended is None or time.monotonic() - task.ended < OUTDATED_SECONDS:
        return True
    return task.data == data and not isinstance(task.outcomes[language], Failure)


def has_grown(before: Data, now: Data) -> bool:
    """Whether all responses are still there, as far as their counts show."""
    return before.keys() == now.keys() and all(
        now[survey].get(question, {}).get(report, 0) >= times
        for survey, counts in before.items()
        for question, reports in counts.items()
        for report, times in reports.items()
    )


def background_analyses() -> BackgroundAnalyses:
    """The analyses in the background of the application."""
    extensions = current_app.extensions
    return cast(
        BackgroundAnalyses, extensions.setdefault("candor.background", BackgroundAnalyses())
    )


def analysis_result(
    kind: AnalysisKind, found: StoredSurvey, form: AnalysisForm, since: float | None = None
) -> AnalysisResult:
    """The result for a valid form, within a request.

    Parameters
    ----------
    since : the processor time of this thread when the request began its first analysis. None if
        this is the first.

    Raises StillComputing and UnanswerableQuestion.
    """
    language, tasks = page_language.get(), background_analyses()
    chosen = repr(sorted((name, repr(value)) for name, value in form.data.items()))
    design = store().designs.content(found.survey.slug) or ""
    key = (found.survey.slug, kind.name, chosen, design, language)
    data = {
        (each.survey.slug, frozen_of(each).fingerprint): store().counts.by_question(
            each.survey.slug
        )
        for each, _ in form.used_surveys(found)
    }
    task = tasks.find(key, data)
    if task is None:
        computations = {language: kind.read(found, form)}
        spent = 0.0 if since is None else time.thread_time() - since
        if spent < tasks.request_seconds:
            with suppress(OutOfTime), limit_time(tasks.request_seconds - spent, time.thread_time):
                return computations[language].result()
        if language != MAIN:  # The files are in English.
            with in_language(MAIN):
                # The labels of choices have the language in which the form was filled.
                computations[MAIN] = kind.read(found, kind.valid_form(form.found, form.query))
        task = tasks.start(key, data, computations)
    result = task.result(language)
    if task.data == data:
        return result
    remark = Remark(
        OUTDATED,
        translate(
            "More responses were published after Candor had read the data for this analysis. The "
            "analysis does not contain them. Candor calculates it again when you open it more than "
            "%(n)s minutes after it was ready.",
            n=f"{OUTDATED_SECONDS / 60:g}",
        ),
    )
    return replace(result, blocks=(remark_block(remark), *result.blocks))


def requested_result(
    kind: AnalysisKind, found: StoredSurvey, query: Query, since: float | None = None
) -> AnalysisResult:
    """The result for a query, within a request. See `analysis_result`."""
    return analysis_result(kind, found, kind.valid_form(found, query), since)


# --- the process


def outcome_of(computation: Computation, seconds: float) -> Outcome:
    """What a computation ends with, in the language of the page."""
    try:
        with limit_time(seconds, time.thread_time):
            return computation.result()
    except UnanswerableQuestion as refusal:
        return UnanswerableQuestion(str(refusal))
    except OutOfTime:
        return UnanswerableQuestion(
            "This analysis takes more than %(n)s minutes of the server's processor time, so "
            "Candor stopped it. Request less at once, such as fewer predictors, or use the "
            "command line, which has no limit.",
            n=translate_number(f"{seconds / 60:g}"),
        )
    except Exception as error:
        kinds = [logs.error_kind(each) for each in logs.chain(error)]
        return Failure(kinds, logs.traceback_places(error.__traceback__))


def end_with_server() -> None:
    """End this process when the server ends, which closes the standard input."""
    # Python aborts if it ends while a thread reads from `sys.stdin`.
    os.read(0, 1)
    os._exit(1)


def run_sent() -> None:
    """Compute what the standard input has, and write each outcome to the standard output."""
    seconds, priority = float(sys.argv[1]), int(sys.argv[2])
    computations: dict[str, Computation] = pickle.load(sys.stdin.buffer)  # noqa: S301
    # A sandbox may forbid these, or have lower limits already. The first limit of processor time
    # is for calculations that do not ask for the time.
    with suppress(OSError):
        os.nice(priority)
    for limit, most in (
        (resource.RLIMIT_CPU, int(2 * seconds * len(computations)) + 60),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, most))
    threading.Thread(target=end_with_server, daemon=True).start()
    for language, computation in computations.items():
        with in_language(language):
            pickle.dump(outcome_of(computation, seconds), sys.stdout.buffer)
        sys.stdout.flush()
