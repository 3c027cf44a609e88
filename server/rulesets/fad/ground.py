"""What the ground does to those on foot: what it costs, and what they do not enter."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import GroundRule
from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from server.kernel.structs import Fixed
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.setup.book import Ground
from server.rulesets.shared.setup.book import ON

IMPASSABLE = "impassable"
_PERCENT = 100


class OnFoot(Fixed, frozen=True):
    """The ground of a table for those on foot.

    Attributes:
        costly: the ids of pieces that cost more, each with its number (`server.kernel.space.costs.Costs`): of an area the
            cost of an inch in percent, of a line what it costs to cross it, in mil.
        closed: the ids of pieces that are not entered.
        rules: the rules behind both.
    """

    costly: tuple[tuple[str, int], ...]
    closed: tuple[str, ...]
    rules: tuple[GroundRule, ...]


def on_foot(rules: FadRules, state: State) -> OnFoot:
    """Return what the ground of the match does to those on foot. It is remembered: maps hardly ever change."""
    terrain, settings = state.table.terrain, _settings(rules, state)
    known = rules.on_foot.get(terrain)
    if known is not None and known[0] == settings:
        return known[1]
    costly: list[tuple[str, int]] = []
    closed: list[str] = []
    slow_rules: list[GroundRule] = []
    closed_rules: list[GroundRule] = []
    for piece in terrain:
        number, rule = _cost(rules, state, piece)
        if number:
            costly.append((piece.id, number))
        if IMPASSABLE in piece.flags and not _opened(rules, state, piece):
            closed.append(piece.id)
            # fad4/terrain.agreed, fad5/move.high-obstacles
            closed_rules.append(GroundRule(piece.id, next(_closing(rules, piece), "terrain.agreed")))
        elif number:
            slow_rules.append(GroundRule(piece.id, rule))
    found = OnFoot(tuple(costly), tuple(closed), (*closed_rules, *slow_rules))
    return rules.on_foot.keep(terrain, (settings, found))[1]


def check(rules: FadRules, state: State) -> None:
    """Refuse an obstacle that is no line: it costs something to cross it, and nothing to be in it. Raises `RulesetError`."""
    for piece in state.table.terrain:
        for row in _rows(rules, piece):
            if not row.factor and not piece.linear:
                raise RulesetError(
                    f"{piece.name} is flagged {row.id}, and an obstacle is a line: set linear, or take the flag off"
                )


def _rows(rules: FadRules, piece: Terrain) -> list[Ground]:
    return [row for flag in piece.flags if (row := rules.book.grounds.get(flag)) is not None]


def _cost(rules: FadRules, state: State, piece: Terrain) -> tuple[int, str]:
    """Return the highest number of a piece, and the rule behind it; 0 and "" if it costs nothing more."""
    best = (0, "")
    for row in _rows(rules, piece):
        if row.unless in piece.flags:
            continue
        # fad4/move.difficult-infantry, fad5/move.very-difficult, fad5/move.obstacles: a line has no inside, an area no crossing
        number = _toll(state, row) if piece.linear else _PERCENT * row.factor
        if number > best[0]:
            best = (number, row.switched_rule if _switched(state, row) else row.rule)
    return best


def _toll(state: State, row: Ground) -> int:
    """Return what a line costs to cross, in mil; 0 where it cannot be crossed."""
    if _switched(state, row):
        # fad5/terrain-event.building
        return inches(row.switched)
    chosen = state.options.get(row.option) if row.option else row.toll
    return inches(chosen) if isinstance(chosen, int | float) else 0


def _switched(state: State, row: Ground) -> bool:
    return bool(row.switch) and state.options.get(row.switch) == ON


def _opened(rules: FadRules, state: State, piece: Terrain) -> bool:
    """Return whether the match lets a piece be crossed that it could close."""
    # fad5/move.high-obstacles
    return piece.linear and any(row.option and _toll(state, row) for row in _rows(rules, piece))


def _closing(rules: FadRules, piece: Terrain) -> Iterator[str]:
    return (row.rule for row in _rows(rules, piece) if row.option)


def _settings(rules: FadRules, state: State) -> tuple[object, ...]:
    """Return the values of the options that say what ground costs."""
    return tuple(
        [state.options.get(key) for row in rules.book.grounds.values() for key in (row.option, row.switch) if key]
    )
