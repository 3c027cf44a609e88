"""Taking aim: line of sight, range and Fire Priority, before any die is rolled."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.choices import Why
from server.kernel.bodies import is_vehicle, mount_bears
from server.kernel.space.geometry import Point, beyond, inches, inches_text
from server.kernel.space.sight import Sightlines
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.kernel.traits import has
from server.rulesets.fad.bots import unarmed
from server.rulesets.fad.cover import cover_of
from server.rulesets.fad.game import BUSY, SCATTERED, FadRules
from server.rulesets.fad.lines_of_fire import (
    THROUGH_FRIENDS,
    fire_lines,
    gap_to_fire_through,
    in_the_way,
    standing_between,
    stopped_by,
)
from server.rulesets.fad.mixed_arms import arm_of
from server.rulesets.fad.module import Act, Crew
from server.rulesets.fad.setup.book import HeavyWeapon, SupportWeapon
from server.rulesets.fad.sights import by_centres
from server.rulesets.shared.distances import apart, stand
from server.rulesets.shared.setup.book import ON

BANDS = ("base", "close", "medium", "long")

SMALL_ARMS = "small-arms"
"""What is aimed in place of a mount if the team that is with a squad does not fire along."""

ALONE = "alone:"
"""What is aimed in place of a mount, before the figure, if a figure fires its support weapon apart from its squad."""
SMART, AUTO = "smart_targeting", "auto_target"
"""The traits of weapons that fire at targets of their own, and that pick their targets."""

SQUAD_TARGETING = "squad_targeting"
"""The option by which all figures of a unit may be hit if half of them are seen."""


class Shot(Fixed, frozen=True):
    """One unit's fire at another, ready to be resolved.

    Attributes:
        shooter: the unit that fires.
        target: the unit that is fired at.
        firing: the figures that see a figure of the target and are in range of it.
        seen: the target's figures that may be hit, which one of them sees, ordered by the distance to the nearest firing
            figure, ties in roster order.
        distance: from the nearest firing figure to the nearest figure that it sees, in mil.
        band: the range band of that distance.
        cover: the target's cover level.
        supporting: the support weapons in range, as pairs of figure and weapon; one with several modes as the mode in which it
            is fired.
        weapon: the heavy weapon that is fired; "" if the unit fires its small arms. The fire of such a weapon at a point makes a
            shot at each unit that is struck there, of which `seen` are the figures within the blast.
        mount: the mount of a vehicle that is aimed, or the figure that serves the heavy weapon of a team; "" for a squad's fire
            and for blasts.
        joined: the figure that serves a heavy weapon which fires together with the squad's small arms; "" if none does.
        origin: where the fire of something off the table comes from; None for what stands on it. `shooter` is then the unit that
            called it.
        lone: whether a figure fires its support weapon apart from its squad.
        laid: the side that laid what strikes the target, if no unit fires it; `shooter` is then the target itself.
    """

    shooter: str
    target: str
    firing: tuple[str, ...]
    seen: tuple[str, ...]
    distance: int
    band: str
    cover: str
    supporting: tuple[tuple[str, str], ...]
    weapon: str = ""
    mount: str = ""
    joined: str = ""
    origin: Point | None = None
    lone: bool = False
    laid: str = ""

    def by(self, state: State) -> tuple[str, str]:
        """Return the side and the unit to which dice of this shot belong; "" for the unit if none fires."""
        return (self.laid, "") if self.laid else (state.units[self.shooter].side, self.shooter)


def band_limits(
    rules: FadRules,
    unit: Unit,
    weapon: HeavyWeapon | None = None,
    *,
    further: int = 0,
    figures: tuple[str, ...] = (),
) -> dict[str, int]:
    """Return the upper edge of each range band for `unit`'s small arm, or its heavy `weapon`, in mil (fad4/shoot.range-bands).
    `further` is added to the range multiplier. Of small arms those of the `figures` count (empty: all).
    """
    base = rules.quality(unit).base_range
    times = (weapon or rules.small_arm(unit, figures)).range_multiplier + further
    # The tables hold few numbers, and every shot asks for its bands several times.
    known = rules.bands.get((base, times))
    return rules.bands.setdefault((base, times), _band_limits(rules, base, times)) if known is None else known


def _band_limits(rules: FadRules, base_range: float, multiplier: int) -> dict[str, int]:
    base = inches(base_range)
    multiples = rules.book.tables.range_bands
    return {band: base if band == "base" else base * multiplier * multiples.of(band) for band in BANDS}


def band_of(limits: dict[str, int], mil: int) -> str | None:
    """Return the band in which a distance (mil) lies, its upper edge included; None beyond long range."""
    for band, limit in limits.items():
        if mil <= limit:
            return band
    return None


def aim(rules: FadRules, state: State, shooter: str, target: str, mount: str = "") -> Shot | Why:
    """Return the shot of `shooter`, of a vehicle with the weapon on `mount`, at `target`, or why there is none: forbidden, out of
    sight, out of range (fad4/shoot.method).

    A squad fires all that it can fire together, unless `mount` says `SMALL_ARMS` or names the figure that serves its heavy
    weapon. Fire Priority is not checked here, because free shots ignore it.
    """
    unit, enemy = state.units[shooter], state.units[target]
    barred = rules.barred(state, unit, Act.SHOOT)
    barred = barred or rules.spared(state, enemy)
    if barred is not None:
        return barred
    if is_vehicle(unit) and not mount:
        return Why(f"{unit.name} aims each of its weapons on its own.", "shoot.vehicle-weapons")
    # fad4/transport.soft-skin-fire: a squad aboard looks and measures from the hull
    lines = fire_lines(rules, state, unit, enemy)
    if mount.startswith(ALONE):
        return _lone(rules, state, unit, enemy, lines, mount.removeprefix(ALONE))
    crew = rules.crew(state, unit)
    if crew is None:
        return _part(rules, state, unit, enemy, lines, "" if mount == SMALL_ARMS else mount)
    if not mount:
        return _together(rules, state, unit, enemy, lines, crew)
    return _by_crew(rules, state, unit, enemy, lines, crew, mount)


def _lone(rules: FadRules, state: State, unit: Unit, enemy: Unit, lines: Sightlines, figure: str) -> Shot | Why:
    """Return the shot of a figure with its support weapon, apart from its squad."""
    shot = _part(rules, state, unit, enemy, lines, "", frozenset(unit.figures) - {figure})
    if isinstance(shot, Shot) and not shot.supporting:
        weapon = rules.support(unit.figures[figure].role)
        assert weapon is not None, "a figure with a support weapon fires it"
        return Why(f"{enemy.name} is out of range of the {weapon.name.lower()}.", "shoot.range-bands")
    return shot if isinstance(shot, Why) else replace(shot, lone=True)


def without(rules: FadRules, state: State, shot: Shot, figures: frozenset[str]) -> Shot | Why:
    """Return what is left of the fire of a squad's small and support weapons if some of its figures do not take part."""
    unit, enemy = state.units[shot.shooter], state.units[shot.target]
    return _part(rules, state, unit, enemy, fire_lines(rules, state, unit, enemy), "", figures)


