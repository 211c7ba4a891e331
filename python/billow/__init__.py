"""Billow: loose clothing in real time, for Python and NumPy.

    import billow

    garment = billow.Garment.load("assets/cape.billow")    # once, shared by all characters
    cape = billow.Instance(garment)                         # once per character
    cape.step(1 / 60, joints)                               # every frame: (joints, 7), world space
    draw(cape.positions, cape.normals)                      # (vertices, 3), without a copy

Conventions, of all classes and functions:

Units       SI: metres, kilograms, seconds, newtons, radians. Axes are right-handed, y is up.
Transforms  7 numbers: position x y z, then the rotation as a quaternion x y z w, which is normalised on
            input. `from_matrices` makes them of 4x4 matrices.
Arrays in   anything that NumPy takes as an array of numbers: arrays of any float type and layout, lists,
            tensors of torch on the CPU. What is float32 without gaps is used where it is; everything else is
            copied.
Arrays out  `Instance.positions`, `normals` and `bones` are views of the instance's own memory: read-only,
            the same memory in every frame, and valid as long as the view itself, even after the instance is
            deleted. All other arrays are new.
Errors      `billow.Error`, with the C library's own message: what was expected and what was found. Nothing
            has changed after one, but where a Python function failed within a step. Arguments of a wrong
            shape, type or value are `InvalidArgument`, which is a ValueError too.
Threads     steps release the GIL. Different objects may be used by different threads at the same time. One
            object is used by one thread at a time, and using one that another thread is stepping is an
            `InvalidArgument`. A `Garment` may be used by all.
Processes   objects with a state neither pickle nor survive a fork: `save()` them, and `restore()` where you
            need them.
Bits        the same calls give the same bits as in C, on every platform (docs/determinism.md).
"""

from __future__ import annotations

import os

from . import _core
from ._arrays import from_matrices
from .body import Body, Collider, DebugGeometry, Grid, Network, Query
from .chains import Chains, ChainsReport
from .clock import Clock
from .crowd import Crowd, Levels
from .dataset import Clip, DataSet
from .enums import (
    Attribute,
    ChainStage,
    ColliderGroup,
    ContactDirection,
    Debug,
    Flag,
    FrameStage,
    Impulse,
    Lengths,
    PushMethod,
    Shape,
    Solver,
    Status,
    Teleport,
)
from .errors import BadData, BufferTooSmall, CannotRead, Error, InvalidArgument, OutOfMemory
from .garment import Garment
from .instance import Bounds, Instance, InstanceReport, Options
from .log import log_to
from .motion import Motion, MotionBundle
from .settings import Curve, LinearSolver, Settings, SolverSettings, Wind, ramp
from .strain import Strain

__version__: str = _core.version()

__all__ = [
    "Attribute",
    "BadData",
    "Body",
    "Bounds",
    "BufferTooSmall",
    "CannotRead",
    "ChainStage",
    "Chains",
    "ChainsReport",
    "Clip",
    "Clock",
    "Collider",
    "ColliderGroup",
    "ContactDirection",
    "Crowd",
    "Curve",
    "DataSet",
    "Debug",
    "DebugGeometry",
    "Error",
    "Flag",
    "FrameStage",
    "Garment",
    "Grid",
    "Impulse",
    "Instance",
    "InstanceReport",
    "InvalidArgument",
    "Lengths",
    "Levels",
    "LinearSolver",
    "Motion",
    "MotionBundle",
    "Network",
    "Options",
    "OutOfMemory",
    "PushMethod",
    "Query",
    "Settings",
    "Shape",
    "Solver",
    "SolverSettings",
    "Status",
    "Strain",
    "Teleport",
    "Wind",
    "from_matrices",
    "log_to",
    "ramp",
]

os.register_at_fork(after_in_child=_core.after_fork)
