"""HTTPS requests to addresses that may be asked, and to no others. It is imported when the first one is sent."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from server.notices.outbound import AT_ONCE, AT_ONCE_PER_HOST, SECONDS, Undelivered

Allows = Callable[[str, int], bool]
"""Returns whether this address may be asked at this port."""


class _Forbidden(OSError):  # noqa: N818 - a condition
    """An address that must not be asked."""


class _Resolver(AbstractResolver):
    """Resolves names to addresses that may be asked, and to no others."""

    def __init__(self, allows: Allows) -> None:
        self._allows = allows
        self._resolver = ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)  # type: ignore[arg-type]
        allowed = [one for one in found if self._allows(one["host"], port)]
        if found and not allowed:
            raise _Forbidden("it is not an address of the public internet")
        return allowed

    async def close(self) -> None:
        await self._resolver.close()


class Https:
    """Open connections. Make it in a running event loop, and close it.

    Args:
        allows: says which addresses may be asked.
        tls: the certificates that are trusted.
    """

    def __init__(self, allows: Allows, tls: ssl.SSLContext) -> None:
        connector = aiohttp.TCPConnector(
            resolver=_Resolver(allows), ssl=tls, limit=AT_ONCE, limit_per_host=AT_ONCE_PER_HOST, use_dns_cache=False
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=SECONDS),
            trust_env=False,
            auto_decompress=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def post(self, url: URL, body: bytes, headers: Mapping[str, str]) -> tuple[int, str | None]:
        """Send a POST; return the status that was answered, and the address to which it redirects, if it names one.

        Raises:
            Undelivered: there was no answer, or the name belongs to an address that must not be asked.
            TimeoutError: it took too long.
        """
        try:
            async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                return response.status, response.headers.get("Location")
        except TimeoutError:
            raise
        except aiohttp.ClientConnectorCertificateError:
            raise Undelivered(f"the certificate of {url.host} is not trusted") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            why = "is not an address of the public internet" if _forbidden(error) else "cannot be reached"
            raise Undelivered(f"{url.host} {why}") from None


def _forbidden(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Forbidden) or isinstance(getattr(cause, "os_error", None), _Forbidden):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