def _by_crew(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, lines: Sightlines, crew: Crew, mount: str
) -> Shot | Why:
    """Return the shot of one part of a unit with a heavy weapon and its crew: of its small arms, or of the weapon."""
    if mount == SMALL_ARMS:
        return _part(rules, state, unit, enemy, lines, "", crew.figures)
    barred = rules.barred(state, unit, Act.SERVE)
    weapon = rules.mounted(unit, crew.gunner)
    if barred is not None:
        return barred
    if weapon.blast and not is_vehicle(enemy):
        # fad4/blast.declare-role
        sentence = f"The {weapon.name.lower()} fires blasts at infantry; aimed fire is for vehicles."
        return Why(sentence, "blast.declare-role")
    return _part(rules, state, unit, enemy, lines, crew.gunner)


def _together(rules: FadRules, state: State, unit: Unit, enemy: Unit, lines: Sightlines, crew: Crew) -> Shot | Why:
    """Return the shot of a unit with a heavy weapon and its crew: of both parts if both can join in it, else of the one that
    can fire.
    """
    served = _by_crew(rules, state, unit, enemy, lines, crew, crew.gunner)
    if crew.whole:
        return served
    squad = _by_crew(rules, state, unit, enemy, lines, crew, SMALL_ARMS)
    if isinstance(served, Why):
        return squad
    if isinstance(squad, Why):
        return served
    weapon = rules.mounted(unit, crew.gunner)
    if is_vehicle(enemy) and (rules.small_arm(unit).anti_tank is None or weapon.anti_tank is None):
        # fad5/adv.weapon-teams.combined-fire: against vehicles both need an anti-tank rating
        return served if rules.small_arm(unit).anti_tank is None else squad
    firing = (*squad.firing, crew.gunner)
    seen = (*squad.seen, *(key for key in served.seen if key not in squad.seen))
    return replace(
        squad,
        seen=seen,
        distance=min(squad.distance, served.distance),
        # fad5/adv.weapon-teams.combined-fire: the worse of both parts' range bands
        band=max(squad.band, served.band, key=BANDS.index),
        cover=cover_of(rules, state, stand(state, unit), enemy, firing, seen),
        joined=crew.gunner,
    )


