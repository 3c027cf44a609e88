"""What was undone stands in the log, and the check of a league file finds a forged undoing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from client_protocol.leagues import AnswerChallenge, Meet, Withdraw
from server.leagues.log.entries import Entry, LeagueFold, LeagueLogError
from server.leagues.log.facts import FixtureSettled, PlayerAdmitted, PlayerJoined
from server.leagues.log.league_file import read, written
from server.leagues.log.undone import Undone
from server.leagues.undo_views import undo_views
from server.leagues.verify.league_file import verify
from server.matches.log.finding import Wrong
from tests.leagues.conftest import CY, Server, free
from tests.leagues.test_leagues import begun, texts
from tests.leagues.test_undoing import WHY, settle, undo
from tests.support.player_keys import ADA, BO
from tests.support.toy_rules import ToyRules, force


async def undone_league(server: Server) -> list[bytes]:
    """The log of a league in which a settlement was undone, and then its round."""
    league = await begun(server)
    await settle(server, league.id, 1)
    await undo(server, league.id)
    await undo(server, league.id)
    return await server.leagues.logs.read(league.id)


def forged(payloads: list[bytes], change: Undone, by: str = ADA.key) -> bytes:
    """A league file whose first undoing is another one, and its last entry, with a chain that holds."""
    chain = LeagueFold(payloads[0])
    for payload in payloads[1:]:
        entry = unpack(payload, Entry)
        if isinstance(entry.facts[0], Undone):
            made = pack(replace(entry, prev=chain.head, by=by, facts=(change,)))
            return written([*payloads[: entry.number - 1], made], ())
        chain.add(payload)
    raise AssertionError("nothing was undone")


async def test_the_check_of_a_league_file_finds_a_forged_undoing(server: Server) -> None:
    payloads = await undone_league(server)
    report = verify(written(payloads, ()), lambda _edition: ToyRules())
    assert report.entries == len(payloads)
    facts = [fact for payload in payloads for fact in unpack(payload, Entry).facts]
    first = next(fact for fact in facts if isinstance(fact, Undone))
    assert first == Undone(first.entry, "settle", WHY, (1,))
    for change, by, said in (
        (first, BO.key, "Bo could not do this: Only an organiser"),
        (first, "", "a player does this, and not the server"),
        (replace(first, fixtures=()), ADA.key, "what Ada did leads to something else"),
        (
            Undone(first.entry - 1, "round", WHY, (1,), 1),
            ADA.key,
            "Ada could not do this: A fixture of this round is over.",
        ),
        (replace(first, act="round"), ADA.key, "nothing of this kind to undo"),
        (replace(first, entry=2), ADA.key, "do not fit the league"),
        (replace(first, fixtures=(7,)), ADA.key, "do not fit the league"),
    ):
        with pytest.raises(Wrong, match=said):
            verify(forged(payloads, change, by), lambda _edition: ToyRules())


async def test_an_older_log_that_forgets_a_player_who_asked_to_come_back_holds_and_is_shown(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(free(), listed=True, open=False))
    await server.act(league.id, BO, Meet(CY.key))
    await server.act(league.id, CY, AnswerChallenge(1, yes=True))
    await settle(server, league.id, 1)
    await server.act(league.id, BO, Withdraw())
    payloads = await server.leagues.logs.read(league.id)
    fold = LeagueFold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    asked = PlayerJoined(BO.key, "Bo", force("Bo's", "rifle"), 1, admitted=False)
    for by, fact in ((BO.key, asked), (ADA.key, PlayerAdmitted(BO.key, yes=False))):
        payloads.append(fold.entry(fold.entries[-1].at, bytes(16), by, (fact,)))
        fold.add(payloads[-1])
    assert BO.key not in fold.league.players
    assert verify(written(payloads, ()), lambda _edition: ToyRules()).entries == len(payloads)
    assert [one.why_not for one in undo_views(fold)] == ["a stranger has left the league since."]


async def test_the_log_holds_what_was_undone_and_no_entry_undoes_twice(server: Server) -> None:
    payloads = await undone_league(server)
    fold = LeagueFold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    facts = [fact for entry in fold.entries for fact in entry.facts]
    assert sum(isinstance(fact, FixtureSettled) for fact in facts) == 1
    told = [one.text for one in undo_views(fold)] + texts(await server.leagues.show(fold.league.id, ADA.key))
    assert told[:3] == [
        "Ada has undone the beginning of round 1: A mistake.",
        "Ada has undone how Bo against Ada was settled: A mistake.",
        "Ada has settled Bo against Ada: A draw. Told.",
    ], "the players of a fixture that is gone are still named"
    (settled_, round_) = (fact for fact in facts if isinstance(fact, Undone))
    for again in (settled_, round_):
        with pytest.raises(LeagueLogError, match="nothing of this kind to undo"):
            fold.add(fold.entry(1, bytes(16), ADA.key, (again,)))
    assert read(written(payloads, ())).entries == tuple(payloads)
