"""Pairs of worlds that differ only in what an audience may not know, and whether that audience notices.

A *life* is a short game that is played twice from the same seed. At each of its moments the audience that has secrets (a seat, or
the spectators) does something secret, and something else in the other world; then all others look through every channel that
they try, and what they got must be the same to the byte. Each moment is a pair: two worlds with the same public past and other
secrets. What is still secret is made the same again before the game goes on, since orders and sealed answers come to something.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from client_protocol.clocks import ClockTerms
from client_protocol.codec import decode_server
from client_protocol.forces import Force
from client_protocol.from_client import Concede, MakeMatch, MakeOffer, Order, Respond, Say, TakeBack, TakeSeat
from client_protocol.from_server import Accepted, SeatTaken, Snapshot, Update
from server.gateway.connection import frame_of
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.files.forces import examine
from server.kernel.notes import SECRETS
from server.kernel.ruleset import Ruleset
from server.matches.play.seats import settled
from server.rulesets.library import editions
from tests.non_interference.channels import Asker, Heard, everything
from tests.non_interference.stage import Stage, staged
from tests.support.fed import fed
from tests.support.playing import parsed, payload
from tests.support.toy_rules import ToyRules, force
from tests.support.worlds import Hashes, counted

WATCHERS = ""
WIRE, WIRE_COMPRESSED = "the wire", "the wire, compressed"
"""What was written to a socket, as it was written."""
FEED, FEED_SUMMARY = "the feed", "the feed's summary"
"""What the feed would publish of the match."""
BARE = ("GET ", "the start page", "what a match", WIRE, FEED_SUMMARY)
"""Channels whose bytes are no frames."""
FED_EVERY = 4
"""At every so many-th moment what is fed is compared, which takes the whole log."""
MOMENTS = 20
"""How many pairs a game gives at most."""


@dataclass(frozen=True)
class Setting:
    """A match in which pairs are looked for; `brought` are forces that can be brought to it hidden, `harmless` orders that change
    nothing of what others see, and need not be the same when the game goes on.
    """

    rules: Ruleset
    scenario: str
    seats: tuple[str, ...]
    options: dict[str, str | int | bool] = field(default_factory=dict)
    brought: tuple[Force | None, ...] = ()
    harmless: tuple[str, ...] = ("",)


def settings() -> list[tuple[int, Setting]]:
    """All settings, and how often each is taken."""
    toy, real, harmless = ToyRules(rounds=8), editions(), ("ask", "press")
    forces = (None, force("Light", "rifle"), force("Guns", "gun", "rifle"))
    found = [
        (5, Setting(toy, "duel", ("red", "blue"), harmless=harmless)),
        (5, Setting(toy, "three-way", ("red", "blue", "green"), harmless=harmless)),
        (3, Setting(toy, "three-way", ("red", "blue", "green"), {"hidden_forces": True}, forces)),
    ]
    for rules in real.values():
        scenario = rules.info.scenarios[0]
        seats = tuple(seat for seat, _ in scenario.seats)
        found.append((1, Setting(rules, scenario.id, seats, {"deployment": "blind"})))
        found.append((1, Setting(rules, scenario.id, seats)))
        # A set-up that is generated has secrets of each side's own.
        found += [
            (2, Setting(rules, other.id, tuple(seat for seat, _ in other.seats)))
            for other in rules.info.scenarios
            if SECRETS in rules.open(other.id, {}).book
        ]
        # So has a match with an option by which a side notes what the other may not know.
        found += [
            (1, Setting(rules, scenario.id, seats, {option.id: "on"}))
            for option in rules.info.options
            if "on" in {choice.value for choice in option.choices}
            and SECRETS in rules.open(scenario.id, {option.id: "on"}).book
        ]
        if any(option.id == "hidden_forces" for option in rules.info.options):
            hidden: dict[str, str | int | bool] = {"hidden_forces": True}
            fit = [one for one in rules.ready_forces if not examine(rules, one, settled(rules, hidden)).problems]
            found.append((1, Setting(rules, scenario.id, seats, hidden, (None, *fit))))
    return found


@dataclass
class Life:
    """One of the two worlds of a seed: what each moment told those who must not notice, and what really happened."""

    told: list[Heard] = field(default_factory=list)
    truths: list[object] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


@dataclass
class Figures:
    """How many pairs there were, with which secrets, and through which channels how much was compared."""

    seeds: int = 0
    pairs: int = 0
    same: int = 0
    """Moments that were no pair: both worlds did the same by chance."""
    compared: Counter[str] = field(default_factory=Counter)
    secrets: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    """How many frames of each kind the server sent, by the name of the message."""

    def add(self, other: Figures) -> None:
        """Count these too."""
        self.seeds += other.seeds
        self.pairs += other.pairs
        self.same += other.same
        for name in ("compared", "secrets", "games", "replies"):
            getattr(self, name).update(getattr(other, name))


class Noticed(AssertionError):  # noqa: N818 - what a pair came to
    """An audience got something else in the other world."""


async def pairs_of(url: str, seed: int) -> Figures:
    """Play the games of a seed in both worlds, and compare.

    Args:
        url: of a Valkey that is emptied for each world.
        seed: all that follows, follows from it.

    Raises:
        Noticed: an audience noticed a secret of another one.
    """
    chance = random.Random(seed)
    weights, known = zip(*settings(), strict=True)
    (setting,) = chance.choices(known, weights)
    one, other = [await _live(url, setting, seed, world) for world in (0, 1)]
    figures = Figures(seeds=1)
    figures.games[f"{setting.rules.info.id} {setting.scenario} {sorted(setting.options)}"] += 1
    for moment, (told, otherwise) in enumerate(zip(one.told, other.told, strict=False)):
        if told != otherwise:
            raise Noticed(_difference(seed, moment, setting, one.kinds[moment], told, otherwise))
        if one.truths[moment] == other.truths[moment]:
            figures.same += 1
            continue
        figures.pairs += 1
        figures.secrets[one.kinds[moment]] += 1
        for channel, frame in told:
            figures.compared[channel] += 1
            if not channel.startswith(BARE):
                figures.replies[type(decode_server(payload(frame))).__name__] += 1
    if len(one.told) != len(other.told):
        raise Noticed(f"Seed {seed}: one world has {len(one.told)} moments, the other {len(other.told)}.")
    return figures


def _difference(seed: int, moment: int, setting: Setting, kind: str, told: Heard, otherwise: Heard) -> str:
    where = f"Seed {seed}, moment {moment} ({setting.rules.info.id}, {setting.scenario}, {kind})"
    for (channel, frame), (_, other) in zip(told, otherwise, strict=False):
        if frame != other:
            at = next(
                (n for n, (a, b) in enumerate(zip(frame, other, strict=False)) if a != b), min(len(frame), len(other))
            )
            return f"{where}: {channel} differs: {frame[max(0, at - 60) : at + 60]!r} and {other[max(0, at - 60) : at + 60]!r}"
    return f"{where}: {len(told)} and {len(otherwise)} frames"


# --- a world ----------------------------------------------------------------------------------------------------------


async def _live(url: str, setting: Setting, seed: int, world: int) -> Life:
    chance = random.Random(f"{seed}/match")
    knowing = chance.choice(setting.seats if setting.brought or chance.random() < 0.8 else (WATCHERS,))
    free = _free(setting, knowing)
    mine = tuple(seat for seat in setting.seats if seat not in free)
    clock = chance.choice((None, ClockTerms("live", 600, 5, 30), ClockTerms("correspondence", 86_400)))
    listed = chance.random() < 0.8
    message = MakeMatch(
        "make-1",
        setting.rules.info.id,
        setting.scenario,
        "Ada",
        mine,
        setting.options,
        listed,
        clock=clock,
        advice=True,
    )
    async with staged(url, setting.rules, message) as stage:
        game = _Game(stage, setting, seed, world, knowing)
        if setting.brought:
            await game.bring()
        else:
            await game.play()
        return game.life


def _free(setting: Setting, knowing: str) -> tuple[str, ...]:
    """The seats that the maker leaves free: that of who brings a hidden force, and where there are three, one of the others'."""
    if not setting.brought:
        return ()
    others = [seat for seat in setting.seats if seat != knowing]
    return (knowing, *others[:-1])


