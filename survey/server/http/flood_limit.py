"""A rate limit for each address, without storing addresses.

Each address may send a limited number of requests a minute. The server keeps only a keyed hash of
it, in memory. The key is random, changes at every start, and is never stored or shown. The hash is
deleted after its minute. Of an IPv6 address only the first 64 bits count: they belong to one
customer of a provider.
"""

import hashlib
import ipaddress
import secrets

SECONDS = 60


class Throttle:
    """Counts requests by sender, in one-minute windows of a monotonic clock."""

    def __init__(self, most: int, key: bytes | None = None):
        """`most` is the number of requests a minute from one address; 0 means no limit."""
        self.most = most
        self.key = secrets.token_bytes(32) if key is None else key
        self.minute = -1
        self.counts: dict[bytes, int] = {}

    def lets_through(self, address: str, now: float) -> bool:
        """Count a request at `now` (monotonic seconds), and say whether it is within the limit.

        A request from the address "" is not counted.
        """
        if not self.most or not address:
            return True
        minute = int(now // SECONDS)
        if minute != self.minute:
            self.minute, self.counts = minute, {}
        sender = self.hashed(address)
        self.counts[sender] = count = self.counts.get(sender, 0) + 1
        return count <= self.most

    def hashed(self, address: str) -> bytes:
        return hashlib.blake2b(network(address), key=self.key, digest_size=8).digest()


def network(address: str) -> bytes:
    """The part of an address that identifies a sender: 64 bits of IPv6, all of any other."""
    if ":" not in address:
        return address.encode()
    try:
        ipv6_address = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address.encode()
    # A proxy may write IPv4 addresses as IPv6, where all of them share the first 64 bits.
    mapped = ipv6_address.ipv4_mapped
    return ipv6_address.packed[:8] if mapped is None else str(mapped).encode()
