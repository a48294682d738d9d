"""Metrics: numbers move by whole batches, and tell nothing about a single response."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from flask import Flask
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families

from survey.core.errors import SettingsError
from survey.server import metrics
from survey.server.metrics import BATCH, LOOK_SECONDS, Metrics
from survey.server.settings import Settings
from survey.store import Store
from tests.server.read_metrics import TOKEN, Hands, figures, samples
from tests.support.asgi_servers import Running, started
from tests.support.definitions import definition, opened, yes_no


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, metrics_token=TOKEN)


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store) -> Iterator[Running]:
    with started(app, settings, opened(store, definition(yes_no()))) as running:
        yield running


def test_the_figures_are_for_whoever_has_the_token(
    there: Running, app: Flask, settings: Settings, store: Store
) -> None:
    figures(there)
    assert there.ask("GET", "/metrics", Authorization=f"bearer  {TOKEN}")[0] == 200
    for header in ("", "Bearer", f"Bearer {TOKEN}x", "Bearer " + "u" * 32, f"Basic {TOKEN}"):
        status, headers, content = there.ask("GET", "/metrics", Authorization=header)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert b"candor_" not in content
    without = replace(settings, metrics_token="")
    with started(app, without, opened(store, definition(yes_no(), slug="other"))) as running:
        for header in ("Bearer", "Bearer ", f"Bearer {TOKEN}"):
            assert running.ask("GET", "/metrics", Authorization=header)[0] == 404


@pytest.mark.parametrize("token", ["t" * 31, "t" * 31 + "é", "t" * 31 + " "])
def test_a_token_that_could_be_guessed_or_not_sent_is_refused(token: str, tmp_path: Path) -> None:
    surroundings = {"CANDOR_DATABASE": str(tmp_path / "candor.db"), "CANDOR_METRICS_TOKEN": token}
    with pytest.raises(SettingsError, match="CANDOR_METRICS_TOKEN"):
        Settings.from_environment(surroundings)


def test_what_happened_is_counted_for_all_together(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "BATCH", 1)  # so that each is visible
    monkeypatch.setattr(metrics, "REQUESTS_STEP", 1)
    monkeypatch.setattr(metrics, "LOOK_SECONDS", 0.0)
    one = there.body()
    assert [there.post(body)[0] for body in (one, one, b"{}")] == [201, 200, 400]
    there.ask("GET", "/s/health")
    there.ask("GET", "/admin/")
    there.ask("GET", "/nowhere")
    there.front.watch.record_compaction(0.5)
    found = samples(figures(there))
    assert {key[1]: found[key] for key in found if key[0] == "candor_responses_total"} == {
        "recorded": 1, "known": 1, "refused": 1, "put off": 0,
    }  # fmt: skip
    assert {
        key[1:]: found[key] for key in found if key[0] == "candor_requests_total" and found[key]
    } == {
        ("respondents", "2xx"): 3,
        ("respondents", "4xx"): 1,
        ("researchers", "3xx"): 1,
        ("other", "4xx"): 1,
    }
    assert found["candor_commit_seconds_bucket", "+Inf"] == 1  # only the new commit
    assert found["candor_group_size_bucket", "1"] == 1
    assert found["candor_compaction_seconds_bucket", "0.1"] == 0
    assert found["candor_compaction_seconds_bucket", "1"] == 1
    assert found[("process_max_fds",)] > 100
    assert found[("process_resident_memory_bytes",)] > metrics.MEMORY_BYTES


def test_no_label_says_more_than_a_side_a_class_or_a_verdict(there: Running) -> None:
    allowed = {"side", "status", "verdict", "le"}
    for family in text_string_to_metric_families(figures(there).decode()):
        assert family.name.startswith(("candor_", "process_"))
        for sample in family.samples:
            assert set(sample.labels) <= allowed
            assert not sample.name.endswith(("_sum", "_created"))  # They change with each response.


def steady() -> Iterator[Metric]:
    """Names of the process's own figures, for tests that compare bytes."""
    yield GaugeMetricFamily("process_open_fds", "Open files.", value=150)


