"""A league file proves what happened: a changed byte is found, and all that the rules, the dice or a match contradict."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from client_protocol.campaigns import CampaignDice, Roll
from client_protocol.codec import pack, unpack
from client_protocol.leagues import Close, PairRound, TakeStep
from server.cli import main
from server.kernel.campaigns.facts import PointsGained
from server.kernel.dice import Taken
from server.leagues.errors import ActError
from server.leagues.log.entries import Entry, LeagueFold
from server.leagues.log.facts import (
    BattleTaken,
    Drawn,
    LeagueFact,
    LeagueMade,
    MatchLinked,
    PlayerJoined,
    ResultTaken,
    RoundOpened,
    StepTaken,
)
from server.leagues.log.league_file import DOMAIN, LeagueFile, read, written
from server.leagues.verify.league_file import verify
from server.leagues.verify.words import lines
from server.matches.log import match_file
from server.matches.log.finding import Wrong
from server.matches.log.signatures import sign
from server.rulesets.library import find
from server.store.store import MatchStore
from tests.leagues.conftest import Server, server_on
from tests.leagues.fought import TERMS, fought, gathered
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Hands, rooms_on

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@dataclass
class Season:
    """A league of two whose battle is fought: its file, signed, after all steps and at the end, and the file of its match."""

    league: str
    sealed: bytes
    open: bytes
    closed: bytes
    match: str
    match_file: bytes


@pytest.fixture
async def server(store: MatchStore) -> AsyncIterator[Server]:
    """A server on which FAD 5 is played."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, fad5(), hands=hands) as rooms:
        yield server_on(store, rooms, hands, fad5(), sign=lambda name, log, domain: (sign(KEY, name, 1, log, domain),))


@pytest.fixture
async def season(server: Server) -> Season:
    league = await gathered(server, replace(TERMS, listed=True))
    begun = await server.act(league.id, ADA, PairRound(0))
    table = await fought(server, league.id, begun.fixtures[0])
    await step(server, league.id, ADA)
    sealed = await server.leagues.file(league.id)
    for key in (ADA, BO):
        while (await server.leagues.roster(league.id, key.key, key.key)).due is not None:
            await step(server, league.id, key)
    opened = await server.leagues.file(league.id)
    await server.act(league.id, ADA, Close())
    closed = await server.leagues.file(league.id)
    file = match_file.export(await table.room.payloads())
    return Season(league.id, sealed, opened, closed, table.room.match, file)


async def step(server: Server, league: str, key: PlayerKey) -> None:
    shown = await server.leagues.roster(league, key.key, key.key)
    assert shown.due is not None
    answer = Roll() if isinstance(shown.due, CampaignDice) else shown.due.default
    await server.act(league, key, TakeStep(shown.step, answer))


def forged(data: bytes, change: Callable[[LeagueFact], LeagueFact]) -> bytes:
    """Return a file in which facts are changed, written anew with a chain that holds."""
    first, *others = read(data).entries
    payloads, chain = [first], LeagueFold(first)
    for payload in others:
        entry = unpack(payload, Entry)
        payloads.append(pack(replace(entry, prev=chain.head, facts=tuple(map(change, entry.facts)))))
        chain.add(payloads[-1])
    return written(payloads, ())


async def test_a_league_file_is_checked_with_its_match(season: Season) -> None:
    report = verify(season.closed, find, {season.match: season.match_file})
    assert (report.league, report.rounds, report.matches, report.missing) == (season.league, 1, (season.match,), ())
    assert report.dice > 2
    assert report.sealed == 0
    assert report.steps >= 4
    (one,) = report.signatures
    assert (one.key, one.last, one.head) == (KEY.public_key().public_bytes_raw(), report.entries, report.hashes[-1])
    before = verify(season.open, find)
    assert (before.dice, before.missing, before.hashes) == (report.dice, (season.match,), report.hashes[:-1])


async def test_a_file_ends_before_steps_that_others_do_not_see_yet(season: Season) -> None:
    report = verify(season.sealed, find)
    assert (report.steps, report.dice) == (0, 0)
    assert report.hashes == verify(season.open, find).hashes[: report.entries]
    assert 0 < report.entries < verify(season.open, find).entries


async def test_each_of_200_changed_bytes_is_found(season: Season) -> None:
    chance = random.Random(200)
    for _ in range(200):
        at = chance.randrange(len(season.closed))
        changed = bytearray(season.closed)
        changed[at] ^= chance.randrange(1, 256)
        with pytest.raises(Wrong):
            verify(bytes(changed), find)


