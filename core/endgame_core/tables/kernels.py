"""What the kernels of all games have in common: lines of words, packed frames, and the threads that run them.

A line, eight uint64 words, is one numba value; so are bytes, 64 at a time. Numba has no vector type. This module gives
it one (LLVM's ``<8 x i64>``, which becomes one 512-bit register or two or four smaller ones, as the machine has them),
with the few operations that the kernels use. Array arguments are C-contiguous, and flat but for a few; indices count
elements and are not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import njit
from numba.core import cgutils, types
from numba.core.extending import intrinsic, lower_builtin, models, register_model, type_callable

from endgame_core.values import DRAW

_WITHIN: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""What kernels alone call needs no entrance for Python: to make these took a quarter of the time of compiling."""


def _by_types(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compiles a function once for the types of its arguments; numba would do so for each number written in a call."""

    def compiled(function: Callable[..., Any]) -> Any:
        made: Any = njit(**options)(function)
        template = made.get_call_template

        def plain(args: Iterable[Any], named: Mapping[str, Any]) -> Any:
            return template(tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in named.items()})

        made.get_call_template = plain
        return made

    return compiled


inner = _by_types(**_WITHIN)
"""Compiles a function for use by kernels; Python cannot call it."""
always = _by_types(forceinline=True, **_WITHIN)
"""The same, and puts it wherever it is called, however large that makes what calls it."""
kernel = njit(_nrt=False, nogil=True, cache=True)
"""Compiles a kernel: a function called from Python, without the GIL, kept on disk.

Both work without numba's reference counts: arrays are only borrowed, and nothing is allocated. With them, two thirds of
the time went into counting (an atomic add whenever a field of a tuple of arrays is used).
"""

_U64 = types.uint64
_I64 = ir.IntType(64)
_LINE = ir.VectorType(_I64, 8)
_BYTES = ir.VectorType(ir.IntType(8), 64)
_BITS = ir.VectorType(ir.IntType(1), 64)


class LineType(types.Type):
    """Numba type of a line."""

    def __init__(self) -> None:
        super().__init__(name="Line")


line_type = LineType()


@register_model(LineType)
class _LineModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LINE)


def _binary(op: Any, emit: str) -> None:
    @type_callable(op)
    def typer(context: Any) -> Any:
        def check(a: Any, b: Any) -> Any:
            return line_type if isinstance(a, LineType) and isinstance(b, LineType) else None

        return check

    @lower_builtin(op, LineType, LineType)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, emit)(args[0], args[1])


_binary(operator.and_, "and_")
_binary(operator.or_, "or_")
_binary(operator.xor, "xor")


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


def _function(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    """One of LLVM's own functions."""
    kind = ir.FunctionType(result, args)
    return builder.module.globals.get(name) or ir.Function(builder.module, kind, name)


def _splat(builder: Any, value: Any, vector: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


@intrinsic
def load(ctx: Any, array: Any, index: Any) -> Any:
    """The line that starts at ``array[index]``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, sig.args[0], *args, _LINE), align=8)

    return line_type(array, types.int64), emit


@intrinsic
def store(ctx: Any, array: Any, index: Any, line: Any) -> Any:
    """Writes a line to ``array[index:index + 8]``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], _LINE)
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, line_type), emit


@intrinsic
def ask_for(ctx: Any, array: Any, index: Any) -> Any:
    """Lets the line at ``array[index]`` come from memory while something else is done."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(_pointer(context, builder, sig.args[0], *args, _LINE), byte)
        fetch = _function(builder, "llvm.prefetch.p0", ir.VoidType(), [byte, number, number, number])
        builder.call(fetch, [pointer, *(ir.Constant(number, some) for some in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), emit


@intrinsic
def splat(ctx: Any, word: Any) -> Any:
    """A line of eight equal words."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, args[0], _LINE)

    return line_type(_U64), emit


