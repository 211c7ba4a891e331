"""How far cloth is stretched."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, check_shape, as_array, number, refuse
from .garment import Garment


class Strain:
    """Relative change of the length of edges against the pattern: 0.01 is 1 % longer.

        strain = billow.Strain(garment)
        print(abs(strain(cape.positions)).mean())

    Args:
        garment: one with a pattern.

    Raises:
        InvalidArgument: a garment without a pattern.
    """

    edges: npt.NDArray[np.uint32]
    """Two vertices each, (edges, 2): every edge of the mesh once."""
    lengths: Floats
    """m on the pattern, (edges,)."""

    def __init__(self, garment: Garment) -> None:
        if not garment.uvs.any():
            refuse("garment", "one with a pattern", f"{garment.name!r}, which has none")
        corners = np.sort(
            np.concatenate([garment.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]), axis=1
        )
        self.edges = np.unique(corners, axis=0)
        self.lengths = self._measure(garment.uvs)
        self._vertex_count = garment.vertex_count

    def _measure(self, points: Floats) -> Floats:
        between = points[self.edges[:, 0]] - points[self.edges[:, 1]]
        return np.sqrt(np.einsum("ij,ij->i", between, between))

    def __call__(self, positions: npt.ArrayLike, *, scale: float = 1.0) -> Floats:
        """Strain of every edge, (edges,).

        Args:
            positions: (vertices, 3), such as `Instance.positions`.
            scale: the character's.
        """
        points = as_array(positions, "positions")
        check_shape(points, (self._vertex_count, 3), "positions")
        return self._measure(points) / (self.lengths * np.float32(number(scale, "scale"))) - np.float32(1)

    def of_vertices(self, strain: Floats) -> Floats:
        """Mean of the strain of each vertex's edges, (vertices,): for colours."""
        check_shape(strain, (len(self.edges),), "strain")
        ends = self.edges.ravel()
        total = np.bincount(ends, np.repeat(strain, 2), self._vertex_count)
        return (total / np.maximum(np.bincount(ends, minlength=self._vertex_count), 1)).astype(np.float32)
