"""An HTTPS endpoint on loopback, with a certificate of its own: it keeps what it is sent, and answers as it is told."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from tests.support.certificates import make_certificate


@dataclass(frozen=True)
class Post:
    """What was sent."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Endpoint:
    """The endpoint: `answers` are the next statuses, then 201; `location` is where redirects lead."""

    port: int
    certificate: Path
    posts: list[Post] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    location: str = ""

    def url(self, path: str = "hook") -> str:
        """Its address."""
        return f"https://localhost:{self.port}/{path}"

    async def take(self, request: web.Request) -> web.Response:
        """Keep a request, and answer."""
        self.posts.append(Post(request.path, dict(request.headers), await request.read()))
        status = self.answers.pop(0) if self.answers else 201
        return web.Response(status=status, headers={"Location": self.location} if self.location else {})


@asynccontextmanager
async def endpoint(folder: Path) -> AsyncIterator[Endpoint]:
    """Run one."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    make_certificate(key, certificate)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    one = Endpoint(0, certificate)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", one.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    one.port = runner.addresses[0][1]
    try:
        yield one
    finally:
        await runner.cleanup()
