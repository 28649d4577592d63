"""Identical pieces: one of their orders is stored, by whichever way an ending is solved, written or imported."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from endgame_core.chess import index, material
from endgame_core.chess.game import CHESS
from endgame_core.chess.solver import needs
from endgame_core.chess.solver._kernels_board import BLOCK, Men
from endgame_core.chess.solver._kernels_slices import canonical_bits
from endgame_core.chess.solver.layout import dimensions, men_in_planes
from endgame_core.metric import DTM
from endgame_core.tables.archive import export, export_lean, import_archive, import_lean
from endgame_core.tables.build import Build
from endgame_core.tables.kernels import kernel
from endgame_core.tables.library import Library

from .conftest import link

WITHOUT_PAWNS = [ending for ending in material.ENDINGS if not material.has_pawns(ending)]
LIKE = {
    "KNNNvK": "three of White",
    "KQQQvK": "three of White, with captures into won endings",
    "KNNvKR": "two of White",
    "KBBvKB": "two of White, and one of Black",
    "KRRvKR": "the same with rooks",
    "KPPPvK": "three pawns",
    "KBBvKP": "two pieces and a pawn",
}


@kernel
def canonical_at(men, blocks, squares, found):
    """Whether positions are canonical, given their block, q, p0, p1, p2 and the black king."""
    for i in range(len(blocks)):
        q, p0, p1, p2, king = squares[i]
        bits, _ = canonical_bits(men, blocks[i], q, p0, p1, p2)
        found[i] = (bits >> np.uint64(king)) & np.uint64(1)


def by_layout(ending: str, men: Men, slots: list[int]) -> list[bool]:
    """Which slots are canonical as the kernels tell, with the pieces laid out in some way."""
    used = [men.sizeq == 64, men.size0 == 64, men.size1 == 64, True]
    blocks, squares = np.zeros(len(slots), np.int64), np.zeros((len(slots), 5), np.int64)
    places, black_king = index.name_positions(ending)
    for i, slot in enumerate(slots):
        placed = index.squares_at(ending, slot)
        blocks[i] = BLOCK[placed[0]]
        pieces = iter(placed[place] for place in places)
        squares[i] = [*(next(pieces) if is_used else 0 for is_used in used), placed[black_king]]
    found = np.zeros(len(slots), np.uint8)
    canonical_at(men, blocks, squares, found)
    return found.astype(bool).tolist()


@pytest.mark.parametrize("ending", WITHOUT_PAWNS)
def test_both_layouts_keep_the_order_of_the_index(ending: str) -> None:
    """Of random slots and of all orders of their pieces; identical pieces and a king on the diagonal are frequent."""
    rng, slots = random.Random(ending), list[int]()
    for _ in range(60):
        slot = rng.randrange(index.slots(ending))
        squares = index.squares_at(ending, slot)
        if len(set(squares)) == len(squares):
            slots += [slot, index.index_of(ending, squares)]
    expected = [index.index_of(ending, index.squares_at(ending, slot)) == slot for slot in slots]
    assert by_layout(ending, dimensions(ending), slots) == expected
    men = index.men_of(ending)
    if len(men) > 2 or (len(men) == 2 and men[0] != men[1]):  # the others are not solved in planes
        assert by_layout(ending, men_in_planes(ending), slots) == expected
    assert True in expected


def test_a_layout_with_identical_pieces_apart_is_refused() -> None:
    from endgame_core.chess.solver.layout import laid_out

    knight, rook = (chess.KNIGHT, 1, 64), (chess.ROOK, 1, 64)
    with pytest.raises(AssertionError, match="identical pieces are apart"):
        laid_out([knight, rook, knight, (chess.ROOK, 0, 64)])


def built_plainly(library: Library, ending: str, root: Path) -> Library:
    """Tables of their own, in which an ending was built in memory as a whole."""
    plain = Library(CHESS, root / "plain")
    link(library, plain)
    list(Build(plain, [ending]).events())
    return plain


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(
            ending, marks=pytest.mark.slow if ending == "KNNNvK" else pytest.mark.exhaustive, id=f"{ending}, {what}"
        )
        for ending, what in LIKE.items()
    ],
)
def test_little_memory_gives_the_same_bytes(ending: str, library: Library, tmp_path: Path) -> None:
    """Built plane by plane, slice by slice or wave by wave."""
    plain = built_plainly(library, ending, tmp_path)
    least = needs.needs(ending, DTM).least
    for memory in (least, least * 5 // 4):
        bounded = Library(CHESS, tmp_path / str(memory))
        link(plain, bounded)
        bounded.disk.remove(ending)
        list(Build(bounded, [ending], memory=memory).events())
        assert bounded.path(ending).read_bytes() == plain.path(ending).read_bytes()


@pytest.mark.exhaustive
def test_layers_and_one_side_give_the_same_table(library: Library, tmp_path: Path) -> None:
    ending = "KNNNvK"
    plain, into = built_plainly(library, ending, tmp_path), Library(CHESS, tmp_path / "into")
    link(plain, into)
    into.disk.remove(ending)
    export(plain, ending, tmp_path / "layers.zip")
    import_archive(into, tmp_path / "layers.zip")
    assert into.path(ending).read_bytes() == plain.path(ending).read_bytes()

    export_lean(plain, ending, tmp_path / "lean.egt")
    into.disk.remove(ending)
    import_lean(into, tmp_path / "lean.egt")
    one_sided, both = into.table(ending), plain.table(ending)
    for side in (0, 1):
        assert (one_sided.all_stored(side, 0) == both.all_stored(side, 0)).all()


@pytest.mark.slow
def test_workers_give_the_same_bytes(library: Library, tmp_path: Path) -> None:
    from endgame_core.tables.local_workers import LocalWorkers

    alone, cluster = Library(CHESS, tmp_path / "alone"), Library(CHESS, tmp_path / "cluster")
    list(Build(alone, ["KNNNvK"]).events())
    memory = 2 * (needs.needs("KNNNvK", DTM).least + 1_000_000)
    list(LocalWorkers(cluster, ["KNNNvK"], 2, memory=memory).events())
    for ending in ("KNNvK", "KNNNvK"):
        assert cluster.path(ending).read_bytes() == alone.path(ending).read_bytes()
