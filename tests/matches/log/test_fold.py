"""The fold of a match's entries, and the rules rebuilt from them, without a store."""

from __future__ import annotations

import random

import msgspec
import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import pack, unpack
from server.kernel.answers.check import Asked
from server.kernel.answers.sampling import sample
from server.kernel.belief import SPECTATORS
from server.kernel.desk_facts import DiceRenewed, Offered, Said, StandingOrder
from server.kernel.procedure import Happened
from server.kernel.state import Result, State
from server.matches.log import trail
from server.matches.log.entries import Aside, Ended, Envelope, LogError, Opened, Rewound, Stepped, decode
from server.matches.log.fold import Fold
from server.matches.log.match_file import export
from server.matches.log.trail import Tried
from server.matches.verify.match_file import verify
from server.rulesets.library import editions
from tests.support.playing import SECRET, MatchInMemory, digest_of, press_on, whole
from tests.support.reliving import Live, eventful
from tests.support.toy_rules import ToyRules

SCENARIOS = [(rules.info.id, scenario.id) for rules in editions().values() for scenario in rules.info.scenarios]


def refold(entries: list[bytes]) -> Fold:
    fold = Fold(entries[0])
    for entry in entries[1:]:
        fold.add(entry)
    return fold


def test_a_match_played_to_its_end_folds_to_the_same_state_from_its_entries() -> None:
    in_memory = whole(ToyRules(), press_on)
    fold = in_memory.referee.fold
    again = refold(in_memory.entries)
    assert fold.state.result is not None
    assert again.state == fold.state
    assert (again.seqs, again.answers.all(), again.counters, again.head) == (
        fold.seqs,
        fold.answers.all(),
        fold.counters,
        fold.head,
    )


@pytest.mark.parametrize("edition", editions())
def test_an_entry_that_was_expected_is_added_as_any_other(edition: str) -> None:
    rules, chance = editions()[edition], random.Random(7)
    entries = eventful(Live(rules, rules.info.scenarios[0].id), 7, 60).entries
    plain, expecting = Fold(entries[0]), Fold(entries[0])
    for number, payload in enumerate(entries[1:], 1):
        if number == len(entries) // 2:
            plain.keep_small()
            expecting.keep_small()
        envelope = decode(number + 1, payload, plain.form)
        # Another one with the same body, which loses the race against this one.
        lost = plain.entry(envelope.body, envelope.at + 1, bytes(16), envelope.parent)
        before = known(expecting)
        for coming in chance.choice([(), (payload,), (lost,), (lost, payload), (payload, lost)]):
            expecting.expect(coming)
            assert known(expecting) == before
        assert expecting.add(payload) == plain.add(payload)
        assert known(expecting) == known(plain)


def known(fold: Fold) -> dict[str, object]:
    """Return all that a fold knows."""
    own = {key: value for key, value in vars(fold).items() if key not in {"_coming", "_trail", "_chain", "answers"}}
    ways = [(mark, fold.at(mark), list(fold.steps_after(mark.number))) for mark in fold.marks]
    return {
        **own,
        "ways": ways,
        "answers": fold.answers.all(),
        "holds": fold.holds(fold.head),
        "chain": bytes(fold._chain),
    }


def test_units_and_figures_keep_the_order_of_the_roster() -> None:
    state = ToyRules().open("duel", {})
    unit = state.units["red-1"]
    figures = {str(n): unit.figures["1"] for n in (1, 2, 10, 3)}
    state = state.with_unit(replace(unit, figures=figures))
    in_memory = MatchInMemory(ToyRules())
    opened = replace(in_memory.referee.fold.opened, position=msgspec.json.encode(state).decode())
    again = unpack(pack(opened), type(opened)).state()
    assert list(again.units["red-1"].figures) == ["1", "2", "10", "3"]


