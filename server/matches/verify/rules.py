"""Checking a match file against the rules: each step is repeated, by this version of the rules whichever version made it.
Pure.

If the log was made by this version, a step that comes out otherwise is wrong. If another version made it, the difference is
reported, and the check continues from where the log stands.
"""

from __future__ import annotations

from itertools import zip_longest

from msgspec import Struct

from server.kernel.answers.check import Asked, check
from server.kernel.belief import believed
from server.kernel.dice import RecordedDice
from server.kernel.facts import Fact
from server.kernel.procedure import RebuildError, Run, Step
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Stepped
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.log.trail import folded


class Difference(Struct, frozen=True):
    """A step that these rules would have made otherwise: other rules made it.

    `entry` is the step's number in the log, `version` that of the rules that made it, `what` says how they differ.
    """

    entry: int
    version: str
    what: str


class RulesCheck:
    """Repeats the steps of a match, in order.

    Args:
        rules: those of the match's edition, or None if they are not here, and then no step is repeated.
    """

    def __init__(self, rules: Ruleset | None) -> None:
        self._rules = rules
        self._run: Run | None = None
        self._strayed = False
        """Whether a step since the last boundary came out otherwise."""
        self.differences: list[Difference] = []
        self.replayed = 0

    def run(self, version: str) -> Run | None:
        """Return the run if it stands where the log stands, was made by this version, and came there by itself: only then
        does it tell which seats are asked.
        """
        same = self._rules is not None and self._rules.version == version
        return self._run if same and not self._strayed else None

    def aside(self, facts: tuple[Fact, ...]) -> None:
        """Fold an aside."""
        if self._run is not None:
            self._run.fold(facts)

    def stop(self) -> None:
        """Discard the run: the match is over, or the rules begin again with the next step."""
        self._run, self._strayed = None, False

    def stand(self, number: int, fold: Fold, version: str) -> None:
        """Rebuild the run where `fold` stands after its entry `number`, which goes back or begins between boundaries.
        `version` made what had happened since the boundary. Raises `Wrong`.
        """
        self.stop()
        if self._rules is None or fold.to_begin:
            return
        what = self._rebuild(self._rules, fold)
        # Differences in what is undone were reported when it came.
        if what and not self.differences:
            self.differs(number, version, what)
        self._strayed = bool(what)

    def step(self, number: int, body: Stepped, before: State, fold: Fold) -> Asked | None:
        """Repeat the step that `fold` took in last, as its entry `number`; `before` is the state before it. Return what its
        seat was asked, if known. Raises `Wrong`.
        """
        rules, strayed = self._rules, self._strayed
        if rules is None:
            return None
        if body.picked is None:
            self._run, self._strayed = Run(rules, before, RecordedDice(())), False
        run = self._run
        if run is None:
            # An exception stopped the procedure that differed: checking resumes at the next boundary.
            self.differs(number, fold.version, "the rules do not come to this step, since they differ before it")
            self._adopt(rules, None, body, fold)
            return None
        self.replayed += 1
        asked = run.asked.seats.get(body.seat) if run.asked is not None else None
        what = _refused(before, asked, body)
        step = None
        try:
            step = _made(run, body)
        except Exception as error:  # noqa: BLE001 - rules of another version may fail in any way on what they never did
            what = what or f"run again, the rules cannot make it ({error})"
        if step is not None and (step.facts, step.rolls, step.boundary) != (body.facts, body.rolls, body.boundary):
            what = what or f"run again, the rules bring about something else: {_first_difference(step, body)}"
        if what:
            self.differs(number, fold.version, what)
            self._adopt(rules, None if step is None else run, body, fold)
            return None
        if body.boundary is not None:
            self._strayed = False
        return None if strayed else asked

    def differs(self, number: int, version: str, what: str) -> None:
        """Report that the rules would not have made the entry `number` like this. Raises `Wrong` if they are those that made
        it.
        """
        if self._rules is not None and version == self._rules.version and not self._strayed:
            raise Wrong(number, what)
        self.differences.append(Difference(number, version, what))

    def _adopt(self, rules: Ruleset, run: Run | None, body: Stepped, fold: Fold) -> None:
        """Continue from where the log stands after a step that came out otherwise."""
        self._run, self._strayed = run, True
        if body.boundary is not None:
            self._strayed = bool(self._rebuild(rules, fold))
        elif run is not None:
            run.stand_at(fold.state)

    def _rebuild(self, rules: Ruleset, fold: Fold) -> str:
        """Run the rules from the last boundary to where `fold` stands. Return their first difference, or ""."""
        run = Run(rules, fold.boundary, RecordedDice(()))
        state, what = fold.boundary, ""
        self._run = run
        for happened in fold.since:
            state = folded(state, happened.facts)
            if happened.aside:
                run.fold(happened.facts)
                continue
            logged = Stepped(happened.seat, picked=happened.picked, rolls=happened.rolls, facts=happened.facts)  # type: ignore[arg-type]
            try:
                step = _made(run, logged)
            except Exception as error:  # noqa: BLE001 - as in `step`
                self._run = None
                return what or f"run again, the rules cannot make what came before it ({error})"
            if (step.facts, step.rolls) != (happened.facts, happened.rolls):
                what = what or f"run again, the rules bring about something else: {_first_difference(step, logged)}"
                run.stand_at(state)
        return what


def _made(run: Run, body: Stepped) -> Step:
    """Let the rules repeat a logged step. Raises `RebuildError`, `DiceError`, or what the rules raise."""
    run.dice = RecordedDice(body.rolls)
    if body.picked is None:
        return run.begin()
    if run.asked is None:
        run.begin()
    if run.asked is None or body.seat not in run.asked.seats:
        raise RebuildError(f"they do not ask {body.seat}")
    return run.answer(body.seat, body.picked)


def _refused(before: State, asked: Asked | None, body: Stepped) -> str:
    """Return why the rules refuse the answer of a step; "" if they accept it."""
    if asked is None or body.picked is None:
        return ""
    if body.played and body.picked != asked.default:
        return f"what is played for {body.seat} is not the default"
    refusal = check(believed(before, body.seat), asked, body.picked)
    return "" if refusal is None else f"the rules do not take this answer: {refusal.sentence}"


def _first_difference(step: Step, body: Stepped) -> str:
    """Return the first difference between a step and the log: in its facts, else its rolls, else its boundary."""
    for here, logged in ((step.facts, body.facts), (step.rolls, body.rolls), ((step.boundary,), (body.boundary,))):
        for mine, theirs in zip_longest(here, logged, fillvalue="nothing"):
            if mine != theirs:
                return f"{mine!r}, but the log has {theirs!r}"
    return "nothing"
