"""Pictures as files of other formats: PNG and PDF, by the optional packages of the extra ``pictures``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.installation import install_advice
from endgame_core.language import _


def png_of(svg: str) -> bytes:
    """Convert an SVG document to PNG; raises EndgameError if the packages are missing."""
    result: bytes = _cairosvg().svg2png(bytestring=svg.encode())
    return result


def pdf_of(pages: Sequence[str]) -> bytes:
    """Convert SVG documents to the pages of one PDF file; raises EndgameError if the packages are missing."""
    cairosvg = _cairosvg()
    try:
        from pypdf import PdfWriter
    except ImportError:
        raise _missing_error() from None
    with PdfWriter() as writer:
        for page in pages:
            writer.append(io.BytesIO(cairosvg.svg2pdf(bytestring=page.encode())))
        result = io.BytesIO()
        writer.write(result)
    return result.getvalue()


def _cairosvg() -> Any:
    try:
        import cairosvg
    except (ImportError, OSError):  # an OSError: the package is there, its C library is not
        raise _missing_error() from None
    return cairosvg


def _missing_error() -> EndgameError:
    return EndgameError(
        _("PNG and PDF need packages that are not installed"),
        _("{install_advice} (and install the library cairo), or write SVG or HTML").format(
            install_advice=install_advice("pictures")
        ),
    )
