"""What players do on the desk, through the page: take back, agree, give up, chat."""

from __future__ import annotations

import re

from playwright.async_api import Locator, expect

from tests.browser.axe import clean
from tests.browser.battles import ANY
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess, until

FIRST, SECOND = list(ANY.sides)[:2]


async def _two(server: ServerProcess, people: People) -> tuple[Player, Player]:
    """Two players at a table: who is asked first, and the other."""
    ann, bob = await people.come(server), await people.come(server)
    await ann.make(ANY, FIRST, "Ann")
    await bob.join(await ann.link("Invite"), "Bob")
    first = await asked(ann, bob)
    return (ann, bob) if first is ann else (bob, ann)


def _name(player: Player) -> str:
    """What a player of `_two` is called."""
    return next(str(seat["name"]) for seat in player.wire.view["seats"].values() if seat["side"] == _side(player))


def _side(player: Player) -> str:
    return str(player.wire.view["seats"][player.asks.seat]["side"])


def _offer(player: Player) -> Locator:
    return player.page.get_by_role("region", name="Offer")


async def _menu(player: Player, button: str) -> None:
    """Take something from the menu."""
    await player.page.get_by_role("button", name="Menu").click()
    await player.page.get_by_role("dialog").get_by_role("button", name=button).click()


async def _units(player: Player, count: int) -> None:
    await expect(player.page.locator("g.unit")).to_have_count(count)


# --- taking back ----------------------------------------------------------------------------------------------------


async def test_a_decision_that_no_other_has_answered_is_taken_back_with_a_key(
    server: ServerProcess, people: People
) -> None:
    ann, bob = await _two(server, people)
    button = ann.page.get_by_role("button", name="Take back my last decision")
    await expect(button).to_have_count(0)
    await ann.deploy({})
    await asked(bob)
    await _units(bob, 1)
    await expect(button).to_be_visible()
    await clean(ann.page, "taking back")
    await ann.page.keyboard.press("t")
    for player in (ann, bob):
        await _units(player, 0)
        await expect(player.log).to_contain_text("takes back")
    assert await asked(ann, bob) is ann
    # What was taken back stays in the log, and is called so.
    await expect(ann.log.locator("li.undone")).to_contain_text(["taken back"])


async def test_a_decision_that_another_player_saw_is_taken_back_by_consent(
    server: ServerProcess, people: People
) -> None:
    ann, bob = await _two(server, people)
    await ann.deploy({})
    await (await asked(bob)).deploy({})
    await asked(ann)
    await _units(ann, 2)
    ask = ann.page.get_by_role("button", name="Ask to take back my last decision")
    for agrees in (False, True):
        await ask.click()
        dialog = ann.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("rolled with new dice")
        if not agrees:
            # As it was before the last line of the log: that is less than one's own last decision.
            await dialog.get_by_role("radio", name="Everything since").check()
            lines = dialog.get_by_label("As it was before").get_by_role("option")
            assert await lines.count() >= 2
        await clean(ann.page, "asking to take back")
        await dialog.get_by_role("button", name="Ask for it").click()
        await expect(_offer(ann)).to_contain_text("You ask to take back")
        # The other one is shown what returns, line by line.
        await expect(_offer(bob)).to_contain_text("new dice")
        returns = _offer(bob).get_by_role("list", name="What would be undone").get_by_role("listitem")
        assert await returns.count() == (2 if agrees else 1)
        await clean(bob.page, "being asked")
        await _offer(bob).get_by_role("button", name="Allow it" if agrees else "Turn it down").click()
        await expect(_offer(ann)).to_have_count(0)
        await _units(ann, 0 if agrees else 2)
    await _units(bob, 0)
    assert await asked(ann, bob) is ann


