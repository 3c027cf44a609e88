"""The family's tables of numbers, one struct each. Distances are inches. What has a default is lacking in some editions."""

from __future__ import annotations

from typing import Literal

from server.rulesets.fubar.setup.campaign_tables import Campaign
from server.rulesets.shared.setup.rows import Row

Harm = Literal["stunned", "immobilised", "weapon-destroyed", "destroyed"]


class Cover(Row, frozen=True):
    """Where cover counts. `worst_need` is the most that a hit needs behind any; `edge` is how deep inside an area a figure may be
    that fires out or is hit from outside, `sharing` how far one fires within one area, `behind` how near a wall covers.
    """

    worst_need: int
    edge: float
    sharing: float
    behind: float


class Activation(Row, frozen=True):
    """What is added to an activation roll, and how near to each other the members of a unit keep."""

    no_visible_enemy: int
    suppressed: int
    out_of_touch: int
    touch: float


class Withdrawal(Row, frozen=True):
    """The percentage of casualties above which a unit withdraws, and how far it does."""

    percent: int
    move: float


class Aimed(Row, frozen=True):
    """What Aimed Fire adds to each die."""

    bonus: int


class CloseCombat(Row, frozen=True):
    """How far other moves keep from enemies, how near those stand who step up, and what a suppressed figure adds."""

    clear: float
    step_up: float
    suppressed: int


class Crew(Row, frozen=True):
    """How near the second man of a crew-served weapon must be."""

    mate_reach: float


class Vehicles(Row, frozen=True):
    """How far vehicles drive by what they drive through, which armours may do so through moderate cover and which may mount
    cannons, how near behind a hull a figure shares its save, and what each stunned result adds to the activation roll.
    """

    open: float
    soft: float
    moderate: float
    tank_armour: tuple[str, ...]
    cannon_armour: tuple[str, ...]
    behind: float
    stunned: int


class Transport(Row, frozen=True):
    """How near one must be to get in, and how far a vehicle may have gone from which a unit gets out."""

    reach: float
    most_moved: float


class BailOut(Row, frozen=True):
    """What each man's die must reach to get out, and how far from the wreck he may stand."""

    need: int
    reach: float


class VehicleDamage(Row, frozen=True):
    """What each face of the die does to a vehicle, from 1 to 6."""

    faces: tuple[Harm, Harm, Harm, Harm, Harm, Harm]

    def of(self, face: int) -> Harm:
        """What a face does."""
        return self.faces[face - 1]


class Weight(Row, frozen=True):
    """The comparison weight of a force: of a figure, and of what it has. Fire Points times range are divided by `weapon`; `save`
    and `vehicle_save` are for each face that saves.
    """

    figure: int
    weapon: int
    launcher: int
    grenades: int
    save: int
    vehicle: int
    vehicle_save: int
    seat: int


class Bounds(Row, frozen=True):
    """The most that the editor of forces allows."""

    units: int
    figures: int
    crew: int
    seats: int
    weapons: int


class Form(Row, frozen=True):
    """What a new row of the editor of forces has: ids of levels, weapons, armours, hulls and arcs."""

    level: str
    arm: str
    armour: str
    crew_armour: str
    vehicle_armour: str
    hull: str
    mount: str
    arc: str


class Tables(Row, frozen=True, kw_only=True):
    """All tables of an edition."""

    cover: Cover
    activation: Activation
    withdrawal: Withdrawal
    aimed: Aimed
    close_combat: CloseCombat
    crew: Crew
    vehicles: Vehicles
    transport: Transport
    bail_out: BailOut
    vehicle_damage: VehicleDamage
    weight: Weight
    bounds: Bounds
    form: Form
    campaign: Campaign