def test_a_match_rebuilt_at_every_prompt_goes_on_unchanged() -> None:
    in_memory = MatchInMemory(ToyRules(rounds=3))
    in_memory.seat_all()
    in_memory.begin()
    prompts = 0
    for seat in in_memory.play(press_on):
        there = in_memory.again()
        assert there.trouble == ""
        assert there.ask == in_memory.referee.ask
        assert there.fold.state == in_memory.referee.fold.state
        asked = there.ask.seats[seat] if there.ask else None
        assert asked is not None
        # The answer has the same result on the referee that was there all along and on the one made from the log.
        one, other = (each.answer(seat, asked.default, "x", lambda: 0) for each in (there, in_memory.again()))
        assert one == other
        prompts += 1
    assert prompts > 10


@pytest.mark.parametrize(("edition", "scenario"), SCENARIOS)
def test_a_battle_rebuilt_at_every_prompt_goes_on_unchanged(edition: str, scenario: str) -> None:
    chance = random.Random(4)
    rules = editions()[edition]
    in_memory = MatchInMemory(rules, scenario)
    in_memory.seat_all()
    in_memory.begin()
    follower = in_memory.again()
    for _ in in_memory.play(lambda state, asked: sample(state, asked, chance)):
        there = in_memory.again()
        assert there.trouble == ""
        assert there.ask == in_memory.referee.ask
        for entry in in_memory.entries[follower.fold.number :]:
            follower.take(entry, own=False)
        assert follower.trouble == ""
        assert follower.ask == there.ask
        assert follower.fold.state == there.fold.state == in_memory.referee.fold.state
    report = verify(export(in_memory.entries), lambda _edition: rules)
    assert report.replayed == report.steps


def test_a_match_of_three_seats_is_played_to_its_end() -> None:
    in_memory = whole(ToyRules(rounds=3), press_on, "three-way")
    assert set(in_memory.referee.fold.seqs) == {"red", "blue", "green", SPECTATORS}
    report = verify(export(in_memory.entries), lambda _edition: ToyRules(rounds=3))
    assert report.ended
    assert report.replayed == report.steps
    assert report.dice


def test_a_referee_that_follows_anothers_entries_has_the_same_state() -> None:
    in_memory = whole(ToyRules(rounds=3), press_on)
    follower = MatchInMemory(ToyRules(rounds=3)).referee
    for entry in in_memory.entries[1:]:
        follower.take(entry, own=False)
        assert follower.trouble == ""
    assert follower.fold.state == in_memory.referee.fold.state


def test_the_facts_of_an_answer_are_folded_once_and_not_again_from_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = MatchInMemory(ToyRules(rounds=3))
    in_memory.seat_all()
    in_memory.begin()

    def again(_state: State, _step: Stepped) -> tuple[State, State]:
        raise AssertionError("the run has folded them")

    with monkeypatch.context() as patched:
        patched.setattr(trail, "CHECKED", False)
        patched.setattr(trail, "_made", again)
        for _ in in_memory.play(press_on):
            pass
    assert refold(in_memory.entries).state == in_memory.referee.fold.state


def test_a_run_that_has_come_to_another_state_than_its_facts_is_found() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    there, seats = in_memory.again().fold, in_memory.referee.fold.seats
    for seat in seats:
        assert in_memory.referee.ask is not None
        in_memory.answer(seat, in_memory.referee.ask.seats[seat].default)
    elsewhere = replace(there.state, title="Another")
    with pytest.raises(LogError, match="another state"):
        there.add(in_memory.entries[there.number], Tried(elsewhere, elsewhere))


def test_an_answer_that_was_tried_but_not_appended_has_no_effect() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    referee = in_memory.referee
    before = referee.fold.state
    asked = referee.ask.seats["red"].default if referee.ask else None
    assert asked is not None
    referee.answer("red", asked, "red:lost", lambda: 0)
    referee.settle()
    assert referee.fold.state is before
    in_memory.answer("blue", referee.ask.seats["blue"].default if referee.ask else asked)
    assert set(referee.fold.state.sealed) == {"blue"}


