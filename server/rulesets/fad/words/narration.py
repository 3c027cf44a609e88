"""The log's sentences for facts. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from client_protocol.explained import Explained
from client_protocol.view import Story
from server.kernel import facts, setup_facts
from server.kernel.attaching import guests, own_figures
from server.kernel.facts import Fact
from server.kernel.space.geometry import about, inches, inches_text
from server.kernel.space.paths import path_length
from server.kernel.state import State, Unit
from server.rulesets.fad import collapse
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.blast import BLAST, NONE_STRUCK, hits_of
from server.rulesets.fad.damage import LAST_RIFLEMAN, for_squad
from server.rulesets.fad.game import ABANDONED, BUSY, LANDED, TOUCHED_DOWN, FadRules
from server.rulesets.fad.generated import words as generated
from server.rulesets.fad.generated.noting import is_marker
from server.rulesets.fad.machines import rout, stands_fast, tougher
from server.rulesets.fad.morale import RALLIED, ROUTED, may_stay
from server.rulesets.fad.plasma_cooler import COOLER, RULE
from server.rulesets.fad.quality import AGAIN, passes_text
from server.rulesets.fad.ranging import ASTRAY, ON_TARGET, WASTED, bearer
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.turn import DRAWN, LOSER_FIRST
from server.rulesets.fad.uncontrolled.words import reasoned
from server.rulesets.fad.words import special_cards, transports, vehicle_rolls
from server.rulesets.fad.words.cards import VEHICLES, words
from server.rulesets.fad.words.told import Told
from server.rulesets.shared.turns import DEPLOYMENT
from server.rulesets.shared.words.narration import (
    Phrases,
    Teller,
    figures_text,
    roll_off_text,
    rolled,
    tell,
    tellers,
    trail,
)

ACTIONS = {
    "hold": "holds",
    "engage": "engages the enemy",
    "move-out": "moves out",
    "strafe": "makes a strafing run",
    "command": "takes the action Command",
    "shoot": "shoots at",
    "free-shot": "fires at the assaulters of",
    BLAST: "fires at a point",
    NONE_STRUCK: "strikes no unit",
    "assault": "assaults",
    "fall-back": "falls back",
    "stay-broken": "is broken and stays where it is",
    "stay-bogged": "is bogged, and stays where it is",
    "falls-short": "is stopped short of",
    "cannot-fall-back": "gets no farther from",
    "strikes-back": "strikes back at",
    "falters": "loses its nerve, and falters before",
    "out-of-coherency": "ends out of coherency",
    "crew-apart": "ends with the crew of its weapon out of coherency",
    **special_cards.ACTIONS,
    **transports.ACTIONS,
}
ACTION_KINDS = {
    "shoot": "fire",
    "free-shot": "fire",
    BLAST: "fire",
    NONE_STRUCK: "fire",
    "assault": "assault",
    "falls-short": "assault",
    "cannot-fall-back": "assault",
    "falters": "assault",
    "strikes-back": "assault",
    "fall-back": "morale",
    "stay-broken": "morale",
    "stay-bogged": "morale",
    **special_cards.KINDS,
    **transports.KINDS,
}
MANNERS = {
    "move": "moves",
    "rush": "rushes",
    "charge": "charges",
    "contact": "closes in",
    "fall-back": "falls back",
    "drive": "drives",
    "warp": "warps",
    "scoot": "scoots",
    "contact-move": "is moved",
    "strafe": "flies straight ahead",
}
MORALE = {
    RALLIED: "it rallies and acts normally",
    ROUTED: "it routs and is gone",
}


def story(rules: FadRules, state: State, fact: Fact) -> Story | None:
    """Return the sentence for `fact`, which happens to `state`, or None if there is nothing to say."""
    return tell(rules, _OWN, _common(rules.book), state, fact)


def _name(state: State, unit: str) -> str:
    return state.units[unit].name


def _first(rules: FadRules, state: State, fact: facts.SideFirst) -> Story:
    settled = rules.book.tables.initiative.draw == LOSER_FIRST and fact.rule == rules.keys.entry(DRAWN)
    drawn = " after a draw, having gone second last turn" if settled else ""
    return Story("turn", f"{state.sides[fact.side].name} goes first{drawn}.", fact.rule, fact.side)


def _declared(rules: FadRules, state: State, fact: facts.Declared) -> Story:
    unit = state.units[fact.unit]
    target = f" {_name(state, fact.target)}" if fact.target else ""
    words = rules.declarations.get(fact.action)
    kind = words.kind if words else ACTION_KINDS.get(fact.action, "move")
    if fact.action == BLAST:
        served = bearer(rules, unit)
        text = f"{unit.name} fires its {served[1].name.lower() if served else 'weapon'} at a point."
    elif fact.action == "free-shot":
        text = f"{unit.name} takes a free shot at{target}."
    else:
        text = f"{unit.name} {words.text if words else ACTIONS[fact.action]}{target}."
    units = (fact.unit, fact.target) if fact.target else (fact.unit,)
    return Story(kind, text, fact.rule, unit.side, units)


def _rolled(rules: FadRules, state: State, fact: facts.Rolled) -> Story:
    own = rules.rolls.get(fact.purpose)
    text, kind, rule = own.story(rules, state, fact) if own else _ROLLS[fact.purpose](rules, state, fact)
    return replace(rolled(fact, kind, text), rule=rule)


def _initiative(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    return roll_off_text(state, fact, "Initiative"), "roll", fact.rule


def _deployment(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    return roll_off_text(state, fact, "Roll for deployment (the loser goes first)"), "roll", fact.rule


def _morale(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    unit = state.units[fact.unit]
    if fact.outcome == AGAIN:
        return f"Morale Test of {unit.name}: {passes_text(fact)} at first.", "morale", fact.rule
    own = rout(rules, state, unit) if fact.outcome == ROUTED else None
    result = f"it {own.told}" if own else MORALE.get(fact.outcome) or _stays_broken(rules, state, unit)
    return f"Morale Test of {unit.name}: {passes_text(fact)}, {result}.", "morale", fact.rule


def _stays_broken(rules: FadRules, state: State, unit: Unit) -> str:
    """Return what a broken unit that has not rallied may do, as its next prompt offers it (fad4/morale.infantry-fall-back)."""
    # fad4/morale.overrides: there is no prompt
    held = rules.held(unit)
    if held is not None:
        return held.foretold
    if unit.aboard:
        # fad4/transport.single-unit
        return "it stays broken, and idle aboard"
    if stands_fast(rules, state, unit):
        return "it stays broken and where it is"
    if may_stay(rules, state, unit):
        return "it stays broken; in cover with no enemy near, it may fall back or stay"
    return "it stays broken and must fall back, if it has anywhere to go"


def _fire_effect(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    effect, points = fact.numbers
    hits = "1 hit" if fact.outcome == "1" else f"{fact.outcome} hits"
    place = _place(points)
    return f"Fire Effect {effect.value} against {_name(state, fact.target)}{place}: {hits}.", "fire", fact.rule


def _scattered_fire(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    hits = {"0": "no hit", "1": "1 hit"}.get(fact.outcome, f"{fact.outcome} hits")
    return f"Scattered fire at {_name(state, fact.target)}: {hits}.", "fire", fact.rule


def _ranging(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    text = f"{_name(state, fact.unit)} ranges in: {passes_text(fact)}, {_RANGED[fact.outcome]}."
    return text, "fire", fact.rule


_RANGED = {
    ON_TARGET: "on target",
    ASTRAY: "the shell goes astray",
    WASTED: "the shell has no effect",
}


def _scatter(_rules: FadRules, _state: State, fact: facts.Rolled) -> Told:
    length, rolled_length = int(fact.outcome), inches(sum(fact.faces))
    if fact.numbers:
        # fad5/blast.scatter
        return f"The shell falls {inches_text(length)} from the point.", "fire", fact.rule
    cut = f", cut from {inches_text(rolled_length)} to half of its way" if length < rolled_length else ""
    return f"The shell falls {inches_text(length)} from the point{cut}.", "fire", fact.rule


def _scatter_direction(_rules: FadRules, _state: State, fact: facts.Rolled) -> Told:
    text = f"It goes astray towards {fact.outcome}° (0° is to the right, 90° up the table)."
    return text, "fire", fact.rule


def _strike(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    effect, *points = fact.numbers
    hits = [
        f"{_name(state, unit)}{_place(own)}, {count} {'hit' if count == '1' else 'hits'}"
        for (unit, count), own in zip(hits_of(fact), points, strict=True)
    ]
    return f"Strike Effect {effect.value}: {'; '.join(hits)}.", "fire", fact.rule


def _place(points: Explained) -> str:
    """What cover a target is in, to be put behind its name: one is in soft cover, or not concealed."""
    cover = points.lines[0].reason
    return f"{',' if cover.startswith('not ') else ' in'} {cover}, {points.value} per hit"


def _armour(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    each = "a die for each hit" if len(fact.faces) > 1 or not for_squad(state) else "one die for all hits"
    return f"The armour of {_name(state, fact.unit)} rolls {each}.", "fire", fact.rule


def _damage(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    bonus, *ratings = fact.numbers
    armour = " or ".join(armour_of(rules, state).reach(rating.value) for rating in ratings)
    out = figures_text(int(fact.outcome))
    text = f"Damage 1D6 +{bonus.value} against armour {armour}: {out} of {_name(state, fact.target)} out."
    # fad4/hits.allocate-closest: hits are allocated before damage is rolled, so a second one on a figure that falls is lost
    lost = fact.marks.count("kill") - int(fact.outcome)
    if not lost:
        return text, "fire", fact.rule
    more = "1 more hit" if lost == 1 else f"{lost} more hits"
    if tougher(rules, state, state.units[fact.target]):
        # fad4/tech.personal-armour
        return f"{text} {more} took none out.", "fire", fact.rule
    whom = "a figure" if lost == 1 else "figures"
    return f"{text} {more} that would have killed fell on {whom} already out.", "fire", "hits.allocate-closest"


def _card(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    if fact.outcome == COOLER:
        return f"The Plasma Cooler is drawn, one of {fact.sides} cards: the turn ends.", "turn", RULE
    if not fact.unit:
        return special_cards.drawn(state, fact), "turn", fact.rule
    return f"The card of {_name(state, fact.unit)} is drawn, one of {fact.sides}.", "turn", fact.rule


def _end_fire(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    return roll_off_text(state, fact, "Who fires first"), "roll", fact.rule


def _allocation(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    text = f"A hit falls on figure {fact.outcome} of {_name(state, fact.unit)}, drawn from {fact.sides}."
    return text, "fire", fact.rule


def _squad_damage(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    bonus, armour = fact.numbers
    hits, kills = map(int, fact.outcome.split())
    saved = hits - kills
    text = (
        f"Damage 1D6 +{bonus.value} against armour {armour_of(rules, state).reach(armour.value)}, once for all: "
        f"{saved} of {hits} {'hit' if hits == 1 else 'hits'} on {_name(state, fact.target)} saved."
    )
    return text, "fire", fact.rule


def _assault(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    return f"{_name(state, fact.unit)} scores {fact.outcome} in the assault.", "assault", fact.rule


def _kills(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    killed = int(fact.outcome)
    need = fact.numbers[0].value
    text = f"{_name(state, fact.unit)} kills on {need}+: {figures_text(killed)} of {_name(state, fact.target)}."
    # fad4/assault.kill-table
    lost = fact.marks.count("kill") - killed
    if lost:
        more = "1 more kill is" if lost == 1 else f"{lost} more kills are"
        text = f"{text} {more} lost: no figure was left."
    return text, "assault", fact.rule


def _deflect(rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    undone, need = fact.marks.count("pass"), fact.numbers[0].value
    kills = "1 kill" if len(fact.faces) == 1 else f"{len(fact.faces)} kills"
    return f"The armour of {_name(state, fact.unit)} deflects {undone} of {kills} on {need}+.", "assault", fact.rule


def _buried(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    (need,) = fact.numbers
    out = len(fact.faces) - int(fact.outcome)
    text = f"The building comes down on {_name(state, fact.unit)}, each killed on {need.value}+: {out} of {len(fact.faces)} live."
    return text, "loss", fact.rule


_ROLLS: dict[str, Callable[[FadRules, State, facts.Rolled], Told]] = {
    "initiative": _initiative,
    "deployment": _deployment,
    "morale": _morale,
    "fire_effect": _fire_effect,
    "scattered_fire": _scattered_fire,
    "ranging": _ranging,
    "scatter": _scatter,
    "scatter_direction": _scatter_direction,
    "strike": _strike,
    "armour": _armour,
    "damage": _damage,
    "allocation": _allocation,
    "card": _card,
    "end_fire": _end_fire,
    "squad_damage": _squad_damage,
    "assault": _assault,
    "kills": _kills,
    **vehicle_rolls.ROLLS,
    **transports.ROLLS,
    "deflect": _deflect,
    collapse.CAUSE: _buried,
}


def _attached(_rules: FadRules, state: State, fact: facts.UnitAttached) -> Story:
    unit, host = state.units[fact.unit], state.units[fact.host]
    verb = "is attached to" if state.turn.phase == DEPLOYMENT else "joins"
    return Story("move", f"{unit.name} {verb} {host.name}.", fact.rule, unit.side, (unit.id, host.id))


def _detached(_rules: FadRules, state: State, fact: facts.UnitDetached) -> Story:
    unit, host = state.units[fact.unit], state.units[str(state.units[fact.unit].attached)]
    alone = all(figure.fallen for figure in own_figures(host).values())
    text = f"{unit.name} goes on without {host.name}." if alone else f"{unit.name} leaves {host.name}."
    return Story("move", text, fact.rule, unit.side, (unit.id, host.id))


def _left(rules: FadRules, state: State, fact: facts.UnitLeft) -> Story | None:
    own = rules.leaving.get(fact.reason)
    if own is not None:
        unit = state.units[fact.unit]
        story: Story | None = Story("loss", f"{unit.name} {own.told}.", fact.rule, unit.side, (unit.id,))
    else:
        story = _common(rules.book)[facts.UnitLeft](state, fact)
    gone = [guest.name for guest in guests(state, fact.unit)]
    if story is None or not gone:
        return story
    return replace(story, text=f"{story.text} Gone with it: {' and '.join(gone)}.")


_GAINED = {LANDED: "lands", TOUCHED_DOWN: "touches down"}
_LOST = {LANDED: "takes off", TOUCHED_DOWN: "is in the air again"}
"""What a flyer does that gains or loses these markers."""


def _gained(rules: FadRules, state: State, fact: facts.ConditionGained) -> Story | None:
    return _flown(_GAINED, rules, state, fact)


def _lost(rules: FadRules, state: State, fact: facts.ConditionLost) -> Story | None:
    return _flown(_LOST, rules, state, fact)


def _flown(
    does: Mapping[str, str], rules: FadRules, state: State, fact: facts.ConditionGained | facts.ConditionLost
) -> Story | None:
    story = _common(rules.book)[type(fact)](state, fact)
    if story is None or fact.condition not in does:
        return story
    return replace(story, text=f"{state.units[fact.unit].name} {does[fact.condition]}.")


def _fell(rules: FadRules, state: State, fact: facts.FiguresFell) -> Story | None:
    story = _common(rules.book)[facts.FiguresFell](state, fact)
    if story is None or fact.rule != rules.keys.entry(LAST_RIFLEMAN):
        return story
    # fad5/damage.last-figure-standard
    unit = state.units[fact.unit]
    left = unit.strength - len(fact.figures)
    return replace(story, text=f"A gunner of {unit.name} falls in the place of its last rifleman; {left} left.")


def _rearmed(rules: FadRules, state: State, fact: facts.FigureRearmed) -> Story | None:
    unit = state.units[fact.unit]
    taken = rules.heavy(fact.role)
    if taken is not None:
        text = f"Another of the crew of {unit.name} takes over the {taken.name.lower()}."
        return Story("loss", text, fact.rule, unit.side, (unit.id,))
    own = rules.heavy(unit.figures[fact.figure].role)
    if own is not None and unit.profile.get(ABANDONED):
        return Story("loss", f"{unit.name} leaves its {own.name.lower()} behind.", fact.rule, unit.side, (unit.id,))
    if own is not None:
        return None
    weapon = rules.support(unit.figures[fact.figure].role)
    name = weapon.name if weapon else "weapon"
    text = f"{unit.name}'s last gunner takes up a rifle: the {name.lower()} is lost."
    return Story("loss", text, fact.rule, unit.side, (unit.id,))


def _marked(rules: FadRules, state: State, fact: facts.FiguresGained) -> Story | None:
    # Who is busy is said by the task, and shown on the unit's card.
    if fact.condition == BUSY:
        return None
    unit, count = state.units[fact.unit], len(fact.figures)
    name = rules.book.conditions[fact.condition].name.lower()
    text = f"{figures_text(count)} of {unit.name} {'is' if count == 1 else 'are'} {name}."
    marker = rules.figure_markers[fact.condition]
    kind = "move" if marker.apart else "morale" if marker.treated else "loss"
    return Story(kind, text, fact.rule, unit.side, (unit.id,))


def _rose(_rules: FadRules, state: State, fact: facts.FiguresRose) -> Story:
    unit, count = state.units[fact.unit], len(fact.places)
    text = f"{figures_text(count)} of {unit.name} {'stands' if count == 1 else 'stand'} up, fit again."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


def _carried(_rules: FadRules, state: State, fact: facts.FiguresCarried) -> Story:
    unit = state.units[fact.unit]
    return Story("move", f"{unit.name} takes {len(fact.places)} wounded along.", fact.rule, unit.side, (unit.id,))


@cache
def _common(book: Book) -> Mapping[type[Fact], Teller]:
    return tellers(
        Phrases(
            turn="turn.structure",
            activation="turn.alternate-activation",
            deployment="setup.victory",
            objectives="setup.victory",
            manners=MANNERS,
            words=words(book, book.conditions, leaving=VEHICLES),
            leaving={
                "routed": "routs and leaves the game",
                "beyond_repair": "is beyond repair and is abandoned",
                "bailed_out": "is abandoned: its crew bails out and flees",
            },
        )
    )


def _moved(rules: FadRules, state: State, fact: facts.UnitMoved) -> Story:
    """Tell of a move; where it may have come less far than it was declared, with its trail."""
    own = rules.manners.get(fact.manner)
    if own is not None:
        unit = state.units[fact.unit]
        far = about(max(path_length(way) for way in trail(unit, fact.paths).ways.values()))
        return Story("move", f"{unit.name} {own.format(far=far)}.", fact.rule, unit.side, (unit.id,))
    story = _common(rules.book)[facts.UnitMoved](state, fact)
    assert story is not None, "every move is told"
    if rules.travel(state) is None or not fact.paths:
        return story
    return replace(story, trail=trail(state.units[fact.unit], fact.paths))


def _spent(_rules: FadRules, state: State, fact: facts.ActivationSpent) -> Story:
    unit = state.units[fact.unit]
    if not (unit.on_table or unit.aboard or unit.attached):
        return Story("turn", f"{unit.name} has not entered the table yet.", fact.rule, unit.side, (unit.id,))
    return Story("turn", f"{unit.name} has done its part for this turn.", fact.rule, unit.side, (unit.id,))


def _changed(_rules: FadRules, state: State, fact: facts.TerrainChanged) -> Story | None:
    before = next(piece for piece in state.table.terrain if piece.id == fact.id)
    became = "is gone" if fact.piece is None else f"is now {fact.piece.name}"
    if fact.piece is not None and fact.piece.name == before.name:
        shifts = {(x - a, y - b) for (x, y), (a, b) in zip(fact.piece.outline, before.outline, strict=False)}
        if shifts == {(0, 0)}:
            # What else has changed of it is told by what changed it.
            return None
        became = "has moved" if len(shifts) == 1 else "has lost a part"
    return Story("loss", f"{before.name} {became}.", fact.rule)


def _placed(rules: FadRules, state: State, fact: facts.UnitPlaced) -> Story | None:
    """A batch of markers is told as a whole, and not one by one."""
    return None if is_marker(state.units[fact.unit]) else transports.TELLERS[facts.UnitPlaced](rules, state, fact)


_OWN: dict[type[Fact], Callable[[FadRules, State, Any], Story | None]] = {
    facts.SideFirst: _first,
    facts.Declared: _declared,
    facts.Rolled: _rolled,
    facts.Reasoned: reasoned,
    facts.FigureRearmed: _rearmed,
    facts.FiguresFell: _fell,
    facts.ConditionGained: _gained,
    facts.ConditionLost: _lost,
    facts.UnitAttached: _attached,
    facts.UnitDetached: _detached,
    facts.UnitLeft: _left,
    **transports.TELLERS,
    facts.UnitMoved: _moved,
    facts.FiguresGained: _marked,
    facts.FiguresRose: _rose,
    facts.FiguresCarried: _carried,
    facts.ActivationSpent: _spent,
    facts.TerrainChanged: _changed,
    facts.UnitPlaced: _placed,
    setup_facts.SideDeclared: generated.declared,
    setup_facts.ObjectivePlaced: generated.objective,
    setup_facts.AssetGained: generated.gained,
}
