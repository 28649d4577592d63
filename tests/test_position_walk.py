"""The walk through positions of both games, without a screen: steps, layers, families and typed text."""

from __future__ import annotations

import random
from array import array
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError, LayerError, NotBuiltError, PositionError
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.find import FindResult
from endgame_core.tables.library import Library
from endgame_core.tasks.walk import Walk
from endgame_core.words import position as words
from endgame_core.words.missing_tables import press_to_build

AnyWalk = Walk[Any, Any]
Stones = Explorer[Position, MorrisMove]
GAMES = ("chess", "morris")
both = pytest.mark.parametrize("game", GAMES)

MILL = "6X1/1X2X3/X4OOO w"
"""3-4, S25: c4-e3 closes a mill, one stone is right, three lose."""

PASSED = "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1"
"""Black may take en passant, and so has another layer than the same men without that right."""


@pytest.fixture(scope="session")
def labs(dtz_library: Library, morris: Stones) -> dict[str, AppContext]:
    """What tells about each game: chess of up to four men by both metrics, stones up to 4-4."""
    return {"chess": AppContext(dtz_library.root), "morris": AppContext(morris.library.root)}


@pytest.fixture
def walk(labs: dict[str, AppContext], game: str) -> AnyWalk:
    return Walk(labs[game], game, random.Random(1))


def place(walk: AnyWalk) -> tuple[str, str | None, int | None, int]:
    found = walk.location.place
    assert found is not None
    return found.ending, found.winner, found.n, found.number


@both
class TestSteps:
    def test_a_first_walk_begins_at_the_longest_win_of_the_first_ending(self, walk: AnyWalk, game: str) -> None:
        ending, n = {"chess": ("KQvK", 19), "morris": ("3-3", 25)}[game]
        assert place(walk)[:3] == (ending, "white", n) and not walk.past

    def test_best_moves_lead_to_the_end_and_undo_leads_back(self, walk: AnyWalk, game: str) -> None:
        start, longest = walk.position, place(walk)[2]
        assert longest is not None
        for n in range(longest - 1, -1, -1):
            walk.play_best()
            depth = walk.probe.verdict.depth if walk.probe.verdict else None
            assert depth == n
        with pytest.raises(LayerError, match="the game is over here; type back to go back"):
            walk.play_best()
        assert not walk.play_on()
        while walk.undo():
            pass
        assert walk.position == start and len(walk.future) == longest
        assert walk.redo() and not walk.past[0].move and walk.step.move

    def test_autoplay_stops_at_the_end(self, walk: AnyWalk, game: str) -> None:
        steps = 1
        while walk.play_on():
            steps += 1
        assert steps == {"chess": 19, "morris": 25}[game] and not walk.rules.moves(walk.position)

    def test_a_new_step_discards_the_undone_steps(self, walk: AnyWalk, game: str) -> None:
        walk.play_best()
        walk.undo()
        walk.to_random()
        assert not walk.redo() and walk.undo() and not walk.past

    def test_the_line_is_best_play(self, walk: AnyWalk, game: str) -> None:
        line = walk.line(600)
        assert len(line.steps) == place(walk)[2] and line.ends_in_win
        assert words.line(walk, 4).moves == tuple(line.sans[:4]) and not words.line(walk, 4).complete
        for move in line.moves:
            walk.play(move)
        assert walk.probe.is_over

    def test_previous_positions_lead_to_the_current_one(self, walk: AnyWalk, game: str) -> None:
        walk.execute("S4")
        here = walk.position
        earlier = walk.location.previous
        assert earlier and earlier[0].best and words.before(walk)[0][0].note == "best move"
        for number in (0, len(earlier) - 1):
            walk.to_previous(number)
            assert walk.rules.index.key(walk.rules.play(walk.position, earlier[number].move)) == walk.rules.index.key(
                here
            )
            walk.undo()
        walk.to_previous(len(earlier))
        assert walk.position == here