def test_only_its_own_seat_notices_a_replaced_sealed_answer() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    ask = in_memory.referee.ask
    assert ask is not None
    prompt = in_memory.referee.fold.prompt_id("red")
    before = dict(in_memory.referee.fold.seqs)
    for _ in range(3):
        in_memory.answer("red", ask.seats["red"].default)
    after = in_memory.referee.fold.seqs
    assert {key: after[key] - before[key] for key in after} == {"red": 3, "blue": 1, SPECTATORS: 1}
    assert in_memory.referee.fold.prompt_id("red") == prompt


def test_a_rewind_after_a_change_of_rules_returns_to_the_boundary_with_new_dice() -> None:
    in_memory = MatchInMemory(ToyRules(rounds=2))
    in_memory.seat_all()
    in_memory.begin()
    for seat in in_memory.play(press_on):
        if in_memory.referee.ask and in_memory.referee.ask.seats[seat].title == "Choose a loss":
            break
    boundary, rolled = in_memory.referee.fold.boundary, dict(in_memory.referee.fold.counters)
    newer = in_memory.again(ToyRules(rounds=2, version="toy 2", bonus=7))
    assert "the rules give" in newer.trouble
    assert newer.ask is None

    in_memory.referee = newer
    in_memory.add(Rewound("New rules."))
    assert newer.fold.state == boundary
    assert newer.may_begin
    in_memory.add(newer.begin(lambda: 0))
    for seat in ("red", "blue"):
        in_memory.answer(seat, Picked("2"))
    assert newer.fold.version == "toy 2"
    assert newer.fold.counters[""] == rolled[""] + 2
    again = in_memory.again(newer.rules)
    assert (again.trouble, again.fold.state) == ("", newer.fold.state)


@pytest.mark.parametrize("scenario", ["duel", "three-way"])
def test_a_procedure_run_again_finds_orders_given_meanwhile_as_they_were(scenario: str) -> None:
    in_memory = MatchInMemory(ToyRules(rounds=6), scenario)
    in_memory.seat_all()
    in_memory.begin()
    follower = in_memory.again()
    between = 0
    for number, _ in enumerate(in_memory.play(press_on)):
        units = sorted(in_memory.referee.fold.state.units)
        asked = in_memory.referee.ask
        assert asked is not None
        title = next(iter(asked.seats.values())).title
        # Prompts before an order and after it follow different orders within one procedure.
        in_memory.order(units[number % len(units)], ["stop", "press", "ask"][number % 3])
        if title == "Choose a loss":
            in_memory.order(units[0], "stop")
        there = in_memory.again()
        assert (there.trouble, there.ask) == ("", in_memory.referee.ask)
        assert there.fold.state == in_memory.referee.fold.state
        for entry in in_memory.entries[follower.fold.number :]:
            follower.take(entry, own=False)
        assert (follower.trouble, follower.ask) == ("", there.ask)
        between += any(happened.aside for happened in there.fold.since)
    assert between > 10
    report = verify(export(in_memory.entries), lambda _edition: ToyRules(rounds=6))
    assert report.replayed == report.steps


def asked_of(in_memory: MatchInMemory, seat: str) -> Asked:
    """Return what the seat is asked."""
    assert in_memory.referee.ask is not None
    return in_memory.referee.ask.seats[seat]


def sole(in_memory: MatchInMemory) -> str:
    """Return the one seat that is asked."""
    assert in_memory.referee.ask is not None
    (seat,) = in_memory.referee.ask.seats
    return seat


def until_a_loss(in_memory: MatchInMemory) -> None:
    """Play on until a seat is asked which figure falls."""
    for _ in in_memory.play(press_on):
        if in_memory.referee.ask and next(iter(in_memory.referee.ask.seats.values())).title == "Choose a loss":
            return


