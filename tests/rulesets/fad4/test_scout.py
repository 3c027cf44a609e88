"""A module of a match: a squad sends one of its figures ahead with the action Command, and takes it back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Picked, PointTaken
from server.kernel.facts import Declared, FiguresFell, FiguresGained, FiguresLost, Rolled, UnitMoved
from server.kernel.state import State
from server.rulesets.fad.modules.scout import scouts
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import BattleTable, battle, fad4, figures, lines, paths, piece, play, unit
from tests.support.tabletop import Place, Row

ON = {"scout": "on"}
RULE = "setup.advanced-modules.scout"


def match(blue: Row, *more: Row, terrain: Sequence[Row] = (), **options: str) -> State:
    return battle(blue, *(more or (unit("red", (6, 40)),)), terrain=terrain, options={**ON, **options})


def sends(state: State, figure: str = "6") -> BattleTable:
    """Return the table on which blue-1 (figures 2.5 inches apart, from (6, 6) on) is asked where its scout goes."""
    return play(state).activates("blue-1").answers("command").answers("scout", figures(figure))


def out(state: State, at: Place) -> BattleTable:
    """Return the table after figure 6 has gone there, and nothing else was done."""
    return sends(state).answers("place-scout", paths(_6=[at])).answers("command-done")


def conditions(table: BattleTable, figure: str) -> tuple[str, ...]:
    return table.unit("blue-1").figures[figure].conditions


# --- adv.scout.action -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_one_figure_of_a_squad_becomes_its_scout() -> None:
    table = sends(match(unit("blue", (6, 6)))).answers("place-scout", paths(_6=[(18.5, 18)]))
    assert conditions(table, "6") == ("at_task", "scouting")
    assert FiguresGained("blue-1", ("6",), "scouting", RULE) in table.facts
    assert scouts(table.unit("blue-1")) == ("6",)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(
    ("blue", "sentence"),
    [
        ({"figures": 1}, "Blue 1 is one figure: none would stay."),
        ({"conditions": ["pinned"]}, "Blue 1 is Pinned and stays where it is."),
    ],
)
def test_a_lone_figure_and_a_pinned_squad_send_no_scout(blue: dict[str, object], sentence: str) -> None:
    why = play(match(unit("blue", (6, 6), **blue))).activates("blue-1").barred("command")  # type: ignore[arg-type]
    assert why is not None
    assert why.sentence == sentence


def test_a_match_without_the_module_has_no_scouts() -> None:
    table = play(battle(unit("blue", (6, 6)), unit("red", (6, 40)))).activates("blue-1")
    assert "command" not in [choice.key for choice in table.prompt.choices]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_preview_of_a_scout_says_how_far_he_goes_and_who_is_left() -> None:
    table = play(match(unit("blue", (6, 6)))).activates("blue-1").answers("command")
    told = fad4().preview(table.state, table.prompt, Picked("scout", (figures("6"),)))
    assert told is not None
    assert told.title == "Blue 1 sends figure 6 ahead"
    assert [(name, number.value) for name, number in told.numbers] == [("Coherency, times 3", 4_000)]
    assert told.notes[0] == (
        'He is put down up to 12" from another figure, and does nothing else; the other 5 may take the second task.'
    )
    assert table.choice("scout").preview


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_preview_of_his_place_says_whom_he_sees_and_whom_he_alone_sees() -> None:
    wall = piece("building", (10, 24), (30, 25), id="house")
    table = sends(match(unit("blue", (6, 6)), unit("red", (20, 40)), unit("red", (2, 30)), terrain=[wall]))

    def notes(at: Place) -> tuple[str, ...]:
        told = fad4().preview(table.state, table.prompt, Picked("place-scout", (paths(_6=[at]),)))
        assert told is not None
        return told.notes

    assert notes((26, 13)) == ("From there he sees Red 2, and is seen.", "He stands in the open.")
    assert notes((4, 18)) == ("From there he sees Red 1 (he alone), Red 2, and is seen.", "He stands in the open.")


# --- adv.scout.place ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_scout_ends_within_three_times_the_coherency_of_another_figure() -> None:
    # Regulars: 12 inches from edge to edge, so 13 from centre to centre of figure 5 at (16, 6).
    table = sends(match(unit("blue", (6, 6))))
    assert table.refused("place-scout", paths(_6=[(16, 19.1)])).rule == RULE
    table.answers("place-scout", paths(_6=[(16, 19)]))
    assert table.seen(UnitMoved) == [UnitMoved("blue-1", "scout-out", {"6": ((16000, 19000),)}, RULE)]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_powered_armour_sends_its_scout_18_inches() -> None:
    table = sends(match(unit("blue", (6, 6), armour="light-powered")))
    assert 'within 18"' in table.refused("place-scout", paths(_6=[(16, 25.1)])).sentence
    table.answers("place-scout", paths(_6=[(16, 25)]))


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_only_the_end_of_the_way_counts_for_the_scout() -> None:
    # A cliff from edge to edge, and an enemy squad behind it.
    cliff = piece("cliff", (0, 8), (48, 10))
    state = match(unit("blue", (6, 6)), unit("red", (6, 12)), terrain=[cliff])
    table = sends(state)
    assert table.refused("place-scout", paths(_6=[(18.5, 9)])).code == "path_impassable"
    near = table.refused("place-scout", paths(_6=[(16, 13.9)]))
    assert near.sentence == 'The path of figure 6 comes nearer than 1" to Red 1; keep at least so far away.'
    table.answers("place-scout", paths(_6=[(16, 14)]))
    assert table.unit("blue-1").figures["6"].at == (16000, 14000)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_scout_may_stay_with_his_squad() -> None:
    table = sends(match(unit("blue", (6, 6)))).defaults()
    assert table.seen(UnitMoved) == []
    assert conditions(table, "6") == ("at_task", "scouting")


@pytest.mark.rule("fad4/hits.allocate-closest")
@pytest.mark.parametrize("targeting", ["off", "on"])
def test_enemies_that_see_only_the_scout_may_hit_only_him(targeting: str) -> None:
    # Of two figures one is half of the squad, which could be hit with the other if he were no scout.
    cliff = piece("cliff", (0, 8), (30, 10))
    blue = unit("blue", [(6, 6), (8.5, 6)])
    state = match(blue, unit("red", (6, 30)), terrain=[cliff], squad_targeting=targeting)
    table = sends(state, "2").answers("place-scout", paths(_2=[(8.5, 16)]))
    shot = aim(fad4().rules, table.state, "red-1", "blue-1")
    assert isinstance(shot, Shot)
    assert shot.seen == ("2",)


# --- adv.scout.uncover ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_log_tells_which_enemies_the_scout_alone_sees() -> None:
    cliff = piece("cliff", (0, 8), (30, 10))
    state = match(unit("blue", (6, 6)), unit("red", (6, 30)), unit("red", (44, 6), figures=1), terrain=[cliff])
    table = sends(state).answers("place-scout", paths(_6=[(16, 16)]))
    assert [fact.target for fact in table.seen(Declared) if fact.action == "scout-sees"] == ["red-1"]
    texts, before = [], state
    for fact in table.facts:
        story = fad4().story(before, fact)
        texts += [] if story is None else [story.text]
        before = fact.fold(before)
    assert "1 figure of Blue 1 is out scouting." in texts
    assert 'Blue 1 puts its scout down, 10.3" away.' in texts
    assert "Blue 1 has a scout in sight of Red 1." in texts


# --- adv.scout.others-act -------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/action.command")
def test_the_others_shoot_while_the_scout_is_busy() -> None:
    state = match(unit("blue", (6, 6)), unit("red", (6, 20)))
    table = sends(state).answers("place-scout", paths(_6=[(28, 6)]))
    assert table.offered == ["command-fire", "command-done"]
    table.answers("command-fire", "red-1", dice=[1, 1, 1])
    assert "5 riflemen" in [line.reason for line in table.fire_effect.lines]
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert conditions(table, "6") == ("scouting",)


# --- adv.scout.return -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.scout.call-fire")
def test_a_scout_may_call_fire_on_what_he_sees_as_the_second_task() -> None:
    hill = [piece("cliff", (0, 14), (17, 16))]
    gun: Row = {"id": "guns", "name": "The guns", "weapon": "medium-cannon"}
    options = {**ON, "indirect_fire": "on"}
    state = battle(unit("blue", (6, 6)), unit("red", (6, 40)), terrain=hill, options=options, assets={"blue": [gun]})
    table = play(state).activates("blue-1").answers("command")
    assert "call:6:guns" not in table.offered, "no leader, and no scout yet"
    table.answers("scout", figures("6")).answers("place-scout", paths(_6=[(18.5, 17.5)]))
    assert "call:6:guns" in table.offered
    beyond = PointTaken((8_500, 40_000))
    table.answers("call:6:guns", beyond, dice=[1, 1, 1])
    assert [(fact.purpose, fact.outcome) for fact in table.seen(Rolled)] == [("timing", "lost guns")]
    assert table.asked == "red", "the others are idle"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_scout_comes_back_before_his_squad_checks_its_resolve() -> None:
    blue = unit("blue", (6, 6), figures=8, lost=4, resolve="steady")
    table = play(match(blue)).activates("blue-1", dice=[6, 6, 1]).answers("command").answers("scout", figures("4"))
    table.answers("place-scout", paths(_4=[(11, 16)])).answers("command-done")
    table.activates("red-1").holds(dice=[6, 1]).activates("blue-1")
    assert table.offered == ["return-scout"]
    assert len([roll for roll in table.seen(Rolled) if roll.purpose == "morale"]) == 1
    # 4 inches from figure 3 at (11, 6), from edge to edge.
    assert table.refused("return-scout", paths()).rule == RULE
    assert table.refused("return-scout", paths(_4=[(11, 11.1)])).rule == RULE
    table.answers("return-scout", paths(_4=[(11, 11)]), dice=[6, 6, 1])
    assert FiguresLost("blue-1", ("4",), "scouting", RULE) in table.facts
    assert table.seen(UnitMoved)[-1] == UnitMoved("blue-1", "scout-back", {"4": ((11000, 11000),)}, RULE)
    assert len([roll for roll in table.seen(Rolled) if roll.purpose == "morale"]) == 2


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_by_default_he_comes_back_next_to_the_leader() -> None:
    table = out(match(unit("blue", (6, 6), leader=True)), (18.5, 16))
    table.activates("red-1").holds(dice=[6, 1]).activates("blue-1").defaults()
    x, y = table.unit("blue-1").figures["6"].at or (0, 0)
    assert (x - 6000) ** 2 + (y - 6000) ** 2 <= 1010**2


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_scout_who_was_hit_stays_where_he_lies_and_the_last_figure_stays_where_it_is() -> None:
    own: list[Row] = [
        {"id": "1", "at": (6, 6), "role": ""},
        {"id": "2", "at": (8.5, 6), "role": ""},
        {"id": "3", "at": (11, 16), "role": "", "fallen": True, "conditions": ["scouting"]},
    ]
    table = play(match({**unit("blue", (6, 6)), "figures": own})).activates("blue-1")
    assert "open-fire" in [choice.key for choice in table.prompt.choices]
    assert table.unit("blue-1").figures["3"].conditions == ()
    last = [{**row, "fallen": row["id"] != "3"} for row in own]
    alone = play(match({**unit("blue", (6, 6)), "figures": last})).activates("blue-1")
    assert alone.unit("blue-1").figures["3"].at == (11000, 16000)
    assert alone.seen(UnitMoved) == []
    assert alone.seen(FiguresFell) == []


def test_the_card_tells_of_the_scout() -> None:
    table = out(match(unit("blue", (6, 6))), (18.5, 16))
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("blue-1"))}
    assert card["Scout"] == "figure 6 is out until it activates again"
