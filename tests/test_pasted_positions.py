"""Positions as people paste them: links, PGN tags, EPD, broken lines, Sanmill's formats, castling rights."""

from __future__ import annotations

import chess
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.chess.game import CHESS
from endgame_core.chess.spelling import text_of
from endgame_core.cli.main import main
from endgame_core.errors import PositionError
from endgame_core.morris import notation, rules
from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import POINTS
from endgame_core.morris.rules import START, Position
from endgame_core.tables.library import Library
from endgame_core.tasks.play_state import PlayState

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
CLOCKED = "4k3/8/8/8/8/8/4P3/4K3 b - - 12 40"

CHESS_TEXTS = {
    f"https://lichess.org/analysis/standard/{FEN.replace(' ', '_')}": FEN,
    f"https://lichess.org/analysis/{FEN.replace(' ', '_')}?color=black#7": FEN,
    f"https://lichess.org/analysis/fromPosition/{FEN.replace(' ', '_')}": FEN,
    f"https://lichess.org/editor/{CLOCKED.replace(' ', '_')}?variant=standard&color=white": CLOCKED,
    "https://lichess.org/editor/4k3/8/8/8/8/8/4P3/4K3": FEN,
    f"https://syzygy-tables.info/?fen={CLOCKED.replace(' ', '_')}": CLOCKED,
    f"http://syzygy-tables.info/?fen={CLOCKED.replace(' ', '%20')}": CLOCKED,
    f"https://tablebase.lichess.ovh/standard?fen={FEN.replace(' ', '_')}": FEN,
    f"https://www.chess.com/analysis?fen={FEN.replace(' ', '+')}&flip=true": FEN,
    f"https://www.chess.com/analysis?fen={FEN.replace(' ', '%20').replace('/', '%2F')}": FEN,
    f"lichess.org/analysis/standard/{FEN.replace(' ', '_')}": FEN,
    f"  https://lichess.org/analysis/standard/{FEN.replace(' ', '_')}\n": FEN,
    f'[FEN "{FEN}"]': FEN,
    f'[Event "?"]\n[SetUp "1"]\n[FEN "{CLOCKED}"]\n\n*\n': CLOCKED,
    f'[fen "{FEN}"]': FEN,
    f'"{FEN}"': FEN,
    f"“{FEN}”": FEN,
    FEN.replace(" ", "\t"): FEN,
    FEN.replace(" ", "\n", 1): FEN,
    "4k3/8/8/8/\n8/8/4P3/4K3 w - - 0 1": FEN,
    f"FEN: {FEN}": FEN,
    f"position fen {FEN}": FEN,
    '4k3/8/8/8/8/8/4P3/4K3 w - - id "a/b"; bm e4; dm 19;': FEN,
    "4k3/8/8/8/8/8/4P3/4K3 b - - hmvc 12; fmvn 40;": CLOCKED,
    "4k3/8/8/8/8/8/4P3/4K3 b - - hmvc 12; fmvn 40": CLOCKED,
    '4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "a;b"': FEN,
}


class TestChess:
    @pytest.mark.parametrize("text", CHESS_TEXTS)
    def test_each_form_of_a_pasted_position_is_read(self, text: str) -> None:
        assert games.identify(text) == ("chess", "position")
        assert CHESS.parse(text).fen() == CHESS_TEXTS[text]

    @pytest.mark.parametrize(
        "text", ["https://lichess.org/AbCdEfGh", "https://lichess.org/analysis", "[FEN ]", "position fen", "FEN:"]
    )
    def test_text_without_a_position_is_refused(self, text: str) -> None:
        with pytest.raises(PositionError):
            CHESS.parse(text)

    def test_our_own_link_is_read_back(self) -> None:
        board = chess.Board(CLOCKED)
        assert CHESS.parse(CHESS.link(board)) == board

    @given(st.text(max_size=60) | st.text(alphabet='/8kKpP w-_[]":%20httpsfenFEN.', max_size=80))
    @example("https://%zz/8/8/8/8/8/8/8/8")
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        assert isinstance(text_of(text), str)
        for game in (CHESS, MORRIS):
            game.reading_note(text)
            try:
                game.parse(text)
            except PositionError as problem:
                assert "\n" not in str(problem)


