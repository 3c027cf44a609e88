"""Verdicts on a seat's message against the match as it stands: an entry to append, a refusal, or that it is done already.
Pure.

A verdict is computed again after every entry by which another server came first, so it changes nothing.
"""

from __future__ import annotations

import hashlib

from client_protocol.choices import Picked
from client_protocol.from_client import Answer, CommitRandomness, Order, RevealRandomness, TieSeat
from client_protocol.from_server import Accepted, Refused
from client_protocol.statements import seat_statement
from server.kernel import clocks
from server.kernel.belief import believed
from server.kernel.desk_facts import ClockRead, RandomnessCommitted, RandomnessRevealed, SeatTied, StandingOrder
from server.matches.log.entries import Aside, Body
from server.matches.log.player_keys import name_at, signed
from server.matches.log.secrets import Claim
from server.matches.play import standing_orders
from server.matches.play.referee import Referee, UpTime
from server.matches.play.seats import seated, too_late

Planned = tuple[Body, int]
"""An entry to append, and the entry to which it goes back (0: it follows the last one)."""
Verdict = Body | Planned | Accepted | Refused


def id_of(sender: str, id_: str) -> str:
    """Return the answer id under which the store knows this message."""
    return f"{sender}:{id_}"


def lent(id_: str) -> Refused:
    """Return the refusal of what a player wants to do whose seat a program plays."""
    return Refused(id_, "handed_over", "The computer plays your side. Take it back first.")


def answering(referee: Referee, seat: str, message: Answer, up: UpTime, *, program: bool = False) -> Verdict:
    """Return the step that an answer makes. `program` says that a program gives it, and not the seat's player."""
    if (seat in referee.fold.state.desk.machines) != program:
        # The seat was handed over, or taken back, while the answer was on its way.
        return Refused(message.id, "prompt_closed", "A player decides here again.") if program else lent(message.id)
    picked = Picked(message.choice, message.values)
    asked = referee.asked(seat, message.id, message.prompt, picked)
    return asked if isinstance(asked, Refused) else referee.answer(seat, picked, id_of(seat, message.id), up)


def ordering(referee: Referee, seat: str, message: Order) -> Verdict:
    """Return the entry of a standing order for one of the seat's units."""
    state = believed(referee.fold.state, seat)
    if seat in state.desk.machines:
        return lent(message.id)
    if referee.trouble or referee.ask is None:
        return referee.not_running(message.id)
    refused = standing_orders.refusal(referee.rules, state, seat, message)
    if refused is not None:
        return refused
    if state.desk.orders.get(message.unit, "") == message.order:
        return _done(referee, seat, message.id)
    return Aside((StandingOrder(message.unit, message.order),), seat, id_of(seat, message.id))


def tying(referee: Referee, seat: str, message: TieSeat) -> Verdict:
    """Return the entry that ties a seat to a player's key."""
    state = referee.fold.state
    name, held = name_at(state.desk, seat), state.desk.keys.get(seat)
    if held == message.key:
        return _done(referee, seat, message.id)
    if held is not None:
        return Refused(message.id, "tied", "This seat is tied to another key, for the whole match.")
    if state.result is not None:
        return Refused(message.id, "match_not_running", "This match is over: who played it stands.")
    if not name or not signed(message.key, message.signature, seat_statement(referee.fold.opened.match, seat, name)):
        return Refused(message.id, "wrong_signature", "The signature is not the key's on this seat and its name.")
    return Aside((SeatTied(seat, message.key, message.signature),), seat, id_of(seat, message.id))


def committing(referee: Referee, seat: str, message: CommitRandomness) -> Verdict:
    """Return the entry of a commitment to a seat's share of the dice. A player who has lost the share may commit again until
    the first share is revealed: until then no other player has learned anything from it.
    """
    # The log's digest is encoded here from the bytes: dice depend on every letter, so a client's spelling must not enter the
    # log.
    digest = bytes.fromhex(message.digest).hex()
    desk = referee.fold.state.desk
    if desk.digests.get(seat) == digest:
        return _done(referee, seat, message.id)
    if desk.randomness:
        return Refused(message.id, "committed", "Shares of the dice are revealed already: this one stands.")
    return Aside((RandomnessCommitted(seat, digest),), seat)


def revealing(referee: Referee, seat: str, message: RevealRandomness, up: UpTime) -> Verdict:
    """Return the entry of a seat's share of the dice, once every seat has committed to its own."""
    share = bytes.fromhex(message.randomness)
    desk, seats = referee.fold.state.desk, referee.fold.seats
    if not all(other in desk.digests or other in desk.uncontrolled for other in seats):
        return Refused(message.id, "not_yet", "Shares are revealed when every seat has committed to its own.")
    if hashlib.sha256(share).hexdigest() != desk.digests[seat]:
        return Refused(message.id, "wrong_randomness", "This is not the share that the seat committed to.")
    if seat in desk.randomness:
        return _done(referee, seat, message.id)
    # Where a fork begins between boundaries, its next decision is asked with the last share, and not before.
    now = max(up(), referee.fold.up)
    read = ClockRead(now, {}, {}) if desk.clock is None else ClockRead.of(clocks.read(desk.clock, (), now))
    return Aside((RandomnessRevealed(seat, share.hex()), read), seat)


def sitting_down(referee: Referee, seat: str, claim: Claim, id_: str) -> Verdict:
    """Return the entry by which the player who claimed `seat` takes it, with the force that they brought; unless the log has
    it already, or the match has ended meanwhile.
    """
    state = referee.fold.state
    if seat in state.desk.players:
        return _done(referee, seat, id_)
    return too_late(id_) if state.result is not None else seated(seat, claim, state)


def _done(referee: Referee, seat: str, id_: str) -> Accepted:
    return Accepted(id_, referee.fold.seqs[seat])
