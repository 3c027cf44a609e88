"""Usage by address: how much one address uses, and how much all strangers together, over all their connections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from websockets.datastructures import Headers

from server.gateway.limits import Bucket, Limits, Rate

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

UNKNOWN = "?"
"""The address of a peer without one, and of one that a proxy does not name."""
HOUSE = 64
"""The length of the prefix, in bits, that one household's IPv6 addresses share."""
MOST_GUESTS = 20_000
"""Addresses that are remembered before idle ones are forgotten."""


class Guest:
    """The usage of one address.

    Args:
        address: its name in logs.
        limits: the bounds of its usage.
        now: seconds on the gateway's clock.
    """

    def __init__(self, address: str, limits: Limits, now: float) -> None:
        self.address = address
        self.connections = 0
        """How many connections it has open."""
        self.downloading = 0
        """Bytes of files that were sent to it and not read yet."""
        self.quiet_until = 0.0
        """Until when (by the gateway's clock) the log says nothing of connections of it that are turned away."""
        self._limits = limits
        self._buckets: dict[str, Bucket] = {}
        self._at = now

    def take(self, kind: str, now: float) -> Rate | None:
        """Take a token of a kind; return the exceeded rate if there is none left."""
        self._at = now
        rate = self._limits.address.get(kind)
        return None if rate is None else _take(self._buckets, kind, rate, now)

    def spent(self, kind: str, now: float) -> bool:
        """Return whether no token of a kind is left. None is taken."""
        bucket = self._buckets.get(kind)
        return bucket is not None and bucket.empty(now)

    def idle(self, now: float) -> bool:
        """Return whether all its usage is over, so that it can be forgotten."""
        return not self.connections and now - self._at >= self._limits.forgotten


class Guests:
    """All addresses, and the common usage of strangers: those who hold no seat.

    Args:
        limits: the bounds of usage.
        clock: seconds that only go forward.
        proxies: the networks of trusted reverse proxies, whose `X-Forwarded-For` counts.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float], proxies: Sequence[Network] = ()) -> None:
        self._limits = limits
        self._clock = clock
        self._proxies = tuple(proxies)
        self._guests: dict[str, Guest] = {}
        self._buckets: dict[str, Bucket] = {}
        self._forget_at = MOST_GUESTS

    def __len__(self) -> int:
        """Return how many addresses are remembered."""
        return len(self._guests)

    def is_proxy(self, peer: str) -> bool:
        """Return whether a peer is a trusted proxy."""
        address = _address(peer)
        return address is not None and self._trusted(address)

    def behind(self, peer: str, headers: Headers) -> str:
        """Return the address of the client behind a peer: the peer's own, or, if it is a trusted proxy, the last address in
        `X-Forwarded-For` that is not one.

        The client itself could have written the addresses before that one.
        """
        found = peer
        if not self.is_proxy(peer):
            return found
        named = [part.strip() for value in headers.get_all("X-Forwarded-For") for part in value.split(",")]
        for name in reversed(named):
            address = _address(name)
            if address is None:
                return UNKNOWN
            found = name
            if not self._trusted(address):
                break
        return found

    def guest(self, peer: str) -> Guest:
        """Return the usage of a peer's address."""
        key, now = _key(peer), self._clock()
        guest = self._guests.get(key)
        if guest is None:
            if len(self._guests) >= self._forget_at:
                self._guests = {name: one for name, one in self._guests.items() if not one.idle(now)}
                self._forget_at = max(MOST_GUESTS, 2 * len(self._guests))
            guest = self._guests[key] = Guest(key, self._limits, now)
        return guest

    def counted(self, address: str) -> str:
        """Return an address as it is counted; "" if it is none, or that of a trusted proxy."""
        return "" if _address(address) is None or self.is_proxy(address) else _key(address)

    def spent(self, guest: Guest, kind: str) -> bool:
        """Return whether an address has no token of a kind left. None is taken."""
        return guest.spent(kind, self._clock())

    def refusal(self, guest: Guest, kind: str, *, stranger: bool) -> str:
        """Take the tokens for a message of this kind. Return "", or in a sentence why it exceeds a rate."""
        now = self._clock()
        exceeded = guest.take(kind, now)
        if exceeded is not None:
            return of_address(exceeded)
        rate = self._limits.strangers.get(kind) if stranger else None
        if rate is not None and _take(self._buckets, kind, rate, now) is not None:
            return of_strangers()
        return ""

    def _trusted(self, address: Address) -> bool:
        return any(address.version == network.version and address in network for network in self._proxies)


def too_fast(rate: Rate) -> str:
    """Return the sentence for a connection that exceeds a rate."""
    return f"Too fast: the server accepts {_pace(rate)} of this kind."


def of_address(rate: Rate) -> str:
    """Return the sentence for an address that exceeds a rate."""
    return f"Too fast: from your address the server accepts {_pace(rate)} of this kind."


def of_strangers() -> str:
    """Return the sentence for strangers who together exceed a rate."""
    return "Too many players ask for this at the moment. Wait a little, and try again."


def _pace(rate: Rate) -> str:
    """Return a rate in words."""
    return f"{rate.burst} messages at once, and {rate.per_second:.2g} a second"


def _take(buckets: dict[str, Bucket], kind: str, rate: Rate, now: float) -> Rate | None:
    bucket = buckets.get(kind)
    if bucket is None:
        bucket = buckets[kind] = Bucket(rate, now)
    return None if bucket.take(now) else rate


def _address(text: str) -> Address | None:
    """Return the address in a text, with IPv4 addresses mapped into IPv6 as IPv4; None if there is none."""
    try:
        address = ip_address(text.strip().removeprefix("[").removesuffix("]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _key(peer: str) -> str:
    """Return the key of an address: for IPv6 the network of its household."""
    address = _address(peer)
    if address is None:
        return UNKNOWN
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, HOUSE), strict=False))
