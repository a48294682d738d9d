"""The rate limiter: it counts requests by their sender, without storing who sent them.

A sender may send a limited number of requests within a window, which begins with the first of them.
The server keeps only a keyed hash of each sender, in memory. The key is random, changes at every
start, and is never stored or shown. The hash is deleted soon after its window ends, when another
request arrives.

Times are those of the monotonic clock. If somebody sets the machine's clock, nobody may send more
requests, and nobody waits longer.
"""

import hashlib
import ipaddress
import secrets
import threading
from dataclasses import dataclass

# The window of the limit for all requests of an address (`requests_a_minute` in the settings).
FLOOD_SECONDS = 60
PURGE_SECONDS = 60


@dataclass(frozen=True)
class RateLimit:
    """How many requests of one sender are permitted.

    Attributes
    ----------
    scope : what is counted; limits with other scopes have their own counts
    most : the number of requests in a window; 0 means no limit
    seconds : the length of a window
    """

    scope: str
    most: int
    seconds: int


class RateLimiter:
    """The counts of all senders."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.lock = threading.Lock()
        # Each hash has the end of its window, and the number of requests in it.
        self.counts: dict[bytes, tuple[float, int]] = {}
        self.next_purge = 0.0

    def seconds_to_wait(self, limit: RateLimit, sender: bytes, now: float) -> float:
        """Count a request at `now`, in seconds of the monotonic clock.

        Returns 0 if it is within the limit, else the seconds until the sender may try again.
        """
        if not limit.most:
            return 0.0
        hashed = self.hash_sender(limit.scope, sender)
        with self.lock:
            if now >= self.next_purge:
                self.counts = {key: each for key, each in self.counts.items() if each[0] > now}
                self.next_purge = now + PURGE_SECONDS
            end, count = self.counts.get(hashed, (now, 0))
            if end <= now:
                end, count = now + limit.seconds, 0
            self.counts[hashed] = end, count + 1
        return end - now if count >= limit.most else 0.0

    def hash_sender(self, scope: str, sender: bytes) -> bytes:
        counted = scope.encode() + b"\0" + sender
        return hashlib.blake2b(counted, key=self.key, digest_size=16).digest()

    def reset(self) -> None:
        """Forget all counts, as at a start."""
        self.counts = {}


def network(address: str) -> bytes:
    """The part of an address that identifies a sender: 64 bits of IPv6, all of any other.

    The first 64 bits of an IPv6 address belong to one customer of a provider.
    """
    if ":" not in address:
        return address.encode()
    try:
        ipv6_address = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address.encode()
    # A proxy may write IPv4 addresses as IPv6, where all of them share the first 64 bits.
    mapped = ipv6_address.ipv4_mapped
    return ipv6_address.packed[:8] if mapped is None else str(mapped).encode()
