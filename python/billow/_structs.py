"""Structs of the C API as Python objects: bytes of the same layout, with a descriptor for each field.
Private.

The C++ half says where fields are and what they are by default; a class says what they mean. The two are
compared when the class is made, so that neither can have a field that the other lacks.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Generic, Iterator, Sequence, Type, TypeVar, overload

import numpy as np

from . import _core
from .errors import InvalidArgument

_LAYOUTS = _core.layouts()
S = TypeVar("S", bound="Struct")
G = TypeVar("G")  # what a field gives
T = TypeVar("T")  # what it takes
E = TypeVar("E", bound=IntEnum)


class Field(Generic[G, T]):
    """A field of a struct."""

    name: str
    offset: int
    code: str  # of Python's struct module
    count: int

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, owner: None, kind: type) -> Field[G, T]:
        ...

    @overload
    def __get__(self, owner: Struct, kind: type) -> G:
        ...

    def __get__(self, owner: Any, kind: type) -> Any:
        return self if owner is None else self.read(owner)

    def __set__(self, owner: Struct, value: T) -> None:
        self.write(owner, value)

    def read(self, owner: Struct) -> G:
        raise NotImplementedError

    def write(self, owner: Struct, value: T) -> None:
        raise NotImplementedError

    def unpack(self, owner: Struct) -> tuple[Any, ...]:
        values = struct.unpack_from(f"={self.count}{self.code}", owner._bytes, self.offset)
        # The shortest number that is this float: 0.3, not 0.30000001192092896.
        return tuple(float(str(np.float32(v))) for v in values) if self.code == "f" else values

    def pack(self, owner: Struct, values: Sequence[Any]) -> None:
        if len(values) != self.count:
            raise InvalidArgument(f"{self.where(owner)}: expected {self.count} numbers, found {len(values)}")
        if any(isinstance(value, (str, bytes)) for value in values):
            raise InvalidArgument(f"{self.where(owner)}: expected numbers, found text")
        try:
            packed = struct.pack(f"={self.count}{self.code}", *values)
        except (struct.error, OverflowError, TypeError) as error:
            kind = "numbers" if self.code in "fd" else "whole numbers that fit"
            raise InvalidArgument(
                f"{self.where(owner)}: expected {kind}, found {list(values)}: {error}"
            ) from error
        owner._bytes[self.offset : self.offset + len(packed)] = packed

    def where(self, owner: Struct) -> str:
        return f"{type(owner).__name__}.{self.name}"


class Float(Field[float, float]):
    """A number."""

    def read(self, owner: Struct) -> float:
        return float(self.unpack(owner)[0])

    def write(self, owner: Struct, value: float) -> None:
        self.pack(owner, [value])


class Int(Field[int, int]):
    """A whole number."""

    def read(self, owner: Struct) -> int:
        return int(self.unpack(owner)[0])

    def write(self, owner: Struct, value: int) -> None:
        self.pack(owner, [value])


class Bool(Field[bool, bool]):
    """True or False."""

    def read(self, owner: Struct) -> bool:
        return bool(self.unpack(owner)[0])

    def write(self, owner: Struct, value: bool) -> None:
        self.pack(owner, [1 if value else 0])


class Floats(Field["tuple[float, ...]", "Sequence[float]"]):
    """Several numbers. They are set together."""

    def read(self, owner: Struct) -> tuple[float, ...]:
        return self.unpack(owner)

    def write(self, owner: Struct, value: Sequence[float]) -> None:
        try:
            values = list(value)
        except TypeError:
            raise InvalidArgument(
                f"{self.where(owner)}: expected {self.count} numbers, found {value!r}"
            ) from None
        self.pack(owner, values)


class Ints(Field["tuple[int, ...]", "Sequence[int]"]):
    """Several whole numbers. They are set together."""

    read = Floats.read  # type: ignore[assignment]
    write = Floats.write


class Enum(Field[E, int], Generic[E]):
    """One of an enum."""

    def __init__(self, kind: Type[E], doc: str) -> None:
        super().__init__(doc)
        self.kind = kind

    def read(self, owner: Struct) -> E:
        return self.kind(self.unpack(owner)[0])

    def write(self, owner: Struct, value: int) -> None:
        try:
            member = self.kind(value)
        except ValueError:
            names = ", ".join(f"{self.kind.__name__}.{m.name}" for m in self.kind)
            raise InvalidArgument(f"{self.where(owner)}: expected one of {names}, found {value!r}") from None
        self.pack(owner, [int(member)])


class Flags(Field[Any, int]):
    """A set of flags."""

    def __init__(self, kind: Type[IntFlag], doc: str) -> None:
        super().__init__(doc)
        self.kind = kind

    def read(self, owner: Struct) -> Any:
        return self.kind(self.unpack(owner)[0])

    def write(self, owner: Struct, value: int) -> None:
        self.pack(owner, [int(value)])


class Nested(Field[S, S], Generic[S]):
    """A struct within a struct. What is read is the part itself: setting its fields changes the whole."""

    def __init__(self, kind: Type[S], doc: str) -> None:
        super().__init__(doc)
        self.kind = kind

    def read(self, owner: Struct) -> S:
        part = self.kind.__new__(self.kind)
        part._bytes = memoryview(owner._bytes)[self.offset : self.offset + self.kind._size]
        return part

    def write(self, owner: Struct, value: S) -> None:
        if not isinstance(value, self.kind):
            raise InvalidArgument(
                f"{self.where(owner)}: expected {self.kind.__name__}, found {type(value).__name__}"
            )
        self.read(owner)._bytes[:] = value._bytes


class Struct:
    """Base of what mirrors a struct of the C API. Fields are set by keyword or one by one; equal fields make
    equal objects."""

    _size: ClassVar[int]
    _default: ClassVar[bytes]
    _fields: ClassVar[tuple[str, ...]]
    _bytes: Any  # bytearray, or memoryview of part of one

    def __init_subclass__(cls, struct: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if not struct:
            return
        cls._size, fields, cls._default = _LAYOUTS[struct]
        cls._fields = tuple(name for name, _, _, _ in fields)
        declared = {name for name, value in vars(cls).items() if isinstance(value, Field)}
        if declared != set(cls._fields):
            raise TypeError(f"{cls.__name__}: fields differ from C's: {declared ^ set(cls._fields)}")
        for name, kind, offset, count in fields:
            field = vars(cls)[name]
            field.code, field.offset, field.count = kind, offset, count

    def __init__(self, **fields: Any) -> None:
        self._bytes = bytearray(self._default)
        self._set(fields)

    def _set(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            if name not in self._fields:
                raise TypeError(
                    f"{type(self).__name__} has no field {name!r}; it has {', '.join(self._fields)}"
                )
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        # A typing error would otherwise be a new attribute that nobody reads.
        if not name.startswith("_") and not hasattr(type(self), name):
            raise AttributeError(
                f"{type(self).__name__} has no field {name!r}; it has {', '.join(self._fields)}"
            )
        super().__setattr__(name, value)

    @classmethod
    def _of(cls: Type[S], data: bytes) -> S:
        made = cls.__new__(cls)
        made._bytes = bytearray(data)
        return made

    def replace(self: S, **fields: Any) -> S:
        """A copy with other values in these fields."""
        copy = self._of(bytes(self._bytes))
        copy.__dict__.update({k: v for k, v in self.__dict__.items() if k != "_bytes"})
        copy._set(fields)
        return copy

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and values of all fields."""
        return ((name, getattr(self, name)) for name in self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (bytes(self._bytes),)

    def __copy__(self: S) -> S:
        return self.replace()

    def __repr__(self) -> str:
        default = self._of(self._default)
        changed = [f"{k}={v!r}" for (k, v), (_, d) in zip(self.items(), default.items()) if v != d]
        return f"{type(self).__name__}({', '.join(changed)})"
