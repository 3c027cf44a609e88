"""A real server on which the same things happen each time: its clocks stand still, and its secrets are drawn from a seed."""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from server.app import force_parts, of_each_edition, position_parts, reference
from server.gateway.broadcast import Broadcast
from server.gateway.files import Files
from server.gateway.limits import Limits, Rate
from server.gateway.server import Gateway
from server.gateway.site import Absent
from server.matches import making
from server.matches.environment import Environment
from server.matches.log import secrets
from server.matches.play.abandonment import Abandonment
from server.matches.rooms import Rooms
from server.matches.setup import creation
from server.matches.writer import Writer
from server.rulesets.library import editions
from server.rulesets.shared import edition
from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore

NOW, UP = 1_760_000_000_000, 86_400_000
VERSION = "0.1.0"
"""Not the software's: the pages need not be written anew for each release."""
MUCH = Rate(100_000, 1000)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """What the server keeps secret of a match is drawn from a generator meanwhile, and tokens say what they are.

    Only there: websockets draws from the operating system too, and how often is not the same each time.
    """
    chance, salts, tokens = random.Random(seed), random.Random(seed), itertools.count(1)
    drawn = SimpleNamespace(
        token_bytes=chance.randbytes,
        choice=chance.choice,
        token_urlsafe=lambda _size: f"secret-{next(tokens)}-{chance.getrandbits(64):016x}",
    )
    salting = SimpleNamespace(token_bytes=salts.randbytes)
    with (
        patch.object(creation, "secrets", drawn),
        patch.object(secrets, "secrets", drawn),
        patch.object(making, "secrets", salting),
        # The hashes of entries follow from it: the pages need not be written anew whenever a rule is mended.
        patch.object(edition, "fingerprint", lambda *_: "rules"),
        patch.dict(Writer.__init__.__kwdefaults__, random_bytes=salts.randbytes),
    ):
        yield


@asynccontextmanager
async def serving(seed: int) -> AsyncIterator[str]:
    """The address of a server with its own Valkey."""

    async def no_file(_match: str) -> Absent:
        return Absent.NOT_OVER

    with tempfile.TemporaryDirectory() as folder, seeded(seed):
        environment = Environment(lambda: NOW, lambda: UP, lambda _what: None, Abandonment("claim", 14 * 86_400))
        async with EmbeddedValkey(Path(folder)) as valkey, MatchStore(valkey.url) as store:
            rooms = Rooms(
                store,
                editions(),
                version=VERSION,
                environment=environment,
                clock=time.monotonic,
                sleep=asyncio.sleep,
                outlets=Broadcast,
            )
            async with (
                rooms,
                Gateway(
                    rooms,
                    rules=of_each_edition(partial(reference, offered=frozenset())),
                    forces=of_each_edition(force_parts),
                    positions=of_each_edition(position_parts),
                    match_file=no_file,
                    files=Files(None),
                    limits=Limits(seat=MUCH, spectator=MUCH, pings=MUCH),
                    now=lambda: NOW,
                ) as gateway,
            ):
                yield gateway.address
