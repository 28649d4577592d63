"""Takes the README's picture from the real app: ``python docs/make_picture.py`` writes docs/explore.svg."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

FEN = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
PICTURE = Path(__file__).with_name("explore.svg")


async def picture() -> str:
    """The Explore screen at 120x40, as SVG."""
    from endgame_tui.app import EndgameApp

    with tempfile.TemporaryDirectory() as root:
        app = EndgameApp(FEN, Path(root), ascii=False)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            return app.export_screenshot(title="endgame-tui")


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    PICTURE.write_text(asyncio.run(picture()), encoding="utf-8")
    print(f"wrote {PICTURE.name}")
