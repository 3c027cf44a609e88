"""Crossfire: a squad that two enemies far apart shoot at in the same turn may be pinned, however weak their fire is."""

from __future__ import annotations

from msgspec import Struct

from server.kernel import notes
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, ConditionLost, Noted, Rolled
from server.kernel.notes import Note
from server.kernel.procedure import Steps
from server.kernel.space.geometry import Point, gap, inches
from server.kernel.state import State
from server.rulesets.fad.game import UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.pinning import PINNED
from server.rulesets.fad.previews import luck
from server.rulesets.fad.quality import passes_text, quality_test
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.distances import stand
from server.rulesets.shared.modules import ModuleRoll

RULE = "underfire.crossfire"
SHOTS = "crossfire.shots"
"""The note of a match that lists this turn's shots, in their order."""
TESTED = "crossfire.tested"
"""The note of a match that lists the units that have taken the test this turn."""


class Fired(Struct, frozen=True):
    """A shot of this turn: the target, the shooter, and where its figures stood, each with its radius in mil."""

    target: str
    shooter: str
    places: tuple[tuple[Point, int], ...]

    def noted(self) -> tuple[int | str, ...]:
        """Return the shot as a note holds it."""
        return (self.target, self.shooter, *(number for at, radius in self.places for number in (*at, radius)))


def _fired(state: State) -> list[Fired]:
    """Return the shots of this turn. Raises `ValueError` if the note holds something else."""
    rows = _rows(state, SHOTS)
    return [_read(row) for row in rows if isinstance(row, tuple)]


def _rows(state: State, key: str) -> tuple[object, ...]:
    """Return what is noted under `key` since this turn began: the note begins with the number of its turn."""
    note = notes.rows(state.book, key)
    return note[1:] if note[:1] == (state.turn.number,) else ()


def _read(row: tuple[object, ...]) -> Fired:
    target, shooter, *numbers = row
    whole = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool)]
    if not isinstance(target, str) or not isinstance(shooter, str) or len(whole) != len(numbers) or len(whole) % 3:
        raise ValueError(row)
    places = zip(whole[::3], whole[1::3], whole[2::3], strict=True)
    return Fired(target, shooter, tuple(((x, y), radius) for x, y, radius in places))


def _noted(state: State, key: str, *added: int | str | tuple[int | str, ...]) -> Noted:
    note: Note = (state.turn.number, *_rows(state, key), *added)  # type: ignore[arg-type]  # read back as they were noted
    return Noted(key, note)


def _follow(game: FadGame, shot: Shot) -> Steps[None]:
    """Test a squad when the second of two such shots has been resolved (fad4/underfire.crossfire)."""
    state, target = game.state, game.unit(shot.target)
    if is_vehicle(target):
        return
    fired = Fired(shot.target, shot.shooter, tuple(stand(state, game.unit(shot.shooter)).places()))
    crossed = any(
        other.target == target.id and other.shooter != fired.shooter and _apart(game.rules, other, fired)
        for other in _fired(state)
    )
    yield _noted(state, SHOTS, fired.noted())
    if not crossed or target.left or PINNED in target.conditions or target.id in _rows(state, TESTED):
        return
    yield _noted(state, TESTED, target.id)
    need = game.rules.book.tables.crossfire.passes
    passes = yield from quality_test(
        game, target.id, "crossfire", RULE, lambda count: "passed" if count >= need else PINNED
    )
    if passes < need:
        if UNDER_FIRE in game.unit(target.id).conditions:
            yield ConditionLost(target.id, UNDER_FIRE, RULE)
        yield ConditionGained(target.id, PINNED, RULE)


def _apart(rules: FadRules, one: Fired, other: Fired) -> bool:
    between = min(gap(a, ra, b, rb) for a, ra in one.places for b, rb in other.places)
    return between >= inches(rules.book.tables.crossfire.apart)


# --- words ----------------------------------------------------------------------------------------------------------


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "it is Pinned" if fact.outcome == PINNED else "it holds out"
    return f"{state.units[fact.unit].name} is in a crossfire: {passes_text(fact)}, {result}.", "morale", fact.rule


def _admit(state: State) -> None:
    try:
        _fired(state)
        _rows(state, TESTED)
    except ValueError:
        raise RulesetError(f"the book's {SHOTS} list a target, a shooter and the places of its figures each") from None


CROSSFIRE = FadModule(
    id="crossfire",
    rolls={"crossfire": ModuleRoll(_story, luck.quality_test)},
    follow=_follow,
    admit=_admit,
)
