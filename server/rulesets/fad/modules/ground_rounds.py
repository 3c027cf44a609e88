"""Rounds that change the ground: nanowire, which grows where they land, and wipe, which kills all plants there
(fad4/tech.weapon-tables).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.choices import Why
from client_protocol.from_server import Chance
from server.kernel.facts import Declared, TerrainAdded, TerrainChanged
from server.kernel.procedure import Steps
from server.kernel.questions import total
from server.kernel.space.clearing import round_outline, without
from server.kernel.space.geometry import Outline, Point, to_mil
from server.kernel.space.terrain import Terrain
from server.kernel.standing import TOUCH
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import shooting
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import FadModule, WeaponEffect
from server.rulesets.fad.modules.demolitions import ENGINEER
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.setup.variants import ADDED
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.modules import Declaration
from server.rulesets.shared.words.chances import chance_line

RULE = "tech.munitions"
WIRES, WIPES = "wires", "wipes"
"""The traits of nanowire and wipe rounds."""
KIND = "nanowire"
"""The kind of terrain that a nanowire round leaves."""
GROWS, WITHERS = "grows-nanowire", "wipes-plants"
BURNS = "flame-thrower"
"""The support weapon that burns nanowire away."""


def unharmed(game: FadGame, shots: tuple[Shot, ...], _at: Point) -> Steps[None]:
    """Mark the units in the blast: nothing else happens to them."""
    for shot in shots:
        yield from shooting.mark(game, shot.target, total(()), "blast.marks-under-fire")


def foretell_unharmed(_rules: FadRules, _state: State, _shot: Shot, on_target: Fraction) -> tuple[Chance, ...]:
    """Return how likely a unit is marked by a round that harms none."""
    return (chance_line("Under Fire", on_target),)


def at_a_point(_rules: FadRules, _state: State, weapon: HeavyWeapon, _target: Unit) -> Why:
    """Return why such a round is not aimed at a unit."""
    return Why(f"The {weapon.name.lower()} is fired at a point, and harms no unit.", RULE)


# --- nanowire -------------------------------------------------------------------------------------------------------


def _grow(game: FadGame, unit: str, weapon: str, at: Point) -> Steps[None]:
    row, table = game.rules.book.kind(KIND), game.state.table
    outline = round_outline(at, game.rules.book.heavy_weapons[weapon].radius, (table.width, table.height))
    known = {piece.id for piece in table.terrain}
    number = next(count for count in range(1, len(known) + 2) if f"{KIND}-{count}" not in known)
    wire = row.piece(f"{KIND}-{number}", KIND, outline)
    yield Declared(unit, GROWS, RULE)
    yield TerrainAdded(wire, RULE)


def _foretell_wire(_rules: FadRules, _state: State, _at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    return (chance_line("Nanowire grows there", on_target),)


def _cutters(rules: FadRules, unit: Unit) -> Iterator[tuple[Point, int]]:
    """Yield the places of those who clear nanowire by touching it: flame throwers, and engineers."""
    flames = {key for key, weapon in rules.carried(unit) if weapon.id.partition(ADDED)[0] == BURNS}
    for key, figure in unit.living.items():
        if figure.at is not None and (key in flames or has(figure, ENGINEER)):
            yield figure.at, figure.radius


def _arrived(game: FadGame, unit_id: str) -> Steps[None]:
    unit = game.unit(unit_id)
    wires = [piece for piece in game.state.table.terrain if piece.kind == KIND]
    if not wires or "small_arm" not in unit.profile:
        return
    places = list(_cutters(game.rules, unit))
    for wire in wires:
        if any(to_mil(wire.distance(at)) - radius <= TOUCH for at, radius in places):
            yield TerrainChanged(wire.id, None, RULE)


# --- wipe -----------------------------------------------------------------------------------------------------------


def _struck(rules: FadRules, state: State, radius: int, at: Point) -> list[tuple[Terrain, tuple[Outline, ...]]]:
    """Return the plants that a wipe round reaches, each with what is left of it."""
    hole = round_outline(at, radius, (state.table.width, state.table.height))
    if len(hole) < 3:
        return []
    kinds = rules.book.tables.technology.plants
    found = [(piece, without(piece, hole)) for piece in state.table.terrain if piece.kind in kinds]
    return [(piece, left) for piece, left in found if left is not None]


def _wither(game: FadGame, unit: str, weapon: str, at: Point) -> Steps[None]:
    radius = game.rules.book.heavy_weapons[weapon].radius
    struck = _struck(game.rules, game.state, radius, at)
    if struck:
        yield Declared(unit, WITHERS, RULE)
    for piece, left in struck:
        yield TerrainChanged(piece.id, replace(piece, outline=left[0]) if left else None, RULE)
        known = {other.id for other in game.state.table.terrain}
        free = (f"{piece.id}.{count}" for count in range(2, len(known) + len(left) + 2))
        names = (name for name in free if name not in known)
        for outline, name in zip(left[1:], names, strict=False):
            yield TerrainAdded(replace(piece, id=name, outline=outline), RULE)


def _foretell_withering(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    radius = min((row.blast_is or 0) * 1000 for row in rules.book.munitions.values() if WIPES in row.grants)
    return tuple(
        chance_line(f"{'Loses a part' if left else 'Is wiped out'}: {piece.name}", on_target)
        for piece, left in _struck(rules, state, round(radius), at)
    )


GROUND_ROUNDS = FadModule(
    id="ground_rounds",
    weapon_effects=(
        WeaponEffect(
            trait=WIRES,
            unfit=at_a_point,
            burst=unharmed,
            landed=_grow,
            foretell_burst=foretell_unharmed,
            foretell_landing=_foretell_wire,
            anywhere=True,
            note="Nanowire grows where it lands: nothing enters it, until a flame thrower or an engineer touches it.",
        ),
        WeaponEffect(
            trait=WIPES,
            unfit=at_a_point,
            burst=unharmed,
            landed=_wither,
            foretell_burst=foretell_unharmed,
            foretell_landing=_foretell_withering,
            anywhere=True,
            note="All plants where it lands are wiped out; units there are unharmed.",
        ),
    ),
    arrived=_arrived,
    declares={
        GROWS: Declaration("has nanowire grow where the round lands", "fire"),
        WITHERS: Declaration("has all plants wither where the round lands", "fire"),
    },
)