def _part(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    lines: Sightlines,
    mount: str,
    without: frozenset[str] = frozenset(),
) -> Shot | Why:
    """Return the shot of one weapon, or of a unit's small arms `without` some of its figures."""
    shot = _untrimmed(rules, state, unit, enemy, lines, mount, without)
    return shot if isinstance(shot, Why) else rules.trimmed(state, unit, shot)


def _untrimmed(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    lines: Sightlines,
    mount: str,
    without: frozenset[str],
) -> Shot | Why:
    if unit.aboard or without:
        return _aimed(rules, state, unit, enemy, lines, mount, without)
    known = rules.shots.get(lines, unit.profile)
    wanted = (unit.id, enemy.id, mount)
    if known is not None and known[0] is state.options and known[1] == wanted:
        return known[2]
    shot = _aimed(rules, state, unit, enemy, lines, mount, without)
    rules.shots.keep(lines, unit.profile, (state.options, wanted, shot))
    return shot


def _aimed(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    lines: Sightlines,
    mount: str,
    without: frozenset[str] = frozenset(),
) -> Shot | Why:
    """Return what `aim` does for a unit that may shoot. It follows from the figures of the two, the shooter's profile, the
    terrain and the match's options.
    """
    harmless = _harmless(rules, unit, enemy, mount)
    if isinstance(harmless, Why):
        return harmless
    # fad4/tech.weapon-tables: bots without a gun take no part
    harmless |= unarmed(unit)
    borne = _borne(unit, mount, enemy)
    if borne is not None and not borne:
        weapon = rules.mounted(unit, mount).name
        return Why(f"The {weapon.lower()} of {unit.name} does not bear on {enemy.name}.", "shoot.line-of-sight")
    place = stand(state, unit)
    centres = by_centres(state, place, enemy)
    # The hull from which those aboard look is none of them.
    held = without if unit.aboard else without | harmless
    able = _able(place, mount, held)
    gap = apart(place, enemy)
    # The limits of all that the unit aims, where they do not depend on which of its figures fire.
    reach = None if not mount and rules.mixed(unit) else _limits(rules, unit, mount, ())
    # Both distances are rounded.
    if borne is None and not centres and reach is not None and gap > reach["long"] + 1:
        return _from_afar(rules, state, unit, enemy, gap, reach["long"], able, harmless)
    nearest_seen = _seeing(able, lines, borne, centres=centres)
    if not nearest_seen:
        return _unseen(rules, state, unit, enemy, harmless)
    # fad5/shoot.mixed-weapons-range: of those that see the enemy, and then of those in range of him
    limits = reach or _limits(rules, unit, mount, tuple(nearest_seen))
    # fad4/shoot.squad-one-target: figures that see no enemy or are out of range do not count
    firing = tuple(key for key, mil in nearest_seen.items() if mil <= limits["long"])
    if not firing:
        return _too_far(unit, enemy, min(nearest_seen.values()), limits["long"])
    # fad5/shoot.building-openings
    nearest = min(nearest_seen[key] for key in firing)
    placed = rules.chapters.fire.placed(rules, state, unit, enemy, firing, nearest, mount)
    if isinstance(placed, Why):
        return placed
    firing, supporting, mil = _contributing(rules, unit, enemy, placed, nearest_seen, mount)
    band = band_of(reach or _limits(rules, unit, mount, firing or placed), mil)
    assert band is not None, "a firing figure is within long range"
    if not firing:
        sentence = f"No weapon of {unit.name} that it could fire at {enemy.name} reaches {band} range."
        return Why(sentence, "shoot.support-weapons")
    if centres:
        seen = _by_nearness(rules.sightlines(state, place, enemy), place, enemy, firing)
    else:
        seen = _may_be_hit(rules, state, lines, place, enemy, firing, borne)
    ignored = mount and any(effect.ignores_cover for effect in rules.effects(rules.mounted(unit, mount).id))
    cover = "none" if ignored else cover_of(rules, state, place, enemy, firing, seen)
    if unit.aboard:
        firing = tuple(key for key in unit.living if key not in without | harmless)
    return Shot(
        shooter=unit.id,
        target=enemy.id,
        firing=firing,
        seen=seen,
        distance=mil,
        band=band,
        cover=cover,
        supporting=supporting,
        weapon=_weapon(rules, unit, enemy, mount),
        mount=mount,
    )


