"""The topics of the feed; `docs/feed.md` describes them. Pure."""

from __future__ import annotations

VERSION = 1
"""The version of the topics and of what is published to them. Another one has topics of its own next to these."""


class Topics:
    """The topics of one deployment.

    Args:
        root: their first level, so that several deployments can share a broker.
    """

    def __init__(self, root: str) -> None:
        self._base = f"{root}/{VERSION}"

    @property
    def feed(self) -> str:
        """The topic that says whether the feed is online."""
        return f"{self._base}/feed"

    @property
    def all(self) -> str:
        """All topics, as a wildcard."""
        return f"{self._base}/#"

    @property
    def public(self) -> tuple[str, ...]:
        """The topics that everyone may read, as wildcards."""
        return self.feed, f"{self._base}/matches/#", f"{self._base}/leagues/#"

    def turn(self, key: str) -> str:
        """Return the topic at which the player with this key is told of decisions that wait."""
        return f"{self._base}/players/{key}/turn"

    def summary(self, match: str) -> str:
        """Return the topic of a match's summary."""
        return f"{self._base}/matches/{match}/summary"

    def steps(self, match: str) -> str:
        """Return the topic of a match's steps."""
        return f"{self._base}/matches/{match}/steps"

    def snapshot(self, match: str) -> str:
        """Return the topic of a match's snapshot."""
        return f"{self._base}/matches/{match}/snapshot"

    def league_summary(self, league: str) -> str:
        """Return the topic of a league's summary."""
        return f"{self._base}/leagues/{league}/summary"

    def league_result(self, league: str, fixture: int) -> str:
        """Return the topic of the result of a fixture of a league."""
        return f"{self._base}/leagues/{league}/results/{fixture}"
