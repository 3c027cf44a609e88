"""Procedures of the rules as generators that ask, and the run that drives them.

A procedure reads top to bottom like the rulebook. It yields a `Roll` and gets the faces, an `Ask` and gets each seat's
answer, a fact and finds the state folded; nothing else. Generators cannot be stored, so a run is rebuilt from the last
*boundary* (where a procedure began) with the logged answers and dice, and must then emit the logged facts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from client_protocol.choices import Picked
from server.kernel.answers.check import Ask, Asked, Later
from server.kernel.belief import believed
from server.kernel.dice import Dice, DiceError, RecordedDice, Roll, Taken
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed

if TYPE_CHECKING:
    from server.kernel.ruleset import Ruleset

T = TypeVar("T")
R = TypeVar("R")
Steps = Generator[Roll | Ask | Fact, Any, T]
"""A procedure: it yields rolls, asks and facts, and returns a T."""


class Game(Generic[R]):
    """What a procedure sees: the rules, and the state as it is at this moment. Hold ids, never units: after a yield the state
    has moved on.
    """

    __slots__ = ("rules", "state")

    def __init__(self, rules: R, state: State) -> None:
        self.rules = rules
        self.state = state

    def believed(self, seat: str) -> State:
        """Return the state as `seat` may know it: what its choices are made from."""
        return believed(self.state, seat)

    def unit(self, unit: str) -> Unit:
        """Return the unit of this id, as it is now."""
        return self.state.units[unit]


def roll(count: int, sides: int = 6, stream: str = "", *, purpose: str = "") -> Steps[tuple[int, ...]]:
    """Roll dice for `purpose` (see `Roll`): returns the faces."""
    faces: tuple[int, ...] = yield Roll(count, sides, stream, purpose)
    return faces


def ask(seat: str, asked: Asked) -> Steps[Picked]:
    """Ask one seat: returns its answer, which is legal."""
    answers: dict[str, Picked] = yield Ask({seat: asked})
    return answers[seat]


def ask_later(game: Game[R], seat: str, make: Callable[[State], Asked]) -> Steps[Picked]:
    """Ask one seat what `make` returns of the state as the seat may know it now: returns its answer, which is legal.

    The question is made when it is first looked at. A procedure that asks so has no fact left before the answer, so that what it
    has come to can be stored meanwhile.
    """
    answers: dict[str, Picked] = yield Ask(Later(seat, partial(make, game.believed(seat))))
    return answers[seat]


def offer_later(game: Game[R], seat: str, make: Callable[[State], Asked]) -> Steps[tuple[Later, Picked]]:
    """Ask as `ask_later` does: returns the question, which is still made only if it is looked at, and the answer."""
    later = Later(seat, partial(make, game.believed(seat)))
    answers: dict[str, Picked] = yield Ask(later)
    return later, answers[seat]


def ask_all(seats: dict[str, Asked]) -> Steps[dict[str, Picked]]:
    """Ask several seats at once: returns their answers, opened together, in seat order."""
    answers: dict[str, Picked] = yield Ask(seats)
    return answers


class Step(Fixed, frozen=True):
    """What followed an answer: the rolls, the facts, and how many of each lay before the last boundary crossed (None: no
    boundary was crossed).
    """

    rolls: tuple[Taken, ...]
    facts: tuple[Fact, ...]
    boundary: tuple[int, int] | None = None


class RollUnansweredError(DiceError):
    """A roll for which the dice had no faces: the roll, and the step as far as it had come."""

    def __init__(self, error: DiceError, roll: Roll, step: Step) -> None:
        super().__init__(str(error))
        self.roll = roll
        self.step = step


class RebuildError(Exception):
    """Running the rules again over a log gave other facts than the log holds."""


MOST_AT_ONCE = 10_000
"""The most facts and rolls that may follow one answer: no game comes near it."""


class EndlessRunError(Exception):
    """The rules run on and ask no seat: a position in which the game cannot be played. The run is then dead."""

    def __init__(self) -> None:
        super().__init__(f"the rules go on for more than {MOST_AT_ONCE:,} facts and rolls without asking any seat")


class Run:
    """A run of the rules on one match, from a boundary on. It works on its own scratch state; its owner discards it if its
    result could not be stored.
    """

    def __init__(self, rules: Ruleset, state: State, dice: Dice) -> None:
        self.rules = rules
        self.dice = dice
        self.boundary = state
        self.asked: Ask | None = None
        self._game = rules.game(state)
        self._steps: Steps[None] | None = None

    @property
    def state(self) -> State:
        """The state after everything so far."""
        return self._game.state

    def begin(self) -> Step:
        """Run from the boundary to the first ask (or the end of the match). Raises `RollUnansweredError`, `EndlessRunError`; the
        run is then dead.
        """
        return self._go_on(None, [])

    def fold(self, facts: Iterable[Fact]) -> None:
        """Fold an aside: facts that change only the desk."""
        for fact in facts:
            self._game.state = fact.fold(self._game.state)
            self.boundary = fact.fold(self.boundary)

    def stand_at(self, state: State) -> None:
        """Continue as if `state` were the result, as the log of other rules says. Procedures hold ids, so they read the new
        state.
        """
        self._game.state = state

    def answer(self, seat: str, picked: Picked) -> Step:
        """Give `seat`'s legal answer to the open ask and run to the next one. One of several seats that are asked at once is
        only sealed until the last is in. Raises `RollUnansweredError`, `EndlessRunError`; the run is then dead.
        """
        ask = self.asked
        assert ask is not None, "the room answers only what is asked"
        assert seat in ask.seats, "the room checks who answers"
        if len(ask.seats) == 1:
            return self._go_on({seat: picked}, [])
        sealed = AnswerSealed(seat, picked)
        self._game.state = sealed.fold(self._game.state)
        if set(self.state.sealed) != set(ask.seats):
            return Step((), (sealed,))
        answers = {key: self.state.sealed[key] for key in ask.seats}
        opened = AnswersOpened()
        self._game.state = opened.fold(self._game.state)
        return self._go_on(answers, [sealed, opened])

    def _go_on(self, answers: dict[str, Picked] | None, facts: list[Fact]) -> Step:
        game = self._game
        rolls: list[Taken] = []
        crossed: tuple[int, int] | None = None
        sent: object = answers
        self.asked = None
        turns = 0
        while True:
            turns += 1
            if turns > MOST_AT_ONCE:
                raise EndlessRunError
            if self._steps is None:
                self._steps = self.rules.procedure(game)
                if self._steps is None:
                    return Step(tuple(rolls), tuple(facts), crossed)
                sent = None
            try:
                yielded = self._steps.send(sent)
            except StopIteration:
                self._steps = None
                self.boundary = game.state
                crossed = (len(facts), len(rolls))
                continue
            # Facts come last: there are so many kinds of them that to ask for these takes longer than all else here.
            if isinstance(yielded, Ask):
                self.asked = yielded
                return Step(tuple(rolls), tuple(facts), crossed)
            if isinstance(yielded, Roll):
                try:
                    taken = self.dice.faces(yielded)
                except DiceError as error:
                    raise RollUnansweredError(error, yielded, Step(tuple(rolls), tuple(facts), crossed)) from error
                rolls.append(taken)
                sent = taken.faces
            else:
                game.state = yielded.fold(game.state)
                facts.append(yielded)
                sent = None


class Happened(Fixed, frozen=True):
    """A logged step since a boundary: the seat and its answer (None: the run just began), the rolls, the facts; or an aside
    (`aside`), whose facts are only folded.
    """

    rolls: tuple[Taken, ...]
    facts: tuple[Fact, ...]
    seat: str = ""
    picked: Picked | None = None
    aside: bool = False


def rebuild(rules: Ruleset, boundary: State, since: Sequence[Happened], dice: Dice) -> Run:
    """Return the run that stands where the log ends: `boundary` is the state at the last boundary, `since` what was logged
    after it.

    The procedure runs again with the logged answers and dice; afterwards `dice` go on. Raises `RebuildError` when other facts
    come out than were logged, and `DiceError` when the rules ask for other dice.
    """
    recorded = RecordedDice([taken for step in since if not step.aside for taken in step.rolls])
    run = Run(rules, boundary, recorded)
    began = False
    for step in since:
        if step.aside:
            run.fold(step.facts)
            continue
        if step.picked is None:
            again = run.begin()
            began = True
        else:
            if not began:
                run.begin()
                began = True
            again = run.answer(step.seat, step.picked)
        if again.facts != step.facts or again.rolls != step.rolls:
            raise RebuildError(f"the rules give {again.facts!r}; the log has {step.facts!r}")
    if not began:
        run.begin()
    run.dice = dice
    return run
