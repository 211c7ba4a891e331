"""Captured clips of the built-in person: motion bundles (docs/formats.md)."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping, NoReturn

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats, number, refuse
from .errors import BadData, CannotRead
from .garment import Garment

MAGIC = b"billmo\x1a\n"
VERSION = 1
HEADER = struct.Struct("<8sIIIIQQ")
LARGEST = 256 << 20  # bytes; larger files are broken or malicious

# The built-in person's skeleton: each joint with its parent. The root is joint 0.
PARENTS = {
    "pelvis": None,
    "spine_lower": "pelvis",
    "spine_upper": "spine_lower",
    "chest": "spine_upper",
    "neck": "chest",
    "head": "neck",
    "left_clavicle": "chest",
    "left_upper_arm": "left_clavicle",
    "left_forearm": "left_upper_arm",
    "left_hand": "left_forearm",
    "left_thigh": "pelvis",
    "left_calf": "left_thigh",
    "left_foot": "left_calf",
    "left_toes": "left_foot",
    "right_clavicle": "chest",
    "right_upper_arm": "right_clavicle",
    "right_forearm": "right_upper_arm",
    "right_hand": "right_forearm",
    "right_thigh": "pelvis",
    "right_calf": "right_thigh",
    "right_foot": "right_calf",
    "right_toes": "right_foot",
}
JOINTS = tuple(PARENTS)


@dataclass(frozen=True, eq=False)
class Motion:
    """One clip of a bundle."""

    name: str
    about: str
    """What the person does."""
    subject: str
    """Who was captured; clips of one subject resemble each other."""
    test: bool
    """Never learnt from."""
    loops: bool
    """The first frame follows the last."""
    frames_per_second: float
    roots: Floats
    """m, (frames, 3): positions of the root."""
    rotations: Floats
    """x y z w relative to the parent, (frames, 22, 4)."""
    offsets: Floats
    """m, (22, 3): each joint at rest from its parent."""

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def duration(self) -> float:
        """s, from the first frame to the last; of a clip that loops, to the first frame again."""
        return (len(self) - (0 if self.loops else 1)) / self.frames_per_second

    def joints(self, garment: Garment | None = None, *, rate: float | None = None) -> Floats:
        """The joints in world space, (frames, joints, 7): what `Instance.step` takes, frame by frame.

        Args:
            garment: whose joints, in its order. None: all 22 of the person.
            rate: frames per second, 1 to 1000, between which positions are interpolated linearly and
                rotations along arcs. None: the clip's own.

        Raises:
            InvalidArgument: a garment of another character; a rate out of range.
        """
        roots, rotations = (self.roots, self.rotations) if rate is None else self._at(number(rate, "rate"))
        world = np.empty((len(roots), len(JOINTS), 7), np.float32)
        for j, (name, parent) in enumerate(PARENTS.items()):
            if parent is None:
                world[:, j, :3], world[:, j, 3:] = roots, rotations[:, j]
                continue
            above = world[:, JOINTS.index(parent)]
            world[:, j, :3] = above[:, :3] + _rotate(above[:, 3:], self.offsets[j])
            world[:, j, 3:] = _product(above[:, 3:], rotations[:, j])
        if garment is None:
            return world
        for name in garment.joint_names:
            if name not in PARENTS:
                refuse("garment", "joints of the built-in person", f"{name!r}")
        return np.ascontiguousarray(world[:, [JOINTS.index(name) for name in garment.joint_names]])

    def _at(self, rate: float) -> tuple[Floats, Floats]:
        """Roots and rotations at another rate."""
        if not 1 <= rate <= 1000:
            refuse("rate", "1 to 1000", f"{rate:g}")
        last = len(self) - (0 if self.loops else 1)
        at = np.arange(int(np.floor(self.duration * rate + 1e-6)) + 1) * (self.frames_per_second / rate)
        at = np.clip(at, 0, last)
        before = np.minimum(at.astype(int), len(self) - 1)
        after = (before + 1) % len(self) if self.loops else np.minimum(before + 1, len(self) - 1)
        share = (at - before).astype(np.float32)[:, None]
        roots = self.roots[before] + (self.roots[after] - self.roots[before]) * share
        a, b = self.rotations[before], self.rotations[after]
        cosine = np.sum(a * b, -1, keepdims=True)
        b = np.where(cosine < 0, -b, b)
        angle = np.arccos(np.clip(np.abs(cosine), 0, 1))
        sine = np.maximum(np.sin(angle), 1e-6)
        close, weight = angle < 1e-3, share[:, None]
        mixed = np.where(
            close,
            a + (b - a) * weight,
            (np.sin((1 - weight) * angle) * a + np.sin(weight * angle) * b) / sine,
        )
        return roots, (mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)).astype(np.float32)

    def __repr__(self) -> str:
        frames = f"{len(self)} frames at {self.frames_per_second:g} Hz"
        return f"<billow.Motion {self.name!r}: {self.about}, {frames}>"


class MotionBundle(Mapping[str, Motion]):
    """The clips of a file, by name, such as `assets/motions/captured.billowmotion`.

        clips = billow.MotionBundle("assets/motions/captured.billowmotion")
        joints = clips["07_03"].joints(garment, rate=60)

    Raises:
        CannotRead: no such file.
        BadData: no valid bundle; the message says where, what was expected and what was found.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            size = self.path.stat().st_size
            data = self.path.read_bytes() if size <= LARGEST else b""
        except OSError as error:
            raise CannotRead(f"{self.path}: expected a motion bundle: {error.strerror}") from error
        if size > LARGEST:
            raise BadData(f"{self.path}: expected at most {LARGEST} bytes, found {size}")
        self._clips = _Reader(data, str(self.path)).clips()

    def __getitem__(self, name: str) -> Motion:
        return self._clips[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._clips)

    def __len__(self) -> int:
        return len(self._clips)

    def __repr__(self) -> str:
        return f"<billow.MotionBundle of {len(self)} clips>"


