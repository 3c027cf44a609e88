"""Checking match files: an honest one passes, and the fault of a changed one is located."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from client_protocol.choices import FiguresPicked, Picked
from client_protocol.codec import pack, unpack
from server.kernel.desk_facts import ForceBrought, RandomnessRevealed, StandingOrder
from server.kernel.facts import FiguresFell, Rolled
from server.matches.log.entries import Aside, Body, Envelope, Rewound, Stepped, decode, digest
from server.matches.log.match_file import MatchFile, export
from server.matches.verify.match_file import Wrong, verify
from tests.support.playing import MatchInMemory, press_on, whole
from tests.support.toy_rules import ToyRules, force


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    return whole(ToyRules(rounds=1), press_on).entries


def rules_of(_edition: str) -> ToyRules:
    return ToyRules(rounds=1)


def forged(entries: list[bytes], change: Callable[[Body], Body | None]) -> tuple[bytes, int]:
    """Return a forged file: the first entry that `change` takes is changed, and the whole chain is built anew."""
    made: list[bytes] = []
    at = 0
    for number, entry in enumerate(entries, 1):
        envelope = unpack(entry, Envelope)
        body = change(envelope.body) if not at else None
        if body is not None:
            at = number
            envelope = replace(envelope, body=body)
        made.append(pack(replace(envelope, prev=digest(made[-1]) if made else bytes(32))))
    secret = unpack(export(entries), MatchFile).secret
    return pack(MatchFile("underfire match 1", tuple(made), digest(made[-1]), secret)), at


def test_an_honest_match_file_passes(entries: list[bytes]) -> None:
    report = verify(export(entries), rules_of)
    assert report.entries == len(entries)
    assert report.ended
    assert report.dice
    assert report.steps == report.replayed > 5


def test_without_the_rules_everything_else_is_still_checked(entries: list[bytes]) -> None:
    report = verify(export(entries), lambda _edition: None)
    assert report.dice
    assert report.replayed == 0


def test_any_changed_byte_of_a_match_file_is_found_and_its_entry_named(entries: list[bytes]) -> None:
    data = export(entries)
    spans: list[tuple[int, int, int]] = []
    at = 0
    for number, entry in enumerate(entries, 1):
        at = data.index(entry, at)
        spans.append((at, at + len(entry), number))
        at += len(entry)
    for place in range(len(data)):
        bad = bytearray(data)
        bad[place] ^= 1 + place % 255
        with pytest.raises(Wrong) as found:
            verify(bytes(bad), rules_of)
        inside = next((number for start, end, number in spans if start <= place < end), None)
        if inside is not None:
            assert found.value.entry == inside, place


def test_truncated_and_extended_files_are_faults(entries: list[bytes]) -> None:
    data = export(entries)
    for bad in (b"", data[:-1], data[: len(data) // 2], data + b"\x00"):
        with pytest.raises(Wrong):
            verify(bad, rules_of)


def test_missing_and_reordered_entries_are_found(entries: list[bytes]) -> None:
    file = unpack(export(entries), MatchFile)
    for made in (entries[:5] + entries[6:], [*entries[:5], entries[6], entries[5], *entries[7:]], entries[:-1]):
        with pytest.raises(Wrong):
            verify(pack(replace(file, entries=tuple(made))), rules_of)


def test_a_forged_die_is_named_even_if_the_chain_was_rebuilt(entries: list[bytes]) -> None:
    def change(body: Body) -> Body | None:
        if not isinstance(body, Stepped) or not body.rolls:
            return None
        first = body.rolls[0]
        faces = (first.faces[0], first.faces[1] % 6 + 1)
        return replace(body, rolls=(replace(first, faces=faces), *body.rolls[1:]))

    data, at = forged(entries, change)
    with pytest.raises(Wrong, match=r"but the secret gives \d") as found:
        verify(data, rules_of)
    assert (found.value.entry, found.value.stream, found.value.die) == (at, "", 1)


def test_a_forged_die_of_a_secret_stream_is_named_with_its_stream(entries: list[bytes]) -> None:
    def change(body: Body) -> Body | None:
        if not isinstance(body, Stepped) or len(body.rolls) < 2:
            return None
        hidden = body.rolls[1]
        return replace(body, rolls=(body.rolls[0], replace(hidden, faces=(hidden.faces[0] % 6 + 1,))))

    data, at = forged(entries, change)
    with pytest.raises(Wrong, match="die 0 of stream secret:red") as found:
        verify(data, rules_of)
    assert found.value.entry == at


def spare(body: Body) -> Body | None:
    """Take the losses out of a step."""
    kept = [f for f in body.facts if not isinstance(f, FiguresFell)] if isinstance(body, Stepped) else []
    return replace(body, facts=tuple(kept)) if isinstance(body, Stepped) and len(kept) < len(body.facts) else None


def embellish(body: Body) -> Body | None:
    """Change a number to a better one."""
    if not isinstance(body, Stepped) or not any(isinstance(fact, Rolled) for fact in body.facts):
        return None
    return replace(body, facts=tuple(replace(f, numbers=()) if isinstance(f, Rolled) else f for f in body.facts))


def cheat(body: Body) -> Body | None:
    """Give an answer that was never offered."""
    if not isinstance(body, Stepped) or body.picked is None or body.picked.choice != "fall":
        return None
    return replace(body, picked=Picked("fall", (FiguresPicked(()),)))


def swap(body: Body) -> Body | None:
    """Reveal a share of the dice to which no seat had committed."""
    if not isinstance(body, Aside) or not isinstance(body.facts[0], RandomnessRevealed):
        return None
    return replace(body, facts=(replace(body.facts[0], randomness="00" * 32),))


def usurp(body: Body) -> Body | None:
    """Give an order to a unit of another seat."""
    if not isinstance(body, Aside) or not isinstance(body.facts[0], RandomnessRevealed):
        return None
    return replace(body, facts=(*body.facts, StandingOrder("blue-1", "stop")))


def smuggle(body: Body) -> Body | None:
    """Bring a force after all seats are taken."""
    if not isinstance(body, Aside) or not isinstance(body.facts[0], RandomnessRevealed):
        return None
    return replace(body, facts=(*body.facts, ForceBrought("red", force("Late", "gun"))))


@pytest.mark.parametrize("change", [usurp, smuggle, spare, embellish, cheat, swap])
def test_a_forged_entry_is_named_even_if_the_chain_was_rebuilt(
    entries: list[bytes], change: Callable[[Body], Body | None]
) -> None:
    data, at = forged(entries, change)
    with pytest.raises(Wrong) as found:
        verify(data, rules_of)
    assert found.value.entry == at > 0


def test_a_secret_that_does_not_match_its_commitment_is_a_fault(entries: list[bytes]) -> None:
    file = unpack(export(entries), MatchFile)
    with pytest.raises(Wrong, match="committed to when the match was made"):
        verify(pack(replace(file, secret="11" * 32)), rules_of)
    with pytest.raises(Wrong, match="not the one that the log publishes"):
        verify(pack(replace(file, secret="")), rules_of)


def test_the_file_of_a_match_in_play_has_its_chain_checked_but_not_its_dice() -> None:
    in_memory = MatchInMemory(ToyRules(rounds=1))
    in_memory.seat_all()
    in_memory.begin()
    report = verify(export(in_memory.entries), rules_of)
    assert report.dice is None
    assert not report.ended


def test_a_match_with_a_rewind_to_a_boundary_passes() -> None:
    old, new = ToyRules(rounds=2), ToyRules(rounds=2, version="toy 2", bonus=3)
    in_memory = MatchInMemory(old)
    in_memory.seat_all()
    in_memory.begin()
    for seat in in_memory.play():
        if in_memory.referee.ask and in_memory.referee.ask.seats[seat].title == "Choose a loss":
            break
    in_memory.referee = in_memory.again(new)
    in_memory.add(Rewound("New rules."))
    in_memory.begin()
    for _ in in_memory.play(press_on):
        pass
    data = export(in_memory.entries)
    first = verify(data, lambda _edition: old)
    second = verify(data, lambda _edition: new)
    assert first.versions == second.versions == ("toy 1", "toy 2")
    # Each of the two versions confirms its own steps and reports the other's; the bonus is in every roll.
    rewound = next(n for n, e in enumerate(in_memory.entries, 1) if isinstance(decode(n, e).body, Rewound))
    for report, other in ((first, "toy 2"), (second, "toy 1")):
        assert report.replayed == report.steps
        assert report.differences
        assert {difference.version for difference in report.differences} == {other}
        assert all((difference.entry > rewound) == (other == "toy 2") for difference in report.differences)
    assert hashlib.sha256(bytes(range(32))).hexdigest() == decode(1, in_memory.entries[0]).body.commitment  # type: ignore[union-attr]
