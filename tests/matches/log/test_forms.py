"""The forms of the log: matches that were begun when notes were texts go on as they were, and new ones are typed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from server.kernel import traits
from server.kernel.belief import EVERYTHING
from server.kernel.desk_facts import DiceRenewed
from server.kernel.facts import Fact, Noted, UnitFormed, UnitNoted
from server.kernel.notes import Note
from server.matches.importing import prepare
from server.matches.log.entries import (
    POSITION,
    START,
    Aside,
    Envelope,
    LogError,
    Opened,
    Stepped,
    decode,
    digest,
    encode,
    position,
)
from server.matches.log.fold import Fold
from server.matches.log.forms import NEWEST, TYPED, form_of
from server.matches.log.match_file import export, read, written
from server.matches.setup.forks import fork
from server.matches.verify.match_file import Wrong, verify
from server.rulesets.library import edition, find
from tests.archive.files import RECORDED, entries_of, file_of
from tests.archive.games import Game

FIRST = [game for game in RECORDED if Fold(entries_of(*game)[0]).opened.form == 1]
"""The recorded games that were written when notes were texts."""
EVENTFUL = ("fubar4", "hedges-brought")
"""One of them with units that are brought, notes of all types, and fights."""
SECRET = hashlib.sha256(b"archive 14").digest()
"""On which its dice hang."""


@cache
def new() -> Game:
    """A match of the same kind, begun today."""
    game = Game(edition("fubar4"), "crossed-hedges", 16)
    game.ready().finish()
    return game


def facts(entries: list[bytes] | tuple[bytes, ...]) -> Iterator[Fact]:
    """The facts of a log's steps, as the rules know them."""
    form = Fold(entries[0]).form
    for number, payload in enumerate(entries, 1):
        body = decode(number, payload, form).body
        for step in body.since if isinstance(body, Opened) else (body,):
            if isinstance(step, Stepped):
                yield from step.facts


def plain(entries: list[bytes] | tuple[bytes, ...]) -> Iterator[dict[str, Any]]:
    """The same facts as another program reads them."""
    for payload in entries:
        body = msgpack.unpackb(payload)[5]
        yield from body.get("facts", []) if body["type"] == "step" else ()


def noted(values: Iterable[Fact]) -> dict[str, set[type]]:
    """The types of what is noted about units, by key."""
    found: dict[str, set[type]] = {}
    for fact in values:
        if isinstance(fact, UnitNoted):
            found.setdefault(fact.key, set()).add(type(fact.value))
    return found


# --- the first form --------------------------------------------------------------------------------------------------


def test_the_games_that_were_recorded_before_are_in_the_first_form() -> None:
    assert len(FIRST) >= 13
    assert EVENTFUL in FIRST


@pytest.mark.parametrize("game", FIRST, ids="/".join)
def test_what_is_read_of_the_first_form_is_written_as_it_was(game: tuple[str, str]) -> None:
    entries = entries_of(*game)
    form = Fold(entries[0]).form
    for number, payload in enumerate(entries, 1):
        assert encode(decode(number, payload, form), form) == payload


def test_texts_of_the_first_form_are_read_as_what_they_mean() -> None:
    logs = [entries_of(*game) for game in FIRST]
    assert {type(fact["value"]) for log in logs for fact in plain(log) if fact["type"] == "unit_noted"} == {str}
    told = [fact for log in logs for fact in facts(log)]
    assert noted(told) == {"set_up": {tuple}, "lying_figures": {tuple}, "moved": {tuple}, "stuns": {int}}
    formed = [fact.unit for fact in told if isinstance(fact, UnitFormed)]
    figures = [figure for unit in formed for figure in unit.figures.values()]
    assert {type(unit.profile["crew"]) for unit in formed if "crew" in unit.profile} == {int}
    assert {trait for unit in formed for trait in traits.of(unit)} == {"grenades"}
    assert {trait for figure in figures for trait in traits.of(figure)} == {"launcher", "leader"}
    assert not any("leader" in figure.profile for figure in figures)
    pairs = [fact.value for fact in told if isinstance(fact, Noted) and fact.key == "fights" and fact.value]
    assert pairs
    assert all(isinstance(value, tuple) and isinstance(value[0], tuple) for value in pairs)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("stuns", "2", 2),
        ("stuns", "02", "02"),
        ("stuns", "two", "two"),
        ("crew", "-1", -1),
        ("set_up", "1000 -20", (1000, -20)),
        ("moved", "1", "1"),
        ("moved", "1 2 3", "1 2 3"),
        ("lying_figures", "", ()),
        ("lying_figures", "1 b", ("1", "b")),
        ("level", "2", "2"),
        ("later", 7, 7),
    ],
)
def test_a_text_that_no_rules_wrote_stays_a_text(key: str, text: Note, value: Note) -> None:
    form = form_of(1, "fubar4")
    assert form is not None
    assert form.read_fact(UnitNoted("u", key, text)) == UnitNoted("u", key, value)
    assert form.written_fact(UnitNoted("u", key, value)) == UnitNoted("u", key, text)


