"""Tensors of torch as joints, and the mesh straight into a tensor: nothing is copied but what the frame
itself writes.

Plays a motion into one tensor of all frames, and lets torch say which way each vertex of the last one would
have to go for the edges to have the lengths of the pattern.

    python3 torch_in_and_out.py
"""

from __future__ import annotations

from pathlib import Path

import torch

import billow

ASSETS = Path(__file__).resolve().parents[2] / "assets"
RATE, FRAMES = 60, 30


def main() -> None:
    garment = billow.Garment.load(ASSETS / "cape.billow")
    motion = billow.MotionBundle(ASSETS / "motions/captured.billowmotion")["07_03"]

    # In: tensors on the CPU, float32 without gaps, are read where they are.
    joints = torch.from_numpy(motion.joints(garment, rate=RATE)[:FRAMES])
    # Out: every frame writes its row of this tensor.
    mesh = torch.empty(FRAMES, garment.vertex_count, 3)
    cape = billow.Instance(garment)
    cape.settle(2, joints[0])
    for frame, out in zip(joints, mesh):
        cape.step(1 / RATE, frame)
        cape.write(positions=out)

    strain = billow.Strain(garment)
    edges = torch.from_numpy(strain.edges.astype("int64"))
    lengths = torch.from_numpy(strain.lengths)
    last = mesh[-1].clone().requires_grad_()
    stretched = (last[edges[:, 0]] - last[edges[:, 1]]).norm(dim=1) / lengths - 1
    stretched.square().sum().backward()
    print(
        f"{tuple(mesh.shape)} positions; the last frame's mean strain is {100 * stretched.abs().mean():.2f} %,"
    )
    print(f"the largest gradient of its squares {last.grad.norm(dim=1).max():.2f} per metre")

    # To a GPU: mesh.to("cuda"). From one: joints.cpu(), as the library reads the processor's memory.


if __name__ == "__main__":
    main()
