"""What units fire and wear: their small arms and armour, and the weapons that figures carry or mounts hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from server.kernel.memory import Memory
from server.kernel.notes import word
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.mixed_arms import worst
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.setup.book import Armour, Book, HeavyWeapon, SmallArm, SupportWeapon
from server.rulesets.fad.setup.variants import LOADED
from server.rulesets.fad.sights import SightRules
from server.rulesets.shared.rules import MOST_GROUPS

if TYPE_CHECKING:
    from server.rulesets.fad.shot import Shot

ROUNDS = "rounds"
"""The note of a unit that lists the weapons (mounts, or figures that serve them) that are loaded with special rounds in its
activation, each with its round.
"""


class ArmedRules(SightRules):
    """The part of the rules object that knows the arms of a unit."""

    def __init__(self, book: Book, modules: tuple[FadModule, ...]) -> None:
        super().__init__(book, modules)
        self._mixed = Memory[bool](MOST_GROUPS)
        self._carried = Memory[list[tuple[str, SupportWeapon]]](MOST_GROUPS)

    def small_arm(self, unit: Unit, figures: Collection[str] = ()) -> SmallArm:
        """Return the basic weapon of a unit, or of these figures of it (fad5/shoot.mixed-weapons-range)."""
        if self.mixed(unit):
            return worst(self.book, unit, figures)
        return self.book.small_arms[word(unit.profile, "small_arm")]

    def mixed(self, unit: Unit) -> bool:
        """Return whether figures of a unit carry other small arms than the rest of it."""
        mixed = self._mixed.get(unit.figures)
        if mixed is None:
            roles = {figure.role for figure in unit.figures.values()}
            mixed = self._mixed.keep(unit.figures, any(role in self.book.small_arms for role in roles if role))
        return mixed

    def armour(self, unit: Unit) -> Armour:
        """Return the unit's armour."""
        return self.book.armours[word(unit.profile, "armour")]

    def mounted(self, vehicle: Unit, mount: str) -> HeavyWeapon:
        """Return the weapon on a mount of a vehicle, or the one that this figure of a squad serves."""
        served = mount in vehicle.figures and mount not in vehicle.mounts
        weapon = vehicle.figures[mount].role if served else vehicle.mounts[mount].weapon
        load = vehicle.profile.get(ROUNDS)
        if load:
            found = (
                [row for row in load if isinstance(row, tuple) and row[0] == mount] if isinstance(load, tuple) else []
            )
            weapon = f"{weapon}{LOADED}{found[0][1]}" if found else weapon
        return self.book.heavy_weapons[weapon]

    def support(self, role: str) -> SupportWeapon | None:
        """Return the support weapon that a figure of this role carries, if it carries one."""
        return self.book.support_weapons.get(role)

    def heavy(self, role: str) -> HeavyWeapon | None:
        """Return the heavy weapon that a figure of this role serves, if it serves one."""
        return self.book.heavy_weapons.get(role)

    def carried(self, unit: Unit) -> Sequence[tuple[str, SupportWeapon]]:
        """Return the support weapons of the unit's living figures, each with its carrier, in roster order.

        The last living figure always counts as a rifleman, so a lone gunner's weapon is left out
        (fad4/shoot.support-weapons). Where the edition says so, none are used if no figure with small arms is left
        (fad5/shoot.support-crew).
        """
        known = self._carried.get(unit.figures)
        return self._carried.keep(unit.figures, self._carried_by(unit.living)) if known is None else known

    def _carried_by(self, living: Mapping[str, Figure]) -> list[tuple[str, SupportWeapon]]:
        if len(living) == 1:
            return []
        if self.book.tables.support.rifleman and all(self.support(figure.role) for figure in living.values()):
            return []
        found = ((key, self.support(figure.role)) for key, figure in living.items())
        return [(key, weapon) for key, weapon in found if weapon is not None]

    def rows_fired(self, state: State, shot: Shot) -> list[SmallArm | SupportWeapon | HeavyWeapon]:
        """Return the weapons that are fired in a shot."""
        unit = state.units[shot.shooter]
        if shot.weapon:
            return [self.book.heavy_weapons[shot.weapon]]
        gunners = {key for key, _ in shot.supporting}
        small = [self.small_arm(unit)] if any(key not in gunners for key in shot.firing) else []
        support = [row for key in shot.firing if key in gunners and (row := self.support(unit.figures[key].role))]
        joined = [self.mounted(unit, shot.joined)] if shot.joined else []
        return [*small, *support, *joined]
