"""Minefields: three numbered markers of a side, of which one is a mine. Which one, and of what type, its player alone knows until
it shows (fad5/adv.mines.fields).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from server.kernel import notes
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted, TerrainAdded, TerrainChanged
from server.kernel.notes import UnfitNoteError, secret
from server.kernel.procedure import Steps
from server.kernel.space.clearing import round_outline
from server.kernel.space.geometry import Point, centroid, to_point
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from server.rulesets.fad.game import FadGame, FadRules

RULE = "tech.mines"
KIND = "mine"
"""The kind of terrain that shows where a marker lies: in the way of nothing."""
FIELDS = "mines.fields"
"""The note of a match that lists the fields: the letter, the side, the unit that commands its spider mines ("" for none), and the
pieces.
"""
KNOWN = "mines.known"
"""The note that lists the mines that have shown themselves: the piece, and the type, "" where only that is not known."""
TRUE = "mines"
"""The secret note of a seat that lists its mines: the letter of the field, the piece, and the type."""
MARKERS = 3
"""How many markers a field has."""
RADIUS = 500
"""Of what is drawn for a marker, in mil."""


class Field(Struct, frozen=True):
    """A minefield.

    Attributes:
        letter: its name, a capital letter.
        side: the side that laid it.
        commander: the unit that moves its spider mines; "" if none does.
        pieces: its three pieces, in the order of their numbers. Some may be gone.
    """

    letter: str
    side: str
    commander: str
    pieces: tuple[str, ...]


class Mine(Struct, frozen=True):
    """The mine of a field: the letter of the field, its piece, and the type."""

    letter: str
    piece: str
    type: str


# --- what is noted ----------------------------------------------------------------------------------------------------


def fields(state: State) -> list[Field]:
    """Return the minefields of a match, in the order in which they were laid. Raises `ValueError` if the note holds others."""
    found: list[Field] = []
    for row in notes.rows(state.book, FIELDS):
        match row:
            case (str(letter), str(side), str(commander), *pieces) if len(pieces) == MARKERS:
                found.append(Field(letter, side, commander, tuple(str(piece) for piece in pieces)))
            case _:
                raise ValueError(row)
    return found


def known(state: State) -> dict[str, str]:
    """Return the mines that have shown themselves, each with its type ("": not known). Raises `UnfitNoteError`."""
    return dict(notes.word_pairs(state.book, KNOWN))


def mines(state: State) -> list[Mine]:
    """Return the mines of which is known here which markers they are."""
    return [mine for side in state.sides.values() for mine in _own(state, side.seat)]


def _own(state: State, seat: str) -> list[Mine]:
    found: list[Mine] = []
    for row in notes.rows(state.book, secret(seat, TRUE)):
        match row:
            case (str(letter), str(piece), str(kind)):
                found.append(Mine(letter, piece, kind))
            case _:
                raise ValueError(row)
    return found


def inspect(rules: FadRules, state: State) -> None:
    """Refuse notes that name other sides, types or pieces than there are. Raises `RulesetError`."""
    try:
        laid, shown, own = fields(state), known(state), mines(state)
    except (ValueError, UnfitNoteError):
        raise RulesetError(f"the notes {FIELDS}, {KNOWN} and those of the mines cannot be read") from None
    letters = {field.letter: field for field in laid}
    for field in laid:
        if field.side not in state.sides or (field.commander and field.commander not in state.units):
            raise RulesetError(f"the minefield {field.letter} belongs to a side and a unit of the match")
    listed = {piece for field in laid for piece in field.pieces}
    types = rules.book.mines
    for mine in own:
        if mine.letter not in letters or mine.piece not in letters[mine.letter].pieces or mine.type not in types:
            raise RulesetError(
                f"the mine {mine.piece} is a marker of its field, of one of the types {', '.join(types)}"
            )
    for piece, kind in shown.items():
        if piece not in listed or (kind and kind not in types):
            raise RulesetError(f"the mine {piece} that is known is a marker of a minefield")


# --- markers on the table -----------------------------------------------------------------------------------------------


def markers(state: State) -> Iterator[Terrain]:
    """Yield the markers of minefields that lie on the table. Others that look like them are none."""
    listed = {piece for field in fields(state) for piece in field.pieces}
    return (piece for piece in state.table.terrain if piece.id in listed)


def marker(state: State, piece: str) -> Terrain | None:
    """Return a marker; None if it lies on the table no more."""
    return next((one for one in markers(state) if one.id == piece), None)


def place(piece: Terrain) -> Point:
    """Return where a marker lies."""
    return to_point(centroid(piece.outline))


def field_of(state: State, piece: str) -> Field:
    """Return the field of a marker."""
    return next(field for field in fields(state) if piece in field.pieces)


def true(state: State, piece: str) -> str:
    """Return the type of the mine that a marker is; "" if it is none, or that is not known here."""
    return next((mine.type for mine in mines(state) if mine.piece == piece), "") or known(state).get(piece, "")


def number(field: Field, piece: str) -> str:
    """Return the name of a marker on the table: the letter of its field and its number."""
    return f"{field.letter}{field.pieces.index(piece) + 1}"


def free_letter(state: State) -> str:
    """Return the letter of the next field."""
    count = len(fields(state))
    return chr(ord("A") + count % 26) * (1 + count // 26)


def piece_of(rules: FadRules, state: State, key: str, name: str, at: Point) -> Terrain:
    """Return the piece that shows a marker at a point."""
    outline = round_outline(at, RADIUS, (state.table.width, state.table.height))
    return rules.book.kind(KIND).piece(key, KIND, outline, name)


def lay(game: FadGame, field: Field, true_piece: str, kind: str, places: Sequence[Point]) -> Steps[None]:
    """Lay a field: its three markers, of which one is a mine of this type."""
    state = game.state
    yield Noted(FIELDS, tuple((one.letter, one.side, one.commander, *one.pieces) for one in (*fields(state), field)))
    seat = state.sides[field.side].seat
    own = (*_own(state, seat), Mine(field.letter, true_piece, kind))
    yield Noted(secret(seat, TRUE), tuple((one.letter, one.piece, one.type) for one in own))
    for piece, at in zip(field.pieces, places, strict=True):
        name = f"Mine marker {number(field, piece)}"
        yield TerrainAdded(piece_of(game.rules, game.state, piece, name, at), RULE)


def show(game: FadGame, piece: str, kind: str) -> Steps[None]:
    """Show that a marker is a mine, of a type ("": not known yet), and take the dummies of its field off the table."""
    shown = {**known(game.state), piece: kind}
    yield Noted(KNOWN, tuple(shown.items()))
    field, there = field_of(game.state, piece), marker(game.state, piece)
    assert there is not None, "it lies on the table"
    name = f"{game.rules.book.mines[kind].name if kind else 'Mine'} {number(field, piece)}"
    yield TerrainChanged(piece, replace(there, name=name), RULE)
    for other in field.pieces:
        if other != piece and marker(game.state, other) is not None:
            yield TerrainChanged(other, None, RULE)


def expose(game: FadGame, piece: str) -> Steps[None]:
    """Take a dummy off the table that a unit has come upon. Where it was the second one, the third marker is a mine."""
    field = field_of(game.state, piece)
    yield TerrainChanged(piece, None, RULE)
    left = [other for other in field.pieces if marker(game.state, other) is not None]
    if len(left) == 1 and left[0] not in known(game.state):
        yield from show(game, left[0], "")
