"""The luck report holds every roll of the line that was played to the end, and none that was undone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from client_protocol.luck import Luck
from server.kernel.answers.sampling import sample
from server.kernel.belief import EVERYTHING
from server.kernel.facts import Fact, Rolled
from server.kernel.procedure import Game, Steps, roll
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Rewound, Stepped, TakenBack, decode
from server.matches.log.fold import Fold
from server.matches.projections.luck import luck_by_side, luck_report
from server.rulesets.library import edition
from tests.archive.files import entries_of
from tests.support.lucky import lucks
from tests.support.playing import MatchInMemory, press_on
from tests.support.reliving import GAMES, Live, eventful, told_again
from tests.support.toy_rules import ToyRules

every_game = pytest.mark.parametrize(("rules", "scenario"), GAMES, ids=[f"{r.info.id} {s}" for r, s in GAMES])


def rolls(entries: list[bytes]) -> tuple[list[tuple[int, Rolled]], int]:
    """Return the rolls that stand, each with its entry, and how many fell: rolls are added as they fall, and dropped where
    the match goes back.
    """
    found: list[tuple[int, int, Rolled]] = []
    fell = 0
    for number, payload in enumerate(entries, 1):
        envelope = decode(number, payload)
        body, to = envelope.body, envelope.parent
        if isinstance(body, Stepped):
            fallen = [(number, place, fact) for place, fact in enumerate(body.facts) if isinstance(fact, Rolled)]
            found += fallen
            fell += len(fallen)
        elif isinstance(body, TakenBack):
            found = [roll for roll in found if roll[0] <= to]
        elif isinstance(body, Rewound):
            there = decode(to, entries[to - 1]).body
            stand = there.boundary[0] if isinstance(there, Stepped) and there.boundary else 0
            found = [roll for roll in found if roll[0] < to or (roll[0] == to and roll[1] < stand)]
    return [(number, fact) for number, _, fact in found], fell


def some(_rules: Ruleset, _state: State, fact: Fact) -> tuple[Luck, ...]:
    """Return luck for every roll, whatever its purpose."""
    return (Luck("red", "", "anything", 0, 0, 1, 0, 0),) if isinstance(fact, Rolled) else ()


@every_game
def test_the_luck_report_holds_exactly_the_rolls_that_stand(
    monkeypatch: pytest.MonkeyPatch, rules: Ruleset, scenario: str
) -> None:
    monkeypatch.setattr(type(rules), "luck", some)
    live = eventful(Live(rules, scenario), 5)
    stand, fell = rolls(live.entries)
    assert 1 < len(stand) < fell, "something was undone"
    rows = luck_report(rules, live.entries)
    assert [(row.frame + 1, row.rule, row.target) for row in rows] == [
        (number, fact.rule, fact.target) for number, fact in stand
    ]


class Eager(ToyRules):
    """Rules in which each round begins with a roll, before any seat is asked."""

    def _round(self, game: Game[Any]) -> Steps[None]:
        (face,) = yield from roll(1)
        yield Rolled("press", "toy/eager", (face,), side="red")
        yield from super()._round(game)


def test_after_a_rewind_the_rolls_before_the_boundary_stay_in_the_luck_report() -> None:
    rules = Eager(rounds=3)
    played = MatchInMemory(rules)
    played.seat_all()
    played.begin()
    playing = played.play(press_on)
    while played.referee.fold.state.turn.number < 2:
        next(playing)
    body = decode(len(played.entries), played.entries[-1]).body
    assert isinstance(body, Stepped)
    assert [fact.rule for fact in body.facts if isinstance(fact, Rolled)] == ["toy/press", "toy/eager"]
    before = luck_report(rules, played.entries)
    played.add(Rewound("Once more."))
    assert luck_report(rules, played.entries) == before[:-1]
    played.begin()
    again = luck_report(rules, played.entries)
    assert again[:-1] == before[:-1]
    assert (again[-1].frame, again[-1].rule) == (len(played.entries) - 1, "toy/eager")


@every_game
def test_luck_uses_the_state_at_the_roll_and_names_the_frame_that_shows_it(rules: Ruleset, scenario: str) -> None:
    live = Live(rules, scenario)
    live.seat_all()
    live.begin()
    chance = random.Random(5)
    for _ in live.play(lambda state, asked: sample(state, asked, chance)):
        if len(live.entries) > 120:
            break
    fold = Fold(live.entries[0])
    expected: list[Luck] = []
    for payload in live.entries[1:]:
        added = fold.add(payload)
        if isinstance(added.envelope.body, Stepped):
            expected += [one for _, luck in lucks(rules, added.before, added.envelope.body.facts) for one in luck]
    rows = luck_report(rules, live.entries)
    assert [row.luck for row in rows] == expected
    assert expected
    views, frames = told_again(live, EVERYTHING)
    for row in rows:
        frame = frames[row.frame - 1]
        assert any((story.text, story.dice) == (row.text, row.dice) for story in frame.story)
        assert row.turn in {views[row.frame - 1]["turn"], views[row.frame]["turn"]}
        before, after = standing(views[row.frame - 1]), standing(views[row.frame])
        lost = {side: before[side] - after[side] for side in before}
        assert row.fallen == {side: count for side, count in lost.items() if count}


def standing(view: dict[str, Any]) -> dict[str, int]:
    """Return how many figures of each side are in the game, without crews that have bailed out."""
    return {
        side: sum(
            not figure["fallen"]
            for key, unit in view["units"].items()
            if unit["side"] == side and not unit["left"] and "crew" not in key
            for figure in unit["figures"].values()
        )
        for side in view["sides"]
    }


def test_the_luck_of_each_side_is_the_sum_of_its_rolls_in_standard_deviations() -> None:
    rules, entries = edition("fad4"), entries_of("fad4", "relay-went-on")
    rows = [row.luck for row in luck_report(rules, entries)]
    assert rows
    sums = luck_by_side(rules, entries)
    assert sorted(sums) == sorted({one.side for one in rows})
    for side, found in sums.items():
        wanted = sum((one.fell - one.expected) / one.deviation for one in rows if one.side == side and one.deviation)
        assert abs(found - 100 * wanted) <= 0.5