@both
class TestLayers:
    def test_layers_without_positions_are_skipped_in_both_directions(self, walk: AnyWalk, game: str) -> None:
        ending = {"chess": "KRvK", "morris": "4-3"}[game]
        walk.open(ending)
        family = (
            walk.location.layers
            and walk.location.place
            and walk.location.layers.families[walk.location.place.winner or ""]
        )
        assert family
        filled = [row.n for row in family if row.canonical]
        walk.to_layer(filled[0])
        for n in filled[1:]:
            walk.step_layer(1)
            assert place(walk)[2] == n
        with pytest.raises(LayerError, match=f"S{filled[-1]} is the last layer"):
            walk.step_layer(1)
        for n in reversed(filled[:-1]):
            walk.step_layer(-1)
            assert place(walk)[2] == n
        with pytest.raises(LayerError, match="S0 is the end of the game"):
            walk.step_layer(-1)

    @pytest.mark.slow
    def test_positions_of_a_layer_are_walked_in_a_circle(self, walk: AnyWalk, game: str) -> None:
        walk.step_layer(-1)
        found = walk.location.place
        assert found is not None
        seen: set[str] = set()
        for _ in range(found.total):
            seen.add(walk.rules.format(walk.position))
            walk.step_position(1)
        assert place(walk)[3] == found.number and len(seen) == found.total
        walk.step_position(-1)
        assert place(walk)[3] == (found.number - 2) % found.total + 1

    def test_next_family_walks_wins_losses_and_draws_in_a_circle(self, walk: AnyWalk, game: str) -> None:
        walk.open({"chess": "KQvKR", "morris": "4-3"}[game])
        seen: list[str | None] = []
        for _ in range(3):
            seen.append(place(walk)[1])
            walk.next_family()
        assert sorted(map(str, seen)) == ["None", "black", "white"] and place(walk)[1] == seen[0]

    def test_rows_of_the_panel_are_layers(self, walk: AnyWalk, game: str) -> None:
        rows = words.layers(walk)
        assert (
            rows.current is not None
            and rows.current == place(walk)[2]
            and rows.rows[rows.current].name == f"S{rows.current}"
        )
        walk.to_row(3)
        assert place(walk)[2] == 3
        while place(walk)[1] is not None:
            walk.next_family()
        shown = words.layers(walk)
        assert shown.title == "Draws" and len(shown.rows) == 2
        for row in (0, 1):
            if shown.rows[row].unique:
                walk.to_row(row)
                assert words.layers(walk).current == row
            else:
                with pytest.raises(LayerError, match="no draws with that side to move"):
                    walk.to_row(row)

    @given(share=st.floats(0, 1), part=st.floats(0, 1))
    @settings(max_examples=30)
    def test_every_place_is_found_again(
        self, labs: dict[str, AppContext], game: str, share: float, part: float
    ) -> None:
        walk: AnyWalk = Walk(labs[game], game)
        walk.open({"chess": "KQvKR", "morris": "4-3"}[game])
        found = walk.location
        assert found.layers is not None and found.place is not None and found.place.winner is not None
        filled = [row for row in found.layers.families[found.place.winner] if row.canonical]
        row = filled[round(share * (len(filled) - 1))]
        number = 1 + round(part * (row.canonical - 1))
        walk.execute(f"S{row.n}/{number}")
        assert place(walk) == (found.place.ending, found.place.winner, row.n, number)
        verdict = walk.probe.verdict
        assert verdict is not None and (verdict.depth, verdict.winner) == (row.n, found.place.winner)
        assert words.crumbs(walk)[2] == f"S{row.n}"

    def test_an_ending_that_cannot_be_opened_leaves_the_query_results(self, walk: AnyWalk, game: str) -> None:
        positions = [walk.position, walk.rules.play(walk.position, walk.best())]
        keys = array("Q", [walk.rules.index.key(position) for position in positions])
        results = FindResult(walk.new_query("white wins"), len(keys), keys)
        walk.browse(results)
        assert walk.is_at_result
        with pytest.raises(NotBuiltError):
            walk.open({"chess": "KPPvKP", "morris": "9-9"}[game])
        walk.step_position(1)
        assert walk.position == results[1] and walk.results is results
        for typed in {"chess": ("KRvK", "KRvK S3"), "morris": ("4-3", "4-3 S31")}[game]:
            walk.browse(results)
            walk.execute(typed)
            assert walk.results is None and not walk.is_at_result, typed

    def test_random_positions_are_of_the_layer(self, walk: AnyWalk, game: str) -> None:
        walk.step_layer(-1)
        before = place(walk)[:3]
        for _ in range(5):
            walk.to_random()
            assert place(walk)[:3] == before


