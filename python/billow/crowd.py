"""Many characters in one garment."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import TRANSFORM, floats, integers, number, refuse
from ._structs import Float, Struct
from .body import Body, core_or_none, cores, no_pickle
from .enums import Teleport
from .garment import Garment
from .instance import Instance


class Levels(Struct, struct="levels"):
    """What levels of detail are chosen by."""

    near_distance = Float(
        "m, nearer characters are computed in every frame with all stages: 8. Others cost less"
    )
    budget_ms = Float("most that a frame of all characters may take, on one core; 0: any")
    frame_ms = Float(
        "what a full frame of one character takes on this machine (`billow bench`), for the budget: 2"
    )


class Crowd:
    """Characters in the same garment, stepped together, eight to a job that shares each read of the garment's
    weights. The result has the same bits as stepping each alone.

        crowd = billow.Crowd(garment, 200, threads=4)
        crowd.step(1 / 60, joints)                 # (200, joints, 7)
        crowd[17].positions

    Args:
        garment: what all wear.
        count: number of characters, or instances of the garment that there are already.
        threads: on how many threads a step runs, the calling one included. They live as long as the step.
    """

    def __init__(self, garment: Garment, count: int | Iterable[Instance], *, threads: int = 1) -> None:
        if isinstance(count, (int, np.integer)):
            if count < 0:
                refuse("count", "0 or more", str(count))
            self._instances = tuple(Instance(garment) for _ in range(count))
        else:
            self._instances = tuple(count)
        for k, one in enumerate(self._instances):
            if not isinstance(one, Instance) or one.garment is not garment:
                refuse(f"instances[{k}]", "an Instance of the crowd's garment", repr(one))
        if not 1 <= threads <= 1024:
            refuse("threads", "1 to 1024", str(threads))
        self._garment = garment
        self._threads = int(threads)

    @property
    def garment(self) -> Garment:
        """What all wear."""
        return self._garment

    def __len__(self) -> int:
        return len(self._instances)

    def __getitem__(self, index: int) -> Instance:
        return self._instances[index]

    def __iter__(self) -> Iterator[Instance]:
        return iter(self._instances)

    def step(
        self,
        dt: float,
        joints: npt.ArrayLike,
        *,
        scale: npt.ArrayLike = 1.0,
        others: Iterable[Body] = (),
        bodies: Sequence[Body | None] | None = None,
        spaces: npt.ArrayLike | None = None,
        teleport: npt.ArrayLike = Teleport.NONE,
        skip_mesh: npt.ArrayLike = False,
        distances: npt.ArrayLike | None = None,
        visible: npt.ArrayLike = True,
        levels: Levels | None = None,
    ) -> None:
        """One frame of all characters. Releases the GIL. Where something is wrong with one of them, nothing
        has changed.

        With `distances`, levels of detail are chosen first (docs/embedding.md): they change the options
        lengths, interval, stagger and blend of each instance, and characters that are not visible keep their
        chains alone.

        Args:
            dt: s, of all.
            joints: (characters, joints, 7), world space.
            scale, teleport, skip_mesh: as for `Instance.step`: one for all, or one for each.
            others: what all meet besides their bodies. Bodies of these characters may be among them: all are
                posed before any steps.
            bodies: as `body` of `Instance.step`, for each.
            spaces: (characters, 7).
            distances: m from the camera, for each.
            visible: whether the camera sees it, one for all or for each.
            levels: what levels of detail are chosen by.
        """
        count = len(self)
        at = floats(joints, (count, self._garment.joint_count, 7), "joints", TRANSFORM)
        space = None if spaces is None else floats(spaces, (count, 7), "spaces", TRANSFORM)
        if bodies is not None and len(bodies) != count:
            refuse("bodies", f"{count}, one for each character", str(len(bodies)))
        views = None
        if distances is not None:
            views = (self._each(distances, "distances", np.float32), self._flags(visible, "visible"))
        elif levels is not None:
            refuse("distances", "one for each character, to choose levels of detail", "None")
        if levels is not None and not isinstance(levels, Levels):
            refuse("levels", "Levels", type(levels).__name__)
        _core.crowd_step(
            [
                (
                    one._core,
                    at[k],
                    None if space is None else space[k : k + 1],
                    None if bodies is None else core_or_none(bodies[k], f"bodies[{k}]"),
                )
                for k, one in enumerate(self._instances)
            ],
            number(dt, "dt"),
            self._each(scale, "scale", np.float32),
            self._each(teleport, "teleport", np.int32),
            self._flags(skip_mesh, "skip_mesh"),
            cores(others, "others"),
            views,
            bytes((levels or Levels())._bytes),
            self._threads,
        )

    def _each(self, value: Any, what: str, dtype: npt.DTypeLike) -> FloatArray | npt.NDArray[Any]:
        """One number for each character."""
        if np.ndim(value) == 0:
            value = np.full(len(self), value)
        if np.dtype(dtype).kind == "f":
            return floats(value, (len(self),), what)
        return integers(value, (len(self),), what, dtype)

    def _flags(self, value: Any, what: str) -> npt.NDArray[Any]:
        return self._each(np.asarray(value, bool).astype(np.int32), what, np.int32)

    def __repr__(self) -> str:
        return f"<billow.Crowd of {len(self)} in {self._garment.name!r}>"

    __reduce__ = no_pickle
