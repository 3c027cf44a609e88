"""Checking match files by running the rules: the version that made a match, or another one."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import pack
from server.kernel.facts import AnswersOpened, FiguresFell, Rolled
from server.kernel.procedure import Game, Steps
from server.matches.log.entries import Aside, Opened, Stepped, decode, digest
from server.matches.log.fold import Fold
from server.matches.log.match_file import MatchFile, export
from server.matches.verify.match_file import Wrong, verify
from server.matches.verify.rules import RulesCheck
from tests.support.playing import MatchInMemory, press_on, whole
from tests.support.toy_rules import ToyRules


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    return whole(ToyRules(), press_on).entries


def test_another_version_of_the_rules_with_the_same_results_checks_every_step(entries: list[bytes]) -> None:
    report = verify(export(entries), lambda _edition: ToyRules(version="toy 2"))
    assert report.replayed == report.steps > 10
    assert report.differences == ()
    assert report.versions == ("toy 1",)


def test_each_step_that_another_version_makes_differently_is_reported(entries: list[bytes]) -> None:
    report = verify(export(entries), lambda _edition: ToyRules(version="toy 2", bonus=3))
    assert report.replayed == report.steps
    numbers = [n for n, entry in enumerate(entries, 1) if _rolls(n, entry)]
    assert [difference.entry for difference in report.differences] == numbers
    assert all("the log has" in difference.what for difference in report.differences)


def test_a_difference_under_the_same_version_is_a_fault(entries: list[bytes]) -> None:
    with pytest.raises(Wrong, match="something else") as wrong:
        verify(export(entries), lambda _edition: ToyRules(bonus=3))
    assert wrong.value.entry == next(n for n, entry in enumerate(entries, 1) if _rolls(n, entry))


def _rolls(number: int, entry: bytes) -> bool:
    """Return whether an entry opens the bids and rolls for the round: the roll to which the bonus is added."""
    body = decode(number, entry).body
    kinds = {type(fact) for fact in body.facts} if isinstance(body, Stepped) else set()
    return {AnswersOpened, Rolled} <= kinds


class Elsewhere(ToyRules):
    """Rules of another version that fail, or ask no seat, once a round has begun."""

    def __init__(self, *, failing: bool) -> None:
        super().__init__(version="toy 2")
        self._failing = failing

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        steps = super().procedure(game)
        return steps if steps is None or game.state.turn.number == 0 else self._astray(steps)

    def _astray(self, steps: Steps[None]) -> Steps[None]:
        asked = 0
        sent: object = None
        while True:
            yielded = steps.send(sent)
            asked += type(yielded).__name__ == "Ask"
            if asked == 2:
                if self._failing:
                    raise KeyError("what such rules never saw")
                return
            sent = yield yielded


class OtherLosses(ToyRules):
    """Rules of another version, by which another figure falls than the one that was picked."""

    def __init__(self) -> None:
        super().__init__(version="toy 2")

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        steps = super().procedure(game)
        return None if steps is None else self._otherwise(steps)

    def _otherwise(self, steps: Steps[None]) -> Steps[None]:
        sent: object = None
        while True:
            try:
                yielded = steps.send(sent)
            except StopIteration:
                return
            if isinstance(yielded, FiguresFell):
                yielded = replace(yielded, figures=("1",))
            sent = yield yielded


def test_after_a_difference_the_check_goes_on_from_the_log(entries: list[bytes]) -> None:
    fold, check = Fold(entries[0]), RulesCheck(OtherLosses())
    for number, payload in enumerate(entries[1:], 2):
        before = fold.state
        body = fold.add(payload).envelope.body
        if isinstance(body, Aside):
            check.aside(body.facts)
        elif isinstance(body, Stepped):
            check.step(number, body, before, fold)
        if check.differences:
            break
    assert "figures=('1',)" in check.differences[0].what
    assert check._run is not None
    assert check._run.state.units == fold.state.units


@pytest.mark.parametrize("failing", [True, False])
def test_rules_that_fail_on_another_versions_match_are_reported_and_checked_again_later(
    entries: list[bytes], failing: bool
) -> None:
    report = verify(export(entries), lambda _edition: Elsewhere(failing=failing))
    assert report.differences
    assert {difference.version for difference in report.differences} == {"toy 1"}
    # Both rounds begin with bids, which both versions make alike: the second round was reached although the first differed.
    astray = {difference.entry for difference in report.differences}
    alike = [n for n, e in enumerate(entries, 1) if isinstance(decode(n, e).body, Stepped) and n not in astray]
    assert max(alike) > min(astray)


def test_an_answer_played_by_the_server_must_be_the_default(entries: list[bytes]) -> None:
    """A file passes off a seat's own answer as the default that is played when time runs out."""
    in_memory = MatchInMemory(ToyRules(rounds=1))
    in_memory.seat_all()
    in_memory.begin()
    for seat in in_memory.play():
        ask = in_memory.referee.ask
        assert ask is not None
        other = next((c for c in ("press", "hold") if ask.seats[seat].choice(c)), "")
        if other and ask.seats[seat].default != Picked(other):
            number = len(in_memory.entries)
            step = in_memory.referee.answer(seat, Picked(other), f"{seat}:answer-{number}", lambda: in_memory.up)
            in_memory.add(replace(step, played="conceded"))
            break
    else:
        raise AssertionError("no seat was asked what has another answer than the usual one")
    with pytest.raises(Wrong, match="not the default"):
        verify(export(in_memory.entries), lambda _edition: ToyRules(rounds=1))


def test_a_scenario_of_another_version_may_begin_differently(entries: list[bytes]) -> None:
    """The first entry is changed, and the chain rebuilt."""
    first = decode(1, entries[0])
    assert isinstance(first.body, Opened)
    made = [pack(replace(first, body=replace(first.body, scenario="four-way")))]
    for number, entry in enumerate(entries[1:], 2):
        made.append(pack(replace(decode(number, entry), prev=digest(made[-1]))))
    forged = pack(MatchFile("underfire match 1", tuple(made), digest(made[-1]), bytes(range(32)).hex()))
    with pytest.raises(Wrong, match="no such beginning") as wrong:
        verify(forged, lambda _edition: ToyRules())
    assert wrong.value.entry == 1
    report = verify(forged, lambda _edition: ToyRules(version="toy 2"))
    assert [difference.entry for difference in report.differences] == [1]
