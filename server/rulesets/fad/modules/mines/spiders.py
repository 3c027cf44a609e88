"""Spider mines: the unit that commands a field of them moves its markers when it activates (fad5/gear.spider-mines)."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked, PointTaken
from server.kernel.answers.check import Asked
from server.kernel.facts import TerrainChanged
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import inches, inches_text
from server.kernel.space.terrain import Terrain
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated.noting import uncontrolled
from server.rulesets.fad.modules.mines.fields import RULE, Field, fields, marker, number, piece_of, place
from server.rulesets.fad.modules.mines.laying import near


def crawl(game: FadGame, unit: str) -> Steps[None]:
    """Ask the player of a unit that activates where its spider mines go."""
    if not game.unit(unit).on_table or uncontrolled(game.state, game.unit(unit).side):
        return
    for field in fields(game.state):
        if field.commander == unit:
            yield from _moved(game, unit, field)


def _moved(game: FadGame, unit: str, field: Field) -> Steps[None]:
    there = [piece for key in field.pieces if (piece := marker(game.state, key)) is not None]
    if not there:
        return
    far = inches(game.rules.book.tables.mines.crawl)
    spots = tuple(
        near(game.state, unit, f"Marker {number(field, piece.id)}", place(piece), far, place(piece)) for piece in there
    )
    text = f"Each marker goes up to {inches_text(far)}, through everything; a dummy too, so that it tells nothing."
    move = Choice("move-spiders", "Move the spider mines", RULE, text, spots)
    stay = Choice("stay", "Leave them where they are", RULE)
    title = f"{game.unit(unit).name} commands the spider mines of field {field.letter}"
    seat = game.state.seat_of(unit)
    picked = yield from ask(seat, Asked(title, (move, stay), Picked("stay"), RULE, unit))
    for piece, value in zip(there, picked.values, strict=False):
        assert isinstance(value, PointTaken), "checked against the choice"
        if value.at != place(piece):
            yield TerrainChanged(piece.id, _at(game, piece, value), RULE)


def _at(game: FadGame, piece: Terrain, value: PointTaken) -> Terrain:
    return piece_of(game.rules, game.state, piece.id, piece.name, value.at)
