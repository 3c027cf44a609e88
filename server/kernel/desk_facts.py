"""The facts of the desk: seats, dice shares, clocks, offers, chat. Each changes only the desk (see `state.Desk`), whatever
happens on the table.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms, OfferKind
from client_protocol.forces import Force
from client_protocol.view import Channel, NextMatch
from server.kernel.clocks import Clock
from server.kernel.facts import Fact
from server.kernel.programs import UNCONTROLLED
from server.kernel.state import Brought, Offer, State, changed

StoredChannel = Literal["table", "side", "spectators", "watchers"]
"""A channel of the chat in a log. Logs written before protocol 5 call the spectators' one "watchers"."""


class SeatTaken(Fact, frozen=True, tag="seat"):
    """`name` sits down at `seat`."""

    seat: str
    name: str

    def fold(self, state: State) -> State:
        return _desk(state, players=changed(state.desk.players, self.seat, self.name))


class SeatTied(Fact, frozen=True, tag="tied"):
    """The player of `seat` ties it to a key (hexadecimal), whose `signature` on the seat says that its holder consents."""

    seat: str
    key: str
    signature: str

    def fold(self, state: State) -> State:
        return _desk(state, tied=changed(state.desk.keys, self.seat, self.key))


class SeatHanded(Fact, frozen=True, tag="handed"):
    """`seat` is played by the program `program` from here on, in the place of its player, under `name`; or ("") by that player
    again. Who commands an uncontrolled side never changes, since the rules play it.
    """

    seat: str
    program: str = ""
    name: str = ""

    def fold(self, state: State) -> State:
        desk = state.desk
        if not self.program:
            programs = {seat: program for seat, program in desk.machines.items() if seat != self.seat}
            lent = {seat: name for seat, name in desk.lenders.items() if seat != self.seat}
            players = changed(desk.players, self.seat, desk.lenders.get(self.seat, ""))
            return _desk(state, players=players, programs=programs or UNSET, lent=lent or UNSET)
        owner = desk.lenders.get(self.seat, desk.players.get(self.seat, ""))
        return _desk(
            state,
            players=changed(desk.players, self.seat, self.name),
            programs=changed(desk.machines, self.seat, self.program),
            lent=changed(desk.lenders, self.seat, owner),
        )


class RandomnessCommitted(Fact, frozen=True, tag="committed"):
    """`seat` commits to its share of the dice by the SHA-256 of it."""

    seat: str
    digest: str

    def fold(self, state: State) -> State:
        return _desk(state, digests=changed(state.desk.digests, self.seat, self.digest))


class RandomnessRevealed(Fact, frozen=True, tag="randomness"):
    """`seat` reveals its share of the dice."""

    seat: str
    randomness: str

    def fold(self, state: State) -> State:
        return _desk(state, randomness=changed(state.desk.randomness, self.seat, self.randomness))


class SecretRevealed(Fact, frozen=True, tag="secret"):
    """The match is over and the server reveals its dice secret (hexadecimal)."""

    secret: str

    def fold(self, state: State) -> State:
        return _desk(state, secret=self.secret)


class ForceBrought(Fact, frozen=True, tag="force"):
    """`seat` brings a force of its own, to play instead of the scenario's for its side. A `hidden` one is known only to that
    seat until it is on the roster.
    """

    seat: str
    force: Force
    hidden: bool = False

    def fold(self, state: State) -> State:
        brought = Brought(self.force, self.hidden)
        return replace(state, desk=replace(state.desk, forces=changed(state.desk.forces, self.seat, brought)))


class StandingOrder(Fact, frozen=True, tag="order"):
    """The owner of `unit` gives it a standing order: what the rules do without asking, a key of the rule set ("": to be
    asked).
    """

    unit: str
    order: str

    def fold(self, state: State) -> State:
        return replace(state, desk=replace(state.desk, orders=changed(state.desk.orders, self.unit, self.order)))


class Said(Fact, frozen=True, tag="said"):
    """A line of chat, from a seat or ("") from a spectator called `name`; `channel` is who hears it."""

    seat: str
    name: str
    text: str
    channel: StoredChannel = "table"

    @property
    def heard_on(self) -> Channel:
        """The channel by its name of today."""
        return "spectators" if self.channel == "watchers" else self.channel


class DormancyTold(Fact, frozen=True, tag="dormant"):
    """The server tells all that the match is concluded at `until` (ms since 1970) unless it is played before."""

    until: int


class NextMade(Fact, frozen=True, tag="next"):
    """`seat` has made the next match of the same players, `match`; `seats` are their seats in it, by those in this one."""

    seat: str
    match: str
    seats: dict[str, str]

    def fold(self, state: State) -> State:
        return _desk(state, next=NextMatch(self.match, self.seats))


class DiceRenewed(Fact, frozen=True, tag="dice_renewed"):
    """Another server continues the match, and does not know the dice secret: from here on dice derive from another one, whose
    SHA-256 it commits to here, and from new shares of the seats, which are taken again.
    """

    commitment: str

    def fold(self, state: State) -> State:
        # Uncontrolled seats stay what they are, for the rules play them. The server that goes on with a match may not have the
        # other programs: persons take their seats, as they take their own again.
        ruled = {seat: program for seat, program in state.desk.machines.items() if program == UNCONTROLLED}
        kept = {seat: name for seat, name in state.desk.players.items() if seat in ruled}
        return _desk(
            state,
            commitment=self.commitment,
            players=kept,
            digests={},
            randomness={},
            secret="",
            programs=ruled or UNSET,
            lent=UNSET,
            tied=UNSET,
        )


