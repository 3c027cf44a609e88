"""Checking what a match file says about the desk: its beginning, forces and orders, answers given for absent players, taking
back, ending. Pure.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.statements import seat_statement
from server.kernel.answers.check import Ask
from server.kernel.desk_facts import (
    Conceded,
    DormancyTold,
    ForceBrought,
    NextMade,
    OfferAccepted,
    OfferClosed,
    Offered,
    SeatHanded,
    SeatTaken,
    SeatTied,
    StandingOrder,
)
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.programs import UNCONTROLLED
from server.kernel.ruleset import Ruleset
from server.kernel.state import Desk, State
from server.matches.log.entries import POSITION, Aside, Ended, Opened, Stepped, TakenBack
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.log.names import side_of
from server.matches.log.player_keys import name_at, signed
from server.matches.play.due import can_be_handed, everybody
from server.matches.play.taking_back import way_back
from server.matches.verify.clocks import Running


def check_opened(opened: Opened) -> None:
    """Check that no seat has a share in the dice yet, and that only a fork goes on from another match. Raises `Wrong`."""
    state = opened.state()
    desk = state.desk
    allowed = Desk(
        players=desk.players,
        forces=desk.forces,
        clock=desk.clock,
        programs=desk.programs,
        advice=desk.advice,
        league=desk.league,
    )
    if opened.forked is not None:
        allowed = replace(allowed, orders=desk.orders)
    if desk != allowed:
        raise Wrong(1, "the desk holds something that can be there only later")
    if opened.since and opened.forked is None:
        raise Wrong(1, "it tells of what happened in another match, and names none")


def unlike_scenario(opened: Opened, rules: Ruleset) -> str:
    """Return how the beginning of a match differs from the scenario that it names; "" if it does not, or if it begins from a
    position.
    """
    if opened.scenario == POSITION:
        return ""
    state = opened.state()
    try:
        known = rules.open(opened.scenario, state.options)
    except RulesetError as error:
        return f"the rules know no such beginning: {error}"
    if same_beginning(replace(state, desk=Desk()), known):
        return ""
    return f"the scenario {opened.scenario} does not begin like this"


def same_beginning(state: State, known: State) -> bool:
    """Return whether a match begins as the rules have it now (`known`), but for options that its edition has got since.

    A match that does not have an option is played like one that has it at its default, and so `known` has it.
    """
    return state == replace(known, options={key: known.options[key] for key in state.options if key in known.options})


def check_fact(number: int, fact: Fact, state: State, body: Aside, match: str) -> None:
    """Check a fact of an aside, folded into `state`: forces come before the first die can fall, orders from the owners of
    units, and an offer is answered by another player. Raises `Wrong`.
    """
    if isinstance(fact, ForceBrought) and all(side.seat in state.desk.players for side in state.sides.values()):
        raise Wrong(number, f"{fact.seat} brings a force to a match in which every seat is taken")
    if isinstance(fact, StandingOrder) and (fact.unit not in state.units or state.seat_of(fact.unit) != body.seat):
        raise Wrong(number, f"{body.seat or 'no seat'} gives a standing order to {fact.unit}, which is another seat's")
    if isinstance(fact, Offered | OfferAccepted | OfferClosed):
        _check_offer(number, fact, state, body)
    if isinstance(fact, SeatTied):
        _check_tied(number, fact, state, body, match)
    if isinstance(fact, SeatHanded):
        _check_handed(number, fact, state)
    if isinstance(fact, DormancyTold) and (body.seat or state.result is not None):
        raise Wrong(number, "a date is told at which the match is concluded, which only a server does, before the end")
    if isinstance(fact, NextMade) and state.result is None:
        raise Wrong(number, "the next match is made before this one is over")
    if isinstance(fact, Conceded) and fact.seat != body.seat and not _may_claim(body, state):
        raise Wrong(number, f"{fact.seat} concedes, and has not said so")


def _check_tied(number: int, fact: SeatTied, state: State, body: Aside, match: str) -> None:
    """Check that the holder of a key has consented to be tied to the seat, and its player has said so. Raises `Wrong`."""
    name = name_at(state.desk, fact.seat)
    if fact.seat != body.seat or not name or fact.seat in state.desk.keys:
        raise Wrong(number, f"{fact.seat} cannot be tied to a key here")
    if not signed(fact.key, fact.signature, seat_statement(match, fact.seat, name)):
        raise Wrong(number, f"{fact.seat} is tied to a key that did not sign for it")


def _check_offer(number: int, fact: Offered | OfferAccepted | OfferClosed, state: State, body: Aside) -> None:
    """Check that an offer is one that its seat can make, or that it is answered by another player. Raises `Wrong`."""
    if isinstance(fact, Offered):
        others = fact.kind == "hand_over" and fact.hand != body.seat
        if others and (not _may_claim(body, state) or body.seat in state.desk.machines):
            raise Wrong(number, "a seat is offered to a program, and its player has not said so")
        return
    offer = state.desk.offers.get(fact.offer)
    if offer is None:
        raise Wrong(number, f"there is no offer {fact.offer}")
    if isinstance(fact, OfferAccepted):
        if fact.seat != body.seat or fact.seat == offer.seat:
            raise Wrong(number, f"{fact.seat} cannot accept this offer")
    elif not fact.seat and not everybody(state, offer):
        raise Wrong(number, "an offer is carried out that not all players have accepted")


def _may_claim(body: Aside, state: State) -> bool:
    """Return whether the sender could claim the game, as far as a log tells: the time also depends on the operator's policy."""
    clock = state.desk.clock
    late = clock is None or clock.paused or clock.terms.at_zero == "claim"
    return bool(body.seat) and body.seat not in state.desk.conceded and late


