"""Common parts of the kernels of all games: lines of words, packed frames, and the threads that run kernels.

A line, eight uint64 words, is one numba value; so are 64 bytes. Numba has no vector type. This module adds one (LLVM's
``<8 x i64>``, which becomes one 512-bit register, or two or four smaller ones, depending on the machine), with the few
operations that the kernels use. Array arguments are C-contiguous, and flat but for a few; indices count elements and
are not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import njit
from numba.core import cgutils, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.extending import intrinsic, lower_builtin, models, register_model, type_callable
from numba.core.typed_passes import NativeLowering

from endgame_core.system import lock_file
from endgame_core.values import DRAW


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    """Lowers a function that only kernels call.

    Numba would optimize it, and compile it to machine code that is never called: the kernel that it is linked into is
    optimized and turned into machine code as a whole.
    """

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function. Numba keys functions by their entry points, here by a new built-in method."""
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library.enable_object_caching()
        library._optimize_final_module = _nothing
        library._finalize_final_module = partial(_finish, library)
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        # Any new built-in method will do: that of a list of its own is equal to that of no other list.
        lowered = state.cr._replace(cfunc=[].append)
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state.cr = lowered
        return True


def _nothing() -> None:
    """Optimize nothing."""


def _finish(library: Any) -> None:
    """End a library that is only linked into others."""
    library._finalize_dynamic_globals()
    library._finalized = True


class _InnerCompiler(CompilerBase):
    """Compiles a function that only kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, but for the last one."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_InnerLowering if each is NativeLowering else each, text) for each, text in passes.passes]
        passes.finalize()
        return [passes]


_NO_WRAPPERS: dict[str, Any] = {
    "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _InnerCompiler,
}  # fmt: skip
"""Functions that only kernels call need no wrappers for Python, which took a quarter of the compilation time."""


def _by_types(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function once for the types of its arguments.

    Numba would compile it again for each literal number in a call, because the type of a literal contains its value.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher: Any = njit(**options)(function)
        template_for = dispatcher.get_call_template

        def without_literals(args: Iterable[Any], keywords: Mapping[str, Any]) -> Any:
            return template_for(tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in keywords.items()})

        dispatcher.get_call_template = without_literals
        return dispatcher

    return decorate


inner = _by_types(**_NO_WRAPPERS)
"""Compile a function for use by kernels; Python cannot call it."""
always = _by_types(forceinline=True, **_NO_WRAPPERS)
"""Compile a function and inline it in all its callers, however large they become."""


def _cached(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function which Python calls, without the GIL, and caches it on disk.

    Numba saves the code of a function for other arguments beside it, after it has read the list of what is there. Two
    processes that did so at once would name different code the same, so each locks the directory meanwhile.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher: Any = njit(nogil=True, cache=True, **options)(function)
        cache = dispatcher._cache
        save = cache.save_overload

        def save_locked(signature: Any, result: Any) -> None:
            directory = Path(cache.cache_path)
            with suppress(OSError):  # as numba does, where nothing can be written
                directory.mkdir(parents=True, exist_ok=True)
                with (directory / ".saving").open("wb") as file:
                    lock_file(file, wait=True)
                    save(signature, result)

        cache.save_overload = save_locked
        return dispatcher

    return decorate


kernel = _cached(_nrt=False)
"""Compile a kernel: a function called from Python, without the GIL, cached on disk.

All of them work without numba's reference counts: arrays are only borrowed, and nothing is allocated. With them, two
thirds of the time went into counting (an atomic add whenever a field of a tuple of arrays is used).
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
    """An intrinsic function of LLVM."""
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
        # A line may begin at any word, so only words are aligned.
        return builder.load(_pointer(context, builder, sig.args[0], *args, _LINE), align=8)

    return line_type(array, types.int64), emit


