"""Short range warp: squads that come out at a receiver (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, FiguresPlaced, Picked, PlacementParameter, PointTaken
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, Noted, TerrainAdded, UnitMoved
from server.kernel.files.forces import examine
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.modules.warp import DROPPED
from tests.support.battlefield import BattleTable, battle, fad4, figures, piece, play, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
WARPING: Row = {"traits": {"short_range_warp": True}}


def receiver(x: float, y: float, *owners: str, id: str = "lies") -> Row:  # noqa: A002  # the setup's own word
    flags = [f"receiver:{owner}" for owner in owners]
    return piece("receiver", (x - 0.3, y - 0.3), (x + 0.3, y + 0.3), id=id, flags=flags)


def match(*others: Row, terrain: tuple[Row, ...] = (), **squad: object) -> State:
    own = {"id": "own", "figures": 3, **WARPING, **squad}
    row = unit("blue", (6, 6), **own)  # type: ignore[arg-type]  # as `unit` takes it
    return battle(row, *others, unit("red", (30, 44), id="red", figures=3), terrain=terrain)


def commands(state: State) -> BattleTable:
    return play(state).activates("own").answers("command")


def put(*places: tuple[float, float]) -> FiguresPlaced:
    spots = {str(number): (inches(x), inches(y)) for number, (x, y) in enumerate(places, 1)}
    return FiguresPlaced((spots,))


def offered(table: BattleTable) -> list[str]:
    return [key for key in table.offered if key.startswith("warp")]


@pytest.mark.rule(RULE)
def test_a_squad_comes_out_within_3_inches_of_a_receiver() -> None:
    table = commands(match(terrain=(receiver(30, 20),)))
    choice = table.choice("warp:lies")
    assert choice.label == "Warp to Warp receiver"
    assert isinstance(choice.parameters[0], PlacementParameter)
    told = fad4().preview(believed(table.state, "blue"), table.prompt, Picked("warp:lies", (put((30, 22)),)))
    assert told is not None
    assert [(row.label, row.value) for row in told.chances] == [("Pinned", "33%")]
    assert table.refused("warp:lies", put((30, 24.6), (30, 22), (28, 22))).code == "zone"
    table.answers("warp:lies", put((30, 22), (32, 22), (28, 22)), dice=[3])
    (move,) = table.seen(UnitMoved)
    assert (move.manner, move.paths["1"]) == ("warped", ((30_000, 22_000),))
    assert table.seen(ConditionGained) == []
    story = fad4().story(table.state, table.rolled("warp"))
    assert story is not None
    assert story.text == "Own comes out calm."
    # It may still take another task, and does not move any more.
    assert "command-fire" in table.offered


@pytest.mark.rule(RULE)
def test_a_failed_test_pins_it() -> None:
    table = commands(match(terrain=(receiver(30, 20),), conditions=["under_fire"]))
    # It does not shoot any more, so its activation is over.
    table.answers("warp:lies", put((30, 22), (32, 22), (28, 22)), dice=[2])
    assert (table.asked, table.unit("own").conditions) == ("red", ("pinned",))
    story = fad4().story(table.state, table.rolled("warp"))
    assert story is not None
    assert story.text == "Own comes out shaken, and is Pinned."


@pytest.mark.rule(RULE)
def test_receivers_serve_the_side_that_set_them_down() -> None:
    both = (receiver(30, 20, id="any"), receiver(20, 20, "red", id="theirs"), receiver(10, 20, "blue", id="ours"))
    assert offered(commands(match(terrain=both))) == ["warp:any", "warp:ours"]
    table = play(match()).activates("own")
    why = table.barred("command")
    assert why is not None
    assert why.sentence == "There is no other warp receiver on the table at which Own could come out."


@pytest.mark.rule(RULE)
def test_another_unit_carries_a_receiver_and_sets_it_down() -> None:
    bearer = unit("blue", (20, 20), id="bearer", figures=2, traits={"warp_receiver": True})
    state = match(bearer)
    assert offered(commands(state)) == ["warp:bearer"]
    table = play(state).activates("bearer").moves(0, 4)
    assert (table.offered, table.prompt.default.choice) == (["set-receiver", "keeps-receiver"], "keeps-receiver")
    table.answers("set-receiver", figures("2"))
    assert table.state.book[DROPPED] == ("bearer",)
    (fact,) = table.seen(TerrainAdded)
    assert (fact.piece.name, fact.piece.flags) == ("Warp receiver of Blue", ("receiver:blue",))
    assert fact.piece.holds((22_500, 24_000))
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("bearer"))}
    assert card["Warp receiver"] == "set down"
    after = commands(replace(state, book=table.state.book, table=table.state.table))
    assert offered(after) == ["warp:receiver-1"]
    kept = play(state).activates("bearer").moves(0, 4).answers("keeps-receiver")
    assert kept.seen(Noted) == []


@pytest.mark.rule(RULE)
def test_it_may_be_set_down_before_the_action_and_by_vehicles() -> None:
    carrier = vehicle("blue", (20, 20), id="carrier", traits={"warp_receiver": True})
    table = play(match(carrier)).activates("carrier").answers("set-receiver", figures("1"))
    assert table.choice("drive-out").why is None
    assert "set-receiver" not in table.offered
    assert [fact.piece.kind for fact in table.seen(TerrainAdded)] == ["receiver"]
    assert offered(commands(match(carrier))) == ["warp:carrier"]


@pytest.mark.rule(RULE)
def test_a_grenade_launcher_fires_a_receiver_within_close_range() -> None:
    bearer = unit(
        "blue", (20, 20), id="bearer", figures=3, support=["grenade-launcher"], traits={"warp_receiver": True}
    )
    table = play(match(bearer)).activates("bearer").answers("command")
    # Regulars with assault rifles: close range is 20 inches, from the base's edge of the gunner.
    assert table.refused("fire-receiver", PointTaken((20_000, 40_600))).rule == "shoot.range-bands"
    table.answers("fire-receiver", PointTaken((20_000, 40_400)))
    (fact,) = table.seen(TerrainAdded)
    assert fact.piece.holds((20_000, 40_400))
    assert (table.state.book[DROPPED], table.unit("bearer").figures["1"].conditions) == (("bearer",), ("at_task",))
    plain = unit("blue", (20, 20), id="bearer", figures=3, traits={"warp_receiver": True})
    why = play(match(plain)).activates("bearer").barred("command")
    assert why is not None
    assert why.sentence == "Bearer has no grenade launcher free to fire its warp receiver with."


@pytest.mark.rule(RULE)
def test_a_round_sets_a_receiver_down_where_it_lands() -> None:
    gun = vehicle("blue", (10, 10), id="gun", weapons=("missile-launcher.warp-emitter",))
    table = play(match(gun)).activates("gun").answers("load", Assigned({"m1": "warp-emitter"}))
    table.answers("blast:m1", PointTaken((20_000, 20_000)), dice=[3, 3, 1])
    assert [fact.piece.flags for fact in table.seen(TerrainAdded)] == [("receiver:blue",)]
    assert table.seen(Declared)[-1].action == "receiver-lands"


@pytest.mark.rule(RULE)
def test_a_pinned_squad_does_not_warp_nor_one_without_space() -> None:
    why = play(match(terrain=(receiver(30, 20),), conditions=["pinned"])).activates("own").barred("command")
    assert why is not None
    assert why.rule == "pin.no-moving"
    walls = tuple(
        piece("cliff", (x, y), (x + 8, y + 8), id=f"cliff-{x}-{y}")
        for x, y in ((22, 20.4), (30, 20.4), (22, 12), (30, 12))
    )
    shut = commands(match(terrain=(receiver(30, 20), *walls), figures=10)).barred("warp:lies")
    assert shut is not None
    assert shut.sentence == 'There is no free space for all of Own within 3" of Warp receiver.'


@pytest.mark.rule(RULE)
def test_who_has_warp_gear() -> None:
    with pytest.raises(RulesetError, match="squads warp"):
        match(vehicle("blue", (20, 20), **WARPING))  # type: ignore[arg-type]
    for note in ("own", ("nowhere",)):
        with pytest.raises(RulesetError, match=r"warp\.dropped"):
            fad4().admit(replace(match(), book={DROPPED: note}))
    one = ForceUnit("infantry", "One", {"figures": 4, "quality": "conscript", "short_range_warp": True}, {})
    bearer = ForceUnit("infantry", "Two", {"figures": 4, "quality": "conscript", "warp_receiver": True}, {})
    found = examine(fad4(), Force(FORCE_FORMAT, "fad4", "A test", (one, bearer)), {})
    # 16 and 10 for the gear, and 16
    assert (found.problems, found.total) == ((), 42_000)
    more = examine(fad4(), Force(FORCE_FORMAT, "fad4", "A test", (one, bearer, bearer)), {})
    assert [row.sentence for row in more.problems] == [
        "2 units carry a warp receiver, and 1 have short range warp: each brings one."
    ]
