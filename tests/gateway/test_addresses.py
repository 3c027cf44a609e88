"""Where a server says that it is found, and why it cannot listen."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from typing import Self

import pytest

from server.gateway import addresses
from server.gateway.addresses import ListenError, own_addresses, refused, to_open

IPV4, IPV6 = socket.AF_INET, socket.AF_INET6
OWN = {IPV4: ["198.51.100.7", "10.0.0.7"], IPV6: ["2001:db8::7"]}


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", ["http://127.0.0.1:8000"]),
        ("::1", ["http://[::1]:8000"]),
        ("0.0.0.0", ["http://localhost:8000", "http://198.51.100.7:8000", "http://10.0.0.7:8000"]),  # noqa: S104
        ("::", ["http://localhost:8000", "http://[2001:db8::7]:8000"]),
    ],
)
def test_the_addresses_that_a_browser_can_open_are_found(host: str, expected: Sequence[str]) -> None:
    assert to_open(host, 8000, OWN.__getitem__) == expected


ROUTES: dict[socket.AddressFamily, Sequence[str | None]] = {
    IPV4: ("203.0.113.7", None, "10.0.0.7", "203.0.113.7"),
    IPV6: ("fe80::7%eth0", "::1"),
}
"""From which of a machine's addresses a packet to each of the outside ones comes; None: there is no way."""


class Routes:
    """Stands for a socket of a machine with these routes."""

    def __init__(self, family: socket.AddressFamily, kind: socket.SocketKind) -> None:
        assert kind == socket.SOCK_DGRAM, "no packet is sent"
        self._routes = ROUTES[family]
        self._others = addresses.OUTSIDE[family]
        self._own = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, other: tuple[str, int]) -> None:
        own = self._routes[self._others.index(other[0])]
        if own is None:
            raise OSError(errno.ENETUNREACH, "no route")
        self._own = own

    def getsockname(self) -> tuple[str, int]:
        return self._own, 50_000


def test_this_machines_addresses_are_found_by_its_routes_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", Routes)
    assert own_addresses(IPV4) == ["203.0.113.7", "10.0.0.7"]
    assert own_addresses(IPV6) == [], "others reach neither of them"


@pytest.mark.parametrize("family", [IPV4, IPV6])
def test_this_machines_addresses_are_those_that_others_reach(family: socket.AddressFamily) -> None:
    found = own_addresses(family)
    if not found:
        pytest.skip("this machine reaches no other one")
    for name in found:
        with socket.socket(family, socket.SOCK_DGRAM) as ours:
            ours.bind((name, 0))  # only an address of this machine can be bound
        assert name not in {"0.0.0.0", "::", "127.0.0.1", "::1"}  # noqa: S104


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.EADDRINUSE, "in use"), "Port 80 is taken"),
        (OSError(errno.EADDRNOTAVAIL, "not here"), "[/x] is not an address of this machine"),
        (PermissionError(errno.EACCES, "no"), "This user may not listen on port 80"),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "The host name [/x] is unknown"),
        (OSError(errno.ENOBUFS, "full"), "The server cannot listen on [/x], port 80: no buffer space available."),
    ],
)
def test_a_failure_to_listen_is_a_sentence_that_says_what_to_do(error: OSError, sentence: str) -> None:
    said = refused("[/x]", 80, error)
    assert isinstance(said, ListenError)
    assert str(said).startswith(sentence)
    assert "--host" in str(said) or "--port" in str(said)
    assert str(error.errno) not in str(said)