def _check_handed(number: int, fact: SeatHanded, state: State) -> None:
    """Check that all have agreed on who plays a seat from here on. Raises `Wrong`."""
    agreed = any(
        (offer.kind, offer.hand, offer.program, offer.name) == ("hand_over", fact.seat, fact.program, fact.name)
        and everybody(state, offer)
        for offer in state.desk.offers.values()
    )
    if not agreed or not can_be_handed(state, fact.seat, fact.program):
        raise Wrong(number, f"it changes who plays {fact.seat}, and not all players have agreed to that")


class LateSeat(Struct, frozen=True):
    """A seat that was taken by the entry `entry` after the match was over (`over`), or from another player, whose name was
    `before` ("": the seat was free).
    """

    entry: int
    seat: str
    name: str
    before: str
    over: bool


def late_seat(number: int, fact: Fact, state: State) -> LateSeat | None:
    """Return what to report of a seat that the entry `number` takes; None if it could be taken.

    This is not wrong: servers have let strangers take seats in matches that were over.
    """
    if not isinstance(fact, SeatTaken):
        return None
    over, before = state.result is not None, state.desk.players.get(fact.seat, "")
    return LateSeat(number, fact.seat, fact.name, before, over) if over or before else None


def check_played(number: int, body: Stepped, state: State) -> None:
    """Check that an answer could be given for a seat: its player has conceded, the time can be up, or the rules play it. An
    uncontrolled side decides nothing in another way. Raises `Wrong`.
    """
    uncontrolled = body.seat in state.desk.uncontrolled
    if body.picked is not None and uncontrolled and body.played not in {UNCONTROLLED, "conceded"}:
        raise Wrong(number, f"{body.seat} is uncontrolled, and its decision was not made by the rules")
    if not body.played:
        return
    if body.played == UNCONTROLLED and not uncontrolled:
        raise Wrong(number, f"the rules decide for {body.seat}, which they do not play")
    if body.picked is None:
        raise Wrong(number, f"what is played for {body.seat} is not the default")
    clock = state.desk.clock
    if body.played == "conceded" and body.seat not in state.desk.conceded:
        raise Wrong(number, f"it is played for {body.seat}, who has not conceded")
    if body.played == "time" and (clock is None or clock.paused or clock.terms.at_zero != "default"):
        raise Wrong(number, f"it is played for {body.seat}, whose time cannot be up")


def check_taken_back(number: int, body: TakenBack, to: int, fold: Fold, ask: Ask | None) -> None:
    """Check that a player may take back as the entry says, or that the others agreed. `fold` stands before it, `ask` is the
    open ask there, if known. Raises `Wrong`.
    """
    state = fold.state
    if state.result is not None:
        raise Wrong(number, "something is taken back when the match is over")
    for offer in state.desk.offers.values():
        if (offer.kind, offer.seat, offer.to, offer.accepted) == (
            "take_back",
            body.seat,
            to,
            body.agreed,
        ) and everybody(state, offer):
            return
    if body.agreed:
        raise Wrong(number, f"{body.seat} takes back what not all players agreed to")
    frame = next((fold.frame(mark, body.seat) for mark in fold.marks if mark.number == to), -1)
    way = way_back(fold, ask, body.seat, frame) if frame >= 0 else None
    if way is None or way.to.number != to or not way.free:
        raise Wrong(number, f"{body.seat} takes back what cannot be taken back without asking")


def check_ended(number: int, body: Ended, state: State, running: Running) -> None:
    """Check that the match can end outside its rules as the entry says. Raises `Wrong`."""
    if state.result is not None:
        raise Wrong(number, "the match ends a second time")
    if not _may_end(body, state, running):
        raise Wrong(number, f"nothing before it lets the match end by {body.how} like this")


def _may_end(body: Ended, state: State, running: Running) -> bool:
    desk = state.desk
    playing = [side for side in state.sides.values() if side.seat not in desk.conceded]
    if body.how == "agreement":
        agreed = any(o.kind == "draw" and everybody(state, o) for o in desk.offers.values())
        return agreed and not body.winner
    if body.how == "concession":
        return len(playing) == 1 and body.winner == playing[0].id
    if body.how == "operator":
        # The operator of a server may end any match, and gives it to no side.
        return not body.winner and not body.seat
    clock = desk.clock
    if body.how == "time":
        timed = clock is not None and clock.terms.at_zero == "claim"
    else:
        # The necessary time depends on the server's clock and its operator's policies. Without a winner the match may have had a
        # clock: it was concluded because it was not played any more.
        timed = body.how == "abandonment" and (clock is None or clock.paused or not body.winner)
    if not timed or (not body.winner and (body.seat or body.how == "time")):
        return False
    if not body.winner:
        return True
    # A match that is not played any more is given to the only side with time left, which need not claim it.
    unclaimed = next((side.seat for side in playing if side.id == body.winner), "") if body.how == "time" else ""
    seat = body.seat or unclaimed
    others = {side.seat for side in playing if side.seat != seat}
    return body.winner == side_of(state, seat) and (running is None or others <= set(running))
