"""Floods of requests are held back without keeping who sent them.

Each address has so many requests a minute. What is kept of it, in memory alone, is a keyed hash,
whose key is drawn at the start and told to nobody; it is forgotten with its minute. Of an address
of IPv6 the first 64 bits count, which is what one connection to a provider has.
"""

import hashlib
import ipaddress
import secrets

SECONDS = 60


class Throttle:
    """Counts requests by their senders, in minutes that are counted from anywhere."""

    def __init__(self, most: int, key: bytes | None = None):
        """`most` is how many requests a minute one address may send; 0 lets all through."""
        self.most = most
        self.key = secrets.token_bytes(32) if key is None else key
        self.minute = -1
        self.counts: dict[bytes, int] = {}

    def lets_through(self, address: str, now: float) -> bool:
        """Count a request of this moment, in seconds from anywhere; one of "" is not counted."""
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
    """What of an address counts as one sender: of IPv6 the first 64 bits, of others all."""
    if ":" not in address:
        return address.encode()
    try:
        ipv6_address = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address.encode()
    # a proxy may write IPv4 addresses as IPv6, where all of them have the same first 64 bits
    mapped = ipv6_address.ipv4_mapped
    return ipv6_address.packed[:8] if mapped is None else str(mapped).encode()
