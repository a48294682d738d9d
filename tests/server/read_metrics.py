"""Metrics as a program reads them, for several test modules."""

from prometheus_client.parser import text_string_to_metric_families

from tests.support.asgi_servers import Running

TOKEN = "t" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}


class Hands:
    """A clock under the control of a test."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def figures(client: Running) -> bytes:
    status, headers, content = client.ask("GET", "/metrics", **BEARER)
    assert status == 200
    assert headers["content-type"] == "text/plain; version=1.0.0; charset=utf-8"
    return content


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }
