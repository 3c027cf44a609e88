"""A match told again from its beginning, as an audience saw it: a pure function of the log."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.messages import Refused, Replay, ReplayPart
from server.kernel.ruleset import Ruleset


def replay_part(rules: Ruleset, payloads: Sequence[bytes], message: Replay) -> ReplayPart | Refused:
    """The frames after `message.after`, as many as fit into one answer."""
    raise NotImplementedError
