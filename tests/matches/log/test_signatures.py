"""Signatures of match files: rebuilt, moved or truncated entries are found, and entries that came with a file are never
signed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from client_protocol.from_client import Say
from client_protocol.from_server import MatchMade
from server.kernel.desk_facts import Said, SeatTaken
from server.matches import importing
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import Archiver, ArchiveStore
from server.matches.log import signatures
from server.matches.log.entries import Aside, Body, Ended, Envelope, digest
from server.matches.log.match_file import SIGNED, MatchFile, MatchFileError, export, read, written
from server.matches.log.signatures import MOST, Signature, origin_fields, sign, signed_as, unsigned_by
from server.matches.rooms import Rooms
from server.matches.signing import KeySource, Signing, open_signing
from server.matches.signing_key import SigningKey
from server.matches.verify.match_file import Wrong, verify
from server.store.errors import StoreError
from server.store.store import MatchStore
from tests.support.forging import anew
from tests.support.playing import press_on, whole
from tests.support.room import Hands, begun, entries_of, eventually, never, rooms_on
from tests.support.toy_rules import ToyRules
from tests.support.valkey import valkey

OURS, THEIRS = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
OUR_HALF, THEIR_HALF = (key.public_key().public_bytes_raw() for key in (OURS, THEIRS))


def rules_of(edition: str) -> ToyRules | None:
    return ToyRules() if edition == "toy" else None


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    return whole(ToyRules(), press_on).entries


@pytest.fixture(scope="module")
def signed(entries: list[bytes]) -> bytes:
    return export(entries, (sign(OURS, "m1", 1, entries),))


def other_names(body: Body) -> Body | None:
    """Change a player's name."""
    if isinstance(body, Aside) and isinstance(body.facts[0], SeatTaken):
        return replace(body, facts=(replace(body.facts[0], name="Mallory"),))
    return None


def with_words(entries: list[bytes], text: str) -> list[bytes]:
    """Return the entries with a last one in which something was said."""
    said = Aside((Said("red", "", text, "table"),), "red")
    number = len(entries) + 1
    return [*entries, pack(Envelope(number, number - 1, 9_000, bytes(16), digest(entries[-1]), said))]


def other_words(body: Body) -> Body | None:
    """Change what was said."""
    if isinstance(body, Aside) and isinstance(body.facts[0], Said):
        return replace(body, facts=(replace(body.facts[0], text="I cheated."),))
    return None


def conceded(entries: list[bytes]) -> list[bytes]:
    """Return the entries up to before the end, after which red concedes."""
    bodies = [unpack(entry, Envelope) for entry in entries]
    until = next(n for n, one in enumerate(bodies) if "ended" in str(getattr(one.body, "facts", "")).lower())
    kept = entries[:until]
    number = len(kept) + 1
    end = Ended("blue", "Red has conceded.", "concession", "red")
    return [*kept, pack(Envelope(number, number - 1, 9_000, bytes(16), digest(kept[-1]), end))]


# --- what is signed --------------------------------------------------------------------------------------------------


def test_a_signed_file_verifies_and_names_its_signer_and_entries(entries: list[bytes], signed: bytes) -> None:
    report = verify(signed, rules_of)
    assert [(one.key, one.first, one.last, one.head) for one in report.signatures] == [
        (OUR_HALF, 1, len(entries), digest(entries[-1]))
    ]
    assert report.hashes[-1] == read(signed).head
    assert verify(export(entries), rules_of).signatures == ()


@pytest.mark.parametrize("forge", [lambda log: anew(log, other_names), conceded], ids=["names", "a concession"])
def test_a_signature_does_not_fit_a_rebuilt_log(
    entries: list[bytes], signed: bytes, forge: Callable[[list[bytes]], list[bytes]]
) -> None:
    forged = forge(entries)
    carried = read(signed).signatures
    with pytest.raises(Wrong, match=OUR_HALF.hex()):
        verify(written(forged, read(signed).secret, carried), lambda _edition: None)
    moved = replace(carried[0], last=len(forged), head=digest(forged[-1]))
    with pytest.raises(Wrong, match="is not good"):
        verify(written(forged, read(signed).secret, (moved,)), lambda _edition: None)