@intrinsic
def without(ctx: Any, a: Any, b: Any) -> Any:
    """``a & ~b``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.not_(args[1]))

    return line_type(line_type, line_type), emit


def _shift(name: str) -> Any:
    @intrinsic
    def shift(ctx: Any, line: Any, by: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return getattr(builder, name)(args[0], _splat(builder, args[1], _LINE))

        return line_type(line_type, _U64), emit

    return shift


up = _shift("shl")
"""Shifts all eight words left."""
down = _shift("lshr")
"""Shifts all eight words right."""


def _lane_shift(mask: list[int]) -> Any:
    @intrinsic
    def shift(ctx: Any, line: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            order = ir.Constant(ir.VectorType(ir.IntType(32), 8), mask)
            return builder.shuffle_vector(args[0], ir.Constant(_LINE, None), order)

        return line_type(line_type), emit

    return shift


lanes_up = _lane_shift([8, 0, 1, 2, 3, 4, 5, 6])
"""Moves each word one place on, the last one out and a zero in."""
lanes_down = _lane_shift([1, 2, 3, 4, 5, 6, 7, 8])
"""Moves each word one place back, the first one out and a zero in."""


@intrinsic
def swap_ranks(ctx: Any, line: Any) -> Any:
    """Mirrors each word's bits top to bottom (a byte swap)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.call(_function(builder, "llvm.bswap.v8i64", _LINE, [_LINE]), args)

    return line_type(line_type), emit


@intrinsic
def some(ctx: Any, line: Any) -> Any:
    """Whether any bit of a line is set."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        flags = builder.icmp_unsigned("!=", args[0], ir.Constant(_LINE, None))
        return builder.icmp_unsigned("!=", builder.bitcast(flags, ir.IntType(8)), ir.Constant(ir.IntType(8), 0))

    return types.boolean(line_type), emit


@intrinsic
def lanes(ctx: Any, bits: Any) -> Any:
    """A line with all ones in the words named by the low eight bits, zeros elsewhere."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        eight = builder.trunc(args[0], ir.IntType(8))
        return builder.sext(builder.bitcast(eight, ir.VectorType(ir.IntType(1), 8)), _LINE)

    return line_type(_U64), emit


@intrinsic
def gather(ctx: Any, array: Any, base: Any, places: Any, first: Any) -> Any:
    """The words ``array[base + places[first + j]]`` for j = 0..7 (``places`` is an int64 array)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        line = ir.Constant(_LINE, ir.Undefined)
        for j in range(8):
            at = builder.add(args[3], ir.Constant(_I64, j))
            place = builder.load(_pointer(context, builder, sig.args[2], args[2], at, _I64))
            index = builder.add(args[1], place)
            word = builder.load(_pointer(context, builder, sig.args[0], args[0], index, _I64))
            line = builder.insert_element(line, word, ir.Constant(ir.IntType(32), j))
        return line

    return line_type(array, types.int64, places, types.int64), emit


@intrinsic
def ctz(ctx: Any, word: Any) -> Any:
    """Index of the lowest bit set (64 when there is none)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(_U64), emit


@intrinsic
def swap_bytes(ctx: Any, word: Any) -> Any:
    """Mirrors one word's bits top to bottom."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return _U64(_U64), emit


@intrinsic
def popcount(ctx: Any, word: Any) -> Any:
    """Number of bits set."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(_U64), emit


@intrinsic
def count(ctx: Any, line: Any) -> Any:
    """Number of bits set in a line."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        each = _function(builder, "llvm.ctpop.v8i64", _LINE, [_LINE])
        total = _function(builder, "llvm.vector.reduce.add.v8i64", _I64, [_LINE])
        return builder.call(total, [builder.call(each, args)])

    return types.int64(line_type), emit


@intrinsic
def word(ctx: Any, line: Any, j: Any) -> Any:
    """The j-th word of a line."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(*args)

    return _U64(line_type, types.int64), emit


