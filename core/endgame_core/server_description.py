"""The OpenAPI description of the HTTP server, which answers it at ``/openapi.json``."""

from __future__ import annotations

from typing import Any, Final

from endgame_core import __version__

_CATEGORIES: Final = [
    "win", "syzygy-win", "maybe-win", "cursed-win", "draw", "blessed-loss", "maybe-loss", "syzygy-loss", "loss",
    "unknown",
]  # fmt: skip

_POSITION_FIELDS: Final[dict[str, Any]] = {
    "checkmate": {"type": "boolean"},
    "stalemate": {"type": "boolean"},
    "insufficient_material": {"type": "boolean"},
    "variant_win": {"type": "boolean", "description": "Always false: variants are not supported."},
    "variant_loss": {"type": "boolean", "description": "Always false: variants are not supported."},
    "category": {
        "type": "string",
        "enum": _CATEGORIES,
        "description": "The result for the side to move, taking the halfmove clock of the FEN into account.",
    },
    "wdl": {
        "type": ["integer", "null"],
        "minimum": -2,
        "maximum": 2,
        "description": "The category from 2 (win) and 1 (cursed win) to -2 (loss); null if it is uncertain.",
    },
    "dtz": {
        "type": ["integer", "null"],
        "description": "Plies to the next zeroing move or to mate; null if no DTZ table covers the position.",
    },
    "precise_dtz": {"type": ["integer", "null"], "description": "The DTZ; null if the tables may have rounded it."},
    "dtm": {
        "type": ["integer", "null"],
        "description": "Plies to mate without the 50-move rule; null if no DTM table covers the position.",
    },
    "dtw": {"type": "null", "description": "Always null: variants are not supported."},
    "dtc": {"type": "null", "description": "Always null: tables by depth to conversion are not supported."},
}

_MOVE_FIELDS: Final[dict[str, Any]] = {
    "uci": {"type": "string", "examples": ["g7g2"]},
    "san": {"type": "string", "examples": ["Qg2"]},
    "zeroing": {"type": "boolean", "description": "Whether the move is a capture or a pawn move."},
    "conversion": {"type": "boolean", "description": "Whether the move is a capture or a promotion."},
    **_POSITION_FIELDS,
}

_LINE_FIELDS: Final[dict[str, Any]] = {
    "dtz": _POSITION_FIELDS["dtz"],
    "precise_dtz": _POSITION_FIELDS["precise_dtz"],
}

_STEP_FIELDS: Final[dict[str, Any]] = {
    "uci": _MOVE_FIELDS["uci"],
    "san": _MOVE_FIELDS["san"],
    **_LINE_FIELDS,
}


def _object(fields: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """Return the schema of an object; all but the optional fields are required."""
    return {"type": "object", "properties": {**fields, **optional}, "required": list(fields)}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _path(summary: str, name: str, most_positions: int) -> dict[str, Any]:
    """Return the description of a route whose answer for one position is the schema ``name``."""

    def response(text: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"description": text, "content": {"application/json": {"schema": schema}}}

    error = _reference("Error")
    one = _reference(name)
    several = {"type": "array", "items": {"oneOf": [one, error]}, "maxItems": most_positions}
    fen = {
        "name": "fen",
        "in": "query",
        "required": True,
        "description": "A FEN; underscores can replace spaces. If given several times, the response is an array.",
        "schema": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most_positions},
        "style": "form",
        "explode": True,
        "example": ["7K/6Q1/8/8/2k5/8/8/8_w_-_-_0_1"],
    }
    return {
        "get": {
            "summary": summary,
            "parameters": [fen],
            "responses": {
                "200": response(
                    "The position; for several positions, an array in the same order, including errors.",
                    {"oneOf": [one, several]},
                ),
                "400": response("The request or the position cannot be read, or the position is illegal.", error),
                "404": response("No table covers the position; the error names the missing table.", error),
                "500": response("A table is damaged.", error),
                "503": response("The server is busy.", error),
            },
        }
    }


def description(most_positions: int) -> dict[str, Any]:
    """Return the description; ``most_positions`` is the largest number of positions in one question."""
    move = _object(_MOVE_FIELDS, missing={"type": "string", "description": "The table that is missing for this move."})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "endgame-tui",
            "version": __version__,
            "description": "Endgame tables over HTTP, in the format of the lichess tablebase API.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "paths": {
            "/standard": _path("The value of a position and of every move, best first", "Position", most_positions),
            "/standard/mainline": _path(
                "Best play by DTZ until mate or the first possible 50-move claim", "Mainline", most_positions
            ),
        },
        "components": {
            "schemas": {
                "Position": _object({**_POSITION_FIELDS, "moves": {"type": "array", "items": _reference("Move")}}),
                "Move": move,
                "Mainline": _object(
                    {
                        **_LINE_FIELDS,
                        "mainline": {"type": "array", "items": _reference("Step")},
                        "winner": {
                            "type": ["string", "null"],
                            "enum": ["w", "b", None],
                            "description": "The side that mates at the end; null for a draw.",
                        },
                    }
                ),
                "Step": _object(_STEP_FIELDS),
                "Error": _object({"error": {"type": "string", "description": "One sentence that says what is wrong."}}),
            }
        },
    }
