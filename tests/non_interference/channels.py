"""Everything through which an audience could learn something: every message that a client may send, and every page.

`CHANNELS` has a line for each type of message; a test holds it to the protocol, so that none can be forgotten.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from client_protocol.choices import Prompt
from client_protocol.codec import pack
from client_protocol.from_client import (
    ActInLeague,
    Answer,
    AskAdvice,
    AskChallenge,
    AskExhibition,
    AskLeague,
    AskLeagues,
    AskLuckReport,
    AskMoments,
    AskPlayer,
    AskPreview,
    AskRoster,
    AskTopic,
    AskWhatIf,
    CheckForce,
    CheckHead,
    CheckSetup,
    Claim,
    ClientMessage,
    CommitRandomness,
    Concede,
    ConvertForce,
    EnterLobby,
    EnterMatch,
    ExportCase,
    ExportSetup,
    ExportText,
    ForgetPlayer,
    ForkPoint,
    GhostPlaces,
    ImportMatch,
    Introduce,
    Look,
    MakeLeague,
    MakeMatch,
    MakeOffer,
    MoreMatches,
    Order,
    Ping,
    PlayFixture,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    SetLeagueWebhook,
    SetMatchWebhook,
    SetNotices,
    TakeBack,
    TakeSeat,
    TieSeat,
    Upload,
)
from client_protocol.from_server import (
    Exhibition,
    FixtureSeat,
    Introduced,
    Leagues,
    LeagueShown,
    LuckReport,
    MatchesChanged,
    MatchMade,
    NoticesSet,
    PlayerFound,
    Refused,
    RosterShown,
    ServerMessage,
    Status,
    TopicGiven,
)
from client_protocol.leagues import LeagueTerms, Withdraw
from client_protocol.players import NoticeSettings
from client_protocol.shapes import PROTOCOL
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.files.setups import dump, write
from server.kernel.state import State
from server.matches.log.audiences import audience_of
from server.matches.setup.forks import fork
from tests.non_interference.stage import Place, Stage
from tests.support.player_keys import PlayerKey
from tests.support.playing import digest_of, share_of
from tests.support.worlds import gone_on

Heard = list[tuple[str, bytes]]
"""What an audience got, frame by frame, each with the channel through which it came."""

NEVER_HERE: dict[type[ServerMessage], str] = {
    MatchesChanged: "What the start page shows after it is compared; in how many steps it came to that is a matter of chance.",
    LuckReport: "It is given when a match is over, and everything is open then; until then the refusal is compared.",
    Exhibition: "It names a match between programs, in which no player has a secret.",
    Introduced: "It tells players of their own key and settings, and of matches only that they have seats there.",
    PlayerFound: "It tells of a key, and of no match.",
    NoticesSet: "It says whether addresses of the sender's own could be reached.",
    Leagues: "It tells of leagues, and of no match.",
    LeagueShown: "It tells of matches only how those ended that are over; hidden forces have a test of their own.",
    RosterShown: "It tells of a league's forces; hidden ones have a test of their own.",
    FixtureSeat: "It gives a player's own seat.",
    TopicGiven: "It gives a password for the sender's own topic.",
    Status: "It says how the server's database is, and nothing of any match.",
}
"""Messages of the server that are not compared as they are, and why they need not be."""


@dataclass
class Asker:
    """An audience that asks at one moment. What it asks follows from its chance, which is the same in both worlds, and from what
    it may know.
    """

    stage: Stage
    audience: str
    chance: random.Random
    moment: int

    def id(self, what: str) -> str:
        """An id for a message, as long as any needs to be."""
        return f"{what}-{self.audience or 'spectator'}-{self.moment:04}"

    @property
    def place(self) -> Place:
        """Where it sits."""
        return self.stage.places[self.audience]

    @property
    def state(self) -> State:
        """The position as it may know it."""
        return believed(self.stage.room._referee.fold.state, audience_of(self.audience))

    @property
    def last(self) -> int:
        """Its last frame."""
        return self.stage.room._referee.fold.seqs[audience_of(self.audience)]

    def frame(self) -> int:
        """One of its frames, or another audience's."""
        return self.chance.choice((0, self.last, self.last, self.last - 1, self.chance.randint(0, self.last), 100_000))

    def view(self) -> str:
        """Its own audience, mostly."""
        others = ("*", *(other for other in self.stage.places if other != self.audience))
        return self.audience if self.chance.random() < 0.7 else self.chance.choice(others)

    @property
    def prompt(self) -> Prompt | None:
        """What it is asked."""
        return self.stage.room.teller.prompt(self.audience) if self.audience else None

    def unit(self) -> str:
        """Any unit of the table."""
        return self.chance.choice(list(self.state.units))

    def own(self) -> list[str]:
        """Its own units."""
        return [unit for unit in self.state.units if self.state.seat_of(unit) == self.audience]