def test_an_order_affects_the_next_prompt_and_not_the_open_one() -> None:
    # The winner is asked whether to press on, and does; it gets the order to stop only then.
    for secret in range(40):
        in_memory = MatchInMemory(ToyRules(rounds=1), secret=bytes([secret] * 32))
        in_memory.seat_all()
        in_memory.begin()
        until_a_loss(in_memory)
        loser = sole(in_memory)
        in_memory.answer(loser, asked_of(in_memory, loser).default)
        winner = sole(in_memory)
        in_memory.answer(winner, Picked("press"))
        if in_memory.referee.ask and sole(in_memory) == loser:
            break
    else:
        pytest.fail("in no game did the winner press on with luck")
    in_memory.order(f"{winner}-1", "stop")
    assert in_memory.again().trouble == ""
    in_memory.answer(loser, asked_of(in_memory, loser).default)
    # No seat was asked again: the round, and with it the match, is over.
    assert in_memory.referee.fold.state.result is not None
    assert in_memory.again().fold.state == in_memory.referee.fold.state


def test_standing_orders_stay_after_a_rewind() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    until_a_loss(in_memory)
    in_memory.order("red-1", "press")
    boundary = in_memory.referee.fold.boundary
    assert boundary.desk.orders == {}
    in_memory.add(Rewound("New rules."))
    state = in_memory.referee.fold.state
    assert state.desk.orders == {"red-1": "press"}
    assert replace(state, desk=boundary.desk) == boundary
    in_memory.begin()
    assert (in_memory.again().trouble, in_memory.again().fold.state) == ("", in_memory.referee.fold.state)


def test_only_its_owner_notices_a_standing_order() -> None:
    in_memory = MatchInMemory(ToyRules(), "three-way")
    in_memory.seat_all()
    in_memory.begin()
    before, ask = dict(in_memory.referee.fold.seqs), in_memory.referee.ask
    in_memory.order("blue-1", "stop")
    after = in_memory.referee.fold.seqs
    assert {key: after[key] - before[key] for key in after} == {"red": 0, "blue": 1, "green": 0, SPECTATORS: 0}
    assert in_memory.referee.ask == ask


def test_a_prompt_stays_open_when_another_servers_aside_comes_first() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    other, ask = in_memory.again(), in_memory.referee.ask
    assert ask is not None
    other.answer("red", ask.seats["red"].default, "red:lost", lambda: 0)
    in_memory.order("blue-1", "stop")
    other.take(in_memory.entries[-1], own=False)
    assert other.ask == ask
    assert other.fold.state == in_memory.referee.fold.state


def altered(entry: bytes, **fields: object) -> bytes:
    return pack(replace(unpack(entry, Envelope), **fields))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"number": 9}, "calls itself entry 9"),
        ({"parent": 1}, "its parent is 1"),
        ({"prev": bytes(32)}, "hash of the entry before"),
        ({"body": Stepped()}, "begin once"),
    ],
)
def test_an_entry_that_does_not_follow_the_last_one_is_refused(fields: dict[str, object], what: str) -> None:
    in_memory = whole(ToyRules())
    fold = refold(in_memory.entries[:9])
    with pytest.raises(LogError, match=what) as error:
        fold.add(altered(in_memory.entries[9], **fields))
    assert error.value.number == 10


def test_dice_that_do_not_continue_the_counters_are_refused() -> None:
    in_memory = whole(ToyRules())
    at = next(n for n, e in enumerate(in_memory.entries) if isinstance(b := decode(n + 1, e).body, Stepped) and b.rolls)
    body = decode(at + 1, in_memory.entries[at]).body
    assert isinstance(body, Stepped)
    later = replace(body, rolls=(replace(body.rolls[0], first=5), *body.rolls[1:]))
    with pytest.raises(LogError, match="not the next one"):
        refold(in_memory.entries[:at]).add(altered(in_memory.entries[at], body=later))


