"""Terrain events: the first time that a unit reaches a piece, a die says whether something comes of it
(fad5/terrain-event.trigger).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.kernel import notes
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted, Rolled, TerrainChanged
from server.kernel.notes import UnfitNoteError
from server.kernel.procedure import Steps, roll
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.modules.touching import reaches
from server.rulesets.fad.setup.book import TerrainEvent

TRIGGER = "terrain-event.trigger"
EVENT = "event:"
"""The flag of a piece with an event, before the event's id."""
REACHED = "terrain_events.reached"
"""The note of a match that lists the pieces that have been reached."""
FREED = "terrain_events.freed"
"""The note of a match that names the vehicle that got free as it activated, and the pieces in which it then stood."""
NOTHING = "nothing"


def table_of(rules: FadRules, piece: Terrain) -> str:
    """Return the table of a piece of terrain; "" if no event comes of it."""
    table = rules.book.tables.terrain_events
    kinds = {"woods": table.woods, "building": table.building, "swamp": table.swamp}
    return next((name for name, of in kinds.items() if piece.kind in of), "")


def untried(rules: FadRules, state: State) -> list[Terrain]:
    """Return the pieces that no unit has reached yet."""
    known = notes.words(state.book, REACHED)
    return [piece for piece in state.table.terrain if piece.id not in known and table_of(rules, piece)]


def event_of(piece: Terrain) -> str:
    """Return the id of the event of a piece; "" if it has none."""
    return next((flag.removeprefix(EVENT) for flag in piece.flags if flag.startswith(EVENT)), "")


def with_event(state: State, event: str) -> Iterator[Terrain]:
    """Yield the pieces on the table with an event."""
    return (piece for piece in state.table.terrain if EVENT + event in piece.flags)


def on_ground(rules: FadRules, unit: Unit) -> bool:
    """Return whether a unit stands on the ground."""
    return unit.on_table and not rules.airborne(unit)


def try_here(game: FadGame, unit: str) -> Steps[None]:
    """Try the pieces that a unit has come to otherwise than by a move."""
    for piece in untried(game.rules, game.state):
        if on_ground(game.rules, game.unit(unit)) and reaches(game.unit(unit), piece):
            yield from try_piece(game, unit, piece.id)


def try_piece(game: FadGame, unit: str, piece_id: str) -> Steps[bool]:
    """Roll for what comes of a piece that a unit reaches, unless that has been done; return whether there is an event."""
    piece = next((one for one in untried(game.rules, game.state) if one.id == piece_id), None)
    if piece is None:
        return False
    rules, side = game.rules, game.unit(unit).side
    (face,) = yield from roll(1, purpose="terrain_event")
    comes = face == rules.book.tables.terrain_events.event_on
    outcome = f"{piece.id} {'' if comes else NOTHING}".strip()
    yield Rolled("terrain_event", TRIGGER, (face,), outcome=outcome, side=side, unit=unit)
    yield Noted(REACHED, (*notes.words(game.state.book, REACHED), piece.id))
    if not comes:
        return False
    (face,) = yield from roll(1, purpose="terrain_event_table")
    of = table_of(rules, piece)
    event = next(row for row in rules.book.terrain_events.values() if (row.of, row.number) == (of, face))
    yield Rolled("terrain_event_table", event.rule, (face,), outcome=f"{piece.id} {event.id}", side=side, unit=unit)
    yield TerrainChanged(piece.id, _changed(event, piece), event.rule)
    return True


def _changed(event: TerrainEvent, piece: Terrain) -> Terrain:
    """Return what an event makes of a piece."""
    own = tuple(flag for flag in event.adds if flag not in piece.flags)
    changed = replace(piece, flags=(*piece.flags, *own, EVENT + event.id), cover=event.cover or piece.cover)
    if event.sight_depth:
        return replace(changed, sight="depth_in_all", sight_depth=inches(event.sight_depth))
    return replace(changed, sight_depth=piece.sight_depth * event.sight_percent // 100)


def inspect(rules: FadRules, state: State) -> None:
    """Refuse notes and flags of events that there are not. Raises `RulesetError`."""
    for note, what in ((REACHED, "pieces of terrain"), (FREED, "a vehicle and pieces of terrain")):
        try:
            notes.words(state.book, note)
        except UnfitNoteError:
            raise RulesetError(f"the book's {note} is a list of {what}") from None
    for piece in state.table.terrain:
        event = event_of(piece)
        if event and event not in rules.book.terrain_events:
            raise RulesetError(f"{piece.name} has the flag {EVENT}{event}, and there is no such event")
