"""What comes in as an array: checked, and copied only where it has to be. Private, but for
`from_matrices`."""

from __future__ import annotations

from typing import Any, NoReturn, Optional, Tuple

import numpy as np
import numpy.typing as npt

from .errors import InvalidArgument

Floats = npt.NDArray[np.float32]
Shape = Tuple[Optional[int], ...]  # None: any number

FLOAT32 = np.dtype(np.float32)
TRANSFORM = "position x y z and rotation x y z w"


def refuse(what: str, expected: str, found: str) -> NoReturn:
    raise InvalidArgument(f"{what}: expected {expected}, found {found}")


def _describe(shape: Shape) -> str:
    sizes = ", ".join("n" if size is None else str(size) for size in shape)
    return f"({sizes},)" if len(shape) == 1 else f"({sizes})"


def as_array(value: Any, what: str) -> npt.NDArray[Any]:
    """`value` as an array of numbers, of whatever type and shape it has."""
    try:
        array = np.asarray(value)
    # Whatever the owner of the value raises: NumPy, or torch for tensors on a GPU or with gradients.
    except Exception as error:
        raise InvalidArgument(
            f"{what}: expected an array of numbers, found {type(value).__name__}: {error}"
        ) from error
    if array.dtype.kind not in "fiu":
        refuse(what, "an array of numbers", f"{type(value).__name__} with dtype {array.dtype}")
    return array


def check_shape(array: npt.NDArray[Any], shape: Shape, what: str, meaning: str = "") -> None:
    found = array.shape
    if found != shape and (
        len(found) != len(shape) or any(a not in (None, b) for a, b in zip(shape, found))
    ):
        refuse(
            what,
            f"an array of shape {_describe(shape)}{', ' + meaning if meaning else ''}",
            f"shape {found}",
        )


def floats(value: Any, shape: Shape, what: str, meaning: str = "") -> Floats:
    """`value` as float32 without gaps: itself where it is that already."""
    array = as_array(value, what)
    check_shape(array, shape, what, meaning)
    flags = array.flags
    if array.dtype == FLOAT32 and flags.c_contiguous and flags.aligned:
        return array
    with np.errstate(over="ignore"):  # what is too large is infinite, and refused as that
        return np.require(array, np.float32, ["C", "A"])


def integers(value: Any, shape: Shape, what: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """`value` as integers of a type without gaps."""
    array = as_array(value, what)
    check_shape(array, shape, what)
    limits = np.iinfo(dtype)
    if array.size:
        if array.dtype.kind not in "iu":
            refuse(what, "whole numbers", f"dtype {array.dtype}")
        for extreme in (array.min(), array.max()):
            if not limits.min <= extreme <= limits.max:
                refuse(what, f"numbers from {limits.min} to {limits.max}", str(extreme))
    return np.require(array.astype(dtype, copy=False), None, ["C", "A"])


def number(value: Any, what: str) -> float:
    """`value` as a float; anything that Python takes for one, but no text and no truth."""
    if isinstance(value, (bool, str, bytes)):
        refuse(what, "a number", type(value).__name__)
    try:
        return float(value)
    except (TypeError, ValueError):
        refuse(what, "a number", type(value).__name__)


def transforms(value: Any, count: int | None, what: str) -> Floats:
    return floats(value, (count, 7), what, TRANSFORM)


def transform(value: Any, what: str) -> Floats | None:
    """One transform as one row; None stays None."""
    return None if value is None else floats(value, (7,), what, TRANSFORM).reshape(1, 7)


def vector(value: Any, what: str) -> Floats:
    return floats(value, (3,), what)


def writable(value: Any, columns: int, what: str) -> npt.NDArray[Any]:
    """`value` itself, as an array to write float32 or float16 to: rows with any gap between them."""
    array = as_array(value, what)
    if not isinstance(value, np.ndarray) and not np.shares_memory(array, np.asarray(value)):
        refuse(what, "an array or a tensor whose memory can be written to", type(value).__name__)
    check_shape(array, (None, columns), what)
    if array.dtype not in (np.float32, np.float16):
        refuse(what, "dtype float32 or float16", f"dtype {array.dtype}")
    if not array.flags.writeable:
        refuse(what, "an array that can be written to", "one that is read-only")
    row, item = array.strides
    if item != array.itemsize or row < columns * item or row % item:
        refuse(what, "rows without gaps inside, one after the other", f"strides {array.strides}")
    return array


def from_matrices(matrices: npt.ArrayLike) -> Floats:
    """Transforms (position x y z, quaternion x y z w) of 4x4 matrices.

    Args:
        matrices: shape (..., 4, 4), for column vectors: the last column is the position. Rotation,
            translation and uniform or other positive scale along the axes, which is divided out: pass a
            character's scale as `scale` of a step.

    Returns:
        float32 of shape (..., 7).

    Raises:
        InvalidArgument: another shape, or a matrix that mirrors or has no volume.
    """
    m = as_array(matrices, "matrices").astype(np.float64)
    if m.ndim < 2 or m.shape[-2:] != (4, 4):
        refuse("matrices", "an array of shape (..., 4, 4)", f"shape {m.shape}")
    if not (np.linalg.det(m[..., :3, :3]) > 0).all():
        refuse("matrices", "rotations with positive scale", "one that mirrors or has no volume")
    r = m[..., :3, :3] / np.linalg.norm(m[..., :3, :3], axis=-2, keepdims=True)
    # Of the four ways to a quaternion the one whose divisor is the largest: each row is the quaternion times
    # four of its components.
    d = np.diagonal(r, axis1=-2, axis2=-1)
    x, y, z = d[..., 0], d[..., 1], d[..., 2]
    a, b, c = r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]
    e, f, g = r[..., 1, 0] + r[..., 0, 1], r[..., 0, 2] + r[..., 2, 0], r[..., 2, 1] + r[..., 1, 2]
    rows = np.stack(
        [
            np.stack([1 + x - y - z, e, f, a], -1),
            np.stack([e, 1 - x + y - z, g, b], -1),
            np.stack([f, g, 1 - x - y + z, c], -1),
            np.stack([a, b, c, 1 + x + y + z], -1),
        ],
        -2,
    )
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return np.concatenate([m[..., :3, 3], q], -1).astype(np.float32)
