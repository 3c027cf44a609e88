"""A preview agrees with the roll: the same lines, and odds that hold over many rolls."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from client_protocol.choices import Picked, UnitNamed
from client_protocol.explained import Explained, Line
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import FiguresFell, Rolled
from server.kernel.procedure import Run
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.opponents.simulation import RandomDice
from server.opponents.simulation import play as random_game
from server.rulesets.fad.previews import choices
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.shooting import PointsPerHit
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.shared.previews import odds
from tests.support.battlefield import BattleTable, battle, facing, fad4, line, piece, play, unit

calm = settings(derandomize=True, deadline=None, max_examples=60)
SHOTS = {"open-fire", "fire-move", "fire", "fire-fall-back", "fire-stay", "free-shot"}

# --- reading a preview ----------------------------------------------------------------------------------------------


def foreseen(table: BattleTable, choice: str, *target: str) -> Preview:
    """Return the preview of a choice of the open prompt."""
    picked = Picked(choice, tuple(UnitNamed(name) for name in target))
    told = fad4().preview(believed(table.state, table.asked), table.prompt, picked)
    assert told is not None
    return told


def number(told: Preview, label: str) -> Explained:
    return next(value for name, value in told.numbers if name.startswith(label))


def chance(told: Preview, label: str) -> float:
    """Return a chance of a preview, from 0 to 1."""
    return next(row.per_myriad or 0 for row in told.chances if row.label == label) / 10_000


def beside_dice(verdict: Explained) -> list[Line]:
    """Return the lines of a rolled number that are neither dice nor a limit."""
    return [entry for entry in verdict.lines if entry.stage == "ADD" and not entry.reason.endswith(" 1D6")]


def same_shot(told: Preview, facts: list[Rolled]) -> None:
    """Check that the preview of a shot has every line of the rolls that followed, except the dice."""
    fire = next(roll for roll in facts if roll.purpose == "fire_effect")
    assert list(number(told, "Fire Effect").lines) == beside_dice(fire.numbers[0])
    assert number(told, "Points for each hit") == fire.numbers[1]
    damage = next((roll for roll in facts if roll.purpose == "damage"), None)
    if damage is not None:
        assert number(told, "Damage") == damage.numbers[0]
        armour = [value for name, value in told.numbers if name.startswith("Armour")]
        assert set(damage.numbers[1:]) <= set(armour)


# --- the same lines -------------------------------------------------------------------------------------------------

QUALITIES = ["rabble", "conscript", "regular", "elite"]
GROUND = [
    piece("woods", (4, 14), (20, 18)),
    piece("building", (14, 22), (24, 28)),
    piece("wall", (0, 20), (30, 20)),
    piece("rocks", (20, 10), (30, 16)),
]


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Return a line of blue in the south and one of red in the north, of any kind, over some terrain."""
    rows = []
    for side, low, high in (("blue", 2, 20), ("red", 12, 45)):
        size = draw(st.integers(1, 9))
        arms = draw(st.lists(st.sampled_from(sorted(fad4().book.support_weapons)), max_size=min(size, 3)))
        rows.append(
            unit(
                side,
                line(
                    (draw(st.integers(1, 20)), draw(st.integers(low, high))), size, draw(st.sampled_from([1.2, 2, 2.5]))
                ),
                quality=draw(st.sampled_from(QUALITIES)),
                small_arm=draw(st.sampled_from(sorted(fad4().book.small_arms))),
                armour=draw(st.sampled_from(sorted(fad4().book.armours))),
                support=[arm for arm in arms if "powered_armour_only" not in fad4().book.support_weapons[arm].traits],
                conditions=draw(st.sampled_from([[], ["under_fire"], ["broken"], ["pinned"]])) if side == "red" else [],
            )
        )
    options = {
        "armour_base": draw(st.sampled_from([3, 4, 5, 6])),
        "riflemen_count": draw(st.sampled_from(["all", "small_arms_only"])),
    }
    try:
        return battle(
            *rows,
            terrain=draw(st.lists(st.sampled_from(GROUND), unique_by=lambda row: str(row["id"]))),
            options=options,
        )
    except RulesetError:
        assume(condition=False)
        raise


def shoot(state: State, seed: int) -> BattleTable:
    """Let blue-1 open fire at red-1 with dice from a seed."""
    table = play(state).activates("blue-1")
    table.chance(seed).answers("open-fire", "red-1")
    while table.prompts and "Multi-Gun" in table.prompt.title:
        table.defaults()
    return table


@calm
@given(positions(), st.integers(0, 1000))
def test_the_preview_of_a_shot_has_the_lines_of_its_rolls(state: State, seed: int) -> None:
    table = play(state).activates("blue-1")
    assume(table.targets("open-fire").get("red-1") == "")
    told = foreseen(table, "open-fire", "red-1")
    assert number(told, "Fire Effect").value == sum(entry.amount for entry in number(told, "Fire Effect").lines)
    same_shot(told, shoot(state, seed).seen(Rolled))


@pytest.mark.parametrize(("scenario", "seed"), [("crossroads-patrol", 1), ("crossroads-patrol", 2), ("ridge-farm", 3)])
def test_every_preview_in_a_whole_game_has_the_lines_of_its_rolls(scenario: str, seed: int) -> None:
    rules, compared, ask = fad4(), set[str](), None
    for played in random_game(rules, rules.open(scenario, {}), seed):
        rolls = [fact for fact in played.step.facts if isinstance(fact, Rolled)]
        if played.picked is not None and ask is not None:
            told = rules.preview(believed(played.before, played.seat), ask.seats[played.seat], played.picked)
            if played.picked.choice in SHOTS:
                assert told is not None
                same_shot(told, rolls)
                compared.add("shot")
            elif told is not None and played.picked.choice == "activate":
                assert number(told, "Each die") == rolls[0].numbers[0]
                compared.add("morale")
        ask = played.ask
    assert "shot" in compared