@intrinsic
def same(ctx: Any, line: Any, byte: Any) -> Any:
    """Which of the 64 bytes of a line are this one, as bits."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        flags = builder.icmp_unsigned("==", builder.bitcast(args[0], _BYTES), _all(builder, args[1], _BYTES))
        return builder.bitcast(flags, _I64)

    return _U64(line_type, types.int64), emit


_SQUEEZES = bool(binding.get_host_cpu_features().get("avx512vbmi2"))
"""Whether the machine can squeeze bytes; elsewhere LLVM would ask for each of 64 whether it is to be moved."""


def _squeezed(number: int, value_type: Any) -> tuple[Any, Any]:
    """What squeezes some of so many bytes of a value into an array, and what spreads them out again."""
    byte, bit = ir.IntType(8), ir.IntType(1)
    vector, flags = ir.VectorType(byte, number), ir.VectorType(bit, number)

    def given(context: Any, builder: Any, sig: Any, args: Any, bits: Any) -> tuple[Any, Any, Any]:
        """Where the array's bytes begin, and which of the value are meant, as bits and as flags."""
        some = builder.and_(bits, ir.Constant(_I64, (1 << number) - 1))
        each = builder.bitcast(builder.trunc(some, ir.IntType(number)), flags)
        return _pointer(context, builder, sig.args[0], *args[:2], byte), some, each

    def one_by_one(builder: Any, some: Any, value: Any, move: Callable[[Any, Any], None]) -> Any:
        """Moves bytes; ``move`` is given where each stands in the value, and its place among them."""
        held, left = cgutils.alloca_once_value(builder, value), cgutils.alloca_once_value(builder, some)
        base = builder.bitcast(held, byte.as_pointer())
        with cgutils.for_range(builder, builder.ctpop(some)) as loop:
            now = builder.load(left)
            move(builder.gep(base, [builder.cttz(now, ir.Constant(bit, 1))]), loop.index)
            builder.store(builder.and_(now, builder.sub(now, ir.Constant(_I64, 1))), left)
        return builder.load(held)

    @intrinsic
    def squeeze(ctx: Any, array: Any, index: Any, value: Any, bits: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            to, some, each = given(context, builder, sig, args, args[3])
            if _SQUEEZES:
                name, void = f"llvm.masked.compressstore.v{number}i8", ir.VoidType()
                write = _function(builder, name, void, [vector, to.type, flags])
                builder.call(write, [builder.bitcast(args[2], vector), to, each])
            else:
                one_by_one(builder, some, args[2], lambda at, i: builder.store(builder.load(at), builder.gep(to, [i])))
            return context.get_dummy_value()

        return types.void(array, types.int64, value_type, _U64), emit

    @intrinsic
    def spread(ctx: Any, array: Any, index: Any, bits: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            source, some, each = given(context, builder, sig, args, args[2])
            nothing = ir.Constant(context.get_value_type(value_type), None)
            if not _SQUEEZES:
                return one_by_one(
                    builder, some, nothing, lambda at, i: builder.store(builder.load(builder.gep(source, [i])), at)
                )
            name = f"llvm.masked.expandload.v{number}i8"
            read = _function(builder, name, vector, [source.type, flags, vector])
            return builder.bitcast(builder.call(read, [source, each, ir.Constant(vector, None)]), nothing.type)

        return value_type(array, types.int64, _U64), emit

    return squeeze, spread


squeeze, spread = _squeezed(64, line_type)
"""``squeeze(array, index, line, bits)`` writes those bytes of a line that ``bits`` name, one behind the other;
``spread(array, index, bits)`` is the line with these bytes in these places, and 0 in all others."""
squeeze_word, spread_word = _squeezed(8, _U64)
"""The same with the eight bytes of a word."""


@intrinsic
def next_task(ctx: Any, counter: Any) -> Any:
    """Adds one to ``counter[0]`` atomically and returns the value before."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], ir.Constant(_I64, 0), _I64)
        return builder.atomic_rmw("add", pointer, ir.Constant(_I64, 1), "seq_cst")

    return types.int64(counter), emit


@intrinsic
def element(ctx: Any, array: Any, index: Any) -> Any:
    """``array[index]``, an integer, without numba's look at whether the index is negative."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, value=args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), emit


@intrinsic
def byte_at(ctx: Any, address: Any) -> Any:
    """The byte at an address: one of many arrays, chosen while the kernel runs, which numba's tuples do not allow."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(8).as_pointer()))

    return types.uint8(types.int64), emit


@intrinsic
def short_at(ctx: Any, address: Any) -> Any:
    """The 16 bits at an address."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(16).as_pointer()), align=2)

    return types.uint16(types.int64), emit


@intrinsic
def word_at(ctx: Any, address: Any) -> Any:
    """The 64 bits at an address."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), align=8)

    return types.uint64(types.int64), emit


@intrinsic
def is_results(ctx: Any, array: Any) -> Any:
    """Whether an array is of words, which tell results, not of bytes or codes; known when a kernel is compiled."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(1), int(sig.args[0].dtype.bitwidth > 16))

    return types.boolean(array), emit


@intrinsic
def is_wide(ctx: Any, array: Any) -> Any:
    """Whether an array is of codes, not of bytes; known when a kernel is compiled."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(1), int(sig.args[0].dtype.bitwidth > 8))

    return types.boolean(array), emit


@intrinsic
def add_bits(ctx: Any, array: Any, index: Any, bits: Any) -> Any:
    """Sets bits of ``array[index]``, whatever other threads set there at the same time."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], _I64)
        builder.atomic_rmw("or", pointer, args[2], "seq_cst")
        return context.get_dummy_value()

    return types.void(array, types.int64, _U64), emit


def _elements(array_type: Any) -> ir.VectorType:
    """64 elements of an array, of 8 or 16 bits."""
    return ir.VectorType(ir.IntType(array_type.dtype.bitwidth), 64)


def _all(builder: Any, value: Any, vector: ir.VectorType) -> Any:
    """64 times the low bits of an int64."""
    return _splat(builder, builder.trunc(value, vector.element), vector)


def _compare(sign: str) -> Any:
    @intrinsic
    def compare(ctx: Any, array: Any, index: Any, code: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _elements(sig.args[0])
            have = builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], vector), align=1)
            flags = builder.icmp_unsigned(sign, have, _all(builder, args[2], vector))
            return builder.bitcast(flags, _I64)

        return _U64(array, types.int64, types.int64), emit

    return compare


