"""The dice of a case: faces in the order in which they are rolled, with or without their purposes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.kernel.cases.schema import LabelledDice
from server.kernel.dice import DiceError, Roll, Taken


class CaseDice:
    """Faces written down beforehand. A roll that finds too few of them, or some for another purpose, or a face that no such die
    has, is a `DiceError`, and so are dice left over (`finish`).

    Args:
        dice: faces alone serve any roll; labelled ones only rolls for that purpose.
    """

    def __init__(self, dice: Iterable[int | LabelledDice]) -> None:
        self._left: list[tuple[int, str | None]] = []
        for one in dice:
            if isinstance(one, int):
                self._left.append((one, None))
            else:
                self._left += [(face, one.purpose) for face in one.faces]
        self._next: dict[str, int] = {}
        self._fallen: list[LabelledDice] = []

    def faces(self, roll: Roll) -> Taken:
        """Return the faces for `roll`."""
        taken = self._left[: roll.count]
        other = next((purpose for _, purpose in taken if purpose not in {None, roll.purpose}), None)
        if other is not None:
            raise DiceError(f"the next roll is {words(roll)}; the case has dice for {other!r} there: {told(taken)}")
        if len(taken) < roll.count:
            few = f"{len(taken)} dice are left: {told(taken)}" if len(taken) > 1 else f"1 die is left: {told(taken)}"
            raise DiceError(f"the next roll is {words(roll)}, and {few if taken else 'no dice are left'}")
        self._left = self._left[roll.count :]
        faces = tuple(face for face, _ in taken)
        for face in faces:
            if not 1 <= face <= roll.sides:
                raise DiceError(f"the next roll is {words(roll)}, and a D{roll.sides} has no face {face}")
        first = self._next.get(roll.stream, 0)
        self._next[roll.stream] = first + roll.count
        self._fallen.append(LabelledDice(roll.purpose, faces))
        return Taken(roll.stream, first, roll.sides, faces)

    def fallen(self) -> tuple[LabelledDice, ...]:
        """Return the rolls since the last call, each with its purpose."""
        fallen, self._fallen = tuple(self._fallen), []
        return fallen

    def finish(self) -> None:
        """Raise `DiceError` if dice are left over."""
        if self._left:
            verb = "die was" if len(self._left) == 1 else "dice were"
            raise DiceError(f"{len(self._left)} {verb} never rolled: {told(self._left)}")


def words(roll: Roll) -> str:
    """Return a roll in words: the number and kind of its dice, and their purpose."""
    return f"{roll.count}D{roll.sides}" + (f" for {roll.purpose!r}" if roll.purpose else "")


def told(dice: Sequence[tuple[int, str | None]]) -> str:
    """Return faces in words, each run of them with its label."""
    parts: list[str] = []
    before: str | None = None
    for face, purpose in dice:
        parts.append(f"{face} ({purpose})" if purpose is not None and purpose != before else str(face))
        before = purpose
    return ", ".join(parts)
