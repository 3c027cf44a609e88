"""Any step of a match as a case: a file that `underfire resolve` runs with the same result."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked
from client_protocol.from_client import ExportCase
from client_protocol.from_server import Exported, Refused
from server.cli import main
from server.kernel.answers.check import Asked, check
from server.kernel.answers.sampling import sample
from server.kernel.belief import EVERYTHING, SPECTATORS
from server.kernel.cases.telling import Row
from server.kernel.procedure import Game, Steps, ask
from server.kernel.state import State
from server.matches.log.entries import Ended, Stepped, TakenBack, decode
from server.matches.log.fold import Fold
from server.matches.projections.steps_as_cases import DESK, HIDDEN, OTHERWISE, step_as_case, text_of
from server.matches.rooms import Rooms
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.library import edition, editions
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory, whole
from tests.support.room import DUEL, begun, rooms_on
from tests.support.toy_rules import ToyRules

MOST = 35
"""The most steps of a match that are played."""


@cache
def played(name: str, *, orders: bool = False) -> tuple[bytes, ...]:
    """Return the entries of a match between random seats, as far as it is played; with `orders` they gave one before it
    began.
    """
    rules, chance = edition(name), random.Random(name)
    match = MatchInMemory(rules, rules.info.scenarios[0].id)
    match.seat_all()
    if orders:
        unit = next(iter(match.referee.fold.state.units))
        match.order(unit, list(rules.orders)[-1])
    match.begin()

    def answering(state: State, asked: Asked) -> Picked:
        picked = sample(state, asked, chance)
        return picked if check(state, asked, picked) is None else asked.default

    for count, _ in enumerate(match.play(answering)):
        if count == MOST:
            break
    assert match.referee.fold.state.result is None, "it goes on"
    return tuple(match.entries)


def over(log: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the entries of the same match after a concession."""
    fold = walked(log)
    return (*log, fold.entry(Ended("red", "Blue concedes.", "concession"), 99_000, bytes(16)))


def walked(log: tuple[bytes, ...]) -> Fold:
    fold = Fold(log[0])
    for payload in log[1:]:
        fold.add(payload)
    return fold


def steps(log: tuple[bytes, ...]) -> dict[int, Stepped]:
    """Return the steps of a match, by their entries' numbers; answers that wait for others do not count."""
    bodies = {number: decode(number, payload).body for number, payload in enumerate(log, 1)}
    return {number: body for number, body in bodies.items() if isinstance(body, Stepped) and not body.sealing}


