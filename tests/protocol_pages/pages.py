"""The generated pages of the protocol: examples, and the transcript of a session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import client_protocol
from tests.protocol_pages.host import serving
from tests.protocol_pages.prompts import Answered, answered, welcome
from tests.protocol_pages.session import session
from tests.protocol_pages.text import shown
from tests.protocol_pages.wire import NOTE, OURS, Message, Talk

FOLDER = Path(client_protocol.__file__).parent
SEED = 1
MEANING = "[PROTOCOL.md](PROTOCOL.md) tells what the messages mean"
WRITTEN = "All of it was sent over the wire, and is written by `python -m tests.protocol_pages --write`: do not edit this page."


def block(value: object) -> str:
    """JSON as Markdown shows it."""
    return f"```json\n{shown(value)}\n```\n"


async def examples() -> str:
    """The text of `EXAMPLES.md`."""
    async with serving(SEED) as address:
        greeting = await welcome(address)
    async with serving(SEED) as address:
        found = await answered(address)
    return _examples(greeting, found)


def _examples(greeting: Message, found: Mapping[str, Answered]) -> str:
    parts = [
        "# Examples",
        f"Whole messages, as a server sends them; {MEANING}. {WRITTEN}",
        "- [What can be played](#what-can-be-played)\n- Prompts with a parameter of the kind "
        + ", ".join(f"[`{kind}`](#{kind})" for kind in found),
        "## What can be played",
        "The `welcome`, with all `editions`, their options and scenarios.",
        block(greeting),
    ]
    for kind, (prompt, answer) in found.items():
        parts += [f"## `{kind}`", "A `prompt` of a snapshot or an update:", block(prompt)]
        parts += ["An answer to it that was accepted:", block(answer)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


async def transcript() -> str:
    """The text of `TRANSCRIPT.md`."""
    async with serving(SEED) as address:
        talks = await session(address)
    parts = [
        "# A session, from the first message to the last",
        f"A bot takes the second seat of a small battle by FAD 4 and plays it to its end; {MEANING}. {WRITTEN}",
        "Only the `editions` of the `welcome` are left out: they are among the [examples](EXAMPLES.md#what-can-be-played).",
        *(part for talk in talks for part in _told(talk)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _told(talk: Talk) -> list[str]:
    parts = []
    for sender, message in talk.said:
        if sender == NOTE:
            parts.append(str(message["text"]))
        else:
            short = message | {"editions": []} if message["type"] == "welcome" else message
            parts += ["Bot:" if sender == OURS else "Server:", block(short)]
    return parts


PAGES = {"EXAMPLES.md": examples, "TRANSCRIPT.md": transcript}
