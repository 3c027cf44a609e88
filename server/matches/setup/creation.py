"""Making a match: its beginning, the seats taken at once, and its first entry. Pure, except that secrets are drawn."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from msgspec import UNSET, Struct
from msgspec.structs import replace

from client_protocol.from_client import MakeMatch
from client_protocol.from_server import Pass, Refused
from server.kernel.clocks import begun
from server.kernel.errors import RulesetError
from server.kernel.programs import UNCONTROLLED_NAME
from server.kernel.ruleset import Ruleset
from server.kernel.state import Brought, State
from server.matches.log.entries import POSITION, Aside, Forked, Opened, Stepped, position
from server.matches.log.names import ID_ALPHABET, ID_LETTERS
from server.matches.log.secrets import claim, hashed, invite_field, new_token, seat_field
from server.matches.log.signatures import origin_fields
from server.matches.play.seats import with_maker
from server.matches.setup.forks import Fork

NO_PROGRAMS: Mapping[str, str] = MappingProxyType({})
NO_FORCES: Mapping[str, Brought] = MappingProxyType({})


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
    message: MakeMatch,
    name: str,
    beginning: Beginning,
    up: int,
    programs: Mapping[str, str] = NO_PROGRAMS,
    invited: Callable[[str, str], str | None] = lambda _seat, _match: None,
    placed: Mapping[str, Brought] = NO_FORCES,
) -> Made | Refused:
    """Return the match that a message asks for.

    Args:
        message: the message.
        name: the maker's name, cleaned.
        beginning: the beginning of the match.
        up: the up-time in milliseconds.
        programs: the programs that can play seats here, with their names as players read them.
        invited: what invites to a seat of the match of an id; None: an invite that is drawn.
        placed: forces that lie on the desk already, by seat: players bring no others there.
    """
    state = beginning.state
    seats = [side.seat for side in state.sides.values()]
    if not set(message.mine) <= set(seats):
        return Refused(message.id, "no_seat", f"The seats of this match are {', '.join(seats)}.")
    # What has happened since a boundary was decided by the programs of that match, and the rules tell of what they decide.
    held = dict(state.desk.machines if beginning.since else message.programs)
    names = {**dict.fromkeys(beginning.rules.info.programs, UNCONTROLLED_NAME), **programs}
    refused = _no_programs(message, seats, held, names, beginning)
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
    match = "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LETTERS))
    passes = tuple(
        Pass(seat, token=new_token())
        if seat in message.mine
        else Pass(seat, invite=invited(seat, match) or new_token())
        for seat in seats
        if seat not in held
    )
    desk = replace(
        state.desk,
        players={
            seat: names[held[seat]] if seat in held else name for seat in seats if seat in message.mine or seat in held
        },
        forces={**state.desk.forces, **placed, **forces},
        clock=None if message.clock is None else begun(message.clock, seats, up),
        programs=held or UNSET,
        advice=message.advice or UNSET,
    )
    opened = Opened(
        match=match,
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


def _no_programs(
    message: MakeMatch,
    seats: Collection[str],
    held: Mapping[str, str],
    names: Mapping[str, str],
    beginning: Beginning,
) -> Refused | None:
    """Return why programs cannot hold the seats `held` of the match that a message asks for; None if they can. `names` are those
    of the programs that play this edition here.
    """
    if beginning.since and (not held.keys().isdisjoint(message.mine) or message.programs not in ({}, held)):
        sentence = "Who commands a side can change between two activations: go on from the end of one."
        return Refused(message.id, "no_program", sentence)
    for seat, program in held.items():
        if seat not in seats or seat in message.mine:
            free = ", ".join(key for key in seats if key not in message.mine)
            return Refused(
                message.id, "no_seat", f"A program can play the seats that you do not take: {free or 'none'}."
            )
        if program not in names:
            edition, known = beginning.rules.info.name, ", ".join(names) or "none"
            return Refused(
                message.id,
                "no_program",
                f"There is no program {program!r} that plays {edition} here. There are: {known}.",
            )
    return None


def fields(passes: tuple[Pass, ...], name: str) -> dict[str, bytes]:
    """Return the private fields for these tokens and invites; `name` sits at the seats that have a token."""
    return {
        seat_field(given.seat) if given.token else invite_field(given.seat): (
            claim(given.token, name) if given.token else hashed(given.invite)
        )
        for given in passes
    }
