"""The exceptions of the package, one for each status of the C API."""

from __future__ import annotations

from .enums import Status


class Error(Exception):
    """What went wrong, in the C library's words: what was expected and what was found.

    `status` is the status of the C API. The subclasses are also the built-in exceptions that fit, so that
    `except ValueError` and `except OSError` do what one would think.
    """

    status: Status = Status.INVALID_ARGUMENT


class InvalidArgument(Error, ValueError):
    """An argument of a wrong shape, type or value, a non-finite input, or an object that another thread is
    using."""

    status = Status.INVALID_ARGUMENT


class OutOfMemory(Error, MemoryError):
    """No memory for a new object."""

    status = Status.OUT_OF_MEMORY


class BufferTooSmall(Error, ValueError):
    """An array to write to that has too few rows. The message says how many are needed."""

    status = Status.BUFFER_TOO_SMALL


class BadData(Error, ValueError):
    """Bytes that are damaged, of another version or of another object: of a garment file, a saved state, a
    data set or a bundle."""

    status = Status.BAD_DATA


class CannotRead(Error, OSError):
    """A file that is not there or cannot be read."""

    status = Status.CANNOT_READ


def error_of(status: int, message: str) -> Error:
    """The exception of a status. The C++ half of the package calls it."""
    for kind in (InvalidArgument, OutOfMemory, BufferTooSmall, BadData, CannotRead):
        if kind.status == status:
            return kind(message)
    return Error(message)
