"""Outbound requests to addresses that players name. These can be anything, so the server must not be made to ask what only it can
reach, nor be kept busy.

Only HTTPS is spoken, on the usual ports, to addresses of the public internet: they are checked after the name was resolved, by
the very connection that is made, and again at every redirect. What an operator's own networks offer has to be allowed by setting.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from types import TracebackType
from typing import TYPE_CHECKING, Self

from yarl import URL

if TYPE_CHECKING:
    from server.notices.https import Https

Network = IPv4Network | IPv6Network

PORTS = (443, 8443)
"""Ports of the public internet that are asked; on allowed networks all are."""
SECONDS = 10.0
"""Seconds after which a request is given up, redirects included."""
REDIRECTS = 2
"""How many redirects are followed."""
LARGEST = 4096
"""The most bytes that are sent: what a push service has to accept (RFC 8030, section 7.2)."""
AT_ONCE = 8
"""How many connections are open at once."""
AT_ONCE_PER_HOST = 2
"""How many of them to one host."""
NAT64 = IPv6Network("64:ff9b::/96")


class Undelivered(Exception):  # noqa: N818 - a condition
    """A request did not succeed. The message says why in half a sentence, and repeats nothing of the address but its host.

    `gone` says that the address will never take anything again.
    """

    def __init__(self, why: str, *, gone: bool = False) -> None:
        super().__init__(why)
        self.gone = gone


def public(address: str) -> bool:
    """Return whether an address belongs to the public internet: no machine of the operator's own, nor this one."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in NAT64:
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return public(str(inner))
    return ip.is_global and not ip.is_multicast


class Outbound:
    """Sends requests while it is open (`async with`).

    Args:
        networks: networks that may be asked although they are not of the public internet.
        ca_file: certificates to trust in place of the system's; None: the system's.

    Raises:
        OSError: the file with certificates cannot be read.
        ssl.SSLError: it holds none.
    """

    def __init__(self, networks: Sequence[Network] = (), ca_file: str | None = None) -> None:
        self._networks = tuple(networks)
        # What the operator names is read at the start, so that a mistake is told then.
        self._tls: ssl.SSLContext | None = None if ca_file is None else ssl.create_default_context(cafile=ca_file)
        self._opening = asyncio.Lock()
        self._https: Https | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._https is not None:
            await self._https.close()

    def allows(self, address: str, port: int) -> bool:
        """Return whether this address may be asked at this port."""
        ip = ip_address(address.partition("%")[0])
        if any(ip in network for network in self._networks):
            return True
        return port in PORTS and public(address)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a POST, and return when it was accepted. What is answered is not read.

        Args:
            url: where to, by HTTPS.
            body: what is sent.
            headers: its headers.

        Raises:
            Undelivered: it was not accepted, or must not be sent there.
        """
        if len(body) > LARGEST:
            raise Undelivered("it is too long")
        https = await self._open()
        try:
            async with asyncio.timeout(SECONDS):
                await self._post(https, URL(url), body, headers)
        except TimeoutError:
            raise Undelivered(f"{_host(url)} did not answer in time") from None
        except ValueError:  # an address that is none
            raise Undelivered(f"{_host(url)} cannot be reached") from None

    async def _open(self) -> Https:
        async with self._opening:
            if self._https is None:
                https = await asyncio.to_thread(_https)
                if self._tls is None:
                    self._tls = await asyncio.to_thread(ssl.create_default_context)
                self._https = https(self.allows, self._tls)
            return self._https

    async def _post(self, https: Https, url: URL, body: bytes, headers: Mapping[str, str]) -> None:
        for _ in range(REDIRECTS + 1):
            self._check(url)
            status, moved = await https.post(url, body, headers)
            if status in {307, 308} and moved is not None:
                url = url.join(URL(moved))
                continue
            if 200 <= status < 300:
                return
            raise Undelivered(f"{url.host} answered {status}", gone=status in {404, 410})
        raise Undelivered(f"{url.host} redirects too often")

    def _check(self, url: URL) -> None:
        """Check what can be known before a name is resolved: addresses that are numbers are not resolved."""
        if url.scheme != "https" or not url.host or url.user is not None:
            raise Undelivered(f"{url.host or 'it'} is not asked by HTTPS alone")
        try:
            allowed = self.allows(url.host, url.port or 0)
        except ValueError:
            return  # a name
        if not allowed:
            raise Undelivered(f"{url.host} is not an address of the public internet")


def _https() -> type[Https]:
    from server.notices.https import Https  # noqa: PLC0415 - an eighth of a start, and most servers send nothing

    return Https


def _host(url: str) -> str:
    try:
        return URL(url).host or "the address"
    except ValueError:
        return "the address"
