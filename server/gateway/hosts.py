"""The host names under which a server may be requested.

An open page of a stranger can have its own name resolve to this machine (DNS rebinding): the browser then takes our responses
for a part of that page, and lets it read everything. It cannot hide its name, which is in the request's `Host`.
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
"""The response to a request for another name."""


class Hosts:
    """The names of this server.

    Args:
        host: the address or name that it listens on.
        origins: the origins that were configured.
        machine: this machine's name.
    """

    def __init__(self, host: str, origins: tuple[str, ...] = (), machine: str | None = None) -> None:
        own = (socket.gethostname() if machine is None else machine).lower()
        configured = (urlsplit(origin).hostname or "" for origin in origins)
        self._names = {"localhost", host.lower(), own, f"{own}.local", *configured} - {"", ".local"}

    def know(self, headers: Headers) -> bool:
        """Return whether a request with these headers is meant for this server.

        Numeric addresses always are: a page that was opened under one cannot redirect it to another machine. So are requests
        without a host, which browsers never send.
        """
        named = headers.get_all("Host")
        if not named:
            return True
        name = _name(named[0]) if len(named) == 1 else ""
        return name in self._names or name.endswith(".localhost") or _is_address(name)


def _name(host: str) -> str:
    """Return the host without its port, brackets and final dot; "" if it cannot be parsed."""
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