TYPED: dict[str, list[tuple[str, tuple[str, str | None, int | None]]]] = {
    "chess": [
        ("S7", ("KQvK", "white", 7)), ("s12/3", ("KQvK", "white", 12)), ("12/3", ("KQvK", "white", 12)),
        ("Kg8", ("KQvK", "white", 18)), ("g7e5", ("KQvK", "white", 18)), ("KRvK", ("KRvK", "white", 31)),
        ("krk", ("KRvK", "white", 31)), ("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1", ("KQvK", "white", 7)),
        ("KvKQ", ("KQvK", "white", 19)),
        ("8/7K/5k2/8/8/4Q3/8/8 w", ("KQvK", "white", 7)), ("1", ("KQvK", "white", 19)),
        ("clock 40", ("KQvK", "white", 19)),
        ("KRvK S3/2", ("KRvK", "white", 3)),
    ],
    "morris": [
        ("S19", ("3-4", "white", 19)), ("20/3", ("3-4", "white", 20)), ("3-4", ("3-4", "white", 33)),
        ("4-3 S31", ("4-3", "black", 31)), ("3-4 S9/2", ("3-4", "white", 9)), ("4–3", ("4-3", "black", 33)),
        ("3-3", ("3-3", "white", 25)), ("c4-e3xd6", ("3-3", "white", 24)), ("XXOXOOOX/8/8 w", ("4-4", None, None)),
        ("[[0,0],[[1,2,1,1,2,2,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0]]]", ("3-3", "white", 25)),
    ],
}  # fmt: skip

MISTAKES = {
    "chess": {
        "Qz9": "not a legal move", "S99": "no S99 here (White's wins go up to S20)", "19/7": "number 1",
        "7": "number 1",
        "KXK": "not a legal move", "8/8/8 w": "not a FEN", "KvK": "draw", "KQQQQQvK": "7 pieces",
        "clock 151": "ends a game at 150",
        "clock 999999": "ends a game at 150", "clock": "set in plies", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1": "castling",
        "7K/6Q1/8/8/2k5/8/8/8 w - - 151 1": "ends a game at 150",
    },
    "morris": {
        "a1-b2": "White has no stone", "c4-e3xb2": "Black has no stone", "S99": "no S99", "S7": "no position in S7",
        "9/9/9 w": "not a stone", "2-2": "3 to 9", "10-3": "not an ending", "3-4 S99": "no S99", "z9": "point",
        "[[1]]": "nested",
        "clock 3": "cannot be read as a move",
    },
}  # fmt: skip


@both
class TestTyped:
    def test_moves_positions_and_layers_can_be_typed(self, walk: AnyWalk, game: str) -> None:
        walk.begin(MILL if game == "morris" else walk.rules.example_position)
        for typed, expected in TYPED[game]:
            walk.execute(typed)
            assert place(walk)[:3] == expected, typed
            assert walk.undo() and not walk.past, "one step each"

    def test_mistyped_text_changes_nothing(self, walk: AnyWalk, game: str) -> None:
        walk.begin(MILL if game == "morris" else walk.rules.example_position)
        before = walk.position
        for typed, said in MISTAKES[game].items():
            with pytest.raises(EndgameError) as problem:
                walk.execute(typed)
            assert said in str(problem.value) and walk.position == before and not walk.past, typed

    def test_a_walk_begins_at_an_ending_or_a_position(self, walk: AnyWalk, game: str) -> None:
        walk.begin({"chess": "krkq", "morris": "3-4"}[game])
        assert place(walk)[0] == {"chess": "KQvKR", "morris": "3-4"}[game] and not walk.past
        with pytest.raises(NotBuiltError):
            walk.begin({"chess": "KPPvKP", "morris": "9-9"}[game])


