"""Figures of the server for the operator's Prometheus, from which nobody can be singled out.

The argument. Whoever may read figures may read them each second and keep them for years, which the
log of requests that we do not keep would be as good as. A counter of responses would have the
moment of each; so would anything that a visit moves: connections, open files, time of the
processor. So of what people do

* there is no label for a person, a survey, an address or a path: only the side of the site, the
  class of a status, what became of a response;
* each number is rounded down to what takes 25 people: `BATCH` responses, `CROWD_STEP` connections
  or pages at once (a browser opens six), `REQUESTS_STEP` of what one person does again and again,
  such as requests, of which one respondent sends about 15; and a histogram has no sum, which would
  move with each;
* numbers are taken together, and at most once in `LOOK_SECONDS`, however often somebody asks: two
  replies in between are the same to the byte. A crowd is shown as the most at once since then.

What moves is therefore the work of 25 people or so, in a minute or more. It says that a batch has
filled up, no sooner than the results page says it (docs/explanation/design.md), and not who was
the last; and as rows tell no order, nothing leads from that minute to a row. The process's own
figures are coarse for the same reason: ten seconds of the processor are more than a thousand pages.
What is exact and of this moment is what no visitor moves: whether the server's own look at the
database succeeded, and seals, each of which is of 25 responses, of a survey that closed, or of a
whole day.

Each server counts for itself, from its start.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import product

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

BATCH = 25  # as many responses as a survey releases at once, unless its designer says otherwise
CROWD_STEP, REQUESTS_STEP = 6 * BATCH, 20 * BATCH
LOOK_SECONDS = 60.0
CPU_SECONDS, MEMORY_BYTES = 10, 16 * 1024 * 1024  # what the process's figures are rounded down to

COUNTERS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "candor_requests": (
        "Requests that were answered.",
        {
            "side": ("respondents", "researchers", "other"),
            "status": ("2xx", "3xx", "4xx", "5xx"),
        },
    ),
    "candor_responses": (
        "Responses that browsers sent; put off are those that were told to come again.",
        {"verdict": ("recorded", "known", "refused", "put off")},
    ),
    "candor_throttled_requests": ("Requests refused since too many came from one address.", {}),
}
ONCE_PER_PERSON = ("recorded",)  # what one person does once, of all that is counted
HISTOGRAMS: dict[str, tuple[str, tuple[float, ...]]] = {
    "candor_group_size": ("Responses in a commit of new ones.", (1, 2, 5, 10, 25, 50, 100)),
    "candor_commit_seconds": (
        "Seconds that a commit of new responses took, from the queue to the disk.",
        (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    ),
    "candor_seal_seconds": ("Seconds that one seal took.", (0.01, 0.1, 1, 10, 60, 600)),
}
NOT_ROUNDED = {"candor_seal_seconds"}  # each for a batch or a day anyway
PEAKS = {
    "candor_queue_peak": ("The most responses that waited for a commit at once.", BATCH),
    "candor_pages_peak": ("The most requests that pages were made for at once.", CROWD_STEP),
    "candor_connections_peak": ("The most connections at once.", CROWD_STEP),
}  # since they were last taken
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


class Metrics:
    """What is counted, and what of it is shown. Each family is counted by one thread alone.

    Parameters
    ----------
    clock : seconds that never go back, of no meaning otherwise
    process : the families of figures of this process, as prometheus_client makes them
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        process: Callable[[], Iterator[Metric]] | None = None,
    ):
        self.clock = clock
        own = ProcessCollector(registry=CollectorRegistry())
        self.process = process or (lambda: iter(own.collect()))
        # every number is there from the start, so that no other thread finds one being added
        self.counts: Counts = {
            name: dict.fromkeys(product(*labels.values()), 0)
            for name, (_, labels) in COUNTERS.items()
        }
        self.buckets = {name: [0] * (len(up) + 1) for name, (_, up) in HISTOGRAMS.items()}
        self.peaks = dict.fromkeys(PEAKS, 0)
        self.failed_looks = 0
        self.ready = False
        self.taken, self.shown = -LOOK_SECONDS, list[Metric]()
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def count(self, name: str, *labels: str) -> None:
        self.counts[name][labels] += 1

    def observe(self, name: str, value: float) -> None:
        _, up = HISTOGRAMS[name]
        # The widest first, so that none is ever seen with more in it than a wider one.
        for place in range(len(up), bisect_left(up, value) - 1, -1):
            self.buckets[name][place] += 1

    def request(self, path: str, status: int) -> None:
        self.count("candor_requests", side_of(path), f"{status // 100}xx")

    def sample(self, **now: int) -> None:
        """How many there are at this moment: queue, pages, connections."""
        for name, value in now.items():
            key = f"candor_{name}_peak"
            self.peaks[key] = max(self.peaks[key], value)

    def text(self) -> bytes:
        """In the text format of Prometheus."""
        return generate_latest(self.registry)

    def collect(self) -> Iterator[Metric]:
        """For the registry: what is shown now."""
        now = self.clock()
        if now - self.taken >= LOOK_SECONDS:
            self.taken, self.shown = now, [*self.rounded()]
        yield from self.shown
        yield GaugeMetricFamily(
            "candor_ready", "Whether responses can be taken now.", value=int(self.ready)
        )
        yield CounterMetricFamily(
            "candor_database_failed_looks",
            "Looks, one every few seconds, that found no database that could be written.",
            value=self.failed_looks,
        )

    def rounded(self) -> Iterator[Metric]:
        for name, (sentence, labels) in COUNTERS.items():
            counter = CounterMetricFamily(name, sentence, labels=[*labels])
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
            yield HistogramMetricFamily(name, sentence, [*zip(bounds, numbers, strict=True)])
        for name, (sentence, step) in PEAKS.items():
            yield GaugeMetricFamily(name, sentence, value=round_down(self.peaks[name], step))
            self.peaks[name] = 0
        for family in self.process():
            step = PROCESS_STEPS.get(family.name, 0)
            if step:
                family.samples = [
                    sample._replace(value=round_down(sample.value, step))
                    for sample in family.samples
                ]
                yield family
