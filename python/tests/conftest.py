"""What tests share. They run in the project's folder, where assets/ is, and with BILLOW_BUILD, where programs are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import billow

ROOT = Path(__file__).resolve().parents[2]
DT = 1 / 64


@pytest.fixture(scope="session", autouse=True)
def in_project_folder() -> None:
    os.chdir(ROOT)


@pytest.fixture(scope="session")
def cape() -> billow.Garment:
    return billow.Garment.load(ROOT / "assets/cape.billow")


@pytest.fixture()
def instance(cape: billow.Garment) -> billow.Instance:
    return billow.Instance(cape)


def program(name: str) -> str:
    """A program of the build."""
    path = Path(os.environ.get("BILLOW_BUILD", ROOT / "build/release")) / "bin" / name
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return str(path)


def swing(t: np.float32) -> np.float32:
    """A periodic function between -1 and 1 with period 2, made of parabolas."""
    while t > 1:
        t = np.float32(t - np.float32(2))
    return np.float32(np.float32(np.float32(4) * t) * np.float32(np.float32(1) - abs(t)))


def sway(rest: np.ndarray, frame: int) -> np.ndarray:
    """The joints of viewer/wasm/frames.cpp, to the bit: sums and products of single floats in the same order."""
    f = np.float32
    seconds = f(frame) / f(64)
    x, y = f(0.25) * swing(f(0.7) * seconds), f(0.3) * swing(f(0.45) * seconds)
    by = (f(0.2) * swing(seconds), f(0.05) * swing(f(3) * seconds), f(3) * seconds)
    n = f(1) / (f(1) + x * x + y * y)
    out = rest.copy()
    p, q = rest[:, :3].T, rest[:, 3:].T
    a = (y * p[2] + p[0], -x * p[2] + p[1], x * p[1] - y * p[0] + p[2])
    b = (y * a[2], -x * a[2], x * a[1] - y * a[0])
    for k in range(3):
        out[:, k] = p[k] + f(2) * n * b[k] + by[k]
    out[:, 3] = q[0] + x * q[3] + y * q[2]
    out[:, 4] = q[1] + y * q[3] - x * q[2]
    out[:, 5] = q[2] + x * q[1] - y * q[0]
    out[:, 6] = q[3] - x * q[0] - y * q[1]
    assert out.dtype == np.float32
    return out


def play(instance: billow.Instance, frames: range) -> list[int]:
    """Steps through these frames, and returns a hash of each."""
    hashes = []
    for k in frames:
        instance.step(DT, sway(instance.garment.joint_rest, k))
        hashes.append(instance.hash)
    return hashes


def hanging(chains: int = 1, bones: int = 8, **more: object) -> billow.Chains:
    """Chains of 10 cm ropes side by side."""
    rest = np.zeros((chains, bones, 3))
    rest[..., 0] = 0.1 * np.arange(chains)[:, None]
    rest[..., 1] = -0.1 * np.arange(bones)
    return billow.Chains(rest, **more)


def roots(chains: int = 1, x: float = 0.0) -> np.ndarray:
    """Where the roots of `hanging` are."""
    out = np.zeros((chains, 7), np.float32)
    out[:, 0] = x + 0.1 * np.arange(chains)
    out[:, 6] = 1
    return out
