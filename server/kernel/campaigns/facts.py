"""What happens to a force after a battle, a struct each, with its change of the state. They carry all that the fold needs, also
the rule behind them.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.forces import ForceUnit
from server.kernel.campaigns.roster import Condition, RosterUnit
from server.kernel.campaigns.state import PostBattle, Rolling, Step


class CampaignFact(Struct, frozen=True, omit_defaults=True, tag_field="fact", kw_only=True):
    """Something that happened to a force. `rule` is the rule of campaigns behind it; "" where an edition has no entry for it."""

    rule: str = ""

    def fold(self, state: PostBattle) -> PostBattle:
        """Return the state after this fact."""
        raise NotImplementedError


class UnitHurt(Struct, frozen=True, omit_defaults=True):
    """What a battle did to a unit: the figures that are missing since, how many of them it lost, how it stands now. `heirs` are
    survivors who have taken the places of lost leaders, as (the leader's place, their own).
    """

    unit: int
    missing: tuple[int, ...] = ()
    lost: int = 0
    condition: Condition = "fit"
    heirs: tuple[tuple[int, int], ...] = ()

    def names(self, unit: RosterUnit) -> dict[int, str]:
        """Return the names of the unit's figures after the battle, by their places: those of heirs and leaders change places."""
        names = dict(unit.names)
        for leader, heir in self.heirs:
            changed = {leader: names.pop(heir, ""), heir: names.pop(leader, "")}
            names |= {place: name for place, name in changed.items() if name}
        return names

    def fallen(self, unit: RosterUnit) -> tuple[str, ...]:
        """Return the names of those whom the unit lost in the battle, as far as they have one."""
        names = self.names(unit)
        return tuple(names[place] for place in self.missing if place not in unit.missing and place in names)


class BattleFought(CampaignFact, frozen=True, tag="battle"):
    """A battle is over. `fought` are the units that were in it, `hurt` those that took losses or damage, and `rolls` the dice
    that come of it.
    """

    hurt: tuple[UnitHurt, ...]
    rolls: tuple[Rolling, ...]
    fought: tuple[int, ...] = ()

    def fold(self, state: PostBattle) -> PostBattle:
        for number in self.fought:
            unit = state.unit(number)
            state = state.with_unit(number, replace(unit, battles=unit.battles + 1))
        for hurt in self.hurt:
            before = state.unit(hurt.unit)
            lost = before.lost + (hurt.lost or (before.vehicle and hurt.condition == "lost"))
            names = hurt.names(before)
            unit = replace(before, missing=hurt.missing, condition=hurt.condition, lost=lost, names=names)
            state = state.with_unit(hurt.unit, unit)
        roster = replace(state.roster, battles=state.roster.battles + 1)
        lately = {hurt.unit: hurt.lost for hurt in self.hurt if hurt.lost}
        return PostBattle(roster, "dice", self.rolls, lately)


class Deed(Struct, frozen=True, omit_defaults=True):
    """What a unit did in a battle: the figures of the enemy that it put out of action, and the entries of the match's log in
    which most of them fell, and most of its own (0: none did).
    """

    unit: int
    kills: int = 0
    killed_at: int = 0
    lost_at: int = 0


class DeedsTold(CampaignFact, frozen=True, tag="deeds"):
    """What the units did in the battle."""

    deeds: tuple[Deed, ...]

    def fold(self, state: PostBattle) -> PostBattle:
        for deed in self.deeds:
            unit = state.unit(deed.unit)
            state = state.with_unit(deed.unit, replace(unit, kills=unit.kills + deed.kills))
        return state


class FiguresReplaced(CampaignFact, frozen=True, tag="replaced"):
    """The replacement die of a unit on foot fell: these figures are back. `tests`: its level may drop by that."""

    unit: int
    face: int
    figures: tuple[int, ...] = ()
    tests: bool = False

    def fold(self, state: PostBattle) -> PostBattle:
        state = _rolled(state, Rolling("level", self.unit) if self.tests else None)
        return state.with_unit(self.unit, _with_back(state.unit(self.unit), self.figures))


class VehicleReplaced(CampaignFact, frozen=True, tag="vehicle"):
    """The replacement die of a vehicle fell, and the vehicle stands so. `tests`: its level may drop by that."""

    unit: int
    face: int
    condition: Condition
    tests: bool = False

    def fold(self, state: PostBattle) -> PostBattle:
        state = _rolled(state, Rolling("level", self.unit) if self.tests else None)
        return state.with_unit(self.unit, replace(state.unit(self.unit), condition=self.condition))


class LevelTested(CampaignFact, frozen=True, tag="tested"):
    """The die for a change of a level fell: the unit's `field` is `level`."""

    unit: int
    face: int
    field: str
    level: str

    def fold(self, state: PostBattle) -> PostBattle:
        return _with_field(_rolled(state), self.unit, self.field, self.level)


class Reinforced(CampaignFact, frozen=True, tag="reinforced"):
    """Dice for reinforcements fell: so many troopers come."""

    faces: tuple[int, ...]

    def fold(self, state: PostBattle) -> PostBattle:
        state = _rolled(state)
        return replace(state, troopers=state.troopers + sum(self.faces))


class PointsGained(CampaignFact, frozen=True, tag="points"):
    """The force gains campaign points."""

    points: int

    def fold(self, state: PostBattle) -> PostBattle:
        return state.with_points(self.points)


class StepBegan(CampaignFact, frozen=True, tag="step"):
    """The next step begins."""

    step: Step

    def fold(self, state: PostBattle) -> PostBattle:
        return replace(state, step=self.step)


class SquadFormed(CampaignFact, frozen=True, tag="squad"):
    """Reinforcements form a new squad, with every field of it filled in."""

    unit: ForceUnit
    figures: int

    def fold(self, state: PostBattle) -> PostBattle:
        roster = replace(state.roster, units=(*state.roster.units, RosterUnit(self.unit, self.figures)))
        return replace(state, roster=roster, troopers=state.troopers - self.figures)


class TroopersJoined(CampaignFact, frozen=True, tag="joined"):
    """Reinforcements take the places of these figures of a unit, with its levels. They have no names yet."""

    unit: int
    figures: tuple[int, ...]

    def fold(self, state: PostBattle) -> PostBattle:
        unit = _with_back(state.unit(self.unit), self.figures)
        state = state.with_unit(self.unit, _without_names(unit, self.figures))
        return replace(state, troopers=state.troopers - len(self.figures))


class TroopersLeft(CampaignFact, frozen=True, tag="surplus"):
    """Reinforcements that joined no unit are lost."""

    troopers: int

    def fold(self, state: PostBattle) -> PostBattle:
        return replace(state, troopers=0)


class PointsSpent(CampaignFact, frozen=True, tag="spent"):
    """Campaign points are spent on `what`, for a unit (-1: for none). `key` tells it from what else is bought after this battle.
    What comes of it is told by the fact after it.
    """

    what: str
    points: int
    key: str = ""
    unit: int = -1

    def fold(self, state: PostBattle) -> PostBattle:
        state = state.with_points(-self.points)
        return replace(state, bought=(*state.bought, self.key)) if self.key else state


class DiceBought(CampaignFact, frozen=True, tag="die"):
    """A die for reinforcements has been bought, and is rolled now."""

    def fold(self, state: PostBattle) -> PostBattle:
        return replace(state, step="dice", queue=(Rolling("reinforcement_die"),))


class FieldChanged(CampaignFact, frozen=True, tag="field"):
    """A field of a unit has been changed by what was bought."""

    unit: int
    key: str
    value: str | int | bool

    def fold(self, state: PostBattle) -> PostBattle:
        return _with_field(state, self.unit, self.key, self.value)


class UnitRestored(CampaignFact, frozen=True, tag="restored"):
    """A unit is fit and whole by what was bought. `fields` are those that are again what they were at the start."""

    unit: int
    fields: tuple[str, ...] = ()

    def fold(self, state: PostBattle) -> PostBattle:
        unit = state.unit(self.unit)
        changes = {key: value for key, value in unit.changes.items() if key not in self.fields}
        whole = replace(unit, missing=(), condition="fit", changes=changes)
        return state.with_unit(self.unit, _without_names(whole, unit.missing))


class StruckOff(CampaignFact, frozen=True, tag="struck"):
    """A unit is struck off the roster."""

    unit: int

    def fold(self, state: PostBattle) -> PostBattle:
        return state.with_unit(self.unit, replace(state.unit(self.unit), condition="struck"))


class StepsDone(CampaignFact, frozen=True, tag="done"):
    """The steps after the battle are done; the force keeps so many campaign points."""

    points: int

    def fold(self, state: PostBattle) -> PostBattle:
        return PostBattle(replace(state.roster, points=self.points))


AnyFact = (
    BattleFought
    | DeedsTold
    | FiguresReplaced
    | VehicleReplaced
    | LevelTested
    | Reinforced
    | PointsGained
    | StepBegan
    | SquadFormed
    | TroopersJoined
    | TroopersLeft
    | PointsSpent
    | DiceBought
    | FieldChanged
    | UnitRestored
    | StruckOff
    | StepsDone
)
"""Every fact of a campaign, for reading one from bytes."""


def fold(state: PostBattle, *facts: CampaignFact) -> PostBattle:
    """Return the state after these facts, one after the other."""
    for fact in facts:
        state = fact.fold(state)
    return state


def _rolled(state: PostBattle, first: Rolling | None = None) -> PostBattle:
    """Return the state without the dice that fell, and with others that come of them before the rest."""
    more = () if first is None else (first,)
    return replace(state, queue=(*more, *state.queue[1:]))


def _with_back(unit: RosterUnit, figures: tuple[int, ...]) -> RosterUnit:
    return replace(unit, missing=tuple(place for place in unit.missing if place not in figures))


def _without_names(unit: RosterUnit, places: tuple[int, ...]) -> RosterUnit:
    return replace(unit, names={place: name for place, name in unit.names.items() if place not in places})


def _with_field(state: PostBattle, number: int, key: str, value: str | int | bool) -> PostBattle:
    return state.with_unit(number, state.unit(number).with_field(key, value))
