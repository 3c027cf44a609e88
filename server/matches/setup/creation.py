"""Making a match: its beginning, the seats taken at once, and its first entry. Pure, except that secrets are drawn."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import UNSET, Struct
from msgspec.structs import replace

from client_protocol.from_client import MakeMatch
from client_protocol.from_server import Pass, Refused
from server.kernel.clocks import begun
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import POSITION, Aside, Forked, Opened, Stepped, position
from server.matches.log.secrets import claim, hashed, invite_field, new_token, seat_field
from server.matches.log.signatures import origin_fields
from server.matches.play.seats import with_maker
from server.matches.setup.forks import Fork

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LETTERS = 12
NO_PROGRAMS: Mapping[str, str] = MappingProxyType({})


class Beginning(Struct, frozen=True):
    """The beginning of a match: its rules, the state, and their origin."""

    rules: Ruleset
    state: State
    scenario: str
    forked: Forked | None = None
    since: tuple[Stepped | Aside, ...] = ()


class Made(Struct, frozen=True):
    """A match to be stored: its id, its first entry, its private fields, the tokens and invites to its seats."""

    opened: Opened
    meta: Mapping[str, bytes]
    passes: tuple[Pass, ...]


def from_scenario(message: MakeMatch, rules_of: Callable[[str], Ruleset]) -> Beginning | Refused:
    """Return the beginning of a match from a scenario."""
    try:
        rules = rules_of(message.edition)
        return Beginning(rules, rules.open(message.scenario, message.options), message.scenario)
    except RulesetError as error:
        return Refused(message.id, "bad_match", f"This match cannot be made: {error}.")


def from_fork(message: MakeMatch, fork: Fork | str, rules_of: Callable[[str], Ruleset]) -> Beginning | Refused:
    """Return the beginning of a match that goes on from another one."""
    if isinstance(fork, str):
        return Refused(message.id, "no_fork", fork)
    try:
        return Beginning(rules_of(fork.edition), fork.state, POSITION, fork.forked, fork.since)
    except RulesetError as error:
        return Refused(message.id, "bad_match", f"This match cannot be made: {error}.")


def from_position(message: MakeMatch, found: State | str, rules_of: Callable[[str], Ruleset]) -> Beginning | Refused:
    """Return the beginning of a match from a position set up by a player."""
    if isinstance(found, str):
        return Refused(message.id, "bad_position", found)
    try:
        return Beginning(rules_of(found.edition), found, POSITION)
    except RulesetError as error:
        return Refused(message.id, "bad_match", f"This match cannot be made: {error}.")


def make(
    message: MakeMatch, name: str, beginning: Beginning, up: int, programs: Mapping[str, str] = NO_PROGRAMS
) -> Made | Refused:
    """Return the match that a message asks for.

    Args:
        message: the message.
        name: the maker's name, cleaned.
        beginning: the beginning of the match.
        up: the up-time in milliseconds.
        programs: the programs that can play seats here, with their names as players read them.
    """
    state = beginning.state
    seats = [side.seat for side in state.sides.values()]
    if not set(message.mine) <= set(seats):
        return Refused(message.id, "no_seat", f"The seats of this match are {', '.join(seats)}.")
    refused = _no_program(message, seats, programs)
    if refused is not None:
        return refused
    forces = with_maker(message, beginning.rules, state.options)
    if isinstance(forces, Refused):
        return forces
    if forces and beginning.scenario == POSITION:
        return Refused(
            message.id, "force", "The forces of a position are on its table already: you cannot bring others."
        )
    secret = secrets.token_bytes(32)
    passes = tuple(
        Pass(seat, token=new_token()) if seat in message.mine else Pass(seat, invite=new_token())
        for seat in seats
        if seat not in message.programs
    )
    machines = {seat: programs[message.programs[seat]] for seat in seats if seat in message.programs}
    desk = replace(
        state.desk,
        players={**{given.seat: name for given in passes if given.token}, **machines},
        forces={**state.desk.forces, **forces},
        clock=None if message.clock is None else begun(message.clock, seats, up),
        programs={seat: message.programs[seat] for seat in machines} or UNSET,
    )
    opened = Opened(
        match="".join(secrets.choice(_ALPHABET) for _ in range(_ID_LETTERS)),
        edition=state.edition,
        version=beginning.rules.version,
        scenario=beginning.scenario,
        title=state.title,
        position=position(replace(state, desk=desk)),
        commitment=hashlib.sha256(secret).hexdigest(),
        listed=message.listed,
        forked=beginning.forked,
        since=beginning.since,
    )
    return Made(opened, {"secret": secret, **fields(passes, name), **origin_fields(0)}, passes)


def _no_program(message: MakeMatch, seats: Sequence[str], programs: Mapping[str, str]) -> Refused | None:
    """Return why programs cannot play the seats that a message names for them; None if they can."""
    for seat, program in message.programs.items():
        if seat not in seats or seat in message.mine:
            free = ", ".join(key for key in seats if key not in message.mine)
            return Refused(
                message.id, "no_seat", f"A program can play the seats that you do not take: {free or 'none'}."
            )
        if program not in programs:
            known = ", ".join(programs) or "none"
            return Refused(message.id, "no_program", f"There is no program {program!r} here. There are: {known}.")
    return None


def fields(passes: tuple[Pass, ...], name: str) -> dict[str, bytes]:
    """Return the private fields for these tokens and invites; `name` sits at the seats that have a token."""
    return {
        seat_field(given.seat) if given.token else invite_field(given.seat): (
            claim(given.token, name) if given.token else hashed(given.invite)
        )
        for given in passes
    }
