"""Metrics of the server for the operator's Prometheus. None of them can identify a person.

The argument. Anyone who may read metrics may read them each second and keep them for years. That
would be as good as the access log that we do not keep. A counter of responses would show the time
of each response. So would everything that a visit changes: connections, open files, processor time.
Therefore, for everything that people do:

* No label names a person, a survey, an address or a path. Labels name only the side of the site,
  the class of a status, and the outcome of a response.
* Each number is rounded down to a multiple that needs about 25 people. The steps are `BATCH`
  responses, and `CROWD_STEP` connections or pages at once (a browser opens six). For actions that
  one person repeats, such as requests (about 15 for a respondent), the step is `REQUESTS_STEP`. A
  histogram has no sum, because each observation would change it.
* All numbers are read together, at most once in `LOOK_SECONDS`, however often somebody asks. Two
  replies in between are the same to the byte. A peak is the maximum since the last reading.

A change is therefore the work of about 25 people within at least a minute. It shows that a batch is
complete, no sooner than the results page shows it (docs/explanation/design.md), and not who was the
last. Rows have no order, so nothing leads from that minute to a row. The metrics of the process are
coarse for the same reason: ten seconds of processor time are more than a thousand pages.

Only what no visitor influences is exact and current: whether the server's own check of the database
succeeded, and compactions. Each compaction covers 25 responses, a survey that closed, or a whole
day.

Each server counts for itself, from its start.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

# The packages of the extra "metrics" are imported where metrics are shown.
if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

# The default batch size of a survey.
BATCH = 25
CROWD_STEP = 6 * BATCH
REQUESTS_STEP = 20 * BATCH
LOOK_SECONDS = 60.0
# The metrics of the process are rounded down to these steps.
CPU_SECONDS = 10
MEMORY_BYTES = 16 * 1024 * 1024

COUNTERS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "candor_requests": (
        "Requests that the server answered.",
        {
            "side": ("respondents", "researchers", "other"),
            "status": ("2xx", "3xx", "4xx", "5xx"),
        },
    ),
    "candor_responses": (
        "Responses that browsers sent. Those put off were asked to try again later.",
        {"verdict": ("recorded", "known", "refused", "put off")},
    ),
    "candor_throttled_requests": ("Requests refused because too many came from one address.", {}),
}
# One person causes at most one of these; the label is the verdict on a response.
ONCE_PER_PERSON = ("recorded",)
HISTOGRAMS: dict[str, tuple[str, tuple[float, ...]]] = {
    "candor_group_size": ("New responses in one commit.", (1, 2, 5, 10, 25, 50, 100)),
    "candor_commit_seconds": (
        "Seconds that one commit of new responses took, from the queue to the disk.",
        (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    ),
    "candor_compaction_seconds": ("Seconds that one compaction took.", (0.01, 0.1, 1, 10, 60, 600)),
}
# Each compaction covers a batch or a day anyway.
NOT_ROUNDED = {"candor_compaction_seconds"}
# Maximum values since the last reading.
PEAKS = {
    "candor_queue_peak": ("The maximum number of responses that waited for a commit.", BATCH),
    "candor_pages_peak": ("The maximum number of requests in progress.", CROWD_STEP),
    "candor_connections_peak": ("The maximum number of open connections.", CROWD_STEP),
}
PROCESS_STEPS = {
    "process_cpu_seconds": CPU_SECONDS,
    "process_resident_memory_bytes": MEMORY_BYTES,
    "process_open_fds": CROWD_STEP,
    "process_max_fds": 1,
}

Counts = dict[str, dict[tuple[str, ...], int]]


def side_of(path: str) -> str:
    if path.startswith("/s/"):
        return "respondents"
    return "researchers" if path.startswith(("/admin", "/api/")) else "other"


def round_down(value: float, step: int) -> int:
    return int(value // step) * step


def process_families() -> Iterator["Metric"]:
    """The metric families of this process, as prometheus_client makes them."""
    from prometheus_client import CollectorRegistry, ProcessCollector

    yield from ProcessCollector(registry=CollectorRegistry()).collect()


class Metrics:
    """The counters, and the rounded values that are shown. One thread alone counts each family.

    Parameters
    ----------
    clock : a monotonic clock in seconds
    process : the metric families of this process, as prometheus_client makes them
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        process: Callable[[], Iterator["Metric"]] | None = None,
    ):
        self.clock = clock
        self.process = process or process_families
        # Every number exists from the start, so that no other thread meets one being added.
        self.counts: Counts = {
            name: dict.fromkeys(product(*labels.values()), 0)
            for name, (_, labels) in COUNTERS.items()
        }
        self.buckets = {name: [0] * (len(up) + 1) for name, (_, up) in HISTOGRAMS.items()}
        self.peaks = dict.fromkeys(PEAKS, 0)
        self.failed_looks = 0
        self.ready = False
        self.taken, self.shown = -LOOK_SECONDS, list["Metric"]()

    @cached_property
    def registry(self) -> "CollectorRegistry":
        from prometheus_client import CollectorRegistry

        registry = CollectorRegistry()
        registry.register(self)
        return registry

    def count(self, name: str, *labels: str) -> None:
        self.counts[name][labels] += 1

    def observe(self, name: str, value: float) -> None:
        _, up = HISTOGRAMS[name]
        # Count the widest bucket first, so that no bucket ever exceeds a wider one.
        for place in range(len(up), bisect_left(up, value) - 1, -1):
            self.buckets[name][place] += 1

    def request(self, path: str, status: int) -> None:
        self.count("candor_requests", side_of(path), f"{status // 100}xx")

    def sample(self, **now: int) -> None:
        """Update the peaks with the current numbers: queue, pages, connections."""
        for name, value in now.items():
            key = f"candor_{name}_peak"
            self.peaks[key] = max(self.peaks[key], value)

    def text(self) -> bytes:
        """The metrics in the text format of Prometheus."""
        from prometheus_client import generate_latest

        return generate_latest(self.registry)

    def collect(self) -> Iterator["Metric"]:
        """The metrics that are shown now, for the registry."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        now = self.clock()
        if now - self.taken >= LOOK_SECONDS:
            self.taken, self.shown = now, [*self.rounded_metrics()]
        yield from self.shown
        yield GaugeMetricFamily(
            "candor_ready", "Whether the server can accept responses now.", value=int(self.ready)
        )
        yield CounterMetricFamily(
            "candor_database_failed_looks",
            "Checks of the database that failed. There is one check every few seconds.",
            value=self.failed_looks,
        )

    def rounded_metrics(self) -> Iterator["Metric"]:
        from prometheus_client import core

        for name, (sentence, labels) in COUNTERS.items():
            counter = core.CounterMetricFamily(name, sentence, labels=[*labels])
            for values, number in self.counts[name].items():
                counter.add_metric(
                    values,
                    round_down(number, BATCH if values == ONCE_PER_PERSON else REQUESTS_STEP),
                )
            yield counter
        for name, (sentence, up) in HISTOGRAMS.items():
            step = 1 if name in NOT_ROUNDED else BATCH
            bounds = [*(f"{bound:g}" for bound in up), "+Inf"]
            numbers = [round_down(number, step) for number in self.buckets[name]]
            yield core.HistogramMetricFamily(name, sentence, [*zip(bounds, numbers, strict=True)])
        for name, (sentence, step) in PEAKS.items():
            yield core.GaugeMetricFamily(name, sentence, value=round_down(self.peaks[name], step))
            self.peaks[name] = 0
        for family in self.process():
            step = PROCESS_STEPS.get(family.name, 0)
            if step:
                family.samples = [
                    sample._replace(value=round_down(sample.value, step))
                    for sample in family.samples
                ]
                yield family
