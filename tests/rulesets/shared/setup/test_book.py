"""The kinds of terrain give cover that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.book import Cover, Palette, palette
from server.rulesets.shared.setup.rows import Lists

HEDGE = """
[[terrain]]
kind = "hedge"
name = "Hedge"
cover = "soft"
"""


def test_a_kind_of_terrain_gives_cover_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "terrain.toml").write_text(HEDGE, encoding="utf-8")
    soft = {"none": Cover("none", "none"), "soft": Cover("soft", "soft cover")}
    assert palette(Lists(tmp_path, {}), soft) == {"hedge": Palette("hedge", "Hedge", cover="soft")}
    with pytest.raises(RulesetError, match="terrain 'hedge' names 'soft', which is not one of none, hard"):
        palette(Lists(tmp_path, {}), {"none": soft["none"], "hard": Cover("hard", "hard cover")})
