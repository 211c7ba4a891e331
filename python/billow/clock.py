"""Steps of a fixed length at any frame rate."""

from __future__ import annotations

from . import _core
from ._arrays import number
from ._structs import Float, Int, Struct


class Clock(Struct, struct="clock"):
    """Lets time pass in steps of exactly 1 / rate seconds, for replays and rollback. A frame takes the steps
    that are due, none or several; the rest of its time is kept for the next one. Nothing is extrapolated:
    what is shown is the last step.

        for step in range(clock.advance(frame_time)):
            share = clock.share(step)              # of the way from the last frame's joints to this one's
            chains.step(clock.dt, ...)

    A copy (`copy.copy`, `pickle`) is its saved state.
    """

    rate = Float("steps per second, 1 to 1000: 60")
    max_steps = Int(
        "in one frame, at least 1: 4. Time beyond is dropped, so that slow frames do not make slower ones"
    )
    steps = Int("taken since the start")
    left = Float("s, not stepped yet")
    before = Float("s, the same before the last frame")
    frame = Float("s, the last frame's length")

    def advance(self, dt: float) -> int:
        """Adds a frame of `dt` seconds and returns how many steps to take.

        Raises:
            InvalidArgument: a negative or non-finite dt, a rate out of range.
        """
        self._bytes[:], count = _core.clock_advance(bytes(self._bytes), number(dt, "dt"))
        return count

    def share(self, step: int) -> float:
        """The time of step number `step` of these (0: the first) as a share of the frame: over 0, up to 1."""
        return _core.clock_share(bytes(self._bytes), step)

    @property
    def dt(self) -> float:
        """s, of a step."""
        return _core.clock_dt(bytes(self._bytes))
