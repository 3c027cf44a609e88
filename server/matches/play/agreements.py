"""Agreements of players outside the rules: offers, taking back, conceding, claiming the game. Pure.

Each function checks a message against the match as it stands, and returns the entry that it makes, or a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from client_protocol.from_client import Claim, Concede, MakeOffer, Respond, TakeBack
from client_protocol.from_server import Refused
from client_protocol.view import Ending
from server.kernel.clocks import run_out
from server.kernel.desk_facts import Conceded, DeskFact, OfferAccepted, OfferClosed, Offered
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Ended
from server.matches.log.names import player, side_of, span
from server.matches.play.abandonment import Abandonment
from server.matches.play.due import can_be_handed, carried_out, everybody
from server.matches.play.referee import Referee, UpTime
from server.matches.play.taking_back import way_back
from server.matches.play.verdicts import Verdict, lent
from server.matches.play.without_orders import WithoutOrders

NO_PROGRAMS: Mapping[str, str] = MappingProxyType({})
Settling = TakeBack | MakeOffer | Respond | Concede | Claim
"""The messages of players' agreements."""


def settling(
    referee: Referee,
    seat: str,
    message: Settling,
    answer_id: str,
    abandonment: Abandonment,
    clock: UpTime,
    programs: Mapping[str, str] = NO_PROGRAMS,
) -> Verdict:
    """Return the verdict on a seat's message.

    Args:
        referee: the match.
        seat: the sender's seat.
        message: the message.
        answer_id: the store's answer id.
        abandonment: the operator's policy for stalled matches without a clock.
        clock: reads the up-time.
        programs: the programs that can play seats here, each with its name for players.
    """
    up = clock()
    if _is_lent(referee.fold.state, seat, message):
        return lent(message.id)
    if isinstance(message, Respond):
        return respond(referee, seat, message, answer_id, up)
    refused = _not_now(referee, message.id)
    if refused is not None:
        return refused
    match message:
        case TakeBack():
            return take_back(referee, seat, message, answer_id, up)
        case MakeOffer(kind="hand_over"):
            return hand_over(referee, seat, message, answer_id, abandonment, up, programs)
        case MakeOffer():
            return offer(referee, seat, message, answer_id)
        case Concede():
            return concede(referee, seat, message, answer_id)
        case Claim():
            return claim(referee, seat, message, answer_id, abandonment, up)


def _refused(id_: str, code: str, sentence: str) -> Refused:
    return Refused(id_, code, sentence)


def _not_now(referee: Referee, id_: str) -> Refused | None:
    """Return a refusal if the match is not in play."""
    if referee.fold.state.result is not None:
        return _refused(id_, "match_not_running", "The match is over.")
    if not referee.fold.ready or referee.trouble:
        return _refused(id_, "match_not_running", "The match has not begun: not every seat is taken and ready.")
    return None


def take_back(referee: Referee, seat: str, message: TakeBack, answer_id: str, up: int) -> Verdict:
    """Return the verdict on a take-back, free or offered to the others. `up` is the up-time in milliseconds."""
    fold = referee.fold
    if fold.state.sealed:
        sentence = "Until the last answer of all asked seats is in, you can simply give yours again."
        return _refused(message.id, "nothing_to_take_back", sentence)
    way = way_back(fold, referee.ask, seat, message.frame, WithoutOrders(referee.rules))
    if way is None:
        sentence = "There is no decision of yours to take back, or it is too far back."
        return _refused(message.id, "nothing_to_take_back", sentence)
    if way.free:
        return referee.take_back(seat, way, answer_id, (), up), way.to.number
    if any(offer.kind == "take_back" for offer in fold.state.desk.offers.values()):
        return _refused(message.id, "offer_open", "There is already a request to take back: answer that one first.")
    return Aside((Offered(_name(referee), seat, "take_back", None, way.to.number),), seat, answer_id)


def offer(referee: Referee, seat: str, message: MakeOffer, answer_id: str) -> Verdict:
    """Return the verdict on an offer to the others."""
    refused = _pointless(referee.fold.state, message)
    if refused is not None:
        return refused
    offers = referee.fold.state.desk.offers
    if any(open_.seat == seat and open_.kind == message.kind for open_ in offers.values()):
        return _refused(message.id, "offer_open", "You have offered that already; the others have not answered yet.")
    clock = message.clock if message.kind == "clock" else None
    return Aside((Offered(_name(referee), seat, message.kind, clock),), seat, answer_id)


def hand_over(
    referee: Referee,
    seat: str,
    message: MakeOffer,
    answer_id: str,
    abandonment: Abandonment,
    up: int,
    programs: Mapping[str, str],
) -> Verdict:
    """Return the verdict on the offer that a program plays on for a player, or that the sender takes the own seat back.

    Another player's seat can be handed over where the game could be claimed from that player: the others go on playing instead.
    """
    state, hand = referee.fold.state, message.hand or seat
    if any(open_.kind == "hand_over" for open_ in state.desk.offers.values()):
        return _refused(
            message.id, "offer_open", "There is already an offer about who plays a seat: answer that one first."
        )
    if message.program and message.program not in programs:
        known = ", ".join(programs) or "none"
        return _refused(message.id, "no_program", f"There is no program {message.program!r} here. There are: {known}.")
    if not can_be_handed(state, hand, message.program):
        sentence = (
            "This seat cannot be handed over: a program plays it, or its player has conceded."
            if message.program
            else "This seat was not handed over: there is nothing to take back."
        )
        return _refused(message.id, "not_handed", sentence)
    if hand != seat and (not message.program or hand not in _late(referee, seat, abandonment, up)):
        sentence = (
            "A player who is here hands over the seat as they like. You can do so only where you could claim the game."
        )
        return _refused(message.id, "too_early", sentence)
    name = programs[message.program] if message.program else ""
    offered = Offered(_name(referee), seat, "hand_over", hand=hand, program=message.program, name=name)
    return Aside((offered,), seat, answer_id)