def visit(counted: Metrics, kind: str) -> None:
    """Everything that the front records about a person who comes, reads and answers."""
    counted.sample(queue=1, pages=6, connections=6)
    for path in ("/s/health", "/s/health.json", "/s/health/invited", "/s/health/responses"):
        counted.request(path, 200)
    for _ in range(14):
        counted.request("/static/respondent/respond.js", 200)
    counted.count("candor_responses", kind)
    counted.observe("candor_group_size", 1)
    counted.observe("candor_commit_seconds", 0.004)


def scraped(moments: list[float], kind: str = "recorded", until: int = 130) -> list[bytes]:
    """What someone learns by asking each second, while people come at these moments."""
    clock = Hands()
    counted = Metrics(clock, steady)
    coming, found = sorted(moments), []
    for second in range(until):
        while coming and coming[0] <= second:
            visit(counted, kind)
            coming.pop(0)
        clock.seconds = 1_000.0 + second
        found.append(counted.text())
    return found


@pytest.mark.parametrize("kind", ["recorded", "known", "refused", "put off"])
def test_whoever_asks_each_second_learns_nothing_of_a_batch_that_is_not_full(kind: str) -> None:
    nobody = scraped([])
    generator = random.Random(11)
    for visitors in (1, 2, BATCH - 1):
        moments = [generator.uniform(0, 130) for _ in range(visitors)]
        assert scraped(moments, kind) == nobody


def test_when_each_of_a_batch_came_makes_no_difference_within_a_look() -> None:
    """The step is where a look meets a full batch. It is the same for all ways to fill it."""
    generator = random.Random(12)
    ways = {tuple(scraped([generator.uniform(0.5, 60) for _ in range(BATCH)])) for _ in range(8)}
    assert len(ways) == 1


def changes(found: list[bytes]) -> list[int]:
    return [second for second in range(1, len(found)) if found[second] != found[second - 1]]


def test_numbers_move_by_whole_batches_and_once_a_minute_at_most() -> None:
    generator = random.Random(13)
    found = scraped([generator.uniform(0, 400) for _ in range(400)], until=400)
    moved = changes(found)
    assert len(moved) > 3
    assert all(later - sooner >= LOOK_SECONDS for sooner, later in pairwise(moved))
    for text in found:
        for (name, *_), value in samples(text).items():
            if name not in ("candor_ready", "candor_database_failed_looks_total"):
                assert value % BATCH == 0, name


def test_the_search_finds_figures_that_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controls: without rounding, and with rounding of the present moment."""
    monkeypatch.setattr(metrics, "BATCH", 1)
    assert scraped([100.0]) != scraped([])
    monkeypatch.undo()
    monkeypatch.setattr(metrics, "LOOK_SECONDS", 0.0)
    together = [float(number) for number in range(10, 10 + BATCH)]
    assert changes(scraped(together)) != changes(scraped([*together[:-1], 55.0]))


def test_on_the_real_server_24_responses_move_no_figure(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "LOOK_SECONDS", 0.0)

    def ours() -> list[bytes]:
        return [line for line in figures(there).splitlines() if b"process_" not in line]

    before = ours()
    for number in range(1, BATCH):
        assert there.post()[0] == 201
        assert ours() == before, number
    assert there.post()[0] == 201
    after = samples(b"\n".join(ours()) + b"\n")
    assert after["candor_responses_total", "recorded"] == BATCH


def test_the_process_says_only_roughly_what_it_does() -> None:
    """A page takes some milliseconds of the processor, and a connection is an open file."""
    found = {}
    for family in Metrics().rounded_metrics():
        for sample in family.samples:
            found[sample.name] = sample.value
    assert found["process_open_fds"] % metrics.CROWD_STEP == 0
    assert found["process_cpu_seconds_total"] % metrics.CPU_SECONDS == 0
    assert found["process_resident_memory_bytes"] % metrics.MEMORY_BYTES == 0
    assert not [name for name in found if name.startswith(("python_", "process_start"))]