class _Game:
    """A world while it comes about."""

    def __init__(self, stage: Stage, setting: Setting, seed: int, world: int, knowing: str) -> None:
        self.life = Life()
        self._stage = stage
        self._setting = setting
        self._seed = seed
        self._world = world
        self._knowing = knowing
        self._moment = 0
        self._replies: Heard = []
        """What newcomers were answered since all looked last."""
        self._secrets = 0
        self._hashes: Hashes = {}

    async def bring(self) -> None:
        """The seat that has secrets brings another force in each world; the others look before and after all have come."""
        stage, chance = self._stage, random.Random(f"{self._seed}/bring")
        invites = {given.seat: given.invite for given in stage.made.passes if given.invite}
        brought = chance.sample(self._setting.brought, 2)[self._world]
        invite = invites.get(self._knowing, "")
        taken = await stage.start.ask(
            TakeSeat("take-seat-" + "x" * 16, stage.made.match, self._knowing, "Bob", invite, brought)
        )
        assert isinstance(taken, SeatTaken), taken
        stage.tokens[self._knowing] = taken.token
        await stage.sit(self._knowing)
        for seat in (*(seat for seat in invites if seat != self._knowing), "", ""):
            stage.hands.move(1)
            await self._look("a hidden force")
            if seat:
                await self._come(seat, invites[seat])
            else:
                await self._talk(random.Random(f"{self._seed}/{self._moment}/public"))
        await self._look("a hidden force")

    async def _come(self, seat: str, invite: str) -> None:
        """A player who must not know takes a seat that was free."""
        stage = self._stage
        taken = await stage.start.ask(TakeSeat("come-late-" + "x" * 16, stage.made.match, seat, "Cid", invite))
        assert isinstance(taken, SeatTaken), taken
        self._replies.append(("TakeSeat", frame_of(taken)))
        stage.tokens[seat] = taken.token
        await stage.sit(seat)

    async def play(self) -> None:
        """A game of random answers in which everything is done that can be done."""
        stage = self._stage
        await stage.begin()
        for _ in range(MOMENTS):
            ask = stage.room._referee.ask
            if ask is None:
                return
            stage.hands.move(0.5)
            kind = await self._do_secretly()
            stage.hands.move(0.5)
            await self._look(kind)
            await self._make_the_same()
            stage.hands.move(1)
            await self._go_on(random.Random(f"{self._seed}/{self._moment}/public"))
        await self._end(random.Random(f"{self._seed}/end"))

    async def _look(self, kind: str) -> None:
        """Let all who must not know look through every channel; and note what they got since they looked last."""
        stage = self._stage
        await stage.quiet()
        told: Heard = [("the start page", stage.listed()), *self._replies]
        self._replies = []
        for audience in sorted(stage.places):
            frames = stage.places[audience].taken()
            if audience != self._knowing:
                told += [("frames", frame) for frame in frames]
                told += [
                    (WIRE_COMPRESSED if parsed(frame).rsv1 else WIRE, frame)
                    for frame in stage.places[audience].written()
                ]
        truth = await stage.truth(), stage.room._referee._secret
        for audience in sorted(stage.places):
            if audience != self._knowing:
                chance = random.Random(f"{self._seed}/{self._moment}/{audience}")
                told += await everything(Asker(stage, audience, chance, self._moment))
        if self._knowing != WATCHERS and self._moment % FED_EVERY == 0:
            told += await self._fed()
        self.life.told.append([self._counted(*heard) for heard in told])
        self.life.truths.append(truth)
        self.life.kinds.append(kind)
        self._moment += 1

    async def _fed(self) -> Heard:
        """What the feed publishes of the match, from its first entry on."""
        room = self._stage.room
        published = await fed(room._store, room.match, room.rules)
        return [
            (FEED_SUMMARY, data) if kind == "summary" else (FEED, frame_of(decode_server(data)))
            for kind, data in published
        ]

    def _counted(self, channel: str, frame: bytes) -> tuple[str, bytes]:
        """What came through a channel, with the hash of its entry counted (see `worlds.counted`)."""
        if channel.startswith(BARE):
            return channel, frame
        message = decode_server(payload(frame))
        if not isinstance(message, Snapshot | Update):
            return channel, frame
        return channel, frame_of(counted(message, self._hashes))

    # --- secrets ------------------------------------------------------------------------------------------------------

    async def _do_secretly(self) -> str:
        """Do some secret things, which are others in each world and not equally many."""
        chance = random.Random(f"{self._seed}/{self._moment}/secret/{self._world}")
        kind = self._kind()
        for _ in range(chance.randint(1, 3)):
            if kind == "a sealed answer":
                await self._seal(chance)
            elif kind == "a standing order":
                await self._order(chance)
            else:
                await self._whisper(chance)
        return kind

    def _kind(self) -> str:
        """Which secret it is going to be, the same in both worlds."""
        stage, knowing = self._stage, self._knowing
        chance = random.Random(f"{self._seed}/{self._moment}/kind")
        if knowing == WATCHERS:
            return "talk among those who watch"
        referee = stage.room._referee
        seats = referee.ask.seats if referee.ask is not None else {}
        # The last answer opens them all.
        waiting = [seat for seat in seats if seat != knowing and seat not in referee.fold.state.sealed]
        if knowing in seats and waiting and chance.random() < 0.7:
            return "a sealed answer"
        if stage.room.rules.orders and chance.random() < 0.8:
            return "a standing order"
        return "talk among one's own side"

    def _id(self) -> str:
        self._secrets += 1
        return f"secretly-{self._secrets:04}"

    async def _seal(self, chance: random.Random) -> None:
        stage, seat = self._stage, self._knowing
        referee = stage.room._referee
        assert referee.ask is not None
        picked = sample(believed(referee.fold.state, seat), referee.ask.seats[seat], chance)
        assert isinstance(await stage.answer(seat, self._id(), picked), Accepted)

    async def _order(self, chance: random.Random) -> None:
        state = self._stage.room._referee.fold.state
        units = [unit for unit in state.units if state.seat_of(unit) == self._knowing]
        order = chance.choice(list(self._stage.room.rules.orders))
        await self._stage.places[self._knowing].ask(Order(self._id(), chance.choice(units), order))

    async def _whisper(self, chance: random.Random) -> None:
        text = "".join(chance.choice("abcdefgh ") for _ in range(chance.randint(1, 100))).strip() or "Hm"
        say = Say(self._id(), text, "side" if self._knowing else "spectators")
        assert isinstance(await self._stage.places[self._knowing].ask(say), Accepted)

    async def _make_the_same(self) -> None:
        """Make what is still secret, and comes to something, the same in both worlds."""
        stage, seat = self._stage, self._knowing
        if not seat:
            return
        state = stage.room._referee.fold.state
        if seat in state.sealed:
            await self._seal(random.Random(f"{self._seed}/{self._moment}/common"))
        for unit, order in state.desk.orders.items():
            if order not in self._setting.harmless and state.seat_of(unit) == seat:
                reply = await stage.places[seat].ask(Order(self._id(), unit, self._setting.harmless[0]))
                assert isinstance(reply, Accepted), reply

    # --- what all players notice --------------------------------------------------------------------------------------

    async def _go_on(self, chance: random.Random) -> None:
        """An answer, mostly; or talk, an offer, a decision taken back."""
        await self._stage.quiet()
        what = chance.random()
        if what < 0.15:
            await self._talk(chance)
        elif what < 0.3:
            await self._take_back(chance)
        else:
            await self._answer(chance)
        await self._stage.quiet()

    async def _talk(self, chance: random.Random) -> None:
        audience = chance.choice(sorted(self._stage.places))
        channel = chance.choice(("table", "side") if audience else ("spectators",))
        say = Say(f"public-{self._moment:04}", "Your move " * chance.randint(1, 5), channel)  # type: ignore[arg-type] # one of them
        await self._stage.places[audience].ask(say)

    async def _take_back(self, chance: random.Random) -> None:
        """A seat takes back: at once where it may, else the others agree or do not. Or it offers something else."""
        stage = self._stage
        seat = chance.choice(stage.room.seats)
        fresh = f"offer-{self._moment:04}"
        await stage.places[seat].ask(TakeBack(fresh) if chance.random() < 0.7 else MakeOffer(fresh, "pause"))
        offers = stage.room._referee.fold.state.desk.offers
        agreed = chance.random() < 0.7
        for key in list(offers):
            for other in stage.room.seats:
                if other != seat:
                    await stage.places[other].ask(
                        Respond(f"respond-{self._moment:04}-{key}-{other}", key, accept=agreed)
                    )

    async def _answer(self, chance: random.Random) -> None:
        stage = self._stage
        referee = stage.room._referee
        if referee.ask is None:
            return
        waiting = [seat for seat in referee.ask.seats if seat not in referee.fold.state.sealed]
        if not waiting:
            return
        seat = chance.choice(waiting)
        picked = sample(believed(referee.fold.state, seat), referee.ask.seats[seat], chance)
        await stage.answer(seat, f"publicly-{self._moment:04}", picked)

    async def _end(self, chance: random.Random) -> None:
        """The last moment: dice that have not fallen yet fall otherwise in each world; or a player gives up."""
        stage = self._stage
        if stage.room.over:
            return  # all hear now what is said, and the log is open
        if chance.random() < 0.8:
            stage.room._referee._secret = bytes([self._world]) * 32
            await self._look("dice that have not fallen")
            return
        others = [seat for seat in stage.room.seats if seat != self._knowing]
        await self._do_secretly()
        await self._make_the_same()
        await stage.places[chance.choice(others)].ask(Concede("concede-at-last"))
        await stage.quiet()
        told = [("the start page", stage.listed())]
        for audience in sorted(stage.places):
            frames = stage.places[audience].taken()
            told += [("frames", frame) for frame in frames if audience != self._knowing]
        self.life.told.append([self._counted(*heard) for heard in told])
        self.life.truths.append(await stage.truth())
        self.life.kinds.append("what was secret before the end")
