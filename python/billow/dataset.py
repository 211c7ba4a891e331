"""Data sets of `billow simulate` and `billow dataset import` (docs/cloth.md), read in place."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator, NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats, refuse
from .errors import BadData, CannotRead

PARTS = {"t": "training", "v": "validation", "h": "holdout", "u": "unseen"}


class Clip:
    """One clip of a data set. Its arrays are memory maps of float32: nothing is read until it is used."""

    def __init__(self, data_set: DataSet, index: int, fields: dict[str, Any]) -> None:
        where = data_set.folder / "manifest.json"
        self._data_set = data_set
        self.index: int = index
        self.fields: dict[str, Any] = fields
        """Everything that the manifest says of it: strain, depth, crossings."""
        self.name: str = _get(fields, "name", str, where, f"clips[{index}]")
        self.usable: bool = _get(fields, "usable", bool, where, f"clips[{index}]")
        """It passes the reference's check, and is learnt from."""
        self._frames: int = _get(fields, "frames", int, where, f"clips[{index}]")
        self.split: str = _get(fields, "split", str, where, f"clips[{index}]")
        """One letter per frame: t training, v validation, h holdout, u unseen."""
        if self._frames < 0 or len(self.split) != self._frames or set(self.split) - set(PARTS):
            _fail(
                where,
                f"clips[{index}].split",
                f"a letter t, v, h or u for each of {self._frames} frames",
                self.split[:60],
            )

    def __len__(self) -> int:
        return self._frames

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self._data_set.folder / "clips" / f"{self.index:04d}"

    def mask(self, parts: str) -> npt.NDArray[np.bool_]:
        """Which frames belong to these parts of the split, (frames,): `clip.mask("tv")`."""
        if not parts or set(parts) - set(PARTS):
            refuse("parts", "letters of t, v, h and u", repr(parts))
        return np.isin(np.frombuffer(self.split.encode(), "S1"), [letter.encode() for letter in parts])

    @property
    def cloth(self) -> Floats:
        """m, (frames, vertices, 3): the cloth in world space."""
        return self._map("cloth.npy", (self._data_set.vertex_count, 3))

    @property
    def bones(self) -> Floats:
        """m, (frames, bones, 3): bones embedded in the cloth."""
        return self._map("bones.npy", (self._data_set.bone_count, 3))

    @property
    def rope(self) -> Floats:
        """m, (frames, bones, 3): bones as rope chains simulate them on the same motion."""
        return self._map("rope.npy", (self._data_set.bone_count, 3))

    @property
    def joints(self) -> Floats:
        """(frames, joints, 7): the body, position and quaternion x y z w."""
        return self._map("joints.npy", (None, 7))

    def _map(self, name: str, row: tuple[int | None, int]) -> Floats:
        return _map(self.folder / name, (self._frames, *row))

    def __repr__(self) -> str:
        judged = "" if self.usable else ", rejected"
        return f"<billow.Clip {self.index} {self.name!r}: {self._frames} frames{judged}>"


