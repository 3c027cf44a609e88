"""A module of a match: units of one figure that keep hidden, and pick a figure of any enemy they see."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FiguresFell, Rolled
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, driven, fad4, figures, lines, piece, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row, setup

ON = {"snipers": "on"}
CONCEALED = ("fire.target-concealed-sniper", -2)


def sniper(side: str, at: Place | None, **other: object) -> Row:
    own: dict[str, object] = {"figures": 1, "small_arm": "sniper-rifle", "sniper": True, **other}
    return unit(side, at, **own)  # type: ignore[arg-type]  # as `unit` takes it


def match(*units: Row, terrain: Sequence[Row] = (), **options: str) -> State:
    return battle(*units, terrain=terrain, options={**ON, **options})


def duel(**other: object) -> State:
    """Return a blue sniper and, 20 inches north, a red squad."""
    return match(sniper("blue", (6, 6), **other), unit("red", (6, 27)))


def shot_at(table: BattleTable) -> list[tuple[str, int]]:
    """Return the lines of the fire of red-1 at the sniper."""
    table.chance(1).activates("red-1").opens_fire_at("blue-1", dice=[])
    return lines(table.fire_effect)


# --- concealment ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.target-concealed-sniper")
def test_a_sniper_that_has_not_moved_is_shot_at_with_2_less() -> None:
    table = play(duel()).activates("blue-1").holds()
    assert CONCEALED in shot_at(table)


@pytest.mark.rule("fad4/fire.target-concealed-sniper")
def test_a_sniper_is_concealed_before_its_first_activation() -> None:
    state = match(sniper("blue", (6, 6)), unit("blue", (30, 6)), unit("red", (6, 27)))
    assert CONCEALED in shot_at(play(state).activates("blue-2").holds())


@pytest.mark.rule("fad4/fire.target-concealed-sniper")
def test_a_sniper_that_moved_in_its_last_activation_is_not_concealed() -> None:
    table = play(duel()).activates("blue-1").moves(1, 0)
    assert CONCEALED not in shot_at(table)


@pytest.mark.rule("fad4/fire.target-concealed-sniper")
def test_a_squad_is_never_concealed() -> None:
    state = match(unit("blue", (6, 6), figures=1), unit("red", (6, 27)))
    assert CONCEALED not in shot_at(play(state).activates("blue-1").holds())


@pytest.mark.rule("fad4/fire.target-concealed-sniper")
def test_a_sniper_that_was_moved_by_force_is_not_concealed() -> None:
    note = [["blue-1", 9000, 6000, 0]]
    squads = (sniper("blue", (6, 6), activated=1), unit("red", (6, 27)))
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "red"}
    moved = setup("fad4", squads, (48, 48), 12, turn=turn, options=ON, book={"snipers.posts": note})
    assert CONCEALED not in shot_at(play(fad4().read(moved)))


# --- moving or shooting ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_sniper_that_moves_does_not_shoot() -> None:
    table = play(duel()).activates("blue-1").moves(1, 0)
    assert [fact.action for fact in table.seen(Declared)] == ["engage"]
    assert table.asked == "red"


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_sniper_that_shoots_does_not_move_afterwards() -> None:
    table = play(duel()).activates("blue-1").answers("fire-move", "red-1", dice=[1])
    why = table.barred("move")
    assert why is not None
    assert why.sentence == "Blue 1 is a sniper that has shot: it does not move in this activation."
    table.answers("stay").activates("red-1").holds(dice=[6, 1]).activates("blue-1")
    assert table.barred("move-fire") is None


@pytest.mark.rule("fad4/shoot.individuals")
@pytest.mark.parametrize("activated", [0, 1])
def test_a_sniper_aboard_shoots_from_a_vehicle_that_stands_and_not_from_one_that_drives(activated: int) -> None:
    post = [["blue-2", 9000, 6000, 0]] if activated else []
    truck = vehicle("blue", (10, 10), seats=4, weapons=(), armour=(0, 0, 0), mobility="wheel")
    rows = (truck, sniper("blue", None, aboard="blue-1", activated=activated), unit("red", (10, 30)))
    turn = {"number": 2, "phase": "activations", "first": "blue", "active": "blue"}
    state = fad4().read(setup("fad4", rows, (48, 48), 12, turn=turn, options=ON, book={"snipers.posts": post}))
    stands = play(state).activates("blue-1").answers("fire-aboard")
    assert stands.prompt.title == "Blue 2 may fire from Blue 1"
    drives = play(state).activates("blue-1").answers("drive-fire", driven((10, 14)))
    assert drives.asked == "red"


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_sniper_rolls_one_die_and_keeps_to_fire_priority() -> None:
    reds = [unit("red", (6 + 10 * i, 20), figures=2) for i in range(3)]
    state = match(sniper("blue", (6, 6)), *reds, unit("red", (6, 40)))
    table = play(state).activates("blue-1")
    assert table.targets("open-fire")["red-4"] == "shoot.fire-priority"
    table.chance(1).opens_fire_at("red-1", dice=[])
    assert len(table.rolled("fire_effect").faces) == 1


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_sniper_starts_no_close_assault() -> None:
    state = match(sniper("blue", (6, 6)), unit("red", (6, 10)))
    why = play(state).activates("blue-1").barred("assault")
    assert why is not None
    assert why.sentence == "Blue 1 is a sniper and starts no Close Assault."


# --- the clear shot -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_clear_shot_hits_the_picked_figure_of_any_unit_in_sight() -> None:
    reds = [unit("red", (6 + 10 * i, 20), figures=2) for i in range(3)]
    squad = unit("red", (6, 40), figures=6, leader=True, conditions=[])
    state = match(sniper("blue", (6, 6)), *reds, squad)
    table = play(state).activates("blue-1").answers("clear-shot", "red-4", dice=[3])
    roll = table.rolled("clear_shot")
    assert (roll.marks, roll.outcome) == (("pass",), "clear")
    table.answers("clear-shot-at", figures("5"), dice=[1])
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("5",)]
    assert [fact.purpose for fact in table.seen(Rolled)] == ["clear_shot", "damage"]
    assert ConditionGained("red-4", "under_fire", "underfire.marker") in table.facts


@pytest.mark.rule("fad4/shoot.individuals")
def test_without_a_clear_shot_the_sniper_does_not_shoot() -> None:
    table = play(duel()).activates("blue-1").answers("clear-shot", "red-1", dice=[2])
    assert table.rolled("clear_shot").outcome == "none"
    assert table.asked == "red"
    assert table.unit("red-1").conditions == ()


@pytest.mark.rule("fad4/shoot.individuals")
def test_only_figures_in_sight_can_be_picked_and_cover_does_not_count() -> None:
    cliff = piece("cliff", (0, 19), (9, 21))
    table = play(match(sniper("blue", (6, 6)), unit("red", (6, 27)), terrain=[cliff])).activates("blue-1")
    table.answers("clear-shot", "red-1", dice=[6])
    refusal = table.refused("clear-shot-at", figures("1"))
    assert "name each figure once" in refusal.sentence
    table.answers("clear-shot-at", figures("6"), dice=[6])
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("6",)]


@pytest.mark.rule("fad4/shoot.individuals")
def test_by_default_a_clear_shot_hits_the_nearest_figure() -> None:
    table = play(duel()).activates("blue-1").answers("clear-shot", "red-1", dice=[6])
    table.defaults(dice=[6])
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1",)]


def test_a_squad_takes_no_clear_shot() -> None:
    state = match(unit("blue", (6, 6)), unit("red", (6, 27)))
    table = play(state).activates("blue-1")
    assert "clear-shot" not in [choice.key for choice in table.prompt.choices]


# --- previews, words and files --------------------------------------------------------------------------------------


def test_the_preview_of_a_clear_shot_has_exact_chances() -> None:
    table = play(duel()).activates("blue-1")
    told = fad4().preview(table.state, table.prompt, Picked("clear-shot", (UnitNamed("red-1"),)))
    assert told is not None
    # 3+ for Regulars; damage +3 against light armour always kills.
    assert [(chance.label, chance.value) for chance in told.chances] == [
        ("A clear shot", "67%"),
        ("The figure falls", "67%"),
    ]


def test_the_log_the_card_and_the_luck_report_tell_of_the_sniper() -> None:
    state = duel()
    table = play(state).activates("blue-1").answers("clear-shot", "red-1", dice=[2])
    told = [fad4().story(table.state, fact) for fact in table.facts]
    texts = [story.text for story in told if story is not None]
    assert "Blue 1 looks for a clear shot at Red 1." in texts
    assert "Blue 1 finds no clear shot." in texts
    luck = luck_of(fad4(), state, table.facts, "clear_shot", "blue-1")
    assert (luck.wanted, luck.expected, luck.fell) == ("passes", 6667, 0)
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Sniper"] == "concealed"


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_position_with_a_sniper_needs_the_option() -> None:
    with pytest.raises(RulesetError, match="Blue 1 has the trait Sniper: switch the option Snipers on, or take it off"):
        battle(sniper("blue", (6, 6)), unit("red", (6, 27)))


@pytest.mark.parametrize(
    ("blue", "sentence"),
    [
        ({"figures": 2}, "Blue 1 is a sniper: a unit of one figure, not of 2"),
        ({"sniper": False}, "Blue 1: only a sniper carries a sniper rifle"),
    ],
)
def test_a_sniper_is_one_figure_and_alone_has_the_rifle(blue: dict[str, object], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        duel(**blue)


@pytest.mark.parametrize("note", ["yes", [["blue-1"]], [["blue-1", 1, 2, "x"]]])
def test_a_position_whose_posts_cannot_be_read_is_refused(note: object) -> None:
    units = (sniper("blue", (6, 6)), unit("red", (6, 40)))
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    position = setup("fad4", units, (48, 48), 12, turn=turn, options=ON, book={"snipers.posts": note})
    with pytest.raises(RulesetError, match=r"snipers\.posts"):
        fad4().read(position)


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_sniper_that_shoots_at_a_vehicle_does_not_move_afterwards() -> None:
    state = match(sniper("blue", (6, 6)), vehicle("red", (6, 27), armour=(0, 0, 0)))
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[1])
    assert table.unit("red-1").conditions == ("under_fire",)
    assert table.barred("move") is not None