class TestChess:
    @pytest.fixture
    def game(self) -> str:
        return "chess"

    def test_two_moves_are_called_both(self, library: Library) -> None:
        walk: AnyWalk = Walk(AppContext(library.root), "chess")
        walk.go(chess.Board("8/8/8/8/8/8/8/QKrk4 w - - 0 1"))
        assert words.reason(walk).sentence == "Both moves hold: White cannot go wrong."

    def test_positions_with_exchanged_colours_keep_their_colours(self, walk: AnyWalk) -> None:
        walk.begin("8/8/8/2K5/8/8/6q1/7k b - - 0 1")
        assert words.crumbs(walk)[:3] == ("KvKQ", "Black wins", "S19")
        walk.step_layer(-1)
        walk.step_position(1)
        assert walk.position.pieces_mask(chess.QUEEN, chess.BLACK)

    def test_a_position_with_en_passant_has_no_number_but_leads_to_its_layer(self, walk: AnyWalk) -> None:
        walk.begin(PASSED)
        assert place(walk)[1:] == ("black", 19, 0) and words.crumbs(walk)[-1] == "en passant"
        steps = {"n": (19, 1), "p": (19, 211_368), "7": (19, 7), "[": (18, 1), "]": (20, 1), "S5/2": (5, 2)}
        for key, expected in steps.items():
            if key in "np":
                walk.step_position(1 if key == "n" else -1)
            elif key in "[]":
                walk.step_layer(1 if key == "]" else -1)
            else:
                walk.execute(key)
            assert place(walk)[2:] == expected, key
            walk.undo()
        with pytest.raises(LayerError, match="number "):
            walk.execute("0")

    def test_a_typed_clock_changes_the_result_until_75_moves_end_the_game(self, walk: AnyWalk) -> None:
        walk.execute("clock 40")
        assert walk.position.halfmove_clock == 40 and walk.probe.clock == 40
        walk.execute("clock 150")
        assert walk.probe.is_ended_by_limit and words.result(walk.probe, walk.rules) == ("draw", "draw")
        with pytest.raises(LayerError, match="75-move rule"):
            walk.play(next(iter(walk.position.legal_moves)))
        with pytest.raises(LayerError, match="the game is over here"):
            walk.play_best()

    def test_of_equally_fast_moves_one_that_keeps_the_win_is_played(self, walk: AnyWalk) -> None:
        walk.begin("8/K6k/1P6/8/8/8/8/8 w - - 97 1")
        walk.judge.probe(walk.position)
        assert walk.probe.by_depth[0].san == "Kb7"
        walk.play_best()
        assert walk.step.move == chess.Move.from_uci("b6b7")

    def test_layers_are_walked_by_dtz(self, walk: AnyWalk) -> None:
        walk.begin("8/8/8/8/2p5/4k3/8/K2Q4 w - - 0 1")
        assert walk.switch_metric() is None and walk.metric == "dtz" and walk.rates_by_dtz
        walk.execute("S1")
        assert walk.position.turn == chess.WHITE and words.crumbs(walk)[2] == "DTZ S1"
        walk.step_position(-1)
        found = walk.location.place
        assert found is not None and found.number == found.total and walk.position.turn == chess.BLACK
        assert walk.switch_metric() is None and walk.metric == "dtm"

    def test_a_missing_metric_is_offered(self, library: Library, tmp_path: Path) -> None:
        walk: AnyWalk = Walk(AppContext(library.root), "chess")
        walk.begin("KQvKR")
        assert walk.switch_metric() == "dtz" and walk.metric == "dtm"
        walk.begin("8/8/8/4k3/8/8/8/4K3 w - - 0 1")
        with pytest.raises(LayerError, match="no table has the DTZ of this position"):
            walk.switch_metric()
        with pytest.raises(LayerError, match="two bare kings are a draw"):
            walk.next_family()

    def test_an_ending_with_only_dtz_is_opened_by_dtz(self, dtz_library: Library, tmp_path: Path) -> None:
        tables = tmp_path / "zeroing" / "tables"
        tables.mkdir(parents=True)
        for path in dtz_library.directory.glob("*.dtz.egt"):
            (tables / path.name).symlink_to(path)
        walk: AnyWalk = Walk(AppContext(tables.parent), "chess")
        walk.begin("KQvKR")
        assert walk.metric == "dtz" and place(walk)[:2] == ("KQvKR", "white")
        walk.judge.probe(walk.position)
        assert walk.ending_to_offer is None and walk.moves
        walk.play_best()

    def test_a_missing_table_is_offered(self, tmp_path: Path) -> None:
        walk: AnyWalk = Walk(AppContext(tmp_path / "none"), "chess")
        walk.begin("8/8/8/8/3k4/7r/7Q/K7 w - - 0 1")
        walk.judge.probe(walk.position)
        assert walk.ending_to_offer == "KQvKR" and words.reason(walk).sentence == press_to_build("KQvKR")
        with pytest.raises(NotBuiltError):
            walk.play_best()


