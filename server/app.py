"""Composition root: from settings to a running server. The only file that creates and connects the objects."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from server import descriptors
from server.complaints import complaint
from server.config import Settings
from server.feed.outbox import Outbox
from server.feed.topics import Topics
from server.gateway.broadcast import Broadcast
from server.gateway.limits import Limits
from server.gateway.metrics import Metrics
from server.gateway.server import Gateway
from server.gateway.site import Absent, FeedAddress
from server.kernel.ruleset import Elsewhere
from server.leagues.keeping import Keeping
from server.leagues.leagues import Leagues
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import Archiver, ArchiveStore
from server.matches.deadlines import Deadlines
from server.matches.dormant import Dormant
from server.matches.environment import Environment
from server.matches.log.entries import LogError
from server.matches.machines import Machines
from server.matches.moments import read_chosen
from server.matches.players_tokens import players_token
from server.matches.rooms import Rooms
from server.matches.signing import KeySource, Signing, open_signing
from server.matches.signing_key import KeyFault
from server.matches.uptime import Uptime
from server.moderation.operator import Operator
from server.moderation.sanctions import Sanctions
from server.notices.asking import Asking
from server.notices.desk import PlayersDesk
from server.notices.found import found
from server.notices.leagues import LeagueNotices
from server.notices.noticing import Noticing
from server.notices.outbound import Outbound
from server.notices.presence import Presence
from server.notices.pushing import Pushing, push_key
from server.notices.queue import Queue
from server.notices.ways import Ways
from server.opponents import jobs
from server.players.registry import Registry
from server.rulesets import library
from server.store.connections import wall_ms
from server.store.embedded import EmbeddedValkey, data_lies_in, default_data_dir
from server.store.errors import (
    LogDamaged,
    MatchRemoved,
    NoServerData,
    StoreError,
    StoreUnavailable,
    UnknownMatch,
)
from server.store.league_logs import LeagueLogs
from server.store.store import Health, MatchStore
from server.work.workshop import Workshop

log = logging.getLogger("underfire.app")

KEY_FILE = "signing.pem"
"""The key's file in the data folder, unless another one is named."""

UNKNOWN_CONTACT = "mailto:operator@localhost"
"""What push services are told where the operator names no contact, and the server's address is not known."""

MOMENTS = Path(__file__).parent / "moments"
"""The recorded matches that come with the server."""


def software_version() -> str:
    """Return the version of the installed software."""
    return version("underfire")


class UnusableFolder(StoreError):  # noqa: N818 - a condition
    """Matches cannot be kept in the data folder."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(
            f"Matches cannot be kept in {folder}. {complaint(error)} Name a folder of your own with --data-dir or "
            "UNDERFIRE_DATA_DIR."
        )


@dataclass(frozen=True)
class Running:
    """A running server: its addresses for browsers, this machine's first, and where its matches are stored."""

    addresses: list[str]
    kept: str
    embedded: EmbeddedValkey | None
    over: asyncio.Event
    """Set when the server was drained, and is to end."""

    @property
    def address(self) -> str:
        """The address for a browser on this machine."""
        return self.addresses[0]


@asynccontextmanager
async def database(
    settings: Settings, *, existing: bool = False
) -> AsyncIterator[tuple[MatchStore, EmbeddedValkey | None]]:
    """Open the store that `settings` name; yield it with the embedded Valkey, or None if a Redis is named.

    Args:
        settings: the settings, which say where it is.
        existing: do not create a missing folder or database.

    Raises:
        NoServerData: there is no data, and `existing` is set.
        EmbeddedError: Valkey cannot be started.
        StoreUnavailable: Redis does not answer.
        UnusableFolder: matches cannot be kept in the data folder.
    """
    if existing and not has_data(settings):
        raise NoServerData(data_dir(settings))
    async with AsyncExitStack() as stack:
        valkey = None
        url = settings.redis_url
        try:
            if url is None:
                valkey = await stack.enter_async_context(EmbeddedValkey(data_dir(settings)))
                url = valkey.url
            folder = files_dir(settings)
            store = MatchStore(url) if folder is None else ArchiveStore(url, ArchiveFolder(folder))
        except OSError as error:
            raise UnusableFolder(data_dir(settings), error) from error
        try:
            opened = await stack.enter_async_context(store)
        except StoreUnavailable as error:
            if valkey is None:
                raise StoreUnavailable(f"{error}. Does it run at the address in UNDERFIRE_REDIS_URL?") from None
            raise
        if valkey is not None:
            valkey.watch_trouble(opened.block)
        yield opened, valkey


def has_data(settings: Settings) -> bool:
    """Return whether the data folder in `settings` has a server's data; with a Redis that they name, whether its archive
    folder exists, if it has one.
    """
    if settings.redis_url is None:
        return data_lies_in(data_dir(settings))
    folder = files_dir(settings)
    return folder is None or folder.is_dir()


def data_dir(settings: Settings) -> Path:
    """Return the folder in which the embedded Valkey stores matches."""
    return settings.data_dir or default_data_dir()


