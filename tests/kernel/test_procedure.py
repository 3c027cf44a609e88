"""Procedures that ask: what they get, when a boundary is crossed, how sealed answers open, how a run is rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.desk_facts import SeatTaken
from server.kernel.dice import MOST_SIDES, DiceError, Roll, ScriptedDice, Taken, die
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact, Noted
from server.kernel.procedure import (
    Game,
    Happened,
    RebuildError,
    Run,
    Step,
    Steps,
    ask,
    ask_all,
    ask_later,
    offer_later,
    rebuild,
    roll,
)
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from tests.support.position import position

ASKED = Asked("What?", (Choice("one", "One"), Choice("two", "Two")), Picked("one"))
Chapter = Callable[[Game[Any]], Steps[None]]
ONE, TWO = Picked("one"), Picked("two")


class Rounds:
    """Rules that run `chapters` one after the other; the book counts how many are done."""

    def __init__(self, *chapters: Chapter) -> None:
        self.chapters = chapters

    def game(self, state: State) -> Game[Any]:
        return Game(self, state)

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        done = int(cast("int", game.state.book.get("done", 0)))
        return self._run(self.chapters[done], game, done) if done < len(self.chapters) else None

    @staticmethod
    def _run(chapter: Chapter, game: Game[Any], done: int) -> Steps[None]:
        yield from chapter(game)
        yield Noted("done", done + 1)


def begun(*chapters: Chapter, dice: tuple[int, ...] = ()) -> tuple[Run, Step]:
    run = Run(cast("Ruleset", Rounds(*chapters)), position(), ScriptedDice(dice))
    return run, run.begin()


def notes(*values: int) -> tuple[Fact, ...]:
    return tuple(Noted("done", value) for value in values)


def two_dice(_game: Game[Any]) -> Steps[None]:
    faces = yield from roll(2)
    yield Noted("sum", sum(faces))


def one_seat(_game: Game[Any]) -> Steps[None]:
    picked = yield from ask("blue", ASKED)
    yield Noted("picked", picked.choice)


def both_seats(_game: Game[Any]) -> Steps[None]:
    picked = yield from ask_all({"red": ASKED, "blue": ASKED})
    yield Noted("picked", tuple(f"{seat} {answer.choice}" for seat, answer in picked.items()))


def test_a_fact_is_folded_before_the_procedure_goes_on() -> None:
    def chapter(game: Game[Any]) -> Steps[None]:
        yield Noted("a", 1)
        yield Noted("b", cast("int", game.state.book["a"]) + 1)

    run, _ = begun(chapter)
    assert run.state.book == {"a": 1, "b": 2, "done": 1}


def test_a_roll_gets_its_faces_and_is_kept_with_its_number() -> None:
    run, step = begun(two_dice, two_dice, dice=(3, 5, 6, 6))
    assert step.rolls == (Taken("", 0, 6, (3, 5)), Taken("", 2, 6, (6, 6)))
    assert run.state.book["sum"] == 12


def test_what_is_asked_later_is_made_once_of_the_state_as_it_was_asked() -> None:
    made: list[State] = []

    def asked(state: State) -> Asked:
        made.append(state)
        return ASKED

    def chapter(game: Game[Any]) -> Steps[None]:
        yield Noted("a", 1)
        picked = yield from ask_later(game, "blue", asked)
        yield Noted("picked", picked.choice)

    run, step = begun(chapter)
    assert step.facts == (Noted("a", 1),)
    assert run.asked is not None
    assert (list(run.asked.seats), len(run.asked.seats), "blue" in run.asked.seats) == (["blue"], 1, True)
    assert ("red" in run.asked.seats, run.asked.seats.get("red")) == (False, None)
    assert not made, "until it is looked at, only who is asked is known"
    then = run.state
    run.fold([SeatTaken("red", "Rita")])
    for _ in range(2):
        assert run.asked.seats["blue"] is ASKED
    assert made == [then]
    run.answer("blue", TWO)
    assert run.state.book["picked"] == "two"


def test_what_is_asked_later_need_not_be_made_for_its_answer() -> None:
    def chapter(game: Game[Any]) -> Steps[None]:
        yield from ask_later(game, "blue", _unmade)

    run, _ = begun(chapter)
    assert run.answer("blue", ONE).facts == notes(1)


@pytest.mark.parametrize("picked", [ONE, TWO])
def test_what_was_offered_can_be_looked_at_after_the_answer_and_need_not_be_made_before(picked: Picked) -> None:
    made: list[State] = []

    def asked(state: State) -> Asked:
        made.append(state)
        return ASKED

    def chapter(game: Game[Any]) -> Steps[None]:
        later, taken = yield from offer_later(game, "blue", asked)
        if taken == TWO:
            yield Noted("title", later["blue"].title)

    run, _ = begun(chapter)
    then = run.state
    run.answer("blue", picked)
    assert (made, run.state.book.get("title")) == (([then], ASKED.title) if picked == TWO else ([], None))


def _unmade(_state: State) -> Asked:
    raise AssertionError("it is not looked at")


def test_an_ask_stops_the_run_until_it_is_answered() -> None:
    run, step = begun(one_seat)
    assert (step.facts, step.boundary) == ((), None)
    assert run.asked is not None
    assert list(run.asked.seats) == ["blue"]
    assert run.answer("blue", TWO).facts == (Noted("picked", "two"), *notes(1))
    assert run.asked is None


def test_a_step_tells_how_much_of_it_lay_before_the_last_boundary() -> None:
    _, step = begun(two_dice, two_dice, one_seat, dice=(1, 2, 3, 4))
    assert step.boundary == (4, 2)
    assert len(step.facts) == 4
    run, _ = begun(one_seat, two_dice, one_seat, dice=(1, 2))
    assert run.answer("blue", ONE).boundary == (4, 1)
    assert run.boundary == run.state


def test_sealed_answers_open_when_the_last_is_in_in_the_order_of_the_seats_asked() -> None:
    run, _ = begun(both_seats)
    assert run.answer("blue", ONE) == Step((), (AnswerSealed("blue", ONE),))
    assert run.state.sealed == {"blue": ONE}
    assert run.asked is not None
    last = run.answer("red", TWO)
    assert last.facts[:2] == (AnswerSealed("red", TWO), AnswersOpened())
    assert run.state.book["picked"] == ("red two", "blue one")
    assert run.state.sealed == {}


def test_a_sealed_answer_can_be_replaced_until_then() -> None:
    run, _ = begun(both_seats)
    run.answer("blue", ONE)
    run.answer("blue", TWO)
    run.answer("red", ONE)
    assert run.state.book["picked"] == ("red one", "blue two")


def test_an_aside_touches_the_boundary_too() -> None:
    run, _ = begun(one_seat, one_seat)
    run.answer("blue", ONE)
    run.fold([SeatTaken("red", "Ann")])
    assert run.state.desk.players == run.boundary.desk.players == {"red": "Ann"}


# --- rebuilding -----------------------------------------------------------------------------------------------------


def fight(_game: Game[Any]) -> Steps[None]:
    """Asks, rolls, asks both, rolls again."""
    yield from two_dice(_game)
    yield from one_seat(_game)
    yield from two_dice(_game)
    yield from both_seats(_game)
    yield from two_dice(_game)


ANSWERS = (("blue", ONE), ("red", TWO), ("red", ONE), ("blue", TWO))
DICE = (1, 2, 3, 4, 5, 6)


def played(answers: int) -> tuple[Run, list[Happened]]:
    run, step = begun(fight, dice=DICE)
    happened = [Happened(step.rolls, step.facts)]
    for seat, picked in ANSWERS[:answers]:
        step = run.answer(seat, picked)
        happened.append(Happened(step.rolls, step.facts, seat, picked))
    return run, happened


@pytest.mark.parametrize("answers", range(len(ANSWERS)))
def test_a_run_rebuilt_at_a_prompt_stands_where_it_stood_and_goes_on_alike(answers: int) -> None:
    run, happened = played(answers)
    fallen = sum(len(taken.faces) for step in happened for taken in step.rolls)
    again = rebuild(cast("Ruleset", Rounds(fight)), position(), happened, ScriptedDice(DICE[fallen:]))
    assert (again.state, again.asked) == (run.state, run.asked)
    for seat, picked in ANSWERS[answers:]:
        mine, there = again.answer(seat, picked), run.answer(seat, picked)
        assert mine.facts == there.facts
        assert [taken.faces for taken in mine.rolls] == [taken.faces for taken in there.rolls]
    assert again.state == run.state


def test_a_run_that_was_never_begun_is_begun() -> None:
    again = rebuild(cast("Ruleset", Rounds(one_seat)), position(), [], ScriptedDice([]))
    assert again.asked is not None


def test_an_aside_in_between_is_folded_and_runs_nothing() -> None:
    _, happened = played(2)
    seated = Happened((), (SeatTaken("red", "Ann"),), aside=True)
    again = rebuild(cast("Ruleset", Rounds(fight)), position(), [*happened[:2], seated, happened[2]], ScriptedDice([]))
    assert again.state.desk.players == {"red": "Ann"}


def test_rules_that_say_something_else_than_the_log_are_caught() -> None:
    _, happened = played(2)
    forged = Happened(happened[1].rolls, (Noted("picked", "none"),), "blue", ONE)
    with pytest.raises(RebuildError):
        rebuild(cast("Ruleset", Rounds(fight)), position(), [happened[0], forged], ScriptedDice([]))


def test_rules_that_ask_for_other_dice_than_the_log_holds_are_caught() -> None:
    def three_dice(_game: Game[Any]) -> Steps[None]:
        yield from roll(3)

    _, happened = played(0)
    with pytest.raises(DiceError):
        rebuild(cast("Ruleset", Rounds(three_dice)), position(), happened, ScriptedDice([]))


@pytest.mark.parametrize("sides", [0, MOST_SIDES + 1, 360])
def test_a_die_has_no_more_sides_than_a_byte_can_name(sides: int) -> None:
    with pytest.raises(DiceError, match=f"1 to 256 sides, not {sides}"):
        Roll(1, sides)


def test_a_die_of_the_most_sides_falls() -> None:
    assert die(b"secret", "context", "", 0, Roll(1, MOST_SIDES).sides) in range(1, 257)
