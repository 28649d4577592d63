"""Which games there are on screens."""

from __future__ import annotations

from functools import cache

from endgame_tui.faces import Face


@cache
def face_of(game: str) -> Face:
    """The face of a game; to ask for it is to import its rules, which a user of another game need not wait for."""
    if game == "morris":
        from endgame_tui.face_stones import StonesFace

        return StonesFace()
    from endgame_tui.face_chess import ChessFace

    return ChessFace()
