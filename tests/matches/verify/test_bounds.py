"""Bounds on match files: content that no server would have written is refused before any of it is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from server.kernel.desk_facts import Said, SeatTaken
from server.kernel.dice import RecordedDice
from server.kernel.facts import Fact, FiguresFell, UnitFormed, UnitPlaced
from server.kernel.files import setups
from server.kernel.procedure import EndlessRunError, Run
from server.kernel.state import Figure, Unit
from server.matches.importing import Unfit, prepare
from server.matches.log.entries import POSITION, Aside, Envelope, Opened, Stepped, decode, digest
from server.matches.log.match_file import MatchFile, read
from server.matches.setup.positions import open_position
from server.matches.verify.bounds import check_entries
from server.rulesets.library import edition, find
from tests.archive.files import file_of
from tests.support.toy_rules import ToyRules

Change = Callable[[Envelope], Envelope]


def forged(change: Change, *, game: str = "ridge-conceded", upto: int | None = None) -> bytes:
    """Return a recorded game with `change` applied to each entry and a valid chain."""
    file = read(file_of("fad4", game).read_bytes())
    made: list[bytes] = []
    for number, payload in enumerate(file.entries[:upto], 1):
        envelope = change(decode(number, payload))
        made.append(pack(replace(envelope, prev=digest(made[-1]) if made else bytes(32))))
    return pack(MatchFile(file.format, tuple(made), digest(made[-1]), "" if upto else file.secret))


def opening(**fields: object) -> Change:
    """Change the first entry."""

    def change(envelope: Envelope) -> Envelope:
        if not isinstance(envelope.body, Opened):
            return envelope
        return replace(envelope, body=replace(envelope.body, **fields))

    return change


def position(change: Callable[[dict[str, Any]], None]) -> Change:
    """Change the position in which the match begins to one that a player has set up."""

    def changed(envelope: Envelope) -> Envelope:
        if not isinstance(envelope.body, Opened):
            return envelope
        state = json.loads(envelope.body.position)
        change(state)
        body = replace(envelope.body, position=json.dumps(state), scenario=POSITION, title=state["title"])
        return replace(envelope, body=body)

    return changed


def seat_called(name: str) -> Change:
    """Rename the first side's seat everywhere in the position."""

    def change(state: dict[str, Any]) -> None:
        side = next(iter(state["sides"].values()))
        side["seat"] = name

    return position(change)


def side_called(name: str) -> Change:
    """Rename the first side and its seat everywhere in the position."""

    def change(state: dict[str, Any]) -> None:
        old = next(iter(state["sides"]))
        state["sides"] = {name if key == old else key: side for key, side in state["sides"].items()}
        state["sides"][name] |= {"id": name, "seat": name}
        for unit in state["units"].values():
            unit["side"] = name if unit["side"] == old else unit["side"]

    return position(change)


def refused(data: bytes) -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(Unfit) as unfit:
        prepare(data, find, 0, 0)
    sentence = str(unfit.value)
    assert len(sentence) < 1_000
    assert sentence.endswith(".")
    return sentence


def test_a_recorded_game_is_within_bounds() -> None:
    assert prepare(forged(lambda envelope: envelope), find, 0, 0).match


@pytest.mark.parametrize("name", ["", "*", "~time", "__proto__", "a\0b", "red\n", "r" * 5_000])
def test_a_file_with_an_impossible_seat_is_refused(name: str) -> None:
    for call in (seat_called, side_called):
        sentence = refused(forged(call(name), upto=1))
        assert "letters, digits" in sentence or "as its position says" in sentence or "no setup can say" in sentence


def two_sides_of_one_seat(state: dict[str, Any]) -> None:
    first, second = state["sides"].values()
    second["seat"] = first["seat"]


def endless_title(state: dict[str, Any]) -> None:
    state["title"] = "T" * 5_000_000


def endless_table(state: dict[str, Any]) -> None:
    state["table"] |= {"width": 10**12, "height": 10**12}


def countless_units(state: dict[str, Any]) -> None:
    unit = next(iter(state["units"].values()))
    state["units"] = {str(n): {**unit, "id": str(n), "name": f"Unit {n}"} for n in range(500)}


