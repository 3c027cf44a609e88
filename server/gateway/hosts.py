"""The names under which a server may be asked for.

A page of a stranger can have its own name lead to this machine, once it is open (DNS rebinding): the browser takes what
answers for a part of that page then, and lets it read everything. What it cannot do is to hide that name, which stands in
the request's `Host`.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from websockets.datastructures import Headers

UNKNOWN = (
    "This server is not known under that name. Open it under an address that it printed when it was started, or have its "
    "operator add this one to UNDERFIRE_ORIGINS.\n"
)
"""What is answered to a request for another name."""


class Hosts:
    """The names that are this server's.

    Args:
        host: what it was told to listen on, an address or a name.
        origins: the origins that were configured.
        machine: this machine's name.
    """

    def __init__(self, host: str, origins: tuple[str, ...] = (), machine: str | None = None) -> None:
        own = (socket.gethostname() if machine is None else machine).lower()
        configured = (urlsplit(origin).hostname or "" for origin in origins)
        self._names = {"localhost", host.lower(), own, f"{own}.local", *configured} - {"", ".local"}

    def know(self, headers: Headers) -> bool:
        """Whether a request with these headers is meant for this server.

        Addresses in figures always are: a page that was opened under one cannot have it lead to another machine. So are
        requests that name no host, which no browser sends.
        """
        named = headers.get_all("Host")
        if not named:
            return True
        name = _name(named[0]) if len(named) == 1 else ""
        return name in self._names or name.endswith(".localhost") or _is_address(name)


def _name(host: str) -> str:
    """The host without its port, brackets and a dot at its end; nothing if it cannot be read."""
    try:
        parts = urlsplit(f"//{host}")
        return "" if parts.username is not None or parts.path else (parts.hostname or "").removesuffix(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