def test_a_signature_does_not_fit_a_log_with_changed_chat(entries: list[bytes]) -> None:
    said = with_words(entries, "Well played.")
    file = export(said, (sign(OURS, "m1", 1, said),))
    assert verify(file, rules_of).signatures
    forged = anew(said, other_words)
    assert forged != said
    # The chain alone has no fault.
    assert verify(export(forged), rules_of).signatures == ()
    with pytest.raises(Wrong, match="written anew"):
        verify(export(forged, read(file).signatures), rules_of)


def test_a_file_signed_by_a_forger_is_reported_as_signed_by_another_key(entries: list[bytes]) -> None:
    forged = anew(entries, other_names)
    report = verify(export(forged, (sign(THEIRS, "m1", 1, forged),)), rules_of)
    assert [one.key for one in report.signatures] == [THEIR_HALF]
    assert unsigned_by(report.signatures, [OUR_HALF], report.entries) == (1, len(entries))
    assert unsigned_by(report.signatures, [OUR_HALF, THEIR_HALF], report.entries) is None


def test_a_signature_is_valid_only_for_one_match_at_its_whole_length(entries: list[bytes]) -> None:
    [one] = (sign(OURS, "m1", 1, entries),)
    short = entries[:-1]
    bad = [
        (written(short, "", (one,)), "cut short"),
        (export(entries, (sign(OURS, "m2", 1, entries),)), "another match"),
        (export(entries, (replace(one, first=2),)), "is not good"),
        (export(entries, (replace(one, key=THEIR_HALF),)), "is not good"),
        (export(entries, (replace(one, signature=bytes(64)),)), "is not good"),
        (export(entries, (replace(one, last=one.last - 1, head=digest(entries[-2])),)), "is not good"),
        (export(entries, (one, one)), "another one is about"),
        (export(entries, (replace(one, first=5, last=4),)), "or about none"),
    ]
    for data, what in bad:
        with pytest.raises(Wrong, match=what):
            verify(data, lambda _edition: None)


def test_a_signature_covers_a_statement_that_nothing_else_can_be(entries: list[bytes]) -> None:
    """No other signature of the server can be taken for it, and the statement is what the page describes."""
    last, head = len(entries), digest(entries[-1])
    said = signatures.statement("m1", 1, last, head)
    assert said == pack(["underfire match signature 1", "m1", 1, last, head])
    bare = replace(sign(OURS, "m1", 1, entries), signature=OURS.sign(head))
    with pytest.raises(Wrong, match="is not good"):
        verify(export(entries, (bare,)), rules_of)


def test_a_match_file_has_only_one_encoding_of_its_content(entries: list[bytes]) -> None:
    one = sign(OURS, "m1", 1, entries)
    fine = MatchFile(SIGNED, tuple(entries), digest(entries[-1]), read(export(entries)).secret, (one,))
    assert read(pack(fine)) == fine
    for bad in (
        replace(fine, signatures=()),
        replace(fine, format="underfire match 1"),
        replace(fine, signatures=(one,) * (MOST + 1)),
        replace(fine, signatures=(replace(one, key=bytes(31)),)),
        replace(fine, signatures=(replace(one, first=0),)),
    ):
        with pytest.raises(MatchFileError):
            read(pack(bad))


def test_the_damaged_entry_of_a_signed_file_is_named(entries: list[bytes], signed: bytes) -> None:
    at = signed.index(entries[7]) + 5
    with pytest.raises(Wrong) as found:
        verify(signed[:at], rules_of)
    assert found.value.entry == 8


def test_every_entry_must_be_signed_by_a_trusted_key(entries: list[bytes]) -> None:
    def about(key: Ed25519PrivateKey, first: int, last: int) -> Signature:
        return replace(sign(key, "m1", first, entries), last=last)

    both = (about(THEIRS, 1, 10), about(OURS, 11, 20))
    assert unsigned_by(both, [THEIR_HALF, OUR_HALF], 20) is None
    assert unsigned_by(both, [OUR_HALF], 20) == (1, 10)
    assert unsigned_by(both, [THEIR_HALF], 20) == (11, 20)
    assert unsigned_by(both, [THEIR_HALF, OUR_HALF], 21) == (21, 21)
    assert unsigned_by((about(THEIRS, 1, 5), about(OURS, 8, 20)), [THEIR_HALF, OUR_HALF], 20) == (6, 7)
    assert unsigned_by((), [OUR_HALF], 20) == (1, 20)