async def test_at_one_screen_the_previous_seat_can_take_back(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await (await asked(ann)).deploy({})

    def free() -> list[str]:
        return [seat for seat, is_ in ann.wire.view["seats"].items() if is_["take_back"] == "free"]

    await until(lambda: bool(free()))
    side = ANY.sides[free()[0]]
    button = ann.page.get_by_role("button", name=f"Take back the last decision of {side}", exact=True)
    # It is still there when the next seat has come to the front.
    playing = ann.page.get_by_role("group", name="Playing as")
    await expect(playing.get_by_role("button", name=side)).to_have_attribute("aria-pressed", "false")
    await button.click()
    await _units(ann, 0)
    await expect(playing.get_by_role("button", name=side)).to_have_attribute("aria-pressed", "true")


async def test_at_one_screen_each_seat_answers_an_offer(server: ServerProcess, people: People) -> None:
    ann = await people.come(server, **PHONE)
    await ann.make(ANY)
    await asked(ann)
    first, second = ANY.sides[FIRST], ANY.sides[SECOND]
    await ann.page.get_by_role("group", name="Playing as").get_by_role("button", name=first).click()
    await _menu(ann, f"Offer a draw as {first}")
    await clean(ann.page, "an offer on a phone")
    await expect(_offer(ann).get_by_role("button", name=f"Withdraw it as {first}")).to_be_visible()
    await _offer(ann).get_by_role("button", name=f"Turn it down as {second}").click()
    await expect(_offer(ann)).to_have_count(0)
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= 390


# --- ends -----------------------------------------------------------------------------------------------------------


async def test_a_draw_is_agreed_on(server: ServerProcess, people: People) -> None:
    ann, bob = await _two(server, people)
    await _menu(ann, "Offer a draw")
    await _offer(ann).get_by_role("button", name="Withdraw it").click()
    await expect(_offer(bob)).to_have_count(0)
    await _menu(ann, "Offer a draw")
    await _offer(bob).get_by_role("button", name="Agree to a draw").click()
    for player in (ann, bob):
        result = player.page.get_by_role("region", name="Result")
        await expect(result).to_contain_text("A draw.")
        await expect(result.get_by_role("link", name="Replay")).to_have_attribute("href", re.compile("/replay$"))
        await expect(result.get_by_role("link", name="Result and luck")).to_have_attribute("href", re.compile("/end$"))
        assert not await player.asked()
    await clean(ann.page, "the end")


async def test_conceding_asks_for_confirmation(server: ServerProcess, people: People) -> None:
    ann, bob = await _two(server, people)
    side = str(ann.wire.view["sides"][_side(ann)]["name"])
    await _menu(ann, "Concede")
    dialog = ann.page.get_by_role("dialog", name="Concede the match?")
    await clean(ann.page, "conceding")
    await dialog.get_by_role("button", name="Not now").click()
    await ann.page.get_by_role("dialog").get_by_role("button", name="Concede").click()
    await dialog.get_by_role("button", name="Concede").click()
    for player in (ann, bob):
        await expect(player.page.get_by_role("region", name="Result")).to_contain_text(f"{side} has conceded")
    await bob.page.get_by_role("button", name="Menu").click()
    await expect(bob.page.get_by_role("dialog").get_by_role("button", name="Concede")).to_have_count(0)
    await clean(bob.page, "the menu after the end")


async def test_the_menu_opens_the_position_in_the_editor(server: ServerProcess, people: People) -> None:
    ann, bob = await _two(server, people)
    await ann.deploy({})
    await (await asked(bob)).deploy({})
    await _units(ann, 2)
    await _menu(ann, "Set up this position")
    await expect(ann.page).to_have_url(re.compile("#/position/"))
    await expect(ann.page.get_by_role("status", name="What the rules say")).to_be_visible()
    await _units(ann, 2)


# --- chat -----------------------------------------------------------------------------------------------------------


def _chat(player: Player) -> Locator:
    return player.page.get_by_role("log", name="Chat")


async def _say(player: Player, text: str) -> None:
    await player.page.get_by_label(re.compile("^Say something")).fill(text)
    await player.page.keyboard.press("Enter")
    await expect(_chat(player)).to_contain_text(text)


async def test_spectators_chat_among_themselves(server: ServerProcess, people: People) -> None:
    ann, bob = await _two(server, people)
    eve, zoe = await people.come(server), await people.come(server)
    for player, name in ((eve, "Eve"), (zoe, "Zoe")):
        await player.page.goto(f"{server.address}/#/m/{ann.page.url.rpartition('/')[2]}")
        await expect(player.table).to_be_visible()
        await player.open("Chat")
        await player.page.get_by_label("What should the others call you?").fill(name)
        await player.page.get_by_role("button", name="Use this name").click()
        await expect(player.state).to_have_text("Live")
    for player in (ann, bob):
        await player.open("Chat")
    await _say(eve, "He forgets his flank")
    await expect(_chat(zoe)).to_contain_text("Eve: He forgets his flank")
    await expect(_chat(zoe)).to_contain_text("spectators")

    await ann.page.get_by_label("To", exact=True).select_option(label="Notes to yourself")
    await _say(ann, "Wait for turn three")
    await ann.page.get_by_label("To", exact=True).select_option(label="Everybody")
    await _say(ann, "Good luck!")
    for player in (bob, zoe):
        await expect(_chat(player)).to_contain_text("Good luck!")
    # By now the earlier lines have reached their audiences.
    await expect(_chat(bob)).not_to_contain_text(re.compile("flank|turn three"))
    await expect(_chat(ann)).not_to_contain_text("flank")
    await expect(_chat(zoe)).not_to_contain_text("turn three")
    await clean(ann.page, "a player's chat")
    await clean(zoe.page, "a spectator's chat")


async def test_a_line_can_be_muted_and_reported(server: ServerProcess, people: People) -> None:
    ann, bob = await _two(server, people)
    for player in (ann, bob):
        await player.open("Chat")
    await _say(ann, "You will lose")
    speaker = _name(ann)
    more = bob.page.get_by_role("button", name=f"More about the line of {speaker}")
    await more.click()
    await expect(bob.page.get_by_role("link", name="See this moment")).to_have_attribute(
        "href", re.compile(r"/replay/\w+/\d+$")
    )
    await clean(bob.page, "what one can do with a line")
    await bob.page.get_by_role("button", name="Report").click()
    dialog = bob.page.get_by_role("dialog", name="Report this line")
    await dialog.get_by_label("What is wrong with it?").fill("It is rude.")
    await clean(bob.page, "reporting a line")
    await dialog.get_by_role("button", name="Report it").click()
    await expect(dialog).to_contain_text("can read your report")
    await dialog.get_by_role("button", name="Close").first.click()

    await bob.page.get_by_role("button", name=f"Mute {speaker}").click()
    await expect(_chat(bob)).not_to_contain_text("You will lose")
    await bob.page.reload()
    await expect(bob.table).to_be_visible()
    await bob.open("Chat")
    await expect(bob.page.get_by_role("list", name="Muted")).to_contain_text(f"{speaker} is muted")
    await expect(_chat(bob)).not_to_contain_text("You will lose")
    await clean(bob.page, "a muted player")
    await bob.page.get_by_role("button", name=f"Hear {speaker} again").click()
    await expect(_chat(bob)).to_contain_text("You will lose")
