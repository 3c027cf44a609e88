"""Show or replace the key with which the servers of this database sign files of matches. A server makes the key at its first
start. A replaced key's public half is kept, so that files that it signed are still known as this deployment's.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from server import config, stopping
from server.app import database, key_source
from server.console import say
from server.matches import signing_key
from server.matches.signing import KeySource
from server.matches.signing_key import KeyFault, SigningKey

HELP = "show or replace the key with which matches are signed"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire key`."""
    parser.add_argument("what", choices=("show", "rotate"), help="print the public halves; or draw a new key")
    parser.add_argument(
        "--lost", action="store_true", help="rotate: the old key's file is lost; its public half is in the database"
    )
    config.add_database_flags(parser)
    config.add_signing_flag(parser)


def run(flags: argparse.Namespace) -> int:
    """Show the key, or replace it.

    Raises:
        KeyFault: there is no key, or it cannot be used or written.
        StoreError: there is no database.
    """
    settings = config.settings(os.environ, flags)
    source = key_source(settings)
    lines = shown(_needed(source)) if flags.what == "show" else replaced(settings, source, lost=flags.lost)
    for line in lines:
        say(line)
    return 0


def shown(key: SigningKey) -> Iterator[str]:
    """Return the public parts of a key: its public half, and those of the keys that it replaced."""
    yield f"This deployment signs with {key.public.hex()}"
    for one in key.older:
        yield f"Before that it signed with {one.hex()}"


def replaced(settings: config.Settings, source: KeySource, *, lost: bool) -> Iterator[str]:
    """Replace the key in its file, and return what the operator must do next."""
    if source.file is None:
        raise KeyFault(
            "There is no key file to change: name it in UNDERFIRE_SIGNING_KEY_FILE. If the key stands in "
            "UNDERFIRE_SIGNING_KEY, write it into a file, replace it there, and take that file's new text."
        )
    if lost:
        new = SigningKey.new(stopping.run(_known(settings)))
        if not signing_key.make(source.file, new):
            raise KeyFault(f"The key is not lost: {source.file} is there. Leave out --lost.")
    else:
        new = _needed(source).rotated()
        signing_key.replace(source.file, new)
    yield from shown(new)
    yield f"The new key is in {source.file}. Restart the servers with it: those that run go on with the old one until then."


def _needed(source: KeySource) -> SigningKey:
    key = source.read()
    if key is None:
        where: Path | str = source.file or "UNDERFIRE_SIGNING_KEY_FILE"
        raise KeyFault(f"There is no key in {where} yet. A server makes one at its first start.")
    return key


async def _known(settings: config.Settings) -> tuple[bytes, ...]:
    """Return the public halves that are registered in the database.

    Raises:
        StoreError: there is no database.
    """
    async with database(settings, existing=settings.redis_url is None) as (store, _):
        return tuple(bytes.fromhex(one) for one in await store.signers())
