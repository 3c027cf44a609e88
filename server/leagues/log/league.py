"""The state of a league: frozen structs, folded from facts. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from client_protocol.forces import Force
from client_protocol.leagues import FixtureView, LeagueTerms
from server.kernel.campaigns.state import PostBattle
from server.leagues.log.before import Before
from server.leagues.log.campaign_map import MapState


class Battle(Struct, frozen=True):
    """A battle after which steps are taken: its fixture, the number of the next step (counted from 1), how many dice have fallen,
    and when the default of the next step is taken (ms since 1970; 0: never).
    """

    fixture: int
    step: int = 1
    dice: int = 0
    until: int = 0


class Member(Struct, frozen=True):
    """A player of a league.

    Attributes:
        name: the name.
        force: the force with which they joined.
        total: what it counts for.
        state: whether they ask to join, play or have left.
        campaign: how the force stands where the forces of a league live on; None elsewhere.
        battle: the battle after which steps are to be taken; None: none are.
        side: the side for which they play, by its place among those of the terms, counted from 1; 0: there are none.
        back: whether they have left the league once, and come back or ask to.
    """

    name: str
    force: Force
    total: int
    state: Literal["asks", "plays", "left"] = "plays"
    campaign: PostBattle | None = None
    battle: Battle | None = None
    side: int = 0
    back: bool = False

    @property
    def has_place(self) -> bool:
        """Whether they have a place in the league: all but those who ask to join for the first time."""
        return self.state != "asks" or self.back


class League(Struct, frozen=True):
    """A league: its terms, its organisers' names by their keys (the one who made it first), its players by their keys in the
    order in which they joined, its fixtures by their numbers, the number of the present round, the names of former
    organisers, and the version of the rules that decides now. Where forces live on: the `commitment` to the secret of the dice
    (SHA-256, hexadecimal), and of fixtures those for their players and what the seats of the match revealed.
    In a campaign on a map: how that stands, once a turn has begun. Where there are rounds: those who played when the first began.
    So that organisers can undo what they did: what was `before` their last acts, by the numbers of the entries. And of
    fixtures that are `gone`, since their rounds were undone, the players.
    """

    id: str
    terms: LeagueTerms
    organisers: dict[str, str]
    made_at: int
    players: dict[str, Member] = {}
    fixtures: dict[int, FixtureView] = {}
    round: int = 0
    closed: bool = False
    version: str = ""
    commitment: str = ""
    randomness: dict[int, dict[str, str]] = {}
    commitments: dict[int, tuple[str, ...]] = {}
    former: dict[str, str] = {}
    map: MapState | None = None
    seeds: tuple[str, ...] = ()
    before: dict[int, Before] = {}
    gone: dict[int, tuple[str, ...]] = {}

    @property
    def state(self) -> Literal["gathers", "runs", "over"]:
        """Whether players join, matches are played, or the league is over."""
        if self.closed:
            return "over"
        return "runs" if self.fixtures or self.round else "gathers"

    @property
    def hides_forces(self) -> bool:
        """Whether players do not know each other's forces: as in its matches, whose option it is."""
        return self.terms.options.get("hidden_forces") is True and not self.closed

    @property
    def next_ended(self) -> int:
        """The place of the next fixture that ends."""
        return 1 + max((one.ended for one in self.fixtures.values()), default=0)

    @property
    def next_fixture(self) -> int:
        """The number of the next fixture. Those of fixtures that are gone are not used again: some of what servers do is done
        once for each number.
        """
        return 1 + max((*self.fixtures, *self.gone), default=0)

    @property
    def playing(self) -> tuple[str, ...]:
        """The keys of those who play, in the order in which they joined."""
        return tuple(key for key, member in self.players.items() if member.state == "plays")

    def allied(self, one: str, other: str) -> bool:
        """Return whether two players are on one side, or one and the same."""
        first, second = self.players.get(one), self.players.get(other)
        return one == other or (first is not None and second is not None and first.side == second.side != 0)

    def players_of(self, number: int) -> tuple[str, ...]:
        """Return the players of a fixture, also of one that is gone; empty for a challenge that has ended."""
        fixture = self.fixtures.get(number)
        return self.gone.get(number, ()) if fixture is None else fixture.players

    def name(self, key: str) -> str:
        """Return the name of a player or an organiser."""
        member = self.players.get(key)
        return member.name if member is not None else {**self.former, **self.organisers}.get(key, "a stranger")