class TestCastling:
    @pytest.mark.parametrize(
        ("rights", "ignored"),
        [("KQkq", "KQkq"), ("K", "K"), ("-", ""), ("Qk", "Qk")],
    )
    def test_impossible_castling_rights_are_ignored(self, rights: str, ignored: str) -> None:
        text = FEN.replace(" - - ", f" {rights} - ")
        assert CHESS.parse(text).fen() == FEN
        note = CHESS.reading_note(text)
        assert note == (
            f"castling rights {ignored} were ignored: the king or the rook is not on its home square."
            if ignored
            else ""
        )

    def test_possible_castling_rights_are_preserved(self) -> None:
        text = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1"
        with pytest.raises(PositionError, match="endgame tables do not cover castling rights"):
            CHESS.parse(text)
        assert CHESS.parse_start(text).fen() == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        assert (
            CHESS.reading_note(text)
            == "castling rights Qkq were ignored: the king or the rook is not on its home square."
        )

    @pytest.mark.parametrize("rights", ["X", "KK", "QK", "ha"])
    def test_text_other_than_castling_rights_is_refused(self, rights: str) -> None:
        text = FEN.replace(" - - ", f" {rights} - ")
        with pytest.raises(PositionError, match="the castling rights"):
            CHESS.parse(text)
        assert CHESS.reading_note(text) == ""

    def test_probe_reports_ignored_castling_rights(self, library: Library) -> None:
        result = CliRunner().invoke(main, ["--data-dir", str(library.root), "probe", FEN.replace(" - -", " KQkq -")])
        assert result.exit_code == 0 and "castling rights KQkq were ignored" in result.stderr

    def test_castling_rights_can_be_used_in_a_game(self, library: Library) -> None:
        play: PlayState[chess.Board, chess.Move] = PlayState(AppContext(library.root), "chess")
        play.set_up_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        probe = play.judge.probe(play.setup.position)
        assert probe.verdict is None and "endgame tables do not cover castling rights" in str(probe.problem)
        play.begin()
        assert play.match is not None
        assert play.parse_move("O-O").uci() == "e1g1"


SANMILL = {
    "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1": "8/8/8 w 9-9",
    "********/********/******** b p p 0 9 0 9 0 0 1": "8/8/8 b 9-9",
    "O@O*****/@*****@*/@******* w m s 2 0 4 0 0 0 0 0 0 0 0 0 1": "1X6/1X5X/1OXO4 w",
    "O@O*O***/@*****@*/@******* b m s 4 0 3 0 0 3 9": "1X6/1X5X/1OXO1O2 b",
    '[FEN "O@O*****/@*****@*/@******* w p p 2 3 4 1 0 0 0 0 0 0 0 0 1"]': "1X6/1X5X/1OXO4 w 3-1",
}


