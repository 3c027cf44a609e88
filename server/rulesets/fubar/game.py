"""What all chapters of the family use: the rules object, the names of markers, and short questions about a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.kernel import traits
from server.kernel.memory import Memory, PairMemory
from server.kernel.notes import word
from server.kernel.procedure import Game
from server.kernel.state import Figure, State, Unit
from server.rulesets.fubar.setup.book import Armour, Book, Level, Weapon
from server.rulesets.shared.distances import stand
from server.rulesets.shared.rules import MOST_PAIRS, MOST_REMEMBERED, Rules

if TYPE_CHECKING:  # the chapters are built on this module
    from server.kernel.space.terrain import Terrain
    from server.rulesets.fubar.cover import Footings
    from server.rulesets.fubar.guns import Gun

# Phases of this family
FIGHTS_GO_ON = "fights"
"""The phase before initiative in which the close combats of the last turn go on."""

# Markers on figures
SUPPRESSED = "suppressed"

# Markers on units. The effects of an action last until the unit's next activation try (fubar4/action.table).
ON_GUARD = "on_guard"
REACTED = "reacted"
DUCKING = "duck_and_weave"
GONE_TO_GROUND = "gone_to_ground"
LYING = "lying"
"""Gone to Ground in the open: all figures of the unit lie in soft cover."""
FIGHTING = "close_combat"
STUNNED = "stunned"
IMMOBILISED = "immobilised"
UNTIL_NEXT_TRY = (ON_GUARD, DUCKING, GONE_TO_GROUND, LYING)

# Keys of a unit's profile
KIND = "kind"
LEVEL = "level"
ARMOUR = "armour"
CREW = "crew"
CREW_ARMOUR = "crew_armour"
SET_UP = "set_up"
"""Where a unit was set up, x and y in mil: its deployment point (fubar4/activation.failed-withdraw)."""
STUNS = "stuns"
"""How many stunning hits count against a vehicle's next activation (fubar4/vdamage.crew-stunned)."""
MOVED = "moved"
"""How far a vehicle has gone: the turn, and mil (fubar4/vehicle.transport)."""

LYING_FIGURES = "lying_figures"
"""Which figures of a unit that has gone to ground lie in the open (fubar4/action.gone-to-ground)."""

# Keys of a figure's profile
ARM = "arm"

# Traits that chapters ask for: of a unit, and of a figure
GRENADES = "grenades"
LAUNCHER = "launcher"
LEADER = "leader"


class FubarRules(Rules[Book]):
    """The numbers of one edition, the advisers that answer its questions, and memories of who is out of touch with his unit, of
    what its figures carry and of the cover that they stand in.
    """

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.weapons_of: dict[str, list[Weapon]] = {}
        """The weapons of each kind, in the book's order."""
        for weapon in book.weapons.values():
            self.weapons_of.setdefault(weapon.kind, []).append(weapon)
        self.touch = PairMemory[list[str]](MOST_REMEMBERED)
        self.footings: PairMemory[Footings] = PairMemory(MOST_REMEMBERED)
        self.mounted: Memory[list[tuple[Terrain, str]]] = Memory(MOST_REMEMBERED)
        self.in_hand: PairMemory[dict[str, list[Gun]]] = PairMemory(MOST_PAIRS)

    # --- figures and units ----------------------------------------------------------------------------------------------

    def level(self, unit: Unit) -> Level:
        """Return the unit's own level."""
        return self.book.levels[level_of(unit)]

    def figure_level(self, unit: Unit, figure: str) -> Level:
        """Return a figure's level. A leader may have one of his own."""
        return self.book.levels[level_of(unit, figure)]

    def weapon(self, weapon: str) -> Weapon:
        """Return the weapon of this id."""
        return self.book.weapons[weapon]

    def armour(self, figure: Figure) -> Armour:
        """Return a figure's personal armour."""
        return self.book.armours[word(figure.profile, ARMOUR, "none")]

    def vehicle_armour(self, vehicle: Unit) -> Armour:
        """Return a vehicle's armour."""
        return self.book.vehicle_armours[word(vehicle.profile, ARMOUR)]


FubarGame = Game[FubarRules]


def level_of(unit: Unit, figure: str = "") -> str:
    """Return the id of a figure's level, or of the unit's own."""
    own = word(unit.figures[figure].profile, LEVEL, "") if figure else ""
    return own or word(unit.profile, LEVEL)


def suppressed(unit: Unit) -> list[str]:
    """Return the unit's living figures that are suppressed."""
    return [key for key, figure in unit.living.items() if SUPPRESSED in figure.conditions]


def standing(unit: Unit) -> dict[str, Figure]:
    """Return the unit's living figures on the table that are not suppressed."""
    return {
        key: figure
        for key, figure in unit.living.items()
        if figure.at is not None and SUPPRESSED not in figure.conditions
    }


def leader(unit: Unit) -> str:
    """Return the id of the unit's living leader, or "" if it has none."""
    return next((key for key, figure in unit.living.items() if traits.has(figure, LEADER)), "")


def fighting(unit: Unit) -> bool:
    """Return whether the unit is in close combat."""
    return FIGHTING in unit.conditions


def sees_any_enemy(rules: FubarRules, state: State, unit: Unit) -> bool:
    """Return whether any figure of `unit`, or the vehicle that it rides in, sees any enemy (fubar4/fire.line-of-sight)."""
    looking = stand(state, unit)
    return any(rules.sees(state, looking, enemy) for enemy in state.enemies_of(unit.side) if enemy.on_table)
