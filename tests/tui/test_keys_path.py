"""The keys of the learning path: the first session, and what to learn next."""

from __future__ import annotations

from tests.tui.desk import Desk, at, rows, settle, stage


async def test_a_position_of_the_first_session_is_asked_once(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await pilot.press("N")
        await settle(pilot)
        assert "Find your level" in rows(pilot)[-1] or any("▸ Find your level" in row for row in rows(pilot))
        await pilot.press("enter")
        await settle(pilot)
        assert "1 of 10" in rows(pilot)[0]
        if stage(pilot) == "drill":
            await chess.make(pilot)
        else:
            await pilot.press("d", "n")
        await settle(pilot)
        keys = rows(pilot)[-1]
        assert "next" in keys and "again" not in keys and "retry" not in keys
        await pilot.press("escape")
        await settle(pilot)
        assert stage(pilot) == "summary" and "Press N to see what to learn next" in at(pilot, "summary")
        await pilot.press("N")
        await settle(pilot)
        assert any("▸ Learn next" in row for row in rows(pilot))
