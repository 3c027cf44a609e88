"""Summaries of matches on the start page."""

from __future__ import annotations

import random

import pytest

from client_protocol.clocks import ClockTerms
from client_protocol.from_server import MatchSummary, Score
from server.kernel.answers.sampling import sample
from server.kernel.clocks import begun
from server.kernel.desk_facts import ClockSet, Said, SeatTaken, SecretRevealed
from server.matches.log.entries import Aside, Ended
from server.matches.projections.summary import glance, match_summary, score
from server.rulesets.library import editions
from tests.support.playing import MatchInMemory, press_on
from tests.support.toy_rules import ToyRules


def info_of(played: MatchInMemory, spectators: int = 0) -> MatchSummary:
    return match_summary(played.referee.fold, played.referee.ask, spectators, played.rules)


def test_a_match_is_open_then_running_then_over() -> None:
    played = MatchInMemory(ToyRules())
    first = info_of(played, spectators=7)
    assert (first.state, first.spectators, first.turn_limit, first.clock) == ("open", 7, 2, None)
    assert [name for _, _, name in first.seats] == ["", ""]
    played.add(Aside((SeatTaken("red", "Ada"),), "red"))
    assert info_of(played).state == "open", "a seat is free"
    played.seat_all()
    assert info_of(played).state == "running"
    assert info_of(played).deciding == ()
    played.begin()
    assert info_of(played).deciding == ("red", "blue")
    for _ in played.play(press_on):
        pass
    last = info_of(played)
    assert last.state == "over"
    assert last.result is not None
    assert last.result.how == "rules"


def test_a_summarys_since_is_when_the_seats_to_decide_were_asked() -> None:
    played = MatchInMemory(ToyRules())
    played.seat_all()
    played.begin()
    asked = info_of(played).since
    assert asked == 1000 + len(played.entries) - 1
    played.add(Aside((Said("red", "", "hello"),), "red"))
    played.answer("red", played.referee.ask.seats["red"].default)  # type: ignore[union-attr]
    assert info_of(played).deciding == ("blue",)
    assert info_of(played).since == asked, "blue has been asked as long as before"
    played.answer("blue", played.referee.ask.seats["blue"].default)  # type: ignore[union-attr]
    assert info_of(played).since == 1000 + len(played.entries) - 1
    played.add(Ended("red", "Blue has conceded.", "concession"))
    over = info_of(played)
    assert (over.since, over.deciding) == (1000 + len(played.entries) - 1, ())
    assert over.result is not None
    assert over.result.how == "concession"
    played.add(Aside((SecretRevealed(played.secret.hex()),)))
    assert info_of(played).since == over.since


def test_a_summary_names_the_terms_of_the_clock() -> None:
    played = MatchInMemory(ToyRules())
    played.seat_all()
    terms = ClockTerms("correspondence", 86_400)
    played.add(Aside((ClockSet(begun(terms, ("red", "blue"), played.up)),)))
    assert info_of(played).clock == terms


def test_the_score_counts_figures_left_and_objectives_held() -> None:
    played = MatchInMemory(ToyRules(rounds=4))
    played.seat_all()
    played.begin()
    assert info_of(played).score == (Score("red", 3, 3), Score("blue", 3, 3))
    for _ in played.play(press_on):
        fallen = {
            side: sum(figure.fallen for figure in played.referee.fold.state.units[f"{side}-1"].figures.values())
            for side in ("red", "blue")
        }
        assert info_of(played).score == tuple(Score(side, 3 - fallen[side], 3) for side in ("red", "blue"))
    assert any(score.left < 3 for score in info_of(played).score)


def test_a_unit_that_has_left_the_game_is_lost_with_all_its_figures() -> None:
    for rules in editions().values():
        for scenario in rules.info.scenarios:
            played = MatchInMemory(rules, scenario.id)
            played.seat_all()
            played.begin()
            for _ in played.play():
                pass
            state = played.referee.fold.state
            for each, side in zip(score(state), state.sides.values(), strict=True):
                own = [unit for unit in state.units.values() if unit.side == side.id]
                assert each.of == sum(len(unit.figures) for unit in own)
                assert each.left == sum(unit.strength for unit in own if not unit.left)
                assert each.objectives == sum(one.held_by == side.id for one in state.objectives.values())


@pytest.mark.parametrize("edition", editions())
def test_a_summary_changes_only_with_its_glance(edition: str) -> None:
    rules, chance = editions()[edition], random.Random(2)
    played = MatchInMemory(rules, rules.info.scenarios[-1].id)
    played.seat_all()
    played.begin()
    changes, before = 0, None
    for _ in played.play(lambda state, asked: sample(state, asked, chance)):
        # All answers come within the same millisecond.
        played.referee.fold.decided_at = 1000
        now = (glance(played.referee.fold, played.referee.ask, 0), info_of(played))
        if before is not None:
            assert now[0] != before[0] or now[1] == before[1]
            changes += now[1] != before[1]
        before = now
    assert changes > 3
