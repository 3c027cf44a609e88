"""Vehicles that bog down in soft ground, and get free again (fad5/adv.bogging.trigger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from server.kernel import notes
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionGained, ConditionLost, Noted
from server.kernel.procedure import Steps
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Going, Meeting, Progress
from server.rulesets.fad.modules.terrain_events.happening import EVENT, FREED, on_ground, table_of
from server.rulesets.fad.modules.touching import Paths, first, longest, near, reaches
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import FIRM

BOGGED = "bogged"
RULE = "adv.bogging.bogged"
TRACKED, WHEELED = "adv.bogging.test-tracked-walking", "adv.bogging.test-wheeled"
GROUND = ("track", "walk", "wheel")
"""The mobilities of vehicles that may bog."""
EACH = 6
"""After how many inches more in the same ground a vehicle may bog again."""
FREE, STUCK = "free", "stuck"


def soft(rules: FadRules, piece: Terrain) -> bool:
    """Return whether a vehicle may bog in a piece: a swamp, unless it is firm, or woods that are swampy."""
    if EVENT + "swampy" in piece.flags:
        return True
    return table_of(rules, piece) == "swamp" and FIRM not in piece.flags


def may_bog(rules: FadRules, unit: Unit) -> bool:
    """Return whether a unit is a vehicle that bogs."""
    return is_vehicle(unit) and on_ground(rules, unit) and mobility(rules, unit).id in GROUND


def meets(rules: FadRules, state: State, going: Going) -> Iterator[Meeting]:
    """Yield where on its way a vehicle may bog: where it enters soft ground, or sets out in it, and after each 6" more."""
    unit = state.units[going.unit]
    if not may_bog(rules, unit) or not longest(unit, going.paths):
        return
    for piece in state.table.terrain:
        if soft(rules, piece) and near(unit, going.paths, piece):
            for t in _tests(state, unit, going.paths, piece):
                if t > 0 or not _just_freed(state, unit, piece):
                    yield Meeting(t, _test(unit.id), RULE)


def _tests(state: State, unit: Unit, paths: Paths, piece: Terrain) -> Iterator[float]:
    """Yield where on its way a vehicle is tested in a piece: at the beginning of each stay in it, and after each 6" of it."""

    def inside(there: Unit) -> bool:
        return reaches(there, piece)

    def outside(there: Unit) -> bool:
        return not reaches(there, piece)

    each = inches(EACH) / longest(unit, paths)
    begins = 0.0 if inside(unit) else first(state, unit.id, paths, inside)
    while begins is not None:
        leaves = first(state, unit.id, paths, outside, begins)
        t, ends = begins, 1.0 if leaves is None else leaves
        while t < ends:
            yield t
            t += each
        begins = None if leaves is None else first(state, unit.id, paths, inside, leaves)


def _just_freed(state: State, unit: Unit, piece: Terrain) -> bool:
    """Return whether a vehicle has got free in a piece in this activation: that was its test there (fad5/adv.bogging.bogged)."""
    freed, *pieces = notes.words(state.book, FREED) or ("",)
    return freed == unit.id and piece.id in pieces


def _test(unit: str) -> Callable[[FadGame], Steps[Progress]]:
    def happening(game: FadGame) -> Steps[Progress]:
        if (yield from _passes(game, unit)):
            return Progress.ON
        yield ConditionGained(unit, BOGGED, RULE)
        return Progress.STUCK

    return happening


def _passes(game: FadGame, unit: str) -> Steps[bool]:
    table, wheels = game.rules.book.tables.terrain_events, mobility(game.rules, game.unit(unit)).id == "wheel"
    needed, rule = (table.bog_wheels, WHEELED) if wheels else (table.bog_passes, TRACKED)
    passes = yield from quality_test(
        game, unit, "bogging", rule, lambda count: FREE if count >= needed else STUCK, dice=table.bog_dice
    )
    return passes >= needed


def get_free(game: FadGame, unit: str) -> Steps[None]:
    """Let a vehicle that is bogged try to get free, as it activates."""
    own = game.unit(unit)
    if BOGGED in own.conditions and (yield from _passes(game, unit)):
        yield ConditionLost(unit, BOGGED, RULE)
        yield Noted(FREED, (unit, *[piece.id for piece in game.state.table.terrain if reaches(own, piece)]))


def forget(game: FadGame, _unit: str) -> Steps[None]:
    """Forget who has got free, at the end of its activation."""
    if game.state.book.get(FREED):
        yield Noted(FREED, ())