async def test_a_file_that_is_cut_short_or_longer_is_found(season: Season) -> None:
    whole = read(season.closed)
    for entries in (whole.entries[:-1], whole.entries[:3], (*whole.entries, whole.entries[-1])):
        with pytest.raises(Wrong):
            verify(written(entries, whole.signatures), find)
    for data in (season.closed[:-1], season.closed + b"\0", b"", season.match_file):
        with pytest.raises(Wrong):
            verify(data, find)


async def test_a_signature_of_another_league_or_of_a_match_is_not_good(season: Season) -> None:
    whole = read(season.closed)
    for signature in (
        sign(KEY, "other", 1, whole.entries, DOMAIN),
        sign(KEY, season.league, 1, whole.entries),
        replace(whole.signatures[0], key=bytes(32)),
    ):
        with pytest.raises(Wrong, match="signature"):
            verify(pack(LeagueFile(whole.format, whole.entries, whole.head, (signature,))), find)


def _another_die(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, StepTaken) and fact.dice is not None:
        faces = tuple(face % 6 + 1 for face in fact.dice.faces)
        return replace(fact, dice=Taken(fact.dice.stream, fact.dice.first, fact.dice.sides, faces))
    return fact


def _more_points(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, StepTaken):
        more = tuple(replace(one, points=9) if isinstance(one, PointsGained) else one for one in fact.facts)
        return replace(fact, facts=more)
    return fact


def _another_secret(fact: LeagueFact) -> LeagueFact:
    return replace(fact, secret="ab" * 32) if isinstance(fact, StepTaken) and fact.secret else fact


def _another_pairing(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, RoundOpened):
        (drawn,) = fact.fixtures
        return replace(fact, fixtures=(Drawn(drawn.number, drawn.players, "ferry-inn"),))
    return fact


def _a_later_deadline(fact: LeagueFact) -> LeagueFact:
    return replace(fact, until=fact.until + 1) if isinstance(fact, StepTaken) and fact.until else fact


def _a_fuller_roster(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, PlayerJoined) and fact.roster is not None:
        return replace(fact, roster=replace(fact.roster, points=5))
    return fact


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_another_die, "the rules lead to something else|do not follow from the secret|the rules do not allow"),
        (_more_points, "the rules lead to something else|something else was due|the rules do not allow"),
        (_another_secret, "not the one that was fixed before the match"),
        (_another_pairing, "what Ada did leads to something else"),
        (_a_later_deadline, "deadline"),
        (_a_fuller_roster, "what Ada did leads to something else"),
    ],
)
async def test_what_the_rules_or_the_dice_contradict_is_found(
    season: Season, change: Callable[[LeagueFact], LeagueFact], said: str
) -> None:
    with pytest.raises(Wrong, match=said):
        verify(forged(season.open, change), find)


@pytest.mark.parametrize(
    ("kind", "by", "said"),
    [
        (StepTaken, BO.key, "another player took the step"),
        (StepTaken, "", "before its deadline"),
        (MatchLinked, ADA.key, "causes what only a server does"),
        (RoundOpened, "", "a player does this, and not the server"),
        (RoundOpened, BO.key, "Bo could not do this: Only an organiser"),
        (ResultTaken, ADA.key, "an act of a player leads to one fact"),
        (PlayerJoined, ADA.key, "Ada could not do this"),
    ],
)
async def test_facts_that_another_one_caused_are_found(
    season: Season, kind: type[LeagueFact], by: str, said: str
) -> None:
    whole = read(season.open)
    chain = LeagueFold(whole.entries[0])
    payloads, changed = [whole.entries[0]], False
    for payload in whole.entries[1:]:
        entry = unpack(payload, Entry)
        wanted = not changed and isinstance(entry.facts[0], kind) and entry.by != by
        changed = changed or wanted
        payloads.append(pack(replace(entry, prev=chain.head, by=by if wanted else entry.by)))
        chain.add(payloads[-1])
    assert changed
    with pytest.raises(Wrong, match=said):
        verify(written(payloads, ()), find)


def _another_result(fact: LeagueFact) -> LeagueFact:
    return replace(fact, losses=(9, 9)) if isinstance(fact, ResultTaken) else fact


def _other_deeds(fact: LeagueFact) -> LeagueFact:
    return replace(fact, facts=fact.facts[:1]) if isinstance(fact, BattleTaken) else fact


