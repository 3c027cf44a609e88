"""Checking the dice of a match file: the secrets, the seats' shares, every die that can be derived again. Pure.

Dice derive from one secret until another server continues the match; from then on from that server's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec import Struct

from server.kernel.desk_facts import DiceRenewed, RandomnessCommitted, RandomnessRevealed, SecretRevealed
from server.kernel.dice import dice_context, die
from server.kernel.facts import Fact
from server.kernel.state import State
from server.matches.log.entries import Aside, Envelope, Opened, Stepped
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold


class Era(Struct, frozen=True):
    """The dice of a match that derive from one secret: how many fell, and whether they were derived again."""

    commitment: str
    dice: int
    checked: bool


class DiceCheck:
    """Checks dice, shares and secrets, entry by entry.

    Args:
        envelopes: all entries of the file.
        secret: the secret that the file holds, in hexadecimal; "" for none. Raises `Wrong` if the match is not bound to it.
    """

    def __init__(self, envelopes: Sequence[Envelope], secret: str) -> None:
        self._commitments: list[str] = []
        bound = 1
        for number, envelope in enumerate(envelopes, 1):
            body = envelope.body
            if isinstance(body, Opened):
                self._commitments.append(body.commitment)
            elif isinstance(body, Aside):
                renewed = [fact.commitment for fact in body.facts if isinstance(fact, DiceRenewed)]
                self._commitments.extend(renewed)
                bound = number if renewed else bound
        try:
            self._secret = bytes.fromhex(secret)
        except ValueError:
            raise Wrong(0, "the dice secret is not written in hexadecimal") from None
        if self._secret and _sha256(self._secret) != self._commitments[-1]:
            when = "the match was made" if bound == 1 else f"another server went on with the match (entry {bound})"
            raise Wrong(0, f"the dice secret is not the one that was committed to when {when}")
        self._counts = [0]

    @property
    def eras(self) -> tuple[Era, ...]:
        """The dice so far, by secret."""
        return tuple(
            Era(commitment, count, self._known(era))
            for era, (commitment, count) in enumerate(zip(self._commitments, self._counts, strict=False))
        )

    def step(self, number: int, body: Stepped, fold: Fold) -> None:
        """Check the dice of the step that `fold` took in last. Raises `Wrong`."""
        if not fold.ready:
            raise Wrong(number, "the match goes on before every seat has revealed its share of the dice")
        era = len(self._counts) - 1
        context = dice_context(fold.opened.match, fold.state.desk.randomness)
        for taken in body.rolls:
            self._counts[era] += len(taken.faces)
            if not self._known(era):
                continue
            for place, face in enumerate(taken.faces, taken.first):
                right = die(self._secret, context, taken.stream, place, taken.sides)
                if face != right:
                    raise Wrong(number, f"it shows {face}, but the secret gives {right}", taken.stream, place)

    def fact(self, number: int, fact: Fact, state: State) -> None:
        """Check a fact of an aside, folded into `state`: no seat commits once a share is known, and each share and secret
        fits its commitment. Raises `Wrong`.
        """
        if isinstance(fact, RandomnessCommitted) and state.desk.randomness:
            raise Wrong(number, f"{fact.seat} commits to a share of the dice after others were revealed")
        if isinstance(fact, RandomnessRevealed):
            _check_share(number, fact, state)
        elif isinstance(fact, DiceRenewed):
            if state.result is not None:
                raise Wrong(number, "the dice are renewed when the match is over")
            self._counts.append(0)
        elif isinstance(fact, SecretRevealed):
            self._check_revealed(number, fact, state)

    def _check_revealed(self, number: int, fact: SecretRevealed, state: State) -> None:
        if state.result is None:
            raise Wrong(number, "the dice secret is published before the match is over")
        try:
            secret = bytes.fromhex(fact.secret)
        except ValueError:
            raise Wrong(number, "the dice secret is not written in hexadecimal") from None
        if secret.hex() != fact.secret or _sha256(secret) != self._commitments[len(self._counts) - 1]:
            raise Wrong(number, "the dice secret is not the one that was committed to")

    def _known(self, era: int) -> bool:
        return bool(self._secret) and era == len(self._commitments) - 1


def _check_share(number: int, fact: RandomnessRevealed, state: State) -> None:
    desk = state.desk
    sharing = {side.seat for side in state.sides.values()} - desk.uncontrolled
    if set(desk.digests) != sharing or fact.seat in desk.randomness:
        raise Wrong(number, f"{fact.seat} reveals a share of the dice out of turn")
    try:
        share = bytes.fromhex(fact.randomness)
    except ValueError:
        raise Wrong(number, f"{fact.seat}'s share of the dice is not written in hexadecimal") from None
    # Exact spelling counts: the dice derive from the letters, upper or lower case.
    if share.hex() != fact.randomness or _sha256(share) != desk.digests.get(fact.seat):
        raise Wrong(number, f"{fact.seat}'s share of the dice is not the one that was committed to")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