def _is_lent(state: State, seat: str, message: Settling) -> bool:
    """Return whether a message is none that a player may send whose seat a program plays: they may take it back, and withdraw
    that.
    """
    if seat not in state.desk.machines:
        return False
    if isinstance(message, MakeOffer):
        return message.kind != "hand_over" or message.hand not in {"", seat} or bool(message.program)
    offer = state.desk.offers.get(message.offer) if isinstance(message, Respond) else None
    return offer is None or offer.seat != seat


def _pointless(state: State, message: MakeOffer) -> Refused | None:
    clock = state.desk.clock
    if message.kind == "draw" and state.desk.machines:
        return _refused(message.id, "no_draw", "A side that no player commands agrees to no draw: play on, or concede.")
    if message.kind == "pause" and (clock is None or clock.paused):
        return _refused(message.id, "no_clock", "No clock is running.")
    if message.kind == "resume" and (clock is None or not clock.paused):
        return _refused(message.id, "no_clock", "No clock is stopped.")
    if message.kind == "clock" and message.clock == (clock.terms if clock is not None else None):
        return _refused(message.id, "same_clock", "The match already has this clock.")
    return None


def respond(referee: Referee, seat: str, message: Respond, answer_id: str, up: int) -> Verdict:
    """Return the verdict on an answer to an offer, or on the withdrawal of the sender's own. `up` is the up-time in
    milliseconds.
    """
    state = referee.fold.state
    open_ = state.desk.offers.get(message.offer)
    if open_ is None or state.result is not None:
        return _refused(message.id, "offer_closed", "That offer is no longer open.")
    if not message.accept:
        return Aside((OfferClosed(message.offer, seat),), seat, answer_id)
    if open_.seat == seat:
        return _refused(message.id, "own_offer", "This is your own offer: the others have to accept it.")
    accepted = OfferAccepted(message.offer, seat)
    facts: tuple[DeskFact, ...] = (accepted,)
    after = accepted.fold(state).desk.offers[message.offer]
    if everybody(state, after):
        # Agreed draws and take-backs are entries of their own, which are due now.
        facts += carried_out(referee, message.offer, open_, up)
    return Aside(facts, seat, answer_id)


def concede(referee: Referee, seat: str, message: Concede, answer_id: str) -> Verdict:
    """Return the verdict on a concession."""
    if seat in referee.fold.state.desk.conceded:
        return _refused(message.id, "conceded", "You have conceded already.")
    return Aside((Conceded(seat),), seat, answer_id)


def claim(referee: Referee, seat: str, message: Claim, answer_id: str, abandonment: Abandonment, up: int) -> Verdict:
    """Return the verdict on a claim of the game: another player's time is up, or the decision that is due has not come for
    too long.
    """
    state = referee.fold.state
    others = [other for other in referee.running if other != seat]
    late = _timed_out(referee, seat, up)
    if late:
        return _claimed(state, seat, late, "time", "no time left", answer_id)
    since = abandonment.since(referee.fold)
    if abandonment.then == "claim" and since is not None and others:
        if up >= since:
            waited = f"not decided for {span(abandonment.seconds)}"
            return _claimed(state, seat, others, "abandonment", waited, answer_id)
        left = span((since - up) // 1000 + 1)
        return _refused(
            message.id, "too_early", f"You can claim the game if the others decide nothing for another {left}."
        )
    return _refused(message.id, "nothing_to_claim", "No player's time is up.")


def _timed_out(referee: Referee, seat: str, up: int) -> list[str]:
    """Return the other seats whose time is up, where that lets `seat` claim the game."""
    clock = referee.fold.state.desk.clock
    if clock is None or clock.terms.at_zero != "claim":
        return []
    return sorted({*clock.up, *run_out(clock, referee.running, up)} & (set(referee.running) - {seat}))


def _late(referee: Referee, seat: str, abandonment: Abandonment, up: int) -> list[str]:
    """Return the other seats from which `seat` could claim the game now."""
    since = abandonment.since(referee.fold)
    if abandonment.then == "claim" and since is not None and up >= since:
        return [other for other in referee.running if other != seat]
    return _timed_out(referee, seat, up)


def _claimed(state: State, seat: str, late: list[str], how: Ending, what: str, answer_id: str) -> Body:
    """Return the end of the match in the claimer's favour if no other side is left to play; otherwise put those who are late
    out of the match.
    """
    others = [side.seat for side in state.sides.values() if side.seat not in {seat, *late, *state.desk.conceded}]
    if others:
        return Aside(tuple(Conceded(other) for other in late), seat, answer_id)
    names = " and ".join(player(state, other) for other in late)
    verb = "has" if len(late) == 1 else "have"
    reason = f"{names} {verb} {what}, and {player(state, seat)} claims the game."
    return Ended(side_of(state, seat), reason, how, seat, answer_id)


def _name(referee: Referee) -> str:
    """Return the name of the offer that the next entry makes."""
    return str(referee.fold.offered + 1)
