"""Programs at the desk: what they agree to, and that a desk without any is stored as before."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.clocks import OfferKind
from server.kernel.desk_facts import DiceRenewed
from server.kernel.state import Offer, State
from server.matches.log.entries import position
from server.matches.play.due import everybody
from tests.support.toy_rules import ToyRules


def against_a_program() -> State:
    state = ToyRules().open("duel", {})
    return replace(state, desk=replace(state.desk, programs={"blue": "weak"}))


@pytest.mark.parametrize(
    ("kind", "agreed"), [("draw", False), ("take_back", True), ("pause", True), ("resume", True), ("clock", True)]
)
def test_programs_accept_all_but_a_draw(kind: OfferKind, agreed: bool) -> None:
    assert everybody(against_a_program(), Offer("red", kind)) is agreed


def test_a_desk_without_programs_is_stored_as_before() -> None:
    assert "programs" not in position(ToyRules().open("duel", {}))
    assert '"programs":{"blue":"weak"}' in position(against_a_program())


def test_persons_take_the_seats_of_programs_when_another_server_goes_on() -> None:
    assert DiceRenewed("00").fold(against_a_program()).desk.machines == {}
