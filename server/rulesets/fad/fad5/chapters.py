"""FAD 5's version of each procedure that editions replace."""

from __future__ import annotations

from server.rulesets.fad.chapters import Chapters
from server.rulesets.fad.fad5.fight import FIGHT
from server.rulesets.fad.fad5.fire import FIRE
from server.rulesets.fad.fad5.morale import MORALE
from server.rulesets.fad.fad5.vehicles import VEHICLES

CHAPTERS = Chapters(fire=FIRE, fight=FIGHT, morale=MORALE, vehicles=VEHICLES)
