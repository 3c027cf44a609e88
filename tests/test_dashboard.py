"""The dashboard asks only for counters that there are, and for all that an operator wants to know."""

from __future__ import annotations

import json
import re
from pathlib import Path

from server.feed.metrics import FeedMetrics
from server.gateway.metrics import Metrics

DASHBOARD = json.loads((Path(__file__).parent.parent / "deploy/grafana.json").read_text())


def asked() -> set[str]:
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return {name for expression in expressions for name in re.findall(r"underfire_\w+", expression)}


def there() -> set[str]:
    found: set[str] = set()
    for registry in (Metrics().registry, FeedMetrics().registry):
        for metric in registry.collect():
            ends = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}.get(metric.type, ("",))
            found |= {metric.name + end for end in ends}
    return found


def test_the_dashboard_asks_for_counters_that_exist() -> None:
    assert asked() <= there()


def test_the_dashboard_leaves_no_counter_out_that_tells_of_trouble() -> None:
    assert {name for name in there() if "_bucket" in name or "queued_bytes" in name or "refusals" in name} <= asked()


def test_panels_do_not_cover_each_other() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
