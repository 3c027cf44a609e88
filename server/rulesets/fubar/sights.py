"""Lines of fire of a unit's figures: the enemies that they see, how far away, and what keeps them from firing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from client_protocol.choices import Why
from server.kernel.bodies import bodies, body, is_vehicle, mount_bears
from server.kernel.space.geometry import beyond, inches, inches_text, to_mil
from server.kernel.space.hulls import apart
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
        self._footings: dict[Body, cover.Footing] = {}
        self._own: dict[Body, int] = {}
        self._theirs: dict[str, dict[str, Body]] = {}
        self._sightlines: dict[str, Sightlines] = {}
        self._nearest: dict[tuple[Body, str, str, bool], int | None] = {}
        self._reached: dict[tuple[Body, str, str, int, bool], bool] = {}
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
        return self.rules.group(self._stands).apart(self.rules.group(target))

    def hidden(self, target: Unit) -> bool:
        """Return whether surely no weapon of the unit sees any figure of `target`. False says nothing."""
        return not self.state.options.get("mortar_indirect") and self._lines(target).hidden

    def nearest(self, gun: Gun, target: Unit) -> int | None:
        """Return the distance to the nearest figure of `target` that this weapon may be fired at, in mil; None if there is
        none.

        The weapon's range is not checked.
        """
        firer = firing_body(self.state, self.unit, gun)
        indirect = self._indirect(gun)
        key = (firer, gun.mount, target.id, indirect)
        if key not in self._nearest:
            open_to = self._open(firer, gun, target, indirect, self._among)
            self._nearest[key] = next((mil for mil, _, near in open_to if near), None)
        return self._nearest[key]

    def reaches(self, gun: Gun, target: Unit, reach: int) -> bool:
        """Return whether a figure of `target` that this weapon may be fired at is within `reach` mil, as `nearest` has it."""
        firer = firing_body(self.state, self.unit, gun)
        indirect = self._indirect(gun)
        key = (firer, gun.mount, target.id, reach, indirect)
        if key not in self._reached:
            self._reached[key] = self._open_within(firer, gun, target, indirect, reach)
        return self._reached[key]

    def seen(self, gun: Gun, target: Unit) -> list[tuple[int, str]]:
        """Return the figures of `target` that this weapon may hit, each with its distance in mil, nearest first."""
        firer = firing_body(self.state, self.unit, gun)
        found = list(self._open(firer, gun, target, self._indirect(gun), None))
        if all(near for _, _, near in found):
            return [(mil, key) for mil, key, _ in found]
        # fubar4/fire.deep-in-cover: if the nearest figure that shares the cover is near enough, all of them may be hit
        mine = self._footing(firer)
        near = any(near and cover.shared(mine, self._footing(self._bodies(target)[key])) for _, key, near in found)
        return [(mil, key) for mil, key, close in found if close or near]

    def why(self, gun: Gun, target: Unit) -> Why:
        """Return why this weapon cannot be fired at this target from where they stand."""
        firer = firing_body(self.state, self.unit, gun)
        weapon = self.rules.weapon(gun.weapon)
        indirect = self._indirect(gun)
        visible = {
            key: other
            for index, (key, other) in enumerate(self._bodies(target).items())
            if self._sees(firer, target, index, indirect)
        }
        if not visible:
            return Why(f"{self.unit.name} does not see {target.name}.", "fire.line-of-sight")
        bearing = {key: other for key, other in visible.items() if self._bears(gun, other)}
        if not bearing:
            return Why(f"{weapon.name} of {self.unit.name} does not bear on {target.name}.", "vehicle.activation")
        mine = self._footing(firer)
        faults = {key: cover.fault(mine, self._footing(other)) for key, other in bearing.items()}
        if all(faults.values()):
            rule = next(iter(faults.values()))
            edge = inches_text(inches(self.rules.book.tables.cover.edge))
            who = self.unit.name if rule == "fire.deep-in-cover" else target.name
            return Why(f"{who} is more than {edge} inside its cover.", rule)
        free = {key: other for key, other in bearing.items() if not faults[key]}
        nearest = min(to_mil(apart(firer, other)) for other in free.values())
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
        self, firer: Body, gun: Gun, target: Unit, indirect: bool, among: Collection[str] | None
    ) -> Iterator[tuple[int, str, bool]]:
        """Yield the figures of `target` that are seen and not too deep in cover, nearest first, as (mil, figure, near
        enough).

        "Near enough" is about figures that share a cover with the firer; it is true for all others.
        """
        if not indirect and self._lines(target).sees_none(self._index(firer)):
            return
        by_distance = sorted(
            (to_mil(apart(firer, other)), key, index)
            for index, (key, other) in enumerate(self._bodies(target).items())
            if among is None or key in among
        )
        mine = self._footing(firer)
        for mil, key, index in by_distance:
            other = self._bodies(target)[key]
            standing_so = self._footing(other)
            if cover.fault(mine, standing_so) or not self._bears(gun, other):
                continue
            if self._sees(firer, target, index, indirect):
                # fubar4/fire.deep-in-cover: the limit also holds at the edge of a shared cover
                yield mil, key, mil <= self._sharing or not cover.shared(mine, standing_so)

    def _open_within(self, firer: Body, gun: Gun, target: Unit, indirect: bool, reach: int) -> bool:
        """Return whether `_open` has a figure that is near enough in both ways, without asking of any more than it takes."""
        mine = self._footing(firer)
        for other, (key, theirs) in enumerate(self._bodies(target).items()):
            if self._among is not None and key not in self._among:
                continue
            mil = to_mil(apart(firer, theirs))
            if mil > reach:
                continue
            standing_so = self._footing(theirs)
            if mil > self._sharing and cover.shared(mine, standing_so):
                continue
            if cover.fault(mine, standing_so) or not self._bears(gun, theirs):
                continue
            if self._sees(firer, target, other, indirect):
                return True
        return False

    def _bodies(self, target: Unit) -> dict[str, Body]:
        """Return the bodies of a unit by figure, in the order of its group."""
        if target.id not in self._theirs:
            keys = (key for key, figure in target.figures.items() if figure.at is not None and not figure.fallen)
            self._theirs[target.id] = dict(zip(keys, self.rules.group(target).bodies, strict=True))
        return self._theirs[target.id]

    def _lines(self, target: Unit) -> Sightlines:
        lines = self._sightlines.get(target.id)
        if lines is None:
            lines = self._sightlines[target.id] = self.rules.sightlines(self.state, self._stands, target)
        return lines

    def _index(self, firer: Body) -> int:
        """Return the place of a body that fires in the group of those who stand with it."""
        if not self._own:
            self._own = {one: index for index, one in enumerate(self.rules.group(self._stands).bodies)}
        return self._own[firer]

    def _footing(self, one: Body) -> cover.Footing:
        if one not in self._footings:
            self._footings[one] = cover.footing(self.rules, self.state, one)
        return self._footings[one]

    def _bears(self, gun: Gun, other: Body) -> bool:
        return gun.mount not in self.unit.mounts or mount_bears(self.unit, gun.mount, other.at)

    def _sees(self, firer: Body, target: Unit, index: int, indirect: bool) -> bool:
        if self._lines(target).sees(self._index(firer), index):
            return True
        # fubar4/weapon.support: a mortar may fire at what friends see
        return indirect and any(
            lines.sees(one, index)
            for unit in self.state.units_of(self.unit.side)
            for lines in (self.rules.sightlines(self.state, unit, target),)
            for one in range(len(self.rules.group(unit).bodies))
        )

    def _indirect(self, gun: Gun) -> bool:
        return INDIRECT in self.rules.weapon(gun.weapon).traits and bool(self.state.options.get("mortar_indirect"))


def firing_body(state: State, unit: Unit, gun: Gun) -> Body:
    """Return the body from which a weapon is fired: the figure, the hull that it is mounted on, or the hull that the figure
    rides in (fubar4/vehicle.transport).
    """
    if unit.aboard:
        return next(iter(bodies(state.units[unit.aboard]).values()))
    return body(unit.figures[gun.figure])
