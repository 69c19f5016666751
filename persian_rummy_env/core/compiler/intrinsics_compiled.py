"""The intrinsics as LLVM instructions; ``intrinsics_plain`` says what each one does.

``spread64`` and ``spread32`` write without a bounds check: whoever calls them has room for the whole width.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


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


# One vector instruction turns 64 flags into 64 bytes, where a loop takes a step for each.
spread64 = _spread(64)
spread32 = _spread(32)
