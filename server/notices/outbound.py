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
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

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


class _Forbidden(OSError):  # noqa: N818 - a condition
    """An address that must not be asked."""


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


class _Resolver(AbstractResolver):
    """Resolves names to addresses that may be asked, and to no others."""

    def __init__(self, outbound: Outbound) -> None:
        self._outbound = outbound
        self._resolver = ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)  # type: ignore[arg-type]
        allowed = [one for one in found if self._outbound.allows(one["host"], port)]
        if found and not allowed:
            raise _Forbidden("it is not an address of the public internet")
        return allowed

    async def close(self) -> None:
        await self._resolver.close()


class Outbound:
    """Sends requests while it is open (`async with`).

    Args:
        networks: networks that may be asked although they are not of the public internet.
        ca_file: certificates to trust in place of the system's; None: the system's.
    """

    def __init__(self, networks: Sequence[Network] = (), ca_file: str | None = None) -> None:
        self._networks = tuple(networks)
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(
            resolver=_Resolver(self), ssl=self._tls, limit=AT_ONCE, limit_per_host=AT_ONCE_PER_HOST, use_dns_cache=False
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=SECONDS),
            trust_env=False,
            auto_decompress=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._session is not None, "it was entered"
        await self._session.close()

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
        try:
            async with asyncio.timeout(SECONDS):
                await self._post(URL(url), body, headers)
        except TimeoutError:
            raise Undelivered(f"{_host(url)} did not answer in time") from None
        except aiohttp.ClientConnectorCertificateError:
            raise Undelivered(f"the certificate of {_host(url)} is not trusted") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            forbidden = _forbidden(error)
            why = "is not an address of the public internet" if forbidden else "cannot be reached"
            raise Undelivered(f"{_host(url)} {why}") from None

    async def _post(self, url: URL, body: bytes, headers: Mapping[str, str]) -> None:
        assert self._session is not None, "it was entered"
        for _ in range(REDIRECTS + 1):
            self._check(url)
            async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                if response.status in {307, 308} and "Location" in response.headers:
                    url = url.join(URL(response.headers["Location"]))
                    continue
                if 200 <= response.status < 300:
                    return
                gone = response.status in {404, 410}
                raise Undelivered(f"{url.host} answered {response.status}", gone=gone)
        raise Undelivered(f"{url.host} redirects too often")

    def _check(self, url: URL) -> None:
        """Check what can be known before a name is resolved: aiohttp does not resolve addresses that are numbers."""
        if url.scheme != "https" or not url.host or url.user is not None:
            raise Undelivered(f"{url.host or 'it'} is not asked by HTTPS alone")
        try:
            allowed = self.allows(url.host, url.port or 0)
        except ValueError:
            return  # a name
        if not allowed:
            raise Undelivered(f"{url.host} is not an address of the public internet")


def _host(url: str) -> str:
    try:
        return URL(url).host or "the address"
    except ValueError:
        return "the address"


def _forbidden(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Forbidden) or isinstance(getattr(cause, "os_error", None), _Forbidden):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
