"""Taking back: free until a die has fallen or something hidden was shown, otherwise by consent; the dice go on, and the log
keeps both lines.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.from_client import Respond, TakeBack
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import View
from server.kernel.desk_facts import DiceRenewed, Offered, StandingOrder
from server.kernel.facts import AnswersOpened, ForceDismissed
from server.kernel.procedure import Happened
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Aside, LogError, Rewound, TakenBack, decode
from server.matches.log.fold import Fold
from server.matches.log.trail import KEPT
from server.matches.play.taking_back import way_back, ways_back
from server.matches.rooms import Rooms
from server.rulesets.library import editions
from server.store.store import MatchStore
from tests.playthroughs.seats import sensible
from tests.support.playing import MatchInMemory, press_on
from tests.support.room import AUDIENCES, Table, begun, entries_of, eventually, rooms_on
from tests.support.toy_rules import ToyRules


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store) as opened:
        yield opened


def bare(state: State) -> State:
    """Return the state without its desk."""
    return replace(state, desk=State.__struct_defaults__[-1])


def begun_in_memory(rules: Ruleset, scenario: str) -> MatchInMemory:
    in_memory = MatchInMemory(rules, scenario)
    in_memory.seat_all()
    in_memory.begin()
    return in_memory


def back(in_memory: MatchInMemory, seat: str) -> None:
    """Let `seat` take back its last decision."""
    way = way_back(in_memory.referee.fold, in_memory.referee.ask, seat)
    assert way is not None
    in_memory.add(TakenBack(seat), way.to.number)


every_edition = pytest.mark.parametrize("rules", editions().values(), ids=editions())


@every_edition
def test_a_take_back_of_any_step_restores_the_table_and_the_prompt(rules: Ruleset) -> None:
    """For every step of a whole game, whatever its facts: take it back, and go on as if it had not been made."""
    scenario = rules.info.scenarios[0].id
    in_memory = begun_in_memory(rules, scenario)
    asked = {in_memory.referee.fold.number: (in_memory.referee.fold.state, in_memory.referee.ask)}
    kinds: set[str] = set()
    backs = 0
    for seat in in_memory.play():
        fold = in_memory.referee.fold
        asked[fold.number] = (fold.state, in_memory.referee.ask)
        if backs > 120:
            break
        way = way_back(fold, in_memory.referee.ask, seat)
        if way is None or len(in_memory.entries) % 3:
            continue
        backs += 1
        counters, entries = dict(fold.counters), list(in_memory.entries)
        undone = {type(fact).__name__ for _, step in fold.steps_after(way.to.number) for fact in step.facts}
        there = in_memory.again()
        there.take(there.fold.entry(TakenBack(seat), 5000, bytes(16), way.to.number), own=True)
        state, ask = asked[way.to.number]
        assert bare(there.fold.state) == bare(state)
        assert there.ask == ask
        assert there.fold.counters == counters, "the dice go on"
        assert there.fold.answers.all().items() >= fold.answers.all().items()
        # Another referee, made from the log alone, has the same state.
        again = Fold(entries[0])
        for payload in entries[1:]:
            again.add(payload)
        again.add(again.entry(TakenBack(seat), 5000, bytes(16), way.to.number))
        assert again.state == there.fold.state
        assert again.prompted == there.fold.prompted
        kinds |= undone
    assert backs > 10
    assert {"Rolled", "UnitMoved", "ActivationBegan"} & kinds


@every_edition
def test_a_match_goes_on_after_a_take_back_and_every_restart_finds_the_same_state(rules: Ruleset) -> None:
    in_memory = begun_in_memory(rules, rules.info.scenarios[0].id)
    taken = 0
    while (ask := in_memory.referee.ask) is not None:
        seat = next(seat for seat in ask.seats if seat not in in_memory.referee.fold.state.sealed)
        if taken < 25 and len(in_memory.entries) % 5 == 0 and way_back(in_memory.referee.fold, ask, seat):
            back(in_memory, seat)
            taken += 1
            assert in_memory.referee.fold.decided_at == decode(1, in_memory.entries[-1]).at, "that is when it was asked"
            assert in_memory.again().ask == in_memory.referee.ask
        else:
            in_memory.answer(seat, ask.seats[seat].default)
    assert taken >= 5
    assert in_memory.referee.fold.state.result is not None
    assert in_memory.again().fold.state == in_memory.referee.fold.state


def test_a_decision_is_taken_back_freely_until_another_seat_has_decided() -> None:
    rules = editions()["fad4"]
    in_memory = begun_in_memory(rules, rules.info.scenarios[0].id)
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {}
    plays = in_memory.play()
    first = next(plays)
    second = next(plays)
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {first: "free"}
    next(plays)
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {first: "consent", second: "free"}


def test_a_default_played_for_a_seat_cannot_be_taken_back_as_its_decision() -> None:
    rules = editions()["fad4"]
    in_memory = begun_in_memory(rules, rules.info.scenarios[0].id)
    plays = in_memory.play()
    first, second = next(plays), next(plays)
    in_memory.add(in_memory.referee.default(second, "time", lambda: in_memory.up))
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {first: "consent"}


def test_opened_answers_make_a_take_back_need_consent() -> None:
    in_memory = begun_in_memory(ToyRules(), "duel")
    plays = in_memory.play()
    for _ in range(3):
        next(plays)
    fold = in_memory.referee.fold
    way = way_back(fold, in_memory.referee.ask, "blue")
    assert way is not None
    ((_, deployed),) = fold.steps_after(way.to.number)
    assert not deployed.rolls
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {"blue": "consent"}


@every_edition
def test_dice_and_revealed_secrets_make_a_take_back_need_consent(rules: Ruleset) -> None:
    in_memory = begun_in_memory(rules, rules.info.scenarios[0].id)
    seen = {"free": 0, "consent": 0}
    for number, _ in enumerate(
        in_memory.play(lambda state, asked: sensible(state, asked, __import__("random").Random(7)))
    ):
        for seat, kind in ways_back(in_memory.referee.fold, in_memory.referee.ask).items():
            way = way_back(in_memory.referee.fold, in_memory.referee.ask, seat)
            assert way is not None
            steps = [step for _, step in in_memory.referee.fold.steps_after(way.to.number)]
            shown = any(
                step.rolls or any(isinstance(f, AnswersOpened | ForceDismissed) for f in step.facts) for step in steps
            )
            others = any(step.seat != seat for step in steps)
            if kind == "free":
                assert not shown
                assert not others
            ask = in_memory.referee.ask
            if ask is not None and set(ask.seats) == {seat}:
                assert kind == ("consent" if shown or others else "free")
            seen[kind] += 1
        if number > 150:
            break
    assert min(seen.values()) > 5


def test_a_reaction_prompt_during_a_move_makes_its_take_back_need_consent() -> None:
    in_memory = begun_in_memory(ToyRules(), "duel")
    for seat in in_memory.play():
        ask = in_memory.referee.ask
        if ask and ask.seats[seat].title == "Press on?":
            other = "blue" if seat == "red" else "red"
            way = way_back(in_memory.referee.fold, ask, other)
            assert way is not None
            *_, (_, last) = in_memory.referee.fold.steps_after(way.to.number)
            assert not last.rolls
            assert not way.free
            return
    raise AssertionError("no seat was asked")


def test_standing_orders_given_since_are_obeyed_after_a_take_back() -> None:
    in_memory = begun_in_memory(ToyRules(), "duel")
    for seat in in_memory.play():
        if in_memory.referee.ask and in_memory.referee.ask.seats[seat].title == "Press on?":
            break
    (winner,) = in_memory.referee.ask.seats if in_memory.referee.ask else ("",)
    loser = "blue" if winner == "red" else "red"
    in_memory.order(f"{winner}-1", "stop")
    back(in_memory, loser)
    assert in_memory.again().ask == in_memory.referee.ask
    turn = in_memory.referee.fold.state.turn.number
    ask = in_memory.referee.ask
    assert ask is not None
    in_memory.answer(loser, ask.seats[loser].default)
    assert in_memory.referee.fold.state.turn.number == turn + 1, "the winner was not asked whether to press on"
    assert in_memory.again().ask == in_memory.referee.ask


def test_a_take_back_closes_its_own_offer_and_leaves_the_rest_of_the_desk() -> None:
    in_memory = begun_in_memory(ToyRules(), "duel")
    for seat in in_memory.play(press_on):
        ask = in_memory.referee.ask
        if ask and ask.seats[seat].title == "Choose a loss":
            break
    fold = in_memory.referee.fold
    to, prompt = fold.number, fold.prompt_id(seat)
    in_memory.answer(seat, asked_of(in_memory, seat))
    in_memory.order("red-1", "press")
    (winner,) = in_memory.referee.ask.seats if in_memory.referee.ask else ("",)
    in_memory.answer(winner, asked_of(in_memory, winner))
    in_memory.add(Aside((Offered("1", winner, "pause"), Offered("2", seat, "take_back", to=to)), winner))
    undone = fold.prompt_id(seat)
    in_memory.add(TakenBack(seat, agreed=(winner,)), to)
    assert list(fold.state.desk.offers) == ["1"]
    assert fold.state.desk.orders == {"red-1": "press"}
    assert Happened((), (StandingOrder("red-1", "press"),), aside=True) in fold.since
    assert fold.prompt_id(seat) == str(fold.seqs[seat])
    assert fold.prompt_id(seat) not in {prompt, undone}, "it is asked anew: what was on its way comes too late"
    assert in_memory.again().fold.state == fold.state


def asked_of(in_memory: MatchInMemory, seat: str) -> Picked:
    """Return the default answer to what the seat is asked."""
    assert in_memory.referee.ask is not None
    return in_memory.referee.ask.seats[seat].default


def test_a_take_back_goes_no_farther_than_the_kept_steps() -> None:
    in_memory = begun_in_memory(ToyRules(rounds=20), "duel")
    for _ in in_memory.play():
        pass
    fold = Fold(in_memory.entries[0])
    for payload in in_memory.entries[1:-2]:
        fold.add(payload)
    assert len(fold.marks) == KEPT
    with pytest.raises(LogError, match="cannot go back"):
        fold.add(fold.entry(TakenBack("red"), 0, bytes(16), fold.marks[0].number - 1))


def test_a_take_back_to_a_frame_goes_to_the_last_step_of_that_frame() -> None:
    in_memory = begun_in_memory(ToyRules(rounds=20), "duel")
    playing = in_memory.play()
    while len(in_memory.referee.fold.marks) < KEPT:
        next(playing)
    fold, ask = in_memory.referee.fold, in_memory.referee.ask
    if fold.state.sealed:
        next(playing)
    first, last = fold.marks[0], fold.marks[-1]
    for seat in ("red", "blue"):
        for frame in range(fold.frame(first, seat), fold.frame(last, seat)):
            way = way_back(fold, ask, seat, frame)
            assert way is not None
            assert way.to == [mark for mark in fold.marks if fold.frame(mark, seat) <= frame][-1]
            assert [*way.undone] == [mark for mark in fold.marks if fold.frame(mark, seat) > frame]
        for frame in (0, fold.frame(first, seat) - 1, fold.frame(last, seat), fold.frame(last, seat) + 9):
            assert way_back(fold, ask, seat, frame) is None


def test_no_decision_can_be_taken_back_after_a_rewind_new_dice_or_the_end() -> None:
    in_memory = begun_in_memory(ToyRules(), "duel")
    playing = in_memory.play()
    while in_memory.referee.fold.state.turn.number < 2 or in_memory.referee.fold.state.sealed:
        next(playing)
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask)
    for aside in (Rewound("New rules."), Aside((DiceRenewed("00" * 32),))):
        there = in_memory.again()
        there.take(
            there.fold.entry(aside, 0, bytes(16), there.fold.boundary_entry * isinstance(aside, Rewound)), own=True
        )
        assert there.fold.marks
        assert ways_back(there.fold, there.ask) == {}
    next(playing)
    assert in_memory.referee.fold.state.sealed
    assert ways_back(in_memory.referee.fold, in_memory.referee.ask) == {}, "an answer waits"
    for _ in playing:
        pass
    assert in_memory.referee.fold.marks
    assert ways_back(in_memory.referee.fold, None) == {}, "it is over"


# --- at a table ------------------------------------------------------------------------------------------------------


def view(table: Table, audience: str) -> View:
    return table.room.teller.snapshot(audience_of(audience)).view


async def to_the_press(table: Table) -> tuple[str, str]:
    """Play until one seat decides alone whether to press on, and return that seat and the other one."""
    while table.prompt(table.asked[0]).title != "Press on?":
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        await table.give(seat, table.default(seat))
    (seat,) = table.asked
    return seat, "blue" if seat == "red" else "red"


async def test_a_take_back_offer_shows_exactly_what_would_be_undone(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.deploy()
    winner, loser = await to_the_press(table)
    before = view(table, loser)
    told = [story.text for m in table.listeners[winner].messages[-1:] if isinstance(m, Update) for story in m.story]
    assert view(table, loser).seats[loser].take_back == "consent"
    reply = await table.room.settle_on_desk(loser, TakeBack("take-back-1"))
    assert isinstance(reply, Accepted)
    assert {audience: view(table, audience).offers["1"].frame for audience in AUDIENCES} == {
        # After the offer comes the decision that would be undone, and before that the frame to which the match would return.
        audience: listener.seqs[-3]
        for audience, listener in table.listeners.items()
    }
    (key, offer), *others = view(table, winner).offers.items()
    assert not others
    assert (offer.seat, offer.kind) == (loser, "take_back")
    assert list(offer.text) == told
    assert view(table, loser).units == before.units, "nothing has happened yet"

    rolled = dict(table.room._referee.fold.counters)
    assert isinstance(await table.room.settle_on_desk(winner, Respond("respond-1", key, accept=True)), Accepted)
    await eventually(lambda: table.asked == [loser])
    last = table.listeners[""].messages[-1]
    assert isinstance(last, Update)
    assert [story.kind for story in last.story] == ["back"]
    assert f"{'Ada'} agreed" in last.story[0].text
    assert table.room._referee.fold.counters == rolled
    assert table.prompt(loser).title == "Choose a loss"
    bodies = [decode(n, payload).body for n, payload in enumerate(await entries_of(store, table.room.match), 1)]
    assert isinstance(bodies[-1], TakenBack)
    assert bodies[-1].agreed == (winner,)
    await table.play_out()
    await eventually(lambda: table.room.published)


async def test_a_declined_or_lapsed_take_back_has_no_effect(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    winner, loser = await to_the_press(table)
    await table.room.settle_on_desk(loser, TakeBack("take-back-1"))
    (key,) = view(table, winner).offers
    again = await table.room.settle_on_desk(loser, TakeBack("take-back-2"))
    assert isinstance(again, Refused)
    assert again.code == "offer_open"
    await table.room.settle_on_desk(winner, Respond("respond-1", key, accept=False))
    assert view(table, winner).offers == {}
    late = await table.room.settle_on_desk(winner, Respond("respond-2", key, accept=True))
    assert isinstance(late, Refused)
    assert late.code == "offer_closed"

    await table.room.settle_on_desk(loser, TakeBack("take-back-3"))
    assert len(view(table, winner).offers) == 1
    await table.give(winner, table.default(winner))
    assert view(table, winner).offers == {}, "who plays on has not agreed"


async def test_a_sealed_answer_is_replaced_and_not_taken_back(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.give("red", table.default("red"))
    reply = await table.room.settle_on_desk("red", TakeBack("take-back-1"))
    assert isinstance(reply, Refused)
    assert reply.code == "nothing_to_take_back"
    assert "simply give yours again" in reply.sentence


async def test_an_answer_to_a_prompt_that_was_taken_back_is_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    winner, loser = await to_the_press(table)
    stale = table.default(winner)
    await table.room.settle_on_desk(loser, TakeBack("take-back-1"))
    (key,) = view(table, winner).offers
    await table.room.settle_on_desk(winner, Respond("respond-1", key, accept=True))
    await eventually(lambda: table.asked == [loser])
    late = await table.room.answer(winner, stale)
    assert isinstance(late, Refused)
    assert late.code == "not_your_prompt"
    await table.give(loser, table.default(loser))
    closed = await table.room.answer(winner, stale)
    assert isinstance(closed, Refused)
    assert closed.code == "prompt_closed"


async def test_a_take_back_sent_twice_counts_once(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.deploy()
    _, loser = await to_the_press(table)
    first = await table.room.settle_on_desk(loser, TakeBack("take-back-1"))
    length = await store.length(table.room.match)
    assert await table.room.settle_on_desk(loser, TakeBack("take-back-1")) == first
    assert await store.length(table.room.match) == length