@intrinsic
def store(ctx: Any, array: Any, index: Any, line: Any) -> Any:
    """Write a line to ``array[index:index + 8]``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], _LINE)
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, line_type), emit


@intrinsic
def prefetch(ctx: Any, array: Any, index: Any) -> Any:
    """Prefetch the line at ``array[index]`` into the caches."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(_pointer(context, builder, sig.args[0], *args, _LINE), byte)
        fetch = _function(builder, "llvm.prefetch.p0", ir.VoidType(), [byte, number, number, number])
        # To be read (0), with high locality (3), from the data cache (1).
        builder.call(fetch, [pointer, *(ir.Constant(number, option) for option in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), emit


@intrinsic
def splat(ctx: Any, word: Any) -> Any:
    """A line of eight equal words."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, args[0], _LINE)

    return line_type(_U64), emit


@intrinsic
def and_not(ctx: Any, a: Any, b: Any) -> Any:
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
"""Shift all eight words left."""
down = _shift("lshr")
"""Shift all eight words right."""


def _lane_shift(mask: list[int]) -> Any:
    @intrinsic
    def shift(ctx: Any, line: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            order = ir.Constant(ir.VectorType(ir.IntType(32), 8), mask)
            return builder.shuffle_vector(args[0], ir.Constant(_LINE, None), order)

        return line_type(line_type), emit

    return shift


lanes_up = _lane_shift([8, 0, 1, 2, 3, 4, 5, 6])
"""Move each word to the next lane; the last one drops out, and the first lane gets 0."""
lanes_down = _lane_shift([1, 2, 3, 4, 5, 6, 7, 8])
"""Move each word to the previous lane; the first one drops out, and the last lane gets 0."""


@intrinsic
def swap_ranks(ctx: Any, line: Any) -> Any:
    """Mirror the board of each word top to bottom (a byte swap)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.call(_function(builder, "llvm.bswap.v8i64", _LINE, [_LINE]), args)

    return line_type(line_type), emit


@intrinsic
def has_bits(ctx: Any, line: Any) -> Any:
    """Whether any bit of a line is set."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        flags = builder.icmp_unsigned("!=", args[0], ir.Constant(_LINE, None))
        # The flags of the eight words are one byte.
        return builder.icmp_unsigned("!=", builder.bitcast(flags, ir.IntType(8)), ir.Constant(ir.IntType(8), 0))

    return types.boolean(line_type), emit


@intrinsic
def lanes(ctx: Any, bits: Any) -> Any:
    """A line with all ones in the words that the low eight bits select, zeros elsewhere."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        eight = builder.trunc(args[0], ir.IntType(8))
        # One bit extended by its sign becomes 64 equal bits.
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
    """Index of the lowest set bit (64 if there is none)."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        # 0: the result is defined for the word 0, too.
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(_U64), emit


@intrinsic
def swap_bytes(ctx: Any, word: Any) -> Any:
    """Mirror the board of one word top to bottom."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return _U64(_U64), emit


@intrinsic
def popcount(ctx: Any, word: Any) -> Any:
    """Number of set bits."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(_U64), emit


@intrinsic
def count(ctx: Any, line: Any) -> Any:
    """Number of set bits in a line."""

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
def equal_bytes(ctx: Any, line: Any, byte: Any) -> Any:
    """Which of the 64 bytes of a line are equal to ``byte``, as bits."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        flags = builder.icmp_unsigned("==", builder.bitcast(args[0], _BYTES), _all(builder, args[1], _BYTES))
        return builder.bitcast(flags, _I64)

    return _U64(line_type, types.int64), emit


_SQUEEZES = bool(binding.get_host_cpu_features().get("avx512vbmi2"))
"""Whether the machine has an instruction that compresses bytes; else LLVM would test each of 64 bytes by itself."""


def _squeezed(number: int, value_type: Any) -> tuple[Any, Any]:
    """The intrinsics ``squeeze`` and ``spread`` for values of ``number`` bytes."""
    byte = ir.IntType(8)
    bit = ir.IntType(1)
    vector = ir.VectorType(byte, number)
    flags = ir.VectorType(bit, number)

    def prepare(context: Any, builder: Any, sig: Any, args: Any, bits: Any) -> tuple[Any, Any, Any]:
        """A pointer to the array's bytes, and which bytes of the value are selected, as bits and as flags."""
        selected = builder.and_(bits, ir.Constant(_I64, (1 << number) - 1))
        selected_flags = builder.bitcast(builder.trunc(selected, ir.IntType(number)), flags)
        return _pointer(context, builder, sig.args[0], *args[:2], byte), selected, selected_flags

    def one_by_one(builder: Any, selected: Any, value: Any, move: Callable[[Any, Any], None]) -> Any:
        """Move the selected bytes in a loop; ``move`` gets a pointer into the value, and the rank of the byte."""
        value_slot = cgutils.alloca_once_value(builder, value)
        remaining_slot = cgutils.alloca_once_value(builder, selected)
        base = builder.bitcast(value_slot, byte.as_pointer())
        with cgutils.for_range(builder, builder.ctpop(selected)) as loop:
            remaining = builder.load(remaining_slot)
            # 1: there is a bit, which spares the processor a test.
            move(builder.gep(base, [builder.cttz(remaining, ir.Constant(bit, 1))]), loop.index)
            # x & (x - 1) clears the lowest bit.
            builder.store(builder.and_(remaining, builder.sub(remaining, ir.Constant(_I64, 1))), remaining_slot)
        return builder.load(value_slot)

    @intrinsic
    def squeeze(ctx: Any, array: Any, index: Any, value: Any, bits: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            target, selected, selected_flags = prepare(context, builder, sig, args, args[3])
            if _SQUEEZES:
                name = f"llvm.masked.compressstore.v{number}i8"
                write = _function(builder, name, ir.VoidType(), [vector, target.type, flags])
                builder.call(write, [builder.bitcast(args[2], vector), target, selected_flags])
            else:
                one_by_one(
                    builder,
                    selected,
                    args[2],
                    lambda at, i: builder.store(builder.load(at), builder.gep(target, [i])),
                )
            return context.get_dummy_value()

        return types.void(array, types.int64, value_type, _U64), emit

    @intrinsic
    def spread(ctx: Any, array: Any, index: Any, bits: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            source, selected, selected_flags = prepare(context, builder, sig, args, args[2])
            zero = ir.Constant(context.get_value_type(value_type), None)
            if not _SQUEEZES:
                return one_by_one(
                    builder,
                    selected,
                    zero,
                    lambda at, i: builder.store(builder.load(builder.gep(source, [i])), at),
                )
            name = f"llvm.masked.expandload.v{number}i8"
            read = _function(builder, name, vector, [source.type, flags, vector])
            result = builder.call(read, [source, selected_flags, ir.Constant(vector, None)])
            return builder.bitcast(result, zero.type)

        return value_type(array, types.int64, _U64), emit

    return squeeze, spread


squeeze, spread = _squeezed(64, line_type)
"""``squeeze(array, index, line, bits)`` writes the bytes of a line that ``bits`` select, one after the other;
``spread(array, index, bits)`` is the line with these bytes in the selected places, and 0 in all others.

E.g. with ``bits`` 0b1010, ``squeeze`` writes the bytes 1 and 3 of the line to ``array[index]`` and
``array[index + 1]``; with the same bits ``spread`` puts them back."""
squeeze_word, spread_word = _squeezed(8, _U64)
"""The same with the eight bytes of a word."""


@intrinsic
def next_task(ctx: Any, counter: Any) -> Any:
    """Add one to ``counter[0]`` atomically and return the value before."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], ir.Constant(_I64, 0), _I64)
        return builder.atomic_rmw("add", pointer, ir.Constant(_I64, 1), "seq_cst")

    return types.int64(counter), emit


@intrinsic
def element(ctx: Any, array: Any, index: Any) -> Any:
    """``array[index]``, an integer, without numba's check for a negative index."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, value=args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), emit


@intrinsic
def byte_at(ctx: Any, address: Any) -> Any:
    """The byte at an address.

    So a kernel can choose one of many arrays while it runs, which numba's tuples do not allow.
    """

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
    """Whether an array is of words, which hold results, not of bytes or codes; a constant when a kernel is compiled."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(1), int(sig.args[0].dtype.bitwidth > 16))

    return types.boolean(array), emit


@intrinsic
def is_wide(ctx: Any, array: Any) -> Any:
    """Whether an array is of codes, not of bytes; a constant when a kernel is compiled."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(1), int(sig.args[0].dtype.bitwidth > 8))

    return types.boolean(array), emit


@intrinsic
def add_bits(ctx: Any, array: Any, index: Any, bits: Any) -> Any:
    """Set bits of ``array[index]`` atomically."""

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
            elements = builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], vector), align=1)
            flags = builder.icmp_unsigned(sign, elements, _all(builder, args[2], vector))
            return builder.bitcast(flags, _I64)

        return _U64(array, types.int64, types.int64), emit

    return compare


bytes_equal = _compare("==")
"""Which of ``array[index:index + 64]`` equal ``code``, as bits.

Here and below an array is of bytes or of codes; of a value only the low bits count, as many as an element has.
"""
bytes_above = _compare(">")
"""Which of ``array[index:index + 64]`` exceed ``code``, as bits."""


@intrinsic
def bytes_within(ctx: Any, array: Any, index: Any, least: Any, span: Any) -> Any:
    """Which of ``array[index:index + 64]`` are from ``least`` to ``least + span``, as bits."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        elements = builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], vector), align=1)
        # One unsigned comparison: elements below ``least`` wrap around to large differences.
        difference = builder.sub(elements, _all(builder, args[2], vector))
        return builder.bitcast(builder.icmp_unsigned("<=", difference, _all(builder, args[3], vector)), _I64)

    return _U64(array, types.int64, types.int64, types.int64), emit


@intrinsic
def bytes_set(ctx: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:
    """Write ``code`` to those of ``array[index:index + 64]`` that ``bits`` select."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        old = builder.load(pointer, align=1)
        mask = builder.bitcast(args[2], _BITS)
        new = builder.select(mask, _all(builder, args[3], vector), old)
        builder.store(new, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, _U64, types.int64), emit


def _raise(builder: Any, pointer: Any, offer: Any, bits: Any) -> None:
    """Raise the 64 elements at a pointer to at least those of ``offer``, where ``bits`` select them."""
    old = builder.load(pointer, align=1)
    offer = builder.select(builder.bitcast(bits, _BITS), offer, ir.Constant(offer.type, None))
    is_better = builder.icmp_unsigned(">", offer, old)
    builder.store(builder.select(is_better, offer, old), pointer, align=1)


@intrinsic
def bytes_raise(ctx: Any, array: Any, index: Any, other: Any, at: Any, bits: Any) -> Any:
    """Raise the elements that ``bits`` select to at least ``other[at:at + 64]``, an array of the same type."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        source = _pointer(context, builder, sig.args[2], args[2], args[3], vector)
        _raise(builder, pointer, builder.load(source, align=1), args[4])
        return context.get_dummy_value()

    return types.void(array, types.int64, array, types.int64, _U64), emit


@intrinsic
def bytes_raise_to(ctx: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:
    """Raise the elements that ``bits`` select to at least ``code``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _elements(sig.args[0])
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
        _raise(builder, pointer, _all(builder, args[3], vector), args[2])
        return context.get_dummy_value()

    return types.void(array, types.int64, _U64, types.int64), emit


_MIRRORED = ir.Constant(ir.VectorType(ir.IntType(32), 64), [i ^ 7 for i in range(64)])


def _image(context: Any, builder: Any, array_type: Any, array: Any, index: Any, mirrored: Any) -> Any:
    """64 elements of an array, with their files mirrored if ``mirrored`` is 1."""
    vector = _elements(array_type)
    elements = builder.load(_pointer(context, builder, array_type, array, index, vector), align=1)
    image = builder.shuffle_vector(elements, ir.Constant(vector, ir.Undefined), _MIRRORED)
    return builder.select(builder.trunc(mirrored, ir.IntType(1)), image, elements)


@intrinsic
def bytes_raise_image(ctx: Any, array: Any, index: Any, other: Any, at: Any, mirrored: Any, bits: Any) -> Any:
    """Raise the elements that ``bits`` select to at least ``other[at:at + 64]``, mirrored by file if ``mirrored``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1], _elements(sig.args[0]))
        _raise(builder, pointer, _image(context, builder, sig.args[2], *args[2:5]), args[5])
        return context.get_dummy_value()

    return types.void(array, types.int64, array, types.int64, types.int64, _U64), emit


def _before_dtm(builder: Any, codes: Any, draw: Any, result_type: ir.VectorType) -> Any:
    """The values of moves, as codes or bytes, given those of the positions after them, by DTM.

    As in :func:`endgame_core.values.code_before`, a loss becomes the win ``~code``, and a win the loss ``-code``. The
    negative of a draw's byte is the same byte, but the negative of its code is not the same code.

    ``trunc`` is emitted only where codes are raised in an array of bytes, which happens only by DTZ: by DTM that
    variant is compiled but never called.
    """
    draws = _all(builder, draw, codes.type)
    is_lost = builder.icmp_unsigned("<", codes, draws)
    values = builder.select(is_lost, builder.not_(codes), builder.neg(codes))
    if codes.type.element.width == 8:
        return values
    values = builder.select(builder.icmp_unsigned("==", codes, draws), draws, values)
    return values if result_type == codes.type else builder.trunc(values, result_type)


def _before_dtz(builder: Any, codes: Any, draw: Any, result_type: ir.VectorType) -> Any:
    """The values of zeroing moves, given the codes of the positions after them, by DTZ: one of five.

    Wins and losses of up to 100 plies are real under the 50-move rule, longer ones are cursed or blessed. How many
    codes the former have depends on the number of codes on their side of the draw: see ``metrics.short``.
    """
    element = codes.type.element
    draw = builder.trunc(draw, element)

    def short(room: Any) -> Any:
        is_halved = builder.icmp_unsigned("<=", room, ir.Constant(element, 101))
        return builder.select(is_halved, builder.lshr(room, ir.Constant(element, 1)), ir.Constant(element, 101))

    def constant(code: int) -> Any:
        return ir.Constant(result_type, [code & (1 << result_type.element.width) - 1] * 64)

    def choose(distances: Any, limit: Any, near: int, far: int) -> Any:
        is_near = builder.icmp_unsigned("<", distances, _splat(builder, limit, codes.type))
        return builder.select(is_near, constant(near), constant(far))

    draws = _splat(builder, draw, codes.type)
    if_lost = choose(codes, short(draw), 0xFFFF, 0xFFFE)
    if_won = choose(builder.neg(codes), short(builder.neg(draw)), 1, 2)
    if_decided = builder.select(builder.icmp_unsigned("<", codes, draws), if_lost, if_won)
    is_drawn = builder.icmp_unsigned("==", codes, draws)
    return builder.select(is_drawn, constant(DRAW), if_decided)


def _raise_before(before_codes: Callable[[Any, Any, Any, ir.VectorType], Any]) -> Any:
    @intrinsic
    def before(ctx: Any, array: Any, index: Any, other: Any, at: Any, mirrored: Any, bits: Any, draw: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _elements(sig.args[0])
            pointer = _pointer(context, builder, sig.args[0], args[0], args[1], vector)
            codes = _image(context, builder, sig.args[2], *args[2:5])
            _raise(builder, pointer, before_codes(builder, codes, args[6], vector), args[5])
            return context.get_dummy_value()

        return types.void(array, types.int64, other, types.int64, types.int64, _U64, types.int64), emit

    return before


bytes_raise_dtm = _raise_before(_before_dtm)
"""The same with the values of moves by DTM, given those of the positions after them; ``draw`` is that of a draw."""
bytes_raise_dtz = _raise_before(_before_dtz)
"""The same with the values of zeroing moves by DTZ."""


@_cached()
def pack(values, legal, first, sizes, strides, out, counts):
    """Gather the stored values of one frame.

    Args:
        values: uint8 bytes, or uint16 codes, of one side.
        legal: uint64 bitmap of its legal slots.
        first: First slot of the frame.
        sizes: Lengths of three nested loops, the outermost first.
        strides: Slots from one round of each loop to the next.
        out: Room for the frame, of the same dtype.
        counts: uint32 of 256 or 65536; the number of each value is added to it.

    Returns:
        The number of values written.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (legal[slot >> 6] >> (slot & 63)) & 1:
                    value = values[slot]
                    out[n] = value
                    counts[value] += 1
                    n += 1
    return n


@_cached()
def unpack(packed, legal, first, sizes, strides, out):
    """Write the stored values of one frame to their slots in ``out``; for the arguments see :func:`pack`.

    Returns:
        The number of legal slots in the frame, which in a sound table is the number of values in ``packed``.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (legal[slot >> 6] >> (slot & 63)) & 1:
                    if n < packed.size:
                        out[slot] = packed[n]
                    n += 1
    return n


_POLL = 0.1
"""Seconds between two looks at the progress of a kernel."""

_NO_TASK = 1 << 62
"""A number beyond those of all tasks: a kernel that reads it from the counter stops."""


class KernelThreads:
    """Runs a kernel on every thread until its tasks are done.

    Args:
        threads: Number of threads, at least 1.
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
        """Call ``kernel(*shared, counter, *own[i])`` on each thread i; the kernel takes its tasks from ``counter``.

        Args:
            kernel: The kernel.
            shared: Its first arguments.
            own: Its last arguments, different for each thread.
            look: Called every tenth of a second with the number of tasks that have begun; its exceptions propagate,
                once the threads have finished their current tasks.
        """
        counter = np.zeros(1, np.int64)
        args_of_threads = own or [()] * self.threads
        if self.threads == 1 and look is None:
            kernel(*shared, counter, *args_of_threads[0])
            return

        futures = [self._pool.submit(kernel, *shared, counter, *args) for args in args_of_threads]
        try:
            while look is not None and wait(futures, timeout=_POLL).not_done:
                look(int(counter[0]))
        # Threads in a kernel cannot be interrupted: a counter beyond all tasks ends them.
        except BaseException:
            counter[0] = _NO_TASK
            wait(futures)
            raise
        for future in futures:
            future.result()

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown()