class TestMorris:
    @pytest.fixture
    def game(self) -> str:
        return "morris"

    def test_both_sides_to_move_in_one_family(self, walk: AnyWalk) -> None:
        """A family has the winner to move in odd layers and the loser in even ones."""
        walk.begin(MILL)
        walk.step_layer(-1)
        assert place(walk)[:3] == ("3-4", "white", 24) and walk.position.turn == 1
        rows = words.layers(walk).rows
        assert len(rows) == 34 and (rows[25].boards, rows[25].unique) == (620_136, 38_855)
        assert (rows[24].boards, rows[24].unique) == (32, 3)

    def test_no_table_covers_stones_in_hand(self, walk: AnyWalk) -> None:
        walk.begin("8/8/8 w 9-9")
        assert words.crumbs(walk) == ("placing",) and words.headline(walk.probe, walk.rules).mover == "White to place"
        assert (
            words.reason(walk).sentence
            == "Tables do not cover positions with stones in hand; play plays on against the search."
        )
        assert words.layers(walk).notice == ("only after the placing phase",)

    def test_the_mill_is_named(self, walk: AnyWalk) -> None:
        walk.begin(MILL)
        said = words.reason(walk, wide=True)
        assert (said.heading, said.sentence) == (
            "S25 → S24",
            "1 of 54 moves is fastest: close c3-d3-e3 and take d6. If you take a different stone, Black "
            "wins in 3 plies.",
        )

    def test_the_stones_that_may_be_taken_are_rated(self, walk: AnyWalk) -> None:
        walk.begin(MILL)
        closing = [m for m in walk.rules.moves(walk.position) if walk.rules.san(walk.position, m)[:5] == "c4-e3"]
        told = words.takes(walk.probe, "c4-e3", sorted(move.captured[0] for move in closing))
        assert (told[0][1], told[0][2].title) == ("d6", "S24")
        assert {(name, worth.title) for _, name, worth in told[1:]} == {("a1", "S3"), ("c5", "S3"), ("f2", "S3")}
        assert told[0][2].note == "the only best move" and told[1][2].note == "loses"

    def test_play_to_the_end_says_who_has_lost(self, walk: AnyWalk) -> None:
        while walk.play_on():
            pass
        assert words.reason(walk).sentence.startswith("Black has lost: ")
        assert words.result(walk.probe, walk.rules) == ("has lost", "loss")


@both
def test_an_empty_text_is_refused(walk: AnyWalk, game: str) -> None:
    with pytest.raises(PositionError):
        walk.execute("")
