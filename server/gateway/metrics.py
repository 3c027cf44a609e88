"""Metrics for the operator: counters for Prometheus, in a registry of their own."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest

ANSWERED_WITHIN = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""The bounds, in seconds, between which answers are counted: p99 is to be told apart from the rest."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Labelled:
    """A counter or a gauge for each value of one label. The library looks a value up under a lock each time."""

    def __init__(self, metric: Counter | Gauge) -> None:
        self._metric = metric
        self._known: dict[str, Any] = {}

    def inc(self, label: str) -> None:
        """Count one more."""
        self._of(label).inc()

    def dec(self, label: str) -> None:
        """Count one less; for a gauge."""
        self._of(label).dec()

    def _of(self, label: str) -> Any:  # noqa: ANN401 - a counter or a gauge, as the one for all values
        known = self._known.get(label)
        if known is None:
            known = self._known[label] = self._metric.labels(label)
        return known


class Metrics:
    """All counters of one server process. Matches count their appends here too."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a creation time for each counter, which is not needed
        self.registry = CollectorRegistry()
        self.connections = Labelled(self._gauge("connections", "Open connections.", "kind"))
        self.messages = Labelled(self._counter("messages", "Messages received.", "type"))
        self.frames = Labelled(self._counter("frames", "Replies sent.", "type"))
        self.refusals = Labelled(self._counter("refusals", "Messages refused.", "code"))
        self.rate_limited = self._counter("rate_limited", "Messages refused because the sender was too fast.")
        self.resyncs = self._counter("resyncs", "Slow readers that got a snapshot in place of frames.")
        self.aborted = self._counter("aborted", "Stalled readers that were cut off.")
        self.appended = self._counter("appended", "Entries appended to match logs.")
        self.duplicates = self._counter("duplicates", "Appends that repeated an earlier one.")
        self.conflicts = self._counter("conflicts", "Appends refused because another writer was first.")
        self.answered = Histogram(
            "underfire_answer_seconds",
            "Seconds from a decision's arrival until it was on disk and acknowledged, or refused.",
            buckets=ANSWERED_WITHIN,
            registry=self.registry,
        )
        self.resumed = self._counter("resumed", "Connections that came back for what they had missed.")
        self.queued_frames = self._gauge("queued_frames", "Frames that wait for slow readers.")
        self.queued_bytes = self._gauge("queued_bytes", "Bytes that wait for slow readers.")
        self.matches = self._gauge("matches", "Matches that this server holds in memory.")
        self.loop_lag = self._gauge("loop_lag_seconds", "How late the event loop was at the last look, in seconds.")

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"underfire_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"underfire_{name}", text, labels, registry=self.registry)

    def text(self) -> bytes:
        """Return all metrics, in Prometheus' text format."""
        return generate_latest(self.registry)
