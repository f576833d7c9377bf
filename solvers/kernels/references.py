"""Named tuples of arrays that kernels take by reference.

numba passes a named tuple by value: it copies about sixty arrays, each of seven words or more, into every variable,
call and inlined function, and a first compilation spends most of its time removing these copies. By reference, a tuple
is one pointer, and an array is read from it at its use. The tuple does not change during a call. The loads are marked
accordingly, so loops do not repeat them.

>>> class Pair(NamedTuple):  # doctest: +SKIP
...     first: np.ndarray
...     second: np.ndarray
>>> by_reference(Pair)  # doctest: +SKIP

The arrays of a *sealed* class may have several dtypes. A kernel that only passes such a tuple on cannot read its
arrays, and is compiled once for all dtypes; kernels that are called by address with the tuple can read them, see
`links`.
"""

import hashlib
from itertools import accumulate
from typing import Any

from llvmlite import ir
from numba import typeof
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, models, register_model, typeof_impl, unbox

_WORD = ir.IntType(64)


class Reference(types.Type):
    """The type of a pointer to arrays of given names and types. Its own name is short, since symbols contain it."""

    def __init__(self, title: str, fields: tuple[tuple[str, types.Array], ...], sealed: bool = False) -> None:
        self.fields, self.sealed = fields, sealed
        digest = hashlib.sha256(str(fields).encode()).hexdigest()[:12]
        super().__init__(f"{title}_{'sealed_' if sealed else ''}{digest}")

    @property
    def key(self) -> tuple[str, tuple[tuple[str, types.Array], ...]]:
        """Identifies the type."""
        return self.name, self.fields

    @classmethod
    def open(cls, value: Any) -> "Reference":
        """The type of a tuple with readable arrays."""
        return cls(type(value).__name__, tuple(zip(value._fields, map(typeof, value), strict=True)))

    @property
    def places(self) -> dict[str, int]:
        """The first word of each array. Its words are its number of elements, address, shape and strides."""
        sizes = [2 + 2 * kind.ndim for _, kind in self.fields]
        return dict(zip((name for name, _ in self.fields), accumulate(sizes, initial=0), strict=False))

    @property
    def n_words(self) -> int:
        """The number of words of all arrays."""
        return sum(2 + 2 * kind.ndim for _, kind in self.fields)


register_model(Reference)(models.OpaqueModel)


def by_reference(kind: type, sealed: bool = False) -> None:
    """Make kernels take a class of named tuples, which must contain only arrays, by reference."""

    @typeof_impl.register(kind)
    def _type(value: Any, context: Any) -> Reference:
        if not sealed:
            return Reference.open(value)
        # how an array is found does not depend on its dtype, so all dtypes share one type
        bytes_of = ((name, types.Array(types.uint8, array.ndim, "C")) for name, array in value._asdict().items())
        return Reference(kind.__name__, tuple(bytes_of), sealed=True)


@infer_getattr
class _ArrayOfReference(AttributeTemplate):
    """Typing of a tuple's attributes."""

    key = Reference

    def generic_resolve(self, kind: Reference, name: str) -> types.Array | None:
        """Return the array's type, or `None` if the tuple has no such array or is sealed."""
        return None if kind.sealed else dict(kind.fields).get(name)


def _words(builder: Any, pointer: Any) -> Any:
    return builder.bitcast(pointer, _WORD.as_pointer())


@lower_getattr_generic(Reference)
def _read(context, builder, kind, pointer, name):
    """Read an array. It is borrowed, so no references are counted."""
    made = dict(kind.fields)[name]
    words, constant = _words(builder, pointer), builder.module.add_metadata([])

    def word(number):
        load = builder.load(builder.gep(words, [_WORD(number)]), align=8)
        load.set_metadata("invariant.load", constant)
        return load

    place, ndim = kind.places[name], made.ndim
    array = context.make_array(made)(context, builder)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    array.nitems, array.itemsize = word(place), _WORD(context.get_abi_sizeof(context.get_data_type(made.dtype)))
    array.data = builder.inttoptr(word(place + 1), array.data.type)
    array.shape = cgutils.pack_array(builder, [word(place + 2 + k) for k in range(ndim)], ty=_WORD)
    array.strides = cgutils.pack_array(builder, [word(place + 2 + ndim + k) for k in range(ndim)], ty=_WORD)
    return array._getvalue()


def _adapt(c, array, into):
    """Describe a borrowed Python array; numba's own function refuses kernels without reference counting."""
    adapt = ir.FunctionType(ir.IntType(32), [c.pyapi.pyobj, c.pyapi.voidptr])
    return c.builder.call(c.pyapi._get_function(adapt, name="numba_adapt_ndarray"), (array, into))


@unbox(Reference)
def _unbox(kind, pairs, c):
    """Write the words of all arrays to the stack of the call."""
    builder = c.builder
    pointer = cgutils.alloca_once(builder, _WORD, size=kind.n_words)
    failed = cgutils.alloca_once_value(builder, cgutils.false_bit)
    for number, (name, made) in enumerate(kind.fields):
        array = c.context.make_array(made)(c.context, builder)
        source = builder.bitcast(array._getpointer(), c.pyapi.voidptr)
        error = _adapt(c, c.pyapi.tuple_getitem(pairs, number), source)
        builder.store(builder.or_(builder.load(failed), cgutils.is_not_null(builder, error)), failed)
        shape, strides = (cgutils.unpack_tuple(builder, part, made.ndim) for part in (array.shape, array.strides))
        for k, value in enumerate((array.nitems, builder.ptrtoint(array.data, _WORD), *shape, *strides)):
            builder.store(value, builder.gep(pointer, [_WORD(kind.places[name] + k)]))
    with builder.if_then(builder.load(failed), likely=False):
        c.pyapi.err_set_string("PyExc_TypeError", "a kernel takes arrays only")
    # the barrier hides from the compiler where the words came from, so it cannot move loads before the stores
    barrier = ir.FunctionType(c.pyapi.voidptr, [c.pyapi.voidptr])
    source = builder.bitcast(pointer, c.pyapi.voidptr)
    hidden = builder.asm(barrier, "", "=r,0,~{memory}", [source], True)
    return NativeValue(hidden, is_error=builder.load(failed))