def test_a_match_that_was_begun_in_the_first_form_goes_on_in_it_to_its_end() -> None:
    whole = entries_of(*EVENTFUL)
    game = Game(edition("fubar4"), "crossed-hedges", 14)
    game.entries, game.secret = list(whole[: len(whole) // 2]), SECRET
    game.referee = game.again()
    assert game.referee.trouble == ""
    game.finish()
    assert len(game.entries) > len(whole) // 2
    later = tuple(game.entries[len(whole) // 2 :])
    told = [fact for fact in plain(later) if fact["type"] == "unit_noted"]
    assert told
    assert {type(fact["value"]) for fact in told} == {str}
    assert game.referee.fold.form.number == 1
    report = verify(export(game.entries), find)
    assert report.ended
    assert report.replayed == report.steps
    assert report.dice == sum(game.referee.fold.counters.values())


def test_a_match_in_the_first_form_is_taken_in_and_goes_on_in_it() -> None:
    whole = entries_of(*EVENTFUL)
    half = list(whole[: len(whole) // 2])
    found = prepare(export(half), find, 5, 2000)
    assert list(found.entries[:-1]) == half
    game = Game(edition("fubar4"), "crossed-hedges", 14)
    game.entries, game.secret = list(found.entries), found.meta["secret"]
    game.referee = game.again()
    game.ready().finish()
    assert any(isinstance(fact, DiceRenewed) for fact in _asides(game))
    assert game.referee.fold.form.number == 1
    assert verify(export(game.entries), find).ended


def _asides(game: Game) -> Iterator[object]:
    for number, payload in enumerate(game.entries, 1):
        body = decode(number, payload, game.referee.fold.form).body
        yield from body.facts if isinstance(body, Aside) else ()


def test_a_match_that_goes_on_from_one_in_the_first_form_is_begun_in_the_newest() -> None:
    whole = entries_of(*EVENTFUL)
    moment = next(
        number
        for number, payload in enumerate(whole, 1)
        if any(fact["type"] == "unit_noted" for fact in plain([payload])) and number > len(whole) // 3
    )
    found = fork(whole, EVERYTHING, moment)
    assert not isinstance(found, str), found
    game = Game(edition("fubar4"), "crossed-hedges", 17)
    state = replace(found.state, desk=replace(found.state.desk, forces={}))
    opened = replace(
        game.referee.fold.opened,
        scenario=POSITION,
        title=state.title,
        position=position(state),
        forked=found.forked,
        since=found.since,
    )
    game.reopen(opened)
    game.ready().finish()
    assert game.referee.fold.form is TYPED
    assert game.referee.fold.opened.form == NEWEST
    assert verify(export(game.entries), find).ended


# --- the newest ------------------------------------------------------------------------------------------------------


def test_a_new_match_names_its_form_and_holds_typed_notes_and_traits() -> None:
    entries = new().entries
    opened = msgpack.unpackb(entries[0])[5]
    assert opened["form"] == NEWEST
    assert '"traits":{"leader":true}' in opened["position"]
    told = {fact["key"]: type(fact["value"]) for fact in plain(entries) if fact["type"] == "unit_noted"}
    assert told["set_up"] is list
    assert str not in told.values()
    report = verify(export(entries), find)
    assert (report.replayed, report.differences) == (report.steps, ())


def test_a_form_that_is_not_known_is_refused_with_a_sentence() -> None:
    first = unpack(new().entries[0], Envelope)
    assert isinstance(first.body, Opened)
    later = pack(replace(first, body=replace(first.body, form=NEWEST + 1)))
    with pytest.raises(LogError, match="written in form 3; this server reads the forms 1 to 2"):
        Fold(later)
    with pytest.raises(Wrong, match="written in form 3"):
        verify(written([later], ""), find)


# --- what was changed ------------------------------------------------------------------------------------------------


def chained(entries: list[bytes], change: Callable[[list[Any]], None]) -> bytes:
    """A file of these entries, each changed, with the whole chain made anew."""
    found: list[bytes] = []
    for payload in entries:
        entry = msgpack.unpackb(payload)
        change(entry)
        entry[4] = digest(found[-1]) if found else START
        found.append(msgpack.packb(entry))
    return written(found, read(export(entries)).secret)


def _nothing(_entry: list[Any]) -> None:
    """Leave an entry as it is."""


def _first_note(entry: list[Any], value: Callable[[Any], Any]) -> None:
    for fact in entry[5].get("facts", []) if entry[5]["type"] == "step" else ():
        if fact["type"] == "unit_noted" and fact["key"] == "set_up":
            fact["value"] = value(fact["value"])


def test_typed_notes_in_a_log_of_the_first_form_are_refused() -> None:
    entries = list(entries_of(*EVENTFUL))
    assert verify(chained(entries, _nothing), find).ended
    with pytest.raises(Wrong, match="not written the way entries are"):
        verify(chained(entries, lambda entry: _first_note(entry, lambda text: [*map(int, text.split())])), find)


def test_texts_in_a_log_of_the_newest_form_are_refused() -> None:
    entries = new().entries
    assert verify(chained(entries, _nothing), find).ended
    with pytest.raises(Wrong, match="the rules bring about something else"):
        verify(chained(entries, lambda entry: _first_note(entry, lambda pair: " ".join(map(str, pair)))), find)


def test_a_changed_note_is_found_in_either_form() -> None:
    old = file_of(*EVENTFUL).read_bytes()
    (at,) = {old.index(b"\xa5value", old.index(b"set_up")) + 8}
    with pytest.raises(Wrong, match="it was changed"):
        verify(old[:at] + bytes([old[at] ^ 1]) + old[at + 1 :], find)
    data = export(new().entries)
    at = data.index(b"\xa5value\x92\xcd", data.index(b"set_up")) + 9
    with pytest.raises(Wrong, match="it was changed"):
        verify(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], find)
