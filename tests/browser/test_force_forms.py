"""The force form of an edition whose units have more than others, and a force that is taken over to other rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from server.rulesets.library import UNFINISHED, edition
from tests.browser.axe import clean
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.player import asked, deploy
from tests.support.servers import ServerProcess

NEWER, OLDER = edition("fad5").info, edition("fad4").info
FINE = "The rules find nothing wrong with it"
SIZES: dict[str, How] = {"laptop": {"viewport": LAPTOP}, "phone": PHONE}


@pytest.fixture(scope="module")
def every_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that offers every edition."""
    settings = {"UNDERFIRE_UNFINISHED": ",".join(sorted(UNFINISHED))}
    server = ServerProcess(tmp_path_factory.mktemp("every"), settings=settings)
    server.start()
    yield server
    server.stop()


def verdict(page: Page) -> Locator:
    """What the rules say of the force."""
    return page.get_by_role("status", name="What the rules say")


def tick(within: Locator, label: str) -> Locator:
    """A field that is ticked."""
    return within.get_by_role("checkbox", name=re.compile(f"^{label}"))


async def begin(page: Page, address: str) -> Locator:
    """Begin a force with a squad and a vehicle; its units."""
    await page.goto(f"{address}/#/forces")
    await page.get_by_label("Rules of the new force").select_option(label=NEWER.name)
    await page.get_by_role("button", name="New force", exact=True).click()
    adding = page.get_by_role("group", name="Add a unit")
    for kind in ("Squad", "Vehicle"):
        await adding.get_by_role("button", name=kind).click()
    return page.get_by_role("region", name="Units").locator("ol > li[id]")


@pytest.mark.parametrize("size", ["laptop", "phone"])
async def test_fields_that_few_units_have_fold_and_a_problem_in_them_is_shown(
    every_server: ServerProcess, people: People, size: str
) -> None:
    page = (await people.come(every_server, **SIZES[size])).page
    units = await begin(page, every_server.address)
    squad = units.nth(0)
    command = squad.locator("details", has=page.locator("summary", has_text="Command"))
    await expect(command.locator("summary")).to_contain_text("nothing")
    await expect(tick(squad, "Platoon commander")).to_be_hidden()
    await command.locator("summary").click()
    await tick(squad, "Platoon commander").check()
    await expect(command.locator("summary")).to_contain_text("Platoon commander")
    await command.locator("summary").click()
    await tick(squad, "Leader").uncheck()
    await expect(tick(squad, "Platoon commander")).to_be_visible()
    await expect(command.get_by_text("no leader").first).to_be_visible()

    # Folded again, the link from the verdict unfolds it.
    await command.locator("summary").click()
    await expect(tick(squad, "Platoon commander")).to_be_hidden()
    await verdict(page).get_by_role("button", name=re.compile("no leader")).click()
    await expect(tick(squad, "Platoon commander")).to_be_focused()
    await clean(page, "a form with folded fields")
    wide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not wide, "it is wider than the screen"
    await tick(squad, "Leader").check()
    await expect(verdict(page)).to_contain_text(FINE)


async def test_a_force_of_the_form_is_brought_accepted_and_deployed(
    every_server: ServerProcess, people: People
) -> None:
    ann, bob = await people.come(every_server), await people.come(every_server)
    page = ann.page
    units = await begin(page, every_server.address)
    vehicle = units.nth(1)
    await vehicle.get_by_label("Fire control").select_option(label="Improved")
    await vehicle.get_by_role("button", name="Add a weapon").click()
    await tick(vehicle, "Served from outside").check()
    await page.get_by_label("Name of the force").fill("Ann's Own")
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_role("link", name="Play with it").click()
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("group", name="Scenario").get_by_text("Wire Pasture").click()
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_role("button", name="Make the match").click()
    await expect(page).to_have_url(re.compile("#/m/"))

    link = await ann.link("Invite")
    await bob.page.goto(link)
    await bob.page.get_by_label("You bring").select_option(label="Tank Troop")
    await expect(verdict(bob.page)).to_contain_text(FINE)
    await bob.page.get_by_label("Your name").fill("Bob")
    await bob.page.get_by_role("button", name="Sit down").click()
    await expect(bob.table).to_be_visible()
    for player in (ann, bob):
        # Both have committed to their share of the dice before they are asked.
        await expect(player.choice("Accept")).to_be_visible()
        await player.take("Accept")
    await asked(ann, bob, about="Deploy")
    await deploy(ann, bob)
    await ann.open("Units")
    for name in ("Squad", "Vehicle", "Lead Tank", "Carrier", "Carrier Squad"):
        await expect(ann.page.locator("li[data-unit]", has_text=name).first).to_be_visible()


@pytest.mark.parametrize("size", ["laptop", "phone"])
async def test_a_force_is_taken_over_to_other_rules_and_the_changes_are_listed(
    every_server: ServerProcess, people: People, size: str
) -> None:
    page = (await people.come(every_server, **SIZES[size])).page
    await page.goto(f"{every_server.address}/#/forces")
    await page.get_by_role("button", name="Start from Raiding Party", exact=True).click()
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_role("link", name="Forces").click()
    convert = page.get_by_role("button", name=f"Convert Raiding Party to {NEWER.name}")
    await convert.click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("listitem").first).to_contain_text(f"not played in {NEWER.name}")
    await clean(page, "a conversion")
    await dialog.get_by_role("button", name="Do not convert it").click()
    await expect(dialog).to_have_count(0)
    await convert.click()
    await dialog.get_by_role("button", name=f"Keep the copy for {NEWER.name}").click()
    await expect(page.get_by_text(f"For {NEWER.name}")).to_be_visible()
    await expect(verdict(page)).to_contain_text(FINE)

    # The copy is one for the newer rules: it is not converted again. The force itself is as it was.
    await page.get_by_role("link", name="Forces").click()
    await expect(page.get_by_role("button", name=re.compile("^Convert "))).to_have_count(1)
    await expect(convert).to_be_visible()


async def test_a_force_that_cannot_be_taken_over_says_why(every_server: ServerProcess, people: People) -> None:
    page = (await people.come(every_server)).page
    await page.goto(f"{every_server.address}/#/forces")
    await page.get_by_label("A file, JSON or TOML").set_input_files(
        {
            "name": "webs.toml",
            "mimeType": "application/toml",
            "buffer": (
                f'format = "underfire force 1"\nedition = "{OLDER.id}"\nname = "Webs"\n'
                '[[units]]\nkind = "weapon_team"\nname = "Webs"\nfields = { weapon = "light-web-cannon" }\n'
            ).encode(),
        }
    )
    await expect(page.get_by_label("Name of the force")).to_have_value("Webs")
    await page.get_by_role("link", name="Forces").click()
    await page.get_by_role("button", name=f"Convert Webs to {NEWER.name}").click()
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Nothing in this force can be played")
