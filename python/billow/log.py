"""Hears what is refused, for an application's log."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import Iterator

from . import _core
from .enums import Status


@contextmanager
def log_to(logger: logging.Logger | str = "billow", level: int = logging.WARNING) -> Iterator[None]:
    """Within a `with`, passes what every failing call finds wrong to Python's logging, also where the
    exception is caught.

        with billow.log_to("game.cloth"):
            ...

    For the whole process, all threads included. Records have the attribute `status`, a `Status`. The logger's
    handlers run within the failing call, with the GIL, and must not call this package. Within another
    `log_to` this one hears instead of it.

    Args:
        logger: or its name.
        level: of the records.
    """
    target = logging.getLogger(logger) if isinstance(logger, str) else logger

    def write(status: int, message: str) -> None:
        target.log(level, "%s", message, extra={"status": Status(status)})

    before = _listeners[-1]
    _listeners.append(write)
    _core.set_log(write)
    try:
        yield
    finally:
        _listeners.pop()
        _core.set_log(before)


_listeners: list[object] = [None]