class DataSet(Sequence[Clip]):
    """The clips of a folder.

        data = billow.DataSet("data/cape")
        for clip in data.usable:
            x, y = clip.rope[clip.mask("t")], clip.cloth[clip.mask("t")]

    Raises:
        CannotRead: no such folder, or one that is not complete yet.
        BadData: files that do not fit; the message names file and place.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        where = self.folder / "manifest.json"
        self.fields: dict[str, Any] = _read_json(where)
        """Everything that the manifest says."""
        for key, expected in (("format", "billow data set"), ("version", 1)):
            if self.fields.get(key) != expected:
                _fail(where, key, repr(expected), self.fields.get(key))
        self.garment: str = _get(self.fields, "garment", str, where)
        """The garment's name."""
        self.character: str = _get(
            self.fields, "character" if "character" in self.fields else "preset", str, where
        )
        """The built-in person's preset, or the name of an own character."""
        self.vertex_count: int = _get(self.fields, "vertices", int, where)
        self.bone_count: int = _get(self.fields, "bones", int, where)
        self.frames_per_second: float = float(_get(self.fields, "frames_per_second", (int, float), where))
        self._clips = [
            Clip(
                self,
                k,
                fields if isinstance(fields, dict) else _fail(where, f"clips[{k}]", "an object", fields),
            )
            for k, fields in enumerate(_get(self.fields, "clips", list, where))
        ]

    def __len__(self) -> int:
        return len(self._clips)

    def __getitem__(self, index: Any) -> Any:
        return self._clips[index]

    def __iter__(self) -> Iterator[Clip]:
        return iter(self._clips)

    @property
    def usable(self) -> list[Clip]:
        """The clips that pass the reference's check."""
        return [clip for clip in self if clip.usable]

    def frames(self, parts: str = "tvhu") -> npt.NDArray[np.int64]:
        """Which frames of usable clips belong to these parts of the split: (clip, frame) each, (n, 2)."""
        found = [
            np.stack([np.full(m.sum(), c.index), np.flatnonzero(m)], -1)
            for c in self.usable
            for m in [c.mask(parts)]
        ]
        return np.concatenate(found) if found else np.empty((0, 2), np.int64)

    @cached_property
    def description(self) -> dict[str, Any]:
        """`garment.json` (docs/garments.md): attachments, bones, chains, key joint."""
        return _read_json(self.folder / "garment.json")

    @cached_property
    def rest(self) -> Floats:
        """m, (vertices, 3): the drape on the resting body, in model space."""
        name = _get(self.description, "rest", str, self.folder / "garment.json")
        return _map(self._beside("rest", name), (self.vertex_count, 3))

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """(triangles, 3), counter-clockwise seen from outside."""
        return self._mesh[0]

    @property
    def uvs(self) -> Floats:
        """m, (vertices, 2): the pattern laid flat; empty, (0, 2), if there is none."""
        return self._mesh[1]

    @cached_property
    def _mesh(self) -> tuple[npt.NDArray[np.uint32], Floats]:
        file = self._beside("mesh", _get(self.description, "mesh", str, self.folder / "garment.json"))
        triangles: list[list[int]] = []
        texture: list[list[float]] = []
        texture_of: dict[int, int] = {}
        for number, line in enumerate(_read_text(file).splitlines(), 1):
            words = line.split()
            try:
                if words[:1] == ["vt"]:
                    texture.append([float(words[1]), float(words[2])])
                elif words[:1] == ["f"]:
                    corners = [[int(i) for i in word.split("/") if i] for word in words[1:]]
                    if len(corners) != 3 or any(not 1 <= c[0] <= self.vertex_count for c in corners):
                        _fail(
                            file, f"line {number}", f"a triangle of {self.vertex_count} vertices", line[:60]
                        )
                    triangles.append([c[0] - 1 for c in corners])
                    texture_of.update((c[0] - 1, c[1] - 1) for c in corners if len(c) > 1)
            except BadData:
                raise
            except (ValueError, IndexError):
                _fail(file, f"line {number}", "numbers", line[:60])
        if self.description.get("triangles") != len(triangles):
            _fail(file, "triangles", self.description.get("triangles"), len(triangles))
        uvs = np.empty((0, 2), np.float32)
        if texture_of:
            if len(texture_of) != self.vertex_count or not all(
                0 <= t < len(texture) for t in texture_of.values()
            ):
                _fail(
                    file,
                    "vt",
                    f"one for each of {self.vertex_count} vertices",
                    f"{len(texture_of)} used of {len(texture)}",
                )
            uvs = np.array(texture, np.float32)[[texture_of[v] for v in range(self.vertex_count)]]
        return np.array(triangles, np.uint32).reshape(-1, 3), uvs

    def _beside(self, key: str, name: str) -> Path:
        if not name or Path(name).name != name:
            _fail(self.folder / "garment.json", key, "a file in the same folder", name)
        return self.folder / name

    def check(self) -> list[str]:
        """Reads all clips, and returns a line for each error: shapes, values that are not finite, checksums.
        `billow dataset check` does the same."""
        errors: list[str] = []
        for clip in self:
            checksums = clip.fields.get("checksums", {})
            for name in ("cloth", "bones", "rope", "joints"):
                file = clip.folder / f"{name}.npy"
                try:
                    values = getattr(clip, name)
                    if not np.isfinite(values).all():
                        errors.append(f"{file}: expected finite values")
                    found = f"{_core.checksum(np.memmap(file, np.uint8, 'r')):016x}"
                    if checksums.get(file.name) != found:
                        errors.append(
                            f"{file}: expected the checksum {checksums.get(file.name)}, found {found}"
                        )
                except (BadData, CannotRead) as error:
                    errors.append(str(error))
        return errors

    def __repr__(self) -> str:
        return f"<billow.DataSet {self.garment!r}: {len(self)} clips, {sum(map(len, self))} frames>"


def _fail(file: Path, place: str, expected: object, found: object) -> NoReturn:
    raise BadData(f"{file}: {place}: expected {expected}, found {found!r}")


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise CannotRead(f"{file}: expected a file of a data set: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadData(f"{file}: expected UTF-8, found other bytes at {error.start}") from error


def _read_json(file: Path) -> dict[str, Any]:
    text = _read_text(file)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{file}: expected JSON: {error}") from error
    if not isinstance(found, dict):
        _fail(file, "the file", "an object", type(found).__name__)
    return found


def _get(fields: dict[str, Any], key: str, kind: Any, file: Path, place: str = "") -> Any:
    value = fields.get(key)
    where = f"{place}.{key}" if place else key
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        names = kind.__name__ if isinstance(kind, type) else "number"
        _fail(
            file,
            where,
            {"str": "text", "int": "a whole number", "bool": "true or false"}.get(names, f"a {names}"),
            value,
        )
    return value


def _map(file: Path, shape: tuple[int | None, ...]) -> Floats:
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise CannotRead(f"{file}: expected an array of a data set: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise BadData(f"{file}: expected a NumPy array: {error}") from error
    fits = len(array.shape) == len(shape) and all(s in (None, f) for s, f in zip(shape, array.shape))
    if array.dtype != np.float32 or not fits:
        wanted = " x ".join("n" if s is None else str(s) for s in shape)
        _fail(
            file, "the array", f"float32 of {wanted}", f"{array.dtype} of {' x '.join(map(str, array.shape))}"
        )
    return array