class TestSanmill:
    @pytest.mark.parametrize("text", SANMILL)
    def test_a_position_of_sanmill_is_read(self, text: str) -> None:
        assert games.identify(text) == ("morris", "position")
        assert notation.line(MORRIS.parse(text)) == SANMILL[text]

    @pytest.mark.parametrize("at", range(24))
    def test_every_point_is_where_sanmill_has_it(self, at: int) -> None:
        # From the inner ring to the outer one, clockwise from the middle of the top side.
        inner = ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"]
        middle = ["d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"]
        outer = ["d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"]
        names = [*inner, *middle, *outer]
        signs = "".join("O" if i == at else "*" for i in range(24))
        text = f"{signs[:8]}/{signs[8:16]}/{signs[16:]} b p p 1 8 0 9 0 0 0 0 0 0 0 0 1"
        position: Position = MORRIS.parse(text)
        assert position.white == 1 << POINTS.index(names[at]) and position.hands == (8, 9)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (
                "X@O*****/********/******** w m s 1 0 1 0 0 0 1",
                "X marks blocked points, which only a different variant has",
            ),
            ("O@O*****/********/******** w m r 2 0 1 0 1 0 1", "a stone must still be taken"),
            ("O@O*****/********/******** w p p 5 0 1 9 0 0 1", "2 white and 1 black stones are on the board"),
            ("O@O*****/********/******** w p p", "the number of stones in hand is missing"),
            ("O@O*****/********/******** x p p 2 7 1 8 0 0 1", "neither w nor b"),
            ("1. d6 d6", "is not a legal move here"),
            ("1. d6 f4 2. d6 b4", "is not a legal move here"),
        ],
    )
    def test_an_impossible_position_of_sanmill_is_refused(self, text: str, words: str) -> None:
        with pytest.raises(PositionError, match=words):
            MORRIS.parse(text)

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("1. d6 f4", "8/1O1X4/8 w 8-8"),
            ("1. d6 f4 2. d7 b4 3. d5 xf4", "1O6/1O5X/1O6 b 6-7"),
            ("1. d6 f4 2. d7 b4 3. d5xf4 *", "1O6/1O5X/1O6 b 6-7"),
            (
                '[Event "Sanmill"]\n[White "Human"]\n\n 1.    d6    f4\n 2.    d7    b4\n 3.    d5xf4',
                "1O6/1O5X/1O6 b 6-7",
            ),
            ("1. d6 {a comment} f4", "8/1O1X4/8 w 8-8"),
        ],
    )
    def test_a_pasted_game_gives_its_last_position(self, text: str, line: str) -> None:
        assert games.identify(text) == ("morris", "position")
        assert notation.line(MORRIS.parse(text)) == line

    def test_a_pasted_game_may_start_from_any_position(self) -> None:
        start = "O@O*****/@*****@*/@******* w m s 2 0 4 0 0 0 0 0 0 0 0 0 1"
        game = f'[FEN "{start}"]\n[SetUp "1"]\n\n1. e5-e4 d7-g7'
        with pytest.raises(PositionError, match="fewer than three"):
            MORRIS.parse(game)
        start = "O@O*O***/@*****@*/@******* w m s 3 0 4 0 0 0 0 0 0 0 0 0 1"
        game = f'[FEN "{start}"]\n[SetUp "1"]\n\n1. e4-g1 d7-g7'
        assert notation.line(MORRIS.parse(game)) == "2X1O3/1X5X/1OX2O2 w"

    @given(st.integers(0, 2**32))
    def test_random_games_are_read_back(self, seed: int) -> None:
        """Positions of random play, written as Sanmill does, are read as they were."""
        position = START
        for _ in range(seed % 40):
            moves = rules.moves(position)
            if not moves:
                break
            position = rules.play(position, moves[seed % len(moves)])
            seed //= 2
        if rules.total(position, 1 - position.turn) < 3:
            return
        assert MORRIS.parse(_sanmill(position)) == position


def _sanmill(position: Position) -> str:
    """A position as Sanmill writes it."""
    signs = ["O" if position.white >> n & 1 else "@" if position.black >> n & 1 else "*" for n in range(24)]
    rings = ["".join(signs[8 * ring + (cell + 1) % 8] for cell in range(8)) for ring in (2, 1, 0)]
    phase, action = ("p", "p") if any(position.hands) else ("m", "s")
    counts = f"{position.white.bit_count()} {position.hands[0]} {position.black.bit_count()} {position.hands[1]}"
    return f"{'/'.join(rings)} {'wb'[position.turn]} {phase} {action} {counts} 0 0 0 0 0 0 0 0 1"