def files_dir(settings: Settings) -> Path | None:
    """Return the archive folder, or None. Servers that share a database must share it too, so with a Redis of one's own it
    has to be named.
    """
    if settings.redis_url is not None and settings.data_dir is None:
        return None
    return data_dir(settings) / "matches"


def key_source(settings: Settings) -> KeySource:
    """Return the source of the signing key: as named, else a file in the data folder. With a Redis of one's own and no folder
    there is none, since a key created in a container would be lost with it.
    """
    if settings.signing_key is not None or settings.signing_key_file is not None:
        return KeySource(settings.signing_key, settings.signing_key_file)
    if settings.redis_url is not None and settings.data_dir is None:
        return KeySource()
    return KeySource(file=data_dir(settings) / KEY_FILE)


async def signing_as_servers(settings: Settings, store: MatchStore) -> tuple[Signing, str]:
    """Return the `Signing` of a store for a command; and, in a sentence, why files are not signed, if so.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    try:
        signing = await open_signing(store, key_source(settings), "reader")
    except StoreUnavailable:
        raise
    except (KeyFault, StoreError) as error:
        return Signing(store), str(error)
    return signing, "" if signing.public is not None else "The servers of this database sign nothing yet."


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Running]:
    """Run a server until the block is left.

    Raises:
        EmbeddedError, StoreUnavailable, UnusableFolder: there is no database.
        KeyFault, OtherSigner, SignerMissing: matches cannot be signed as the servers of this database sign them.
        ListenError: the address cannot be listened on.
    """
    metrics = Metrics()
    limits = Limits(
        connections=descriptors.connections(descriptors.limit(), Limits.connections), per_address=settings.per_address
    )
    if limits.connections < Limits.connections:
        log.warning(
            "At most %d connections at once, as only %d files may be open here.",
            limits.connections,
            descriptors.limit(),
        )
    editions = library.editions(settings.unfinished)
    for rules in editions.values():
        # Worked out from all of the rules' code, once: the maker of the first match must not hold up those who play.
        log.debug("these are the rules %s", rules.version)
    async with (
        database(settings) as (store, valkey),
        _noted_health(store, valkey),
        Uptime(store) as uptime,
        Workshop(time.monotonic) as workshop,
        Workshop(time.monotonic) as opponents,
    ):
        signing = await open_signing(store, key_source(settings))
        if signing.public is None:
            log.warning(
                "This server has no key, so it does not sign matches: name a file for the key in UNDERFIRE_SIGNING_KEY_FILE."
            )
        machines = Machines(jobs.offered(), jobs.answered, opponents)
        environment = Environment(
            wall_ms,
            uptime.now,
            lambda what: getattr(metrics, what).inc(),
            settings.abandonment,
            machines.names,
            jobs.advised,
            uptime.refresh,
        )
        rooms = Rooms(
            store,
            editions,
            version=software_version(),
            environment=environment,
            clock=time.monotonic,
            sleep=asyncio.sleep,
            work=workshop,
            outlets=Broadcast,
            signing=signing,
            rules_of=library.edition,
            machines=machines,
            unattended=settings.machine_matches,
            exhibits=settings.exhibition,
            moments=read_chosen(MOMENTS) if settings.moments else (),
        )

        sanctions = Sanctions(store, wall_ms)
        leagues = Leagues(
            LeagueLogs(store),
            rooms,
            rooms.offered,
            partial(players_token, store),
            wall_ms,
            settings.address,
            signing.of_log,
        )
        keeping = Keeping(leagues, store)
        async with (
            rooms,
            _players(settings, store, rooms, keeping) as players,
            sanctions,
            Deadlines(store, uptime, rooms.tick),
            keeping,
            _archiver(settings, store, signing),
            _dormant(settings, store, rooms, signing),
            Gateway(
                rooms,
                rules=of_each_edition(partial(reference, offered=frozenset(editions))),
                forces=of_each_edition(force_parts),
                positions=of_each_edition(position_parts),
                match_file=partial(match_file, rooms),
                signers=signers_text(signing),
                players=players,
                leagues=leagues,
                host=settings.host,
                port=settings.port,
                origins=settings.origins,
                proxies=settings.proxies,
                show_metrics=settings.metrics,
                feed=FeedAddress(settings.mqtt_websocket, settings.mqtt_root) if settings.mqtt_websocket else None,
                metrics=metrics,
                limits=limits,
                sanctions=sanctions,
                operator=Operator(store, rooms, sanctions),
                admin_token=settings.admin_token,
                counting=store,
            ) as gateway,
        ):
            kept = "the database that was given" if valkey is None else str(data_dir(settings))
            yield Running(gateway.addresses, kept, valkey, gateway.draining.over)


@asynccontextmanager
async def _players(settings: Settings, store: MatchStore, rooms: Rooms, keeping: Keeping) -> AsyncIterator[PlayersDesk]:
    """Open what the database keeps of players; and tell them of decisions that wait, and of leagues, unless the operator does not
    want it.
    """
    registry = Registry(store, wall_ms)
    if not settings.notices:
        yield PlayersDesk(registry, store, rooms.get)
        return
    contact = settings.push_contact or (settings.address if settings.address.startswith("https:") else UNKNOWN_CONTACT)
    ca_file = None if settings.notice_ca_file is None else str(settings.notice_ca_file)
    queue, presence = Queue(store), Presence(store, rooms.connected, wall_ms)
    async with Outbound(settings.notice_networks, ca_file) as outbound:
        outbox = Outbox(store) if settings.mqtt_players else None
        ways = Ways(outbound, Pushing(outbound, await push_key(store), contact), outbox)
        noticing = Noticing(queue, registry, presence, partial(found, rooms), ways, settings.address, wall_ms)
        told = LeagueNotices(keeping.leagues, queue, registry, ways, wall_ms)
        noticing.others = {"league": told.tell_webhook, "deadline": told.tell_player}
        keeping.told = told.note
        async with (
            presence,
            noticing,
            Asking(queue, registry, presence, wall_ms, settings.notice_after * 1000) as asking,
        ):
            rooms.asked, rooms.left = asking.asked, asking.left
            topics = Topics(settings.mqtt_root)
            yield PlayersDesk(registry, store, rooms.get, queue, ways, topics, settings.mqtt_websocket, told)


async def match_file(rooms: Rooms, match: str) -> bytes | Absent:
    """Return the file of an ended match, or why there is none."""
    try:
        return await rooms.match_file(match) or Absent.NOT_OVER
    except MatchRemoved:
        return Absent.REMOVED
    except UnknownMatch:
        return Absent.UNKNOWN
    except StoreUnavailable:
        return Absent.AWAY
    except (LogDamaged, LogError):
        return Absent.DAMAGED


@asynccontextmanager
async def _noted_health(store: MatchStore, valkey: EmbeddedValkey | None) -> AsyncIterator[None]:
    """Log when the database goes away and comes back, until the block is left."""

    def note(health: Health) -> None:
        if health.up:
            log.warning("the database is here again")
        else:
            # What is wrong with its folder the embedded Valkey has logged already.
            told = valkey is not None and health.reason == valkey.trouble
            log.warning("the database is away%s", "" if told else f": {health.reason}")

    unwatch = store.watch_health(note)
    try:
        yield
    finally:
        unwatch()


def _archiver(settings: Settings, store: MatchStore, signing: Signing) -> AbstractAsyncContextManager[object]:
    if isinstance(store, ArchiveStore) and settings.archive_after:
        return Archiver(store, store.files, settings.archive_after, wall_ms, signing=signing)
    return nullcontext()


def _dormant(
    settings: Settings, store: MatchStore, rooms: Rooms, signing: Signing
) -> AbstractAsyncContextManager[object]:
    if isinstance(store, ArchiveStore) and settings.dormancy.days:
        return Dormant(store, rooms.get, settings.dormancy, wall_ms, signing=signing)
    return nullcontext()


def signers_text(signing: Signing) -> bytes:
    """Return the public halves of the keys with which this deployment signs and has signed, as JSON."""
    current = "" if signing.public is None else signing.public.hex()
    return json.dumps({"current": current, "older": [one.hex() for one in signing.older]}).encode()


def of_each_edition(make: Callable[[str], bytes | None]) -> Callable[[str], bytes | None]:
    """Return `make`, called once for each edition that there is. Strangers ask for any name: no other one is remembered."""
    made = cache(make)
    return lambda edition: made(edition) if edition in library.EDITIONS else None


def reference(edition: str, offered: frozenset[str]) -> bytes | None:
    """Return an edition's rule reference as JSON; None if there is no such edition. Each entry says what holds elsewhere: in the
    editions that are `offered` here.
    """
    rules = library.find(edition)
    if rules is None:
        return None
    rows = [
        {
            **row,
            "id": f"{edition}/{row['id']}",
            "elsewhere": [_told(other) for other in rules.elsewhere(row["id"]) if other.edition in offered],
        }
        for row in rules.reference
    ]
    return json.dumps({"edition": edition, "name": rules.info.name, "rules": rows}, ensure_ascii=False).encode()


def _told(other: Elsewhere) -> dict[str, str]:
    name = library.edition(other.edition).info.name
    rule = f"{other.edition}/{other.entry}" if other.entry else ""
    return {"edition": other.edition, "name": name, "rule": rule, "text": other.says}


def force_parts(edition: str) -> bytes | None:
    """Return as JSON an edition's form for forces, its ready forces, and the editions whose forces can be made into its own; None
    if players cannot bring any.
    """
    rules = library.find(edition)
    if rules is None or rules.force_form is None:
        return None
    return msgspec.json.encode({"form": rules.force_form, "ready": rules.ready_forces, "converts": rules.converts})


def position_parts(edition: str) -> bytes | None:
    """Return the parts of an edition's positions, as JSON; None if there is no such edition."""
    rules = library.find(edition)
    return None if rules is None else msgspec.json.encode(rules.position_parts)