def _weapon(rules: FadRules, unit: Unit, enemy: Unit, mount: str) -> str:
    """Return the weapon on a mount, as it counts at an enemy; "" for none."""
    if not mount:
        return ""
    row = rules.mounted(unit, mount)
    # fad4/tech.weapon-tables
    return (row.at_vehicles if is_vehicle(enemy) else "") or row.id


def _limits(rules: FadRules, unit: Unit, mount: str, figures: tuple[str, ...]) -> dict[str, int]:
    limits = band_limits(rules, unit, rules.mounted(unit, mount) if mount else None, figures=figures)
    if not has(unit, SCATTERED):
        return limits
    # fad5/shoot.scattered-fire
    most = inches(rules.book.tables.line_of_fire.scattered)
    return {band: min(limit, most) for band, limit in limits.items()}


def _from_afar(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    mil: int,
    reach: int,
    able: dict[str, int],
    harmless: frozenset[str],
) -> Why:
    """Return why a unit does not fire at an enemy that is `mil` away, beyond the `reach` of all that it has: which of the figures
    that are `able` to fire see him does not matter, and not all need to be asked; nor whether friends stand between.
    """
    if rules.sightlines(state, stand(state, unit), enemy).any_of(list(able.values())):
        return _too_far(unit, enemy, mil, reach)
    return _unseen(rules, state, unit, enemy, harmless)


def _too_far(unit: Unit, enemy: Unit, mil: int, reach: int) -> Why:
    sentence = f"{enemy.name} is {beyond(mil, reach)} away; {unit.name} reaches {inches_text(reach)}."
    return Why(sentence, "shoot.range-bands")


def _able(place: Unit, mount: str, without: frozenset[str]) -> dict[str, int]:
    """Return the figures that may fire if they see the enemy, each with its place in its group."""
    found: dict[str, int] = {}
    for index, key in enumerate(_standing(place)):
        # fad4/action.command: who takes part in a task does not shoot
        if BUSY in place.figures[key].conditions or key in without:
            continue
        if mount in place.figures and mount not in place.mounts and key != mount:
            continue
        found[key] = index
    return found


def _seeing(able: dict[str, int], lines: Sightlines, borne: list[int] | None, *, centres: bool) -> dict[str, int]:
    """Return which of the figures that are `able` to fire have a line to the enemy, each with how far it is to the nearest at
    which it has one, in mil. Others add nothing (fad5/shoot.unseeing-members).
    """
    found: dict[str, int] = {}
    for key, index in able.items():
        own = 0 if centres else index
        mil = lines.nearest_seen(own) if borne is None else lines.nearest_of(own, borne)
        if mil is not None:
            found[key] = round(mil)
    return found


