"""Bounds on the content of a match file, which may come from anyone and must not hold up the server that imports it. Pure.

A position from a file passes the same validator as setups: it is written as a setup and read again, and must come back
unchanged. Everything else in the entries is held to the bounds of the wire, as if a player had sent it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from client_protocol.codec import NotAllowed, plain, typed
from client_protocol.forces import Force
from client_protocol.shapes import ChatText, Hex32, Hex64, Id, Name
from server.kernel.desk_facts import ForceBrought, Said, SeatTaken, SeatTied
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.files import setups
from server.kernel.files.bounds import CORNERS, LARGEST, PIECES, count_units
from server.kernel.ruleset import Ruleset
from server.kernel.state import Desk, State
from server.matches.log.entries import POSITION, Aside, LogError, Opened, Stepped, decode
from server.matches.log.forms import TYPED
from server.matches.verify.desk import same_beginning, unlike_scenario
from server.store.key_names import check_id

MOST_ENTRIES = 30_000
"""The most entries of a match file; no match is so long."""
LONGEST_TEXT = 2_000
"""The most characters of any text in an entry."""
MOST_PARTS = 5_000
"""The most parts of any list or table in an entry."""
LARGEST_NUMBER = 10**15
"""The largest number in an entry; milliseconds since 1970 are below it."""
PROTOTYPE = "__proto__"
"""The name of an object's prototype in JavaScript: browsers accept no message with this key."""
PROSE = ("text", "name", "title", "about", "reason")
"""The fields that are only shown; any other text may become a key."""
DEEPEST = 16
"""The deepest nesting of lists and tables in an entry."""


class OutOfBounds(Exception):  # noqa: N818 - it is a finding
    """Something in a match file that no server would have written; the message is a sentence."""


def check_entries(payloads: Sequence[bytes]) -> Opened:
    """Check every entry of a file on its own. Return what opens the match. Raises `OutOfBounds`, `LogError`."""
    if len(payloads) > MOST_ENTRIES:
        raise OutOfBounds(f"This match has {len(payloads)} entries; this server imports at most {MOST_ENTRIES}.")
    opened: Opened | None = None
    form = TYPED
    for number, payload in enumerate(payloads, 1):
        body = decode(number, payload, form).body
        if isinstance(body, Opened):
            form = body.written_in
            opened = body if opened is None else opened
            _check_opened(body)
            told: object = replace(body, position="")
        else:
            told = body
        _bounded(number, plain(told), DEEPEST)
        for fact in body.facts if isinstance(body, Aside | Stepped) else ():
            _check_fact(number, fact)
    if opened is None:
        raise LogError(1, "a log begins with the entry that opens the match")
    return opened


def check_position(opened: Opened, rules: Ruleset) -> None:
    """Check the position in which a match begins: a scenario's, or one that a setup can describe. Raises `OutOfBounds`."""
    try:
        state = replace(opened.state(), desk=Desk())
        from_scenario = opened.scenario != POSITION and not unlike_scenario(opened, rules)
        again = state if from_scenario else rules.read(setups.write(state))
    except RecursionError:
        raise OutOfBounds("The position in which this match begins is nested more deeply than any position.") from None
    except msgspec.DecodeError as error:
        raise OutOfBounds(f"The position in which this match begins cannot be read: {error}.") from error
    except RulesetError as error:
        raise OutOfBounds(f"This match cannot be imported: {error}.") from error
    if not same_beginning(state, again):
        raise OutOfBounds("The position in which this match begins holds what no setup can say.")
    if opened.title != state.title or any(side.seat != key for key, side in state.sides.items()):
        raise OutOfBounds("This match is not called, or its seats are not, as its position says.")


def check_state(state: State) -> None:
    """Check a state that the log of a file leads to: no larger than a position may be. Raises `OutOfBounds`."""
    table = state.table
    if max(table.width, table.height) > LARGEST * 1000:
        raise OutOfBounds("The table of this match is larger than a table is.")
    if len(table.terrain) > PIECES or sum(len(piece.outline) for piece in table.terrain) > CORNERS:
        raise OutOfBounds("The table of this match has more terrain than a table holds.")
    try:
        count_units(list(state.units.values()))
    except RulesetError as error:
        raise OutOfBounds(f"This match cannot be imported: {error}.") from error


def _check_opened(opened: Opened) -> None:
    try:
        check_id(opened.match)
        typed(opened.edition, Id)
        typed(opened.scenario, Id)
    except (ValueError, NotAllowed) as error:
        raise OutOfBounds(f"This match file is not in order: {error}.") from error


def _check_fact(number: int, fact: Fact) -> None:
    """Check that what players said and brought is within the bounds of the corresponding messages."""
    try:
        if isinstance(fact, SeatTaken):
            typed(fact.name, Name)
        elif isinstance(fact, SeatTied):
            typed(fact.key, Hex32)
            typed(fact.signature, Hex64)
        elif isinstance(fact, Said):
            typed(fact.text, ChatText)
            typed(fact.name or "-", Name)
        elif isinstance(fact, ForceBrought):
            typed(plain(fact.force), Force)
    except NotAllowed as error:
        raise OutOfBounds(f"Entry {number} of this match file is not in order: {error}") from error


def _prototype(value: list[object] | tuple[object, ...] | dict[object, object]) -> bool:
    """Return whether something in a list or table would be sent to browsers as a key that they do not accept."""
    if isinstance(value, dict):
        return any(PROTOTYPE in (key, inner) and (key == PROTOTYPE or key not in PROSE) for key, inner in value.items())
    return PROTOTYPE in value


def _bounded(number: int, value: object, deep: int) -> None:
    """Check that texts, numbers, lists and depths are within bounds. Raises `OutOfBounds`."""
    if isinstance(value, str):
        fits = len(value) <= LONGEST_TEXT and "\0" not in value
    elif isinstance(value, int | float):
        fits = -LARGEST_NUMBER <= value <= LARGEST_NUMBER
    elif isinstance(value, list | tuple | dict):
        fits = deep > 0 and len(value) <= MOST_PARTS
        if _prototype(value):
            raise OutOfBounds(
                f"Entry {number} of this match file holds the name {PROTOTYPE}, which nothing in a match has."
            )
        if fits:
            for inner in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
                _bounded(number, inner, deep - 1)
    else:
        fits = True
    if not fits:
        raise OutOfBounds(f"Entry {number} of this match file holds more than an entry of a match can.")
