"""Limited supply: what runs out after some uses, of weapons, munitions and gear (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import successes

RULE = "tech.limited-supply"
SUPPLY = "supply"
"""The note of a match that lists what runs out: the unit, what it is, and how often it can be used still (1 or 0)."""


def left(state: State, owner: str, what: str) -> int | None:
    """Return how often a unit, or a battery off the table (`of_battery`), can still use something; None if it is not known to
    run out. Raises `ValueError` if the note holds something else.
    """
    return _read(state).get((owner, what))


def of_battery(side: str, asset: str) -> str:
    """Return the word under which the supply of a battery off the table is counted."""
    return f"{side}/{asset}"


def used(game: FadGame, unit: str, what: str, owner: str = "") -> Steps[None]:
    """Count a use of something, by its name, and roll whether only one use is left after it. The supply is that of `owner`, if it
    is not that of the unit which uses it.
    """
    owner = owner or unit
    before = left(game.state, owner, what)
    if before is not None:
        yield from _note(game, owner, what, before - 1)
        return
    need = game.rules.book.tables.technology.lasts
    faces = yield from roll(1, purpose="supply")
    lasts = faces[0] >= need
    yield Rolled(
        purpose="supply",
        rule=RULE,
        faces=faces,
        marks=("pass" if lasts else "fail",),
        outcome=what,
        side=game.unit(unit).side,
        unit=unit,
    )
    if not lasts:
        yield from _note(game, owner, what, 1)


def _note(game: FadGame, owner: str, what: str, times: int) -> Steps[None]:
    rows = {**_read(game.state), (owner, what): times}
    yield Noted(SUPPLY, tuple((holder, name, number) for (holder, name), number in rows.items()))


def _read(state: State) -> dict[tuple[str, str], int]:
    rows = state.book.get(SUPPLY, ())
    if not isinstance(rows, tuple):
        raise ValueError(rows)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    return dict(map(_row, rows))


def _row(row: object) -> tuple[tuple[str, str], int]:
    match row:
        case (str(unit), str(what), 0 | 1 as times):
            return (unit, what), times
        case _:
            raise ValueError(row)


def card(_rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    """Yield what runs out of a unit's supplies."""
    return told(state, unit.id)


def told(state: State, owner: str) -> Iterator[CardLine]:
    """Yield what runs out of the supplies of a unit, or of a battery off the table."""
    for (other, what), times in _read(state).items():
        if other == owner:
            yield CardLine("Supply", f"{what}: {'one use left' if times else 'used up'}", RULE)


def admit(state: State) -> None:
    """Refuse a note that is not this file's. Raises `RulesetError`."""
    try:
        rows = _read(state)
    except ValueError:
        raise RulesetError(f"the book's {SUPPLY} list a unit, what it has, and 1 or 0 uses each") from None
    batteries = {of_battery(side.id, asset) for side in state.sides.values() for asset in side.off_table}
    if any(owner not in state.units and owner not in batteries for owner, _ in rows):
        raise RulesetError(f"the book's {SUPPLY} name a unit that is not there")


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "more are left" if fact.marks == ("pass",) else "it can be used once more"
    return f"Supply of {state.units[fact.unit].name}, {fact.outcome}: {result}.", "roll", fact.rule


def _luck(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    chance = odds.at_least(rules.book.tables.technology.lasts)
    return successes(fact, "supplies that last", "pass", [chance])


ROLLS = {"supply": ModuleRoll(_story, _luck)}
