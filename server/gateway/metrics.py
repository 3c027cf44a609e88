"""Metrics for the operator: counters for Prometheus, in a registry of their own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """All counters of one server process. Matches count their appends here too."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a creation time for each counter, which is not needed
        self.registry = CollectorRegistry()
        self.connections = self._gauge("connections", "Open connections.", "kind")
        self.messages = self._counter("messages", "Messages received.", "type")
        self.frames = self._counter("frames", "Replies sent.", "type")
        self.refusals = self._counter("refusals", "Messages refused.", "code")
        self.rate_limited = self._counter("rate_limited", "Messages refused because the sender was too fast.")
        self.resyncs = self._counter("resyncs", "Slow readers that got a snapshot in place of frames.")
        self.aborted = self._counter("aborted", "Stalled readers that were cut off.")
        self.appended = self._counter("appended", "Entries appended to match logs.")
        self.duplicates = self._counter("duplicates", "Appends that repeated an earlier one.")
        self.conflicts = self._counter("conflicts", "Appends refused because another writer was first.")
        self.loop_lag = self._gauge("loop_lag_seconds", "How late the event loop was at the last look, in seconds.")

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"underfire_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"underfire_{name}", text, labels, registry=self.registry)

    def text(self) -> bytes:
        """Return all metrics, in Prometheus' text format."""
        return generate_latest(self.registry)
