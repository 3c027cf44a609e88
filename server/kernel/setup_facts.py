"""The facts of a set-up that is made in the match itself: edges, objectives, markers, and what a side declares of it."""

from __future__ import annotations

from msgspec.structs import replace

from server.kernel.facts import Fact
from server.kernel.space.geometry import Point
from server.kernel.state import Asset, Objective, State, changed


class UnitsRemoved(Fact, frozen=True, tag="removed"):
    """`units` are taken off the table and out of the roster: they were no troops (markers that stood for some, or for none)."""

    units: tuple[str, ...]
    rule: str

    def fold(self, state: State) -> State:
        return replace(state, units={key: unit for key, unit in state.units.items() if key not in self.units})


class AssetGained(Fact, frozen=True, tag="asset_gained"):
    """`side` gets something off the table."""

    side: str
    asset: Asset
    rule: str

    def fold(self, state: State) -> State:
        return state.with_asset(self.side, self.asset)


class SideDeclared(Fact, frozen=True, tag="side_declared"):
    """`side` declares something, or shows it: `action` is a key of the rule set's wording, `value` what it is. `faces` are dice
    that fell for it in secret before.
    """

    side: str
    action: str
    rule: str
    value: str = ""
    faces: tuple[int, ...] = ()


class SideSettled(Fact, frozen=True, tag="side_settled"):
    """`side` gets its edge of the table, and the zone in which it deploys."""

    side: str
    edge: str
    zone: tuple[Point, ...]
    rule: str

    def fold(self, state: State) -> State:
        side = replace(state.sides[self.side], edge=self.edge, zone=self.zone)
        return replace(state, sides=changed(state.sides, self.side, side))


class ObjectivePlaced(Fact, frozen=True, tag="objective_placed"):
    """`side` places an objective marker."""

    side: str
    objective: Objective
    rule: str

    def fold(self, state: State) -> State:
        return replace(state, objectives=changed(state.objectives, self.objective.id, self.objective))


SetupFact = UnitsRemoved | AssetGained | SideDeclared | SideSettled | ObjectivePlaced
