"""The bounded building blocks of the wire: lengths, points, ids, texts.

Everything that comes from outside is decoded by type in one step, so each number, string and list has its bounds here.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

PROTOCOL = 6
"""The protocol's number; a client that speaks another one is told to reload."""

Mil = Annotated[int, Meta(ge=-10_000_000, le=10_000_000)]
"""A length in thousandths of an inch."""

Angle = Annotated[int, Meta(ge=-36_000, le=36_000)]
"""An angle in hundredths of a degree, counter-clockwise from the table's x axis."""

Point = tuple[Mil, Mil]
"""A place on the table: (x, y) in thousandths of an inch from the lower left corner."""

Id = Annotated[str, Meta(max_length=80)]
"""An id of a match, seat, side, unit, figure, terrain piece, rule, prompt or answer."""

Name = Annotated[str, Meta(min_length=1, max_length=40)]
"""What a player wants to be called; shown as text, never as markup."""

ChatText = Annotated[str, Meta(min_length=1, max_length=300)]
"""One line of chat; shown as text, never as markup."""

Secret = Annotated[str, Meta(max_length=100)]
"""A seat token or an invite: unguessable, never logged, never in a URL that reaches a server."""

# In Python `$` alone lets a newline stand behind what it ends; \Z is unknown where patterns are read as ECMAScript's.
Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}(?!\n)$")]
"""Thirty-two bytes in lower-case hexadecimal: a SHA-256 digest, or a seat's randomness."""

Key = Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?(?!\n)$")]
"""A player's key in lower-case hexadecimal; "" for none."""

Hex64 = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}(?!\n)$")]
"""Sixty-four bytes in lower-case hexadecimal: an Ed25519 signature (RFC 8032)."""

Head = Annotated[bytes, Meta(max_length=32)]
"""The SHA-256 of an entry of a match's log, 32 bytes; none where it is not told."""

ToldHead = Annotated[bytes, Meta(min_length=32, max_length=32)]
"""Such a hash, as it was told."""

Millis = Annotated[int, Meta(ge=0, le=100 * 86_400_000)]
"""A span of time in milliseconds."""

Sequence = Annotated[int, Meta(ge=-1, le=10_000_000)]
"""A place in an audience's own dense sequence of frames; -1: nothing seen yet."""

OptionValue = Id | Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] | bool
"""What an option of an edition is set to: the key of a choice, a number, or yes or no."""
