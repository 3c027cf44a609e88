"""The check of a league file knows the map of a campaign: orders that were sealed, and what had to follow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from client_protocol.leagues import PairRound, Settle
from client_protocol.maps import MoveForce, RevealOrders
from server.leagues.log.entries import Entry, LeagueFold
from server.leagues.log.facts import Happened, LeagueFact
from server.leagues.log.league_file import read, written
from server.leagues.log.map_facts import OrderSealed, OrdersRevealed, TurnEnded, TurnOpened
from server.leagues.verify.league_file import verify
from server.matches.log.finding import Wrong
from tests.leagues.conftest import CY, Server
from tests.leagues.test_map import DAY, ON_MAP
from tests.support.player_keys import ADA, BO
from tests.support.toy_rules import ToyRules

TOY = ToyRules()


@pytest.fixture
async def played(server: Server) -> bytes:
    """The file of a campaign of three: Ada changes her order, the organiser reveals the first turn's, Ada wins the battle at the
    ford; the orders of the second turn are revealed at their deadline.
    """
    league = await server.gathered(ADA, BO, CY, terms=replace(ON_MAP, listed=True, days=2))
    for act in (PairRound(0), MoveForce(1, "west"), MoveForce(1, "ford")):
        await server.act(league.id, ADA, act)
    await server.act(league.id, BO, MoveForce(1, "ford"))
    await server.act(league.id, ADA, RevealOrders(1))
    await server.act(league.id, ADA, Settle(1, "won", ADA.key, "Bo was late."))
    await server.act(league.id, ADA, PairRound(1))
    await server.act(league.id, CY, MoveForce(2, "hill"))
    await server.pass_(2 * DAY + 1)
    return await server.leagues.file(league.id)


def forged(data: bytes, change: Callable[[Entry], Entry]) -> bytes:
    """Return a file in which entries are changed, written anew with a chain that holds."""
    first, *others = read(data).entries
    payloads, chain = [first], LeagueFold(first)
    for payload in others:
        payloads.append(pack(replace(change(unpack(payload, Entry)), prev=chain.head)))
        chain.add(payloads[-1])
    return written(payloads, ())


def of_facts(change: Callable[[LeagueFact], LeagueFact]) -> Callable[[Entry], Entry]:
    return lambda entry: replace(entry, facts=tuple(map(change, entry.facts)))


async def test_a_campaign_on_a_map_is_checked(played: bytes) -> None:
    report = verify(played, lambda _edition: TOY)
    facts = [fact for payload in read(played).entries for fact in unpack(payload, Entry).facts]
    assert [type(fact) for fact in facts[-2:]] == [OrdersRevealed, TurnEnded]
    assert sum(isinstance(fact, TurnEnded) for fact in facts) == 2
    assert report.entries == len(read(played).entries)


def _before_the_deadline(entry: Entry) -> Entry:
    at_deadline = not entry.by and isinstance(entry.facts[0], OrdersRevealed)
    return replace(entry, at=entry.at - DAY * 1000) if at_deadline else entry


def _by_a_player(entry: Entry) -> Entry:
    revealed = isinstance(entry.facts[0], OrdersRevealed) and bool(entry.by)
    return replace(entry, by=BO.key) if revealed else entry


def _another_march(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, OrdersRevealed) and fact.turn == 1:
        elsewhere = tuple(replace(one, area="hill") if one.player == CY.key else one for one in fact.stands)
        return replace(fact, stands=elsewhere, taken=(("east", ADA.key),))
    return fact


def _another_refuge(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, TurnEnded) and fact.retreats:
        return replace(fact, retreats=tuple(replace(one, to="west") for one in fact.retreats))
    return fact


def _more_worth(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, TurnEnded):
        return replace(fact, paid=tuple((player, worth + 1) for player, worth in fact.paid))
    return fact


def _for_another_player(fact: LeagueFact) -> LeagueFact:
    return replace(fact, number=fact.number + 4) if isinstance(fact, OrderSealed) and fact.player == CY.key else fact


def _other_homes(fact: LeagueFact) -> LeagueFact:
    if isinstance(fact, TurnOpened) and fact.homes:
        (ada, west), (bo, east), *others = fact.homes
        return replace(fact, homes=((ada, east), (bo, west), *others))
    return fact


def _later(fact: LeagueFact) -> LeagueFact:
    return replace(fact, until=fact.until + 1) if isinstance(fact, OrdersRevealed) and fact.until else fact


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_before_the_deadline, "could not reveal orders"),
        (_by_a_player, "Bo could not do this: Only an organiser"),
        (of_facts(_another_march), "leads to something else|something else follows"),
        (of_facts(_another_refuge), "something else follows"),
        (of_facts(_more_worth), "something else follows"),
        (of_facts(_for_another_player), "leads to something else"),
        (of_facts(_other_homes), "leads to something else|could not do this"),
        (of_facts(_later), "leads to something else"),
    ],
)
async def test_what_the_rules_of_the_map_contradict_is_found(
    played: bytes, change: Callable[[Entry], Entry], said: str
) -> None:
    with pytest.raises(Wrong, match=said):
        verify(forged(played, change), lambda _edition: TOY)


async def test_a_turn_that_had_to_end_and_did_not_is_found(played: bytes) -> None:
    *before, last = read(played).entries
    entry = unpack(last, Entry)
    kept: tuple[Happened, ...] = tuple(fact for fact in entry.facts if isinstance(fact, OrdersRevealed))
    assert len(kept) == 1
    cut = written([*before, pack(replace(entry, facts=kept))], ())
    with pytest.raises(Wrong, match="something else follows"):
        verify(cut, lambda _edition: TOY)