bytes_equal = _compare("==")
"""Which of ``array[index:index + 64]`` equal ``code``, as bits.

Here, as below, an array is of bytes or of codes; of a value as many low bits count as an element has.
"""
bytes_above = _compare(">")
"""Which of ``array[index:index + 64]`` exceed ``code``, as bits."""


@intrinsic
def bytes_within(ctx: Any, array: Any, index: Any, least: Any, span: Any) -> Any:
    """Which of ``array[index:index + 64]`` are from ``least`` to ``least + span``, as bits."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        have = builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], vector), align=1)
        over = builder.sub(have, _all(builder, args[2], vector))
        return builder.bitcast(builder.icmp_unsigned("<=", over, _all(builder, args[3], vector)), _I64)

    return _U64(array, types.int64, types.int64, types.int64), emit


@intrinsic
def bytes_set(ctx: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:
    """Writes ``code`` to those of ``array[index:index + 64]`` that ``bits`` name."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        have = builder.load(pointer, align=1)
        mask = builder.bitcast(args[2], _BITS)
        new = builder.select(mask, _all(builder, args[3], vector), have)
        builder.store(new, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, _U64, types.int64), emit


def _raise(builder: Any, pointer: Any, offer: Any, bits: Any) -> None:
    have = builder.load(pointer, align=1)
    offer = builder.select(builder.bitcast(bits, _BITS), offer, ir.Constant(offer.type, None))
    better = builder.icmp_unsigned(">", offer, have)
    builder.store(builder.select(better, offer, have), pointer, align=1)


