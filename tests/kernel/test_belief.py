"""What a seat may know."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.forces import FORCE_FORMAT, Force
from server.kernel.belief import EVERYTHING, HIDDEN, SPECTATORS, believed, notices
from server.kernel.desk_facts import ForceBrought, StandingOrder
from server.kernel.facts import AssetNoted
from server.kernel.notes import SECRETS, Note, secret
from server.kernel.state import Asset
from tests.support.position import position, squad

STATE = position(squad("blue-1", [(1000, 1000)]))
SEALED = replace(STATE, sealed={"blue": Picked("left"), "red": Picked("right")})


def test_with_nothing_hidden_everybody_knows_the_same_state() -> None:
    for audience in ("blue", "red", SPECTATORS):
        assert believed(STATE, audience) is STATE


def test_a_seat_sees_its_own_sealed_answer_and_only_that_the_other_is_in() -> None:
    assert believed(SEALED, "blue").sealed == {"blue": Picked("left"), "red": HIDDEN}
    assert believed(SEALED, "red").sealed == {"blue": HIDDEN, "red": Picked("right")}
    assert believed(SEALED, SPECTATORS).sealed == {"blue": HIDDEN, "red": HIDDEN}


def test_two_worlds_that_differ_in_a_sealed_answer_look_the_same_to_the_other_seat() -> None:
    other = replace(SEALED, sealed={"blue": Picked("somewhere else"), "red": Picked("right")})
    for audience in ("red", SPECTATORS):
        assert believed(SEALED, audience) == believed(other, audience)
    assert believed(SEALED, "blue") != believed(other, "blue")


def test_standing_orders_are_known_to_the_seat_that_gave_them_alone() -> None:
    ordered = StandingOrder("blue-1", "hold").fold(STATE)
    assert believed(ordered, "blue") == ordered
    for audience in ("red", SPECTATORS):
        assert believed(ordered, audience) == STATE


def test_a_force_that_is_brought_hidden_is_known_to_its_seat_alone() -> None:
    force = Force(FORCE_FORMAT, "toy", "Mine", ())
    hidden = ForceBrought("blue", force, hidden=True).fold(STATE)
    assert believed(hidden, "blue") == hidden
    for audience in ("red", SPECTATORS):
        assert believed(hidden, audience) == STATE
    shown = ForceBrought("blue", force).fold(STATE)
    assert believed(shown, "red") == shown


def test_what_is_hidden_off_the_table_is_known_to_its_side_alone_until_it_is_used() -> None:
    guns, carts = Asset("guns", "Guns", {}, hidden=True), Asset("carts", "Carts", {})
    blue = replace(STATE.sides["blue"], assets={"guns": guns, "carts": carts})
    state = replace(STATE, sides={**STATE.sides, "blue": blue})
    assert believed(state, "blue") is state
    for audience in ("red", SPECTATORS):
        assert believed(state, audience).sides["blue"].off_table == {"carts": carts}
    used = AssetNoted("blue", "guns", "called", 1).fold(state)
    assert believed(used, "red").sides["blue"].off_table["guns"] == Asset("guns", "Guns", {"called": 1})


def test_that_an_answer_is_in_is_noticed_by_all_that_it_was_replaced_only_by_its_seat() -> None:
    assert notices("red", "blue", replaced=False)
    assert not notices("red", "blue", replaced=True)
    assert not notices(SPECTATORS, "blue", replaced=True)
    assert notices("blue", "blue", replaced=True)


@pytest.mark.parametrize("name", ["*", "", "everything", "EVERYTHING", "spectators"])
def test_a_seat_of_whatever_name_knows_what_is_its_own_and_no_more(name: str) -> None:
    force = Force(FORCE_FORMAT, "toy", "Mine", ())
    hidden = StandingOrder("blue-1", "hold").fold(ForceBrought("blue", force, hidden=True).fold(SEALED))
    named = replace(hidden, sides={**hidden.sides, "red": replace(hidden.sides["red"], seat=name)})
    known = believed(named, name)
    assert (known.desk.forces, known.desk.orders, known.sealed["blue"]) == ({}, {}, HIDDEN)
    assert believed(named, EVERYTHING) == named
    own = ForceBrought(name, force, hidden=True).fold(named)
    assert set(believed(own, name).desk.forces) == {name}
    assert not believed(own, SPECTATORS).desk.forces


# --- notes that one seat alone may know -------------------------------------------------------------------------------


def test_a_secret_note_is_known_to_its_own_seat_alone() -> None:
    book: dict[str, Note] = {SECRETS: True, secret("blue", "plan"): "left", secret("red", "plan"): "right", "turns": 3}
    state = replace(STATE, book=book)
    assert believed(state, "blue").book == {SECRETS: True, secret("blue", "plan"): "left", "turns": 3}
    assert believed(state, "red").book == {SECRETS: True, secret("red", "plan"): "right", "turns": 3}
    assert believed(state, SPECTATORS).book == {SECRETS: True, "turns": 3}
    assert believed(state, EVERYTHING) is state


def test_a_seat_whose_id_begins_like_anothers_knows_none_of_its_notes() -> None:
    state = replace(STATE, book={SECRETS: True, secret("bluebell", "plan"): "left"})
    assert believed(state, "blue").book == {SECRETS: True}
