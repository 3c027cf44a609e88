"""Matches as texts: the lines of each kind of entry, and that an audience reads only what it may know."""

from __future__ import annotations

import re

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Concede, TakeBack
from server.kernel.belief import EVERYTHING, SPECTATORS, Audience
from server.kernel.desk_facts import ForceBrought, Said
from server.kernel.facts import Rolled
from server.matches.log.entries import Aside, Rewound, position
from server.matches.projections.notation import _dice, notation
from server.matches.setup.forks import fork
from tests.archive.recording import Match
from tests.support.playing import press_on
from tests.support.toy_rules import ToyRules, force

RULES = ToyRules()


def text(match: Match, view: Audience = EVERYTHING) -> str:
    return notation(RULES, match.entries, view)


def tags(written: str) -> dict[str, str]:
    return dict(re.findall(r'^\[(\w+) "(.*)"\]$', written, re.MULTILINE))


def test_the_tags_of_a_text_name_players_scenario_clock_and_result() -> None:
    match = Match(RULES, "duel", clock=ClockTerms("live", 600, 5)).ready()
    opened = match.referee.fold.opened
    assert tags(text(match)) == {
        "Event": "Duel",
        "Site": "?",
        "Date": "1970.01.01",
        "Edition": "Toy",
        "Rules": "toy 1",
        "Scenario": "duel",
        "Options": "hidden_forces = False",
        "Match": opened.match,
        "Seat": "Blue: Blue",
        "Clock": "10 minutes for each player, and 5 seconds more after each decision",
        "Result": "*",
        "Termination": "unterminated",
    }
    assert text(match).splitlines()[-1] == "*"
    match.settle("red", Concede("conceded"))
    ended = text(match)
    assert (tags(ended)["Result"], tags(ended)["Termination"]) == ("Blue", "concession: Red has conceded.")
    assert "; Red concedes." in ended
    assert ended.splitlines()[-1] == "Blue wins. Red has conceded."


def test_a_title_with_quotes_cannot_end_its_tag() -> None:
    match = Match(RULES, "duel")
    fold = match.referee.fold
    match.reopen(replace(fold.opened, title='A "duel"\n[Result "draw"]', position=position(fold.state)))
    assert text(match).splitlines()[0] == r'[Event "A \"duel\" [Result \"draw\"]"]'


def test_dice_stand_in_braces_with_their_result() -> None:
    def told(faces: tuple[int, ...], *marks: str) -> str:
        return _dice(Rolled("bid", "toy/bid", faces, marks=marks)).replace("\0", " ")

    assert told((5, 3), "kept", "") == "{2D6: 5 3 -> kept 5}"
    assert told((5, 3, 6), "hit", "fail", "kill") == "{3D6: 5 3 6 -> hit 5, kill 6}"
    assert told((1, 2), "fail", "fail") == "{2D6: 1 2 -> fail}"
    assert told((4,)) == "{1D6: 4}"
    written = text(Match(RULES, "duel").ready().finish(press_on))
    assert re.search(r"^\.\.\. bid: \(\d, \d\) \{2D6: \d \d\}", written, re.MULTILINE)
    assert "\0" not in written
    assert max(len(line) for line in written.splitlines() if not line.startswith(("[", ";"))) <= 100


def test_a_text_marks_take_backs_and_keeps_what_was_undone() -> None:
    match = Match(RULES, "duel").ready()
    winner = match.until("Press on?")
    match.give(winner, Picked("stop"))
    match.settle(winner, TakeBack("take-back"))
    match.add(Rewound("The rules have changed."))
    lines = text(match).splitlines()
    undone = next(number for number, line in enumerate(lines) if "Declared" in line)
    back = next(number for number, line in enumerate(lines) if line.startswith("<- "))
    assert undone < back
    assert "takes back" in lines[back]
    assert lines[back + 1].startswith("<- The rules have changed.")


def test_a_text_contains_the_chat_of_the_table_as_comments_and_no_other_chat() -> None:
    match = Match(RULES, "duel").ready()
    match.add(Aside((Said("red", "", "Good luck!\n[Result]"),), "red"))
    match.add(Aside((Said("red", "", "Left flank", "side"),), "red"))
    match.add(Aside((Said("", "Cleo", "Red will win", "spectators"),)))
    views: tuple[Audience, ...] = (EVERYTHING, "red", SPECTATORS)
    for view in views:
        written = text(match, view)
        assert "; Red: Good luck! [Result]" in written.splitlines()
        assert "Left flank" not in written
        assert "Red will win" not in written


def test_a_text_contains_no_sealed_answer_or_hidden_force_before_it_is_revealed() -> None:
    match = Match(RULES, "duel")
    match.add(Aside((ForceBrought("red", force("Riflemen", "gun"), hidden=True),), "red"))
    match.ready()
    for seat in ("red", "blue"):
        match.give(seat)
    views: tuple[Audience, ...] = (EVERYTHING, "red", "blue", SPECTATORS)
    before = {view: text(match, view) for view in views}
    match.give("red", Picked("3"))
    # Neither the answer nor its existence: a text holds only what has happened on the table.
    assert {view: text(match, view) for view in before} == before
    assert "red=3" not in text(match, "blue")
    sealed = Match(RULES, "duel")
    sealed.add(Aside((ForceBrought("red", force("Riflemen", "gun"), hidden=True),), "red"))
    told = {view: "Riflemen" in text(sealed, view) for view in views}
    assert told == {EVERYTHING: True, "red": True, "blue": False, SPECTATORS: False}


def test_the_text_of_a_fork_names_its_origin_and_what_had_happened() -> None:
    other = Match(RULES, "duel").ready()
    other.until("Press on?")
    entry = other.referee.fold.number
    other.finish(press_on)
    found = fork(other.entries, EVERYTHING, entry - 1)
    assert not isinstance(found, str)
    match = Match(RULES, "duel")
    fields = {"forked": found.forked, "since": found.since, "position": position(found.state)}
    match.reopen(replace(match.referee.fold.opened, **fields))
    written = text(match.ready())
    assert (
        tags(written)["Origin"] == f"It goes on from step {entry - 1} of the match {other.referee.fold.opened.match}."
    )
    heading, bid = written.split("\n\n")[1].splitlines()[:2]
    assert heading.startswith("; What had happened since the last boundary")
    assert bid.startswith("... bid: ")
