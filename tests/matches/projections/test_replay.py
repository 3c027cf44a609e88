"""A replay shows a match to every audience, at every frame, as it was shown then; and no rules are run for it."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from client_protocol.codec import pack, unpack
from client_protocol.from_client import Replay
from client_protocol.from_server import Refused, ReplayPart
from server.kernel.answers.sampling import sample
from server.kernel.belief import EVERYTHING, SPECTATORS
from server.kernel.desk_facts import Said
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Aside, Stepped, TakenBack
from server.matches.log.fold import Added
from server.matches.log.timeline import Timeline
from server.matches.play.taking_back import way_back
from server.matches.projections import replay as replay_module
from server.matches.projections.replay import MOST_FRAMES, part_of, replay_part
from server.rulesets.library import editions
from server.work.slicing import at_once
from tests.support.playing import MatchInMemory, merged
from tests.support.reliving import GAMES, Live, bare, eventful, plain, told_again
from tests.support.toy_rules import ToyRules


def seen(view: dict[str, Any]) -> dict[str, Any]:
    """Return what a replay shows of a view: all but the asked seats, the possible take-backs, and what an offer would undo."""
    seats = {
        key: {name: value for name, value in seat.items() if name not in {"asked", "take_back"}}
        for key, seat in view["seats"].items()
    }
    offers = {key: {**offer, "text": ()} for key, offer in view["offers"].items()}
    return {**view, "seats": seats, "offers": offers}


every_game = pytest.mark.parametrize(("rules", "scenario"), GAMES, ids=[f"{r.info.id} {s}" for r, s in GAMES])


@every_game
@pytest.mark.parametrize("seed", [1, 2])
def test_every_frame_of_a_replay_equals_the_frame_sent_in_play(rules: Ruleset, scenario: str, seed: int) -> None:
    live = eventful(Live(rules, scenario), seed)
    fold = live.referee.fold
    for audience in fold.audiences:
        views, frames = told_again(live, audience)
        assert [frame.seq for frame in frames] == list(range(1, fold.seqs[audience] + 1))
        assert [frame.story for frame in frames] == [update.story for update in live.updates[audience]]
        assert len(views) == len(live.views[audience])
        for again, was in zip(views, live.views[audience], strict=True):
            assert seen(again) == seen(was)


@every_game
def test_a_replay_shows_the_asked_seats_where_the_log_reveals_them(rules: Ruleset, scenario: str) -> None:
    live = eventful(Live(rules, scenario), 1)
    views, frames = told_again(live, SPECTATORS)
    asked = 0
    for again, was in zip(views, live.views[SPECTATORS], strict=True):
        now, then = ({key for key, seat in view["seats"].items() if seat["asked"]} for view in (again, was))
        assert now <= then
        asked += bool(now)
    assert asked > len(frames) / 2


def test_the_replay_of_everything_shows_all_chat_and_orders() -> None:
    live = eventful(Live(ToyRules(rounds=8), "three-way"), 2)
    views, frames = told_again(live, EVERYTHING)
    assert [frame.seq for frame in frames] == list(range(1, len(live.entries)))
    said = [story.text for frame in frames for story in frame.story if story.channel == "side"]
    assert len(said) > 2
    assert any(unit["order"] for view in views for unit in view["units"].values())


def test_a_replay_begins_for_each_audience_as_the_match_did() -> None:
    live = Live(ToyRules(), "duel")
    for view, seat in (("red", "red"), (SPECTATORS, ""), (EVERYTHING, "")):
        start = live.replay(view).start
        assert start is not None
        assert (start.seq, start.seat, start.orders) == (0, seat, live.rules.orders)
        assert start.orders


def test_a_replayed_take_back_names_the_frame_to_which_the_match_returned() -> None:
    live = Live(ToyRules(rounds=4), "duel")
    live.seat_all()
    live.begin()
    found = None
    for seat in live.play():
        found = way_back(live.referee.fold, live.referee.ask, seat)
        if found is not None and len(found.undone) > 1:
            live.add(Aside((Said("", "Wat", "ah", "spectators"),)))
            live.add(TakenBack(seat, "~back"), found.to.number)
            break
    assert found is not None
    for view in (*live.referee.fold.audiences, EVERYTHING):
        views, frames = told_again(live, view)
        fold = live.referee.fold
        (back,) = [frame for frame in frames if frame.back >= 0]
        assert back is frames[-1]
        assert back.story[0].kind == "back"
        assert back.back == (found.to.number - 1 if view == EVERYTHING else fold.frame(found.to, view))
        assert views[back.seq]["units"] == views[back.back]["units"]
        assert views[back.seq]["turn"] == back.turn == views[back.back]["turn"]


def test_a_replay_can_be_continued_after_more_has_happened() -> None:
    """The parts fetched after each entry are together what is fetched at the end."""
    rules = ToyRules(rounds=4)
    live = Live(rules, "three-way")
    part = live.replay("red")
    assert part.start is not None
    views, frames = [plain(part.start.view)], 0

    def fetch() -> None:
        nonlocal frames
        part = live.replay("red", frames)
        assert part.start is None
        frames += len(part.frames)
        views.extend(bare(merged(views[-1], unpack(pack(frame.patch), dict))) for frame in part.frames)

    live.seat_all()
    live.begin()
    for _ in live.play():
        fetch()
    fetch()
    again, _ = told_again(live, "red")
    assert [seen(view) for view in views] == [seen(view) for view in again]
    assert views[-1] == again[-1]


def test_the_parts_of_a_replay_are_small_and_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    live = eventful(Live(ToyRules(rounds=8), "duel"), 1)
    whole = told_again(live, SPECTATORS)
    monkeypatch.setattr(replay_module, "MOST_FRAMES", 7)
    assert len(live.replay(SPECTATORS).frames) == 7
    sevens = told_again(live, SPECTATORS)
    monkeypatch.setattr(replay_module, "MOST_BYTES", 1)
    assert len(live.replay(SPECTATORS).frames) == 1
    assert told_again(live, SPECTATORS)[0] == sevens[0] == whole[0]


def test_a_replay_of_an_unknown_audience_is_refused_and_one_past_the_end_is_empty() -> None:
    live = eventful(Live(ToyRules(), "duel"), 1)
    refused = replay_part(live.rules, live.entries, Replay("r", "green"))
    assert isinstance(refused, Refused)
    beyond = live.replay("red", 10_000)
    assert (beyond.frames, beyond.more, beyond.start) == ((), False, None)
    assert beyond.last == live.referee.fold.seqs["red"]


def test_a_replay_runs_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The match was played by rules that no longer exist; what they did is still shown."""
    live = eventful(Live(ToyRules(rounds=4), "duel"), 1)
    before = told_again(live, "blue")

    def gone(*_: object) -> None:
        raise AssertionError("the rules are run")

    for name in ("procedure", "preview", "what_if", "open"):
        monkeypatch.setattr(ToyRules, name, gone)
    assert told_again(live, "blue") == before


