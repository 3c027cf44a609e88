"""Heavy weapons with their crews, which are units of every match."""

from __future__ import annotations

import pytest

from client_protocol.choices import PointParameter, PointTaken
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FigureRearmed, Rolled, UnitMoved
from server.kernel.state import State
from server.rulesets.fad.movement import MOVE, CoherencyDistance, allowance
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.rulesets.fad5.expanded import BLUE_1, REACTION, position, sides
from tests.support.battlefield import BattleTable, lines, paths, piece, play, shifted, unit
from tests.support.tabletop import Row


def team(side: str, at: tuple[float, float], crew: int = 3, **other: object) -> Row:
    own: dict[str, object] = {"support": ["machine-gun"], "apart": 1.5, **other}
    return unit(side, at, figures=crew, weapon_team=True, **own)  # type: ignore[arg-type]  # as `unit` takes it


def guns(*terrain: Row, **blue: object) -> State:
    """Return a blue machine gun with a crew, a red squad 15" away, and another one far off."""
    return battle(team("blue", (6, 6), **blue), unit("red", (6, 22)), unit("red", (6, 44)), terrain=terrain)  # type: ignore[arg-type]


def why(table: BattleTable, choice: str) -> tuple[str, str]:
    barred = table.barred(choice)
    assert barred is not None
    return barred.sentence, barred.rule


@pytest.mark.rule("fad5/unit.infantry-class")
@pytest.mark.rule("fad5/unit.definition")
def test_a_team_fires_in_place_or_moves_out_and_never_rushes() -> None:
    table = play(guns()).activates("blue-1")
    told = "Blue 1 fires in place or moves out, and does not do both."
    assert why(table, "move-fire") == (told, "turn.action-engage")
    out = table.prompt.choice("move-out")
    assert out is not None
    assert (out.consequence, out.why) == ("Move, without shooting.", None)
    assert table.refused("move-out", shifted(table.state, "blue-1", 0, 6.1)).rule == "move.infantry-move"
    (moved,) = table.answers("move-out", shifted(table.state, "blue-1", 0, 6)).seen(UnitMoved)
    assert (moved.manner, moved.rule) == ("move", "move.infantry-move")
    fired = play(guns()).activates("blue-1").answers("fire-move", "red-1", dice=[1, 6, 1])
    assert why(fired, "move")[1] == "turn.action-engage"


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_a_team_that_has_fired_may_move_in_its_second_activation_of_the_turn() -> None:
    rows = (team("blue", (6, 6)), unit("blue", (30, 6)), unit("red", (6, 30)))
    state = battle(*rows, options={"seize_initiative": "same-unit"}, turn=1, phase="turn", first="", active="")
    table = play(state, [6, 1]).answers("go-first").activates("blue-1").answers("fire-move", "red-1", dice=[1, 6, 1])
    assert why(table, "move")[0].endswith("it does not move in this activation.")
    table.answers("stay").answers("seize", "blue-1")
    assert table.barred("move-out") is None


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_a_team_that_has_fired_as_a_reaction_may_move_in_its_own_activation() -> None:
    rows = [*sides(20), team("red", (16, 26), id="team")]
    table = play(position(rows), [REACTION + 1, BLUE_1]).answers("react", "team")
    table.answers("react-fire", "blue-1", dice=[1, 6, 1]).holds(dice=[4])
    assert table.prompt.title == "Team: choose its action"
    assert table.barred("move-out") is None


@pytest.mark.rule("fad5/unit.infantry-class")
def test_a_team_rolls_one_die_with_its_weapon_and_starts_no_assault() -> None:
    table = play(guns()).activates("blue-1")
    assert set(table.targets("assault").values()) == {"unit.definition"}
    table.answers("fire-move", "red-1", dice=[1, 6, 1])
    assert len(table.rolled("fire_effect").faces) == 1
    assert table.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "under-fire.marking")]


