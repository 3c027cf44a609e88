"""The session that the transcript shows: a second player takes a seat, plays the battle to its end, and asks for the luck."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from client_protocol import codec
from client_protocol.choices import Picked, Prompt, UnitNamed, UnitParameter
from client_protocol.shapes import PROTOCOL
from tests.protocol_pages.wire import THEIRS, Message, Talk

SETUP = Path(__file__).parent / "farm_lane.toml"


async def session(address: str) -> tuple[Talk, Talk]:
    """The two connections of the second player: at the start page, and at the table."""
    async with AsyncExitStack() as stack:
        page, ann, start, bob = [
            await stack.enter_async_context(Talk.at(address, name)) for name in ("page", "ann", "bob-start", "bob")
        ]
        made = await _made(page)
        blue, red = made["passes"]
        await ann.sit(made["match"], blue["token"])
        await ann.commit()
        await _takes_the_seat(start, made["match"], red)
        await _comes_to_the_table(bob, made["match"], start.said[-1][1]["token"])
        await _shares_in_the_dice(ann, bob)
        await _plays(ann, bob)
        return start, bob


async def _made(page: Talk) -> Message:
    await page.say({"type": "enter_lobby", "protocol": PROTOCOL})
    await page.until("matches")
    await page.ask("upload", upload="farm-lane", part=0, of=1, data=SETUP.read_bytes())
    made = await page.ask("make_match", edition="", scenario="", name="Ann", mine=["blue"], setup="farm-lane")
    assert made["type"] == "match_made", made
    return made


async def _takes_the_seat(start: Talk, match: str, red: Message) -> None:
    start.note("Bob's bot has got an invite from Ann. It connects, enters the start page, and takes the seat.")
    await start.say({"type": "enter_lobby", "protocol": PROTOCOL})
    await start.until("matches")
    taken = await start.ask("take_seat", match=match, seat=red["seat"], name="Bob", invite=red["invite"])
    assert taken["type"] == "seat_taken", taken
    # What changes in the list of matches is told when it does; when that is, is not the same each time.
    start.said = [row for row in start.said if row[0] != THEIRS or row[1]["type"] != "matches_changed"]


async def _comes_to_the_table(bob: Talk, match: str, token: str) -> None:
    bob.note("It leaves the start page, connects anew, and sits down with the token that it was given.")
    await bob.sit(match, token)


async def _shares_in_the_dice(ann: Talk, bob: Talk) -> None:
    bob.note("Ann has committed to her share of the dice already. Bob's bot does the same.")
    await bob.commit()
    bob.note("Both have committed: now both reveal their shares, and the match begins.")
    await ann.level()
    await ann.reveal()
    await bob.level()
    await bob.reveal()
    while not (ann.asked or bob.asked):
        await bob.hear()
        await ann.level()


async def _plays(ann: Talk, bob: Talk) -> None:
    await _until_bob_is_asked(ann, bob)
    bob.note(
        "An answer needs a value for each parameter of its choice. Without one it is refused, and nothing changes:"
    )
    refused = await bob.answer(Picked(_attack(bob.asked).choice))
    assert refused["code"] == "values", refused
    bob.note("The same prompt is open still, and is not sent again. With the value, the answer is taken.")
    await _answers(bob, _attack(bob.asked))
    await _until_bob_is_asked(ann, bob)
    bob.note("What would come of shooting? Asking changes nothing.")
    attack = _attack(bob.asked)
    assert bob.prompt is not None, "something is asked"
    inquiry = {"prompt": bob.prompt["id"], "choice": attack.choice, "values": codec.plain(attack.values)}
    preview = await bob.ask("ask_preview", **inquiry)
    assert preview["type"] == "preview", preview
    bob.note("That will do.")
    while not bob.over:
        await _answers(bob, _attack(bob.asked))
        await _until_bob_is_asked(ann, bob)
    while bob.seq == bob.ended_at:
        await bob.hear()
    bob.note("The view has a `result`: the match is over. One may still talk, and ask what luck both had.")
    await bob.ask("say", text="Well fought, Ann.")
    await bob.ask("ask_luck_report")
    bob.note("The bot closes the connection, with the close code 1000.")


async def _until_bob_is_asked(ann: Talk, bob: Talk) -> None:
    """Let Ann play until it is for Bob to decide, or the match is over."""
    await ann.level()
    if ann.asked:
        bob.note("Now Ann decides, and each of her answers makes a frame:")
    while ann.asked:
        await _answers(ann, _attack(ann.asked))
        await bob.level()


async def _answers(talk: Talk, picked: Picked) -> None:
    reply = await talk.answer(picked)
    assert reply["type"] == "accepted", reply
    await talk.level()


def _attack(asked: Prompt | None) -> Picked:
    """The first choice that names a unit, or that of opening fire; else the default."""
    assert asked is not None, "something is asked"
    choices = sorted(asked.choices, key=lambda choice: choice.key != "open-fire")
    for choice in choices:
        match choice.parameters:
            case (UnitParameter(candidates=candidates),) if choice.why is None:
                return Picked(choice.key, (UnitNamed(next(row.unit for row in candidates if row.why is None)),))
    return asked.default