Asking = Callable[[Asker], Iterator[ClientMessage]]


def _enter_match(asker: Asker) -> Iterator[ClientMessage]:
    match, token = asker.stage.made.match, asker.stage.tokens.get(asker.audience, "")
    yield EnterMatch(PROTOCOL, match, token, asker.chance.choice((-1, max(0, asker.last - asker.chance.randint(0, 6)))))
    if asker.chance.random() < 0.05:
        yield EnterMatch(PROTOCOL, match, "a token that is none")


def _enter_lobby(asker: Asker) -> Iterator[ClientMessage]:
    yield EnterLobby(PROTOCOL, (asker.stage.made.match, "nothing"))


def _more_matches(asker: Asker) -> Iterator[ClientMessage]:
    state = asker.chance.choice(("open", "running", "over"))
    yield MoreMatches("more", state, 1 << 50, asker.stage.made.match)  # type: ignore[arg-type] # one of the three


def _exhibition(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskExhibition("exhibition")


def _moments(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskMoments("moments")


def _make_match(asker: Asker) -> Iterator[ClientMessage]:
    """A match that goes on from this one."""
    token = asker.stage.tokens.get(asker.audience, "")
    point = ForkPoint(asker.stage.made.match, asker.view(), asker.frame(), token)
    opened = asker.stage.room._referee.fold.opened
    yield MakeMatch(asker.id("fork"), opened.edition, opened.scenario, "Fay", asker.stage.room.seats, fork=point)


def _check_head(asker: Asker) -> Iterator[ClientMessage]:
    """The hash that it was told last, and an invented one."""
    heads = asker.stage.room._referee.fold.heads
    yield CheckHead(asker.id("head"), heads[audience_of(asker.audience)])
    yield CheckHead(asker.id("none"), bytes(32))


def _upload(asker: Asker) -> Iterator[ClientMessage]:
    data = dump(write(asker.state)).encode()
    parts = range(0, len(data), 12_000)
    for part, start in enumerate(parts):
        yield Upload(f"part-{part}", "position", part, len(parts), data[start : start + 12_000])


def _check_setup(asker: Asker) -> Iterator[ClientMessage]:
    yield from _upload(asker)
    yield CheckSetup("check", "position")


def _import_match(asker: Asker) -> Iterator[ClientMessage]:
    """What it could take for a match's file: there is none before the end, so the position has to serve."""
    yield from _upload(asker)
    yield ImportMatch("import", "position")


def _take_seat(asker: Asker) -> Iterator[ClientMessage]:
    seats = [seat for seat in asker.stage.room.seats if seat in asker.stage.places]
    yield TakeSeat(asker.id("take"), asker.stage.made.match, asker.chance.choice(seats), "Ida")


def _check_force(asker: Asker) -> Iterator[ClientMessage]:
    ready = asker.stage.room.rules.ready_forces
    if ready:
        yield CheckForce("force", asker.chance.choice(ready))


def _convert_force(asker: Asker) -> Iterator[ClientMessage]:
    rules = asker.stage.room.rules
    if rules.ready_forces:
        yield ConvertForce("convert", asker.chance.choice(rules.ready_forces), rules.info.id)


def _commit(asker: Asker) -> Iterator[ClientMessage]:
    yield CommitRandomness("commit-again", digest_of(b"another"))


def _reveal(asker: Asker) -> Iterator[ClientMessage]:
    yield RevealRandomness("reveal-again", share_of(asker.audience or "spectator").hex())


def _answer(asker: Asker) -> Iterator[ClientMessage]:
    """Answers that are refused: to a prompt that is not there, and what is not among the choices."""
    yield Answer(asker.id("answer"), "0", asker.chance.choice(("1", "hold", "press")))
    prompt = asker.prompt
    if prompt is not None:
        yield Answer(asker.id("wrong"), prompt.id, "no such choice")


def _preview(asker: Asker) -> Iterator[ClientMessage]:
    yield AskPreview("inquire-0", "0", "hold")
    ask, prompt = asker.stage.room._referee.ask, asker.prompt
    if ask is None or prompt is None:
        return
    picked = [prompt.default, sample(asker.state, ask.seats[asker.audience], asker.chance)]
    for number, one in enumerate(picked, 1):
        yield AskPreview(f"inquire-{number}", prompt.id, one.choice, one.values)
    yield AskPreview("inquire-3", prompt.id, asker.chance.choice(prompt.choices).key)


def _advice(asker: Asker) -> Iterator[ClientMessage]:
    """Of the open prompt, and of none."""
    yield AskAdvice("advice-0", "0")
    if asker.prompt is not None:
        yield AskAdvice("advice-1", asker.prompt.id)


def _order(asker: Asker) -> Iterator[ClientMessage]:
    """Orders to others' units are refused."""
    orders = [*asker.stage.room.rules.orders, "no such order"]
    others = [unit for unit in asker.state.units if unit not in asker.own()]
    yield Order(asker.id("order"), asker.chance.choice(others), asker.chance.choice(orders))


def _look(asker: Asker) -> Iterator[ClientMessage]:
    yield Look("look", asker.unit(), asker.unit())


def _imagine(asker: Asker) -> Iterator[ClientMessage]:
    state, own = asker.state, asker.own()
    yield AskWhatIf("imagine-0", asker.unit(), {})
    if own:
        unit = asker.chance.choice(own)
        x, y = asker.chance.randint(0, state.table.width), asker.chance.randint(0, state.table.height)
        ghosts = {key: (x + 1_200 * n, y) for n, key in enumerate(state.units[unit].living)}
        yield AskWhatIf("imagine-1", unit, {unit: GhostPlaces(ghosts)})


def _take_back(asker: Asker) -> Iterator[ClientMessage]:
    """To a frame to which it cannot go back; real take-backs are part of the game."""
    yield TakeBack(asker.id("back"), 0)


def _offer(asker: Asker) -> Iterator[ClientMessage]:
    yield MakeOffer(asker.id("offer"), asker.chance.choice(("draw", "pause", "resume")))


def _respond(asker: Asker) -> Iterator[ClientMessage]:
    """Turns down an offer, also its own."""
    for number in range(4):
        yield Respond(asker.id(f"respond-{number}"), str(asker.stage.room._referee.fold.offered - number), accept=False)


def _concede(asker: Asker) -> Iterator[ClientMessage]:
    """Only spectators send it, and are refused: a real concession ends the game."""
    if not asker.audience:
        yield Concede(asker.id("concede"))


def _claim(asker: Asker) -> Iterator[ClientMessage]:
    yield Claim(asker.id("claim"))


def _say(asker: Asker) -> Iterator[ClientMessage]:
    channel = asker.chance.choice(("table", "side", "spectators"))
    yield Say(asker.id("say"), "Well " * asker.chance.randint(1, 9), channel)  # type: ignore[arg-type] # one of the three


def _report(asker: Asker) -> Iterator[ClientMessage]:
    yield Report(asker.id("report"), asker.frame(), "rude")


def _recall(asker: Asker) -> Iterator[ClientMessage]:
    yield Recall("recall", max(0, asker.frame()))


def _replay(asker: Asker) -> Iterator[ClientMessage]:
    yield Replay("replay", asker.view(), asker.chance.choice((-1, asker.frame())))


def _luck_report(asker: Asker) -> Iterator[ClientMessage]:
    yield AskLuckReport("luck")


def _export_case(asker: Asker) -> Iterator[ClientMessage]:
    yield ExportCase("case", asker.view(), max(0, asker.frame()))


def _export_setup(asker: Asker) -> Iterator[ClientMessage]:
    yield ExportSetup("setup")


def _export_text(asker: Asker) -> Iterator[ClientMessage]:
    yield ExportText("text")


def _ping(asker: Asker) -> Iterator[ClientMessage]:
    yield Ping("ping")


def _tie_seat(asker: Asker) -> Iterator[ClientMessage]:
    match, seat = asker.stage.made.match, asker.audience
    name = asker.state.desk.players.get(seat, "")
    yield _key(asker).tie(match, seat, name, asker.id("tie"))
    yield _key(asker).tie(match, seat, "another name", asker.id("tie-wrong"))


def _key(asker: Asker) -> PlayerKey:
    """The key of an audience."""
    return PlayerKey(1 + list(asker.stage.places).index(asker.audience))


def _ask_challenge(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskChallenge("challenge")


def _introduce(asker: Asker) -> Iterator[ClientMessage]:
    yield _key(asker).introduce("00" * 32, "Fay", "introduce")


def _ask_player(asker: Asker) -> Iterator[ClientMessage]:
    yield AskPlayer("player", _key(asker).key)


def _set_notices(_asker: Asker) -> Iterator[ClientMessage]:
    yield SetNotices("notices", NoticeSettings())


def _ask_topic(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskTopic("topic")


def _forget_player(_asker: Asker) -> Iterator[ClientMessage]:
    yield ForgetPlayer("forget")


def _ask_leagues(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskLeagues("leagues")


def _make_league(asker: Asker) -> Iterator[ClientMessage]:
    edition = asker.stage.room.rules.info.id
    yield MakeLeague("make-league", LeagueTerms("Autumn", edition, ("none",)))


def _ask_league(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskLeague("league", "nosuchleague")


def _ask_roster(_asker: Asker) -> Iterator[ClientMessage]:
    yield AskRoster("roster", "nosuchleague", "0" * 64)


def _act_in_league(_asker: Asker) -> Iterator[ClientMessage]:
    yield ActInLeague("act-in-league", "nosuchleague", Withdraw())


def _set_league_webhook(_asker: Asker) -> Iterator[ClientMessage]:
    yield SetLeagueWebhook("league-webhook", "nosuchleague", test=True)


def _play_fixture(_asker: Asker) -> Iterator[ClientMessage]:
    yield PlayFixture("fixture", "nosuchleague", 1)


def _set_match_webhook(_asker: Asker) -> Iterator[ClientMessage]:
    yield SetMatchWebhook("webhook", None)


CHANNELS: dict[type[ClientMessage], tuple[float, Asking]] = {
    EnterLobby: (0.1, _enter_lobby),
    EnterMatch: (0.6, _enter_match),
    MoreMatches: (0.05, _more_matches),
    AskExhibition: (0.01, _exhibition),
    AskMoments: (0.01, _moments),
    MakeMatch: (0.1, _make_match),
    Upload: (0.01, _upload),
    CheckSetup: (0.02, _check_setup),
    ImportMatch: (0.01, _import_match),
    TakeSeat: (0.05, _take_seat),
    CheckForce: (0.05, _check_force),
    ConvertForce: (0.05, _convert_force),
    CheckHead: (0.1, _check_head),
    TieSeat: (0.05, _tie_seat),
    AskChallenge: (0.02, _ask_challenge),
    Introduce: (0.02, _introduce),
    AskPlayer: (0.02, _ask_player),
    SetNotices: (0.02, _set_notices),
    AskTopic: (0.02, _ask_topic),
    ForgetPlayer: (0.02, _forget_player),
    SetMatchWebhook: (0.02, _set_match_webhook),
    AskLeagues: (0.02, _ask_leagues),
    MakeLeague: (0.01, _make_league),
    AskLeague: (0.01, _ask_league),
    AskRoster: (0.01, _ask_roster),
    ActInLeague: (0.01, _act_in_league),
    SetLeagueWebhook: (0.01, _set_league_webhook),
    PlayFixture: (0.01, _play_fixture),
    CommitRandomness: (0.05, _commit),
    RevealRandomness: (0.05, _reveal),
    Answer: (0.3, _answer),
    AskPreview: (0.5, _preview),
    AskAdvice: (0.3, _advice),
    Order: (0.2, _order),
    Look: (0.2, _look),
    AskWhatIf: (0.15, _imagine),
    TakeBack: (0.1, _take_back),
    MakeOffer: (0.1, _offer),
    Respond: (0.1, _respond),
    Concede: (0.05, _concede),
    Claim: (0.1, _claim),
    Say: (0.1, _say),
    Report: (0.05, _report),
    Recall: (0.1, _recall),
    Replay: (0.1, _replay),
    AskLuckReport: (0.03, _luck_report),
    ExportCase: (0.1, _export_case),
    ExportSetup: (0.2, _export_setup),
    ExportText: (0.1, _export_text),
    Ping: (0.05, _ping),
}
"""For each message of a client how often it is sent at a moment (1: always), and what is asked with it."""


async def everything(asker: Asker) -> Heard:
    """What an audience gets through every channel that it tries at this moment."""
    heard: Heard = []
    for kind, (often, asking) in CHANNELS.items():
        if asker.chance.random() >= often:
            continue
        for message in list(asking(asker)):
            heard += await _asked(asker, kind.__name__, message)
    if asker.chance.random() < 0.1:
        heard += await _pages(asker)
    # A match that is over has published its log, and one that goes on from there may hold all of it.
    if asker.chance.random() < 0.1 and not asker.stage.room.over:
        heard.append(("what a match that goes on knows", await _forked(asker)))
    return heard


async def _asked(asker: Asker, channel: str, message: ClientMessage) -> Heard:
    """What comes of a message: for the first one of a connection on a connection of its own, else where the audience sits."""
    if isinstance(message, EnterLobby | EnterMatch):
        place = Place(asker.stage.shared)
        await place.enter(message)
        place.leave()
        await asker.stage.quiet()
        return [(channel, frame) for frame in place.taken()]
    place = asker.place
    reply = await place.ask(message)
    # A bug that is the same in both worlds would be no difference.
    assert not (isinstance(reply, Refused) and reply.code == "internal"), message
    heard = [(channel, frame) for frame in place.taken()]
    if isinstance(reply, MatchMade) and isinstance(message, MakeMatch):
        heard += await _asked(asker, "EnterMatch of the match that goes on", EnterMatch(PROTOCOL, reply.match))
    return heard


async def _pages(asker: Asker) -> Heard:
    paths = ("/health", f"/matches/{asker.stage.made.match}.underfire", "/matches/nothing.underfire")
    return [(f"GET {path}", part) for path in paths for part in await asker.stage.page(path)]


async def _forked(asker: Asker) -> bytes:
    """What the log of a match would hold that goes on from here: it is published with that match."""
    payloads, frame = await asker.stage.room.payloads(), asker.frame()
    orders = bool(asker.stage.room.rules.orders)
    return pack(gone_on(fork(payloads, audience_of(asker.audience), frame, orders=orders)))
