"""Snipers: units of one figure that are hard to hit while they keep still, and can pick a figure of any enemy they see."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Candidate, Choice, FiguresParameter, FiguresPicked, Picked, UnitNamed, Why
from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle, riders
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, Noted, Rolled
from server.kernel.notes import Note, word
from server.kernel.procedure import Steps, ask
from server.kernel.questions import total
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, about
from server.kernel.state import State, Unit
from server.kernel.traits import of
from server.rulesets.fad import damage, shooting
from server.rulesets.fad.firing import target_choice
from server.rulesets.fad.game import POWERED, SNIPER, SNIPER_RIFLE, FadGame, FadRules
from server.rulesets.fad.module import Act, FadModule
from server.rulesets.fad.previews import luck
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.quality import QualityNeed, quality_test
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.shared.distances import visible_enemies
from server.rulesets.shared.modules import Action, Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

RULE = "shoot.individuals"
CONCEALED = "fire.target-concealed-sniper"
CLEAR_SHOT = "clear-shot"
POSTS = "snipers.posts"
"""The note of a match that lists where each sniper stood when its last activation began, and whether it has shot since then."""


class Post(Struct, frozen=True):
    """A sniper, where it stood when its last activation began, the turn in which it has shot in that activation (0: it has not),
    and the turn in which it last found no clear shot (0: never).
    """

    unit: str
    at: Point
    shot: int = 0
    failed: int = 0

    def noted(self) -> tuple[int | str, ...]:
        """Return the post as a note holds it."""
        return (self.unit, *self.at, self.shot, self.failed)


def _posts(state: State) -> dict[str, Post]:
    """Return the posts of all snipers, by unit. Raises `ValueError` if the note holds something else."""
    rows = state.book.get(POSTS, ())
    if not isinstance(rows, tuple):
        raise ValueError(rows)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    return {post.unit: post for post in map(_read, rows)}


def _read(row: object) -> Post:
    match row:
        case (str(unit), int(x), int(y), int(shot)):
            # Older rules noted no more.
            return Post(unit, (x, y), shot)
        case (str(unit), int(x), int(y), int(shot), int(failed)):
            return Post(unit, (x, y), shot, failed)
        case _:
            raise ValueError(row)


def _noted(state: State, post: Post) -> Noted:
    note: Note = tuple(one.noted() for one in {**_posts(state), post.unit: post}.values())
    return Noted(POSTS, note)


def is_sniper(unit: Unit) -> bool:
    """Return whether the unit is a sniper."""
    return SNIPER in of(unit)


def _at(unit: Unit) -> Point | None:
    return next((at for at, _ in unit.places()), None)


def _place(state: State, unit: Unit) -> Point | None:
    """Return where a sniper is, on its own feet or in a vehicle."""
    return _at(state.units[unit.aboard] if unit.aboard else unit)


def concealed(state: State, unit: Unit) -> bool:
    """Return whether a sniper stands where it stood when its last activation began (fad4/fire.target-concealed-sniper)."""
    post = _posts(state).get(unit.id)
    return is_sniper(unit) and (post is None or post.at == _at(unit))


def _begin(game: FadGame, unit_id: str) -> Steps[None]:
    # Those aboard activate with their vehicle, or get off it, and have moved then.
    for unit in (game.unit(unit_id), *riders(game.state, unit_id)):
        at, post = _place(game.state, unit), _posts(game.state).get(unit.id)
        if is_sniper(unit) and at is not None:
            # fad5/turn.seize-initiative, fad5/turn.extended-cards: what it did in an earlier activation counts no more
            yield _noted(game.state, Post(unit.id, at, failed=post.failed if post else 0))


def _bars(_rules: FadRules, state: State, unit: Unit, act: str) -> Why | None:
    if not is_sniper(unit):
        return None
    if act == Act.ASSAULT:
        return Why(f"{unit.name} is a sniper and starts no Close Assault.", RULE)
    if act == Act.ALIGHT:
        return Why(f"{unit.name} is a sniper: it does not shoot as it gets off.", RULE)
    post = _posts(state).get(unit.id)
    if act == Act.SHOOT and post is not None and post.failed == state.turn.number:
        # fad5/adv.sniper.unit: a free shot is fire too
        return Why(f"{unit.name} is a sniper that found no clear shot: it does not shoot this turn.", RULE)
    if post is None or state.turn.unit != unit.id:
        return None
    # fad4/shoot.individuals: it moves or shoots in an activation
    if act == Act.SHOOT and post.at != _place(state, unit):
        return Why(f"{unit.name} is a sniper that has moved: it does not shoot in this activation.", RULE)
    if act == Act.MOVE and post.shot == state.turn.number:
        return Why(f"{unit.name} is a sniper that has shot: it does not move in this activation.", RULE)
    return None


def _lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    target = state.units[question.shot.target]
    # fad4/tech.personal-armour: a Marksman suit conceals its wearer from no one
    if is_sniper(target) and concealed(state, target) and POWERED not in rules.armour(target).traits:
        yield Line(
            "ADD", rules.book.tables.fire_effect_modifiers.target_concealed_sniper, "concealed sniper", CONCEALED
        )


def _shot(game: FadGame, shooter: str, *, failed: bool = False) -> Steps[None]:
    post, turn = _posts(game.state).get(shooter), game.state.turn
    if post is not None and turn.unit == shooter:
        yield _noted(game.state, replace(post, shot=turn.number, failed=turn.number if failed else 0))


def _follow(game: FadGame, shot: Shot) -> Steps[None]:
    if is_sniper(game.unit(shot.shooter)):
        yield from _shot(game, shot.shooter)


# --- the clear shot -------------------------------------------------------------------------------------------------


def _candidates(rules: FadRules, state: State, unit: Unit) -> tuple[Candidate, ...]:
    """Return the enemy units on the table, those in sight first, each with why the sniper has no shot at it."""
    visible = [near.unit for near in visible_enemies(rules, state, unit)]
    others = [enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table and enemy.id not in visible]
    found = []
    for enemy in (*visible, *others):
        shot = aim(rules, state, unit.id, enemy)
        if is_vehicle(state.units[enemy]):
            shot = Why(f"{state.units[enemy].name} is a vehicle: a clear shot hits a man.", RULE)
        found.append(Candidate(enemy, about(shot.distance)) if isinstance(shot, Shot) else Candidate(enemy, why=shot))
    return tuple(found)


def _offer(rules: FadRules, state: State, unit: Unit) -> Choice | None:
    if not is_sniper(unit):
        return None
    text = (
        "Stay, and hit a figure that you pick in any unit in sight, if a Quality Test of 1D6 passes. If it fails, the sniper "
        "does not shoot this turn."
    )
    return target_choice(CLEAR_SHOT, "Clear shot", RULE, text, _candidates(rules, state, unit))


def _carry_out(game: FadGame, unit_id: str, picked: Picked) -> Steps[None]:
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield Declared(unit_id, CLEAR_SHOT, RULE, named.unit)
    passes = yield from quality_test(
        game, unit_id, "clear_shot", RULE, lambda count: "clear" if count else "none", dice=1
    )
    yield from _shot(game, unit_id, failed=not passes)
    if not passes:
        return
    shot = aim(game.rules, game.state, unit_id, named.unit)
    assert isinstance(shot, Shot), "only legal targets are offered"
    figure = yield from _pick(game, shot)
    yield from damage.strike(game, replace(shot, seen=(figure,)), 1)
    # There is no Fire Effect that could pin the target.
    yield from shooting.mark(game, named.unit, total(()))
    for follow in game.rules.following(game.state):
        yield from follow(game, shot)


def _pick(game: FadGame, shot: Shot) -> Steps[str]:
    """Ask the sniper's player which of the figures in sight is hit; by default the nearest."""
    seat, name = game.state.seat_of(shot.shooter), game.unit(shot.target).name
    parameter = FiguresParameter(f"Figure of {name}", shot.target, shot.seen, 1, 1)
    choice = Choice("clear-shot-at", "Hit this figure", RULE, "One hit, whatever its cover.", (parameter,))
    default = Picked("clear-shot-at", (FiguresPicked(shot.seen[:1]),))
    title = f"{game.unit(shot.shooter).name} has a clear shot at {name}"
    picked = yield from ask(seat, Asked(title, (choice,), default, RULE, shot.shooter))
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    return value.figures[0]


