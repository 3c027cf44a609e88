"""What the units of a match did: whom they put out of action, whom they lost, and where a replay shows it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from server.kernel.facts import Fact, FiguresFell, Rolled
from server.kernel.state import State
from server.matches.log.entries import Stepped
from server.matches.log.timeline import Timeline
from server.work.slicing import Sliced

READ_AT_ONCE = 50
"""How many entries are read between two pauses."""


class Deeds(Struct, frozen=True):
    """What a unit did: the figures of the enemy that it put out of action, and the frames of a replay of everything in which most
    of them fell, and most of its own (0: none).
    """

    kills: int = 0
    killed_at: int = 0
    lost_at: int = 0


def deeds(timeline: Timeline) -> Sliced[dict[str, Deeds]]:
    """Return what each unit did on the line that was played to the end.

    A figure that falls is put out of action by the unit that last rolled against its unit, if that is an enemy. What falls
    without such a roll (in terrain, by its own weapon, in flight) is no deed of a unit.
    """
    kills: dict[str, Counter[int]] = {}
    losses: dict[str, Counter[int]] = {}
    against: dict[str, str] = {}
    for count, (number, stand) in enumerate(sorted(timeline.standing().items()), 1):
        added = timeline.entry(number)
        body = added.envelope.body
        if isinstance(body, Stepped):
            for fact in body.facts[:stand]:
                _read(fact, number - 1, timeline.state, against, kills, losses)
        if count % READ_AT_ONCE == 0:
            yield
    units = {*kills, *losses}
    return {
        unit: Deeds(kills.get(unit, Counter()).total(), _most(kills.get(unit)), _most(losses.get(unit)))
        for unit in units
    }


def _read(
    fact: Fact,
    frame: int,
    end: State,
    against: dict[str, str],
    kills: dict[str, Counter[int]],
    losses: dict[str, Counter[int]],
) -> None:
    if isinstance(fact, Rolled) and fact.unit and fact.target and _enemies(end, fact.unit, fact.target):
        against[fact.target] = fact.unit
    elif isinstance(fact, FiguresFell):
        fallen = len(fact.figures)
        losses.setdefault(fact.unit, Counter())[frame] += fallen
        killer = against.get(fact.unit)
        if killer is not None:
            kills.setdefault(killer, Counter())[frame] += fallen


def _enemies(end: State, unit: str, target: str) -> bool:
    units: Mapping[str, object] = end.units
    return unit in units and target in units and end.units[unit].side != end.units[target].side


def _most(frames: Counter[int] | None) -> int:
    """Return the frame that counts for most; the first of those that are as many."""
    return max(frames, key=lambda frame: (frames[frame], -frame)) if frames else 0