def written(found: Row | str, folder: Path) -> Path:
    assert not isinstance(found, str), found
    path = folder / "case.json"
    path.write_text(text_of(found), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", editions())
def test_every_step_of_an_ended_match_can_be_exported_as_a_case(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = edition(name), over(played(name))
    found = steps(log)
    assert len(found) > 20
    rolled = 0
    for number, step in found.items():
        case = step_as_case(rules, log, EVERYTHING, number - 1)
        assert main(["resolve", str(written(case, tmp_path))]) == 0
        *_, last, _end = map(json.loads, capsys.readouterr().out.splitlines())
        assert [row["type"] for row in last["facts"]] == [fact.__struct_config__.tag for fact in step.facts]
        assert last["dice"] == [face for taken in step.rolls for face in taken.faces]
        assert (last["answer"] or {}).get("choice") == (step.picked.choice if step.picked is not None else None)
        rolled += bool(step.rolls)
        # Its dice have purposes, so that a reader sees what the case is about.
        assert not isinstance(case, str)
        assert all(roll["for"] for roll in case["dice"])
    assert rolled > 3


def test_a_case_exported_at_a_frame_is_the_last_step_before_it() -> None:
    rules, log = edition("fad4"), over(played("fad4"))
    last = max(steps(log))
    assert step_as_case(rules, log, EVERYTHING, last) == step_as_case(rules, log, EVERYTHING, last - 1)
    assert step_as_case(rules, log, EVERYTHING, last - 2) != step_as_case(rules, log, EVERYTHING, last - 1)


def test_the_step_that_ends_a_match_can_be_exported_as_a_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = edition("fad4")
    log = tuple(whole(rules, scenario=rules.info.scenarios[0].id).entries)
    assert main(["resolve", str(written(step_as_case(rules, log, EVERYTHING, len(log) - 1), tmp_path))]) == 0
    end = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert end["open"] == {}
    assert end["position"]["result"]["reason"]


def test_after_a_take_back_the_exported_case_is_the_step_before_it() -> None:
    rules = edition("fad4")
    match = MatchInMemory(rules, rules.info.scenarios[0].id)
    match.seat_all()
    match.begin()
    for count, seat in enumerate(match.play()):
        if count == 4:
            match.add(TakenBack(seat), len(match.entries) - 1)
            break
    entries = tuple(match.entries)
    back, before = len(entries) - 1, len(entries) - 3
    assert step_as_case(rules, over(entries), EVERYTHING, back) == step_as_case(
        rules, over(entries), EVERYTHING, before
    )
    # From there on it is the line that was played.
    seat, asked = next(iter(match.referee.ask.seats.items())) if match.referee.ask is not None else ("", None)
    assert asked is not None
    match.answer(seat, asked.default)
    entries = tuple(match.entries)
    case = step_as_case(rules, over(entries), EVERYTHING, len(entries) - 1)
    assert not isinstance(case, str)
    assert case["answer"][-1]["seat"] == seat


def test_during_a_match_only_steps_that_can_hide_nothing_are_exported(tmp_path: Path) -> None:
    rules, log = edition("fad4"), played("fad4")
    fold = walked(log)
    assert written(step_as_case(rules, log, "red", fold.seqs["red"]), tmp_path).exists()
    assert step_as_case(rules, log, EVERYTHING, 10) == HIDDEN
    # If units can have standing orders, a refusal must not reveal whether one was given.
    for orders in (True, False):
        going = played("fubar4", orders=orders)
        told = {step_as_case(edition("fubar4"), going, "red", frame) for frame in (walked(going).seqs["red"], 8)}
        assert told == {HIDDEN}


def test_a_step_with_standing_orders_is_not_exported_as_a_case() -> None:
    log = over(played("fubar4", orders=True))
    assert step_as_case(edition("fubar4"), log, EVERYTHING, min(steps(log)) - 1) == DESK


def test_before_the_first_step_no_case_can_be_exported() -> None:
    log = over(played("fad4"))
    told = step_as_case(edition("fad4"), log, EVERYTHING, 1)
    assert told == "There is no step of the rules up to that moment: choose a later one."
    assert step_as_case(edition("fad4"), log, EVERYTHING, 10_000) == "There is no such moment in that match."
    assert step_as_case(edition("fad4"), log, "green", 1) == "There is no such moment in that match."


def test_a_step_that_the_rules_play_differently_is_not_exported_as_a_case() -> None:
    """A case that does not give its step would report a fault that did not exist."""
    log = over(played("fad4"))
    assert step_as_case(edition("fubar4"), log, EVERYTHING, max(steps(log)) - 1) == OTHERWISE

    class Silent(FadRuleset):
        """Rules that end every activation at once."""

        def procedure(self, game: Game[Any]) -> Steps[None] | None:
            return _nothing(game)

    assert step_as_case(Silent("fad4"), log, EVERYTHING, max(steps(log)) - 1) == OTHERWISE


def _nothing(game: Game[Any]) -> Steps[None]:
    side = next(iter(game.state.sides))
    yield from ask(side, Asked("Nothing", (Choice("nothing", "Nothing"),), Picked("nothing")))


# --- asked of a room --------------------------------------------------------------------------------------------------


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store, ToyRules(rounds=3)) as opened:
        yield opened


async def test_a_room_exports_steps_only_from_the_senders_own_view(rooms: Rooms) -> None:
    queries = (await begun(rooms)).room.queries
    for view in ("*", "blue", "nobody"):
        other = await queries.export_case("red", ExportCase("c", view, 1))
        assert isinstance(other, Refused)
        assert other.code == "not_over"
    own = await queries.export_case("red", ExportCase("c", "red", 0))
    assert isinstance(own, Refused)
    assert (own.code, own.sentence) == (
        "no_case",
        "There is no step of the rules up to that moment: choose a later one.",
    )


async def test_a_case_exported_by_a_room_runs(store: MatchStore, tmp_path: Path) -> None:
    rules = edition("fad4")
    async with rooms_on(store, rules) as opened:
        table = await begun(opened, replace(DUEL, edition="fad4", scenario=rules.info.scenarios[0].id))
        watching = table.listeners[""]
        found = await table.room.queries.export_case(SPECTATORS, ExportCase("c", "", watching.seqs[-1]))
    assert isinstance(found, Exported), found
    assert main(["resolve", str(written(json.loads(found.text), tmp_path))]) == 0
