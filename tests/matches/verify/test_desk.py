"""The checks of the desk one by one: what is impossible is reported, and what is possible is not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from server.kernel.clocks import begun
from server.kernel.desk_facts import (
    Conceded,
    DeskFact,
    ForceBrought,
    NextMade,
    OfferAccepted,
    OfferClosed,
    Offered,
    SeatHanded,
    SeatTied,
    StandingOrder,
)
from server.kernel.state import Brought, Offer, Result, State
from server.matches.log.entries import POSITION, Aside, Ended, Forked, Opened, Stepped, TakenBack, position
from server.matches.log.finding import Wrong
from server.matches.play.taking_back import way_back
from server.matches.verify.clocks import Running
from server.matches.verify.desk import (
    check_ended,
    check_fact,
    check_opened,
    check_played,
    check_taken_back,
    unlike_scenario,
)
from server.rulesets.library import editions
from tests.support.player_keys import ADA, BO
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules, force

CLOCK = begun(ClockTerms("live", bank=60, at_zero="claim"), ("red", "blue", "green"), 0)
PLAYED_ON = replace(CLOCK, terms=replace(CLOCK.terms, at_zero="default"))
STOPPED = replace(PLAYED_ON, paused=True)
ALL = {"red": "Ada", "blue": "Bo", "green": "Cy"}
IT = Picked("it")


def three(**desk: object) -> State:
    opened = ToyRules().open("three-way", {})
    return replace(opened, desk=replace(opened.desk, **desk))


# --- the beginning ---------------------------------------------------------------------------------------------------


def opened(state: State, **fields: object) -> Opened:
    made = Opened("m1", "toy", "toy 1", "three-way", "Three", position(state), "00" * 32, listed=True)
    return replace(made, **fields)


FORKED = Forked("m0", 9, "00" * 32)
FORCE = Brought(force("Own", "gun"))


def test_a_match_may_begin_with_players_forces_and_clocks_and_a_fork_also_with_orders() -> None:
    check_opened(opened(three(players=ALL, forces={"red": FORCE}, clock=CLOCK)))
    going_on = opened(three(orders={"red-1": "stop"}), forked=FORKED, scenario=POSITION, since=(Stepped("red"),))
    check_opened(going_on)


@pytest.mark.parametrize(
    "desk",
    [
        {"digests": {"red": "00"}},
        {"randomness": {"red": "00"}},
        {"secret": "00"},
        {"orders": {"red-1": "stop"}},
        {"offers": {"1": Offer("red", "draw")}},
        {"conceded": ("red",)},
        {"commitment": "00"},
    ],
)
def test_the_desk_of_a_new_match_holds_nothing_that_comes_later(desk: dict[str, object]) -> None:
    with pytest.raises(Wrong, match="only later") as wrong:
        check_opened(opened(three(**desk)))
    assert wrong.value.entry == 1
    if "orders" not in desk:
        with pytest.raises(Wrong, match="only later"):
            check_opened(opened(three(**desk), forked=FORKED, scenario=POSITION))


def test_only_a_fork_goes_on_from_another_match() -> None:
    with pytest.raises(Wrong, match="names none") as wrong:
        check_opened(opened(three(), since=(Stepped("red"),)))
    assert wrong.value.entry == 1


def test_a_match_of_a_scenario_begins_as_the_rules_open_it() -> None:
    turned = replace(three(), title="Four")
    assert unlike_scenario(opened(three()), ToyRules()) == ""
    assert "does not begin like this" in unlike_scenario(opened(turned), ToyRules())
    assert "no such beginning" in unlike_scenario(opened(three(), scenario="four-way"), ToyRules())
    assert unlike_scenario(opened(turned, scenario=POSITION), ToyRules()) == ""


# --- facts of the desk -----------------------------------------------------------------------------------------------


def checked(fact: DeskFact, state: State, seat: str = "red") -> None:
    check_fact(2, fact, state, Aside((fact,), seat), "m1")


def test_a_seat_is_tied_once_to_a_key_that_signed_for_it_by_its_own_player() -> None:
    state = three(players=ALL)
    said = ADA.tie("m1", "red", "Ada")
    tied = SeatTied("red", said.key, said.signature)
    checked(tied, state)
    with pytest.raises(Wrong, match="cannot be tied"):
        checked(tied, state, "blue")
    with pytest.raises(Wrong, match="cannot be tied"):
        checked(tied, three())
    with pytest.raises(Wrong, match="cannot be tied"):
        checked(tied, tied.fold(state))
    for other in (replace(tied, key=BO.key), replace(tied, signature="00" * 64)):
        with pytest.raises(Wrong, match="did not sign"):
            checked(other, state)
    with pytest.raises(Wrong, match="did not sign"):
        checked(tied, three(players={**ALL, "red": "Adam"}))


def test_forces_are_brought_while_a_seat_is_free_and_orders_given_by_owners() -> None:
    brought = ForceBrought("red", force("Own", "gun"))
    checked(brought, three(players={"red": "Ada", "blue": "Bo"}))
    checked(brought, three())
    with pytest.raises(Wrong, match="every seat is taken"):
        checked(brought, three(players=ALL))
    checked(StandingOrder("red-1", "stop"), three())
    for unit, seat, who in (
        ("blue-1", "red", "^.*red gives"),
        ("nobody", "red", "red gives"),
        ("red-1", "", "no seat gives"),
    ):
        with pytest.raises(Wrong, match=who):
            checked(StandingOrder(unit, "stop"), three(), seat)


def test_offers_are_accepted_by_other_seats_and_carried_out_when_all_have_accepted() -> None:
    open_ = Offer("red", "pause", accepted=("green",))
    state = three(offers={"1": open_})
    checked(OfferAccepted("1", "blue"), state, "blue")
    for fact, seat, what in (
        (OfferAccepted("2", "blue"), "blue", "no offer 2"),
        (OfferClosed("2", "blue"), "blue", "no offer 2"),
        (OfferAccepted("1", "blue"), "green", "cannot accept"),
        (OfferAccepted("1", "red"), "red", "cannot accept"),
        (OfferClosed("1"), "blue", "not all players"),
    ):
        with pytest.raises(Wrong, match=what):
            checked(fact, state, seat)
    checked(OfferClosed("1", "red"), state)
    checked(OfferClosed("1"), three(offers={"1": open_}, conceded=("blue",)))


def test_a_seat_concedes_only_by_its_own_message_or_when_its_time_is_claimed() -> None:
    checked(Conceded("red"), three(clock=PLAYED_ON))
    for clock in (None, CLOCK, STOPPED):
        checked(Conceded("blue"), three(clock=clock))
    for state, seat in ((three(), ""), (three(conceded=("red",)), "red"), (three(clock=PLAYED_ON), "red")):
        with pytest.raises(Wrong, match="has not said so"):
            checked(Conceded("blue"), state, seat)


def test_the_next_match_is_made_after_the_end() -> None:
    made = NextMade("red", "abc", {"red": "blue"})
    with pytest.raises(Wrong, match="before this one is over"):
        checked(made, three())
    checked(made, replace(three(), result=Result("red", "So.", "")))


def test_an_answer_is_given_for_a_seat_that_conceded_or_whose_time_is_up() -> None:
    for played, state in (("time", three(clock=PLAYED_ON)), ("conceded", three(conceded=("red",)))):
        usual = Stepped("red", picked=IT, played=played)
        check_played(2, usual, state)
        with pytest.raises(Wrong, match="not the default"):
            check_played(2, replace(usual, picked=None), state)
    check_played(2, Stepped("red", picked=Picked("that")), three())
    for clock in (None, CLOCK, STOPPED):
        with pytest.raises(Wrong, match="cannot be up"):
            check_played(2, Stepped("red", picked=IT, played="time"), three(clock=clock, conceded=("red",)))
    with pytest.raises(Wrong, match="has not conceded"):
        check_played(2, Stepped("red", picked=IT, played="conceded"), three(clock=PLAYED_ON, conceded=("blue",)))


def test_a_take_back_must_be_free_or_agreed_to_by_all() -> None:
    rules = editions()["fad4"]
    in_memory = MatchInMemory(rules, rules.info.scenarios[0].id)
    in_memory.seat_all()
    in_memory.begin()
    playing = in_memory.play()
    seat, other = next(playing), next(playing)
    fold, ask = in_memory.referee.fold, in_memory.referee.ask
    way = way_back(fold, ask, seat)
    assert way is not None
    assert way.free
    to = way.to.number
    check_taken_back(2, TakenBack(seat), to, fold, ask)
    for body, back in ((TakenBack(other), to), (TakenBack(seat), to - 1), (TakenBack(seat, agreed=(other,)), to)):
        with pytest.raises(Wrong, match="takes back what"):
            check_taken_back(2, body, back, fold, ask)


def test_all_who_still_play_have_to_agree_to_a_take_back() -> None:
    in_memory = MatchInMemory(ToyRules(), "three-way")
    in_memory.seat_all()
    in_memory.begin()
    for _ in in_memory.play():
        if len(in_memory.referee.fold.marks) > 2:
            break
    fold = in_memory.referee.fold
    to = fold.marks[0].number
    in_memory.add(Aside((Offered("1", "red", "take_back", to=to), OfferAccepted("1", "blue")), "red"))
    body = TakenBack("red", agreed=("blue",))
    with pytest.raises(Wrong, match="not all players agreed"):
        check_taken_back(2, body, to, fold, in_memory.referee.ask)
    in_memory.add(Aside((Conceded("green"),), "green"))
    check_taken_back(2, body, to, fold, in_memory.referee.ask)
    with pytest.raises(Wrong, match="without asking"):
        check_taken_back(2, replace(body, agreed=()), to, fold, in_memory.referee.ask)


# --- endings ---------------------------------------------------------------------------------------------------------

DRAW = Offer("red", "draw", accepted=("blue", "green"))
TWO_GONE = ("blue", "green")
ENDINGS: list[tuple[Ended, State, Running]] = [
    (Ended("", "So.", "agreement"), three(offers={"1": DRAW}), ()),
    (Ended("", "So.", "agreement"), three(offers={"1": replace(DRAW, accepted=("blue",))}, conceded=("green",)), ()),
    (Ended("red", "So.", "concession"), three(conceded=TWO_GONE), None),
    (Ended("red", "So.", "time", "red"), three(clock=CLOCK), ("blue", "green")),
    (Ended("red", "So.", "time", "red"), three(clock=CLOCK), ("red", "blue", "green")),
    (Ended("red", "So.", "time", "red"), three(clock=CLOCK, conceded=("blue",)), ("green",)),
    (Ended("red", "So.", "time", "red"), three(clock=CLOCK), None),
    (Ended("red", "So.", "abandonment", "red"), three(), ("blue", "green")),
    (Ended("red", "So.", "abandonment", "red"), three(clock=STOPPED), ("blue", "green")),
    (Ended("", "So.", "abandonment"), three(), ("red",)),
    (Ended("", "So.", "abandonment"), three(clock=PLAYED_ON), ("red",)),
    (Ended("red", "So.", "time"), three(clock=CLOCK), ("blue", "green")),
    (Ended("", "So.", "operator"), three(), ("red",)),
    (Ended("", "So.", "operator"), three(clock=PLAYED_ON), ()),
]
NO_ENDINGS: list[tuple[Ended, State, Running]] = [
    (Ended("", "So.", "agreement"), three(), ()),
    (Ended("", "So.", "agreement"), three(offers={"1": replace(DRAW, accepted=("blue",))}), ()),
    (Ended("", "So.", "agreement"), three(offers={"1": replace(DRAW, kind="pause")}), ()),
    (Ended("red", "So.", "agreement"), three(offers={"1": DRAW}), ()),
    (Ended("red", "So.", "concession"), three(conceded=("blue",)), ()),
    (Ended("blue", "So.", "concession"), three(conceded=TWO_GONE), ()),
    (Ended("", "So.", "concession"), three(conceded=("red", *TWO_GONE)), ()),
    (Ended("red", "So.", "time", "red"), three(clock=PLAYED_ON), ("blue", "green")),
    (Ended("red", "So.", "time", "red"), three(), ("blue", "green")),
    (Ended("red", "So.", "time", "red"), three(clock=CLOCK), ("blue",)),
    (Ended("red", "So.", "time", "blue"), three(clock=CLOCK), ("blue", "green", "red")),
    (Ended("", "So.", "time"), three(clock=CLOCK), ("blue", "green")),
    (Ended("red", "So.", "time"), three(clock=CLOCK), ("blue",)),
    (Ended("red", "So.", "time"), three(clock=CLOCK, conceded=("red",)), ("blue", "green")),
    (Ended("red", "So.", "time"), three(clock=PLAYED_ON), ("blue", "green")),
    (Ended("red", "So.", "abandonment"), three(), ("blue", "green")),
    (Ended("", "So.", "time", "red"), three(clock=CLOCK), ("blue", "green")),
    (Ended("red", "So.", "abandonment", "red"), three(clock=PLAYED_ON), ("blue", "green")),
    (Ended("red", "So.", "abandonment", "red"), three(), ("blue",)),
    (Ended("", "So.", "abandonment", "red"), three(), ("blue", "green")),
    (Ended("red", "So.", "operator"), three(), ("blue", "green")),
    (Ended("", "So.", "operator", "red"), three(), ("blue", "green")),
    (Ended("red", "So.", "rules", "red"), three(), ("blue", "green")),
]


@pytest.mark.parametrize(("body", "state", "running"), ENDINGS)
def test_a_match_ends_once_and_for_a_reason_in_the_log(body: Ended, state: State, running: Running) -> None:
    check_ended(2, body, state, running)
    with pytest.raises(Wrong, match="a second time"):
        check_ended(2, body, replace(state, result=Result("", "So.", "")), running)


@pytest.mark.parametrize(("body", "state", "running"), NO_ENDINGS)
def test_an_end_without_a_reason_in_the_log_is_reported(body: Ended, state: State, running: Running) -> None:
    with pytest.raises(Wrong, match="lets the match end") as wrong:
        check_ended(2, body, state, running)
    assert wrong.value.entry == 2


# --- who plays a seat -------------------------------------------------------------------------------------------------

HANDED = SeatHanded("red", "weak", "Weak")
OFFERED = Offer("red", "hand_over", hand="red", program="weak", name="Weak")


def test_a_seat_is_handed_over_when_all_others_have_agreed() -> None:
    agreed = replace(OFFERED, accepted=("blue", "green"))
    check_fact(9, HANDED, three(players=ALL, offers={"1": agreed}), Aside((HANDED,)), "m1")
    for offer in (
        OFFERED,
        replace(agreed, accepted=("blue",)),
        replace(agreed, hand="green", seat="green"),
        replace(agreed, program="strong"),
    ):
        with pytest.raises(Wrong, match="not all players have agreed"):
            check_fact(9, HANDED, three(players=ALL, offers={"1": offer}), Aside((HANDED,)), "m1")


def test_a_seat_that_the_rules_play_is_nobodys_to_hand_over() -> None:
    ruled = SeatHanded("red", "uncontrolled", "Uncontrolled")
    offer = Offer(
        "red", "hand_over", accepted=("blue", "green"), hand="red", program="uncontrolled", name="Uncontrolled"
    )
    with pytest.raises(Wrong, match="changes who plays red"):
        check_fact(9, ruled, three(players=ALL, offers={"1": offer}), Aside((ruled,)), "m1")


def test_the_seat_of_another_player_is_offered_only_where_the_game_could_be_claimed() -> None:
    offered = Offered("1", "blue", "hand_over", hand="red", program="weak", name="Weak")
    check_fact(9, offered, three(players=ALL), Aside((offered,), "blue"), "m1")
    with pytest.raises(Wrong, match="has not said so"):
        check_fact(9, offered, three(players=ALL, clock=PLAYED_ON), Aside((offered,), "blue"), "m1")