@intrinsic
def bytes_raise(ctx: Any, array: Any, index: Any, other: Any, at: Any, bits: Any) -> Any:
    """Raises the elements that ``bits`` name to at least ``other[at:at + 64]``, an array of the same type."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        source = _pointer(context, builder, sig.args[2], args[2], args[3], vector)
        _raise(builder, pointer, builder.load(source, align=1), args[4])
        return context.get_dummy_value()

    return types.void(array, types.int64, array, types.int64, _U64), emit


@intrinsic
def bytes_raise_to(ctx: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:
    """Raises the elements that ``bits`` name to at least ``code``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        _raise(builder, pointer, _all(builder, args[3], vector), args[2])
        return context.get_dummy_value()

    return types.void(array, types.int64, _U64, types.int64), emit


_MIRRORED = ir.Constant(ir.VectorType(ir.IntType(32), 64), [i ^ 7 for i in range(64)])


def _image(context: Any, builder: Any, array_type: Any, array: Any, index: Any, mirrored: Any) -> Any:
    """64 elements, their files mirrored when ``mirrored`` is 1."""
    vector = _elements(array_type)
    plain = builder.load(_pointer(context, builder, array_type, array, index, vector), align=1)
    image = builder.shuffle_vector(plain, ir.Constant(vector, ir.Undefined), _MIRRORED)
    return builder.select(builder.trunc(mirrored, ir.IntType(1)), image, plain)


@intrinsic
def bytes_raise_image(ctx: Any, array: Any, index: Any, other: Any, at: Any, mirrored: Any, bits: Any) -> Any:
    """Raises the elements that ``bits`` name to at least ``other[at:at + 64]``, mirrored by file if ``mirrored``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], _elements(sig.args[0]))
        _raise(builder, pointer, _image(context, builder, sig.args[2], *args[2:5]), args[5])
        return context.get_dummy_value()

    return types.void(array, types.int64, array, types.int64, types.int64, _U64), emit


def _turn_dtm(builder: Any, codes: Any, draw: Any, worth: ir.VectorType) -> Any:
    """The negative of a draw's byte is that byte, but not so of its code.

    Only by DTZ are codes turned into bytes, where this is compiled, but not run.
    """
    draws = _all(builder, draw, codes.type)
    lost = builder.icmp_unsigned("<", codes, draws)
    turned = builder.select(lost, builder.not_(codes), builder.neg(codes))
    if codes.type.element.width == 8:
        return turned
    turned = builder.select(builder.icmp_unsigned("==", codes, draws), draws, turned)
    return turned if worth == codes.type else builder.trunc(turned, worth)


def _turn_dtz(builder: Any, codes: Any, draw: Any, worth: ir.VectorType) -> Any:
    """The 50-move rule lets a loss or win have up to 100 plies; ``metrics.short`` tells how many codes these have."""
    element = codes.type.element
    draw = builder.trunc(draw, element)

    def short(room: Any) -> Any:
        halved = builder.icmp_unsigned("<=", room, ir.Constant(element, 101))
        return builder.select(halved, builder.lshr(room, ir.Constant(element, 1)), ir.Constant(element, 101))

    def constant(code: int) -> Any:
        return ir.Constant(worth, [code & (1 << worth.element.width) - 1] * 64)

    def below(some: Any, most: Any, near: int, far: int) -> Any:
        soon = builder.icmp_unsigned("<", some, _splat(builder, most, codes.type))
        return builder.select(soon, constant(near), constant(far))

    draws = _splat(builder, draw, codes.type)
    lost, won = below(codes, short(draw), 0xFFFF, 0xFFFE), below(builder.neg(codes), short(builder.neg(draw)), 1, 2)
    decided = builder.select(builder.icmp_unsigned("<", codes, draws), lost, won)
    drawn = builder.icmp_unsigned("==", codes, draws)
    return builder.select(drawn, constant(DRAW), decided)


def _raise_before(turn: Callable[[Any, Any, Any, ir.VectorType], Any]) -> Any:
    @intrinsic
    def before(ctx: Any, array: Any, index: Any, other: Any, at: Any, mirrored: Any, bits: Any, draw: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _elements(sig.args[0])
            pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
            codes = _image(context, builder, sig.args[2], *args[2:5])
            _raise(builder, pointer, turn(builder, codes, args[6], vector), args[5])
            return context.get_dummy_value()

        return types.void(array, types.int64, other, types.int64, types.int64, _U64, types.int64), emit

    return before


bytes_raise_dtm = _raise_before(_turn_dtm)
"""The same with the codes of positions after a move, turned into what it is worth by DTM; ``draw`` is a draw's code."""
bytes_raise_dtz = _raise_before(_turn_dtz)
"""The same with a zeroing move, by DTZ, whose worth is one of five codes."""


