"""Metrics of the feed for the operator, in a registry of their own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, start_http_server

LAGS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""The bounds, in seconds, between which lags are counted."""


class FeedMetrics:
    """All counters of one feed."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # as in the gateway's
        self.registry = CollectorRegistry()
        self.steps = Counter("underfire_feed_steps", "Steps that the broker has confirmed.", registry=self.registry)
        self.snapshots = Counter(
            "underfire_feed_snapshots", "Snapshots that the broker has confirmed.", registry=self.registry
        )
        self.matches = Gauge("underfire_feed_matches", "Matches that are followed.", registry=self.registry)
        self.leading = Gauge(
            "underfire_feed_leading", "1 if this feed publishes, 0 if another one does.", registry=self.registry
        )
        self.lag = Histogram(
            "underfire_feed_lag_seconds",
            "Seconds from a step's entry in the log until the broker had confirmed it.",
            buckets=LAGS,
            registry=self.registry,
        )

    def serve(self, host: str, port: int) -> None:
        """Serve them at http://host:port/metrics, in a thread, until the process ends.

        Raises:
            OSError: nothing can listen there.
        """
        start_http_server(port, host, registry=self.registry)
