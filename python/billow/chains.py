"""Rope chains: hanging from roots, simulated against a body."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import floats, integers, number, refuse, transform, transforms, vector
from .body import Body, Handle, core_or_none, cores
from .enums import Flag, Teleport
from .settings import Settings, Wind, numbers_per_bone

PerBone = Union[npt.ArrayLike, Sequence[npt.ArrayLike], None]
CONTACT = np.dtype(
    [("chain", np.uint32), ("bone", np.uint32), ("collider", np.int32), ("normal", np.float32, 3)]
)


@dataclass(frozen=True)
class ChainsReport:
    """What the last step of chains did."""

    flags: Flag
    """What happened."""
    substeps: int
    """Sub-steps taken."""
    contacts: int
    """Bones that touched a collider."""
    trapped: int
    """Bones whose rope had to be shortened."""
    enclosed: int
    """Bones that stayed inside a collider."""
    collider_work: float
    """J done by moving colliders on the chains, relative to their roots."""
    stage_seconds: dict[str, float]
    """Time of each stage; all 0 unless `Settings.profile`."""


class Stateful(Handle):
    """What can be saved."""

    def restore(self, state: bytes) -> None:
        """Sets a state of `save`.

        Raises:
            BadData: damaged bytes, or a state of something else. Nothing has changed then.
        """
        if not isinstance(state, (bytes, bytearray, memoryview)):
            refuse("state", "bytes of save()", type(state).__name__)
        self._core.restore(bytes(state))

    @property
    def state_size(self) -> int:
        """Bytes that `save` gives; of an instance, larger between frames that are due."""
        return self._core.state_size()


class Chains(Stateful):
    """Chains with settings and state, stepped once per frame. Those of a garment are `Instance.chains`: their
    settings, wind, contacts and report are used as here, and the instance steps them.

        chains = billow.Chains([[0, 0, 0], [0, -0.1, 0], [0, -0.2, 0]])
        chains.step(1 / 60, [[0, 1, 0, 0, 0, 0, 1]])
        chains.positions[-1]

    Args:
        rest: rest positions from root to tip in model space, m: (bones, 3) for one chain; (chains, bones, 3),
            or a list of (bones, 3) of different lengths, for several. At least 2 bones each.
        max_lengths: m, the longest each rope may get, one per bone (a root's is ignored). None: the rest
            distance to the parent.
        mass_factors: multipliers of `Settings.mass`, one per bone. None: 1.
        lateral_lengths: m to the neighbour on the next chain beyond which `lateral_stretch` pulls, one per
            bone. None: the rest distance.
        areas: m2 of cloth that each bone represents. None: the air meets only panels.
        root_rest: transforms (chains, 7) of the roots at rest. None: at the root bones, not rotated.
        neighbours: neighbouring chains of the list are neighbours on the garment: lateral springs, panels and
            collisions join them.
        closed: the last chain is the first one's neighbour too (a skirt); at least 3 chains.
        max_colliders: how many colliders these chains will meet in one step, at most 128. 0: 32.

    Numbers per bone are one array over all bones, or a list of one array per chain.

    Raises:
        InvalidArgument: what cannot be; the message names chain and bone.
    """

    def __init__(
        self,
        rest: Any,
        *,
        max_lengths: PerBone = None,
        mass_factors: PerBone = None,
        lateral_lengths: PerBone = None,
        areas: PerBone = None,
        root_rest: npt.ArrayLike | None = None,
        neighbours: bool = False,
        closed: bool = False,
        max_colliders: int = 0,
    ) -> None:
        each = [
            floats(chain, (None, 3), f"rest[{k}]", "bones from root to tip")
            for k, chain in enumerate(_chains_of(rest))
        ]
        counts = [len(r) for r in each]
        self._core = _core.Chains(
            np.array(counts, np.uint32),
            np.concatenate(each) if each else np.empty((0, 3), np.float32),
            numbers_per_bone(max_lengths, counts, "max_lengths"),
            numbers_per_bone(mass_factors, counts, "mass_factors"),
            numbers_per_bone(lateral_lengths, counts, "lateral_lengths"),
            numbers_per_bone(areas, counts, "areas"),
            None if root_rest is None else transforms(root_rest, len(counts), "root_rest"),
            bool(neighbours),
            bool(closed),
            int(integers(max_colliders, (), "max_colliders", np.uint32)),
        )
        self._wind = Wind()
        self._paused = False

    @classmethod
    def _of(cls, core: _core.Chains) -> Chains:
        made = cls.__new__(cls)
        made._core = core
        made._wind = Wind()
        made._paused = False
        return made

    def step(
        self,
        dt: float,
        roots: npt.ArrayLike,
        *,
        body: Body | None = None,
        others: Iterable[Body] = (),
        space: npt.ArrayLike | None = None,
    ) -> None:
        """One frame. The first one places the chains in their rest shape on the roots. Releases the GIL.

        Args:
            dt: s. 0: chains are carried along by their roots. Over 0.25 it counts as 0.25.
            roots: (chains, 7), world space, at the end of the step.
            body: what to collide with.
            others: what to collide with besides: ground, walls, other characters.
            space: one transform (7,), whose motion `translation_inertia` and `rotation_inertia` scale: the
                character's root, a vehicle. None: all motion is felt.

        Raises:
            InvalidArgument: another number of roots, a negative dt, non-finite numbers, more colliders than
                `max_colliders`.
        """
        at = transforms(roots, self.chain_count, "roots")
        self._core.step(
            number(dt, "dt"),
            at,
            transform(space, "space"),
            core_or_none(body, "body"),
            cores(others, "others"),
        )

    def settle(
        self,
        seconds: float,
        roots: npt.ArrayLike,
        *,
        body: Body | None = None,
        others: Iterable[Body] = (),
        space: npt.ArrayLike | None = None,
    ) -> None:
        """Brings chains to rest on standing roots: up to `seconds` of simulated time with strong damping,
        until the fastest bone is slower than 1 mm/s. Other arguments as for `step`."""
        at = transforms(roots, self.chain_count, "roots")
        self._core.settle(
            number(seconds, "seconds"),
            at,
            transform(space, "space"),
            core_or_none(body, "body"),
            cores(others, "others"),
        )

    def teleport(self, mode: Teleport, roots: npt.ArrayLike) -> None:
        """Moves the chains to new roots (chains, 7) without motion in between: `Teleport.RESET` or
        `Teleport.KEEP`."""
        self._core.teleport(int(mode), transforms(roots, self.chain_count, "roots"))

    def wake(self) -> None:
        """Wakes chains that sleep, for a change that they cannot see, such as a distance function that
        changes shape."""
        self._core.wake()

    def shift_origin(self, offset: Sequence[float]) -> None:
        """Moves the chains by `offset` (m, 3 numbers), when the origin of the world moves. Velocities
        stay."""
        self._core.shift_origin(vector(offset, "offset"))

    @property
    def chain_count(self) -> int:
        """Number of chains."""
        return self._core.chain_count()

    @property
    def bone_count(self) -> int:
        """Number of bones of all chains, roots included."""
        return self._core.bone_count()

    @property
    def positions(self) -> FloatArray:
        """m, (bones, 3), chain after chain from root to tip: a new array, as chains keep them in another
        order."""
        return self._core.positions()

    @property
    def velocities(self) -> FloatArray:
        """m/s, (bones, 3), a new array."""
        return self._core.velocities()

    @property
    def tensions(self) -> FloatArray:
        """N in the rope above each bone, of the last half step, (bones,): 0 for roots and slack ropes. A new
        array."""
        return self._core.tensions()

    def set_bones(
        self, positions: npt.ArrayLike | None = None, velocities: npt.ArrayLike | None = None
    ) -> None:
        """Sets positions and velocities of all bones, (bones, 3) each: for an explosion, a cut. None:
        unchanged. Only after the first step; roots stay with their transforms, and the next step shortens
        ropes that are too long."""
        x, v = (
            None if value is None else floats(value, (self.bone_count, 3), what)
            for value, what in ((positions, "positions"), (velocities, "velocities"))
        )
        self._core.set_bones(x, v)

    @property
    def settings(self) -> Settings:
        """A copy of the settings. To change some: `chains.set(friction=0.1)`, or change the copy and assign
        it."""
        return Settings._of(self._core.settings())

    @settings.setter
    def settings(self, settings: Settings) -> None:
        if not isinstance(settings, Settings):
            refuse("settings", "Settings", type(settings).__name__)
        self._core.set_settings(bytes(settings._bytes))

    def set(self, **fields: Any) -> None:
        """Changes some settings: `chains.set(damping=0.5, gravity=(0, -1.6, 0))`. Fields of the solver:
        `settings.solver`."""
        self.settings = self.settings.replace(**fields)

    @contextmanager
    def changed(self, **fields: Any) -> Iterator[None]:
        """Other settings within a `with`: `with chains.changed(global_damping=5): ...`."""
        before = self.settings
        self.set(**fields)
        try:
            yield
        finally:
            self.settings = before

    @property
    def wind(self) -> Wind:
        """The air. Assign a `Wind`; changes of one that was assigned count once it is assigned again."""
        return self._wind

    @wind.setter
    def wind(self, wind: Wind) -> None:
        if not isinstance(wind, Wind):
            refuse("wind", "a Wind", type(wind).__name__)
        self._core.set_wind(bytes(wind._bytes), wind._checked_field())
        self._wind = wind

    @property
    def paused(self) -> bool:
        """Paused chains follow their roots rigidly; on resuming they go on as they were."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        self._core.set_paused(bool(paused))
        self._paused = bool(paused)

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Bones that touched a collider in the last step: a structured array of `chain`, `bone` (0 is the
        root), `collider` (in the body's list; the others' follow in order) and `normal`."""
        return np.frombuffer(self._core.contacts(), CONTACT).copy()

    @property
    def report(self) -> ChainsReport:
        """What the last step did."""
        found = self._core.report()
        return ChainsReport(flags=Flag(found.pop("flags")), **found)

    def save(self) -> bytes:
        """The full state, but for settings, wind and description. Restoring it into chains of the same
        description continues bit for bit."""
        return self._core.save()

    @property
    def hash(self) -> int:
        """A hash of the state: equal states, equal hashes."""
        return self._core.hash()

    def __repr__(self) -> str:
        return f"<billow.Chains: {self.chain_count} of {self.bone_count} bones together>"


def _chains_of(rest: Any) -> Sequence[Any]:
    """The chains of what describes one or several."""
    try:
        several = np.ndim(rest[0]) == 2
    except (TypeError, KeyError, IndexError, ValueError):
        refuse("rest", "rest positions of one chain or of a list of chains", repr(rest)[:60])
    return list(rest) if several else [rest]
