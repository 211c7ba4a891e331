"""The enums of the C API. Where one is expected, its number will do as well."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class Status(IntEnum):
    """How a call of the C API ended: `Error.status`."""

    OK = 0
    INVALID_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    BUFFER_TOO_SMALL = 3
    BAD_DATA = 4
    CANNOT_READ = 5


class Shape(IntEnum):
    """The shape of a `Collider`. Its class methods say which fields each shape uses."""

    SPHERE = 0
    CAPSULE = 1
    TAPERED_CAPSULE = 2
    ELLIPSOID = 3
    BOX = 4
    HALF_SPACE = 5
    CUSTOM = 6
    GRID = 7
    NEURAL = 8


class ColliderGroup(IntEnum):
    """The groups of the built-in person and of fitted characters. Others up to 7 are free. A mask of groups
    has the bit `1 << group` of each."""

    TRUNK = 0
    HEAD = 1
    UPPER_ARM = 2
    FOREARM = 3
    LEG = 4
    WORLD = 5
    CLOTH = 6


class Solver(IntEnum):
    """How the tri-diagonal systems for tensions and impulses are solved: exactly; by a number of Gauss-Seidel
    sweeps; by such sweeps until the relative change is under a tolerance."""

    DIRECT = 0
    SWEEPS = 1
    TOLERANCE = 2


class Impulse(IntFlag):
    """Where in a sub-step impulses are applied."""

    AFTER_FIRST_VELOCITY = 1
    AFTER_MOVE = 2
    AFTER_COLLISION = 4
    AFTER_SECOND_VELOCITY = 8


class ContactDirection(IntEnum):
    """Where contacts push: along the gradient of the signed distance, or back along the bone's path."""

    GRADIENT = 0
    HISTORY = 1


class PushMethod(IntEnum):
    """How far contacts push: by the signed distance, or to the surface by bisection."""

    DEPTH = 0
    LINE_SEARCH = 1


class Teleport(IntEnum):
    """How cloth takes a jump: there was none; back to the rest shape, at rest; carried along rigidly, with
    shape and velocity kept."""

    NONE = 0
    RESET = 1
    KEEP = 2


class Lengths(IntEnum):
    """How far the mesh of the networks is brought back to the lengths of the pattern: not at all, with half
    the sweeps, with all."""

    OFF = 0
    LOW = 1
    HIGH = 2


class Attribute(IntEnum):
    """What `Instance.write` writes of each vertex."""

    POSITION = 0
    NORMAL = 1
    TANGENT = 2


class Flag(IntFlag):
    """What happened to chains in their last step: `ChainsReport.flags`.

    TELEPORTED: a threshold was passed. RECOVERED: a non-finite state was found, and those chains were reset.
    TRAPPED: a rope was shortened to keep a bone out of a collider. ENCLOSED: a bone stayed inside a collider.
    ENERGY_LIMITED: the energy guard slowed a chain. SUBSTEPS_CAPPED: more sub-steps were wanted than allowed.
    ASLEEP: the chains rest and were not stepped.
    """

    TELEPORTED = 1
    RECOVERED = 2
    TRAPPED = 4
    ENCLOSED = 8
    ENERGY_LIMITED = 16
    SUBSTEPS_CAPPED = 32
    ASLEEP = 64


class ChainStage(IntEnum):
    """The stages of a step of chains, in order."""

    FOLLOW = 0
    FORCES = 1
    ACCELERATE = 2
    MOVE = 3
    COLLIDE = 4
    IMPULSES = 5
    GUARD = 6


class FrameStage(IntEnum):
    """The stages of a frame of a garment, in order."""

    FOLLOW = 0
    CHAINS = 1
    GATHER = 2
    INFER = 3
    EXPAND = 4
    LENGTHS = 5
    PUSH_OUT = 6
    NORMALS = 7


class Debug(IntFlag):
    """What to draw for debugging: ropes (orange where taut); lines between chains; the panels between them;
    contacts; colliders; the frames of patches; edges of the mesh by strain, from blue (10 % short) over green
    to red (10 % long)."""

    ROPES = 1
    LATERALS = 2
    PANELS = 4
    CONTACTS = 8
    COLLIDERS = 16
    PATCHES = 32
    STRAIN = 64
    ALL = 127
