"""Tables of Morris: the index, every published figure, and one ply of the rules."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.errors import EndgameError, EndingError, NotBuiltError, PositionError, TableError
from endgame_core.game import DigitFilter, SolvedEnding, derived_code, position_code
from endgame_core.judge import Judge
from endgame_core.morris import arrays, index, rules
from endgame_core.morris.game import MORRIS, MorrisGame
from endgame_core.morris.geometry import NUMBERS, image
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, Category, value_of
from tests.positions import by_depth

from .conftest import build, link
from .stones import moving, random_position

BUILT = ("3-3", "4-3", "4-4", "5-3")
TO_TEN = (*BUILT, "5-4", "6-3", "5-5", "6-4", "7-3")
SUBSPACES = ("3-3", "3-4", "4-3", "4-4", "3-5", "5-3")

PUBLISHED: dict[str, list[int]] = json.loads(Path(__file__).with_name("morris_published.json").read_text())["subspaces"]

Morris = Explorer[Position, MorrisMove]


@pytest.fixture(scope="session")
def subspaces(truth: Path) -> dict[str, Any]:
    return json.loads((truth / "morris" / "subspaces.json").read_text())["subspaces"]


@pytest.fixture(scope="session")
def to_ten(shared: Path, morris: Morris) -> Morris:
    """All pairs of up to ten stones, in a directory of their own: what a screen shows depends on what is built."""
    found = Library(MORRIS, shared / "morris-ten")
    with FileLock(shared / "morris-ten.lock"):
        link(morris.library, found)
        build(found, list(TO_TEN))
    return Explorer(MORRIS, found)


def placed(own: list[str], other: list[str]) -> Position:
    masks = [sum(1 << NUMBERS[name] for name in names) for names in (own, other)]
    return Position(masks[0], masks[1])


class TestIndex:
    @pytest.mark.slow
    @settings(max_examples=60)
    @given(moving(), st.integers(0, 15))
    def test_all_copies_have_one_slot(self, position: Position, symmetry: int) -> None:
        slot = MORRIS.index.slot_of(position)
        copy = Position(image(symmetry, position.white), image(symmetry, position.black), position.turn)
        assert MORRIS.index.slot_of(copy) == slot
        exchanged = MORRIS.index.slot_of(MORRIS.with_colours_swapped(position))
        assert (exchanged.ending, exchanged.side, exchanged.index) == (slot.ending, slot.side, slot.index)
        there = MORRIS.index.position_at(slot.ending, slot.side, slot.index)
        assert there in MORRIS.copies_of(MORRIS.with_colours_swapped(position) if slot.swapped else position)
        assert MORRIS.index.slot_of(there).index == slot.index < MORRIS.index.slots(slot.ending)

    @pytest.mark.parametrize("ending", ["3-3", "4-3", "4-4", "6-3"])
    def test_stored_slots_and_their_copies_are_all_boards(self, ending: str) -> None:
        white, black = index.stones_of(ending)
        slots = MORRIS.index.slots(ending)
        for side in range(2):
            boards = arrays.copies(ending, side, 0, slots)
            bits = np.unpackbits(arrays.find_stored_slots(ending, side).view(np.uint8), bitorder="little")
            assert np.array_equal(bits > 0, boards > 0)
            nobody = side == 1 and white == black
            assert int(boards.sum(dtype=np.int64)) == (0 if nobody else comb(24, white) * comb(24 - white, black))
            assert np.array_equal(arrays.copies(ending, side, 1280, 6400), boards[1280:7680])
            rows, length = index.axes(ending)
            box = [range(3, 40), range(5, length - 1)]
            assert np.array_equal(
                arrays.copies_in(ending, side, box), boards.reshape(rows, length)[3:40, 5 : length - 1].reshape(-1)
            )

    @settings(max_examples=30)
    @given(st.sampled_from(["3-3", "4-3", "5-5", "7-3", "6-4"]), st.integers(0, 1), st.integers(0))
    def test_keys_and_slots_are_inverse(self, ending: str, side: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        slots = rng.integers(0, MORRIS.index.slots(ending), 50)
        slots = slots[slots % index.axes(ending)[1] < index.row_size(*index.stones_of(ending))]
        keys = arrays.keys(ending, side, slots)
        sides, found = arrays.slots_of_keys(ending, keys)
        assert (sides == side).all() and np.array_equal(found, slots)
        for key, slot in zip(keys.tolist(), slots.tolist(), strict=True):
            assert MORRIS.index.from_key(ending, key) == MORRIS.index.position_at(ending, side, slot)
        _, wrong = arrays.slots_of_keys("8-3", np.append(keys, np.uint64(2**64 - 1)))
        assert (wrong == -1).all()

    @pytest.mark.parametrize("text", ["", "4", "4-", "2-3", "4-10", "a-b", "4-3-3", "٤-3"])
    def test_other_names_are_not_endings(self, text: str) -> None:
        with pytest.raises(EndingError):
            MORRIS.canonical_name(text)
        assert MORRIS.canonical_name(" 3-4 ") == "4-3" and len(MORRIS.endings()) == 28

    @given(st.one_of(st.text(max_size=30), st.from_regex(r"[2-9]-[3-9]:[0-9]{1,40}", fullmatch=True)))
    def test_any_text_is_a_position_or_refused(self, text: str) -> None:
        with suppress(EndgameError):
            MORRIS.format(MORRIS.parse(text))

    def test_positions_with_stones_in_hand_have_no_table(self) -> None:
        with pytest.raises(EndingError, match="stones are still in hand"):
            MORRIS.index.slot_of(MORRIS.parse("8/8/8 w 9-9"))
        over = Position(3, 7 << 8)
        assert MORRIS.is_trivial(over) and MORRIS.terminal(over) is not None
        with pytest.raises(EndingError, match="the game is over"):
            MORRIS.index.slot_of(over)
        with pytest.raises(PositionError, match="not a key of 4-3"):
            MORRIS.parse(f"4-3:{MORRIS.index.key(MORRIS.parse('OOO5/XXX5/8 w'))}")


class TestTruth:
    """The figures of ``subspaces.json``; ``3-4`` is the table 4-3 with its three stones to move."""

    @pytest.mark.parametrize("name", SUBSPACES)
    def test_counts_and_depths_equal_the_published_ones(
        self, name: str, morris: Morris, subspaces: dict[str, Any]
    ) -> None:
        truth = subspaces[name]
        found = morris.layers(name)
        orbits = [0] * len(truth["depth_histogram_orbits"])
        for winner, (few, full) in {"mover": ("win", "win_full"), "opponent": ("loss", "loss_full")}.items():
            family = found.families.get(winner, ())
            assert sum(layer.canonical for layer in family) == truth[few]
            assert sum(layer.boards for layer in family) == truth[full]
            assert (family[-1].n if family else None) == truth[f"max_{few}_plies"]
            for layer in family:
                orbits[layer.n] += layer.canonical
        assert orbits == truth["depth_histogram_orbits"]
        assert (found.draws["mover"].canonical, found.draws["mover"].boards) == (truth["draw"], truth["draw_full"])

    @pytest.mark.parametrize("name", SUBSPACES)
    def test_samples_and_longest_lines(self, name: str, morris: Morris, subspaces: dict[str, Any]) -> None:
        for own, other, plies in subspaces[name]["samples_[to_move,opponent,plies_or_null_for_draw]"]:
            assert morris.probe(placed(own, other)).depth == plies
        for longest in subspaces[name]["longest"]:
            position, plies = placed(longest["to_move"], longest["opponent"]), longest["plies"]
            verdict = morris.probe(position)
            assert (verdict.category, verdict.depth) == (longest["result"], plies)
            assert len(Judge(morris).line(position).steps) == plies == len(longest["one_optimal_line"])
            for text in longest["one_optimal_line"]:
                position, plies = MORRIS.play(position, MORRIS.parse_move(position, text)), plies - 1
                assert rules.lost(position) if plies == 0 else morris.probe(position).depth == plies


def check_published(morris: Morris, name: str) -> None:
    """Counts and longest wins, as another solver published them."""
    wins, losses, draws, longest_win, longest_loss = PUBLISHED[name]
    found = morris.layers(name)
    families = [found.families.get(winner, ()) for winner in MORRIS.winners]
    assert [sum(layer.canonical for layer in family) for family in families] == [wins, losses]
    assert [family[-1].n if family else 0 for family in families] == [longest_win, longest_loss]
    assert found.draws["mover"].canonical == draws
    first, second = map(int, name.split("-"))
    boards = sum(layer.boards for family in families for layer in family) + found.draws["mover"].boards
    assert boards == comb(24, first) * comb(24 - first, second)


@pytest.mark.parametrize("name", SUBSPACES)
def test_counts_equal_the_published_figures(name: str, morris: Morris) -> None:
    check_published(morris, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in PUBLISHED if sum(map(int, name.split("-"))) <= 10])
def test_published_figures_up_to_ten_stones(name: str, to_ten: Morris) -> None:
    check_published(to_ten, name)


def test_longest_wins_before_a_table_is_built() -> None:
    for ending in MORRIS.endings():
        plies = max(PUBLISHED[ending][3], PUBLISHED[ending[::-1]][3])
        assert MORRIS.longest_known(ending) == plies


def check_one_ply(morris: Morris, ending: str, positions: int) -> None:
    """Values of random positions follow from those one ply later; so do those of positions of each kind of value."""
    rng = random.Random(ending)
    table = morris.library.table(ending)
    chosen = [random_position(ending, rng) for _ in range(positions)]
    for side in range(2):
        for code in table.used_codes(side):
            frame = rng.choices(range(table.tilings[side].frame_count), table.frame_counts(side, code))[0]
            slots = table.select(side, frame, code)
            chosen += [MORRIS.index.position_at(ending, side, slot) for slot in rng.sample(slots, min(3, len(slots)))]
    for position in chosen:
        assert morris.code(position) == derived_code(MORRIS, position, morris.code), MORRIS.format(position)


class TestOnePly:
    @pytest.mark.parametrize("ending", BUILT)
    def test_small_pairs_follow_from_one_ply_of_the_rules(self, ending: str, morris: Morris) -> None:
        check_one_ply(morris, ending, 150)

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("ending", TO_TEN)
    def test_all_pairs_up_to_ten_stones_follow_from_one_ply_of_the_rules(self, ending: str, to_ten: Morris) -> None:
        check_one_ply(to_ten, ending, 3000)

    @settings(max_examples=60)
    @given(moving(st.integers(3, 4), st.integers(3, 4)), st.integers(0, 15))
    def test_symmetric_copies_probe_alike(self, morris: Morris, position: Position, symmetry: int) -> None:
        verdict = morris.probe(position)
        copy = Position(image(symmetry, position.white), image(symmetry, position.black), position.turn)
        assert morris.probe(copy) == verdict
        exchanged = morris.probe(MORRIS.with_colours_swapped(position))
        assert (exchanged.category, exchanged.depth) == (verdict.category, verdict.depth)
        assert (exchanged.winner is None) == (verdict.winner is None)
        assert verdict.winner is None or exchanged.winner != verdict.winner
        assert derived_code(MORRIS, position, morris.code) == morris.code(position)

    @pytest.mark.slow
    @pytest.mark.parametrize(("ending", "side"), [("3-3", 0), ("4-3", 0), ("4-3", 1), ("4-4", 0), ("5-3", 1)])
    def test_bulk_probes_equal_single_probes(self, ending: str, side: int, morris: Morris) -> None:
        """What numpy derives of many positions is what the rules alone derive of each."""
        derive = MORRIS.solver.one_ply_deriver(
            ending, lambda name, side: morris.library.table(name).all_stored(side, BYTE_DRAW)
        )
        slots, codes = derive.derived(side, 64_000, 64)
        assert len(slots) > 50
        for slot, code in zip(slots.tolist(), codes.tolist(), strict=True):
            position = MORRIS.index.position_at(ending, side, slot)
            assert code == derived_code(MORRIS, position, morris.code), MORRIS.format(position)

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(("ending", "part"), [("4-3", 4), ("4-4", 2), ("5-3", 16), ("5-5", 16), ("6-4", 16)])
    def test_every_position_of_many_ranges_follows_from_one_ply(self, ending: str, part: int, to_ten: Morris) -> None:
        table = to_ten.library.table(ending)
        derive = MORRIS.solver.one_ply_deriver(
            ending, lambda name, side: to_ten.library.table(name).all_stored(side, BYTE_DRAW)
        )
        compared, size = 0, 1 << 16
        for side in range(index.sides(ending)):
            codes = table.all_stored(side, BYTE_DRAW)
            for start in range(0, MORRIS.index.slots(ending), size * part):
                slots, derived = derive.derived(side, start, min(size, MORRIS.index.slots(ending) - start))
                assert np.array_equal(np.array(CODES_OF_BYTES)[codes[slots]], derived)
                compared += len(slots)
        assert compared > table.positions * 0.9 // part


class TestSolver:
    @pytest.mark.slow
    def test_a_pair_solved_on_made_up_captures(self) -> None:
        """Every kind of value after a capture is taken account of, and slots that are not kept are not trusted."""
        rng = np.random.default_rng(7)
        kinds = np.concatenate([np.arange(0, 20), np.full(30, 128), np.arange(236, 256)]).astype(np.uint8)
        made_up = {
            (name, side): rng.choice(kinds, MORRIS.index.slots(name)) for name in ("3-3", "4-3") for side in range(2)
        }
        solved: dict[str, SolvedEnding] = {}

        def lookup(name: str, side: int, _: DigitFilter = ()) -> Any:
            kept = np.unpackbits(arrays.find_stored_slots(name, side).view(np.uint8), bitorder="little")
            return np.where(kept, made_up[name, side], 77).astype(np.uint8)

        def code(position: Position) -> int:
            def look(slot: Any) -> int:
                codes = (
                    solved[slot.ending].codes[slot.side] if slot.ending in solved else made_up[slot.ending, slot.side]
                )
                return CODES_OF_BYTES[codes[slot.index]]

            return position_code(MORRIS, position, look)

        for ending in ("4-3", "4-4"):
            solved = {ending: MORRIS.solver.solve(ending, lookup, 2, lambda progress: None)}
            chooser = random.Random(ending)
            for _ in range(250):
                position = random_position(ending, chooser)
                assert code(position) == derived_code(MORRIS, position, code), MORRIS.format(position)

    def test_any_number_of_threads_gives_the_same_table(self, morris: Morris) -> None:
        def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
            return morris.library.read_side(name, side, 1, wanted)

        one, three = (MORRIS.solver.solve("4-3", lookup, threads, lambda progress: None) for threads in (1, 3))
        assert np.array_equal(one.codes, three.codes) and np.array_equal(one.missing, three.missing)


class TestLibrary:
    def test_a_table_of_another_variant_is_refused(self, morris: Morris, tmp_path: Path) -> None:
        class Walking(MorrisGame):
            rules = "9 men, take one per move, no flying"

        library = Library(Walking(), tmp_path)
        library.path("3-3").parent.mkdir(parents=True)
        library.path("3-3").write_bytes((paths.starter_dir() / "3-3.egt").read_bytes())
        with pytest.raises(TableError, match="a different variant"):
            library.table("3-3")

    @pytest.mark.slow
    def test_a_missing_table_is_named(self, morris: Morris) -> None:
        with pytest.raises(NotBuiltError, match="9-9 is not built"):
            morris.probe(MORRIS.parse("OXOXOXOX/OXOXOXOX/OX6 w"))
        assert morris.library.planner.plan(["5-5"]) in (["5-4", "5-5"], [])

    def test_places_and_previous_positions_are_consistent(self, morris: Morris) -> None:
        position = morris.nth("3-4", "mover", 25, 7)
        place = morris.locate(position)
        assert (place.ending, place.winner, place.n, place.number) == ("3-4", "mover", 25, 7)
        best = by_depth(morris, position)[0]
        assert best.verdict is not None and best.verdict.depth == 24
        if not best.move.captured:
            assert any(step.position == position and step.best for step in morris.previous(best.after))
        drawn = morris.nth("4-4", None, None, 1000)
        assert morris.locate(drawn).number == 1000 and morris.probe(drawn).category is Category.DRAW
        assert value_of(morris.code(drawn)) == (Category.DRAW, None)


def test_the_worked_example_of_the_index_is_right() -> None:
    """3-3 with White on g4, g1, f4 and Black on a7, d6, b4, as the documentation of the module goes through it."""
    white, black = (sum(1 << NUMBERS[name] for name in names) for names in (("g4", "g1", "f4"), ("a7", "d6", "b4")))
    assert int(arrays.orbits(3).masks[26]) == 2**0 + 2**1 + 2**9
    assert index.stride(3, 3) == 1344
    assert arrays.index_of(white, black) == 26 * 1344 + comb(2, 1) + comb(8, 2) + comb(10, 3) == 35094