# --- clocks ---------------------------------------------------------------------------------------------------------


class ClockRead(Fact, frozen=True, tag="clock_read"):
    """A reading of the clocks at the up-time `at` (ms): the time and the allowance that remain, by seat (ms); `up` are the
    seats whose game may be claimed.
    """

    at: int
    remaining: dict[str, int]
    allowance: dict[str, int]
    up: tuple[str, ...] = ()

    @classmethod
    def of(cls, clock: Clock) -> ClockRead:
        """Return the reading of `clock`."""
        return cls(clock.at, clock.remaining, clock.allowance, clock.up)

    def fold(self, state: State) -> State:
        return _clock(state, at=self.at, remaining=self.remaining, allowance=self.allowance, up=self.up)


class ClockSet(Fact, frozen=True, tag="clock_set"):
    """The match has these clocks from here on (None: none)."""

    clock: Clock | None

    def fold(self, state: State) -> State:
        return _desk(state, clock=self.clock)


class ClockPaused(Fact, frozen=True, tag="clock_paused"):
    """The clocks stop, or go on."""

    paused: bool

    def fold(self, state: State) -> State:
        return _clock(state, paused=self.paused)


class SeatHere(Fact, frozen=True, tag="here"):
    """`seat` is connected, by the connection `link`."""

    seat: str
    link: str

    def fold(self, state: State) -> State:
        clock = state.desk.clock
        if clock is None:
            return state
        away = tuple(seat for seat in clock.away if seat != self.seat)
        return _clock(state, here=changed(clock.here, self.seat, self.link), away=away)


class SeatAway(Fact, frozen=True, tag="away"):
    """`seat` has lost the connection `link`, or has had none yet (""); if it has another one by now, nothing changes."""

    seat: str
    link: str

    def fold(self, state: State) -> State:
        clock = state.desk.clock
        if clock is None or clock.here.get(self.seat, "") != self.link or self.seat in clock.away:
            return state
        return _clock(state, away=(*clock.away, self.seat))


class TimeUp(Fact, frozen=True, tag="time_up"):
    """`seat` has no time left, and its game may be claimed until it decides."""

    seat: str

    def fold(self, state: State) -> State:
        clock = state.desk.clock
        if clock is None or self.seat in clock.up:
            return state
        return _clock(state, up=(*clock.up, self.seat))


# --- offers ---------------------------------------------------------------------------------------------------------


class Offered(Fact, frozen=True, tag="offered"):
    """`seat` makes the others the offer `offer` (see `state.Offer`)."""

    offer: str
    seat: str
    kind: OfferKind
    clock: ClockTerms | None = None
    to: int = 0
    hand: str = ""
    program: str = ""
    name: str = ""

    def fold(self, state: State) -> State:
        offer = Offer(self.seat, self.kind, self.clock, self.to, hand=self.hand, program=self.program, name=self.name)
        return _desk(state, offers=changed(state.desk.offers, self.offer, offer))


class OfferAccepted(Fact, frozen=True, tag="offer_accepted"):
    """`seat` accepts `offer`."""

    offer: str
    seat: str

    def fold(self, state: State) -> State:
        offer = state.desk.offers.get(self.offer)
        if offer is None or self.seat in offer.accepted:
            return state
        offer = replace(offer, accepted=(*offer.accepted, self.seat))
        return _desk(state, offers=changed(state.desk.offers, self.offer, offer))


class OfferClosed(Fact, frozen=True, tag="offer_closed"):
    """`offer` is closed: `seat` has declined it or withdrawn it, or ("") it was carried out."""

    offer: str
    seat: str = ""

    def fold(self, state: State) -> State:
        offers = {key: offer for key, offer in state.desk.offers.items() if key != self.offer}
        return _desk(state, offers=offers)


class Conceded(Fact, frozen=True, tag="conceded"):
    """`seat` concedes. Where more than one other side is left, its decisions are made by their defaults from here on."""

    seat: str

    def fold(self, state: State) -> State:
        if self.seat in state.desk.conceded:
            return state
        return _desk(state, conceded=(*state.desk.conceded, self.seat))


DeskFact = (
    SeatTaken
    | SeatTied
    | SeatHanded
    | ForceBrought
    | RandomnessCommitted
    | RandomnessRevealed
    | SecretRevealed
    | StandingOrder
    | Said
    | DormancyTold
    | NextMade
    | DiceRenewed
    | ClockRead
    | ClockSet
    | ClockPaused
    | SeatHere
    | SeatAway
    | TimeUp
    | Offered
    | OfferAccepted
    | OfferClosed
    | Conceded
)
"""The facts of an aside. Procedures read only forces and standing orders among them."""


def _desk(state: State, **entries: object) -> State:
    return replace(state, desk=replace(state.desk, **entries))


def _clock(state: State, **entries: object) -> State:
    clock = state.desk.clock
    return state if clock is None else _desk(state, clock=replace(clock, **entries))
