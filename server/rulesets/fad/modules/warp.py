"""Short range warp: a squad is gone from where it stands, and comes out at a receiver (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Picked,
    PointParameter,
    PointTaken,
    Why,
)
from client_protocol.from_server import Chance
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import body, is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ConditionGained,
    ConditionLost,
    Declared,
    FiguresGained,
    Noted,
    Rolled,
    TerrainAdded,
    UnitMoved,
)
from server.kernel.procedure import Steps, ask
from server.kernel.ruleset import Preview
from server.kernel.space.clearing import round_outline
from server.kernel.space.geometry import Outline, Point, inches, inches_text
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.command import able
from server.rulesets.fad.game import BUSY, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act, FadModule, Task, WeaponEffect
from server.rulesets.fad.modules.ground_rounds import at_a_point, foretell_unharmed, unharmed
from server.rulesets.fad.modules.indirect_fire.points import suggested
from server.rulesets.fad.modules.pinning import PINNED
from server.rulesets.fad.movement import CoherencyDistance, crew_bonds
from server.rulesets.fad.previews import luck
from server.rulesets.fad.quality import QualityNeed, quality_test
from server.rulesets.fad.setup.variants import ADDED
from server.rulesets.fad.shot import band_limits
from server.rulesets.fad.travel import arrive
from server.rulesets.shared.free_space import SpaceRound
from server.rulesets.shared.modules import Action, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

RULE = "tech.warp"
WARPS, RECEIVER = "short_range_warp", "warp_receiver"
"""The traits of squads that warp, and of units that carry a receiver."""
KIND = "receiver"
"""The kind of terrain that shows where a receiver lies."""
DROPPED = "warp.dropped"
"""The note of a match that lists the units that have set their receiver down."""
SHAKEN = "warp.shaken"
"""The note of a match that names the squad that has come out shaken in its present activation."""
WARP, SET_DOWN, KEEPS, FIRES = "warp", "set-receiver", "keeps-receiver", "fire-receiver"
LAUNCHER = "grenade-launcher"
"""The support weapon that fires receivers."""
LANDS = "receiver-lands"
OUT = "warped"
"""The manner of such a move: only its end counts."""
DICE = 1
"""The dice of the Quality Test of a squad that comes out."""
_OF = "receiver:"
"""What stands in the flag of a receiver before the side whose squads it serves; without such a flag it serves all."""
_SIZE = 300


# --- receivers ------------------------------------------------------------------------------------------------------


class Receiver(Struct, frozen=True):
    """A receiver: the piece that shows it or the unit that carries it, its name, and what it lies or stands on."""

    id: str
    name: str
    outline: Outline


def dropped(state: State) -> tuple[str, ...]:
    """Return the units that have set their receiver down. Raises `ValueError` if the note holds something else."""
    rows = state.book.get(DROPPED, ())
    if not isinstance(rows, tuple) or not all(isinstance(row, str) for row in rows):
        raise ValueError(rows)
    return tuple(str(row) for row in rows)


def carries(state: State, unit: Unit) -> bool:
    """Return whether a unit has a receiver with it."""
    return has(unit, RECEIVER) and unit.on_table and unit.id not in dropped(state)


def _serves(piece: Terrain, side: str) -> bool:
    owners = [flag.removeprefix(_OF) for flag in piece.flags if flag.startswith(_OF)]
    return piece.kind == KIND and (not owners or side in owners)


def receivers(state: State, unit: Unit) -> Iterator[Receiver]:
    """Yield the receivers at which a squad can come out: those that lie on the table, and those of other units of its side."""
    for piece in state.table.terrain:
        if _serves(piece, unit.side):
            yield Receiver(piece.id, piece.name, piece.outline)
    for other in state.units_of(unit.side):
        if other.id != unit.id and carries(state, other):
            yield Receiver(other.id, other.name, _stands(state, other))


def _stands(state: State, unit: Unit) -> Outline:
    """Return what the bearer of a receiver stands on: a vehicle's hull, or the base of a unit's first figure."""
    first = next(figure for figure in unit.living.values() if figure.at is not None)
    if first.hull is not None:
        return body(first).outline
    assert first.at is not None, "it stands on the table"
    return round_outline(first.at, first.radius, (state.table.width, state.table.height))


def _lay(game: FadGame, side: str, at: Point) -> Steps[None]:
    row, table = game.rules.book.kind(KIND), game.state.table
    known = {piece.id for piece in table.terrain}
    number = next(count for count in range(1, len(known) + 2) if f"{KIND}-{count}" not in known)
    outline = round_outline(at, _SIZE, (table.width, table.height))
    name = f"{row.name} of {game.state.sides[side].name}"
    piece = row.piece(f"{KIND}-{number}", KIND, outline, name)
    yield TerrainAdded(replace(piece, flags=(*row.flags, f"{_OF}{side}")), RULE)


# --- setting one down -----------------------------------------------------------------------------------------------


def _where(unit: Unit) -> FiguresParameter:
    standing = tuple(key for key, figure in unit.living.items() if figure.at is not None)
    return FiguresParameter("Where it lies: at this figure", unit.id, standing, 1, 1)


def _offer_down(_rules: FadRules, state: State, unit: Unit) -> Choice | None:
    if not carries(state, unit):
        return None
    return Choice(SET_DOWN, "Set its warp receiver down", RULE, "Then it acts.", (_where(unit),))


def _set_down(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    at = game.unit(unit).figures[value.figures[0]].at
    assert at is not None, "it stands on the table"
    yield Declared(unit, SET_DOWN, RULE)
    yield Noted(DROPPED, (*dropped(game.state), unit))
    yield from _lay(game, game.unit(unit).side, at)


def _arrived(game: FadGame, unit_id: str) -> Steps[None]:
    """Ask a unit that has moved whether it leaves its receiver there."""
    unit = game.unit(unit_id)
    if not carries(game.state, unit):
        return
    choices = (
        Choice(SET_DOWN, "Set its warp receiver down", RULE, "", (_where(unit),)),
        Choice(KEEPS, "Keep it", RULE),
    )
    asked = Asked(f"{unit.name} carries a warp receiver", choices, Picked(KEEPS), RULE, unit_id)
    picked = yield from ask(game.state.seat_of(unit_id), asked)
    if picked.choice == SET_DOWN:
        yield from _set_down(game, unit_id, picked)


# --- firing one -----------------------------------------------------------------------------------------------------


def _carrier(unit: Unit) -> bool:
    return has(unit, RECEIVER)


def _launcher(rules: FadRules, unit: Unit) -> str:
    """Return a figure with a grenade launcher that takes part in no task yet; "" if there is none."""
    free = able(unit)
    for key, weapon in rules.carried(unit):
        if LAUNCHER in (weapon.id.partition(ADDED)[0], *weapon.modes) and key in free:
            return key
    return ""


def _offer_shot(rules: FadRules, state: State, unit: Unit) -> Choice:
    text = "With its grenade launcher, at a point in sight within close range. The gunner does nothing else."
    gunner = _launcher(rules, unit)
    why = rules.barred(state, unit, Act.SHOOT)
    if why is None and not carries(state, unit):
        why = Why(f"{unit.name} has set its warp receiver down.", RULE)
    elif why is None and not gunner:
        why = Why(f"{unit.name} has no grenade launcher free to fire its warp receiver with.", RULE)
    if why is not None:
        return Choice(FIRES, "Fire its warp receiver", RULE, text, why=why)
    parameter = PointParameter(
        "Warp receiver",
        unit.id,
        gunner,
        band_limits(rules, unit)["close"],
        _SIZE,
        (),
        Why(""),
        reach_rule="shoot.range-bands",
        sight_rule="shoot.line-of-sight",
    )
    return Choice(FIRES, "Fire its warp receiver", RULE, text, (suggested(rules, state, parameter, (unit,)),))


def _fire(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    taken = picked.values[0]
    assert isinstance(taken, PointTaken), "checked against the choice"
    gunner = _launcher(game.rules, game.unit(unit))
    yield Declared(unit, FIRES, RULE)
    yield FiguresGained(unit, (gunner,), BUSY, RULE)
    yield Noted(DROPPED, (*dropped(game.state), unit))
    yield from _lay(game, game.unit(unit).side, taken.at)


def _landed(game: FadGame, unit: str, _weapon: str, at: Point) -> Steps[None]:
    yield Declared(unit, LANDS, RULE)
    yield from _lay(game, game.unit(unit).side, at)


def _foretell_landing(_rules: FadRules, _state: State, _at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    return (chance_line("A warp receiver lies there", on_target),)


# --- warping --------------------------------------------------------------------------------------------------------


def _warps(unit: Unit) -> bool:
    return has(unit, WARPS)


def _space(rules: FadRules, state: State, unit: Unit, at: Receiver) -> SpaceRound:
    return SpaceRound(
        state,
        unit.id,
        at.outline,
        on_foot(rules, state).closed,
        gap=rules.advisers.answer(state, CoherencyDistance(unit.id)).value,
        gap_rule="coherency.distance",
        avoid=tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table),
        clear=inches(rules.book.tables.scout.clear),
        clear_rule=RULE,
        bonds=crew_bonds(rules, state, unit),
    )


def _why(rules: FadRules, state: State, unit: Unit) -> Why | None:
    if (barred := rules.barred(state, unit, Act.MOVE)) is not None:
        return barred
    if next(receivers(state, unit), None) is None:
        return Why(f"There is no other warp receiver on the table at which {unit.name} could come out.", RULE)
    return None


def _offer(rules: FadRules, state: State, unit: Unit) -> Choice:
    reach = inches_text(inches(rules.book.tables.technology.warp))
    return Choice(WARP, "Warp", RULE, f"It comes out within {reach} of a receiver.", why=_why(rules, state, unit))


def _ways(rules: FadRules, state: State, unit: Unit) -> tuple[Choice, ...]:
    if _why(rules, state, unit) is not None:
        return ()
    return tuple(_way(rules, state, unit, one) for one in receivers(state, unit))


def _way(rules: FadRules, state: State, unit: Unit, to: Receiver) -> Choice:
    reach = inches(rules.book.tables.technology.warp)
    key, label = f"{WARP}:{to.id}", f"Warp to {to.name}"
    text = f"It comes out within {inches_text(reach)} of it, and is Pinned unless a Quality Test of one die passes."
    space = _space(rules, state, unit, to)
    places = space.within(reach)
    if len(places) < unit.strength:
        why = Why(f"There is no free space for all of {unit.name} within {inches_text(reach)} of {to.name}.", RULE)
        return Choice(key, label, RULE, text, why=why)
    return Choice(key, label, RULE, text, (space.placement(reach, places),), preview=True)


def _warp(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    ends = placed.places[0]
    yield Declared(unit, WARP, RULE)
    for hook in game.rules.setting_out(game.state):
        yield from hook(game, unit, ends)
    standing = game.unit(unit).figures
    paths: dict[str, tuple[Point, ...]] = {key: (at,) for key, at in ends.items() if at != standing[key].at}
    if paths:
        yield UnitMoved(unit, OUT, paths, RULE)
    passes = yield from quality_test(game, unit, "warp", RULE, lambda count: "calm" if count else "shaken", dice=DICE)
    if not passes:
        yield Noted(SHAKEN, unit)
    yield from arrive(game, unit)


def _bars(_rules: FadRules, state: State, unit: Unit, act: str) -> Why | None:
    if act != Act.SHOOT or state.book.get(SHAKEN) != unit.id:
        return None
    return Why(f"{unit.name} came out shaken, and is Pinned: it does not shoot.", RULE)


def _concluding(game: FadGame, unit: str) -> Steps[None]:
    """Pin a squad that came out shaken, until its next activation is over: the markers of this one have come off."""
    if not game.state.book.get(SHAKEN):
        return
    yield Noted(SHAKEN, "")
    if not game.unit(unit).left and PINNED not in game.unit(unit).conditions:
        if UNDER_FIRE in game.unit(unit).conditions:
            yield ConditionLost(unit, UNDER_FIRE, RULE)
        yield ConditionGained(unit, PINNED, RULE)


def _preview(rules: FadRules, state: State, unit: Unit, _picked: Picked) -> Preview:
    need = rules.advisers.answer(state, QualityNeed(unit.id))
    pinned = 1 - odds.chance(odds.passes(DICE, need.value), bool)
    return Preview(f"{unit.name} warps", f"{DICE}D6", (("The die", need),), (chance_line("Pinned", pinned),))


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    if has(unit, RECEIVER):
        yield CardLine("Warp receiver", "carried" if unit.id not in dropped(state) else "set down", RULE)


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "comes out calm" if fact.outcome == "calm" else "comes out shaken, and is Pinned"
    return f"{state.units[fact.unit].name} {result}.", "morale", fact.rule


def _suits(_rules: FadRules, unit: Unit) -> None:
    """Refuse warp gear on vehicles, which do not take the action Command. Raises `RulesetError`."""
    if WARPS in of(unit) and is_vehicle(unit):
        raise RulesetError(f"{unit.name}: squads warp, and vehicles do not")


def _admit(state: State) -> None:
    try:
        rows = dropped(state)
    except ValueError:
        raise RulesetError(f"the book's {DROPPED} list units") from None
    if not set(rows) <= state.units.keys():
        raise RulesetError(f"the book's {DROPPED} name a unit that is not there")
    if state.book.get(SHAKEN, "") not in ("", *state.units):
        raise RulesetError(f"the book's {SHAKEN} is a unit")


WARP_GEAR = FadModule(
    id="warping",
    tasks=(
        Task(key=WARP, label="Warp", offer=_offer, ways=_ways, carry_out=_warp, preview=_preview, concerns=_warps),
        Task(key=FIRES, label="Fire its warp receiver", offer=_offer_shot, carry_out=_fire, concerns=_carrier),
    ),
    actions=(Action(key=SET_DOWN, offer=_offer_down, carry_out=_set_down, free=True),),
    vehicle_actions=(Action(key=SET_DOWN, offer=_offer_down, carry_out=_set_down, free=True),),
    bars=_bars,
    arrived=_arrived,
    concluding=_concluding,
    weapon_effects=(
        WeaponEffect(
            trait="emits_receiver",
            unfit=at_a_point,
            burst=unharmed,
            landed=_landed,
            foretell_burst=foretell_unharmed,
            foretell_landing=_foretell_landing,
            anywhere=True,
            note="It sets a warp receiver down where it lands.",
        ),
    ),
    card=_card,
    vehicle_card=_card,
    suits=_suits,
    declares={
        WARP: Declaration("is gone, and comes out somewhere else"),
        FIRES: Declaration("fires its warp receiver at a point", "fire"),
        SET_DOWN: Declaration("sets its warp receiver down"),
        LANDS: Declaration("has a warp receiver lie where the round lands", "fire"),
    },
    manners={OUT: "warps, {far} at most"},
    rolls={"warp": ModuleRoll(_story, luck.quality_test)},
    admit=_admit,
)
