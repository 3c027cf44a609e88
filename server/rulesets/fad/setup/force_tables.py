"""The tables of the forces that players build: what they are counted by, their bounds, and what the editor begins with."""

from __future__ import annotations

from msgspec import field

from server.rulesets.shared.setup.rows import Row


class Points(Row, frozen=True):
    """What a force is counted by: the points of a figure, of a character without his Leadership, of a sniper with its rifle,
    of linking a figure's small arm, of a crewman, of one who fills two places (`doubling`), of a seat, and for each facing of
    a vehicle those of each armour rating, beginning with the lowest that is no soft skin. `traits` are the points of traits
    for a whole unit, `each` those of traits for each of its figures, `factors` what a unit's points are multiplied by for traits,
    in percent, `bots` those of bots by what they do, `mixed` those of putting two and three types of munition
    into one round, besides what they cost.
    """

    figure: int = 0
    character: int = 0
    sniper: int = 0
    linked: int = 0
    crewman: int = 0
    doubling: int = 0
    seat: int = 0
    front: tuple[int, ...] = ()
    side: tuple[int, ...] = ()
    rear: tuple[int, ...] = ()
    traits: dict[str, int] = field(default_factory=dict)
    each: dict[str, float] = field(default_factory=dict)
    factors: dict[str, int] = field(default_factory=dict)
    bots: dict[str, int] = field(default_factory=dict)
    mixed: tuple[float, ...] = ()

    def of(self, facing: str) -> tuple[int, ...]:
        """The points of the ratings of a facing."""
        return {"front": self.front, "side": self.side, "rear": self.rear}[facing]


class Bounds(Row, frozen=True):
    """The most that the editor of forces allows; `heavy`: heavy weapons that figures of a squad carry. Without units, players
    cannot bring forces.
    """

    units: int = 0
    figures: int = 0
    support: int = 0
    weapons: int = 0
    seats: int = 0
    heavy: int = 0


class Form(Row, frozen=True):
    """What a new unit or row of the editor of forces has: ids of rows, armour ratings, and a number of figures or of a crew."""

    figures: int = 0
    crew: int = 0
    quality: str = ""
    resolve: str = ""
    small_arm: str = ""
    armour: str = ""
    support: str = ""
    mobility: str = ""
    front: int = 0
    side: int = 0
    rear: int = 0
    hull: str = ""
    weapon: str = ""
    arc: str = ""