def test_a_part_of_a_long_matchs_replay_is_made_within_two_seconds() -> None:
    rules = next(iter(editions().values()))
    played = MatchInMemory(rules, rules.info.scenarios[-1].id)
    played.seat_all()
    played.begin()
    chance = random.Random(1)
    for _ in played.play(lambda state, asked: sample(state, asked, chance)):
        if len(played.entries) > 150:
            break
    while len(played.entries) < 1000:
        played.add(Aside((Said("", "Wat", "well", "spectators"),)))
    for after in (-1, 400, 800):
        began = time.process_time()
        assert isinstance(replay_part(rules, played.entries, Replay("r", "", after)), ReplayPart)
        assert time.process_time() - began < 2, "it takes a few hundredths of a second"


def asked_by_walking(timeline: Timeline, frames: Sequence[int], frame: int) -> frozenset[str]:
    """Return the seats that are asked after a frame, found by looking at every later frame."""
    found = set(timeline.after(frames[frame - 1] if frame else 1).sealed)
    for number in frames[frame:]:
        body = timeline.entry(number).envelope.body
        if isinstance(body, Aside):
            continue
        if isinstance(body, Stepped) and body.picked is not None:
            found.add(body.seat)
            if body.sealing:
                continue
        break
    return frozenset(found)


@every_game
def test_the_asked_seats_are_found_for_a_whole_part_at_once(rules: Ruleset, scenario: str) -> None:
    live = eventful(Live(rules, scenario), 3)
    timeline = Timeline(live.entries[0])
    at_once(timeline.add(live.entries[1:]))
    for view in (*live.referee.fold.audiences, EVERYTHING):
        frames = timeline.frames(view)
        assert frames is not None
        walked = [asked_by_walking(timeline, frames, frame) for frame in range(len(frames) + 1)]
        assert timeline.asked(frames, 0, len(frames)) == walked
        for first in range(0, len(frames), 7):
            until = min(first + 5, len(frames))
            assert timeline.asked(frames, first, until) == walked[first : until + 1]


def test_a_part_of_a_replay_full_of_chat_looks_only_at_its_own_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live(ToyRules(), "duel")
    said = 3 * MOST_FRAMES
    for number in range(said):
        live.add(Aside((Said("red", "", f"Line {number}", "table"),), "red"))
    timeline = Timeline(live.entries[0])
    at_once(timeline.add(live.entries[1:]))
    looked: list[int] = []
    entry = Timeline.entry

    def counted(self: Timeline, number: int) -> Added:
        looked.append(number)
        return entry(self, number)

    monkeypatch.setattr(Timeline, "entry", counted)
    part = at_once(part_of(timeline, ToyRules(), Replay("r", "", 10)))
    assert isinstance(part, ReplayPart)
    assert part.more
    assert len(looked) <= 3 * len(part.frames)