def _unseen(rules: FadRules, state: State, unit: Unit, enemy: Unit, harmless: frozenset[str]) -> Why:
    """Return why `unit`, without those of its figures that are `harmless` to `enemy`, has no line of fire to it."""
    friends = in_the_way(rules, state, unit) if rules.sees(state, stand(state, unit), enemy) else []
    if not friends:
        # fad4/shoot.line-of-sight
        who = f"No figure of {unit.name} that can harm it sees" if harmless else f"{unit.name} does not see"
        return Why(f"{who} {enemy.name}.", "shoot.line-of-sight")
    # fad5/shoot.through-friendly-infantry
    alone = stopped_by(rules, state, unit, enemy) or standing_between(rules, state, unit, enemy) or friends
    names = " and ".join(friend.name for friend in alone)
    stand_in = "stand" if len(alone) > 1 else "stands"
    wide = inches_text(gap_to_fire_through(rules))
    sentence = f"{names} {stand_in} between {unit.name} and {enemy.name}, without a gap of {wide} to fire through."
    return Why(sentence, THROUGH_FRIENDS)


def _by_nearness(lines: Sightlines, unit: Unit, enemy: Unit, firing: tuple[str, ...]) -> tuple[str, ...]:
    """Return all figures of `enemy`, nearest to the `firing` ones first (fad5/shoot.los-squad-centre)."""
    shooters = [index for index, key in enumerate(_standing(unit)) if key in firing]
    nearness = {key: round(lines.nearness(shooters, index)) for index, key in enumerate(_standing(enemy))}
    return tuple(sorted(nearness, key=nearness.__getitem__))


def _contributing(
    rules: FadRules, unit: Unit, enemy: Unit, firing: tuple[str, ...], away: dict[str, int], mount: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], int]:
    """Return those of the `firing` figures whose weapons count, the support weapons among these, and how far it is, in mil, from
    the nearest of them. `away` says how far each is.
    """
    mil = min([away[key] for key in firing])
    scattered = has(unit, SCATTERED)
    if mount or (scattered and not only_rated(rules, enemy)):
        # fad5/shoot.scattered-fire: all fire alike, whatever they carry
        return firing, (), mil
    supporting = () if scattered else _supporting(rules, unit, enemy, firing, mil)
    left = _not_idle(rules, unit, firing, supporting)
    if not left or left == firing:
        return left, supporting, mil
    # fad5/shoot.range-bands: who does not fire brings the enemy no nearer, and farther off fewer weapons may reach him
    return _contributing(rules, unit, enemy, left, away, mount)


