"""Beginnings of matches that are computed in another process, since they can take long: see `server.work.desk`. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.from_server import SetupChecked
from server.kernel.belief import Audience
from server.kernel.state import State
from server.matches.setup.forks import Fork, fork
from server.matches.setup.positions import check_setup, open_position
from server.work.desk import RulesOf


def setup_checked(rules_of: RulesOf, id_: str, data: bytes) -> SetupChecked:
    """See `positions.check_setup`."""
    return check_setup(rules_of, id_, data)


def position_opened(rules_of: RulesOf, data: bytes) -> State | str:
    """See `positions.open_position`."""
    return open_position(rules_of, data)


def forked(rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience, frame: int) -> Fork | str:
    """See `forks.fork`."""
    return fork(payloads, view, frame, orders=bool(rules_of(edition).orders))
