"""An entry of the reference shows the rows of the book that it is about, as the rules have them."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.fad.setup.book import load
from server.rulesets.library import every_edition

RATES = {
    "fad4": [
        'Fly: 14" cautious, 20" standard; passes over everything',
        'Hover: 10" cautious, 16" standard; cautious in difficult ground, wall, deep water; crosses deep water',
        (
            'Tracked: 12" cautious, 18" standard; '
            "bolsters infantry; cautious in difficult ground; does not enter dense woods, swamp, deep water"
        ),
        'Walk: 6" cautious, 12" standard; bolsters infantry; 2" for each inch of difficult ground',
        'Wheeled: 18" cautious, 24" standard; cautious in difficult ground',
        'Emplaced: 0" cautious, 0" standard',
    ],
    "fad5": [
        'Fly/Grav: 14" cautious, 20" standard; passes over everything; may scoot; may make strafing runs',
        'Hover: 10" cautious, 16" standard; cautious in difficult ground, deep water; crosses deep water',
        (
            'Track: 12" cautious, 18" standard; '
            "cautious in difficult ground; does not enter dense woods, swamp, deep water"
        ),
        'Walk: 6" cautious, 12" standard; cautious in difficult ground; does not enter deep water',
        (
            'Wheel: 18" cautious, 24" standard; does not enter difficult ground, deep water; '
            '2" for each inch off a road or paved ground'
        ),
        'Warp: 10" cautious, standard anywhere on the table; takes no path',
    ],
}


@pytest.mark.parametrize("name", RATES)
def test_the_entry_on_vehicle_rates_shows_each_mobility(name: str) -> None:
    (entry,) = [row for row in every_edition()[name].reference if row["id"] == "move.vehicle-rates"]
    _, *rows = entry["text"].split("\n")
    assert rows == RATES[name]


def test_an_entry_that_names_no_list_of_the_book_is_refused() -> None:
    with pytest.raises(RulesetError, match="the reference shows 'airships', which is no list of the book"):
        list(load("fad4").shown("airships"))
