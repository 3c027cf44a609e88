"""Writes the protocol's examples and its transcript anew: `python -m tests.protocol_pages --write`."""

from __future__ import annotations

import asyncio

from tests.protocol_pages.pages import FOLDER, PAGES
from tests.support.golden_texts import write_or_compare

if __name__ == "__main__":
    write_or_compare(__doc__, PAGES, FOLDER.joinpath, lambda name: asyncio.run(PAGES[name]()))