def unknown_weapon(state: dict[str, Any]) -> None:
    next(iter(state["units"].values()))["profile"]["small_arm"] = "death-ray"


def unknown_note(state: dict[str, Any]) -> None:
    state["book"] = {"x" * 10: ["y" * 3_000] * 10_000}


@pytest.mark.parametrize(
    "change", [two_sides_of_one_seat, endless_title, endless_table, countless_units, unknown_weapon, unknown_note]
)
def test_a_file_whose_position_no_setup_describes_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    refused(forged(position(change), upto=1))


def test_a_file_with_another_title_than_its_positions_is_refused() -> None:
    assert "called" in refused(forged(opening(title="Another match"), upto=1))
    refused(forged(opening(title="T" * 5_000_000), upto=1))


def test_a_deeply_nested_file_is_refused() -> None:
    deep = '{"edition": ' + "[" * 100_000 + "]" * 100_000 + "}"
    refused(forged(opening(position=deep, scenario=POSITION), upto=1))


@pytest.mark.parametrize(
    "fact",
    [SeatTaken("blue", "N" * 5_000), SeatTaken("blue", ""), Said("", "W", "x" * 5_000), Said("", "W" * 500, "x")],
)
def test_a_file_with_impossible_chat_is_refused(fact: SeatTaken | Said) -> None:
    def change(envelope: Envelope) -> Envelope:
        if isinstance(envelope.body, Aside) and isinstance(envelope.body.facts[0], SeatTaken):
            return replace(envelope, body=replace(envelope.body, facts=(fact,)))
        return envelope

    assert "Entry" in refused(forged(change))


# --- rules that ask no seat -----------------------------------------------------------------------------------------


def ending_at_once(_self: object, _game: object) -> Iterator[Fact]:
    """Run a procedure that ends at once, again and again."""
    yield from ()


def test_a_run_that_asks_no_seat_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyRules, "procedure", ending_at_once)
    run = Run(ToyRules(), ToyRules().open("duel", {}), RecordedDice(()))
    with pytest.raises(EndlessRunError, match="more than 10,000 facts and rolls"):
        run.begin()


def test_a_run_may_be_as_long_as_the_bound_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = 0

    def counted(_self: object, _game: object) -> Iterator[Fact]:
        nonlocal turned
        turned += 1
        yield from ()

    monkeypatch.setattr(ToyRules, "procedure", counted)
    with pytest.raises(EndlessRunError):
        Run(ToyRules(), ToyRules().open("duel", {}), RecordedDice(())).begin()
    assert 10_000 <= turned <= 10_002


def test_a_position_from_which_the_rules_ask_no_seat_makes_no_match(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = edition("fad4")
    state = rules.open(rules.info.scenarios[0].id, {})
    monkeypatch.setattr(type(rules), "procedure", ending_at_once)
    found = open_position(edition, setups.dump(setups.write(state)).encode())
    assert isinstance(found, str)
    assert "without asking any seat" in found


@pytest.mark.parametrize(
    "facts",
    [
        (UnitFormed(Unit("blue-9", "blue", "Ghosts", 9, {}, {"__proto__": Figure(None, 500)}), ""),),
        (UnitFormed(Unit("__proto__", "blue", "Ghosts", 9, {}, {}), ""),),
        (UnitPlaced("blue-1", {"__proto__": (0, 0)}),),
        (FiguresFell("blue-1", ("__proto__",), "gone", ""),),
    ],
)
def test_a_file_with_the_key_of_a_javascript_prototype_is_refused(facts: tuple[Fact, ...]) -> None:
    def change(envelope: Envelope) -> Envelope:
        if not isinstance(envelope.body, Stepped):
            return envelope
        return replace(envelope, body=replace(envelope.body, version="fad4 of another server", facts=facts))

    assert "holds the name __proto__" in refused(forged(change))


def test_a_javascript_prototypes_name_is_allowed_as_a_players_name_and_in_chat() -> None:
    first = read(forged(lambda envelope: envelope)).entries[0]
    at = decode(1, first).at
    for fact in (SeatTaken("blue", "__proto__"), Said("blue", "", "__proto__")):
        said = pack(Envelope(2, 1, at, b"", digest(first), Aside((fact,), "blue")))
        assert check_entries([first, said]).edition == "fad4"