class _Reader:
    """Reads untrusted bytes of a bundle."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data, self.where, self.at = data, where, 0

    def fail(self, expected: str, found: object) -> NoReturn:
        raise BadData(f"{self.where}: byte {self.at}: expected {expected}, found {found}")

    def take(self, count: int) -> bytes:
        left = len(self.data) - self.at
        if left < count:
            self.fail(f"{count} more bytes", left)
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        (size,) = struct.unpack("<H", self.take(2))
        try:
            return self.take(size).decode()
        except UnicodeDecodeError:
            self.fail("UTF-8", "other bytes")

    def reals(self, count: int) -> Floats:
        values = np.frombuffer(self.take(4 * count), "<f4").astype(np.float32)
        if not np.isfinite(values).all():
            self.fail("finite numbers", values)
        return values

    def clips(self) -> dict[str, Motion]:
        magic, version, count, joints, _, size, checksum = HEADER.unpack(self.take(HEADER.size))
        for what, expected, found in (
            ("a motion bundle", MAGIC, magic),
            ("version", VERSION, version),
            ("joints", len(JOINTS), joints),
            ("bytes", len(self.data), size),
            ("checksum", _core.checksum(self.data[HEADER.size :]), checksum),
        ):
            if expected != found:
                self.fail(f"{what}: {expected!r}", repr(found))
        offsets = np.empty((len(JOINTS), 3), np.float32)
        for j, joint in enumerate(JOINTS):
            name, offsets[j] = self.text(), self.reals(3)
            if name != joint:
                self.fail(f"the built-in person's joint {joint!r}", repr(name))
        clips: dict[str, Motion] = {}
        for _ in range(count):
            clip = self.clip(offsets)
            if clip.name in clips:
                self.fail("names that are unique", f"{clip.name!r} twice")
            clips[clip.name] = clip
        if self.at != len(self.data):
            self.fail("the end of the file", f"{len(self.data) - self.at} more bytes")
        return clips

    def clip(self, offsets: Floats) -> Motion:
        name, about, subject = self.text(), self.text(), self.text()
        flags, rate, count = struct.unpack("<BfI", self.take(9))
        if not name:
            self.fail("a name", "none")
        if flags > 3:
            self.fail("flags from 0 to 3", flags)
        if not 1 <= rate <= 1000:
            self.fail("1 to 1000 frames a second", rate)
        if count == 0:
            self.fail("at least one frame", "none")
        box = self.reals(6)
        if not ((box[3:] >= 0) & (box[3:] <= 100)).all():
            self.fail("a way of 0 to 100 m", box[3:])
        words = np.frombuffer(self.take(6 * count * (1 + len(JOINTS))), "<u2").reshape(count, -1, 3)
        roots = box[:3] + words[:, 0].astype(np.float32) / np.float32(65535) * box[3:]
        return Motion(
            name,
            about,
            subject,
            bool(flags & 1),
            bool(flags & 2),
            rate,
            roots,
            _unpack(words[:, 1:]),
            offsets,
        )


def _unpack(words: npt.NDArray[np.uint16]) -> Floats:
    """Quaternions of 48 bits each: 0, the index of the largest component (2 bits), and the others in order,
    15 bits each."""
    bits = words[..., 0].astype(np.uint64) | words[..., 1].astype(np.uint64) << np.uint64(16)
    bits |= words[..., 2].astype(np.uint64) << np.uint64(32)
    largest = (bits >> np.uint64(45) & np.uint64(3)).astype(np.int64)
    small = np.stack([bits >> np.uint64(shift) & np.uint64(0x7FFF) for shift in (30, 15, 0)], -1)
    values = (2 * small.astype(np.float32) / np.float32(32767) - 1) * np.float32(np.sqrt(0.5))
    q = np.empty(bits.shape + (4,), np.float32)
    for k in range(4):  # each component but the largest takes the next value
        before = np.where(largest < k, k - 1, k)
        q[..., k] = np.take_along_axis(values, np.minimum(before, 2)[..., None], -1)[..., 0]
    rest = np.sqrt(np.maximum(1 - np.sum(values * values, -1), 0))
    np.put_along_axis(q, largest[..., None], rest[..., None], -1)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _rotate(q: Floats, v: Floats) -> Floats:
    u, w = q[:, :3], q[:, 3:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def _product(a: Floats, b: Floats) -> Floats:
    u, v, s, t = a[:, :3], b[:, :3], a[:, 3:], b[:, 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, -1, keepdims=True)], -1)
