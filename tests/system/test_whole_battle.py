"""Battles between seats that answer at random, over the wire to their end, and their match files. Of every edition."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.from_server import Refused
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Envelope, Stepped, decode, digest
from server.matches.log.match_file import FORMAT, MatchFile, read
from server.matches.verify.match_file import Wrong
from server.matches.verify.match_file import verify as check
from server.rulesets.library import edition, editions
from tests.support.servers import UNDERFIRE, serving
from tests.system.play import Battle, Randomly, make_match

TRIES = 3
"""Guesses at a legal answer before the default is given: a seat that only guesses exceeds its rate."""
CHANGED = 500
"""How many of the file's bytes are changed, one at a time."""


def verify(file: Path, data: bytes) -> tuple[int, str]:
    """Run `underfire verify` on a file, and return its exit code and its output."""
    file.write_bytes(data)
    done = subprocess.run([UNDERFIRE, "verify", str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


async def play_out(battle: Battle, player: Randomly) -> list[Refused]:
    """Play to the end, and return what was refused on the way."""
    refused: list[Refused] = []
    while (table := await battle.next()) is not None:
        prompt, seq = table.prompt, table.seq
        assert prompt is not None
        for _ in range(TRIES):
            picked = player(table.view, prompt)
            reply = await table.answer(picked.choice, picked.values, prompt.id)
            if not isinstance(reply, Refused):
                await battle.level(table, reply.seq)
                break
            # The refused answer had no effect, and the prompt is the same as before.
            assert (table.seq, table.prompt) == (seq, prompt)
            refused.append(reply)
        else:
            await battle.give(table, prompt.default)
    return refused


def short(rules: Ruleset) -> list[str]:
    """Return the shortest scenarios of an edition."""
    return [scenario.id for scenario in sorted(rules.info.scenarios, key=lambda scenario: scenario.minutes)[:2]]


@pytest.mark.parametrize("scenario", [scenario for rules in editions().values() for scenario in short(rules)])
async def test_a_battle_of_random_answers_ends_and_its_file_verifies(tmp_path: Path, scenario: str) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server, scenario)
        where = f"/matches/{made.match}.underfire"
        async with Battle.at(server, made) as battle:
            assert server.get(where).status == 409
            refused = await play_out(battle, Randomly(seed=4))
            assert all(refusal.sentence.endswith(".") for refusal in refused)
            results = [table.view.result for table in battle.tables.values()]
            assert results[0] is not None
            assert results == [results[0]] * len(battle.tables)
        data = await server.match_file(made.match)
    code, said = await asyncio.to_thread(verify, tmp_path / "match.underfire", data)
    assert code == 0, said
    assert "Nothing is wrong" in said
    steps = re.search(r"All (\d+) steps", said)
    assert steps is not None, said
    assert int(steps[1]) > 20


@pytest.fixture(scope="module")
def battle_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a battle that was played to its end over the wire."""
    folder = tmp_path_factory.mktemp("battle")

    async def play() -> bytes:
        async with serving(folder) as server:
            made = await make_match(server)
            async with Battle.at(server, made) as battle:
                await play_out(battle, Randomly(seed=5))
            return await server.match_file(made.match)

    return asyncio.run(play())


def test_a_changed_byte_anywhere_in_a_match_file_is_found_and_its_entry_named(battle_file: bytes) -> None:
    chance = random.Random(1)
    for place in chance.sample(range(len(battle_file)), CHANGED):
        changed = bytearray(battle_file)
        changed[place] ^= 1 << chance.randrange(8)
        with pytest.raises(Wrong) as found:
            check(bytes(changed), edition)
        if entry := entry_at(battle_file, place):
            assert found.value.entry == entry


def entry_at(data: bytes, place: int) -> int:
    """Return the number of the entry (from 1) that holds this byte of a file; 0 for the bytes around the entries."""
    for number, entry in enumerate(read(data).entries, 1):
        start = data.index(entry)
        if start <= place < start + len(entry):
            return number
    return 0


def test_verify_names_the_entry_that_was_changed(battle_file: bytes, tmp_path: Path) -> None:
    number = len(read(battle_file).entries) // 2
    place = battle_file.index(read(battle_file).entries[number - 1]) + 100
    changed = battle_file[:place] + bytes([battle_file[place] ^ 1]) + battle_file[place + 1 :]
    code, said = verify(tmp_path / "changed.underfire", changed)
    assert code == 1
    assert f"entry {number}:" in said


def test_verify_names_the_forged_die_even_if_the_whole_chain_was_rebuilt(battle_file: bytes, tmp_path: Path) -> None:
    archive = read(battle_file)
    envelopes = [decode(number, payload) for number, payload in enumerate(archive.entries, 1)]
    at, body = next(
        (at, envelope.body)
        for at, envelope in enumerate(envelopes)
        if at > len(envelopes) // 2 and isinstance(envelope.body, Stepped) and envelope.body.rolls
    )
    roll = body.rolls[0]
    better = replace(roll, faces=(roll.faces[0] % roll.sides + 1, *roll.faces[1:]))
    envelopes[at] = replace(envelopes[at], body=replace(body, rolls=(better, *body.rolls[1:])))
    code, said = verify(tmp_path / "forged.underfire", chained(envelopes, archive.secret))
    assert code == 1
    assert f"entry {at + 1}, die {roll.first}" in said
    assert f"it shows {better.faces[0]}, but the secret gives {roll.faces[0]}" in said


def chained(envelopes: list[Envelope], secret: str) -> bytes:
    """Return a file of these entries with a valid hash chain."""
    payloads = [pack(envelopes[0])]
    for envelope in envelopes[1:]:
        payloads.append(pack(replace(envelope, prev=digest(payloads[-1]))))
    return pack(MatchFile(FORMAT, tuple(payloads), digest(payloads[-1]), secret))
