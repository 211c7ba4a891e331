"""Garment files."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats as FloatArray
from ._arrays import refuse
from .body import Collider, no_pickle
from .errors import BadData
from .settings import Settings


A = TypeVar("A", bound="npt.NDArray[Any]")


class Garment:
    """The immutable contents of a garment file: mesh, chains, colliders and networks. Shared by all its
    instances, on all threads.

        garment = billow.Garment.load("assets/cape.billow")

    Args:
        data: the bytes of a complete `.billow` file. Every byte is checked first; any bytes are safe.
        keep: use the bytes in place, such as a mapped file, instead of copying them. They must be read-only
            and aligned to 64 bytes.

    Raises:
        BadData: the bytes are no valid garment file; the message says where and why.
    """

    def __init__(
        self, data: bytes | bytearray | memoryview | npt.NDArray[np.uint8], *, keep: bool = False
    ) -> None:
        try:
            view = memoryview(data)  # type: ignore[arg-type]
        except TypeError:
            refuse("data", "the bytes of a garment file", type(data).__name__)
        if not view.c_contiguous:
            refuse("data", "bytes without gaps", "some with gaps")
        if keep and not view.readonly:
            refuse("data", "bytes that nobody can change, to keep them", "some that can be written to")
        self._core = _core.Garment(view.cast("B"), bool(keep))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Garment:
        """Reads a file, which takes some milliseconds.

        Raises:
            CannotRead: there is no such file, or it cannot be read.
            BadData: it is no valid garment file.
        """
        made = cls.__new__(cls)
        made._core = _core.Garment.load(os.fspath(path))
        return made

    @cached_property
    def name(self) -> str:
        """The garment's name."""
        return self._core.name()

    @property
    def vertex_count(self) -> int:
        """Vertices of the mesh."""
        return self._core.vertex_count()

    @property
    def triangle_count(self) -> int:
        """Triangles of the mesh."""
        return self._core.triangle_count()

    @property
    def bone_count(self) -> int:
        """All virtual bones, including those that no chain simulates."""
        return self._core.bone_count()

    @property
    def joint_count(self) -> int:
        """Joints that a frame expects."""
        return self._core.joint_count()

    @property
    def key_joint(self) -> int:
        """The joint whose motion is removed before decoding."""
        return self._core.key_joint()

    @property
    def collider_count(self) -> int:
        """The garment's own colliders."""
        return self._core.collider_count()

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that a frame expects, in its order."""
        return tuple(self._core.joint_name(k) for k in range(self.joint_count))

    @cached_property
    def joint_rest(self) -> FloatArray:
        """Rest transforms of these joints in model space, (joints, 7). Read-only."""
        return _frozen(self._core.joint_rest())

    @cached_property
    def joint_parents(self) -> npt.NDArray[np.int32]:
        """The parent of each of these joints, an earlier one, or -1. Read-only."""
        return _frozen(self._core.joint_parents())

    @cached_property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """Three vertices per triangle, counter-clockwise seen from outside, (triangles, 3). Read-only."""
        return _frozen(self._core.triangles())

    @cached_property
    def uvs(self) -> FloatArray:
        """Coordinates on the pattern in metres, (vertices, 2); all 0 for a garment without one. Read-only."""
        return _frozen(self._core.uvs())

    @property
    def colliders(self) -> list[Collider]:
        """The garment's own colliders, on its joints, with their names."""
        return [
            Collider._read(_core.garment_collider(self._core, k), self._core.collider_name(k))
            for k in range(self.collider_count)
        ]

    @property
    def settings(self) -> Settings:
        """The initial settings of its chains."""
        return Settings._of(self._core.settings())

    def section(self, name: str) -> bytes | None:
        """The bytes of a section of the file (docs/formats.md), such as "training"; None if there is none."""
        return self._core.section(name)

    @property
    def training(self) -> dict[str, Any]:
        """The training report: options, losses and figures, and what `billow evaluate --store` measured.
        Empty if the file has none.

        Raises:
            BadData: it is not JSON.
        """
        section = self.section("training")
        if section is None:
            return {}
        try:
            report = json.loads(section)
        except ValueError as error:
            raise BadData(
                f"{self.name}: section training: expected JSON, found something else: {error}"
            ) from error
        if not isinstance(report, dict):
            raise BadData(f"{self.name}: section training: expected an object, found {type(report).__name__}")
        return report

    def info(self) -> dict[str, Any]:
        """Name, counts and joints, as in `billow info --json`."""
        return {
            "name": self.name,
            "vertices": self.vertex_count,
            "triangles": self.triangle_count,
            "key_joint": self.joint_names[self.key_joint],
            "bones": self.bone_count,
            "colliders": self.collider_count,
            "joints": list(self.joint_names),
        }

    def __repr__(self) -> str:
        return f"<billow.Garment {self.name!r}: {self.vertex_count} vertices, {self.joint_count} joints>"

    __reduce__ = no_pickle


def _frozen(array: A) -> A:
    array.flags.writeable = False
    return array
