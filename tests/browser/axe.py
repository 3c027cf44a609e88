"""axe-core on a page as it stands: nothing may be found against WCAG 2.2 A and AA."""

from __future__ import annotations

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
}


async def clean(page: Page, where: str) -> None:
    """Assert that axe-core finds no fault in the page, once nothing moves on it. `where` names the page in the failure."""
    await page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))")
    results = await Axe().run(page, options=RULES)
    found = [
        f"{where}: {violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    assert not found, "\n".join(found)