def _preview(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    named = picked.values[0] if picked.values else None
    if not isinstance(named, UnitNamed):
        return None
    shot = aim(rules, state, asked.unit, named.unit)
    if isinstance(shot, Why):
        return None
    need = rules.advisers.answer(state, QualityNeed(asked.unit))
    clear = odds.at_least(need.value)
    hit = replace(shot, seen=shot.seen[:1])
    falls = odds.chance(losses(rules, state, hit, 1), bool)
    chances = (chance_line("A clear shot", clear), chance_line("The figure falls", clear * falls))
    sniper, target = state.units[asked.unit].name, state.units[named.unit].name
    return Preview(f"{sniper} aims at a figure of {target}", "1D6", (("The die", need),), chances)


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    if is_sniper(unit) and POWERED in rules.armour(unit).traits:
        yield CardLine("Sniper", "Marksman suit, not concealed", "tech.suits")
    elif is_sniper(unit):
        # It is so until it moves.
        yield CardLine("Sniper", "concealed" if concealed(state, unit) else "has moved", CONCEALED)


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "has a clear shot" if fact.outcome == "clear" else "finds no clear shot"
    return f"{state.units[fact.unit].name} {result}.", "fire", fact.rule


def _admit(state: State) -> None:
    try:
        _posts(state)
    except ValueError:
        raise RulesetError(f"the book's {POSTS} list a unit, its place in mil and two turns each") from None
    for unit in state.units.values():
        if is_sniper(unit) and len(unit.figures) != 1:
            raise RulesetError(f"{unit.name} is a sniper: a unit of one figure, not of {len(unit.figures)}")
        if not is_sniper(unit) and word(unit.profile, "small_arm", "none") == SNIPER_RIFLE:
            raise RulesetError(
                f"{unit.name}: only a sniper carries a sniper rifle. Give it the trait, or another weapon"
            )


SNIPERS = FadModule(
    id="snipers",
    traits=(SNIPER,),
    solitary=(SNIPER,),
    advisers=(Advice(FireEffect, _lines, rank=Rank.TARGET),),
    bars=_bars,
    beginning=_begin,
    follow=_follow,
    actions=(Action(key=CLEAR_SHOT, offer=_offer, carry_out=_carry_out, preview=_preview),),
    card=_card,
    card_tells_place=is_sniper,
    declares={CLEAR_SHOT: Declaration("looks for a clear shot at", "fire")},
    rolls={"clear_shot": ModuleRoll(_story, luck.quality_test)},
    admit=_admit,
)
