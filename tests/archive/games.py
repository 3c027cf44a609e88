"""The games of the archive: what is played, and what happens on the desk. Recorded once, and kept."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Claim, Concede, MakeOffer, TakeBack
from client_protocol.view import Channel
from server.kernel.belief import EVERYTHING
from server.kernel.clocks import begun
from server.kernel.desk_facts import ClockSet, DiceRenewed, ForceBrought, Said
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import POSITION, Aside, position
from server.matches.play.taking_back import way_back
from server.matches.setup.forks import fork
from server.rulesets.library import edition
from tests.archive.recording import Match
from tests.playthroughs.seats import sensible
from tests.rulesets.openings import WILD, opening

LIVE = ClockTerms("live", 600, 10, 60)
POST = ClockTerms("correspondence", 2 * 86_400)


class Game(Match):
    """A match between sensible seats. `seed` decides their choices and the dice."""

    def __init__(self, rules: Ruleset, scenario: str, seed: int, *, clock: ClockTerms | None = None) -> None:
        chance = random.Random(seed)
        secret = hashlib.sha256(f"archive {seed}".encode()).digest()
        super().__init__(
            rules, scenario, clock=clock, secret=secret, policy=lambda state, asked: sensible(state, asked, chance)
        )
        fold = self.referee.fold
        self.reopen(replace(fold.opened, match=f"{scenario}-{seed}", position=position(fold.state)))

    def say(self, seat: str, text: str, channel: Channel = "table", name: str = "") -> None:
        """Say a line of chat."""
        self.add(Aside((Said(seat, name, text, channel),), seat, f"{seat}:say-{len(self.entries)}"))

    def take_back(self, seat: str) -> None:
        """Let `seat` take back its last decision; the others agree if their consent is needed."""
        way = way_back(self.referee.fold, self.referee.ask, seat)
        assert way is not None, "there is nothing to take back"
        message = TakeBack(f"back-{len(self.entries):04}")
        if way.free:
            self.settle(seat, message)
        else:
            self.agree(seat, message)

    def steps(self, count: int) -> Game:
        """Give this many answers."""
        for _ in range(count):
            if self.next:
                self.give(self.next)
        return self


def _from(rules: Ruleset, state: State, seed: int) -> Game:
    """Return a match that begins from a position."""
    game = Game(rules, rules.info.scenarios[0].id, seed)
    opened = replace(game.referee.fold.opened, scenario=POSITION, title=state.title, position=position(state))
    game.reopen(opened)
    return game


def _taken_back(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Players chat, spectators chat among themselves; now and then a player takes back, freely or with consent."""
    game = Game(rules, scenario, seed)
    game.ready()
    seats = game.referee.fold.seats
    game.say(seats[0], "Good luck!")
    game.say("", "My money is on the others.", "spectators", "Cleo")
    backs = 0
    while game.next:
        seat = game.next
        before = game.referee.fold.counters.get("", 0)
        game.give(seat)
        rolled = game.referee.fold.counters.get("", 0) > before
        if backs < 6 and way_back(game.referee.fold, game.referee.ask, seat) is not None and rolled == (backs % 2 == 1):
            backs += 1
            game.take_back(seat)
            game.say(seats[-1], f"Was that number {backs}?")
    game.say(seats[-1], "Well played.")
    return game