@njit(nogil=True, cache=True)
def pack(codes, kept, first, sizes, strides, out, counts):
    """Gathers the codes of one frame.

    Args:
        codes: uint8 bytes, or uint16 codes, of one side.
        kept: uint64 bits of its slots.
        first: First slot of the frame.
        sizes: How often each of three nested loops runs, the outermost first.
        strides: Slots from one round to the next.
        out: Room for the frame, of the same type.
        counts: uint32 of 256 or 65536, raised by the number of each.

    Returns:
        How many codes were written.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (kept[slot >> 6] >> (slot & 63)) & 1:
                    code = codes[slot]
                    out[n] = code
                    counts[code] += 1
                    n += 1
    return n


@njit(nogil=True, cache=True)
def unpack(packed, kept, first, sizes, strides, out):
    """Puts the codes of one frame back to their slots in ``out``; arguments as in :func:`pack`.

    Returns:
        How many slots of the frame are kept: as many as there are codes in ``packed``, in a sound table.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (kept[slot >> 6] >> (slot & 63)) & 1:
                    if n < packed.size:
                        out[slot] = packed[n]
                    n += 1
    return n


_LOOK = 0.1
"""Seconds between two looks at the progress of a kernel."""

_NO_MORE = 1 << 62
"""The number of a task that no kernel has."""


class KernelThreads:
    """Runs a kernel on every thread until its tasks are done.

    Args:
        threads: How many, at least 1.
    """

    def __init__(self, threads: int) -> None:
        self.threads = max(1, threads)
        self._pool = ThreadPoolExecutor(self.threads)

    def run(
        self,
        kernel: Callable[..., None],
        *shared: Any,
        own: list[tuple[Any, ...]] | None = None,
        look: Callable[[int], None] | None = None,
    ) -> None:
        """Calls ``kernel(*shared, counter, *own[i])`` on each thread i; ``counter`` deals out its tasks.

        Args:
            kernel: The kernel.
            shared: Its first arguments.
            own: Its last arguments, for each thread its own.
            look: Told now and then how many tasks have been dealt out; what it raises is raised here, once the threads
                have come to the end of the tasks in hand.
        """
        counter = np.zeros(1, np.int64)
        extra = own or [()] * self.threads
        if self.threads == 1 and look is None:
            kernel(*shared, counter, *extra[0])
            return
        work = [self._pool.submit(kernel, *shared, counter, *args) for args in extra]
        try:
            while look is not None and wait(work, timeout=_LOOK).not_done:
                look(int(counter[0]))
        except BaseException:
            counter[0] = _NO_MORE
            wait(work)
            raise
        for done in work:
            done.result()

    def close(self) -> None:
        """Lets the threads go."""
        self._pool.shutdown()
