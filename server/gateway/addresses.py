"""The addresses under which a server is found, and why one cannot be listened on, in words."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable, Iterable

from server.complaints import reason

ALL = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}  # noqa: S104 - compared with, not listened on
"""What one listens on to be found under all addresses of a family. Nothing can be opened there."""
OUTSIDE = {
    socket.AF_INET: ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254"),
    socket.AF_INET6: ("2001:db8::1", "fd00::1"),
}
"""Addresses of other machines, of each family: to the world (documentation's own, RFC 5737 and RFC 3849), to private nets."""


class ListenError(Exception):
    """The server cannot listen where it was told to; the sentence says why, and what to do."""


def address(host: str, port: int) -> str:
    """The address of a server to write into a browser."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def to_open(host: str, port: int, own: Callable[[socket.AddressFamily], Iterable[str]] | None = None) -> list[str]:
    """Return the addresses to write into a browser, that of this machine alone first.

    Args:
        host: the numeric address that is listened on.
        port: the port that is listened on.
        own: gives this machine's addresses of a family; asked where all of them are listened on.
    """
    family = ALL.get(host)
    if family is None:
        return [address(host, port)]
    return [address(name, port) for name in ("localhost", *(own or own_addresses)(family))]


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """This machine's addresses of a family under which others reach it. Nothing is sent to find them."""
    found: dict[str, None] = {}
    for other in OUTSIDE[family]:
        # Connecting a datagram socket only looks up by which of our addresses the other one would be reached.
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            found[str(probe.getsockname()[0])] = None
    return [name for name in found if name not in {*ALL, "127.0.0.1", "::1"} and not name.startswith("fe80:")]


def refused(host: str, port: int, error: OSError) -> ListenError:
    """Why a server cannot listen on the host and port, as an error to raise."""
    if isinstance(error, socket.gaierror):
        return ListenError(
            f"No machine is known by the name {host}. Give --host an address of this machine, or leave it out."
        )
    match error.errno:
        case errno.EADDRINUSE:
            sentence = (
                f"Port {port} is taken: something listens there already, perhaps another server. "
                "Choose another one with --port (0 for a free one)."
            )
        case errno.EADDRNOTAVAIL:
            sentence = f"{host} is no address of this machine. Give --host one that is, 0.0.0.0 for all of them, or leave it out."
        case errno.EACCES | errno.EPERM:
            sentence = f"This user may not listen on port {port}. Choose one from 1024 on with --port."
        case _:
            sentence = (
                f"{host}, port {port}, cannot be listened on: {reason(error)}. Choose others with --host and --port."
            )
    return ListenError(sentence)
