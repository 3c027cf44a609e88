"""Forks: going on from every step of a recorded game, with new dice."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.from_client import Concede, ForkPoint, MakeMatch
from client_protocol.from_server import MatchMade, Refused
from server.kernel.belief import EVERYTHING, SPECTATORS, Audience
from server.kernel.desk_facts import ForceBrought, Offered, Said, StandingOrder
from server.kernel.dice import Taken
from server.kernel.facts import AnswerSealed, AnswersOpened
from server.kernel.ruleset import Ruleset
from server.kernel.state import Asset, Desk, State
from server.matches.log import match_file
from server.matches.log.entries import Aside, Body, Opened, Stepped, decode, opening, position
from server.matches.log.fold import Fold
from server.matches.play.referee import Referee
from server.matches.rooms import Rooms
from server.matches.setup.forks import Fork, fork
from server.matches.verify.match_file import verify
from server.rulesets.library import editions
from server.store.store import MatchStore
from tests.support.playing import SECRET, MatchInMemory, press_on, whole
from tests.support.room import DUEL, Table, begun, entries_of, eventually, rooms_on, under_way
from tests.support.toy_rules import ToyRules, force

every_rules = pytest.mark.parametrize("rules", [ToyRules(), *editions().values()], ids=["toy", *editions()])


def bare(state: State) -> State:
    return replace(state, desk=Desk(orders=state.desk.orders))


class Forked(MatchInMemory):
    """A fork without a store."""

    def __init__(self, rules: Ruleset, found: Fork) -> None:
        super().__init__(rules, rules.info.scenarios[0].id, secret=bytes([7]) * 32)
        before = decode(1, self.entries[0]).body
        assert isinstance(before, Opened)
        opened = replace(
            before,
            match="m2",
            position=position(found.state),
            forked=found.forked,
            since=found.since,
            scenario="position",
        )
        self.entries = [opening(opened, 1000, bytes(16))]
        self.referee = self.again()


@every_rules
def test_a_match_can_be_forked_from_every_step_of_a_recorded_game(rules: Ruleset) -> None:
    recorded = whole(rules, press_on, rules.info.scenarios[0].id)
    walk = Fold(recorded.entries[0])
    steps = forks = 0
    for number, payload in enumerate(recorded.entries[1:], 2):
        walk.add(payload)
        if walk.state.result is not None:
            assert isinstance(fork(recorded.entries, EVERYTHING, number - 1), str)
            continue
        if not walk.ready or walk.to_begin:
            continue
        steps += 1
        found = fork(recorded.entries, EVERYTHING, number - 1)
        assert isinstance(found, Fork)
        assert found.forked.entry == number
        match = Forked(rules, found)
        assert bare(match.referee.fold.state) == bare(walk.state)
        nothing = match.referee.ask
        assert nothing is None, "no seat is asked before all players are there"
        match.seat_all()
        assert match.referee.trouble == ""
        ask = match.referee.ask
        assert ask is not None
        forks += 1
        # The fork asks what was asked there.
        there = MatchInMemory(rules, rules.info.scenarios[0].id)
        there.entries = recorded.entries[:number]
        assert ask == there.again().ask
        assert match.again().ask == ask
    assert forks == steps > 5


@every_rules
def test_a_fork_is_played_to_its_end_and_verified(rules: Ruleset) -> None:
    recorded = whole(rules, press_on, rules.info.scenarios[0].id)
    middle = len(recorded.entries) // 2
    found = fork(recorded.entries, EVERYTHING, middle)
    assert isinstance(found, Fork)
    match = Forked(rules, found)
    match.seat_all()
    if match.referee.may_begin:
        match.begin()
    for _ in match.play():
        pass
    assert match.referee.fold.state.result is not None
    report = verify(match_file.export(match.entries), lambda _edition: rules)
    assert report.replayed == report.steps
    first, second = Fold(recorded.entries[0]), match.referee.fold
    assert second.counters.keys() <= {"", *first.counters, *second.counters}
    assert all(count >= 0 for count in second.counters.values())


def ordered_about() -> MatchInMemory:
    """Return a match with a brought force, standing orders and chat, most of them in the middle of a step."""
    match = MatchInMemory(ToyRules(rounds=3))
    match.add(Aside((ForceBrought("red", force("Red's own", "gun")),), "red"))
    match.seat_all()
    match.order("blue-1", "press")
    match.begin()
    for number, seat in enumerate(match.play(press_on)):
        match.order(f"{seat}-1", ("press", "", "stop")[number % 3])
        match.add(Aside((Said(seat, "", "Hm", "side"), Offered(str(number), seat, "pause")), seat))
    return match


@pytest.mark.parametrize("view", [EVERYTHING, SPECTATORS, "red", "blue"])
def test_a_fork_counts_the_frames_of_each_audience_and_keeps_standing_orders(view: Audience) -> None:
    entries = ordered_about().entries
    walk = Fold(entries[0])
    last = {0: 1}
    folds = {1: Fold(entries[0])}
    for number, payload in enumerate(entries[1:], 2):
        walk.add(payload)
        last[number - 1 if view == EVERYTHING else walk.seqs[view]] = number
        folds[number] = Fold(entries[0])
        for earlier in entries[1:number]:
            folds[number].add(earlier)
    for frame, number in last.items():
        found, there = fork(entries, view, frame), folds[number]
        if there.state.result is not None:
            assert isinstance(found, str)
            continue
        assert isinstance(found, Fork)
        assert found.forked.entry == number
        match = Forked(ToyRules(rounds=3), found)
        assert bare(match.referee.fold.state) == bare(there.state)
        assert match.referee.fold.state.desk.forces == there.state.desk.forces
        if not there.to_begin:
            match.seat_all()
            assert match.referee.trouble == ""
            assert match.referee.ask == Referee(ToyRules(rounds=3), SECRET, there).ask
            assert match.referee.fold.prompt_id("red") == "0"
        asides = [body for body in found.since if isinstance(body, Aside)]
        assert all(body.facts for body in asides)
        assert {type(fact) for body in asides for fact in body.facts} <= {StandingOrder}, "no talk, and no offers"
    for frame in (-1, max(last) + 1):
        assert fork(entries, view, frame) == "There is no such moment in that match."


def test_a_fork_of_an_unknown_view_or_of_everything_in_a_running_match_is_refused() -> None:
    entries = ordered_about().entries
    assert fork(entries, "green", 1) == "There is no such moment in that match."
    running = entries[: len(entries) // 2]
    assert isinstance(fork(running, EVERYTHING, 1), str), "all of it is seen when it is over"


class Going:
    """A match in play, made entry by entry, whatever the rules would say."""

    def __init__(self, *, hidden: bool = False, off_table: dict[str, Asset] | None = None) -> None:
        state = ToyRules().open("duel", {"hidden_forces": hidden})
        if off_table is not None:
            state = replace(state, sides={k: replace(side, assets=off_table) for k, side in state.sides.items()})
        opened = Opened("m1", "toy", "toy 1", "duel", state.title, position(state), "00" * 32, listed=True)
        self.entries = [opening(opened, 1000, bytes(16))]
        self.fold = Fold(self.entries[0])

    def add(self, body: Body) -> Going:
        self.entries.append(self.fold.entry(body, 1000, bytes(16)))
        self.fold.add(self.entries[-1])
        return self

    def forks(self, view: Audience = SPECTATORS, *, orders: bool = False) -> bool:
        return isinstance(fork(self.entries, view, self.fold.seqs[view], orders=orders), Fork)


IT = Picked("it")


def test_a_match_in_play_can_be_forked_only_where_nothing_can_be_hidden() -> None:
    assert Going().add(Stepped()).forks(orders=True)
    # If there are standing orders, one may have caused what followed a decision.
    decided = Going().add(Stepped()).add(Stepped("red", picked=IT))
    assert decided.forks()
    assert not decided.forks(orders=True)
    # Dice rolled openly hide nothing; others may.
    for stream, forks in (("", True), ("secret:red", False)):
        rolled = Stepped("red", picked=IT, rolls=(Taken(stream, 0, 6, (3,)),))
        assert Going().add(Stepped()).add(rolled).forks() is forks
    # A sealed answer that waits, or waited, may have been replaced.
    waits = Going().add(Stepped()).add(Stepped("red", picked=IT, facts=(AnswerSealed("red", IT),)))
    assert not waits.forks()
    assert not waits.forks("red")
    opened = waits.add(Stepped("blue", picked=IT, facts=(AnswerSealed("blue", IT), AnswersOpened())))
    assert not opened.forks()


def test_a_match_cannot_be_forked_while_forces_may_be_hidden() -> None:
    assert not Going(hidden=True).forks()
    assert Going(hidden=False).forks()
    assert Going(hidden=True).add(Stepped()).forks()


@pytest.mark.parametrize("off_table", [{}, {"guns": Asset("guns", "Guns", {}, hidden=True)}])
def test_a_match_cannot_be_forked_while_sides_may_hide_what_is_off_the_table(off_table: dict[str, Asset]) -> None:
    # Whether there is something does not matter, or trying would reveal it.
    assert not Going(hidden=True, off_table=off_table).add(Stepped()).forks()
    assert not Going(hidden=True, off_table=off_table).add(Stepped()).forks("red")
    assert Going(off_table={}).add(Stepped()).forks()


# --- on a server -----------------------------------------------------------------------------------------------------


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store, ToyRules(rounds=3)) as opened:
        yield opened


def forking(match: str, view: str, frame: int, token: str = "") -> MakeMatch:
    return replace(DUEL, id="fork-1", fork=ForkPoint(match, view, frame, token))


async def forked(rooms: Rooms, message: MakeMatch) -> Table:
    made = await rooms.make(message)
    assert isinstance(made, MatchMade), made
    return await under_way(rooms, made.match)


async def test_an_ended_match_can_be_forked_by_anyone_with_new_dice(rooms: Rooms, store: MatchStore) -> None:
    first = await begun(rooms)
    await first.deploy()
    await first.play_out()
    await eventually(lambda: first.room.published)
    length = await store.length(first.room.match)
    second = await forked(rooms, forking(first.room.match, "*", length // 2))
    snapshot = second.room.teller.snapshot(SPECTATORS)
    assert snapshot.origin.startswith(f"It goes on from step {length // 2} of the match {first.room.match}")
    assert snapshot.commitment != first.room.teller.snapshot(SPECTATORS).commitment
    await second.play_out()
    await eventually(lambda: second.room.published)
    report = verify(match_file.export(await entries_of(store, second.room.match)), lambda _edition: ToyRules(rounds=3))
    assert report.replayed == report.steps
    assert await store.length(first.room.match) == length, "the first match is as it was"


async def test_a_live_match_can_be_forked_only_from_moments_without_secrets(rooms: Rooms) -> None:
    first = await begun(rooms)
    match = first.room.match
    await first.deploy()
    seen = first.listeners[""].seqs[-1]
    await first.give("red", first.default("red"))  # a bid that waits for the other one
    hidden = await rooms.make(forking(match, "", seen + 1))
    assert isinstance(hidden, Refused)
    assert "hidden" in hidden.sentence
    for view in ("*", "red", "nobody"):
        other = await rooms.make(forking(match, view, seen))
        assert isinstance(other, Refused), view
        assert other.code == "no_fork"
    second = await forked(rooms, forking(match, "", seen))
    assert set(second.asked) == {"red", "blue"}


async def test_the_end_of_a_match_and_an_unknown_match_cannot_be_forked(rooms: Rooms, store: MatchStore) -> None:
    first = await begun(rooms)
    await first.room.settle_on_desk("red", Concede("concede-1"))
    await eventually(lambda: first.room.published)
    last = await store.length(first.room.match) - 1
    for message in (
        forking(first.room.match, "*", last),
        forking(first.room.match, "*", last + 1),
        forking("nothing", "*", 1),
        forking(first.room.match, "", 1, "a token of no seat"),
    ):
        reply = await rooms.make(message)
        assert isinstance(reply, Refused)
        assert reply.code == "no_fork"
