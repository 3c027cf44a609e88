"""What a side can call: its batteries off the table, and the mortars of its units on it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Why
from client_protocol.explained import Explained, Line
from server.kernel.bodies import is_vehicle, riders
from server.kernel.questions import total
from server.kernel.space.geometry import contains, distance, inches
from server.kernel.state import Asset, State, Unit
from server.rulesets.fad import supply
from server.rulesets.fad.game import BROKEN, FadRules
from server.rulesets.fad.module import Act
from server.rulesets.fad.modules.indirect_fire import assets
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.setup.variants import LOADED
from server.rulesets.fad.shot import band_limits
from server.rulesets.fad.vehicles.characteristics import weapons
from server.rulesets.fad.vehicles.transport import waiting

ON_BOARD = "adv.artillery-on-board-mortars"
ROOF = "adv.artillery-mortar-restrictions"
SPOTTED = "spotted"
"""When a weapon fires indirectly that needs no call."""


class Battery(Struct, frozen=True):
    """Something that can be called.

    Attributes:
        id: the asset's id, or that of the unit on the table with the mortar.
        name: what it is called.
        weapon: its weapon.
        asset: the asset, if it is off the table.
        figure: the figure that serves the mortar; "" off the table.
        mount: the mount of a vehicle's mortar.
        load: the special round that it is called to fire; "" for a conventional one. `weapon` is loaded with it.
    """

    id: str
    name: str
    weapon: HeavyWeapon
    asset: Asset | None = None
    figure: str = ""
    mount: str = ""
    load: str = ""


def loads(rules: FadRules, battery: Battery) -> tuple[Battery, ...]:
    """Return a battery with each of the rounds that it carries, the conventional ones first."""
    plain = battery.weapon.id.partition(LOADED)[0]
    rows = rules.book.heavy_weapons
    special = (replace(battery, weapon=rows[f"{plain}{LOADED}{load}"], load=load) for load in rows[plain].rounds)
    return (replace(battery, weapon=rows[plain]), *special)


def used_up(rules: FadRules, state: State, side: str, battery: Battery) -> Why | None:
    """Return why a battery cannot fire the round that it is called to fire any more; None if it can."""
    if battery.asset is None:
        return rules.spent(state, state.units[battery.id], battery.weapon)
    unplayed = rules.unplayed(state, battery.weapon)
    if unplayed is not None:
        return unplayed
    owner = supply.of_battery(side, battery.id)
    if supply.left(state, owner, battery.weapon.name) == 0:
        return Why(f"{battery.name} has used up its {battery.weapon.name.lower()}.", supply.RULE)
    return None


def batteries(rules: FadRules, state: State, side: str) -> tuple[Battery, ...]:
    """Return what a side can call, if it is ready: first what is off the table."""
    off = [
        Battery(asset.id, asset.name, assets.weapon_of(rules, asset), asset)
        for asset in state.sides[side].off_table.values()
    ]
    on = [found for unit in state.units_of(side) if (found := mortar(rules, unit)) is not None]
    return (*off, *on)


def mortar(rules: FadRules, unit: Unit, when: str = "") -> Battery | None:
    """Return the first mortar of a unit on the table, of those that fire indirectly at this occasion; None if it has none."""
    # adv.artillery-on-board-mortars: no other weapon on the table fires indirectly
    if is_vehicle(unit):
        for mount in weapons(unit):
            own = rules.mounted(unit, mount)
            if unit.on_table and own.indirect and when in ("", own.indirect):
                return Battery(unit.id, unit.name, own, None, next(iter(unit.figures)), mount)
        return None
    for key, figure in unit.living.items():
        weapon = None if rules.heavy(figure.role) is None else rules.mounted(unit, key)
        if figure.at is not None and weapon is not None and weapon.indirect and when in ("", weapon.indirect):
            return Battery(unit.id, unit.name, weapon, None, key)
    return None


def silent(rules: FadRules, state: State, side: str, battery: Battery) -> Why | None:
    """Return why a battery of a side cannot be called now; None if it can."""
    if battery.asset is not None:
        return assets.silent(state, battery.asset)
    unit = state.units[battery.id]
    # A strike is the shot of its own activation.
    if all(other.id != unit.id for other in waiting(state, side)):
        return Why(f"{unit.name} has activated this turn.", ON_BOARD)
    if is_vehicle(unit):
        if riders(state, unit.id):
            return Why(f"{unit.name} carries troops, which activate with it.", ON_BOARD)
        if rules.vehicles.test(rules, state, unit) is not None:
            return Why(f"The crew of {unit.name} must be tested first.", ON_BOARD)
    elif BROKEN in unit.conditions or casualties_break(rules, unit):
        return Why(f"{unit.name} must test its morale first.", ON_BOARD)
    return cannot_fire(rules, state, battery)


def cannot_fire(rules: FadRules, state: State, battery: Battery) -> Why | None:
    """Return why a mortar on the table cannot be fired from where it stands; None if it can."""
    unit = state.units[battery.id]
    barred = rules.barred(state, unit, Act.SHOOT)
    if barred is not None:
        return barred
    if is_vehicle(unit):
        crippled = rules.vehicles.crippled(unit)
        if crippled is not None:
            return crippled
    roof = roof_over(rules, state, battery)
    return None if roof is None else Why(f"{unit.name} stands in {roof}: its mortar cannot fire from there.", ROOF)


def roof_over(rules: FadRules, state: State, battery: Battery) -> str | None:
    """Return the name of the ground from which no mortar fires in which this one stands (adv.artillery-mortar-restrictions)."""
    at = state.units[battery.id].figures[battery.figure].at
    assert at is not None, "a mortar on the table has a place"
    kinds = rules.book.tables.artillery.roofed
    pieces = (piece for piece in state.table.terrain if piece.kind in kinds and not piece.linear)
    return next((piece.name for piece in pieces if contains(piece.outline, at)), None)


def reach(rules: FadRules, state: State, battery: Battery) -> int:
    """Return how far a battery reaches, in mil: off the table over all of it (adv.artillery-assets)."""
    if battery.asset is not None:
        return round(distance((0, 0), (state.table.width, state.table.height))) + 1
    return band_limits(rules, state.units[battery.id], battery.weapon)["long"]


def radius(rules: FadRules, weapon: HeavyWeapon) -> int:
    """Return how far from the point a strike affects units, in mil."""
    # adv.artillery-non-blast
    return weapon.radius if weapon.blasts else inches(rules.book.tables.artillery.finds)


def accuracy(rules: FadRules, state: State, battery: Battery) -> Explained:
    """Return what each die of the accuracy test must reach: by the Quality of the crew (adv.artillery-timing)."""
    if battery.asset is None:
        return rules.advisers.answer(state, QualityNeed(battery.id))
    quality = assets.quality_of(rules, battery.asset)
    return total((Line("SET", quality.need, f"{quality.name} crew, each die", "adv.artillery-accuracy"),))
