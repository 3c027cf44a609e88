"""Fire at enemies that a rule gives, from where a unit stands and whatever enemies are nearer: Fire Priority does not count."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    AssignmentRow,
    Candidate,
    Choice,
    Picked,
    RowOption,
    Why,
)
from server.kernel.bodies import is_vehicle
from server.kernel.procedure import Steps
from server.kernel.space.geometry import about
from server.kernel.state import State, Unit
from server.rulesets.fad.firing import fire_at, target_choice
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.shot import BANDS, Shot, aim, band_limits
from server.rulesets.fad.sights import CENTRES, LOS_MODE
from server.rulesets.fad.vehicles.fire_control import Pace, ready
from server.rulesets.fad.vehicles.firing import fire_all, unfit, weapons_parameter
from server.rulesets.shared.distances import Nearest


def given_fire(
    rules: FadRules,
    state: State,
    unit: Unit,
    named: tuple[str, str],
    rule: str,
    targets: Iterable[str],
    *,
    text: str = "",
    bands: Collection[str] = BANDS,
) -> Choice:
    """Return the choice to fire at one of `targets`, by its key and label, with why it cannot be taken.

    Args:
        rules: the rules.
        state: what the unit's seat may know.
        unit: the unit that fires.
        named: the key and the label of the choice.
        rule: the rule that lets it fire.
        targets: the enemies at which it may fire, in the order in which they are shown.
        text: what the choice says besides.
        bands: the range bands in which it may.
    """
    key, label = named
    if not is_vehicle(unit):
        found = tuple(_candidate(rules, state, unit, target, rule, bands) for target in targets)
        return target_choice(key, label, rule, text, found, rule)
    aimed = _aimed(rules, state, unit, targets, rule, bands)
    if isinstance(aimed, Why):
        return Choice(key, label, rule, text, (), aimed)
    return Choice(key, label, rule, text, (aimed,), preview=True)


def may_fire_at(
    rules: FadRules, state: State, unit: Unit, rule: str, targets: Iterable[Nearest], bands: Collection[str]
) -> bool:
    """Return whether a unit has a shot at one of `targets` in one of these range bands: whether `given_fire` offers a choice that
    can be taken. It looks at no more of them than it must, and at none that is beyond the reach of all that the unit has.
    """
    farthest = furthest(rules, unit, bands) + 1  # both distances are rounded
    near = [target.unit for target in targets if target.distance <= farthest or state.options.get(LOS_MODE) == CENTRES]
    if is_vehicle(unit):
        return not isinstance(_aimed(rules, state, unit, near, rule, bands), Why)
    return any(isinstance(_shot(rules, state, unit, target, rule, bands), Shot) for target in near)


def furthest(rules: FadRules, unit: Unit, bands: Collection[str]) -> int:
    """Return how far the best of a unit's weapons reaches in the best of some range bands, in mil."""
    heavy = [rules.mounted(unit, mount) for mount in unit.mounts]
    heavy += [weapon for figure in unit.living.values() if (weapon := rules.heavy(figure.role)) is not None]
    limits = [band_limits(rules, unit, weapon) for weapon in heavy]
    if not is_vehicle(unit):
        arms = [(key,) for key in unit.living] if rules.mixed(unit) else [()]
        limits += [band_limits(rules, unit, figures=figures) for figures in arms]
    return max((limit[band] for limit in limits for band in bands), default=0)


def fire_given(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    """Fire as such a choice was answered: a squad at its target, each weapon of a vehicle at its own."""
    if not is_vehicle(game.unit(unit)):
        yield from fire_at(game, unit, picked, alone=True)
        return
    given = picked.values[0]
    assert isinstance(given, Assigned), "checked against the choice"
    yield from fire_all(game, unit, given.given)


def _shot(
    rules: FadRules, state: State, unit: Unit, target: str, rule: str, bands: Collection[str], mount: str = ""
) -> Shot | Why:
    shot = aim(rules, state, unit.id, target, mount)
    if isinstance(shot, Shot) and shot.band not in bands:
        return Why(f"{state.units[target].name} is at {shot.band} range, not at short range.", rule)
    return shot


def _candidate(rules: FadRules, state: State, unit: Unit, target: str, rule: str, bands: Collection[str]) -> Candidate:
    shot = _shot(rules, state, unit, target, rule, bands)
    if isinstance(shot, Why):
        return Candidate(target, "", shot)
    return Candidate(target, f"{about(shot.distance)}, {rules.book.covers[shot.cover].name}")


def _aimed(
    rules: FadRules, state: State, vehicle: Unit, targets: Iterable[str], rule: str, bands: Collection[str]
) -> AssignmentParameter | Why:
    """Return the parameter that asks which weapons of a vehicle fire at whom, or why none does."""
    crippled = rules.vehicles.crippled(vehicle)
    if crippled is not None:
        return crippled
    found, rows = tuple(targets), list[AssignmentRow]()
    why = Why(f"{vehicle.name} has no weapon.", rule)
    # fad5/shoot.vehicle-weapons: also this fire goes by the vehicle's fire control
    mounts, most = ready(rules, vehicle, Pace.STILL)
    for mount in mounts:
        options = list[RowOption]()
        for target in found:
            shot = _shot(rules, state, vehicle, target, rule, bands, mount)
            barred = shot if isinstance(shot, Why) else unfit(rules, state, vehicle, mount, state.units[target])
            if barred is not None:
                why = barred
            elif isinstance(shot, Shot):
                options.append(RowOption(target, state.units[target].name, target, about(shot.distance)))
        if options:
            rows.append(AssignmentRow(mount, rules.mounted(vehicle, mount).name, tuple(options)))
    return weapons_parameter(vehicle.id, rows, most) if rows else why