def _conceded(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Return the last seat concedes in the second turn."""
    game = Game(rules, scenario, seed)
    game.ready().turns(2)
    game.steps(7).settle(game.referee.fold.seats[-1], Concede("conceded"))
    return game


def _agreed(rules: Ruleset, scenario: str, seed: int) -> Game:
    """One of three players concedes, and later the other two agree on a draw."""
    game = Game(rules, scenario, seed)
    game.ready().turns(2)
    first, *others = game.referee.fold.seats
    game.settle(others[-1], Concede("conceded"))
    game.steps(12)
    game.settle(first, MakeOffer("draw-0001", "draw"))
    (offer,) = game.referee.fold.state.desk.offers
    game.accept(others[0], offer)
    return game


def _timed(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Return a live clock, which is paused for a while; a player thinks for too long, and the default is played."""
    game = Game(rules, scenario, seed, clock=LIVE)
    game.ready().turns(1)
    first, second = game.referee.fold.seats[:2]
    game.agree(first, MakeOffer("pause-001", "pause"))
    game.passed += 3_600_000
    game.agree(second, MakeOffer("resume-01", "resume"))
    game.turns(2)
    game.passed += 700_000
    game.go_on()
    game.finish()
    return game


def _claimed(rules: Ruleset, scenario: str, seed: int) -> Game:
    """One player lets the time run out, and the other claims the game."""
    game = Game(rules, scenario, seed, clock=replace(LIVE, at_zero="claim"))
    game.ready().turns(2)
    game.passed += 900_000
    game.go_on()
    late = game.next
    winner = next(seat for seat in game.referee.fold.seats if seat != late)
    game.settle(winner, Claim("claimed-1"))
    return game


def _by_letter(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Two days for each decision; after a while the players change to a live clock."""
    game = Game(rules, scenario, seed, clock=POST)
    game.ready()
    for _ in range(10):
        game.passed += 30_000_000
        game.steps(1)
    game.agree(game.referee.fold.seats[0], MakeOffer("clock-001", "clock", LIVE))
    game.finish()
    return game


def _forked(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Another match goes on from the middle of an activation of this one."""
    other = Game(rules, scenario, seed)
    other.ready().turns(2)
    fold = other.referee.fold
    while fold.state.sealed or len(fold.since) < 2 or not any(happened.rolls for happened in fold.since):
        other.steps(1)
        fold = other.referee.fold
    at = fold.number - 1
    other.finish()
    found = fork(other.entries, EVERYTHING, at)
    assert not isinstance(found, str), found
    game = _from(rules, found.state, seed + 1)
    game.reopen(
        replace(game.referee.fold.opened, position=position(found.state), forked=found.forked, since=found.since)
    )
    game.ready().finish()
    return game


def _went_on(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Another server goes on with the match, with dice of its own."""
    game = Game(rules, scenario, seed, clock=LIVE)
    game.ready().turns(2)
    game.steps(5)
    game.secret = hashlib.sha256(game.secret).digest()
    clock = game.referee.fold.state.desk.clock
    assert clock is not None, "it has one"
    renewed = DiceRenewed(hashlib.sha256(game.secret).hexdigest())
    game.add(Aside((renewed, ClockSet(replace(clock, at=77, here={}, away=())))))
    game.referee = game.again()
    game.ready().finish()
    return game


def _brought(rules: Ruleset, scenario: str, seed: int) -> Game:
    """Both players bring a force of their own."""
    game = Game(rules, scenario, seed)
    for number, seat in enumerate(game.referee.fold.seats):
        game.add(Aside((ForceBrought(seat, rules.ready_forces[number % len(rules.ready_forces)]),), seat))
    game.ready()
    while (ask := game.referee.ask) is not None and ask.seats[game.next].choice("accept") is not None:
        game.give(game.next, Picked("accept"))
    game.finish()
    return game


def _wild(rules: Ruleset, name: str, seed: int) -> Game:
    """Return the match begins from a position in which much can happen."""
    game = _from(rules, opening(name, WILD, seed), seed)
    game.ready().finish()
    return game


def _position_with_a_clock(rules: Ruleset, name: str, seed: int) -> Game:
    state = opening(name, WILD, seed)
    desk = replace(state.desk, clock=begun(LIVE, [side.seat for side in state.sides.values()], 0))
    game = _from(rules, replace(state, desk=desk), seed)
    game.ready().finish()
    return game


Play = Callable[[Ruleset], Game]

GAMES: dict[str, dict[str, Play]] = {
    "fad4": {
        "crossroads-taken-back": lambda rules: _taken_back(rules, "crossroads-patrol", 3),
        "relay-timed": lambda rules: _timed(rules, "hold-the-relay", 5),
        "ridge-conceded": lambda rules: _conceded(rules, "ridge-farm", 7),
        "crossroads-forked": lambda rules: _forked(rules, "crossroads-patrol", 9),
        "relay-went-on": lambda rules: _went_on(rules, "hold-the-relay", 11),
        "position": lambda rules: _wild(rules, "fad4", 3),
        "position-typed": lambda rules: _wild(rules, "fad4", 20),
    },
    "fad5": {
        "orchards-taken-back": lambda rules: _taken_back(rules, "two-orchards", 3),
        "inn-timed": lambda rules: _timed(rules, "ferry-inn", 5),
        "strip-went-on": lambda rules: _went_on(rules, "salt-pan-strip", 9),
        "position": lambda rules: _wild(rules, "fad5", 3),
    },
    "fubar4": {
        "hedges-taken-back": lambda rules: _taken_back(rules, "crossed-hedges", 4),
        "salvage-agreed": lambda rules: _agreed(rules, "salvage-rights", 6),
        "roadblock-by-letter": lambda rules: _by_letter(rules, "the-roadblock", 8),
        "hedges-forked": lambda rules: _forked(rules, "crossed-hedges", 10),
        "farms-claimed": lambda rules: _claimed(rules, "three-farms", 12),
        "hedges-brought": lambda rules: _brought(rules, "crossed-hedges", 14),
        "position": lambda rules: _position_with_a_clock(rules, "fubar4", 4),
        "position-typed": lambda rules: _wild(rules, "fubar4", 22),
        "hedges-brought-typed": lambda rules: _brought(rules, "crossed-hedges", 16),
    },
}
"""The games by edition and name."""


def played(name: str, game: str) -> Game:
    """Play a game of the archive again. It comes out the same only if the rules are the same."""
    return GAMES[name][game](edition(name))
