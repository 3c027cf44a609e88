"""Private chat, reports, and changes of sealed answers leave no trace for any other audience: no byte, no number, no reading
of a clock.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from client_protocol.codec import pack
from client_protocol.from_client import Answer, Claim, MakeMatch, MakeOffer, Report, Respond, Say, TakeBack
from client_protocol.from_server import Accepted
from server.kernel.belief import SPECTATORS
from server.kernel.ruleset import Ruleset
from server.matches.log import fold as log_module
from server.matches.log.audiences import audience_of
from server.matches.play import abandonment as abandonment_module
from server.matches.play.abandonment import Abandonment
from server.matches.projections import notation as notation_module
from server.rulesets.library import editions
from tests.support.room import DUEL, THREE_WAY, Table, begun, eventually
from tests.support.toy_rules import ToyRules
from tests.support.worlds import Life, Told, World, lived, no_chance, numbered, seen

__all__ = ["no_chance"]

pytestmark = pytest.mark.usefixtures("no_chance")

LIVE = ClockTerms("live", 600, 5, 30)
BY_LETTER = ClockTerms("correspondence", 86_400, at_zero="claim")
NOBODY = "nobody"


def battle(rules: Ruleset) -> MakeMatch:
    """Return a match of the edition's first scenario, with a clock."""
    scenario = rules.info.scenarios[0]
    return MakeMatch("make-1", rules.info.id, scenario.id, "Ada", tuple(seat for seat, _ in scenario.seats), clock=LIVE)


def talking(message: MakeMatch, speaker: str, channel: str, lines: int, *, answers: int = 12) -> Life:
    """Say this many lines before and after each answer; in between, offers are made and something is taken back."""

    async def life(world: World) -> Told:
        table = await present(world, message)
        said = 0
        for number in range(answers):
            for _ in range(lines):
                # The chat comes between the moments at which other seats act.
                world.hands.move(0.25)
                said += 1
                say = Say(f"private-{said:03}", f"Line {said}", channel)  # type: ignore[arg-type]
                assert isinstance(await table.room.say(audience_of(speaker), "Wat", say), Accepted)
            world.hands.move(1 - 0.25 * lines)
            if number % 4 == 3:
                await settle(table, number)
            seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
            default = table.prompt(seat).default
            await table.give(seat, Answer(f"answer-{number:02}", table.prompt(seat).id, default.choice, default.values))
        return await seen(world, table, speaker)

    return life


async def settle(table: Table, number: int) -> None:
    """Offer something that is declined, and take something back."""
    one, other, *_ = table.room.seats
    offered = table.room._referee.fold.offered
    await table.room.settle_on_desk(one, MakeOffer(f"offer-{number:02}", "pause"))
    await table.room.settle_on_desk(other, Respond(f"respond-{number:02}", str(offered + 1), accept=False))
    await table.room.settle_on_desk(other, TakeBack(f"take-back-{number:02}"))
    for offer, open_ in list(table.room._referee.fold.state.desk.offers.items()):
        for seat in table.room.seats:
            if seat != open_.seat:
                await table.room.settle_on_desk(seat, Respond(f"agree-{number:02}-{seat}", offer, accept=True))
    # An agreement is carried out a moment later.
    await eventually(lambda: bool(table.asked) and not table.room._referee.fold.state.desk.offers)


async def present(world: World, message: MakeMatch) -> Table:
    """Return a match that has begun; if a clock makes it matter, all seats are noted as present."""
    table = await begun(world.rooms, message)
    fold = table.room._referee.fold
    clock = fold.state.desk.clock
    if clock is not None and clock.terms.kind == "live":
        await eventually(
            lambda: fold.state.desk.clock is not None and len(fold.state.desk.clock.here) == len(fold.seats)
        )
    return table


CHANNELS = [("", "spectators"), ("blue", "side")]


@pytest.mark.parametrize(("speaker", "channel"), CHANNELS)
@pytest.mark.parametrize("clock", [None, LIVE, BY_LETTER], ids=["no clock", "live", "by letter"])
async def test_private_chat_changes_no_other_audiences_frames(
    valkey_url: str, speaker: str, channel: str, clock: ClockTerms | None
) -> None:
    message = replace(THREE_WAY, clock=clock)
    lives = [talking(message, speaker, channel, lines) for lines in (0, 1, 3)]
    none, one, many = await lived(valkey_url, ToyRules(), *lives)
    assert none == one == many
    assert len(none) == 3
    assert all(len(frames) > 30 for frames in none.values())


@pytest.mark.parametrize(("speaker", "channel"), CHANNELS)
@pytest.mark.parametrize("rules", editions().values(), ids=editions())
async def test_private_chat_during_a_battle_changes_no_other_audiences_frames(
    valkey_url: str, rules: Ruleset, speaker: str, channel: str
) -> None:
    none, many = await lived(
        valkey_url, rules, *(talking(battle(rules), speaker, channel, lines, answers=8) for lines in (0, 2))
    )
    assert none == many


