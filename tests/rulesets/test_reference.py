"""An entry of the reference shows the rows of the book that it is about, as the rules have them."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.fad.setup.book import load
from server.rulesets.library import every_edition

RATES = {
    "fad4": [
        'Fly: 14" cautious, 20" standard',
        'Hover: 10" cautious, 16" standard',
        'Tracked: 12" cautious, 18" standard',
        'Walk: 6" cautious, 12" standard',
        'Wheeled: 18" cautious, 24" standard',
    ],
    "fad5": [
        'Fly/Grav: 14" cautious, 20" standard',
        'Hover: 10" cautious, 16" standard',
        'Track: 12" cautious, 18" standard',
        'Walk: 6" cautious, 12" standard',
        'Wheel: 18" cautious, 24" standard',
        'Warp: 10" cautious, no standard rate',
    ],
}


@pytest.mark.parametrize("name", RATES)
def test_the_entry_on_vehicle_rates_shows_each_mobility(name: str) -> None:
    (entry,) = [row for row in every_edition()[name].reference if row["id"] == "move.vehicle-rates"]
    text, *rows = entry["text"].split("\n")
    assert text.endswith("Vehicles are not played yet.")
    assert rows == RATES[name]


def test_an_entry_that_names_no_list_of_the_book_is_refused() -> None:
    with pytest.raises(RulesetError, match="the reference shows 'airships', which is no list of the book"):
        list(load("fad4").shown("airships"))
