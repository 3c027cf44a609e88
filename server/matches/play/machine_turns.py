"""What programs are asked: the turns of seats that no person plays. Pure."""

from __future__ import annotations

import hashlib
import hmac

from msgspec import Struct

from server.kernel.answers.check import Asked
from server.kernel.belief import believed
from server.kernel.state import State
from server.matches.log.secrets import Secrets
from server.matches.play.referee import Referee


class MachineTurn(Struct, frozen=True):
    """A question to a program: the edition, the seat and its program, the prompt's id, the state as the seat may know it, what it
    is asked, and the seed of its chance. The seed follows from the match's secret: the program decides alike after a restart, and
    players cannot tell beforehand how.
    """

    edition: str
    seat: str
    program: str
    prompt: str
    state: State
    asked: Asked
    seed: str


def machine_turn(referee: Referee, secrets: Secrets) -> MachineTurn | None:
    """Return what a program is asked and has not answered; None if none is."""
    fold, ask = referee.fold, referee.ask
    programs = fold.state.desk.machines
    if not programs or ask is None or referee.trouble or referee.stopped or fold.state.result is not None:
        return None
    seat = next((seat for seat in referee.running if seat in programs and seat not in fold.state.desk.uncontrolled), "")
    if not seat:
        return None
    prompt = fold.prompt_id(seat)
    words = f"program\0{seat}\0{prompt}\0{fold.branch}".encode()
    seed = hmac.digest(secrets.keys.secret, words, hashlib.sha256).hex()
    return MachineTurn(
        fold.opened.edition, seat, programs[seat], prompt, believed(fold.state, seat), ask.seats[seat], seed
    )
