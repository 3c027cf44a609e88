"""Checking a match file: the chain, the shares of the dice, every die, the fold, and the rules where they are the same. Pure.

What is claimed and what is not stands in docs/dice.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from client_protocol.codec import pack
from server.kernel.belief import believed
from server.kernel.desk_facts import ForceBrought, RandomnessCommitted, RandomnessRevealed, StandingOrder
from server.kernel.dice import dice_context, die
from server.kernel.procedure import Run
from server.kernel.prompts import check
from server.kernel.ruleset import Ruleset
from server.matches.archive import Archive, ArchiveError, read, salvage
from server.matches.entries import Aside, Envelope, LogError, Rewound, Stepped, decode, digest
from server.matches.log import Added, Fold
from server.matches.referee import replayed


class Wrong(Exception):  # noqa: N818 - it is a finding
    """The first thing that is wrong. `entry` is counted from 1 (0: the file around the entries); `stream` and `die` name the
    die, if it is one (-1: none).
    """

    def __init__(self, entry: int, what: str, stream: str = "", die: int = -1) -> None:
        where = f"entry {entry}" if entry else "the file"
        if die >= 0:
            where += f", die {die}" + (f" of stream {stream}" if stream else "")
        super().__init__(f"{where}: {what}")
        self.entry = entry
        self.what = what
        self.stream = stream
        self.die = die


class Report(Struct, frozen=True):
    """What was checked in a file in which nothing is wrong.

    `dice` is how many dice were derived again (None: the secret is not published), `replayed` how many steps the rules made
    again, `steps` how many there are; `versions` are the rules that made them.
    """

    match: str
    title: str
    entries: int
    dice: int | None
    steps: int
    replayed: int
    versions: tuple[str, ...]
    ended: str


def verify(data: bytes, rules_of: Callable[[str], Ruleset | None]) -> Report:
    """Check a match file. `rules_of` gives the rules of an edition, if they are here. Raises `Wrong` at the first fault."""
    try:
        archive = read(data)
    except ArchiveError as error:
        # Name the entry, if the damage is in one.
        entries, after = salvage(data)
        _check_chain(entries, None)
        raise Wrong(after, str(error)) from error
    if not archive.entries:
        raise Wrong(0, "it holds no entries")
    _check_chain(archive.entries, archive.head)
    return _Check(archive, rules_of).run()


def _check_chain(payloads: Sequence[bytes], head: bytes | None) -> None:
    """Find the entry that was changed, if one was. A hash that does not fit tells of two entries; which of them was changed
    the next hash tells.
    """
    envelopes: list[Envelope] = []
    for number, payload in enumerate(payloads, 1):
        try:
            envelope = decode(number, payload)
        except LogError as error:
            raise Wrong(number, error.what) from error
        if pack(envelope) != payload:
            raise Wrong(number, "it is not written the way entries are")
        envelopes.append(envelope)
    named = [envelope.prev for envelope in envelopes[1:]]
    if head is not None:
        named.append(head)
    fits = [digest(payload) == prev for payload, prev in zip(payloads, named, strict=False)]
    for number, fit in enumerate(fits, 1):
        if not fit:
            both = number < len(fits) and not fits[number]
            raise Wrong(number + both, "its hash is not the one that the chain gives it: it was changed")


class _Check:
    """One pass over the entries of a file whose chain holds."""

    def __init__(self, archive: Archive, rules_of: Callable[[str], Ruleset | None]) -> None:
        self._archive = archive
        try:
            self._fold = Fold(archive.entries[0])
        except LogError as error:
            raise Wrong(1, error.what) from error
        self._rules = rules_of(self._fold.opened.edition)
        self._secret = self._check_secret()
        self._run: Run | None = None
        self._dice = 0
        self._steps = 0
        self._replayed = 0
        self._versions = [self._fold.version]

    def run(self) -> Report:
        """Check entry by entry."""
        fold = self._fold
        for number, payload in enumerate(self._archive.entries[1:], 2):
            try:
                added = fold.add(payload)
            except LogError as error:
                raise Wrong(number, error.what) from error
            except Exception as error:
                raise Wrong(number, f"its facts do not fit the match ({error!r})") from error
            self._check_entry(number, added)
        state = fold.state
        if state.desk.secret != self._archive.secret:
            raise Wrong(0, "the dice secret is not the one that the log publishes")
        return Report(
            match=fold.opened.match,
            title=fold.opened.title,
            entries=fold.number,
            dice=self._dice if self._secret else None,
            steps=self._steps,
            replayed=self._replayed,
            versions=tuple(dict.fromkeys(self._versions)),
            ended="" if state.result is None else state.result.reason,
        )

    def _check_secret(self) -> bytes:
        try:
            secret = bytes.fromhex(self._archive.secret)
        except ValueError:
            raise Wrong(0, "the dice secret is not written in hexadecimal") from None
        if secret and hashlib.sha256(secret).hexdigest() != self._fold.opened.commitment:
            raise Wrong(0, "the dice secret is not the one that was committed to when the match was made")
        return secret

    def _check_entry(self, number: int, added: Added) -> None:
        body = added.envelope.body
        if isinstance(body, Aside):
            self._check_shares(number, body, added)
            self._check_brought(number, body, added)
            if self._run is not None:
                self._run.fold(body.facts)
        elif isinstance(body, Stepped):
            self._steps += 1
            self._versions.append(self._fold.version)
            self._check_dice(number, body)
            self._check_rules(number, body, added)
        elif isinstance(body, Rewound):
            self._run = None

    def _check_shares(self, number: int, body: Aside, added: Added) -> None:
        """Nobody commits when a share is known, and each share is the one that was committed to."""
        desk = added.before.desk
        for fact in body.facts:
            if isinstance(fact, RandomnessCommitted) and desk.randomness:
                raise Wrong(number, f"{fact.seat} commits to a share of the dice after others were revealed")
            if isinstance(fact, RandomnessRevealed):
                if set(desk.digests) != set(self._fold.seats) or fact.seat in desk.randomness:
                    raise Wrong(number, f"{fact.seat} reveals a share of the dice out of turn")
                try:
                    share = bytes.fromhex(fact.randomness)
                except ValueError:
                    raise Wrong(number, f"{fact.seat}'s share of the dice is not written in hexadecimal") from None
                if hashlib.sha256(share).hexdigest() != desk.digests[fact.seat]:
                    raise Wrong(number, f"{fact.seat}'s share of the dice is not the one that was committed to")

    def _check_brought(self, number: int, body: Aside, added: Added) -> None:
        """Forces come before the first die can fall, and orders from the owners of units."""
        state = added.before
        for fact in body.facts:
            if isinstance(fact, ForceBrought) and all(seat in state.desk.players for seat in self._fold.seats):
                raise Wrong(number, f"{fact.seat} brings a force to a match in which every seat is taken")
            if isinstance(fact, StandingOrder) and (
                fact.unit not in state.units or state.seat_of(fact.unit) != body.seat
            ):
                raise Wrong(number, f"{body.seat or 'nobody'} gives an order to {fact.unit}, which is another seat's")

    def _check_dice(self, number: int, body: Stepped) -> None:
        if not self._fold.ready:
            raise Wrong(number, "the match goes on before every seat has revealed its share of the dice")
        if not self._secret:
            return
        context = dice_context(self._fold.opened.match, self._fold.state.desk.randomness)
        for taken in body.rolls:
            for place, face in enumerate(taken.faces, taken.first):
                right = die(self._secret, context, taken.stream, place, taken.sides)
                self._dice += 1
                if face != right:
                    raise Wrong(number, f"it shows {face} where {right} falls", taken.stream, place)

    def _check_rules(self, number: int, body: Stepped, added: Added) -> None:
        rules, run = self._rules, self._run
        self._run = None
        if rules is None or rules.version != self._fold.version or (run is None and body.picked is not None):
            return
        asked = run.asked.seats.get(body.seat) if run is not None and run.asked is not None else None
        if asked is not None and body.picked is not None:
            refusal = check(believed(added.before, body.seat), asked, body.picked)
            if refusal is not None:
                raise Wrong(number, f"the rules do not take this answer: {refusal.sentence}")
        try:
            self._run = replayed(rules, run, body, added.before)
        except Exception as error:
            raise Wrong(number, f"run again, the rules bring about something else ({error})") from error
        self._replayed += 1
