"""Checking a match file: the chain, signatures, the dice, the fold, the desk, and the rules. Pure.

docs/dice.md says what the check proves and what it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log import signatures
from server.matches.log.entries import (
    Aside,
    Body,
    Ended,
    Envelope,
    Forked,
    LogError,
    Opened,
    Rewound,
    Stepped,
    TakenBack,
    decode,
    digest,
    encode,
)
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.log.forms import TYPED
from server.matches.log.match_file import MatchFile, MatchFileError, read, salvage
from server.matches.log.signatures import Signature
from server.matches.verify import clocks, desk
from server.matches.verify.clocks import Running
from server.matches.verify.desk import LateSeat
from server.matches.verify.dice import DiceCheck, Era
from server.matches.verify.rules import Difference, RulesCheck

__all__ = ["Difference", "Era", "LateSeat", "Report", "Wrong", "checked", "verify"]


class Report(Struct, frozen=True):
    """The result of checking a valid file.

    `dice` is how many dice were derived again (None: the secret is not published), `eras` lists them by secret, the first one
    first, and `inherited` is how many fell in the match from which this one was forked. `replayed` is how many steps the
    rules repeated, `steps` how many there are; `versions` are the rules that made them. `taken_back` and `rewound` count how
    often players took back, and how often a server went back because its rules had changed. `late_seats` lists seats that
    were taken after the match was over or from another player: the player named there has not played the match. `hashes` are
    those of the entries, in order; the last one is the file's head. `signatures` are all valid; `forked` is the origin of a
    fork.
    """

    match: str
    title: str
    entries: int
    dice: int | None
    steps: int
    replayed: int
    versions: tuple[str, ...]
    ended: str
    eras: tuple[Era, ...] = ()
    inherited: int = 0
    taken_back: int = 0
    rewound: int = 0
    differences: tuple[Difference, ...] = ()
    late_seats: tuple[LateSeat, ...] = ()
    hashes: tuple[bytes, ...] = ()
    signatures: tuple[Signature, ...] = ()
    forked: Forked | None = None


def verify(data: bytes, rules_of: Callable[[str], Ruleset | None]) -> Report:
    """Check a match file. `rules_of` returns the rules of an edition, or None. Raises `Wrong` at the first fault."""
    return checked(data, rules_of)[0]


def checked(data: bytes, rules_of: Callable[[str], Ruleset | None]) -> tuple[Report, MatchFile, Fold]:
    """Check a match file, as `verify` does, and return its content and its fold too."""
    try:
        file = read(data)
    except MatchFileError as error:
        # Name the damaged entry, if there is one.
        entries, after = salvage(data)
        _check_chain(entries, None)
        raise Wrong(after, str(error)) from error
    if not file.entries:
        raise Wrong(0, "it holds no entries")
    envelopes = _check_chain(file.entries, file.head)
    check = _Check(file, envelopes, rules_of)
    return check.run(), file, check.fold


def _check_chain(payloads: Sequence[bytes], head: bytes | None) -> list[Envelope]:
    """Find the entry that was changed, if one was, and return the decoded entries. A wrong hash leaves two candidates; the
    next hash tells which of them was changed.
    """
    envelopes: list[Envelope] = []
    form = TYPED
    for number, payload in enumerate(payloads, 1):
        try:
            envelope = decode(number, payload, form)
        except LogError as error:
            raise Wrong(number, error.what) from error
        if isinstance(envelope.body, Opened):
            form = envelope.body.written_in
        if encode(envelope, form) != payload:
            raise Wrong(number, "it is not written the way entries are")
        envelopes.append(envelope)
    named = [envelope.prev for envelope in envelopes[1:]]
    if head is not None:
        named.append(head)
    fits = [digest(payload) == prev for payload, prev in zip(payloads, named, strict=False)]
    for number, fit in enumerate(fits, 1):
        if not fit:
            both = number < len(fits) and not fits[number]
            raise Wrong(number + both, "its hash is not the one that the next entry gives for it: it was changed")
    return envelopes


class _Check:
    """One pass over the entries of a file whose chain holds."""

    def __init__(
        self, file: MatchFile, envelopes: Sequence[Envelope], rules_of: Callable[[str], Ruleset | None]
    ) -> None:
        self._file = file
        self._envelopes = envelopes
        try:
            self.fold = Fold(file.entries[0])
        except LogError as error:
            raise Wrong(1, error.what) from error
        except Exception as error:
            raise Wrong(1, f"its facts do not fit the match ({error!r})") from error
        self._rules = rules_of(self.fold.opened.edition)
        self._dice = DiceCheck(envelopes, file.secret)
        self._play = RulesCheck(self._rules)
        self._steps = 0
        self._late_seats: list[LateSeat] = []
        self._back = {TakenBack: 0, Rewound: 0}
        self._versions = [self.fold.version]

    def run(self) -> Report:
        """Check entry by entry."""
        fold = self.fold
        signatures.check(self._file.signatures, fold.opened.match, self._file.entries)
        inherited = self._begin()
        for number, payload in enumerate(self._file.entries[1:], 2):
            envelope = self._envelopes[number - 1]
            self._check_before(number, envelope)
            before, running = fold.state, self._running
            try:
                fold.add(payload)
            except LogError as error:
                raise Wrong(number, error.what) from error
            except Exception as error:
                raise Wrong(number, f"its facts do not fit the match ({error!r})") from error
            self._check_entry(number, envelope.body, before, running)
        state = fold.state
        if state.desk.secret != self._file.secret:
            raise Wrong(0, "the dice secret is not the one that the log publishes")
        eras = self._dice.eras
        return Report(
            match=fold.opened.match,
            title=fold.opened.title,
            entries=fold.number,
            dice=sum(era.dice for era in eras if era.checked) if self._file.secret else None,
            steps=self._steps,
            replayed=self._play.replayed,
            versions=tuple(dict.fromkeys(self._versions)),
            ended="" if state.result is None else state.result.reason,
            eras=eras,
            inherited=inherited,
            taken_back=self._back[TakenBack],
            rewound=self._back[Rewound],
            differences=tuple(self._play.differences),
            late_seats=tuple(self._late_seats),
            hashes=tuple(map(digest, self._file.entries)),
            signatures=self._file.signatures,
            forked=fold.opened.forked,
        )

    def _begin(self) -> int:
        """Check the first entry, and begin from its state. Return how many dice of another match it holds."""
        opened = self._envelopes[0].body
        assert isinstance(opened, Opened), "the fold would not have begun"
        desk.check_opened(opened)
        unlike = "" if self._rules is None else desk.unlike_scenario(opened, self._rules)
        if unlike:
            self._play.differs(1, opened.version, unlike)
        if opened.since:
            told = (body.version for body in opened.since if isinstance(body, Stepped) and body.version)
            self._play.stand(1, self.fold, next(told, opened.version))
        return sum(len(taken.faces) for body in opened.since if isinstance(body, Stepped) for taken in body.rolls)

    @property
    def _running(self) -> Running:
        """The seats whose clocks run."""
        fold, run = self.fold, self._play.run(self.fold.version)
        if fold.to_begin or not fold.ready or fold.state.result is not None:
            return ()
        if run is None:
            return None
        return () if run.asked is None else tuple(seat for seat in run.asked.seats if seat not in fold.state.sealed)

    def _check_before(self, number: int, envelope: Envelope) -> None:
        """Check an entry against the match before it."""
        body, fold = envelope.body, self.fold
        if isinstance(body, TakenBack):
            run = self._play.run(fold.version)
            ask = run.asked if run is not None else None
            desk.check_taken_back(number, body, envelope.parent, fold, ask)
            clocks.check_taken_back(number, body, envelope.parent, fold, self._running)
        elif isinstance(body, Ended):
            desk.check_ended(number, body, fold.state, self._running)
        elif isinstance(body, Stepped) and fold.state.result is not None:
            raise Wrong(number, "something is played when the match is over")

    def _check_entry(self, number: int, body: Body, before: State, running: Running) -> None:
        if isinstance(body, Aside):
            self._check_aside(number, body, before, running)
        elif isinstance(body, Stepped):
            self._steps += 1
            self._versions.append(self.fold.version)
            self._dice.step(number, body, self.fold)
            self._play.step(number, body, before, self.fold)
            desk.check_played(number, body, before)
            clocks.check_step(number, body, before, running, self._asked_anew(body))
        elif isinstance(body, TakenBack):
            self._back[TakenBack] += 1
            self._play.stand(number, self.fold, self.fold.version)
        else:
            self._back[Rewound] += isinstance(body, Rewound)
            self._play.stop()

    def _check_aside(self, number: int, body: Aside, before: State, running: Running) -> None:
        state = before
        for fact in body.facts:
            self._dice.fact(number, fact, state)
            desk.check_fact(number, fact, state, body, self.fold.opened.match)
            late = desk.late_seat(number, fact, state)
            if late is not None:
                self._late_seats.append(late)
            clocks.check_fact(number, fact, state, body, running)
            state = fact.fold(state)
        self._play.aside(body.facts)

    def _asked_anew(self, body: Stepped) -> tuple[str, ...] | None:
        """Return the seats that the step asks something new; None if that is not known."""
        if body.sealing or self.fold.state.result is not None:
            return ()
        run = self._play.run(self.fold.version)
        return None if run is None else () if run.asked is None else tuple(run.asked.seats)
