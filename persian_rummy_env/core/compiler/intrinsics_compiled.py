"""The intrinsics as LLVM instructions; ``intrinsics_plain`` documents each.

``spread64``, ``spread32``, ``nonzero64`` and ``add_products`` check no bounds: the caller provides room.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .intrinsics_plain import PRODUCT_COLUMNS, PRODUCT_ROWS

LANES = 8
FLOATS = ir.VectorType(ir.FloatType(), LANES)


@intrinsic
def popcount(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.uint64), codegen


def _spread(width: int) -> Any:
    @intrinsic
    def spread(typingctx: Any, out: Any, offset: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            place = builder.gep(builder.bitcast(array.data, ir.IntType(8).as_pointer()), [args[1]])
            word = builder.trunc(args[2], ir.IntType(width)) if width < 64 else args[2]
            flags = builder.bitcast(word, ir.VectorType(ir.IntType(1), width))
            wide = builder.zext(flags, ir.VectorType(ir.IntType(8), width))
            store = builder.store(wide, builder.bitcast(place, wide.type.as_pointer()))
            store.align = 1
            return context.get_dummy_value()

        return types.void(out, types.intp, types.uint64), codegen

    return spread


# One vector instruction turns 64 flags into 64 bytes; a loop would need a step for each.
spread64 = _spread(64)
spread32 = _spread(32)


@intrinsic
def nonzero64(typingctx: Any, array: Any, offset: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [args[1]])
        wide = ir.VectorType(ir.IntType(8), 64)
        loaded = builder.load(builder.bitcast(place, wide.as_pointer()))
        loaded.align = 1
        return builder.bitcast(builder.icmp_unsigned("!=", loaded, ir.Constant(wide, [0] * 64)), ir.IntType(64))

    return types.uint64(array, types.intp), codegen


def _floats_at(builder: Any, data: Any, index: Any) -> list[Any]:
    """Pointers to the vectors of ``PRODUCT_COLUMNS`` numbers from an index on."""
    places = (builder.add(index, ir.Constant(index.type, column)) for column in range(0, PRODUCT_COLUMNS, LANES))
    return [builder.bitcast(builder.gep(data, [place]), FLOATS.as_pointer()) for place in places]


def _loaded(builder: Any, pointers: list[Any]) -> list[Any]:
    vectors = [builder.load(pointer) for pointer in pointers]
    for vector in vectors:
        vector.align = 4
    return vectors


def _repeated(builder: Any, number: Any) -> Any:
    first = builder.insert_element(ir.Constant(FLOATS, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(FLOATS, ir.Undefined), mask)


@intrinsic
def add_products(
    typingctx: Any, x: Any, x_at: Any, x_step: Any, weight: Any, weight_at: Any, depth: Any, out: Any, at: Any,
    step: Any, bias: Any, bias_at: Any,
) -> Any:  # fmt: skip
    # A loop over depth in which all sums stay in registers: no loop of Python's syntax makes numba do so.
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x_at, x_step, weight_at, depth, at, step, bias_at = (args[index] for index in (1, 2, 4, 5, 7, 8, 10))
        x, weight, out, bias = (
            context.make_array(signature.args[index])(context, builder, args[index]).data for index in (0, 3, 6, 9)
        )
        word = depth.type
        multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(FLOATS, [FLOATS] * 3), f"llvm.fmuladd.v{LANES}f32"
        )

        def row_of(begin: Any, width: Any, row: int) -> Any:
            return builder.add(begin, builder.mul(width, ir.Constant(word, row)))

        rows = [row_of(x_at, x_step, row) for row in range(PRODUCT_ROWS)]
        before, loop, after = builder.block, builder.append_basic_block("depth"), builder.append_basic_block("sums")
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(word)
        sums = [[builder.phi(FLOATS) for _ in range(PRODUCT_COLUMNS // LANES)] for _ in rows]
        at_k = builder.add(weight_at, builder.mul(k, ir.Constant(word, PRODUCT_COLUMNS)))
        terms = _loaded(builder, _floats_at(builder, weight, at_k))
        more = []
        for row, of_row in zip(rows, sums, strict=True):
            factor = _repeated(builder, builder.load(builder.gep(x, [builder.add(row, k)])))
            more.append([builder.call(multiply_add, [factor, *pair]) for pair in zip(terms, of_row, strict=True)])
        next_k = builder.add(k, ir.Constant(word, 1))
        k.add_incoming(ir.Constant(word, 0), before)
        k.add_incoming(next_k, loop)
        for of_row, grown in zip(sums, more, strict=True):
            for phi, total in zip(of_row, grown, strict=True):
                phi.add_incoming(ir.Constant(FLOATS, [0.0] * LANES), before)
                phi.add_incoming(total, loop)
        builder.cbranch(builder.icmp_signed("<", next_k, depth), loop, after)
        builder.position_at_end(after)
        shifts = _loaded(builder, _floats_at(builder, bias, bias_at))
        for row, totals in enumerate(more):
            pointers = _floats_at(builder, out, row_of(at, step, row))
            for pointer, old, total, shift in zip(pointers, _loaded(builder, pointers), totals, shifts, strict=True):
                builder.store(builder.fadd(old, builder.fadd(total, shift)), pointer).align = 4
        return context.get_dummy_value()

    word = types.intp
    arrays = (x, word, word, weight, word, word, out, word, word, bias, word)
    return types.void(*arrays), codegen
