"""The rate limiter: windows, senders, and what is kept of them."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from survey.server.http.rate_limiter import RateLimit, RateLimiter, network

pytestmark = pytest.mark.fast


def limit(most: int, seconds: int = 60, scope: str = "requests") -> RateLimit:
    return RateLimit(scope, most, seconds)


def test_a_sender_has_so_many_requests_a_window_and_others_have_theirs() -> None:
    limiter, three = RateLimiter(), limit(3)
    waits = [limiter.seconds_to_wait(three, b"one", 60.0) for _ in range(5)]
    assert waits == [0, 0, 0, 60, 60]
    assert limiter.seconds_to_wait(three, b"other", 119.5) == 0
    assert limiter.seconds_to_wait(three, b"one", 119.5) == 0.5
    assert limiter.seconds_to_wait(three, b"one", 120.0) == 0


def test_a_window_begins_with_the_first_request_of_its_sender() -> None:
    """With windows of the clock, this sender could send two requests within a second."""
    limiter, one = RateLimiter(), limit(1)
    assert limiter.seconds_to_wait(one, b"one", 59.0) == 0
    assert limiter.seconds_to_wait(one, b"one", 60.0) == 59
    assert limiter.seconds_to_wait(one, b"one", 118.0) == 1
    assert limiter.seconds_to_wait(one, b"one", 119.0) == 0


def test_limits_count_separately_and_each_has_its_window() -> None:
    limiter, fast, slow = RateLimiter(), limit(1), limit(1, 600, "codes")
    for each in (fast, slow):
        assert limiter.seconds_to_wait(each, b"one", 0) == 0
    assert limiter.seconds_to_wait(fast, b"one", 0) == 60
    assert limiter.seconds_to_wait(slow, b"one", 0) == 600
    assert limiter.seconds_to_wait(fast, b"one", 61) == 0
    assert limiter.seconds_to_wait(slow, b"one", 61) == 539  # purging kept its count
    limiter.reset()
    assert limiter.seconds_to_wait(slow, b"one", 61) == 0


def test_without_a_limit_nothing_is_counted() -> None:
    limiter = RateLimiter()
    assert not any(limiter.seconds_to_wait(limit(0), b"one", 0) for _ in range(100))
    assert not limiter.counts


def test_parallel_requests_are_all_counted() -> None:
    """Every read of the counts lets other threads run, as an unlucky switch of threads would."""

    class SlowCounts(dict[bytes, tuple[float, int]]):
        def get(self, key, default=None):
            found = super().get(key, default)
            waiting.submit(int).result()
            return found

    limiter, ten = RateLimiter(), limit(10)
    limiter.next_purge = 1
    limiter.counts = SlowCounts()
    with ThreadPoolExecutor(1) as waiting, ThreadPoolExecutor(8) as threads:
        attempts = itertools.repeat(b"one", 200)
        waits = list(threads.map(lambda sender: limiter.seconds_to_wait(ten, sender, 0), attempts))
    assert waits.count(0) == 10


def test_senders_are_not_kept_and_their_hashes_go_with_the_window() -> None:
    limiter, other = RateLimiter(), RateLimiter()
    for each in (limiter, other):
        each.seconds_to_wait(limit(9), b"192.0.2.1", 0)
    kept = b"".join(limiter.counts) + limiter.key
    assert b"192.0.2.1" not in kept
    assert limiter.counts.keys() != other.counts.keys()  # Each has its own random key.
    limiter.seconds_to_wait(limit(9), b"192.0.2.2", 60)
    assert len(limiter.counts) == 1


def test_an_ipv6_sender_is_the_first_64_bits_and_an_ipv4_one_the_whole_address() -> None:
    assert network("2001:db8::1") == network("2001:db8::ffff:1%eth0")
    assert network("2001:db8::1") != network("2001:db8:0:1::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("::ffff:192.0.2.2")
    assert network("no:address") == b"no:address"
