"""A generated set-up keeps its secrets: stances, recon duty, which markers are True, and what dice in secret give a side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked, Prompt
from client_protocol.from_client import Answer, CommitRandomness, MakeMatch, RevealRandomness
from server.kernel.dice import DerivedDice, Roll, Taken
from server.kernel.programs import UNCONTROLLED
from server.matches.projections import frames as telling_module
from server.rulesets.library import edition
from tests.support.playing import digest_of, share_of
from tests.support.room import Table, begun, eventually, made
from tests.support.worlds import Life, Told, World, lived, no_chance, seen

__all__ = ["no_chance"]

pytestmark = pytest.mark.usefixtures("no_chance")

BOTH = MakeMatch("make-1", "fad4", "contact", "Ada", ("blue", "red"), {})
ALONE = MakeMatch("make-1", "fad4", "contact", "Ada", ("blue",), {}, programs={"red": UNCONTROLLED})

Secret = Callable[[Prompt], Picked | None]
"""What blue answers otherwise than by default; None for the default."""


async def played(table: Table, secret: Secret, until: Callable[[Prompt], bool]) -> None:
    """Give default answers, and blue's secret ones, until blue is asked for this."""
    count = 0
    while table.asked:
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        prompt = table.prompt(seat)
        if seat == "blue" and until(prompt):
            return
        count += 1
        picked = (secret(prompt) if seat == "blue" else None) or prompt.default
        await table.give(seat, Answer(f"{seat}-{count:06}", prompt.id, picked.choice, picked.values))
    raise AssertionError("blue is never asked for that")


async def world(here: World, message: MakeMatch, secret: Secret, until: Callable[[Prompt], bool], knowing: str) -> Told:
    if message.programs:
        room = await here.rooms.get((await made(here.rooms, message)).match)
        assert room is not None
        await room.commit("blue", CommitRandomness("c", digest_of(share_of("blue"))))
        await room.reveal("blue", RevealRandomness("r", share_of("blue").hex()))
        table = Table(room)
        await eventually(lambda: bool(table.asked))
    else:
        table = await begun(here.rooms, message)
    await played(table, secret, until)
    return await seen(here, table, knowing)


def titled(words: str) -> Callable[[Prompt], bool]:
    return lambda prompt: prompt.title.startswith(words)


def nothing(_prompt: Prompt) -> Picked | None:
    return None


def spread(prompt: Prompt) -> Picked | None:
    """Say that other markers are True than is suggested."""
    if not prompt.title.startswith("Place contact markers"):
        return None
    placed, given = prompt.default.values
    asked = prompt.choices[0].parameters[1]
    assert isinstance(given, Assigned)
    assert isinstance(asked, AssignmentParameter)
    keys = [row.key for row in asked.rows]
    wanted = max(asked.least, min(asked.most, len(keys) - len(given.given)))
    others = [key for key in keys if key not in given.given] + list(given.given)
    return Picked(prompt.default.choice, (placed, Assigned(dict.fromkeys(others[:wanted], "true"))))


def bold(prompt: Prompt) -> Picked | None:
    """Choose otherwise."""
    if "stance" in prompt.title:
        return Picked("offensive")
    return Picked("aggressive") if "attitude" in prompt.title else None


@pytest.mark.rule("fad4/npc.setup")
@pytest.mark.rule("fad4/npc.markers-shuffled")
async def test_which_markers_are_true_changes_no_other_audiences_frames(valkey_url: str) -> None:
    lives: list[Life] = [
        lambda here, secret=secret: world(here, BOTH, secret, titled("Spend"), "blue")  # type: ignore[misc]
        for secret in (nothing, spread)
    ]
    one, other = await lived(valkey_url, edition("fad4"), *lives)
    assert one == other
    assert len(one["red"]) > 20


@pytest.mark.rule("fad4/npc.setup")
async def test_a_stance_and_an_attitude_change_no_other_audiences_frames(valkey_url: str) -> None:
    lives: list[Life] = [
        lambda here, secret=secret: world(here, BOTH, secret, titled("Who goes on recon duty"), "blue")  # type: ignore[misc]
        for secret in (nothing, bold)
    ]
    one, other = await lived(valkey_url, edition("fad4"), *lives)
    assert one == other


def otherwise(monkeypatch: pytest.MonkeyPatch, wanted: dict[str, tuple[int, ...]]) -> None:
    """Let dice for these purposes fall so."""
    fair = DerivedDice.faces

    def faces(self: DerivedDice, roll: Roll) -> Taken:
        taken = fair(self, roll)
        if roll.purpose in wanted:
            assert roll.stream, "it falls in secret"
            return Taken(taken.stream, taken.first, taken.sides, wanted[roll.purpose])
        return taken

    monkeypatch.setattr(DerivedDice, "faces", faces)


@pytest.mark.rule("fad4/npc.stance-attitude")
@pytest.mark.rule("fad4/npc.missions")
@pytest.mark.parametrize(
    ("one", "other", "until"),
    [
        ({"npc-stance": (1,)}, {"npc-stance": (6,)}, "Choose the attitude"),
        ({"npc-attitude": (1,)}, {"npc-attitude": (6,)}, "Who goes on recon duty"),
        (
            {"npc-attitude": (3,), "npc-missions": (1, 1, 6, 1, 1, 1, 1, 1), "npc-target": (1,)},
            {"npc-attitude": (3,), "npc-missions": (6, 1, 1, 1, 1, 1, 1, 1), "npc-target": (2,)},
            "Activate",
        ),
    ],
    ids=["stance", "attitude", "mission"],
)
async def test_what_dice_in_secret_give_a_side_changes_no_players_frames(
    valkey_url: str,
    monkeypatch: pytest.MonkeyPatch,
    one: dict[str, tuple[int, ...]],
    other: dict[str, tuple[int, ...]],
    until: str,
) -> None:
    found = []
    for wanted in (one, other):
        with monkeypatch.context() as context:
            otherwise(context, wanted)
            found += await lived(
                valkey_url, edition("fad4"), lambda here: world(here, ALONE, nothing, titled(until), "red")
            )
    assert found[0] == found[1]
    assert len(found[0]["blue"]) > 10


async def test_a_belief_that_shows_secret_notes_is_noticed(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling_module, "believed", lambda state, _audience: state)
    lives: list[Life] = [
        lambda here, secret=secret: world(here, BOTH, secret, titled("Spend"), "blue")  # type: ignore[misc]
        for secret in (nothing, spread)
    ]
    one, other = await lived(valkey_url, edition("fad4"), *lives)
    assert one != other
