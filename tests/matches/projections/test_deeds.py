"""Deeds: a figure that falls counts for the unit that last rolled against its unit, on the line that was played to the end."""

from __future__ import annotations

from collections import Counter

import pytest

from server.kernel.facts import FiguresFell
from server.matches.log.entries import Stepped
from server.matches.log.timeline import Timeline
from server.matches.projections.deeds import deeds
from server.work.slicing import at_once
from tests.archive.files import RECORDED, entries_of


@pytest.mark.parametrize(("edition", "game"), RECORDED, ids=[f"{edition} {game}" for edition, game in RECORDED])
def test_no_unit_puts_more_out_of_action_than_fell_of_the_enemy(edition: str, game: str) -> None:
    timeline = _read(edition, game)
    fell: Counter[str] = Counter()
    frames: dict[str, set[int]] = {}
    for number, stand in timeline.standing().items():
        body = timeline.entry(number).envelope.body
        for fact in body.facts[:stand] if isinstance(body, Stepped) else ():
            if isinstance(fact, FiguresFell):
                fell[timeline.state.units[fact.unit].side] += len(fact.figures)
                frames.setdefault(fact.unit, set()).add(number - 1)
    done = at_once(deeds(timeline))
    kills: Counter[str] = Counter()
    for unit, deed in done.items():
        kills[timeline.state.units[unit].side] += deed.kills
        assert (deed.lost_at in frames[unit]) if unit in frames else deed.lost_at == 0
        assert bool(deed.kills) == bool(deed.killed_at)
    for side, count in kills.items():
        assert count <= sum(lost for other, lost in fell.items() if other != side)


def test_the_deeds_of_a_recorded_game_are_those_that_its_text_tells() -> None:
    done = at_once(deeds(_read("fad4", "crossroads-taken-back")))
    assert {unit: (deed.kills, deed.killed_at, deed.lost_at) for unit, deed in done.items()} == {
        "blue-1": (4, 53, 0),
        "blue-2": (4, 75, 0),
        "red-1": (0, 0, 31),
        "red-2": (0, 0, 53),
    }


def _read(edition: str, game: str) -> Timeline:
    first, *others = entries_of(edition, game)
    timeline = Timeline(first)
    at_once(timeline.add(others))
    return timeline
