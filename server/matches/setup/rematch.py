"""The next match of the same players: what it begins from, and who has which seat in it. Pure."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.from_client import MakeMatch
from client_protocol.from_server import Refused
from client_protocol.next_match import next_invite_of
from server.kernel.desk_facts import NextMade
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.kernel.state import Brought, Desk, State
from server.matches.log.entries import POSITION, Opened
from server.matches.log.secrets import Keys
from server.matches.setup.creation import Beginning


class Rematch(Struct, frozen=True):
    """The next match: the seat of its maker in the one before, the message that makes it, what it begins from, and the seats in
    it of the players of the one before (`seats`, by theirs).
    """

    maker: str
    message: MakeMatch
    beginning: Beginning
    seats: dict[str, str]

    def invites(self, keys: Keys) -> Callable[[str, str], str | None]:
        """Return what makes a seat's invite to a match of an id, from the private fields of the match before; None for a seat
        that no player had there.
        """
        before = {new: old for old, new in self.seats.items()}

        def invite(seat: str, match: str) -> str | None:
            held = keys.claims.get(before.get(seat, ""))
            return None if held is None else next_invite_of(held.token.decode(), match)

        return invite

    def fact(self, match: str) -> NextMade:
        """Return what tells the players of the match before of the next one."""
        return NextMade(self.maker, match, self.seats)


def rematch(
    message: MakeMatch,
    opened: Opened,
    state: State,
    keys: Keys,
    rules_of: Callable[[str], Ruleset],
    *,
    lost: bool = False,
) -> Rematch | Refused:
    """Return the next match that a player of one asks for.

    Args:
        message: the message; of it only the maker's name, and what it says of the match before, is looked at.
        opened: the first entry of the match before; with its position, if it began from one that a player set up.
        state: how it stands.
        keys: its private fields.
        rules_of: the editions.
        lost: whether the match that is said to follow was never stored, since the server stopped in that moment.
    """
    after = message.after
    assert after is not None, "the message names a match"

    def no(sentence: str) -> Refused:
        return Refused(message.id, "no_rematch", sentence)

    if state.result is None:
        return no("That match is not over: the next one is made after its end.")
    if state.desk.followed_by is not None and not lost:
        return no("The next match has been made already: sit down there.")
    mine = [keys.seat_of(token) for token in after.tokens]
    own = [seat for seat in mine if seat is not None]
    if len(own) < len(mine):
        return no("Only its players can make the next match.")
    if opened.since:
        return no("That match went on from the middle of another one: go on from there again.")
    order = [side.seat for side in state.sides.values()]
    seats = dict(zip(order, [*order[1:], *order[:1]] if after.swap else order, strict=True))
    machines = {seat: name for seat, name in state.desk.machines.items() if seat not in state.desk.lenders}
    try:
        forces = {seats[seat]: force for seat, force in state.desk.forces.items()}
        beginning = _beginning(opened, state, rules_of, forces)
    except RulesetError as error:
        return no(f"It cannot be made: {error}.")
    clock = state.desk.clock
    made = MakeMatch(
        message.id,
        opened.edition,
        opened.scenario,
        message.name,
        tuple(seats[seat] for seat in own),
        listed=opened.listed,
        clock=None if clock is None else clock.terms,
        programs={seats[seat]: program for seat, program in machines.items()},
        advice=state.desk.advice is True,
    )
    players = {seat: seats[seat] for seat in order if seat in keys.claims and seat not in machines}
    return Rematch(own[0], made, beginning, players)


def _beginning(
    opened: Opened, state: State, rules_of: Callable[[str], Ruleset], forces: dict[str, Brought]
) -> Beginning:
    rules = rules_of(opened.edition)
    began = opened.state() if opened.scenario == POSITION else rules.open(opened.scenario, state.options)
    return Beginning(rules, replace(began, desk=Desk(forces=forces)), opened.scenario)
