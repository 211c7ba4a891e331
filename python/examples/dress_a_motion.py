"""Dresses a captured motion, and shows how far the cloth is stretched: as a plot where matplotlib is
installed, else as a table.

    python3 dress_a_motion.py
    python3 dress_a_motion.py --garment skirt.billow --clip 55_04 --seconds 8 -o strain.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import billow

ASSETS = Path(__file__).resolve().parents[2] / "assets"
RATE = 60


def dress(garment: billow.Garment, motion: billow.Motion, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and 99th percentile of the strain of each frame, in percent."""
    joints = motion.joints(garment, rate=RATE)[: int(seconds * RATE) + 1]
    cape, strain = billow.Instance(garment), billow.Strain(garment)
    cape.settle(2, joints[0])
    found = []
    for frame in joints:
        cape.step(1 / RATE, frame)
        percent = 100 * abs(strain(cape.positions))
        found.append((percent.mean(), np.percentile(percent, 99)))
    mean, p99 = np.array(found).T
    return mean, p99


def print_table(mean: np.ndarray, p99: np.ndarray) -> None:
    print("  time   mean strain %   99th percentile %")
    for k in range(0, len(mean), RATE // 4):
        print(f"{k / RATE:6.2f} {mean[k]:15.2f} {p99[k]:19.2f}")


def plot(mean: np.ndarray, p99: np.ndarray, title: str, out: Path | None) -> None:
    import matplotlib.pyplot as plt

    times = np.arange(len(mean)) / RATE
    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    axes.plot(times, p99, label="99th percentile")
    axes.plot(times, mean, label="mean")
    axes.set(xlabel="s", ylabel="strain, %", ylim=(0, None), title=title)
    axes.legend()
    if out is None:
        plt.show()
    else:
        figure.savefig(out)
        print(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--garment", type=Path, default=ASSETS / "cape.billow")
    parser.add_argument("--motions", type=Path, default=ASSETS / "motions/captured.billowmotion")
    parser.add_argument("--clip", default="07_03")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument(
        "--table", action="store_true", help="print a table where matplotlib is installed too"
    )
    parser.add_argument("-o", "--out", type=Path, help="write the plot to this file instead of a window")
    o = parser.parse_args()

    garment, motions = billow.Garment.load(o.garment), billow.MotionBundle(o.motions)
    if o.clip not in motions:
        parser.error(f"--clip: expected one of {', '.join(sorted(motions)[:8])}, ..., found {o.clip}")
    mean, p99 = dress(garment, motions[o.clip], o.seconds)
    try:
        if o.table:
            raise ImportError
        plot(mean, p99, f"{garment.name}, {o.clip} ({motions[o.clip].about})", o.out)
    except ImportError:
        print_table(mean, p99)


if __name__ == "__main__":
    main()
