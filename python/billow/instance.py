"""Characters that wear a garment."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import integers, number, refuse, transform, transforms, vector, writable
from ._structs import Bool, Enum, Float, Int, Struct
from .body import Body, core_or_none, cores
from .chains import Chains, Stateful
from .enums import Attribute, Lengths, Teleport
from .garment import Garment


class Options(Struct, struct="instance_options"):
    """What an instance computes. `Instance.set` changes some."""

    networks = Bool("True; False: the rest mesh, rigid on the key joint")
    shape = Bool("True: detail of the shape network; False: skinning alone")
    linear_blend = Bool(
        "False; True: linear blend skinning instead of networks, where the file has weights for it"
    )
    lengths = Enum(Lengths, "how far the mesh gets back the lengths of the pattern: high")
    push_out = Bool("True: vertices leave the body")
    normals = Bool("True")
    profile = Bool("False; True: time the stages")
    clearance = Float("m, least distance of vertices to the body after push-out: 0.005")
    softness = Float("m beyond the clearance over which the push fades in: 0.004")
    interval = Int("frames: chains and mesh are computed in every n-th only, 1 to 16: 1")
    stagger = Int("in which of them, 0 to 15: give neighbours different ones")
    blend = Int("frames over which a change of these options is blended, up to 240: 0, at once")


class Bounds(NamedTuple):
    """A box in world space, m."""

    low: FloatArray
    """(3,)"""
    high: FloatArray
    """(3,)"""


@dataclass(frozen=True)
class InstanceReport:
    """What the last frame did."""

    pushed: int
    """Vertices that push-out moved."""
    inside: int
    """Vertices still inside, between colliders that leave no gap."""
    asleep: bool
    """The chains sleep, and the mesh stands still."""
    stage_seconds: dict[str, float]
    """Time of each stage; all 0 unless `Options.profile`."""


class Instance(Stateful):
    """One character in a garment: chains, networks, a mesh. It starts as the rest mesh in model space.

        cape = billow.Instance(garment)
        cape.settle(2, joints[0])
        for frame in joints:                       # (joints, 7) each, in the order of garment.joint_names
            cape.step(1 / 60, frame)
            show(cape.positions)                   # no copy: keep one (`.copy()`) if you need it after the
            next step

    Args:
        garment: which stays alive as long as the instance.
    """

    def __init__(self, garment: Garment) -> None:
        if not isinstance(garment, Garment):
            refuse("garment", "a Garment", type(garment).__name__)
        self._core = _core.Instance(garment._core)
        self._garment = garment
        self._joint_count = garment.joint_count
        self._chains = Chains._of(self._core.chains())
        self._body = Body._of(self._core.body())

    @property
    def garment(self) -> Garment:
        """What it wears."""
        return self._garment

    @property
    def chains(self) -> Chains:
        """Its chains: their settings, wind, contacts and report. The instance steps them."""
        return self._chains

    @property
    def body(self) -> Body:
        """The garment's own colliders as the last frame posed them: to query, or to give to other characters
        as one of their `others`."""
        return self._body

    def step(
        self,
        dt: float,
        joints: npt.ArrayLike,
        *,
        scale: float = 1.0,
        others: Iterable[Body] = (),
        body: Body | None = None,
        space: npt.ArrayLike | None = None,
        teleport: Teleport = Teleport.NONE,
        skip_mesh: bool = False,
    ) -> None:
        """One frame. Releases the GIL.

        Args:
            dt: s. 0: the cloth is carried along rigidly. Over 0.25 it counts as 0.25.
            joints: (joints, 7), world space, in the order of `Garment.joint_names`.
            scale: of the character, uniform.
            others: what the cloth meets besides its body: ground, walls, layers, the bodies of other
                characters. All together have at most 128 colliders. Its own body is passed over.
            body: colliders that you have posed, for several garments on one body. None: the garment's own,
                posed by this call.
            space: one transform (7,), as for `Chains.step`.
            teleport: how the cloth takes a jump of the character; NONE if there was none.
            skip_mesh: chains only, for a character that is not drawn. The mesh is left unchanged.

        Raises:
            InvalidArgument: a wrong number of joints, a negative dt, non-finite numbers. Nothing has changed.
        """
        self._core.step(
            number(dt, "dt"),
            transforms(joints, self._joint_count, "joints"),
            number(scale, "scale"),
            transform(space, "space"),
            core_or_none(body, "body"),
            int(teleport),
            bool(skip_mesh),
            cores(others, "others") if others else [],
        )

    def settle(
        self,
        seconds: float,
        joints: npt.ArrayLike,
        *,
        scale: float = 1.0,
        others: Iterable[Body] = (),
        body: Body | None = None,
        space: npt.ArrayLike | None = None,
    ) -> None:
        """Brings the cloth to rest on a standing character, up to `seconds` of simulated time, and computes
        the mesh: before the first frame. Other arguments as for `step`."""
        self._core.settle(
            number(seconds, "seconds"),
            transforms(joints, self._joint_count, "joints"),
            number(scale, "scale"),
            transform(space, "space"),
            core_or_none(body, "body"),
            cores(others, "others"),
        )

    @property
    def positions(self) -> FloatArray:
        """m, world space, (vertices, 3): the mesh of the last frame in place. Read-only; every frame writes
        to the same memory."""
        return self._core.positions()

    @property
    def normals(self) -> FloatArray:
        """(vertices, 3), likewise in place."""
        return self._core.normals()

    @property
    def bones(self) -> FloatArray:
        """m, world space, (bones, 3): all virtual bones in the order of the garment file, likewise in
        place."""
        return self._core.bones()

    @property
    def tangents(self) -> FloatArray:
        """(vertices, 4): the direction of u on the pattern, and 1, or -1 where the pattern is mirrored.
        Computed on demand into a new array; `write` computes them into one of yours.

        Raises:
            InvalidArgument: a garment without a pattern, or the option normals is off.
        """
        out = np.empty((self._garment.vertex_count, 4), np.float32)
        self.write(tangents=out)
        return out

    def write(
        self,
        *,
        positions: Any = None,
        normals: Any = None,
        tangents: Any = None,
        vertices: npt.ArrayLike | None = None,
        origin: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Writes attributes of the last frame's mesh straight to memory of yours: all, or none if one is
        refused.

        Args:
            positions, normals: arrays, or tensors of torch on the CPU, of shape (n, 3), float32 or float16
                (0.5 mm at 0.5 m from `origin`). Rows may have gaps between them, so that attributes may
                interleave in one buffer.
            tangents: the same of shape (n, 4).
            vertices: indices of the vertices to write, such as those of a coarser mesh. None: all.
            origin: m, subtracted from positions.

        Raises:
            BufferTooSmall: fewer rows than vertices.
            InvalidArgument: another shape or type, memory that is read-only, a vertex that is not there;
                tangents as `tangents`.
        """
        chosen = None if vertices is None else integers(vertices, (None,), "vertices", np.uint32)
        by = vector(origin, "origin")
        wanted = (
            (Attribute.POSITION, positions, 3, "positions"),
            (Attribute.NORMAL, normals, 3, "normals"),
            (Attribute.TANGENT, tangents, 4, "tangents"),
        )
        self._core.write(
            [
                (int(a), writable(out, columns, what), chosen, by)
                for a, out, columns, what in wanted
                if out is not None
            ]
        )

    @property
    def bounds(self) -> Bounds:
        """A box round the cloth: that of the vertices, exactly; after a frame that skipped the mesh, one that
        holds the mesh that would have been shown."""
        return Bounds(*self._core.bounds())

    @property
    def report(self) -> InstanceReport:
        """What the last frame did."""
        return InstanceReport(**self._core.report())

    @property
    def options(self) -> Options:
        """A copy of the options. To change some: `instance.set(push_out=False)`, or change the copy and
        assign it."""
        return Options._of(self._core.options())

    @options.setter
    def options(self, options: Options) -> None:
        if not isinstance(options, Options):
            refuse("options", "Options", type(options).__name__)
        self._core.set_options(bytes(options._bytes))

    def set(self, **fields: Any) -> None:
        """Changes some options: `instance.set(lengths=billow.Lengths.OFF)`. Settings of the chains:
        `instance.chains.set`."""
        self.options = self.options.replace(**fields)

    @contextmanager
    def changed(self, **fields: Any) -> Iterator[None]:
        """Other options within a `with`."""
        before = self.options
        self.set(**fields)
        try:
            yield
        finally:
            self.options = before

    def shift_origin(self, offset: Sequence[float]) -> None:
        """Moves the instance with its chains, mesh and own colliders by `offset` (m, 3 numbers), when the
        origin of the world moves."""
        self._core.shift_origin(vector(offset, "offset"))

    def save(self) -> bytes:
        """The full state, but for settings, options and wind: for replay and rollback. Restoring it into any
        instance of the same garment continues bit for bit. The mesh is not part of it: a frame with dt 0 and
        the same joints recomputes it.
        """
        return self._core.save()

    @property
    def hash(self) -> int:
        """A hash of positions and normals, as `billow_instance_hash` gives it in C."""
        return self._core.hash()

    def __repr__(self) -> str:
        return f"<billow.Instance of {self._garment.name!r}>"
