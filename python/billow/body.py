"""Bodies: colliders as signed distance functions, each following a joint or a blend of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple, NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import floats, integers, number, refuse, transforms, vector
from ._structs import Enum, Float, Floats, Int, Ints, Struct
from .enums import Debug, Shape

if TYPE_CHECKING:
    from .instance import Instance

NO_LIMIT = 1e30
ALL_GROUPS = 0xFF
NO_BLEND = -1

Distance = Callable[[FloatArray], "tuple[npt.ArrayLike, npt.ArrayLike]"]


def no_pickle(self: Any) -> NoReturn:
    raise TypeError(
        f"a billow.{type(self).__name__} cannot be pickled or copied: it is memory of this process. "
        "Make another one; where it has a "
        "state, save() gives it as bytes and restore() sets it"
    )


@dataclass(frozen=True, eq=False)
class Grid:
    """Signed distances at the points of a regular grid, centred on the collider's position and aligned with
    its axes.

    The surface has to lie inside: values at the outermost points are positive, some value is negative. No
    value may overestimate the distance. `billow body sdf` makes such grids from a mesh.

    Args:
        values: int16 of shape (z, y, x), in multiples of `unit`; 2 to 1024 points along each axis. They are
            copied.
        spacing: m between points.
        unit: m per value.
    """

    values: npt.NDArray[np.int16]
    spacing: float
    unit: float

    def __post_init__(self) -> None:
        values = integers(self.values, (None, None, None), "grid.values", np.int16).copy()
        values.flags.writeable = False  # bodies use it in place
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "spacing", number(self.spacing, "grid.spacing"))
        object.__setattr__(self, "unit", number(self.unit, "grid.unit"))


@dataclass(frozen=True, eq=False)
class Network:
    """A signed distance as a neural network over a point p in the collider's own frame, in metres: c . s(B
    s(A p + a) + b) + d, where s(z) is 0 below -1, z above 1 and (z + 1)^2 / 4 between. `billow body sdf`
    trains such networks.

    Args:
        weights: for each unit of the first layer its row of A and its entry of a; then for each unit of the
            second its entry of b, its row of B and its entry of c; then d: width * width + 6 * width + 1
            numbers, which are copied.
        width: units of each hidden layer, a multiple of 4 up to 64.
        half_extents: m, 3 numbers: the box round the collider's position in which the network is valid.
        margin: m, the least distance of the surface to the faces of that box.
    """

    weights: FloatArray
    width: int
    half_extents: FloatArray
    margin: float

    def __post_init__(self) -> None:
        width = int(number(self.width, "network.width"))
        weights = floats(
            self.weights, (width * width + 6 * width + 1,), "network.weights", f"for the width {width}"
        ).copy()
        weights.flags.writeable = False
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "half_extents", vector(self.half_extents, "network.half_extents"))
        object.__setattr__(self, "margin", number(self.margin, "network.margin"))


class Collider(Struct, struct="collider"):
    """One collider, placed in model space with the joints at rest. Made by the class method of its shape;
    other fields are given to it by keyword.

        billow.Collider.capsule((0, 1.1, 0), (0, 1.5, 0), 0.12, joint=3, group=billow.ColliderGroup.TRUNK)

    `joint` is one joint or up to 4, with a `weight` for each; weights are normalised. `blend_with` joins it
    smoothly to an earlier collider of the list where they come within `blend_radius` of each other. Ranges
    are checked by `Body`.
    """

    shape = Enum(Shape, "which fields count")
    position = Floats("m, 3 numbers: the centre, a capsule's first end, or a point of a half-space's plane")
    rotation = Floats(
        "x y z w, of ellipsoids, boxes, half-spaces (outward is the rotated +y axis), grids and functions"
    )
    end = Floats("m, 3 numbers: a capsule's other end")
    radius = Float("m; of a box's rounded edges; of a custom function the bound beyond which it is not asked")
    radius_end = Float("m, a tapered capsule's at the other end")
    half_extents = Floats("m, 3 numbers, of ellipsoids and boxes")
    joint = Ints("the joints that it follows, up to 4; unused ones have weight 0")
    weight = Floats("of these joints")
    blend_with = Int("an earlier collider for a smooth union; -1: none")
    blend_radius = Float("m, of that union")
    group = Int("a ColliderGroup, or a number of your own below 8")
    sdf: Distance | None = None
    grid: Grid | None = None
    network: Network | None = None
    name: str = ""

    def __init__(
        self,
        *,
        joint: int | Sequence[int] | None = None,
        weight: Sequence[float] | None = None,
        **fields: Any,
    ) -> None:
        """Prefer the class method of a shape. Without arguments: a sphere of 0.1 m at the origin on joint
        0."""
        super().__init__()
        if joint is not None:
            joints = [joint] if isinstance(joint, (int, np.integer)) else list(joint)
            weights = [1.0] * len(joints) if weight is None else list(weight)
            if not 1 <= len(joints) <= 4 or len(weights) != len(joints):
                refuse(
                    "Collider.joint", "1 to 4 joints and as many weights", f"{len(joints)} and {len(weights)}"
                )
            self.joint = joints + [0] * (4 - len(joints))
            self.weight = weights + [0.0] * (4 - len(joints))
        elif weight is not None:
            refuse("Collider.weight", "joints that it is for", "none")
        self._set(fields)

    @classmethod
    def sphere(cls, position: Sequence[float], radius: float, **fields: Any) -> Collider:
        """A ball."""
        return cls(shape=Shape.SPHERE, position=position, radius=radius, **fields)

    @classmethod
    def capsule(
        cls,
        position: Sequence[float],
        end: Sequence[float],
        radius: float,
        radius_end: float | None = None,
        **fields: Any,
    ) -> Collider:
        """All within `radius` of the line from `position` to `end`; with `radius_end` tapered."""
        if radius_end is None:
            return cls(shape=Shape.CAPSULE, position=position, end=end, radius=radius, **fields)
        return cls(
            shape=Shape.TAPERED_CAPSULE,
            position=position,
            end=end,
            radius=radius,
            radius_end=radius_end,
            **fields,
        )

    @classmethod
    def ellipsoid(cls, position: Sequence[float], half_extents: Sequence[float], **fields: Any) -> Collider:
        """Half-axes along the axes of its `rotation`."""
        return cls(shape=Shape.ELLIPSOID, position=position, half_extents=half_extents, **fields)

    @classmethod
    def box(
        cls, position: Sequence[float], half_extents: Sequence[float], radius: float = 0.0, **fields: Any
    ) -> Collider:
        """Edges are rounded by `radius`, within the extents."""
        return cls(shape=Shape.BOX, position=position, half_extents=half_extents, radius=radius, **fields)

    @classmethod
    def half_space(cls, position: Sequence[float], **fields: Any) -> Collider:
        """Solid below `position`; its outward normal is the rotated +y axis. `Body.ground` is one that needs
        no joint."""
        return cls(shape=Shape.HALF_SPACE, position=position, **fields)

    @classmethod
    def custom(cls, position: Sequence[float], radius: float, sdf: Distance, **fields: Any) -> Collider:
        """A signed distance function in Python: slow, but right.

        Args:
            radius: m, points farther than this from `position` are not asked for: the surface counts as far
                away there.
            sdf: a function of points, (n, 3) in the collider's own frame, that returns their distances (n,),
                negative inside, and gradients (n, 3) of unit length. It must never overestimate a distance.
                It is called from within steps and takes the GIL. What it raises, the step raises, once it is
                over and has gone on as if nothing were there.
        """
        made = cls(shape=Shape.CUSTOM, position=position, radius=radius, **fields)
        if not callable(sdf):
            refuse("Collider.sdf", "a function of points", type(sdf).__name__)
        made.sdf = sdf
        return made

    @classmethod
    def of_grid(cls, position: Sequence[float], grid: Grid, **fields: Any) -> Collider:
        """Signed distances on a grid round `position`."""
        if not isinstance(grid, Grid):
            refuse("Collider.grid", "a Grid", type(grid).__name__)
        made = cls(shape=Shape.GRID, position=position, **fields)
        made.grid = grid
        return made

    @classmethod
    def of_network(cls, position: Sequence[float], network: Network, **fields: Any) -> Collider:
        """A network that computes signed distances round `position`."""
        if not isinstance(network, Network):
            refuse("Collider.network", "a Network", type(network).__name__)
        made = cls(shape=Shape.NEURAL, position=position, **fields)
        made.network = network
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        if self.sdf or self.grid or self.network:
            raise TypeError(
                "a Collider with a function, grid or network cannot be pickled; pickle what you made it of"
            )
        return super().__reduce__()

    def _points_to(self) -> Any:
        if self.shape == Shape.CUSTOM and self.sdf is not None:
            return _Distance(self.sdf)
        if self.shape == Shape.GRID and self.grid is not None:
            return (self.grid.values, self.grid.spacing, self.grid.unit)
        if self.shape == Shape.NEURAL and self.network is not None:
            n = self.network
            return (n.weights, n.width, n.half_extents, n.margin)
        return None

    @classmethod
    def _read(cls, found: tuple[bytes, Any], name: str = "") -> Collider:
        data, points_to = found
        made = cls._of(data)
        made.name = name
        if isinstance(points_to, _Distance):
            made.sdf = points_to.function
        elif points_to is not None and made.shape == Shape.GRID:
            made.grid = Grid(*points_to)
        elif points_to is not None:
            made.network = Network(*points_to)
        return made


class _Distance:
    """A signed distance function whose results are checked."""

    def __init__(self, function: Distance) -> None:
        self.function = function

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = self.function(points)
        if not isinstance(found, tuple) or len(found) != 2:
            refuse("the distance function's result", "(distances, gradients)", type(found).__name__)
        count = len(points)
        distances = floats(found[0], (count,), "the distance function's distances")
        gradients = floats(found[1], (count, 3), "the distance function's gradients")
        if not (np.isfinite(distances).all() and np.isfinite(gradients).all()):
            refuse("the distance function's result", "finite numbers", "some that are not")
        return distances, gradients


class Query(NamedTuple):
    """What `Body.query` finds for each point."""

    distances: FloatArray
    """m, (n,), negative inside."""
    gradients: FloatArray
    """(n, 3), unit length: the way out."""
    colliders: npt.NDArray[np.int32]
    """(n,), the nearest collider of each point; -1 beyond the limit."""


class DebugGeometry(NamedTuple):
    """What to draw for debugging, in world space. Colours are uint32, 0xrrggbbaa."""

    lines: FloatArray
    """(n, 2, 3)"""
    line_colours: npt.NDArray[np.uint32]
    points: FloatArray
    """(n, 3)"""
    point_colours: npt.NDArray[np.uint32]
    triangles: FloatArray
    """(n, 3, 3)"""
    triangle_colours: npt.NDArray[np.uint32]


class Handle:
    """What bodies, chains and instances have in common."""

    _core: Any

    def debug_draw(self, what: int = Debug.ALL) -> DebugGeometry:
        """What there is to draw of `what` (`Debug`)."""
        return DebugGeometry(*self._core.debug_draw(int(what)))

    __reduce__ = no_pickle


class Body(Handle):
    """A character's colliders, or a wall, a ground, a door.

        body = billow.Body([billow.Collider.capsule((0, 0, -0.5), (0, 0, 0.5), 0.1)])
        body.pose([[0, 0.3, 0, 0, 0, 0, 1]])

    Until its first pose a body stands at rest, which is all that walls need.

    Args:
        colliders: in the order in which contacts and queries count them; may be empty.
        joint_rest: transforms (joints, 7) of the joints at rest, in model space. None: all identity, so that
            a collider's placement is simply in its joint's frame.
        joint_count: number of joints where `joint_rest` is None.

    Raises:
        InvalidArgument: a collider that cannot be; the message names it and its field.
    """

    def __init__(
        self, colliders: Iterable[Collider], *, joint_rest: npt.ArrayLike | None = None, joint_count: int = 1
    ) -> None:
        described = list(colliders)
        for k, collider in enumerate(described):
            if not isinstance(collider, Collider):
                refuse(f"colliders[{k}]", "a Collider", type(collider).__name__)
        rest = None if joint_rest is None else transforms(joint_rest, None, "joint_rest")
        count = int(integers(joint_count, (), "joint_count", np.uint32))
        self._core = _core.Body([(bytes(c._bytes), c._points_to()) for c in described], rest, count)

    @classmethod
    def _of(cls, core: _core.Body) -> Body:
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def ground(cls, height: float = 0.0) -> Body:
        """All below `height` (m), of `ColliderGroup.WORLD`, standing still without being posed."""
        return cls._of(_core.Body.ground(number(height, "height")))

    @classmethod
    def layer(cls, inner: Instance) -> Body:
        """The outside of a garment that others are worn over (docs/embedding.md): in each frame step the
        inner garment, `pose_layer`, then step the outer one with this among its `others`. It needs the option
        normals of `inner`."""
        return cls._of(_core.Body.layer(inner._core))

    def pose(self, joints: npt.ArrayLike, *, scale: float = 1.0) -> None:
        """Moves the body to the joints' present transforms.

        Between the last pose and this one colliders are interpolated, so that they carry cloth along. The
        first pose has no motion.

        Args:
            joints: (joints, 7), world space.
            scale: the character's uniform scale.

        Raises:
            InvalidArgument: another number of joints, non-finite transforms, a layer, or an instance's body.
        """
        self._core.pose(transforms(joints, None, "joints"), number(scale, "scale"))

    def teleport(self, joints: npt.ArrayLike, *, scale: float = 1.0) -> None:
        """The same without motion from the last pose: after a cut."""
        self._core.teleport(transforms(joints, None, "joints"), number(scale, "scale"))

    def pose_layer(self, inner: Instance) -> None:
        """Moves a layer to the mesh that `inner` shows: any instance of the garment for which it was made."""
        self._core.pose_layer(inner._core)

    def query(self, points: npt.ArrayLike, *, groups: int = ALL_GROUPS, limit: float = NO_LIMIT) -> Query:
        """Signed distances of points to the body at its present pose.

        Args:
            points: (n, 3), world space. Fastest when those that are close in the array are close in space.
            groups: which collider groups, bit `1 << group` each.
            limit: m; points farther away get this distance, the gradient 0 1 0 and the collider -1. A low
                limit is fast.
        """
        return Query(*self._core.query(floats(points, (None, 3), "points"), groups, number(limit, "limit")))

    def shift_origin(self, offset: Sequence[float]) -> None:
        """Moves the body's present and last pose by `offset` (m, 3 numbers), when the origin of the world
        moves."""
        self._core.shift_origin(vector(offset, "offset"))

    @property
    def collider_count(self) -> int:
        """Number of colliders."""
        return self._core.collider_count()

    @property
    def scale(self) -> float:
        """That of the last pose."""
        return self._core.scale()

    @property
    def colliders(self) -> list[Collider]:
        """The colliders as they were described."""
        return [Collider._read(self._core.collider(k)) for k in range(self.collider_count)]

    @property
    def posed_colliders(self) -> list[Collider]:
        """The same where the last pose has put them: position, rotation, end and lengths in world space.
        Rotations are those of the shapes' own frames, in which a capsule lies along y."""
        return [Collider._read(self._core.posed_collider(k)) for k in range(self.collider_count)]

    def __repr__(self) -> str:
        return f"<billow.Body of {self.collider_count} colliders>"


def cores(bodies: Iterable[Body], what: str) -> list[_core.Body]:
    """The C++ halves of a list of bodies."""
    found = []
    for k, body in enumerate(bodies):
        if not isinstance(body, Body):
            refuse(f"{what}[{k}]", "a Body", type(body).__name__)
        found.append(body._core)
    return found


def core_or_none(body: Body | None, what: str) -> _core.Body | None:
    """The C++ half of a body, or None."""
    if body is not None and not isinstance(body, Body):
        refuse(what, "a Body or None", type(body).__name__)
    return None if body is None else body._core
