"""The next match of the same players: made by one of them after the end, and found by the others where they played."""

from __future__ import annotations

import asyncio
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from client_protocol.from_client import MakeMatch, MatchBefore, TakeSeat
from client_protocol.from_server import MatchMade, Refused, SeatTaken
from client_protocol.next_match import next_invite
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.store.errors import StoreUnavailable
from server.store.store import MatchStore
from tests.support.room import DUEL, THREE_WAY, Table, entries_of, made, under_way

RED = replace(DUEL, mine=("red",))
CLOCK = ClockTerms("live", 600, 5)


def after(match: str, *tokens: str, swap: bool = False) -> MakeMatch:
    """The message that makes the next match."""
    return MakeMatch("next", "", "", "Ada", (), after=MatchBefore(match, tokens, swap))


async def _played(rooms: Rooms, message: MakeMatch = RED, rest: str = "blue") -> tuple[Table, dict[str, str]]:
    """A match that was played to its end, and the tokens of its seats."""
    match = await made(rooms, message)
    tokens = {given.seat: given.token for given in match.passes if given.token}
    for given in match.passes:
        if not given.token and given.seat == rest:
            taken = await rooms.take_seat(TakeSeat("take", match.match, rest, "Bob", given.invite))
            assert isinstance(taken, SeatTaken)
            tokens[rest] = taken.token
    table = await under_way(rooms, match.match)
    await table.play_out()
    return table, tokens


async def _next(rooms: Rooms, message: MakeMatch) -> tuple[MatchMade, Room]:
    reply = await rooms.make(message)
    assert isinstance(reply, MatchMade), reply
    room = await rooms.get(reply.match)
    assert room is not None
    return reply, room


async def test_each_player_sits_down_in_the_next_match_with_what_only_they_can_know(rooms: Rooms) -> None:
    table, tokens = await _played(rooms, replace(RED, listed=False, clock=CLOCK))
    reply, room = await _next(rooms, after(table.room.match, tokens["red"], swap=True))
    # Ada, who played red, has blue now; all else is as it was.
    assert {given.seat for given in reply.passes if given.token} == {"blue"}
    fold = room._referee.fold
    assert (room.listed, fold.state.desk.players) == (False, {"blue": "Ada"})
    assert fold.state.desk.clock is not None
    assert fold.state.desk.clock.terms == CLOCK
    # Bob reads of it where he played.
    for audience in ("blue", ""):
        view = table.listeners[audience].view()
        assert isinstance(view, dict)
        told = view["next"]
        assert told == {"match": room.match, "seats": {"red": "blue", "blue": "red"}}
    wrong = TakeSeat("take", room.match, "red", "Eve", next_invite(tokens["red"], room.match))
    assert isinstance(await rooms.take_seat(wrong), Refused)
    mine = TakeSeat("take", room.match, "red", "Bob", next_invite(tokens["blue"], room.match))
    assert isinstance(await rooms.take_seat(mine), SeatTaken)


async def test_sides_go_round_among_three(rooms: Rooms) -> None:
    table, tokens = await _played(rooms, THREE_WAY)
    reply, room = await _next(rooms, after(table.room.match, *tokens.values(), swap=True))
    assert {given.seat for given in reply.passes if given.token} == {"red", "blue", "green"}
    followed = table.room.followed_by
    assert followed is not None
    assert followed.seats == dict(zip(room.seats, (*room.seats[1:], room.seats[0]), strict=True))


async def test_only_players_make_the_next_match_once_and_after_the_end(rooms: Rooms) -> None:
    match = await made(rooms, replace(DUEL, mine=("red", "blue")))
    token = match.passes[0].token
    early = await rooms.make(after(match.match, token))
    assert isinstance(early, Refused)
    assert "not over" in early.sentence
    table = await under_way(rooms, match.match)
    await table.play_out()
    for tokens in (("wrong",), (token, "wrong")):
        refused = await rooms.make(after(match.match, *tokens))
        assert isinstance(refused, Refused)
        assert refused.code == "no_rematch"
    assert isinstance(await rooms.make(after("nosuchmatch", token)), Refused)
    await _next(rooms, after(match.match, token))
    again = await rooms.make(after(match.match, token))
    assert isinstance(again, Refused)
    assert "sit down there" in again.sentence


async def test_of_two_who_ask_at_once_one_makes_it(rooms: Rooms, store: MatchStore) -> None:
    table, tokens = await _played(rooms)
    asked = (after(table.room.match, token) for token in tokens.values())
    replies = await asyncio.gather(*map(rooms.make, asked))
    assert sorted(type(reply).__name__ for reply in replies) == ["MatchMade", "Refused"]
    assert {one.match for one in await rooms.listing()} == {
        table.room.match,
        *(reply.match for reply in replies if isinstance(reply, MatchMade)),
    }


async def test_a_next_match_that_was_never_stored_can_be_made_again(
    rooms: Rooms, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, tokens = await _played(rooms)
    with monkeypatch.context() as broken:
        broken.setattr(store, "create", AsyncMock(side_effect=StoreUnavailable("it is away")))
        assert isinstance(await rooms.make(after(table.room.match, tokens["red"])), Refused)
    lost = table.room.followed_by
    _, room = await _next(rooms, after(table.room.match, tokens["blue"]))
    followed = table.room.followed_by
    assert lost is not None
    assert followed is not None
    assert lost.match != followed.match == room.match


async def test_no_token_and_no_invite_is_stored(rooms: Rooms, store: MatchStore) -> None:
    table, tokens = await _played(rooms)
    _, room = await _next(rooms, after(table.room.match, tokens["red"]))
    for match in (table.room.match, room.match):
        stored = b"".join((await store.get_meta(match)).values()) + b"".join(await entries_of(store, match))
        for token in tokens.values():
            assert token.encode() not in stored
            assert next_invite(token, room.match).encode() not in stored
