"""The referee: runs the rules on one match's log, checks answers, and follows the entries of other servers. Pure.

A step is first tried on a scratch run and becomes part of the match only when its entry is in the log (`take`). In every
other case the run is discarded and rebuilt from the last boundary.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import as_stored
from client_protocol.from_server import Refused
from server.kernel import clocks
from server.kernel.answers.check import Ask, Asked, check
from server.kernel.belief import believed
from server.kernel.clocks import Clock
from server.kernel.desk_facts import ClockRead
from server.kernel.dice import DerivedDice, Dice, RecordedDice, dice_context
from server.kernel.facts import UnitFormed
from server.kernel.procedure import RebuildError, Run, Step, rebuild
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Ended, Stepped, TakenBack
from server.matches.log.fold import Added, Coming, Fold
from server.matches.log.trail import Tried, folded
from server.matches.play.taking_back import WayBack, clock_after

UpTime = Callable[[], int]
"""Returns the up-time (ms) at the time of the call."""


class Referee:
    """Runs the rules of one match.

    Args:
        rules: the edition.
        secret: the server's dice secret.
        fold: the match's fold; from now on only `take` may add entries to it.
    """

    def __init__(self, rules: Ruleset, secret: bytes, fold: Fold) -> None:
        self.rules = rules
        self.fold = fold
        self.ask: Ask | None = None
        """The open ask, according to the log."""
        self.trouble = ""
        """Why these rules cannot run this match: their facts differ from the log's. "" if they can."""
        self.stopped = ""
        """Why the match has stopped for good; "" while it goes on."""
        self.at_once = False
        """Whether what a step asks is made together with it, before the up-time is read."""
        self._secret = secret
        self._run: Run | None = None
        self._ahead = False
        self._tried: Tried | None = None
        self.rebuild()

    def asked(self, seat: str, id_: str, prompt: str, picked: Picked) -> Asked | Refused:
        """Return what `seat` is asked, if that is the prompt that its message `id_` answers, and `picked` is a legal answer;
        otherwise a refusal.
        """
        asked = self._prompted(seat, id_, prompt)
        if isinstance(asked, Refused):
            return asked
        found = check(believed(self.fold.state, seat), asked, picked)
        if found is None:
            return asked
        return Refused(id_, found.code, found.sentence, found.rule or asked.rule, found.where, found.figure)

    def not_running(self, id_: str) -> Refused:
        """Return the refusal of the message `id_`, which needs a match in play."""
        if self.trouble:
            sentence = "Another version of the rules plays this match now; load the page again."
        elif self.fold.state.result is not None:
            sentence = "The match is over."
        else:
            sentence = "The match has not begun: not every seat is taken and ready."
        return Refused(id_, "match_not_running", sentence)

    def _prompted(self, seat: str, id_: str, prompt: str) -> Asked | Refused:
        fold, ask = self.fold, self.ask
        if self.stopped:
            return Refused(id_, "match_not_running", f"This match has stopped: {self.stopped}.")
        if self.trouble or ask is None:
            return self.not_running(id_)
        if seat not in ask.seats:
            deciding = ", ".join(sorted(ask.seats))
            return Refused(
                id_, "not_your_prompt", f"This seat has nothing to decide now; the decision is with {deciding}."
            )
        if prompt != fold.prompt_id(seat):
            return Refused(id_, "prompt_closed", "This decision was made already; another one is open now.")
        return ask.seats[seat]

    @property
    def running(self) -> tuple[str, ...]:
        """The seats that are asked and have not answered: their clocks run."""
        return _running(self.ask, self.fold.state)

    @property
    def may_begin(self) -> bool:
        """Whether the rules should begin to run now."""
        return self.fold.to_begin and self.fold.ready and self.fold.state.result is None and not self.trouble

    def begin(self, up: UpTime) -> Stepped:
        """Try beginning the rules at the boundary, and return the step."""
        self._run = Run(self.rules, self.fold.state, self._dice())
        self._ahead = True
        self._tried = None
        step = self._run.begin()
        if self.at_once:
            _make(self._run.asked)
        return self._stepped(Stepped(answer=f"~begin:{self.fold.branch}"), step, up)

    def default(self, seat: str, played: str, up: UpTime) -> Stepped:
        """Try answering for `seat`, which is asked, with the default, and return the step; `played` says why."""
        assert self.ask is not None, "only who is asked is answered for"
        picked = self.ask.seats[seat].default
        return replace(self.answer(seat, picked, f"~{played}:{seat}:{self.fold.prompt_id(seat)}", up), played=played)

    def answer(self, seat: str, picked: Picked, answer_id: str, up: UpTime) -> Stepped:
        """Try giving `seat`'s legal answer to the rules, and return the step. `answer_id` is the store's. The
        up-time is read when the rules are done: until then the next player is not asked, and their time does not run.
        """
        self._tried = None
        if self._run is None or self._ahead:
            self.rebuild()
        run = self._run
        assert run is not None, "the room answers only what is open"
        self._ahead = True
        # The run now and the run after a restart get the same value, down to the order of its maps.
        picked = as_stored(picked)
        desk = run.state.desk
        step = run.answer(seat, picked)
        if self.at_once:
            _make(run.asked)
        # The log gives the maps of a new unit back in the order of their keys, and the run has them in its own.
        if run.state.desk is desk and not any(isinstance(fact, UnitFormed) for fact in step.facts):
            self._tried = Tried(run.boundary, run.state)
        prompt = self.fold.prompt_id(seat)
        return self._stepped(Stepped(seat=seat, prompt=prompt, answer=answer_id, picked=picked), step, up)

    def take_back(self, seat: str, way: WayBack, answer_id: str, agreed: tuple[str, ...], now: int) -> TakenBack:
        """Return the entry by which `seat` takes back. `now` is the up-time in milliseconds."""
        clock = clock_after(way, self.fold.state.desk.clock, self.running, now)
        return TakenBack(seat, answer_id, agreed, None if clock is None else ClockRead.of(clock))

    def runs_out(self, body: Body | None = None) -> int | None:
        """Return the up-time (ms) at which a clock runs out, now or once the entry of `body`, which was just tried, is the
        last one. For a `body` that goes back, 0: what is asked then is known only when the entry is there.
        """
        state, ask = self.fold.state, self.ask
        if isinstance(body, Ended) or (state.desk.clock is None and not isinstance(body, Aside)):
            return None
        clock = state.desk.clock
        if isinstance(body, Stepped):
            assert self._run is not None, "it was just tried"
            # The run has made the table of the step; the clocks are read apart from it.
            clock = clock if body.clock is None else body.clock.fold(state).desk.clock
            state, ask = self._run.state, self._run.asked
        elif isinstance(body, Aside):
            state = folded(state, body.facts)
            clock = state.desk.clock
        elif body is not None:
            return 0
        return None if clock is None or state.result is not None else clocks.runs_out(clock, _running(ask, state))

    def expect(self, payload: bytes) -> tuple[Coming, Ask | None] | None:
        """Return what the step that was just tried will come to, of which this is the entry, and what will be asked then; None if
        that is not known.
        """
        if self._tried is None or self._run is None:
            return None
        return self.fold.expect(payload, self._tried), self._run.asked

    def doubt(self) -> bool:
        """Return whether what is asked cannot be made: then these rules cannot run this match."""
        try:
            _make(self.ask)
        except Exception as error:  # noqa: BLE001 - as in rebuild
            self._run, self.ask, self.trouble = None, None, str(error) or type(error).__name__
            return True
        return False

    def take(self, payload: bytes, *, own: bool) -> Added:
        """Add the log's next entry; `own` if it is the step that was just tried. Raises `LogError`."""
        overtaken = self._ahead and not own
        run = None if overtaken else self._run
        self._ahead = False
        tried, self._tried = self._tried if own else None, None
        added = self.fold.add(payload, tried)
        body = added.envelope.body
        if run is not None and tried is not None:
            # From now on both hold the same state: what was found out about one of its units holds for the other's.
            run.stand_at(self.fold.state)
        if isinstance(body, Aside):
            if overtaken:
                # The open ask is still open: only what was tried on top of it is lost.
                self.rebuild()
                return added
            if run is not None:
                run.fold(body.facts)
            if (run is None) is self._open:
                # The last seat has become ready, or, on another server's dice, none is ready any more.
                self.rebuild()
                return added
        elif isinstance(body, Stepped):
            if not own:
                run = self._follow(run, body, added.before)
            if run is not None:
                # The same facts have come to an equal state: it is kept once.
                run.stand_at(self.fold.state)
        elif isinstance(body, TakenBack):
            self.rebuild()
            return added
        else:
            run, self.trouble = None, ""
        self._run = run
        self.ask = run.asked if run is not None else None
        return added

    @property
    def _open(self) -> bool:
        """Whether the rules are under way: they have begun since the last boundary, and all seats are ready."""
        fold = self.fold
        return not fold.to_begin and fold.ready and fold.state.result is None and not self.trouble

    def settle(self) -> None:
        """Discard what was tried and not written."""
        if self._ahead:
            self.rebuild()

    def rebuild(self) -> None:
        """Rebuild the run from the log, whatever was tried before."""
        run: Run | None = None
        self._ahead = False
        self._tried = None
        self.trouble = ""
        if self._open:
            try:
                run = rebuild(self.rules, self.fold.boundary, self.fold.since, self._dice())
                _make(run.asked)
            except Exception as error:  # noqa: BLE001 - rules of another version may fail in any way on what they never did
                self.trouble = str(error) or type(error).__name__
        self._run = run
        self.ask = run.asked if run is not None else None

    def _follow(self, run: Run | None, body: Stepped, before: State) -> Run | None:
        """Let the rules repeat another server's step. Return None if they come out otherwise."""
        if run is None and body.picked is not None:
            if not self.trouble or body.boundary is not None:
                self.rebuild()
            return self._run
        try:
            run = replayed(self.rules, run, body, before)
            _make(run.asked)
        except Exception as error:  # noqa: BLE001 - as in rebuild
            self.trouble = str(error) or type(error).__name__
            return None
        run.dice = self._dice()
        return run

    def _dice(self) -> Dice:
        context = dice_context(self.fold.opened.match, self.fold.state.desk.randomness)
        return DerivedDice(self._secret, context, self.fold.counters)

    def _stepped(self, body: Stepped, step: Step, up: UpTime) -> Stepped:
        version = "" if self.rules.version == self.fold.version else self.rules.version
        stepped = Stepped(
            seat=body.seat,
            prompt=body.prompt,
            answer=body.answer,
            picked=body.picked,
            rolls=step.rolls,
            facts=step.facts,  # type: ignore[arg-type]  # every fact there is belongs to the closed family
            boundary=step.boundary,
            version=version,
        )
        if stepped.sealing in self.fold.state.sealed:
            # The others must not notice that an answer was replaced, not even by a reading of the clocks.
            return stepped
        # Servers read the up-time to within some milliseconds; in a match it never goes back.
        now = max(up(), self.fold.up)
        clock = self._clock_after(stepped, now)
        return replace(stepped, up=now) if clock is None else replace(stepped, clock=ClockRead.of(clock))

    def _clock_after(self, step: Stepped, now: int) -> Clock | None:
        clock = self.fold.state.desk.clock
        if clock is None:
            return None
        clock = clocks.read(clock, self.running, now)
        if step.picked is not None:
            clock = clocks.decided(clock, step.seat)
        ask = self._run.asked if self._run is not None else None
        return clock if step.sealing or ask is None else clocks.asked(clock, ask.seats)


def _make(ask: Ask | None) -> None:
    if ask is not None:
        ask.make()


def _running(ask: Ask | None, state: State) -> tuple[str, ...]:
    if ask is None or state.result is not None:
        return ()
    return tuple(seat for seat in ask.seats if seat not in state.sealed)


def replayed(rules: Ruleset, run: Run | None, body: Stepped, before: State) -> Run:
    """Let the rules repeat a logged step: `run` stands where the step began, or is None if the step begins the rules.

    Raises `RebuildError` if other facts come out, `DiceError` if the rules ask for other dice. `run.dice` is used up
    afterwards and must be replaced.
    """
    recorded = RecordedDice(body.rolls)
    if body.picked is None:
        run = Run(rules, before, recorded)
        step = run.begin()
    else:
        if run is None or run.asked is None or body.seat not in run.asked.seats:
            raise RebuildError(f"the rules do not ask {body.seat or 'any seat'}; the log has an answer there")
        run.dice = recorded
        step = run.answer(body.seat, body.picked)
    if (step.facts, step.rolls, step.boundary) != (body.facts, body.rolls, body.boundary):
        raise RebuildError(f"the rules give {step.facts!r}; the log has {body.facts!r}")
    return run