# --- what a server signs ---------------------------------------------------------------------------------------------


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[MatchStore]:
    """Another server's empty database."""
    async with valkey(tmp_path) as url, MatchStore(url) as opened:
        yield opened


def signing_rooms(store: MatchStore, key: Ed25519PrivateKey, hands: Hands | None = None) -> Rooms:
    return rooms_on(store, hands=hands, signing=Signing(store, SigningKey(key)))


def about(data: bytes) -> list[tuple[bytes, int, int]]:
    return [(one.key, one.first, one.last) for one in verify(data, rules_of).signatures]


async def test_a_match_played_here_is_signed_from_its_first_entry(store: MatchStore) -> None:
    async with signing_rooms(store, OURS) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        data = await rooms.match_file(table.room.match)
        assert data is not None
        assert about(data) == [(OUR_HALF, 1, table.room.length)]
        await table.room.say("red", "", Say("say-00001", "Well played."))
        again = await rooms.match_file(table.room.match)
        assert again is not None
        assert about(again) == [(OUR_HALF, 1, table.room.length)]
        assert read(again).signatures != read(data).signatures


async def test_a_forged_file_that_is_imported_is_exported_unsigned(store: MatchStore, entries: list[bytes]) -> None:
    async with signing_rooms(store, OURS) as rooms:
        done = await rooms.import_match("import", export(anew(entries, other_names)))
        assert isinstance(done, MatchMade), done
        data = await rooms.match_file(done.match)
        assert data is not None
        assert about(data) == []
        # Chat on this server is signed; the imported entries are not, even then.
        room = await rooms.get(done.match)
        assert room is not None
        await room.say("red", "", Say("say-00001", "That was me."))
        again = await rooms.match_file(done.match)
        assert again is not None
        assert about(again) == [(OUR_HALF, len(entries) + 1, room.length)]
        assert unsigned_by(read(again).signatures, [OUR_HALF], room.length) == (1, len(entries))


async def test_a_server_signs_its_own_part_of_an_imported_match_and_keeps_other_signatures(
    store: MatchStore, there: MatchStore
) -> None:
    async with signing_rooms(there, THEIRS) as rooms:
        table = await begun(rooms)
        await table.deploy()
        old = await entries_of(there, table.room.match)
        file = export(old, await Signing(there, SigningKey(THEIRS)).of(table.room.match, old))
    async with signing_rooms(store, OURS) as rooms:
        done = await rooms.import_match("import", file)
        assert isinstance(done, MatchMade), done
        new = await entries_of(store, done.match)
        carried = await Signing(store, SigningKey(OURS)).of(done.match, new)
        assert [(one.key, one.first, one.last) for one in carried] == [
            (THEIR_HALF, 1, len(old)),
            (OUR_HALF, len(old) + 1, len(new)),
        ]
        assert about(export(new, carried)) == [(one.key, one.first, one.last) for one in carried]


async def test_a_file_with_an_invalid_signature_is_not_imported(entries: list[bytes], signed: bytes) -> None:
    bad = written(anew(entries, other_names), read(signed).secret, read(signed).signatures)
    with pytest.raises(importing.Unfit, match="signature"):
        importing.prepare(bad, rules_of, 0, 0)


def test_a_match_of_unknown_origin_is_not_signed(entries: list[bytes]) -> None:
    """Before there were signatures, servers did not note which matches had been imported."""
    assert signed_as({"secret": b"x"}, "m1", entries, OURS) == ()
    assert signed_as(origin_fields(0), "m1", entries, None) == ()
    assert len(signed_as(origin_fields(0), "m1", entries, OURS)) == 1
    assert signed_as(origin_fields(len(entries)), "m1", entries, OURS) == ()