def reporting(reports: int) -> Life:
    """Let red report what blue has said, this often; no frame shows it, not even one of red's own."""

    async def life(world: World) -> Told:
        table = await present(world, replace(DUEL, clock=LIVE))
        await table.deploy()
        await table.room.say("blue", "", Say("say-rude1", "You fool"))
        frame = table.listeners["red"].seqs[-1]
        world.hands.move(1)
        for number in range(reports):
            world.hands.move(1 / 4)
            report = Report(f"rude-{number:04}", frame, "He is rude")
            assert isinstance(await table.room.report("red", report), Accepted)
        world.hands.move(1 - reports / 4)
        return await seen(world, table, NOBODY)

    return life


async def test_a_report_changes_no_audiences_frames(valkey_url: str) -> None:
    none, one, many = await lived(valkey_url, ToyRules(), reporting(0), reporting(1), reporting(3))
    assert none == one == many
    assert set(none) == {"red", "blue", ""}


def changing(message: MakeMatch, *bids: str) -> Life:
    """Let blue bid and replace its bid, a second after each time; the others look at the clocks and go on."""

    async def life(world: World) -> Told:
        table = await present(world, message)
        await table.deploy()
        world.hands.move(10)
        await bid(table, "blue", bids[0], 0)
        for number, choice in enumerate(bids[1:], 1):
            world.hands.move(1)
            await bid(table, "blue", choice, number)
        world.hands.move(10 - (len(bids) - 1))
        await table.room.say("red", "", Say("say-0002", "Come on"))
        told = await seen(world, table)
        world.hands.move(25)
        for seat in ("red", "green"):
            told[seat].append(pack(await table.room.settle_on_desk(seat, Claim(f"claim-late-{seat}"))))
            told[seat] += numbered(table.listeners[seat].frames, {})
        return told

    return life


async def bid(table: Table, seat: str, choice: str, number: int) -> None:
    await table.give(seat, Answer(f"bid-{seat}-{number:03}", table.prompt(seat).id, choice))


ABANDONED = Abandonment("claim", 30)


@pytest.mark.parametrize("clock", [None, LIVE, BY_LETTER], ids=["no clock", "live", "by letter"])
async def test_no_clock_reveals_that_a_sealed_answer_was_replaced(valkey_url: str, clock: ClockTerms | None) -> None:
    """Neither the time left nor the moment of its reading, nor how soon the game can be claimed."""
    lives = [changing(replace(THREE_WAY, clock=clock), *bids) for bids in ("1", "31", "2131")]
    once, twice, often = await lived(valkey_url, ToyRules(), *lives, abandonment=ABANDONED)
    assert once == twice == often


# --- these tests can fail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("careless", ["hearing", "counting"])
@pytest.mark.parametrize(("speaker", "channel"), CHANNELS)
async def test_the_tests_of_private_chat_can_fail(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, speaker: str, channel: str, careless: str
) -> None:
    if careless == "hearing":
        everybody = ("red", "blue", "green", SPECTATORS)
        monkeypatch.setattr(log_module, "hearing", lambda _state, _seat, _channel: everybody)
    else:
        # Offers are named by the number of entries.
        monkeypatch.setattr("server.matches.play.agreements._name", lambda referee: str(referee.fold.number))
    lives = [talking(THREE_WAY, speaker, channel, lines) for lines in (0, 1)]
    none, one = await lived(valkey_url, ToyRules(), *lives)
    assert all(none[audience] != one[audience] for audience in none)


async def test_the_test_of_exported_texts_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a text that counts what it leaves out, exported texts differ, and nothing else does."""
    told = notation_module._Text.body

    def careless(self: notation_module._Text, number: int, parent: int, before: object, body: object) -> None:
        self.lines.append(f"; {number}")
        told(self, number, parent, before, body)  # type: ignore[arg-type]

    monkeypatch.setattr(notation_module._Text, "body", careless)
    none, one = await lived(valkey_url, ToyRules(), *(talking(THREE_WAY, "", "spectators", lines) for lines in (0, 1)))
    differing = [(a, b) for a, b in zip(none["red"], one["red"], strict=True) if a != b]
    assert {b"exported" in a for a, _ in differing} == {True}


async def test_the_test_of_clocks_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the policy counted from the last entry of any kind, refused claims would reveal replaced answers."""
    monkeypatch.setattr(abandonment_module.Abandonment, "since", lambda self, fold: 1000 * (fold.number + self.seconds))
    once, twice = await lived(
        valkey_url, ToyRules(), *(changing(THREE_WAY, *bids) for bids in ("1", "31")), abandonment=ABANDONED
    )
    assert once["red"] != twice["red"]
