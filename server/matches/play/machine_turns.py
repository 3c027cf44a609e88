"""What programs are asked: the turns of seats that no person plays. Pure."""

from __future__ import annotations

import hashlib
import hmac

from msgspec import Struct

from server.kernel.answers.check import Asked
from server.kernel.belief import believed
from server.kernel.state import State
from server.matches.log.entries import Body, Ended, Stepped
from server.matches.log.fold import Fold
from server.matches.log.secrets import Secrets
from server.matches.play.referee import Referee

LOOK_MS = 5_000
"""So long after a step a match that only programs play is due again, should no server be playing it (ms of up-time)."""


class MachineTurn(Struct, frozen=True):
    """A question to a program: the edition, the seat and its program, the prompt's id, the state as the seat may know it, what it
    is asked, and the seed of its chance. The seed follows from the match's secret: the program decides alike after a restart, and
    players cannot tell beforehand how. `alone` says that only programs play, so that there is time to watch.
    """

    edition: str
    seat: str
    program: str
    prompt: str
    state: State
    asked: Asked
    seed: str
    alone: bool = False


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
    known = believed(fold.state, seat)
    return MachineTurn(
        fold.opened.edition, seat, programs[seat], prompt, known, ask.seats[seat], seed, only_programs(fold)
    )


def only_programs(fold: Fold) -> bool:
    """Return whether programs hold all seats of a match that is not over."""
    machines = fold.state.desk.machines
    return bool(machines) and fold.state.result is None and all(seat in machines for seat in fold.seats)


def next_look(fold: Fold, body: Body | None) -> int | None:
    """Return the up-time (ms) at which a server has to see that a match goes on which only programs play, once the entry of
    `body` (None: the last one) is there; None for other matches.
    """
    if isinstance(body, Ended) or not only_programs(fold):
        return None
    return (body.up if isinstance(body, Stepped) and body.up else fold.up) + LOOK_MS