async def test_an_archived_match_is_signed_and_comes_back_the_same(valkey_url: str, tmp_path: Path) -> None:
    files = ArchiveFolder(tmp_path / "files")
    async with ArchiveStore(valkey_url, files) as store:
        hands, signing = Hands(), Signing(store, SigningKey(OURS))
        async with signing_rooms(store, OURS, hands) as rooms:
            table = await begun(rooms)
            match = table.room.match
            await table.play_out()
            await eventually(lambda: table.room.published)
            before = await rooms.match_file(match)
        hands.move(40 * 86_400)
        assert await Archiver(store, files, 30, lambda: hands.now, never, signing=signing).look() == 1
        assert files.load(match) == before
        async with signing_rooms(store, OURS, hands) as rooms:
            assert await rooms.match_file(match) == before


# --- with which key ----------------------------------------------------------------------------------------------------


async def test_the_signing_key_is_created_once_and_stored(store: MatchStore, tmp_path: Path) -> None:
    source = KeySource(file=tmp_path / "data" / "signing.pem")
    assert (await open_signing(store, source, "reader")).public is None
    assert source.file is not None
    assert not source.file.exists()
    first = await open_signing(store, source)
    assert first.public is not None
    assert await store.signers() == [first.public.hex()]
    assert source.file.stat().st_mode & 0o777 == 0o600
    assert (await open_signing(store, source)).public == first.public
    assert (await open_signing(store, source, "reader")).public == first.public


async def test_servers_that_start_together_share_the_key_that_one_of_them_creates(
    store: MatchStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = KeySource(file=tmp_path / "signing.pem")
    ask, started = store.signers, list[Signing]()

    async def signers() -> list[str]:
        monkeypatch.setattr(store, "signers", ask)
        started.append(await open_signing(store, source))
        return await ask()

    monkeypatch.setattr(store, "signers", signers)
    late = await open_signing(store, source)
    assert late.public == started[0].public is not None


async def test_servers_with_different_keys_do_not_share_a_database(store: MatchStore, tmp_path: Path) -> None:
    first = await open_signing(store, KeySource(file=tmp_path / "one.pem"))
    assert first.public is not None
    with pytest.raises(StoreError, match=r"no key in .*two.pem.*rotate --lost"):
        await open_signing(store, KeySource(file=tmp_path / "two.pem"))
    assert not (tmp_path / "two.pem").exists()
    other = SigningKey.new()
    for role in ("server", "reader"):
        with pytest.raises(StoreError, match=f"sign with the key {first.public.hex()}, and this one has"):
            await open_signing(store, KeySource(text=other.text()), role)
    with pytest.raises(StoreError, match="this one has none"):
        await open_signing(store, KeySource())
    assert await store.signers() == [first.public.hex()]


async def test_a_server_without_a_key_signs_nothing_if_no_server_signs(store: MatchStore) -> None:
    assert (await open_signing(store, KeySource())).public is None


async def test_a_rotated_key_replaces_the_old_one_everywhere_and_for_good(store: MatchStore) -> None:
    first = SigningKey.new()
    second = first.rotated()
    third = second.rotated()
    await open_signing(store, KeySource(text=first.text()))
    # Two rotations before the next start: the database learns of both keys.
    now = await open_signing(store, KeySource(text=third.text().replace("\n", "\\n")))
    assert (now.public, now.older) == (third.public, (second.public, first.public))
    assert await store.signers() == [key.public.hex() for key in (third, second, first)]
    for old in (first, second):
        with pytest.raises(StoreError, match=f"was replaced: .* sign with {third.public.hex()} now"):
            await open_signing(store, KeySource(text=old.text()))
    # A key that was replaced does not come back, whatever its file says that it replaced.
    returning = SigningKey(first.private, (third.public, SigningKey.new().public))
    with pytest.raises(StoreError, match="was replaced"):
        await open_signing(store, KeySource(text=returning.text()))
    assert await store.signers() == [key.public.hex() for key in (third, second, first)]
    # A key that claims to replace one that was replaced before does not replace the one that counts.
    with pytest.raises(StoreError, match="and this one has"):
        await open_signing(store, KeySource(text=first.rotated().text()))
