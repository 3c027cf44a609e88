"""Lines of fire of a unit's figures: the enemies that they see, how far away, and what keeps them from firing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from client_protocol.choices import Why
from server.kernel.bodies import bodies, body, is_vehicle, mount_bears
from server.kernel.space.geometry import beyond, inches, inches_text, to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.screens import Group
from server.kernel.space.sight import Sightlines
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fubar import cover
from server.rulesets.fubar.game import FubarRules, fighting
from server.rulesets.fubar.guns import Gun, mates, needs_mate
from server.rulesets.shared.distances import stand

HARMLESS = "harmless"
INDIRECT = "indirect"


class Sights:
    """Lines of fire of one unit's figures in one state. Results are remembered."""

    def __init__(self, rules: FubarRules, state: State, unit: Unit, among: Collection[str] | None = None) -> None:
        self.rules = rules
        self.state = state
        self.unit = unit
        self._among = among
        self._stands = stand(state, unit)
        self._own = rules.group(self._stands)
        self._mine = cover.footings(rules, state, self._stands)
        self._places: dict[str, int] = {}
        self._theirs: dict[str, _Target] = {}
        self._nearest: dict[tuple[int, str, str, bool], int | None] = {}
        self._reached: dict[tuple[int, str, str, int, bool], bool] = {}
        self._sharing = inches(rules.book.tables.cover.sharing)

    def barred(self, gun: Gun, target: Unit) -> Why | None:
        """Return why this weapon may not be fired at this target, wherever the two stand; None if it may."""
        weapon = self.rules.weapon(gun.weapon)
        if fighting(target):
            # fubar4/fire.line-of-sight: no firing at units in close combat
            return Why(f"{target.name} is in close combat and cannot be fired at.", "fire.line-of-sight")
        if HARMLESS in weapon.traits and is_vehicle(target) and self.rules.vehicle_armour(target).armoured:
            # fubar4/vehicle.small-arms-useless: not even declared, and a natural 6 would not help
            sentence = f"{target.name} is armoured; {weapon.words} fire cannot harm it."
            return Why(sentence, "vehicle.small-arms-useless")
        if needs_mate(self.rules, self.unit, gun) and not mates(self.rules, self.unit, gun.row):
            # fubar4/weapon.hmg-crew
            reach = inches_text(inches(self.rules.book.tables.crew.mate_reach))
            sentence = f"{weapon.name} needs a second man within {reach} who is not suppressed."
            return Why(sentence, "weapon.hmg-crew")
        return None

    def apart(self, target: Unit) -> float:
        """Return a distance in mil than which no figure of `target` is nearer to any weapon of the unit."""
        return self._own.apart(self.rules.group(target))

    def hidden(self, target: Unit) -> bool:
        """Return whether surely no weapon of the unit sees any figure of `target`. False says nothing."""
        return not self.state.options.get("mortar_indirect") and self._their(target).lines.hidden

    def nearest(self, gun: Gun, target: Unit) -> int | None:
        """Return the distance to the nearest figure of `target` that this weapon may be fired at, in mil; None if there is
        none.

        The weapon's range is not checked.
        """
        one, indirect = self._place(gun), self._indirect(gun)
        key = (one, gun.mount, target.id, indirect)
        if key not in self._nearest:
            found: int | None = None
            for mil, _, near in self._open(one, gun, self._their(target), indirect, self._among):
                if near:
                    found = mil
                    break
            self._nearest[key] = found
        return self._nearest[key]

    def reaches(self, gun: Gun, target: Unit, reach: int) -> bool:
        """Return whether a figure of `target` that this weapon may be fired at is within `reach` mil, as `nearest` has it."""
        one, indirect = self._place(gun), self._indirect(gun)
        key = (one, gun.mount, target.id, reach, indirect)
        if key not in self._reached:
            self._reached[key] = self._open_within(one, gun, self._their(target), indirect, reach)
        return self._reached[key]

    def seen(self, gun: Gun, target: Unit) -> list[tuple[int, str]]:
        """Return the figures of `target` that this weapon may hit, each with its distance in mil, nearest first."""
        one, their = self._place(gun), self._their(target)
        found = list(self._open(one, gun, their, self._indirect(gun), None))
        if all(near for _, _, near in found):
            return [(mil, their.keys[other]) for mil, other, _ in found]
        # fubar4/fire.deep-in-cover: if the nearest figure that shares the cover is near enough, all of them may be hit
        mine = self._mine.of(one)
        near = any(near and cover.shared(mine, their.footings.of(other)) for _, other, near in found)
        return [(mil, their.keys[other]) for mil, other, close in found if close or near]

    def why(self, gun: Gun, target: Unit) -> Why:
        """Return why this weapon cannot be fired at this target from where they stand."""
        one, their = self._place(gun), self._their(target)
        weapon = self.rules.weapon(gun.weapon)
        indirect = self._indirect(gun)
        visible = [other for other in range(len(their.keys)) if self._sees(one, their, other, indirect)]
        if not visible:
            return Why(f"{self.unit.name} does not see {target.name}.", "fire.line-of-sight")
        bearing = [other for other in visible if self._bears(gun, their.bodies[other])]
        if not bearing:
            return Why(f"{weapon.name} of {self.unit.name} does not bear on {target.name}.", "vehicle.activation")
        mine = self._mine.of(one)
        faults = {other: cover.fault(mine, their.footings.of(other)) for other in bearing}
        if all(faults.values()):
            rule = next(iter(faults.values()))
            edge = inches_text(inches(self.rules.book.tables.cover.edge))
            who = self.unit.name if rule == "fire.deep-in-cover" else target.name
            return Why(f"{who} is more than {edge} inside its cover.", rule)
        nearest = min([to_mil(self._gap(one, their, other)) for other in bearing if not faults[other]])
        if nearest <= weapon.reach:
            limit = inches_text(self._sharing)
            sentence = (
                f"{target.name} is {beyond(nearest, self._sharing)} away; fire inside the same cover reaches {limit}."
            )
            return Why(sentence, "fire.deep-in-cover")
        away, reach = beyond(nearest, weapon.reach), inches_text(weapon.reach)
        sentence = f"{target.name} is {away} away; {weapon.words} reaches {reach}."
        return Why(sentence, "weapon.support" if weapon.kind in {"support", "grenade"} else "weapon.small-arms")

    def _open(
        self, one: int, gun: Gun, their: _Target, indirect: bool, among: Collection[str] | None
    ) -> Iterator[tuple[int, int, bool]]:
        """Yield the figures of a target that are seen and not too deep in cover, nearest first, as (mil, figure, near
        enough).

        "Near enough" is about figures that share a cover with the firer; it is true for all others.
        """
        if not indirect and their.lines.sees_none(one):
            return
        by_distance = sorted(
            [
                (to_mil(self._gap(one, their, other)), key, other)
                for other, key in enumerate(their.keys)
                if among is None or key in among
            ]
        )
        mine = self._mine.of(one)
        for mil, _, other in by_distance:
            standing_so = their.footings.of(other)
            if cover.fault(mine, standing_so) or not self._bears(gun, their.bodies[other]):
                continue
            if self._sees(one, their, other, indirect):
                # fubar4/fire.deep-in-cover: the limit also holds at the edge of a shared cover
                yield mil, other, mil <= self._sharing or not cover.shared(mine, standing_so)

    def _open_within(self, one: int, gun: Gun, their: _Target, indirect: bool, reach: int) -> bool:
        """Return whether `_open` has a figure that is near enough in both ways, without asking of any more than it takes."""
        mine = self._mine.of(one)
        for other, key in enumerate(their.keys):
            if self._among is not None and key not in self._among:
                continue
            if not indirect and their.lines.sees_none(one):
                return False
            mil = to_mil(self._gap(one, their, other))
            if mil > reach:
                continue
            standing_so = their.footings.of(other)
            if mil > self._sharing and cover.shared(mine, standing_so):
                continue
            if cover.fault(mine, standing_so) or not self._bears(gun, their.bodies[other]):
                continue
            if self._sees(one, their, other, indirect):
                return True
        return False

    def _gap(self, one: int, their: _Target, other: int) -> float:
        """Return the mil between the edges of a figure of the unit and one of a target."""
        if self._own.hulls or their.group.hulls:
            return apart(self._own.bodies[one], their.bodies[other])
        return self._own.spots[one].gap(their.group.spots[other])

    def _their(self, target: Unit) -> _Target:
        """Return a target as it stands. It is remembered."""
        known = self._theirs.get(target.id)
        if known is None:
            known = self._theirs[target.id] = _Target(self.rules, self.state, self._stands, target)
        return known

    def _place(self, gun: Gun) -> int:
        """Return the place of the body that fires a weapon in the group of those who stand with it."""
        if self.unit.aboard:
            return 0
        if not self._places:
            self._places = {key: place for place, key in enumerate(_standing(self.unit))}
        return self._places[gun.figure]

    def _bears(self, gun: Gun, other: Body) -> bool:
        return gun.mount not in self.unit.mounts or mount_bears(self.unit, gun.mount, other.at)

    def _sees(self, one: int, their: _Target, other: int, indirect: bool) -> bool:
        if their.lines.sees(one, other):
            return True
        if indirect:
            # fubar4/weapon.support: a mortar may fire at what friends see
            for unit in self.state.units_of(self.unit.side):
                lines = self.rules.sightlines(self.state, unit, their.unit)
                for friend in range(len(self.rules.group(unit).bodies)):
                    if lines.sees(friend, other):
                        return True
        return False

    def _indirect(self, gun: Gun) -> bool:
        return INDIRECT in self.rules.weapon(gun.weapon).traits and bool(self.state.options.get("mortar_indirect"))


class _Target:
    """A unit that could be fired at, its figures named by their places in its group."""

    def __init__(self, rules: FubarRules, state: State, firers: Unit, unit: Unit) -> None:
        self.unit = unit
        self.keys: list[str] = _standing(unit)
        self.group: Group = rules.group(unit)
        self.bodies: list[Body] = self.group.bodies
        self.lines: Sightlines = rules.sightlines(state, firers, unit)
        self.footings = cover.footings(rules, state, unit)


def _standing(unit: Unit) -> list[str]:
    """Return the living figures of a unit on the table, in the order of its group."""
    return [key for key, figure in unit.figures.items() if figure.at is not None and not figure.fallen]


def firing_body(state: State, unit: Unit, gun: Gun) -> Body:
    """Return the body from which a weapon is fired: the figure, the hull that it is mounted on, or the hull that the figure
    rides in (fubar4/vehicle.transport).
    """
    if unit.aboard:
        return next(iter(bodies(state.units[unit.aboard]).values()))
    return body(unit.figures[gun.figure])
