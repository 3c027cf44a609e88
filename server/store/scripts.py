"""The Lua scripts that run atomically inside Redis. Their texts are in `lua/`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Script:
    """A script: its text, and the SHA-1 by which Redis knows it once it has seen the text."""

    text: bytes
    sha: bytes


def _load(name: str) -> Script:
    text = files("server.store").joinpath("lua", f"{name}.lua").read_bytes()
    return Script(text, hashlib.sha1(text, usedforsecurity=False).hexdigest().encode())


APPEND = _load("append")
CREATE = _load("create")
PUT_META = _load("put_meta")
CLAIM_META = _load("claim_meta")
ARCHIVE = _load("archive")
REMOVE = _load("remove")
BEAT = _load("beat")
LEASE = _load("lease")
LEAGUE_DUE = _load("league_due")
NOTICE_ADD = _load("notice_add")
NOTICE_CLAIM = _load("notice_claim")
NOTICE_DONE = _load("notice_done")
PUT_OFF = _load("put_off")
REPORT = _load("report")
SANCTION = _load("sanction")
TAKE = _load("take")
CLAIM_SIGNER = _load("claim_signer")
RESTORE_PART = _load("restore_part")
RESTORE_END = _load("restore_end")
