"""Checking match files in which more happened than play: clocks, take-backs, endings, forks, dice of two servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from server.kernel.clocks import Clock
from server.kernel.desk_facts import (
    ClockRead,
    ClockSet,
    Conceded,
    DiceRenewed,
    OfferAccepted,
    OfferClosed,
    RandomnessRevealed,
    SeatHere,
    SeatTaken,
    SecretRevealed,
    TimeUp,
)
from server.matches.log.entries import (
    Aside,
    Body,
    Ended,
    Envelope,
    Opened,
    Rewound,
    Stepped,
    TakenBack,
    position,
)
from server.matches.log.entries import digest as hash_of
from server.matches.log.fold import Fold
from server.matches.log.match_file import MatchFile, export
from server.matches.verify.match_file import LateSeat, Report, Wrong, verify
from tests.archive.toys import MATCHES
from tests.support.playing import SECRET
from tests.support.toy_rules import ToyRules


def rules_of(_edition: str) -> ToyRules:
    return ToyRules()


@cache
def entries_of(name: str) -> tuple[bytes, ...]:
    return tuple(MATCHES[name]().entries)


@cache
def report_of(name: str) -> Report:
    return verify(export(entries_of(name)), rules_of)


@pytest.mark.parametrize("name", MATCHES)
def test_an_honest_match_with_asides_passes(name: str) -> None:
    report = report_of(name)
    assert report.ended
    assert report.replayed == report.steps
    # Everything else is still checked without the rules.
    assert verify(export(entries_of(name)), lambda _edition: None).replayed == 0


def test_dice_of_undone_steps_are_checked_and_counted() -> None:
    report = report_of("taken_back")
    assert report.taken_back == 2
    fold = Fold(entries_of("taken_back")[0])
    for payload in entries_of("taken_back")[1:]:
        fold.add(payload)
    assert report.dice == sum(fold.counters.values())


def test_dice_of_each_server_are_checked_if_its_secret_is_published() -> None:
    first, second = report_of("went_on").eras
    assert (first.checked, second.checked) == (False, True)
    assert first.dice > 0
    assert report_of("went_on").dice == second.dice > 0


def test_dice_of_a_forks_origin_are_not_checked_as_its_own() -> None:
    report = report_of("forked")
    assert report.inherited > 0
    assert report.dice


def test_the_secret_of_another_server_is_not_accepted() -> None:
    file = unpack(export(entries_of("went_on")), MatchFile)
    with pytest.raises(Wrong, match="another server went on"):
        verify(pack(replace(file, secret=SECRET.hex())), rules_of)


# --- what is forged ---------------------------------------------------------------------------------------------------

Change = Callable[[Envelope], Envelope | None]


def forged(entries: tuple[bytes, ...], change: Change) -> tuple[bytes, int]:
    """Return a forged file: the last entry that `change` takes is changed, and the whole chain is built anew."""
    envelopes = [unpack(entry, Envelope) for entry in entries]
    at, new = next((i, new) for i in reversed(range(len(envelopes))) if (new := change(envelopes[i])) is not None)
    envelopes[at] = new
    made: list[bytes] = []
    for envelope in envelopes:
        made.append(pack(replace(envelope, prev=hash_of(made[-1]) if made else bytes(32))))
    secret = unpack(export(entries), MatchFile).secret
    return pack(MatchFile("underfire match 1", tuple(made), hash_of(made[-1]), secret)), at + 1


def body(kind: type[Body], **fields: object) -> Change:
    """Change these fields of an entry of this kind."""

    def change(envelope: Envelope) -> Envelope | None:
        if not isinstance(envelope.body, kind):
            return None
        return replace(envelope, body=replace(envelope.body, **fields))

    return change


def fact(kind: type, make: Callable[..., object]) -> Change:
    """Replace a fact of this kind of an aside."""

    def change(envelope: Envelope) -> Envelope | None:
        if not isinstance(envelope.body, Aside) or not any(isinstance(one, kind) for one in envelope.body.facts):
            return None
        facts = tuple(make(one) if isinstance(one, kind) else one for one in envelope.body.facts)
        return replace(envelope, body=replace(envelope.body, facts=facts))

    return change


def reading(make: Callable[[ClockRead], ClockRead]) -> Change:
    """Change the clock reading of a step."""

    def change(envelope: Envelope) -> Envelope | None:
        if not isinstance(envelope.body, Stepped) or envelope.body.clock is None or envelope.body.picked is None:
            return None
        return replace(envelope, body=replace(envelope.body, clock=make(envelope.body.clock)))

    return change


def played(why: str) -> Change:
    """Mark an answer that a player gave as given by the server."""

    def change(envelope: Envelope) -> Envelope | None:
        if not isinstance(envelope.body, Stepped) or envelope.body.picked is None or envelope.body.played:
            return None
        return replace(envelope, body=replace(envelope.body, played=why))

    return change


def die(envelope: Envelope) -> Envelope | None:
    """Change a die."""
    step = envelope.body
    if not isinstance(step, Stepped) or not step.rolls:
        return None
    roll = step.rolls[-1]
    return replace(
        envelope,
        body=replace(step, rolls=(*step.rolls[:-1], replace(roll, faces=(7 - roll.faces[0], *roll.faces[1:])))),
    )


def beginning(change: Callable[[Opened], Opened]) -> Change:
    def made(envelope: Envelope) -> Envelope | None:
        return replace(envelope, body=change(envelope.body)) if isinstance(envelope.body, Opened) else None

    return made


def more_figures(opened: Opened) -> Opened:
    state = opened.state()
    unit = next(iter(state.units.values()))
    figures = {**unit.figures, "9": unit.figures["1"]}
    return replace(opened, position=position(state.with_unit(replace(unit, figures=figures))))


def with_shares(opened: Opened) -> Opened:
    state = opened.state()
    return replace(opened, position=position(replace(state, desk=replace(state.desk, randomness={"red": "00" * 32}))))


def inherited_die(opened: Opened) -> Opened:
    at = next(i for i, one in enumerate(opened.since) if isinstance(one, Stepped) and one.rolls)
    step = opened.since[at]
    assert isinstance(step, Stepped)
    roll = step.rolls[0]
    other = replace(step, rolls=(replace(roll, faces=tuple(7 - face for face in roll.faces)), *step.rolls[1:]))
    return replace(opened, since=(*opened.since[:at], other, *opened.since[at + 1 :]))


def slower(read: ClockRead) -> ClockRead:
    return replace(read, remaining={seat: ms + 1 for seat, ms in read.remaining.items()})


def richer(set_: ClockSet) -> ClockSet:
    assert isinstance(set_.clock, Clock)
    return ClockSet(replace(set_.clock, remaining={seat: ms + 1000 for seat, ms in set_.clock.remaining.items()}))


FORGERIES: dict[str, list[Change]] = {
    "taken_back": [
        body(TakenBack, agreed=()),
        body(TakenBack, seat="green"),
        lambda envelope: replace(envelope, parent=3) if isinstance(envelope.body, TakenBack) else None,
        lambda envelope: (
            replace(envelope, body=TakenBack("red", agreed=("blue",)))
            if isinstance(envelope.body, TakenBack) and not envelope.body.agreed
            else None
        ),
        fact(OfferAccepted, lambda one: replace(one, seat="red" if one.seat == "blue" else "blue")),
        die,
    ],
    "timed": [
        reading(slower),
        reading(lambda read: replace(read, at=1)),
        reading(lambda read: replace(read, allowance={"red": 10**9, "blue": 10**9})),
        fact(ClockRead, slower),
        fact(ClockSet, richer),
        fact(ClockSet, lambda _one: ClockSet(None)),
        fact(OfferClosed, lambda _one: OfferClosed("99")),
        fact(SeatHere, lambda _one: TimeUp("red")),
        fact(SeatHere, lambda _one: Conceded("red")),
        played("time"),
        body(Stepped, clock=None),
    ],
    "by_letter": [reading(slower), played("time"), die],
    "agreed": [
        body(Ended, winner="red"),
        body(Ended, how="rules"),
        body(Ended, how="concession", winner="red"),
        fact(OfferAccepted, lambda _one: OfferClosed("1")),
    ],
    "conceded": [
        body(Ended, winner="blue"),
        body(Ended, how="agreement", winner=""),
        fact(Conceded, lambda _one: Conceded("green")),
        played("conceded"),
    ],
    "claimed": [body(Ended, winner="blue"), body(Ended, how="abandonment"), fact(TimeUp, lambda _one: TimeUp("red"))],
    "abandoned": [body(Ended, winner="blue"), body(Ended, how="time"), body(Ended, seat="blue")],
    "went_on": [
        fact(ClockSet, richer),
        fact(RandomnessRevealed, lambda one: replace(one, randomness=one.randomness.replace("6", "7"))),
        fact(RandomnessRevealed, lambda one: replace(one, seat="green")),
        fact(DiceRenewed, lambda _one: DiceRenewed("00" * 32)),
        fact(SecretRevealed, lambda _one: SecretRevealed(SECRET.hex())),
        die,
    ],
    "forked": [
        beginning(inherited_die),
        beginning(with_shares),
        beginning(lambda opened: replace(opened, forked=None)),
        beginning(lambda opened: replace(opened, scenario="duel")),
        die,
    ],
}


def forgeries() -> Iterator[ParameterSet]:
    for name, changes in FORGERIES.items():
        for number, change in enumerate(changes):
            yield pytest.param(name, change, id=f"{name}-{number}")
        for number, opened in enumerate((more_figures, with_shares)):
            if name != "forked":
                yield pytest.param(name, beginning(opened), id=f"{name}-beginning-{number}")


@pytest.mark.parametrize(("name", "change"), list(forgeries()))
def test_a_forged_aside_is_named_even_if_the_chain_was_rebuilt(name: str, change: Change) -> None:
    data, at = forged(entries_of(name), change)
    with pytest.raises(Wrong) as found:
        verify(data, rules_of)
    # The fault shows in the file around the entries, in the entry, or, for an offer that was not accepted, in its result.
    assert found.value.entry == 0 or at <= found.value.entry <= at + 2


def test_seats_taken_after_the_end_are_reported_but_are_no_fault() -> None:
    """An older server let strangers sit down in ended matches: its files are honest except for that name."""
    entries = list(entries_of("conceded"))
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    was = dict(fold.state.desk.players)
    for seat in ("red", "blue"):
        entries.append(fold.entry(Aside((SeatTaken(seat, "Eve"),), seat, f"{seat}:late"), 9, bytes(16)))
        fold.add(entries[-1])
    last = len(entries)
    report = verify(export(entries), rules_of)
    assert report.late_seats == (
        LateSeat(last - 1, "red", "Eve", was["red"], over=True),
        LateSeat(last, "blue", "Eve", was["blue"], over=True),
    )
    assert report_of("conceded").late_seats == ()


def test_a_seat_taken_twice_is_reported() -> None:
    def change(envelope: Envelope) -> Envelope | None:
        body = envelope.body
        if not isinstance(body, Aside) or not isinstance(body.facts[0], RandomnessRevealed):
            return None
        return replace(envelope, body=replace(body, facts=(*body.facts, SeatTaken("red", "Eve"))))

    data, at = forged(entries_of("conceded"), change)
    (late,) = verify(data, rules_of).late_seats
    assert (late.entry, late.seat, late.name, late.over) == (at, "red", "Eve", False)
    assert late.before


@pytest.mark.parametrize("name", MATCHES)
def test_an_honest_match_has_no_late_seats(name: str) -> None:
    assert report_of(name).late_seats == ()


@pytest.mark.parametrize("spelling", [str.upper, "{}\n".format, " {}".format])
def test_a_published_secret_must_match_its_commitment_exactly(spelling: Callable[[str], str]) -> None:
    def respell(one: SecretRevealed) -> SecretRevealed:
        return replace(one, secret=spelling(one.secret))

    data, at = forged(entries_of("conceded"), fact(SecretRevealed, respell))
    file = unpack(data, MatchFile)
    with pytest.raises(Wrong, match="not the one that was committed to") as found:
        verify(pack(replace(file, secret=spelling(file.secret))), rules_of)
    assert found.value.entry == at


@pytest.mark.parametrize("last", [Stepped("red"), Ended("red", "So.", "concession"), TakenBack("red"), Rewound("So.")])
def test_only_a_rewind_may_follow_the_end_of_a_match(last: Body) -> None:
    entries = list(entries_of("conceded"))
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    entries.append(fold.entry(last, 9, bytes(16), parent=fold.number - 1 if isinstance(last, TakenBack) else 0))
    file = unpack(export(entries_of("conceded")), MatchFile)
    data = pack(replace(file, entries=tuple(entries), head=hash_of(entries[-1])))
    if isinstance(last, Rewound):
        # A rewind to the end, which changes nothing.
        assert verify(data, rules_of).rewound == 1
        return
    with pytest.raises(Wrong) as found:
        verify(data, rules_of)
    assert found.value.entry == len(entries)
