"""The effect of unsaved hits on a vehicle."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import ConditionGained, MountLost, Rolled, UnitNoted
from server.kernel.notes import number
from server.kernel.procedure import Steps, ask, roll
from server.kernel.state import Unit
from server.rulesets.fubar import bail_out
from server.rulesets.fubar.game import IMMOBILISED, STUNNED, STUNS, FubarGame, FubarRules

STUN = "stunned"
IMMOBILISE = "immobilised"
DISARM = "weapon-destroyed"
DESTROY = "destroyed"
SIDES = 6


def damage(game: FubarGame, vehicle: str, hits: int, shooter: str) -> Steps[None]:
    """Roll on the damage table for each unsaved hit of a bout, and carry out the results (fubar4/vdamage.table).

    A natural 6 or 1 has no special meaning here: the table is no success roll (fubar4/dice.six-succeeds).
    """
    table = game.rules.book.tables.vehicle_damage
    faces = yield from roll(hits, SIDES, purpose="vehicle-damage")
    results = tuple(table.of(face) for face in faces)
    yield Rolled(
        purpose="vehicle-damage",
        rule="vdamage.table",
        faces=faces,
        sides=SIDES,
        marks=results,
        outcome=max(results, key=(STUN, IMMOBILISE, DISARM, DESTROY).index),
        side=game.unit(shooter).side,
        unit=shooter,
        target=vehicle,
    )
    if DESTROY in results:
        # fubar4/vdamage.table: the other results do not matter once the vehicle is destroyed
        yield from bail_out.bail_out(game, vehicle)
        return
    # fubar4/vdamage.table: results stack
    for result in results:
        if result == STUN:
            yield from _stun(game, vehicle)
        elif result == IMMOBILISE:
            yield from _immobilise(game, vehicle)
        else:
            yield from _disarm(game, vehicle)


def _stun(game: FubarGame, vehicle: str) -> Steps[None]:
    """Stun the crew. Several stuns add up (fubar4/vdamage.crew-stunned)."""
    before = game.unit(vehicle)
    yield UnitNoted(vehicle, STUNS, number(before.profile, STUNS, 0) + 1)
    if STUNNED not in before.conditions:
        yield ConditionGained(vehicle, STUNNED, "vdamage.crew-stunned")


def _immobilise(game: FubarGame, vehicle: str) -> Steps[None]:
    """Immobilise the vehicle for the rest of the game. A second result has no effect (fubar4/vdamage.immobilised)."""
    if IMMOBILISED not in game.unit(vehicle).conditions:
        yield ConditionGained(vehicle, IMMOBILISED, "vdamage.immobilised")


def _disarm(game: FubarGame, vehicle: str) -> Steps[None]:
    """Let the owner give up a weapon. If none is left, nothing happens (fubar4/vdamage.weapon-destroyed)."""
    left = weapons_left(game.rules, game.unit(vehicle))
    if not left:
        return
    lost = left[0]
    if len(left) > 1:
        seat = game.state.seat_of(vehicle)
        unit = game.believed(seat).units[vehicle]
        rule = "vdamage.weapon-destroyed"
        choices = tuple(_weapon_choice(game.rules, unit, mount) for mount in unit.mounts if mount in left)
        title = f"{unit.name} loses a weapon"
        picked = yield from ask(seat, Asked(title, choices, Picked(_key(lost)), rule, vehicle))
        lost = picked.choice.removeprefix(_key(""))
    yield MountLost(vehicle, lost, "vdamage.weapon-destroyed")


def weapons_left(rules: FubarRules, vehicle: Unit) -> list[str]:
    """Return the mounts whose weapons still fire, the one with the fewest Fire Points first, ties in the order of the mounts."""
    mounts = [key for key, mount in vehicle.mounts.items() if not mount.lost]
    return sorted(mounts, key=lambda key: rules.weapon(vehicle.mounts[key].weapon).fire_points)


def _weapon_choice(rules: FubarRules, vehicle: Unit, mount: str) -> Choice:
    weapon = rules.weapon(vehicle.mounts[mount].weapon)
    return Choice(_key(mount), f"Lose the {weapon.words}", "vdamage.weapon-destroyed", f"{weapon.fire_points} FP")


def _key(mount: str) -> str:
    return f"lose:{mount}"