def test_a_log_begins_with_its_only_opening_entry() -> None:
    first, second = whole(ToyRules()).entries[:2]
    opened = unpack(first, Envelope).body
    assert isinstance(opened, Opened)
    for fields in ({"number": 2}, {"parent": 1}, {"prev": bytes(31) + b"\1"}, {"body": Stepped()}):
        with pytest.raises(LogError, match="begins with the entry that opens") as error:
            Fold(altered(first, **fields))
        assert error.value.number == 1
    for unreadable in ("", "{}", opened.position[:-1]):
        with pytest.raises(LogError, match="position cannot be read") as error:
            Fold(altered(first, body=replace(opened, position=unreadable)))
        assert error.value.number == 1
    with pytest.raises(LogError, match="opened once") as error:
        Fold(first).add(altered(second, body=opened))
    assert error.value.number == 2


def test_a_match_that_was_just_opened_stands_at_its_first_entry() -> None:
    first = whole(ToyRules()).entries[0]
    fold = Fold(first)
    assert (fold.number, fold.boundary_entry, fold.branch, fold.up, fold.offered) == (1, 1, 1, 0, 0)
    assert (fold.made_at, fold.decided_at, fold.seqs) == (1000, 1000, {"red": 0, "blue": 0, SPECTATORS: 0})
    assert fold.prompt_id("red") == "-1", "no frame has this number"
    # Long values are not kept twice: neither in each of many matches, nor in one.
    assert fold.state.table is Fold(first).state.table
    assert (fold.opened.position, fold.opened.since) == ("", ())


def test_dice_depend_on_the_secret_of_the_server_that_plays_the_match_on() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    fold = in_memory.referee.fold
    assert fold.commitment == digest_of(SECRET)
    assert fold.ready
    in_memory.add(Aside((DiceRenewed("ab" * 32),)))
    assert fold.commitment == "ab" * 32
    assert not fold.ready


def test_after_an_end_outside_the_rules_nothing_is_open_and_no_take_back_is_possible() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    playing = in_memory.play()
    while len(in_memory.referee.fold.marks) < 3 or not in_memory.referee.fold.state.sealed:
        next(playing)
    in_memory.add(Aside((Offered("1", "red", "draw"),)))
    in_memory.add(Ended("red", "Blue has left.", "concession"))
    fold = in_memory.referee.fold
    assert (fold.state.sealed, fold.state.desk.offers, list(fold.marks)) == ({}, {}, [])
    assert fold.decided_at == decode(fold.number, in_memory.entries[-1]).at
    assert fold.state.result == Result("red", "Blue has left.", "", "concession")
    assert in_memory.again().fold.state == fold.state


def test_a_rewind_drops_the_marks_after_its_boundary() -> None:
    in_memory = MatchInMemory(ToyRules(rounds=3))
    in_memory.seat_all()
    in_memory.begin()
    fold = in_memory.referee.fold
    for _ in in_memory.play(press_on):
        if fold.state.turn.number == 2 and fold.number > fold.boundary_entry and not fold.state.sealed:
            break
    boundary, numbers = fold.boundary_entry, [mark.number for mark in fold.marks]
    assert numbers[-1] > boundary > numbers[0]
    in_memory.add(Rewound("New rules."))
    assert [mark.number for mark in fold.marks] == [number for number in numbers if number < boundary]


def test_the_rules_begin_with_orders_given_before_and_without_chat() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.order("red-1", "stop")
    fold = in_memory.referee.fold
    assert (fold.boundary, fold.since) == (fold.state, [])
    assert fold.boundary.desk.orders == {"red-1": "stop"}
    in_memory.begin()
    happened = len(fold.since)
    in_memory.add(Aside((Said("red", "", "Good luck"),), "red"))
    assert len(fold.since) == happened
    in_memory.order("red-1", "press")
    assert fold.since[happened:] == [Happened((), (StandingOrder("red-1", "press"),), aside=True)]
