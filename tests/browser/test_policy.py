"""What the page may do: the browser itself holds it to the content security policy."""

from __future__ import annotations

from playwright.async_api import ConsoleMessage, expect

from tests.browser.conftest import People
from tests.support.servers import ServerProcess

SINKS = {
    "innerHTML": "document.createElement('p').innerHTML = '<b>bold</b>'",
    "srcdoc": "document.createElement('iframe').srcdoc = '<b>bold</b>'",
    "document.write": "document.write('<b>bold</b>')",
    "a script's text": "document.createElement('script').text = '1'",
    "a script's address": "document.createElement('script').src = '/x.js'",
    "a policy of one's own": "trustedTypes.createPolicy('mine', {createHTML: (text) => text})",
    "Svelte's policy again": "trustedTypes.createPolicy('svelte-trusted-html', {createHTML: (text) => text})",
}


async def test_text_never_becomes_markup(server: ServerProcess, people: People) -> None:
    page = (await people.come(server)).page
    violations: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Trusted" in message.text:
            violations.append(message.text)

    page.on("console", hear)
    for path in ("#/", "#/about", "#/forces", "#/positions"):
        await page.goto(f"{server.address}/{path}")
        await expect(page.get_by_role("heading", level=1).first).to_be_visible()
    assert violations == []
    for what, code in SINKS.items():
        # A classic script of the page's own, as one would be that a stranger had brought in.
        outcome = await page.evaluate(
            f"() => {{ try {{ {code}; return 'done' }} catch (error) {{ return error.name }} }}"
        )
        assert outcome == "TypeError", what