def _not_idle(
    rules: FadRules, unit: Unit, firing: tuple[str, ...], supporting: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    """Return those of the `firing` figures that fire a weapon: a gunner who has no rifle does not where his own weapon does not
    reach (fad5/shoot.one-weapon-per-figure, fad5/shoot.squad-vs-vehicle).
    """
    gunners = rules.carried(unit)
    if len(supporting) == len(gunners) or unit.aboard or not rules.book.tables.support.no_rifle:
        return firing
    idle = {key for key, _ in gunners} - {key for key, _ in supporting}
    return tuple([key for key in firing if key not in idle])


def only_rated(rules: FadRules, enemy: Unit) -> bool:
    """Return whether only weapons with an anti-tank rating are fired at a unit (fad5/damage.vehicle-needs-anti-tank)."""
    return is_vehicle(enemy) and rules.book.tables.vehicles.rated_only


def _harmless(rules: FadRules, unit: Unit, enemy: Unit, mount: str) -> frozenset[str] | Why:
    """Return the figures of a unit whose weapons cannot be fired at an enemy, or why none can, nor the weapon on `mount`
    (fad5/damage.vehicle-needs-anti-tank, fad5/shoot.squad-vs-vehicle).
    """
    if not only_rated(rules, enemy):
        return frozenset()
    rule = "damage.vehicle-needs-anti-tank"
    if mount:
        weapon = rules.mounted(unit, mount)
        if weapon.anti_tank is None:
            return Why(f"The {weapon.name.lower()} has no anti-tank rating.", rule)
        return frozenset()
    carried = dict(rules.carried(unit))
    rated = {
        key for key, weapon in carried.items() if any(row.anti_tank is not None for row in fired_as(rules, weapon))
    }
    rated |= {key for key in unit.living if key not in carried and arm_of(rules.book, unit, key).anti_tank is not None}
    if not rated:
        return Why(f"{unit.name} has no weapon with an anti-tank rating.", rule)
    return frozenset(key for key in unit.living if key not in rated)


def harmless(rules: FadRules, unit: Unit, enemy: Unit) -> frozenset[str]:
    """Return the figures of a unit whose weapons cannot be fired at an enemy; all of them if none can."""
    found = _harmless(rules, unit, enemy, "")
    return frozenset(unit.figures) if isinstance(found, Why) else found


def _standing(unit: Unit) -> list[str]:
    """Return the living figures of a unit on the table, in the order of its group."""
    return [key for key, figure in unit.figures.items() if figure.at is not None and not figure.fallen]


def _borne(unit: Unit, mount: str, enemy: Unit) -> list[int] | None:
    """Return the figures of an enemy on the table on which the weapon on a mount bears; None for those of a squad, which bear on
    all.
    """
    if mount not in unit.mounts:
        return None
    return [place for place, (at, _) in enumerate(enemy.places()) if mount_bears(unit, mount, at)]


def _may_be_hit(
    rules: FadRules,
    state: State,
    lines: Sightlines,
    unit: Unit,
    enemy: Unit,
    firing: tuple[str, ...],
    borne: list[int] | None,
) -> tuple[str, ...]:
    # fad4/hits.allocate-closest: nearest first
    shooters = [index for index, key in enumerate(_standing(unit)) if key in firing]
    standing = _standing(enemy)
    seen = lines.seen_by(shooters) if borne is None else [other for other in lines.seen_by(shooters) if other in borne]
    # fad4/shoot.line-of-sight: only figures that are seen can be hit; fad4/shoot.squad-based-targeting: all of them, if half are
    if state.options.get(SQUAD_TARGETING) == ON and 2 * len(seen) >= len(standing):
        away = rules.apart(enemy)
        if not all(standing[other] in away for other in seen):
            seen = list(range(len(standing)))
    nearness = {standing[other]: round(lines.nearness(shooters, other)) for other in seen}
    return tuple(sorted(nearness, key=nearness.__getitem__))


def _supporting(
    rules: FadRules, unit: Unit, enemy: Unit, firing: tuple[str, ...], mil: int
) -> tuple[tuple[str, str], ...]:
    # fad4/shoot.support-weapons: the operator fires and the weapon's own band covers the distance
    found = []
    for key, weapon in rules.carried(unit):
        modes = modes_in(rules, unit, weapon, mil, enemy, firing) if key in firing else []
        if modes:
            found.append((key, max(modes, key=_expected).id))
    return tuple(found)


def fired_as(rules: FadRules, weapon: SupportWeapon) -> list[SupportWeapon]:
    """Return as which rows of the table a support weapon is fired: itself, or its modes (fad4/tech.weapon-tables)."""
    return [rules.book.support_weapons[mode] for mode in weapon.modes] or [weapon]


def modes_in(
    rules: FadRules, unit: Unit, weapon: SupportWeapon, mil: int, enemy: Unit, figures: tuple[str, ...] = ()
) -> list[SupportWeapon]:
    """Return as which rows of the table a unit may fire a support weapon at an enemy at this distance, in mil: those that
    reach so far, and that can harm it. `figures` are those that fire (empty: all).
    """
    band = band_of(band_limits(rules, unit, further=weapon.reach, figures=figures), mil)
    if band is None:
        return []
    unrated = only_rated(rules, enemy)
    return [
        row
        for row in fired_as(rules, weapon)
        if row.band in BANDS and BANDS.index(band) <= BANDS.index(row.band) and not (unrated and row.anti_tank is None)
    ]


def _expected(weapon: SupportWeapon) -> float:
    return 3.5 if weapon.fire_effect_die else weapon.fire_effect
