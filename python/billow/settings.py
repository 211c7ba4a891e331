"""What can be changed about chains while they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import floats, refuse
from ._structs import Bool, Enum, Field, Flags, Float, Floats, Int, Nested, Struct
from .enums import ContactDirection, Impulse, PushMethod, Solver, Teleport

WindField = Callable[[float, FloatArray], npt.ArrayLike]


@dataclass(frozen=True)
class Curve:
    """A parameter along a chain: `value` times a curve over depth, 0 at the root and 1 at the tip.

    The curve is piecewise linear through up to 8 equally spaced `points`; without points it is 1 everywhere.
    Where a curve is expected, a number is a constant one. Curves are immutable: set the whole field.
    """

    value: float
    points: tuple[float, ...] = ()


def ramp(root: float, tip: float) -> Curve:
    """A parameter that goes linearly from the root to the tip."""
    return Curve(1.0, (root, tip))


class _CurveLayout(Struct, struct="curve"):
    value = Float("factor")
    point_count = Int("number of points")
    points = Floats("points")


class CurveField(Field[Curve, Union[Curve, float]]):
    """A `Curve`; a number sets a constant one."""

    def read(self, owner: Struct) -> Curve:
        c = _CurveLayout._of(bytes(owner._bytes[self.offset : self.offset + _CurveLayout._size]))
        return Curve(c.value, c.points[: c.point_count])

    def write(self, owner: Struct, value: Union[Curve, float]) -> None:
        curve = value if isinstance(value, Curve) else Curve(value)
        try:
            points = tuple(curve.points)
        except TypeError:
            refuse(self.where(owner), "points in a sequence", repr(curve.points))
        room = len(_CurveLayout().points)
        if len(points) > room:
            refuse(self.where(owner), f"at most {room} points", str(len(points)))
        c = _CurveLayout(
            value=curve.value, point_count=len(points), points=points + (0.0,) * (room - len(points))
        )
        owner._bytes[self.offset : self.offset + _CurveLayout._size] = c._bytes


class LinearSolver(Struct, struct="linear_solver"):
    """How a tri-diagonal system is solved."""

    method = Enum(Solver, "how: Solver.DIRECT")
    sweeps = Int("Gauss-Seidel sweeps, 1 to 10000; with Solver.TOLERANCE the maximum")
    tolerance = Float("relative change at which Solver.TOLERANCE ends")
    warm_start = Bool("begin from the last step's solution instead of zero")


class SolverSettings(Struct, struct="solver_settings"):
    """What solvers of chains need. The defaults are right for cloth; what the paper does instead is named."""

    min_substeps = Int("1")
    max_substeps = Int("8; 32 at most")
    substep_angle = Float("radians, sub-steps keep a rope's rotation under this: 0.1")
    tension = Nested(LinearSolver, "for tensions: direct")
    impulse = Nested(LinearSolver, "for impulses: direct")
    impulses = Flags(Impulse, "where impulses are applied: after the second velocity update")
    tautness = Float("a rope is taut over (1 - tautness) times its maximum: 0.01")
    gap_return = Float(
        "fraction of a taut rope's gap to its maximum that a sub-step may close: 0.2; paper: 0"
    )
    move_with_parent = Bool("update positions in the frame of the moving parent; paper: False")
    energy_guard = Bool("kinetic energy never exceeds what forces supplied")
    push_direction = Enum(ContactDirection, "history")
    velocity_direction = Enum(ContactDirection, "history")
    push_method = Enum(PushMethod, "depth")
    push_iterations = Int("2")
    push_extra = Float("m, pushed beyond the radius (paper: epsilon): 0")
    alternations = Int("of length constraint and collision, per bone: 1 as in the paper")
    rope_samples = Int("points tested between a bone and its parent: 1; 0: bones only")
    lateral_samples = Int("points tested between neighbouring chains: 3; 0: none")
    swept = Bool("continuous collision detection against thin colliders")


class Settings(Struct, struct="settings"):
    """Settings of chains, in SI units. `Settings()` has the defaults, `Settings.cape()` and
    `Settings.skirt()` are starting points for the two classic garments, and `Chains.settings` is what chains
    have. Assigning an object to `Chains.settings` applies it; values out of range are refused there by name.

    A field given a number where it is a `Curve` is constant along the chain.
    """

    mass = CurveField("kg per bone: 0.02")
    damping = CurveField("1/s, relative to the parent bone, implicit: 0")
    global_damping = Float("1/s, relative to still air, implicit: 0")
    lateral_stretch = CurveField("N/m, neighbours farther apart than at rest: 0")
    lateral_compression = CurveField("N/m, neighbours closer than at rest: 0")
    lateral_shear = CurveField("N/m, diagonals between neighbours longer than those of the cloth: 0")
    rest_angle = CurveField("N, towards the rest angle with the parent rope: 0")
    shrink = CurveField("N/m, ropes shorter than their maximum: 0")
    gravity = Floats("m/s2, 3 numbers: 0 -9.81 0")
    drag = CurveField("N s/m against the wind, per bone: 0")
    panel_drag = Float("drag coefficient of the panels between neighbours: 0 (1.2 is cloth-like)")
    panel_lift = Float("their lift coefficient: 0")
    panel_folds = Float("fraction of a panel's folded cloth that meets the air: 0 to 1")
    air_density = Float("kg/m3: 1.2")
    radius = CurveField("m, of a bone: 0.005. Bones are kept this far from colliders")
    friction = Float("0.3")
    collider_groups = Int("groups that chains and mesh meet, bit 1 << group each: 255, all")
    softness = Floats(
        "of each of the 8 groups, 0 (rigid) to 1. Above 0 its colliders push chains aside without friction, "
        "cannot carry or pinch them, and what hangs over them sinks through"
    )
    yielding_groups = Int(
        "groups that are rigid but where they press cloth on rigid ones, bit 1 << group each: 0"
    )
    translation_inertia = Float("fraction of the space's translation that is felt: 1")
    rotation_inertia = Float("the same for its rotation: 1")
    teleport = Enum(Teleport, "what a jump over the thresholds does: keep")
    teleport_distance = Float("m of a root in one step: 1e30, never")
    teleport_angle = Float("radians of a root in one step: 1e30, never")
    self_contact = Float("N/m, between folds that meet: 0, they pass through")
    learnt_force = Float("share of the force that a garment's chains have learnt: 1; 0: off")
    rest_speed = Float("m/s, chains slower than this everywhere come to rest: 0.01; 0: never")
    sleep_after = Float("s of rest after which chains fall asleep: 1; 0: never")
    scale = Float("of the character: lengths and radii are multiplied by it: 1")
    profile = Bool("time the stages")
    solver = Nested(SolverSettings, "accuracy, stability and collision parameters")

    @classmethod
    def cape(cls) -> Settings:
        """A starting point for capes."""
        return cls._of(_core.settings_cape())

    @classmethod
    def skirt(cls) -> Settings:
        """A starting point for skirts."""
        return cls._of(_core.settings_skirt())


class Wind(Struct, struct="wind"):
    """The air that chains meet through `Settings.drag` and `Settings.panel_drag`.

    Args:
        field: a function of (time, points) that returns velocities to add: `time` is the chains' own clock in
            seconds, `points` has shape (n, 3), and so has the result, in m/s. It is called from within steps
            and takes the GIL, which is slow. What it raises, the step raises, once it is over and has gone on
            with still air.
        others: the fields, by name.
    """

    velocity = Floats("m/s, 3 numbers")
    gust = Float("relative amplitude of gusts in strength and direction: 0 to 1")
    gust_frequency = Float("Hz, of the lowest harmonic")
    seed = Int("gusts are the same for the same seed and time")
    field: WindField | None = None

    def __init__(self, *, field: WindField | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        if field is not None and not callable(field):
            refuse("Wind.field", "a function of (time, points)", type(field).__name__)
        self.field = field

    def __reduce__(self) -> tuple[Any, ...]:
        if self.field is not None:
            raise TypeError("a Wind with a field cannot be pickled: its function is of this process")
        return super().__reduce__()

    def _checked_field(self) -> Callable[[float, FloatArray], FloatArray] | None:
        return None if self.field is None else _CheckedField(self.field)


class _CheckedField:
    """A wind field whose results are checked."""

    def __init__(self, function: WindField) -> None:
        self.function = function

    def __call__(self, time: float, points: FloatArray) -> FloatArray:
        velocities = floats(self.function(time, points), (len(points), 3), "the wind field's velocities")
        if not np.isfinite(velocities).all():
            refuse("the wind field's velocities", "finite numbers", "some that are not")
        return velocities


def numbers_per_bone(value: Any, counts: Sequence[int], what: str) -> FloatArray | None:
    """One number for each bone: in one array, or in one for each chain."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and len(value) == len(counts) and all(np.ndim(v) == 1 for v in value):
        value = np.concatenate(
            [floats(v, (n,), f"{what}[{k}]") for k, (v, n) in enumerate(zip(value, counts))]
        )
    array = floats(value, (None,) if np.ndim(value) == 1 else (len(counts), None), what).reshape(-1)
    if len(array) != sum(counts):
        refuse(what, f"{sum(counts)} numbers, one for each bone", str(len(array)))
    return array
