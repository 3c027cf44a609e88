"""Clocks at a table: each of their events, by a clock that the tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Claim, MakeOffer, Respond, Say, TakeBack
from client_protocol.from_server import Accepted, Refused, Update
from server.kernel.belief import SPECTATORS
from server.kernel.procedure import Run, Step
from server.matches.log.entries import Stepped, decode
from server.matches.play.abandonment import Abandonment
from server.store.store import MatchStore
from tests.support.playing import Listener
from tests.support.room import DUEL, THREE_WAY, Hands, Table, begun, entries_of, eventually, made, ready, rooms_on
from tests.support.timed import Maker, Match
from tests.support.toy_rules import ToyRules

LIVE = ClockTerms("live", bank=60, increment=5, allowance=20)
CLAIM = replace(LIVE, at_zero="claim")
LETTERS = ClockTerms("correspondence", bank=3600)
DAY = 86_400


@pytest.fixture
async def make(store: MatchStore) -> AsyncIterator[Maker]:
    async with AsyncExitStack() as stack:
        yield Maker(store, stack)


async def test_no_time_runs_in_a_match_without_a_clock(make: Maker) -> None:
    match = await make(None)
    assert match.view().clock is None
    await match.pass_time(365 * DAY)
    assert match.table.asked == ["red", "blue"]


async def test_a_clock_runs_until_a_seat_answers_and_the_step_holds_what_remains(make: Maker) -> None:
    match = await make(LIVE)
    assert match.clock.remaining == {"red": 60_000, "blue": 60_000}
    match.hands.move(10)
    await match.decide("red")
    step = await match.last()
    assert isinstance(step, Stepped)
    assert step.clock is not None
    assert step.clock.remaining == {"red": 55_000, "blue": 50_000}, "who has decided gets the increment"
    assert step.clock.at == match.hands.up
    match.hands.move(10)
    await match.decide("blue")
    assert match.clock.remaining == {"red": 55_000, "blue": 45_000}


@pytest.mark.parametrize("terms", [LIVE, CLAIM, LETTERS, None])
async def test_an_entry_sets_its_deadline_in_the_same_write(
    make: Maker, monkeypatch: pytest.MonkeyPatch, terms: ClockTerms | None
) -> None:
    match = await make(terms, abandonment=Abandonment("draw", DAY))
    await match.table.room.tick()
    said = list[object]()

    async def set_due(*args: object) -> None:
        said.append(args)

    monkeypatch.setattr(match.store, "set_due", set_due)
    for _ in range(3):
        for seat in ("red", "red", "blue"):
            if seat in match.table.asked:
                match.hands.move(1)
                await match.decide(seat)
    await match.table.room.say("red", "", Say("say-00001", "Hm"))
    assert said == []


async def test_the_default_is_played_when_no_time_is_left(make: Maker) -> None:
    match = await make(LIVE)
    await match.decide("red")
    await match.pass_time(59.999)
    assert match.table.asked
    assert not match.table.prompt("blue").answered
    await match.pass_time(0.001)
    await eventually(lambda: len(match.view().units["blue-1"].figures) > 0 and not match.view().phase.startswith("dep"))
    assert match.told()[-1].endswith("has no time left: the default is played.")
    bodies = [decode(n, p).body for n, p in enumerate(await entries_of(match.store, match.table.room.match), 1)]
    played = [body for body in bodies if isinstance(body, Stepped) and body.played]
    assert [(body.seat, body.played) for body in played] == [("blue", "time")]
    assert match.clock.remaining["blue"] == 5_000, "and the increment goes on"


async def test_the_others_may_claim_the_game_from_a_late_seat_until_it_decides(make: Maker) -> None:
    match = await make(CLAIM)
    await match.decide("red")
    early = await match.says("red", Claim)
    assert isinstance(early, Refused)
    assert early.code == "nothing_to_claim"
    await match.pass_time(60)
    assert list(match.clock.up) == ["blue"]
    assert match.told() == ["Ada has no time left: the game may be claimed."]
    assert match.table.asked, "the game goes on until it is claimed"
    mine = await match.says("blue", Claim)
    assert isinstance(mine, Refused), "no player claims against oneself"

    await match.decide("blue")
    assert list(match.clock.up) == []
    late = await match.says("red", Claim)
    assert isinstance(late, Refused)


async def test_a_claimed_game_is_over_and_states_the_reason(make: Maker) -> None:
    match = await make(CLAIM)
    await match.decide("red")
    await match.pass_time(61)
    assert isinstance(await match.says("red", Claim), Accepted)
    result = match.view().result
    assert result is not None
    assert (result.winner, result.how, result.rule) == ("red", "time", "")
    assert "no time left" in result.reason
    await eventually(lambda: match.table.room.published)
    assert await match.store.due(10**12) == {}, "nothing is due in it any more"


async def test_a_game_can_be_claimed_at_the_deadline_if_the_clock_allows_claims(make: Maker) -> None:
    match = await make(CLAIM, THREE_WAY)
    await match.decide("red")
    match.hands.move(60)
    # No server has polled the deadline yet.
    assert isinstance(await match.says("red", Claim), Accepted)
    result = match.view().result
    assert result is not None
    assert (result.winner, result.how) == ("red", "time")
    assert result.reason == "Ada and Ada have no time left, and Ada claims the game."

    match = await make(LIVE)
    await match.decide("red")
    match.hands.move(60)
    refused = await match.says("red", Claim)
    assert isinstance(refused, Refused)
    assert refused.code == "nothing_to_claim", "the default is played instead"


async def test_one_of_three_whose_time_is_claimed_is_out_and_the_others_play_on(make: Maker) -> None:
    match = await make(CLAIM, THREE_WAY)
    await match.decide("red")
    await match.decide("green")
    await match.pass_time(61)
    assert isinstance(await match.says("red", Claim), Accepted)
    await eventually(lambda: match.view().seats["blue"].conceded)
    assert match.view().result is None
    await eventually(lambda: "blue" not in match.table.asked or match.table.prompt("blue").answered)


async def test_in_correspondence_each_decision_has_its_whole_time(make: Maker) -> None:
    match = await make(LETTERS)
    await match.pass_time(3000)
    await match.decide("red")
    assert match.clock.remaining == {"red": 600_000, "blue": 600_000}
    await match.decide("blue")
    assert match.clock.remaining == {"red": 3_600_000, "blue": 3_600_000}, "a new decision is asked of both"
    await match.pass_time(3600)
    await eventually(lambda: match.told().count("Ada has no time left: the default is played.") >= 2)


async def test_time_stands_still_while_no_server_is_up(make: Maker) -> None:
    match = await make(LIVE)
    match.hands.now += 1000 * DAY
    await match.table.room.tick()
    await match.decide("red")
    assert match.clock.remaining == {"red": 65_000, "blue": 60_000}


async def test_a_lost_connection_uses_the_allowance_first_and_all_seats_are_told(make: Maker) -> None:
    match = await make(LIVE)
    red = match.table.listeners["red"]
    match.hands.move(10)
    match.table.room.leave(red.connection)
    await eventually(lambda: match.clock.away == ("red",))
    assert match.told("blue") == ["Ada has lost the connection."]
    match.hands.move(15)
    back = Listener()
    match.table.room.enter("red", -1, back.connection)
    await eventually(lambda: match.clock.away == ())
    assert match.told("blue")[-1] == "Ada is back."
    assert match.clock.allowance == {"red": 5_000, "blue": 20_000}
    assert match.clock.remaining == {"red": 50_000, "blue": 35_000}

    match.table.room.leave(back.connection)
    await eventually(lambda: match.clock.away == ("red",))
    await match.decide("blue")
    match.hands.move(5)
    assert await match.store.due(match.hands.up) == {}
    await match.pass_time(50)
    await eventually(lambda: "Ada has no time left: the default is played." in match.told())


async def test_a_seat_is_present_while_one_of_its_windows_is_connected(make: Maker) -> None:
    match = await make(LIVE)
    second = Listener()
    match.table.room.enter("red", -1, second.connection)
    match.table.room.leave(match.table.listeners["red"].connection)
    await match.table.room.tick()
    assert match.clock.away == ()
    match.table.room.leave(second.connection)
    await eventually(lambda: match.clock.away == ("red",))


async def test_a_player_who_leaves_before_the_start_is_away_from_the_beginning(store: MatchStore) -> None:
    hands = Hands()
    async with rooms_on(store, ToyRules(rounds=6), hands=hands) as rooms:
        reply = await made(rooms, replace(DUEL, clock=LIVE))
        room = await rooms.get(reply.match)
        assert room is not None
        blue = Listener()
        room.enter("blue", -1, blue.connection)
        await ready(room)
        await eventually(lambda: room.teller.prompt("red") is not None)
        await room.tick()
        hands.move(15)
        red = Listener()
        room.enter("red", -1, red.connection)
        await room.tick()
        clock = room.teller.snapshot(SPECTATORS).view.clock
        assert clock is not None
        assert (clock.away, clock.allowance) == ((), {"red": 5_000, "blue": 20_000})
        assert clock.remaining == {"red": 60_000, "blue": 45_000}
        told = [m.story for m in blue.messages if isinstance(m, Update)]
        assert not [story for stories in told for story in stories if story.kind == "clock"], "no connection was lost"


async def test_a_player_who_moved_to_another_server_is_noticed_when_leaving_it(
    store: MatchStore, valkey_url: str
) -> None:
    hands = Hands()
    async with rooms_on(store, ToyRules(rounds=6), hands=hands) as died:
        match = (await begun(died, replace(DUEL, clock=LIVE))).room.match
    async with (
        MatchStore(valkey_url) as other,
        rooms_on(store, ToyRules(rounds=6), hands=hands) as here,
        rooms_on(other, ToyRules(rounds=6), hands=hands) as there,
    ):
        room, twin = await here.get(match), await there.get(match)
        assert room is not None
        assert twin is not None
        table = Match(Table(room), hands, store)
        await room.tick()
        second = Listener()
        twin.enter("red", -1, second.connection)
        await twin.tick()
        await room.tick()
        length = await store.length(match)
        room.enter("red", -1, Listener().connection)
        await room.tick()
        await twin.tick()
        assert await store.length(match) == length, "two windows do not take the seat from each other for ever"
        twin.leave(second.connection)
        await eventually(
            lambda: table.clock.away == () and table.told() == ["Ada has lost the connection.", "Ada is back."]
        )
        room.leave(table.table.listeners["blue"].connection)
        await eventually(lambda: table.clock.away == ("blue",))


async def test_presence_is_told_only_in_matches_with_a_live_clock(make: Maker) -> None:
    match = await make(LETTERS)
    before = len(match.table.listeners["blue"].messages)
    match.table.room.leave(match.table.listeners["red"].connection)
    await match.table.room.tick()
    assert len(match.table.listeners["blue"].messages) == before


async def test_clocks_are_stopped_and_started_by_consent(make: Maker) -> None:
    match = await make(LIVE)
    match.hands.move(10)
    await match.agree("red", "blue", "pause")
    stopped = match.clock.paused
    assert stopped
    assert match.view().offers == {}
    await match.pass_time(10 * DAY)
    assert match.clock.remaining == {"red": 50_000, "blue": 50_000}
    refused = await match.says("red", MakeOffer, "pause")
    assert isinstance(refused, Refused)
    await match.agree("blue", "red", "resume")
    assert not match.clock.paused
    match.hands.move(10)
    await match.decide("red")
    assert match.clock.remaining == {"red": 45_000, "blue": 40_000}
    assert match.told()[:2] == ["The clocks are stopped.", "The clocks go on."]


async def test_a_match_changes_between_live_and_correspondence_when_all_agree(make: Maker) -> None:
    match = await make(LIVE)
    match.hands.move(10)
    await match.agree("red", "blue", "clock", LETTERS)
    assert match.clock.terms == LETTERS
    assert match.clock.remaining == {"red": 3_600_000, "blue": 3_600_000}
    await match.pass_time(3600)
    await eventually(lambda: "the default is played" in " ".join(match.told()))

    await match.agree("blue", "red", "clock", None)
    assert match.view().clock is None
    await match.pass_time(100 * DAY)
    assert match.view().result is None
    await match.agree("blue", "red", "clock", CLAIM)
    assert match.clock.remaining == {"red": 60_000, "blue": 60_000}
    await match.pass_time(61)
    assert set(match.clock.up) == set(match.table.asked)


async def test_a_seat_that_is_away_stays_away_under_a_new_clock(make: Maker) -> None:
    match = await make(LIVE)
    match.table.room.leave(match.table.listeners["blue"].connection)
    await eventually(lambda: match.clock.away == ("blue",))
    await match.agree("red", "blue", "clock", CLAIM)
    match.hands.move(15)
    await match.decide("red")
    assert (match.clock.away, match.clock.allowance) == (("blue",), {"red": 20_000, "blue": 5_000})


async def to_the_press(match: Match) -> tuple[str, str]:
    """Play, a second for each decision, until one seat decides alone; return that seat, and the other one, which decided
    before.
    """
    await match.table.deploy()
    while match.table.prompt(match.table.asked[0]).title != "Press on?":
        seat = next(seat for seat in match.table.asked if not match.table.prompt(seat).answered)
        match.hands.move(1)
        await match.decide(seat)
    (winner,) = match.table.asked
    return winner, "blue" if winner == "red" else "red"


async def test_a_take_back_neither_turns_clocks_back_nor_gains_time(make: Maker) -> None:
    match = await make(LIVE)
    winner, loser = await to_the_press(match)
    match.hands.move(7)
    before = match.clock.remaining
    assert isinstance(await match.says(loser, TakeBack), Accepted)
    (key,) = match.view().offers
    assert isinstance(await match.says(winner, Respond, key, True), Accepted)
    await eventually(lambda: match.table.asked == [loser])
    # The undone decision has earned nothing; the other seat's seven seconds are spent.
    assert match.clock.remaining == {loser: before[loser] - 5_000, winner: before[winner] - 7_000}
    assert match.clock.at == match.hands.up
    deadlines = await match.store.due(10**12)
    assert next(iter(deadlines.values())) == match.hands.up + match.clock.remaining[loser]


async def test_a_correspondence_decision_taken_back_goes_on_with_the_time_left_for_it(make: Maker) -> None:
    match = await make(LETTERS)
    winner, loser = await to_the_press(match)
    assert isinstance(await match.says(loser, TakeBack), Accepted)
    (key,) = match.view().offers
    match.hands.move(60)
    assert isinstance(await match.says(winner, Respond, key, True), Accepted)
    await eventually(lambda: match.table.asked == [loser])
    assert match.clock.remaining[loser] == 3_599_000, "it had thought for a second"


async def to_the_loss(match: Match) -> tuple[str, str]:
    """Play until one seat chooses a loss alone; return that seat and the other one."""
    await match.table.deploy()
    for seat in ("red", "blue"):
        await match.decide(seat)
    (loser,) = match.table.asked
    return loser, "blue" if loser == "red" else "red"


async def test_a_take_back_does_not_charge_time_in_which_the_clock_was_paused(make: Maker) -> None:
    match = await make(LETTERS)
    loser, winner = await to_the_loss(match)
    match.hands.move(60)
    await match.agree(loser, winner, "pause")
    await match.pass_time(2 * DAY)
    await match.agree(loser, winner, "resume")
    match.hands.move(5)
    await match.decide(loser)
    await match.agree_to_take_back(loser, winner)
    assert match.clock.remaining[loser] == 3_535_000
    assert await match.store.due(match.hands.up) == {}


async def test_a_take_back_of_a_decision_under_other_clock_terms_changes_no_clock(make: Maker) -> None:
    match = await make(None)
    loser, winner = await to_the_loss(match)
    await match.decide(loser)
    await match.agree(loser, winner, "clock", LIVE)
    await match.agree_to_take_back(loser, winner)
    assert match.clock.remaining == {"red": 60_000, "blue": 60_000}


async def test_replacing_a_sealed_answer_earns_no_time_and_is_not_noticed(make: Maker) -> None:
    match = await make(LIVE)
    match.hands.move(1)
    await match.decide("red")
    noticed = match.view("blue")
    for _ in range(3):
        match.hands.move(1)
        await match.decide("red")
    assert match.view("blue") == noticed
    await match.decide("blue")
    assert match.clock.remaining == {"red": 64_000, "blue": 61_000}


async def test_two_servers_together_play_a_default_only_once(store: MatchStore, valkey_url: str) -> None:
    hands = Hands()
    async with (
        MatchStore(valkey_url) as other,
        rooms_on(store, ToyRules(rounds=6), hands=hands) as here,
        rooms_on(other, ToyRules(rounds=6), hands=hands) as there,
    ):
        match = Match(await begun(here, replace(DUEL, clock=LIVE)), hands, store)
        twin = await there.get(match.table.room.match)
        assert twin is not None
        await match.decide("red")
        hands.move(61)
        await match.table.room.tick()
        await twin.tick()
        bodies = [decode(n, p).body for n, p in enumerate(await entries_of(store, twin.match), 1)]
        assert len([body for body in bodies if isinstance(body, Stepped) and body.played]) == 1


# --- stalled matches without a clock ---------------------------------------------------------------------------------


async def test_an_abandoned_game_may_be_claimed_after_the_operators_time(make: Maker) -> None:
    match = await make(None, abandonment=Abandonment("claim", 14 * DAY))
    await match.decide("red")
    await match.pass_time(13 * DAY)
    early = await match.says("red", Claim)
    assert isinstance(early, Refused)
    assert early.code == "too_early"
    assert "1 day" in early.sentence
    await match.pass_time(DAY)
    assert match.view().result is None
    assert isinstance(await match.says("red", Claim), Accepted)
    result = match.view().result
    assert result is not None
    assert (result.winner, result.how) == ("red", "abandonment")


async def test_an_abandoned_game_ends_as_a_draw_under_the_draw_policy(make: Maker) -> None:
    match = await make(None, abandonment=Abandonment("draw", 30 * DAY))
    await match.decide("red")
    await match.pass_time(29 * DAY)
    await match.table.room.say("red", "", Say("say-00001", "Hello?"))
    await match.pass_time(DAY)
    await eventually(lambda: match.view().result is not None)
    result = match.view().result
    assert result is not None
    assert (result.winner, result.how) == ("", "abandonment")
    assert "30 days" in result.reason


async def test_an_abandoned_game_goes_on_without_a_policy(make: Maker) -> None:
    match = await make(None)
    await match.pass_time(1000 * DAY)
    refused = await match.says("red", Claim)
    assert isinstance(refused, Refused)
    assert match.view().result is None


async def test_up_time_does_not_go_back_where_another_server_reads_it_a_little_later(make: Maker) -> None:
    for terms in (None, LIVE):
        match = await make(terms)
        match.hands.move(10)
        await match.decide("red")
        before = await match.last()
        match.hands.up -= 22
        await match.decide("blue")
        after = await match.last()
        assert isinstance(before, Stepped)
        assert isinstance(after, Stepped)
        assert (after.clock.at if after.clock else after.up) >= (before.clock.at if before.clock else before.up)


async def test_an_answer_waits_for_the_right_up_time_of_a_server_that_stood_still(store: MatchStore) -> None:
    hands = Hands()

    async def refresh() -> None:
        hands.up = max(hands.up, 20_000)

    async with rooms_on(store, hands=hands, refresh_up=refresh) as rooms:
        room = (await begun(rooms, replace(DUEL, clock=LIVE))).room
        hands.up = 0
        table = Match(Table(room), hands, store)
        await table.decide("red")
        step = await table.last()
        assert isinstance(step, Stepped)
        assert step.clock is not None
        assert step.clock.at == 20_000


async def test_the_next_player_is_not_charged_for_a_server_that_stood_still_while_it_ran_the_rules(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await make(LIVE)
    run = Run.answer

    def frozen(self: Run, seat: str, picked: Picked) -> Step:
        step = run(self, seat, picked)
        match.hands.move(9)
        return step

    await match.decide("red")
    match.hands.move(1)
    monkeypatch.setattr(Run, "answer", frozen)
    await match.decide("blue")
    monkeypatch.undo()
    step = await match.last()
    assert isinstance(step, Stepped)
    assert step.clock is not None
    assert step.clock.at == match.hands.up, "its up-time and its time are of the same moment"
