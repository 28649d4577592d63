"""The app in a real browser: Chromium walks three layers and plays a move."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.tui.test_web import served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("chromium") and shutil.which("chromedriver")),
        reason="there is no Chromium with its driver here",
    ),
    pytest.mark.skipif(find_spec("selenium") is None, reason="selenium is not installed"),
    pytest.mark.skipif(find_spec("textual_serve") is None, reason='the extra "web" is not installed'),
]


_BLANK = 8_000
"""A picture of so few bytes shows nothing yet."""


@pytest.fixture
def browser(tmp_path: Path) -> Generator[Any]:
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for word in ("--headless=new", "--no-sandbox", "--window-size=1000,640", f"--user-data-dir={tmp_path / 'chromium'}",
                 "--disable-dev-shm-usage", "--force-device-scale-factor=1"):  # fmt: skip
        options.add_argument(word)
    found = Chrome(options, ChromeService(shutil.which("chromedriver")))
    yield found
    found.quit()


async def test_the_app_works_in_a_browser(browser: Any, tmp_path: Path) -> None:
    """Each key shows something else, nothing is missing in the page, and the app ends with it."""
    from selenium.webdriver.common.action_chains import ActionChains

    def screen() -> bytes:
        return browser.get_screenshot_as_png()

    def until_still(changed_from: bytes | None = None) -> bytes:
        """Waits until the picture has changed and stands still."""
        end, before = time.monotonic() + 300, screen()
        while time.monotonic() < end:
            time.sleep(0.5)
            now = screen()
            if now == before and now != changed_from and len(now) > _BLANK:
                return now
            before = now
        raise AssertionError("nothing changes in the page, or it never rests")

    def press(*keys: str) -> bytes:
        before = screen()
        for key in keys:
            ActionChains(browser).send_keys(key).perform()
        return until_still(before)

    async with served(tmp_path / "data") as found:
        browser.get(found.url)
        first = _when(browser, lambda: "-first-byte" in browser.find_element("tag name", "body").get_attribute("class"))
        assert first and not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        pictures = [until_still()]
        (tmp_path / "browser-0.png").write_bytes(pictures[0])
        browser.find_element("id", "terminal").click()
        for _ in range(3):
            pictures.append(press("["))
        pictures.append(press("."))
        pictures.append(press("2"))
        assert len({*pictures}) == len(pictures), "each key shows something else"
        for number, picture in enumerate(pictures):
            (tmp_path / f"browser-{number}.png").write_bytes(picture)
        browser.get("about:blank")
        assert _when(browser, lambda: not found.apps), "the app ends with its tab"


def _when(_: Any, true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 300
    while not true() and time.monotonic() < end:
        time.sleep(0.2)
    return true()