def test_the_preview_of_an_assault_has_the_lines_of_its_rolls() -> None:
    state = facing(
        7,
        blue={"quality": "elite", "armour": "heavy", "figures": 8, "small_arm": "submachine-gun"},
        red={"conditions": ["pinned"], "armour": "storm"},
    )
    table = play(state).activates("blue-1")
    told = foreseen(table, "assault", "red-1")
    table.answers("assault", "red-1").chance(5).defaults()
    scores = [roll for roll in table.seen(Rolled) if roll.purpose == "assault"]
    for roll, name in zip(scores, ("Blue 1", "Red 1"), strict=True):
        assert list(number(told, name).lines) == beside_dice(roll.numbers[0])


def test_the_preview_of_a_shot_counts_armour_piercing() -> None:
    state = facing(12, blue={"small_arm": "blaster", "support": ["fusion-gun"]}, red={"armour": "breach"})
    told = foreseen(play(state).activates("blue-1"), "open-fire", "red-1")
    armour = [value.value for name, value in told.numbers if name.startswith("Armour")]
    assert armour == [6, 7], "8 lowered to the floor by the fusion gun for one hit, and by 1 for all others"


# --- odds -----------------------------------------------------------------------------------------------------------


@calm
@given(positions(), st.booleans())
def test_the_chances_of_a_previewed_shot_add_up_to_one(state: State, open_fire: bool) -> None:
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assume(isinstance(shot, Shot))
    assert isinstance(shot, Shot)
    spread = choices.effects(fad4().rules, state, shot, open_fire=open_fire)
    points = fad4().rules.advisers.answer(state, PointsPerHit(shot)).value
    lost = odds.over(spread, lambda effect: losses(fad4().rules, state, shot, effect // points))
    assert sum(spread.values()) == sum(lost.values()) == 1
    assert max(lost) <= len(shot.seen)


def test_the_chances_of_the_five_results_of_an_assault_add_up_to_one() -> None:
    for quality in QUALITIES:
        table = play(facing(7, blue={"quality": quality}, red={"figures": 4})).activates("blue-1")
        told = foreseen(table, "assault", "red-1")
        ends = [chance(told, label) for label in ("Overrun them", "Win", "Draw", "Lose", "Be overrun")]
        assert sum(ends) == pytest.approx(1, abs=0.0005)


@pytest.mark.parametrize("quality", QUALITIES)
def test_the_chances_of_a_morale_test_match_every_way_its_dice_can_fall(quality: str) -> None:
    table = play(battle(unit("blue", (6, 6), quality=quality, resolve="reluctant", lost=1), unit("red", (6, 40))))
    told = foreseen(table, "activate", "blue-1")
    need = {"rabble": 5, "conscript": 4, "regular": 3, "elite": 2}[quality]
    ways = [sum(face >= need for face in faces) for faces in product(range(1, 7), repeat=3)]
    for label, share in (
        ("Rallies", sum(passes >= 2 for passes in ways)),
        ("Falls back", ways.count(1)),
        ("Routs", ways.count(0)),
    ):
        assert chance(told, label) == pytest.approx(share / 216, abs=0.0001)


def mean_and_error(values: list[int]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, sqrt(spread / len(values))


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("open ground", facing(12, red={"figures": 4})),
        ("few targets", facing(4, red={"figures": 2}, blue={"support": ["grenade-launcher"]})),
        (
            "heavy armour",
            facing(18, red={"armour": "breach"}, blue={"support": ["plasma-rifle"], "small_arm": "blaster"}),
        ),
        ("cover", facing(12, red={"apart": 1.2}, terrain=[piece("woods", (0, 18), (48, 21))])),
    ],
)
def test_the_losses_of_hundreds_of_shots_match_the_expected_losses(name: str, state: State) -> None:
    told = foreseen(play(state).activates("blue-1"), "open-fire", "red-1")
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    points = fad4().rules.advisers.answer(state, PointsPerHit(shot)).value
    spread = choices.effects(fad4().rules, state, shot, open_fire=True)
    expected = odds.mean(odds.over(spread, lambda effect: losses(fad4().rules, state, shot, effect // points)))
    assert next(row.value for row in told.chances if row.label == "Expected losses") == f"{float(expected):.1f}"

    dice = RandomDice(random.Random(name))
    fallen, pinned = [], 0
    for _ in range(400):
        run = Run(fad4(), state, dice)
        run.begin()
        run.answer("blue", Picked("activate", (UnitNamed("blue-1"),)))
        facts = run.answer("blue", Picked("open-fire", (UnitNamed("red-1"),))).facts
        fallen.append(sum(len(fact.figures) for fact in facts if isinstance(fact, FiguresFell)))
        effect = next(fact.numbers[0].value for fact in facts if isinstance(fact, Rolled))
        pinned += effect > number(told, "Pinned above").value
    mean, error = mean_and_error(fallen)
    assert mean == pytest.approx(float(expected), abs=4 * error)
    for label, share in (("At least one loss", sum(loss > 0 for loss in fallen) / 400), ("Pinned", pinned / 400)):
        true = chance(told, label)
        assert share == pytest.approx(true, abs=4 * sqrt(max(true * (1 - true), 0.01) / 400))


def test_the_odds_of_a_few_dice_are_exact() -> None:
    assert odds.highest(2) == {face: Fraction(2 * face - 1, 36) for face in range(1, 7)}
    assert odds.passes(3, 7) == {0: Fraction(1)}
    assert odds.passes(2, 1) == {2: Fraction(1)}