def _no_battle(fact: LeagueFact) -> LeagueFact:
    return replace(fact, unfought=True) if isinstance(fact, ResultTaken) else fact


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_another_result, "ended otherwise"),
        (_other_deeds, "did something else to the forces"),
        (_no_battle, "did not end before its first turn"),
    ],
)
async def test_a_result_that_its_match_contradicts_is_found(
    season: Season, change: Callable[[LeagueFact], LeagueFact], said: str
) -> None:
    with pytest.raises(Wrong, match=said):
        verify(forged(season.open, change), find, {season.match: season.match_file})


def of_another_version(data: bytes) -> bytes:
    """Return a file of a league that another version of the rules has decided."""
    first, *others = read(data).entries
    entry = unpack(first, Entry)
    (made,) = entry.facts
    assert isinstance(made, LeagueMade)
    payloads = [pack(replace(entry, facts=(replace(made, version="fad5.0+older"),)))]
    chain = LeagueFold(payloads[0])
    for payload in others:
        payloads.append(pack(replace(unpack(payload, Entry), prev=chain.head)))
        chain.add(payloads[-1])
    return written(payloads, ())


async def test_what_another_version_of_the_rules_has_decided_is_told_and_is_no_fault(season: Season) -> None:
    older = of_another_version(season.open)
    assert verify(older, find).differences == ()
    told = verify(forged(older, _more_points), find)
    assert told.versions == ("fad5.0+older",)
    assert len(told.differences) >= 1
    assert "Another version of the rules decided (fad5.0+older)" in " ".join(lines(told))
    # Dice, secrets and results are no matter of versions.
    for change in (_another_secret, _another_die):
        with pytest.raises(Wrong):
            verify(forged(older, change), find)
    with pytest.raises(Wrong, match="ended otherwise"):
        verify(forged(older, _another_result), find, {season.match: season.match_file})


async def test_a_file_of_another_match_or_a_changed_one_is_no_proof(season: Season) -> None:
    changed = bytearray(season.match_file)
    changed[len(changed) // 2] ^= 1
    with pytest.raises(Wrong, match="is wrong"):
        verify(season.open, find, {season.match: bytes(changed)})


async def test_a_league_that_is_not_listed_gives_its_file_to_its_players_alone(server: Server) -> None:
    league = await gathered(server)
    own = (await server.leagues.show(league.id, ADA.key)).calendar.removesuffix(".ics").rsplit("/", 1)[1]
    assert verify(await server.leagues.file(league.id, ADA.key, own), find).entries == 3
    for key, token in (("", ""), (ADA.key, ""), (BO.key, own), ("", own)):
        with pytest.raises(ActError, match="no such league"):
            await server.leagues.file(league.id, key, token)


async def test_the_file_of_a_league_with_hidden_forces_waits_for_its_end(server: Server) -> None:
    league = await gathered(server, replace(TERMS, listed=True, options={"hidden_forces": True}))
    with pytest.raises(ActError, match="when the league is over"):
        await server.leagues.file(league.id)
    await server.act(league.id, ADA, Close())
    assert verify(await server.leagues.file(league.id), find).entries == 4


async def test_the_command_checks_a_league_with_a_folder_of_its_matches(
    season: Season, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, folder = tmp_path / "league.underfire", tmp_path / "matches"
    folder.mkdir()
    file.write_bytes(season.closed)
    key = KEY.public_key().public_bytes_raw().hex()
    (folder / "no-match.underfire").write_bytes(season.closed)
    assert main(["verify", str(file), "--key", key, "--matches", str(folder)]) == 0
    told = capsys.readouterr().out
    assert "no-match.underfire is left out" in told
    assert f"1 match not checked, since the file is not there (--matches): {season.match}." in " ".join(told.split())
    (folder / "battle.underfire").write_bytes(season.match_file)
    assert main(["verify", str(file), "--key", key, "--matches", str(folder)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "1 round drawn again, with the same fixtures." in told
    assert "1 match checked: the results and losses are those of their logs." in told
    assert told.endswith("Every entry is signed by a key that you named. Nothing is wrong.")
    assert main(["verify", str(file), "--key", "ab" * 32]) == 1
    file.write_bytes(forged(season.closed, _another_secret))
    assert main(["verify", str(file)]) == 1
    assert "Wrong: entry" in " ".join(capsys.readouterr().out.split())
