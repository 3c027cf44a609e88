"""Generated set-ups: deployment and missions are made when the match begins (see `server.rulesets.fad.generated`)."""

from __future__ import annotations

from server.rulesets.fad.generated.arriving import enter
from server.rulesets.fad.generated.words import LEAVING, ROLLS
from server.rulesets.fad.module import FadModule

GENERATED_SETUPS = FadModule(id="generated_setups", rolls=ROLLS, leaving=LEAVING, turning=enter)
