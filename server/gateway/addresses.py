"""The addresses of a server for browsers, and errors for addresses that it cannot listen on."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable, Iterable

from server.complaints import reason

ALL = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}  # noqa: S104 - compared with, not listened on
"""The addresses for listening on all addresses of a family. A browser cannot open them."""
OUTSIDE = {
    socket.AF_INET: ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254"),
    socket.AF_INET6: ("2001:db8::1", "fd00::1"),
}
"""Addresses outside this machine, for each family: public ones (those for documentation, RFC 5737 and RFC 3849), and private
networks.
"""


class ListenError(Exception):
    """The server cannot listen on the given address; the message says why, and what to do."""


def address(host: str, port: int) -> str:
    """Return the address of a server to enter in a browser."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def to_open(host: str, port: int, own: Callable[[socket.AddressFamily], Iterable[str]] | None = None) -> list[str]:
    """Return the addresses to enter in a browser, the one for this machine alone first.

    Args:
        host: the numeric address that the server listens on.
        port: the port that the server listens on.
        own: returns this machine's addresses of a family; called if the server listens on all of them.
    """
    family = ALL.get(host)
    if family is None:
        return [address(host, port)]
    return [address(name, port) for name in ("localhost", *(own or own_addresses)(family))]


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return this machine's addresses of a family at which other machines reach it. No packet is sent to find them."""
    found: dict[str, None] = {}
    for other in OUTSIDE[family]:
        # Connecting a datagram socket only looks up which of our addresses a packet to the peer would come from.
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            found[str(probe.getsockname()[0])] = None
    return [name for name in found if name not in {*ALL, "127.0.0.1", "::1"} and not name.startswith("fe80:")]


def refused(host: str, port: int, error: OSError) -> ListenError:
    """Return the error for a server that cannot listen on the host and port."""
    if isinstance(error, socket.gaierror):
        return ListenError(f"The host name {host} is unknown. Give --host an address of this machine, or leave it out.")
    match error.errno:
        case errno.EADDRINUSE:
            sentence = (
                f"Port {port} is taken: something listens there already, perhaps another server. "
                "Choose another one with --port (0 for a free one)."
            )
        case errno.EADDRNOTAVAIL:
            sentence = (
                f"{host} is not an address of this machine. Give --host one that is, 0.0.0.0 for all of them, or leave it "
                "out."
            )
        case errno.EACCES | errno.EPERM:
            sentence = f"This user may not listen on port {port}. Choose one from 1024 on with --port."
        case _:
            sentence = f"The server cannot listen on {host}, port {port}: {reason(error)}. Choose others with --host and --port."
    return ListenError(sentence)