@pytest.mark.rule("fad5/unit.infantry-class")
def test_a_team_is_shot_at_and_marked_and_covered_like_infantry() -> None:
    state = battle(
        unit("blue", (6, 6)),
        team("red", (6, 15)),
        terrain=[piece("ruin", (4, 14), (14, 17))],
        options={"pinning": "on"},
    )
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1, 6, 1])
    effect = table.rolled("fire_effect")
    assert effect.numbers[1].value == 5, "a crew in a ruin is in hard cover"
    assert table.seen(ConditionGained)[-1].unit == "red-1"
    assert play(battle(unit("blue", (6, 6)), team("red", (6, 12)))).activates("blue-1").targets("assault") == {
        "red-1": ""
    }


@pytest.mark.rule("fad5/resolve.weapon-teams")
def test_a_team_checks_its_resolve_and_falls_back_as_infantry_does() -> None:
    state = guns(resolve="uncertain", lost=1, crew=4)
    table = play(state).activates("blue-1", dice=[3, 1, 2])
    assert table.rolled("morale").rule == "morale.test"
    assert table.seen(ConditionGained) == [ConditionGained("blue-1", "broken", "resolve.broken")]
    assert table.offered == ["fall-back"]
    whole = play(guns(resolve="uncertain", crew=4)).activates("blue-1")
    assert whole.seen(Rolled) == []


@pytest.mark.rule("fad5/morale.result-one-infantry")
@pytest.mark.rule("fad5/turn.action-engage")
def test_a_team_that_falls_back_does_not_fire() -> None:
    table = play(guns(resolve="uncertain", lost=1, crew=4)).activates("blue-1", dice=[3, 1, 2])
    told = "Blue 1 fires in place or moves out, and does not do both."
    assert why(table, "fire-fall-back") == (told, "turn.action-engage")
    table.defaults()
    assert [fact.manner for fact in table.seen(UnitMoved)] == ["fall-back"]
    assert table.asked == "red", "its activation is over"


@pytest.mark.rule("fad5/morale.result-one-infantry")
def test_a_broken_team_that_stays_in_cover_may_fire_its_weapon_at_a_point() -> None:
    ruin = piece("ruin", (4, 4), (20, 8))
    broken = guns(ruin, resolve="uncertain", lost=1, crew=4, support=["light-cannon"])
    table = play(broken).activates("blue-1", dice=[3, 1, 2])
    assert table.offered == ["fall-back", "stay", "blast"]
    (point,) = table.choice("blast").parameters
    assert isinstance(point, PointParameter)
    assert point.suggested is not None
    table.chance(1).answers("blast", PointTaken(point.suggested))
    assert "blast" in [fact.action for fact in table.seen(Declared)]
    assert table.seen(UnitMoved) == []


@pytest.mark.rule("fad5/move.coherency-weapon-team")
@pytest.mark.parametrize("quality", ["rabble", "elite"])
def test_a_crew_keeps_within_two_inches_whatever_its_quality(quality: str) -> None:
    state = guns(quality=quality)
    told = fad5().rules.advisers.answer(state, CoherencyDistance("blue-1"))
    assert (told.value, lines(told)[-1]) == (2000, ("move.coherency-weapon-team", 2000))
    table = play(state).activates("blue-1")
    assert table.refused("move-out", paths(_3=[(10.6, 6)])).rule == "move.coherency"


@pytest.mark.rule("fad5/unit.definition")
def test_another_of_the_crew_takes_over_the_weapon_and_losses_cost_nothing_more() -> None:
    state = battle(unit("blue", (6, 6), figures=1), team("red", (6, 10)))
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[6, 1, 6, 6, 6, 1, 1])
    taken = table.seen(FigureRearmed)
    assert [(fact.role, fact.rule) for fact in taken] == [("", "unit.definition"), ("machine-gun", "unit.definition")]
    told = lines(allowance(fad5().rules, table.state, "red-1", MOVE))
    assert [rule for rule, _ in told] == ["move.infantry", "underfire.move-penalty"]


@pytest.mark.rule("fad5/unit.definition")
def test_a_team_is_never_attached_to_a_squad() -> None:
    squad = unit("blue", (6, 6), id="squad")
    gun = team("blue", (6, 8), id="gun", attached="squad")
    with pytest.raises(RulesetError, match="Gun is a unit of its own here: do not attach it to Squad"):
        battle(squad, gun, unit("red", (6, 40)))
